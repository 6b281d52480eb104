//! The keys, and what the marks mean.

use leptos::html;
use leptos::prelude::*;

use super::later::LaterPart;
use crate::elements::{Button, Glyph, follow};
use crate::keys;
use crate::mark::Mark;
use crate::state::app;

const MARKS: [(Mark, &str); 5] = [
    (Mark::Good, "checked, and as promised"),
    (Mark::Bad, "refused or broken: a MUST of the specification"),
    (Mark::Warn, "needs a look: a SHOULD, a shared name, or bytes that nothing pins"),
    (Mark::Unknown, "not read, so nothing is known"),
    (Mark::Note, "worth knowing; nothing is broken"),
];

/// The help, over everything else while it is open.
#[component]
pub(crate) fn Help() -> impl IntoView {
    let app = app();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if app.help_open.get() && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !app.help_open.get() && dialog.open() {
            dialog.close();
        }
    });
    view! {
        <dialog
            class="dialog"
            aria-labelledby="help-title"
            node_ref=dialog
            on:close=move |_| app.help_open.set(false)
        >
            <header class="dialog-head">
                <h2 id="help-title">"Keys and marks"</h2>
                <Button press=move || app.help_open.set(false)>
                    "Close"
                </Button>
            </header>
            {follow(move || app.help_open.get().then(|| view! { <LaterPart view=|later| (later.help)()/> }))}
        </dialog>
    }
}

/// The keys, and what the marks mean.
#[component]
pub(crate) fn KeysAndMarks() -> impl IntoView {
    let app = app();
    let find = move || {
        app.help_open.set(false);
        app.palette_open.set(true);
    };
    let keys = keys::HELP.map(|(key, what)| {
        view! {
            <tr><td><kbd>{key}</kbd></td><td>{what}</td></tr>
        }
    });
    let marks = MARKS.map(|(mark, what)| view! { <li><Glyph mark=mark/> {what}</li> });
    view! {
            <p><Button press=find>"Find a skill, a place or an action"</Button></p>
            <table class="keys"><tbody>{keys}</tbody></table>
            <ul class="legend">{marks}</ul>
            <p class="hint">
                "Nothing of a skill is read until you ask for it: not on connecting, not on listing, not on opening it. A file counts as the skill's only when its size and SHA-256 are the ones its entry promises."
            </p>
    }
}
