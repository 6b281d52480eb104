//! Reports on some of the checks only.

use std::fmt;

use super::report::{Counts, Report};
use super::run::summary;
use super::{CHECKS, CheckReport, Outcome};
use crate::finding::quote;

/// Some of the checks, by patterns: an id, an id of the official suite, or the beginning of an id
/// with `*` at its end.
///
/// ```
/// use skillglass::conformance::Selection;
/// let only = vec!["content-*".to_owned()];
/// let skip = vec!["content-readable".to_owned()];
/// let selection = Selection::new(only, skip).unwrap();
/// assert!(selection.has("content-digest-match"));
/// assert!(!selection.has("content-readable") && !selection.has("entry-shape"));
/// let official = vec!["sep-2640-resources-complete".to_owned()];
/// assert!(Selection::new(official, Vec::new()).unwrap().has("resources-complete"));
/// let unknown = Selection::new(vec!["contents".to_owned()], Vec::new()).unwrap_err();
/// assert!(unknown.to_string().starts_with("There is no check \"contents\"."));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    only: Vec<String>,
    skip: Vec<String>,
}

impl Selection {
    /// The checks that `only` names, all where it is empty, without those that `skip` names.
    ///
    /// # Errors
    /// [`UnknownCheck`] for a pattern that no check has.
    pub fn new(only: Vec<String>, skip: Vec<String>) -> Result<Self, UnknownCheck> {
        let is_known = |pattern: &&String| CHECKS.iter().any(|it| matches(pattern, it.id));
        match only.iter().chain(&skip).find(|pattern| !is_known(pattern)) {
            Some(pattern) => Err(UnknownCheck { pattern: pattern.clone() }),
            None => Ok(Self { only, skip }),
        }
    }

    /// Whether the check with this id is one of them.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, id));
        (self.only.is_empty() || any(&self.only)) && !any(&self.skip)
    }

    /// The report as if there were no other checks.
    #[must_use]
    pub fn of(&self, report: Report) -> Report {
        if *self == Self::default() { report } else { report.select(|check| self.has(&check.id)) }
    }
}

/// Whether an id is the one that a pattern names, or begins as one with `*` at its end does.
fn matches(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(begin) => id.starts_with(begin),
        None => id == pattern.strip_prefix("sep-2640-").unwrap_or(pattern),
    }
}

/// A pattern that names no check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCheck {
    pattern: String,
}

impl fmt::Display for UnknownCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "There is no check {}. A check is named by its id, or by the beginning of several with * at its end.",
            quote(&self.pattern),
        )
    }
}

impl std::error::Error for UnknownCheck {}

impl Report {
    /// The report as if there were no other checks than those that `wanted` says yes to.
    ///
    /// ```
    /// use skillglass::conformance::{Report, Run, Options, Scope};
    /// use skillglass::protocol::{Connected, Era, results::read_discovery};
    /// let discovery = read_discovery(&skillglass::json::read("{}").unwrap().root);
    /// let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
    /// let report = Run::new(&connected, Scope::Server, Options::default()).report();
    /// let selected = report.select(|check| check.id.starts_with("content-"));
    /// assert!(selected.checks.iter().all(|check| check.id.starts_with("content-")));
    /// assert_eq!(selected.counts.not_applicable, selected.checks.len() as u64);
    /// ```
    #[must_use]
    pub fn select(mut self, wanted: impl Fn(&CheckReport) -> bool) -> Self {
        self.checks.retain(wanted);
        self.counts = Counts::over(&self.checks);
        self.outcome = self.counts.gravest().unwrap_or(Outcome::NotApplicable);
        self.summary = summary(&self.checks, self.incomplete.as_deref());
        let cited = |number: u64| {
            let results = self.checks.iter().flat_map(|check| &check.results);
            let mut evidence = results.flat_map(|result| &result.evidence);
            evidence.any(|evidence| evidence.exchange == Some(number))
        };
        let exchanges = std::mem::take(&mut self.exchanges);
        let kept = exchanges.into_iter().filter(|exchange| cited(exchange.number));
        let exchanges = kept.collect();
        Self { exchanges, ..self }
    }
}
