//! Why an answer is no message.

use std::fmt;

use crate::json::JsonError;

/// Why an answer is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyError {
    /// Neither JSON nor an event stream.
    MediaType {
        /// The HTTP status.
        status: u16,
        /// What `Content-Type` says.
        content_type: Option<String>,
        /// The body's first characters.
        excerpt: String,
    },
    /// Called JSON, but it is not.
    NotJson {
        /// The HTTP status.
        status: u16,
        /// What is wrong.
        error: JsonError,
        /// The body's first characters.
        excerpt: String,
    },
    /// JSON, but no JSON-RPC response.
    NotMessage {
        /// The HTTP status.
        status: u16,
        /// The body's first characters.
        excerpt: String,
    },
    /// A response, but to another request.
    OtherId {
        /// The HTTP status.
        status: u16,
        /// The id of the response as JSON, bounded; `none` where it has none.
        found: String,
        /// The first characters of what came.
        excerpt: String,
    },
    /// The stream ended before the answer.
    EndedEarly {
        /// The HTTP status.
        status: u16,
        /// The stream's first characters.
        excerpt: String,
    },
    /// The body is longer than allowed.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MediaType { status, content_type: Some(kind), .. } => write!(
                f,
                "the server answered {status} with {kind} instead of JSON or an event stream"
            ),
            Self::MediaType { status, content_type: None, .. } => {
                write!(f, "the server answered {status} without a media type")
            }
            Self::NotJson { status, error, .. } => {
                write!(f, "the server answered {status}; the body is {error}")
            }
            Self::NotMessage { status, .. } => {
                write!(f, "the server answered {status} with JSON that is no JSON-RPC response")
            }
            Self::OtherId { status, found, .. } => {
                write!(
                    f,
                    "the server answered {status} to another request than it was asked: the id of the answer is {found}"
                )
            }
            Self::EndedEarly { status, .. } => {
                write!(f, "the server answered {status}; its event stream ended before the answer")
            }
            Self::TooLong { limit } => {
                write!(f, "the answer is longer than {limit} bytes and was cut off")
            }
        }
    }
}

impl std::error::Error for ReplyError {}

impl ReplyError {
    /// Whether a limit of this reader was met, so that nothing is proved against the server.
    #[must_use]
    pub const fn is_reader_limit(&self) -> bool {
        match self {
            Self::TooLong { .. } => true,
            Self::NotJson { error, .. } => error.is_reader_limit(),
            _ => false,
        }
    }

    /// The first characters of what came, hidden ones escaped.
    #[must_use]
    pub fn excerpt(&self) -> Option<&str> {
        match self {
            Self::MediaType { excerpt, .. }
            | Self::NotJson { excerpt, .. }
            | Self::NotMessage { excerpt, .. }
            | Self::OtherId { excerpt, .. }
            | Self::EndedEarly { excerpt, .. } => {
                Some(excerpt).filter(|text| !text.is_empty()).map(String::as_str)
            }
            Self::TooLong { .. } => None,
        }
    }
}
