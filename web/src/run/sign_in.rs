//! Signing in: what a refused request calls for, and the way to tokens, which the user takes step by
//! step.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::auth::{
    Answer, AuthError, AuthStep, Callback, Challenge, Flow, Page, Pending, Randomness, Remedy,
    Start, Tokens,
};
use skillglass::protocol::HttpRequest;

use super::send_about_sign_in;
use crate::browser::{self, Channel};
use crate::failure::Failure;
use crate::route::Route;
use crate::state::App;
use crate::state::server::Server;
use crate::state::sign_in::{Cause, Opening, Phase};
use crate::transport::{Stop, Unanswered};

/// What the page and `callback.js` speak on. Both are of one origin.
const CHANNEL: &str = "skillglass.sign-in";

/// The name under which a tab keeps a sign-in for which the page itself went away. The state
/// follows.
const PENDING: &str = "skillglass.sign-in ";

/// The name under which `callback.js` leaves what such a sign-in came back with.
const RETURNED: &str = "skillglass.returned";

/// The name under which `callback.js` finds where in the page to return to.
const PLACE: &str = "skillglass.place";

/// The tokens for a request that goes out now. Such as are known to have expired are renewed first.
pub(super) async fn tokens(server: Server, stop: &Stop) -> Result<Option<Arc<Tokens>>, Failure> {
    let sign_in = server.sign_in;
    let tokens = sign_in.tokens_now();
    let expired = |tokens: &Arc<Tokens>| tokens.can_refresh() && tokens.has_expired(browser::now());
    if tokens.as_ref().is_some_and(expired) {
        sign_in.wait(tokens.as_ref(), stop, || spawn_local(renew_later(server))).await?;
    }
    Ok(sign_in.tokens_now())
}

/// Does what a refused request calls for. Afterwards it is worth being sent again.
pub(super) async fn mend(
    server: Server,
    remedy: Remedy,
    used: Option<&Arc<Tokens>>,
    stop: &Stop,
) -> Result<(), Failure> {
    let wanted = |cause| move || want(server, cause);
    let sign_in = server.sign_in;
    match remedy {
        Remedy::Refresh => sign_in.wait(used, stop, || spawn_local(renew_later(server))).await,
        Remedy::SignIn(challenge) if used.is_some() => {
            sign_in.wait(used, stop, wanted(Cause::Ended(challenge))).await
        }
        Remedy::SignIn(challenge) => {
            sign_in.wait(used, stop, wanted(Cause::Asked(challenge))).await
        }
        Remedy::StepUp { scopes, challenge } => {
            sign_in.wait(used, stop, wanted(Cause::NeedsMore { scopes, challenge })).await
        }
        Remedy::Stop(error) => Err(Failure::Auth(error)),
    }
}

/// Shows that the user has to sign in, and why.
fn want(server: Server, cause: Cause) {
    server.sign_in.want(cause);
    server.app().say(format!("{} wants you to sign in.", server.label()));
}

/// Renews the tokens, which the second file can do.
async fn renew_later(server: Server) {
    match server.app().later.load().await {
        Ok(later) => (later.renew)(server).await,
        Err(failure) => server.sign_in.end(Some(failure)),
    }
}

/// Renews the tokens without the user, as long as that is possible.
pub(crate) async fn renew(server: Server) {
    let sign_in = server.sign_in;
    let Some(tokens) = sign_in.tokens_now() else { return sign_in.end(None) };
    let stop = sign_in.begin();
    let (mut flow, mut step) = Flow::refresh(&tokens);
    while let Some(request) = step.request() {
        let Some(next) = ask(server, &mut flow, &request, &stop).await else { return };
        step = next;
    }
    match step {
        AuthStep::Done(tokens) => succeed(server, *tokens),
        AuthStep::Failed(AuthError::Ended) => want(server, Cause::Ended(Challenge::default())),
        AuthStep::Failed(error) => sign_in.end(Some(Failure::Auth(error))),
        _ => sign_in.end(None),
    }
}

