//! For every check a fault that it finds, and nothing else than what follows from the fault.

use std::cell::Cell;

use super::*;
use crate::protocol::{INVALID_PARAMS, METHOD_NOT_FOUND};

/// What a fault does to an answer.
type Change = Box<dyn Fn(&Call, Reply) -> Reply>;

struct Fault {
    /// The checks that fail or warn, the one it is made for first.
    breaks: &'static [&'static str],
    server: SkillServer,
    change: Change,
}

fn fault(breaks: &'static [&'static str], change: Change) -> Fault {
    Fault { breaks, server: workshop(), change }
}

fn serving(breaks: &'static [&'static str], server: SkillServer) -> Fault {
    Fault { breaks, server, change: Box::new(|_, reply| reply) }
}

/// Replaces text in the results of the methods that begin with `method`.
fn replace(method: &'static str, from: impl Into<String>, to: impl Into<String>) -> Change {
    let (from, to) = (from.into(), to.into());
    Box::new(move |call, (status, text)| {
        let text = if call.method().starts_with(method) { text.replace(&from, &to) } else { text };
        (status, text)
    })
}

/// Replaces text in the result for one URI or cursor.
fn replace_for(
    method: &'static str,
    subject: &'static str,
    from: &'static str,
    to: impl Into<String>,
) -> Change {
    let to = to.into();
    Box::new(move |call, (status, text)| {
        let is_it = call.method() == method && call.subject() == Some(subject);
        (status, if is_it { text.replace(from, &to) } else { text })
    })
}

fn error(code: i64) -> Reply {
    let status = if code == METHOD_NOT_FOUND { 404 } else { 200 };
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}"#);
    (status, text)
}

/// Answers with an error, of one subject or of all.
fn refuse(method: &'static str, subject: Option<&'static str>, code: i64) -> Change {
    Box::new(move |call, reply| {
        let is_it = call.method() == method && (subject.is_none() || call.subject() == subject);
        if is_it { error(code) } else { reply }
    })
}

/// Answers with this result.
fn instead(method: &'static str, subject: &'static str, result: &'static str) -> Change {
    Box::new(move |call, reply| {
        if call.method() != method || !call.subject().is_some_and(|it| it.contains(subject)) {
            return reply;
        }
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","ttlMs":1,"cacheScope":"public",{result}}}}}"#
        );
        (200, text)
    })
}

/// Another answer to each question of the kind.
fn changing(method: &'static str, subject: &'static str, from: &'static str) -> Change {
    let times = Cell::new(0);
    Box::new(move |call, (status, text)| {
        if call.method() != method || call.subject() != Some(subject) {
            return (status, text);
        }
        times.set(times.get() + 1);
        (status, text.replace(from, &format!("{from}{}", times.get())))
    })
}

fn with_file(path: &str, text: &str) -> SkillServer {
    let files = [("a/SKILL.md", skill_md("a", "")), (path, text.to_owned())];
    SkillServer::new("Two", files.map(|(path, text)| File::new(path, text.into_bytes())))
}

fn with_frontmatter(lines: &str) -> SkillServer {
    let text = format!("---\nname: b\ndescription: B.\n{lines}\n---\n");
    with_file("b/SKILL.md", &text)
}

fn many_files(count: usize, size: usize) -> SkillServer {
    let files = (1..count).map(|at| File::new(&format!("a/f{at}"), vec![b'x'; size]));
    let skill_md = File::new("a/SKILL.md", skill_md("a", "").into_bytes());
    SkillServer::new("Many", files.chain([skill_md])).directory_read(false)
}

fn entry_of(path: &str) -> String {
    let server = workshop();
    server.skills().iter().find(|skill| skill.path == path).unwrap().entry(true)
}

