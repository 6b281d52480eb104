//! The only place that talks to servers: over HTTP, or to the demo servers inside of this page.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::{set_timeout_with_handle, window};
use leptos::task::spawn_local;
use skillglass::auth::MAX_ANSWER;
use skillglass::protocol::diagnosis::{Probe, ProbeOutcome, is_old_transport};
use skillglass::protocol::log::{Came, LoggedHeader, Transcript};
use skillglass::protocol::network::parallel_requests;
use skillglass::protocol::{
    Answered, HttpReply, HttpRequest, MAX_SILENCES, Progress, ReplyError, ReplyLimits, ReplyReader,
    ServerRequest,
};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, Headers, PerformanceResourceTiming, ReadableStreamDefaultReader,
    ReadableStreamReadResult, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit,
    RequestMode, RequestRedirect, Response, ResponseType,
};

use crate::browser::{self, Pace};
use crate::failure::Failure;
use crate::later::Loader;

/// How long a server may take to show that it is there at all.
const PROBE_LIMIT_MS: u64 = 5_000;

/// How much of a stream is read to know the old transport, in bytes.
const MAX_FIRST_EVENT: usize = 16 * 1024;

/// How long a message may take whose answer says nothing.
const TELL_LIMIT_MS: u32 = 30_000;

/// To how many bytes that are read the work comes of answering a server's question.
const ANSWERING: usize = 16 * 1024;

/// Why a [`Limit`] ended a request.
const SILENCE: &str = "the time limit passed";

/// How a server is reached.
pub(crate) enum Transport {
    /// Over HTTP.
    Http,
    /// Inside of this page.
    Inside {
        /// The name of the demonstration server, if it is one.
        demo: Option<&'static str>,
        /// The server, as soon as it is there.
        server: RefCell<Option<Demo>>,
    },
}

/// A server inside of this page.
pub(crate) type Demo = Rc<dyn Fn(&HttpRequest) -> HttpReply>;

/// Lets the user stop what was begun.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stop(Option<AbortController>);

impl Stop {
    /// A stop that nobody has pulled.
    pub(crate) fn new() -> Self {
        Self(AbortController::new().ok())
    }

    /// Stops everything that was begun with it.
    pub(crate) fn pull(&self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }

    /// Whether it was pulled.
    pub(crate) fn is_pulled(&self) -> bool {
        self.signal().is_some_and(|signal| signal.aborted())
    }

    /// Waits, unless it is pulled meanwhile; whether the time has passed.
    pub(crate) async fn wait(&self, ms: u64) -> bool {
        self.or(browser::sleep(ms)).await.is_some()
    }

    /// What comes of `future`, unless this is pulled before.
    pub(crate) async fn or<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        match select(pin!(self.pulled()), pin!(future)).await {
            Either::Left(_) => None,
            Either::Right((outcome, _)) => Some(outcome),
        }
    }

    async fn pulled(&self) {
        let Some(signal) = self.signal() else { return pending().await };
        if signal.aborted() {
            return;
        }
        let event = Promise::new(&mut |resolve, _| {
            let _ = signal.add_event_listener_with_callback("abort", &resolve);
        });
        let _ = JsFuture::from(event).await;
    }

    fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }
}

/// Ends a request when the server is silent for too long, or takes many times as long in all.
struct Limit(Rc<Watch>);

/// One timer for a request: it looks when the server was heard last, and comes again where that was not too long ago. A
/// timer for each piece of an answer would take longer than reading it.
struct Watch {
    controller: AbortController,
    silence_ms: u64,
    heard_at: Cell<u64>,
    ends_at: u64,
    timer: Cell<Option<TimeoutHandle>>,
}

impl Limit {
    fn begin(silence_ms: u64) -> Option<Self> {
        let now = browser::clock();
        let watch = Rc::new(Watch {
            controller: AbortController::new().ok()?,
            silence_ms,
            heard_at: Cell::new(now),
            ends_at: now + silence_ms * u64::from(MAX_SILENCES),
            timer: Cell::new(None),
        });
        watch_silence(Rc::clone(&watch));
        Some(Self(watch))
    }

    /// The server was heard; the next silence begins.
    fn heard(&self) {
        self.0.heard_at.set(browser::clock());
    }

    /// Ends it now.
    fn end(&self) {
        self.0.controller.abort();
    }

    /// A signal for this limit.
    fn signal(&self) -> AbortSignal {
        self.0.controller.signal()
    }

    /// A signal for this limit or for a stop, whichever comes first.
    fn signal_with(&self, stop: &Stop) -> AbortSignal {
        let limit = self.signal();
        match stop.signal() {
            Some(stop) => AbortSignal::any(&Array::of2(&stop, &limit)),
            None => limit,
        }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        if let Some(timer) = self.0.timer.take() {
            timer.clear();
        }
    }
}

