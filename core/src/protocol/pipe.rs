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
    /// An error that names no request. It answers the one that is open, if only one is.
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
            None => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let request = ServerRequest { id: "\"p\"".into(), method: "ping".into() };
        assert_eq!(Line::read("{\"id\":\"p\",\"method\":\"ping\"}\r\n"), Line::Request(request));
        assert_eq!(Line::read(r#"{"id":"7","error":{"code":-1}}"#), Line::Response(7));
        assert_eq!(Line::read(r#"{"id":null,"error":{"code":-1}}"#), Line::Error);
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
