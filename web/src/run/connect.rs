//! The way to a server, step by step, and through its listing page by page.

use std::cell::RefCell;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::entry::Reading;
use skillglass::protocol::log::Question;
use skillglass::protocol::results::{SkillPage, check_finished, holds_in, read_entries, read_page};
use skillglass::protocol::{
    Attempt, Call, Client, Connected, EraChoice, Handshake, HandshakeError, HandshakeStep,
    HttpRequest, Listing, Patience, Reply, RequestError, Retries, Wire,
};

use super::sign_in;
use super::{Cost, ask, exchange, explained, failure, line, pause, tell};
use crate::bridge::{self, Bridged};
use crate::browser;
use crate::failure::Failure;
use crate::label::{DEMO, LOCAL};
use crate::mark::Mark;
use crate::navigation;
use crate::route::Route;
use crate::state::App;
use crate::state::catalog::key_of;
use crate::state::server::{Connection, Endpoint, Server, Stage, Step};
use crate::state::skill::{Answer, Held};
use crate::text::count;
use crate::transport::{self, Demo, Stop, Transport, Unanswered};

/// How many entries of a page are read before the browser has its turn.
const ENTRIES: usize = 250;

/// What the user enters beside the address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entered {
    /// A bearer token; empty for none.
    pub(crate) token: String,
    /// Headers: names and values. Those without a name do not count.
    pub(crate) headers: Vec<(String, String)>,
    /// Which era is to be spoken.
    pub(crate) era: EraChoice,
    /// Whether this browser is to keep nothing of the server.
    pub(crate) forgets: bool,
}

impl Entered {
    /// Whether the user sends anything along.
    fn has_headers(&self) -> bool {
        let mut names = self.headers.iter().map(|(name, _)| name.trim());
        !self.token.trim().is_empty() || names.any(|name| !name.is_empty())
    }

    /// Whether the user authorizes every request themselves.
    fn authorizes(&self) -> bool {
        let mut names = self.headers.iter().map(|(name, _)| name.trim());
        !self.token.trim().is_empty()
            || names.any(|name| name.eq_ignore_ascii_case("authorization"))
    }
}

/// Connects to the server at `endpoint`; the steps can be watched in [`App::attempt`].
pub(crate) fn connect(app: App, endpoint: &str, entered: &Entered) -> Result<(), Failure> {
    let server = attempt(app, endpoint, entered)?;
    let recalls = !entered.authorizes() && server.sign_in.has_kept(endpoint);
    let signed_in = recalls.then(|| recalled(server).boxed_local());
    spawn_local(run(server, signed_in));
    Ok(())
}

/// Connects to the server for which the page itself went away to sign in.
pub(crate) fn take_up(app: App) {
    sign_in::listen(app);
    let Some(returned) = sign_in::take_return() else { return };
    if let Ok(server) = attempt(app, returned.endpoint(), &Entered::default()) {
        let signed_in =
            async move { sign_in::resume(server, returned, &server.stop.get_value()).await };
        spawn_local(run(server, Some(signed_in.boxed_local())));
    }
}

/// Connects to a server behind the bridge.
pub(crate) fn connect_bridged(app: App, bridged: &Bridged) {
    // The bridge's own address is one that can be used.
    let _ = connect(app, &bridged.endpoint(), &Entered::default());
}

/// Connects over the bridge to an address that this page could not read; whether the bridge takes it.
pub(crate) async fn go_around(server: Server) -> bool {
    let (app, endpoint, era) = (server.app(), server.endpoint(), server.connection().era);
    let request = bridge::ask_to_name(&server.connection().client.borrow());
    let Some(request) = request else { return false };
    let answer = transport::ask_beside(&request, app.settings.connect_ms(), &Stop::new()).await;
    let Ok((200, number)) = answer else { return false };
    let named = bridge::name(&endpoint, &String::from_utf8_lossy(&number)).is_some();
    named && connect(app, &endpoint, &Entered { era, ..Entered::default() }).is_ok()
}

/// Connects to the server that the user named when they started the program that serves this page,
/// if they named one only and are at the start.
pub(crate) fn open_only_server(app: App) {
    let at_start = app.route.with_untracked(|route| *route == Route::Connect { url: None });
    let is_free = app.attempt.with_untracked(Option::is_none);
    if let ([only], true, true) = (bridge::servers(), at_start, is_free) {
        connect_bridged(app, only);
    }
}

