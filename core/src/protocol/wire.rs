//! What is spoken with a server, once that is known.

use super::{Answered, Era, METHOD_NOT_FOUND, SERVER_ERROR};

/// What a server turned out to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Revision 2026-07-28 and later: no handshake, metadata on every request.
    Modern {
        /// The revision.
        version: &'static str,
    },
    /// Revisions up to 2025-11-25: a handshake, and a session where the server wants one.
    Legacy {
        /// The revision that the handshake settled; none before it.
        version: Option<String>,
        /// The session's id, from the answer to `initialize` only.
        session: Option<String>,
    },
}

impl Wire {
    /// The era.
    #[must_use]
    pub const fn era(&self) -> Era {
        match self {
            Self::Modern { .. } => Era::Modern,
            Self::Legacy { .. } => Era::Legacy,
        }
    }

    /// Whether an answer says that the server has forgotten the session, as after a restart. A new
    /// handshake mends that; a second loss in a row has another reason.
    ///
    /// The protocol wants status 404. Servers wired by hand around the TypeScript SDK answer 400
    /// with the code -32000, as for any message to a session that was never opened.
    #[must_use]
    pub fn lost_session(&self, answered: &Answered) -> bool {
        let Self::Legacy { session: Some(_), .. } = self else { return false };
        let code = || answered.message().ok()?.outcome().err()?.code;
        match answered.status {
            404 => code() != Some(METHOD_NOT_FOUND),
            400 => code() == Some(SERVER_ERROR),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Reply, ReplyError};

    #[test]
    fn a_lost_session_is_known_by_its_answers() {
        let error = |status, code: i64| {
            let text = format!(r#"{{"id":null,"error":{{"code":{code},"message":"m"}}}}"#);
            Answered::bare(status, Ok(Reply { status, text, id: None, flaw: None }))
        };
        let text = Answered::bare(
            404,
            Err(ReplyError::MediaType {
                status: 404,
                content_type: None,
                excerpt: "Not Found: Session not found".into(),
            }),
        );
        let version = || Some("2025-11-25".to_owned());
        let without = Wire::Legacy { version: version(), session: None };
        assert!(!without.lost_session(&text), "there is none to lose");
        let wire = Wire::Legacy { version: version(), session: Some("s1".to_owned()) };
        assert!(wire.lost_session(&text));
        assert!(wire.lost_session(&error(404, -32600)));
        assert!(wire.lost_session(&error(400, -32000)));
        assert!(!wire.lost_session(&error(404, METHOD_NOT_FOUND)));
        assert!(!wire.lost_session(&error(400, -32602)));
        assert!(!wire.lost_session(&error(200, -32000)));
    }
}
