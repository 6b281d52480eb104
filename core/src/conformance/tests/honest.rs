//! Servers that keep all rules, in every way that the specification leaves open.

use super::*;

/// What every honest server comes to: no failure, and nothing that is unknown.
fn is_clean(report: &Report, warns: &[&str]) {
    assert_eq!(ids(report, Outcome::Fail), set(&[]), "{}", report.markdown());
    assert_eq!(ids(report, Outcome::Untested), set(&[]), "{}", report.markdown());
    assert_eq!(ids(report, Outcome::Warn), set(warns), "{}", report.markdown());
}

fn files(files: &[(&str, &[u8])]) -> SkillServer {
    let files = files.iter().map(|(path, bytes)| File::new(path, bytes.to_vec()));
    SkillServer::new("Files", files)
}

fn run_over(server: &SkillServer) -> Report {
    run(&|call| answer(server, call))
}

/// An answer under another scheme than the server's own.
fn under(scheme: &str, server: &SkillServer, call: &Call) -> Reply {
    let own = |uri: &str| uri.replace(&format!("{scheme}://"), "skill://");
    let call = match call {
        Call::GetSkill { uri } => Call::GetSkill { uri: own(uri) },
        Call::ReadResource { uri } => Call::ReadResource { uri: own(uri) },
        Call::ReadDirectory { uri, cursor } => {
            Call::ReadDirectory { uri: own(uri), cursor: cursor.clone() }
        }
        other => other.clone(),
    };
    let (status, text) = answer(server, &call);
    (status, text.replace("skill://", &format!("{scheme}://")))
}

#[test]
fn the_workshop_is_clean() {
    let report = run_over(&workshop());
    is_clean(&report, &[]);
    assert_eq!((report.traffic.skills, report.traffic.files), (5, 9));
}

#[test]
#[cfg(feature = "demo")]
fn the_good_server_is_clean() {
    let report = run_over(&crate::demo::server("good").unwrap());
    is_clean(&report, &["names-should-be-unique"]);
    assert_eq!((report.traffic.skills, report.traffic.files), (10, 26));
}

#[test]
#[cfg(feature = "demo")]
fn the_broken_server_breaks_what_it_is_said_to_break() {
    let report = run_over(&crate::demo::server("broken").unwrap());
    let failed = ids(&report, Outcome::Fail);
    for id in [
        "content-digest-match",
        "content-size-match",
        "content-readable",
        "entry-frontmatter-identical",
        "entry-resources-required",
        "entry-uri-matches-frontmatter-name",
        "get-equals-list",
        "resources-complete",
        "resources-digest-format",
        "skillformat-description-length",
        "skillmd-frontmatter",
    ] {
        assert!(failed.contains(id), "{id}");
    }
}

#[test]
fn bytes_of_every_kind_are_fine() {
    let crlf = skill_md("crlf", "x\n").replace('\n', "\r\n");
    let mark = format!("\u{feff}{}", skill_md("mark", ""));
    let server = files(&[
        ("crlf/SKILL.md", crlf.as_bytes()),
        ("crlf/empty.txt", b""),
        ("crlf/image.png", &[0, 255, 254]),
        ("mark/SKILL.md", mark.as_bytes()),
    ]);
    is_clean(&run_over(&server), &[]);
}

#[test]
fn skill_md_may_come_as_a_blob() {
    let server = files(&[("a/SKILL.md", skill_md("a", "").as_bytes())]);
    let blob = crate::contents::encode_base64(skill_md("a", "").as_bytes());
    let report = run(&|call| {
        let (status, text) = answer(&server, call);
        let read = format!("\"text\":{}", crate::value::json_string(&skill_md("a", "")));
        (status, text.replace(&read, &format!("\"blob\":\"{blob}\"")))
    });
    is_clean(&report, &[]);
}

#[test]
fn items_for_other_files_may_come_along() {
    let server = files(&[("a/SKILL.md", skill_md("a", "").as_bytes())]);
    let report = run(&|call| {
        let (status, text) = answer(&server, call);
        let decoy = r#""contents":[{"uri":"skill://a/x","text":"y","mimeType":"text/plain"},"#;
        (status, text.replace("\"contents\":[", decoy))
    });
    is_clean(&report, &["content-uri-echo"]);
}

#[test]
fn any_scheme_will_do() {
    let server = workshop();
    let report = run(&|call| under("file", &server, call));
    is_clean(&report, &["skill-uri-scheme"]);
    let report = run(&|call| under("Skill", &server, call));
    is_clean(&report, &["uri-scheme-case"]);
}

#[test]
fn a_server_may_list_nothing_or_serve_nothing() {
    let nothing = files(&[]);
    let report = run_over(&nothing);
    is_clean(&report, &[]);
    assert_eq!(report.check("content-digest-match").unwrap().outcome, Outcome::NotApplicable);
    let unlisted = workshop().with_skill("tidy", |skill| skill.listed = false);
    is_clean(&run_over(&unlisted), &[]);
}

#[test]
fn directories_need_not_be_offered() {
    let report = run_over(&workshop().directory_read(false));
    is_clean(&report, &[]);
    let undeclared = report.check("directory-undeclared-method-not-found").unwrap();
    assert_eq!(undeclared.outcome, Outcome::Pass);
    assert_eq!(report.check("directory-every-level").unwrap().outcome, Outcome::NotApplicable);
}

