//! The core's own server for skills, put on the network: `demo-server good` or `demo-server broken`.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use skillglass::demo;
use skillglass::protocol::{Header, HttpMethod, HttpReply, HttpRequest};
use skillglass::server::SkillServer;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let server = demo::server(&name).ok_or("Usage: demo-server good|broken")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    tokio::select! {
        served = serve(listener, Arc::new(server)) => served,
        closed = input_closed() => closed,
    }
}

async fn serve(listener: TcpListener, server: Arc<SkillServer>) -> Result<(), Box<dyn Error>> {
    loop {
        let (stream, _) = listener.accept().await?;
        let server = Arc::clone(&server);
        let service = service_fn(move |request| answer(Arc::clone(&server), request));
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service);
        // A client may leave in the middle of an answer.
        tokio::spawn(connection);
    }
}

async fn answer(
    server: Arc<SkillServer>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() != Method::POST {
        return Ok(status(405));
    }
    let header = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
        let value = value.to_str().ok()?.to_owned();
        Some(Header { name: name.to_string(), value, secret: false })
    };
    let headers = request.headers().iter().filter_map(header).collect();
    let url = request.uri().to_string();
    let Ok(body) = request.into_body().collect().await else { return Ok(status(400)) };
    let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let (method, rpc_method, id) = (HttpMethod::Post, None, None);
    let HttpReply { status, content_type, body } =
        server.answer(&HttpRequest { method, url, headers, body, rpc_method, id });
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status.try_into().expect("the core's statuses are those of HTTP");
    if let Some(value) = content_type.and_then(|text| text.parse().ok()) {
        response.headers_mut().insert(CONTENT_TYPE, value);
    }
    Ok(response)
}

fn status(code: u16) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = code.try_into().expect("a status of HTTP");
    response
}

/// Whoever started this server holds its standard input open, and may die without a word.
async fn input_closed() -> Result<(), Box<dyn Error>> {
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}
