//! A log of what went over the wire: bounded, and without anybody's secrets.
//!
//! A caller notes each request with [`Log::begin`] before it is sent, and what came of it with
//! [`Log::end`]. Both mask secrets before anything is kept, by the rules of [`redact`]; nothing
//! that was masked can be had back. Old exchanges first lose their bodies, then go, so that the
//! log stays within [`LogLimits`]; [`Log::dropped`] and [`Exchange::is_shed`] say so.
//!
//! ```
//! use skillglass::protocol::log::{Came, Log, Outcome, Question, Transcript};
//! use skillglass::protocol::{Call, Client};
//! let mut client = Client::new("https://mcp.example.com/mcp").unwrap();
//! client.set_bearer_token("hunter2").unwrap();
//! let request = client.request(&Call::Discover).unwrap();
//!
//! let mut log = Log::default();
//! let question = Question::of_call("mcp.example.com", &Call::Discover, &request, 1_000);
//! let number = log.begin(&question);
//! let came = Came { status: 401, headers: vec![], headers_ms: 9, transcript: Transcript::default() };
//! log.end(number, &request, Outcome { ms: 12, came: Some(came), problem: None });
//!
//! let exchange = log.get(number).unwrap();
//! assert!(!exchange.is_good() && exchange.matches("DISCOVER 401"));
//! assert!(exchange.curl(None).unwrap().contains(r#"'Authorization: '"$AUTHORIZATION""#));
//! assert!(!format!("{log:?}{}", log.har(log.exchanges())).contains("hunter2"));
//! ```

mod curl;
mod har;
pub mod redact;

pub(super) use curl::quoted;

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Call, HttpMethod, HttpRequest, Reply, ReplyError};
use crate::finding::{excerpt, sentence};
use redact::Secrets;

/// How much of a body is kept, in bytes; as much again of all events of a stream together.
pub const MAX_BODY: usize = 16 * 1024;

/// How many events of one stream are kept.
pub const MAX_EVENTS: usize = 200;

/// How many headers of an answer are kept, and how many characters of each.
const MAX_HEADERS: usize = 60;
const MAX_HEADER: usize = 1_000;

/// How many characters of a subject are kept.
const MAX_SUBJECT: usize = 400;

/// How long an answer may be to be looked through for an error, in bytes. Errors are short.
const MAX_ERROR: usize = 8 * 1024;

/// What a log may keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// The most exchanges.
    pub exchanges: usize,
    /// The most bytes of bodies, headers and events in all.
    pub bytes: usize,
}

impl Default for LogLimits {
    /// 2,000 exchanges and 8 MiB: more than a skill of the most files takes to be read.
    fn default() -> Self {
        Self { exchanges: 2_000, bytes: 8 * 1024 * 1024 }
    }
}

/// The beginning of a text that came or went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// What is kept of it, secrets masked.
    pub text: String,
    /// How many bytes the whole had, as far as it was read.
    pub bytes: u64,
    /// Whether more came than is kept.
    pub is_cut: bool,
}

impl Excerpt {
    /// The first `limit` bytes of `head`, which is the beginning of a text of `bytes` bytes. What
    /// is not UTF-8 becomes U+FFFD.
    #[must_use]
    pub fn new(head: &[u8], bytes: u64, limit: usize) -> Self {
        let kept = &head[..head.len().min(limit)];
        let is_cut = (kept.len() as u64) < bytes;
        // The cut may have gone through a character.
        let whole = match std::str::from_utf8(kept) {
            Err(error) if is_cut && error.error_len().is_none() => &kept[..error.valid_up_to()],
            _ => kept,
        };
        Self { text: String::from_utf8_lossy(whole).into_owned(), bytes, is_cut }
    }

