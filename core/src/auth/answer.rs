//! Answers to what an authorization asks: metadata, registration, tokens.

use std::fmt;

use super::record::{MemberError, Record};
use super::{AuthError, Secrets, UrlError};
use crate::finding::{MAX_QUOTE, excerpt, quote};
use crate::json::{self, Document, JsonError};
use crate::value::{Node, Value};

/// The longest answer that is read, in bytes.
pub const MAX_ANSWER: usize = 256 * 1024;

/// What came of sending a request.
///
/// ```
/// use skillglass::auth::Answer;
/// let answer = Answer::Came { status: 200, body: b"{\"access_token\":\"hunter2\"}" };
/// assert_eq!(format!("{answer:?}"), "Came(200, 26 bytes)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// An answer, whatever it says.
    Came {
        /// The HTTP status.
        status: u16,
        /// The body; a caller may stop reading after [`MAX_ANSWER`] bytes and one more.
        body: &'a [u8],
    },
    /// Nothing readable came, and nobody says why. In a browser a missing permission for
    /// cross-origin requests, a redirect, a closed port and a bad certificate all look alike.
    Opaque,
    /// The caller's time limit passed.
    TimedOut,
}

impl fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Came { status, body } => write!(f, "Came({status}, {} bytes)", body.len()),
            Self::Opaque => f.write_str("Opaque"),
            Self::TimedOut => f.write_str("TimedOut"),
        }
    }
}

/// What an authorization asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The MCP server's protected resource metadata (RFC 9728).
    ResourceMetadata,
    /// The authorization server's metadata (RFC 8414, OpenID Connect Discovery).
    ServerMetadata,
    /// Dynamic client registration (RFC 7591).
    Registration,
    /// The token endpoint (RFC 6749).
    Token,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ResourceMetadata => "The server's protected resource metadata",
            Self::ServerMetadata => "The authorization server's metadata",
            Self::Registration => "The registration of this page",
            Self::Token => "The authorization server's token answer",
        })
    }
}

impl Question {
    pub(super) fn failed(self, url: &str, fault: Fault) -> AuthError {
        AuthError::Answer { question: self, url: url.to_owned(), fault }
    }
}

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// See [`Answer::Opaque`].
    Opaque,
    /// See [`Answer::TimedOut`].
    TimedOut,
    /// A status that is no success.
    Status(u16),
    /// An error in the words of OAuth.
    Refused(Objection),
    /// It is longer than [`MAX_ANSWER`].
    TooLong,
    /// It is not JSON.
    Json(JsonError),
    /// It is JSON, but no object.
    NotObject,
    /// A member is missing or wrong.
    Member(MemberError),
    /// It repeats a token or verifier of this client, so nothing of it is shown or used.
    Echo,
    /// The metadata is for another resource.
    OtherResource {
        /// The resource it names, as it stands there.
        resource: String,
    },
    /// The metadata is another issuer's.
    OtherIssuer {
        /// The issuer it names, as it stands there.
        issuer: String,
    },
    /// The authorization server does not offer `S256`, without which a code could be stolen.
    NoPkce,
    /// The address it came with is none that may be asked.
    Url(UrlError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque => f.write_str(
                "nothing readable came back, and the browser does not say why; most often such a server allows no cross-origin requests",
            ),
            Self::TimedOut => f.write_str("no answer came within the time limit"),
            Self::Status(status) => write!(f, "the answer was {status}"),
            Self::Refused(objection) => write!(f, "the server refused: {objection}"),
            Self::TooLong => write!(f, "it is longer than {MAX_ANSWER} bytes"),
            Self::Json(error) => error.fmt(f),
            Self::NotObject => f.write_str("it is no JSON object"),
            Self::Member(error) => error.fmt(f),
            Self::Echo => f.write_str("it repeats a secret of this sign-in"),
            Self::OtherResource { resource } => write!(
                f,
                "it is for {}, which is neither this server nor a path above it",
                quote(resource)
            ),
            Self::OtherIssuer { issuer } => write!(
                f,
                "it names the issuer {}, which is not character for character the one that was asked",
                quote(issuer)
            ),
            Self::NoPkce => f.write_str(
                "it does not list S256 in code_challenge_methods_supported, so a stolen code could be used by others",
            ),
            Self::Url(error) => write!(f, "the address cannot be used: {error}"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<MemberError> for Fault {
    fn from(error: MemberError) -> Self {
        Self::Member(error)
    }
}

/// An error that an authorization server reports: RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591,
/// section 3.2.2. Both texts are bounded and escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The code, such as `access_denied`.
    pub error: String,
    /// The words.
    pub description: Option<String>,
}

impl Objection {
    /// Bounds and escapes what was said, and leaves out words that repeat a secret.
    pub(super) fn new(error: &str, description: Option<&str>, secrets: &Secrets) -> Self {
        let shown = |text: &str| match secrets.within(text) {
            true => "••••".to_owned(),
            false => excerpt(text, MAX_QUOTE),
        };
        Self { error: shown(error), description: description.map(shown) }
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)?;
        self.description.as_ref().map_or(Ok(()), |words| write!(f, " ({words})"))
    }
}

impl<'a> Answer<'a> {
    /// The JSON of a success.
    pub(super) fn read(self, secrets: &Secrets) -> Result<Document<'a>, Fault> {
        let (status, body) = match self {
            Self::Came { status, body } => (status, body),
            Self::Opaque => return Err(Fault::Opaque),
            Self::TimedOut => return Err(Fault::TimedOut),
        };
        if body.len() > MAX_ANSWER {
            return Err(Fault::TooLong);
        }
        let read = json::read_bytes(body);
        // Some servers report errors with a status of success.
        if let Some(objection) = read.as_ref().ok().and_then(|it| objection(&it.root, secrets)) {
            return Err(Fault::Refused(objection));
        }
        if !(200..300).contains(&status) {
            return Err(Fault::Status(status));
        }
        read.map_err(Fault::Json)
    }

    /// As [`Answer::read`], for an answer that has no reason to repeat a secret.
    pub(super) fn read_public(self, secrets: &Secrets) -> Result<Document<'a>, Fault> {
        let document = self.read(secrets)?;
        if repeats(&document.root, secrets) { Err(Fault::Echo) } else { Ok(document) }
    }
}

fn objection(root: &Node<'_>, secrets: &Secrets) -> Option<Objection> {
    let record = Record::of(root)?;
    let error = record.text("error").ok()??;
    let description = record.text("error_description").ok().flatten();
    Some(Objection::new(error, description, secrets))
}

/// Whether a string anywhere in `node` holds a secret. The JSON reader has bounded the depth.
fn repeats(node: &Node<'_>, secrets: &Secrets) -> bool {
    match &node.value {
        Value::String(text) => secrets.within(text),
        Value::Array(items) => items.iter().any(|item| repeats(item, secrets)),
        Value::Object(members) => members.iter().any(|member| repeats(&member.node, secrets)),
        _ => false,
    }
}
