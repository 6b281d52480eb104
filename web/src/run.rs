//! What is asked of servers: connecting, listing, getting an entry, reading files.

mod connect;
mod judge;
mod local;
mod read;
pub(crate) mod sign_in;
pub(crate) mod walk;

pub(crate) use connect::{
    Entered, connect, connect_bridged, disconnect, end_session, go_around, list_again,
    open_only_server, reconnect, take_up,
};
pub(crate) use judge::{OtherEra, judge, resume, stage_word, stop_judging};
pub(crate) use local::{take_chosen, take_dropped};
pub(crate) use read::{
    freshen, get, open_by_uri, read_file, stop_chosen, verify_all, verify_chosen, verify_shown,
};

use leptos::prelude::*;
use skillglass::auth::{Remedy, Sent};
use skillglass::protocol::diagnosis::{Inquiry, InquiryStep, Obstacle, Place, Probe, ProbeOutcome};
use skillglass::protocol::log::{
    Came, Excerpt, MAX_BODY, Outcome, Question, Transcript, problem_of,
};
use skillglass::protocol::retry::{asked_pause, is_busy};
use skillglass::protocol::{
    Again, Answered, Call, Client, HttpMethod, HttpRequest, Patience, Reply, ReplyLimits, Retries,
    ServerRequest,
};

use crate::browser;
use crate::failure::Failure;
use crate::later;
use crate::state::server::{Pause, Server};
use crate::transport::{self, Delivery, Stop, Terms, Transport, Unanswered};

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

/// What came of a question.
struct Asked {
    /// The number of the last exchange, if the question went out.
    exchange: Option<usize>,
    /// The answer.
    reply: Result<Reply, Failure>,
}

/// Asks a server one question, and finds out why the browser gave no answer.
async fn ask(server: Server, call: &Call, limits: ReplyLimits, stop: &Stop) -> Asked {
    let asked = ask_plainly(server, call, limits, stop).await;
    let reply = match asked.reply {
        Err(failure) => Err(explained(server, failure).await),
        reply => reply,
    };
    Asked { reply, ..asked }
}

/// Asks a server one question, as often as the server wants it repeated and core allows.
async fn ask_plainly(server: Server, call: &Call, limits: ReplyLimits, stop: &Stop) -> Asked {
    let mut exchange = None;
    let reply = repeatedly(server, call, limits, stop, &mut exchange).await;
    Asked { exchange, reply }
}

