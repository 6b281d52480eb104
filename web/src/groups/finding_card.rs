//! A finding: a sentence, how strongly the rule is worded, both sides, cause, repair, the rule.

use leptos::prelude::*;
use skillglass::finding::{Finding, Level};

use super::evidence::{Sides, full_stop, sentence, side_names, sides};
use crate::elements::{Button, Glyph};
use crate::mark::Mark;
use crate::state::app;

/// A finding.
#[component]
pub(crate) fn FindingCard(
    /// The finding.
    finding: Finding,
    /// The number of the exchange it rests on.
    #[prop(default = None)]
    exchange: Option<usize>,
    /// Where the file it is about is shown.
    #[prop(default = None)]
    file: Option<String>,
) -> impl IntoView {
    let state = match finding.level {
        Level::Must => Mark::Bad,
        Level::Should => Mark::Warn,
        Level::Note => Mark::Note,
    };
    let place = place(&finding);
    let sides = sides(Sides {
        names: side_names(
            finding.id,
            finding.position.map(|position| position.line as u64),
            finding.pointer.as_deref(),
        ),
        expected: finding.expected.as_deref(),
        actual: finding.actual.as_deref(),
    });
    let section = finding.section;
    view! {
        <article class="card finding">
            <header>
                <Glyph mark=state/>
                <h3>
                    {sentence(&finding.message)} " "
                    <span class="level">{finding.level.to_string()}</span>
                </h3>
                <code class="finding-id">{finding.id}</code>
            </header>
            <div class="finding-body">
                {place.map(|place| view! { <p class="finding-place">{place}</p> })}
                {sides}
                {(finding.cause.is_some() || finding.repair.is_some()).then(|| view! {
                    <p class="why">
                        {finding.cause.map(|cause| view! { <strong>"Cause: "</strong> {full_stop(&cause)} " " })}
                        {finding.repair.map(|repair| view! { <strong>"Repair: "</strong> {full_stop(&repair)} })}
                    </p>
                })}
                <p class="finding-links">
                    <a href=section.url() target="_blank" rel="noopener noreferrer">
                        {section.title()} <span aria-hidden="true">" ↗"</span>
                        <span class="visually-hidden">" (opens the specification in another tab)"</span>
                    </a>
                    {file.map(|href| view! { <a href=href>"Open the file"</a> })}
                    {exchange.map(|number| view! { <ExchangeLink number=number/> })}
                </p>
            </div>
        </article>
    }
}

/// A button that shows an exchange on the wire.
#[component]
pub(crate) fn ExchangeLink(
    /// The exchange's number.
    number: usize,
) -> impl IntoView {
    let wire = app().wire;
    view! {
        <Button class="link" press=move || wire.show(number)>"Exchange " {number}</Button>
    }
}

/// Where it stands, unless the sides say so.
fn place(finding: &Finding) -> Option<String> {
    if finding.expected.is_some() {
        return None;
    }
    match (&finding.position, &finding.pointer) {
        (Some(position), _) => Some(format!("Line {}, column {}", position.line, position.column)),
        (None, Some(pointer)) => Some(format!("At {pointer}")),
        (None, None) => None,
    }
}
