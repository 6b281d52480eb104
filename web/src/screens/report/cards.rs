//! The checks of a report: what failed stands open, the rest is folded, each has an address.

use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{CheckReport, CheckResult, Outcome, Report, Subject, SubjectKind};

use super::OUTCOMES;
use crate::elements::{Button, CopyButton, Field, Glyph, Keyed, ServerText, follow, list};
use crate::groups::{EvidenceView, full_stop};
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::state::app;
use crate::state::server::Server;
use crate::text::thousands;

/// How many subjects of a check are shown at first.
const FIRST_SUBJECTS: usize = 3;

/// The checks by outcome.
#[component]
pub(super) fn Groups(
    /// The server.
    server: Server,
    /// What is looked for.
    filter: RwSignal<String>,
) -> impl IntoView {
    let app = app();
    let wanted = Memo::new(move |_| {
        app.route.with(|route| match route {
            Route::Report { check, .. } => check.clone(),
            _ => None,
        })
    });
    let group = |(outcome, mark, word, _): (Outcome, Mark, &'static str, &str)| {
        view! { <Group server=server outcome=outcome mark=mark word=word filter=filter wanted=wanted/> }
    };
    let has_report = move || server.judging.report.with(Option::is_some);
    view! {
        <div class="report-filter no-print" hidden=move || !has_report()>
            <Field label="Filter the checks" value=filter example="Filter checks, skills, files"/>
        </div>
        {OUTCOMES.into_iter().map(group).collect_view()}
    }
}

#[component]
fn Group(
    server: Server,
    outcome: Outcome,
    mark: Mark,
    word: &'static str,
    filter: RwSignal<String>,
    wanted: Memo<Option<String>>,
) -> impl IntoView {
    let judging = server.judging;
    // What failed is always in sight.
    let folds = outcome != Outcome::Fail;
    let is_wanted = move |report: &Report| {
        wanted.with(|wanted| {
            let check = report.check(wanted.as_deref()?)?;
            Some(check.outcome == outcome)
        })
    };
    // On paper a line each is enough of what needs nobody.
    let is_brief = matches!(outcome, Outcome::Pass | Outcome::NotApplicable);
    let opened = RwSignal::new(None::<bool>);
    let printing = app().printing;
    let leads_here = Memo::new(move |_| {
        judging
            .report
            .with(|report| report.as_ref().and_then(|report| is_wanted(report)) == Some(true))
    });
    let is_open = Memo::new(move |_| {
        !folds
            || printing.get()
            || opened.get().unwrap_or(false)
            || leads_here.get()
            || filter.with(|filter| !filter.trim().is_empty())
    });
    let number = Memo::new(move |_| {
        judging.report.with(|report| {
            report.as_ref().map_or(0, |report| matching(report, outcome, filter).len())
        })
    });
    let cards = list(move || {
        judging.report.with(|report| {
            let Some(report) = report.as_ref().filter(|_| is_open.get()) else { return Vec::new() };
            let card = |check: &CheckReport| {
                // A check that has changed is shown anew.
                let key = format!("{} {} {:?}", check.id, check.results.len(), check.subjects);
                let check = Arc::new(check.clone());
                Keyed::new(key, move || view! { <CheckCard server=server check=check mark=mark wanted=wanted/> })
            };
            matching(report, outcome, filter).into_iter().map(card).collect()
        })
    });
    let toggle = move || opened.update(|opened| *opened = Some(!is_open.get_untracked()));
    view! {
        <section class="report-group" class:brief=is_brief hidden=move || number.get() == 0>
            <h2 class:visually-hidden=!folds>
                {if folds {
                    view! {
                        <button type="button" class="group-fold" aria-expanded=move || is_open.get().to_string() on:click=move |_| toggle()>
                            <Glyph mark=mark/>
                            <span>{follow(move || thousands(number.get() as u64))} " " {word}</span>
                        </button>
                    }.into_any()
                } else {
                    view! { {follow(move || thousands(number.get() as u64))} " " {word} }.into_any()
                }}
            </h2>
            <div class="report-cards">{cards}</div>
        </section>
    }
}

/// The checks with this outcome in which the filter's text occurs.
fn matching(report: &Report, outcome: Outcome, filter: RwSignal<String>) -> Vec<&CheckReport> {
    let wanted = filter.with(|filter| filter.trim().to_lowercase());
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let is_match = |check: &CheckReport| {
        wanted.is_empty()
            || has(&check.id)
            || has(check.heading())
            || check.results.iter().any(|result| has(&result.subject.name))
    };
    report.checks.iter().filter(|check| check.outcome == outcome && is_match(check)).collect()
}

