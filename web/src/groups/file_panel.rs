//! The files of a skill beside its text.

use leptos::prelude::*;

use crate::elements::{Glyph, Keyed, ServerText, follow, list};
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::run;
use crate::state::skill::{FileState, Skill, SkillFile};
use crate::text::bytes;
use skillglass::verify::Verdict;

/// How many files are shown; all are verified all the same.
pub(crate) const MAX_SHOWN: usize = 2_000;

impl SkillFile {
    /// How the file stands: a mark and a word.
    pub(crate) fn standing(&self) -> (Mark, &'static str) {
        if !self.is_readable() {
            return (Mark::Bad, "line unusable");
        }
        match self.state.get() {
            FileState::NotRead => (Mark::Unknown, "not read yet"),
            FileState::Reading => (Mark::Busy, "reading"),
            FileState::Failed(_) => (Mark::Bad, "could not be read"),
            FileState::Read(read) => match read.verdict {
                Verdict::Verified(_) => (Mark::Good, "verified"),
                Verdict::Unpinned(_) => (Mark::Warn, "read, not pinned"),
                Verdict::Refused(_) => (Mark::Bad, "refused"),
                Verdict::Untested(_) => (Mark::Warn, "not judged"),
            },
        }
    }

    /// Where the file is shown.
    pub(crate) fn href(&self, skill: Skill) -> String {
        let is_skill_md = skill
            .held
            .with_untracked(|held| held.entry().is_some_and(|entry| *entry.uri == *self.uri));
        let tab = if is_skill_md {
            Tab::Instructions
        } else {
            Tab::Files { open: Some(self.uri.to_string()) }
        };
        Route::skill(&skill.server.label(), &skill.key(), tab).hash()
    }

    /// Reads the file if it was not read, or was let go of since: the user has opened it.
    pub(crate) fn open(&self, skill: Skill) {
        if self.state.with_untracked(FileState::is_absent) {
            run::read_file(skill, self.clone());
        }
    }
}

/// A file's state as a glyph and a word.
#[component]
pub(crate) fn FileStatus(
    /// The file.
    file: SkillFile,
) -> impl IntoView {
    let change = file.change;
    let standing = Memo::new(move |_| file.standing());
    view! {
        <span class="file-status">
            <Glyph mark=Signal::derive(move || standing.get().0)/>
            {follow(move || standing.get().1)}
            {follow(move || change.get().map(|kind| view! { <span class="change">{kind.word()}</span> }))}
        </span>
    }
}

/// The files of a skill, in a column.
#[component]
pub(crate) fn FilePanel(
    /// The skill.
    skill: Skill,
    /// The URI of the file that is shown.
    #[prop(into)]
    shown: Signal<Option<String>>,
) -> impl IntoView {
    let total = move || {
        skill.held.with(|held| {
            let manifest = held.entry()?.manifest()?;
            Some(bytes(manifest.total_size()))
        })
    };
    let rows = list(move || {
        skill.files.with(|files| {
            let row = |file: &SkillFile| {
                let (key, file) = (file.list_key(), file.clone());
                Keyed::new(key, move || view! { <PanelRow skill=skill file=file shown=shown/> })
            };
            files.order.iter().take(MAX_SHOWN).map(row).collect()
        })
    });
    let more = move || skill.files.with(|files| files.order.len().saturating_sub(MAX_SHOWN));
    view! {
        <aside class="file-panel" aria-label="Files of this skill">
            <header><h2>"Files"</h2><span>{follow(total)}</span></header>
            <ul>
                {rows}
            </ul>
            {follow(move || (more() > 0).then(|| view! { <p class="cut-note">{more()} " more are not shown here."</p> }))}
        </aside>
    }
}

#[component]
fn PanelRow(skill: Skill, file: SkillFile, shown: Signal<Option<String>>) -> impl IntoView {
    let size = file.size().map(bytes);
    let is_shown = {
        let uri = file.uri.clone();
        move || shown.with(|shown| shown.as_deref() == Some(&*uri))
    };
    let standing = {
        let file = file.clone();
        Memo::new(move |_| file.standing())
    };
    let change = file.change;
    let href = file.href(skill);
    let path = file.path.to_string();
    let title = path.clone();
    view! {
        <li>
            <a
                class="panel-row"
                href=href
                title=title
                aria-current=move || is_shown().then_some("true")
                on:click=move |_| file.open(skill)
            >
                <Glyph mark=Signal::derive(move || standing.get().0)/>
                <span class="panel-path"><ServerText text=path/></span>
                {follow(move || change.get().map(|kind| view! { <span class="change">{kind.word()}</span> }))}
                <span class="panel-size">{size}</span>
                <span class="visually-hidden">{follow(move || standing.get().1)}</span>
            </a>
        </li>
    }
}