    fn masked(mut self, secrets: &Secrets) -> Self {
        self.text = secrets.mask(&self.text);
        if self.is_cut {
            self.text = secrets.mask_cut(&self.text);
        }
        self
    }
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// When it came, in milliseconds after the request was sent.
    pub at_ms: u64,
    /// Its type; `message` where the stream names none.
    pub kind: String,
    /// Its `id` line.
    pub id: Option<String>,
    /// Its data.
    pub data: Excerpt,
}

/// A body as it was read, as far as a log keeps it. See [`super::ReplyReader::transcript`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The body, with its whole size.
    pub body: Excerpt,
    /// The first events, if it was an event stream.
    pub events: Vec<StreamEvent>,
    /// How many events there were in all.
    pub event_count: usize,
    /// How many of the server's own requests on the stream were dropped, as enough had been taken.
    pub dropped_requests: usize,
}

/// What a request is logged with before it is sent.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// What the caller calls the server.
    pub server: &'q str,
    /// What the request is for: a JSON-RPC method, or some words where it has none.
    pub purpose: &'static str,
    /// What it is about: a URI or a cursor.
    pub subject: Option<String>,
    /// The request.
    pub request: &'q HttpRequest,
    /// The time, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whether any status is a good one, as where only the way to a server is tried.
    pub takes_any_status: bool,
    /// Whether neither body may be kept, as where tokens are asked for.
    pub withholds_bodies: bool,
}

impl<'q> Question<'q> {
    /// The request for a call.
    #[must_use]
    pub fn of_call(server: &'q str, call: &Call, request: &'q HttpRequest, at_ms: u64) -> Self {
        let subject = call.subject().map(|subject| match call {
            Call::ListSkills { .. } | Call::ListResources { .. } => {
                format!("cursor {}", crate::value::json_string(subject))
            }
            _ => subject.to_owned(),
        });
        Self { subject, ..Self::plain(server, request, at_ms) }
    }

    /// A request that is not about one thing.
    #[must_use]
    pub fn plain(server: &'q str, request: &'q HttpRequest, at_ms: u64) -> Self {
        let purpose = request.rpc_method.unwrap_or(request.method.as_str());
        let (takes_any_status, withholds_bodies) = (false, false);
        Self { server, purpose, subject: None, request, at_ms, takes_any_status, withholds_bodies }
    }
}

/// A header as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedHeader {
    /// Its name.
    pub name: String,
    /// Its value; [`redact::MASK`] in place of a secret.
    pub value: String,
    /// Whether the whole value was a secret.
    pub is_secret: bool,
}

/// A request and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Its place among all exchanges, from 1.
    pub number: usize,
    /// What the caller calls the server.
    pub server: String,
    /// What it is for: a JSON-RPC method, or some words.
    pub purpose: &'static str,
    /// What it is about, bounded.
    pub subject: Option<String>,
    /// When it was sent, in milliseconds since 1970.
    pub at_ms: u64,
    /// The request's method.
    pub method: HttpMethod,
    /// The address, secret parameters masked.
    pub url: String,
    /// The request's headers.
    pub headers: Vec<LoggedHeader>,
    /// The request's body.
    pub body: Excerpt,
    /// What came of it; none while it is under way.
    pub outcome: Option<Outcome>,
    /// Whether any status is a good one.
    pub takes_any_status: bool,
    /// Whether neither body was kept, since they can hold tokens.
    pub withholds_bodies: bool,
    /// Whether bodies, events and headers had to go to stay within the limits.
    pub is_shed: bool,
}

/// How an exchange ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How long it took in all, in milliseconds.
    pub ms: u64,
    /// The answer, if one came that could be read. Without it and without a problem, one came that
    /// nobody may read.
    pub came: Option<Came>,
    /// Why there is no answer, or what is wrong with it, in a sentence.
    pub problem: Option<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// The HTTP status.
    pub status: u16,
    /// The headers that the caller may read.
    pub headers: Vec<LoggedHeader>,
    /// When status and headers were there, in milliseconds after the request was sent.
    pub headers_ms: u64,
    /// The body.
    pub transcript: Transcript,
}

