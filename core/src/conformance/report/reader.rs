//! Reads a report back from its JSON.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::{
    CheckReport, CheckResult, Counts, Evidence, Exchange, REPORT_VERSION, Report, ReportError,
    SectionLine, ServerLine, Traffic,
};
use crate::conformance::{Outcome, Subject, SubjectKind};
use crate::finding::Level;
use crate::json;
use crate::value::{Node, Value};

/// Reads `text`, or says what is wrong first.
pub(super) fn read(text: &str) -> Result<Report, ReportError> {
    let document = json::read(text).map_err(|error| ReportError::new(error.to_string()))?;
    let wrong = OnceCell::new();
    let root = Reader { name: "", node: Some(&document.root), wrong: &wrong };
    let version = root.get("version").count();
    if version != REPORT_VERSION {
        root.wrong(|| format!("its version is {version}, not {REPORT_VERSION}"));
    }
    let report = root.report(version);
    wrong.into_inner().map_or(Ok(report), |what| Err(ReportError::new(what)))
}

/// A value of a report. One that is missing or of another form is noted and read as if it were empty,
/// so that no reader of an object needs a way out at every member.
#[derive(Clone, Copy)]
struct Reader<'n> {
    name: &'n str,
    node: Option<&'n Node<'n>>,
    wrong: &'n OnceCell<String>,
}

impl<'n> Reader<'n> {
    fn wrong(self, what: impl FnOnce() -> String) {
        self.wrong.get_or_init(what);
    }

    fn get(self, name: &'n str) -> Self {
        let node = self.node.and_then(|node| node.get(name));
        if node.is_none() {
            self.wrong(|| format!("{name} is missing"));
        }
        Self { name, node, ..self }
    }

    /// What was read of it, else a value that stands in for it.
    fn or<T>(self, instead: T, read: Option<T>) -> T {
        if read.is_none() {
            self.wrong(|| format!("{} has another form", self.name));
        }
        read.unwrap_or(instead)
    }

    fn str(self) -> &'n str {
        self.or("", self.node.and_then(Node::as_str))
    }

    fn text(self) -> String {
        self.str().to_owned()
    }

    fn count(self) -> u64 {
        self.or(0, self.node.and_then(Node::as_count))
    }

    /// Itself, unless it is null.
    fn given(self) -> Option<Self> {
        let is_null = self.node.is_some_and(|node| node.value == Value::Null);
        (!is_null).then_some(self)
    }

    fn list<T>(self, read: fn(Self) -> T) -> Vec<T> {
        let items = self.or(&[][..], self.node.and_then(Node::as_array));
        items.iter().map(|item| read(Self { node: Some(item), ..self })).collect()
    }

    fn owned(self) -> Cow<'static, str> {
        Cow::Owned(self.text())
    }

    fn outcome(self) -> Outcome {
        let word = self.str();
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.word() == word);
        self.or(Outcome::Untested, outcome)
    }

    fn level(self) -> Level {
        let level = match self.str() {
            "must" => Some(Level::Must),
            "should" => Some(Level::Should),
            "note" => Some(Level::Note),
            _ => None,
        };
        self.or(Level::Note, level)
    }

    fn counts(self) -> Counts {
        Counts {
            fail: self.get("fail").count(),
            warn: self.get("warn").count(),
            untested: self.get("untested").count(),
            pass: self.get("pass").count(),
            not_applicable: self.get("notApplicable").count(),
        }
    }

    fn subject(self) -> Subject {
        let (kind, word) = (self.get("kind"), self.get("kind").str());
        let known = SubjectKind::ALL.into_iter().find(|known| known.word() == word);
        Subject { kind: kind.or(SubjectKind::Server, known), name: self.get("name").text() }
    }

    fn check(self) -> CheckReport {
        let section = self.get("section");
        CheckReport {
            id: self.get("id").owned(),
            suite_id: self.get("suiteId").given().map(Self::text),
            level: self.get("level").level(),
            title: self.get("title").owned(),
            failure: self.get("failure").owned(),
            why: self.get("why").owned(),
            repair: self.get("repair").owned(),
            section: SectionLine {
                title: section.get("title").owned(),
                url: section.get("url").owned(),
            },
            outcome: self.get("outcome").outcome(),
            reason: self.get("reason").given().map(Self::text),
            subjects: self.get("subjects").counts(),
            results: self.get("results").list(Self::result),
            omitted: self.get("omitted").count(),
        }
    }

    fn result(self) -> CheckResult {
        CheckResult {
            subject: self.get("subject").subject(),
            outcome: self.get("outcome").outcome(),
            reason: self.get("reason").given().map(Self::text),
            evidence: self.get("evidence").list(Self::evidence),
        }
    }

    fn evidence(self) -> Evidence {
        Evidence {
            message: self.get("message").text(),
            pointer: self.get("pointer").given().map(Self::text),
            line: self.get("line").given().map(Self::count),
            column: self.get("column").given().map(Self::count),
            expected: self.get("expected").given().map(Self::text),
            actual: self.get("actual").given().map(Self::text),
            cause: self.get("cause").given().map(Self::text),
            repair: self.get("repair").given().map(Self::text),
            exchange: self.get("exchange").given().map(Self::count),
            times: self.get("times").count(),
        }
    }

    fn exchange(self) -> Exchange {
        Exchange {
            number: self.get("number").count(),
            method: self.get("method").text(),
            asked: self.get("asked").given().map(Self::text),
            status: self.get("status").given().map(Self::count),
            bytes: self.get("bytes").count(),
            excerpt: self.get("excerpt").given().map(Self::text),
        }
    }

    fn report(self, version: u64) -> Report {
        let (server, traffic) = (self.get("server"), self.get("traffic"));
        Report {
            version,
            tool: self.get("tool").text(),
            server: ServerLine {
                address: server.get("address").given().map(Self::text),
                name: server.get("name").given().map(Self::text),
                version: server.get("version").given().map(Self::text),
            },
            revision: self.get("revision").text(),
            scope: self.get("scope").given().map(|scope| scope.list(Self::text)),
            incomplete: self.get("incomplete").given().map(Self::text),
            outcome: self.get("outcome").outcome(),
            summary: self.get("summary").text(),
            counts: self.get("counts").counts(),
            traffic: Traffic {
                calls: traffic.get("calls").count(),
                bytes: traffic.get("bytes").count(),
                skills: traffic.get("skills").count(),
                files: traffic.get("files").count(),
            },
            checks: self.get("checks").list(Self::check),
            exchanges: self.get("exchanges").list(Self::exchange),
        }
    }
}
