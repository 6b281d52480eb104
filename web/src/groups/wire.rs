//! What went over the wire: a line at the bottom, and all of it on request.

use std::sync::Arc;

use leptos::prelude::*;

use crate::elements::{CopyButton, Glyph, Keyed, ServerText, list};
use crate::mark::Mark;
use crate::state::app;
use crate::text::{bytes, count, duration, pretty_json};
use crate::wire::{Exchange, MAX_BODY, MAX_EXCHANGES, Outcome};

/// The line, and what it opens.
#[component]
pub(crate) fn WireDrawer() -> impl IntoView {
    let app = app();
    let wire = app.wire;
    let open = app.wire_open;
    let summary = move || {
        wire.with(|log| {
            let slowest =
                log.slowest.map(|(ms, method)| format!("slowest {}, {method}", duration(ms)));
            view! {
                <span>{count(log.total, "exchange")}</span>
                <span class="wire-more">{bytes(log.bytes)}</span>
                <span class="wire-more">{slowest}</span>
            }
        })
    };
    view! {
        <section class="wire" aria-label="Wire" class:open=move || open.get()>
            <button
                type="button"
                class="wire-bar"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <span>"Wire"</span>
                {summary}
                <kbd aria-hidden="true">"`"</kbd>
            </button>
            {move || open.get().then(|| view! { <Exchanges/> })}
        </section>
    }
}

#[component]
fn Exchanges() -> impl IntoView {
    let wire = app().wire;
    let chosen = RwSignal::new(None::<usize>);
    let latest_first = list(move || {
        let line = |exchange: &Arc<Exchange>| {
            let key = format!("{} {}", exchange.number, exchange.outcome.is_some());
            let exchange = Arc::clone(exchange);
            Keyed::new(key, move || view! { <Line exchange=exchange chosen=chosen/> })
        };
        wire.with(|log| log.exchanges.iter().rev().map(line).collect())
    });
    let shown = Memo::new(move |_| {
        let number = chosen.get()?;
        wire.with(|log| log.get(number).map(|exchange| (number, exchange.outcome.is_some())))
    });
    let detail = move || match shown.get() {
        Some((number, _)) => {
            let exchange = untrack(|| wire.with(|log| log.get(number).cloned()));
            exchange.map(|exchange| view! { <Detail exchange=exchange/> }.into_any())
        }
        None => Some(
            view! { <p class="empty">"Choose an exchange to see what was sent and what came."</p> }
                .into_any(),
        ),
    };
    let is_cut = move || wire.with(|log| log.total > MAX_EXCHANGES);
    view! {
        <div class="wire-panes">
            <div class="wire-list" tabindex="0" role="region" aria-label="Exchanges, latest first">
                {move || wire.with(|log| log.total == 0).then(|| view! {
                    <p class="empty">"Nothing has gone over the wire yet."</p>
                })}
                <ul>{latest_first}</ul>
                {move || is_cut().then(|| view! {
                    <p class="cut-note">"Only the latest " {MAX_EXCHANGES} " are kept."</p>
                })}
            </div>
            <div class="wire-detail">{detail}</div>
        </div>
    }
}

#[component]
fn Line(exchange: Arc<Exchange>, chosen: RwSignal<Option<usize>>) -> impl IntoView {
    let number = exchange.number;
    let mark = match &exchange.outcome {
        None => Mark::Busy,
        Some(outcome) if outcome.good => Mark::Good,
        Some(_) => Mark::Bad,
    };
    let outcome = exchange.outcome.as_ref();
    let status = outcome
        .map(|outcome| outcome.status.map_or_else(|| "–".to_owned(), |status| status.to_string()));
    let took = outcome.map(|outcome| duration(outcome.ms));
    let size = outcome.map(|outcome| bytes(outcome.bytes));
    view! {
        <li>
            <button
                type="button"
                class="wire-line"
                aria-pressed=move || (chosen.get() == Some(number)).to_string()
                on:click=move |_| chosen.set(Some(number))
            >
                <span class="wire-number">{number}</span>
                <Glyph mark=mark/>
                <span class="wire-method">{exchange.method}</span>
                <span class="wire-subject">{exchange.subject.clone()}</span>
                <span class="wire-status">{status}</span>
                <span class="wire-ms">{took}</span>
                <span class="wire-bytes">{size}</span>
            </button>
        </li>
    }
}

#[component]
fn Detail(exchange: Arc<Exchange>) -> impl IntoView {
    let headers = exchange.headers.iter().map(|(name, value)| {
        view! {
            <div><dt>{name.clone()}</dt><dd>{value.clone()}</dd></div>
        }
    });
    let outcome = exchange.outcome.clone().map(|outcome| view! { <Answer outcome=outcome/> });
    view! {
        <h3>{exchange.method} " " <span class="hint">"exchange " {exchange.number} ", " {exchange.server.clone()}</span></h3>
        <h4>"Request"</h4>
        <dl class="headers">{headers.collect_view()}</dl>
        <Body text=exchange.request.clone()/>
        {outcome}
    }
}

#[component]
fn Answer(outcome: Outcome) -> impl IntoView {
    let status =
        outcome.status.map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
    view! {
        <h4>
            "Answer " <span class="hint">
                {status} {outcome.content_type.map(|kind| format!(", {kind}"))}
                ", " {duration(outcome.ms)} ", " {bytes(outcome.bytes)}
            </span>
        </h4>
        <Body text=outcome.body/>
    }
}

/// A body as it was, indented where it is JSON.
#[component]
fn Body(text: String) -> impl IntoView {
    // Indenting can make a bounded body a few times longer.
    const MAX_SHOWN: usize = 8 * MAX_BODY;
    let shown =
        if skillglass::json::read(&text).is_ok() { pretty_json(&text) } else { text.clone() };
    view! {
        <div class="body">
            <pre tabindex="0" aria-label="Body"><ServerText text=shown limit=MAX_SHOWN/></pre>
            <CopyButton text=text label="Copy the body" small=true/>
        </div>
    }
}