impl Came {
    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}

impl Exchange {
    fn begun(number: usize, question: &Question<'_>) -> Self {
        let Question { server, purpose, subject, request, withholds_bodies, .. } = question;
        let secrets = Secrets::of_request(request);
        let header = |header: &super::Header| {
            redact::header(&header.name, &header.value, header.secret, &secrets)
        };
        let body = if *withholds_bodies { "" } else { request.body.as_str() };
        Self {
            number,
            server: (*server).to_owned(),
            purpose,
            subject: subject.as_deref().map(|text| excerpt(&secrets.mask(text), MAX_SUBJECT)),
            at_ms: question.at_ms,
            method: request.method,
            url: secrets.mask(&redact::url(&request.url)),
            headers: request.headers.iter().map(header).collect(),
            body: Excerpt::new(body.as_bytes(), body.len() as u64, MAX_BODY).masked(&secrets),
            outcome: None,
            takes_any_status: question.takes_any_status,
            withholds_bodies: *withholds_bodies,
            is_shed: false,
        }
    }

    /// The status of the answer, if one came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        Some(self.outcome.as_ref()?.came.as_ref()?.status)
    }

    /// Whether an answer came that is no refusal.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.problem.is_none())
            && (self.takes_any_status || self.status().is_none_or(|status| status < 400))
    }

    /// How many bytes of an answer came.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let came = self.outcome.as_ref().and_then(|outcome| outcome.came.as_ref());
        came.map_or(0, |came| came.transcript.body.bytes)
    }

    /// Whether every word of `filter` occurs in it, upper or lower case alike. All that is kept is
    /// looked through; an empty filter lets everything pass.
    #[must_use]
    pub fn matches(&self, filter: &str) -> bool {
        let status = self.status().map(|status| status.to_string());
        let number = self.number.to_string();
        let mut texts = vec![self.server.as_str(), self.purpose, &self.url, &self.body.text];
        texts.extend([number.as_str(), self.method.as_str()]);
        texts.extend(status.as_deref().into_iter().chain(self.subject.as_deref()));
        let mut headers: Vec<_> = self.headers.iter().collect();
        if let Some(outcome) = &self.outcome {
            texts.extend(outcome.problem.as_deref());
            if let Some(came) = &outcome.came {
                texts.push(&came.transcript.body.text);
                headers.extend(&came.headers);
            }
        }
        texts.extend(headers.iter().flat_map(|header| [header.name.as_str(), &header.value]));
        filter.split_whitespace().all(|word| texts.iter().any(|text| holds(text, word)))
    }

    /// How many bytes of memory its texts take, about.
    fn weight(&self) -> usize {
        let of = |headers: &[LoggedHeader]| -> usize {
            headers.iter().map(|header| header.name.len() + header.value.len()).sum()
        };
        let came = self.outcome.as_ref().and_then(|outcome| outcome.came.as_ref());
        let answer = came.map_or(0, |came| {
            let events = came.transcript.events.iter();
            came.transcript.body.text.len()
                + of(&came.headers)
                + events.map(|event| event.kind.len() + event.data.text.len()).sum::<usize>()
        });
        self.body.text.len() + of(&self.headers) + answer
    }

    /// Lets go of everything but the line in the list.
    fn shed(&mut self) {
        self.is_shed = true;
        self.headers = Vec::new();
        self.body.text = String::new();
        if let Some(came) = self.outcome.as_mut().and_then(|outcome| outcome.came.as_mut()) {
            came.headers = Vec::new();
            came.transcript.body.text = String::new();
            came.transcript.events = Vec::new();
        }
    }
}

