//! The start: which server?

use leptos::prelude::*;
use web_sys::SubmitEvent;

use super::TITLE;
use crate::browser;
use crate::elements::{Keyed, list};
use crate::failure::{Failure, Place};
use crate::groups::{FailureCard, Remedy, Steps};
use crate::navigation;
use crate::route::Route;
use crate::run::{self, Credentials};
use crate::state::app;
use crate::state::server::Stage;
use crate::transport::Stop;

/// A header that the user enters.
#[derive(Clone, Copy)]
struct Field {
    id: usize,
    name: RwSignal<String>,
    value: RwSignal<String>,
}

impl Field {
    fn new(id: usize) -> Self {
        Self { id, name: RwSignal::new(String::new()), value: RwSignal::new(String::new()) }
    }
}

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
    let fields = RwSignal::new(vec![Field::new(0)]);
    let refused = RwSignal::new(None::<Failure>);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let header = |field: &Field| (field.name.get_untracked(), field.value.get_untracked());
        let credentials = Credentials {
            token: token.get_untracked(),
            headers: fields.with_untracked(|fields| fields.iter().map(header).collect()),
        };
        let endpoint = url.get_untracked();
        refused.set(run::connect(app, endpoint.trim(), &credentials).err());
    };
    let complaint = move || refused.get().map(|failure| view! { <Complaint failure=failure/> });
    view! {
        <div class="screen start">
            <h1 id=TITLE tabindex="-1">"What does this server teach a model?"</h1>
            <p class="lead">
                "Look through an MCP server at its skills: what is there, whether every byte is what was promised, and where the server breaks the rules."
            </p>
            <form class="connect" on:submit=submit>
                <div class="connect-line">
                    <input
                        class="mono"
                        type="text"
                        inputmode="url"
                        aria-label="Address of an MCP server"
                        placeholder="https://mcp.example.com/mcp"
                        spellcheck="false"
                        autocapitalize="none"
                        autocomplete="url"
                        prop:value=url
                        on:input:target=move |event| url.set(event.target().value())
                    />
                    <button type="submit" class="button primary">"Connect"</button>
                </div>
                {complaint}
                <CredentialFields token=token fields=fields/>
            </form>
            <Attempt/>
            <Cards/>
        </div>
    }
}

/// An address or a header that cannot be used.
#[component]
fn Complaint(failure: Failure) -> impl IntoView {
    let words = failure.words(Place { endpoint: "", origin: "" });
    view! {
        <p class="field-error" role="alert">{words.what} " " {words.advice}</p>
    }
}

#[component]
fn CredentialFields(token: RwSignal<String>, fields: RwSignal<Vec<Field>>) -> impl IntoView {
    let app = app();
    let add = move |_| {
        fields.update(|fields| {
            let id = fields.last().map_or(0, |last| last.id + 1);
            fields.push(app.keep(|| Field::new(id)));
        })
    };
    let lines = list(move || {
        let line = |field: &Field| {
            let field = *field;
            Keyed::new(field.id.to_string(), move || view! { <HeaderLine field=field/> })
        };
        fields.with(|fields| fields.iter().map(line).collect())
    });
    view! {
        <details class="credentials">
            <summary>
                "Headers and token" <span class="hint">"No file is read until you ask."</span>
            </summary>
            <label class="field">
                <span>"Bearer token"</span>
                <input
                    class="mono"
                    type="password"
                    autocomplete="off"
                    prop:value=token
                    on:input:target=move |event| token.set(event.target().value())
                />
            </label>
            <fieldset class="field headers-field">
                <legend>"Headers"</legend>
                {lines}
                <button type="button" class="link" on:click=add>"Another header"</button>
            </fieldset>
            <p class="hint">
                "They go to this server only, stay in this tab's memory, and are shown as dots on the wire. Over plain http they are sent to this machine only."
            </p>
        </details>
    }
}

#[component]
fn HeaderLine(field: Field) -> impl IntoView {
    view! {
        <div class="header-line">
            <input
                class="mono"
                type="text"
                aria-label="Header name"
                placeholder="X-Api-Key"
                spellcheck="false"
                autocapitalize="none"
                autocomplete="off"
                prop:value=field.name
                on:input:target=move |event| field.name.set(event.target().value())
            />
            <input
                class="mono"
                type="password"
                aria-label="Header value"
                autocomplete="off"
                prop:value=field.value
                on:input:target=move |event| field.value.set(event.target().value())
            />
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
            Stage::Failed(failure) => {
                Some(view! { <FailureCard failure=failure server=server untitled=true/> })
            }
            _ => None,
        };
        let is_connecting = move || matches!(server.stage.get(), Stage::Connecting);
        let cancel = move || {
            is_connecting().then(|| view! {
            <button type="button" class="button" on:click=move |_| server.stop.with_value(Stop::pull)>
                "Cancel"
            </button>
        })
        };
        Some(view! {
            <section class="attempt" aria-label="Connection">
                <Steps server=server/>
                {cancel}
                {failure}
            </section>
        })
    }
}

#[component]
fn Cards() -> impl IntoView {
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
            <details class="card own-server">
                <summary>
                    <strong>"Your own server"</strong>
                    <span>"What a page can reach, and what the server has to allow."</span>
                </summary>
                <p>
                    "Any Streamable HTTP endpoint that speaks MCP 2026-07-28: https anywhere, or http on your own machine. The official SDKs do not let pages in by themselves; these lines do."
                </p>
                <Remedy origin=browser::origin()/>
            </details>
        </section>
    }
}

#[component]
fn DemoCard(endpoint: &'static str, what: &'static str) -> impl IntoView {
    let app = app();
    let open = move |_| {
        if app.server(endpoint).is_some() {
            return navigation::go(&Route::Server { label: endpoint.to_owned() });
        }
        // The names of the demo servers are right by construction.
        let _ = run::connect(app, endpoint, &Credentials::default());
    };
    view! {
        <button type="button" class="card demo" on:click=open>
            <strong>{endpoint}</strong>
            <span>{what}</span>
        </button>
    }
}
