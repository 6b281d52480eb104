//! Tokens, and who they are from and for.
//!
//! Sources: RFC 6749, sections 5.1 and 6; RFC 6750; *Access Token Usage* of the base protocol.

use super::answer::Fault;
use super::record::{self, MemberError, Record};
use super::registration::client_id;
use super::{Registration, Scopes, Secret, Secrets, SecureUrl, form};
use crate::host::StoredError;
use crate::protocol::http::MAX_HEADER_VALUE;
use crate::value::{Node, json_string};

/// How often tokens may be exchanged for ones with more scopes, before that ends as an error.
pub const MAX_STEP_UPS: u64 = 3;

/// What was asked for, by whom, from whom, and for which server. Nothing of it is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    /// The MCP server's address.
    pub(super) endpoint: String,
    pub(super) resource: String,
    pub(super) issuer: String,
    pub(super) token_endpoint: String,
    pub(super) client_id: String,
    pub(super) scopes: Scopes,
    /// How often more scopes were asked for.
    pub(super) step_ups: u64,
}

impl Grant {
    /// Reads the members of a grant from a stored object.
    pub(super) fn read(record: &Record<'_>) -> Result<Self, MemberError> {
        let grant = Self {
            endpoint: record.needed_text("endpoint")?.to_owned(),
            resource: record.needed_text("resource")?.to_owned(),
            issuer: record.needed_text("issuer")?.to_owned(),
            token_endpoint: record.needed_text("token_endpoint")?.to_owned(),
            client_id: record.needed_text("client_id")?.to_owned(),
            scopes: stored_scopes(record, "scopes")?,
            step_ups: record::needed("step_ups", record.count("step_ups")?)?,
        };
        let addresses = [
            ("endpoint", &grant.endpoint),
            ("resource", &grant.resource),
            ("issuer", &grant.issuer),
            ("token_endpoint", &grant.token_endpoint),
        ];
        for (name, address) in addresses {
            SecureUrl::parse(address).map_err(|error| MemberError::url(name, error))?;
        }
        if client_id(&grant.client_id) != Some(grant.client_id.as_str()) {
            return Err(MemberError::expected("client_id", "a client id"));
        }
        Ok(grant)
    }
}

impl Grant {
    /// The members that [`Grant::read`] reads, as JSON.
    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        let texts = [
            &self.endpoint,
            &self.resource,
            &self.issuer,
            &self.token_endpoint,
            &self.client_id,
            &self.scopes.to_string(),
        ];
        let values = texts.map(|text| json_string(text)).into_iter();
        GRANT_MEMBERS.into_iter().zip(values.chain([self.step_ups.to_string()])).collect()
    }
}

pub(super) const GRANT_MEMBERS: [&str; 7] =
    ["endpoint", "resource", "issuer", "token_endpoint", "client_id", "scopes", "step_ups"];

fn stored_scopes(record: &Record<'_>, name: &'static str) -> Result<Scopes, MemberError> {
    Scopes::parse(record.needed_text(name)?).ok_or(MemberError::expected(name, "scopes"))
}

/// What a server's authorization gave: to be held in memory.
///
/// Its [`Debug`](std::fmt::Debug) shows no secret. [`Tokens::to_json`] is for a user who asks that
/// the sign-in outlast a reload of this tab, and for nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    pub(super) grant: Grant,
    access: Secret,
    pub(super) refresh: Option<Secret>,
    expires_at_ms: Option<u64>,
    granted: Scopes,
}

