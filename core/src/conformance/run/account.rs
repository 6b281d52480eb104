//! From the ledger to the report.

use super::super::checks::{CHECKS, Check, Need, Since};
use super::super::ledger::Ledger;
use super::super::plan::{Scope, Stage};
use super::super::report::{
    CheckReport, CheckResult, Counts, REPORT_VERSION, Report, ServerLine, Traffic,
};
use super::super::{Outcome, SubjectKind};
use super::facts::Origin;
use super::{Run, mark_untested};
use crate::protocol::Era;

/// Why a run leaves things untested that are still to come, or that it was stopped before.
const TO_COME: &str = "the run has not come to it yet";
const STOPPED: &str = "the run was stopped before it";

impl Run {
    /// What is known so far. Of a run that is not [done](Run::is_done), what was not asked is
    /// untested.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut ledger = self.ledger.clone();
        let queued = self.queue.iter().map(|(ask, _)| ask);
        for ask in queued.chain(self.open.iter().map(|(_, ask)| ask)) {
            mark_untested(&self.facts, &mut ledger, ask, self.not_yet());
        }
        let counts = ledger.counts();
        let checks: Vec<_> = CHECKS
            .iter()
            .enumerate()
            .map(|(number, check)| self.check(&ledger, number, check, &counts[number]))
            .collect();
        let totals = Counts::over(&checks);
        let incomplete = self.incomplete();
        let discovery = &self.connected.discovery;
        Report {
            version: REPORT_VERSION,
            tool: concat!("skillglass ", env!("CARGO_PKG_VERSION")).to_owned(),
            server: ServerLine {
                address: self.options.address.as_deref().map(without_query),
                name: discovery.name.clone(),
                version: discovery.version.clone(),
            },
            revision: self.connected.version.clone(),
            scope: match &self.scope {
                Scope::Server => None,
                Scope::Skills(uris) => Some(uris.clone()),
            },
            summary: summary(&checks, incomplete.as_deref()),
            incomplete,
            outcome: totals.gravest().unwrap_or(Outcome::NotApplicable),
            counts: totals,
            traffic: Traffic {
                calls: self.answered as u64,
                bytes: self.received,
                skills: self.facts.skills.iter().filter(|skill| !skill.unconfirmed).count() as u64,
                files: self.facts.files.iter().filter(|file| file.seen.is_some()).count() as u64,
            },
            checks,
            exchanges: self.exchanges.clone(),
        }
    }

    /// Why not everything could be looked at, if so.
    fn incomplete(&self) -> Option<String> {
        let mut reasons = self.lacks.reasons();
        if !self.connected.discovery.skills {
            reasons.push("the server does not declare the skills extension".to_owned());
        }
        if !self.is_done() {
            let why = if self.stopped { "it was stopped" } else { "it is under way" };
            reasons.push(why.to_owned());
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Why something is untested that was not asked yet.
    const fn not_yet(&self) -> &'static str {
        if self.stopped { STOPPED } else { TO_COME }
    }

    fn check(
        &self,
        ledger: &Ledger,
        number: usize,
        check: &Check,
        counts: &[usize; 5],
    ) -> CheckReport {
        let mut report = CheckReport::new(check);
        for outcome in Outcome::ALL {
            report.subjects.add(outcome, counts[outcome as usize] as u64);
        }
        for (subject, outcome, details) in ledger.told(number) {
            if outcome <= Outcome::Pass {
                continue;
            }
            report.results.push(CheckResult {
                subject: subject.clone(),
                outcome,
                reason: details.reason.clone().filter(|_| outcome == Outcome::Untested),
                evidence: details.evidence.clone(),
            });
        }
        let told = report.subjects.fail + report.subjects.warn + report.subjects.untested;
        report.omitted = told.saturating_sub(report.results.len() as u64);
        (report.outcome, report.reason) = match report.subjects.gravest() {
            // Where it does apply may not have been looked at yet.
            Some(Outcome::NotApplicable) if !self.is_done() => {
                (Outcome::Untested, Some(self.not_yet().to_owned()))
            }
            Some(Outcome::NotApplicable) => {
                (Outcome::NotApplicable, ledger.why_not_applicable(number).map(str::to_owned))
            }
            Some(Outcome::Untested) => {
                let reasons = report.results.iter().find_map(|result| result.reason.clone());
                (Outcome::Untested, reasons)
            }
            Some(outcome) => (outcome, None),
            None => {
                let (outcome, reason) = self.why_unmarked(check);
                (outcome, Some(reason))
            }
        };
        report
    }

    /// Why a check was held against nothing.
    fn why_unmarked(&self, check: &Check) -> (Outcome, String) {
        let not_applicable = |reason: &str| (Outcome::NotApplicable, reason.to_owned());
        match (check.since, self.era()) {
            (Since::Modern, Era::Legacy) => {
                return not_applicable("the rule holds from 2026-07-28 on");
            }
            (Since::LegacyOnly, Era::Modern) => {
                return not_applicable("the rule holds before 2026-07-28");
            }
            _ => {}
        }
        for need in check.needs {
            if let Some(closed) = self.closed(*need) {
                return closed;
            }
        }
        let untested = |reason: &str| (Outcome::Untested, reason.to_owned());
        if self.is_done() {
            match check.about {
                // Capabilities are judged where they are declared.
                SubjectKind::Server => not_applicable("nothing like it is declared"),
                _ => untested("no answer showed it"),
            }
        } else {
            untested(self.not_yet())
        }
    }

    /// Why what a check needs is not there, if so.
    fn closed(&self, need: Need) -> Option<(Outcome, String)> {
        let discovery = &self.connected.discovery;
        let facts = &self.facts;
        let absent = |there: bool, reason: &str| {
            (!there).then(|| (Outcome::NotApplicable, reason.to_owned()))
        };
        // What was not looked for to the end may still be there.
        let not_seen = |there: bool, reason: &str| {
            let outcome = if self.is_done() { Outcome::NotApplicable } else { Outcome::Untested };
            let reason = if self.is_done() { reason } else { self.not_yet() };
            (!there).then(|| (outcome, reason.to_owned()))
        };
        let any = |origin: &dyn Fn(Origin) -> bool| facts.skills.iter().any(|it| origin(it.origin));
        match need {
            Need::Extension => {
                absent(discovery.skills, "the server does not declare the extension")
            }
            Need::Skill | Need::Manifest if self.stage == Stage::Survey => {
                not_seen(false, self.not_yet())
            }
            Need::Skill if facts.skills.is_empty() => match self.listing_failure() {
                Some(reason) => Some((Outcome::Untested, format!("no skill is known: {reason}"))),
                None => absent(false, "no skill is known"),
            },
            Need::Skill => None,
            Need::Manifest => absent(facts.has_manifest(), "no skill lists its files"),
            Need::EmptyCursor => not_seen(facts.empty_cursor, "no page ends with the cursor \"\""),
            Need::Resources => {
                facts.resources.failed.clone().map(|reason| (Outcome::Untested, reason))
            }
            Need::DirectoryRead => absent(self.directories(), "directoryRead is not declared"),
            Need::NoDirectoryRead => absent(!self.directories(), "directoryRead is declared"),
            Need::DirectoryPages => {
                let paged = facts.directories.iter().any(|directory| directory.walk.pages > 1);
                not_seen(paged, "no directory has a second page")
            }
            Need::Subdirectory => not_seen(false, "no skill has a directory below its root"),
            Need::EmptyDirectory => {
                let empty = facts.directories.iter().any(|directory| directory.without_files);
                not_seen(empty, "no empty directory is known")
            }
            Need::Unlisted => not_seen(
                any(&|it| !matches!(it, Origin::Listed | Origin::Nested)),
                "no unlisted skill is known",
            ),
            Need::Instructions => {
                let named = any(&|it| it == Origin::Instructions);
                not_seen(named, "the instructions name no skill beside the listed ones")
            }
            Need::Nested => {
                not_seen(any(&|it| it == Origin::Nested), "no skill lies inside of another")
            }
            Need::Probes => (!self.options.provoke)
                .then(|| (Outcome::Untested, "errors were not provoked".to_owned())),
            Need::OtherEra => absent(
                self.options.other_era.is_some(),
                "nothing is known of what it declares in its other era",
            ),
        }
    }
}

