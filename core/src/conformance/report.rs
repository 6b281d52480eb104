//! The report: one JSON contract that the page, the npm package and the command line render.
//!
//! Its schema is `docs/report.schema.json`. Texts that come from a server are bounded and have
//! their hidden characters escaped; URIs in [`Subject`]s are exact.

mod reader;

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::checks::{Check, Suite};
use super::{Outcome, Subject};
use crate::finding::{Finding, Level};
use crate::protocol::log::redact::Secrets;

/// The version of the report's form. It changes when a reader of the former one would misread it.
pub const REPORT_VERSION: u64 = 1;

/// What a run came to.
///
/// ```
/// use skillglass::conformance::{Report, Run, Options, Scope};
/// use skillglass::protocol::{Connected, Era, results::read_discovery};
/// let discovery = read_discovery(&skillglass::json::read("{}").unwrap().root);
/// let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
/// let report = Run::new(&connected, Scope::Server, Options::default()).report();
/// assert_eq!(Report::from_json(&report.to_json()).unwrap(), report);
/// assert!(Report::from_json("{}").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`REPORT_VERSION`].
    pub version: u64,
    /// What made it, with its version.
    pub tool: String,
    /// The server.
    pub server: ServerLine,
    /// The revision of the base protocol that was spoken.
    pub revision: String,
    /// The skills that were asked for; none for the whole server.
    pub scope: Option<Vec<String>>,
    /// Why not everything could be looked at, if so: calls failed, a limit was reached, the run was
    /// stopped or has not ended, the server declares no skills. What a server need not offer, or the
    /// caller did not want, is no lack.
    pub incomplete: Option<String>,
    /// The gravest outcome; [`Outcome::Untested`] where nothing failed but something is unknown.
    pub outcome: Outcome,
    /// The sentence that sums it up.
    pub summary: String,
    /// How many checks came to what.
    pub counts: Counts,
    /// What was looked at.
    pub traffic: Traffic,
    /// Every check, in the order of the table.
    pub checks: Vec<CheckReport>,
    /// The exchanges that evidence rests on, by number.
    pub exchanges: Vec<Exchange>,
}

/// The server of a report. Name and version are what it says of itself: labels, no identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerLine {
    /// Its address, without query.
    pub address: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

impl ServerLine {
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.address, &mut self.name, &mut self.version].into_iter().flatten()
    }
}

/// What a run asked and saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// The calls that were answered or have failed.
    pub calls: u64,
    /// The bytes of the messages that came.
    pub bytes: u64,
    /// The skills.
    pub skills: u64,
    /// The files that were read.
    pub files: u64,
}

/// How often each outcome was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// [`Outcome::Fail`].
    pub fail: u64,
    /// [`Outcome::Warn`].
    pub warn: u64,
    /// [`Outcome::Untested`].
    pub untested: u64,
    /// [`Outcome::Pass`].
    pub pass: u64,
    /// [`Outcome::NotApplicable`].
    pub not_applicable: u64,
}

impl Counts {
    /// The count of one outcome.
    #[must_use]
    pub const fn of(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Fail => self.fail,
            Outcome::Warn => self.warn,
            Outcome::Untested => self.untested,
            Outcome::Pass => self.pass,
            Outcome::NotApplicable => self.not_applicable,
        }
    }

    /// How many of these checks came to what.
    pub(super) fn over(checks: &[CheckReport]) -> Self {
        let mut counts = Self::default();
        checks.iter().for_each(|check| counts.add(check.outcome, 1));
        counts
    }

    /// Adds to the count of one outcome.
    pub(super) const fn add(&mut self, outcome: Outcome, count: u64) {
        match outcome {
            Outcome::Fail => self.fail += count,
            Outcome::Warn => self.warn += count,
            Outcome::Untested => self.untested += count,
            Outcome::Pass => self.pass += count,
            Outcome::NotApplicable => self.not_applicable += count,
        }
    }

    /// The gravest outcome that was reached.
    pub(super) fn gravest(&self) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| self.of(*outcome) > 0)
    }
}

/// A check and what it came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The check's id.
    pub id: Cow<'static, str>,
    /// Its id in the official suite, if that has one.
    pub suite_id: Option<String>,
    /// How the specification words it: `must`, `should`, or `note` for a hint.
    pub level: Level,
    /// What holds where it passes.
    pub title: Cow<'static, str>,
    /// What is wrong where it does not.
    pub failure: Cow<'static, str>,
    /// Why it matters.
    pub why: Cow<'static, str>,
    /// What to change.
    pub repair: Cow<'static, str>,
    /// Where the rule stands.
    pub section: SectionLine,
    /// The gravest outcome over its subjects.
    pub outcome: Outcome,
    /// Why it is untested or does not apply.
    pub reason: Option<String>,
    /// Over how many subjects it came to what.
    pub subjects: Counts,
    /// The subjects that did not simply pass, in order. At most
    /// [`MAX_RESULTS`](super::MAX_RESULTS).
    pub results: Vec<CheckResult>,
    /// How many subjects did not pass and are not among the results.
    pub omitted: u64,
}

/// The section of a specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionLine {
    /// Its title.
    pub title: Cow<'static, str>,
    /// The page it is on.
    pub url: Cow<'static, str>,
}

