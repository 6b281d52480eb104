//! The report for a terminal: what is wrong first, and everything that is needed to mend it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anstyle::Style;
use skillglass::conformance::{
    ChangeKind, CheckReport, CheckResult, Comparison, Evidence, Outcome, Report, Subject,
    SubjectKind,
};
use skillglass::protocol::SKILLS_EXTENSION;

use crate::output::{BAD, DOUBTFUL, GOOD, QUIET, bytes, count, shown};

/// How many subjects of one check are shown, and how many pieces of evidence for each.
const MAX_SUBJECTS: usize = 10;
const MAX_EVIDENCE: usize = 5;

/// What a person is shown.
#[derive(Clone, Copy)]
pub(super) struct Show {
    /// Whether the server declares the extension, without which nothing of it can be checked.
    pub(super) declares: bool,
    /// Whether the checks that do not apply are named.
    pub(super) all: bool,
}

/// The report as text, with colours; with what has changed since a former one.
pub(super) fn of(report: &Report, comparison: Option<&Comparison>, show: Show) -> String {
    let mut text = String::new();
    // Writing to a string never fails, here and below.
    write_head(&mut text, report);
    if !show.declares {
        let _ = writeln!(
            text,
            "{BAD}The server does not declare the skills extension ({SKILLS_EXTENSION}): nothing of it can be checked.{BAD:#}\n"
        );
    }
    for outcome in [Outcome::Fail, Outcome::Warn] {
        for check in with(report, outcome) {
            write_check(&mut text, check);
        }
    }
    write_untested(&mut text, report);
    write_not_applicable(&mut text, report, show.all);
    if let Some(comparison) = comparison {
        write_changes(&mut text, comparison);
    }
    let style = style(report.outcome);
    let _ = writeln!(text, "{style}{}{style:#}", report.summary);
    text
}

fn with(report: &Report, outcome: Outcome) -> impl Iterator<Item = &CheckReport> {
    report.checks.iter().filter(move |check| check.outcome == outcome)
}

fn style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Fail => BAD,
        Outcome::Warn | Outcome::Untested => DOUBTFUL,
        Outcome::Pass | Outcome::NotApplicable => GOOD,
    }
}

fn write_head(text: &mut String, report: &Report) {
    let server = &report.server;
    let own_words = [&server.name, &server.version].into_iter().flatten();
    let own_words = own_words.map(|word| shown(word)).collect::<Vec<_>>().join(" ");
    let address = server.address.as_deref().map(shown).unwrap_or_default();
    let _ = writeln!(text, "{address} ({own_words}) speaks {}", report.revision);
    let traffic = report.traffic;
    let number = |number: u64, what| count(usize::try_from(number).unwrap_or(usize::MAX), what);
    let _ = writeln!(
        text,
        "{QUIET}{}, {}, {}, {}{QUIET:#}\n",
        number(traffic.skills, "skill"),
        number(traffic.files, "file"),
        number(traffic.calls, "request"),
        bytes(traffic.bytes),
    );
}

/// What is new, changed or gone since the baseline, one line for each.
fn write_changes(text: &mut String, comparison: &Comparison) {
    for change in comparison.changes.iter().filter(|change| change.kind != ChangeKind::Same) {
        let (style, word) = match change.kind {
            ChangeKind::New => (BAD, "new"),
            ChangeKind::Changed => (DOUBTFUL, "changed"),
            ChangeKind::Fixed => (GOOD, "mended"),
            ChangeKind::Unknown => (DOUBTFUL, "not known"),
            ChangeKind::Same => continue,
        };
        let about = subject(&change.subject);
        let _ = writeln!(
            text,
            "{style}{word:10}{style:#}{}  {about}: {}",
            change.check, change.message
        );
    }
    let same = comparison.count(ChangeKind::Same);
    if same > 0 {
        let _ = writeln!(text, "{QUIET}as before {QUIET:#}{}", count(same, "problem"));
    }
    text.push('\n');
}