/// Whether `text` holds `word`, ASCII letters of either case alike.
fn holds(text: &str, word: &str) -> bool {
    text.len() >= word.len()
        && text
            .as_bytes()
            .windows(word.len())
            .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// What is wrong with an answer, in a sentence: it is no message, or it is an error.
#[must_use]
pub fn problem_of(reply: &Result<Reply, ReplyError>) -> Option<String> {
    match reply {
        Err(error) => Some(error.to_string()),
        Ok(reply) if reply.text.len() <= MAX_ERROR && reply.text.contains("\"error\"") => {
            Some(reply.message().ok()?.outcome().err()?.to_string())
        }
        Ok(_) => None,
    }
}

/// The exchanges, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Log {
    limits: LogLimits,
    exchanges: VecDeque<Arc<Exchange>>,
    /// The number of the oldest exchange that still has its texts.
    oldest_whole: usize,
    kept: usize,
    total: usize,
    received: u64,
    slowest: Option<(u64, &'static str)>,
}

impl Log {
    /// A log of nothing yet.
    #[must_use]
    pub fn new(limits: LogLimits) -> Self {
        Self { limits, oldest_whole: 1, ..Self::default() }
    }

    /// Notes that a request goes out, and gives its number.
    pub fn begin(&mut self, question: &Question<'_>) -> usize {
        self.total += 1;
        let exchange = Exchange::begun(self.total, question);
        self.kept += exchange.weight();
        self.exchanges.push_back(Arc::new(exchange));
        self.keep_within_limits();
        self.total
    }

    /// Notes what came of the request with this number. `request` is what was sent: a server may
    /// repeat its secrets, and they are masked there, too.
    pub fn end(&mut self, number: usize, request: &HttpRequest, outcome: Outcome) {
        let Outcome { ms, came, problem } = outcome;
        self.received += came.as_ref().map_or(0, |came| came.transcript.body.bytes);
        let Some(exchange) = self.index(number).and_then(|at| self.exchanges.get_mut(at)) else {
            return;
        };
        let exchange = Arc::make_mut(exchange);
        let before = exchange.weight();
        let mut secrets = Secrets::of_request(request);
        let came = came.map(|came| {
            secrets.extend(&came.headers);
            masked(came, &secrets, exchange.withholds_bodies)
        });
        let problem = problem.map(|problem| sentence(&secrets.mask(&problem)));
        exchange.outcome = Some(Outcome { ms, came, problem });
        if exchange.is_shed {
            exchange.shed();
        }
        let (after, purpose) = (exchange.weight(), exchange.purpose);
        self.kept = self.kept + after - before;
        if self.slowest.is_none_or(|(slowest, _)| ms > slowest) {
            self.slowest = Some((ms, purpose));
        }
        self.keep_within_limits();
    }

    fn keep_within_limits(&mut self) {
        while self.kept > self.limits.bytes && self.oldest_whole <= self.total {
            let oldest = self.index(self.oldest_whole).and_then(|at| self.exchanges.get_mut(at));
            if let Some(exchange) = oldest.map(Arc::make_mut) {
                self.kept -= exchange.weight();
                exchange.shed();
                self.kept += exchange.weight();
            }
            self.oldest_whole += 1;
        }
        while self.exchanges.len() > self.limits.exchanges {
            let gone = self.exchanges.pop_front();
            self.kept -= gone.map_or(0, |gone| gone.weight());
        }
    }

    /// The exchanges that are kept, the oldest first.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Arc<Exchange>> {
        self.exchanges.iter()
    }

    /// The exchange with this number, while it is kept.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Arc<Exchange>> {
        self.exchanges.get(self.index(number)?)
    }

    /// How many exchanges there were in all.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// How many of them are no longer kept.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.total - self.exchanges.len()
    }

    /// What it may keep.
    #[must_use]
    pub const fn limits(&self) -> LogLimits {
        self.limits
    }

    /// How many bytes of answers came in all.
    #[must_use]
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// The longest exchange, in milliseconds, and what it was for.
    #[must_use]
    pub const fn slowest(&self) -> Option<(u64, &'static str)> {
        self.slowest
    }

    fn index(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.exchanges.front()?.number)
    }
}

