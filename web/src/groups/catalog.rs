//! The skills of a server: filter, groups, one line each. Of a long list, only the lines in sight
//! are in the document.

use std::ops::Range;
use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use skillglass::protocol::{ListingState, StopReason};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlBodyElement, HtmlElement, HtmlUListElement, KeyboardEvent};

use super::open_by_uri::OpenByUri;
use super::pause::PauseNotice;
use super::selection::{ChooseBox, ChosenBar, clear, extend, toggle};
use crate::browser;
use crate::elements::{Button, Glyph, Keyed, ServerText, follow, list};
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::run;
use crate::screens::TITLE;
use crate::state::catalog::{Item, Row};
use crate::state::server::Server;
use crate::state::standing::{Facts, Standing, Tally};
use crate::state::{App, app};
use crate::text::{count, thousands};
use crate::transport::Stop;

/// The skills of a server.
#[component]
pub(crate) fn Catalog(
    /// The server.
    server: Server,
) -> impl IntoView {
    view! {
        <nav class="catalog" aria-label=format!("Skills of {}", server.label())>
            <Filter server=server/>
            <Button class="link about" press=|| browser::focus(TITLE)>
                "About this server"
            </Button>
            <Lines server=server/>
            <ChosenBar server=server/>
            <Foot server=server/>
        </nav>
    }
}

#[component]
fn Filter(server: Server) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let placeholder =
        move || server.catalog.with(|catalog| format!("Filter {}", count(catalog.len(), "skill")));
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => {
                server.filter.set(String::new());
                if let Some(field) = field.get_untracked() {
                    let _ = field.blur();
                }
            }
            "ArrowDown" | "Enter" => {
                step_through(server, true);
            }
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

/// A line that is in the document.
#[derive(Clone)]
struct Line {
    /// Its place among all lines.
    place: usize,
    item: Item,
    /// Whether another skill has its name.
    same_name: bool,
}

impl Line {
    /// What it is known by among the lines.
    fn key(&self) -> Arc<str> {
        match &self.item {
            Item::Group(name) => format!("group {name}").into(),
            Item::Row(row) => format!("{} {}", self.same_name, row.key).into(),
        }
    }
}

/// Which lines stand out, and where each is.
#[derive(Clone)]
struct Marked {
    open: Selector<Option<Arc<str>>>,
    tab: Selector<Option<Arc<str>>>,
    lines: Memo<Vec<Line>>,
}

/// The lines of the list, as high as all of them and filled as far as one sees.
#[component]
fn Lines(server: Server) -> impl IntoView {
    let app = app();
    let place = NodeRef::<html::Ul>::new();
    let lines = Memo::new_with_compare(move |_| lines(server), |_, _| true);
    let opened = move || match app.route.get() {
        Route::Skill { key, .. } => Some(Arc::<str>::from(key)),
        _ => None,
    };
    // One row takes part in the tab order: the one that is open, else the first in sight. A
    // selector may look once more when the list is gone.
    let in_tab_order = move || {
        let open = opened();
        let row = lines.try_with(|lines| {
            let keys = || lines.iter().filter_map(|line| line.item.key());
            keys().find(|key| Some(*key) == open.as_ref()).or(keys().next()).cloned()
        });
        row.flatten()
    };
    let marked = Marked { open: Selector::new(opened), tab: Selector::new(in_tab_order), lines };
    let rows = list(move || {
        let keyed = |line: &Line| {
            let (line, marked) = (line.clone(), marked.clone());
            Keyed::new(
                line.key(),
                move || view! { <ListLine server=server line=line marked=marked/> },
            )
        };
        lines.with(|lines| lines.iter().map(keyed).collect())
    });
    let look = move || {
        if let Some(list) = place.try_get_untracked().flatten() {
            look(server, &list);
        }
    };
    Effect::new(move |_| {
        app.moved.track();
        app.route.track();
        server.passing.track();
        request_animation_frame(look);
    });
    let on_key = move |event: KeyboardEvent| {
        let forward = match event.key().as_str() {
            "ArrowDown" => true,
            "ArrowUp" => false,
            "Escape" => return clear(server),
            _ => return,
        };
        event.prevent_default();
        let from = focused_key();
        let to = step_through(server, forward);
        if let Some(to) = to.filter(|_| event.shift_key()) {
            extend(server, from, &to);
        }
    };
    let is_choosing = move || server.selection.chosen.with(|chosen| !chosen.is_empty());
    let above = move || server.window.with(|window| window.start.min(lines_in_all(server)));
    let below = move || {
        lines_in_all(server) - server.window.with(|window| window.end.min(lines_in_all(server)))
    };
    view! {
        <div class="catalog-list" class:choosing=is_choosing on:scroll=move |_| look()>
            <ul
                tabindex="-1"
                node_ref=place
                on:keydown=on_key
                style:padding-block-start=move || room(above())
                style:padding-block-end=move || room(below())
            >
                {rows}
            </ul>
            <Nothing server=server/>
        </div>
    }
}

