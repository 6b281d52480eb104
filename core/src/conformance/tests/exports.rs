//! The report and its other forms, with a server that sends what could break out of them.

use super::*;
use crate::value::Node;

const HOSTILE: &str = "</failure><script>alert(1)</script> ![x](https://evil.example/p.png) @all `tick` \u{202e}\u{7}]]>";

/// A report with failures, warnings, untested and passed checks, full of hostile text.
fn hostile() -> Report {
    let server = workshop();
    let evil = crate::value::json_string(HOSTILE);
    let evil = evil.trim_matches('"');
    let connected = connect(Era::Modern, &answer(&server, &Call::Discover).1);
    let options = Options {
        address: Some("https://user:secret@mcp.example.com/mcp?token=secret".to_owned()),
        ..Options::default()
    };
    let mut run = Run::new(&connected, Scope::Server, options);
    while let Some(step) = run.next_step() {
        let (status, text) = answer(&server, &step.call);
        let text = text
            .replace("What tidy does.", evil)
            .replace("sha256:", "SHA256:")
            .replace("references/rules.md", &format!("references/{evil}"))
            .replace("text/x-python", evil);
        let reply = if step.call.subject() == Some("skill://daily/SKILL.md") {
            Received::Failed(HOSTILE.to_owned())
        } else {
            received(&step, &(status, text))
        };
        run.receive(step.id, reply);
    }
    run.report()
}

fn json(text: &str) -> crate::json::Document<'_> {
    crate::json::read(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn texts(node: Option<&Node<'_>>, member: &str) -> Vec<String> {
    let items = node.and_then(Node::as_array).unwrap_or_default().iter();
    items.map(|item| item.get(member).unwrap().as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_report_survives_its_own_json() {
    let report = hostile();
    assert!(report.counts.fail > 0 && report.counts.untested > 0);
    let text = report.to_json();
    assert_eq!(Report::from_json(&text).unwrap(), report);
    assert!(!text.contains("secret"));
    for bad in ["", "[]", "{}", r#"{"version":2}"#, &text.replace("\"fail\"", "\"bad\"")] {
        assert!(Report::from_json(bad).is_err());
    }
}

#[test]
fn a_report_takes_the_numbers_of_another_log() {
    let report = hostile();
    let other = report.clone().renumbered(|number| 1_000 - number);
    let evidence = |report: &Report| -> Vec<_> {
        let results = report.checks.iter().flat_map(|check| &check.results);
        let evidence = results.flat_map(|result| &result.evidence);
        let of_exchange = |number| report.exchanges.iter().find(|it| it.number == number);
        evidence
            .map(|it| it.exchange.map(|number| of_exchange(number).unwrap().asked.clone()))
            .collect()
    };
    assert_eq!(evidence(&report), evidence(&other));
    assert!(other.exchanges.is_sorted_by_key(|exchange| exchange.number));
    assert_eq!(
        report.exchanges.last().map(|it| 1_000 - it.number),
        other.exchanges.first().map(|it| it.number)
    );
}

#[test]
fn reports_are_the_same_whatever_came_first() {
    assert_eq!(hostile().to_json(), hostile().to_json());
}

#[test]
fn evidence_is_bounded() {
    let server = workshop();
    let long = "x".repeat(100_000);
    let report = run(&|call| {
        let (status, text) = answer(&server, call);
        (status, text.replace("What tidy does.", &long).replace("\"no\"", &long))
    });
    assert!(report.to_json().len() < 300_000, "{}", report.to_json().len());
}

#[test]
fn markdown_holds_nothing_but_text() {
    let page = hostile().markdown();
    for bad in
        ["<script", "](https://evil", "@all", "https://evil", "\u{202e}", "secret", "</failure>"]
    {
        let outside = page.lines().any(|line| {
            // What stands in code spans is inert.
            line.split('`').step_by(2).any(|plain| plain.contains(bad))
        });
        assert!(!outside, "{bad}\n{page}");
    }
    assert!(page.starts_with("# Conformance of `https://mcp.example.com/mcp`\n"));
    assert!(page.contains("## Failed (") && page.contains("## Not tested ("));
}

#[test]
fn junit_is_well_formed() {
    let xml = hostile().junit();
    assert!(!xml.contains("<script") && !xml.contains('\u{7}') && !xml.contains("secret"));
    let mut open = Vec::new();
    for tag in xml.split('<').skip(1).filter(|tag| !tag.starts_with('?')) {
        let tag = tag.split('>').next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap().to_owned()),
        }
    }
    assert!(open.is_empty());
    let count = |what: &str| xml.matches(what).count();
    let head = xml.lines().nth(1).unwrap();
    let states = |name: &str, number: usize| head.contains(&format!("{name}=\"{number}\""));
    assert!(states("tests", count("<testcase ")) && states("failures", count("<failure ")));
    assert!(states("errors", count("<error ")) && states("skipped", count("<skipped ")));
    assert!(count("<failure ") > 0 && count("<error ") > 0 && count("<skipped ") > 0);
}

#[test]
fn sarif_has_a_rule_for_each_result() {
    let report = hostile();
    let text = report.sarif();
    let document = json(&text);
    let run = &document.root.get("runs").unwrap().as_array().unwrap()[0];
    let rules = run.get("tool").unwrap().get("driver").unwrap().get("rules");
    let rules = texts(rules, "id");
    assert_eq!(rules.len(), CHECKS.len());
    let results = run.get("results").unwrap().as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = usize::try_from(result.get("ruleIndex").unwrap().as_count().unwrap()).unwrap();
        assert_eq!(result.get("ruleId").unwrap().as_str(), Some(&*rules[index]));
        let location = &result.get("locations").unwrap().as_array().unwrap()[0];
        if let Some(physical) = location.get("physicalLocation") {
            let uri = physical.get("artifactLocation").unwrap().get("uri").unwrap();
            let uri = uri.as_str().unwrap();
            assert!(
                uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"`".contains(&byte)),
                "{uri}"
            );
        }
    }
    assert!(!text.contains("secret"));
}

