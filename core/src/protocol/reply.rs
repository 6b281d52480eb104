//! Answers: from status, media type and bytes to one JSON-RPC message, or to a plain reason.
//!
//! The body is read whatever the status says, since servers put JSON-RPC errors behind 200 and
//! behind 4xx alike; the error's code decides before the status does.

use std::fmt;

use super::ServerRequest;
use super::log::{Excerpt, MAX_BODY, MAX_EVENTS, StreamEvent, Transcript};
use super::sse::{Event, SseParser};
use crate::finding::{Finding, Section, excerpt};
use crate::json::{self, Document, JsonError};
use crate::value::{Node, Value};

/// How many characters of an unexpected body are kept to be shown.
pub const MAX_EXCERPT: usize = 500;

/// How many requests by a server are taken while one answer is awaited. Each is answered by a message of its own, so a
/// flood of them would keep its client busy; a server that pings every ten seconds gets along with these.
const MAX_REQUESTS: usize = 150;

/// How many times longer than one silence a whole answer may take. Twenty minutes, where a minute of silence is let
/// pass, bring the longest answer ([`ReplyLimits::default`]) over a line of 110 kB/s; and a server that sends a byte now
/// and then keeps nobody for good.
pub const MAX_SILENCES: u32 = 20;

/// What an answer may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// The most bytes a body, or one event of a stream, may have.
    pub body: usize,
}

impl Default for ReplyLimits {
    /// 128 MiB: a file of 16 MiB whose every byte is written as a `\u` escape fits.
    fn default() -> Self {
        Self { body: 128 * 1024 * 1024 }
    }
}

/// Whether a [`ReplyReader`] wants more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Go on reading.
    More,
    /// The answer is in; stop reading, even if the stream stays open.
    Done,
}

/// Collects the answer to one request.
///
/// ```
/// use skillglass::protocol::{Progress, ReplyLimits, ReplyReader};
/// let mut reader = ReplyReader::new(7, 200, Some("text/event-stream"), ReplyLimits::default());
/// let progress = reader.push(b"data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n").unwrap();
/// assert_eq!(progress, Progress::Done);
/// let reply = reader.finish().unwrap();
/// assert!(reply.message().unwrap().outcome().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct ReplyReader {
    id: Option<u64>,
    requests: Vec<ServerRequest>,
    /// How many requests were taken in all.
    request_count: usize,
    status: u16,
    content_type: Option<String>,
    limits: ReplyLimits,
    body: Body,
    bytes: u64,
    now_ms: u64,
}

#[derive(Clone, Debug)]
enum Body {
    Json(Vec<u8>),
    Stream {
        parser: SseParser,
        answer: Option<String>,
        /// The id of the first answer that came for somebody else.
        stray: Option<String>,
        head: Vec<u8>,
        events: Events,
    },
    Other(Vec<u8>),
}

/// The first events of a stream, for a log.
#[derive(Clone, Debug, Default)]
struct Events {
    kept: Vec<StreamEvent>,
    kept_bytes: usize,
    count: usize,
}

impl Events {
    fn note(&mut self, event: &Event, at_ms: u64) {
        self.count += 1;
        if self.kept.len() == MAX_EVENTS {
            return;
        }
        let room = MAX_BODY - self.kept_bytes;
        let data = Excerpt::new(&event.data, event.data.len() as u64, room);
        self.kept_bytes += event.data.len().min(room);
        self.kept.push(StreamEvent {
            at_ms,
            kind: excerpt_line(&event.kind),
            id: event.id.as_deref().map(excerpt_line),
            data,
        });
    }
}

impl ReplyReader {
    /// A reader for the answer to the request `id`, from the answer's status and `Content-Type`.
    #[must_use]
    pub fn new(
        id: impl Into<Option<u64>>,
        status: u16,
        content_type: Option<&str>,
        limits: ReplyLimits,
    ) -> Self {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let body = if essence.eq_ignore_ascii_case("application/json") {
            Body::Json(Vec::new())
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            let parser = SseParser::new(limits.body);
            let (head, events) = (Vec::new(), Events::default());
            Body::Stream { parser, answer: None, stray: None, head, events }
        } else {
            Body::Other(Vec::new())
        };
        Self {
            id: id.into(),
            requests: Vec::new(),
            request_count: 0,
            status,
            content_type: content_type.map(str::to_owned),
            limits,
            body,
            bytes: 0,
            now_ms: 0,
        }
    }

