//! What an answer says that is none, in words: what was seen decides what is said.

use super::{Diagnosis, LINES, Place, Remedy};
use crate::finding::{excerpt, sentence};
use crate::protocol::network::{Network, authority_of};
use crate::protocol::results::Unfinished;
use crate::protocol::sse::SseParser;
use crate::protocol::{
    Era, HEADER_MISMATCH, HandshakeError, INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY,
    ReplyError, RpcError,
};

/// How much of an old transport's stream is looked through for its first event, in bytes.
const MAX_FIRST_EVENT: usize = 16 * 1024;

/// Whether this is what the HTTP+SSE transport of 2024-11-05 answers to a GET: an event stream
/// whose first event is named `endpoint`. `head` is the beginning of the body, as far as it came.
///
/// ```
/// use skillglass::protocol::diagnosis::is_old_transport;
/// assert!(is_old_transport(Some("text/event-stream"), b"event: endpoint\ndata: /messages\n\n"));
/// assert!(!is_old_transport(Some("text/event-stream"), b": hello\n\ndata: {}\n\n"));
/// ```
#[must_use]
pub fn is_old_transport(content_type: Option<&str>, head: &[u8]) -> bool {
    let is_stream = content_type.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let first = SseParser::new(MAX_FIRST_EVENT).push(head).ok();
    is_stream && first.is_some_and(|events| events.first().is_some_and(|e| e.kind == "endpoint"))
}

impl Diagnosis {
    /// The server speaks the transport of 2024-11-05; see [`is_old_transport`].
    #[must_use]
    pub fn of_old_transport() -> Self {
        Self::new(
            "The server speaks the old transport, HTTP with a stream of its own (2024-11-05), which this page does not.",
            "It answers a GET with an event stream that names the address for messages. Streamable HTTP has replaced that.",
            "Update the server, or look whether it has a second address for Streamable HTTP; many end in /mcp.",
        )
    }

    /// The time limit passed before an answer was whole.
    #[must_use]
    pub fn of_time_limit(seconds: u64, place: Place<'_>) -> Self {
        let mut why = "The request was sent. The server did not finish its answer, or something on the way swallows it.".to_owned();
        let (from, to) = (Network::of(place.origin), Network::of(place.endpoint));
        if from != Network::Loopback && to != Network::Public {
            why.push_str(" Or the browser waits for you: it may ask whether this page may look into your own network.");
        }
        let what = format!("No answer within {seconds} seconds.");
        let advice = "Look at the server's log; then try again, or allow more time under \"Protocol and limits\".";
        Self::new(what, why, advice)
    }

    /// The connection broke in the middle of an answer.
    #[must_use]
    pub fn of_broken_connection() -> Self {
        Self::new(
            "The answer began, and the connection broke off in the middle of it.",
            "The server or a proxy closed it before everything had come.",
            "Try again; if it happens at the same place, look at the server's log.",
        )
    }

    /// The server wants to know who asks (401), or refuses (403). `challenge` is the header
    /// `WWW-Authenticate`, where it may be read; `said` is the answer in the server's words.
    #[must_use]
    pub fn of_denial(status: u16, challenge: Option<&str>, said: &str, place: Place<'_>) -> Self {
        if let Some(check) = of_check(status, said, place) {
            return check;
        }
        let said = in_its_words(said);
        if status == 401 {
            let hidden = match challenge {
                Some(_) => "",
                None => {
                    "Where to sign in it may say in WWW-Authenticate, which this page cannot read unless the server exposes it."
                }
            };
            let what = "The server wants to know who asks: it answered 401.";
            return Self::new(what, format!("{said}{hidden}"), TOKEN);
        }
        Self::new(
            format!("The server refuses: it answered {status}."),
            format!(
                "{said}To a first request that mostly means that it refuses pages from {}; else that the token is not enough.",
                place.origin
            ),
            "Allow this page's origin on the server, or enter another token.",
        )
        .remedy(Remedy::Cors)
    }