#[test]
fn the_suites_form_has_the_suites_ids() {
    let text = hostile().suite_checks("2026-11-30T00:00:00.000Z");
    let document = json(&text);
    let checks = document.root.as_array().unwrap();
    let ids = texts(Some(&document.root), "id");
    assert_eq!(ids.len(), CHECKS.len());
    assert!(ids.contains(&"sep-2640-entry-uri-required".to_owned()));
    assert!(ids.contains(&"wire-schema-valid".to_owned()));
    assert!(ids.contains(&"sep-2640-skills-get-answers-unlisted".to_owned()));
    assert!(ids.contains(&"skillglass-content-digest-match".to_owned()));
    let statuses: BTreeSet<_> = texts(Some(&document.root), "status").into_iter().collect();
    assert!(
        statuses.iter().all(|it| ["SUCCESS", "FAILURE", "WARNING", "SKIPPED"].contains(&&**it))
    );
    let failed = |check: &&Node<'_>| check.get("status").unwrap().as_str() == Some("FAILURE");
    assert!(checks.iter().filter(failed).all(|check| check.get("errorMessage").is_some()));
}

#[test]
fn two_reports_are_compared_problem_by_problem() {
    let server = workshop();
    let clean = run(&|call| answer(&server, call));
    let with = |from: &'static str, to: &'static str| {
        run(&|call| {
            let (status, text) = answer(&server, call);
            (status, text.replace(from, to))
        })
    };
    let wrong = with("Rules.", "Rulez.");
    let other = with("Rules.", "Ruler.");
    let count = |former: &Report, later: &Report| {
        let comparison = compare(former, later);
        [
            ChangeKind::New,
            ChangeKind::Changed,
            ChangeKind::Same,
            ChangeKind::Fixed,
            ChangeKind::Unknown,
        ]
        .map(|kind| comparison.count(kind))
    };
    assert_eq!(count(&clean, &clean), [0, 0, 0, 0, 0]);
    assert_eq!(count(&clean, &wrong), [1, 0, 0, 0, 0]);
    assert_eq!(count(&wrong, &clean), [0, 0, 0, 1, 0]);
    assert_eq!(count(&wrong, &wrong), [0, 0, 1, 0, 0]);
    assert_eq!(count(&wrong, &other), [0, 1, 0, 0, 0]);
    let change = &compare(&clean, &wrong).changes[0];
    assert_eq!(change.check, "content-digest-match");
    assert_eq!(change.subject, Subject::file("skill://tidy/references/rules.md"));
    let connected = connect(Era::Modern, &answer(&server, &Call::Discover).1);
    let unknown = Run::new(&connected, Scope::Server, Options::default()).report();
    assert_eq!(count(&wrong, &unknown), [0, 0, 0, 0, 1]);
    let read_back = Report::from_json(&wrong.to_json()).unwrap();
    assert_eq!(count(&wrong, &read_back), [0, 0, 1, 0, 0]);
}
