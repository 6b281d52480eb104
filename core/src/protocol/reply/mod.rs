//! Answers: from status, media type and bytes to one JSON-RPC message, or to a plain reason.
//!
//! The body is read whatever the status says, since servers put JSON-RPC errors behind 200 and
//! behind 4xx alike; the error's code decides before the status does.

mod error;
mod reader;

use std::fmt;

pub use error::ReplyError;
pub use reader::{MAX_SILENCES, Progress, ReplyLimits, ReplyReader};

use crate::finding::{Finding, Section, excerpt};
use crate::json::{self, Document};
use crate::value::{Node, Value};

/// How many characters of an unexpected body are kept to be shown.
pub const MAX_EXCERPT: usize = 500;

/// An answer that has the form of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The text of the JSON-RPC message.
    pub text: String,
    /// The id of the request that it came for; none where that is not known, and any answer is taken.
    pub id: Option<u64>,
    /// What is wrong with the event stream or pipe that it came on, though it could be read.
    pub flaw: Option<StreamFlaw>,
}

/// What may be wrong with an event stream, or a pipe, whose answer could be read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamFlaw {
    /// It ended before the blank line behind the answer, so that readers that keep to the format of
    /// event streams drop that.
    Unended,
    /// A second answer to the same request came in the same piece. What comes later is not waited for.
    AnsweredTwice,
    /// An event before the answer is no JSON-RPC message; its first characters, to be shown.
    NoMessage(String),
    /// Over a pipe: a line before the answer is no JSON-RPC message; its first characters, to be shown.
    Noise(String),
}

impl Reply {
    /// Reads the message.
    ///
    /// # Errors
    /// [`ReplyError::NotJson`], [`ReplyError::NotMessage`] for JSON that is no response, or
    /// [`ReplyError::OtherId`] for a response to another request.
    pub fn message(&self) -> Result<Message<'_>, ReplyError> {
        let status = self.status;
        let document = json::read(&self.text).map_err(|error| ReplyError::NotJson {
            status,
            error,
            excerpt: excerpt(&self.text, MAX_EXCERPT),
        })?;
        let excerpt = || excerpt(&self.text, MAX_EXCERPT);
        match response(&document.root, self.id) {
            Ok(_) => {
                let Self { text, id, flaw, .. } = self;
                Ok(Message { text, status, id: *id, flaw: flaw.clone(), document })
            }
            Err(None) => Err(ReplyError::NotMessage { status, excerpt: excerpt() }),
            Err(Some(stray)) => {
                let found = shown_id(stray);
                Err(ReplyError::OtherId { status, found, excerpt: excerpt() })
            }
        }
    }
}

/// An answer over HTTP: its status, the headers that decide something, and its message.
///
/// A page can read a header only where the server exposes it, so each may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// `Mcp-Session-Id`.
    pub session: Option<String>,
    /// `WWW-Authenticate`.
    pub challenge: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// The body.
    pub reply: Result<Reply, ReplyError>,
}

impl Answered {
    /// An answer of which no header can be read, as of a server without HTTP.
    #[must_use]
    pub const fn bare(status: u16, reply: Result<Reply, ReplyError>) -> Self {
        Self { status, session: None, challenge: None, retry_after: None, reply }
    }

    /// Reads the message.
    ///
    /// # Errors
    /// As [`Reply::message`], and what was wrong with the body already.
    pub fn message(&self) -> Result<Message<'_>, ReplyError> {
        self.reply.as_ref().map_err(Clone::clone)?.message()
    }

    /// What the server says in words: its error's message, else the body's first characters.
    #[must_use]
    pub fn said(&self) -> String {
        match self.message() {
            Ok(message) => match message.outcome() {
                Err(error) => error.message,
                Ok(_) => excerpt(message.text, MAX_EXCERPT),
            },
            Err(error) => error.excerpt().unwrap_or_default().to_owned(),
        }
    }
}

/// A response that was read.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// Its text.
    pub text: &'a str,
    /// The HTTP status it came with.
    pub status: u16,
    /// The id of the request that it came for, if that is known.
    pub id: Option<u64>,
    /// See [`Reply::flaw`].
    pub flaw: Option<StreamFlaw>,
    /// Its JSON, with oddities.
    pub document: Document<'a>,
}

