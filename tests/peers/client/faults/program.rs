//! The program's `check` against the same variants: what it reports is what the runs in this process
//! report.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use skillglass::conformance::{Outcome, Report};
use skillglass::protocol::EraChoice;

use super::all_right;
use super::matrix::{ERAS, Row, WORKERS, matrix, next};
use crate::conversation::Conversation;
use crate::server::{Server, fault_server, node};

#[test]
fn the_program_reports_the_same() {
    let program = program();
    let server = Server::start(&mut fault_server()).unwrap();
    let waiting = Mutex::new(matrix().iter());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(row) = next(&waiting) {
                    let url = format!("{}/{}", server.url, row.variant.id);
                    wrong.lock().unwrap().extend(differs(&program, &url, row));
                }
            });
        }
    });
    all_right(wrong.into_inner().unwrap());
}

/// The built program, beside which this test lies.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(|folder| folder.parent()).unwrap().join("skillglass");
    assert!(program.is_file(), "it is built by: cargo build -p skillglass-cli");
    program
}

/// What is not the same in the program's report on a variant.
fn differs(program: &PathBuf, url: &str, row: &Row) -> Option<String> {
    let era = row.report(EraChoice::Modern).map_or("legacy", |_| "auto");
    let output = check(program, url, era);
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let id = &row.variant.id;
    if text.is_empty() {
        let is_spoken = ERAS.into_iter().any(|era| row.report(era).is_some());
        return is_spoken.then(|| format!("{id}: no report: {said}"));
    }
    let report = Report::from_json(&text).unwrap();
    let era = if report.revision.as_str() < "2026" { EraChoice::Legacy } else { EraChoice::Modern };
    let expected = row.report(era)?;
    let code = match report.outcome {
        _ if report.incomplete.is_some() => 2,
        Outcome::Fail => 1,
        _ => 0,
    };
    if output.status.code() != Some(code) {
        return Some(format!("{id}: ended with {}", output.status));
    }
    difference(&report, expected).map(|difference| format!("{id}: {difference}"))
}

/// What the program says of a server. It asks one question at a time, as is done here, so that they
/// have the same numbers; who is asked in vain for the newer era counts that question, too.
fn check(program: &PathBuf, url: &str, era: &str) -> Output {
    let settings = ["--era", era, "--format", "json", "--parallel", "1", "--timeout", "1"];
    Command::new(program).args(["check", url]).args(settings).output().unwrap()
}

/// The first line in which two reports differ.
fn difference(ours: &Report, theirs: &Report) -> Option<String> {
    let (ours, theirs) = (json(ours), json(theirs));
    let line = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
    line.map(|(ours, theirs)| format!("{ours}\n  instead of {theirs}"))
}

#[test]
fn the_program_reports_the_same_of_the_official_typescript_sdk() {
    for set_up in ["both", "stream", "sessions"] {
        let server = Server::start(&mut node("typescript-2.mjs", set_up)).unwrap();
        let expected = Conversation::open(&server.url, EraChoice::Auto).unwrap().judge();
        let output = check(&program(), &server.url, "auto");
        assert_eq!(output.status.code(), Some(0), "{set_up}");
        let report = Report::from_json(&String::from_utf8(output.stdout).unwrap()).unwrap();
        assert_eq!(difference(&report, &expected), None, "{set_up}");
    }
}

/// A report as JSON, wherever the server was.
fn json(report: &Report) -> String {
    let mut report = report.clone();
    report.server.address = None;
    report.to_json()
}
