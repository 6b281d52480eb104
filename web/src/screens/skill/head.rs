//! The head of a skill: where it is, how it stands, what can be done.

use leptos::prelude::*;
use skillglass::uri::SkillUri;

use crate::browser;
use crate::elements::{Button, CopyButton, Fact, Glyph, ServerText, follow};
use crate::groups::{PauseNotice, RunProgress};
use crate::label::LOCAL;
use crate::route::{Route, Tab};
use crate::run;
use crate::screens::TITLE;
use crate::screens::server::for_how_long;
use crate::state::app;
use crate::state::skill::{Got, Held, News, Skill};
use crate::state::standing::{Kind, Standing};
use crate::text::{ago, count, head};
use crate::transport::Stop;

/// Endings of files that are run rather than read.
const SCRIPTS: [&str; 12] =
    ["sh", "bash", "py", "js", "mjs", "ts", "rb", "pl", "ps1", "bat", "cmd", "exe"];

/// The head of a skill.
#[component]
pub(super) fn Head(skill: Skill) -> impl IntoView {
    view! {
        <header class="skill-head">
            <div class="skill-title">
                <Prefix skill=skill/>
                <Title skill=skill/>
                <Description skill=skill/>
            </div>
            <Actions skill=skill/>
            <div class="progress-place">
                <Progress skill=skill/>
                <PauseNotice server=skill.server/>
            </div>
        </header>
        <Facts skill=skill/>
    }
}

#[component]
fn Prefix(skill: Skill) -> impl IntoView {
    let key = skill.key();
    let place = {
        let key = key.clone();
        move || {
            let Ok(uri) = SkillUri::parse(&key) else { return key.to_string() };
            let root = uri.root();
            // The folder stands in the title, unless the frontmatter has another name.
            let is_titled = skill.held.with(|held| {
                let name = held.reading.name.as_deref();
                name.is_none_or(|name| name.is_empty() || name == uri.name())
            });
            let end = if is_titled { uri.name().len() } else { 0 };
            root[..root.len() - end].to_owned()
        }
    };
    view! {
        <p class="place mono">
            {follow(move || view! { <ServerText text=place()/> })}
            <CopyButton text=key.to_string() label="Copy the skill's URI" small=true/>
        </p>
    }
}

#[component]
fn Title(skill: Skill) -> impl IntoView {
    let name = move || {
        skill.held.with(|held| {
            let name = held.reading.name.as_deref().filter(|name| !name.is_empty());
            let uri = held.reading.uri.as_deref().and_then(|uri| SkillUri::parse(uri).ok());
            let name = name.or(uri.map(|uri| uri.name()));
            head(name.unwrap_or("Entry without a name"), 200).0.to_owned()
        })
    };
    let standing = Memo::new(move |_| {
        let name = name();
        skill.standing(skill.server.catalog.with(|catalog| catalog.is_shared(&name)))
    });
    view! {
        <div class="title-line">
            <h1 id=TITLE tabindex="-1">{follow(move || view! { <ServerText text=name()/> })}</h1>
            {follow(move || {
                let Standing { mark, line, .. } = standing.get();
                view! { <span class=format!("badge {}", mark.class().trim_start_matches("mark "))><Glyph mark=mark/>{line}</span> }
            })}
        </div>
    }
}

#[component]
fn Description(skill: Skill) -> impl IntoView {
    move || {
        let text = skill.held.with(|held| held.reading.description.clone()).unwrap_or_default();
        if text.trim().is_empty() {
            return view! { <p class="description none">"No description"</p> }.into_any();
        }
        view! { <p class="description"><ServerText text=text limit=1_200/></p> }.into_any()
    }
}

