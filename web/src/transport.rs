//! The only place that talks to servers: over HTTP, or to the demo servers inside of this page.

use js_sys::{Array, Reflect, Uint8Array};
use leptos::prelude::window;
use leptos::task::spawn_local;
use skillglass::protocol::request::is_loopback;
use skillglass::protocol::{
    Answered, HttpRequest, Progress, Reply, ReplyError, ReplyLimits, ReplyReader, ServerRequest,
};
use skillglass::server::SkillServer;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, DomException, Headers, ReadableStreamDefaultReader,
    ReadableStreamReadResult, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit,
    RequestMode, RequestRedirect, Response,
};

use crate::browser;
use crate::failure::{Reach, TIME_LIMIT_S};

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
    /// What core makes of it.
    pub(crate) answered: Answered,
    /// The media type.
    pub(crate) content_type: Option<String>,
    /// How many bytes of the body arrived.
    pub(crate) bytes: u64,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The browser gives no reason: a closed port, a refusal by CORS and a redirect look alike.
    Opaque,
    /// The connection broke in the middle of the answer.
    BrokenOff,
    /// The time limit passed.
    TimedOut,
    /// The user stopped it.
    Stopped,
}

/// What a question may cost, and whom its answer concerns.
pub(crate) struct Terms<'t> {
    /// What the answer may cost.
    pub(crate) limits: ReplyLimits,
    /// Stops it.
    pub(crate) stop: &'t Stop,
    /// Takes what the server asks on the stream of its answer.
    pub(crate) asked: &'t dyn Fn(ServerRequest),
}

impl Transport {
    /// Sends a request and reads the answer to its end.
    pub(crate) async fn send(
        &self,
        request: &HttpRequest,
        terms: Terms<'_>,
    ) -> Result<Received, Unanswered> {
        match self {
            Self::Http => fetch(request, &terms).await,
            Self::Demo(server) => {
                browser::breathe().await;
                if terms.stop.is_pulled() {
                    Err(Unanswered::Stopped)
                } else {
                    Ok(ask_demo(server, request, terms.limits))
                }
            }
        }
    }

    /// Sends a message whose answer is its status, even while the page is being left. `told` takes
    /// the status, if one came, and the milliseconds it took.
    pub(crate) fn tell(&self, request: HttpRequest, told: impl FnOnce(Option<u16>, u64) + 'static) {
        let Self::Http = self else { return };
        spawn_local(async move {
            let started = browser::clock();
            let signal = AbortSignal::timeout_with_u32(TIME_LIMIT_S * 1000);
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

    /// Finds out what can be found out about a request that the browser refused without a reason.
    ///
    /// A request whose answer nobody may read tells a server that refuses this page from one that
    /// is not there.
    pub(crate) async fn reach(url: &str) -> Reach {
        let plain = url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
        if browser::is_https() && plain && !is_loopback(url) {
            return Reach::MixedContent;
        }
        if browser::is_offline() {
            return Reach::Offline;
        }
        if answers(url).await { Reach::RefusesPage } else { Reach::Nobody }
    }
}

fn ask_demo(server: &SkillServer, request: &HttpRequest, limits: ReplyLimits) -> Received {
    let answer = server.answer(request);
    let mut reader =
        ReplyReader::new(request.id, answer.status, answer.content_type.as_deref(), limits);
    let reply = reader.push(&answer.body).and_then(|_| reader.finish());
    Received {
        answered: Answered::bare(answer.status, reply),
        content_type: answer.content_type,
        bytes: answer.body.len() as u64,
    }
}

async fn fetch(request: &HttpRequest, terms: &Terms<'_>) -> Result<Received, Unanswered> {
    let signal = terms.stop.within_limit();
    let Some(response) = response(&request.url, &init(request, &signal)).await else {
        return Err(stopped(&signal).unwrap_or(Unanswered::Opaque));
    };
    let status = response.status();
    let headers = response.headers();
    let header = |name| headers.get(name).ok().flatten();
    let content_type = header("content-type");
    let reader = ReplyReader::new(request.id, status, content_type.as_deref(), terms.limits);
    let Some((bytes, reply)) = read_body(&response, reader, terms.asked).await else {
        return Err(stopped(&signal).unwrap_or(Unanswered::BrokenOff));
    };
    let answered = Answered {
        status,
        session: header("mcp-session-id"),
        challenge: header("www-authenticate"),
        retry_after: header("retry-after"),
        reply,
    };
    Ok(Received { answered, content_type, bytes })
}

fn init(request: &HttpRequest, signal: &AbortSignal) -> RequestInit {
    let init = RequestInit::new();
    init.set_method(request.method.as_str());
    if let Ok(headers) = Headers::new() {
        for header in &request.headers {
            // The core makes no name and no value that a browser would refuse.
            let _ = headers.set(&header.name, &header.value);
        }
        init.set_headers_headers(&headers);
    }
    if !request.body.is_empty() {
        init.set_body_opt_str(Some(&request.body));
    }
    // No `no-store`: a POST is not answered from the cache anyhow, and with it the browser would
    // ask for permission before each request anew.
    init.set_redirect(RequestRedirect::Error);
    keep_apart(&init, signal);
    init
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

/// Reads the body piece by piece, no further than needed; nothing if the connection breaks.
async fn read_body(
    response: &Response,
    mut reader: ReplyReader,
    asked: &dyn Fn(ServerRequest),
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
        let piece = Uint8Array::new(&piece.get_value()).to_vec();
        bytes += piece.len() as u64;
        let progress = reader.push(&piece);
        reader.take_requests().into_iter().for_each(asked);
        if progress == Ok(Progress::More) {
            continue;
        }
        // The promise only says when the connection is closed.
        let _ = body.cancel();
        return Some((bytes, progress.and_then(|_| reader.finish())));
    }
}

/// Why a signal stopped a request, if it did.
fn stopped(signal: &AbortSignal) -> Option<Unanswered> {
    if !signal.aborted() {
        return None;
    }
    let reason = signal.reason().dyn_into::<DomException>().ok();
    let timed_out = reason.is_some_and(|reason| reason.name() == "TimeoutError");
    Some(if timed_out { Unanswered::TimedOut } else { Unanswered::Stopped })
}

async fn answers(url: &str) -> bool {
    let Ok(controller) = AbortController::new() else { return false };
    let limit = AbortSignal::timeout_with_u32(PROBE_LIMIT_MS);
    let signal = AbortSignal::any(&Array::of2(&controller.signal(), &limit));
    let init = RequestInit::new();
    init.set_mode(RequestMode::NoCors);
    init.set_cache(RequestCache::NoStore);
    keep_apart(&init, &signal);
    let answer = response(url, &init).await;
    // A GET may open a stream without end.
    controller.abort();
    answer.is_some()
}
