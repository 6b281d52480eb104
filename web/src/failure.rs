//! Why something could not be had from a server: what happened, why as far as it can be told
//! apart, and what to do.

use skillglass::protocol::{
    EndpointError, HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, PROTOCOL_VERSION, ReplyError,
    RequestError, RpcError, UNSUPPORTED_VERSION,
};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The address is none.
    Endpoint(EndpointError),
    /// The request cannot be made.
    Request(RequestError),
    /// The browser gave no answer and no reason.
    Unreachable(Reach),
    /// The answer took too long.
    TimedOut,
    /// The user stopped it.
    Cancelled,
    /// The connection broke in the middle of the answer.
    BrokenOff,
    /// What came is no message.
    Reply(ReplyError),
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server speaks other revisions of MCP only.
    OtherRevision(Vec<String>),
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

/// How long an answer may take.
pub(crate) const TIME_LIMIT_S: u32 = 30;

impl Failure {
    /// Whether the server's answer to a request for a page's permission is what is missing.
    pub(crate) const fn is_refused_page(&self) -> bool {
        matches!(self, Self::Unreachable(Reach::RefusesPage))
    }

    /// Whether somebody answered, whatever the answer was.
    pub(crate) const fn has_answer(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(Reach::RefusesPage) | Self::Reply(_) | Self::Rpc(_) | Self::BrokenOff
        )
    }

    /// Whether the next question would meet the same fate.
    pub(crate) const fn ends_a_run(&self) -> bool {
        matches!(self, Self::Unreachable(_))
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
            Self::Request(error) => Words::new(error.to_string(), "", ""),
            Self::Unreachable(reach) => reach.words(place),
            Self::TimedOut => Words::new(
                format!("No answer within {TIME_LIMIT_S} seconds."),
                "The server took the request but did not finish its answer, or something on the way swallows it.",
                "Look at the server's log; then try again.",
            ),
            Self::Cancelled => Words::new("You stopped it.", "", ""),
            Self::BrokenOff => Words::new(
                "The connection broke off in the middle of the answer.",
                "The server or a proxy closed it before everything had come.",
                "Try again; if it happens at the same place, look at the server's log.",
            ),
            Self::Reply(error) => reply_words(error).evidence(error.excerpt()),
            Self::Rpc(error) => rpc_words(error, place).evidence(error.data.as_ref()),
            Self::OtherRevision(versions) => other_revision_words(versions),
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
                "Add these lines to the server, restart it, and connect again.",
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
            format!(
                "There is no MCP endpoint at this address, or one that speaks an older revision than {PROTOCOL_VERSION}, which is not supported yet."
            ),
            "Check the path of the address; many endpoints end in /mcp.",
        ),
        ReplyError::MediaType { status: 401 | 403, .. } => Words::new(
            what,
            "The server wants to know who asks, or does not want pages from here.",
            TOKEN_ADVICE,
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

const TOKEN_ADVICE: &str =
    "Open \"Headers and token\", enter what the server wants, and connect again.";

fn rpc_words(error: &RpcError, place: Place<'_>) -> Words {
    let what = sentence(&error.to_string());
    match (error.status, error.code) {
        (401, _) => Words::new(
            "The server wants to know who asks: it answered 401.",
            said(error),
            TOKEN_ADVICE,
        ),
        (403, _) => Words::new(
            "The server refuses: it answered 403.",
            format!(
                "{}On a first request that mostly means that it refuses pages from {}; else that the token is not enough.",
                said(error),
                place.origin
            ),
            "Allow this page's origin on the server, or enter another token.",
        ),
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
        (429, _) => {
            Words::new(what, "The server wants fewer requests.", "Wait a little, then try again.")
        }
        (500.., _) => Words::new(what, "", "Look at the server's log, then try again."),
        _ => Words::new(what, "", ""),
    }
}

/// The server's own message, if it has one, as a sentence with a blank behind it.
fn said(error: &RpcError) -> String {
    match error.message.as_str() {
        "" => String::new(),
        message => format!("It says: {} ", sentence(message)),
    }
}

fn other_revision_words(versions: &[String]) -> Words {
    let spoken = match versions {
        [] => "It speaks an older revision of MCP".to_owned(),
        versions => format!("It speaks {}", versions.join(", ")),
    };
    Words::new(
        format!("This server does not speak MCP {PROTOCOL_VERSION}."),
        format!("{spoken}, which is not supported yet."),
        format!("Update the server's SDK to one that speaks {PROTOCOL_VERSION}."),
    )
}

/// What an error in answer to the first question says: the server's own reason, or that it speaks
/// an older revision and does not know the question.
pub(crate) fn first_answer(error: RpcError) -> Failure {
    let broken_but_current = matches!(error.code, Some(HEADER_MISMATCH | INVALID_PARAMS | -32021));
    let says_why = matches!(error.status, 401 | 403 | 408 | 429 | 500..);
    if error.code == Some(UNSUPPORTED_VERSION) {
        Failure::OtherRevision(supported(error.data.as_deref()))
    } else if broken_but_current || says_why {
        Failure::Rpc(error)
    } else {
        Failure::OtherRevision(Vec::new())
    }
}

/// The revisions in the `data` of an unsupported-version error.
fn supported(data: Option<&str>) -> Vec<String> {
    let Some(document) = data.and_then(|data| skillglass::json::read(data).ok()) else {
        return Vec::new();
    };
    let versions = document.root.get("supported").and_then(|node| node.as_array());
    let versions = versions.unwrap_or_default().iter().filter_map(|version| version.as_str());
    versions.take(8).map(|version| skillglass::finding::excerpt(version, 20)).collect()
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
            Failure::Request(RequestError::SecretInTheOpen),
            Failure::Unreachable(Reach::MixedContent),
            Failure::Unreachable(Reach::Offline),
            Failure::Unreachable(Reach::RefusesPage),
            Failure::Unreachable(Reach::Nobody),
            Failure::TimedOut,
            Failure::Cancelled,
            Failure::BrokenOff,
            Failure::Reply(media),
            Failure::Reply(ReplyError::TooLong { limit: 1 }),
            Failure::Rpc(rpc(500, -32603, None)),
            Failure::OtherRevision(Vec::new()),
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
    fn older_servers_are_told_from_broken_ones() {
        assert_eq!(first_answer(rpc(404, -32601, None)), Failure::OtherRevision(vec![]));
        assert_eq!(first_answer(rpc(400, -32000, None)), Failure::OtherRevision(vec![]));
        assert_eq!(first_answer(rpc(200, -32601, None)), Failure::OtherRevision(vec![]));
        let listed = Some(r#"{"supported":["2025-11-25"]}"#);
        let versions = Failure::OtherRevision(vec!["2025-11-25".into()]);
        assert_eq!(first_answer(rpc(400, UNSUPPORTED_VERSION, listed)), versions);
        for (status, code) in [(401, -32000), (403, -32000), (500, -32603), (400, HEADER_MISMATCH)]
        {
            assert!(matches!(first_answer(rpc(status, code, None)), Failure::Rpc(_)));
        }
    }

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!(sentence("the server"), "The server.");
        assert_eq!(sentence("Really?"), "Really?");
    }
}