    /// The server is busy, and longer than its client waits by itself. `pause_ms` is the pause that
    /// it asks for, in milliseconds.
    #[must_use]
    pub fn of_busy(status: u16, said: &str, pause_ms: Option<u64>) -> Self {
        let asked = match pause_ms {
            Some(ms) => format!(
                "It asks for a pause of {}, longer than this page waits by itself.",
                in_seconds(ms)
            ),
            None => "It was left alone for a while, and is busy all the same.".to_owned(),
        };
        Self::new(
            format!("The server is busy: it answered {status}."),
            format!("{}{asked}", in_its_words(said)),
            "Wait a little, then try again.",
        )
    }

    /// A result that is not the final one. Nothing is ever sent back for it.
    #[must_use]
    pub fn of_unfinished(unfinished: &Unfinished) -> Self {
        let (why, advice) = match unfinished {
            Unfinished::InputRequired { asks, has_state } if !asks.is_empty() => (
                format!(
                    "Nothing was sent back{}. This page gives no input, and says so: it declares none of the capabilities for which a server may ask.",
                    if *has_state { ", and the state that came with the question (requestState) was let go of" } else { "" },
                ),
                "Have the server answer clients without these capabilities, or refuse them with the error -32021. What it serves as a skill should need no input.",
            ),
            Unfinished::InputRequired { has_state: true, .. } => (
                "It gave a state (requestState) to be sent along with the same request. Nothing was sent back: this page asks once.".to_owned(),
                "Have the server answer a read at once. Hosts may give up on a skill whose files come in several rounds.",
            ),
            Unfinished::InputRequired { .. } => (
                "Such a result must have inputRequests or requestState, and has neither.".to_owned(),
                "Have the server answer with the final result, or with an error.",
            ),
            Unfinished::Unknown(_) => (
                "A client must take such a result for invalid.".to_owned(),
                "Have the server say \"complete\" where the result is the final one.",
            ),
        };
        Self::new(sentence(&unfinished.to_string()), why, advice)
    }

    /// An answer that is no message.
    #[must_use]
    pub fn of_reply(error: &ReplyError, place: Place<'_>) -> Self {
        let what = sentence(&error.to_string());
        let excerpt = error.excerpt().unwrap_or_default();
        let diagnosis = match error {
            ReplyError::MediaType { status: status @ (401 | 403 | 421), .. } => {
                Self::of_denial(*status, None, excerpt, place)
            }
            ReplyError::MediaType { status, content_type, .. } => {
                of_other_content(*status, content_type.as_deref(), excerpt, place)
            }
            ReplyError::NotJson { .. } => Self::new(
                what,
                "The answer is called JSON. Something has written into it, such as a line for a log, or has cut it off.",
                "Look at what came, and at what the server prints.",
            ),
            ReplyError::NotMessage { .. } => {
                Self::new(what, "Some other service seems to answer at this address.", PATH)
            }
            ReplyError::OtherId { .. } => Self::new(
                what,
                "An answer belongs to the request whose id it repeats. The server mixes answers up, or something between keeps them for others.",
                "Have the server copy the request's id into its answer, and let no proxy store answers to a POST.",
            ),
            ReplyError::EndedEarly { .. } => Self::new(
                what,
                "The server failed before it had answered, or a proxy has a time limit for streams.",
                "Look at the server's log; the wire keeps what came.",
            ),
            ReplyError::TooLong { .. } => Self::new(
                what,
                "A longer answer would fill the memory.",
                "Have the server answer in pages, or with smaller files.",
            ),
        };
        let content_type = match error {
            ReplyError::MediaType { content_type, .. } => content_type.as_deref(),
            _ => None,
        };
        let evidence = readable(content_type, excerpt);
        Self { evidence: Some(evidence).filter(|text| !text.is_empty()), ..diagnosis }
    }

