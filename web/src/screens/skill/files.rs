//! The files of a skill as a table, or one of them.

use leptos::prelude::*;

use crate::browser;
use crate::elements::{Button, CopyButton, Digest, Keyed, ServerText, follow, list};
use crate::groups::{FilePanel, FileStatus, FileView};
use crate::route::{Route, Tab};
use crate::run;
use crate::state::app;
use crate::state::skill::{FileState, Skill, SkillFile};
use crate::text::{bytes, thousands};

/// How many rows the table has at most.
const MAX_ROWS: usize = 2_000;

/// The files of a skill.
#[component]
pub(super) fn Files(
    skill: Skill,
    /// The URI of the file that is open.
    open: Option<String>,
) -> impl IntoView {
    match open {
        Some(uri) => view! { <OneFile skill=skill uri=uri/> }.into_any(),
        None => view! { <Table skill=skill/> }.into_any(),
    }
}

#[component]
fn OneFile(skill: Skill, uri: String) -> impl IntoView {
    let back = Route::skill(&skill.server.label(), &skill.key(), Tab::Files { open: None }).hash();
    let shown = Signal::stored(Some(uri.clone()));
    let link = {
        let route = Route::skill(
            &skill.server.label(),
            &skill.key(),
            Tab::Files { open: Some(uri.clone()) },
        );
        let line = app().line;
        Signal::derive(move || browser::address_of(&skill.server.link(&route, line.get())))
    };
    let view = {
        let uri = uri.clone();
        move || {
            // Follows an exchange of the entry.
            skill.held.track();
            match skill.file(&uri) {
                Some(file) => view! {
                    <div class="file-title">
                        <h2 class="mono"><ServerText text=file.path.to_string()/></h2>
                        <CopyButton text=link label="Copy a link to this file, and to the line that is marked" small=true/>
                    </div>
                    <FileView skill=skill file=file/>
                }
                .into_any(),
                None => view! {
                    <div class="file-title"><h2 class="mono"><ServerText text=uri.clone()/></h2></div>
                    <p class="empty">
                        "The manifest that is held does not list this file. A host reads only what it lists, and so does this page."
                    </p>
                }
                .into_any(),
            }
        }
    };
    view! {
        <div class="beside">
            <div class="beside-main">
                <p class="file-back"><a href=back>"‹ All files"</a></p>
                {view}
            </div>
            <FilePanel skill=skill shown=shown/>
        </div>
    }
}

#[component]
fn Table(skill: Skill) -> impl IntoView {
    let rows = list(move || {
        skill.files.with(|files| {
            let row = |file: &SkillFile| {
                let (key, file) = (file.list_key(), file.clone());
                Keyed::new(key, move || view! { <FileRow skill=skill file=file/> })
            };
            files.order.iter().take(MAX_ROWS).map(row).collect()
        })
    });
    let number = move || skill.files.with(|files| files.order.len());
    let is_dynamic = move || {
        skill.held.with(|held| held.entry().is_some_and(|entry| entry.manifest().is_none()))
    };
    view! {
        {follow(move || is_dynamic().then(|| view! {
            <p class="hint">
                "A dynamic skill has no manifest: nothing says which files there are, or what they hold. Those that were opened through links are here."
            </p>
        }))}
        {follow(move || (number() == 0).then(|| view! {
            <p class="empty">"The entry names no files."</p>
        }))}
        <div class="scroll">
            <table class="data files">
                <thead>
                    <tr>
                        <th scope="col">"Status"</th>
                        <th scope="col">"File"</th>
                        <th scope="col" class="number">"Size"</th>
                        <th scope="col">"SHA-256"</th>
                        <th scope="col"><span class="visually-hidden">"Action"</span></th>
                    </tr>
                </thead>
                <tbody>
                    {rows}
                </tbody>
            </table>
        </div>
        {follow(move || (number() > MAX_ROWS).then(|| view! {
            <p class="cut-note">
                {thousands((number() - MAX_ROWS) as u64)} " more lines of the manifest are not shown here; Raw has them."
            </p>
        }))}
    }
}

#[component]
fn FileRow(skill: Skill, file: SkillFile) -> impl IntoView {
    let size = file.size();
    let digest = file.promised.as_ref().and_then(|line| line.digest);
    let path = file.path.to_string();
    let href = file.href(skill);
    let state = file.state;
    let is_readable = file.is_readable();
    let act = {
        let file = file.clone();
        let (href, path) = (href.clone(), path.clone());
        move || {
            let (file, href) = (file.clone(), href.clone());
            let is_unread = matches!(state.get(), FileState::NotRead | FileState::Failed(_));
            if is_unread {
                let label = format!("Read {path}");
                return view! {
                    <Button
                        class="button small"
                        label=label
                        disabled=!is_readable
                        press=move || run::read_file(skill, file.clone())
                    >
                        "Read"
                    </Button>
                }
                .into_any();
            }
            view! {
                <a
                    class="button small"
                    href=href
                    aria-label=format!("Open {path}")
                    on:click=move |_| file.open(skill)
                >
                    "Open"
                </a>
            }
            .into_any()
        }
    };
    let open = {
        let file = file.clone();
        move |_| file.open(skill)
    };
    let size_title = size.map(|size| format!("{} bytes", thousands(size)));
    view! {
        <tr>
            <td class="status"><FileStatus file=file/></td>
            <td class="path"><a href=href on:click=open><ServerText text=path/></a></td>
            <td class="number" title=size_title>
                {size.map_or_else(|| "–".to_owned(), bytes)}
            </td>
            <td class="sum">
                {match digest {
                    Some(digest) => view! { <Digest digest=digest/> }.into_any(),
                    None => "–".into_any(),
                }}
            </td>
            <td class="act">{act}</td>
        </tr>
    }
}
