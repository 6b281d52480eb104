//! How runs are driven: cost, order, failures on the way, stopping and going on.

use std::collections::HashSet;

use super::*;
use crate::conformance::run::MAX_ITEMS;

pub(super) fn begin(scope: Scope, options: Options) -> (SkillServer, Run) {
    let server = workshop();
    let connected = connect(Era::Modern, &answer(&server, &Call::Discover).1);
    (server, Run::new(&connected, scope, options))
}

pub(super) fn finish(server: &SkillServer, run: &mut Run) -> Vec<Call> {
    let mut calls = Vec::new();
    while let Some(step) = run.next_step() {
        run.receive(step.id, received(&step, &answer(server, &step.call)));
        calls.push(step.call);
    }
    assert!(run.is_done());
    calls
}

const REFUSED: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no such method"}}"#;

#[test]
fn nothing_is_asked_twice() {
    let (server, mut run) = begin(Scope::Server, Options::default());
    let calls: Vec<_> = finish(&server, &mut run).iter().map(|it| format!("{it:?}")).collect();
    let different: HashSet<_> = calls.iter().collect();
    assert_eq!(calls.len(), different.len());
}

#[test]
fn the_cost_is_known_once_the_listing_is() {
    let (server, mut run) = begin(Scope::Server, Options::default());
    assert!(run.plan().is_estimate);
    while run.progress().stage == Stage::Survey {
        let step = run.next_step().unwrap();
        run.receive(step.id, received(&step, &answer(&server, &step.call)));
    }
    let estimate = run.plan();
    let listed: Vec<_> = server.skills().iter().filter(|skill| skill.listed).collect();
    let entries = listed.iter().filter_map(|it| crate::entry::read(&it.entry(true)).entry);
    let entries: Vec<_> = entries.collect();
    let before = Plan::of(&entries, true, &Options::default());
    finish(&server, &mut run);
    let cost = run.plan();
    assert!(!cost.is_estimate && cost.calls == run.progress().answered);
    // What is found on the way, an unlisted and a dynamic skill, was not known before.
    assert!(
        estimate.calls <= cost.calls && estimate.calls + 8 >= cost.calls,
        "{estimate:?} {cost:?}"
    );
    assert!(before.calls <= cost.calls && before.calls + 12 >= cost.calls, "{before:?} {cost:?}");
    assert!(estimate.bytes == before.bytes && before.bytes < cost.bytes);
}

#[test]
fn calls_in_parallel_are_bounded_and_come_back_in_any_order() {
    let options = Options { parallel: 4, ..Options::default() };
    let (server, mut run) = begin(Scope::Server, options.clone());
    let mut open = Vec::new();
    let mut most = 0;
    while !run.is_done() {
        while let Some(step) = run.next_step() {
            open.push(step);
        }
        most = most.max(open.len());
        // The last one first.
        if let Some(step) = open.pop() {
            run.receive(step.id, received(&step, &answer(&server, &step.call)));
        }
    }
    assert_eq!(most, 4);
    let (server, mut in_order) = begin(Scope::Server, options);
    finish(&server, &mut in_order);
    let outcomes = |run: &Run| {
        let report = run.report();
        let subjects = report.checks.iter().map(|it| (it.id.clone(), it.outcome, it.subjects));
        subjects.collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&run), outcomes(&in_order));
}

#[test]
fn what_does_not_arrive_is_untested_and_never_passes() {
    for (method, check) in [
        ("skills/list", "skills-list-implemented"),
        ("skills/list", "names-should-be-unique"),
        ("skills/get", "get-equals-list"),
        ("skills/get", "skills-get-implemented"),
        ("skills/get", "skills-get-unknown-uri-invalid-params"),
        ("resources/list", "manifest-complete-vs-resources-list"),
        ("resources/read", "content-digest-match"),
        ("resources/read", "skillmd-frontmatter"),
        ("resources/read", "dynamic-honest"),
        ("resources/directory/read", "directory-children-exact"),
    ] {
        let (server, mut run) = begin(Scope::Server, Options::default());
        while let Some(step) = run.next_step() {
            let answered = received(&step, &answer(&server, &step.call));
            let failed = Received::Failed("nobody there".to_owned());
            run.receive(step.id, if step.call.method() == method { failed } else { answered });
        }
        let report = run.report();
        let check = report.check(check).unwrap();
        assert_eq!(check.outcome, Outcome::Untested, "{}: {check:?}", check.id);
        assert!(check.reason.is_some(), "{}", check.id);
        assert_eq!(ids(&report, Outcome::Fail), set(&[]), "{method}");
        assert!(report.outcome >= Outcome::Untested);
        let incomplete = report.incomplete.expect("what failed is missing");
        assert!(incomplete.contains(method) && incomplete.ends_with("failed (nobody there)"));
        assert!(report.summary.contains(&incomplete), "{}", report.summary);
    }
}