/// Ends a request when its time is over, unless the server is heard until then: then it begins anew.
fn watch_silence(watch: Rc<Watch>) {
    let heard_at = watch.heard_at.get();
    let due = watch.ends_at.min(heard_at + watch.silence_ms);
    let left = Duration::from_millis(due.saturating_sub(browser::clock()));
    let again = Rc::clone(&watch);
    let look = move || {
        if again.heard_at.get() == heard_at || browser::clock() >= again.ends_at {
            again.controller.abort_with_reason(&SILENCE.into());
        } else {
            watch_silence(again);
        }
    };
    watch.timer.set(set_timeout_with_handle(look, left).ok());
}

/// What came of a request.
pub(crate) struct Delivery {
    /// The answer for the log, as far as it came.
    pub(crate) came: Option<Came>,
    /// What core makes of it, or why there is none.
    pub(crate) answered: Result<Answered, Unanswered>,
}

impl Delivery {
    const fn nothing(why: Unanswered) -> Self {
        Self { came: None, answered: Err(why) }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The browser gives no reason: a closed port, a refusal by CORS and a redirect look alike.
    Opaque,
    /// The connection broke in the middle of the answer.
    BrokenOff,
    /// The server was silent for as many seconds as it may be, or took many times that in all.
    TimedOut(u64),
    /// The user stopped it.
    Stopped,
}

impl Unanswered {
    /// Why, in one line for the log.
    pub(crate) const fn line(self) -> &'static str {
        match self {
            Self::Opaque => "the browser gave no answer and no reason",
            Self::BrokenOff => "the connection broke off in the middle of the answer",
            Self::TimedOut(_) => "the server was silent for too long",
            Self::Stopped => "you stopped it",
        }
    }
}

/// What a question may cost, and whom its answer concerns.
pub(crate) struct Terms<'t> {
    /// What the answer may cost.
    pub(crate) limits: ReplyLimits,
    /// How long the server may be silent, in milliseconds.
    pub(crate) silence_ms: u64,
    /// Stops it.
    pub(crate) stop: &'t Stop,
    /// Takes what the server asks on the stream of its answer.
    pub(crate) asked: &'t dyn Fn(ServerRequest),
}

impl Transport {
    /// Sends a request and reads the answer to its end.
    pub(crate) async fn send(&self, request: &HttpRequest, terms: Terms<'_>) -> Delivery {
        match self {
            Self::Http => fetch(request, &terms).await,
            Self::Inside { server, .. } => {
                browser::breathe().await;
                let server = server.borrow().clone();
                match server.filter(|_| !terms.stop.is_pulled()) {
                    Some(server) => ask_demo(&server, request, terms.limits),
                    None => Delivery::nothing(Unanswered::Stopped),
                }
            }
        }
    }

    /// Makes ready whatever is inside of this page.
    pub(crate) async fn prepare(&self, later: Loader) -> Result<(), Failure> {
        if let Self::Inside { demo: Some(name), server } = self {
            let made = (later.load().await?.demo)(name).ok_or(Failure::NoDemo)?;
            server.replace(Some(made));
        }
        Ok(())
    }

    /// Sends a message whose answer is its status, even while the page is being left. `told` takes
    /// the status, if one came, and the milliseconds it took.
    pub(crate) fn tell(&self, request: HttpRequest, told: impl FnOnce(Option<u16>, u64) + 'static) {
        let Self::Http = self else { return };
        spawn_local(async move {
            let started = browser::clock();
            let signal = AbortSignal::timeout_with_u32(TELL_LIMIT_MS);
            let init = init(&request, &signal);
            // Browsers limit the bodies that outlive a page to 64 KiB; these messages are short.
            let _ = Reflect::set(&init, &"keepalive".into(), &true.into());
            let response = response(&request.url, &init).await;
            if let Some(body) = response.as_ref().and_then(Response::body) {
                // The promise only says when the connection is closed.
                let _ = body.cancel();
            }
            told(response.map(|response| response.status()), browser::clock() - started);
        });
    }

    /// How many requests to the server at `url` are worth having under way at a time.
    pub(crate) fn parallel(&self, url: &str) -> usize {
        let entries =
            window().performance().map(|performance| performance.get_entries_by_name(url));
        let last = entries.and_then(|entries| entries.to_vec().pop());
        let timing = last.and_then(|entry| entry.dyn_into::<PerformanceResourceTiming>().ok());
        parallel_requests(&timing.map(|timing| timing.next_hop_protocol()).unwrap_or_default())
    }