/// Shows what is served inside of this page. What was shown by that name before is listed anew, so that changes are told.
pub(super) fn open_inside(app: App, name: &str, demo: Demo) {
    let endpoint = format!("{LOCAL}{name}");
    if let Some(server) = app.server_at(&endpoint) {
        if let Transport::Inside { server, .. } = &server.connection().transport {
            server.replace(Some(demo));
        }
        list_again(server);
        return navigation::go(&Route::Server { label: server.label().to_string() });
    }
    // The address is only there to have requests made.
    let Ok(client) = Client::new("https://local.invalid/") else { return };
    let transport = Transport::Inside { demo: None, server: RefCell::new(Some(demo)) };
    let connection = Connection::new(client, transport, EraChoice::Modern);
    spawn_local(run(attempt_over(app, &endpoint, connection), None));
}

/// A server that is going to be connected to, in place of the one before.
fn attempt(app: App, endpoint: &str, entered: &Entered) -> Result<Server, Failure> {
    let server = attempt_over(app, endpoint, prepare(endpoint, entered)?);
    server.is_remembered.set(!entered.forgets);
    Ok(server)
}

fn attempt_over(app: App, endpoint: &str, connection: Connection) -> Server {
    if let Some(previous) = app.attempt.get_untracked() {
        previous.stop.with_value(Stop::pull);
    }
    let server = app.new_server(Endpoint(endpoint.to_owned()), connection);
    push_step(server, Mark::Good, "Address understood".to_owned());
    app.attempt.set(Some(server));
    server
}

fn prepare(endpoint: &str, entered: &Entered) -> Result<Connection, Failure> {
    if let Some(name) = endpoint.strip_prefix(DEMO) {
        let names = skillglass::demo::NAMES;
        let name = names.into_iter().find(|known| *known == name).ok_or(Failure::NoDemo)?;
        let client = Client::new(&format!("https://demo.invalid/{name}"));
        let client = client.map_err(Failure::Endpoint)?;
        let transport = Transport::Inside { demo: Some(name), server: RefCell::new(None) };
        return Ok(Connection::new(client, transport, EraChoice::Modern));
    }
    // Who gives a token or headers here wants them to be sent by this page.
    if let (Some(bridged), false) = (bridge::find(endpoint), entered.has_headers()) {
        let client = bridged.client().map_err(Failure::Endpoint)?;
        return Ok(Connection::new(client, Transport::Http, entered.era));
    }
    let mut client = Client::new(endpoint).map_err(Failure::Endpoint)?;
    set_credentials(&mut client, entered).map_err(Failure::Request)?;
    Ok(Connection::new(client, Transport::Http, entered.era))
}

fn set_credentials(client: &mut Client, entered: &Entered) -> Result<(), RequestError> {
    if !entered.token.trim().is_empty() {
        client.set_bearer_token(&entered.token)?;
    }
    for (name, value) in &entered.headers {
        if !name.trim().is_empty() {
            client.set_header(name.trim(), value)?;
        }
    }
    Ok(())
}

/// Takes the tokens that the tab has kept.
async fn recalled(server: Server) -> Result<(), Failure> {
    let later = server.app().later.load().await?;
    (later.recall)(server);
    Ok(())
}

/// Something to be waited for.
type Awaited = LocalBoxFuture<'static, Result<(), Failure>>;

async fn run(server: Server, signed_in: Option<Awaited>) {
    let connected = match reach(server, signed_in).await {
        Ok(connected) => connected,
        Err(failure) => return fail(server, failure).await,
    };
    let declared = connected.discovery.skills;
    note_connected(server, connected);
    if declared {
        server.is_listing.try_set(true);
    }
    let came = declared && first_page(server).await;
    show(server);
    if came {
        rest(server).await;
    }
    server.is_listing.try_set(false);
}

/// Says that a server cannot be used, and why.
async fn fail(server: Server, failure: Failure) {
    let line = line(server, &failure).await;
    server.app().say(format!("Not connected. {line}"));
    fail_step(server, line);
    server.stage.try_set(Stage::Failed(failure));
}