fn write_check(text: &mut String, check: &CheckReport) {
    let style = style(check.outcome);
    let (word, level) = (check.outcome.word().to_uppercase(), check.level);
    let _ = writeln!(text, "{style}{word}{style:#}  {} {QUIET}{level}{QUIET:#}", check.heading());
    let _ = writeln!(text, "      {QUIET}{}{QUIET:#}", check.id);
    let results = check.results.iter().filter(|result| result.outcome == check.outcome);
    for result in results.clone().take(MAX_SUBJECTS) {
        write_result(text, result);
    }
    let more = results.count().saturating_sub(MAX_SUBJECTS) as u64 + check.omitted;
    if more > 0 {
        let _ = writeln!(text, "      … and {more} more");
    }
    line(text, 6, "why", &check.why);
    line(text, 6, "mend", &check.repair);
    line(text, 6, "rule", &format!("{}, {}", check.section.title, check.section.url));
    text.push('\n');
}

fn write_result(text: &mut String, result: &CheckResult) {
    let _ = writeln!(text, "      {}", subject(&result.subject));
    for evidence in result.evidence.iter().take(MAX_EVIDENCE) {
        write_evidence(text, evidence);
    }
    let more = result.evidence.len().saturating_sub(MAX_EVIDENCE);
    if more > 0 {
        let _ = writeln!(text, "        … and {more} more");
    }
}

fn subject(subject: &Subject) -> String {
    match subject.kind {
        SubjectKind::Server => "the server".to_owned(),
        _ => shown(&subject.name),
    }
}

fn write_evidence(text: &mut String, evidence: &Evidence) {
    let place = match (evidence.line, evidence.column, &evidence.pointer) {
        (Some(line), Some(column), _) => format!("{line}:{column}: "),
        (_, _, Some(pointer)) => format!("{}: ", shown(pointer)),
        _ => String::new(),
    };
    let times =
        if evidence.times > 1 { format!(" ({} times)", evidence.times) } else { String::new() };
    let _ = writeln!(text, "        {place}{}{times}", evidence.message);
    let lines = [
        ("expected", &evidence.expected),
        ("came", &evidence.actual),
        ("cause", &evidence.cause),
        ("mend", &evidence.repair),
    ];
    for (word, content) in lines {
        if let Some(content) = content {
            line(text, 10, word, content);
        }
    }
}

fn line(text: &mut String, indent: usize, word: &str, content: &str) {
    let _ = writeln!(text, "{:indent$}{QUIET}{word:9}{QUIET:#}{}", "", shown(content));
}

/// What could not be tested, by the reason: which checks, and of what.
fn write_untested(text: &mut String, report: &Report) {
    let mut reasons = BTreeMap::<&str, (BTreeSet<&Subject>, Vec<&str>)>::new();
    for check in &report.checks {
        let untested = check.results.iter().filter(|it| it.outcome == Outcome::Untested);
        let mut of_check = BTreeMap::<&str, Vec<&Subject>>::new();
        if check.outcome == Outcome::Untested {
            of_check.insert(reason(check.reason.as_deref()), Vec::new());
        }
        for result in untested {
            of_check.entry(reason(result.reason.as_deref())).or_default().push(&result.subject);
        }
        for (reason, subjects) in of_check {
            let (all_subjects, ids) = reasons.entry(reason).or_default();
            all_subjects.extend(subjects);
            ids.push(&check.id);
        }
    }
    for (reason, (subjects, ids)) in &reasons {
        let ids = ids.join(", ");
        let _ =
            writeln!(text, "{QUIET}untested{QUIET:#}  {}: {QUIET}{ids}{QUIET:#}", shown(reason));
        for about in subjects.iter().take(MAX_SUBJECTS) {
            let _ = writeln!(text, "      {}", subject(about));
        }
        let more = subjects.len().saturating_sub(MAX_SUBJECTS);
        if more > 0 {
            let _ = writeln!(text, "      … and {more} more");
        }
    }
    if !reasons.is_empty() {
        text.push('\n');
    }
}

/// What does not apply, by the reason.
fn write_not_applicable(text: &mut String, report: &Report, named: bool) {
    let mut reasons = BTreeMap::<&str, Vec<&str>>::new();
    for check in with(report, Outcome::NotApplicable) {
        reasons.entry(reason(check.reason.as_deref())).or_default().push(&check.id);
    }
    for (reason, ids) in &reasons {
        let ids = if named { ids.join(", ") } else { count(ids.len(), "check") };
        let _ = writeln!(
            text,
            "{QUIET}not applicable{QUIET:#}  {}: {QUIET}{ids}{QUIET:#}",
            shown(reason)
        );
    }
    if !reasons.is_empty() {
        text.push('\n');
    }
}

fn reason(reason: Option<&str>) -> &str {
    reason.unwrap_or("no reason is known")
}
