//! The frontmatter: what the entry says, what `SKILL.md` says, and whether they agree.

use leptos::prelude::*;
use skillglass::entry::SkillEntry;
use skillglass::finding::excerpt;
use skillglass::frontmatter::{
    Comparison, FieldComparison, FieldOutcome, Frontmatter, Side, compare,
};

use crate::elements::{Button, Glyph, MarkedText, ServerText, VerdictLine, follow};
use crate::mark::Mark;
use crate::run;
use crate::state::skill::{FileState, Skill};
use crate::text::{self, Part};

/// How much of a value is shown before the file was read, in characters.
const MAX_SHOWN: usize = 2_000;

/// What there is to compare.
enum Both {
    /// `SKILL.md` was not read.
    EntryOnly,
    /// The two, field by field, and whether the file's bytes are the promised ones.
    Compared(Comparison, bool),
    /// The file has no frontmatter that can be read.
    Unreadable(String),
}

fn both(skill: Skill) -> Option<Both> {
    let held = skill.held.get();
    let entry = held.entry()?;
    let state = skill.skill_md().map(|file| file.state.get());
    let Some(FileState::Read(read)) = state else { return Some(Both::EntryOnly) };
    let Some(bytes) = &read.bytes else { return Some(Both::EntryOnly) };
    Some(match (Frontmatter::read(bytes), std::str::from_utf8(bytes)) {
        (Ok(frontmatter), Ok(text)) => {
            let comparison = compare(&frontmatter, text, &entry.frontmatter, &entry.source);
            let is_promised = read.verdict.is_usable() || !comparison.is_equal();
            Both::Compared(comparison, is_promised)
        }
        (Err(error), _) => Both::Unreadable(error.kind.to_string()),
        (_, Err(_)) => Both::EntryOnly,
    })
}

/// How many fields differ, once `SKILL.md` was read.
pub(super) fn differing(skill: Skill) -> Option<usize> {
    match both(skill)? {
        Both::Compared(comparison, _) => Some(comparison.differing().count()),
        Both::EntryOnly | Both::Unreadable(_) => None,
    }
}

/// The fields side by side.
#[component]
pub(super) fn FrontmatterTable(skill: Skill) -> impl IntoView {
    move || {
        let held = skill.held.get();
        let (Some(both), Some(entry)) = (both(skill), held.entry()) else {
            return view! { <p class="empty">"The entry has no frontmatter that can be read; Raw shows it as it came."</p> }
                .into_any();
        };
        match both {
            Both::EntryOnly => view! { <NotRead skill=skill/> <EntryTable entry=entry.clone()/> }.into_any(),
            Both::Unreadable(why) => view! {
                <VerdictLine mark=Mark::Bad text=format!("The frontmatter of SKILL.md cannot be read: {why}.")/>
                <EntryTable entry=entry.clone()/>
            }
            .into_any(),
            Both::Compared(comparison, is_promised) => {
                view! { <Summary comparison=comparison.clone() is_promised=is_promised/> <Fields comparison=comparison/> }
                    .into_any()
            }
        }
    }
}

#[component]
fn NotRead(skill: Skill) -> impl IntoView {
    let file = move || skill.skill_md();
    let is_missed = untrack(file)
        .is_some_and(|file| matches!(file.state.get_untracked(), FileState::Failed(_)));
    let (line, act) = if is_missed {
        ("SKILL.md could not be read; this is the entry's side only.", "Try again")
    } else {
        ("SKILL.md is not read yet; this is the entry's side only.", "Read SKILL.md")
    };
    view! {
        <VerdictLine mark=Mark::Unknown text=line>
            {follow(move || file().map(|file| view! {
                <Button class="button small" press=move || run::read_file(skill, file.clone())>
                    {act}
                </Button>
            }))}
        </VerdictLine>
    }
}

