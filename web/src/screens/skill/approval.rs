//! Whether the user has approved a skill: of what, and whether that still holds.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::entry::{self, SkillEntry};
use skillglass::host::{Approval, ApprovalState, approval_state, permission_requests};

use crate::approvals::{self, Approved, MAX_TEXT};
use crate::browser;
use crate::elements::{Button, ServerText, VerdictLine, follow};
use crate::groups::{EntryChanges, TextChanges};
use crate::mark::Mark;
use crate::state::app;
use crate::state::skill::{FileState, Skill};
use crate::text::{ago, bytes, count};

/// Whether a skill is approved, and the way to that.
#[component]
pub(super) fn ApprovalCard(skill: Skill) -> impl IntoView {
    look_up(skill);
    let is_outdated = Memo::new(move |_| skill.is_outdated());
    move || {
        let held = skill.held.get();
        let entry = held.entry()?;
        // Nothing is claimed before the browser has answered.
        let approved = skill.approved.get()?;
        let origin = approvals::origin(&skill.server.endpoint());
        let state = approval_state(approved.as_ref().map(|it| &it.approval), &origin, entry);
        Some(card(skill, entry, approved, &state, is_outdated.get()))
    }
}

/// Asks the browser for the approval of an earlier visit, once.
fn look_up(skill: Skill) {
    let uri = skill.held.with_untracked(|held| held.entry().map(|entry| entry.uri.clone()));
    let Some(uri) = uri.filter(|_| skill.approved.with_untracked(Option::is_none)) else { return };
    spawn_local(async move {
        let origin = approvals::origin(&skill.server.endpoint());
        let approved = approvals::load(&origin, &uri).await;
        skill.approved.try_set(Some(approved.map(Arc::new)));
    });
}

fn card(
    skill: Skill,
    entry: &SkillEntry,
    approved: Option<Arc<Approved>>,
    state: &ApprovalState,
    is_outdated: bool,
) -> AnyView {
    let app = app();
    let at = approved.as_ref().map_or(0, |approved| approved.at);
    let files = entry.manifest().map_or(0, |manifest| manifest.files.len());
    // The card stays as it is, open or not, while its age goes on.
    let title = |before: &'static str, after: String| {
        Signal::derive(move || {
            let age = ago(app.now.get().saturating_sub(at));
            format!("{before} {age}{after}")
        })
    };
    let (mark, title) = match state {
        ApprovalState::None => (Mark::Unknown, Signal::stored("Not approved by you".to_owned())),
        ApprovalState::Covers if is_outdated => {
            let since = "; the server now describes it otherwise".to_owned();
            (Mark::Warn, title("Approved by you", since))
        }
        ApprovalState::Covers => (Mark::Good, title("Approved by you", ", as it is".to_owned())),
        ApprovalState::Revoked(diff) => {
            let why = format!(", no longer holds: {}", diff.summary());
            (Mark::Bad, title("Your approval, given", why))
        }
        ApprovalState::NotBindable => (Mark::Warn, Signal::stored("Cannot be approved".to_owned())),
    };
    let is_revoked = matches!(state, ApprovalState::Revoked(_));
    let body = match state {
        ApprovalState::NotBindable => view! {
            <p>"An approval is of a set of files with their digests. This entry does not say what the complete set is, so every load would have to be approved on its own."</p>
        }
        .into_any(),
        ApprovalState::Covers => view! {
            <p>{format!("It is of {} with these digests, on this server, and of nothing else.", count(files, "file"))}</p>
            <p class="acts"><Withdraw skill=skill/></p>
        }
        .into_any(),
        ApprovalState::Revoked(_) => view! {
            <p>"An approval is of a set of files with their digests. The set has changed, so a host has to ask again before it loads anything of the skill."</p>
            {approved.as_deref().map(|approved| since(skill, approved, entry))}
            {follow(move || not_seen(skill, files))}
            <p class="acts"><Approve skill=skill label="Approve these files instead"/> <Withdraw skill=skill/></p>
        }
        .into_any(),
        ApprovalState::None => view! {
            <p>{what(entry)}</p>
            {asks_for(entry)}
            {follow(move || not_seen(skill, files))}
            <p class="acts"><Approve skill=skill label="Approve this skill"/></p>
        }
        .into_any(),
    };
    view! {
        <details class="card approval" open=is_revoked>
            <summary><VerdictLine mark=mark text=title/></summary>
            <div class="approval-body">{body}</div>
        </details>
    }
    .into_any()
}

