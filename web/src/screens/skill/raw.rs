//! A skill's entry as JSON: as it came, or indented.

use std::borrow::Cow;

use leptos::prelude::*;

use crate::elements::{Choices, CopyButton, Source, follow};
use crate::state::skill::{Got, Skill};
use crate::text::pretty_json;

/// How an entry can be shown.
const FORMS: [&str; 2] = ["Indented", "Exact"];

/// The place of the second one.
const EXACT: usize = 1;

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
    view! { {follow(held)} {follow(got)} }
}

#[component]
fn Json(title: String, json: String) -> impl IntoView {
    let form = RwSignal::new(0);
    let is_json = skillglass::json::read(&json).is_ok();
    let (copied, label) = (json.clone(), title.clone());
    let text = move || {
        let is_exact = form.get() == EXACT || !is_json;
        let text = if is_exact { Cow::Borrowed(json.as_str()) } else { pretty_json(&json).into() };
        view! { <Source text=&text label=label.clone()/> }
    };
    view! {
        <section class="raw">
            <header>
                <h2>{title}</h2>
                <Choices label="Form" names=&FORMS chosen=form/>
                <CopyButton text=copied label="Copy"/>
            </header>
            {follow(text)}
        </section>
    }
}
