//! Finds out which era a server speaks, and opens the conversation.
//!
//! The first question is `server/discover`, which every server of the modern era answers. What
//! comes back decides: the modern era, the older handshake, or a plain reason to stop. The order
//! of the rules matters; each says why it holds. Every step leaves [`Evidence`] for a person.

use std::fmt;

use super::results::{Discovery, read_discovery, read_initialize};
use super::{
    Answered, Call, Client, Era, HEADER_MISMATCH, HttpRequest, LEGACY_VERSIONS, MISSING_CAPABILITY,
    PROTOCOL_VERSION, ReplyError, RequestError, RpcError, UNSUPPORTED_VERSION, Wire,
};
use crate::finding::{Finding, Section, excerpt, sentence};
use crate::json;
use crate::value::Node;

/// Which era to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Ask, and speak what the server speaks.
    #[default]
    Auto,
    /// Only 2026-07-28 and later.
    Modern,
    /// Only the older handshake.
    Legacy,
}

/// What came of sending a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The server answered.
    Answered(Answered),
    /// Nothing readable came back, and nobody says why: in a browser a closed port, a refusal by
    /// CORS and a redirect all look alike.
    Unreachable,
    /// The time limit passed.
    TimedOut,
    /// Over a pipe: the time limit passed, or the process at the other end is gone. Older servers
    /// do either when they are asked what they do not know.
    Silent,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandshakeStep {
    /// Send this and hand what comes to [`Handshake::receive`].
    Send(HttpRequest),
    /// The conversation is open.
    Done(Box<Connected>),
    /// It cannot be opened.
    Failed(HandshakeError),
}

/// An open conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// What the server says of itself.
    pub discovery: Discovery,
    /// The era that is spoken.
    pub era: Era,
    /// The revision that is spoken.
    pub version: String,
}

/// One thing that was learned on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What was sent: a JSON-RPC method.
    pub asked: &'static str,
    /// What came and what follows from it, in sentences.
    pub learned: String,
    /// Whether the server takes part in the era that was asked about.
    pub agrees: bool,
}

