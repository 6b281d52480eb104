//! Why something could not be had from a server. What is said of it, core decides.

use skillglass::auth::AuthError;
use skillglass::protocol::diagnosis::{Diagnosis, Obstacle, Place};
use skillglass::protocol::results::Unfinished;
use skillglass::protocol::{
    EndpointError, HandshakeError, HttpRequest, ReplyError, RequestError, RpcError,
};

use crate::label::DEMO;
use crate::later::NOT_LOADED;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The address is none.
    Endpoint(EndpointError),
    /// There is no demo server of that name.
    NoDemo,
    /// The request cannot be made.
    Request(RequestError),
    /// The browser gave no answer and no reason, and nobody has looked into that yet.
    Unexplained(Box<HttpRequest>),
    /// This stands between the page and an answer.
    Unreachable(Obstacle),
    /// The server was silent for as many seconds as it may be, or took many times that in all.
    TimedOut(u64),
    /// The user stopped it.
    Cancelled,
    /// The connection broke in the middle of the answer.
    BrokenOff,
    /// What came is no message.
    Reply(ReplyError),
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server wants to know who asks (401), or refuses (403).
    Denied {
        /// The HTTP status.
        status: u16,
        /// `WWW-Authenticate`, where the server lets this page read it.
        challenge: Option<String>,
        /// What the server said: its message or the body's first characters.
        said: String,
    },
    /// The server is busy, and longer than this page waits by itself.
    Busy {
        /// The HTTP status.
        status: u16,
        /// What the server said.
        said: String,
        /// The pause it asks for, in milliseconds.
        pause_ms: Option<u64>,
    },
    /// The result is not the final one.
    Unfinished(Unfinished),
    /// The server wants to know who asks, and no sign-in comes about or helps.
    Auth(AuthError),
    /// The server wants to know who asks, and the user did not sign in.
    NotSignedIn,
    /// The conversation cannot be opened, for a reason that is none of the others.
    Handshake(HandshakeError),
    /// The server speaks the transport of 2024-11-05.
    OldTransport,
    /// The second file of this page could not be loaded.
    NotLoaded,
    /// The answer has no entry for the skill that was asked for; why, as core says it.
    NoEntry(String),
}

impl Failure {
    /// Whether the next question would meet the same fate.
    pub(crate) const fn ends_a_run(&self) -> bool {
        matches!(
            self,
            Self::Unexplained(_)
                | Self::Unreachable(_)
                | Self::Denied { .. }
                | Self::Auth(_)
                | Self::NotSignedIn
                | Self::Busy { .. }
        )
    }

    /// The failure in one line.
    pub(crate) fn line(&self, place: Place<'_>) -> String {
        self.diagnose(place).what
    }

    /// The failure in words.
    pub(crate) fn diagnose(&self, place: Place<'_>) -> Diagnosis {
        match self {
            Self::Endpoint(error) => Diagnosis::new(
                error.to_string(),
                "",
                "An MCP endpoint looks like https://mcp.example.com/mcp or http://127.0.0.1:3000/mcp.",
            ),
            Self::NoDemo => Diagnosis::new(
                "There is no demo server of that name.",
                "",
                format!(
                    "There are {}.",
                    skillglass::demo::NAMES.map(|name| format!("{DEMO}{name}")).join(" and ")
                ),
            ),
            Self::Request(error) => Diagnosis::new(error.to_string(), "", ""),
            Self::Unexplained(_) => Obstacle::Unclear.diagnose(place),
            Self::Unreachable(obstacle) => obstacle.diagnose(place),
            Self::TimedOut(seconds) => Diagnosis::of_time_limit(*seconds, place),
            Self::Cancelled => Diagnosis::new("You stopped it.", "", ""),
            Self::BrokenOff => Diagnosis::of_broken_connection(),
            Self::Reply(error) => Diagnosis::of_reply(error, place),
            Self::Rpc(error) => Diagnosis::of_rpc(error, place),
            Self::Denied { status, challenge, said } => {
                Diagnosis::of_denial(*status, challenge.as_deref(), said, place)
            }
            Self::Busy { status, said, pause_ms } => Diagnosis::of_busy(*status, said, *pause_ms),
            Self::Unfinished(unfinished) => Diagnosis::of_unfinished(unfinished),
            Self::Auth(error) => Diagnosis::new(error.to_string(), "", error.advice()),
            Self::NotSignedIn => Diagnosis::new(
                "The server wants to know who asks, and you did not sign in.",
                "",
                "Try again to be asked once more, or enter a token of your own under \"Headers and token\".",
            ),
            Self::Handshake(error) => Diagnosis::of_handshake(error, place),
            Self::OldTransport => Diagnosis::of_old_transport(),
            Self::NotLoaded => Diagnosis::new(NOT_LOADED, "", "Try again, or reload the page."),
            Self::NoEntry(why) => {
                Diagnosis::new("The answer has no entry for this skill.", format!("{why}."), "")
            }
        }
    }
}
