//! Servers in this process, each on a port of its own for as long as the value lives.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use skillglass::json;
use skillglass::protocol::{Header, HttpMethod, HttpReply, HttpRequest};
use skillglass::server::SkillServer;
use skillglass::value::Node;
use tokio::runtime::Runtime;

/// A server that answers as a function says.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<HttpRequest>>>,
    /// Its threads end with it.
    _runtime: Runtime,
}

impl Server {
    pub(crate) fn start(
        answer: impl Fn(&HttpRequest) -> Response + Clone + Send + Sync + 'static,
    ) -> Self {
        let runtime = Runtime::new().expect("threads");
        let asked = Arc::<Mutex<Vec<HttpRequest>>>::default();
        let keep = Arc::clone(&asked);
        let router = Router::new().fallback(move |request: Request| {
            let (answer, keep) = (answer.clone(), Arc::clone(&keep));
            async move {
                let request = read(request).await;
                let response = answer(&request);
                keep.lock().expect("no test panicked here").push(request);
                response
            }
        });
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it is bound"));
        runtime.spawn(async { axum::serve(listener, router).await });
        Self { url, asked, _runtime: runtime }
    }

    /// A server of the core's.
    pub(crate) fn of(server: SkillServer) -> Self {
        Self::start(move |request| reply(server.answer(request)))
    }

    /// What it was asked, by the methods in the bodies.
    pub(crate) fn methods(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("no test panicked here");
        asked.iter().map(|request| method(request).unwrap_or_default()).collect()
    }

    /// How often it was asked this.
    pub(crate) fn count(&self, wanted: &str) -> usize {
        self.methods().iter().filter(|method| *method == wanted).count()
    }
}

/// A demonstration of the core's.
pub(crate) fn demo(name: &str) -> SkillServer {
    skillglass::demo::server(name).expect("there is such a demonstration")
}

/// The JSON-RPC method of a request.
pub(crate) fn method(request: &HttpRequest) -> Option<String> {
    let document = json::read(&request.body).ok()?;
    document.root.get("method").and_then(Node::as_str).map(str::to_owned)
}

pub(crate) fn reply(reply: HttpReply) -> Response {
    let kind = reply.content_type.unwrap_or_default();
    respond(reply.status, &[("content-type", &kind)], reply.body)
}

pub(crate) fn respond(status: u16, headers: &[(&str, &str)], body: impl Into<Body>) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body.into()).expect("a response")
}

/// A body that sends this first and then nothing more, without an end.
pub(crate) fn unfinished(begin: &'static str) -> Body {
    use futures_util::StreamExt as _;
    let begin = futures_util::stream::iter([Ok::<_, std::io::Error>(Bytes::from(begin))]);
    Body::from_stream(begin.chain(futures_util::stream::pending()))
}

/// A body that sends this, again and again after a pause, without an end.
pub(crate) fn trickle(piece: &'static str) -> Body {
    Body::from_stream(futures_util::stream::unfold((), async move |()| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(piece.as_bytes())), ()))
    }))
}

/// A body that promises more than it sends, so that the answer breaks off.
pub(crate) fn broken_off() -> Response {
    respond(200, &[("content-type", "application/json"), ("content-length", "9")], "{")
}

/// A body that never ends.
pub(crate) fn endless(piece: &'static [u8]) -> Body {
    Body::from_stream(futures_util::stream::repeat_with(move || {
        Ok::<_, std::io::Error>(Bytes::from_static(piece))
    }))
}

async fn read(request: Request) -> HttpRequest {
    let (head, body) = request.into_parts();
    let header = |name: &axum::http::HeaderName, value: &axum::http::HeaderValue| Header {
        name: name.as_str().to_owned(),
        value: value.to_str().unwrap_or_default().to_owned(),
        secret: false,
    };
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    HttpRequest {
        method: if head.method == "DELETE" { HttpMethod::Delete } else { HttpMethod::Post },
        url: head.uri.to_string(),
        headers: head.headers.iter().map(|(name, value)| header(name, value)).collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
        rpc_method: None,
        id: None,
    }
}
