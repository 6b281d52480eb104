//! What has changed since the verification before.

use std::sync::Arc;

use leptos::prelude::*;

use crate::elements::{ServerText, VerdictLine, follow};
use crate::groups::changes_table;
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::state::app;
use crate::state::since::{Changed, Kind, Outcome, Seen, Since};
use crate::state::skill::Skill;
use crate::text::{ago, count, short_digest};

/// How many files are named.
const MAX_NAMED: usize = 50;

/// What has changed since the verification before, once there were two.
#[component]
pub(super) fn SinceCard(skill: Skill) -> impl IntoView {
    let app = app();
    move || {
        let since = skill.since.get()?;
        let at = since.at;
        let age = move || ago(app.now.get().saturating_sub(at));
        let rest = since.rest();
        if since.changed.is_empty() {
            return Some(
                view! {
                    <p class="hint since">
                        "As at the verification before, " {follow(age)} ": " {rest} "."
                    </p>
                }
                .into_any(),
            );
        }
        let title = {
            let counts = since.counts();
            Signal::derive(move || {
                format!("Since the verification before, {}: {counts}; {rest}", age())
            })
        };
        let is_bad = |file: &Changed| matches!(file.kind, Kind::Refused | Kind::Failed);
        let mark = if since.changed.iter().any(is_bad) { Mark::Bad } else { Mark::Note };
        Some(
            view! {
                <details class="card approval since">
                    <summary><VerdictLine mark=mark text=title/></summary>
                    <div class="approval-body"><Table skill=skill since=since/></div>
                </details>
            }
            .into_any(),
        )
    }
}

/// The files that are not as they were, before and now.
#[component]
fn Table(skill: Skill, since: Arc<Since>) -> impl IntoView {
    let more = since.changed.len().saturating_sub(MAX_NAMED);
    let row = |file: &Changed| {
        let known = skill.files.with_untracked(|files| files.get(&file.uri).cloned());
        let path = known.map_or_else(|| Arc::clone(&file.uri), |known| known.path).to_string();
        let tab = Tab::Files { open: Some(file.uri.to_string()) };
        let href = Route::skill(&skill.server.label(), &skill.key(), tab).hash();
        view! {
            <tr>
                <th scope="row" class="mono">
                    <a href=href><ServerText text=path/></a> <span class="hint">" " {file.kind.word()}</span>
                </th>
                {cell(file.before)}
                {cell(file.now)}
            </tr>
        }
    };
    let rows = since.changed.iter().take(MAX_NAMED).map(|file| row(file).into_any()).collect();
    let cut = (more > 0).then(|| format!("{} changed.", count(more, "more file")));
    changes_table("File", "Changed files", rows, cut)
}

/// What a check came to, and of which bytes.
fn cell(seen: Option<Seen>) -> AnyView {
    let Some(Seen { outcome, digest }) = seen else {
        return view! { <td class="value none">"not listed"</td> }.into_any();
    };
    let word = match outcome {
        Outcome::Usable => "as promised",
        Outcome::Refused => "refused",
        Outcome::Untested => "not judged",
        Outcome::Failed => "could not be read",
    };
    let digest = digest.map(|digest| {
        view! { ", " <span class="mono">{short_digest(&digest.hex())}</span> }
    });
    view! { <td class="value">{word} {digest}</td> }.into_any()
}
