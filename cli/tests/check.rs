//! `check`: the report in every form, what is in it, and the exit codes.

use std::fs;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use skillglass::conformance::{Options, Outcome, Received, Report, Run as ConformanceRun, Scope};
use skillglass::protocol::results::read_discovery;
use skillglass::protocol::{Call, Client, Connected, Era, ReplyReader};
use skillglass::server::SkillServer;

use crate::run::{Run, command, finished, run};
use crate::server::{Server, broken_off, demo, endless, method, reply, respond, unfinished};

const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills");

fn check(server: &str, more: &[&str]) -> Run {
    run(&[&["check", server], more].concat())
}

/// The report of a run that must have ended with `code`.
fn report(server: &str, more: &[&str], code: i32) -> Report {
    let run = check(server, &[&["--format", "json"], more].concat());
    Report::from_json(run_output(&run, code)).expect("a report")
}

fn run_output(run: &Run, code: i32) -> &str {
    assert_eq!(run.code, Some(code), "{}\n{}", run.stdout, run.stderr);
    &run.stdout
}

/// The ids of the checks with this outcome.
fn ids(report: &Report, outcome: Outcome) -> Vec<&str> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    checks.map(|check| &*check.id).collect()
}

/// What the core says of a server, asked in this process.
fn by_the_core(server: &SkillServer) -> Report {
    let mut client = Client::new("http://localhost/").expect("an address");
    let mut ask = |call: &Call, limits| {
        let request = client.request(call).expect("a request");
        let reply = server.answer(&request);
        let kind = reply.content_type.as_deref();
        let mut reader = ReplyReader::new(request.id, reply.status, kind, limits);
        reader.push(&reply.body).and_then(|_| reader.finish())
    };
    let discovery = ask(&Call::Discover, Default::default()).expect("a reply");
    let message = discovery.message().expect("a message");
    let discovery = read_discovery(message.outcome().expect("a result"));
    let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
    let mut run = ConformanceRun::new(&connected, Scope::Server, Options::default());
    while let Some(step) = run.next_step() {
        run.receive(step.id, Received::Answered(ask(&step.call, step.limits)));
    }
    run.report()
}

/// What a report says, whatever order the answers came in and wherever the server was.
fn said(mut report: Report) -> Report {
    report.server.address = None;
    report.traffic.bytes = 0;
    report.exchanges.clear();
    for check in &mut report.checks {
        for result in &mut check.results {
            result.evidence.iter_mut().for_each(|evidence| evidence.exchange = None);
        }
    }
    report
}

#[test]
fn the_program_says_what_the_core_says() {
    for (name, code) in [("good", 0), ("broken", 1)] {
        let expected = said(by_the_core(&demo(name)));
        assert_eq!(said(report(&format!("demo:{name}"), &[], code)), expected, "{name}");
        let server = Server::of(demo(name));
        assert_eq!(said(report(&server.url, &["--era", "modern"], code)), expected, "{name}");
    }
}

#[test]
fn the_exit_code_follows_how_the_rule_is_worded() {
    let good = check("demo:good", &[]);
    assert!(good.ended(0).contains("WARN  ") && good.stdout.contains("names-should-be-unique"));
    check("demo:good", &["--fail-on", "should"]).ended(1);
    let skipped = ["--fail-on", "should", "--skip", "names-should-be-unique"];
    check("demo:good", &skipped).ended(0);
    check("demo:good", &["--skip", "*"]).ended(2);
    check("demo:broken", &["--only", "capability-*"]).ended(0);
    check("demo:broken", &["--only", "sep-2640-entry-resources-required"]).ended(1);
    assert!(check("demo:good", &["--only", "no-such-check"]).failed(2).contains("no-such-check"));
}

#[test]
fn a_person_sees_what_is_wrong_where_and_how_to_mend_it() {
    let result = check("demo:broken", &[]);
    let text = result.ended(1);
    for part in [
        "FAIL  ",
        "skill://upper-case-digest/SKILL.md",
        "the hexadecimal digits must be lower case",
        "mend ",
        "https://",
        "not applicable",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.trim_end().lines().last().is_some_and(|line| line.starts_with("Of ")), "{text}");
    assert!(!text.contains('\u{1b}'), "there is no terminal to show colours");
}