    /// Sends a harmless request, to see what becomes of it. The answer is given where this page may
    /// read it.
    pub(crate) async fn probe(probe: &Probe) -> (ProbeOutcome, Option<Came>) {
        let started = browser::clock();
        let Some(limit) = Limit::begin(PROBE_LIMIT_MS) else {
            return (ProbeOutcome::Refused, None);
        };
        let init = RequestInit::new();
        init.set_method(probe.request.method.as_str());
        if probe.readable {
            set_headers_and_body(&init, &probe.request);
            init.set_redirect(RequestRedirect::Manual);
        } else {
            init.set_mode(RequestMode::NoCors);
        }
        init.set_cache(RequestCache::NoStore);
        let signal = limit.signal();
        keep_apart(&init, &signal);
        let Some(answer) = response(&probe.request.url, &init).await else {
            let is_over = signal.aborted();
            return (if is_over { ProbeOutcome::TimedOut } else { ProbeOutcome::Refused }, None);
        };
        // The body may be a stream without end.
        limit.end();
        match answer.type_() {
            ResponseType::Opaqueredirect => (ProbeOutcome::Redirected, None),
            ResponseType::Opaque => (ProbeOutcome::Answered, None),
            _ => (ProbeOutcome::Answered, Some(begun(&answer, started))),
        }
    }

    /// Whether a GET is answered as the transport of 2024-11-05 does.
    pub(crate) async fn is_old(url: &str) -> bool {
        let Some(limit) = Limit::begin(PROBE_LIMIT_MS) else { return false };
        let init = RequestInit::new();
        keep_apart(&init, &limit.signal());
        let Some(response) = response(url, &init).await else { return false };
        let is_old = begins_as_old(&response, &limit).await;
        limit.end();
        is_old
    }
}

async fn begins_as_old(response: &Response, limit: &Limit) -> bool {
    let content_type = response.headers().get("content-type").ok().flatten();
    let Some(body) = reader_of(response) else { return false };
    let mut head = Vec::new();
    while let Some(Some(piece)) = next_piece(&body, limit).await {
        head.extend(piece);
        if is_old_transport(content_type.as_deref(), &head) {
            return true;
        }
        if head.len() > MAX_FIRST_EVENT {
            break;
        }
    }
    false
}

fn ask_demo(server: &Demo, request: &HttpRequest, limits: ReplyLimits) -> Delivery {
    let answer = server(request);
    let kind = answer.content_type.as_deref();
    let mut reader = ReplyReader::new(request.id, answer.status, kind, limits);
    let progress = reader.push(&answer.body);
    let transcript = reader.transcript();
    let reply = progress.and_then(|_| reader.finish());
    let header = |value: String| logged("content-type".to_owned(), value);
    let headers = answer.content_type.into_iter().map(header).collect();
    let came = Came { status: answer.status, headers, headers_ms: 0, transcript };
    Delivery { came: Some(came), answered: Ok(Answered::bare(answer.status, reply)) }
}

const fn logged(name: String, value: String) -> LoggedHeader {
    LoggedHeader { name, value, is_secret: false }
}

async fn fetch(request: &HttpRequest, terms: &Terms<'_>) -> Delivery {
    let started = browser::clock();
    let Some(limit) = Limit::begin(terms.silence_ms) else {
        return Delivery::nothing(Unanswered::Opaque);
    };
    let signal = limit.signal_with(terms.stop);
    let Some(response) = response(&request.url, &init(request, &signal)).await else {
        return Delivery::nothing(stopped(&signal, terms.silence_ms).unwrap_or(Unanswered::Opaque));
    };
    limit.heard();
    let mut came = begun(&response, started);
    let kind = came.header("content-type");
    let mut reader = ReplyReader::new(request.id, came.status, kind, terms.limits);
    let is_whole = read_body(&response, &mut reader, terms.asked, &limit, started).await;
    came.transcript = reader.transcript();
    let header = |name| came.header(name).map(str::to_owned);
    let answered = match is_whole {
        Some(read) => Ok(Answered {
            status: came.status,
            session: header("mcp-session-id"),
            challenge: header("www-authenticate"),
            retry_after: header("retry-after"),
            reply: read.and_then(|()| reader.finish()),
        }),
        None => Err(stopped(&signal, terms.silence_ms).unwrap_or(Unanswered::BrokenOff)),
    };
    Delivery { came: Some(came), answered }
}

/// An answer of which status and headers are there.
fn begun(response: &Response, started: u64) -> Came {
    Came {
        status: response.status(),
        headers: readable_headers(response),
        headers_ms: browser::clock() - started,
        transcript: Transcript::default(),
    }
}

/// The headers that the server lets this page read.
fn readable_headers(response: &Response) -> Vec<LoggedHeader> {
    let entry = |entry: JsValue| {
        let entry: Array = entry.dyn_into().ok()?;
        Some(logged(entry.get(0).as_string()?, entry.get(1).as_string()?))
    };
    let entries = js_sys::try_iter(&response.headers()).ok().flatten();
    entries.into_iter().flatten().filter_map(|item| entry(item.ok()?)).collect()
}