fn masked(came: Came, secrets: &Secrets, withholds_bodies: bool) -> Came {
    let Came { status, headers, headers_ms, transcript } = came;
    let header = |header: &LoggedHeader| {
        let value = excerpt(&header.value, MAX_HEADER);
        redact::header(&header.name, &value, header.is_secret, secrets)
    };
    let headers = headers.iter().take(MAX_HEADERS).map(header).collect();
    let Transcript { body, events, event_count, dropped_requests } = transcript;
    let transcript = if withholds_bodies {
        let body = Excerpt { text: String::new(), bytes: body.bytes, is_cut: false };
        Transcript { body, events: Vec::new(), event_count, dropped_requests }
    } else {
        let event = |event: StreamEvent| StreamEvent {
            kind: secrets.mask(&event.kind),
            id: event.id.map(|id| secrets.mask(&id)),
            data: event.data.masked(secrets),
            ..event
        };
        let events = events.into_iter().map(event).collect();
        Transcript { body: body.masked(secrets), events, event_count, dropped_requests }
    };
    Came { status, headers, headers_ms, transcript }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Client;

    const TOKEN: &str = "hunter2-hunter2";

    fn request() -> HttpRequest {
        let mut client = Client::new("https://a.example/mcp?api_key=k3y").unwrap();
        client.set_bearer_token(TOKEN).unwrap();
        client.request(&Call::Discover).unwrap()
    }

    fn begin(log: &mut Log) -> usize {
        log.begin(&Question::of_call("a.example", &Call::Discover, &request(), 0))
    }

    fn came(body: &str) -> Came {
        let body = Excerpt::new(body.as_bytes(), body.len() as u64, MAX_BODY);
        let transcript = Transcript { body, ..Transcript::default() };
        Came { status: 200, headers: Vec::new(), headers_ms: 1, transcript }
    }

    fn end(log: &mut Log, number: usize, ms: u64, came: Came) {
        log.end(number, &request(), Outcome { ms, came: Some(came), problem: None });
    }

    #[test]
    fn no_secret_is_kept_wherever_it_occurs() {
        let mut log = Log::default();
        let number = begin(&mut log);
        let mut answer = came(&format!("you sent {TOKEN}"));
        answer.transcript.events = vec![StreamEvent {
            at_ms: 1,
            kind: TOKEN.into(),
            id: Some(TOKEN.into()),
            data: answer.transcript.body.clone(),
        }];
        let header = |name: &str, value: &str| LoggedHeader {
            name: name.into(),
            value: value.into(),
            is_secret: false,
        };
        answer.headers =
            vec![header("Mcp-Session-Id", "s3ss10n-id"), header("X-Echo", "s3ss10n-id k")];
        let problem = Some(format!("no: {TOKEN}"));
        log.end(number, &request(), Outcome { ms: 1, came: Some(answer), problem });
        let everything = format!(
            "{log:?}{}{:?}",
            log.har(log.exchanges()),
            log.get(number).unwrap().curl(Some("https://page.example"))
        );
        for secret in [TOKEN, "k3y", "s3ss10n"] {
            assert!(!everything.contains(secret), "{secret} in {everything}");
        }
    }

    #[test]
    fn bodies_with_tokens_are_not_kept_at_all() {
        let mut log = Log::default();
        let mut request = request();
        request.body = "code=c0de".into();
        let question =
            Question { withholds_bodies: true, ..Question::plain("as.example", &request, 0) };
        let number = log.begin(&question);
        let came = came(r#"{"access_token":"t0ken"}"#);
        log.end(number, &request, Outcome { ms: 1, came: Some(came), problem: None });
        assert_eq!(log.get(number).unwrap().bytes(), 24);
        assert!(!format!("{log:?}").contains("c0de") && !format!("{log:?}").contains("t0ken"));
    }

    #[test]
    fn only_the_latest_are_kept_and_all_are_counted() {
        let mut log = Log::new(LogLimits { exchanges: 3, ..LogLimits::default() });
        for _ in 0..5 {
            let number = begin(&mut log);
            end(&mut log, number, 1, came("abc"));
        }
        assert_eq!((log.exchanges().count(), log.total(), log.dropped()), (3, 5, 2));
        assert_eq!(log.received(), 15);
        assert!(log.get(2).is_none());
        assert_eq!(log.get(3).unwrap().number, 3);
    }

    #[test]
    fn the_oldest_lose_their_texts_first() {
        let mut log = Log::new(LogLimits { exchanges: 100, bytes: 8_000 });
        for _ in 0..10 {
            let number = begin(&mut log);
            end(&mut log, number, 1, came(&"x".repeat(3_000)));
        }
        assert_eq!(log.exchanges().count(), 10);
        let shed: Vec<_> = log.exchanges().map(|exchange| exchange.is_shed).collect();
        assert_eq!(shed, [[true; 5], [true, true, true, false, false]].concat());
        let first = log.get(1).unwrap();
        assert_eq!((first.bytes(), first.status(), first.curl(None)), (3_000, Some(200), None));
        let weight: usize = log.exchanges().map(|exchange| exchange.weight()).sum();
        assert_eq!(log.kept, weight);
        assert!(weight <= 8_000, "{weight}");
    }

    #[test]
    fn an_answer_to_an_exchange_that_was_shed_stays_shed() {
        let mut log = Log::new(LogLimits { exchanges: 100, bytes: 0 });
        let number = begin(&mut log);
        end(&mut log, number, 1, came("abc"));
        let exchange = log.get(number).unwrap();
        assert!(exchange.is_shed && exchange.weight() == 0 && exchange.bytes() == 3);
    }

    #[test]
    fn answers_find_their_question() {
        let mut log = Log::default();
        let (first, second) = (begin(&mut log), begin(&mut log));
        end(&mut log, second, 9, came(""));
        assert!(log.get(first).unwrap().outcome.is_none());
        assert_eq!(log.slowest(), Some((9, "server/discover")));
        // Nobody asked this.
        end(&mut log, 77, 1, came(""));
    }

    #[test]
    fn long_bodies_are_cut_between_characters() {
        let text = "é".repeat(MAX_BODY);
        let cut = Excerpt::new(text.as_bytes(), text.len() as u64, MAX_BODY - 1);
        assert_eq!((cut.text.len(), cut.bytes, cut.is_cut), (MAX_BODY - 2, 32_768, true));
        let whole = Excerpt::new(b"a\xff\xc3", 3, MAX_BODY);
        assert_eq!((whole.text.as_str(), whole.is_cut), ("a\u{fffd}\u{fffd}", false));
    }

    #[test]
    fn every_word_of_a_filter_has_to_occur() {
        let mut log = Log::default();
        let number = begin(&mut log);
        end(&mut log, number, 1, came("{\"Skills\":[]}"));
        let exchange = log.get(number).unwrap();
        for filter in ["", "discover", "SKILLS a.example", "200 POST", "mcp-method", "1"] {
            assert!(exchange.matches(filter), "{filter}");
        }
        for filter in ["404", "discover nothing", TOKEN] {
            assert!(!exchange.matches(filter), "{filter}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_answer_is_said() {
        let reply = |text: &str| Ok(Reply { status: 200, text: text.into(), id: None, flaw: None });
        assert_eq!(problem_of(&reply(r#"{"id":0,"result":{"error":1}}"#)), None);
        let error = problem_of(&reply(r#"{"id":0,"error":{"code":-32602,"message":"no"}}"#));
        assert_eq!(error.as_deref(), Some("the server answered with error -32602: no"));
        let cut = problem_of(&Err(ReplyError::TooLong { limit: 5 }));
        assert!(cut.unwrap().contains("longer than 5 bytes"));
    }
}
