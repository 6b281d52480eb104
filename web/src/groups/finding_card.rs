//! A finding: a sentence, how strongly the rule is worded, both sides, cause, repair, the rule.

use leptos::prelude::*;
use skillglass::finding::{Finding, Level};

use crate::elements::{Glyph, MarkedText};
use crate::mark::Mark;
use crate::text::{Part, mark};

/// A finding.
#[component]
pub(crate) fn FindingCard(
    /// The finding.
    finding: Finding,
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
    let sides = sides(&finding);
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
                </p>
            </div>
        </article>
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

fn sides(finding: &Finding) -> Option<impl IntoView + use<>> {
    let actual = finding.actual.as_deref()?;
    let (left, right) = side_names(finding);
    let sides = match finding.expected.as_deref() {
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
fn side_names(finding: &Finding) -> (String, String) {
    match finding.id {
        "content-size-match" | "content-digest-match" => ("Manifest".into(), "Served".into()),
        "entry-frontmatter-identical" => {
            let line = finding.position.map(|position| format!("SKILL.md, line {}", position.line));
            let pointer = finding.pointer.as_deref().unwrap_or_default();
            (line.unwrap_or_else(|| "SKILL.md".into()), format!("Entry, {pointer}"))
        }
        "entry-uri-matches-frontmatter-name" => ("Frontmatter".into(), "URI".into()),
        "content-readable" => (String::new(), "Answer".into()),
        "skills-get-entry-shape" => ("Asked for".into(), "Answered with".into()),
        _ => ("Expected".into(), "Found".into()),
    }
}

/// Core's messages begin small, so that they fit into other sentences; names stay as they are.
fn sentence(message: &str) -> String {
    for article in ["the ", "a ", "an "] {
        if let Some(rest) = message.strip_prefix(article) {
            let (first, others) = article.split_at(1);
            return format!("{}{others}{rest}", first.to_ascii_uppercase());
        }
    }
    message.to_owned()
}

fn full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…', '"']) { text.to_owned() } else { format!("{text}.") }
}
