//! The core's conformance run against a server that breaks one rule at a time, and against honest
//! ones. What it finds is held against what each fault is for, and against what the official suite
//! finds, which `tests/suite` has written down.

mod matrix;
pub(crate) mod program;
mod table;
mod variants;

use std::collections::BTreeSet;

use skillglass::conformance::{CHECKS, Check, Outcome, Report, Since};
use skillglass::protocol::EraChoice;

use crate::conversation::Conversation;
use crate::server::{Server, demo, node};
use matrix::{ERAS, Row, matrix};
use variants::Found;

/// The ids of the checks with this outcome.
fn ids(report: &Report, outcome: Outcome) -> BTreeSet<&str> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    checks.map(|check| &*check.id).collect()
}

/// Every case of the matrix: a variant's row, an era and the report on it.
fn cases() -> impl Iterator<Item = (&'static Row, EraChoice, &'static Report)> {
    matrix()
        .iter()
        .flat_map(|row| ERAS.into_iter().filter_map(move |era| Some((row, era, row.report(era)?))))
}

/// Collects what is wrong over all cases, so that one run shows everything.
fn all_right(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn holds_in(era: EraChoice, id: &str) -> bool {
    let check = Check::find(id).unwrap_or_else(|| panic!("there is no check {id}"));
    match check.since {
        Since::Always => true,
        Since::Modern => era == EraChoice::Modern,
        Since::LegacyOnly => era == EraChoice::Legacy,
    }
}

#[test]
fn each_fault_is_found_by_its_checks() {
    all_right(cases().flat_map(|(row, era, report)| {
        [Outcome::Fail, Outcome::Warn].into_iter().flat_map(move |outcome| {
            let wanted =
                row.variant.wanted(outcome, era).iter().filter(move |id| holds_in(era, id));
            wanted.filter_map(move |id| {
                let check = report.check(id)?;
                let (came, why) = (check.outcome, check.reason.as_deref().unwrap_or_default());
                let wrong = came != outcome;
                wrong.then(|| format!("{} ({era:?}): {id} is {came:?} {why}", row.variant.id))
            })
        })
    }));
}

#[test]
fn nothing_is_found_but_the_fault_and_what_follows() {
    all_right(cases().flat_map(|(row, era, report)| {
        let found = report.checks.iter().filter(|check| {
            check.outcome >= Outcome::Warn && !row.variant.explains(check.outcome, &check.id)
        });
        found.map(move |check| {
            let first = check.results.first().and_then(|result| result.evidence.first());
            let message = first.map_or("", |evidence| evidence.message.as_str());
            format!("{} ({era:?}): {}: {message}", row.variant.id, check.id)
        })
    }));
}

#[test]
fn every_check_has_a_fault() {
    let named: BTreeSet<_> = matrix()
        .iter()
        .flat_map(|row| row.variant.breaks.iter().chain(&row.variant.warns))
        .map(String::as_str)
        .collect();
    all_right(
        CHECKS.iter().map(|check| check.id).filter(|id| !named.contains(id)).map(str::to_owned),
    );
}

#[test]
fn the_honest_server_leaves_nothing_open() {
    let honest = &matrix()[0];
    for era in ERAS {
        let report = honest.report(era).expect("it speaks both eras");
        assert_eq!(ids(report, Outcome::Untested), BTreeSet::new(), "{era:?}");
        assert_eq!((report.traffic.skills, report.traffic.files), (8, 23), "{era:?}");
    }
}

/// A server that is out of order today is not judged: nothing fails, and nothing passes unseen.
#[test]
fn a_server_in_trouble_is_untested() {
    for row in matrix().iter().filter(|row| row.variant.id.ends_with("-503")) {
        for era in ERAS {
            let report = row.report(era).expect("the handshake is answered");
            assert_eq!(report.outcome, Outcome::Untested, "{} ({era:?})", row.variant.id);
            assert!(report.counts.untested > 0);
        }
    }
}

#[test]
fn where_the_official_suite_fails_so_does_the_core() {
    all_right(cases().flat_map(|(row, era, report)| {
        let Found { fails, warns } = row.suite.of(era);
        let least = |id: &str, least: Outcome| {
            report.checks.iter().any(|check| {
                check.is_official()
                    && check.suite_id.as_deref() == Some(id)
                    && check.outcome >= least
            })
        };
        let missed = |ids: &'static [String], outcome| {
            ids.iter().filter(move |id| !row.variant.is_lenient(id) && !least(id, outcome))
        };
        let missed = missed(fails, Outcome::Fail).chain(missed(warns, Outcome::Warn));
        missed.map(move |id| format!("{} ({era:?}): {id}", row.variant.id))
    }));
}

#[test]
fn the_demonstrations_are_what_they_say() {
    for (name, expected) in [("good", Outcome::Warn), ("broken", Outcome::Fail)] {
        let server = Server::start(&mut demo(name)).unwrap();
        let report = Conversation::open(&server.url, EraChoice::Modern).unwrap().judge();
        assert_eq!(report.outcome, expected, "{name}: {}", report.summary);
    }
}

#[test]
fn the_skills_of_the_official_typescript_sdk_fail_nothing() {
    for (set_up, era) in [
        ("both", EraChoice::Modern),
        ("both", EraChoice::Legacy),
        ("stream", EraChoice::Modern),
        ("sessions", EraChoice::Legacy),
    ] {
        let server = Server::start(&mut node("typescript-2.mjs", set_up)).unwrap();
        let report = Conversation::open(&server.url, era).unwrap().judge();
        assert_eq!(ids(&report, Outcome::Fail), BTreeSet::new(), "{set_up}");
        assert_eq!(ids(&report, Outcome::Untested), BTreeSet::new(), "{set_up}");
    }
}

#[test]
fn the_table_of_faults_is_up_to_date() {
    let page = table::page(matrix());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(table::FILE, &page).unwrap();
    }
    let committed = std::fs::read_to_string(table::FILE).unwrap_or_default();
    assert!(committed == page, "run: UPDATE_DOCS=1 cargo test -p skillglass-peers faults");
}
