//! The return from the authorization server.
//!
//! Sources: RFC 6749, section 4.1.2; RFC 9207; *Authorization Response Validation* of the base
//! protocol. The order of the checks matters: whose answer it is comes before what it says.

use super::answer::Objection;
use super::{AuthError, Pending, Secret, form};

/// The longest query that is read, in bytes.
const MAX_QUERY: usize = 16 * 1024;

/// The query with which an authorization server sends a person back. Nothing of it is checked yet,
/// and nothing can be read but the `state`. Its [`Debug`](std::fmt::Debug) shows no secret.
#[derive(Clone, Debug)]
pub struct Callback {
    state: Secret,
    issuer: Option<String>,
    code: Option<Secret>,
    error: Option<String>,
    description: Option<String>,
}

impl Callback {
    /// Reads the query of the address that was returned to, with or without its `?`. Clear it from
    /// the address bar and the history at once.
    ///
    /// # Errors
    /// [`AuthError::UnknownReturn`] without one `state`; [`AuthError::NoCode`] where another
    /// parameter that counts occurs twice, or the query is longer than 16 KiB.
    ///
    /// ```
    /// use skillglass::auth::{AuthError, Callback};
    /// let callback = Callback::read("?code=c0de&state=xyz&iss=https%3A%2F%2Fas.example").unwrap();
    /// assert_eq!(callback.state().expose(), "xyz");
    /// assert!(!format!("{callback:?}").contains("c0de"));
    /// assert_eq!(Callback::read("?code=c0de").unwrap_err(), AuthError::UnknownReturn);
    /// ```
    pub fn read(query: &str) -> Result<Self, AuthError> {
        if query.len() > MAX_QUERY {
            return Err(AuthError::NoCode);
        }
        let pairs: Vec<_> = form::read(query.strip_prefix('?').unwrap_or(query)).collect();
        let one = |name: &str| {
            let mut values = pairs.iter().filter(|(known, _)| known == name);
            let value = values.next().map(|(_, value)| value.clone());
            if values.next().is_some() { Err(AuthError::NoCode) } else { Ok(value) }
        };
        let state = one("state").ok().flatten().ok_or(AuthError::UnknownReturn)?;
        Ok(Self {
            state: Secret::new(state),
            issuer: one("iss")?,
            code: one("code")?.map(Secret::new),
            error: one("error")?,
            description: one("error_description")?,
        })
    }

    /// The `state`, to find the [`Pending`] by.
    #[must_use]
    pub const fn state(&self) -> &Secret {
        &self.state
    }

    /// The code, once everything is known to be right. The caller has compared the `state`.
    pub(super) fn code_for(self, pending: &Pending) -> Result<Secret, AuthError> {
        let issuer = || pending.issuer().to_owned();
        match self.issuer {
            Some(named) if named != pending.issuer() => {
                return Err(AuthError::OtherIssuer { issuer: issuer() });
            }
            None if pending.names_issuer => {
                return Err(AuthError::MissingIssuer { issuer: issuer() });
            }
            _ => {}
        }
        match (self.error, self.code) {
            (Some(error), None) => {
                let words = self.description.as_deref();
                Err(AuthError::NotGranted(Objection::new(&error, words, &pending.secrets())))
            }
            (None, Some(code)) if !code.expose().is_empty() => Ok(code),
            _ => Err(AuthError::NoCode),
        }
    }
}
