//! What went over the wire: a line at the bottom, and all of it on request.

use std::sync::Arc;

use leptos::prelude::*;
use skillglass::protocol::log::{Came, Excerpt, Exchange, Log, LoggedHeader, Outcome, StreamEvent};
use web_sys::KeyboardEvent;

use super::later::LaterPart;
use super::wire_findings::Resting;
use crate::browser;
use crate::elements::{Button, CopyButton, Field, Glyph, Keyed, ServerText, follow, list};
use crate::keys::roving;
use crate::mark::Mark;
use crate::state::app;
use crate::text::{bytes, count, duration, pretty_json, thousands};
use crate::wire::{DETAIL, Wire};

/// How many exchanges are listed at once.
const MAX_LISTED: usize = 200;

/// The element that opens and closes the wire.
const BAR: &str = "wire-bar";

/// The line, and what it opens.
#[component]
pub(crate) fn WireDrawer() -> impl IntoView {
    let wire = app().wire;
    let open = wire.open;
    let summary = move || {
        wire.with(|log| {
            let slowest =
                log.slowest().map(|(ms, what)| format!("slowest {}, {what}", duration(ms)));
            view! {
                <span>{count(log.total(), "exchange")}</span>
                <span class="wire-more">{bytes(log.received())}</span>
                <span class="wire-more">{slowest}</span>
            }
        })
    };
    let close_on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && open.get_untracked() {
            event.prevent_default();
            open.set(false);
            browser::focus(BAR);
        }
    };
    view! {
        <section class="wire" aria-label="Wire" class:open=move || open.get() on:keydown=close_on_escape>
            <button
                type="button"
                id=BAR
                class="wire-bar"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <span>"Wire"</span>
                {follow(summary)}
                <kbd aria-hidden="true">"`"</kbd>
            </button>
            {follow(move || open.get().then(|| view! { <LaterPart view=move |later| (later.exchanges)(wire)/> }))}
        </section>
    }
}

/// What is listed: numbers, the latest first, and whether each exchange is over.
#[derive(Clone, PartialEq)]
struct Listed {
    exchanges: Vec<(usize, bool)>,
    /// Whether more would match.
    are_more: bool,
}

impl Listed {
    fn of(wire: Wire) -> Self {
        wire.filter.with(|filter| {
            wire.with(|log| {
                let mut matching = log.exchanges().rev().filter(|one| one.matches(filter));
                let line = |one: &Arc<Exchange>| (one.number, one.outcome.is_some());
                let exchanges = matching.by_ref().take(MAX_LISTED).map(line).collect();
                Self { exchanges, are_more: matching.next().is_some() }
            })
        })
    }
}

/// The exchanges, and one of them as a whole.
#[component]
pub(crate) fn Exchanges(
    /// The log.
    wire: Wire,
) -> impl IntoView {
    let shown = Memo::new(move |_| {
        let number = wire.chosen.get()?;
        let is_over = wire.with(|log| log.get(number).map(|exchange| exchange.outcome.is_some()));
        Some((number, is_over))
    });
    let detail = move || {
        let exchange = shown.get().map(|(number, _)| (number, wire.get(number)));
        match exchange {
            None => view! { <p class="empty">"Choose an exchange to see what was sent and what came."</p> }.into_any(),
            Some((number, None)) => view! {
                <p class="empty">"Exchange " {number} " is no longer kept; only the latest are."</p>
            }
            .into_any(),
            Some((_, Some(exchange))) => view! { <Detail exchange=exchange/> }.into_any(),
        }
    };
    let is_empty = move || wire.with(|log| log.total() == 0);
    let listed = Memo::new(move |_| Listed::of(wire));
    view! {
        <div class="wire-tools">
            <Field label="Filter the exchanges: words that they hold" example="Filter: method, URI, 404, any text" value=wire.filter/>
            <span class="hint" role="status">{follow(move || listed.with(|listed| tally(listed, wire)))}</span>
            <Button press=move || save_wire(wire) title="All that is kept, as an HTTP archive (HAR)">"Export"</Button>
        </div>
        <div class="wire-panes">
            <div class="wire-list" role="region" aria-label="Exchanges, latest first" on:keydown=move |event| step(listed, wire, &event)>
                {follow(move || is_empty().then(|| view! { <p class="empty">"Nothing has gone over the wire yet."</p> }))}
                <ul>{lines(listed, wire)}</ul>
            </div>
            <div class="wire-detail" id=DETAIL tabindex="-1">{follow(detail)}</div>
        </div>
    }
}