/// What an approval would be of.
fn what(entry: &SkillEntry) -> String {
    let Some(manifest) = entry.manifest() else { return String::new() };
    format!(
        "An approval would be of {}, {} in all, with the digests of the manifest, on this server only. It ends by itself as soon as one of them changes. It is kept in this browser.",
        count(manifest.files.len(), "file"),
        bytes(manifest.total_size())
    )
}

/// How many of the files nobody can have looked at here, which an approval is of all the same.
fn not_seen(skill: Skill, files: usize) -> Option<AnyView> {
    let tally = skill.tally.get();
    let text = match (tally.refused + tally.failed, files.saturating_sub(tally.usable)) {
        (0, 0) => return None,
        (0, unread) if unread == files => "None of its files were read here.".to_owned(),
        (0, unread) => format!("{unread} of its {files} files were not read here."),
        (wrong, _) => format!(
            "What the server sends for {} is not what the entry promises.",
            count(wrong, "file")
        ),
    };
    Some(view! { <p class="hint">{text}</p> }.into_any())
}

/// What the skill asks for, which an approval does not grant.
fn asks_for(entry: &SkillEntry) -> Option<AnyView> {
    let requests = permission_requests(entry);
    let lines = requests.iter().map(|request| {
        let text = request.to_string();
        view! { <li><ServerText text=text limit=400/></li> }
    });
    let lines = lines.collect_view();
    (!requests.is_empty()).then(|| {
        view! {
            <p>"The skill asks to:"</p>
            <ul class="asks">{lines}</ul>
            <p class="hint">"Approving the skill grants none of that."</p>
        }
        .into_any()
    })
}

/// What has changed since the approval.
fn since(skill: Skill, approved: &Approved, now: &SkillEntry) -> AnyView {
    let reading = entry::read(&approved.entry);
    let entries = reading.entry.as_ref().map(|was| view! { <EntryChanges before=was after=now/> });
    let text = approved.text.as_deref().zip(read_text(skill).as_deref()).map(|(was, is)| {
        if was == is {
            return view! { <p class="hint">"SKILL.md is the same."</p> }.into_any();
        }
        view! { <h2>"SKILL.md"</h2> <TextChanges before=was after=is/> }.into_any()
    });
    let text = text.or_else(|| {
        approved.text.as_ref().map(|_| {
            view! { <p class="hint">"Read SKILL.md to see which of its lines have changed."</p> }
                .into_any()
        })
    });
    view! { {entries} {text} }.into_any()
}

/// The text of the skill's `SKILL.md`, once it was read.
fn read_text(skill: Skill) -> Option<String> {
    let FileState::Read(read) = skill.skill_md()?.state.get() else { return None };
    let text = std::str::from_utf8(read.usable()?).ok()?;
    (text.len() <= MAX_TEXT).then(|| text.to_owned())
}

#[component]
fn Approve(skill: Skill, label: &'static str) -> impl IntoView {
    let approve = move || {
        let held = skill.held.get_untracked();
        let Some(entry) = held.entry() else { return };
        let origin = approvals::origin(&skill.server.endpoint());
        let Some(approval) = Approval::new(&origin, entry, Default::default()) else { return };
        let approved = Approved {
            approval,
            entry: held.reading.source.clone(),
            text: untrack(|| read_text(skill)),
            at: browser::now(),
        };
        spawn_local(async move {
            let is_kept = approvals::keep(&approved).await;
            skill.approved.try_set(Some(Some(Arc::new(approved))));
            let kept =
                if is_kept { "" } else { " The browser does not keep it beyond this visit." };
            skill.server.app().say(format!("Approved.{kept}"));
        });
    };
    view! { <Button class="button primary" press=approve>{label}</Button> }
}

#[component]
fn Withdraw(skill: Skill) -> impl IntoView {
    let withdraw = move || {
        let uri = skill.held.with_untracked(|held| held.entry().map(|entry| entry.uri.clone()));
        let Some(uri) = uri else { return };
        spawn_local(async move {
            let is_gone =
                approvals::forget(&approvals::origin(&skill.server.endpoint()), &uri).await;
            skill.approved.try_set(Some(None));
            let back = if is_gone {
                ""
            } else {
                " The browser did not drop it: it comes back with the next visit."
            };
            skill.server.app().say(format!("The approval is withdrawn.{back}"));
        });
    };
    view! { <Button press=withdraw>"Withdraw"</Button> }
}
