//! The skills of a server: filter, groups, one row each.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use skillglass::protocol::{ListingState, StopReason};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use super::open_by_uri::OpenByUri;
use super::pause::PauseNotice;
use crate::browser;
use crate::elements::{Button, Glyph, Keyed, ServerText, list};
use crate::keys::step;
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::run;
use crate::screens::TITLE;
use crate::state::app;
use crate::state::server::{ROWS_STEP, Row, Server};
use crate::state::standing::{Facts, Standing, Tally};
use crate::text::{count, thousands};
use crate::transport::Stop;

/// The skills of a server.
#[component]
pub(crate) fn Catalog(
    /// The server.
    server: Server,
) -> impl IntoView {
    let app = app();
    let passing = Memo::new(move |_| passing(server));
    let selected = move || match app.route.get() {
        Route::Skill { key, .. } => Some(Arc::<str>::from(key)),
        _ => None,
    };
    // One row takes part in the tab order: the one that is open, else the first. A selector may
    // look once more when the list is gone.
    let in_tab_order = move || {
        let open = selected();
        let row = passing.try_with(|Passing { groups, .. }| {
            let keys = || groups.iter().flat_map(|group| &group.rows).map(|row| &row.row.key);
            keys().find(|key| Some(*key) == open.as_ref()).or(keys().next()).cloned()
        });
        row.flatten()
    };
    let marked = Marked { open: Selector::new(selected), tab: Selector::new(in_tab_order) };
    let rows = list(move || {
        passing.with(|Passing { groups, .. }| {
            groups.iter().flat_map(|group| rows_of(server, group, &marked)).collect()
        })
    });
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowDown" => go_on(&event, true),
        "ArrowUp" => go_on(&event, false),
        _ => {}
    };
    view! {
        <nav class="catalog" aria-label=format!("Skills of {}", server.label())>
            <Filter server=server/>
            <Button class="link about" press=|| browser::focus(TITLE)>
                "About this server"
            </Button>
            <ul class="catalog-list" on:keydown=on_key>
                {rows}
                <Rest server=server passing=passing/>
            </ul>
            <Foot server=server/>
        </nav>
    }
}

/// Which rows stand out.
#[derive(Clone)]
struct Marked {
    open: Selector<Option<Arc<str>>>,
    tab: Selector<Option<Arc<str>>>,
}

/// What passes the filter, as far as the list shows it.
#[derive(PartialEq)]
struct Passing {
    groups: Vec<Shown>,
    /// How many rows pass in all.
    total: usize,
}

/// The rows of a group.
#[derive(PartialEq)]
struct Shown {
    prefix: Arc<str>,
    rows: Vec<ShownRow>,
}

/// A row, and whether another skill has its name.
#[derive(Clone, PartialEq)]
struct ShownRow {
    row: Row,
    same_name: bool,
}

fn passing(server: Server) -> Passing {
    let wanted = server.filter.with(|filter| filter.trim().to_lowercase());
    let most = server.most_rows.get();
    server.catalog.with(|catalog| {
        let mut passing = Passing { groups: Vec::new(), total: 0 };
        for group in &catalog.groups {
            let mut rows = Vec::new();
            for row in group.rows.iter().filter(|row| row.haystack.contains(&wanted)) {
                passing.total += 1;
                if passing.total <= most {
                    let same_name = catalog.is_shared(&row.name);
                    rows.push(ShownRow { row: row.clone(), same_name });
                }
            }
            if !rows.is_empty() {
                passing.groups.push(Shown { prefix: Arc::clone(&group.prefix), rows });
            }
        }
        passing
    })
}

/// A group's name and its skills.
fn rows_of(server: Server, group: &Shown, marked: &Marked) -> Vec<Keyed> {
    let prefix = Arc::clone(&group.prefix);
    let name = Keyed::new(format!("group {prefix}"), move || view! { <Group prefix=prefix/> });
    let row = |shown: &ShownRow| {
        let (shown, marked) = (shown.clone(), marked.clone());
        let key = format!("{} {}", shown.same_name, shown.row.key);
        Keyed::new(key, move || view! { <SkillRow server=server shown=shown marked=marked/> })
    };
    std::iter::once(name).chain(group.rows.iter().map(row)).collect()
}

#[component]
fn Filter(server: Server) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let placeholder = move || {
        server.catalog.with(|catalog| format!("Filter {}", count(catalog.rows().count(), "skill")))
    };
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => {
                server.filter.set(String::new());
                if let Some(field) = field.get_untracked() {
                    let _ = field.blur();
                }
            }
            "ArrowDown" | "Enter" => step_through(true),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div class="catalog-filter">
            <input
                id="filter"
                type="search"
                aria-label="Filter skills by name, description or URI"
                placeholder=placeholder
                spellcheck="false"
                autocomplete="off"
                node_ref=field
                prop:value=server.filter
                on:input:target=move |event| server.filter.set(event.target().value())
                on:keydown=on_key
            />
            <kbd aria-hidden="true">"/"</kbd>
        </div>
    }
}

#[component]
fn Group(prefix: Arc<str>) -> impl IntoView {
    let name = if prefix.is_empty() { "top level".to_owned() } else { prefix.replace('/', " / ") };
    view! {
        <li class="group-name">
            <h2><ServerText text=name/></h2>
        </li>
    }
}

