//! The program's `check` against the same variants: what it reports is what the runs in this process
//! report.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use skillglass::conformance::{Outcome, Report};
use skillglass::protocol::EraChoice;

use super::all_right;
use super::matrix::{Row, WORKERS, matrix, next};
use crate::server::{Server, fault_server};

#[test]
fn the_program_reports_the_same() {
    let server = Server::start(&mut fault_server()).unwrap();
    let waiting = Mutex::new(matrix().iter());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(row) = next(&waiting) {
                    let url = format!("{}/{}", server.url, row.variant.id);
                    wrong.lock().unwrap().extend(differs_on(&url, row));
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
fn differs_on(url: &str, row: &Row) -> Option<String> {
    let (era, expected) = match (row.report(EraChoice::Modern), row.report(EraChoice::Legacy)) {
        (Some(modern), _) => ("auto", modern),
        (None, Some(legacy)) => ("legacy", legacy),
        // Nobody can talk to it.
        (None, None) => return None,
    };
    differs(url, era, expected).map(|difference| format!("{}: {difference}", row.variant.id))
}

/// How the program's report on a server is another than `expected`, or its exit code.
pub(crate) fn differs(url: &str, era: &str, expected: &Report) -> Option<String> {
    let output = check(&program(), url, era);
    let text = String::from_utf8(output.stdout).unwrap();
    let Ok(report) = Report::from_json(&text) else {
        return Some(format!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    };
    let code = match report.outcome {
        _ if report.incomplete.is_some() => 2,
        Outcome::Fail => 1,
        _ => 0,
    };
    if output.status.code() != Some(code) {
        return Some(format!("ended with {}", output.status));
    }
    difference(&report, expected)
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

/// A report as JSON, wherever the server was.
fn json(report: &Report) -> String {
    let mut report = report.clone();
    report.server.address = None;
    report.to_json()
}