/// Saves all that is kept as an HTTP archive.
pub(crate) fn save_wire(wire: Wire) {
    let har = wire.with(|log| log.har(log.exchanges()));
    browser::download(har.as_bytes(), "skillglass-wire.har");
}

/// How many are listed, and what became of others.
fn tally(listed: &Listed, wire: Wire) -> String {
    let most = if listed.are_more { "the latest " } else { "" };
    let gone = match wire.with(Log::dropped) {
        0 => String::new(),
        dropped => format!(", {} older no longer kept", thousands(dropped as u64)),
    };
    format!("{most}{} listed{gone}", count(listed.exchanges.len(), "exchange"))
}

fn lines(listed: Memo<Listed>, wire: Wire) -> AnyView {
    list(move || {
        let line = |(number, is_over): &(usize, bool)| {
            let number = *number;
            let make = move || wire.get(number).map(|one| view! { <Line exchange=one wire=wire/> });
            Keyed::new(format!("{number} {is_over}"), make)
        };
        listed.with(|listed| listed.exchanges.iter().map(line).collect())
    })
}

/// Arrows choose the exchange above or below.
fn step(listed: Memo<Listed>, wire: Wire, event: &KeyboardEvent) {
    let chosen = wire.chosen.get_untracked();
    let next = listed.with_untracked(|Listed { exchanges, .. }| {
        let at = exchanges.iter().position(|(number, _)| Some(*number) == chosen)?;
        exchanges.get(roving(&event.key(), at, exchanges.len())?).map(|(number, _)| *number)
    });
    if let Some(number) = next {
        event.prevent_default();
        wire.chosen.set(Some(number));
        browser::focus(&line_id(number));
    }
}

fn line_id(number: usize) -> String {
    format!("exchange-{number}")
}

fn mark(exchange: &Exchange) -> Mark {
    match &exchange.outcome {
        None => Mark::Busy,
        Some(_) if exchange.is_good() => Mark::Good,
        Some(_) => Mark::Bad,
    }
}

#[component]
fn Line(exchange: Arc<Exchange>, wire: Wire) -> impl IntoView {
    let number = exchange.number;
    let is_over = exchange.outcome.is_some();
    let status = exchange.status().map_or_else(|| "–".to_owned(), |status| status.to_string());
    let took = exchange.outcome.as_ref().map(|outcome| duration(outcome.ms));
    let is_chosen = move || wire.chosen.get() == Some(number);
    view! {
        <li>
            <button
                type="button"
                id=line_id(number)
                class="wire-line"
                aria-pressed=move || is_chosen().to_string()
                on:click=move |_| wire.chosen.set(Some(number))
            >
                <span class="wire-number">{number}</span>
                <Glyph mark=mark(&exchange)/>
                <span class="wire-method">{exchange.purpose}</span>
                <span class="wire-subject">{exchange.subject.clone()}</span>
                <span class="wire-status">{is_over.then_some(status)}</span>
                <span class="wire-ms">{took}</span>
                <span class="wire-bytes">{is_over.then(|| bytes(exchange.bytes()))}</span>
            </button>
        </li>
    }
}

#[component]
fn Detail(exchange: Arc<Exchange>) -> impl IntoView {
    let Exchange { number, server, purpose, url, headers, body, outcome, .. } = (*exchange).clone();
    let curl = exchange.curl(Some(&browser::origin())).map(|command| {
        view! { <CopyButton text=command label="Copy as curl"/> }
    });
    let gone = exchange.is_shed.then(|| {
        view! { <p class="cut-note">"Headers and bodies had to go to keep the log small."</p> }
    });
    let withheld = exchange.withholds_bodies.then(|| {
        view! { <p class="cut-note">"Bodies are not kept: they can hold tokens."</p> }
    });
    view! {
        <header class="wire-head">
            <h3>{purpose} <span class="hint">" exchange " {number} ", " {server}</span></h3>
            {curl}
        </header>
        <Resting number=number/>
        {gone}
        {withheld}
        <h4>{exchange.method.as_str()} " " <code><ServerText text=url/></code></h4>
        <Headers headers=headers/>
        <Body excerpt=body label="Copy the request's body"/>
        {outcome.map(|outcome| view! { <Answer outcome=outcome/> })}
    }
}

