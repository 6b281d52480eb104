//! Evidence: where something stands, both sides of it, the cause, the repair, the exchange behind it.

use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{CheckReport, Evidence, Exchange};

use super::finding_card::ExchangeLink;
use crate::elements::{MarkedText, ServerText};
use crate::state::server::Server;
use crate::text::{Part, bytes, mark};

/// A piece of evidence of a check.
#[component]
pub(crate) fn EvidenceView(
    /// The server.
    server: Server,
    /// The check.
    check: Arc<CheckReport>,
    /// The evidence.
    evidence: Evidence,
) -> impl IntoView {
    let names = side_names(&check.id, evidence.line, evidence.pointer.as_deref());
    let (expected, actual) = (evidence.expected.as_deref(), evidence.actual.as_deref());
    let sides = sides(Sides { names, expected, actual });
    let place = place(&evidence);
    // What the heading says already is not said again.
    let message = (evidence.message != check.heading() || evidence.times > 1)
        .then(|| full_stop(&sentence(&evidence.message)));
    let times = (evidence.times > 1).then(|| format!(" ({} times)", evidence.times));
    let exchange = evidence.exchange.and_then(|number| {
        server.judging.report.with_untracked(|report| {
            report.as_ref()?.exchanges.iter().find(|exchange| exchange.number == number).cloned()
        })
    });
    view! {
        <div class="check-evidence">
            {message.map(|message| view! { <p>{message} {times}</p> })}
            {place.map(|place| view! { <p class="finding-place">{place}</p> })}
            {sides}
            {(evidence.cause.is_some() || evidence.repair.is_some()).then(|| view! {
                <p class="why">
                    {evidence.cause.as_deref().map(|cause| view! { <strong>"Cause: "</strong> {full_stop(cause)} " " })}
                    {evidence.repair.as_deref().map(|repair| view! { <strong>"Repair: "</strong> {full_stop(repair)} })}
                </p>
            })}
            {exchange.map(|exchange| view! { <ExchangeView server=server exchange=exchange/> })}
        </div>
    }
}

/// Where it stands, unless the sides say so.
fn place(evidence: &Evidence) -> Option<String> {
    if evidence.expected.is_some() {
        return None;
    }
    match (evidence.line, evidence.column, &evidence.pointer) {
        (Some(line), Some(column), _) => Some(format!("Line {line}, column {column}")),
        (Some(line), None, _) => Some(format!("Line {line}")),
        (None, _, Some(pointer)) if !pointer.is_empty() => Some(format!("At {pointer}")),
        _ => None,
    }
}

/// The exchange that something was seen in.
#[component]
fn ExchangeView(server: Server, exchange: Exchange) -> impl IntoView {
    let on_wire = usize::try_from(exchange.number).ok();
    let on_wire = on_wire.filter(|number| server.app().wire.get(*number).is_some());
    let status =
        exchange.status.map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
    let asked = exchange.asked.clone().map(|asked| {
        view! { " " <ServerText text=asked limit=200/> }
    });
    view! {
        <details class="exchange">
            <summary>
                "Exchange " {exchange.number} ": " <code>{exchange.method.clone()}</code> {asked} ", " {status} ", " {bytes(exchange.bytes)}
            </summary>
            {match exchange.excerpt.clone() {
                Some(excerpt) => view! { <pre class="evidence"><ServerText text=excerpt/></pre> }.into_any(),
                None => view! { <p class="cut-note">"Nothing came."</p> }.into_any(),
            }}
            {on_wire.map(|number| view! {
                <p class="no-print">"On the wire: " <ExchangeLink number=number/></p>
            })}
        </details>
    }
}

/// What is to be shown side by side.
pub(super) struct Sides<'t> {
    /// What the sides are called.
    pub(super) names: (String, String),
    /// What was promised or demanded.
    pub(super) expected: Option<&'t str>,
    /// What came.
    pub(super) actual: Option<&'t str>,
}

/// Both sides, with what differs marked; one side where nothing was promised.
pub(super) fn sides(sides: Sides<'_>) -> Option<impl IntoView + use<>> {
    let actual = sides.actual?;
    let (left, right) = sides.names;
    let sides = match sides.expected {
        None => side(&right, &[Part { text: actual, differs: false }]),
        Some(expected) => {
            let [expected, actual] = mark(expected, actual);
            [side(&left, &expected), side(&right, &actual)].into_any()
        }
    };
    Some(view! { <div class="sides">{sides}</div> })
}

/// One side, with what differs marked.
fn side(name: &str, parts: &[Part<'_>]) -> AnyView {
    view! {
        <div class="side">
            <div class="side-name">{name.to_owned()}</div>
            <MarkedText parts=parts/>
        </div>
    }
    .into_any()
}

/// What the two sides are.
pub(super) fn side_names(id: &str, line: Option<u64>, pointer: Option<&str>) -> (String, String) {
    match id {
        "content-size-match" | "content-digest-match" => ("Manifest".into(), "Served".into()),
        "entry-frontmatter-identical" => {
            let file = line.map(|line| format!("SKILL.md, line {line}"));
            let pointer = pointer.unwrap_or_default();
            (file.unwrap_or_else(|| "SKILL.md".into()), format!("Entry, {pointer}"))
        }
        "entry-uri-matches-frontmatter-name" => ("Frontmatter".into(), "URI".into()),
        "content-readable" => (String::new(), "Answer".into()),
        "skills-get-entry-shape" => ("Asked for".into(), "Answered with".into()),
        _ => ("Expected".into(), "Found".into()),
    }
}

/// Core's messages begin small, so that they fit into other sentences; names stay as they are.
pub(super) fn sentence(message: &str) -> String {
    for article in ["the ", "a ", "an "] {
        if let Some(rest) = message.strip_prefix(article) {
            let (first, others) = article.split_at(1);
            return format!("{}{others}{rest}", first.to_ascii_uppercase());
        }
    }
    message.to_owned()
}

/// Ends a sentence, unless it has an end.
pub(crate) fn full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…', '"']) { text.to_owned() } else { format!("{text}.") }
}
