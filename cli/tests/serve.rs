//! `serve`: a folder over both transports, what it refuses, and what it does when the folder changes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::listening::Listening;
use crate::run::{command, output, run};

const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills");

fn start(folder: &Path, more: &[&str]) -> Listening {
    let folder = folder.to_str().expect("text");
    Listening::start(&mut command(&[&["serve", folder, "--listen", "127.0.0.1:0"], more].concat()))
}

/// Lists the skills as a request with these headers.
fn list(serve: &Listening, headers: &str) -> String {
    serve.post("/mcp", headers, r#"{"jsonrpc":"2.0","id":1,"method":"skills/list"}"#)
}

fn good() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills/good"))
}

/// A folder with these files, of which each `SKILL.md` has a frontmatter.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(path, text)| write(folder.path(), path, text));
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let whole = folder.join(path);
    let parent = whole.parent().expect("a folder");
    fs::create_dir_all(parent).expect("a folder");
    let name = parent.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let begin = format!("---\nname: {name}\ndescription: Made for a test.\n---\n");
    let begin = if path.ends_with("SKILL.md") { begin } else { String::new() };
    fs::write(whole, format!("{begin}{text}")).expect("a file");
}

#[test]
fn a_folder_is_verified_over_each_transport_in_each_era() {
    let serve = start(good(), &["--page-size", "3"]);
    let program = env!("CARGO_BIN_EXE_skillglass");
    for era in ["modern", "legacy"] {
        let settings = ["--era", era, "--format", "json"];
        let http = run(&[&["verify", serve.url.as_str()], &settings[..]].concat()).json(0);
        let words = ["--", program, "serve", good().to_str().expect("text"), "--stdio"];
        let pipe = run(&[&["verify"], &settings[..], &words].concat()).json(0);
        for report in [http, pipe] {
            assert_eq!((&report["era"], &report["counts"]["verified"]), (&era.into(), &10.into()));
            assert_eq!(report["listingFindings"].as_array().map(Vec::len), Some(0));
        }
    }
}

/// The official client reads every byte of every file, and every directory at the top of a skill.
#[test]
fn the_official_client_verifies_every_file() {
    let serve = start(good(), &["--page-size", "3", "--dynamic", "daily-briefing"]);
    let program = env!("CARGO_BIN_EXE_skillglass");
    let folder = good().to_str().expect("text");
    let piped = [program, "serve", folder, "--stdio", "--dynamic", "daily-briefing"];
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/servers/sdk-client.mjs");
    for era in ["modern", "legacy"] {
        for server in [&[serve.url.as_str()][..], &piped] {
            let mut node = Command::new("node");
            let found = output(node.args([client, era]).args(server)).json(0);
            let expected = json!({"skills": 10, "verified": 25, "unpinned": 1, "children": 23});
            assert_eq!(found, expected, "{era} {server:?}");
        }
    }
}

#[test]
fn our_own_checks_find_nothing() {
    let shelf = folder(&[
        ("a/SKILL.md", "See [notes](x/notes.md).\n"),
        ("a/x/notes.md", "1"),
        ("a/x/100% é/picture.png", "2"),
        ("a/inner/SKILL.md", ""),
        ("b/SKILL.md", ""),
        ("c/SKILL.md", ""),
        ("d/SKILL.md", ""),
    ]);
    let folder = shelf.path().to_str().expect("text");
    let settings = ["--page-size", "2", "--prefix", "acme", "--dynamic", "acme/c", "--unlisted"];
    let instructions = "Begin with skill://acme/d/SKILL.md.";
    let settings = [&settings[..], &["acme/d", "--instructions", instructions]].concat();
    let serve = start(shelf.path(), &settings);
    let program = [env!("CARGO_BIN_EXE_skillglass"), "serve", folder, "--stdio"];
    let piped = [&["--"], &program[..], &settings].concat();
    for era in ["auto", "modern", "legacy"] {
        for server in [&[serve.url.as_str()][..], &piped] {
            let arguments = ["check", "--era", era, "--fail-on", "should", "--format", "json"];
            let report = run(&[&arguments[..], server].concat()).json(0);
            let counts = &report["counts"];
            let open = [&counts["fail"], &counts["warn"], &counts["untested"]];
            assert_eq!(open, [0, 0, 0], "{era} {server:?}");
            assert_eq!((&report["traffic"]["skills"], &report["scope"]), (&5.into(), &Value::Null));
        }
    }
}