impl Tokens {
    /// Reads a token answer. Without a refresh token in it, `refresh` stays the one to use;
    /// without scopes, those that were asked for were granted.
    pub(super) fn from_answer(
        root: &Node<'_>,
        grant: Grant,
        refresh: Option<Secret>,
        now_ms: u64,
    ) -> Result<Self, Fault> {
        let record = Record::of(root).ok_or(Fault::NotObject)?;
        let kind = record.needed_text("token_type")?;
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err(MemberError::expected("token_type", "\"Bearer\"").into());
        }
        let granted = match record.text("scope")? {
            None => grant.scopes.clone(),
            Some(text) => Scopes::parse(text).ok_or(MemberError::expected("scope", "scopes"))?,
        };
        let expires_at_ms = |seconds: u64| {
            now_ms.saturating_add(seconds.saturating_mul(1_000)).min(LAST_INSTANT_MS)
        };
        Ok(Self {
            access: access_token(record.needed_text(ACCESS_TOKEN)?)?,
            refresh: record
                .text(REFRESH_TOKEN)?
                .filter(|text| !text.is_empty())
                .map(Secret::new)
                .or(refresh),
            expires_at_ms: record.count("expires_in")?.map(expires_at_ms),
            granted,
            grant,
        })
    }

    /// The token for requests to `endpoint`: none where it was issued for another server, so that
    /// it cannot be sent to one. [`Sent::authorize`](super::Sent::authorize) puts it on requests.
    #[must_use]
    pub fn access_token(&self, endpoint: &str) -> Option<&Secret> {
        (self.grant.endpoint == endpoint).then_some(&self.access)
    }

    /// The MCP server's address.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.grant.endpoint
    }

    /// The authorization server that issued them.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.grant.issuer
    }

    /// The client id that was used, to be used again with the same issuer.
    #[must_use]
    pub fn registration(&self) -> Registration {
        let Grant { issuer, client_id, .. } = self.grant.clone();
        Registration { issuer, client_id }
    }

    /// The scopes that were granted, in the authorization server's words.
    #[must_use]
    pub const fn scopes(&self) -> &Scopes {
        &self.granted
    }

    /// When the access token expires, in milliseconds of the caller's clock; none where the
    /// authorization server does not say.
    #[must_use]
    pub const fn expires_at_ms(&self) -> Option<u64> {
        self.expires_at_ms
    }

    /// Whether the access token has expired at `now_ms`, as far as anybody knows. Renewing it then
    /// saves a request that would be refused, perhaps in a way that a page cannot read.
    #[must_use]
    pub fn has_expired(&self, now_ms: u64) -> bool {
        self.expires_at_ms.is_some_and(|at| at <= now_ms)
    }

    /// Whether they can be renewed without the user.
    #[must_use]
    pub const fn can_refresh(&self) -> bool {
        self.refresh.is_some()
    }

    /// What servers may repeat and nobody should see.
    pub(super) fn secrets(&self) -> Secrets {
        Secrets::new(std::iter::once(&self.access).chain(&self.refresh))
    }

    /// The form that redeems the refresh token (RFC 6749, section 6).
    pub(super) fn refresh_form(&self, refresh: &Secret) -> Secret {
        Secret::new(form::write(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose()),
            ("client_id", &self.grant.client_id),
            ("resource", &self.grant.resource),
        ]))
    }

    /// The tokens as JSON text, secrets included, to be kept for this tab if the user asks for it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let refresh = self.refresh.as_ref().map(Secret::expose);
        let mut members = self.grant.members();
        members.extend([
            (ACCESS_TOKEN, json_string(self.access.expose())),
            (REFRESH_TOKEN, refresh.map_or_else(null, json_string)),
            (EXPIRES_AT_MS, self.expires_at_ms.map_or_else(null, |at| at.to_string())),
            (GRANTED, json_string(&self.granted.to_string())),
        ]);
        record::write_stored(&members)
    }

    /// Reads what [`Tokens::to_json`] wrote, as strictly as a server's text.
    ///
    /// # Errors
    /// Anything that it would not have written; such a text is to be thrown away.
    ///
    /// ```
    /// assert!(skillglass::auth::Tokens::read("{}").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Self, StoredError> {
        let own = [ACCESS_TOKEN, REFRESH_TOKEN, EXPIRES_AT_MS, GRANTED];
        record::read_stored(text, &[&own[..], &GRANT_MEMBERS].concat(), Self::from_record)
    }

    fn from_record(record: &Record<'_>) -> Result<Self, MemberError> {
        Ok(Self {
            grant: Grant::read(record)?,
            access: access_token(record.needed_text(ACCESS_TOKEN)?)?,
            refresh: record.text(REFRESH_TOKEN)?.map(Secret::new),
            expires_at_ms: record.count(EXPIRES_AT_MS)?,
            granted: stored_scopes(record, GRANTED)?,
        })
    }
}

fn null() -> String {
    "null".to_owned()
}

/// The last instant that every JSON reader and clock of a browser can express.
const LAST_INSTANT_MS: u64 = (1 << 53) - 1;

const ACCESS_TOKEN: &str = "access_token";
const REFRESH_TOKEN: &str = "refresh_token";
const EXPIRES_AT_MS: &str = "expires_at_ms";
const GRANTED: &str = "granted";