/// The height of so many lines.
fn room(lines: usize) -> String {
    format!("calc(var(--row) * {lines})")
}

fn lines_in_all(server: Server) -> usize {
    server.passing.with(|passing| passing.items.len())
}

/// The lines that are in the document.
fn lines(server: Server) -> Vec<Line> {
    let window = server.window.get();
    server.catalog.with(|catalog| {
        server.passing.with(|passing| {
            let items = passing.items.iter().enumerate();
            let line = |(place, item): (usize, &Item)| {
                let same_name = match item {
                    Item::Group(_) => false,
                    Item::Row(row) => catalog.is_shared(&row.name),
                };
                Line { place, item: item.clone(), same_name }
            };
            items.skip(window.start).take(window.len()).map(line).collect()
        })
    })
}

/// Fills the list as far as one sees.
fn look(server: Server, list: &HtmlUListElement) {
    let window = in_sight(list);
    if server.window.with_untracked(|before| *before == window) {
        return;
    }
    // A row that goes out of the document takes the focus with it, and so does one that is moved.
    let focused = focused_key();
    let is_gone = |key: &Arc<str>| {
        let place = server.passing.with_untracked(|passing| passing.place(key));
        place.is_none_or(|place| !window.contains(&place))
    };
    let is_gone = focused.as_ref().is_some_and(is_gone);
    server.window.set(window);
    let Some(key) = focused else { return };
    if is_gone {
        browser::focus_in_place(list);
        return server.left_row.set_value(Some(key));
    }
    spawn_local(async move {
        tick().await;
        let active = document().active_element();
        if active.is_none_or(|active| active.has_type::<HtmlBodyElement>())
            && let Some(row) = row_called(&key)
        {
            browser::focus_in_place(&row);
        }
    });
}

/// The lines in sight and some around, wherever it is that scrolls.
fn in_sight(list: &HtmlUListElement) -> Range<usize> {
    /// The window moves by so many lines at a time.
    const STEP: f64 = 8.0;
    let height = |line: Element| line.get_bounding_client_rect().height();
    let line = list.first_element_child().map_or(0.0, height).max(1.0);
    let top = list.get_bounding_client_rect().top();
    let screen = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    let steps = |distance: f64| distance / line / STEP;
    let first = (steps(-top).floor() - 1.0).max(0.0) * STEP;
    let last = (steps(screen - top).ceil() + 1.0).max(1.0) * STEP;
    first as usize..last as usize
}

#[component]
fn ListLine(server: Server, line: Line, marked: Marked) -> impl IntoView {
    let place = {
        let (key, lines) = (line.key(), marked.lines);
        Memo::new(move |_| {
            let found = |lines: &Vec<Line>| {
                lines.iter().find(|line| line.key() == key).map(|line| line.place)
            };
            lines.try_with(found).flatten().unwrap_or_default() + 1
        })
    };
    let is_group = matches!(line.item, Item::Group(_));
    let content = match line.item {
        Item::Group(name) => view! { <h2><ServerText text=name.to_string()/></h2> }.into_any(),
        Item::Row(row) => {
            view! { <SkillRow server=server row=row same_name=line.same_name marked=marked/> }
                .into_any()
        }
    };
    // Screen readers count lines that are not in the document, too.
    view! {
        <li
            class:group-name=is_group
            aria-posinset=move || place.get().to_string()
            aria-setsize=move || lines_in_all(server).to_string()
        >
            {content}
        </li>
    }
}

#[component]
fn SkillRow(server: Server, row: Arc<Row>, same_name: bool, marked: Marked) -> impl IntoView {
    let unread = Facts {
        kind: row.kind,
        counts: row.counts,
        tally: Tally::default(),
        summary: None,
        is_outdated: false,
        same_name,
        is_broken_off: false,
    };
    let skill = {
        let key = Arc::clone(&row.key);
        Memo::new_with_compare(
            move |_| server.skills.with(|skills| skills.get(&key).copied()),
            |a, b| a.map(|a| a.map(|skill| skill.held)) != b.map(|b| b.map(|skill| skill.held)),
        )
    };
    let standing = Memo::new(move |_| match skill.get() {
        Some(skill) => skill.standing(same_name),
        None => Standing::of(unread),
    });
    let is_running = move || skill.get().is_some_and(|skill| skill.run.with(Option::is_some));
    let mark = Signal::derive(move || if is_running() { Mark::Busy } else { standing.read().mark });
    let key = Some(Arc::clone(&row.key));
    let also = key.clone();
    let Marked { open, tab, .. } = marked;
    let tabindex = Signal::derive(move || if tab.selected(&also) { "0" } else { "-1" });
    view! {
        <ChooseBox server=server row=Arc::clone(&row) tabindex=tabindex/>
        <a
            class="row"
            href=Route::skill(&server.label(), &row.key, Tab::Instructions).hash()
            title=row.key.to_string()
            aria-current=move || open.selected(&key).then_some("page")
            tabindex=tabindex
        >
            <Glyph mark=mark/>
            <span class="row-name">
                <ServerText text=row.name.to_string()/>
                {row.folder.as_ref().map(|folder| view! {
                    <span class="hint">" in " <ServerText text=folder.to_string()/> "/"</span>
                })}
            </span>
            <span class="row-word">{follow(move || standing.read().word.clone())}</span>
            <span class="visually-hidden">{follow(move || standing.read().line.clone())}</span>
        </a>
    }
}

