//! What has to be remembered while a person is away at the authorization server.

use super::metadata::REQUEST_PARAMETERS;
use super::pkce::is_random_text;
use super::record::{self, MemberError, Record};
use super::tokens::{GRANT_MEMBERS, Grant};
use super::{Secret, Secrets, SecureUrl, code_challenge, form};
use crate::host::StoredError;
use crate::value::json_string;

/// One authorization request, from its beginning to the return of the one who consents.
///
/// Where the page itself goes away, keep [`Pending::to_json`] in the tab's session storage under
/// [`Pending::state`], and remove it before [`Flow::resume`](super::Flow::resume): it serves once.
/// Its [`Debug`](std::fmt::Debug) shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub(super) grant: Grant,
    pub(super) state: Secret,
    pub(super) verifier: Secret,
    pub(super) redirect_uri: String,
    /// Whether the authorization server promised to name itself in its answer.
    pub(super) names_issuer: bool,
}

impl Pending {
    /// The `state`, which the answer repeats: the key to find this record by.
    #[must_use]
    pub const fn state(&self) -> &Secret {
        &self.state
    }

    /// The authorization server.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.grant.issuer
    }

    /// The MCP server's address.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.grant.endpoint
    }

    /// Where the person goes: the endpoint's own query stays in front.
    pub(super) fn authorization_url(&self, endpoint: &SecureUrl) -> String {
        let challenge = code_challenge(&self.verifier);
        let scopes = self.grant.scopes.to_string();
        let values = [
            "code",
            &self.grant.client_id,
            &self.redirect_uri,
            &challenge,
            "S256",
            self.state.expose(),
            &scopes,
            &self.grant.resource,
        ];
        let pairs = REQUEST_PARAMETERS.into_iter().zip(values);
        let pairs: Vec<_> = pairs.filter(|(_, value)| !value.is_empty()).collect();
        let joint = if endpoint.query().is_empty() { '?' } else { '&' };
        format!("{}{joint}{}", endpoint.as_str(), form::write(&pairs))
    }

    /// The form that redeems a code (RFC 6749, section 4.1.3).
    pub(super) fn token_form(&self, code: &Secret) -> Secret {
        Secret::new(form::write(&[
            ("grant_type", "authorization_code"),
            ("code", code.expose()),
            ("code_verifier", self.verifier.expose()),
            ("client_id", &self.grant.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("resource", &self.grant.resource),
        ]))
    }

    /// What servers may repeat and nobody should see.
    pub(super) fn secrets(&self) -> Secrets {
        Secrets::new([&self.state, &self.verifier])
    }

    /// The record as JSON text, secrets included, for the tab's session storage.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut members = self.grant.members();
        members.extend([
            ("state", json_string(self.state.expose())),
            ("verifier", json_string(self.verifier.expose())),
            ("redirect_uri", json_string(&self.redirect_uri)),
            ("names_issuer", self.names_issuer.to_string()),
        ]);
        record::write_stored(&members)
    }

    /// Reads what [`Pending::to_json`] wrote, as strictly as a server's text.
    ///
    /// # Errors
    /// Anything that it would not have written; such a text is to be thrown away.
    ///
    /// ```
    /// assert!(skillglass::auth::Pending::read("{\"state\":\"x\"}").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Self, StoredError> {
        let own = ["state", "verifier", "redirect_uri", "names_issuer"];
        record::read_stored(text, &[&own[..], &GRANT_MEMBERS].concat(), Self::from_record)
    }

    fn from_record(record: &Record<'_>) -> Result<Self, MemberError> {
        let redirect_uri = record.needed_text("redirect_uri")?;
        SecureUrl::parse(redirect_uri).map_err(|error| MemberError::url("redirect_uri", error))?;
        Ok(Self {
            grant: Grant::read(record)?,
            state: random(record, "state")?,
            verifier: random(record, "verifier")?,
            redirect_uri: redirect_uri.to_owned(),
            names_issuer: record.flag("names_issuer")?,
        })
    }
}

fn random(record: &Record<'_>, name: &'static str) -> Result<Secret, MemberError> {
    let text = record.needed_text(name)?;
    let error = MemberError::expected(name, "a random text of this client");
    if is_random_text(text) { Ok(Secret::new(text)) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::super::{Randomness, Scopes};
    use super::*;

    fn pending() -> Pending {
        let random = Randomness { verifier: [7; 32], state: [8; 32] };
        Pending {
            grant: Grant {
                endpoint: "https://a.example/mcp".into(),
                resource: "https://a.example".into(),
                issuer: "https://as.example".into(),
                token_endpoint: "https://as.example/token".into(),
                client_id: "client &1".into(),
                scopes: Scopes::parse("a b").unwrap(),
                step_ups: 0,
            },
            state: random.state(),
            verifier: random.code_verifier(),
            redirect_uri: "https://page.example/callback.html".into(),
            names_issuer: true,
        }
    }

    fn url(pending: &Pending, endpoint: &str) -> String {
        pending.authorization_url(&SecureUrl::parse(endpoint).unwrap())
    }

    #[test]
    fn the_request_carries_what_the_protocol_wants() {
        let mut pending = pending();
        let text = url(&pending, "https://as.example/authorize?tenant=1");
        let query = text.strip_prefix("https://as.example/authorize?").unwrap();
        let pairs: Vec<_> = form::read(query).collect();
        let challenge = code_challenge(&pending.verifier);
        let expected = [
            ("tenant", "1"),
            ("response_type", "code"),
            ("client_id", "client &1"),
            ("redirect_uri", "https://page.example/callback.html"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", pending.state.expose()),
            ("scope", "a b"),
            ("resource", "https://a.example"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs, expected);
        assert!(!text.contains(pending.verifier.expose()));
        pending.grant.scopes = Scopes::default();
        assert!(!url(&pending, "https://as.example/authorize").contains("scope="));
    }

    #[test]
    fn stored_records_are_read_strictly() {
        let pending = pending();
        let text = pending.to_json();
        assert_eq!(Pending::read(&text), Ok(pending.clone()));
        let state = pending.state.expose();
        for (from, to) in [
            (state, &state[1..]),
            (state, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA<>"),
            ("true", "\"true\""),
            ("https://page.example", "http://page.example"),
            ("https://as.example/token", "https:///token"),
            ("{", "{\"__proto__\":{},"),
            ("{", "{\"names_issuer\":false,"),
            ("\"verifier\"", "\"Verifier\""),
            ("\"step_ups\":0", "\"step_ups\":0.5"),
            ("{", "[{"),
            ("{", "\u{feff}{"),
        ] {
            assert!(Pending::read(&text.replacen(from, to, 1)).is_err(), "{from} {to}");
        }
    }
}