/// A check on one subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// What it is about.
    pub subject: Subject,
    /// What it came to.
    pub outcome: Outcome,
    /// Why it is untested.
    pub reason: Option<String>,
    /// What is wrong, in order.
    pub evidence: Vec<Evidence>,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Evidence {
    /// The sentence.
    pub message: String,
    /// The place in the entry or the message, as a JSON pointer.
    pub pointer: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u64>,
    /// The column in the file, from 1, in UTF-16 code units.
    pub column: Option<u64>,
    /// What was promised or demanded.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// The cause, where it can be proved.
    pub cause: Option<String>,
    /// What to change, where that is more than the check's own repair.
    pub repair: Option<String>,
    /// The number of the exchange it was seen in, the first time.
    pub exchange: Option<u64>,
    /// How often it was seen; a place in a skill's entry counts once, whatever answers repeat it.
    pub times: u64,
}

impl Evidence {
    pub(super) fn of(finding: Finding, exchange: Option<u64>) -> Self {
        let position = finding.position;
        let general = Check::find(finding.id).map(|check| check.repair);
        Self {
            message: finding.message,
            pointer: finding.pointer,
            line: position.map(|position| position.line as u64),
            column: position.map(|position| position.column as u64),
            expected: finding.expected,
            actual: finding.actual,
            cause: finding.cause,
            repair: finding.repair.filter(|repair| Some(repair.as_str()) != general),
            exchange,
            times: 1,
        }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { message, pointer, expected, actual, cause, repair, .. } = self;
        let others = [pointer, expected, actual, cause, repair];
        std::iter::once(message).chain(others.into_iter().flatten())
    }

    /// Whether both say the same of the same place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    /// What tells one piece of evidence from another, whenever it was seen.
    pub(super) fn key(&self) -> impl PartialEq + '_ {
        let place = (&self.pointer, self.line, self.column);
        (&self.message, place, &self.expected, &self.actual)
    }
}

/// An exchange that evidence rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Its number.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The URI or cursor that was asked for.
    pub asked: Option<String>,
    /// The HTTP status, if an answer came.
    pub status: Option<u64>,
    /// The length of the message that came, in bytes.
    pub bytes: u64,
    /// The first characters of what came, hidden ones escaped.
    pub excerpt: Option<String>,
}

impl Report {
    /// The check with this id.
    #[must_use]
    pub fn check(&self, id: &str) -> Option<&CheckReport> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// The report with the numbers that the caller's own log has for its exchanges, so that one number
    /// leads to both. `number_of` gives each a number of its own.
    #[must_use]
    pub fn renumbered(mut self, number_of: impl Fn(u64) -> u64) -> Self {
        let results = self.checks.iter_mut().flat_map(|check| &mut check.results);
        for evidence in results.flat_map(|result| &mut result.evidence) {
            evidence.exchange = evidence.exchange.map(&number_of);
        }
        for exchange in &mut self.exchanges {
            exchange.number = number_of(exchange.number);
        }
        self.exchanges.sort_by_key(|exchange| exchange.number);
        self
    }

    /// The report with what its caller has sent masked wherever the server has repeated it. What
    /// was judged is what came.
    #[must_use]
    pub fn masked(mut self, secrets: &Secrets) -> Self {
        if secrets.is_empty() {
            return self;
        }
        let mask = |text: &mut String| *text = secrets.mask(text);
        let Self { server, scope, incomplete, summary, checks, exchanges, .. } = &mut self;
        mask(summary);
        server.texts().chain(incomplete).chain(scope.iter_mut().flatten()).for_each(mask);
        for check in checks {
            check.reason.iter_mut().for_each(mask);
            for CheckResult { subject, reason, evidence, .. } in &mut check.results {
                mask(&mut subject.name);
                reason
                    .iter_mut()
                    .chain(evidence.iter_mut().flat_map(Evidence::texts))
                    .for_each(mask);
            }
        }
        exchanges
            .iter_mut()
            .flat_map(|it| it.asked.iter_mut().chain(&mut it.excerpt))
            .for_each(mask);
        self
    }

    /// The report as JSON.
    ///
    /// # Panics
    /// Never: it holds strings, numbers and lists.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings, numbers and lists")
    }

    /// Reads a report back.
    ///
    /// # Errors
    /// [`ReportError`] for a text that is no report, or one of another form.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        reader::read(text)
    }
}

/// Why a text is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportError {
    what: String,
}

impl ReportError {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is no report of skillglass: {}", self.what)
    }
}

impl std::error::Error for ReportError {}

impl CheckReport {
    /// A check that nothing is known of yet.
    pub(super) fn new(check: &Check) -> Self {
        Self {
            id: check.id.into(),
            suite_id: check.suite_id(),
            level: check.level,
            title: check.title.into(),
            failure: check.failure.into(),
            why: check.why.into(),
            repair: check.repair.into(),
            section: SectionLine {
                title: check.section.title().into(),
                url: check.section.url().into(),
            },
            outcome: Outcome::Untested,
            reason: None,
            subjects: Counts::default(),
            results: Vec::new(),
            omitted: 0,
        }
    }

    /// The heading that fits the outcome.
    #[must_use]
    pub fn heading(&self) -> &str {
        match self.outcome {
            Outcome::Fail | Outcome::Warn => &self.failure,
            _ => &self.title,
        }
    }

    /// Whether the official suite reports the check under its id.
    #[must_use]
    pub fn is_official(&self) -> bool {
        Check::find(&self.id).is_some_and(|check| check.suite == Suite::Checked)
    }
}