#[component]
fn Summary(comparison: Comparison, is_promised: bool) -> impl IntoView {
    let differing = comparison.differing().count();
    let (mark, line) = match (differing, is_promised) {
        (0, true) => (Mark::Good, "Every field of the entry equals the file's.".to_owned()),
        (0, false) => (
            Mark::Bad,
            "Every field is equal, but the file is refused for another reason; Checks says which."
                .to_owned(),
        ),
        (1, _) => (Mark::Bad, "One field differs. A host must refuse the skill.".to_owned()),
        (number, _) => {
            (Mark::Bad, format!("{number} fields differ. A host must refuse the skill."))
        }
    };
    view! { <VerdictLine mark=mark text=line/> }
}

#[component]
fn EntryTable(entry: SkillEntry) -> impl IntoView {
    let members = entry.frontmatter.as_object().unwrap_or_default();
    let rows: Vec<_> = members
        .iter()
        .map(|member| {
            let value = excerpt(&member.node.to_json(), MAX_SHOWN);
            view! {
                <tr>
                    <th scope="row" class="mono"><ServerText text=member.name.to_string()/></th>
                    <td class="value"><code>{value}</code></td>
                    <td class="value none">"not read"</td>
                    <td><Glyph mark=Mark::Unknown/> " not compared"</td>
                </tr>
            }
        })
        .collect();
    view! { <FrontmatterFrame>{rows}</FrontmatterFrame> }
}

#[component]
fn Fields(comparison: Comparison) -> impl IntoView {
    let rows = comparison.fields.into_iter().map(|field| view! { <FieldRows field=field/> });
    view! { <FrontmatterFrame>{rows.collect_view()}</FrontmatterFrame> }
}

#[component]
fn FrontmatterFrame(children: Children) -> impl IntoView {
    view! {
        <div class="scroll">
            <table class="data frontmatter">
                <thead>
                    <tr>
                        <th scope="col">"Field"</th>
                        <th scope="col">"In the entry"</th>
                        <th scope="col">"In SKILL.md"</th>
                        <th scope="col">"Verdict"</th>
                    </tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

#[component]
fn FieldRows(field: FieldComparison) -> impl IntoView {
    let (mark, word) = match field.outcome {
        FieldOutcome::Equal => (Mark::Good, "equal"),
        FieldOutcome::Different => (Mark::Bad, "differs"),
        FieldOutcome::OnlyInEntry => (Mark::Bad, "only in the entry"),
        FieldOutcome::OnlyInFile => (Mark::Bad, "only in the file"),
        FieldOutcome::Unverifiable => (Mark::Bad, "no JSON can hold it"),
    };
    let is_equal = field.outcome == FieldOutcome::Equal;
    let cells = match (&field.entry, &field.file) {
        (Some(entry), Some(file)) if !is_equal => {
            text::mark(&entry.json, &file.json).map(|parts| value(&parts))
        }
        (entry, file) => [whole(entry.as_ref()), whole(file.as_ref())],
    };
    let why = field.differences.iter().take(10).map(|difference| {
        let pointer = difference.pointer.clone();
        let line = difference.file.as_ref().map(|side| format!(", line {}", side.position.line));
        let explanation = difference.explanation.map_or_else(
            || "Why they differ cannot be proved.".to_owned(),
            |explanation| explanation.to_string(),
        );
        view! {
            <p class="why"><code>{pointer}</code> {line} ": " {explanation}</p>
        }
    });
    let why = (!is_equal)
        .then(|| view! { <tr class="why-row"><td colspan="4">{why.collect_view()}</td></tr> });
    view! {
        <tr class:differs=!is_equal>
            <th scope="row" class="mono"><ServerText text=field.name/></th>
            {cells}
            <td class="verdict"><Glyph mark=mark/> " " {word}</td>
        </tr>
        {why}
    }
}

fn value(parts: &[Part<'_>]) -> AnyView {
    view! { <td class="value"><MarkedText parts=parts/></td> }.into_any()
}

fn whole(side: Option<&Side>) -> AnyView {
    match side {
        Some(side) => value(&[Part { text: &side.json, differs: false }]),
        None => view! { <td class="value none">"absent"</td> }.into_any(),
    }
}
