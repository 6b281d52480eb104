//! What a skill tells a model, with its files beside.

use leptos::prelude::*;

use crate::elements::follow;

use crate::groups::{FilePanel, FileView};
use crate::state::skill::Skill;

/// What a skill tells a model.
#[component]
pub(super) fn Instructions(skill: Skill) -> impl IntoView {
    let shown = Signal::derive(move || skill.skill_md().map(|file| file.uri.to_string()));
    // Entries may be exchanged; the file's place in the new one is another.
    let file = Memo::new_with_compare(
        move |_| skill.skill_md(),
        |a, b| a.map(|a| a.as_ref().map(|a| a.state)) != b.map(|b| b.as_ref().map(|b| b.state)),
    );
    let is_loadable = move || skill.held.with(|held| held.entry().is_some());
    let text = move || {
        match file.get() {
        Some(file) => view! { <FileView skill=skill file=file/> }.into_any(),
        None if is_loadable() => view! {
            <p class="empty">"The manifest does not list the skill's own SKILL.md, so there is nothing to load. Checks says more."</p>
        }
        .into_any(),
        None => view! {
            <p class="empty">
                "This entry may not be loaded, so nothing is read. Checks says what is wrong with it; Raw shows it as it came."
            </p>
        }
        .into_any(),
    }
    };
    view! {
        <div class="beside">
            <div class="beside-main">{follow(text)}</div>
            {follow(move || is_loadable().then(|| view! { <FilePanel skill=skill shown=shown/> }))}
        </div>
    }
}
