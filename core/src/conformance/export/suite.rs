//! The report in the shape of the official suite's `checks.json`.

use super::super::Outcome;
use super::super::report::{CheckReport, Report};
use super::{array, object, sentences, shown};
use crate::value::json_string;

/// How many problems of a check are told.
const MAX_TOLD: usize = 20;

impl Report {
    /// The checks in the shape of the official suite's `checks.json`, so that the two can be laid
    /// side by side. Ids that the suite does not have begin with `skillglass-`.
    ///
    /// `timestamp` is the time of the run in ISO 8601, which the suite puts beside each check.
    #[must_use]
    pub fn suite_checks(&self, timestamp: &str) -> String {
        array(self.checks.iter().map(|check| one(check, timestamp)))
    }
}

fn one(check: &CheckReport, timestamp: &str) -> String {
    let own = || format!("skillglass-{}", check.id);
    let id = check.suite_id.clone().unwrap_or_else(own);
    let status = match check.outcome {
        Outcome::Pass => "SUCCESS",
        Outcome::Fail => "FAILURE",
        Outcome::Warn => "WARNING",
        Outcome::Untested | Outcome::NotApplicable => "SKIPPED",
    };
    let told = check.results.iter().flat_map(|result| {
        let subject = shown(&result.subject);
        sentences(check, result).into_iter().map(move |line| format!("{subject}: {line}"))
    });
    let told: Vec<_> = told.take(MAX_TOLD).collect();
    let error = match check.outcome {
        Outcome::Fail | Outcome::Warn => json_string(&told.join("\n")),
        _ => String::new(),
    };
    let reason = check.reason.as_deref().map_or_else(String::new, json_string);
    let reference = object(&[
        ("id", json_string(&check.section.title)),
        ("url", json_string(&check.section.url)),
    ]);
    let subjects =
        Outcome::ALL.map(|outcome| (outcome.word(), check.subjects.of(outcome).to_string()));
    object(&[
        ("id", json_string(&id)),
        ("name", json_string(check.heading())),
        ("description", json_string(&check.title)),
        ("status", json_string(status)),
        ("timestamp", json_string(timestamp)),
        ("specReferences", array([reference])),
        ("details", object(&[("subjects", object(&subjects)), ("reason", reason)])),
        ("errorMessage", error),
    ])
}