#[test]
fn a_server_without_the_extension_is_asked_for_no_skills() {
    let server = workshop();
    let asked = std::cell::RefCell::new(Vec::new());
    let report = run(&|call| {
        asked.borrow_mut().push(call.method());
        let (status, text) = answer(&server, call);
        (status, text.replace("io.modelcontextprotocol/skills", "io.example/other"))
    });
    is_clean(&report, &[]);
    let asked = asked.into_inner();
    assert_eq!(asked, ["server/discover", "server/discover", "skillglass/no-such-method"]);
}

#[test]
fn an_empty_string_is_a_cursor() {
    let server = workshop();
    let report = run(&|call| {
        let call = match call {
            Call::ListSkills { cursor: Some(cursor) } if cursor.is_empty() => {
                Call::ListSkills { cursor: Some("3".into()) }
            }
            other => other.clone(),
        };
        let (status, text) = answer(&server, &call);
        (status, text.replace(r#""nextCursor":"3""#, r#""nextCursor":"""#))
    });
    is_clean(&report, &[]);
    assert_eq!(report.check("list-empty-cursor").unwrap().outcome, Outcome::Pass);
}

#[test]
fn older_revisions_have_rules_of_their_own() {
    let server = workshop();
    let legacy = |call: &Call| {
        let (status, text) = answer(&server, call);
        let text = text.replace(r#""resultType":"complete","#, "");
        let status = if status == 404 { 200 } else { status };
        (status, text.replace(r#""ttlMs":300000,"cacheScope":"public","#, ""))
    };
    let report = run_in(Era::Legacy, Options::default(), &legacy);
    is_clean(&report, &[]);
    for id in ["skills-list-cache-attributes", "result-type-complete"] {
        assert_eq!(report.check(id).unwrap().outcome, Outcome::NotApplicable, "{id}");
    }
    assert_eq!(report.check("no-cache-fields-on-legacy").unwrap().outcome, Outcome::Pass);
    let report = run_in(Era::Legacy, Options::default(), &|call| {
        let (status, text) = answer(&server, call);
        (if status == 404 { 200 } else { status }, text.replace(r#""resultType":"complete","#, ""))
    });
    is_clean(&report, &["no-cache-fields-on-legacy"]);
    let not_found = |call: &Call| {
        let (status, text) = legacy(call);
        (
            status,
            if call.method() == "resources/read" { text.replace("-32602", "-32002") } else { text },
        )
    };
    is_clean(&run_in(Era::Legacy, Options::default(), &not_found), &["read-unknown-32602"]);
}

#[test]
fn directories_may_come_in_pages_and_be_empty() {
    let server = workshop();
    let report = run(&|call| {
        let Call::ReadDirectory { uri, cursor } = call else { return answer(&server, call) };
        let child = |name: &str, kind: &str| {
            format!(r#"{{"uri":"skill://tidy/{name}","name":"{name}","mimeType":"{kind}"}}"#)
        };
        let (children, next) = match (uri.as_str(), cursor.as_deref()) {
            ("skill://tidy", None) => {
                let all = [child("SKILL.md", "text/markdown"), child("empty", "inode/directory")];
                (all.join(","), r#","nextCursor":"""#)
            }
            ("skill://tidy", Some(_)) => {
                let all =
                    [child("references", "inode/directory"), child("scripts", "inode/directory")];
                (all.join(","), "")
            }
            ("skill://tidy/empty", _) => (String::new(), ""),
            _ => return answer(&server, call),
        };
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","resources":[{children}]{next}}}}}"#
        );
        (200, text)
    });
    is_clean(&report, &[]);
    assert_eq!(report.check("directory-pagination-complete").unwrap().outcome, Outcome::Pass);
    assert_eq!(report.check("directory-empty-array").unwrap().outcome, Outcome::Pass);
}

#[test]
fn a_nested_skill_md_may_be_no_more_than_a_file() {
    let server = workshop().with_skill("acme/outer/inner", |skill| skill.listed = false);
    let inner = "skill://acme/outer/inner/SKILL.md";
    let report = run(&|call| {
        if call == &(Call::GetSkill { uri: inner.to_owned() }) {
            let unknown = Call::GetSkill { uri: "skill://gone/SKILL.md".to_owned() };
            return answer(&server, &unknown);
        }
        answer(&server, call)
    });
    is_clean(&report, &[]);
    assert_eq!(report.check("nested-flat-listing").unwrap().outcome, Outcome::Pass);
}

#[test]
fn both_eras_may_be_compared() {
    let server = workshop();
    let with = |other: &SkillServer| {
        let other = connect(Era::Legacy, &answer(other, &Call::Discover).1).discovery;
        let options = Options { other_era: Some(other), ..Options::default() };
        run_in(Era::Modern, options, &|call| answer(&server, call))
    };
    let same = with(&server);
    is_clean(&same, &[]);
    assert_eq!(same.check("capability-same-on-both-wires").unwrap().outcome, Outcome::Pass);
    is_clean(&with(&workshop().directory_read(false)), &["capability-same-on-both-wires"]);
}

/// A check that passes nowhere may be one that cannot.
#[test]
fn every_check_passes_somewhere() {
    let mut never: BTreeSet<_> = CHECKS.iter().map(|check| check.id).collect();
    let mut saw = |report: &Report| {
        for id in ids(report, Outcome::Pass) {
            never.remove(id);
        }
    };
    saw(&run_over(&workshop()));
    saw(&run_over(&workshop().with_skill("acme/outer/inner", |skill| skill.listed = false)));
    saw(&run_over(&workshop().directory_read(false)));
    // What needs a server of its own has a test of its own above.
    let elsewhere = [
        "capability-same-on-both-wires",
        "directory-empty-array",
        "directory-pagination-complete",
        "list-empty-cursor",
        "no-cache-fields-on-legacy",
    ];
    assert_eq!(never, set(&elsewhere));
}