/// Opens the conversation anew and lists again. What was read is kept.
pub(crate) fn reconnect(server: Server) {
    if matches!(server.stage.get_untracked(), Stage::Connecting) {
        return;
    }
    server.stage.set(Stage::Connecting);
    server.stop.set_value(Stop::new());
    server.steps.set(Vec::new());
    spawn_local(async move {
        match reach(server, None).await {
            Ok(connected) => {
                note_connected(server, connected);
                server.app().say(format!("Connected to {} again.", server.label()));
                list_again(server);
            }
            Err(failure) => fail(server, failure).await,
        }
    });
}

async fn reach(server: Server, signed_in: Option<Awaited>) -> Result<Connected, Failure> {
    // Whoever connects wants to look at skills next.
    let later = server.app().later;
    later.begin();
    server.connection().transport.prepare(later).await?;
    let stop = server.stop.get_value();
    if let Some(signed_in) = signed_in {
        signed_in.await?;
    }
    greet(server, server.connection().era, &stop).await
}

fn note_connected(server: Server, connected: Connected) {
    let (mark, text) = if connected.discovery.skills {
        (Mark::Good, "It declares skills")
    } else {
        (Mark::Warn, "It does not declare skills")
    };
    push_step(server, mark, text.to_owned());
    server.connected.try_set(Some(Arc::new(connected)));
    server.stage.try_set(Stage::Ready);
}

/// Finds out what the server speaks, and tells each step.
async fn greet(server: Server, era: EraChoice, stop: &Stop) -> Result<Connected, Failure> {
    let connection = server.connection();
    let client = connection.client.borrow().clone();
    let mut handshake = Handshake::new(client, era);
    let outcome = shake_hands(server, &mut handshake, stop).await;
    if outcome.is_ok() {
        connection.client.replace(handshake.into_client());
    } else if let Some(end) = handshake.client().end_session() {
        tell(server, end, None);
    }
    outcome
}

async fn shake_hands(
    server: Server,
    handshake: &mut Handshake,
    stop: &Stop,
) -> Result<Connected, Failure> {
    let settings = server.app().settings;
    let label = server.label();
    // The refused request that asks the most of a server's permission.
    let mut refused: Option<HttpRequest> = None;
    let mut retries = Retries::new(Patience::default());
    loop {
        let request = match handshake.step() {
            HandshakeStep::Send(request) => request,
            HandshakeStep::Done(connected) => return Ok(*connected),
            HandshakeStep::Failed(error) => return Err(refusal(server, error, refused).await),
        };
        begin_step(server, request.rpc_method);
        let cost = Cost { limits: settings.limits(), silence_ms: settings.connect_ms(), stop };
        let question = Question::plain(&label, &request, browser::now());
        let (number, answered) = exchange(server, handshake.client(), question, cost).await?;
        server.greeted_in.set_value(Some(number));
        let attempt = match answered {
            Ok(answered) => Attempt::Answered(answered),
            Err(Unanswered::Opaque) => {
                let asks_more = |it: &HttpRequest| it.headers.len() >= request.headers.len();
                refused = refused.filter(asks_more).or(Some(request));
                Attempt::Unreachable
            }
            Err(Unanswered::TimedOut(_)) => Attempt::TimedOut,
            Err(unanswered) => return Err(failure(unanswered, &request)),
        };
        if let Attempt::Answered(answered) = &attempt
            && let Some(ms) = retries.pause(answered, browser::now())
        {
            let status = answered.status;
            end_step(server, Mark::Note, format!("The server is busy: it answered {status}."));
            pause(server, status, ms, stop).await?;
            // The handshake has not heard of it, and gives the same step again.
            continue;
        }
        handshake.receive(attempt);
        if let Some(evidence) = handshake.evidence().last() {
            let mark = if evidence.agrees { Mark::Good } else { Mark::Note };
            end_step(server, mark, evidence.learned.clone());
        }
    }
}

/// Opens a new session in place of `lost`. However many calls have met the loss, one handshake
/// serves all of them.
pub(super) async fn renew(server: Server, lost: &Wire, stop: &Stop) -> Result<(), Failure> {
    let connection = server.connection();
    if connection.client.borrow().wire() != lost {
        return Ok(());
    }
    let under_way = connection.renewal.borrow().clone();
    let renewal = under_way.unwrap_or_else(|| {
        let renewal = begin_anew(server).boxed_local().shared();
        connection.renewal.replace(Some(renewal.clone()));
        renewal
    });
    stop.or(renewal).await.unwrap_or(Err(Failure::Cancelled))
}