/// The one sentence.
pub(in super::super) fn summary(checks: &[CheckReport], incomplete: Option<&str>) -> String {
    let totals = Counts::over(checks);
    let partly = checks.iter().filter(|check| check.outcome >= Outcome::Warn);
    let partly = partly.filter(|check| check.subjects.untested > 0).count();
    let tested = totals.fail + totals.warn + totals.pass;
    let mut parts = Vec::new();
    let mut part = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    part(totals.fail, "failed");
    part(totals.warn, if totals.warn == 1 { "warns" } else { "warn" });
    part(totals.pass, "passed");
    let mut text = format!("Of {tested} checks {}.", parts.join(", "));
    if tested == 0 {
        "Nothing could be tested.".clone_into(&mut text);
    }
    match (totals.untested, partly) {
        (0, 0) => {}
        (0, partly) => text.push_str(&format!(" {partly} of them could be tested in part only.")),
        (none, 0) => text.push_str(&format!(" {none} could not be tested.")),
        (none, partly) => text.push_str(&format!(
            " {none} could not be tested, and {partly} of the others in part only."
        )),
    }
    if let Some(reason) = incomplete {
        text.push_str(&format!(" The run is not complete: {reason}."));
    }
    text
}

/// An address without its query and without a user.
fn without_query(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    match address.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_what_may_be_secret() {
        assert_eq!(without_query("https://u:p@a.example/mcp?key=s#x"), "https://a.example/mcp");
        assert_eq!(without_query("http://a.example"), "http://a.example");
        assert_eq!(without_query("demo:good"), "demo:good");
    }

    #[test]
    fn the_summary_counts() {
        let check = |outcome| CheckReport { outcome, ..CheckReport::new(&CHECKS[0]) };
        let mut checks: Vec<_> = Outcome::ALL.into_iter().map(check).collect();
        let sums_up = |checks: &[CheckReport]| summary(checks, None);
        let tested = "Of 3 checks 1 failed, 1 warns, 1 passed.";
        assert_eq!(sums_up(&checks), format!("{tested} 1 could not be tested."));
        checks[0].subjects.untested = 7;
        let in_part = "1 could not be tested, and 1 of the others in part only.";
        assert_eq!(sums_up(&checks), format!("{tested} {in_part}"));
        checks.remove(2);
        assert_eq!(sums_up(&checks), format!("{tested} 1 of them could be tested in part only."));
        assert_eq!(sums_up(&[]), "Nothing could be tested.");
    }
}
