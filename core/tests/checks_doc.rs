//! `docs/checks.md` is written from the table of checks and the requirements beside it, and
//! `docs/report.example.json` is a report of the broken demonstration server.
#![cfg(all(feature = "demo", not(target_arch = "wasm32")))]
#![expect(clippy::disallowed_methods, reason = "compares the documentation with the tables")]

use std::fmt::Write as _;
use std::path::Path;

use skillglass::conformance::{
    Binds, CHECKS, Check, Held, Options, REQUIREMENTS, Received, Run, Scope, Since, Suite,
};
use skillglass::finding::{Level, Section};
use skillglass::protocol::results::read_discovery;
use skillglass::protocol::{Call, Client, Connected, Era, Reply, ReplyLimits, ReplyReader};

const INTRODUCTION: &str = "# What a conformance run checks

This page is written by its test: `UPDATE_DOCS=1 cargo test -p skillglass --all-features --test checks_doc`.

Every check is data in `core/src/conformance/checks`: its words, its level, where its rule stands. A check has one outcome for
each thing it is about: *pass*, *fail* where a MUST is broken, *warn* where a SHOULD is not followed or a hint says that
something is unusual, *untested* where it is not known, with the reason, and *not applicable* where there is nothing to test.

The ids of the official conformance suite (`sep-2640-…`, shown without that prefix) keep their meaning. **Suite** says what the
official suite does: *checks* the rule on a server, *declares* it under the id that is given and checks nothing, or does not know it (–).
";

const ELSEWHERE: &str = "
## Requirements that are no checks

The official suite has 98 requirements. Those above that it checks or declares are among them; here are the others. They bind
hosts, allow something, or cannot be seen.

| id | level | binds | what it wants | held by |
| --- | --- | --- | --- | --- |
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut section: Option<Section> = None;
    let mut sections: Vec<Section> = Vec::new();
    for check in CHECKS {
        if !sections.contains(&check.section) {
            sections.push(check.section);
        }
    }
    for wanted in sections {
        for check in CHECKS.iter().filter(|check| check.section == wanted) {
            if section != Some(wanted) {
                section = Some(wanted);
                let (title, url) = (wanted.title(), wanted.url());
                write!(page, "\n## [{title}]({url})\n\n").unwrap();
                page.push_str(
                    "| id | level | binds | about | suite | since | what holds | repair |\n",
                );
                page.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
            }
            page.push_str(&row(check));
        }
    }
    page.push_str(ELSEWHERE);
    for it in REQUIREMENTS {
        let held = match it.held {
            Held::ByHost(file, test) => format!("the core's host: `{file}`, `{test}`"),
            Held::Allowed(file, test) => format!("never held against a server: `{file}`, `{test}`"),
            Held::Unseen(why) => format!("not observable. {why}"),
        };
        let (id, level, binds) = (it.id, it.level, it.binds.word());
        writeln!(page, "| `{id}` | {level} | {binds} | {} | {held} |", it.what).unwrap();
    }
    page
}

fn row(check: &Check) -> String {
    let level = match check.level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
        Level::Note => "hint",
    };
    let suite = match check.suite {
        Suite::Checked => "checks".to_owned(),
        Suite::Declared(id) => format!("declares `{id}`"),
        Suite::Beyond => "–".to_owned(),
    };
    let since = match check.since {
        Since::Always => "",
        Since::Modern => "2026-07-28",
        Since::LegacyOnly => "before 2026-07-28",
    };
    let (id, about, binds) = (check.id, check.about.word(), check.binds.word());
    let (title, repair) = (check.title, check.repair.replace('|', "\\|"));
    format!("| `{id}` | {level} | {binds} | {about} | {suite} | {since} | {title} | {repair} |\n")
}

/// A report of the broken demonstration server.
fn example() -> String {
    let server = skillglass::demo::server("broken").unwrap();
    let mut client = Client::new("http://localhost/").unwrap();
    let mut ask = |call: &Call, limits: ReplyLimits| -> Reply {
        let request = client.request(call).unwrap();
        let reply = server.answer(&request);
        let kind = reply.content_type.as_deref();
        let mut reader = ReplyReader::new(request.id, reply.status, kind, limits);
        reader.push(&reply.body).unwrap();
        reader.finish().unwrap()
    };
    let reply = ask(&Call::Discover, ReplyLimits::default());
    let discovery = read_discovery(reply.message().unwrap().outcome().unwrap());
    let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
    let options = Options { address: Some("demo:broken".to_owned()), ..Options::default() };
    let mut run = Run::new(&connected, Scope::Server, options);
    while let Some(step) = run.next_step() {
        run.receive(step.id, Received::Answered(Ok(ask(&step.call, step.limits))));
    }
    run.report().to_json() + "\n"
}

fn is_current(file: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let stale = "run: UPDATE_DOCS=1 cargo test -p skillglass --all-features --test checks_doc";
    assert!(committed == text, "{stale}");
}

#[test]
fn the_page_of_checks_is_up_to_date() {
    is_current("checks.md", &page());
}

#[test]
fn the_example_of_a_report_is_up_to_date() {
    is_current("report.example.json", &example());
}

#[test]
fn all_rows_of_the_official_suite_are_accounted_for() {
    let of_suite = CHECKS.iter().filter(|check| {
        // Not a row of its own: it is about the base protocol's schema.
        check.suite != Suite::Beyond && check.id != "wire-schema-valid"
    });
    assert_eq!(of_suite.count() + REQUIREMENTS.len(), 98);
    let servers = REQUIREMENTS.iter().filter(|it| it.binds == Binds::Server);
    let servers: Vec<_> = servers.map(|it| it.id).collect();
    let free =
        ["nested-skills-permitted", "skills-list-may-be-partial", "enumeration-scheme-uniform"];
    assert_eq!(servers, free);
}

#[test]
fn what_is_held_elsewhere_is_held_by_a_test() {
    for it in REQUIREMENTS {
        let (Held::ByHost(file, test) | Held::Allowed(file, test)) = it.held else { continue };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
        let source = std::fs::read_to_string(path).unwrap();
        assert!(source.contains(&format!("fn {test}(")), "{}: {file} has no {test}", it.id);
    }
}

/// What core can find and what the table knows are one: nothing that breaks a rule goes unreported.
#[test]
fn every_finding_of_the_core_has_a_check() {
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut seen = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let source = source.split("#[cfg(test)]").next().unwrap();
        for constructor in
            ["Finding::must(", "Finding::should(", "self.must(", "self.should(", "must("]
        {
            for (at, _) in source.match_indices(constructor) {
                let rest = source[at + constructor.len()..].trim_start();
                let Some(id) = rest.strip_prefix('"').and_then(|rest| rest.split('"').next())
                else {
                    continue;
                };
                seen += 1;
                // What a host asks for against the rules is held against no server.
                if id.starts_with("host-") {
                    continue;
                }
                assert!(Check::find(id).is_some(), "{}: {id} is no check", path.display());
            }
        }
    }
    assert!(seen > 30, "{seen}");
}
