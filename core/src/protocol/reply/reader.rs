//! From the pieces of a body to the answer in it.

use super::super::ServerRequest;
use super::super::log::{Excerpt, MAX_BODY, MAX_EVENTS, StreamEvent, Transcript};
use super::super::sse::{Event, SseParser};
use super::{MAX_EXCERPT, Reply, ReplyError, StreamFlaw, response, shown_id};
use crate::finding::excerpt;
use crate::json::{self, JsonError};
use crate::value::Node;

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
    /// The most bytes a body, or one event of a stream, may have. A stream may have twice as many, comments and
    /// whatever else leads nowhere included.
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
    /// How many requests came in all.
    request_count: usize,
    /// Whether a second answer to the same request came.
    answered_twice: bool,
    /// The first event of a stream that is no message.
    junk: Option<Junk>,
    /// What came before the answer on a pipe and is no message.
    noise: Option<String>,
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
            answered_twice: false,
            junk: None,
            noise: None,
            status,
            content_type: content_type.map(str::to_owned),
            limits,
            body,
            bytes: 0,
            now_ms: 0,
        }
    }

    /// Says what came before the answer on a pipe and is no message, if anything did.
    #[must_use]
    pub fn behind_noise(mut self, noise: Option<String>) -> Self {
        self.noise = noise;
        self
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
                let limit = self.limits.body.saturating_mul(2);
                if self.bytes > limit as u64 {
                    return Err(ReplyError::TooLong { limit });
                }
                keep_head(head, bytes);
                for event in parser.push(bytes).map_err(|_| too_long)? {
                    events.note(&event, self.now_ms);
                    if event.kind != "message" {
                        continue;
                    }
                    match read_event(event.data, self.id) {
                        StreamMessage::Answer(text) | StreamMessage::Unreadable(text)
                            if answer.is_none() =>
                        {
                            *answer = Some(text);
                        }
                        StreamMessage::Answer(_) => self.answered_twice = self.id.is_some(),
                        StreamMessage::Request(request) if answer.is_none() => {
                            self.request_count += 1;
                            if self.request_count <= MAX_REQUESTS {
                                self.requests.push(request);
                            }
                        }
                        StreamMessage::Stray(id) => *stray = stray.take().or(Some(id)),
                        StreamMessage::Junk(found) if answer.is_none() => {
                            self.junk.get_or_insert(found);
                        }
                        _ => {}
                    }
                }
                Ok(if answer.is_some() { Progress::Done } else { Progress::More })
            }
        }
    }

    /// Requests by the server that came on the stream and were not taken yet, of the first
    /// 150. Servers of the older eras expect an answer, see [`Client::answer`](crate::protocol::Client::answer).
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
            dropped_requests: self.request_count.saturating_sub(MAX_REQUESTS),
        }
    }

    /// The answer, once the body has ended or [`Progress::Done`] was given.
    ///
    /// # Errors
    /// See [`ReplyError`].
    pub fn finish(self) -> Result<Reply, ReplyError> {
        let status = self.status;
        let mut flaw = self.noise.map(StreamFlaw::Noise);
        let text = match self.body {
            Body::Json(body) => String::from_utf8(body).map_err(|error| {
                let excerpt = shown(error.as_bytes());
                let offset = error.utf8_error().valid_up_to();
                let error = JsonError { kind: json::JsonErrorKind::NotUtf8, offset };
                ReplyError::NotJson { status, error, excerpt }
            })?,
            Body::Stream { parser, answer, stray, head, .. } => {
                let cut_off = || parser.finish().filter(|event| event.kind == "message");
                let not_utf8 = self.junk.as_ref().and_then(|junk| junk.not_utf8);
                flaw = match &answer {
                    Some(_) if self.answered_twice => Some(StreamFlaw::AnsweredTwice),
                    Some(_) => self.junk.map(|junk| StreamFlaw::NoMessage(junk.excerpt)),
                    None => Some(StreamFlaw::Unended),
                };
                let last = match answer {
                    Some(text) => StreamMessage::Answer(text),
                    None => cut_off()
                        .map_or(StreamMessage::Other, |event| read_event(event.data, self.id)),
                };
                let excerpt = || shown(&head);
                let not_utf8 = match &last {
                    StreamMessage::Junk(junk) => not_utf8.or(junk.not_utf8),
                    _ => not_utf8,
                };
                match (last, stray) {
                    (StreamMessage::Answer(text) | StreamMessage::Unreadable(text), _) => text,
                    (StreamMessage::Stray(found), None) | (_, Some(found)) => {
                        return Err(ReplyError::OtherId { status, found, excerpt: excerpt() });
                    }
                    _ => {
                        let excerpt = excerpt();
                        return Err(match not_utf8 {
                            Some(error) => ReplyError::NotJson { status, error, excerpt },
                            None => ReplyError::EndedEarly { status, excerpt },
                        });
                    }
                }
            }
            Body::Other(head) => {
                let excerpt = shown(&head);
                let content_type = self.content_type.map(|text| excerpt_line(&text));
                return Err(ReplyError::MediaType { status, content_type, excerpt });
            }
        };
        Ok(Reply { status, text, id: self.id, flaw })
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
    /// A message beyond what is read here: nobody can tell that it is not the response.
    Unreadable(String),
    /// A request by the server.
    Request(ServerRequest),
    /// Somebody else's response, and its id.
    Stray(String),
    /// No message at all.
    Junk(Junk),
    /// A notification.
    Other,
}