#[test]
fn a_provoked_refusal_of_another_kind_is_no_lack_and_a_busy_server_is() {
    for (status, is_complete) in [(401, true), (403, true), (429, false), (503, false)] {
        let (server, mut run) = begin(Scope::Server, Options::default());
        let mut provoked = 0;
        while let Some(step) = run.next_step() {
            let refuses = step.note.starts_with("to be refused: ");
            provoked += usize::from(refuses);
            let answer =
                if refuses { (status, REFUSED.to_owned()) } else { answer(&server, &step.call) };
            run.receive(step.id, received(&step, &answer));
        }
        let report = run.report();
        assert!(provoked > 3, "{provoked}");
        assert_eq!(report.incomplete.is_none(), is_complete, "{status} {:?}", report.incomplete);
        let check = report.check("skills-get-unknown-uri-invalid-params").unwrap();
        assert_eq!(check.outcome, Outcome::Untested, "{status}");
    }
}

#[test]
fn directories_deeper_than_are_followed_leave_a_run_incomplete() {
    let plain =
        SkillServer::new("Plain", [File::new("a/SKILL.md", skill_md("a", "").into_bytes())]);
    let report = run(&|call| match call {
        Call::ReadDirectory { uri, .. } if uri.contains("skill://a") => {
            let child =
                format!(r#"{{"uri":"{uri}/deep","name":"deep","mimeType":"inode/directory"}}"#);
            let result = format!(
                r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","resources":[{child}]}}"#
            );
            (200, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#))
        }
        _ => answer(&plain, call),
    });
    let incomplete = report.incomplete.expect("a limit was reached");
    assert!(incomplete.contains("128 directories"), "{incomplete}");
}

#[test]
fn a_listing_that_breaks_off_is_told_as_one() {
    let server = workshop();
    let report = run(&|call| match call {
        Call::ListSkills { cursor: Some(_) } => (200, REFUSED.replace("-32601", "-32603")),
        _ => answer(&server, call),
    });
    let told = |id: &str| {
        let check = report.check(id).unwrap();
        check.results[0].evidence[0].message.clone()
    };
    assert!(told("skills-list-implemented").starts_with("page 2 cannot be had: "));
    let commits = told("capability-commits-to-methods");
    assert_eq!(commits, "skills/list is declared and not always answered");
}

#[test]
fn a_directory_that_was_not_seen_leaves_its_manifests_untested() {
    let server = workshop();
    let no_array = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
    let misspelt = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resources":[],"next_cursor":"2"}}"#;
    for (status, text) in [(404, REFUSED), (200, no_array), (200, misspelt), (503, "{}")] {
        let report = run(&|call| match call {
            Call::ReadDirectory { uri, .. } if uri == "skill://tidy/references" => {
                (status, text.to_owned())
            }
            _ => answer(&server, call),
        });
        let check = report.check("manifest-complete-vs-directory").unwrap();
        assert_eq!(check.outcome, Outcome::Untested, "{text}");
        let named: Vec<_> = check.results.iter().map(|it| it.subject.name.as_str()).collect();
        assert_eq!(named, ["skill://tidy/SKILL.md"]);
        assert_eq!(report.incomplete.is_some(), status == 503 || text == misspelt, "{text}");
    }
}

#[test]
fn as_many_resources_as_are_walked_are_not_too_many() {
    let server = workshop();
    let incomplete = |count: usize| {
        let item = |at| format!(r#"{{"uri":"a:{at}","name":"a"}}"#);
        let items = (0..count).map(item).collect::<Vec<_>>().join(",");
        let result = format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","resources":[{items}]}}"#
        );
        let list = (200, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
        let report = run(&|call| match call {
            Call::ListResources { .. } => list.clone(),
            _ => answer(&server, call),
        });
        report.incomplete
    };
    assert_eq!(incomplete(MAX_ITEMS), None);
    assert_eq!(
        incomplete(MAX_ITEMS + 1).as_deref(),
        Some("resources/list has more than is walked")
    );
}

#[test]
fn what_nobody_has_to_offer_is_no_lack() {
    let plain =
        SkillServer::new("Plain", [File::new("a/SKILL.md", skill_md("a", "").into_bytes())]);
    let report =
        run_in(Era::Modern, Options { provoke: false, ..Options::default() }, &|call| match call {
            Call::ListResources { .. } => (404, REFUSED.to_owned()),
            _ => answer(&plain, call),
        });
    assert!(report.counts.not_applicable > 0 && report.counts.untested > 0);
    assert_eq!(report.incomplete, None);
}

#[test]
fn a_server_that_declares_no_skills_is_not_looked_at() {
    let (server, _) = begin(Scope::Server, Options::default());
    let report = run(&|call| {
        let (status, text) = answer(&server, call);
        (status, text.replace("io.modelcontextprotocol/skills", "com.example/other"))
    });
    assert_eq!(ids(&report, Outcome::Fail), set(&[]));
    let incomplete = report.incomplete.expect("no skill was seen");
    assert_eq!(incomplete, "the server does not declare the skills extension");
}

#[test]
fn a_busy_server_and_one_that_asks_for_a_token_break_nothing() {
    for status in [401, 403, 429, 503] {
        let server = workshop();
        let connected = connect(Era::Modern, &answer(&server, &Call::Discover).1);
        let mut run = Run::new(&connected, Scope::Server, Options::default());
        while let Some(step) = run.next_step() {
            run.receive(step.id, received(&step, &(status, "{}".to_owned())));
        }
        let report = run.report();
        assert_eq!(ids(&report, Outcome::Fail), set(&[]));
        assert_eq!(report.outcome, Outcome::Untested);
    }
}

#[test]
fn an_answer_that_is_no_message_is_the_servers_fault() {
    let (_, mut run) = begin(Scope::Server, Options::default());
    while let Some(step) = run.next_step() {
        run.receive(step.id, received(&step, &(200, "<html>".to_owned())));
    }
    let report = run.report();
    let failed = ids(&report, Outcome::Fail);
    assert!(failed.contains("wire-schema-valid") && failed.contains("skills-list-implemented"));
    let exchange = report.exchanges.first().unwrap();
    assert_eq!(
        (exchange.method.as_str(), exchange.excerpt.as_deref()),
        ("server/discover", Some("<html>"))
    );
}

#[test]
fn a_stopped_run_tells_what_it_knows_and_goes_on() {
    let (server, mut run) = begin(Scope::Server, Options::default());
    for _ in 0..12 {
        let step = run.next_step().unwrap();
        run.receive(step.id, received(&step, &answer(&server, &step.call)));
    }
    let late = run.next_step().unwrap();
    assert_eq!(run.report().incomplete.as_deref(), Some("it is under way"));
    run.stop();
    assert_eq!(run.next_step(), None);
    let partial = run.report();
    assert_eq!(partial.incomplete.as_deref(), Some("it was stopped"));
    assert!(!run.is_done());
    assert!(ids(&partial, Outcome::Pass).contains("skills-list-implemented"));
    assert!(ids(&partial, Outcome::Untested).contains("content-digest-match"));
    assert_eq!(ids(&partial, Outcome::Fail), set(&[]));
    run.receive(late.id, received(&late, &answer(&server, &late.call)));
    run.receive(late.id, Received::Failed("twice".to_owned()));
    run.receive(999, Received::Failed("never asked".to_owned()));
    run.resume();
    // What is given up is no failure, and is asked again at no cost.
    let withdrawn = run.next_step().unwrap();
    let plan = run.plan();
    run.receive(withdrawn.id, Received::Withdrawn);
    assert_eq!(run.plan(), plan);
    let again = run.next_step().unwrap();
    assert_eq!((&again.call, again.id), (&withdrawn.call, withdrawn.id + 1));
    run.receive(again.id, received(&again, &answer(&server, &again.call)));
    finish(&server, &mut run);
    let (server, mut whole) = begin(Scope::Server, Options::default());
    finish(&server, &mut whole);
    assert_eq!(run.report().counts, whole.report().counts);
    assert_eq!(run.report().incomplete, None);
}

#[test]
fn limits_leave_the_rest_untested() {
    let options = Options { max_calls: 20, ..Options::default() };
    let (server, mut run) = begin(Scope::Server, options);
    assert_eq!(finish(&server, &mut run).len(), 20);
    let report = run.report();
    assert!(report.incomplete.unwrap().contains("20 calls"));
    let options = Options { max_bytes: 100, ..Options::default() };
    let (server, mut run) = begin(Scope::Server, options);
    finish(&server, &mut run);
    let report = run.report();
    assert!(report.incomplete.is_some());
    let digests = report.checks.iter().find(|check| check.id == "content-digest-match").unwrap();
    assert!(digests.subjects.untested > 0 && digests.subjects.pass > 0, "{digests:?}");
    assert_eq!(digests.outcome, Outcome::Untested);
}

#[test]
fn errors_are_provoked_only_where_that_is_wanted() {
    let (server, mut run) = begin(Scope::Server, Options { provoke: false, ..Options::default() });
    let calls = finish(&server, &mut run);
    assert!(calls.iter().all(|call| !matches!(call, Call::Probe { .. })));
    assert!(calls.iter().all(|call| !format!("{call:?}").contains("probe")));
    let report = run.report();
    assert_eq!(report.check("method-not-found-404").unwrap().outcome, Outcome::Untested);
}

#[test]
fn selected_skills_are_all_that_is_read() {
    let uri = |path: &str| format!("skill://{path}/SKILL.md");
    let scope = Scope::Skills(vec![uri("tidy"), uri("acme/hidden")]);
    let (server, mut run) = begin(scope, Options { provoke: false, ..Options::default() });
    let calls = finish(&server, &mut run);
    for call in &calls {
        let subject = call.subject().unwrap_or("skill://tidy");
        let inside = ["skill://tidy", "skill://acme/hidden", "3"];
        assert!(inside.iter().any(|it| subject.starts_with(it)), "{call:?}");
    }
    let report = run.report();
    assert_eq!((report.traffic.skills, report.traffic.files), (2, 4));
    assert_eq!(ids(&report, Outcome::Fail), set(&[]));
    assert_eq!(report.check("get-answers-unlisted").unwrap().outcome, Outcome::Pass);
    // A skill that the first page names needs no second page.
    let scope = Scope::Skills(vec![uri("acme/outer")]);
    let (server, mut run) = begin(scope, Options::default());
    let pages = finish(&server, &mut run);
    let pages = pages.iter().filter(|call| call.method() == "skills/list");
    assert_eq!(pages.count(), 2, "one page and one cursor that nobody gave out");
}

#[test]
fn a_second_pass_sees_what_changes() {
    let (server, mut run) = begin(Scope::Server, Options { twice: true, ..Options::default() });
    let calls = finish(&server, &mut run);
    let reads = calls.iter().filter(|call| call.subject() == Some("skill://tidy/scripts/sort.py"));
    assert_eq!(reads.count(), 2);
    assert_eq!(ids(&run.report(), Outcome::Fail), set(&[]));
    // Right the first time, other bytes the second.
    let (server, mut run) = begin(Scope::Server, Options { twice: true, ..Options::default() });
    let mut seen = HashSet::new();
    while let Some(step) = run.next_step() {
        let (status, text) = answer(&server, &step.call);
        let again = !seen.insert(format!("{:?}", step.call));
        let text = if again { text.replace("Rules.", "Other.") } else { text };
        run.receive(step.id, received(&step, &(status, text)));
    }
    assert_eq!(ids(&run.report(), Outcome::Fail), set(&["dynamic-honest"]));
}

#[test]
fn a_skill_that_changes_meanwhile_is_not_held_against_the_server() {
    let (server, mut run) = begin(Scope::Server, Options::default());
    let rules = server.skills().iter().find(|skill| skill.path == "tidy").unwrap();
    let digest = |text: &[u8]| crate::digest::Digest::of(text).to_string();
    let (old, new) = (digest(b"Rules.\n"), digest(b"Rulez.\n"));
    assert!(rules.entry(true).contains(&old));
    let mut deployed = false;
    while let Some(step) = run.next_step() {
        // Deployed while the files are read.
        deployed |= step.call.method() == "resources/read" && !step.note.contains("refused");
        let (status, text) = answer(&server, &step.call);
        let text =
            if deployed { text.replace("Rules.", "Rulez.").replace(&old, &new) } else { text };
        run.receive(step.id, received(&step, &(status, text)));
    }
    let report = run.report();
    assert_eq!(ids(&report, Outcome::Fail), set(&[]));
    let digests = report.check("content-digest-match").unwrap();
    assert_eq!(digests.outcome, Outcome::Untested);
    assert!(digests.reason.as_deref().unwrap().contains("changed"));
}

#[test]
fn cost_grows_with_what_is_served_and_not_faster() {
    let calls = |count: usize| {
        let file = |at: usize| {
            File::new(&format!("s{at}/SKILL.md"), skill_md(&format!("s{at}"), "").into_bytes())
        };
        let server = SkillServer::new("Many", (0..count).map(file)).page_size(100);
        let connected = connect(Era::Modern, &answer(&server, &Call::Discover).1);
        let mut run = Run::new(&connected, Scope::Server, Options::default());
        finish(&server, &mut run).len()
    };
    let (few, many) = (calls(100), calls(200));
    // An entry, a file and a directory each, and one page more.
    assert_eq!(many - few, 301);
}

#[cfg(not(target_arch = "wasm32"))]
mod hostile {
    use proptest::prelude::*;

    use super::*;

    /// What becomes of an answer on its way.
    #[derive(Clone, Debug)]
    enum Mishap {
        None,
        Lost,
        Status(u16),
        Cut(usize),
        Replaced(usize, String),
        Other(String),
    }

    fn mishap() -> impl Strategy<Value = Mishap> {
        let value = prop_oneof![
            Just("null".to_owned()),
            Just("[]".to_owned()),
            Just("{}".to_owned()),
            Just("-1".to_owned()),
            Just("1e999".to_owned()),
            Just("\"\"".to_owned()),
            Just("\"skill://a/../b/SKILL.md\"".to_owned()),
            Just("\"\\ud800\"".to_owned()),
            "[\\[\\]{}\",:a-z0-9/%.]{0,12}",
        ];
        prop_oneof![
            6 => Just(Mishap::None),
            1 => Just(Mishap::Lost),
            1 => (100_u16..600).prop_map(Mishap::Status),
            1 => (0_usize..1000).prop_map(Mishap::Cut),
            6 => (0_usize..1000, value).prop_map(|(at, value)| Mishap::Replaced(at, value)),
            1 => ".{0,40}".prop_map(Mishap::Other),
        ]
    }

    /// Replaces the value that begins behind the `at`th colon or comma.
    fn replaced(text: &str, at: usize, value: &str) -> String {
        let places: Vec<_> = text.match_indices([':', ',', '[']).map(|(at, _)| at + 1).collect();
        let start = places[at % places.len()];
        let end = text[start..].find([',', '}', ']']).map_or(text.len(), |end| start + end);
        format!("{}{value}{}", &text[..start], &text[end..])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Whatever a server sends, a run ends, its report is one, and nothing panics.
        #[test]
        fn any_answers_end_in_a_report(
            mishaps in prop::collection::vec(mishap(), 1..60),
            legacy in any::<bool>(),
            twice in any::<bool>(),
        ) {
            let server = workshop();
            let era = if legacy { Era::Legacy } else { Era::Modern };
            let connected = connect(era, &answer(&server, &Call::Discover).1);
            let options = Options { twice, max_calls: 2_000, ..Options::default() };
            let mut run = Run::new(&connected, Scope::Server, options);
            let mut open = Vec::new();
            let mut calls = 0;
            loop {
                while let Some(step) = run.next_step() {
                    open.push(step);
                }
                let Some(step) = open.pop() else { break };
                let mishap = &mishaps[calls % mishaps.len()];
                calls += 1;
                let (status, text) = answer(&server, &step.call);
                let reply = match mishap {
                    Mishap::None => received(&step, &(status, text)),
                    Mishap::Lost => Received::Failed("lost".to_owned()),
                    Mishap::Status(status) => received(&step, &(*status, text)),
                    Mishap::Cut(at) => received(&step, &(status, text.chars().take(*at).collect())),
                    Mishap::Replaced(at, value) => received(&step, &(status, replaced(&text, *at, value))),
                    Mishap::Other(text) => received(&step, &(status, text.clone())),
                };
                run.receive(step.id, reply);
            }
            prop_assert!(run.is_done());
            let report = run.report();
            prop_assert_eq!(Report::from_json(&report.to_json()), Ok(report.clone()));
            let tested = report.counts.fail + report.counts.warn + report.counts.pass;
            let rest = report.counts.untested + report.counts.not_applicable;
            prop_assert_eq!(tested + rest, CHECKS.len() as u64);
            for check in &report.checks {
                let told = check.subjects.fail + check.subjects.warn + check.subjects.untested;
                prop_assert_eq!(check.results.len() as u64 + check.omitted, told);
                let known = matches!(check.outcome, Outcome::Pass | Outcome::Fail | Outcome::Warn);
                prop_assert!(known || check.reason.is_some(), "{}", check.id);
            }
            for text in [report.markdown(), report.junit(), report.sarif(), report.suite_checks("")] {
                prop_assert!(!text.is_empty());
            }
            prop_assert!(crate::json::read(&report.sarif()).is_ok());
            prop_assert!(compare(&report, &report).changes.iter().all(|it| it.kind == ChangeKind::Same));
        }
    }
}
