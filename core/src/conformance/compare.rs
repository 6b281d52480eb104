//! Two reports of one server: what is new, what is mended.

use serde::Serialize;

use super::report::{CheckReport, CheckResult, Report};
use super::{Outcome, Subject};

/// What differs between two reports, problem by problem.
///
/// ```
/// # #[cfg(feature = "demo")] {
/// use skillglass::conformance::{Options, Run, Scope, compare};
/// use skillglass::protocol::{Connected, Era, results::read_discovery};
/// let discovery = read_discovery(&skillglass::json::read("{}").unwrap().root);
/// let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
/// let report = Run::new(&connected, Scope::Server, Options::default()).report();
/// let comparison = compare(&report, &report);
/// assert!(comparison.changes.is_empty());
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The problems of either report in the order of the checks, those that are gone last.
    pub changes: Vec<Change>,
}

/// A problem of one or both reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What became of it.
    pub kind: ChangeKind,
    /// The check's id.
    pub check: String,
    /// What it is about.
    pub subject: Subject,
    /// The outcome in the former report, if it was a problem there.
    pub before: Option<Outcome>,
    /// The outcome in the later report, if it is a problem there.
    pub after: Option<Outcome>,
    /// The first sentence about it, from the later report where it is in that.
    pub message: String,
}

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only the later report has it.
    New,
    /// Both have it, graver or milder, or with other evidence.
    Changed,
    /// Both have it, with the same evidence.
    Same,
    /// The later report tested for it and does not have it, or has nothing it could be about.
    Fixed,
    /// The later report could not test for it.
    Unknown,
}

impl Comparison {
    /// How many problems became this.
    #[must_use]
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.changes.iter().filter(|change| change.kind == kind).count()
    }
}

/// Compares a former report with a later one. Warnings and failures are problems.
#[must_use]
pub fn compare(former: &Report, later: &Report) -> Comparison {
    let mut ids: Vec<&str> = later.checks.iter().map(|check| &*check.id).collect();
    ids.extend(former.checks.iter().map(|check| &*check.id).filter(|id| later.check(id).is_none()));
    let changes = ids.into_iter().flat_map(|id| of_check(id, former, later));
    Comparison { changes: changes.collect() }
}

fn of_check(id: &str, former: &Report, later: &Report) -> Vec<Change> {
    let (before, after) = (problems(former.check(id)), problems(later.check(id)));
    let is_fixed = |subject: &Subject| {
        later.check(id).is_some_and(|check| {
            let untested = check.results.iter().any(|result| result.subject == *subject);
            is_tested(later, check) && !untested && covers(later, former)
        })
    };
    let gone = before.iter().filter(|result| find(&after, &result.subject).is_none());
    let subjects = after.iter().chain(gone).map(|result| &result.subject);
    let change = |subject: &Subject| {
        let (before, after) = (find(&before, subject), find(&after, subject));
        let kind = match (before, after) {
            (None, _) => ChangeKind::New,
            (Some(before), Some(after)) if same(before, after) => ChangeKind::Same,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) if is_fixed(subject) => ChangeKind::Fixed,
            (Some(_), None) => ChangeKind::Unknown,
        };
        let evidence = after.or(before).and_then(|result| result.evidence.first());
        Change {
            kind,
            check: id.to_owned(),
            subject: subject.clone(),
            before: before.map(|result| result.outcome),
            after: after.map(|result| result.outcome),
            message: evidence.map_or_else(String::new, |evidence| evidence.message.clone()),
        }
    };
    subjects.map(change).collect()
}

fn problems(check: Option<&CheckReport>) -> Vec<&CheckResult> {
    let results = check.map_or(&[][..], |check| &check.results).iter();
    results.filter(|result| result.outcome >= Outcome::Warn).collect()
}

/// A check has few results, so they are looked through.
fn find<'r>(results: &[&'r CheckResult], subject: &Subject) -> Option<&'r CheckResult> {
    results.iter().find(|result| result.subject == *subject).copied()
}

/// Whether both say the same, wherever and how often they saw it.
fn same(before: &CheckResult, after: &CheckResult) -> bool {
    before.outcome == after.outcome
        && before.evidence.len() == after.evidence.len()
        && before.evidence.iter().zip(&after.evidence).all(|(a, b)| a.is_same(b))
}

/// Whether a report looks at all that the other one looks at.
fn covers(report: &Report, other: &Report) -> bool {
    match (&report.scope, &other.scope) {
        (None, _) => true,
        (Some(here), Some(there)) => there.iter().all(|uri| here.contains(uri)),
        (Some(_), None) => false,
    }
}

/// Whether a check was held against a subject that is not among its results: it was held against
/// something, and nothing was left out of the report.
fn is_tested(report: &Report, check: &CheckReport) -> bool {
    let held = check.subjects.pass + check.subjects.warn + check.subjects.fail > 0;
    held && check.omitted == 0 && report.incomplete.is_none()
}
