//! Signing in: what the server asks for in plain words, and each step of the way to it.

use leptos::prelude::*;
use skillglass::auth::{Identity, Plan, Scopes};
use web_sys::SubmitEvent;

use super::later::LaterPart;
use crate::browser;
use crate::elements::{Button, CopyButton, Fact, Field, ServerText, VerdictLine, follow};
use crate::mark::Mark;
use crate::run::sign_in;
use crate::state::app;
use crate::state::server::Server;
use crate::state::sign_in::{Cause, Phase, Progress};

/// The id of what is focused, and so brought into sight, when there is something to do.
const CARD: &str = "sign-in";

const TITLE: &str = "sign-in-title";

/// What there is to do about signing in to a server; nothing where there is nothing to do.
#[component]
pub(crate) fn SignIn(
    /// The server.
    server: Server,
) -> impl IntoView {
    let state = server.sign_in;
    // What has the focus is replaced by what comes next.
    Effect::new(move |before: Option<()>| {
        if state.is_under_way() && before.is_some() {
            request_animation_frame(|| browser::focus(CARD));
        }
    });
    let is_wanted = Memo::new(move |_| state.is_under_way());
    move || {
        is_wanted.get().then(|| {
            view! {
                <section class="card sign-in" id=CARD tabindex="-1" aria-labelledby=TITLE>
                    <LaterPart view=move |later| (later.sign_in)(server)/>
                </section>
            }
        })
    }
}

/// Each step of the way, in words.
#[component]
pub(crate) fn SignInSteps(
    /// The server.
    server: Server,
) -> impl IntoView {
    move || {
        let Progress { cause, phase } = server.sign_in.progress()?;
        let title = match cause {
            Cause::Asked(_) => "This server wants you to sign in",
            Cause::Ended(_) => "Your sign-in has ended",
            Cause::NeedsMore { .. } => "This needs more than you have agreed to",
        };
        Some(view! {
            <h2 id=TITLE>{title}</h2>
            <div class="sign-in-body">{body(server, &cause, phase)}</div>
        })
    }
}

fn body(server: Server, cause: &Cause, phase: Phase) -> AnyView {
    match phase {
        Phase::Wanted => view! { <Wanted server=server cause=cause.clone()/> }.into_any(),
        Phase::Asking(host) => view! {
            <Busy text=format!("Asking {host}…")/>
            <p class="acts"><Leave server=server label="Cancel"/></p>
        }
        .into_any(),
        Phase::Choosing(issuers) => view! { <Choosing server=server issuers=issuers/> }.into_any(),
        Phase::NeedsClientId { issuer, reason } => view! {
            <VerdictLine mark=Mark::Warn text=reason.to_string()/>
            <p>{reason.advice()}</p>
            <ClientIdForm server=server issuer=issuer>
                <Leave server=server label="Not now"/>
            </ClientIdForm>
        }
        .into_any(),
        Phase::Planned(plan) => view! { <Planned server=server plan=*plan/> }.into_any(),
        Phase::Away { host, opened } => {
            view! { <Away server=server host=host opened=opened/> }.into_any()
        }
        Phase::Failed(error) => view! {
            <VerdictLine mark=Mark::Bad text=error.to_string()/>
            <p>{error.advice()}</p>
            <p class="acts">
                <Button press=move || sign_in::begin(server)>"Begin again"</Button>
                <Leave server=server label="Leave it"/>
            </p>
        }
        .into_any(),
    }
}

#[component]
fn Busy(#[prop(into)] text: String) -> impl IntoView {
    view! { <VerdictLine mark=Mark::Busy text=text/> }
}

#[component]
fn Leave(server: Server, label: &'static str) -> impl IntoView {
    view! { <Button press=move || server.sign_in.leave()>{label}</Button> }
}

/// What the server says, before anything is asked of anybody.
#[component]
fn Wanted(server: Server, cause: Cause) -> impl IntoView {
    let has_token = matches!(cause, Cause::NeedsMore { .. });
    let challenge = cause.challenge().clone();
    let scopes = (!challenge.scopes.is_empty()).then(|| {
        view! { <p>"It asks for: " <ScopeList scopes=challenge.scopes/></p> }
    });
    let said = challenge.description.map(|said| {
        view! { <p>"It says: " <span class="quoted"><ServerText text=said/></span></p> }
    });
    view! {
        {said}
        {scopes}
        <p class="hint">
            "Going on only looks: it asks the server who vouches for its users, and that authorization server how. You then see where you would sign in, and for what."
            {(!has_token).then_some(" A token that you have already goes under Headers and token instead.")}
        </p>
        <p class="acts">
            <Button class="button primary" press=move || sign_in::begin(server)>"Sign in"</Button>
            <Leave server=server label="Not now"/>
        </p>
    }
}

#[component]
fn ScopeList(scopes: Scopes) -> impl IntoView {
    let scope = |scope: &str| {
        let renews = (scope == "offline_access").then_some(" (to be renewed without you)");
        view! { <li><code><ServerText text=scope/></code>{renews}</li> }
    };
    view! { <ul class="scopes">{scopes.iter().map(scope).collect_view()}</ul> }
}

#[component]
fn Choosing(server: Server, issuers: Vec<String>) -> impl IntoView {
    let choice = |issuer: String| {
        let chosen = issuer.clone();
        view! {
            <Button press=move || sign_in::choose(server, &chosen)><ServerText text=issuer/></Button>
        }
    };
    view! {
        <p>"The server trusts several authorization servers. Which one knows you?"</p>
        <p class="acts">
            {issuers.into_iter().map(choice).collect_view()}
            <Leave server=server label="Not now"/>
        </p>
    }
}