/// Why a conversation cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeError {
    /// Nothing readable came back to anything that was sent.
    Unreachable,
    /// The server answers the older handshake's first message only; a later one with the version
    /// header does not come through.
    VersionHeaderBlocked,
    /// The server wants a session, but the caller may not read `Mcp-Session-Id`.
    SessionHidden {
        /// What the server said to a message without one.
        said: String,
    },
    /// The time limit passed.
    TimedOut,
    /// Over a pipe: no answer came, or the process ended before it.
    Silent,
    /// The server wants authorization; its challenge, where it may be read.
    Unauthorized {
        /// `WWW-Authenticate`.
        challenge: Option<String>,
        /// What it said: its message, or the first characters of the body.
        said: String,
    },
    /// The server refuses: often its check of the page's origin.
    Forbidden {
        /// `WWW-Authenticate`.
        challenge: Option<String>,
        /// What it said: its message, or the first characters of the body.
        said: String,
    },
    /// The server is in trouble or busy; trying again may help.
    ServerTrouble {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The server speaks the modern era and objects to the request itself, as when a proxy drops
    /// headers.
    Objection(RpcError),
    /// No revision in common.
    NoCommonVersion {
        /// What the server offers.
        offered: Vec<String>,
    },
    /// What answers there is no MCP endpoint.
    NotMcp(ReplyError),
    /// The server does not speak the era that was asked for.
    OtherEra {
        /// The era that was asked for.
        wanted: Era,
        /// What it answered.
        message: String,
    },
    /// The handshake was answered with an error.
    Refused(RpcError),
    /// The request itself cannot be made.
    Request(RequestError),
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable => f.write_str("nothing readable came back"),
            Self::VersionHeaderBlocked => f.write_str(
                "the server answers initialize, but the next message, which carries MCP-Protocol-Version, does not come through",
            ),
            Self::SessionHidden { .. } => f.write_str(
                "the server wants Mcp-Session-Id with every message, but does not let this client read the one it gave",
            ),
            Self::TimedOut => f.write_str("no answer came within the time limit"),
            Self::Silent => f.write_str("the server's process did not answer"),
            Self::Unauthorized { .. } => f.write_str("the server wants authorization (401)"),
            Self::Forbidden { .. } => f.write_str("the server refuses (403)"),
            Self::ServerTrouble { status, message } => {
                write!(f, "the server answered {status}")?;
                if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
            }
            Self::Objection(error) | Self::Refused(error) => error.fmt(f),
            Self::NoCommonVersion { offered } if offered.iter().any(|it| it == PROTOCOL_VERSION) => {
                write!(
                    f,
                    "the server answers initialize with {PROTOCOL_VERSION}, a revision that has no initialize"
                )
            }
            Self::NoCommonVersion { offered } => write!(
                f,
                "no revision in common: the server offers {}, this client {PROTOCOL_VERSION} and {}",
                if offered.is_empty() { "none".to_owned() } else { offered.join(", ") },
                LEGACY_VERSIONS.map(str::to_owned).join(", "),
            ),
            Self::NotMcp(error) => error.fmt(f),
            Self::OtherEra { wanted: Era::Modern, message } => {
                write!(f, "the server does not speak {PROTOCOL_VERSION}: {message}")
            }
            Self::OtherEra { wanted: Era::Legacy, message } => {
                write!(f, "the server does not speak the older handshake: {message}")
            }
            Self::Request(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HandshakeError {}

/// The state of a handshake. The client that comes out of it speaks what was found.
///
/// ```
/// use skillglass::protocol::*;
/// let client = Client::new("https://mcp.example.com/mcp").unwrap();
/// let mut handshake = Handshake::new(client, EraChoice::Auto);
/// let HandshakeStep::Send(probe) = handshake.step() else { panic!() };
/// assert_eq!(probe.header("Mcp-Method"), Some("server/discover"));
/// handshake.receive(Attempt::TimedOut);
/// assert_eq!(handshake.step(), HandshakeStep::Failed(HandshakeError::TimedOut));
/// ```
#[derive(Clone, Debug)]
pub struct Handshake {
    client: Client,
    choice: EraChoice,
    state: State,
    /// Whether the probe was sent again after the server named its versions.
    renegotiated: bool,
    /// Why the modern era was given up; the better reason if the older one fails as well.
    probe_failure: Option<HandshakeError>,
    evidence: Vec<Evidence>,
}

#[derive(Clone, Debug)]
enum State {
    Probe,
    Initialize,
    Initialized(Box<Connected>),
    Done(Box<Connected>),
    Failed(HandshakeError),
}

impl Handshake {
    /// A handshake that has not begun. What the client spoke before is over: neither the probe nor
    /// `initialize` carries an old session.
    #[must_use]
    pub fn new(mut client: Client, choice: EraChoice) -> Self {
        client.set_wire(Wire::Modern { version: PROTOCOL_VERSION });
        let state = match choice {
            EraChoice::Auto | EraChoice::Modern => State::Probe,
            EraChoice::Legacy => State::Initialize,
        };
        let evidence = Vec::new();
        Self { client, choice, state, renegotiated: false, probe_failure: None, evidence }
    }

    /// What to do next. Asking again without [`Handshake::receive`] makes a new request for the
    /// same step.
    pub fn step(&mut self) -> HandshakeStep {
        match &self.state {
            State::Probe => match self.client.request(&Call::Discover) {
                Ok(request) => HandshakeStep::Send(request),
                Err(error) => HandshakeStep::Failed(HandshakeError::Request(error)),
            },
            State::Initialize => HandshakeStep::Send(self.client.initialize()),
            State::Initialized(_) => HandshakeStep::Send(self.client.initialized()),
            State::Done(connected) => HandshakeStep::Done(connected.clone()),
            State::Failed(error) => HandshakeStep::Failed(error.clone()),
        }
    }

    /// Takes what came of the request that [`Handshake::step`] gave.
    pub fn receive(&mut self, attempt: Attempt) {
        self.state = match std::mem::replace(&mut self.state, State::Probe) {
            State::Probe => self.probed(attempt),
            State::Initialize => self.initialized(attempt),
            State::Initialized(connected) => self.confirmed(connected, &attempt),
            ended => ended,
        };
    }

    /// What was learned so far, in order.
    #[must_use]
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// The client, which makes the answers to what a server asks meanwhile.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The client, speaking what was found.
    #[must_use]
    pub fn into_client(self) -> Client {
        self.client
    }

    fn probed(&mut self, attempt: Attempt) -> State {
        match judge_probe(attempt, self.renegotiated) {
            Verdict::Modern { discovery, version } => {
                self.learn("server/discover", true, format!("The server speaks {version}."));
                self.client.set_wire(Wire::Modern { version });
                let (era, version) = (Era::Modern, version.to_owned());
                State::Done(Box::new(Connected { discovery: *discovery, era, version }))
            }
            Verdict::Again => {
                let learned = format!(
                    "The server refuses {PROTOCOL_VERSION} and lists it. Asking once more."
                );
                self.learn("server/discover", false, learned);
                self.renegotiated = true;
                State::Probe
            }
            Verdict::Legacy { why, failure } if self.choice == EraChoice::Auto => {
                let learned = format!("{why} Trying the older handshake.");
                self.learn("server/discover", false, learned);
                self.probe_failure = Some(failure);
                State::Initialize
            }
            Verdict::Legacy { why, failure } => {
                self.learn("server/discover", false, why);
                State::Failed(failure)
            }
            Verdict::Failed(error) => {
                self.learn("server/discover", false, sentence(&error.to_string()));
                State::Failed(error)
            }
        }
    }

    fn initialized(&mut self, attempt: Attempt) -> State {
        match judge_initialize(attempt) {
            Ok((connected, session)) => {
                let in_session = if session.is_some() { ", in a session" } else { "" };
                let learned = format!("The server speaks {}{in_session}.", connected.version);
                self.learn("initialize", true, learned);
                let version = Some(connected.version.clone());
                self.client.set_wire(Wire::Legacy { version, session });
                State::Initialized(Box::new(connected))
            }
            Err(error) => {
                self.learn("initialize", false, sentence(&error.to_string()));
                // A server that refuses the older handshake is what the probe said it is.
                let better = self.probe_failure.take().filter(|_| !is_decisive(&error));
                State::Failed(better.unwrap_or(error))
            }
        }
    }

    /// `notifications/initialized` is answered with a status only. A page that cannot send it can
    /// send nothing else either.
    fn confirmed(&mut self, connected: Box<Connected>, attempt: &Attempt) -> State {
        let error = match attempt {
            Attempt::Unreachable => HandshakeError::VersionHeaderBlocked,
            Attempt::TimedOut => HandshakeError::TimedOut,
            Attempt::Silent => HandshakeError::Silent,
            Attempt::Answered(answered) if self.misses_session(answered) => {
                HandshakeError::SessionHidden { said: answered.said() }
            }
            Attempt::Answered(Answered { status, .. }) => {
                let learned = format!("The server answered {status}.");
                self.learn("notifications/initialized", *status < 400, learned);
                return State::Done(connected);
            }
        };
        self.learn("notifications/initialized", false, sentence(&error.to_string()));
        State::Failed(error)
    }

    /// Whether the server asks for a session that `initialize` did not show. In a browser that
    /// means that the header is not exposed.
    fn misses_session(&self, answered: &Answered) -> bool {
        let has_none = matches!(self.client.wire(), Wire::Legacy { session: None, .. });
        let said = answered.said().to_ascii_lowercase();
        // The TypeScript SDK's transport calls itself not initialized before it looks for a session.
        let names_it = said.contains("session") || said.contains("not initialized");
        has_none && (400..500).contains(&answered.status) && names_it
    }

    fn learn(&mut self, asked: &'static str, agrees: bool, learned: impl Into<String>) {
        self.evidence.push(Evidence { asked, learned: learned.into(), agrees });
    }
}

/// What a probe's outcome means.
enum Verdict {
    Modern { discovery: Box<Discovery>, version: &'static str },
    Again,
    Legacy { why: String, failure: HandshakeError },
    Failed(HandshakeError),
}

fn judge_probe(attempt: Attempt, renegotiated: bool) -> Verdict {
    let answered = match attempt {
        // Older CORS settings let `initialize` through and not the probe's headers.
        Attempt::Unreachable => {
            let why = "Nothing readable came back.".to_owned();
            return Verdict::Legacy { why, failure: HandshakeError::Unreachable };
        }
        // Over HTTP silence is no sign of the older era, over a pipe it is.
        Attempt::TimedOut => return Verdict::Failed(HandshakeError::TimedOut),
        Attempt::Silent => {
            let why = "The server did not answer server/discover.".to_owned();
            return Verdict::Legacy { why, failure: HandshakeError::Silent };
        }
        Attempt::Answered(answered) => answered,
    };
    if let Some(error) = by_status(&answered) {
        return Verdict::Failed(error);
    }
    let message = match answered.message() {
        Ok(message) => message,
        // A refusal without a JSON-RPC error: older servers know neither method nor headers.
        Err(error) if answered.status >= 400 => {
            let why = format!("The server answered {} without a JSON-RPC error.", answered.status);
            return Verdict::Legacy { why, failure: HandshakeError::NotMcp(error) };
        }
        Err(error) => return Verdict::Failed(HandshakeError::NotMcp(error)),
    };
    match message.outcome() {
        Ok(result) => judge_discovery(result),
        Err(error) => judge_probe_error(error, renegotiated),
    }
}

fn judge_discovery(result: &Node<'_>) -> Verdict {
    let discovery = read_discovery(result);
    if result.get("supportedVersions").is_none() {
        let why = "The server answered server/discover with something else.".to_owned();
        let failure = HandshakeError::OtherEra { wanted: Era::Modern, message: why.clone() };
        return Verdict::Legacy { why, failure };
    }
    if discovery.versions.iter().any(|version| version == PROTOCOL_VERSION) {
        return Verdict::Modern { discovery: Box::new(discovery), version: PROTOCOL_VERSION };
    }
    let why = format!("The server lists {} only.", listed(&discovery.versions));
    let failure = HandshakeError::NoCommonVersion { offered: discovery.versions };
    Verdict::Legacy { why, failure }
}

fn judge_probe_error(error: RpcError, renegotiated: bool) -> Verdict {
    match error.code {
        Some(UNSUPPORTED_VERSION) => {
            let offered = supported(&error);
            let ours = offered.iter().any(|version| version == PROTOCOL_VERSION);
            let modern = offered.iter().any(|version| version.as_str() >= PROTOCOL_VERSION);
            if ours && !renegotiated {
                Verdict::Again
            } else if ours {
                Verdict::Failed(HandshakeError::Objection(error))
            } else if modern {
                Verdict::Failed(HandshakeError::NoCommonVersion { offered })
            } else {
                let why = format!("The server does not speak {PROTOCOL_VERSION}.");
                Verdict::Legacy { why, failure: HandshakeError::NoCommonVersion { offered } }
            }
        }
        // Only a server of the modern era knows these; falling back would hide a proxy that drops
        // headers.
        Some(HEADER_MISMATCH | MISSING_CAPABILITY) => {
            Verdict::Failed(HandshakeError::Objection(error))
        }
        // Every modern server has server/discover, so any other error comes from an older one.
        _ => {
            let message = error.to_string();
            let why = format!(
                "{} Every server of {PROTOCOL_VERSION} knows this method.",
                sentence(&error.to_string())
            );
            let failure = HandshakeError::OtherEra { wanted: Era::Modern, message };
            Verdict::Legacy { why, failure }
        }
    }
}

/// Statuses that decide whatever the body says.
fn by_status(answered: &Answered) -> Option<HandshakeError> {
    let (status, challenge, said) =
        (answered.status, || answered.challenge.clone(), || answered.said());
    match status {
        401 => Some(HandshakeError::Unauthorized { challenge: challenge(), said: said() }),
        403 => Some(HandshakeError::Forbidden { challenge: challenge(), said: said() }),
        408 | 429 | 500.. => Some(HandshakeError::ServerTrouble { status, message: said() }),
        _ => None,
    }
}

fn judge_initialize(attempt: Attempt) -> Result<(Connected, Option<String>), HandshakeError> {
    let answered = match attempt {
        Attempt::Unreachable => return Err(HandshakeError::Unreachable),
        Attempt::TimedOut => return Err(HandshakeError::TimedOut),
        Attempt::Silent => return Err(HandshakeError::Silent),
        Attempt::Answered(answered) => answered,
    };
    if let Some(error) = by_status(&answered) {
        return Err(error);
    }
    let message = answered.message().map_err(HandshakeError::NotMcp)?;
    let result = message.outcome().map_err(refused)?;
    let (version, mut discovery) = read_initialize(result);
    let known = version.filter(|version| LEGACY_VERSIONS.contains(&version.as_str()));
    let Some(version) = known else {
        return Err(HandshakeError::NoCommonVersion { offered: discovery.versions });
    };
    discovery.findings.extend(answered.session.as_deref().and_then(judge_session));
    Ok((Connected { discovery, era: Era::Legacy, version }, answered.session.clone()))
}

/// What is wrong with a session's id: it has visible ASCII characters only.
fn judge_session(session: &str) -> Option<Finding> {
    let is_visible = !session.is_empty() && session.bytes().all(|byte| byte.is_ascii_graphic());
    let message = "the Mcp-Session-Id of initialize is empty or has other than visible ASCII characters, which some clients cannot send back";
    let finding = Finding::must("wire-schema-valid", Section::BaseProtocol, message);
    let repair = "make session ids of visible ASCII characters (0x21 to 0x7E), a UUID for example";
    (!is_visible).then(|| finding.repair(repair))
}

/// Only a server of the modern era knows the codes for revisions and headers.
fn refused(error: RpcError) -> HandshakeError {
    match error.code {
        Some(UNSUPPORTED_VERSION | HEADER_MISMATCH) => {
            HandshakeError::OtherEra { wanted: Era::Legacy, message: error.to_string() }
        }
        _ => HandshakeError::Refused(error),
    }
}

/// Whether the older handshake's failure says more than the probe's.
const fn is_decisive(error: &HandshakeError) -> bool {
    matches!(
        error,
        HandshakeError::Unauthorized { .. }
            | HandshakeError::Forbidden { .. }
            | HandshakeError::ServerTrouble { .. }
            | HandshakeError::TimedOut
            | HandshakeError::NoCommonVersion { .. }
    )
}

/// The versions in the data of an error -32022.
pub(super) fn supported(error: &RpcError) -> Vec<String> {
    let Some(data) = &error.data else { return Vec::new() };
    let Ok(document) = json::read(data) else { return Vec::new() };
    let versions = document.root.get("supported").and_then(Node::as_array).unwrap_or_default();
    versions.iter().filter_map(Node::as_str).map(|version| excerpt(version, 40)).collect()
}

fn listed(versions: &[String]) -> String {
    if versions.is_empty() { "no revisions".to_owned() } else { versions.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Reply;

    fn answered(status: u16, body: &str) -> Attempt {
        let reply = if body.starts_with(['{', '[']) {
            Ok(Reply { status, text: body.to_owned(), id: None, flaw: None })
        } else {
            let excerpt = body.to_owned();
            Err(ReplyError::MediaType { status, content_type: None, excerpt })
        };
        Attempt::Answered(Answered::bare(status, reply))
    }

    fn in_session(attempt: Attempt) -> Attempt {
        let Attempt::Answered(answered) = attempt else { panic!() };
        Attempt::Answered(Answered { session: Some("s1".to_owned()), ..answered })
    }

    fn error(status: u16, code: i64, data: &str) -> Attempt {
        answered(status, &format!(r#"{{"id":null,"error":{{"code":{code},"message":"m"{data}}}}}"#))
    }

    const DISCOVERY: &str =
        r#"{"id":0,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
    const INITIALIZED: &str = r#"{"id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}},"resources":{}},"serverInfo":{"name":"old"}}}"#;

    /// Runs the attempts in turn and says what was asked and how it ended.
    fn run(choice: EraChoice, attempts: Vec<Attempt>) -> (Vec<String>, HandshakeStep) {
        let client = Client::new("http://localhost/mcp").unwrap();
        let mut handshake = Handshake::new(client, choice);
        let mut asked = Vec::new();
        for attempt in attempts {
            let HandshakeStep::Send(request) = handshake.step() else { break };
            let document = json::read(&request.body).unwrap();
            asked.push(document.root.get("method").and_then(Node::as_str).unwrap().to_owned());
            handshake.receive(attempt);
        }
        (asked, handshake.step())
    }

    fn failure(attempts: Vec<Attempt>) -> HandshakeError {
        match run(EraChoice::Auto, attempts).1 {
            HandshakeStep::Failed(error) => error,
            other => panic!("{other:?}"),
        }
    }

    fn falls_back(probe: Attempt) -> bool {
        let (asked, _) = run(EraChoice::Auto, vec![probe, Attempt::TimedOut]);
        asked == ["server/discover", "initialize"]
    }

    #[test]
    fn a_modern_server_is_known_by_its_discovery() {
        let (asked, step) = run(EraChoice::Auto, vec![answered(200, DISCOVERY)]);
        assert_eq!(asked, ["server/discover"]);
        assert!(matches!(step, HandshakeStep::Done(connected) if connected.era == Era::Modern));
    }

    #[test]
    fn what_an_older_server_answers_leads_to_its_handshake() {
        let older = r#"{"id":0,"result":{"supportedVersions":["2025-11-25"],"capabilities":{}}}"#;
        for probe in [
            answered(200, older),
            error(400, -32022, r#","data":{"supported":["2025-11-25"]}"#),
            error(400, -32022, ""),
            error(200, -32601, ""),
            error(404, -32601, ""),
            error(400, -32000, ""),
            error(400, -32600, ""),
            answered(400, ""),
            answered(404, "<html>"),
            answered(405, ""),
            answered(406, ""),
            answered(415, "text"),
            answered(422, "text"),
            answered(200, r#"{"id":0,"result":{}}"#),
            Attempt::Unreachable,
            Attempt::Silent,
        ] {
            assert!(falls_back(probe.clone()), "{probe:?}");
        }
    }

    #[test]
    fn what_decides_is_not_blamed_on_the_era() {
        for probe in [
            answered(401, ""),
            answered(403, "Invalid Origin header"),
            error(500, -32603, ""),
            answered(503, ""),
            answered(429, ""),
            answered(408, ""),
            error(400, -32020, ""),
            error(400, -32021, ""),
            error(400, -32022, r#","data":{"supported":["2027-01-01"]}"#),
            answered(200, "<html>"),
            answered(200, ""),
            answered(200, "{"),
            answered(202, ""),
            answered(200, "[1]"),
            Attempt::TimedOut,
        ] {
            assert!(!falls_back(probe.clone()), "{probe:?}");
        }
    }

    #[test]
    fn a_version_is_negotiated_once() {
        let again = || error(400, -32022, r#","data":{"supported":["2026-07-28"]}"#);
        let (asked, step) = run(EraChoice::Auto, vec![again(), answered(200, DISCOVERY)]);
        assert_eq!(asked.len(), 2);
        assert!(matches!(step, HandshakeStep::Done(_)));
        assert!(matches!(failure(vec![again(), again()]), HandshakeError::Objection(_)));
    }

    #[test]
    fn the_older_handshake_settles_version_and_session() {
        let client = Client::new("http://localhost/mcp").unwrap();
        let mut handshake = Handshake::new(client, EraChoice::Auto);
        handshake.step();
        handshake.receive(error(400, -32000, ""));
        handshake.step();
        handshake.receive(in_session(answered(200, INITIALIZED)));
        let HandshakeStep::Send(request) = handshake.step() else { panic!() };
        assert_eq!(request.header("Mcp-Session-Id"), Some("s1"));
        handshake.receive(answered(202, ""));
        let HandshakeStep::Done(connected) = handshake.step() else { panic!() };
        assert_eq!((connected.era, connected.version.as_str()), (Era::Legacy, "2025-06-18"));
        assert!(connected.discovery.skills);
        assert_eq!(connected.discovery.name.as_deref(), Some("old"));
        let evidence = handshake.evidence().iter().map(|one| (one.asked, one.agrees));
        assert_eq!(
            evidence.collect::<Vec<_>>(),
            [("server/discover", false), ("initialize", true), ("notifications/initialized", true)]
        );
    }

    #[test]
    fn a_session_that_cannot_be_read_is_told_from_a_server_that_needs_none() {
        let confirmed =
            |initialized, confirmation| run(EraChoice::Legacy, vec![initialized, confirmation]).1;
        let wanting = || answered(400, "Bad Request: Mcp-Session-Id header is required");
        for said in [
            "Bad Request: Mcp-Session-Id header is required",
            "Bad Request: Session ID is required",
            "Bad Request: Server not initialized",
            "Bad Request: Missing session ID",
        ] {
            let error = format!(r#"{{"id":null,"error":{{"code":-32000,"message":"{said}"}}}}"#);
            for refusal in [answered(400, said), answered(400, &error)] {
                let hidden = HandshakeError::SessionHidden { said: said.to_owned() };
                let step = confirmed(answered(200, INITIALIZED), refusal);
                assert_eq!(step, HandshakeStep::Failed(hidden));
            }
        }
        for (initialized, confirmation) in [
            (answered(200, INITIALIZED), answered(405, "")),
            (answered(200, INITIALIZED), answered(202, "")),
            (in_session(answered(200, INITIALIZED)), wanting()),
        ] {
            assert!(matches!(confirmed(initialized, confirmation), HandshakeStep::Done(_)));
        }
    }

    #[test]
    fn the_better_reason_is_given() {
        assert_eq!(
            failure(vec![Attempt::Unreachable, Attempt::Unreachable]),
            HandshakeError::Unreachable
        );
        let blocked =
            failure(vec![Attempt::Unreachable, answered(200, INITIALIZED), Attempt::Unreachable]);
        assert_eq!(blocked, HandshakeError::VersionHeaderBlocked);
        // A modern server without CORS for the probe says so when it refuses initialize.
        let strict = failure(vec![Attempt::Unreachable, error(400, -32022, "")]);
        assert_eq!(strict, HandshakeError::Unreachable);
        assert!(matches!(
            failure(vec![answered(404, "<html>"), answered(404, "<html>")]),
            HandshakeError::NotMcp(_)
        ));
        let unknown = INITIALIZED.replace("2025-06-18", "1999-01-01");
        assert!(matches!(
            failure(vec![error(400, -32000, ""), answered(200, &unknown)]),
            HandshakeError::NoCommonVersion { .. }
        ));
    }

    /// As Python's SDK gives one with its refusal of the probe.
    #[test]
    fn a_session_counts_only_with_a_successful_initialize() {
        let client = Client::new("http://localhost/mcp").unwrap();
        let mut handshake = Handshake::new(client, EraChoice::Auto);
        for attempt in [in_session(error(400, -32600, "")), answered(200, INITIALIZED)] {
            handshake.step();
            handshake.receive(attempt);
        }
        handshake.step();
        handshake.receive(in_session(answered(202, "")));
        let wire = handshake.into_client().wire().clone();
        assert!(matches!(wire, Wire::Legacy { session: None, .. }), "{wire:?}");
    }

    #[test]
    fn a_session_id_that_cannot_be_sent_back_by_all_is_told() {
        for (session, is_told) in [("s1", false), ("!~", false), ("a b", true), ("\u{e9}", true)] {
            let client = Client::new("http://localhost/mcp").unwrap();
            let mut handshake = Handshake::new(client, EraChoice::Legacy);
            let Attempt::Answered(sound) = answered(200, INITIALIZED) else { panic!() };
            let session = Some(session.to_owned());
            handshake.receive(Attempt::Answered(Answered { session, ..sound }));
            handshake.receive(answered(202, ""));
            let HandshakeStep::Done(connected) = handshake.step() else { panic!() };
            let ids = connected.discovery.findings.iter().map(|finding| finding.id);
            assert_eq!(ids.collect::<Vec<_>>(), vec!["wire-schema-valid"; usize::from(is_told)]);
        }
    }

    #[test]
    fn an_old_session_is_not_carried_into_a_new_handshake() {
        for choice in [EraChoice::Auto, EraChoice::Modern, EraChoice::Legacy] {
            let mut client = Client::new("http://localhost/mcp").unwrap();
            let version = Some("2025-11-25".to_owned());
            client.set_wire(Wire::Legacy { version, session: Some("s1".to_owned()) });
            let mut handshake = Handshake::new(client, choice);
            let HandshakeStep::Send(first) = handshake.step() else { panic!() };
            assert_eq!(first.header("Mcp-Session-Id"), None, "{choice:?}");
            let version = (choice != EraChoice::Legacy).then_some(PROTOCOL_VERSION);
            assert_eq!(first.header("MCP-Protocol-Version"), version, "{choice:?}");
        }
    }

    #[test]
    fn a_chosen_era_is_the_only_one_tried() {
        let (asked, step) = run(EraChoice::Modern, vec![error(404, -32601, "")]);
        assert_eq!(asked, ["server/discover"]);
        assert!(matches!(step, HandshakeStep::Failed(HandshakeError::OtherEra { .. })));
        let (asked, _) =
            run(EraChoice::Legacy, vec![answered(200, INITIALIZED), answered(202, "")]);
        assert_eq!(asked, ["initialize", "notifications/initialized"]);
    }
}
