//! The report as SARIF 2.1.0, which code scanning shows.

use super::super::report::{CheckReport, CheckResult, Evidence, Report};
use super::super::{Outcome, Subject, SubjectKind};
use super::{array, object, problems, sentence, shown};
use crate::digest::Digest;
use crate::finding::Level;
use crate::value::json_string;

impl Report {
    /// The report as SARIF 2.1.0: a rule for each check, a result for each problem. What was not
    /// tested is a notification, so that no reader takes it for a result.
    #[must_use]
    pub fn sarif(&self) -> String {
        let checks = self.checks.iter().enumerate();
        let results = checks.flat_map(|(index, check)| results(index, check));
        let (name, version) = self.tool.split_once(' ').unwrap_or((&self.tool, ""));
        let driver = object(&[
            ("name", json_string(name)),
            ("version", json_string(version)),
            ("rules", array(self.checks.iter().map(rule))),
        ]);
        let untested = self.checks.iter().filter(|check| check.outcome == Outcome::Untested);
        let invocation = object(&[
            ("executionSuccessful", self.incomplete.is_none().to_string()),
            ("toolExecutionNotifications", array(untested.map(notification))),
        ]);
        let run = object(&[
            ("tool", object(&[("driver", driver)])),
            ("columnKind", json_string("utf16CodeUnits")),
            ("invocations", array([invocation])),
            ("results", array(results)),
        ]);
        object(&[
            ("$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json")),
            ("version", json_string("2.1.0")),
            ("runs", array([run])),
        ])
    }
}

fn text(text: &str) -> String {
    object(&[("text", json_string(text))])
}

fn rule(check: &CheckReport) -> String {
    let level = match check.level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::Note => "note",
    };
    object(&[
        ("id", json_string(&check.id)),
        ("shortDescription", text(&check.title)),
        ("fullDescription", text(&format!("{}. {}", check.failure, check.why))),
        ("help", text(&check.repair)),
        ("helpUri", json_string(&check.section.url)),
        ("defaultConfiguration", object(&[("level", json_string(level))])),
    ])
}

fn notification(check: &CheckReport) -> String {
    let reason = check.reason.as_deref().unwrap_or_default();
    object(&[
        ("associatedRule", object(&[("id", json_string(&check.id))])),
        ("level", json_string("note")),
        ("message", text(&format!("{} was not tested: {reason}", check.id))),
    ])
}

fn results(index: usize, check: &CheckReport) -> Vec<String> {
    let of_result = |result: &CheckResult| {
        let lines = result.evidence.iter().map(|evidence| (sentence(evidence), Some(evidence)));
        let mut lines: Vec<_> = lines.collect();
        if lines.is_empty() {
            lines.push((check.failure.clone().into_owned(), None));
        }
        let one = |(message, evidence): (String, Option<&Evidence>)| {
            finding(index, check, result, &message, evidence)
        };
        lines.into_iter().map(one).collect::<Vec<_>>()
    };
    problems(check).flat_map(of_result).collect()
}

fn finding(
    index: usize,
    check: &CheckReport,
    result: &CheckResult,
    message: &str,
    evidence: Option<&Evidence>,
) -> String {
    let level = if result.outcome == Outcome::Fail { "error" } else { "warning" };
    let shown = shown(&result.subject);
    // A later report about the same thing has the same mark, whatever else it says.
    let said = evidence.map_or("", |evidence| &evidence.message);
    let mark =
        format!("{}\n{}\n{}\n{said}", check.id, result.subject.kind.word(), result.subject.name);
    let mark = Digest::of(mark.as_bytes()).hex();
    object(&[
        ("ruleId", json_string(&check.id)),
        ("ruleIndex", index.to_string()),
        ("level", json_string(level)),
        ("message", text(&format!("{shown}: {message}"))),
        ("locations", array([location(&result.subject, evidence)])),
        ("partialFingerprints", object(&[("skillglass/v1", json_string(&mark))])),
    ])
}

fn location(subject: &Subject, evidence: Option<&Evidence>) -> String {
    let place = evidence.and_then(|evidence| Some((evidence.line?, evidence.column?)));
    let region = place.map_or_else(String::new, |(line, column)| {
        object(&[("startLine", line.to_string()), ("startColumn", column.to_string())])
    });
    let has_uri = !matches!(subject.kind, SubjectKind::Server | SubjectKind::Method);
    let physical = if has_uri {
        let artifact = object(&[("uri", json_string(&uri_reference(&subject.name)))]);
        object(&[("artifactLocation", artifact), ("region", region)])
    } else {
        String::new()
    };
    let pointer = evidence.and_then(|evidence| evidence.pointer.as_deref()).unwrap_or_default();
    let name = format!("{}{pointer}", shown(subject));
    let logical = object(&[("fullyQualifiedName", json_string(&name))]);
    object(&[("physicalLocation", physical), ("logicalLocations", array([logical]))])
}

/// A URI with everything percent-encoded that a URI cannot hold.
fn uri_reference(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let is_escape = |at: usize| {
        bytes.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    };
    let mut out = String::with_capacity(uri.len());
    for (at, &byte) in bytes.iter().enumerate() {
        let plain = byte.is_ascii_alphanumeric()
            || b"-._~:/?#@!$&'()*+,;=".contains(&byte)
            || (byte == b'%' && is_escape(at));
        if plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_uris() {
        assert_eq!(uri_reference("skill://a/b%20c.md"), "skill://a/b%20c.md");
        assert_eq!(uri_reference("skill://a/é b\"%x"), "skill://a/%C3%A9%20b%22%25x");
    }
}