async fn repeatedly(
    server: Server,
    call: &Call,
    limits: ReplyLimits,
    stop: &Stop,
    number: &mut Option<usize>,
) -> Result<Reply, Failure> {
    let connection = server.connection();
    let label = server.label();
    let mut retries = Retries::new(Patience::default());
    loop {
        let request = connection.client.borrow_mut().request(call).map_err(Failure::Request)?;
        let client = connection.client.borrow().clone();
        let cost = Cost { limits, silence_ms: server.app().settings.request_ms(), stop };
        let question = Question::of_call(&label, call, &request, browser::now());
        let (exchange, answered) = exchange(server, &client, question, cost).await?;
        *number = Some(exchange);
        let answered = answered.map_err(|unanswered| failure(unanswered, &request))?;
        match retries.after(client.wire(), &answered, browser::now()) {
            Again::No => return judged(answered),
            Again::AtOnce => {}
            Again::AfterHandshake => connect::renew(server, client.wire(), stop).await?,
            Again::AfterPause { ms } => pause(server, answered.status, ms, stop).await?,
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

/// Sends a request as one of the user's. Where the server wants to know who asks, that can take
/// until they have signed in.
async fn exchange(
    server: Server,
    client: &Client,
    question: Question<'_>,
    cost: Cost<'_>,
) -> Result<(usize, Result<Answered, Unanswered>), Failure> {
    let mut renewed = false;
    loop {
        let tokens = sign_in::tokens(server, cost.stop).await?;
        let mut request = question.request.clone();
        let sent = Sent::authorize(&mut request, tokens.as_deref(), renewed);
        let question = Question { request: &request, at_ms: browser::now(), ..question.clone() };
        let (number, answered) = send(server, client, question, cost).await;
        let remedy = answered
            .as_ref()
            .ok()
            .and_then(|answered| Remedy::of(answered.status, answered.challenge.as_deref(), sent));
        let Some(remedy) = remedy else { return Ok((number, answered)) };
        sign_in::mend(server, remedy, tokens.as_ref(), cost.stop).await?;
        renewed = true;
    }
}

/// Sends a request, answers what the server asks meanwhile, and keeps all of it on the wire's log.
async fn send(
    server: Server,
    client: &Client,
    question: Question<'_>,
    Cost { limits, silence_ms, stop }: Cost<'_>,
) -> (usize, Result<Answered, Unanswered>) {
    let request = question.request;
    let connection = server.connection();
    let wire = server.app().wire;
    let number = wire.begin(&question);
    let started = browser::clock();
    let asked = |question: ServerRequest| {
        if let Some(answer) = client.answer(&question) {
            tell(server, answer, Some(question.method));
        }
    };
    let terms = Terms { limits, silence_ms, stop, asked: &asked };
    let Delivery { came, answered } = connection.transport.send(request, terms).await;
    let is_given_up = matches!(answered, Err(Unanswered::Stopped | Unanswered::TimedOut(_)));
    if let Some(notice) = client.cancelled(request).filter(|_| is_given_up) {
        tell(server, notice, None);
    }
    let problem = match &answered {
        // What has no id is answered with a status only.
        Ok(answered) => request.id.and_then(|_| problem_of(&answered.reply)),
        Err(unanswered) => Some(unanswered.line().to_owned()),
    };
    wire.end(number, request, Outcome { ms: browser::clock() - started, came, problem });
    (number, answered)
}

/// Sends a message whose answer says nothing.
fn tell(server: Server, mut request: HttpRequest, subject: Option<String>) {
    Sent::authorize(&mut request, server.sign_in.tokens_now().as_deref(), false);
    let wire = server.app().wire;
    let label = server.label();
    let question = Question { subject, ..Question::plain(&label, &request, browser::now()) };
    let number = wire.begin(&question);
    let sent = request.clone();
    server.connection().transport.tell(request, move |status, ms| {
        let came = status.map(|status| Came {
            status,
            headers: Vec::new(),
            headers_ms: ms,
            transcript: Transcript::default(),
        });
        let problem = status.is_none().then(|| Unanswered::Opaque.line().to_owned());
        wire.end(number, &sent, Outcome { ms, came, problem });
    });
}

/// Sends a request that is needed to sign in, to whomever it has to go, and notes it on the wire's
/// log: without bodies where those can hold tokens.
async fn send_about_sign_in(
    server: Server,
    request: &HttpRequest,
    stop: &Stop,
) -> Result<(u16, Vec<u8>), Unanswered> {
    let wire = server.app().wire;
    let label = server.label();
    let question = Question {
        purpose: "sign-in",
        subject: Some(request.url.clone()),
        withholds_bodies: request.method != HttpMethod::Get,
        ..Question::plain(&label, request, browser::now())
    };
    let number = wire.begin(&question);
    let started = browser::clock();
    let silence_ms = server.app().settings.connect_ms();
    let answer = transport::ask_beside(request, silence_ms, stop).await;
    let ms = browser::clock() - started;
    let came = answer.as_ref().ok().map(|(status, body)| Came {
        status: *status,
        headers: Vec::new(),
        headers_ms: ms,
        transcript: Transcript {
            body: Excerpt::new(body, body.len() as u64, MAX_BODY),
            ..Transcript::default()
        },
    });
    let problem = answer.as_ref().err().map(|unanswered| unanswered.line().to_owned());
    wire.end(number, request, Outcome { ms, came, problem });
    answer
}

/// Why there is no answer, as far as it is known at once.
fn failure(unanswered: Unanswered, request: &HttpRequest) -> Failure {
    match unanswered {
        Unanswered::Opaque => Failure::Unexplained(Box::new(request.clone())),
        Unanswered::BrokenOff => Failure::BrokenOff,
        Unanswered::TimedOut(seconds) => Failure::TimedOut(seconds),
        Unanswered::Stopped => Failure::Cancelled,
    }
}

/// The same failure, after a look at what the browser did not say.
async fn explained(server: Server, failure: Failure) -> Failure {
    match failure {
        Failure::Unexplained(request) => match server.app().later.load().await {
            Ok(later) => Failure::Unreachable((later.obstacle)(server, request).await),
            Err(_) => Failure::Unexplained(request),
        },
        failure => failure,
    }
}

/// What stands between this page and an answer to the request that the browser refused.
pub(crate) async fn obstacle(server: Server, refused: Box<HttpRequest>) -> Obstacle {
    let vantage = browser::vantage(&refused.url).await;
    let mut inquiry = Inquiry::new(*refused, &vantage);
    loop {
        match inquiry.step() {
            InquiryStep::Send(probe) => inquiry.receive(probed(server, &probe).await),
            InquiryStep::Done(obstacle) => return obstacle,
        }
    }
}

/// Sends a probe, and keeps it on the wire's log.
async fn probed(server: Server, probe: &Probe) -> ProbeOutcome {
    let wire = server.app().wire;
    let label = server.label();
    let subject = probe.request.headers.first().map(|header| header.name.clone());
    let question = Question {
        purpose: probe.purpose,
        subject,
        takes_any_status: true,
        ..Question::plain(&label, &probe.request, browser::now())
    };
    let number = wire.begin(&question);
    let started = browser::clock();
    let (outcome, came) = Transport::probe(probe).await;
    let problem = (outcome != ProbeOutcome::Answered).then(|| outcome.to_string());
    let ms = browser::clock() - started;
    wire.end(number, &probe.request, Outcome { ms, came, problem });
    outcome
}

/// A failure in one line, which the second file has the words for.
async fn line(server: Server, failure: &Failure) -> String {
    match server.app().later.load().await {
        Ok(later) => (later.line)(server, failure),
        Err(_) => later::NOT_LOADED.to_owned(),
    }
}

/// A failure in one line.
pub(crate) fn words(server: Server, failure: &Failure) -> String {
    // The sentence that stands in a step does not name the page.
    let line = failure.line(Place { endpoint: &server.endpoint(), origin: &browser::origin() });
    server.secrets().mask(&line)
}
