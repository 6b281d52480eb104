//! The start: which server?

use leptos::ev::Targeted;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::protocol::EraChoice;
use web_sys::{Event, HtmlInputElement, SubmitEvent};

use super::TITLE;
use crate::bridge::{self, Bridged};
use crate::elements::{Button, Field, Keyed, ServerText, Switch, follow, list};
use crate::failure::Failure;
use crate::groups::{LaterPart, SignIn};
use crate::navigation;
use crate::route::Route;
use crate::run::{self, Entered};
use crate::state::local::Local;
use crate::state::recents::Recent;
use crate::state::server::Stage;
use crate::state::{App, app};
use crate::transport::Stop;

/// The eras in the order of their names on the page.
const ERAS: [EraChoice; 3] = [EraChoice::Auto, EraChoice::Modern, EraChoice::Legacy];

/// A header that the user enters.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    id: usize,
    name: RwSignal<String>,
    value: RwSignal<String>,
}

impl Header {
    fn new(id: usize) -> Self {
        Self { id, name: RwSignal::new(String::new()), value: RwSignal::new(String::new()) }
    }
}

/// All that are entered.
pub(crate) type Headers = RwSignal<Vec<Header>>;

/// The start.
#[component]
pub(crate) fn Connect() -> impl IntoView {
    let app = app();
    let in_address = app.route.with_untracked(|route| match route {
        Route::Connect { url } => url.clone(),
        _ => None,
    });
    let url = RwSignal::new(in_address.unwrap_or_default());
    Effect::new(move |_| {
        if let Route::Connect { url: Some(wanted) } = app.route.get() {
            url.set(wanted);
        }
    });
    let token = RwSignal::new(String::new());
    let headers = RwSignal::new(vec![Header::new(0)]);
    let era = RwSignal::new(0);
    let forgets = RwSignal::new(false);
    let refused = RwSignal::new(None::<Failure>);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let entered = |header: &Header| (header.name.get_untracked(), header.value.get_untracked());
        let entered = Entered {
            token: token.get_untracked(),
            headers: headers.with_untracked(|headers| headers.iter().map(entered).collect()),
            era: ERAS[era.get_untracked()],
            forgets: forgets.get_untracked(),
        };
        let endpoint = url.get_untracked();
        refused.set(run::connect(app, endpoint.trim(), &entered).err());
    };
    let complaint = move || {
        refused
            .get()
            .map(|failure| view! { <LaterPart view=move |later| (later.complaint)(&failure)/> })
    };
    view! {
        <div class="screen start">
            <h1 id=TITLE tabindex="-1">"What does this server teach a model?"</h1>
            <p class="lead">
                "Look through an MCP server at its skills: what is there, whether every byte is what was promised, and where the server breaks the rules."
                " " <Button class="link" press=move || app.tour.set(Some(0))>"Take the tour"</Button>
            </p>
            <form class="connect" on:submit=submit>
                <div class="connect-line">
                    <Field label="Address of an MCP server" value=url example="https://mcp.example.com/mcp"/>
                    <button type="submit" class="button primary">"Connect"</button>
                </div>
                {follow(complaint)}
                <CredentialFields token=token headers=headers forgets=forgets/>
                <ProtocolFields era=era/>
            </form>
            <Attempt/>
            {(!bridge::servers().is_empty()).then(|| view! { <LaterPart view=|later| (later.bridged)()/> })}
            <Recents/>
            <Cards/>
        </div>
    }
}

/// What goes along with the address, once somebody wants to enter it.
#[component]
fn CredentialFields(
    token: RwSignal<String>,
    headers: Headers,
    forgets: RwSignal<bool>,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let fields = move || {
        is_open.get().then(|| {
            view! { <LaterPart view=move |later| (later.credentials)(token, headers, forgets)/> }
        })
    };
    view! {
        <details
            class="credentials"
            on:toggle:target=move |event| is_open.set(event.target().has_attribute("open"))
        >
            <summary>
                "Headers and token" <span class="hint">"No file is read until you ask."</span>
            </summary>
            {follow(fields)}
        </details>
    }
}

