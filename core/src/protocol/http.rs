//! Requests and answers as HTTP carries them.

use std::fmt;

use super::log::redact;

/// The longest header value that is sent, in bytes; servers cut connections at longer ones.
pub const MAX_HEADER_VALUE: usize = 8 * 1024;

/// A header: name and value.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the user entered it; its value is then never shown, logged or exported.
    pub secret: bool,
}

impl Header {
    pub(super) fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into(), secret: false }
    }

    /// The value, or dots for a secret one.
    #[must_use]
    pub fn shown(&self) -> &str {
        if self.secret { redact::MASK } else { &self.value }
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.shown())
    }
}

/// An HTTP method this client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// Every message.
    Post,
    /// The end of a session, in the older eras.
    Delete,
    /// A question about the server itself, when a message does not come through.
    Get,
}

impl HttpMethod {
    /// The method's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Get => "GET",
        }
    }
}

/// A request as it goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: HttpMethod,
    /// The endpoint, exactly as the user gave it.
    pub url: String,
    /// All headers to set.
    pub headers: Vec<Header>,
    /// The JSON-RPC message; empty for a DELETE.
    pub body: String,
    /// The JSON-RPC method in the body; none in an answer to the server, and for a DELETE.
    pub rpc_method: Option<&'static str>,
    /// The id in the body. A message without one is not answered: its reply's status is all there
    /// is to see.
    pub id: Option<u64>,
}

impl HttpRequest {
    /// The value of a header, by case-insensitive name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}

/// An answer as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The value of `Content-Type`.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Whether a text can be the name of a header: a token of RFC 9110.
pub(super) fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