/// Asks for what is needed beside the conversation, such as to sign in. Gives the status and as much
/// of the body as the core reads.
pub(crate) async fn ask_beside(
    request: &HttpRequest,
    silence_ms: u64,
    stop: &Stop,
) -> Result<(u16, Vec<u8>), Unanswered> {
    let limit = Limit::begin(silence_ms).ok_or(Unanswered::Opaque)?;
    let signal = limit.signal_with(stop);
    let or = |otherwise| stopped(&signal, silence_ms).unwrap_or(otherwise);
    let response = response(&request.url, &init(request, &signal)).await;
    let response = response.ok_or_else(|| or(Unanswered::Opaque))?;
    let body = read_bytes(&response, &limit).await.ok_or_else(|| or(Unanswered::BrokenOff))?;
    Ok((response.status(), body))
}

/// Reads the body as far as the core does; nothing if the connection breaks.
async fn read_bytes(response: &Response, limit: &Limit) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(body) = reader_of(response) else { return Some(bytes) };
    while let Some(piece) = next_piece(&body, limit).await? {
        bytes.extend(piece);
        if bytes.len() > MAX_ANSWER {
            // The promise only says when the connection is closed.
            let _ = body.cancel();
            break;
        }
    }
    Some(bytes)
}

/// The next piece of a body, or that it has ended; nothing if the connection breaks.
async fn next_piece(body: &ReadableStreamDefaultReader, limit: &Limit) -> Option<Option<Vec<u8>>> {
    let piece = JsFuture::from(body.read()).await.ok()?;
    let piece: ReadableStreamReadResult = piece.unchecked_into();
    limit.heard();
    let is_end = piece.get_done().unwrap_or(true);
    Some((!is_end).then(|| Uint8Array::new(&piece.get_value()).to_vec()))
}

fn init(request: &HttpRequest, signal: &AbortSignal) -> RequestInit {
    let init = RequestInit::new();
    init.set_method(request.method.as_str());
    set_headers_and_body(&init, request);
    // No `no-store`: a POST is not answered from the cache anyhow, and with it the browser would
    // ask for permission before each request anew.
    init.set_redirect(RequestRedirect::Error);
    keep_apart(&init, signal);
    init
}

fn set_headers_and_body(init: &RequestInit, request: &HttpRequest) {
    if !request.body.is_empty() {
        init.set_body_opt_str(Some(&request.body));
    }
    let Ok(headers) = Headers::new() else { return };
    for header in &request.headers {
        // The core makes no name and no value that a browser would refuse.
        let _ = headers.set(&header.name, &header.value);
    }
    init.set_headers_headers(&headers);
}

/// Nothing that the browser keeps goes along, and nothing that says where the user came from.
fn keep_apart(init: &RequestInit, signal: &AbortSignal) {
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init.set_signal(Some(signal));
}

async fn response(url: &str, init: &RequestInit) -> Option<Response> {
    let response = JsFuture::from(window().fetch_with_str_and_init(url, init)).await.ok()?;
    Some(response.unchecked_into())
}

/// Reads the body piece by piece, no further than needed, and says what was wrong with it; nothing
/// if the connection breaks.
async fn read_body(
    response: &Response,
    reader: &mut ReplyReader,
    asked: &dyn Fn(ServerRequest),
    limit: &Limit,
    started: u64,
) -> Option<Result<(), ReplyError>> {
    let Some(body) = reader_of(response) else { return Some(Ok(())) };
    let mut pace = Pace::default();
    while let Some(piece) = next_piece(&body, limit).await? {
        reader.set_time(browser::clock() - started);
        for part in piece.chunks(browser::READ_AT_ONCE) {
            pace.take(part.len()).await;
            let progress = reader.push(part);
            for request in reader.take_requests() {
                pace.take(ANSWERING).await;
                asked(request);
            }
            if progress != Ok(Progress::More) {
                // The promise only says when the connection is closed.
                let _ = body.cancel();
                return Some(progress.map(|_| ()));
            }
        }
    }
    Some(Ok(()))
}

fn reader_of(response: &Response) -> Option<ReadableStreamDefaultReader> {
    response.body()?.get_reader().dyn_into().ok()
}

/// Why a signal stopped a request, if it did.
fn stopped(signal: &AbortSignal, silence_ms: u64) -> Option<Unanswered> {
    if !signal.aborted() {
        return None;
    }
    let timed_out = signal.reason() == JsValue::from_str(SILENCE);
    let limit = Unanswered::TimedOut(silence_ms / 1_000);
    Some(if timed_out { limit } else { Unanswered::Stopped })
}