/// A token, headers, and whether the server is remembered.
#[component]
pub(crate) fn Credentials(
    /// The bearer token.
    token: RwSignal<String>,
    /// Headers of the user's own.
    headers: Headers,
    /// Whether the server is not to be remembered.
    forgets: RwSignal<bool>,
) -> impl IntoView {
    let app = app();
    let add = move || {
        headers.update(|headers| {
            let id = headers.last().map_or(0, |last| last.id + 1);
            headers.push(app.keep(|| Header::new(id)));
        });
    };
    let lines = list(move || {
        let line = |header: &Header| {
            let header = *header;
            Keyed::new(header.id.to_string(), move || view! { <HeaderLine header=header/> })
        };
        headers.with(|headers| headers.iter().map(line).collect())
    });
    view! {
            <label class="field"><span>"Bearer token"</span> <Field label="Bearer token" value=token secret=true/></label>
            <fieldset class="field headers-field">
                <legend>"Headers"</legend>
                {lines}
                <Button class="link" press=add>"Another header"</Button>
            </fieldset>
            <p class="hint">
                "They go to this server only, stay in this tab's memory, and are shown as dots on the wire. Over plain http they are sent to this machine only."
            </p>
            <Switch label="Do not remember this server" hint="Neither its address nor what you call it is kept." on=forgets/>
    }
}

#[component]
fn ProtocolFields(era: RwSignal<usize>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    view! {
        <details
            class="credentials"
            on:toggle:target=move |event| is_open.set(event.target().has_attribute("open"))
        >
            <summary>"Protocol and limits"</summary>
            {follow(move || is_open.get().then(|| view! { <LaterPart view=move |later| (later.limits)(era)/> }))}
        </details>
    }
}

#[component]
fn HeaderLine(header: Header) -> impl IntoView {
    view! {
        <div class="header-line">
            <Field label="Header name" value=header.name example="X-Api-Key"/>
            <Field label="Header value" value=header.value secret=true/>
        </div>
    }
}

/// The connection that is being made, or that could not be.
#[component]
pub(crate) fn Attempt() -> impl IntoView {
    let app = app();
    move || {
        let server = app.attempt.get()?;
        let failure = move || match server.stage.get() {
            Stage::Failed(failure) => Some(
                view! { <LaterPart view=move |later| (later.failure)(server, failure.clone())/> },
            ),
            _ => None,
        };
        let stop = move || {
            let stop = match server.stage.get() {
                // A sign-in that waits for the user is what they leave first.
                Stage::Connecting if server.sign_in.is_under_way() => return None,
                Stage::Connecting => server.stop,
                Stage::Ready => server.list_stop,
                Stage::Failed(_) => return None,
            };
            Some(view! { <Button press=move || stop.with_value(Stop::pull)>"Stop"</Button> })
        };
        Some(view! {
            <section class="attempt" aria-label="Connection">
                <LaterPart view=move |later| (later.steps)(server)/>
                <SignIn server=server/>
                {follow(stop)}
                {follow(failure)}
            </section>
        })
    }
}

/// The servers that the program which serves this page reaches.
#[component]
pub(crate) fn BridgedServers() -> impl IntoView {
    let cards = bridge::servers().iter().map(|server| view! { <BridgedCard server=server/> });
    view! {
        <section class="cards" aria-label="Servers of skillglass inspect">{cards.collect_view()}</section>
    }
}

#[component]
fn BridgedCard(server: &'static Bridged) -> impl IntoView {
    let app = app();
    let known = move || {
        let endpoint = server.endpoint();
        app.servers.with_untracked(|servers| {
            servers.iter().find(|known| *known.endpoint() == *endpoint).copied()
        })
    };
    let open = move || match known() {
        Some(known) => navigation::go(&Route::Server { label: known.label().to_string() }),
        None => run::connect_bridged(app, server),
    };
    let how = match (server.is_program, server.what.contains("://")) {
        (true, _) => "A program that skillglass inspect runs.",
        (false, true) => "Reached through skillglass inspect, without CORS.",
        (false, false) => "A folder of skills on this machine.",
    };
    view! {
        <Button class="card demo" press=open>
            <strong>{server.name.clone()}</strong>
            {(server.name != server.what).then(|| view! { <span class="mono">{server.what.clone()}</span> " " })}
            <span>{how}</span>
        </Button>
    }
}