async fn begin_anew(server: Server) -> Result<(), Failure> {
    push_step(server, Mark::Note, "The server has forgotten the session".to_owned());
    // Only the older eras have sessions.
    let outcome = greet(server, EraChoice::Legacy, &Stop::new()).await;
    server.connection().renewal.replace(None);
    match outcome {
        Ok(connected) => {
            server.connected.try_set(Some(Arc::new(connected)));
            Ok(())
        }
        Err(failure) => {
            fail_step(server, line(server, &failure).await);
            Err(failure)
        }
    }
}

/// Takes leave of a server and forgets it.
pub(crate) fn disconnect(server: Server) {
    end_session(server);
    server.app().remove(server);
}

/// Tells a server that its session is over, if there is one.
pub(crate) fn end_session(server: Server) {
    if let Some(end) = server.connection().client.borrow().end_session() {
        tell(server, end, None);
    }
}

/// Why the conversation cannot be opened, after a look at what the browser did not say. `refused`
/// is the request that it refused without a reason.
async fn refusal(server: Server, error: HandshakeError, refused: Option<HttpRequest>) -> Failure {
    match error {
        HandshakeError::Unreachable | HandshakeError::VersionHeaderBlocked => match refused {
            Some(refused) => explained(server, Failure::Unexplained(Box::new(refused))).await,
            None => Failure::Handshake(error),
        },
        HandshakeError::NotMcp(_) if Transport::is_old(&server.endpoint()).await => {
            Failure::OldTransport
        }
        HandshakeError::TimedOut => Failure::TimedOut(server.app().settings.connect_ms() / 1_000),
        HandshakeError::Request(error) => Failure::Request(error),
        HandshakeError::Forbidden { challenge, said } => {
            Failure::Denied { status: 403, challenge, said }
        }
        other => Failure::Handshake(other),
    }
}

/// Puts a reached server beside the others and goes there, unless the user has gone elsewhere.
fn show(server: Server) {
    let app = server.app();
    let was_watched = app.attempt.get_untracked() == Some(server);
    app.add(server);
    let label = server.label().to_string();
    app.say(format!("Connected to {label}."));
    if app.at.with_untracked(|at| at.as_deref() == Some(&*server.endpoint())) {
        return navigation::arrive(app);
    }
    let wanted = app.route.with_untracked(|route| route.label() == Some(&label));
    if was_watched && !wanted {
        navigation::go(&Route::Server { label });
    }
}

/// Lists from the beginning. What was listed before is kept until the first page comes.
pub(crate) fn list_again(server: Server) {
    if server.is_listing.get_untracked() {
        return;
    }
    server.is_listing.set(true);
    server.list_stop.set_value(Stop::new());
    server.not_refreshed.set(None);
    spawn_local(async move {
        if first_page(server).await {
            rest(server).await;
        }
        server.is_listing.try_set(false);
        compare_opened(server);
    });
}

/// Asks for the first page of a listing; whether it came.
async fn first_page(server: Server) -> bool {
    let call = Call::ListSkills { cursor: None };
    let had_pages = server.listing.with_untracked(|listing| listing.pages() > 0);
    match page(server, &call, 1).await {
        Ok((page, exchange)) => {
            server.take_page(page, exchange, true);
            true
        }
        Err(why) if had_pages => {
            server.not_refreshed.try_set(Some(why));
            false
        }
        Err(why) => {
            server.listing.try_update(|listing| listing.fail(why));
            false
        }
    }
}

/// Asks for the other pages.
async fn rest(server: Server) {
    while let Some(call) = server.listing.try_with_untracked(Listing::next).flatten() {
        let number = server.listing.with_untracked(Listing::pages) + 1;
        match page(server, &call, number).await {
            Ok((page, exchange)) => server.take_page(page, exchange, false),
            Err(why) => {
                server.listing.try_update(|listing| listing.fail(why));
            }
        }
    }
    server.show_listing();
    let listed = server.listing.with_untracked(|listing| listing.skills.len());
    server.app().say(format!("{} listed.", count(listed, "skill")));
}