    /// An error that the server answered with.
    #[must_use]
    pub fn of_rpc(error: &RpcError, place: Place<'_>) -> Self {
        let what = sentence(&error.to_string());
        let diagnosis = match (error.status, error.code) {
            (401 | 403 | 421, _) => Self::of_denial(error.status, None, &error.message, place),
            (_, Some(INVALID_PARAMS)) => Self::new(
                what,
                "By the extension's rules this is how a server says that it does not know the skill or file.",
                "",
            ),
            (_, Some(METHOD_NOT_FOUND)) => {
                Self::new(what, "The server does not offer this method.", "")
            }
            (_, Some(HEADER_MISMATCH)) => Self::new(
                what,
                "A header that repeats the body did not arrive as it was sent; often a proxy drops it.",
                "Let the proxy pass MCP-Protocol-Version, Mcp-Method and Mcp-Name.",
            ),
            (_, Some(MISSING_CAPABILITY)) => Self::new(
                what,
                "The server wants something of its client that only a chat with a model has.",
                "",
            ),
            (status, _) => of_trouble(what, status),
        };
        Self { evidence: error.data.clone(), ..diagnosis }
    }

    /// A conversation that cannot be opened. Where nothing readable came, ask an
    /// [`Inquiry`](super::Inquiry) for more.
    #[must_use]
    pub fn of_handshake(error: &HandshakeError, place: Place<'_>) -> Self {
        let what = sentence(&error.to_string());
        match error {
            HandshakeError::VersionHeaderBlocked => Self::new(
                "The server lets this page begin the handshake, but not go on (CORS).",
                format!(
                    "It answered initialize. Every later message carries MCP-Protocol-Version, and the browser was not allowed to send that from {}.",
                    place.origin
                ),
                LINES,
            )
            .remedy(Remedy::Cors),
            HandshakeError::SessionHidden { said } => Self::new(
                "The server wants a session, but does not let this page read its id (CORS).",
                format!("{}It gives the id in the header Mcp-Session-Id of its answer to initialize. A page can read that header only where the server exposes it (Access-Control-Expose-Headers).", in_its_words(said)),
                LINES,
            )
            .remedy(Remedy::Cors),
            HandshakeError::Unauthorized { challenge, said } => {
                Self::of_denial(401, challenge.as_deref(), said, place)
            }
            HandshakeError::Forbidden { challenge, said } => {
                Self::of_denial(403, challenge.as_deref(), said, place)
            }
            HandshakeError::ServerTrouble { status, .. } => of_trouble(what, *status),
            HandshakeError::NoCommonVersion { .. } => {
                Self::new(what, "", "Update the server's SDK to one that speaks one of these.")
            }
            HandshakeError::OtherEra { wanted: Era::Modern, .. } => {
                Self::new(what, "", "Choose Auto, and this page speaks what the server speaks.")
            }
            HandshakeError::OtherEra { wanted: Era::Legacy, .. } => {
                Self::new(what, "", "Choose Auto: this server speaks a newer revision.")
            }
            HandshakeError::NotMcp(error) => Self::of_reply(error, place),
            HandshakeError::Objection(error) | HandshakeError::Refused(error) => {
                Self::of_rpc(error, place)
            }
            HandshakeError::Unreachable
            | HandshakeError::TimedOut
            | HandshakeError::Silent
            | HandshakeError::Request(_) => Self::new(what, "", ""),
        }
    }
}

const TOKEN: &str = "Open \"Headers and token\", enter what the server wants, and connect again.";

const PATH: &str = "Check the path of the address; many endpoints end in /mcp.";

