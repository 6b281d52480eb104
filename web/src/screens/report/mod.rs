//! How a server conforms: what a run costs, how far it is, what it found.

mod cards;
mod exports;
mod start;

use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{ChangeKind, Counts, Outcome, Progress, Report, compare};

use super::TITLE;
use crate::elements::{Button, Glyph, ServerText, follow};
use crate::mark::Mark;
use crate::route::Route;
use crate::run;
use crate::state::app;
use crate::state::server::Server;
use crate::text::{ago, bytes, count, thousands};
use cards::Groups;
use exports::Exports;
pub(crate) use exports::{FORMS, Form, save_report};
use start::Start;

/// How a server conforms.
#[component]
pub(crate) fn ReportScreen(
    /// The server.
    server: Server,
) -> impl IntoView {
    let judging = server.judging;
    let has_run = Memo::new(move |_| judging.progress.with(Option::is_some));
    // Whoever comes back wants to see the report.
    on_cleanup(move || {
        judging.wants_another.try_set(false);
    });
    let starts = Memo::new(move |_| {
        !has_run.get() || judging.wants_another.get() && !judging.is_going.get()
    });
    let body = move || match starts.get() {
        true => view! { <Start server=server/> }.into_any(),
        false => view! { <Results server=server/> }.into_any(),
    };
    let back = Route::Server { label: server.label().to_string() }.hash();
    view! {
        <div class="screen report">
            <p class="back no-print"><a href=back>"‹ All skills"</a></p>
            {follow(body)}
        </div>
    }
}

#[component]
fn Results(server: Server) -> impl IntoView {
    let judging = server.judging;
    let filter = RwSignal::new(String::new());
    view! {
        <header class="skill-head">
            <div class="skill-title">
                <p class="place mono"><Place server=server/></p>
                <h1 id=TITLE tabindex="-1">{follow(move || headline(server))}</h1>
            </div>
            <div class="skill-acts no-print">
                <Acts server=server/>
            </div>
        </header>
        <div class="progress-place"><Going server=server/></div>
        {follow(move || judging.report.get().map(|report| view! {
            <Bar counts=report.counts/>
            <Legend counts=report.counts/>
            {(!judging.is_going.get()).then(|| view! { <Incomplete report=Arc::clone(&report)/> })}
            <Since report=report former=judging.former/>
        }))}
        <Groups server=server filter=filter/>
    }
}

/// What was judged, and when.
#[component]
fn Place(server: Server) -> impl IntoView {
    let app = app();
    let judging = server.judging;
    move || {
        let line = judging.report.with(|report| {
            let report = report.as_ref()?;
            let age = app.now.get().saturating_sub(judging.judged_at.get());
            let scope = match &report.scope {
                None => {
                    count(usize::try_from(report.traffic.skills).unwrap_or(usize::MAX), "skill")
                }
                Some(skills) => format!("only {}", count(skills.len(), "skill")),
            };
            Some(format!(
                "{}, {}, {scope}, judged {} from {} and {}",
                server.label(),
                report.revision,
                ago(age),
                count(usize::try_from(report.traffic.calls).unwrap_or(usize::MAX), "exchange"),
                bytes(report.traffic.bytes),
            ))
        });
        line.map(|line| view! { <ServerText text=line/> })
    }
}

/// The report in a few words.
fn headline(server: Server) -> String {
    let known = server
        .judging
        .report
        .with(|report| report.as_ref().map(|report| (report.counts, report.incomplete.is_some())));
    let Some((counts, is_incomplete)) = known else { return "Checking".to_owned() };
    let tested = counts.fail + counts.warn + counts.pass;
    let so_far = match () {
        () if server.judging.is_going.get() => " so far".to_owned(),
        () if is_incomplete && counts.untested > 0 => {
            format!(", {} could not be tested", thousands(counts.untested))
        }
        () => String::new(),
    };
    match counts {
        _ if tested == 0 => format!("Nothing tested{so_far}"),
        Counts { fail: 0, warn: 0, .. } => format!("{} checks passed{so_far}", thousands(tested)),
        Counts { fail: 0, warn, .. } => {
            format!("No check failed, {} of {} warned{so_far}", thousands(warn), thousands(tested))
        }
        Counts { fail, .. } => {
            format!("{} of {} checks failed{so_far}", thousands(fail), thousands(tested))
        }
    }
}