    /// Says how long ago the request was sent, in milliseconds, so that the events that come from
    /// now on have a time in the [`Transcript`].
    pub const fn set_time(&mut self, ms: u64) {
        self.now_ms = ms;
    }

    /// Takes the next bytes of the body.
    ///
    /// # Errors
    /// [`ReplyError::TooLong`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<Progress, ReplyError> {
        let too_long = ReplyError::TooLong { limit: self.limits.body };
        self.bytes += bytes.len() as u64;
        match &mut self.body {
            Body::Json(body) => {
                if body.len() + bytes.len() > self.limits.body {
                    return Err(too_long);
                }
                body.extend_from_slice(bytes);
                Ok(Progress::More)
            }
            Body::Other(head) => {
                keep_head(head, bytes);
                Ok(if head.len() == MAX_BODY { Progress::Done } else { Progress::More })
            }
            Body::Stream { parser, answer, stray, head, events } => {
                keep_head(head, bytes);
                for event in parser.push(bytes).map_err(|_| too_long)? {
                    events.note(&event, self.now_ms);
                    if event.kind != "message" {
                        continue;
                    }
                    match read_event(event.data, self.id) {
                        StreamMessage::Answer(text) => {
                            *answer = Some(text);
                            return Ok(Progress::Done);
                        }
                        StreamMessage::Request(request) if self.request_count < MAX_REQUESTS => {
                            self.request_count += 1;
                            self.requests.push(request);
                        }
                        StreamMessage::Stray(id) => *stray = stray.take().or(Some(id)),
                        _ => {}
                    }
                }
                Ok(Progress::More)
            }
        }
    }

    /// Requests by the server that came on the stream and were not taken yet, of the first
    /// 150. Servers of the older eras expect an answer, see [`super::Client::answer`].
    pub fn take_requests(&mut self) -> Vec<ServerRequest> {
        std::mem::take(&mut self.requests)
    }

    /// What was read so far, as far as a log keeps it.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        let (head, events) = match &self.body {
            Body::Json(head) | Body::Other(head) => (head, None),
            Body::Stream { head, events, .. } => (head, Some(events)),
        };
        Transcript {
            body: Excerpt::new(head, self.bytes, MAX_BODY),
            events: events.map_or_else(Vec::new, |events| events.kept.clone()),
            event_count: events.map_or(0, |events| events.count),
        }
    }

    /// The answer, once the body has ended or [`Progress::Done`] was given.
    ///
    /// # Errors
    /// See [`ReplyError`].
    pub fn finish(self) -> Result<Reply, ReplyError> {
        let status = self.status;
        let mut unended = false;
        let text = match self.body {
            Body::Json(body) => String::from_utf8(body).map_err(|error| {
                let excerpt = shown(error.as_bytes());
                let offset = error.utf8_error().valid_up_to();
                let error = JsonError { kind: json::JsonErrorKind::NotUtf8, offset };
                ReplyError::NotJson { status, error, excerpt }
            })?,
            Body::Stream { parser, answer, stray, head, .. } => {
                let cut_off = || parser.finish().filter(|event| event.kind == "message");
                unended = answer.is_none();
                let last = match answer {
                    Some(text) => StreamMessage::Answer(text),
                    None => cut_off()
                        .map_or(StreamMessage::Other, |event| read_event(event.data, self.id)),
                };
                let excerpt = || shown(&head);
                match (last, stray) {
                    (StreamMessage::Answer(text), _) => text,
                    (StreamMessage::Stray(found), None) | (_, Some(found)) => {
                        return Err(ReplyError::OtherId { status, found, excerpt: excerpt() });
                    }
                    _ => return Err(ReplyError::EndedEarly { status, excerpt: excerpt() }),
                }
            }
            Body::Other(head) => {
                let excerpt = shown(&head);
                let content_type = self.content_type.map(|text| excerpt_line(&text));
                return Err(ReplyError::MediaType { status, content_type, excerpt });
            }
        };
        Ok(Reply { status, text, id: self.id, unended })
    }
}