#[test]
fn only_this_machines_pages_are_let_in() {
    let serve = start(good(), &[]);
    let local = list(&serve, "Host: 127.0.0.1\r\nOrigin: http://localhost:8787\r\n");
    assert!(local.starts_with("HTTP/1.1 200") && local.contains("code-review"), "{local}");
    assert!(
        local.to_lowercase().contains("access-control-allow-origin: http://localhost:8787\r\n")
    );
    let none = list(&serve, "Host: 127.0.0.1\r\n");
    assert!(none.starts_with("HTTP/1.1 200") && !none.to_lowercase().contains("access-control"));
    for headers in [
        "Host: 127.0.0.1\r\nOrigin: https://evil.example\r\n",
        "Host: 127.0.0.1\r\nOrigin: null\r\n",
        "Host: evil.example\r\n",
        "Host: evil.example:3000\r\nOrigin: http://evil.example:3000\r\n",
    ] {
        let refused = list(&serve, headers);
        assert!(
            refused.starts_with("HTTP/1.1 403") && !refused.contains("code-review"),
            "{refused}"
        );
        assert!(!refused.to_lowercase().contains("access-control"), "{refused}");
    }
}

#[test]
fn named_pages_and_hosts_are_let_in_and_no_others() {
    let named = ["--origin", "https://page.example", "--host", "skills.example"];
    let serve = start(good(), &named);
    let page = list(&serve, "Host: skills.example\r\nOrigin: https://page.example\r\n");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let local = list(&serve, "Host: skills.example\r\nOrigin: http://localhost:8787\r\n");
    assert!(local.starts_with("HTTP/1.1 403"), "{local}");
    let asked = serve.raw(
        "OPTIONS /mcp HTTP/1.1\r\nConnection: close\r\nHost: skills.example\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: mcp-method\r\n\r\n",
    );
    let asked = asked.to_lowercase();
    assert!(asked.starts_with("http/1.1 204") && asked.contains("mcp-name"), "{asked}");
    assert!(asked.contains("access-control-allow-origin: https://page.example\r\n"), "{asked}");
}

