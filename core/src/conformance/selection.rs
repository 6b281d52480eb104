//! Reports on some of the checks only.

use super::report::{Counts, Report};
use super::run::summary;
use super::{CheckReport, Outcome};

impl Report {
    /// The report as if there were no other checks than those that `wanted` says yes to.
    ///
    /// ```
    /// use skillglass::conformance::{Report, Run, Options, Scope};
    /// use skillglass::protocol::{Connected, Era, results::read_discovery};
    /// let discovery = read_discovery(&skillglass::json::read("{}").unwrap().root);
    /// let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
    /// let report = Run::new(&connected, Scope::Server, Options::default()).report();
    /// let selected = report.select(|check| check.id.starts_with("digest-"));
    /// assert!(selected.checks.iter().all(|check| check.id.starts_with("digest-")));
    /// assert_eq!(selected.counts.fail, 0);
    /// ```
    #[must_use]
    pub fn select(mut self, wanted: impl Fn(&CheckReport) -> bool) -> Self {
        self.checks.retain(wanted);
        self.counts = Counts::default();
        for check in &self.checks {
            self.counts.add(check.outcome, 1);
        }
        self.outcome = self.counts.gravest().unwrap_or(Outcome::NotApplicable);
        self.summary = summary(&self.counts, self.incomplete.as_deref());
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
