//! Programs that speak MCP over their standard input and output.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::run::{Run, command, pids, run, wait_for_the_end_of};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/server.mjs");

fn verify(behaviour: &str, more: &[&str]) -> Run {
    let words = ["--format", "json", "--", "node", PROGRAM, behaviour];
    run(&[&["verify"], more, &words].concat())
}

#[test]
fn both_eras_are_spoken() {
    assert_eq!(verify("modern", &[]).json(0)["era"], "modern");
    let older = verify("legacy", &[]).json(0);
    assert_eq!((&older["era"], &older["server"]), (&"legacy".into(), &"stdio:node".into()));
}

#[test]
fn older_programs_are_silent_or_end_when_they_are_asked_what_they_do_not_know() {
    assert_eq!(verify("silent", &["--timeout", "2"]).json(0)["era"], "legacy");
    let exits = verify("exits", &["-v"]);
    assert_eq!(exits.json(0)["era"], "legacy");
    assert!(exits.stderr.contains("server writes: initialize comes first"), "{}", exits.stderr);
}

#[test]
fn questions_of_a_program_are_answered() {
    assert_eq!(verify("asks", &[]).json(0)["era"], "legacy");
}

#[test]
fn a_program_that_writes_without_end_is_not_stopped_by_it() {
    verify("floods", &[]).json(0);
}

#[test]
fn a_program_that_does_not_work_says_why() {
    let mute = verify("mute", &[]);
    let said = mute.failed(2);
    assert!(
        said.contains("no database\\u{1b}[31m") && said.contains("Check the command"),
        "{said}"
    );
    assert!(said.contains("its program ended") && !said.contains("older handshake"), "{said}");
    assert_eq!(said.matches("no database").count(), 1, "each start has words of its own: {said}");
    let missing = run(&["verify", "--", "no-such-program-anywhere"]);
    let missing = missing.failed(2);
    assert!(missing.contains("could not be started") && missing.contains("PATH"), "{missing}");
}

#[test]
fn a_program_that_ends_later_is_not_started_again() {
    let dies = verify("dies", &["-v"]);
    assert_eq!(dies.json(2)["counts"]["incomplete"], 1);
    assert_eq!(dies.stderr.matches("server writes: started").count(), 1, "{}", dies.stderr);
}

#[test]
fn a_program_is_told_that_nobody_waits_any_more() {
    for era in ["modern", "legacy"] {
        let slow = verify("slow", &["-v", "--timeout", "1", "--era", era]);
        let said = slow.failed(2);
        assert_eq!(said.matches("writes: cancelled skills/list").count(), 1, "{era}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_program_prints_instead_of_messages_is_shown() {
    let talks = ["sh", "-c", "echo Listening on port 3000; exec cat > /dev/null"];
    let talks = run(&[&["verify", "--timeout", "1", "--"], &talks[..]].concat());
    let said = "on standard output, but no message: Listening on port 3000";
    assert!(talks.failed(2).contains(said), "{}", talks.stderr);
    let logs = r#"echo '{"level":"info"}'; echo server started; exec node "$0" modern"#;
    let brief = ["check", "--timeout", "1", "--"];
    let checked = run(&[&brief[..], &["sh", "-c", logs, PROGRAM]].concat());
    let notes = checked.stderr.matches("writes to its standard output what is no message");
    assert_eq!(notes.count(), 1, "{}", checked.stderr);
    let told = "a line of standard output before the answer is no JSON-RPC message";
    assert_eq!(checked.ended(2).matches(told).count(), 1, "{}", checked.stdout);
}

#[cfg(unix)]
#[test]
fn nothing_that_a_program_started_is_left() {
    let stays = verify("stays", &["-v"]);
    stays.json(0);
    wait_for_the_end_of(&pids(&stays.stderr));
}

#[cfg(unix)]
#[test]
fn nothing_is_left_where_somebody_ends_it() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("text");
    for (command_line, signal) in
        [(&["verify"][..], Signal::INT), (&["get", "any", "-o", folder], Signal::TERM)]
    {
        let words = [command_line, &["-v", "--", "node", PROGRAM, "hangs"]].concat();
        let mut command = command(&words);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it is built");
        let mut notes = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        while !said.contains("pids ") || !said.contains("skills/list came") {
            assert!(notes.read_line(&mut said).expect("text") > 0, "{said}");
        }
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        notes.read_to_string(&mut said).expect("text");
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains("Interrupted"), "{said}");
        wait_for_the_end_of(&pids(&said));
    }
}