/// A client id that the user has registered themselves.
#[component]
fn ClientIdForm(server: Server, issuer: String, children: Children) -> impl IntoView {
    let id = RwSignal::new(String::new());
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        sign_in::enter_client_id(server, &id.get_untracked());
    };
    let redirect = browser::beside_page("callback.html");
    view! {
        <form on:submit=submit>
            <dl class="facts">
                <Fact term="Authorization server"><ServerText text=issuer/></Fact>
                <Fact term="Redirect address of this page">
                    <code>{redirect.clone()}</code> " "
                    <CopyButton text=Signal::stored(redirect) label="Copy the redirect address" small=true/>
                </Fact>
            </dl>
            <label class="field"><span>"Client id"</span> <Field label="Client id" value=id/></label>
            <p class="acts">
                <button type="submit" class="button primary">"Go on"</button>
                {children()}
            </p>
        </form>
    }
}

/// What is going to happen, before it does.
#[component]
fn Planned(server: Server, plan: Plan) -> impl IntoView {
    let Plan { issuer, authorization_endpoint, resource, scopes, identity } = plan;
    let host = browser::host_of(authorization_endpoint.as_str()).unwrap_or_default();
    let own = RwSignal::new(false);
    let place = issuer.clone();
    let asked = match scopes.is_empty() {
        true => "nothing in particular: the server names no scopes".into_any(),
        false => view! { <ScopeList scopes=scopes/> }.into_any(),
    };
    let acts = move || {
        let (host, place) = (host.clone(), place.clone());
        if own.get() {
            return view! {
                <ClientIdForm server=server issuer=place>
                    <Button press=move || own.set(false)>"Back"</Button>
                </ClientIdForm>
            }
            .into_any();
        }
        view! {
            <p class="acts">
                <Button class="button primary" press=move || sign_in::confirm(server)>
                    "Go on at " <ServerText text=host/>
                </Button>
                <Leave server=server label="Not now"/>
                <Button class="link" press=move || own.set(true)>"Use a client id of your own"</Button>
            </p>
        }
        .into_any()
    };
    view! {
        <dl class="facts">
            <Fact term="You sign in at"><strong><ServerText text=issuer/></strong></Fact>
            <Fact term="Asked for">{asked}</Fact>
            <Fact term="Good for"><ServerText text=resource/></Fact>
            <Fact term="This page is known there">{known_as(&identity)}</Fact>
        </dl>
        <KeepSignIns/>
        {follow(acts)}
    }
}

fn known_as(identity: &Identity) -> AnyView {
    let (how, id) = match identity {
        Identity::Entered(id) => ("by the client id you entered, ", id.as_str()),
        Identity::Registered(id) => ("since it was registered, as ", id.as_str()),
        Identity::Document(url) => ("by its own client metadata document, ", url.as_str()),
        Identity::Unregistered(at) => {
            ("not yet: it registers itself, without a secret, at ", at.as_str())
        }
    };
    view! { {how} <code><ServerText text=id/></code> }.into_any()
}

/// Whether sign-ins outlast a reload.
#[component]
fn KeepSignIns() -> impl IntoView {
    let app = app();
    view! {
        <label class="switch">
            <input
                type="checkbox"
                prop:checked=app.keeps_sign_ins
                on:change:target=move |event| app.keep_sign_ins(event.target().checked())
            />
            <span>
                "Stay signed in when this tab is loaded anew. Tokens are then kept in the tab's session storage, otherwise in memory only."
            </span>
        </label>
    }
}

#[component]
fn Away(server: Server, host: String, opened: bool) -> impl IntoView {
    if opened {
        return view! {
            <Busy text=format!("Waiting for you to come back from {host}, which is open in a window of its own.")/>
            <p class="acts">
                <Button press=move || sign_in::open_again(server)>"Open the window again"</Button>
                <Leave server=server label="Cancel"/>
            </p>
        }
        .into_any();
    }
    view! {
        <VerdictLine mark=Mark::Warn text=format!("The browser did not let this page open a window for {host}.")/>
        <p class="hint">
            "In this tab the page goes away for the sign-in and is loaded anew afterwards. It then has forgotten what was read, and headers that you entered."
        </p>
        <p class="acts">
            <Button class="button primary" press=move || sign_in::open_again(server)>"Open a window"</Button>
            <Button press=move || sign_in::go_away(server)>"Sign in in this tab"</Button>
            <Leave server=server label="Cancel"/>
        </p>
    }
    .into_any()
}

/// Who vouches for the user, for what, and the way out.
#[component]
pub(crate) fn Account(
    /// The server.
    server: Server,
) -> impl IntoView {
    move || {
        let tokens = server.sign_in.tokens()?;
        let issuer = tokens.issuer().to_owned();
        Some(view! {
            <section class="account" aria-label="Sign-in">
                <dl class="facts">
                    <Fact term="Signed in at"><ServerText text=issuer/></Fact>
                    <Fact term="Granted"><ScopeList scopes=tokens.scopes().clone()/></Fact>
                </dl>
                <KeepSignIns/>
                <p class="acts">
                    <Button press=move || sign_in::sign_out(server)>"Sign out"</Button>
                    <span class="hint">"Forgets the tokens here; the authorization server is not told."</span>
                </p>
            </section>
        })
    }
}
