//! `verify`: what it says of skills, wherever they are.

use std::process::Stdio;

use skillglass::protocol::PROTOCOL_VERSION;

use crate::run::{command, run};
use crate::server::{Server, demo};

const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills");

#[test]
fn a_sound_server_is_verified() {
    let server = Server::of(demo("good"));
    let report = run(&["verify", &server.url, "--format", "json"]).json(0);
    assert_eq!(report["server"], server.url.as_str());
    assert_eq!((&report["era"], &report["version"]), (&"modern".into(), &PROTOCOL_VERSION.into()));
    let counts = &report["counts"];
    assert_eq!((&counts["verified"], &counts["unpinned"]), (&8.into(), &1.into()));
    assert_eq!(report["skills"].as_array().map(Vec::len), Some(9));
    // One question each for the server, three pages, and every file.
    assert_eq!(server.methods().len(), 1 + 3 + 24);
}

#[test]
fn every_broken_skill_is_named_with_its_reason() {
    let result = run(&["verify", "demo:broken"]);
    let text = result.ended(1);
    assert!(
        text.ends_with("19 skills: 5 verified (2 break rules), 1 incomplete, 13 refused.\n"),
        "{text}"
    );
    assert!(text.contains("the server sends it with CRLF"), "{text}");
    assert!(text.contains("SKILL.md:5:2: the frontmatter cannot be read"), "{text}");
    assert!(!text.contains('\u{1b}'), "there is no terminal to show colours");
    let report = run(&["verify", "demo:broken", "--format", "json"]).json(1);
    assert_eq!(report["counts"]["refused"], 13);
    let reason = |name: &str| {
        let skills = report["skills"].as_array().expect("an array");
        let skill = skills.iter().find(|skill| skill["name"] == name).expect("it is listed");
        skill["files"].as_array().expect("an array")[0]["verdict"]["reason"]["kind"].clone()
    };
    assert_eq!(reason("changed-after-listing"), "digest");
    assert_eq!(reason("yaml-1-1-dates"), "frontmatter-differs");
}

#[test]
fn a_verified_skill_that_breaks_rules_is_no_success() {
    let report = run(&["verify", "demo:broken", "--format", "json"]).json(1);
    assert_eq!(report["counts"]["breaking"], 2);
    let breaks = |skill: &&serde_json::Value| {
        let findings = skill["findings"].as_array().expect("an array");
        skill["summary"] == "verified" && findings.iter().any(|finding| finding["level"] == "must")
    };
    let skills = report["skills"].as_array().expect("an array");
    let uri = skills.iter().find(breaks).expect("there are two")["uri"].as_str().expect("a text");
    let one = run(&["verify", "demo:broken", uri]);
    assert!(one.ended(1).ends_with("1 skill: 1 verified (1 breaks rules).\n"), "{}", one.stdout);
}

#[test]
fn who_reads_no_further_changes_nothing_of_what_was_found() {
    for (server, code) in [("demo:broken", 1), ("demo:good", 0)] {
        let mut command = command(&["verify", server]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it is built");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{server}");
    }
}

#[test]
fn a_folder_is_a_server() {
    let report = run(&["verify", &format!("{SKILLS}/good"), "--format", "json"]).json(0);
    assert_eq!(report["counts"]["verified"], 10);
    let skill = format!("{SKILLS}/good/code-review");
    assert!(run(&["verify", &skill]).ended(0).ends_with("1 skill: 1 verified.\n"));
    assert!(
        run(&["verify", env!("CARGO_MANIFEST_DIR")])
            .failed(2)
            .contains("no folder with a SKILL.md")
    );
}

#[test]
fn one_skill_is_named_by_name_path_or_uri() {
    let one = |named: &str| run(&["verify", "demo:good", named]);
    for named in ["code-review", "atelier/billing/refunds", "skill://code-review/SKILL.md"] {
        assert!(one(named).ended(0).ends_with("1 skill: 1 verified.\n"), "{named}");
    }
    // It is not listed, so only its URI leads to it.
    let unlisted = one("onboarding");
    let said = "lists no skill \"onboarding\"; it lists \"refunds\", ";
    assert!(unlisted.failed(2).contains(said), "{}", unlisted.stderr);
    one("skill://atelier/internal/onboarding/SKILL.md").ended(0);
    let two = one("refunds");
    assert!(two.failed(2).contains("skill://atelier/freight/refunds/SKILL.md"), "{}", two.stderr);
    assert!(one("skill://nowhere/SKILL.md").failed(2).contains("-32602"));
}

#[test]
fn wrong_arguments_are_explained() {
    assert!(run(&["verify"]).failed(2).contains("Name a server"));
    assert!(run(&["verify", "no-such-folder"]).failed(2).contains("is no folder here"));
    assert!(run(&["verify", "demo:better"]).failed(2).contains("demo:good and demo:broken"));
    assert!(run(&["verify", "ftp://a.example/"]).failed(2).contains("begins with https://"));
    let two = run(&["verify", "demo:good", "a", "b"]);
    assert_eq!(two.code, Some(2));
    assert!(run(&["verify", "demo:good", "--bearer-env", "X"]).failed(2).contains("Headers go to"));
}

#[test]
fn the_shells_and_the_manual_know_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder_name = folder.path().to_str().expect("text");
    run(&["man", folder_name]).ended(0);
    let script = run(&["completions", "bash"]);
    for command in ["verify", "get"] {
        assert!(script.ended(0).contains(command));
        assert!(folder.path().join(format!("skillglass-{command}.1")).is_file());
    }
}