/// Why there is nothing in the list.
#[component]
fn Nothing(server: Server) -> impl IntoView {
    let text = move || {
        let is_filtered = server.filter.with(|filter| !filter.trim().is_empty());
        match (is_filtered, server.declares_skills(), server.is_listing.get()) {
            (true, ..) => "No skill matches. Escape clears the filter.",
            (_, _, true) => "Listing…",
            (_, false, _) => {
                "This server does not declare skills, so it was not asked for a listing."
            }
            _ => {
                "The listing is empty. A server may list none of its skills and still serve them: open one by its URI."
            }
        }
    };
    move || (lines_in_all(server) == 0).then(|| view! { <p class="nothing">{follow(text)}</p> })
}

#[component]
fn Foot(server: Server) -> impl IntoView {
    let state = move || {
        let listed = server.listing.with(|listing| {
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
        });
        match server.not_refreshed.get() {
            Some(why) => format!("{listed}. It could not be refreshed. {why}"),
            None => listed,
        }
    };
    let act = move || {
        if server.is_listing.get() {
            return view! {
                <Button class="link" press=move || server.list_stop.with_value(Stop::pull)>
                    "Stop listing"
                </Button>
            }
            .into_any();
        }
        view! {
            <Button class="link" press=move || run::list_again(server)>"Refresh list"</Button>
        }
        .into_any()
    };
    view! {
        <div class="catalog-foot">
            <span>{follow(state)}</span>
            <PauseNotice server=server/>
            <span class="catalog-acts">
                <OpenByUri server=server/>
                {follow(act)}
            </span>
        </div>
    }
}

/// How many lines around the one that gets the focus are put into the document with it.
const AROUND: usize = 24;

/// Moves the focus to the next or previous row of the list: from the one that has it, or had it
/// when it went out of the document, else from the one that is open. Gives the key of the row.
pub(crate) fn step_through(server: Server, forward: bool) -> Option<Arc<str>> {
    let is_in_list = || document().active_element().is_some_and(|it| it.matches(LIST) == Ok(true));
    let from = match focused_key() {
        None if is_in_list() => server.left_row.get_value(),
        None => open_key(server),
        key => key,
    };
    let (to, key) = server.passing.with_untracked(|passing| {
        let to = passing.step(from.and_then(|key| passing.place(&key)), forward)?;
        Some((to, passing.items.get(to)?.key()?.clone()))
    })?;
    let focus_on = |key: &str| {
        if let Some(row) = row_called(key) {
            let _ = row.focus();
        }
    };
    if server.window.with_untracked(|window| window.contains(&to)) {
        focus_on(&key);
        return Some(key);
    }
    server.window.set(to.saturating_sub(AROUND)..to + AROUND);
    let also = Arc::clone(&key);
    spawn_local(async move {
        tick().await;
        focus_on(&also);
    });
    Some(key)
}

/// Chooses the skill whose row has the focus, else the one that is open, or lets go of it.
pub(crate) fn choose(app: App) {
    let server = app.route.with_untracked(|route| untrack(|| app.server_of(route)));
    let Some(server) = server else { return };
    if let Some(key) = focused_key().or_else(|| open_key(server)) {
        toggle(server, &key);
    }
}

/// The key of the skill that is open.
fn open_key(server: Server) -> Option<Arc<str>> {
    server.app().route.with_untracked(|route| match route {
        Route::Skill { key, .. } => Some(key.as_str().into()),
        _ => None,
    })
}

/// The list, its lines, and the rows in them.
const LIST: &str = ".catalog-list > ul";
const LINE: &str = ".catalog-list > ul > li";
const ROWS: &str = ".catalog-list a.row";

/// The key of the skill whose row, or whose box, has the focus.
fn focused_key() -> Option<Arc<str>> {
    let line = document().active_element()?.closest(LINE).ok()??;
    row_key(&line.query_selector(ROWS).ok()??)
}

/// The key of the skill whose row this is.
fn row_key(row: &Element) -> Option<Arc<str>> {
    row.get_attribute("title").map(Into::into)
}

/// Gives the focus to the list as a whole.
pub(super) fn focus_list() {
    if let Ok(Some(list)) = document().query_selector(LIST)
        && let Ok(list) = list.dyn_into()
    {
        browser::focus_in_place(&list);
    }
}

/// The row of the skill with this key, if it is in the document.
fn row_called(key: &str) -> Option<HtmlElement> {
    let rows = document().query_selector_all(ROWS).ok()?;
    let mut rows = (0..rows.length()).filter_map(|at| rows.get(at)?.dyn_into().ok());
    rows.find(|row: &HtmlElement| row_key(row).is_some_and(|known| *known == *key))
}