/// Keeps the first bytes of a body, for showing.
fn keep_head(head: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_BODY - head.len();
    head.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

fn shown(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(4 * MAX_EXCERPT)];
    excerpt(&String::from_utf8_lossy(head), MAX_EXCERPT)
}

fn excerpt_line(text: &str) -> String {
    excerpt(text, 120)
}

/// What an event of a stream carries.
enum StreamMessage {
    /// The response to our request.
    Answer(String),
    /// A request by the server.
    Request(ServerRequest),
    /// Somebody else's response, and its id.
    Stray(String),
    /// A notification, or no message at all.
    Other,
}

fn read_event(data: Vec<u8>, id: Option<u64>) -> StreamMessage {
    let Ok(text) = String::from_utf8(data) else { return StreamMessage::Other };
    let document = match json::read(&text) {
        Ok(document) => document,
        // Nobody here can tell that it is not the answer.
        Err(error) if error.is_reader_limit() => return StreamMessage::Answer(text),
        Err(_) => return StreamMessage::Other,
    };
    let root = &document.root;
    if let Some(request) = ServerRequest::read(root) {
        return StreamMessage::Request(request);
    }
    match response(root, id) {
        Ok(_) => StreamMessage::Answer(text),
        Err(Some(stray)) => StreamMessage::Stray(shown_id(stray)),
        Err(None) => StreamMessage::Other,
    }
}

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