#[test]
fn skills_can_be_checked_before_they_are_served() {
    let good = report(&format!("{SKILLS}/good"), &[], 0);
    assert_eq!((good.traffic.skills, ids(&good, Outcome::Fail).len()), (10, 0));
    let broken = report(&format!("{SKILLS}/broken"), &[], 1);
    let failed = ids(&broken, Outcome::Fail);
    assert!(failed.contains(&"entry-uri-matches-frontmatter-name"), "{failed:?}");
}

#[test]
fn one_skill_can_be_looked_at() {
    let one = report(
        "demo:broken",
        &["--skill", "get-differs", "--skill", "skill://big-number/SKILL.md"],
        1,
    );
    let scope = ["skill://get-differs/SKILL.md", "skill://big-number/SKILL.md"].map(str::to_owned);
    assert_eq!(one.scope.as_deref(), Some(&scope[..]));
    assert_eq!(one.traffic.files, 3);
    assert!(check("demo:good", &["--skill", "nonsense"]).failed(2).contains("lists no skill"));
}

#[test]
fn other_tools_get_their_own_forms() {
    let form = |name: &str| check("demo:broken", &["--format", name]).ended(1).to_owned();
    assert!(form("junit").starts_with("<?xml") && form("markdown").contains("# "));
    let sarif: serde_json::Value = serde_json::from_str(&form("sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let suite: serde_json::Value = serde_json::from_str(&form("suite")).expect("JSON");
    let statuses = suite.as_array().expect("an array").iter();
    assert!(statuses.clone().any(|check| check["status"] == "FAILURE"));
    assert!(
        statuses
            .clone()
            .all(|check| check["timestamp"].as_str().is_some_and(|at| at.ends_with('Z')))
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.txt");
    let written = check("demo:broken", &["-o", file.to_str().expect("text")]);
    assert_eq!(written.ended(1), "");
    assert!(
        written.stderr.contains("Of ")
            && fs::read_to_string(file).expect("a file").contains("FAIL")
    );
}

#[test]
fn what_was_wrong_before_does_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("before.json");
    let file = file.to_str().expect("text");
    check("demo:broken", &["--format", "json", "-o", file]).ended(1);
    let same = check("demo:broken", &["--baseline", file]);
    assert!(same.ended(0).contains("as before "), "{}", same.stdout);
    let good = check("demo:good", &["--format", "json", "-o", file]);
    good.ended(0);
    assert!(check("demo:broken", &["--baseline", file]).ended(1).contains("new "));
    fs::write(file, "{}").expect("a file");
    assert!(check("demo:good", &["--baseline", file]).failed(2).contains("cannot be compared"));
}

#[test]
fn what_could_not_be_looked_at_is_no_pass() {
    let limited = check("demo:good", &["--max-requests", "6", "--format", "json"]);
    let report = Report::from_json(run_output(&limited, 2)).expect("a report");
    assert!(report.counts.untested > 0 && limited.stderr.contains("limit of 6 calls"));
    // It ends for good after twenty answers.
    let (good, answers) = (demo("good"), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&answers);
    let server = Server::start(move |request| {
        if counted.fetch_add(1, Ordering::SeqCst) < 20 {
            return reply(good.answer(request));
        }
        broken_off()
    });
    let broken = check(&server.url, &["--era", "modern"]);
    assert!(run_output(&broken, 2).contains("untested"), "{}", broken.stdout);
    assert!(answers.load(Ordering::SeqCst) < 50, "a server that is gone is not asked for ever");
    // No file of it can be read, which is nobody's fault and no pass.
    for (way, reason) in
        [("breaks off", "resources/read calls failed"), ("has no end", "is longer than")]
    {
        let good = demo("good");
        let unread = Server::start(move |request| match (method(request).as_deref(), way) {
            (Some("resources/read"), "breaks off") => {
                respond(200, &[("content-type", "application/json"), ("content-length", "9")], "{")
            }
            (Some("resources/read"), _) => {
                respond(200, &[("content-type", "application/json")], endless(&[b' '; 65_536]))
            }
            _ => reply(good.answer(request)),
        });
        let run = check(&unread.url, &["--era", "modern", "--no-probes", "--format", "json"]);
        let report = Report::from_json(run_output(&run, 2)).expect("a report");
        assert_eq!(ids(&report, Outcome::Fail).len(), 0, "{way}");
        assert!(report.incomplete.is_some_and(|why| why.contains(reason)), "{way}");
        assert!(run.stderr.contains("no pass"), "{}", run.stderr);
    }
    let none = Server::start(|request| {
        let document = skillglass::json::read(&request.body).expect("JSON");
        let id = document.root.get("id").map(|id| id.to_json()).unwrap_or_default();
        let result =
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        respond(200, &[("content-type", "application/json")], body)
    });
    let ended = check(&none.url, &[]);
    assert!(ended.stderr.contains("does not declare"), "{}", ended.stderr);
    let first = run_output(&ended, 2).split("\n\n").nth(1).expect("a paragraph");
    assert!(first.contains("does not declare the skills extension"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("content-digest-match"), "{}", ended.stdout);
    assert!(run_output(&check(&none.url, &["-v"]), 2).contains("content-digest-match"));
}

#[cfg(unix)]
#[test]
fn what_is_known_when_somebody_ends_it_is_told() {
    use rustix::process::{Pid, Signal, kill_process};
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") => {
            respond(200, &[("content-type", "application/json")], unfinished("{"))
        }
        _ => reply(good.answer(request)),
    });
    let words = ["check", &server.url, "--era", "modern", "--no-probes", "--format", "json"];
    let mut command = command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it is built");
    while server.count("resources/read") == 0 {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let ended = finished(child.wait_with_output().expect("it ends"));
    let report = Report::from_json(ended.ended(2)).expect("a report");
    assert!(ids(&report, Outcome::Pass).contains(&"skills-list-implemented"));
    assert!(ids(&report, Outcome::Untested).contains(&"content-digest-match"));
    assert_eq!(report.incomplete.as_deref(), Some("it was stopped"));
}

#[test]
fn what_could_not_be_judged_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("huge")).expect("a folder");
    let long = "x".repeat(66_000);
    let text =
        format!("---\nname: huge\ndescription: Made for a test.\nmetadata:\n  a: {long}\n---\n");
    fs::write(folder.path().join("huge/SKILL.md"), text).expect("a file");
    let result = check(folder.path().to_str().expect("text"), &[]);
    let told = result.ended(2).split_once("untested").expect("something is").1;
    assert!(told.contains("65536 bytes") && told.contains("skill://huge/SKILL.md"), "{told}");
}