/// A refusal by one of the checks against DNS rebinding, which the SDKs word alike.
fn of_check(status: u16, said: &str, place: Place<'_>) -> Option<Diagnosis> {
    let lower = said.to_ascii_lowercase();
    let says = |word: &str| {
        lower.contains(&format!("{word} header")) || lower.contains(&format!("invalid {word}"))
    };
    if says("host") || status == 421 {
        let name = authority_of(place.endpoint);
        return Some(
            Diagnosis::new(
                format!("The server refuses to be called {name}: it answered {status}."),
                format!("{}It checks the name under which it is called (the header Host) and allows others only.", in_its_words(said)),
                "Call it by a name that it allows, such as localhost in place of 127.0.0.1, or allow this one with these lines.",
            )
            .remedy(Remedy::Host),
        );
    }
    says("origin").then(|| {
        Diagnosis::new(
            format!("The server refuses pages from {}: it answered {status}.", place.origin),
            format!(
                "{}It checks where requests come from (the header Origin).",
                in_its_words(said)
            ),
            LINES,
        )
        .remedy(Remedy::Cors)
    })
}

/// Something else than JSON or an event stream.
fn of_other_content(
    status: u16,
    content_type: Option<&str>,
    excerpt: &str,
    place: Place<'_>,
) -> Diagnosis {
    let is_web_page = is_page(content_type, excerpt);
    let kind = content_type.map_or_else(String::new, |kind| format!(" with {kind}"));
    match status {
        404 | 410 => Diagnosis::new(
            format!(
                "A server answers there, but has nothing at this path: it answered {status}{kind}."
            ),
            if is_web_page {
                "What answers is a web server; the MCP endpoint may live at another path."
            } else {
                ""
            },
            path_advice(place.endpoint),
        ),
        405 => Diagnosis::new(
            format!(
                "A server answers there, but takes no messages at this path: it answered 405{kind}."
            ),
            "A web page may live there, or an endpoint of the old transport.",
            path_advice(place.endpoint),
        ),
        406 | 415 => Diagnosis::new(
            format!(
                "The server does not take the form of the message: it answered {status}{kind}."
            ),
            "Messages say Content-Type: application/json and Accept: application/json, text/event-stream. A proxy may drop or change that.",
            "Let the proxy pass both headers.",
        ),
        413 => Diagnosis::new("The message is too long for the server: it answered 413.", "", ""),
        _ if is_web_page && status < 400 => Diagnosis::new(
            format!(
                "A web page lives at this address, and no MCP endpoint: it answered {status}{kind}."
            ),
            "",
            path_advice(place.endpoint),
        ),
        400..=499 => Diagnosis::new(
            format!(
                "The server refuses the message, and not in the way of MCP: it answered {status}{kind}."
            ),
            "Another service may answer at this address.",
            path_advice(place.endpoint),
        ),
        500.. => of_trouble(format!("The server failed: it answered {status}{kind}."), status),
        _ => Diagnosis::new(
            format!("The server answered {status}{kind} instead of JSON or an event stream."),
            "Something else than an MCP endpoint seems to live at this address.",
            path_advice(place.endpoint),
        ),
    }
}

/// What a status says of the server's state.
fn of_trouble(what: String, status: u16) -> Diagnosis {
    match status {
        408 | 429 | 503 => Diagnosis::new(
            what,
            "The server is busy, or wants fewer requests.",
            "Wait a little, then try again.",
        ),
        502 | 504 => Diagnosis::new(
            what,
            "A proxy answers; the server behind it does not, or not in time.",
            "Look whether the server behind it runs, and at its log.",
        ),
        500.. => Diagnosis::new(what, "", "Look at the server's log, then try again."),
        _ => Diagnosis::new(what, "", ""),
    }
}

/// What to try where the address has no path.
pub(super) fn pathless_advice(endpoint: &str) -> Option<String> {
    let (path, last) = last_of_path(endpoint);
    path.ends_with('/').then(|| {
        format!("The address has no path, and many endpoints end in /mcp: try {path}/{last}/mcp.")
    })
}

/// What stands in front of the last part of an address, and that part.
fn last_of_path(endpoint: &str) -> (&str, &str) {
    let (path, _) = endpoint.split_once(['?', '#']).unwrap_or((endpoint, ""));
    path.trim_end_matches('/').rsplit_once('/').unwrap_or_default()
}