#[component]
fn Actions(skill: Skill) -> impl IntoView {
    // What is on this machine, no link leads others to.
    let is_own = skill.server.endpoint().starts_with(LOCAL);
    let link = Signal::derive(move || {
        let route = Route::skill(&skill.server.label(), &skill.key(), Tab::Instructions);
        browser::address_of(&skill.server.link(&route, None))
    });
    let is_asking = move || skill.got.with(|got| matches!(got, Got::Asking));
    let has_uri = skill.held.with_untracked(|held| held.reading.uri.is_some());
    let ask = move || {
        if is_asking() {
            return view! {
                <Button press=move || skill.get_stop.with_value(Stop::pull)>"Stop asking"</Button>
            }
            .into_any();
        }
        view! {
            <Button disabled=!has_uri press=move || run::get(skill)>"Fetch with skills/get"</Button>
        }
        .into_any()
    };
    let is_running = move || skill.run.with(Option::is_some);
    let verify = move || {
        if is_running() {
            return view! {
                <Button press=move || skill.stop.with_value(Stop::pull)>
                    "Stop verifying"
                </Button>
            }
            .into_any();
        }
        let is_loadable = skill.held.with(|held| held.entry().is_some());
        view! {
            <Button
                class="button primary"
                disabled=!is_loadable
                title=if is_loadable { "Reads every file and checks it" } else { "The entry may not be loaded" }
                press=move || run::verify_all(skill)
            >
                "Verify all"
            </Button>
        }
        .into_any()
    };
    view! {
        <div class="skill-acts">
            {(!is_own).then(|| view! { <CopyButton text=link label="Copy link"/> })}
            {follow(ask)}
            {follow(verify)}
        </div>
    }
}

#[component]
fn Progress(skill: Skill) -> impl IntoView {
    move || {
        let run = skill.run.get()?;
        Some(view! { <RunProgress run=run/> })
    }
}

#[component]
fn Facts(skill: Skill) -> impl IntoView {
    let app = app();
    let origin = move || view! { <ServerText text=skill.server.title()/> };
    let files = move || skill.held.with(|held| files_line(held));
    let asks_for = move || skill.held.with(|held| field(held, "allowed-tools"));
    let license = move || skill.held.with(|held| field(held, "license"));
    let read = move || entry_read(skill, app.now.get());
    view! {
        <dl class="facts">
            <Fact term="Origin">{follow(origin)}</Fact>
            <Fact term="Files">{follow(files)}</Fact>
            {follow(move || asks_for().map(|tools| view! {
                <Fact term="Asks for"><span class="warn-text">"allowed-tools: " <ServerText text=tools limit=200/></span></Fact>
            }))}
            {follow(move || license().map(|license| view! {
                <Fact term="License"><ServerText text=license limit=120/></Fact>
            }))}
            <Fact term="Entry read">{follow(read)}</Fact>
        </dl>
    }
}

/// When the entry last came and how, for how long that holds, and why it was asked for anew.
fn entry_read(skill: Skill, now: u64) -> String {
    let (at, freshness, method) = skill.came();
    let holds = for_how_long(skill.server, at, freshness, now);
    let read = format!("{} with {method}, {holds}", ago(now.saturating_sub(at)));
    let (held_at, held_freshness, before) =
        skill.held.with(|held| (held.at, held.freshness, held.method));
    let why = if held_freshness.lasts_ms() == 0 {
        format!("as {before} names no time for which it holds")
    } else {
        format!("as what {before} gave is no longer fresh")
    };
    match skill.news.get() {
        News::Asking => format!("{read}; asked for anew, {why}…"),
        News::Failed(failure) => {
            format!("{read}; asked for anew, {why}, and it could not be had. {failure}")
        }
        News::Same { at, .. } if !skill.server.is_fresh(held_at, held_freshness, at) => {
            format!("{read}; asked for anew when it was opened, {why}")
        }
        News::None | News::Same { .. } => read,
    }
}

/// A field of the frontmatter as one line.
fn field(held: &Held, name: &str) -> Option<String> {
    let node = held.entry()?.frontmatter.get(name)?;
    Some(node.as_str().map_or_else(|| node.to_json(), str::to_owned))
}

fn files_line(held: &Held) -> String {
    match Kind::of(&held.reading) {
        Kind::Unreadable => "unknown".to_owned(),
        Kind::Dynamic => "dynamic".to_owned(),
        Kind::Files(number) => {
            let scripts = scripts(held);
            let scripts = if scripts == 0 {
                String::new()
            } else {
                format!(", {}", count(scripts, "script"))
            };
            format!("{}{scripts}", count(number, "file"))
        }
    }
}

fn scripts(held: &Held) -> usize {
    let files = held.entry().and_then(|entry| entry.manifest()).map(|manifest| &manifest.files);
    let is_script = |uri: &str| {
        let extension = uri.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        extension.is_some_and(|extension| SCRIPTS.contains(&extension.as_str()))
    };
    files.into_iter().flatten().filter(|file| is_script(&file.uri)).count()
}