/// One check and what it came to.
#[component]
fn CheckCard(
    server: Server,
    check: Arc<CheckReport>,
    mark: Mark,
    wanted: Memo<Option<String>>,
) -> impl IntoView {
    let id = format!("check-{}", check.id);
    let route =
        Route::Report { label: server.label().to_string(), check: Some(check.id.to_string()) };
    let is_problem = matches!(check.outcome, Outcome::Fail | Outcome::Warn);
    let is_wanted = {
        let own = check.id.to_string();
        Memo::new(move |_| wanted.with(|wanted| wanted.as_deref() == Some(&*own)))
    };
    bring_into_sight(id.clone(), is_wanted);
    let body = body(server, &check);
    let why = is_problem.then(|| view! { <p class="check-why">{check.why.to_string()}</p> });
    let is_mended_otherwise =
        check.results.iter().flat_map(|result| &result.evidence).any(|it| it.repair.is_some());
    let repair = (is_problem && !is_mended_otherwise).then(|| {
        view! { <p class="why"><strong>"Repair: "</strong> {check.repair.to_string()}</p> }
    });
    let url = check.section.url.to_string();
    let official = check.suite_id.clone();
    view! {
        <article id=id tabindex="-1" class="card finding check" class:wanted=move || is_wanted.get()>
            <header>
                <Glyph mark=mark/>
                <h3>
                    {check.heading().to_owned()} " "
                    <span class="level">{check.level.to_string()}</span>
                </h3>
                <a class="finding-id mono" href=server.link(&route, None) title="Link to this check">{check.id.to_string()}</a>
            </header>
            <div class="finding-body">
                {check.reason.clone().map(|reason| view! { <p class="finding-place">{capital(&reason)}</p> })}
                {why}
                {body}
                {repair}
                <p class="finding-links">
                    <a href=url target="_blank" rel="noopener noreferrer">
                        {check.section.title.to_string()} <span aria-hidden="true">" ↗"</span>
                        <span class="visually-hidden">" (opens the specification in another tab)"</span>
                    </a>
                    {official.map(|id| view! {
                        <span class="hint">"In the official suite: " <code>{id.clone()}</code> <CopyButton text=id label="Copy the official id" small=true/></span>
                    })}
                </p>
            </div>
        </article>
    }
}

/// Moves a check that the address names to where it can be seen, whenever it is named.
fn bring_into_sight(id: String, is_wanted: Memo<bool>) {
    Effect::new(move |_| {
        if is_wanted.get() {
            let id = id.clone();
            request_animation_frame(move || crate::browser::focus(&id));
        }
    });
}

/// The subjects that did not pass, the first ones at once, the others on request.
fn body(server: Server, check: &Arc<CheckReport>) -> impl IntoView + use<> {
    let shown = RwSignal::new(FIRST_SUBJECTS);
    let total = check.results.len();
    let printing = app().printing;
    let shown_now = move || if printing.get() { total } else { shown.get() };
    let omitted = check.omitted;
    let results = {
        let check = Arc::clone(check);
        list(move || {
            let result = |(place, _): (usize, &CheckResult)| {
                let check = Arc::clone(&check);
                Keyed::new(
                    place.to_string(),
                    move || view! { <ResultView server=server check=check place=place/> },
                )
            };
            check.results.iter().enumerate().take(shown_now()).map(result).collect()
        })
    };
    let more = move || {
        let rest = total.saturating_sub(shown_now());
        (rest > 0).then(|| {
            view! {
                <p>
                    <Button class="link" press=move || shown.set(total)>
                        "Show " {thousands(rest as u64)} " more"
                    </Button>
                </p>
            }
        })
    };
    let cut = (omitted > 0).then(|| {
        view! {
            <p class="cut-note">{thousands(omitted)} " more are not kept in the report."</p>
        }
    });
    view! { {results} {follow(more)} {cut} }
}

/// What a check came to on one subject.
#[component]
fn ResultView(server: Server, check: Arc<CheckReport>, place: usize) -> impl IntoView {
    let result = &check.results[place];
    let evidence: Vec<_> = result
        .evidence
        .iter()
        .map(|evidence| view! { <EvidenceView server=server check=Arc::clone(&check) evidence=evidence.clone()/> })
        .collect();
    let name = name(&result.subject);
    let reason = result.reason.clone().filter(|reason| check.reason.as_ref() != Some(reason));
    view! {
        <div class="check-result">
            {name.map(|name| view! {
                <p class="finding-place">
                    {match place_of(server, &result.subject) {
                        Some(href) => view! { <a href=href><ServerText text=name limit=400/></a> }.into_any(),
                        None => view! { <ServerText text=name limit=400/> }.into_any(),
                    }}
                </p>
            })}
            {reason.map(|reason| view! { <p>{capital(&reason)}</p> })}
            {evidence}
        </div>
    }
}

/// What a subject is called; nothing for the server, whose name stands above.
fn name(subject: &Subject) -> Option<String> {
    (subject.kind != SubjectKind::Server).then(|| subject.name.clone())
}

/// Where a skill or a file is shown.
fn place_of(server: Server, subject: &Subject) -> Option<String> {
    let label = server.label();
    let uri = subject.name.as_str();
    match subject.kind {
        SubjectKind::Skill => {
            untrack(|| server.name_of(uri))?;
            Some(Route::skill(&label, uri, Tab::Checks).hash())
        }
        SubjectKind::File => {
            let skill = owner(server, uri)?;
            Some(Route::skill(&label, &skill, Tab::Files { open: Some(uri.to_owned()) }).hash())
        }
        _ => None,
    }
}

/// The innermost listed skill whose manifest has the file.
fn owner(server: Server, uri: &str) -> Option<String> {
    server.listing.with_untracked(|listing| {
        let entries = listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        let owners = entries
            .filter(|entry| entry.manifest().is_some_and(|manifest| manifest.get(uri).is_some()));
        owners.max_by_key(|entry| entry.uri.len()).map(|entry| entry.uri.clone())
    })
}

/// A sentence of what fits into other sentences.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    full_stop(&first.into_iter().chain(characters).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_become_sentences() {
        assert_eq!(capital("no skill is listed"), "No skill is listed.");
        assert_eq!(capital("Stop!"), "Stop!");
        assert_eq!(capital(""), ".");
    }
}