/// Asks for one page, and tells it; in words why it could not be had. The number is the exchange's
/// that it came in.
async fn page(
    server: Server,
    call: &Call,
    number: usize,
) -> Result<(SkillPage, Option<usize>), String> {
    let stop = server.list_stop.get_value();
    let started = browser::clock();
    let asked = ask(server, call, server.app().settings.limits(), &stop).await;
    let read = match asked.reply {
        Ok(reply) => read_page_of(server, &reply).await,
        Err(failure) => Err(failure),
    };
    let read = match read {
        Ok(page) => Ok((page, asked.exchange)),
        Err(failure) => Err(line(server, &failure).await),
    };
    let (mark, text) = match &read {
        Ok((page, _)) => {
            (Mark::Good, format!("Page {number}: {}", count(page.skills.len(), "skill")))
        }
        Err(why) => (Mark::Bad, format!("Page {number} could not be had. {why}")),
    };
    let ms = Some(browser::clock() - started);
    note_page(server, Step { method: None, text, mark, ms });
    read
}

/// Reads a page, some entries at a time.
async fn read_page_of(server: Server, reply: &Reply) -> Result<SkillPage, Failure> {
    let message = reply.message().map_err(Failure::Reply)?;
    let result = message.outcome().map_err(Failure::Rpc)?;
    check_finished(result).map_err(Failure::Unfinished)?;
    let era = server.era();
    let mut page = read_page(result);
    page.findings.retain(|finding| holds_in(era, finding));
    let mut entries = read_entries(&message, result).peekable();
    while entries.peek().is_some() {
        page.skills.extend(entries.by_ref().take(ENTRIES));
        browser::breathe().await;
    }
    Ok(page)
}

/// Looks whether the skills that were opened are listed as they are held.
fn compare_opened(server: Server) {
    let opened = server.skills.get_untracked();
    if opened.is_empty() {
        return;
    }
    let at = server.listed_at.get_untracked();
    let news = server.listing.with_untracked(|listing| {
        let entries = listing.skills.iter().enumerate();
        let news = |(index, reading): (usize, &Reading)| {
            let skill = opened.get(&key_of(reading, index))?;
            let exchange = server.entry_exchange(index);
            let freshness = listing.freshness;
            let held = Held::new(reading.clone(), at, freshness, "skills/list", exchange);
            Some((*skill, held))
        };
        entries.filter_map(news).collect::<Vec<_>>()
    });
    for (skill, held) in news {
        let exchange = held.exchange;
        let answer = Answer::new(Some(held), Vec::new(), &skill.held.get_untracked(), exchange);
        skill.take_news(answer);
    }
}

/// Long listings are told by their first pages and their last one.
fn note_page(server: Server, step: Step) {
    const TOLD: usize = 8;
    server.steps.try_update(|steps| {
        if steps.len() >= TOLD && steps.last().is_some_and(|last| last.text.starts_with("Page ")) {
            steps.pop();
        }
        steps.push(step);
    });
}

fn push_step(server: Server, mark: Mark, text: String) {
    let step = Step { method: None, text, mark, ms: None };
    server.steps.try_update(|steps| steps.push(step));
}

/// Begins a step that sends a message.
fn begin_step(server: Server, method: Option<&'static str>) {
    let text = "is asked".to_owned();
    let step = Step { method, text, mark: Mark::Busy, ms: Some(browser::clock()) };
    server.steps.try_update(|steps| steps.push(step));
}

/// Ends the step that is under way.
fn end_step(server: Server, mark: Mark, text: String) {
    server.steps.try_update(|steps| {
        if let Some(step) = steps.last_mut().filter(|step| step.mark == Mark::Busy) {
            step.ms = step.ms.map(|started| browser::clock() - started);
            (step.mark, step.text) = (mark, text);
        }
    });
}

/// Says why it went no further, in the step that is under way or behind the last one.
fn fail_step(server: Server, why: String) {
    let is_under_way =
        server.steps.with_untracked(|steps| steps.last().is_some_and(|s| s.mark == Mark::Busy));
    if is_under_way {
        end_step(server, Mark::Bad, why);
    } else {
        push_step(server, Mark::Bad, why);
    }
}