#[test]
fn both_eras_are_asked_what_they_declare() {
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("initialize") => {
            let document = skillglass::json::read(&request.body).expect("JSON");
            let id = document.root.get("id").map(|id| id.to_json()).unwrap_or_default();
            let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}"#;
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            respond(200, &[("content-type", "application/json")], body)
        }
        _ => reply(good.answer_http(request)),
    });
    let warned = |more: &[&str]| {
        let report = report(&server.url, more, 0);
        ids(&report, Outcome::Warn).contains(&"capability-same-on-both-wires")
    };
    assert!(warned(&[]) && !warned(&["--era", "modern"]));
}

#[test]
fn a_program_is_checked_too() {
    let program = env!("CARGO_BIN_EXE_skillglass");
    for era in ["modern", "legacy"] {
        let folder = format!("{SKILLS}/good");
        let words = ["--format", "json", "--era", era, "--", program, "serve", &folder, "--stdio"];
        let run = run(&[&["check"], &words[..]].concat());
        let report = Report::from_json(run_output(&run, 0)).expect("a report");
        assert_eq!((ids(&report, Outcome::Fail).len(), report.traffic.skills), (0, 10));
    }
}

#[test]
fn every_check_can_be_looked_up() {
    let text = run(&["checks"]);
    assert!(text.ended(0).contains("entry-uri-required"));
    let table = run(&["checks", "--format", "json"]).json(0);
    assert_eq!(table.as_array().map(Vec::len), Some(text.stdout.lines().count()));
}
