//! One skill: its head, and its sides as tabs.

mod approval;
mod checks;
mod elsewhere;
mod files;
mod frontmatter;
mod get;
mod head;
mod host;
mod instructions;
mod raw;
mod since;

use leptos::prelude::*;

use crate::elements::{TabLink, Tabs, follow};
use crate::groups::FailureCard;
use crate::route::{Route, Tab};
use crate::run;
use crate::screens::unknown::UnknownSkill;
use crate::state::app;
use crate::state::server::Server;
use crate::state::skill::Skill;
use crate::text::thousands;

/// The id of what a tab shows.
const PANEL: &str = "panel";

/// One skill, or that there is none.
#[component]
pub(crate) fn SkillOrNot(
    /// The server.
    server: Server,
    /// The skill's key.
    key: String,
) -> impl IntoView {
    match untrack(|| server.skill(&key)) {
        Some(skill) => view! { <SkillScreen skill=skill/> }.into_any(),
        None => view! { <UnknownSkill server=server key=key/> }.into_any(),
    }
}

/// One skill.
#[component]
fn SkillScreen(skill: Skill) -> impl IntoView {
    let app = app();
    run::freshen(skill);
    let tab = Memo::new(move |_| {
        app.route.with(|route| match route {
            Route::Skill { tab, .. } => tab.clone(),
            _ => Tab::Instructions,
        })
    });
    let back = Route::Server { label: skill.server.label().to_string() }.hash();
    view! {
        <div class="screen skill">
            <p class="back"><a href=back>"‹ All skills"</a></p>
            <head::Head skill=skill/>
            {follow(move || skill.broken_off.get().map(|failure| view! {
                <FailureCard failure=failure server=skill.server/>
            }))}
            <since::SinceCard skill=skill/>
            <approval::ApprovalCard skill=skill/>
            <get::GetNotice skill=skill/>
            <elsewhere::Elsewhere skill=skill/>
            <Sides skill=skill tab=tab/>
            {follow(move || (app.printing.get() && is_whole(&tab.get())).then(|| view! { <Printed skill=skill/> }))}
            <div id=PANEL class="panel" role="tabpanel" aria-label=move || name(&tab.get())>
                {follow(move || match tab.get() {
                    Tab::Instructions => view! { <instructions::Instructions skill=skill/> }.into_any(),
                    Tab::Files { open } => view! { <files::Files skill=skill open=open/> }.into_any(),
                    Tab::Frontmatter => view! { <frontmatter::FrontmatterTable skill=skill/> }.into_any(),
                    Tab::Checks => view! { <checks::Checks skill=skill/> }.into_any(),
                    Tab::Raw => view! { <raw::Raw skill=skill/> }.into_any(),
                    Tab::Host => view! { <host::HostWalk skill=skill/> }.into_any(),
                })}
            </div>
        </div>
    }
}

/// Whether a side stands for the skill as a whole, so that paper has all of them: not a file that is open, and not a
/// walk.
const fn is_whole(tab: &Tab) -> bool {
    !matches!(tab, Tab::Files { open: Some(_) } | Tab::Host)
}

/// The sides of a skill, one after the other.
#[component]
fn Printed(skill: Skill) -> impl IntoView {
    let side = |tab: Tab, content: AnyView| {
        view! { <section><h2>{name(&tab)}</h2> {content}</section> }
    };
    view! {
        <div class="on-paper">
            {side(Tab::Instructions, view! { <instructions::Instructions skill=skill/> }.into_any())}
            {side(Tab::Files { open: None }, view! { <files::Files skill=skill open=None/> }.into_any())}
            {side(Tab::Frontmatter, view! { <frontmatter::FrontmatterTable skill=skill/> }.into_any())}
            {side(Tab::Checks, view! { <checks::Checks skill=skill/> }.into_any())}
            {side(Tab::Raw, view! { <raw::Raw skill=skill/> }.into_any())}
        </div>
    }
}

const fn name(tab: &Tab) -> &'static str {
    match tab {
        Tab::Instructions => "Instructions",
        Tab::Files { .. } => "Files",
        Tab::Frontmatter => "Frontmatter",
        Tab::Checks => "Checks",
        Tab::Raw => "Raw",
        Tab::Host => "As a host",
    }
}

#[component]
fn Sides(skill: Skill, tab: Memo<Tab>) -> impl IntoView {
    let label = skill.server.label();
    let link = move |to: Tab, count: Signal<String>| {
        let is_selected = {
            let to = to.clone();
            Signal::derive(move || {
                tab.with(|tab| std::mem::discriminant(tab) == std::mem::discriminant(&to))
            })
        };
        let title = name(&to);
        view! {
            <TabLink
                href=Route::skill(&label, &skill.key(), to).hash()
                controls=PANEL
                selected=is_selected
            >
                {title} {follow(move || count.with(|count| {
                    (!count.is_empty()).then(|| view! { " "<span class="tab-count">{count.clone()}</span> })
                }))}
            </TabLink>
        }
    };
    let none = Signal::stored(String::new());
    let files = Signal::derive(move || {
        skill.files.with(|files| match files.order.len() {
            0 => String::new(),
            number => thousands(number as u64),
        })
    });
    let frontmatter = Signal::derive(move || match frontmatter::differing(skill) {
        None => String::new(),
        Some(0) => "equal".to_owned(),
        Some(number) => format!("{number} differ"),
    });
    let checks = Signal::derive(move || match skill.counts().all() {
        0 => String::new(),
        number => number.to_string(),
    });
    view! {
        <Tabs label="Sides of this skill">
            {link(Tab::Instructions, none)}
            {link(Tab::Files { open: None }, files)}
            {link(Tab::Frontmatter, frontmatter)}
            {link(Tab::Checks, checks)}
            {link(Tab::Raw, none)}
            {link(Tab::Host, none)}
        </Tabs>
    }
}