/// An answer that has the form of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The text of the JSON-RPC message.
    pub text: String,
    /// The id of the request that it came for; none where that is not known, and any answer is taken.
    pub id: Option<u64>,
    /// Whether the event stream ended before the blank line behind it, so that readers that keep to
    /// the format of event streams drop it.
    pub unended: bool,
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
                let Self { text, id, unended, .. } = self;
                Ok(Message { text, status, id: *id, unended: *unended, document })
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
    /// See [`Reply::unended`].
    pub unended: bool,
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
        let code = match member("code").map(|node| &node.value) {
            Some(Value::Number(number)) => number.text().parse().ok(),
            _ => None,
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &str, body: &[u8]) -> Result<Reply, ReplyError> {
        let mut reader = ReplyReader::new(3, 200, Some(kind), ReplyLimits::default());
        for byte in body.chunks(1) {
            if reader.push(byte)? == Progress::Done {
                break;
            }
        }
        reader.finish()
    }

    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;

    #[test]
    fn both_media_types_give_the_message() {
        assert_eq!(
            read("application/json; charset=utf-8", ANSWER.as_bytes()).unwrap().text,
            ANSWER
        );
        let stream = format!("data: {{\"method\":\"x\"}}\n\ndata: junk\n\ndata: {ANSWER}\n\n");
        assert_eq!(read("Text/Event-Stream", stream.as_bytes()).unwrap().text, ANSWER);
        assert!(!read("text/event-stream", stream.as_bytes()).unwrap().unended);
        for cut in [format!("data: {ANSWER}"), format!("data: {ANSWER}\n")] {
            let reply = read("text/event-stream", cut.as_bytes()).unwrap();
            assert_eq!((reply.text.as_str(), reply.unended), (ANSWER, true));
        }
    }

    #[test]
    fn what_nests_too_deep_for_this_reader_proves_nothing() {
        let deep = format!(r#"{{"id":3,"result":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let error = both(&deep).unwrap().message().unwrap_err();
        assert!(error.is_reader_limit() && !error.to_string().contains("not JSON"), "{error}");
        assert!(!read("application/json", b"{").unwrap().message().unwrap_err().is_reader_limit());
    }

    #[test]
    fn a_byte_order_mark_is_tolerated_and_told() {
        let findings = |text: String| {
            Reply { status: 200, text, id: None, unended: false }.message().unwrap().findings()
        };
        assert_eq!(findings(format!("\u{feff}{ANSWER}"))[0].id, "json-mark");
        assert_eq!(findings(ANSWER.to_owned()), []);
    }

    /// What comes of a message in JSON and on a stream, which must be the same.
    fn both(message: &str) -> Result<Reply, ReplyError> {
        let json = read("application/json", message.as_bytes()).unwrap();
        let json = match json.message() {
            Err(error) if !error.is_reader_limit() => Err(error),
            _ => Ok(json.clone()),
        };
        let stream = read("text/event-stream", format!("data: {message}\n\n").as_bytes());
        let excerpt = |result: &Result<Reply, _>| result.as_ref().err().map(ToString::to_string);
        assert_eq!(excerpt(&json), excerpt(&stream), "{message}");
        stream
    }

    #[test]
    fn an_error_that_names_no_request_of_ours_is_the_answer() {
        for id in ["null", "\"3\"", "3.0", "\"server-error\"", "-1", "{}"] {
            let reply = both(&format!(r#"{{"id":{id},"error":{{"code":-32603}}}}"#)).unwrap();
            let error = reply.message().unwrap().outcome().unwrap_err();
            assert_eq!(error.code, Some(-32603), "{id}");
        }
        assert!(both(r#"{"error":{"code":-32603}}"#).is_ok());
    }

    #[test]
    fn the_answer_to_another_request_is_not_ours() {
        for (message, id) in [
            (r#"{"id":4,"result":{}}"#, "4"),
            (r#"{"id":"4","error":{"code":-32603}}"#, "\"4\""),
            (r#"{"id":"other","result":{}}"#, "\"other\""),
            (r#"{"id":null,"result":{},"error":null}"#, "null"),
            (r#"{"result":{}}"#, "none"),
            (r#"[{"method":"x"},{"id":5,"result":{}}]"#, "5"),
        ] {
            let Err(ReplyError::OtherId { found, .. }) = both(message) else { panic!("{message}") };
            assert_eq!(found, id);
        }
        let either = Reply {
            status: 200,
            text: r#"{"id":"x","result":{}}"#.into(),
            id: None,
            unended: false,
        };
        assert!(either.message().is_ok(), "where nobody knows what was asked");
    }

    #[test]
    fn a_stray_answer_does_not_end_the_wait() {
        let stray = r#"data: {"id":4,"result":{"a":1}}"#;
        let both = format!("{stray}\n\ndata: {ANSWER}\n\n");
        assert_eq!(read("text/event-stream", both.as_bytes()).unwrap().text, ANSWER);
        for alone in [format!("{stray}\n\n"), stray.to_owned()] {
            let error = read("text/event-stream", alone.as_bytes()).unwrap_err();
            assert!(matches!(error, ReplyError::OtherId { .. }), "{error:?}");
        }
        let error = read("text/event-stream", b"data: {\"method\":\"x\"}\n\n").unwrap_err();
        assert!(matches!(error, ReplyError::EndedEarly { .. }));
    }

    #[test]
    fn arrays_hold_the_response_of_the_older_eras() {
        let array = format!(r#"[{{"method":"x"}},{ANSWER}]"#);
        let reply = read("application/json", array.as_bytes()).unwrap();
        assert!(reply.message().unwrap().outcome().is_ok());
        let stream = format!("data: {array}\n\n");
        assert!(read("text/event-stream", stream.as_bytes()).unwrap().message().is_ok());
    }

    #[test]
    fn requests_by_the_server_are_kept() {
        let limits = ReplyLimits::default();
        let mut reader = ReplyReader::new(3, 200, Some("text/event-stream"), limits);
        reader.push(b"data: {\"id\":\"p\",\"method\":\"ping\"}\n\n").unwrap();
        let requests = reader.take_requests();
        assert_eq!((requests[0].id.as_str(), requests[0].method.as_str()), ("\"p\"", "ping"));
        assert!(reader.take_requests().is_empty());
    }

    #[test]
    fn a_flood_leaves_little_behind() {
        let limits = ReplyLimits::default();
        let mut reader = ReplyReader::new(3, 200, Some("text/event-stream"), limits);
        let mut asked = 0;
        for _ in 0..1_000 {
            reader.push(b"data: {\"id\":1,\"method\":\"ping\"}\n\n").unwrap();
            reader.push(b"data: {\"method\":\"notifications/progress\"}\n\n").unwrap();
            asked += reader.take_requests().len();
        }
        assert_eq!(asked, MAX_REQUESTS);
        let Transcript { body, events, event_count } = reader.transcript();
        assert_eq!((body.text.len(), events.len(), event_count), (MAX_BODY, MAX_EVENTS, 2_000));
    }

    #[test]
    fn other_bodies_are_quoted() {
        let error = read("text/html", b"<!doctype html><h1>Hi</h1>").unwrap_err();
        assert_eq!(error.excerpt(), Some("<!doctype html><h1>Hi</h1>"));
        assert!(error.to_string().contains("text/html"));
        let reply = read("application/json", b"<html>").unwrap();
        assert!(matches!(reply.message(), Err(ReplyError::NotJson { .. })));
        let reply = read("application/json", br#"{"id":3,"result":{},"error":null}"#).unwrap();
        assert!(reply.message().unwrap().outcome().is_ok());
        let reply = read("application/json", br#"{"id":3,"error":null}"#).unwrap();
        assert!(reply.message().unwrap().outcome().is_err());
        let reply = read("application/json", b"[]").unwrap();
        assert!(matches!(reply.message(), Err(ReplyError::NotMessage { .. })));
        assert!(matches!(read("application/json", b"\xff"), Err(ReplyError::NotJson { .. })));
    }

    #[test]
    fn bodies_are_bounded() {
        let limits = ReplyLimits { body: 10 };
        let mut json = ReplyReader::new(0, 200, Some("application/json"), limits);
        assert_eq!(json.push(&[b' '; 11]), Err(ReplyError::TooLong { limit: 10 }));
        let mut other = ReplyReader::new(0, 200, None, limits);
        assert_eq!(other.push(&[b' '; MAX_BODY - 1]), Ok(Progress::More));
        assert_eq!(other.push(b"  "), Ok(Progress::Done));
    }

    #[test]
    fn events_are_taken_down_one_by_one() {
        let kind = Some("text/event-stream");
        let mut reader = ReplyReader::new(3, 200, kind, ReplyLimits::default());
        reader.set_time(5);
        reader.push(b": hi\nid: 7\ndata:\n\nid: 8\nevent: note\ndata: a\n").unwrap();
        reader.set_time(9);
        reader.push(b"\n").unwrap();
        reader.push(format!("data: {ANSWER}\n\n").as_bytes()).unwrap();
        let transcript = reader.transcript();
        assert!(transcript.body.text.starts_with(": hi\n") && !transcript.body.is_cut);
        let [note, answer] = transcript.events.as_slice() else { panic!("{transcript:?}") };
        assert_eq!((note.at_ms, note.kind.as_str(), note.id.as_deref()), (9, "note", Some("8")));
        assert_eq!((answer.kind.as_str(), answer.data.text.as_str()), ("message", ANSWER));
    }

    #[test]
    fn a_transcript_is_bounded() {
        let kind = Some("text/event-stream");
        let mut reader = ReplyReader::new(3, 200, kind, ReplyLimits::default());
        let long = format!("data: {}\n\n", "x".repeat(MAX_BODY - 3));
        reader.push(long.as_bytes()).unwrap();
        for _ in 0..MAX_EVENTS {
            reader.push(b"data: 12345\n\n").unwrap();
        }
        let Transcript { body, events, event_count } = reader.transcript();
        assert_eq!((events.len(), event_count), (MAX_EVENTS, MAX_EVENTS + 1));
        let kept: usize = events.iter().map(|event| event.data.text.len()).sum();
        assert_eq!((kept, body.text.len()), (MAX_BODY, MAX_BODY));
        assert!(events[1].data.is_cut && events[1].data.bytes == 5 && body.is_cut);
        let mut json = ReplyReader::new(3, 200, Some("application/json"), ReplyLimits::default());
        json.push(&[b' '; MAX_BODY + 1]).unwrap();
        assert_eq!(json.transcript().body.bytes, MAX_BODY as u64 + 1);
    }
}
