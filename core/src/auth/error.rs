//! Why an authorization does not come about, and what can be done.

use std::fmt;

use super::answer::{Fault, Objection, Question};
use super::{Scopes, UrlError};
use crate::finding::quote;

/// Why there are no tokens, or why they do not help.
///
/// Its text says what happened and why; [`AuthError::advice`] says what can be done. Neither holds
/// a secret, and what a server said is bounded and escaped, so both can be shown and logged.
///
/// ```
/// use skillglass::auth::{AuthError, UrlError};
/// let error = AuthError::Endpoint(UrlError::Insecure);
/// assert!(error.to_string().contains("could be read on the way"));
/// assert!(error.advice().contains("https"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthError {
    /// The MCP server has an address that no token may be sent to.
    Endpoint(UrlError),
    /// The page has an address that no authorization server may return to.
    PageAddress(UrlError),
    /// The server refused the headers that the user entered. They are never replaced.
    OwnHeadersRefused {
        /// 401 or 403.
        status: u16,
    },
    /// The server wants another scheme than `Bearer`.
    OtherScheme {
        /// The schemes it offers.
        schemes: Vec<String>,
    },
    /// 403 in spite of a token, and it asks for no scopes: a matter of policy or of the page's
    /// origin.
    Forbidden,
    /// The server refused a token that was issued a moment ago.
    FreshTokenRefused,
    /// The server wants more scopes, though they were granted or asked for too often.
    MoreScopesUseless {
        /// The scopes it named.
        needed: Scopes,
    },
    /// Somebody's answer cannot be used.
    Answer {
        /// What was asked.
        question: Question,
        /// Who was asked.
        url: String,
        /// What is wrong.
        fault: Fault,
    },
    /// The authorization server cannot learn of a client from this page.
    NoRegistration {
        /// The authorization server.
        issuer: String,
    },
    /// The authorization server takes clients with a secret only, and a page can keep none.
    Confidential {
        /// The authorization server.
        issuer: String,
    },
    /// What was entered cannot be a client id.
    ClientId,
    /// Somebody came back from an authorization that was not begun here, or was finished before.
    UnknownReturn,
    /// The answer names another authorization server than the one that was asked. Nothing else it
    /// says counts, its error included.
    OtherIssuer {
        /// The authorization server that was asked.
        issuer: String,
    },
    /// The answer does not name its authorization server, though that server promised to.
    MissingIssuer {
        /// The authorization server that was asked.
        issuer: String,
    },
    /// The answer holds neither a code nor an error, or one of them twice.
    NoCode,
    /// The user or the authorization server did not consent.
    NotGranted(Objection),
    /// The authorization has come to its end; a new one has to begin.
    Ended,
    /// There is no refresh token.
    NoRefreshToken,
    /// The caller did something that is not its turn.
    OutOfTurn,
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(error) => {
                write!(f, "No token may be sent to this server's address: {error}.")
            }
            Self::PageAddress(error) => write!(
                f,
                "No authorization server may send you back to this page's address: {error}."
            ),
            Self::OwnHeadersRefused { status } => write!(
                f,
                "The server answered {status}, so it does not accept the headers you entered. They are sent as they are and never replaced."
            ),
            Self::OtherScheme { schemes } => write!(
                f,
                "The server wants another kind of authorization than a bearer token: {}.",
                quote(&schemes.join(", "))
            ),
            Self::Forbidden => f.write_str(
                "The server answered 403 and asks for no scopes that can be read, so signing in again would not help: it refuses you, or this page's origin, or it does not expose WWW-Authenticate.",
            ),
            Self::FreshTokenRefused => f.write_str(
                "The server refuses a token that its authorization server issued a moment ago.",
            ),
            Self::MoreScopesUseless { needed } if needed.is_empty() => f.write_str(
                "The server says that the token lacks a scope, and does not say which one.",
            ),
            Self::MoreScopesUseless { needed } => write!(
                f,
                "The server says that the token lacks one of these scopes: {}. They were granted, or more scopes were asked for several times already.",
                quote(&needed.to_string())
            ),
            Self::Answer { question, url, fault } => {
                write!(f, "{question} at {} cannot be used: {fault}.", quote(url))
            }
            Self::NoRegistration { issuer } => write!(
                f,
                "The authorization server {} does not let this page register itself: it offers no dynamic registration, and either takes no client metadata documents or this page has none.",
                quote(issuer)
            ),
            Self::Confidential { issuer } => write!(
                f,
                "The authorization server {} serves only clients that have a secret, and a page cannot keep one: everybody could read it.",
                quote(issuer)
            ),
            Self::ClientId => f.write_str("This cannot be a client id: it is empty, too long, or holds a character that is not plain ASCII."),
            Self::UnknownReturn => f.write_str(
                "This answer belongs to no sign-in that was begun in this tab, or to one that is over.",
            ),
            Self::OtherIssuer { issuer } => write!(
                f,
                "The answer does not come from the authorization server that was asked, {}. It was thrown away.",
                quote(issuer)
            ),
            Self::MissingIssuer { issuer } => write!(
                f,
                "The answer does not say which authorization server it comes from, though {} promises that in its metadata. It was thrown away.",
                quote(issuer)
            ),
            Self::NoCode => f.write_str(
                "The authorization server sent you back with neither one code nor one error.",
            ),
            Self::NotGranted(objection) => {
                write!(f, "The authorization server granted nothing: {objection}.")
            }
            Self::Ended => {
                f.write_str("The sign-in has ended: the refresh token expired or was withdrawn.")
            }
            Self::NoRefreshToken => f.write_str(
                "The authorization server gave no refresh token, so the token cannot be renewed.",
            ),
            Self::OutOfTurn => f.write_str("This sign-in does not wait for that."),
        }
    }
}

