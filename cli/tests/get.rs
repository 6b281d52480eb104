//! `get`: a skill on disk, verified, complete or not at all.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use skillglass::digest::Digest;
use skillglass::server::{File, SkillServer};

use crate::run::{Run, run};
use crate::server::{Server, demo, method, reply, respond};

const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills");

fn get(server: &str, skill: &str, folder: &Path, more: &[&str]) -> Run {
    let folder = folder.to_str().expect("text");
    run(&[&["get", server, skill, "-o", folder], more].concat())
}

/// The files below a folder, but not what this program keeps for itself.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.ends_with(".skillglass") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(folder).expect("below");
                found.push(path.to_str().expect("text").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A server of one skill, `tidy`, whose notes say this.
fn tidy(notes: &str) -> SkillServer {
    let skill_md = b"---\nname: tidy\ndescription: Tidies up.\n---\n".as_slice();
    SkillServer::new(
        "tidy",
        [
            File::new("tidy/SKILL.md", skill_md),
            File::new("tidy/a%20b/notes.md", notes.as_bytes().to_vec()),
        ],
    )
}

#[test]
fn a_skill_arrives_as_it_was_promised() {
    let (server, folder) = (Server::of(demo("good")), tempfile::tempdir().expect("a folder"));
    let to = folder.path().join("new/skills");
    let got = get(&server.url, "atelier/billing/refunds", &to, &[]);
    assert!(got.ended(0).contains("6 files"), "{}", got.stdout);
    let source = Path::new(SKILLS).join("good/atelier/billing/refunds");
    assert_eq!(files(&to.join("refunds")), files(&source));
    for file in files(&source) {
        assert_eq!(
            fs::read(to.join("refunds").join(&file)).ok(),
            fs::read(source.join(&file)).ok()
        );
    }
    let record = fs::read(to.join(".skillglass/refunds.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!(record["server"], server.url.as_str());
    assert_eq!(record["uri"], "skill://atelier/billing/refunds/SKILL.md");
    let left: Vec<_> = fs::read_dir(to.join(".skillglass")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing but the record is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let script = fs::metadata(to.join("refunds/scripts/check_order.py")).expect("a file");
        assert_eq!(script.permissions().mode() & 0o111, 0, "no file can be run by accident");
    }
    let reads = server.count("resources/read");
    assert!(
        get(&server.url, "atelier/billing/refunds", &to, &[]).ended(0).contains("is there already")
    );
    assert_eq!(server.count("resources/read"), reads, "what is there is not read again");
}

#[test]
fn which_rules_a_skill_breaks_is_said() {
    let (from, to) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    std::fs::create_dir(from.path().join("bad-one")).expect("a folder");
    let skill_md = "---\nname: other-name\ndescription:\n---\n";
    std::fs::write(from.path().join("bad-one/SKILL.md"), skill_md).expect("a file");
    let server = from.path().to_str().expect("text");
    let got = get(server, "other-name", to.path(), &[]);
    assert!(got.ended(0).contains("verified"), "{}", got.stdout);
    assert_eq!(got.stderr.matches("The entry breaks a rule").count(), 2, "{}", got.stderr);
}

#[test]
fn names_are_decoded() {
    let (server, folder) = (Server::of(tidy("1")), tempfile::tempdir().expect("a folder"));
    get(&server.url, "tidy", folder.path(), &[]).ended(0);
    assert_eq!(files(folder.path()), ["tidy/SKILL.md", "tidy/a b/notes.md"]);
}

#[test]
fn what_fails_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for skill in
        ["wrong-digest", "crlf-conversion", "tab-indent", "no-resources", "frontmatter-drift"]
    {
        let refused = get("demo:broken", &format!("skill://{skill}/SKILL.md"), folder.path(), &[]);
        assert!(refused.failed(1).contains("Refused: "), "{}", refused.stderr);
    }
    let dynamic = get("demo:good", "daily-briefing", folder.path(), &[]);
    assert!(dynamic.failed(1).contains("it is dynamic"));
    assert!(get("demo:broken", "missing-file", folder.path(), &[]).failed(2).contains("-32602"));
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

#[test]
fn a_file_that_leads_elsewhere_is_never_read() {
    let lines = |paths: &[&str]| {
        let line = |path: &&str| {
            format!(r#"{{"uri":"skill://tidy/{path}","digest":"{}","size":0}}"#, Digest::of(b""))
        };
        paths.iter().map(line).collect::<Vec<_>>().join(",")
    };
    let folder = tempfile::tempdir().expect("a folder");
    for path in ["..%2F..%2Fescape", "a%5C..%5C..%5Cescape", ".git/config", "skill.md", "a%00b"] {
        let entry = format!(
            r#"{{"uri":"skill://tidy/SKILL.md","frontmatter":{{"name":"tidy","description":"d"}},"resources":[{}]}}"#,
            lines(&["SKILL.md", path]),
        );
        let honest = tidy("1");
        let server = Server::start(move |request| match method(request).as_deref() {
            Some("skills/get") => {
                let body = format!(
                    r#"{{"id":1,"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"public","skill":{entry}}}}}"#
                );
                respond(200, &[("content-type", "application/json")], body)
            }
            _ => reply(honest.answer(request)),
        });
        get(&server.url, "skill://tidy/SKILL.md", folder.path(), &[]).failed(1);
        assert_eq!(server.count("resources/read"), 0, "{path}");
    }
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

#[test]
fn an_interrupted_run_is_taken_up_again() {
    let (good, reads) = (demo("good"), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&reads);
    // It breaks off after four files, and then answers again.
    let server = Server::start(move |request| {
        let number = match method(request).as_deref() {
            Some("resources/read") => counted.fetch_add(1, Ordering::SeqCst),
            _ => 0,
        };
        if (4..5).contains(&number) {
            return respond(
                200,
                &[("content-type", "application/json"), ("content-length", "9")],
                "{",
            );
        }
        reply(good.answer(request))
    });
    let folder = tempfile::tempdir().expect("a folder");
    let again = ["--parallel", "1"];
    get(&server.url, "atelier/billing/refunds", folder.path(), &again).failed(2);
    assert_eq!(files(folder.path()), Vec::<String>::new());
    let got = get(&server.url, "atelier/billing/refunds", folder.path(), &again);
    got.ended(0);
    assert!(got.stderr.contains("4 files kept"), "{}", got.stderr);
    assert_eq!(reads.load(Ordering::SeqCst), 5 + 2);
    assert_eq!(files(folder.path()).len(), 6);
}

#[test]
fn only_what_this_command_put_there_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = || fs::read_to_string(folder.path().join("tidy/a b/notes.md")).expect("notes");
    // One address that serves another version later.
    let version = Arc::new(AtomicUsize::new(1));
    let served = Arc::clone(&version);
    let server = Server::start(move |request| {
        reply(tidy(&served.load(Ordering::SeqCst).to_string()).answer(request))
    });
    get(&server.url, "tidy", folder.path(), &[]).ended(0);
    version.store(2, Ordering::SeqCst);
    assert!(get(&server.url, "tidy", folder.path(), &[]).failed(2).contains("--replace"));
    assert_eq!(notes(), "1");
    get(&server.url, "tidy", folder.path(), &["--replace"]).ended(0);
    assert_eq!(notes(), "2");
    let other = Server::of(tidy("3"));
    let refused = get(&other.url, "tidy", folder.path(), &["--replace"]);
    assert!(refused.failed(2).contains("another server"));
    fs::remove_dir_all(folder.path().join(".skillglass")).expect("the record goes");
    assert!(get(&server.url, "tidy", folder.path(), &["--replace"]).ended(0).contains("already"));
    version.store(4, Ordering::SeqCst);
    let refused = get(&server.url, "tidy", folder.path(), &["--replace"]);
    assert!(refused.failed(2).contains("no record"));
    assert_eq!(notes(), "2");
}