#[rustfmt::skip]
fn faults() -> Vec<Fault> {
    let declared = r#"{"directoryRead":true}"#;
    let tidy = "skill://tidy/SKILL.md";
    let rules = "skill://tidy/references/rules.md";
    vec![
        fault(&["capability-empty-object", "wire-schema-valid"], replace("server/", declared, "true")),
        fault(&["capability-declaration-inline"], replace("server/", declared, r#"{"directoryRead":true,"config":{}}"#)),
        fault(&["capability-requires-resources"], replace("server/", r#""resources":{},"#, "")),
        fault(&["capability-directory-read-boolean"], replace("server/", declared, r#"{"directoryRead":"yes"}"#)),
        fault(&["capability-commits-to-methods", "skills-get-implemented"], refuse("skills/get", None, METHOD_NOT_FOUND)),
        fault(&["skills-list-implemented", "capability-commits-to-methods"], refuse("skills/list", None, METHOD_NOT_FOUND)),
        fault(&["list-skills-array"], replace("skills/list", r#""skills":["#, r#""skillz":["#)),
        fault(&["skills-list-pagination"], replace_for("skills/list", "3", r#""skills":["#, r#""nextCursor":"3","skills":["#)),
        fault(&["skills-list-pagination", "wire-schema-valid"], replace("skills/list", r#""nextCursor":"3""#, r#""nextCursor":3"#)),
        fault(&["list-empty-cursor", "skills-list-pagination"], replace("skills/list", r#""nextCursor":"3""#, r#""nextCursor":"""#)),
        fault(&["list-invalid-cursor-32602"], instead("skills/list", "probe", r#""skills":[]"#)),
        fault(&["skills-list-entry-atomic"], replace_for("skills/list", "3", r#""skills":["#, format!(r#""skills":[{},"#, entry_of("acme/outer")))),
        fault(&["list-uri-unique-per-page", "entry-frontmatter-identical", "get-equals-list"], replace_for("skills/list", "3", r#""skills":["#, format!(r#""skills":[{},"#, entry_of("tidy").replace("MIT", "BSD")))),
        serving(&["names-should-be-unique"], with_file("x/a/SKILL.md", &skill_md("a", ""))),
        fault(&["skills-list-cache-attributes"], replace("skills/list", r#""ttlMs":300000,"#, "")),
        fault(&["cache-values-valid"], replace("skills/list", r#""ttlMs":300000"#, r#""ttlMs":-1"#)),
        fault(&["cache-values-valid"], replace("skills/get", r#""cacheScope":"public""#, r#""cacheScope":"all""#)),
        fault(&["result-type-complete"], replace("skills/get", r#""resultType":"complete""#, r#""resultType":"done""#)),
        fault(&["skills-get-implemented", "capability-commits-to-methods", "get-answers-every-listed"], refuse("skills/get", Some("skill://acme/outer/SKILL.md"), INVALID_PARAMS)),
        fault(&["get-answers-every-listed"], refuse("skills/get", Some(tidy), INVALID_PARAMS)),
        fault(&["get-answers-unlisted", "instructions-uris-resolve"], refuse("skills/get", Some("skill://acme/hidden/SKILL.md"), INVALID_PARAMS)),
        fault(&["skills-get-entry-shape"], instead("skills/get", "tidy/SKILL.md", r#""skill":null"#)),
        fault(&["get-entry-full-rules", "get-equals-list", "resources-digest-format"], replace("skills/get", "sha256:", "SHA256:")),
        fault(&["get-equals-list", "entry-frontmatter-identical"], replace_for("skills/get", tidy, "What tidy does.", "Other.")),
        fault(&["skills-get-no-cursor"], replace("skills/get", r#""skill":"#, r#""nextCursor":"1","skill":"#)),
        fault(&["skills-get-cache-attributes"], replace("skills/get", r#""cacheScope":"public","#, "")),
        fault(&["skills-get-unknown-uri-invalid-params"], refuse("skills/get", Some("skill://skillglass-probe-no-such-thing/SKILL.md"), -32002)),
        fault(&["get-nonskill-uri-32602"], instead("skills/get", "notes.md", r#""skill":{}"#)),
        fault(&["instructions-uris-resolve"], replace("server/", "acme/hidden", "acme/gone")),
        Fault {
            server: workshop().with_skill("acme/outer/inner", |skill| skill.listed = false),
            ..fault(&["nested-flat-listing"], refuse("skills/get", Some("skill://acme/outer/inner/SKILL.md"), -32603))
        },
        fault(&["entry-shape", "entry-uri-required", "entry-frontmatter-required", "entry-resources-required"], replace_for("skills/list", "3", r#""skills":["#, r#""skills":[5,"#)),
        fault(&["entry-duplicate-member"], replace("skills/", r#"{"name":"tidy","#, r#"{"name":"tidy","name":"tidy","#)),
        fault(&["entry-not-unicode"], replace("skills/", "What tidy does.", "\\ud800")),
        fault(&["entry-uri-required"], replace("skills/list", format!(r#"{{"uri":"{tidy}","frontmatter"#), r#"{"frontmatter"#)),
        fault(&["entry-uri-form", "entry-uri-matches-frontmatter-name", "get-answers-every-listed", "resources-complete"], replace("skills/list", format!(r#"{{"uri":"{tidy}","frontmatter"#), r#"{"uri":"skill://tidy","frontmatter"#)),
        fault(&["entry-frontmatter-required", "entry-frontmatter-identical"], replace("skills/", r#"{"name":"tidy","description":"What tidy does.","#, r#"{"name":"tidy","description":"","#)),
        fault(&["entry-frontmatter-required", "skills-get-entry-shape"], replace("skills/", r#""frontmatter":{"name":"tidy","#, r#""meta":{"name":"tidy","#)),
        fault(&["entry-resources-required", "skills-get-entry-shape"], replace("skills/", r#""resources":"dynamic""#, r#""resources":"Dynamic""#)),
        fault(&["entry-uri-matches-frontmatter-name", "entry-frontmatter-identical"], replace("skills/", r#"{"name":"tidy","#, r#"{"name":"neat","#)),
        serving(&["name-naming-rules", "skillformat-name-rules"], with_file("B_c/SKILL.md", &skill_md("B_c", ""))),
        serving(&["authority-reg-name", "wire-schema-valid"], with_file("my team/b/SKILL.md", &skill_md("b", ""))),
        serving(&["uri-prefix-segments", "wire-schema-valid"], with_file("team/my b/b/SKILL.md", &skill_md("b", ""))),
        serving(&["metadata-reserved-prefix"], with_frontmatter("metadata:\n  io.modelcontextprotocol/x: y")),
        fault(&["resources-complete"], replace("skills/", line_of(rules), format!("{0},{0}", line_of(rules)))),
        fault(&["resources-complete", "manifest-complete-vs-directory", "manifest-complete-vs-resources-list"], replace("skills/", format!("{},", line_of(tidy)), "")),
        fault(&["resources-uri-within-skill"], replace("skills/", line_of(rules), format!("{},{}", line_of(rules), line_of("skill://acme/hidden/SKILL.md")))),
        fault(&["manifest-uri-canonical"], replace("skills/", line_of(rules), format!("{},{}", line_of(rules), line_of(rules).replace("rules.md", "./rules.md")))),
        fault(&["resources-digest-format", "get-entry-full-rules"], replace("skills/", "sha256:", "sha256-")),
        fault(&["resources-size-required"], replace("skills/", r#""size":7}"#, r#""size":"7"}"#)),
        serving(&["limit-resources-per-skill", "limits-actual-bytes"], many_files(514, 1)),
        serving(&["limit-total-size", "limits-actual-bytes"], many_files(6, 4 << 20)),
        Fault {
            server: many_files(6, 4 << 20),
            ..fault(&["limits-actual-bytes", "content-size-match"], replace("skills/", r#""size":4194304"#, r#""size":4"#))
        },
        fault(&["manifest-complete-vs-directory", "manifest-complete-vs-resources-list", "manifest-links-listed", "resources-complete"], replace("skills/", format!("{},", line_of(rules)), "")),
        Fault {
            server: workshop().directory_read(false),
            ..fault(&["manifest-complete-vs-resources-list"], replace("skills/", format!(",{}", line_of("skill://acme/outer/inner/notes.md")), ""))
        },
        fault(&["manifest-nested-complete", "content-size-match"], Box::new(|call, (status, text)| {
            let outer = call.subject() == Some("skill://acme/outer/SKILL.md") || call.method() == "skills/list";
            let notes = line_of("skill://acme/outer/inner/notes.md");
            let text = if call.method().starts_with("skills/") && outer {
                // The outer manifest comes first.
                text.replacen(&notes, &notes.replace(":7}", ":8}"), 1)
            } else {
                text
            };
            (status, text)
        })),
        serving(&["manifest-links-listed"], with_file("b/SKILL.md", &skill_md("b", "[gone](gone.md)"))),
        fault(&["dynamic-honest", "content-digest-match", "content-size-match"], changing("resources/read", rules, "Rules.")),
        fault(&["dynamic-honest", "content-size-match", "get-equals-list"], changing("skills/get", tidy, r#""size":7"#)),
        fault(&["content-readable"], refuse("resources/read", Some(rules), INVALID_PARAMS)),
        fault(&["content-readable"], instead("resources/read", "rules.md", r#""contents":[]"#)),
        fault(&["content-uri-echo"], replace_for("resources/read", rules, "rules.md", "other.md")),
        fault(&["content-size-match"], replace("skills/", r#""size":7}"#, r#""size":8}"#)),
        fault(&["content-digest-match"], replace_for("resources/read", rules, "Rules.", "Rulez.")),
        fault(&["read-unknown-32602"], instead("resources/read", "no-such-thing.md", r#""contents":[]"#)),
        fault(&["read-traversal-refused"], instead("resources/read", "passwd", r#""contents":[{"uri":"x:y","text":"root"}]"#)),
        fault(&["skillmd-required", "content-readable"], refuse("resources/read", Some(tidy), INVALID_PARAMS)),
        fault(&["skillmd-frontmatter", "content-digest-match", "content-size-match"], replace_for("resources/read", tidy, "---\\nname", "name")),
        fault(&["final-segment-equals-name", "content-digest-match", "entry-frontmatter-identical", "skillmd-metadata-name"], replace_for("resources/read", tidy, "name: tidy", "name: neat")),
        fault(&["entry-frontmatter-identical"], replace("skills/", r#""license":"MIT""#, r#""license":"BSD""#)),
        serving(&["frontmatter-null-vs-absent"], with_frontmatter("note: ~").with_skill("b", |skill| {
            skill.frontmatter = skill.frontmatter.replace(r#","note":null"#, "");
        })),
        serving(&["skillformat-name-rules", "name-naming-rules"], with_file("B_c/SKILL.md", &skill_md("B_c", ""))),
        serving(&["skillformat-description-length"], with_file("b/SKILL.md", "---\nname: b\ndescription: ' '\n---\n")),
        serving(&["skillformat-compatibility-length"], with_frontmatter("compatibility: ''")),
        serving(&["skillformat-license-string"], with_frontmatter("license: 1")),
        serving(&["skillformat-metadata-string-map"], with_frontmatter("metadata: [a]")),
        serving(&["skillformat-allowed-tools-string"], with_frontmatter("allowed-tools: [a]")),
        fault(&["skillmd-mimetype"], replace("resources/", "text/markdown", "text/plain")),
        fault(&["skillmd-metadata-name"], replace("resources/list", r#""name":"tidy""#, r#""name":"SKILL.md""#)),
        fault(&["skillmd-metadata-description"], replace("resources/list", "What tidy does.", "Else.")),
        fault(&["resource-metadata-all", "directory-child-shape"], replace("resources/list", "text/x-python", "text/plain")),
        fault(&["meta-prefix"], replace("resources/read", r#""mimeType""#, r#""_meta":{"bare":1},"mimeType""#)),
        fault(&["directory-read-method-registered", "directory-every-level", "directory-read-invalid-params", "directory-unknown-32602", "directory-read-result-resources-shape", "directory-read-pagination"], refuse("resources/directory/read", None, METHOD_NOT_FOUND)),
        fault(&["directory-every-level"], refuse("resources/directory/read", Some("skill://tidy/references"), INVALID_PARAMS)),
        fault(&["directory-read-result-resources-shape"], instead("resources/directory/read", "tidy/references", r#""children":[]"#)),
        fault(&["directory-child-shape"], replace_for("resources/directory/read", "skill://tidy/references", r#""name":"rules.md","#, "")),
        fault(&["directory-children-exact"], instead("resources/directory/read", "tidy/references", r#""resources":[]"#)),
        fault(&["directory-read-subdir-mimetype"], replace_for("resources/directory/read", "skill://tidy", "inode/directory", "text/plain")),
        fault(&["directory-uri-no-slash"], replace_for("resources/directory/read", "skill://tidy", r#"/scripts""#, r#"/scripts/""#)),
        fault(&["directory-read-pagination", "directory-pagination-complete"], replace_for("resources/directory/read", "skill://tidy", r#""resources":["#, r#""nextCursor":"","resources":["#)),
        fault(&["directory-pagination-complete"], Box::new(|call, (status, text)| {
            let Call::ReadDirectory { uri, cursor } = call else { return (status, text) };
            let more = uri == "skill://tidy" && cursor.is_none();
            (status, if more { text.replace(r#""resources":["#, r#""nextCursor":"","resources":["#) } else { text })
        })),
        fault(&["directory-empty-array"], replace_for("resources/directory/read", "skill://tidy", r#""resources":["#, r#""resources":[{"uri":"skill://tidy/empty","name":"empty","mimeType":"inode/directory"},"#)),
        fault(&["directory-read-invalid-params"], instead("resources/directory/read", "outer/SKILL.md", r#""resources":[]"#)),
        fault(&["directory-unknown-32602"], instead("resources/directory/read", "no-such-thing", r#""resources":[]"#)),
        Fault {
            server: workshop().directory_read(false),
            ..fault(&["directory-undeclared-method-not-found"], refuse("resources/directory/read", None, -32603))
        },
        fault(&["wire-schema-valid"], replace("resources/read", r#""ttlMs":300000,"#, "")),
        fault(&["json-mark"], Box::new(|call, (status, text)| {
            let marked = call.method() == "resources/read";
            (status, if marked { format!("\u{feff}{text}") } else { text })
        })),
        fault(&["method-not-found-404"], Box::new(|call, (status, text)| {
            (if call.method().starts_with("skillglass/") { 200 } else { status }, text)
        })),
        fault(&["error-message-informative"], Box::new(|call, (status, text)| {
            let is_error = call.method() == "resources/read" && text.contains("\"error\"");
            let at = text.find("\"message\"").unwrap_or_default();
            (status, if is_error { format!("{}\"message\":\"\"}}}}", &text[..at]) } else { text })
        })),
    ]
}

/// A line of a manifest of [`workshop`].
fn line_of(uri: &str) -> String {
    let server = workshop();
    let entries = server.skills().iter().map(|skill| skill.entry(true));
    let begin = format!(r#"{{"uri":"{uri}","digest""#);
    let entry = entries.into_iter().find(|entry| entry.contains(&begin)).unwrap();
    let start = entry.find(&begin).unwrap();
    let end = start + entry[start..].find('}').unwrap();
    entry[start..=end].to_owned()
}

#[test]
fn each_fault_is_found_by_its_check_and_nothing_else() {
    let mut wrong = Vec::new();
    for fault in faults() {
        let report = run(&|call| (fault.change)(call, answer(&fault.server, call)));
        let mut broken = ids(&report, Outcome::Fail);
        broken.extend(ids(&report, Outcome::Warn));
        if broken != set(fault.breaks) {
            wrong.push(format!("{:?}: {broken:?}", fault.breaks));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_check_has_a_fault() {
    let mut without: BTreeSet<_> = CHECKS.iter().map(|check| check.id).collect();
    for fault in faults() {
        without.remove(fault.breaks[0]);
    }
    // Other eras and schemes are among the honest servers: these only warn.
    let honest = [
        "capability-same-on-both-wires",
        "no-cache-fields-on-legacy",
        "skill-uri-scheme",
        "uri-scheme-case",
    ];
    assert_eq!(without, set(&honest));
}

#[test]
fn a_place_that_list_and_get_repeat_counts_once() {
    let server = workshop();
    let report = run(&|call| {
        let (status, text) = answer(&server, call);
        let is_entry = matches!(call, Call::ListSkills { .. } | Call::GetSkill { .. });
        let wrong = "\"metadata\":{\"n\":1},\"description\":";
        (status, if is_entry { text.replace("\"description\":", wrong) } else { text })
    });
    let results = report.checks.iter().flat_map(|check| &check.results);
    let evidence = results.flat_map(|result| &result.evidence);
    let wrong = |it: &&Evidence| it.message.starts_with("metadata maps strings");
    let times: Vec<_> = evidence.filter(wrong).map(|it| it.times).collect();
    assert!(!times.is_empty() && times.iter().all(|times| *times == 1), "{times:?}");
}
