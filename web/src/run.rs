//! What is asked of servers: connecting, listing, getting an entry, reading files.

mod connect;
mod judge;
mod read;

pub(crate) use connect::{Entered, connect, disconnect, end_session, list_again};
pub(crate) use judge::{judge, resume, stage_word, stop_judging};
pub(crate) use read::{get, open_by_uri, read_file, verify_all};

use leptos::prelude::*;
use skillglass::protocol::retry::{asked_pause, is_busy};
use skillglass::protocol::{
    Again, Answered, Call, Client, HttpRequest, Patience, Reply, ReplyLimits, Retries,
    ServerRequest,
};

use crate::browser;
use crate::failure::{Failure, Place};
use crate::state::server::{Pause, Server};
use crate::transport::{Received, Stop, Terms, Transport, Unanswered};
use crate::wire::Outcome;

/// What a question may cost.
#[derive(Clone, Copy)]
struct Cost<'c> {
    /// What its answer may hold.
    limits: ReplyLimits,
    /// How long the server may be silent, in milliseconds.
    silence_ms: u64,
    /// Ends it.
    stop: &'c Stop,
}

/// Asks a server one question, as often as the server wants it repeated and core allows.
async fn ask(
    server: Server,
    call: &Call,
    limits: ReplyLimits,
    stop: &Stop,
) -> Result<Reply, Failure> {
    let connection = server.connection();
    let mut retries = Retries::new(Patience::default());
    loop {
        let request = connection.client.borrow_mut().request(call).map_err(Failure::Request)?;
        let client = connection.client.borrow().clone();
        let cost = Cost { limits, silence_ms: server.app().settings.request_ms(), stop };
        let received = match exchange(server, &client, &request, subject(call), cost).await {
            Ok(received) => received,
            Err(unanswered) => return Err(failure(server, unanswered).await),
        };
        match retries.after(client.wire(), &received.answered, browser::now()) {
            Again::No => return judged(received.answered),
            Again::AtOnce => {}
            Again::AfterHandshake => connect::renew(server, client.wire(), stop).await?,
            Again::AfterPause { ms } => pause(server, received.answered.status, ms, stop).await?,
        }
    }
}

/// The message of an answer, or what its status says before any message.
fn judged(answered: Answered) -> Result<Reply, Failure> {
    let status = answered.status;
    if matches!(status, 401 | 403) {
        let said = answered.said();
        return Err(Failure::Denied { status, challenge: answered.challenge, said });
    }
    if is_busy(status) {
        let pause_ms = asked_pause(&answered, browser::now());
        return Err(Failure::Busy { status, said: answered.said(), pause_ms });
    }
    answered.reply.map_err(Failure::Reply)
}

/// Leaves a busy server alone for a while, and shows for how long.
async fn pause(server: Server, status: u16, ms: u64, stop: &Stop) -> Result<(), Failure> {
    const SECOND: u64 = 1_000;
    let ends_at = browser::clock() + ms;
    loop {
        let left = ends_at.saturating_sub(browser::clock());
        server.pause.try_set((left > 0).then_some(Pause { status, ends_at }));
        if left == 0 {
            return Ok(());
        }
        if !stop.wait(left.min(SECOND)).await {
            server.pause.try_set(None);
            return Err(Failure::Cancelled);
        }
    }
}

fn subject(call: &Call) -> Option<String> {
    let subject = call.subject()?;
    Some(match call {
        Call::ListSkills { .. } | Call::ListResources { .. } => format!("cursor \"{subject}\""),
        _ => subject.to_owned(),
    })
}

/// Sends a request, answers what the server asks meanwhile, and keeps all of it on the wire's log.
async fn exchange(
    server: Server,
    client: &Client,
    request: &HttpRequest,
    subject: Option<String>,
    Cost { limits, silence_ms, stop }: Cost<'_>,
) -> Result<Received, Unanswered> {
    let connection = server.connection();
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), subject.as_deref(), request);
    let started = browser::clock();
    let asked = |question: ServerRequest| {
        if let Some(answer) = client.answer(&question) {
            tell(server, answer, Some(&question.method));
        }
    };
    let terms = Terms { limits, silence_ms, stop, asked: &asked };
    let received = connection.transport.send(request, terms).await;
    let is_given_up = matches!(received, Err(Unanswered::Stopped | Unanswered::TimedOut(_)));
    if let Some(notice) = client.cancelled(request).filter(|_| is_given_up) {
        tell(server, notice, None);
    }
    let outcome = match &received {
        Ok(received) => answered(received, request, browser::clock() - started),
        Err(unanswered) => no_answer(server, *unanswered, browser::clock() - started),
    };
    wire.end(number, outcome);
    received
}

/// Sends a message whose answer says nothing.
fn tell(server: Server, request: HttpRequest, subject: Option<&str>) {
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), subject, &request);
    server.connection().transport.tell(request, move |status, ms| {
        let good = status.is_some_and(|status| status < 400);
        let body = if status.is_some() { String::new() } else { "No answer.".to_owned() };
        wire.end(number, Outcome { status, ms, bytes: 0, content_type: None, body, good });
    });
}

fn answered(received: &Received, request: &HttpRequest, ms: u64) -> Outcome {
    let Received { answered, content_type, bytes } = received;
    let body = match &answered.reply {
        Ok(reply) => reply.text.clone(),
        Err(error) => error.excerpt().unwrap_or_default().to_owned(),
    };
    // What has no id is answered with a status only.
    let is_readable = answered.reply.is_ok() || request.id.is_none();
    Outcome {
        status: Some(answered.status),
        ms,
        bytes: *bytes,
        content_type: content_type.clone(),
        body,
        good: is_readable && answered.status < 400,
    }
}

fn no_answer(server: Server, unanswered: Unanswered, ms: u64) -> Outcome {
    let body = match unanswered {
        Unanswered::Opaque => "The browser gave no answer and no reason.".to_owned(),
        Unanswered::BrokenOff => line(server, &Failure::BrokenOff),
        Unanswered::TimedOut(seconds) => line(server, &Failure::TimedOut(seconds)),
        Unanswered::Stopped => line(server, &Failure::Cancelled),
    };
    Outcome { status: None, ms, bytes: 0, content_type: None, body, good: false }
}

/// Why there is no answer, after a look at what the browser did not say.
async fn failure(server: Server, unanswered: Unanswered) -> Failure {
    match unanswered {
        Unanswered::Opaque => Failure::Unreachable(Transport::reach(&server.endpoint()).await),
        Unanswered::BrokenOff => Failure::BrokenOff,
        Unanswered::TimedOut(seconds) => Failure::TimedOut(seconds),
        Unanswered::Stopped => Failure::Cancelled,
    }
}

/// A failure in one line.
fn line(server: Server, failure: &Failure) -> String {
    // The sentence that stands in a step does not name the page.
    failure.line(Place { endpoint: &server.endpoint(), origin: "" })
}
