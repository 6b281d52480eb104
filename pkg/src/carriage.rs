//! What `carry.js` carries, as the conversation of a host and a conformance run both name it: what
//! to send to whom, what stands in front of an answer, why none came.

use serde::Serialize;
use skillglass::protocol::conversation::{AnswerHead, Errand, Lack};
use skillglass::protocol::{Client, EraChoice, MAX_SILENCES};
use wasm_bindgen::JsValue;

use crate::argument;
use crate::failure::failure;

/// A request to carry.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outgoing<'a> {
    number: u64,
    question: Option<u64>,
    pause_ms: u64,
    max_silences: u32,
    url: &'a str,
    method: &'static str,
    headers: Vec<(&'a str, &'a str)>,
    body: &'a str,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn of(errand: &'a Errand) -> Self {
        let request = &errand.request;
        let headers = request.headers.iter();
        Self {
            number: errand.number,
            question: errand.question,
            pause_ms: errand.pause_ms,
            max_silences: MAX_SILENCES,
            url: &request.url,
            method: request.method.as_str(),
            headers: headers.map(|it| (it.name.as_str(), it.value.as_str())).collect(),
            body: &request.body,
        }
    }
}

/// Status and headers of an answer.
pub(crate) fn head(
    status: &JsValue,
    content_type: &JsValue,
    session: &JsValue,
    retry_after: &JsValue,
    challenge: &JsValue,
) -> Result<AnswerHead, JsValue> {
    Ok(AnswerHead {
        status: argument::status(status, "status")?,
        content_type: argument::nullable_text(content_type, "contentType")?,
        session: argument::nullable_text(session, "session")?,
        challenge: argument::nullable_text(challenge, "challenge")?,
        retry_after: argument::nullable_text(retry_after, "retryAfter")?,
        noise: None,
    })
}

/// Why an errand brought no answer.
pub(crate) fn lack(lack: &JsValue, reason: &JsValue) -> Result<Lack, JsValue> {
    let reason = argument::nullable_text(reason, "reason")?;
    Ok(match argument::text(lack, "lack")?.as_str() {
        "unreachable" => Lack::Unreachable(reason),
        "broken-off" => Lack::BrokenOff,
        "timed-out" => Lack::TimedOut,
        "stopped" => Lack::Stopped,
        other => return Err(argument::not_one_of("lack", other)),
    })
}

/// A client of the endpoint that sends `headers` and `token` of the options along; one without an
/// address where there is no endpoint.
pub(crate) fn client(endpoint: Option<&str>, options: &JsValue) -> Result<Client, JsValue> {
    let invalid = |error: &dyn std::fmt::Display| failure("invalid-argument", &error.to_string());
    let Some(endpoint) = endpoint else { return Ok(Client::over_pipe()) };
    let mut client = Client::new(endpoint).map_err(|error| invalid(&error))?;
    if let Some(token) = argument::option(options, "token", argument::text)? {
        client.set_bearer_token(&token).map_err(|error| invalid(&error))?;
    }
    let headers = argument::option(options, "headers", argument::members)?;
    for (name, value) in headers.unwrap_or_default() {
        let value = argument::text(&value, "a header's value")?;
        client.set_header(&name, &value).map_err(|error| invalid(&error))?;
    }
    Ok(client)
}

/// The `era` of the options.
pub(crate) fn era(options: &JsValue) -> Result<EraChoice, JsValue> {
    Ok(match argument::option(options, "era", argument::text)?.as_deref() {
        None | Some("auto") => EraChoice::Auto,
        Some("modern") => EraChoice::Modern,
        Some("legacy") => EraChoice::Legacy,
        Some(other) => return Err(argument::not_one_of("era", other)),
    })
}