/// The data of an event that is no message.
#[derive(Clone, Debug)]
struct Junk {
    /// Its first characters.
    excerpt: String,
    /// Where it stops being text.
    not_utf8: Option<JsonError>,
}

impl Junk {
    fn of(data: &[u8], not_utf8: Option<JsonError>) -> StreamMessage {
        StreamMessage::Junk(Self { excerpt: shown(data), not_utf8 })
    }
}

fn read_event(data: Vec<u8>, id: Option<u64>) -> StreamMessage {
    let text = match String::from_utf8(data) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let not_utf8 = JsonError { kind: json::JsonErrorKind::NotUtf8, offset };
            return Junk::of(error.as_bytes(), Some(not_utf8));
        }
    };
    let document = match json::read(&text) {
        Ok(document) => document,
        Err(error) if error.is_reader_limit() => return StreamMessage::Unreadable(text),
        Err(_) => return Junk::of(text.as_bytes(), None),
    };
    let root = &document.root;
    if let Some(request) = ServerRequest::read(root) {
        return StreamMessage::Request(request);
    }
    match response(root, id) {
        Ok(_) => StreamMessage::Answer(text),
        Err(Some(stray)) => StreamMessage::Stray(shown_id(stray)),
        Err(None) if is_notification(root) => StreamMessage::Other,
        Err(None) => Junk::of(text.as_bytes(), None),
    }
}

/// Whether it is a message, or an array of them, that names a method.
fn is_notification(root: &Node<'_>) -> bool {
    let messages = root.as_array().unwrap_or(std::slice::from_ref(root));
    messages.iter().any(|message| message.get("method").is_some())
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
        let stream = format!("data: {{\"method\":\"x\"}}\n\ndata: {ANSWER}\n\n");
        assert_eq!(read("Text/Event-Stream", stream.as_bytes()).unwrap().text, ANSWER);
        assert_eq!(read("text/event-stream", stream.as_bytes()).unwrap().flaw, None);
        for cut in [format!("data: {ANSWER}"), format!("data: {ANSWER}\n")] {
            let reply = read("text/event-stream", cut.as_bytes()).unwrap();
            assert_eq!((reply.text.as_str(), reply.flaw), (ANSWER, Some(StreamFlaw::Unended)));
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
            Reply { status: 200, text, id: None, flaw: None }.message().unwrap().findings()
        };
        assert_eq!(findings(format!("\u{feff}{ANSWER}"))[0].id, "json-mark");
        assert_eq!(findings(ANSWER.to_owned()), []);
    }

    #[test]
    fn an_event_that_is_no_message_is_told() {
        for junk in ["not json", "{\"a\":1}", "5", "[]"] {
            let stream = format!("data: {junk}\n\ndata: {ANSWER}\n\ndata: later\n\n");
            let reply = read("text/event-stream", stream.as_bytes()).unwrap();
            assert_eq!(reply.text, ANSWER);
            assert_eq!(reply.flaw, Some(StreamFlaw::NoMessage(junk.to_owned())));
        }
        for end in ["\n\n", ""] {
            let stream = [b"data: {\"id\":3,\"result\":\"\xff\"}", end.as_bytes()].concat();
            let error = read("text/event-stream", &stream).unwrap_err().to_string();
            assert!(error.contains("not UTF-8"), "{error}");
        }
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
        let either =
            Reply { status: 200, text: r#"{"id":"x","result":{}}"#.into(), id: None, flaw: None };
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
    fn a_second_answer_in_the_same_piece_is_told() {
        let flaw = |messages: &[&str]| {
            let stream: String = messages.iter().map(|it| format!("data: {it}\n\n")).collect();
            let limits = ReplyLimits::default();
            let mut reader = ReplyReader::new(3, 200, Some("text/event-stream"), limits);
            assert_eq!(reader.push(stream.as_bytes()), Ok(Progress::Done));
            assert!(reader.take_requests().is_empty());
            reader.finish().unwrap().flaw
        };
        assert_eq!(flaw(&[ANSWER, ANSWER]), Some(StreamFlaw::AnsweredTwice));
        let deep = format!(r#"{{"id":3,"result":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        for other in [r#"{"method":"x","id":1}"#, r#"{"id":4,"result":{}}"#, "junk", &deep] {
            assert_eq!(flaw(&[ANSWER, other]), None, "{other}");
        }
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
        let Transcript { body, events, event_count, dropped_requests } = reader.transcript();
        assert_eq!((body.text.len(), events.len(), event_count), (MAX_BODY, MAX_EVENTS, 2_000));
        assert_eq!(dropped_requests, 1_000 - MAX_REQUESTS);
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
        for nothing in [&b": hi\n"[..], b"id: 7\n", b"data: {}\n\n"] {
            let mut stream = ReplyReader::new(0, 200, Some("text/event-stream"), limits);
            let ends = (0..20).any(|_| stream.push(nothing).is_err());
            assert!(ends, "{nothing:?}");
        }
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
        let Transcript { body, events, event_count, .. } = reader.transcript();
        assert_eq!((events.len(), event_count), (MAX_EVENTS, MAX_EVENTS + 1));
        let kept: usize = events.iter().map(|event| event.data.text.len()).sum();
        assert_eq!((kept, body.text.len()), (MAX_BODY, MAX_BODY));
        assert!(events[1].data.is_cut && events[1].data.bytes == 5 && body.is_cut);
        let mut json = ReplyReader::new(3, 200, Some("application/json"), ReplyLimits::default());
        json.push(&[b' '; MAX_BODY + 1]).unwrap();
        assert_eq!(json.transcript().body.bytes, MAX_BODY as u64 + 1);
    }
}