/// A token that fits into a header.
fn access_token(text: &str) -> Result<Secret, MemberError> {
    let room = MAX_HEADER_VALUE - "Bearer ".len();
    let fits = !text.is_empty() && text.len() <= room && text.bytes().all(|b| b.is_ascii_graphic());
    let error = MemberError::expected(ACCESS_TOKEN, "a token that fits into a header");
    if fits { Ok(Secret::new(text)) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn grant() -> Grant {
        Grant {
            endpoint: "https://a.example/mcp".into(),
            resource: "https://a.example".into(),
            issuer: "https://as.example".into(),
            token_endpoint: "https://as.example/token".into(),
            client_id: "client".into(),
            scopes: Scopes::parse("a b").unwrap(),
            step_ups: 1,
        }
    }

    fn tokens(members: &str) -> Result<Tokens, Fault> {
        let text = format!("{{{members}}}");
        let refresh = Some(Secret::new("old"));
        Tokens::from_answer(&json::read(&text).unwrap().root, grant(), refresh, 1_000)
    }

    #[test]
    fn answers_are_completed_by_what_was_asked() {
        let short = tokens(r#""access_token":"t0ken","token_type":"bearer""#).unwrap();
        assert_eq!(short.scopes().to_string(), "a b");
        assert_eq!(short.refresh, Some(Secret::new("old")));
        assert_eq!(short.expires_at_ms(), None);
        let long = tokens(
            r#""access_token":"t0ken","token_type":"Bearer","expires_in":"60","scope":"a",
               "refresh_token":"new","id_token":"x""#,
        );
        let long = long.unwrap();
        assert_eq!(long.scopes().to_string(), "a");
        assert_eq!(long.refresh, Some(Secret::new("new")));
        assert_eq!(long.expires_at_ms(), Some(61_000));
        assert_eq!([60_999, 61_000].map(|now| long.has_expired(now)), [false, true]);
        assert!(!short.has_expired(u64::MAX));
        let ever = r#""access_token":"t","token_type":"Bearer","expires_in":9007199254740991"#;
        assert_eq!(tokens(ever).unwrap().expires_at_ms(), Some(LAST_INSTANT_MS));
    }

    #[test]
    fn a_token_goes_to_its_own_server_only() {
        let tokens = tokens(r#""access_token":"t0ken","token_type":"bearer""#).unwrap();
        assert_eq!(tokens.access_token("https://a.example/mcp"), Some(&Secret::new("t0ken")));
        assert_eq!(tokens.access_token("https://a.example/mcp/"), None);
        assert_eq!(tokens.access_token("https://b.example/mcp"), None);
    }

    #[test]
    fn answers_that_are_no_tokens_are_refused() {
        let name = |members: &str| match tokens(members) {
            Err(Fault::Member(error)) => error.name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name(""), "token_type");
        assert_eq!(name(r#""token_type":"DPoP","access_token":"x""#), "token_type");
        let with = |rest: &str| name(&format!("\"token_type\":\"bearer\",{rest}"));
        for access in ["1", "null", "\"\"", "\"a b\"", "\"a\\r\\nb\"", "\"é\""] {
            assert_eq!(with(&format!("\"access_token\":{access}")), "access_token");
        }
        let long = "x".repeat(MAX_HEADER_VALUE - 6);
        assert_eq!(with(&format!("\"access_token\":\"{long}\"")), "access_token");
        assert_eq!(with(r#""access_token":"x","access_token":"y""#), "access_token");
        assert_eq!(with(r#""access_token":"x","expires_in":-1"#), "expires_in");
        assert_eq!(with(r#""access_token":"x","scope":["a"]"#), "scope");
        assert_eq!(with(r#""access_token":"x","refresh_token":1"#), "refresh_token");
    }

    #[test]
    fn stored_tokens_are_read_strictly() {
        let kept =
            tokens(r#""access_token":"t0ken","token_type":"bearer","expires_in":1"#).unwrap();
        let text = kept.to_json();
        assert_eq!(Tokens::read(&text), Ok(kept));
        for (from, to) in [
            ("\"step_ups\":1", "\"step_ups\":-1"),
            ("https://as.example/token", "http://as.example/token"),
            ("https://a.example/mcp", "javascript:alert(1)"),
            ("\"t0ken\"", "\"t0 ken\""),
            ("\"client\"", "\"\""),
            ("a b", "a\\\\b"),
            ("{", "{\"more\":1,"),
            ("{", "{\"granted\":\"a\","),
            ("}", ""),
        ] {
            assert!(Tokens::read(&text.replacen(from, to, 1)).is_err(), "{from} {to}");
        }
    }
}
