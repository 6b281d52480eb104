//! The only place that talks to servers: over HTTP, or to the demo servers inside of this page.

use gloo_net::http::{Headers, Request, Response};
use js_sys::Array;
use skillglass::protocol::request::is_loopback;
use skillglass::protocol::{HttpRequest, Progress, Reply, ReplyError, ReplyLimits, ReplyReader};
use skillglass::server::SkillServer;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, DomException, ReadableStreamDefaultReader,
    ReadableStreamReadResult, ReferrerPolicy, RequestCache, RequestCredentials, RequestMode,
    RequestRedirect,
};

use crate::browser;
use crate::failure::{Failure, Reach, TIME_LIMIT_S};

/// How long a server may take to show that it is there at all.
const PROBE_LIMIT_MS: u32 = 5_000;

/// How a server is reached.
pub(crate) enum Transport {
    /// Over HTTP.
    Http,
    /// Inside of this page.
    Demo(SkillServer),
}

/// Lets the user stop what was begun.
#[derive(Clone)]
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

    fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }

    /// A signal for this stop or for the end of the time limit, whichever comes first.
    fn within_limit(&self) -> AbortSignal {
        let limit = AbortSignal::timeout_with_u32(TIME_LIMIT_S * 1000);
        match self.signal() {
            Some(signal) => AbortSignal::any(&Array::of2(&signal, &limit)),
            None => limit,
        }
    }
}

/// An answer as it came in.
pub(crate) struct Received {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The media type.
    pub(crate) content_type: Option<String>,
    /// How many bytes of the body arrived.
    pub(crate) bytes: u64,
    /// What the body says.
    pub(crate) reply: Result<Reply, ReplyError>,
}

impl Transport {
    /// Sends a request and reads the answer to its end.
    pub(crate) async fn send(
        &self,
        request: &HttpRequest,
        limits: ReplyLimits,
        stop: &Stop,
    ) -> Result<Received, Failure> {
        match self {
            Self::Http => fetch(request, limits, stop).await,
            Self::Demo(server) => {
                browser::breathe().await;
                if stop.is_pulled() {
                    Err(Failure::Cancelled)
                } else {
                    Ok(ask_demo(server, request, limits))
                }
            }
        }
    }
}

fn ask_demo(server: &SkillServer, request: &HttpRequest, limits: ReplyLimits) -> Received {
    let answer = server.answer(request);
    let mut reader =
        ReplyReader::new(request.id, answer.status, answer.content_type.as_deref(), limits);
    let reply = reader.push(&answer.body).and_then(|_| reader.finish());
    let bytes = answer.body.len() as u64;
    Received { status: answer.status, content_type: answer.content_type, bytes, reply }
}

async fn fetch(
    request: &HttpRequest,
    limits: ReplyLimits,
    stop: &Stop,
) -> Result<Received, Failure> {
    let signal = stop.within_limit();
    let Some(response) = send(request, &signal).await else {
        return Err(match stopped(&signal) {
            Some(stopped) => stopped,
            None => Failure::Unreachable(diagnose(&request.url).await),
        });
    };
    let status = response.status();
    let content_type = response.headers().get("content-type");
    let reader = ReplyReader::new(request.id, status, content_type.as_deref(), limits);
    let Some((bytes, reply)) = read_body(&response, reader).await else {
        return Err(stopped(&signal).unwrap_or(Failure::BrokenOff));
    };
    Ok(Received { status, content_type, bytes, reply })
}

async fn send(request: &HttpRequest, signal: &AbortSignal) -> Option<Response> {
    let headers = Headers::new();
    for header in &request.headers {
        headers.set(&header.name, &header.value);
    }
    Request::post(&request.url)
        .headers(headers)
        // No `no-store`: a POST is not answered from the cache anyhow, and with it the browser would
        // ask for permission before each request anew.
        .credentials(RequestCredentials::Omit)
        .redirect(RequestRedirect::Error)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(Some(signal))
        .body(request.body.as_str())
        .ok()?
        .send()
        .await
        .ok()
}

/// Reads the body piece by piece, no further than needed; nothing if the connection breaks.
async fn read_body(
    response: &Response,
    mut reader: ReplyReader,
) -> Option<(u64, Result<Reply, ReplyError>)> {
    let mut bytes = 0;
    let Some(stream) = response.body() else { return Some((bytes, reader.finish())) };
    let body: ReadableStreamDefaultReader = stream.get_reader().dyn_into().ok()?;
    loop {
        let piece = JsFuture::from(body.read()).await.ok()?;
        let piece: ReadableStreamReadResult = piece.unchecked_into();
        if piece.get_done().unwrap_or(true) {
            return Some((bytes, reader.finish()));
        }
        let piece = js_sys::Uint8Array::new(&piece.get_value()).to_vec();
        bytes += piece.len() as u64;
        let progress = reader.push(&piece);
        if progress == Ok(Progress::More) {
            continue;
        }
        // The promise only says when the connection is closed.
        let _ = body.cancel();
        return Some((bytes, progress.and_then(|_| reader.finish())));
    }
}

/// Why a signal stopped a request, if it did.
fn stopped(signal: &AbortSignal) -> Option<Failure> {
    if !signal.aborted() {
        return None;
    }
    let reason = signal.reason().dyn_into::<DomException>().ok();
    let timed_out = reason.is_some_and(|reason| reason.name() == "TimeoutError");
    Some(if timed_out { Failure::TimedOut } else { Failure::Cancelled })
}

/// Finds out what can be found out about a fetch that the browser refused without a reason.
///
/// A request whose answer nobody may read tells a server that refuses this page from one that is
/// not there.
async fn diagnose(url: &str) -> Reach {
    let plain = url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
    if browser::is_https() && plain && !is_loopback(url) {
        return Reach::MixedContent;
    }
    if browser::is_offline() {
        return Reach::Offline;
    }
    if answers(url).await { Reach::RefusesPage } else { Reach::Nobody }
}

async fn answers(url: &str) -> bool {
    let Ok(controller) = AbortController::new() else { return false };
    let limit = AbortSignal::timeout_with_u32(PROBE_LIMIT_MS);
    let signal = AbortSignal::any(&Array::of2(&controller.signal(), &limit));
    let answer = Request::get(url)
        .mode(RequestMode::NoCors)
        .cache(RequestCache::NoStore)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(Some(&signal))
        .send()
        .await;
    // A GET may open a stream without end.
    controller.abort();
    answer.is_ok()
}
