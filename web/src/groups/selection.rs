//! Choosing several skills in the list, and what can be done with all of them.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::MouseEvent;

use super::RunProgress;
use super::catalog::focus_list;
use crate::elements::{Button, Glyph, follow};
use crate::mark::Mark;
use crate::navigation;
use crate::route::Route;
use crate::run;
use crate::state::catalog::{Item, Row};
use crate::state::selection::{Chosen, Range, put};
use crate::state::server::Server;
use crate::text::{count, thousands};

/// The box that chooses a skill.
#[component]
pub(super) fn ChooseBox(
    /// The server.
    server: Server,
    /// The skill.
    row: Arc<Row>,
    /// Its place in the tab order.
    tabindex: Signal<&'static str>,
) -> impl IntoView {
    let key = Arc::clone(&row.key);
    let is_chosen = move || server.selection.has(&key);
    let key = Arc::clone(&row.key);
    let press = move |event: MouseEvent| choose(server, &key, event.shift_key());
    view! {
        <label class="choose">
            <input
                type="checkbox"
                aria-label=format!("Choose {}", row.name)
                tabindex=tabindex
                prop:checked=is_chosen
                on:click=press
            />
        </label>
    }
}

/// Changes what is chosen, and says how many skills that are.
fn change(server: Server, change: impl FnOnce(&mut Chosen)) {
    server.selection.change(change);
    let number = untrack(|| server.chosen().len());
    server.app().say(format!("{} chosen.", count(number, "skill")));
}

/// Chooses a skill, or lets go of it; of a range, all from the last one to this.
fn choose(server: Server, key: &Arc<str>, is_range: bool) {
    let on = !server.selection.chosen.with_untracked(|chosen| chosen.contains(key));
    let last = server.selection.last.get_value().filter(|_| is_range);
    let range = last.and_then(|last| between(server, &last, key));
    let keys = range.unwrap_or_else(|| vec![Arc::clone(key)]);
    change(server, |chosen| put(chosen, keys, on));
    server.selection.last.set_value(Some(Arc::clone(key)));
}

/// Chooses the skill with this key, or lets go of it.
pub(super) fn toggle(server: Server, key: &Arc<str>) {
    choose(server, key, false);
}

/// Chooses what lies between the row where the keys began and the one they have led to.
pub(super) fn extend(server: Server, from: Option<Arc<str>>, to: &Arc<str>) {
    let selection = server.selection;
    let range = selection.chosen.with_untracked(|chosen| {
        Range::stepped(selection.range.get_value(), chosen, from, Arc::clone(to))
    });
    let rows = between(server, &range.from, &range.to).unwrap_or_default();
    change(server, |chosen| *chosen = range.chosen(rows));
    selection.last.set_value(Some(Arc::clone(to)));
    selection.range.set_value(Some(range));
}

/// The skills from one row to another.
fn between(server: Server, from: &str, to: &str) -> Option<Vec<Arc<str>>> {
    server
        .passing
        .with_untracked(|passing| Some(passing.between(passing.place(from)?, passing.place(to)?)))
}

/// Chooses every skill that passes the filter.
pub(super) fn choose_all(server: Server) {
    let keys: Vec<_> = server
        .passing
        .with_untracked(|passing| passing.items.iter().filter_map(Item::key).cloned().collect());
    change(server, |chosen| put(chosen, keys, true));
}

/// Lets go of all of them, and gives the focus to the list: what had it may be gone.
pub(super) fn clear(server: Server) {
    if server.selection.chosen.with_untracked(|chosen| !chosen.is_empty()) {
        change(server, Chosen::clear);
        focus_list();
    }
}

/// Shows what a conformance run over the chosen skills looks at.
pub(super) fn check_chosen(server: Server) {
    server.judging.wants_another.set(true);
    navigation::go(&Route::Report { label: server.label().to_string(), check: None });
}

/// What can be done with the skills that are chosen, as long as there are any.
#[component]
pub(super) fn ChosenBar(
    /// The server.
    server: Server,
) -> impl IntoView {
    let chosen = Memo::new(move |_| server.chosen().len());
    let is_any = Memo::new(move |_| chosen.get() > 0);
    move || is_any.get().then(|| view! { <Bar server=server chosen=chosen/> })
}

#[component]
fn Bar(server: Server, chosen: Memo<usize>) -> impl IntoView {
    let selection = server.selection;
    let skills = Memo::new(move |_| {
        server.passing.with(|passing| passing.items.iter().filter_map(Item::key).count())
    });
    let filtered_out = move || {
        let is_chosen = |item: &&Item| item.key().is_some_and(|key| selection.has(key));
        let shown = server.passing.with(|passing| passing.items.iter().filter(is_chosen).count());
        let hidden = chosen.get().saturating_sub(shown);
        (hidden > 0).then(|| format!("{} filtered out", thousands(hidden as u64)))
    };
    let is_running = Memo::new(move |_| selection.run.with(Option::is_some));
    let acts = move || {
        if is_running.get() {
            return view! {
                <Button class="button small" press=move || run::stop_chosen(server)>"Stop verifying"</Button>
            }
            .into_any();
        }
        view! {
            <Button class="button small primary" press=move || run::verify_chosen(server)>"Verify"</Button>
            <Button class="button small" press=move || check_chosen(server)>"Check…"</Button>
        }
        .into_any()
    };
    let all = move || {
        (skills.get() > chosen.get()).then(|| {
            view! {
                <Button class="link" press=move || choose_all(server)>
                    "All " {thousands(skills.get() as u64)}
                </Button>
            }
        })
    };
    view! {
        <section class="chosen" aria-label="Chosen skills">
            <p class="chosen-head">
                <strong>{follow(move || count(chosen.get(), "skill"))} " chosen"</strong>
                <span class="hint">{follow(filtered_out)}</span>
                {follow(all)}
                <Button class="link" press=move || clear(server)>"Clear"</Button>
            </p>
            {follow(move || selection.run.get().map(|run| view! { <RunProgress run=run/> }))}
            {follow(move || selection.is_verified.get().then(|| view! { <Outcome server=server/> }))}
            <p class="chosen-acts">{follow(acts)}</p>
        </section>
    }
}

/// What the verification came to, in the marks of the rows, and what broke it off.
#[component]
fn Outcome(server: Server) -> impl IntoView {
    let part = |(mark, words): (Mark, String)| view! { <li><Glyph mark=mark/> {words}</li> };
    let broken_off = move || {
        let failure = server.selection.broken_off.get()?;
        Some(format!("Broken off. {}", run::words(server, &failure)))
    };
    follow(move || {
        let parts = server.outcome_of_chosen().parts().into_iter().map(part);
        view! {
            <p class="bad-text">{follow(broken_off)}</p>
            <ul class="chosen-outcome">{parts.collect_view()}</ul>
        }
    })
}