/// The servers of earlier visits that are not connected now.
#[component]
fn Recents() -> impl IntoView {
    let app = app();
    let rows = Memo::new(move |_| {
        let connected = app.servers.get();
        let is_absent =
            |recent: &Recent| connected.iter().all(|server| *server.endpoint() != *recent.endpoint);
        app.recents.all().into_iter().filter(is_absent).collect::<Vec<_>>()
    });
    let row = move |Recent { endpoint, name, hue }: Recent| {
        let form = Route::Connect { url: Some(endpoint.clone()) }.hash();
        let shown = endpoint.clone();
        let gone = endpoint.clone();
        let title = (!name.is_empty()).then(|| view! { <strong><ServerText text=name/></strong> });
        let connect = move || {
            // The form is where an address that cannot be used is explained.
            let _ = run::connect(app, &endpoint, &Entered::default());
        };
        view! {
            <li>
                <span class=format!("swatch hue-{hue}") aria-hidden="true"></span>
                <span class="recent-name">{title} " " <code>{shown.clone()}</code></span>
                <Button class="button small" label=format!("Connect to {shown}") press=connect>"Connect"</Button>
                <a class="button small" href=form aria-label=format!("With a token… to {shown}")>"With a token…"</a>
                <Button class="pill-close" label=format!("Forget {shown}") title="Forget" press=move || app.recents.forget(&gone)>"×"</Button>
            </li>
        }
    };
    move || {
        let rows = rows.get();
        (!rows.is_empty()).then(|| view! {
            <section class="recents" aria-labelledby="recents-title">
                <h2 id="recents-title">"Earlier servers"</h2>
                <ul>{rows.into_iter().map(row).collect_view()}</ul>
                <p class="hint">
                    "Addresses, names and colours are kept in this browser. Tokens, headers, and addresses that may hold a secret are not. "
                    <Button class="link" press=move || app.recents.forget_all()>"Forget all"</Button>
                </p>
            </section>
        })
    }
}

#[component]
fn Cards() -> impl IntoView {
    let is_open = RwSignal::new(false);
    view! {
        <section class="cards" aria-label="Ways to begin">
            <DemoCard
                endpoint="demo:good"
                what="Ten sound skills, served inside this page: nested, dynamic, unlisted, two of one name."
            />
            <DemoCard
                endpoint="demo:broken"
                what="Nineteen faults worth knowing, one skill each, from a wrong digest to hidden text."
            />
            <LocalCard/>
            <details
                class="card own-server"
                on:toggle:target=move |event| is_open.set(event.target().has_attribute("open"))
            >
                <summary>
                    <strong>"Your own server"</strong>
                    <span>"What a page can reach, and what the server has to allow."</span>
                </summary>
                <p>
                    "Any Streamable HTTP endpoint, of MCP 2026-07-28 or older: https anywhere, or http on your own machine. The official SDKs do not let pages in by themselves; these lines do."
                </p>
                {follow(move || is_open.get().then(|| view! { <LaterPart view=|later| (later.cors)()/> }))}
            </details>
        </section>
    }
}

/// The way to the skills of a folder or an archive.
#[component]
fn LocalCard() -> impl IntoView {
    let app = app();
    let folder = NodeRef::<html::Input>::new();
    folder.on_load(|input| {
        let _ = input.set_attribute("webkitdirectory", "");
    });
    let take = move |event: Targeted<Event, HtmlInputElement>| {
        let input = event.target();
        let Some(files) = input.files().filter(|files| files.length() > 0) else { return };
        spawn_local(async move {
            if let Ok(later) = app.later.load().await {
                (later.chosen)(app, files).await;
            }
            // The same files can be chosen again.
            input.set_value("");
        });
    };
    let state = move || match app.local.get() {
        Local::Idle => ().into_any(),
        Local::Reading => {
            view! { <p class="hint" role="status">"Reading the files…"</p> }.into_any()
        }
        Local::Problem(why) => view! { <p class="field-error" role="alert">{why}</p> }.into_any(),
    };
    view! {
        <div class="card local">
            <strong>"Skills on this machine"</strong>
            <span>"A folder or a zip archive, looked at as if it were served: checks, and the entries a server would publish. Nothing leaves this page. Drop it anywhere here, or:"</span>
            <p class="acts">
                <label class="button small file">
                    "Choose a folder" <input type="file" class="visually-hidden" multiple=true node_ref=folder on:change:target=take/>
                </label>
                <label class="button small file">
                    "Choose a zip" <input type="file" class="visually-hidden" accept=".zip" on:change:target=take/>
                </label>
            </p>
            {follow(state)}
        </div>
    }
}

/// Goes to a demonstration server, and connects to it first where that is needed.
pub(crate) fn open_demo(app: App, endpoint: &str) {
    if untrack(|| app.server(endpoint)).is_some() {
        return navigation::go(&Route::Server { label: endpoint.to_owned() });
    }
    // The names of the demo servers are right by construction.
    let _ = run::connect(app, endpoint, &Entered::default());
}

#[component]
fn DemoCard(endpoint: &'static str, what: &'static str) -> impl IntoView {
    let app = app();
    view! {
        <Button class="card demo" press=move || open_demo(app, endpoint)>
            <strong>{endpoint}</strong>
            <span>{what}</span>
        </Button>
    }
}
