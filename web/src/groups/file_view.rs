//! One file: read on request, checked, and shown only if the check says it is the skill's.

use std::sync::Arc;

use leptos::prelude::*;

use super::FailureCard;
use super::changes::TextChanges;
use super::picture::{Image, image_type};
use super::rendered::Rendered;
use super::verdict_card::{HEX_BYTES, VerdictCard};
use crate::browser;
use crate::elements::{Button, Glyph, ServerText, Source, VerdictLine, follow};
use crate::mark::Mark;
use crate::markdown;
use crate::run;
use crate::state::app;
use crate::state::skill::{FileRead, FileState, Skill, SkillFile};
use crate::text::{bytes, count, csv, head, hex_dump, thousands};
use crate::transport::Stop;
use skillglass::verify::Verdict;

/// A file.
#[component]
pub(crate) fn FileView(
    /// The skill.
    skill: Skill,
    /// The file.
    file: SkillFile,
) -> impl IntoView {
    move || {
        let file = file.clone();
        if !file.is_readable() {
            return view! { <Unusable/> }.into_any();
        }
        match file.state.get() {
            FileState::NotRead => view! { <NotRead skill=skill file=file/> }.into_any(),
            FileState::Reading => view! { <Reading skill=skill/> }.into_any(),
            FileState::Failed(failure) => view! {
                <FailureCard failure=failure server=skill.server exchange=file.exchange.get_value()>
                    <ReadButton skill=skill file=file label="Try again"/>
                </FailureCard>
            }
            .into_any(),
            FileState::Read(read) if read.verdict.is_usable() => {
                view! { <Content skill=skill file=file read=read/> }.into_any()
            }
            FileState::Read(read) => view! {
                <VerdictCard file=file.clone() read=read/>
                <ReadButton skill=skill file=file label="Read it again"/>
            }
            .into_any(),
        }
    }
}

#[component]
fn Unusable() -> impl IntoView {
    view! {
        <p class="empty">
            "The manifest's line for this file cannot be used, so the file is not read. Checks says what is wrong with the line."
        </p>
    }
}

#[component]
fn NotRead(skill: Skill, file: SkillFile) -> impl IntoView {
    let size = file.size().map(|size| format!(", {}", bytes(size))).unwrap_or_default();
    let name = file.path.to_string();
    view! {
        <div class="empty">
            <VerdictLine mark=Mark::Unknown text=format!("Not read yet{size}.")/>
            <p class="hint">
                "Nothing of a skill is read ahead of need. Reading asks the server for this one file and checks it against the entry before anything is shown."
            </p>
            <Button class="button primary" press=move || run::read_file(skill, file.clone())>
                "Read " <ServerText text=name/>
            </Button>
        </div>
    }
}

#[component]
fn Reading(skill: Skill) -> impl IntoView {
    view! {
        <div class="empty">
            <VerdictLine mark=Mark::Busy text="Reading…"/>
            // A run over all files is stopped where it was begun.
            {follow(move || skill.run.with(Option::is_none).then(|| view! {
                <Button press=move || skill.stop.with_value(Stop::pull)>
                    "Stop reading"
                </Button>
            }))}
        </div>
    }
}

#[component]
fn ReadButton(skill: Skill, file: SkillFile, label: &'static str) -> impl IntoView {
    view! {
        <p>
            <Button press=move || run::read_file(skill, file.clone())>
                {label}
            </Button>
        </p>
    }
}

/// How a file's content is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Markdown,
    Csv,
    Image { is_text: bool },
    Text,
    Binary,
}

impl Kind {
    /// By the file's name; where that has no ending, by the media type the server names.
    fn of(path: &str, mime_type: Option<&str>, text: Option<&str>) -> Self {
        if image_type(path).is_some() {
            return Self::Image { is_text: text.is_some() };
        }
        if text.is_none() {
            return Self::Binary;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let essence = mime_type.and_then(|kind| kind.split(';').next()).map(str::trim);
        match (ending.as_deref(), essence) {
            (Some("md" | "markdown"), _) | (None, Some("text/markdown")) => Self::Markdown,
            (Some("csv"), _) | (None, Some("text/csv")) => Self::Csv,
            _ => Self::Text,
        }
    }

    /// What the two ways to look at it are called, if there are two.
    const fn choice(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Markdown => Some(("Rendered", "Source")),
            Self::Csv => Some(("Table", "Source")),
            Self::Image { is_text: true } => Some(("Picture", "Source")),
            Self::Image { is_text: false } => Some(("Picture", "Bytes")),
            Self::Text | Self::Binary => None,
        }
    }
}