fn path_advice(endpoint: &str) -> String {
    if let Some(advice) = pathless_advice(endpoint) {
        return advice;
    }
    let (path, last) = last_of_path(endpoint);
    match last {
        "sse" => {
            format!("Addresses that end in /sse are mostly of the old transport; try {path}/mcp.")
        }
        "mcp" => PATH.to_owned(),
        _ => format!("{PATH} Try {path}/{last}/mcp."),
    }
}

/// A pause in words.
fn in_seconds(ms: u64) -> String {
    match ms.div_ceil(1_000) {
        seconds @ ..120 => format!("{seconds} seconds"),
        seconds => format!("{} minutes", seconds.div_ceil(60)),
    }
}

/// The server's own words, if it has any, as a sentence with a blank behind it.
fn in_its_words(said: &str) -> String {
    match excerpt(readable(None, said).trim(), 300).as_str() {
        "" => String::new(),
        said => format!("It says: {} ", sentence(said)),
    }
}

/// How many characters of a web page's words are shown.
const MAX_WORDS: usize = 200;

/// Whether a text is the beginning of a web page.
fn is_page(content_type: Option<&str>, text: &str) -> bool {
    let head = text.trim_start().to_ascii_lowercase();
    content_type.is_some_and(|kind| kind.to_ascii_lowercase().contains("html"))
        || head.starts_with("<!doctype html")
        || head.starts_with("<html")
}

/// What came, for people to read: of a web page its words, on one line.
fn readable(content_type: Option<&str>, text: &str) -> String {
    if is_page(content_type, text) {
        excerpt(&words_of_page(text), MAX_WORDS)
    } else {
        text.to_owned()
    }
}

