//! Conformance runs: whatever is answered, they end, and their report is one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::conformance::{Options, Outcome, Received, Report, Run, Scope};
use skillglass::json;
use skillglass::protocol::results::read_discovery;
use skillglass::protocol::{Connected, Era, Reply};

const DECLARATION: &str = r#"{"capabilities":{"resources":{},
    "extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}}}"#;

fuzz_target!(|input: (bool, Vec<(u16, String)>)| {
    let (legacy, answers) = input;
    if answers.is_empty() {
        return;
    }
    let connected = Connected {
        discovery: read_discovery(&json::read(DECLARATION).unwrap().root),
        era: if legacy { Era::Legacy } else { Era::Modern },
        version: "2026-07-28".into(),
    };
    let options = Options { max_calls: 300, twice: true, ..Options::default() };
    let mut run = Run::new(&connected, Scope::Server, options);
    let mut answers = answers.iter().cycle();
    while let Some(step) = run.next_step() {
        let (status, result) = answers.next().unwrap();
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let status = 200 + status % 300;
        run.receive(step.id, Received::Answered(Ok(Reply { status, text, id: None, flaw: None })));
    }
    assert!(run.is_done());
    let report = run.report();
    assert_eq!(Report::from_json(&report.to_json()), Ok(report.clone()));
    assert!(report.outcome != Outcome::Pass || report.counts.untested == 0);
    let _ = (report.markdown(), report.junit(), report.sarif(), report.suite_checks(""));
});