#[component]
fn Content(skill: Skill, file: SkillFile, read: Arc<FileRead>) -> impl IntoView {
    let Some(bytes) = read.usable().cloned() else {
        return view! {
            <p class="empty">
                "Checked, and let go of since: this page keeps 16 MiB of files at a time. Read it again to see it."
            </p>
            <ReadButton skill=skill file=file label="Read it again"/>
        }
        .into_any();
    };
    let kind = Kind::of(&file.path, read.mime_type.as_deref(), text_of(&bytes));
    // A link that points at a line means the source.
    let raw = RwSignal::new(app().line.get_untracked().is_some());
    let content = {
        let (bytes, path) = (Arc::clone(&bytes), file.path.to_string());
        move || {
            let (bytes, path) = (Arc::clone(&bytes), path.clone());
            show(skill, kind, raw.get(), &bytes, path)
        }
    };
    let changes = skill.former(&file.uri).and_then(|before| {
        let (before, after) =
            (std::str::from_utf8(&before).ok()?, std::str::from_utf8(&bytes).ok()?);
        (before != after).then(|| {
            view! {
                <details class="card file-changes" open=true>
                    <summary>"Changed since you read it before"</summary>
                    <TextChanges before=before after=after/>
                </details>
            }
        })
    });
    view! {
        <Banner skill=skill file=file read=read bytes=Arc::clone(&bytes) kind=kind raw=raw/>
        {changes}
        {content}
    }
    .into_any()
}

/// Bytes as a text, if they are one.
fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn show(skill: Skill, kind: Kind, raw: bool, bytes: &Arc<[u8]>, path: String) -> AnyView {
    match (kind, text_of(bytes)) {
        (Kind::Markdown, Some(text)) if !raw => {
            let is_skill_md = path == "SKILL.md";
            let text = if is_skill_md { markdown::body(text) } else { text };
            view! { <Rendered skill=skill path=path text=text/> }.into_any()
        }
        (Kind::Csv, Some(text)) if !raw => view! { <CsvTable text=text/> }.into_any(),
        (Kind::Image { .. }, _) if !raw => {
            let alt = format!("The picture {path}");
            view! { <div class="picture-frame"><Image bytes=Arc::clone(bytes) path=path alt=alt/></div> }
                .into_any()
        }
        (_, Some(text)) => view! { <Source text=text label=path linked=true/> }.into_any(),
        (_, None) => view! { <Bytes bytes=Arc::clone(bytes)/> }.into_any(),
    }
}

/// Whose text it is, and what can be done with it.
#[component]
fn Banner(
    skill: Skill,
    file: SkillFile,
    read: Arc<FileRead>,
    bytes: Arc<[u8]>,
    kind: Kind,
    raw: RwSignal<bool>,
) -> impl IntoView {
    let pinned = matches!(read.verdict, Verdict::Verified(_));
    let hidden = read.hidden;
    let needs_a_look = !pinned || hidden > 0;
    let mark = if needs_a_look { Mark::Warn } else { Mark::Good };
    let verdict = if pinned { "Verified. " } else { "Dynamic: nothing pins these bytes. " };
    let hidden = (hidden > 0).then(|| {
        let verb = if hidden == 1 { "is" } else { "are" };
        format!(" {} {verb} shown.", count(hidden, "hidden character"))
    });
    let name = file.path.rsplit('/').next().unwrap_or("file").to_owned();
    view! {
        <div class="banner">
            <Glyph mark=mark/>
            <p>
                {verdict} "Text from " <strong>{skill.server.label().to_string()}</strong>
                ". It steers a model; it does not vouch for itself." {hidden}
            </p>
            <span class="banner-acts">
                {kind.choice().map(|(first, second)| view! {
                    <Button
                        class="link"
                        pressed=raw
                        press=move || raw.update(|raw| *raw = !*raw)
                    >
                        {follow(move || if raw.get() { first } else { second })}
                    </Button>
                })}
                <Button class="link" press=move || browser::download(&bytes, &name)>
                    "Download"
                </Button>
            </span>
        </div>
    }
}

#[component]
fn CsvTable<'t>(text: &'t str) -> impl IntoView + use<> {
    const MAX_ROWS: usize = 200;
    const MAX_COLUMNS: usize = 30;
    let (shown, mut is_cut) = head(text, 200_000);
    let mut rows = csv(shown, MAX_ROWS + 1);
    is_cut |= rows.len() > MAX_ROWS || rows.iter().any(|row| row.len() > MAX_COLUMNS);
    rows.truncate(MAX_ROWS);
    let cells = |row: Vec<String>| row.into_iter().take(MAX_COLUMNS);
    let mut rows = rows.into_iter();
    let head_row = rows.next().map(|row| {
        cells(row).map(|cell| view! { <th scope="col"><ServerText text=cell/></th> }).collect_view()
    });
    let body = rows.map(|row| {
        let cells = cells(row).map(|cell| view! { <td><ServerText text=cell/></td> });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Table">
            <table class="data">
                <thead><tr>{head_row}</tr></thead>
                <tbody>{body.collect_view()}</tbody>
            </table>
        </div>
        {is_cut.then(|| view! {
            <p class="cut-note">"Cut off here: Source shows more of it, and Download has all."</p>
        })}
    }
}

#[component]
fn Bytes(bytes: Arc<[u8]>) -> impl IntoView {
    let all = bytes.len();
    view! {
        <pre class="hex" tabindex="0" aria-label="The first bytes">{hex_dump(&bytes, HEX_BYTES)}</pre>
        {(all > HEX_BYTES).then(|| view! {
            <p class="cut-note">
                "The first " {thousands(HEX_BYTES as u64)} " of " {thousands(all as u64)} " bytes. Download has all."
            </p>
        })}
    }
}
