//! A skill's entry as JSON: as it came, or indented.

use leptos::prelude::*;

use crate::elements::{CopyButton, Source};
use crate::state::skill::{Got, Skill};
use crate::text::pretty_json;

/// The entry that is held, and the one that `skills/get` gave.
#[component]
pub(super) fn Raw(skill: Skill) -> impl IntoView {
    let held = move || {
        let held = skill.held.get();
        let title = format!("The entry that is held, from {}", held.method);
        view! { <Json title=title json=held.reading.source.clone()/> }
    };
    let got = move || match skill.got.get() {
        Got::Answer(answer) => answer.held.as_ref().map(|held| {
            let title = "What skills/get answered".to_owned();
            view! { <Json title=title json=held.reading.source.clone()/> }
        }),
        _ => None,
    };
    view! { {held} {got} }
}

#[component]
fn Json(title: String, json: String) -> impl IntoView {
    let exact = RwSignal::new(false);
    let is_json = skillglass::json::read(&json).is_ok();
    let (copied, label) = (json.clone(), title.clone());
    let text = move || {
        let text = if exact.get() || !is_json { json.clone() } else { pretty_json(&json) };
        view! { <Source text=text label=label.clone()/> }
    };
    let choice = |name: &'static str, value: bool| {
        view! {
            <button
                type="button"
                class="choice"
                aria-pressed=move || (exact.get() == value).to_string()
                on:click=move |_| exact.set(value)
            >
                {name}
            </button>
        }
    };
    view! {
        <section class="raw" aria-label=title.clone()>
            <header>
                <h2>{title.clone()}</h2>
                <div class="choices" role="group" aria-label="Form">
                    {choice("Indented", false)} {choice("Exact", true)}
                </div>
                <CopyButton text=copied label="Copy"/>
            </header>
            {text}
        </section>
    }
}
