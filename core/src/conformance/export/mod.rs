//! A report in the forms of other tools. What a server sent is inert in each of them.

mod junit;
mod markdown;
mod sarif;
mod suite;

use super::report::{CheckReport, CheckResult, Evidence, Report};
use super::{Outcome, Subject, SubjectKind};
use crate::finding::excerpt;
use crate::value::json_string;

/// How many characters of a URI are shown.
const MAX_NAME: usize = 400;

/// A JSON object of members that are JSON already; empty ones are left out.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .filter(|(_, json)| !json.is_empty())
        .map(|(name, json)| format!("{}:{json}", json_string(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A JSON array of elements that are JSON already.
fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// A subject for people, hidden characters escaped.
fn shown(subject: &Subject) -> String {
    match subject.kind {
        SubjectKind::Server => "the server".to_owned(),
        SubjectKind::Method => excerpt(&subject.name, MAX_NAME),
        kind => format!("{} {}", kind.word(), excerpt(&subject.name, MAX_NAME)),
    }
}

/// Everything there is to say of a piece of evidence, in one line.
fn sentence(evidence: &Evidence) -> String {
    let mut text = evidence.message.clone();
    let mut add = |what: &str, value: &Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("; {what} {value}"));
        }
    };
    add("expected", &evidence.expected);
    add("got", &evidence.actual);
    add("at", &evidence.pointer);
    add("cause:", &evidence.cause);
    add("repair:", &evidence.repair);
    if let (Some(line), Some(column)) = (evidence.line, evidence.column) {
        text.push_str(&format!("; line {line}, column {column}"));
    }
    if let Some(exchange) = evidence.exchange {
        text.push_str(&format!("; exchange {exchange}"));
    }
    if evidence.times > 1 {
        text.push_str(&format!("; seen {} times", evidence.times));
    }
    text
}

/// All that is wrong with a subject.
fn sentences(check: &CheckReport, result: &CheckResult) -> Vec<String> {
    if result.evidence.is_empty() {
        return vec![result.reason.clone().unwrap_or_else(|| check.failure.clone().into_owned())];
    }
    result.evidence.iter().map(sentence).collect()
}

/// The name of the server, for headings.
fn server(report: &Report) -> String {
    let line = &report.server;
    let name = line.address.as_ref().or(line.name.as_ref());
    name.map_or_else(|| "a server".to_owned(), |name| excerpt(name, MAX_NAME))
}

/// The results of a check that are problems.
fn problems(check: &CheckReport) -> impl Iterator<Item = &CheckResult> {
    check.results.iter().filter(|result| result.outcome >= Outcome::Warn)
}