/// Begins a sign-in, as the server's answer asked for it.
pub(crate) fn begin(server: Server) {
    listen(server.app());
    let Some(cause) = server.sign_in.cause() else { return };
    let tokens = server.sign_in.tokens_now();
    let random = Randomness { verifier: browser::random_bytes(), state: browser::random_bytes() };
    let mut start = match (tokens, &cause) {
        (Some(tokens), Cause::NeedsMore { scopes, .. }) => {
            Start::step_up(&tokens, scopes.clone(), page(), random)
        }
        (Some(tokens), _) => Start::again(&tokens, page(), random),
        (None, _) => Start::new(server.endpoint().to_string(), page(), random),
    };
    start.challenge = cause.challenge().clone();
    start.registrations.extend(server.app().registrations.get_value());
    let (flow, step) = Flow::begin(start);
    spawn_local(drive(server, flow, step));
}

/// The page's own addresses.
fn page() -> Page {
    Page {
        redirect_uri: browser::beside_page("callback.html"),
        client_metadata_url: browser::link("client-metadata")
            // A copy on another host is another client.
            .filter(|url| *url == browser::beside_page("client-metadata.json")),
    }
}

/// Takes the user's choice of who vouches for them.
pub(crate) fn choose(server: Server, issuer: &str) {
    go_on(server, |flow| flow.choose(issuer));
}

/// Takes the client id that the user entered.
pub(crate) fn enter_client_id(server: Server, id: &str) {
    go_on(server, |flow| flow.enter_client_id(id));
}

/// Goes on as planned.
pub(crate) fn confirm(server: Server) {
    go_on(server, Flow::confirm);
}

fn go_on(server: Server, act: impl FnOnce(&mut Flow) -> AuthStep) {
    let Some(mut flow) = server.sign_in.take_flow() else { return };
    let step = act(&mut flow);
    spawn_local(drive(server, flow, step));
}

/// Opens the window once more.
pub(crate) fn open_again(server: Server) {
    let Some(Opening { url, .. }) = server.sign_in.opening() else { return };
    let opened = browser::open_window(&url);
    server.sign_in.advance(Phase::Away { host: host(&url), opened });
}

/// Goes to the authorization server in place of this page, which `callback.js` brings back.
pub(crate) fn go_away(server: Server) {
    let Some(Opening { url, pending }) = server.sign_in.opening() else { return };
    let Some(storage) = browser::session_storage() else { return };
    let place = server.app().route.with_untracked(Route::hash);
    let key = format!("{PENDING}{}", pending.state().expose());
    let kept = storage.set_item(PLACE, &place).and(storage.set_item(&key, &pending.to_json()));
    if kept.is_ok() {
        browser::go_to(&url);
    }
}

/// Goes on until the user has to do something, or it is over.
async fn drive(server: Server, mut flow: Flow, mut step: AuthStep) {
    let sign_in = server.sign_in;
    let stop = sign_in.begin();
    while let Some(request) = step.request() {
        sign_in.advance(Phase::Asking(host(&request.url)));
        let Some(next) = ask(server, &mut flow, &request, &stop).await else { return };
        step = next;
    }
    match step {
        AuthStep::ChooseServer { issuers } => sign_in.pause(flow, None, Phase::Choosing(issuers)),
        AuthStep::AskClientId { issuer, reason } => {
            sign_in.pause(flow, None, Phase::NeedsClientId { issuer, reason });
        }
        AuthStep::Confirm(plan) => sign_in.pause(flow, None, Phase::Planned(plan)),
        AuthStep::Open { url, pending } => {
            let away = Phase::Away { host: host(&url), opened: browser::open_window(&url) };
            sign_in.pause(flow, Some(Opening { url, pending }), away);
        }
        AuthStep::Done(tokens) => succeed(server, *tokens),
        AuthStep::Failed(error) => {
            server.app().say(error.to_string());
            sign_in.advance(Phase::Failed(error));
        }
        // These have a request.
        AuthStep::Fetch { .. } | AuthStep::Post { .. } => {}
    }
}