/// What can be done with the run and its report.
#[component]
fn Acts(server: Server) -> impl IntoView {
    let judging = server.judging;
    move || {
        if judging.is_going.get() {
            return view! {
                <Button press=move || run::stop_judging(server)>"Stop checking"</Button>
            }
            .into_any();
        }
        let go_on = judging.is_stopped().then(|| {
            view! { <Button class="button primary" press=move || run::resume(server)>"Go on"</Button> }
        });
        view! {
            <Exports server=server/>
            <Button press=move || judging.wants_another.set(true)>"Check again…"</Button>
            {go_on}
        }
        .into_any()
    }
}

/// How far the run is.
#[component]
fn Going(server: Server) -> impl IntoView {
    let judging = server.judging;
    move || {
        let Progress { stage, answered, received, plan, .. } = judging.progress.get()?;
        judging.is_going.get().then(|| {
            let total = plan.calls.max(answered);
            let at_least = if plan.is_estimate { "at least " } else { "" };
            view! {
                <div class="progress">
                    <progress max=total.to_string() value=answered.to_string() aria-label="Requests answered"></progress>
                    <span>
                        {run::stage_word(stage)} ": " {thousands(answered as u64)} " of "
                        {at_least} {count(total, "request")} ", " {bytes(received)}
                    </span>
                </div>
            }
        })
    }
}

/// The parts of the report's bar, the gravest first, and what they are called.
pub(super) const OUTCOMES: [(Outcome, Mark, &str, &str); 5] = [
    (Outcome::Fail, Mark::Bad, "failed", "bad"),
    (Outcome::Warn, Mark::Warn, "warned", "warn"),
    (Outcome::Untested, Mark::Unknown, "untested", "unknown"),
    (Outcome::Pass, Mark::Good, "passed", "good"),
    (Outcome::NotApplicable, Mark::Note, "not applicable", "none"),
];

/// The outcomes as a bar. The legend says the same in words.
#[component]
fn Bar(counts: Counts) -> impl IntoView {
    let total = Outcome::ALL.iter().map(|outcome| counts.of(*outcome)).sum::<u64>().max(1);
    let mut before = 0;
    let part = |(outcome, _, _, class): (Outcome, Mark, &str, &str)| {
        let number = counts.of(outcome);
        let part = (number > 0).then(|| {
            view! {
                <rect class=format!("bar-{class}") x=before.to_string() y="0" width=number.to_string() height="1"></rect>
            }
        });
        before += number;
        part
    };
    let parts: Vec<_> = OUTCOMES.into_iter().map(part).collect();
    view! {
        <svg class="report-bar" viewBox=format!("0 0 {total} 1") preserveAspectRatio="none" aria-hidden="true">
            {parts}
        </svg>
    }
}

#[component]
fn Legend(counts: Counts) -> impl IntoView {
    let item = |(outcome, mark, word, _): (Outcome, Mark, &'static str, &str)| {
        let number = counts.of(outcome);
        (number > 0).then(|| {
            view! {
                <li><Glyph mark=mark/> {thousands(number)} " " {word}</li>
            }
        })
    };
    view! { <ul class="report-legend">{OUTCOMES.into_iter().map(item).collect_view()}</ul> }
}

/// Why not everything was looked at.
#[component]
fn Incomplete(report: Arc<Report>) -> impl IntoView {
    report.incomplete.clone().map(|why| {
        view! {
            <p class="report-note"><Glyph mark=Mark::Warn/> "Not complete: " {why} "."</p>
        }
    })
}

/// What became of the problems of the run before.
#[component]
fn Since(report: Arc<Report>, former: RwSignal<Option<Arc<Report>>>) -> impl IntoView {
    let former = former.get_untracked()?;
    let comparison = compare(&former, &report);
    let words = [
        (ChangeKind::New, "new"),
        (ChangeKind::Fixed, "fixed"),
        (ChangeKind::Changed, "changed"),
        (ChangeKind::Same, "as before"),
        (ChangeKind::Unknown, "no longer tested"),
    ];
    let parts: Vec<_> = words
        .into_iter()
        .map(|(kind, word)| (comparison.count(kind), word))
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{} {word}", thousands(number as u64)))
        .collect();
    (!parts.is_empty()).then(|| {
        view! {
            <p class="report-note">"Since the run before: " {parts.join(", ")} "."</p>
        }
    })
}