impl<'a> Message<'a> {
    /// The result.
    ///
    /// # Errors
    /// The server's error.
    pub fn outcome(&self) -> Result<&Node<'a>, RpcError> {
        let response = response(&self.document.root, self.id).ok();
        let member = |name| response.and_then(|response| response.get(name));
        let is_none = |error: Option<&Node<'_>>| error.is_none_or(|e| e.value == Value::Null);
        match (member("error"), member("result")) {
            // Some servers write an error of null beside every result.
            (error, Some(result)) if is_none(error) => Ok(result),
            (error, _) => Err(RpcError::read(error, self.status)),
        }
    }

    /// What is odd about its JSON, though it can be read.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mark = |oddity: &json::Oddity| oddity.kind == json::OddityKind::ByteOrderMark;
        let message = "the JSON begins with a byte order mark, which some readers refuse";
        let finding = || {
            Finding::should("json-mark", Section::BaseProtocol, message)
                .repair("send the JSON without the mark")
        };
        self.document.oddities.iter().filter(|oddity| mark(oddity)).map(|_| finding()).collect()
    }
}

/// An error a server answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// The JSON-RPC code; none where the error has none that is a whole number.
    pub code: Option<i64>,
    /// The message, bounded.
    pub message: String,
    /// The `data` member as JSON, bounded.
    pub data: Option<String>,
    /// The HTTP status it came with.
    pub status: u16,
}

impl RpcError {
    fn read(error: Option<&Node<'_>>, status: u16) -> Self {
        let member = |name| error.and_then(|error| error.get(name));
        let code = member("code").and_then(Node::as_integer);
        let message = member("message").and_then(Node::as_str).unwrap_or_default();
        Self {
            code,
            message: excerpt(message, MAX_EXCERPT),
            data: member("data").map(|data| excerpt(&data.to_json(), MAX_EXCERPT)),
            status,
        }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "the server answered with error {code}")?,
            None => f.write_str("the server answered with an error without a code")?,
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for RpcError {}

/// The response to the request `id` in a message: the message itself, or the element of an array,
/// which the revision of 2025-03-26 allowed. Failing that, the first response to somebody else.
fn response<'n, 'a>(
    root: &'n Node<'a>,
    id: Option<u64>,
) -> Result<&'n Node<'a>, Option<&'n Node<'a>>> {
    let messages = root.as_array().unwrap_or(std::slice::from_ref(root));
    let answers = |message: &&Node<'_>| match addressee(message) {
        Some(Addressee::Request(answered)) => id.is_none_or(|id| id == answered),
        Some(Addressee::Unnamed) => true,
        Some(Addressee::Stranger) => id.is_none(),
        None => false,
    };
    let is_response = |message: &&Node<'_>| addressee(message).is_some();
    let strays = || messages.iter().find(is_response);
    messages.iter().find(answers).ok_or_else(strays)
}

/// Which request a response answers.
pub(super) enum Addressee {
    /// The one with this id.
    Request(u64),
    /// It is an error under no id, or under one that no request of this client has: the server could
    /// not read whose it was. It answers the request it came for.
    Unnamed,
    /// It is a result under no id, or under one that no request of this client has.
    Stranger,
}

/// Which request `message` answers, if it is a response.
pub(super) fn addressee(message: &Node<'_>) -> Option<Addressee> {
    // Some servers write an error of null beside every result.
    let has_result = message.get("result").is_some();
    if message.get("method").is_some() || !(has_result || message.get("error").is_some()) {
        return None;
    }
    let id = message.get("id");
    let number = match id.map(|node| &node.value) {
        // Some servers make a text of the number.
        Some(Value::String(text)) => text.parse().ok(),
        _ => id.and_then(Node::as_count),
    };
    Some(match number {
        Some(number) => Addressee::Request(number),
        None if has_result => Addressee::Stranger,
        None => Addressee::Unnamed,
    })
}

/// The id of a response, to be shown.
fn shown_id(response: &Node<'_>) -> String {
    response.get("id").map_or_else(|| "none".to_owned(), |id| excerpt(&id.to_json(), 40))
}
