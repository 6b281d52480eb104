//! Listening for HTTP, with limits on what a client may cost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use skillglass::protocol::{Header, HttpMethod, HttpReply, HttpRequest};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use crate::failure::Failure;

/// What clients may cost.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// How long a client may take to send its headers, again its message, and again to take any
    /// more of the answer.
    patience: Duration,
    /// How many clients are served at a time.
    connections: usize,
}

const LIMITS: Limits = Limits { patience: Duration::from_secs(20), connections: 256 };

/// The longest message of MCP to a server of ours; a request holds a URI or a cursor.
pub(crate) const MAX_MESSAGE: usize = 1024 * 1024;

/// A place to listen.
pub(crate) struct Listener {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
}

impl Listener {
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let taken = |error: std::io::Error| {
            Failure::Usage(format!(
                "{address} cannot be listened on: {error}. Choose another port, or 0 for any."
            ))
        };
        let listener = TcpListener::bind(address).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self { listener, address })
    }

    /// Serves until the program ends.
    pub(crate) async fn serve(self, router: Router) -> Failure {
        self.serve_within(LIMITS, router).await
    }

    async fn serve_within(self, limits: Limits, router: Router) -> Failure {
        let connections = Arc::new(Semaphore::new(limits.connections));
        let service = TowerToHyperService::new(router);
        loop {
            // The semaphore is never closed, and a connection that fails is its client's matter.
            let Ok(turn) = Arc::clone(&connections).acquire_owned().await else { continue };
            let Ok((stream, _)) = self.listener.accept().await else {
                // Such as too many open files: those that are open may end meanwhile.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(limits.patience));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.patience)
                .serve_connection(TokioIo::new(Box::pin(stream)), service.clone());
            tokio::spawn(async move {
                let _ = connection.await;
                drop(turn);
            });
        }
    }
}

/// Reads a message, or says why there is none.
pub(crate) async fn read_message(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<HttpRequest, Response> {
    read_within(LIMITS, headers, body, limit).await
}

async fn read_within(
    limits: Limits,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<HttpRequest, Response> {
    let too_long = || text(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long");
    if body.size_hint().lower() > limit as u64 {
        return Err(too_long());
    }
    let body = match tokio::time::timeout(limits.patience, to_bytes(body, limit)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Err(too_long()),
        Err(_) => return Err(text(StatusCode::REQUEST_TIMEOUT, "the message did not come")),
    };
    let headers = headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?.to_owned();
        Some(Header { name: name.as_str().to_owned(), value, secret: false })
    });
    Ok(HttpRequest {
        method: HttpMethod::Post,
        url: String::new(),
        headers: headers.collect(),
        // What is not text is no JSON, and answered as such.
        body: String::from_utf8_lossy(&body).into_owned(),
        rpc_method: None,
        id: None,
    })
}

/// The value of a header, if it is text.
pub(crate) fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// An answer of the core's.
pub(crate) fn reply(reply: HttpReply) -> Response {
    let HttpReply { status, content_type, body } = reply;
    let kind = content_type.map(|kind| [("content-type", kind)]);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match kind {
        Some(kind) => (status, kind, body).into_response(),
        None => status.into_response(),
    }
}

/// A plain sentence.
pub(crate) fn text(status: StatusCode, sentence: &str) -> Response {
    (status, [("content-type", "text/plain; charset=utf-8")], sentence.to_owned()).into_response()
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;
    use axum::routing::any;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    /// More than the system keeps on its way.
    const ANSWER: usize = 64 * 1024 * 1024;

    /// There is room for one, so that nobody is served before the slow one was let go.
    const TIGHT: Limits = Limits { patience: Duration::from_millis(200), connections: 1 };

    async fn answer(request: Request) -> Response {
        let (head, body) = request.into_parts();
        match read_within(TIGHT, &head.headers, body, MAX_MESSAGE).await {
            Ok(message) if message.body == "all" => vec![0; ANSWER].into_response(),
            Ok(message) => message.body.into_response(),
            Err(refused) => refused,
        }
    }

    fn post(length: usize, body: &str) -> String {
        format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}")
    }

    #[tokio::test]
    async fn who_is_slow_is_let_go() {
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = listener.address;
        let server =
            tokio::spawn(listener.serve_within(TIGHT, Router::new().route("/", any(answer))));
        let headers = post(0, "")[..20].to_owned();
        for (begin, told) in
            [(headers, ""), (post(9, "{"), "HTTP/1.1 408"), (post(3, "all"), "HTTP/1.1 200")]
        {
            let mut slow = TcpStream::connect(address).await.unwrap();
            slow.write_all(begin.as_bytes()).await.unwrap();
            let mut next = TcpStream::connect(address).await.unwrap();
            next.write_all(post(2, "me").as_bytes()).await.unwrap();
            let mut answer = [0; 15];
            let answered = tokio::time::timeout(LIMITS.patience, next.read_exact(&mut answer));
            answered.await.expect("the slow one is let go").unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200 OK");
            drop(next);
            let mut rest = Vec::new();
            // Who was let go may see the connection reset.
            let _ = slow.read_to_end(&mut rest).await;
            let shown = String::from_utf8_lossy(&rest[..rest.len().min(80)]);
            assert!(shown.starts_with(told) && shown.is_empty() == told.is_empty(), "{shown}");
            assert!(rest.len() < ANSWER, "what was left on its way is no whole answer");
        }
        server.abort();
    }
}
