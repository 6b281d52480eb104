//! Why something could not be had from a server: what happened, why as far as it can be told
//! apart, and what to do.

use skillglass::auth::AuthError;
use skillglass::protocol::results::Unfinished;
use skillglass::protocol::{
    EndpointError, Era, HEADER_MISMATCH, HandshakeError, INVALID_PARAMS, METHOD_NOT_FOUND,
    ReplyError, RequestError, RpcError,
};

use crate::label::DEMO;
use crate::text::duration;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The address is none.
    Endpoint(EndpointError),
    /// There is no demo server of that name.
    NoDemo,
    /// The request cannot be made.
    Request(RequestError),
    /// The browser gave no answer and no reason.
    Unreachable(Reach),
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
    /// The answer has no entry for the skill that was asked for; why, as core says it.
    NoEntry(String),
}

/// What is known of a server whose answer the browser does not hand over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This page came over https and may not call plain http.
    MixedContent,
    /// The device is offline.
    Offline,
    /// Somebody answers there, but this page may not read it.
    RefusesPage,
    /// Nobody answers there.
    Nobody,
}

/// Where a failure happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    /// The server's address.
    pub(crate) endpoint: &'p str,
    /// The origin of this page.
    pub(crate) origin: &'p str,
}

/// A failure in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// What happened.
    pub(crate) what: String,
    /// Why, as far as it is known.
    pub(crate) why: String,
    /// What to do about it.
    pub(crate) advice: String,
    /// What came from the server, as text.
    pub(crate) evidence: Option<String>,
}

impl Words {
    fn new(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into(), advice: advice.into(), evidence: None }
    }

    /// Whether there is nothing to say but what happened.
    pub(crate) fn is_bare(&self) -> bool {
        self.why.is_empty() && self.advice.is_empty() && self.evidence.is_none()
    }

    fn evidence(self, evidence: Option<impl Into<String>>) -> Self {
        Self { evidence: evidence.map(Into::into), ..self }
    }
}

impl Failure {
    /// Whether the server's answer to a request for a page's permission is what is missing.
    pub(crate) const fn is_refused_page(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(Reach::RefusesPage)
                | Self::Handshake(
                    HandshakeError::VersionHeaderBlocked | HandshakeError::SessionHidden { .. }
                )
        )
    }

    /// Whether the next question would meet the same fate.
    pub(crate) const fn ends_a_run(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::Denied { .. }
                | Self::Auth(_)
                | Self::NotSignedIn
                | Self::Busy { .. }
        )
    }

    /// The failure in one line.
    pub(crate) fn line(&self, place: Place<'_>) -> String {
        self.words(place).what
    }

    /// The failure in words.
    pub(crate) fn words(&self, place: Place<'_>) -> Words {
        match self {
            Self::Endpoint(error) => Words::new(
                error.to_string(),
                "",
                "An MCP endpoint looks like https://mcp.example.com/mcp or http://127.0.0.1:3000/mcp.",
            ),
            Self::NoDemo => Words::new(
                "There is no demo server of that name.",
                "",
                format!(
                    "There are {}.",
                    skillglass::demo::NAMES.map(|name| format!("{DEMO}{name}")).join(" and ")
                ),
            ),
            Self::Request(error) => Words::new(error.to_string(), "", ""),
            Self::Unreachable(reach) => reach.words(place),
            Self::TimedOut(seconds) => Words::new(
                format!("No answer within {seconds} seconds."),
                "The server took the request but did not finish its answer, or something on the way swallows it.",
                "Look at the server's log; then try again, or allow more time under \"Protocol and limits\".",
            ),
            Self::Cancelled => Words::new("You stopped it.", "", ""),
            Self::BrokenOff => Words::new(
                "The connection broke off in the middle of the answer.",
                "The server or a proxy closed it before everything had come.",
                "Try again; if it happens at the same place, look at the server's log.",
            ),
            Self::Reply(error) => reply_words(error).evidence(error.excerpt()),
            Self::Rpc(error) => rpc_words(error).evidence(error.data.as_ref()),
            Self::Denied { status, said, .. } => denied_words(*status, said, place),
            Self::Busy { status, said, pause_ms } => busy_words(*status, said, *pause_ms),
            Self::Unfinished(unfinished) => Words::new(
                sentence(&unfinished.to_string()),
                "This page declares none of the capabilities for which a server may ask something back.",
                "",
            ),
            Self::Auth(error) => Words::new(error.to_string(), "", error.advice()),
            Self::NotSignedIn => Words::new(
                "The server wants to know who asks, and you did not sign in.",
                "",
                "Try again to be asked once more, or enter a token of your own under \"Headers and token\".",
            ),
            Self::Handshake(error) => handshake_words(error, place),
            Self::NoEntry(why) => {
                Words::new("The answer has no entry for this skill.", sentence(why), "")
            }
        }
    }
}

