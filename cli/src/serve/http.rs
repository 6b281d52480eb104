//! The folder's endpoint over Streamable HTTP. Each answer is one JSON message; there are no sessions.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
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
    let router = Router::new().route(PATH, any(answer)).fallback(elsewhere).with_state(endpoint);
    listener.serve(router).await
}

async fn answer(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let origin = header(&head.headers, "origin").map(str::to_owned);
    if let Err(refused) = endpoint.gate.admit(header(&head.headers, "host"), origin.as_deref()) {
        return text(StatusCode::FORBIDDEN, &refused.to_string());
    }
    match (head.method, origin) {
        (Method::OPTIONS, Some(origin)) => {
            with_headers(StatusCode::NO_CONTENT.into_response(), preflight(&origin))
        }
        (Method::POST, origin) => {
            let answer = match read_message(&head.headers, body, MAX_MESSAGE).await {
                Ok(message) => reply(endpoint.shelf.server().answer_http(&message)),
                Err(refused) => refused,
            };
            with_headers(answer, origin.as_deref().map(readable).into_iter().flatten())
        }
        _ => {
            let refused = text(StatusCode::METHOD_NOT_ALLOWED, "messages are sent with POST");
            with_headers(refused, [("allow", "POST".to_owned())])
        }
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