/// The words of a web page that people see, parted by blanks. Nothing is decoded; this is no reader of HTML.
fn words_of_page(html: &str) -> String {
    // Of the same length, so that places are the same.
    let lower = html.to_ascii_lowercase();
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(text) = html.get(at..) {
        let tag = text.find('<').unwrap_or(text.len());
        words.extend(text[..tag].split_whitespace());
        let after = &lower[at + tag..];
        let end = ["<!--", "<script", "<style"].into_iter().zip(["-->", "</script>", "</style>"]);
        let end = end.into_iter().find(|(begin, _)| after.starts_with(begin));
        let end = end.map_or(">", |(_, end)| end);
        let Some(length) = after.find(end) else { break };
        at += tag + length + end.len();
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> =
        Place { endpoint: "http://127.0.0.1:3000/mcp", origin: "https://page.example" };

    fn media(status: u16, content_type: &str, excerpt: &str) -> ReplyError {
        let content_type = Some(content_type.to_owned());
        ReplyError::MediaType { status, content_type, excerpt: excerpt.to_owned() }
    }

    fn rpc(status: u16, code: i64, message: &str) -> RpcError {
        RpcError { code: Some(code), message: message.into(), data: None, status }
    }

    #[test]
    fn what_came_instead_of_a_message_decides_what_is_said() {
        let html = "<!doctype html><h1>Bicycles</h1>";
        for (status, kind, body, what, advice) in [
            (200, "text/html", html, "A web page lives at this address", "end in /mcp"),
            (200, "text/plain", "<HTML>", "A web page lives at this address", "end in /mcp"),
            (200, "text/plain", "hello", "instead of JSON", "end in /mcp"),
            (404, "text/html", html, "has nothing at this path: it answered 404", "end in /mcp"),
            (405, "text/plain", "", "takes no messages at this path", "end in /mcp"),
            (406, "text/plain", "", "does not take the form", "pass both headers"),
            (400, "text/plain", "no", "not in the way of MCP", "end in /mcp"),
            (502, "text/html", html, "failed: it answered 502", "behind it runs"),
            (503, "text/plain", "", "failed: it answered 503", "Wait a little"),
        ] {
            let diagnosis = Diagnosis::of_reply(&media(status, kind, body), PLACE);
            assert!(diagnosis.what.contains(what), "{status} {kind}: {}", diagnosis.what);
            assert!(diagnosis.advice.contains(advice), "{status} {kind}: {}", diagnosis.advice);
            let shown = if body == html { "Bicycles" } else { body };
            let shown = if body == "<HTML>" { "" } else { shown };
            assert_eq!(diagnosis.evidence.as_deref(), Some(shown).filter(|it| !it.is_empty()));
        }
    }

    #[test]
    fn of_a_web_page_only_its_words_are_shown() {
        let page = "<!DOCTYPE html>\n<html><head><title>404 Not\nFound</title><style>p { color: red }</style>\
            <!-- <b>x</b> --><SCRIPT>if (1 < 2) alert()</SCRIPT></head><body><h1>Nothing <em>here</em></h1><p>caf\u{e9}<scr";
        assert_eq!(words_of_page(page), "404 Not Found Nothing here caf\u{e9}");
        assert_eq!(words_of_page("<html"), "");
        assert_eq!(words_of_page("<html><!--"), "");
        let long = format!("<html>{}", "word ".repeat(1_000));
        let shown = Diagnosis::of_reply(&media(404, "text/html", &long), PLACE).evidence.unwrap();
        assert!(shown.chars().count() <= MAX_WORDS + 1, "{shown}");
        let denied = Diagnosis::of_denial(403, None, page, PLACE);
        assert!(denied.why.starts_with("It says: 404 Not Found Nothing here"), "{}", denied.why);
        let place = Place { endpoint: "http://127.0.0.1:3000/api?x=1", ..PLACE };
        let advice = Diagnosis::of_reply(&media(404, "text/html", page), place).advice;
        assert!(advice.ends_with("Try http://127.0.0.1:3000/api/mcp."), "{advice}");
    }

    /// What the SDKs say, letter by letter, when they refuse a name or a page.
    #[test]
    fn checks_against_dns_rebinding_are_told_apart() {
        for (status, said, remedy) in [
            (403, "Invalid Host: mcp.example", Remedy::Host),
            (403, "Invalid Host header: mcp.example:3000", Remedy::Host),
            (421, "Invalid Host header", Remedy::Host),
            (403, "Forbidden: Host header is not allowed", Remedy::Host),
            (403, "Invalid Origin: page.example", Remedy::Cors),
            (403, "Invalid Origin header", Remedy::Cors),
            (403, "Forbidden: Origin header is not allowed", Remedy::Cors),
        ] {
            for diagnosis in [
                Diagnosis::of_reply(&media(status, "text/plain", said), PLACE),
                Diagnosis::of_rpc(&rpc(status, -32000, said), PLACE),
                Diagnosis::of_denial(status, None, said, PLACE),
            ] {
                assert_eq!(diagnosis.remedy, Some(remedy), "{said}");
                assert!(diagnosis.why.contains(said), "{}", diagnosis.why);
                let named = if remedy == Remedy::Host { "127.0.0.1:3000" } else { PLACE.origin };
                assert!(diagnosis.what.contains(named), "{}", diagnosis.what);
            }
        }
        let other = Diagnosis::of_denial(403, None, "quota is used up", PLACE);
        assert!(other.what.contains("refuses: it answered 403"));
    }

    /// Servers differ in the status that they give a code.
    #[test]
    fn an_error_is_told_by_its_code_whatever_the_status() {
        use crate::protocol::{Progress, ReplyLimits, ReplyReader};
        for code in [
            -32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32020, -32021, -32022,
            -32042,
        ] {
            for status in [200, 400, 404, 415] {
                let mut reader =
                    ReplyReader::new(3, status, Some("application/json"), ReplyLimits::default());
                let body = format!(r#"{{"id":null,"error":{{"code":{code},"message":"tea"}}}}"#);
                assert_eq!(reader.push(body.as_bytes()), Ok(Progress::More));
                let reply = reader.finish().unwrap();
                let error = reply.message().unwrap().outcome().unwrap_err();
                assert_eq!((error.code, error.status), (Some(code), status));
                let what = Diagnosis::of_rpc(&error, PLACE).what;
                let said = format!("The server answered with error {code}: tea.");
                assert_eq!(what, said, "{status}");
            }
        }
    }

    #[test]
    fn a_challenge_that_cannot_be_read_is_said_so() {
        let hidden = Diagnosis::of_denial(401, None, "", PLACE);
        assert!(hidden.why.contains("WWW-Authenticate") && hidden.advice.contains("token"));
        assert_eq!(Diagnosis::of_denial(401, Some("Bearer"), "", PLACE).why, "");
    }

    #[test]
    fn an_address_without_a_path_gets_one() {
        let advice = |endpoint| path_advice(endpoint);
        assert!(advice("http://localhost:3000").contains("try http://localhost:3000/mcp."));
        assert!(advice("http://localhost:3000/?a=b/c").contains("try http://localhost:3000/mcp."));
        assert!(advice("https://a.example/v1/sse").contains("try https://a.example/v1/mcp."));
        assert_eq!(advice("https://a.example/v1/mcp"), PATH);
    }

    #[test]
    fn silence_may_be_a_question_to_the_user() {
        let why = |origin, endpoint| Diagnosis::of_time_limit(30, Place { endpoint, origin }).why;
        assert!(why("https://page.example", "http://localhost:1/").contains("waits for you"));
        assert!(!why("http://localhost:2", "http://localhost:1/").contains("waits for you"));
        assert!(!why("https://page.example", "https://mcp.example/").contains("waits for you"));
    }

    #[test]
    fn every_end_of_a_handshake_says_what_happened() {
        let (said, challenge) = (String::new(), None);
        for error in [
            HandshakeError::Unreachable,
            HandshakeError::VersionHeaderBlocked,
            HandshakeError::SessionHidden { said: "no session".into() },
            HandshakeError::TimedOut,
            HandshakeError::Silent,
            HandshakeError::Unauthorized { challenge: challenge.clone(), said: said.clone() },
            HandshakeError::Forbidden { challenge, said },
            HandshakeError::ServerTrouble { status: 500, message: "no".into() },
            HandshakeError::Objection(rpc(400, HEADER_MISMATCH, "no")),
            HandshakeError::NoCommonVersion { offered: Vec::new() },
            HandshakeError::NotMcp(media(200, "text/html", "<html>")),
            HandshakeError::OtherEra { wanted: Era::Modern, message: "no".into() },
            HandshakeError::OtherEra { wanted: Era::Legacy, message: "no".into() },
            HandshakeError::Refused(rpc(400, -32000, "no")),
        ] {
            let Diagnosis { what, remedy, .. } = Diagnosis::of_handshake(&error, PLACE);
            assert!(what.ends_with('.'), "{error:?}");
            assert!(!what.contains("CORS") || remedy == Some(Remedy::Cors), "{error:?}");
        }
    }

    #[test]
    fn the_old_transport_is_known_by_its_first_event() {
        let kind = Some("text/event-stream; charset=utf-8");
        assert!(is_old_transport(
            kind,
            b": ping\n\nevent: endpoint\r\ndata: /messages?id=1\r\n\r\n"
        ));
        assert!(!is_old_transport(kind, b"event: endpoint\n"));
        assert!(!is_old_transport(kind, b"data: {}\n\nevent: endpoint\ndata: x\n\n"));
        assert!(!is_old_transport(Some("text/html"), b"event: endpoint\ndata: x\n\n"));
    }

    #[test]
    fn silence_says_nothing() {
        assert_eq!(in_its_words("  "), "");
    }
}
