//! A server at the other end of a pipe (stdio): one message on each line, and nothing else.
//!
//! A request's body is its line; headers there are none. Answers come in any order, between other
//! messages, so each line has to be read for whom it is.
//!
//! Source: *stdio* of the base protocol.

use super::ServerRequest;
use super::reply::{Addressee, addressee};
use crate::json;

/// What a line from a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The response to the request with this id.
    Response(u64),
    /// An error that names no request of this client. It answers the one that is open, if only one
    /// is.
    Error,
    /// A request by the server. Servers of the older eras expect an answer, see
    /// [`super::Client::answer`].
    Request(ServerRequest),
    /// A notification, an answer to nobody, or no message at all.
    Other,
}

impl Line {
    /// Reads a line, with or without its line feed.
    ///
    /// ```
    /// use skillglass::protocol::pipe::Line;
    /// assert_eq!(Line::read(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#), Line::Response(3));
    /// assert_eq!(Line::read("Server started"), Line::Other);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let Ok(document) = json::read(text) else { return Self::Other };
        if let Some(request) = ServerRequest::read(&document.root) {
            return Self::Request(request);
        }
        match addressee(&document.root) {
            Some(Addressee::Request(id)) => Self::Response(id),
            Some(Addressee::Unnamed) => Self::Error,
            Some(Addressee::Stranger) | None => Self::Other,
        }
    }
}

/// The line that tells a server, in every era, that nobody waits for the answer to the request `id`
/// any more. A handshake is not cancelled.
///
/// ```
/// use skillglass::protocol::pipe::cancelled;
/// assert!(cancelled(7).ends_with(r#""params":{"requestId":7}}"#));
/// ```
#[must_use]
pub fn cancelled(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

/// A message under another id, on one line, and the id it had, both as JSON. For who stands between
/// several clients and one pipe. None for a message without an id, and for text that is none.
///
/// ```
/// use skillglass::protocol::pipe::readdressed;
/// let (id, message) = readdressed(r#"{"id": "a", "result":{}}"#, "7").unwrap();
/// assert_eq!((id.as_str(), message.as_str()), ("\"a\"", r#"{"id": 7, "result":{}}"#));
/// assert_eq!(readdressed(r#"{"method":"notifications/initialized"}"#, "7"), None);
/// ```
#[must_use]
pub fn readdressed(message: &str, id: &str) -> Option<(String, String)> {
    let document = json::read(message).ok()?;
    let span = document.root.get("id")?.span;
    let (before, after) = (&message[..span.start], &message[span.end..]);
    // Inside of strings JSON has no line breaks, so these are white space.
    let line = format!("{before}{id}{after}").replace(['\n', '\r'], " ");
    Some((span.of(message).to_owned(), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_one_line_under_another_id() {
        let (id, line) = readdressed("{\n\"id\":\n3,\r\n\"method\":\"a\\nb\"}", "\"x\"").unwrap();
        assert_eq!((id.as_str(), line.as_str()), ("3", "{ \"id\": \"x\",  \"method\":\"a\\nb\"}"));
        for none in ["", "[{\"id\":1}]", "{\"id\":", "{\"params\":{\"id\":1}}"] {
            assert_eq!(readdressed(none, "1"), None, "{none}");
        }
    }

    #[test]
    fn lines_are_told_apart() {
        let request = ServerRequest { id: "\"p\"".into(), method: "ping".into() };
        assert_eq!(Line::read("{\"id\":\"p\",\"method\":\"ping\"}\r\n"), Line::Request(request));
        assert_eq!(Line::read(r#"{"id":"7","error":{"code":-1}}"#), Line::Response(7));
        for unnamed in [r#"{"id":null,"error":{}}"#, r#"{"id":"server-error","error":{}}"#] {
            assert_eq!(Line::read(unnamed), Line::Error, "{unnamed}");
        }
        for other in [
            "",
            "[]",
            r#"{"method":"notifications/message"}"#,
            r#"{"id":null,"result":{}}"#,
            r#"{"id":-1,"result":{}}"#,
            r#"{"id":1}"#,
        ] {
            assert_eq!(Line::read(other), Line::Other, "{other}");
        }
    }
}
