//! The folder's endpoint over Streamable HTTP. Each answer is one JSON message; there are no sessions.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use skillglass::server::{Gate, preflight, readable};

use super::Shelf;
use crate::failure::Failure;
use crate::listen::{Listener, MAX_MESSAGE, header, read_message, reply, text};

/// Where the endpoint is.
pub(super) const PATH: &str = "/mcp";

#[derive(Clone)]
struct Endpoint {
    shelf: Shelf,
    gate: Arc<Gate>,
}

pub(super) async fn serve(listener: Listener, shelf: Shelf, gate: Gate) -> Failure {
    let endpoint = Endpoint { shelf, gate: Arc::new(gate) };
    let elsewhere = || async { text(StatusCode::NOT_FOUND, "the endpoint is /mcp") };
    let gate = middleware::from_fn_with_state(endpoint.clone(), through_gate);
    let router = Router::new().route(PATH, any(answer)).fallback(elsewhere);
    listener.serve(router.layer(gate).with_state(endpoint)).await
}

/// Lets in whom the gate does. Pages among them may read every answer, also one that says that they
/// asked at the wrong place.
async fn through_gate(State(endpoint): State<Endpoint>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let origin = header(headers, "origin").map(str::to_owned);
    if let Err(refused) = endpoint.gate.admit(header(headers, "host"), origin.as_deref()) {
        return text(StatusCode::FORBIDDEN, &refused.to_string());
    }
    match origin {
        Some(origin) if request.method() == Method::OPTIONS => {
            with_headers(StatusCode::NO_CONTENT.into_response(), preflight(&origin))
        }
        Some(origin) => with_headers(next.run(request).await, readable(&origin)),
        None => next.run(request).await,
    }
}

async fn answer(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if head.method != Method::POST {
        let refused = text(StatusCode::METHOD_NOT_ALLOWED, "messages are sent with POST");
        return with_headers(refused, [("allow", "POST".to_owned())]);
    }
    match read_message(&head.headers, body, MAX_MESSAGE).await {
        Ok(message) => reply(endpoint.shelf.server().answer_http(&message)),
        Err(refused) => refused,
    }
}

fn with_headers(
    mut response: Response,
    headers: impl IntoIterator<Item = (&'static str, String)>,
) -> Response<Body> {
    for (name, value) in headers {
        let (name, value) = (name.parse::<HeaderName>(), HeaderValue::try_from(value));
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