#[test]
fn what_is_no_message_is_refused() {
    let serve = start(good(), &[]);
    let get = serve.raw("GET /mcp HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n");
    assert!(get.starts_with("HTTP/1.1 405") && get.to_lowercase().contains("allow: post"), "{get}");
    let simple = serve.raw("POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");
    assert!(simple.starts_with("HTTP/1.1 415"), "a page may send this without asking: {simple}");
    let long = serve.raw("POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{");
    assert!(long.starts_with("HTTP/1.1 413"), "{long}");
    let elsewhere =
        serve.raw("GET /../secret HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n");
    assert!(elsewhere.starts_with("HTTP/1.1 404"), "{elsewhere}");
    // Else a page could not tell a wrong path from a server that lets no page in.
    for (path, status) in [("/", 404), ("/mcp", 405)] {
        let readable = serve.raw(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n"));
        assert!(readable.starts_with(&format!("HTTP/1.1 {status}")), "{readable}");
        let readable = readable.to_lowercase();
        assert!(
            readable.contains("access-control-allow-origin: http://localhost\r\n"),
            "{readable}"
        );
    }
}

#[test]
fn skills_are_placed_hidden_and_declared_as_the_command_line_says() {
    let folder = folder(&[("a/SKILL.md", "1"), ("b/SKILL.md", "2"), ("c/SKILL.md", "3")]);
    let settings = ["--prefix", "acme/x", "--unlisted", "acme/x/b", "--dynamic", "acme/x/c"];
    let serve = start(folder.path(), &settings);
    let report = run(&["verify", &serve.url, "--format", "json"]).json(0);
    assert_eq!(
        (&report["counts"]["verified"], &report["counts"]["unpinned"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["skills"][0]["uri"], "skill://acme/x/a/SKILL.md");
    run(&["verify", &serve.url, "skill://acme/x/b/SKILL.md"]).ended(0);
    let path = folder.path().to_str().expect("text");
    let unknown = run(&["serve", path, "--unlisted", "a/b"]);
    assert!(unknown.failed(2).contains("no skill \"a/b\""));
}

#[test]
fn what_cannot_be_served_is_told_before_it_listens() {
    let empty = tempfile::tempdir().expect("a folder");
    let file = empty.path().join("file");
    fs::write(&file, "").expect("a file");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().expect("it is bound").to_string();
    let skills = good().to_str().expect("text");
    for (arguments, reason) in [
        (&[skills, "--prefix", "../x"][..], "it has a \".\" or \"..\" segment"),
        (&[skills, "--prefix", "skill://acme"], "not a registered name"),
        (&[skills, "--origin", "junk"], "\"junk\" is no origin"),
        (&[skills, "--origin", "https://page.example/tool"], "is no origin"),
        (&[skills, "--host", "https://skills.example"], "is no host"),
        (&[skills, "--listen", &taken], "Choose another port"),
        (&[skills, "--listen", "3000"], "--listen"),
        (&["no/such/folder"], "could not be opened: No such file"),
        (&[file.to_str().expect("text")], "Not a directory"),
        (&[empty.path().to_str().expect("text")], "holds no folder with a SKILL.md"),
    ] {
        let ended = run(&[&["serve"], arguments].concat());
        assert!(ended.failed(2).contains(reason), "{arguments:?}: {}", ended.stderr);
    }
    let port = taken.rsplit_once(':').expect("a port").1;
    let page = run(&["inspect", "--no-open", "--page", skills, "--port", port]);
    assert!(page.failed(2).contains("holds no index.html"), "{}", page.stderr);
}

#[test]
fn what_is_wrong_is_said_and_what_cannot_be_read_is_left_out() {
    let mut serve = start(Path::new(&format!("{SKILLS}/broken")), &[]);
    let notes = serve.notes_until("Serving ");
    assert!(notes.contains("\"tab-indent\" is left out: SKILL.md:5:2"), "{notes}");
    assert!(notes.contains("entry-uri-matches-frontmatter-name"), "{notes}");
    // Of those that are served, some break rules.
    let report = run(&["verify", &serve.url, "--format", "json"]).json(1);
    // Four of nineteen have a frontmatter that cannot be read.
    assert_eq!(report["counts"]["verified"], 15);
    let files: Vec<_> = (0..512).map(|number| format!("big/f{number}")).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "x")).collect();
    let big = folder(&[&[("big/SKILL.md", "")], files.as_slice()].concat());
    let mut serve = start(big.path(), &[]);
    assert!(serve.notes_until("Serving ").contains("513"), "limits are warned of");
}

#[test]
fn the_folder_is_read_again_when_it_changes() {
    let folder = folder(&[("a/SKILL.md", "old"), ("a/notes.md", "1")]);
    let mut serve = start(folder.path(), &[]);
    serve.notes_until("Serving 1 skill, 2 files");
    write(folder.path(), "a/notes.md", "2");
    write(folder.path(), "b/SKILL.md", "new");
    // More than one snapshot may come of two changes.
    serve.notes_until("Read again: 2 skills, 3 files");
    let report = run(&["verify", &serve.url, "--format", "json"]).json(0);
    assert_eq!(report["counts"]["verified"], 2);
    fs::remove_dir_all(folder.path().join("a")).expect("it goes");
    fs::remove_dir_all(folder.path().join("b")).expect("it goes");
    serve.notes_until("What was there before is served on");
    run(&["verify", &serve.url]).code.expect("it answers");
}

/// What is served is kept once; an answer takes memory while it is under way, and gives it back.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_what_was_served() {
    const FILE: usize = 4 * 1024 * 1024;
    let text = "x".repeat(FILE);
    let folder = folder(&[("a/SKILL.md", ""), ("a/large.txt", &text)]);
    let serve = start(folder.path(), &[]);
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://a/large.txt"}}"#;
    let peak_after = |reads: usize| {
        for _ in 0..reads {
            assert!(serve.post("/mcp", "Host: localhost\r\n", read).len() > FILE);
        }
        serve.peak_memory()
    };
    let few = peak_after(8);
    let many = peak_after(32);
    assert!(many < few + 4 * FILE, "{few} bytes, then {many}");
}
