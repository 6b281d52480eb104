//! Opening a skill that no listing shows.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::uri::SkillUri;
use web_sys::SubmitEvent;

use super::FailureCard;
use super::later::LaterPart;
use crate::elements::{Button, Field, follow};
use crate::failure::Failure;
use crate::navigation;
use crate::route::{Route, Tab};
use crate::run;
use crate::state::server::Server;
use crate::transport::Stop;

/// What became of the last URI.
#[derive(Clone)]
enum State {
    Idle,
    Asking,
    NoSkillUri(String),
    Failed(Failure),
}

/// A button, and the dialog behind it.
#[component]
pub(crate) fn OpenByUri(
    /// The server that is asked.
    server: Server,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    view! {
        <Button class="link" press=move || is_open.set(true)>"Open by URI"</Button>
        {follow(move || is_open.get().then(|| view! {
            <LaterPart view=move |later| (later.open_by_uri)(server, is_open)/>
        }))}
    }
}

/// The dialog.
#[component]
pub(crate) fn OpenDialog(
    /// The server that is asked.
    server: Server,
    /// Whether it is open.
    is_open: RwSignal<bool>,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let uri = RwSignal::new(String::new());
    let state = RwSignal::new(State::Idle);
    let stop = StoredValue::new_local(Stop::new());
    // It can be shown as soon as it is in the document.
    request_animation_frame(move || {
        if let Some(dialog) = dialog.try_get_untracked().flatten() {
            let _ = dialog.show_modal();
        }
    });
    let hide = move || {
        if let Some(dialog) = dialog.try_get_untracked().flatten() {
            dialog.close();
        }
    };
    let closed = move |_| {
        stop.with_value(Stop::pull);
        is_open.set(false);
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let wanted = uri.get_untracked().trim().to_owned();
        if let Err(error) = SkillUri::parse(&wanted) {
            return state.set(State::NoSkillUri(error.to_string()));
        }
        state.set(State::Asking);
        stop.set_value(Stop::new());
        spawn_local(async move {
            match run::open_by_uri(server, &wanted, &stop.get_value()).await {
                Ok(skill) => {
                    state.try_set(State::Idle);
                    hide();
                    let label = server.label();
                    navigation::go(&Route::skill(&label, &skill.key(), Tab::Instructions));
                }
                Err(failure) => {
                    state.try_set(State::Failed(failure));
                }
            }
        });
    };
    let outcome = move || match state.get() {
        State::Idle => ().into_any(),
        State::Asking => view! { <p role="status">"Asking skills/get…"</p> }.into_any(),
        State::NoSkillUri(why) => view! {
            <p class="field-error" role="alert">"Not the URI of a SKILL.md: " {why} "."</p>
        }
        .into_any(),
        State::Failed(failure) => {
            view! { <FailureCard failure=failure server=server in_dialog=true/> }.into_any()
        }
    };
    view! {
        <dialog
            class="dialog"
            aria-labelledby="open-title"
            node_ref=dialog
            on:close=closed
        >
            <form on:submit=submit>
                <header class="dialog-head"><h2 id="open-title">"Open a skill by its URI"</h2></header>
                <p class="hint">
                    "A listing may leave skills out. The server is asked with skills/get; nothing else is read."
                </p>
                <label class="field"><span>"URI of the SKILL.md"</span> <Field label="URI of the SKILL.md" value=uri example="skill://acme/refunds/SKILL.md"/></label>
                {follow(outcome)}
                <div class="dialog-actions">
                    <Button press=move || hide()>"Close"</Button>
                    <button
                        type="submit"
                        class="button primary"
                        disabled=move || matches!(state.get(), State::Asking)
                    >
                        "Open"
                    </button>
                </div>
            </form>
        </dialog>
    }
}