/// What the flow makes of the answer; none if it was stopped.
async fn ask(
    server: Server,
    flow: &mut Flow,
    request: &HttpRequest,
    stop: &Stop,
) -> Option<AuthStep> {
    let came = send_about_sign_in(server, request, stop).await;
    let answer = match &came {
        Ok((status, body)) => Answer::Came { status: *status, body },
        Err(Unanswered::Stopped) => return None,
        Err(Unanswered::TimedOut(_)) => Answer::TimedOut,
        Err(Unanswered::Opaque | Unanswered::BrokenOff) => Answer::Opaque,
    };
    Some(flow.answered(answer, browser::now()))
}

fn succeed(server: Server, tokens: Tokens) {
    let app = server.app();
    app.registrations.update_value(|known| {
        let registration = tokens.registration();
        known.retain(|other| other.issuer != registration.issuer);
        known.push(registration);
    });
    let issuer = host(tokens.issuer());
    server.sign_in.succeed(&server.endpoint(), tokens, app.keeps_sign_ins.get_untracked());
    app.say(format!("Signed in at {issuer}."));
}

/// Forgets the tokens of a server.
pub(crate) fn sign_out(server: Server) {
    server.sign_in.sign_out(&server.endpoint());
    server.signed_out_at.set(browser::now());
    server.app().say(format!("Signed out of {}.", server.label()));
}

/// The host of an address, as the browser reads it.
fn host(url: &str) -> String {
    browser::host_of(url).unwrap_or_default()
}

thread_local! {
    /// Whether somebody listens already.
    static LISTENS: Cell<bool> = const { Cell::new(false) };
}

/// Listens from now on to what people come back with in windows of their own.
pub(super) fn listen(app: App) {
    if LISTENS.replace(true) {
        return;
    }
    let Some(channel) = Channel::open(CHANNEL) else { return };
    channel.listen(move |channel, query| {
        let Ok(callback) = Callback::read(query) else { return };
        let servers = app.servers.get_untracked().into_iter().chain(app.attempt.get_untracked());
        for server in servers {
            if returned(server, callback.clone()) {
                channel.send(callback.state().expose());
            }
        }
    });
}

/// Whether it is this server's sign-in that somebody came back from.
fn returned(server: Server, callback: Callback) -> bool {
    let step = server.sign_in.returned(callback);
    let Some(step) = step.filter(|step| *step != AuthStep::Failed(AuthError::UnknownReturn)) else {
        return false;
    };
    if let Some(flow) = server.sign_in.take_flow() {
        spawn_local(drive(server, flow, step));
    }
    true
}

/// What a sign-in came back with for which the page itself went away.
pub(super) struct Returned {
    pending: Pending,
    callback: Callback,
}

impl Returned {
    /// The server's address.
    pub(super) fn endpoint(&self) -> &str {
        self.pending.endpoint()
    }
}

/// Looks whether the page itself went away for a sign-in and is back.
pub(crate) fn look_back(app: App) {
    let returned = browser::session_storage().and_then(|it| it.get_item(RETURNED).ok().flatten());
    if returned.is_some() {
        spawn_local(async move {
            // Without the second file nothing is taken, and a reload tries again.
            if let Ok(later) = app.later.load().await {
                (later.take_up)(app);
            }
        });
    }
}

/// Takes what such a sign-in came back with, if there was one. It serves once.
pub(super) fn take_return() -> Option<Returned> {
    let storage = browser::session_storage()?;
    let take = |key: &str| {
        let value = storage.get_item(key).ok().flatten();
        let _ = storage.remove_item(key);
        value
    };
    take(PLACE);
    let callback = Callback::read(&take(RETURNED)?).ok()?;
    let pending = take(&format!("{PENDING}{}", callback.state().expose()))?;
    Some(Returned { pending: Pending::read(&pending).ok()?, callback })
}

/// Goes on with a sign-in for which the page itself went away, until there are tokens.
pub(super) async fn resume(server: Server, returned: Returned, stop: &Stop) -> Result<(), Failure> {
    let Returned { pending, callback } = returned;
    let go_on = || {
        let mut flow = Flow::resume(pending);
        let step = flow.returned(callback);
        server.sign_in.want(Cause::Asked(Challenge::default()));
        spawn_local(drive(server, flow, step));
    };
    server.sign_in.wait(None, stop, go_on).await
}