#[component]
fn Headers(headers: Vec<LoggedHeader>) -> impl IntoView {
    let header = |LoggedHeader { name, value, .. }| {
        view! { <div><dt>{name}</dt><dd><ServerText text=value/></dd></div> }
    };
    view! { <dl class="headers">{headers.into_iter().map(header).collect_view()}</dl> }
}

#[component]
fn Answer(outcome: Outcome) -> impl IntoView {
    let Outcome { ms, came, problem } = outcome;
    let problem = problem.map(|problem| {
        view! { <p class="wire-problem"><Glyph mark=Mark::Bad/> " " <ServerText text=problem/></p> }
    });
    match came {
        None => view! {
            <h4>
                {if problem.is_some() { "No answer " } else { "An answer that this page may not read " }}
                <span class="hint">"after " {duration(ms)}</span>
            </h4>
            {problem}
        }
        .into_any(),
        Some(Came { status, headers, headers_ms, transcript }) => {
            let size = bytes(transcript.body.bytes);
            let times = if headers_ms == ms {
                duration(ms)
            } else {
                format!("{} to the headers, {} in all", duration(headers_ms), duration(ms))
            };
            let is_stream = transcript.event_count > 0;
            view! {
                <h4>"HTTP " {status} <span class="hint">" " {times} ", " {size}</span></h4>
                {problem}
                <Headers headers=headers/>
                {is_stream.then(|| view! { <Events events=transcript.events count=transcript.event_count dropped=transcript.dropped_requests/> })}
                {if is_stream {
                    view! { <details><summary>"As it came"</summary> <Body excerpt=transcript.body label="Copy the stream"/></details> }.into_any()
                } else {
                    view! { <Body excerpt=transcript.body label="Copy the answer's body"/> }.into_any()
                }}
            }
            .into_any()
        }
    }
}

/// The events of a stream, one by one.
#[component]
fn Events(
    events: Vec<StreamEvent>,
    #[prop(name = "count")] total: usize,
    dropped: usize,
) -> impl IntoView {
    let more = total.saturating_sub(events.len());
    let event = |StreamEvent { at_ms, kind, id, data }| {
        let id = id.map(|id| view! { ", id " <ServerText text=id/> });
        view! {
            <li>
                <p class="hint">{duration(at_ms)} ", event " <ServerText text=kind/> {id}</p>
                <Body excerpt=data label="Copy the event's data"/>
            </li>
        }
    };
    view! {
        <ol class="events" aria-label="Events">{events.into_iter().map(event).collect_view()}</ol>
        {(more > 0).then(|| view! { <p class="cut-note">{count(more, "more event")} " not kept."</p> })}
        {(dropped > 0).then(|| view! {
            <p class="cut-note">
                {count(dropped, "question")} " of the server dropped unanswered: it asked too many while one answer was awaited."
            </p>
        })}
    }
}

/// A body as it was, indented where it is JSON.
#[component]
fn Body(excerpt: Excerpt, label: &'static str) -> impl IntoView {
    /// Indenting can make a bounded body a few times longer.
    const MAX_SHOWN: usize = 128 * 1024;
    let Excerpt { text, bytes: whole, is_cut } = excerpt;
    if text.is_empty() {
        return ().into_any();
    }
    let is_json = !is_cut && skillglass::json::read(&text).is_ok();
    let shown = if is_json { pretty_json(&text) } else { text.clone() };
    view! {
        <div class="body">
            <pre tabindex="0" aria-label="Body"><ServerText text=shown limit=MAX_SHOWN/></pre>
            <CopyButton text=text label=label small=true/>
            {is_cut.then(|| view! { <p class="cut-note">"The beginning of " {bytes(whole)} "; the rest is not kept."</p> })}
        </div>
    }
    .into_any()
}
