//! What is asked of servers: connecting, listing, getting an entry, reading files.

mod connect;
mod judge;
mod read;
pub(crate) mod sign_in;

pub(crate) use connect::{Entered, connect, disconnect, end_session, list_again, take_up};
pub(crate) use judge::{judge, resume, stage_word, stop_judging};
pub(crate) use read::{freshen, get, open_by_uri, read_file, verify_all};

use leptos::prelude::*;
use skillglass::auth::{Remedy, Sent};
use skillglass::protocol::retry::{asked_pause, is_busy};
use skillglass::protocol::{
    Again, Answered, Call, Client, HttpMethod, HttpRequest, Patience, Reply, ReplyLimits, Retries,
    ServerRequest,
};

use crate::browser;
use crate::failure::{Failure, Place};
use crate::state::server::{Pause, Server};
use crate::transport::{self, Received, Stop, Terms, Transport, Unanswered};
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
        let exchanged = exchange(server, &client, &request, subject(call), cost).await?;
        let received = match exchanged {
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

/// Sends a request as one of the user's. Where the server wants to know who asks, that can take
/// until they have signed in.
async fn exchange(
    server: Server,
    client: &Client,
    request: &HttpRequest,
    subject: Option<String>,
    cost: Cost<'_>,
) -> Result<Result<Received, Unanswered>, Failure> {
    let mut renewed = false;
    loop {
        let tokens = sign_in::tokens(server, cost.stop).await?;
        let mut request = request.clone();
        let sent = Sent::authorize(&mut request, tokens.as_deref(), renewed);
        let received = send(server, client, &request, subject.as_deref(), cost).await;
        let remedy = received.as_ref().ok().and_then(|Received { answered, .. }| {
            Remedy::of(answered.status, answered.challenge.as_deref(), sent)
        });
        let Some(remedy) = remedy else { return Ok(received) };
        sign_in::mend(server, remedy, tokens.as_ref(), cost.stop).await?;
        renewed = true;
    }
}

/// Sends a request, answers what the server asks meanwhile, and keeps all of it on the wire's log.
async fn send(
    server: Server,
    client: &Client,
    request: &HttpRequest,
    subject: Option<&str>,
    Cost { limits, silence_ms, stop }: Cost<'_>,
) -> Result<Received, Unanswered> {
    let connection = server.connection();
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), subject, request);
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
fn tell(server: Server, mut request: HttpRequest, subject: Option<&str>) {
    Sent::authorize(&mut request, server.sign_in.tokens_now().as_deref(), false);
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), subject, &request);
    server.connection().transport.tell(request, move |status, ms| {
        let good = status.is_some_and(|status| status < 400);
        let body = if status.is_some() { String::new() } else { "No answer.".to_owned() };
        wire.end(number, Outcome { status, ms, bytes: 0, content_type: None, body, good });
    });
}

/// Sends a request that is needed to sign in, to whomever it has to go, and notes it on the wire's
/// log: without bodies where those can hold tokens.
async fn send_about_sign_in(
    server: Server,
    request: &HttpRequest,
    stop: &Stop,
) -> Result<(u16, Vec<u8>), Unanswered> {
    let is_secret = request.method != HttpMethod::Get;
    let shown = HttpRequest { body: String::new(), ..request.clone() };
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), Some(&request.url), &shown);
    let started = browser::clock();
    let silence_ms = server.app().settings.connect_ms();
    let came = transport::ask_about_sign_in(request, silence_ms, stop).await;
    let ms = browser::clock() - started;
    let outcome = match &came {
        Ok((status, body)) => Outcome {
            status: Some(*status),
            ms,
            bytes: body.len() as u64,
            content_type: None,
            body: match is_secret {
                true => "Not kept, as it can hold tokens.".to_owned(),
                false => String::from_utf8_lossy(body).into_owned(),
            },
            good: *status < 400,
        },
        Err(unanswered) => no_answer(server, *unanswered, ms),
    };
    wire.end(number, outcome);
    came
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