#[component]
fn SkillRow(server: Server, shown: ShownRow, marked: Marked) -> impl IntoView {
    let ShownRow { row, same_name } = shown;
    let unread = Facts {
        kind: row.kind,
        counts: row.counts,
        tally: Tally::default(),
        summary: None,
        same_name,
    };
    let standing = Memo::new(move |_| match row.skill.get() {
        Some(skill) => skill.standing(same_name),
        None => Standing::of(unread),
    });
    let is_running = move || row.skill.get().is_some_and(|skill| skill.run.with(Option::is_some));
    let mark = Signal::derive(move || if is_running() { Mark::Busy } else { standing.read().mark });
    let key = Some(Arc::clone(&row.key));
    let also = key.clone();
    let Marked { open, tab } = marked;
    view! {
        <li>
            <a
                class="row"
                href=Route::skill(&server.label(), &row.key, Tab::Instructions).hash()
                title=row.key.to_string()
                aria-current=move || open.selected(&key).then_some("page")
                tabindex=move || if tab.selected(&also) { "0" } else { "-1" }
            >
                <Glyph mark=mark/>
                <span class="row-name"><ServerText text=row.name.to_string()/></span>
                <span class="row-word">{move || standing.read().word.clone()}</span>
                <span class="visually-hidden">{move || standing.read().line.clone()}</span>
            </a>
        </li>
    }
}

/// What stands behind the rows: a way to see more of them, or why there are none.
#[component]
fn Rest(server: Server, passing: Memo<Passing>) -> impl IntoView {
    move || {
        let (total, most) = (passing.with(|passing| passing.total), server.most_rows.get());
        if total == 0 {
            return view! { <Nothing server=server/> }.into_any();
        }
        if total <= most {
            return ().into_any();
        }
        let show_more = move || server.most_rows.update(|most| *most += ROWS_STEP);
        view! {
            <li class="nothing">
                {thousands((total - most) as u64)} " more. Filter them, or "
                <Button class="link" press=show_more>
                    "show " {ROWS_STEP.min(total - most)} " more"
                </Button>
            </li>
        }
        .into_any()
    }
}

#[component]
fn Nothing(server: Server) -> impl IntoView {
    let text = move || {
        let is_filtered = server.filter.with(|filter| !filter.trim().is_empty());
        let is_listing =
            server.listing.with(|listing| matches!(listing.state(), ListingState::More(_)));
        let declares = server.declares_skills();
        match (is_filtered, declares, is_listing) {
            (true, ..) => "No skill matches. Escape clears the filter.",
            (_, false, _) => {
                "This server does not declare skills, so it was not asked for a listing."
            }
            (_, _, true) => "Listing…",
            _ => {
                "The listing is empty. A server may list none of its skills and still serve them: open one by its URI."
            }
        }
    };
    view! { <li class="nothing">{text}</li> }
}

#[component]
fn Foot(server: Server) -> impl IntoView {
    let state = move || {
        server.listing.with(|listing| {
            let skills = count(listing.skills.len(), "skill");
            let pages = count(listing.pages(), "page");
            match listing.state() {
                ListingState::More(_) if listing.pages() == 0 => "Not listed".to_owned(),
                ListingState::More(_) => {
                    format!("{skills}, asking for page {}…", thousands(listing.pages() as u64 + 1))
                }
                ListingState::Complete => format!("{skills} in {pages}, listing complete"),
                ListingState::Stopped(StopReason::Failed(why)) => {
                    format!("{skills} in {pages}; the next page could not be had. {why}")
                }
                ListingState::Stopped(why) => format!("{skills} in {pages}; stopped: {why}"),
            }
        })
    };
    view! {
        <div class="catalog-foot">
            <span>{state}</span>
            <PauseNotice server=server/>
            <span class="catalog-acts">
                <OpenByUri server=server/>
                {move || if server.is_listing.get() {
                    view! {
                        <Button class="link" press=move || server.list_stop.with_value(Stop::pull)>
                            "Stop listing"
                        </Button>
                    }
                    .into_any()
                } else {
                    view! {
                        <Button class="link" press=move || run::list_again(server)>
                            "Refresh list"
                        </Button>
                    }
                    .into_any()
                }}
            </span>
        </div>
    }
}

fn go_on(event: &KeyboardEvent, forward: bool) {
    event.prevent_default();
    step_through(forward);
}

/// Moves the focus to the next or previous row of the list.
pub(crate) fn step_through(forward: bool) {
    let Ok(rows) = document().query_selector_all(".catalog-list a.row") else { return };
    let row = |index: u32| rows.get(index).and_then(|row| row.dyn_into::<HtmlElement>().ok());
    let focused = document().active_element();
    let is_at = |index: &u32| {
        row(*index)
            .is_some_and(|row| focused.as_ref().is_some_and(|focused| focused == row.as_ref()))
    };
    let is_open = |index: &u32| row(*index).is_some_and(|row| row.has_attribute("aria-current"));
    let count = rows.length();
    let current = (0..count).find(is_at).or_else(|| (0..count).find(is_open));
    let next = step(current.map(|at| at as usize), count as usize, forward);
    if let Some(row) = next.and_then(|next| row(u32::try_from(next).ok()?)) {
        let _ = row.focus();
    }
}