impl Reach {
    fn words(self, place: Place<'_>) -> Words {
        let Place { endpoint, origin } = place;
        match self {
            Self::MixedContent => Words::new(
                "The browser does not let this page call plain http.",
                "This page came over https. From such a page, plain http is allowed to the same machine only.",
                "Serve MCP over https, or open this page from a server on your own machine.",
            ),
            Self::Offline => Words::new(
                "This device is offline.",
                "",
                "Connect to the network and try again. The two demo servers need none.",
            ),
            Self::RefusesPage => Words::new(
                "The browser may not read the answer: the server does not allow this page (CORS).",
                format!(
                    "Before each kind of request the browser asks the server with OPTIONS whether pages from {origin} may send it, with the headers content-type, mcp-protocol-version, mcp-method and, to read a file, mcp-name. The answer has to allow the page and all of them."
                ),
                LINES_ADVICE,
            ),
            Self::Nobody => Words::new(
                format!("Nobody answers at {endpoint}."),
                "The browser does not say more. The name or port may be wrong, the server may be down, its certificate may not be trusted, its address may redirect, or you have not allowed this page to reach your own network.",
                "Check that the server runs, and open the address in a tab of its own to see what the browser says of it.",
            ),
        }
    }
}

fn reply_words(error: &ReplyError) -> Words {
    let what = sentence(&error.to_string());
    match error {
        ReplyError::MediaType { status, .. } if is_older_status(*status) => Words::new(
            what,
            "There seems to be no MCP endpoint at this address.",
            "Check the path of the address; many endpoints end in /mcp.",
        ),
        ReplyError::MediaType { .. } => Words::new(
            what,
            "Something else than an MCP endpoint seems to live at this address.",
            "Check the path of the address; many endpoints end in /mcp.",
        ),
        ReplyError::TooLong { .. } => Words::new(what, "Such an answer would fill the memory.", ""),
        _ => Words::new(what, "", "Look at the server's log; the wire below keeps what came."),
    }
}

const LINES_ADVICE: &str = "Add these lines to the server, restart it, and connect again.";

const TOKEN_ADVICE: &str =
    "Open \"Headers and token\", enter what the server wants, and connect again.";

fn rpc_words(error: &RpcError) -> Words {
    let what = sentence(&error.to_string());
    match (error.status, error.code) {
        (_, Some(INVALID_PARAMS)) => Words::new(
            what,
            "By the extension's rules this is how a server says that it does not know the skill or file.",
            "",
        ),
        (_, Some(METHOD_NOT_FOUND)) => {
            Words::new(what, "The server does not offer this method.", "")
        }
        (_, Some(HEADER_MISMATCH)) => Words::new(
            what,
            "A header that repeats the body did not arrive as it was sent; often a proxy drops it.",
            "Let the proxy pass MCP-Protocol-Version, Mcp-Method and Mcp-Name.",
        ),
        (500.., _) => Words::new(what, "", "Look at the server's log, then try again."),
        _ => Words::new(what, "", ""),
    }
}

fn denied_words(status: u16, said: &str, place: Place<'_>) -> Words {
    let said = in_its_words(said);
    if status == 401 {
        let what = "The server wants to know who asks: it answered 401.";
        return Words::new(what, said, TOKEN_ADVICE);
    }
    Words::new(
        format!("The server refuses: it answered {status}."),
        format!(
            "{said}On a first request that mostly means that it refuses pages from {}; else that the token is not enough.",
            place.origin
        ),
        "Allow this page's origin on the server, or enter another token.",
    )
}

fn busy_words(status: u16, said: &str, pause_ms: Option<u64>) -> Words {
    let asked = match pause_ms {
        Some(ms) => format!(
            "It asks for a pause of {}, longer than this page waits by itself.",
            duration(ms)
        ),
        None => "It was left alone for a while, and is busy all the same.".to_owned(),
    };
    Words::new(
        format!("The server is busy: it answered {status}."),
        format!("{}{asked}", in_its_words(said)),
        "Wait a little, then try again.",
    )
}

/// The server's own message, if it has one, as a sentence with a blank behind it.
fn in_its_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("It says: {} ", sentence(said)) }
}