impl std::error::Error for AuthError {}

/// What helps wherever a page is not able to sign in.
const OTHER_WAYS: &str =
    "Enter a token that you obtained elsewhere, or use a client outside of the browser.";

const REGISTER_YOURSELF: &str = "Register this page with the authorization server yourself, as a public client with this page's redirect address, and enter the client id.";

const SIGN_IN_AGAIN: &str = "Sign in again.";

impl AuthError {
    /// What can be done, in one or two sentences.
    #[must_use]
    pub fn advice(&self) -> String {
        match self {
            Self::Endpoint(_) => "Use the server's https address, or a server on this machine.",
            Self::PageAddress(_) => "Open this page over https or from localhost.",
            Self::OwnHeadersRefused { .. } => {
                "Check their names and values, or remove them to sign in instead."
            }
            Self::OtherScheme { .. } => "Enter the header it wants yourself.",
            Self::Forbidden => {
                "Let the server accept this page's origin and expose WWW-Authenticate."
            }
            Self::FreshTokenRefused => {
                "The server and its authorization server disagree, often about the resource that a token is for. Compare the audience that the server checks with the resource in its metadata."
            }
            Self::MoreScopesUseless { .. } => {
                "Ask whoever runs the server which scopes it wants, and whether you may have them."
            }
            Self::Answer { question, fault, .. } => return fault.advice(*question),
            Self::NoCode => SIGN_IN_AGAIN,
            Self::NoRegistration { .. } => REGISTER_YOURSELF,
            Self::Confidential { .. } => {
                return format!("Enter the id of a public client, if there is one. {OTHER_WAYS}");
            }
            Self::ClientId => "Enter the client id as the authorization server shows it.",
            Self::UnknownReturn => "Begin again from this page.",
            Self::OtherIssuer { .. } => {
                "Begin again. If it happens once more, somebody may be trying to get hold of your sign-in; tell whoever runs the server."
            }
            Self::MissingIssuer { .. } => {
                "Tell whoever runs the authorization server that its answers lack the iss parameter."
            }
            Self::NotGranted(_) => "Sign in again and agree, or ask for the permission you lack.",
            Self::Ended | Self::NoRefreshToken => SIGN_IN_AGAIN,
            Self::OutOfTurn => "Begin the sign-in again.",
        }
        .to_owned()
    }
}

impl Fault {
    fn advice(&self, question: Question) -> String {
        match (self, question) {
            (Self::Opaque, Question::ResourceMetadata) => format!(
                "The server's metadata must allow cross-origin requests: Access-Control-Allow-Origin on its well-known address. {OTHER_WAYS}"
            ),
            (Self::Opaque, _) => format!(
                "An authorization server that allows no cross-origin requests does not support browser clients. Ask whoever runs it to send Access-Control-Allow-Origin on its metadata, registration and token endpoints. {OTHER_WAYS}"
            ),
            (Self::Refused(_), Question::Registration) => REGISTER_YOURSELF.to_owned(),
            (Self::Refused(_), Question::Token) => SIGN_IN_AGAIN.to_owned(),
            (Self::TimedOut, _) => "Try again later.".to_owned(),
            (Self::NoPkce, _) => format!(
                "Ask whoever runs it to list S256 in code_challenge_methods_supported. {OTHER_WAYS}"
            ),
            (_, Question::ResourceMetadata) => format!(
                "Whoever runs the server has to mend its protected resource metadata. {OTHER_WAYS}"
            ),
            _ => format!("Whoever runs the authorization server has to mend this. {OTHER_WAYS}"),
        }
    }
}
