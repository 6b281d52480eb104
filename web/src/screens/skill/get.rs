//! What `skills/get` said, beside the entry that is held.

use std::sync::Arc;

use leptos::prelude::*;

use crate::elements::{Button, VerdictLine};
use crate::groups::{EntryChanges, FailureCard};
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::state::skill::{Answer, Got, Skill};
use crate::text::count;

/// The last answer of `skills/get`.
#[component]
pub(super) fn GetNotice(skill: Skill) -> impl IntoView {
    move || match skill.got.get() {
        Got::NotAsked | Got::Asking => ().into_any(),
        Got::Failed(failure) => {
            view! { <FailureCard failure=failure server=skill.server/> }.into_any()
        }
        Got::Answer(answer) => view! { <Compared skill=skill answer=answer/> }.into_any(),
    }
}

#[component]
fn Compared(skill: Skill, answer: Arc<Answer>) -> impl IntoView {
    let held_by = skill.held.with_untracked(|held| held.method);
    let asked = answer.method();
    let (mark, line) = match (&answer.diff, &answer.held) {
        (Some(diff), _) if diff.is_empty() => (
            Mark::Good,
            format!("{asked} answers with the same entry as the one held from {held_by}."),
        ),
        (Some(diff), _) => {
            (Mark::Bad, format!("{asked} answers with another entry: {}.", diff.summary()))
        }
        (None, Some(got)) if got.entry().is_none() => {
            (Mark::Bad, format!("{asked} answers with an entry that may not be loaded."))
        }
        (None, Some(_)) => (
            Mark::Warn,
            format!("{asked} answers with an entry that may be loaded; the one held may not."),
        ),
        (None, None) => {
            (Mark::Bad, "skills/get answers without an entry for this skill.".to_owned())
        }
    };
    let others = count(answer.findings().len(), "finding");
    let checks = Route::skill(&skill.server.label(), &skill.key(), Tab::Checks).hash();
    let has_findings = !answer.findings().is_empty();
    let adoptable = match (&answer.diff, &answer.held) {
        (Some(diff), Some(held)) if !diff.is_empty() => Some(held.clone()),
        (None, Some(held)) if held.entry().is_some() => Some(held.clone()),
        _ => None,
    };
    view! {
        <section class="card notice" role="status" aria-label=format!("Comparison with {asked}")>
            <VerdictLine mark=mark text=line/>
            <Differences skill=skill answer=Arc::clone(&answer)/>
            <p class="acts">
                {has_findings.then(|| view! { <a href=checks>{others} " about this answer"</a> })}
                {adoptable.map(|held| view! {
                    <Button press=move || skill.hold(held.clone())>
                        "Hold this entry instead"
                    </Button>
                })}
            </p>
        </section>
    }
}

#[component]
fn Differences(skill: Skill, answer: Arc<Answer>) -> impl IntoView {
    let held = skill.held.get_untracked();
    let after = answer.held.as_ref().and_then(|held| held.entry())?;
    let before = held.entry()?;
    answer.diff.as_ref().filter(|diff| !diff.is_empty())?;
    Some(view! { <EntryChanges before=before after=after/> })
}