fn handshake_words(error: &HandshakeError, place: Place<'_>) -> Words {
    let what = sentence(&error.to_string());
    match error {
        HandshakeError::VersionHeaderBlocked => Words::new(
            "The server lets this page begin the handshake, but not go on (CORS).",
            format!(
                "It answered initialize. Every later message carries MCP-Protocol-Version, and the browser was not allowed to send that from {}.",
                place.origin
            ),
            LINES_ADVICE,
        ),
        HandshakeError::SessionHidden { said } => Words::new(
            "The server wants a session, but does not let this page read its id (CORS).",
            "It gives the id in the header Mcp-Session-Id of its answer to initialize. A page can read that header only where the server exposes it.",
            LINES_ADVICE,
        )
        .evidence(Some(said).filter(|said| !said.is_empty())),
        HandshakeError::ServerTrouble { .. } => {
            Words::new(what, "", "Look at the server's log, or wait a little; then try again.")
        }
        HandshakeError::NoCommonVersion { .. } => {
            Words::new(what, "", "Update the server's SDK to one that speaks one of these.")
        }
        HandshakeError::OtherEra { wanted, .. } => Words::new(
            what,
            "",
            match wanted {
                Era::Modern => "Choose Auto, and this page speaks what the server speaks.",
                Era::Legacy => "Choose Auto: this server speaks a newer revision.",
            },
        ),
        HandshakeError::NotMcp(error) => reply_words(error).evidence(error.excerpt()),
        HandshakeError::Objection(error) | HandshakeError::Refused(error) => {
            rpc_words(error).evidence(error.data.as_ref())
        }
        _ => Words::new(what, "", ""),
    }
}

const fn is_older_status(status: u16) -> bool {
    matches!(status, 400 | 404 | 405 | 406 | 415 | 422)
}

/// A message as a sentence: a capital in front, a full stop behind.
fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    let mut out: String = first.into_iter().chain(characters).collect();
    if !out.ends_with(['.', '!', '?', '…']) {
        out.push('.');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> =
        Place { endpoint: "http://127.0.0.1:3000/mcp", origin: "https://page.example" };

    fn rpc(status: u16, code: i64, data: Option<&str>) -> RpcError {
        let data = data.map(str::to_owned);
        RpcError { code: Some(code), message: "no".into(), data, status }
    }

    #[test]
    fn every_failure_says_what_happened() {
        let media = ReplyError::MediaType {
            status: 200,
            content_type: Some("text/html".into()),
            excerpt: "<!doctype html>".into(),
        };
        let failures = [
            Failure::Endpoint(EndpointError::Scheme),
            Failure::NoDemo,
            Failure::Request(RequestError::SecretInTheOpen),
            Failure::Unreachable(Reach::MixedContent),
            Failure::Unreachable(Reach::Offline),
            Failure::Unreachable(Reach::RefusesPage),
            Failure::Unreachable(Reach::Nobody),
            Failure::TimedOut(30),
            Failure::Busy { status: 429, said: String::new(), pause_ms: Some(300_000) },
            Failure::Unfinished(Unfinished::Unknown("later".into())),
            Failure::Cancelled,
            Failure::BrokenOff,
            Failure::Reply(media),
            Failure::Reply(ReplyError::TooLong { limit: 1 }),
            Failure::Rpc(rpc(500, -32603, None)),
            Failure::Denied { status: 401, challenge: None, said: String::new() },
            Failure::Denied { status: 403, challenge: None, said: "no".into() },
            Failure::Auth(AuthError::Ended),
            Failure::NotSignedIn,
            Failure::Handshake(HandshakeError::VersionHeaderBlocked),
            Failure::Handshake(HandshakeError::SessionHidden { said: String::new() }),
            Failure::Handshake(HandshakeError::NoCommonVersion { offered: Vec::new() }),
            Failure::Handshake(HandshakeError::Refused(rpc(400, -32000, None))),
            Failure::NoEntry("skill is missing".into()),
        ];
        for failure in failures {
            assert!(failure.line(PLACE).ends_with('.'), "{failure:?}");
        }
    }

    #[test]
    fn a_refused_page_is_named_by_its_origin() {
        let words = Failure::Unreachable(Reach::RefusesPage).words(PLACE);
        assert!(words.why.contains(PLACE.origin));
    }

    #[test]
    fn a_page_of_html_is_shown() {
        let excerpt = "<!doctype html>".to_owned();
        let content_type = Some("text/html".to_owned());
        let words = Failure::Reply(ReplyError::MediaType { status: 200, content_type, excerpt })
            .words(PLACE);
        assert!(words.what.contains("200 with text/html"));
        assert_eq!(words.evidence.as_deref(), Some("<!doctype html>"));
    }

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!(sentence("the server"), "The server.");
        assert_eq!(sentence("Really?"), "Really?");
    }
}
