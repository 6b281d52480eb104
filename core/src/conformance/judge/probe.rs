//! Questions that a server has to refuse, and what it may answer.

use super::{NoResult, broken};
use crate::finding::{Finding, Level, Section, excerpt};
use crate::protocol::{Call, Era, INVALID_PARAMS, LEGACY_NOT_FOUND, METHOD_NOT_FOUND};
use crate::uri::{SKILL_MD, SkillUri};
use crate::value::Node;

/// A question that has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Probe {
    /// The check it belongs to.
    pub(in super::super) check: &'static str,
    /// What is asked for, for sentences.
    pub(in super::super) what: &'static str,
    /// The question.
    pub(in super::super) call: Call,
    expects: Expect,
}

/// What the right refusal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// Error -32602.
    InvalidParams,
    /// Error -32602; another code is no more than unusual, since base SDKs choose it.
    InvalidParamsOrSo,
    /// Error -32601, with HTTP status 404 since 2026-07-28.
    MethodNotFound,
    /// As before, or a result with an array of resources.
    MethodNotFoundOrDirectory,
    /// Any error.
    Refusal,
}

/// A part of URIs that no server has by chance.
const NOBODY: &str = "skillglass-probe-no-such-thing";

/// The probes for what every server has.
pub(in super::super) fn of_server(skills: bool) -> Vec<Probe> {
    let method = Probe {
        check: "method-not-found-404",
        what: "an unknown method",
        call: Call::Probe { method: "skillglass/no-such-method" },
        expects: Expect::MethodNotFound,
    };
    if !skills {
        return vec![method];
    }
    let unknown = format!("skill://{NOBODY}/{SKILL_MD}");
    vec![
        method,
        Probe {
            check: "skills-get-unknown-uri-invalid-params",
            what: "an unknown skill",
            call: Call::GetSkill { uri: unknown },
            expects: Expect::InvalidParams,
        },
        Probe {
            check: "get-nonskill-uri-32602",
            what: "skills/get without a uri",
            call: Call::Probe { method: "skills/get" },
            expects: Expect::InvalidParamsOrSo,
        },
        Probe {
            check: "list-invalid-cursor-32602",
            what: "an unknown cursor",
            call: Call::ListSkills { cursor: Some(NOBODY.to_owned()) },
            expects: Expect::InvalidParams,
        },
    ]
}

/// The probes around one skill and, where it has one, a supporting file of it.
pub(in super::super) fn of_skill(
    skill: SkillUri<'_>,
    file: Option<&str>,
    directories: bool,
) -> Vec<Probe> {
    let root = skill.root();
    let read = |check, what, uri: String, expects| Probe {
        check,
        what,
        call: Call::ReadResource { uri },
        expects,
    };
    let get = |what, uri: &str| Probe {
        check: "get-nonskill-uri-32602",
        what,
        call: Call::GetSkill { uri: uri.to_owned() },
        expects: Expect::InvalidParams,
    };
    let directory = |check, what, uri: String, expects| Probe {
        check,
        what,
        call: Call::ReadDirectory { uri, cursor: None },
        expects,
    };
    let elsewhere = format!("skill://{NOBODY}/{}/{SKILL_MD}", skill.name());
    let lower_case = format!("{root}/{}", SKILL_MD.to_ascii_lowercase());
    let mut probes = vec![
        Probe {
            check: "skills-get-unknown-uri-invalid-params",
            what: "a skill's name under another path",
            call: Call::GetSkill { uri: elsewhere },
            expects: Expect::InvalidParams,
        },
        get("the directory of a skill", root),
        get("skill.md instead of SKILL.md", &lower_case),
        read(
            "read-unknown-32602",
            "an unknown file",
            format!("{root}/{NOBODY}.md"),
            Expect::InvalidParams,
        ),
        read(
            "read-traversal-refused",
            "a path out of the skill",
            format!("{root}/{}etc/passwd", "../".repeat(12)),
            Expect::Refusal,
        ),
        read(
            "read-traversal-refused",
            "an encoded path out of the skill",
            format!("{root}/{}etc%2fpasswd", "%2e%2e%2f".repeat(12)),
            Expect::Refusal,
        ),
    ];
    probes.extend(file.map(|file| get("a supporting file", file)));
    if directories {
        probes.extend([
            directory(
                "directory-unknown-32602",
                "an unknown directory",
                format!("{root}/{NOBODY}"),
                Expect::InvalidParams,
            ),
            directory(
                "directory-read-invalid-params",
                "a file instead of a directory",
                skill.uri().as_str().to_owned(),
                Expect::InvalidParams,
            ),
            Probe {
                check: "directory-read-invalid-params",
                what: "resources/directory/read without a uri",
                call: Call::Probe { method: "resources/directory/read" },
                expects: Expect::InvalidParamsOrSo,
            },
        ]);
    } else {
        probes.push(directory(
            "directory-undeclared-method-not-found",
            "the undeclared resources/directory/read",
            root.to_owned(),
            Expect::MethodNotFoundOrDirectory,
        ));
    }
    probes
}

/// What is wrong with the answer to a probe, which came over `http` or over a pipe.
pub(in super::super) fn judge(
    probe: &Probe,
    era: Era,
    http: bool,
    outcome: Result<&Node<'_>, &NoResult>,
) -> Vec<Finding> {
    let refusal = match outcome {
        Ok(result) => return answered(probe, result).into_iter().collect(),
        Err(refusal) => refusal,
    };
    let wanted = match probe.expects {
        Expect::InvalidParams | Expect::InvalidParamsOrSo => Some(INVALID_PARAMS),
        Expect::MethodNotFound | Expect::MethodNotFoundOrDirectory => Some(METHOD_NOT_FOUND),
        Expect::Refusal => None,
    };
    let wants_404 = wanted == Some(METHOD_NOT_FOUND) && era == Era::Modern && http;
    let mut findings = Vec::new();
    if let Some(wanted) = wanted.filter(|wanted| refusal.code() != Some(*wanted)) {
        findings.push(other_code(probe, era, refusal, wanted));
    }
    let NoResult::Refused(error) = refusal else { return findings };
    if findings.is_empty() && wants_404 && error.status != 404 {
        let message = format!(
            "{} is refused with the right error, {METHOD_NOT_FOUND}, but under the HTTP status {}",
            probe.what, error.status
        );
        findings.push(broken(probe.check, message).sides("404", error.status.to_string()));
    }
    if error.message.trim().is_empty() {
        let message = format!("the refusal of {} has no message", probe.what);
        findings.push(broken("error-message-informative", message));
    }
    findings
}

/// A result where there should be none.
fn answered(probe: &Probe, result: &Node<'_>) -> Option<Finding> {
    let works = result.get("resources").and_then(Node::as_array).is_some();
    if probe.expects == Expect::MethodNotFoundOrDirectory && works {
        return None;
    }
    let message = format!("{} is answered with a result", probe.what);
    let finding = broken(probe.check, message).actual(excerpt(&result.to_json(), 300));
    let empty = result.get("contents").and_then(Node::as_array).is_some_and(<[_]>::is_empty);
    // Normalising dot segments and finding nothing behind them is refusing, if badly.
    if empty && probe.expects == Expect::Refusal {
        return None;
    }
    Some(finding)
}

fn other_code(probe: &Probe, era: Era, refusal: &NoResult, wanted: i64) -> Finding {
    let message = match refusal {
        NoResult::Refused(_) => {
            format!("{} is refused with another error than {wanted}", probe.what)
        }
        NoResult::Unreadable(_) => {
            format!("the answer for {} is no error {wanted}", probe.what)
        }
    };
    let mut finding = broken(probe.check, message).sides(wanted.to_string(), refusal.to_string());
    let older = era == Era::Legacy
        && refusal.code() == Some(LEGACY_NOT_FOUND)
        && matches!(probe.call, Call::ReadResource { .. });
    if older {
        finding.level = Level::Should;
        finding.section = Section::Errors;
        finding = finding.cause("-32002 is the code of older revisions; hosts still accept it");
    }
    if probe.expects == Expect::InvalidParamsOrSo {
        finding.level = Level::Should;
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::protocol::RpcError;

    fn says(code: i64, status: u16, message: &str) -> NoResult {
        let message = message.to_owned();
        NoResult::Refused(RpcError { code: Some(code), message, data: None, status })
    }

    fn error(code: i64, status: u16) -> NoResult {
        says(code, status, "m")
    }

    fn levels(probe: &Probe, era: Era, outcome: &Result<&Node<'_>, NoResult>) -> Vec<Level> {
        let findings = judge(probe, era, true, outcome.as_ref().copied());
        findings.iter().map(|finding| finding.level).collect()
    }

    fn find(check: &str) -> Probe {
        let skill = SkillUri::parse("skill://a/SKILL.md").unwrap();
        let mut all = of_server(true);
        all.extend(of_skill(skill, Some("skill://a/b"), true));
        all.extend(of_skill(skill, None, false));
        all.into_iter().find(|probe| probe.check == check).unwrap()
    }

    #[test]
    fn the_right_error_is_all_it_takes() {
        let get = find("skills-get-unknown-uri-invalid-params");
        assert_eq!(levels(&get, Era::Modern, &Err(error(-32602, 200))), []);
        assert_eq!(levels(&get, Era::Modern, &Err(error(-32002, 200))), [Level::Must]);
        assert_eq!(levels(&get, Era::Legacy, &Err(error(-32002, 200))), [Level::Must]);
        let read = find("read-unknown-32602");
        assert_eq!(levels(&read, Era::Legacy, &Err(error(-32002, 200))), [Level::Should]);
        let silent = says(-32602, 400, " ");
        let ids: Vec<_> =
            judge(&get, Era::Modern, true, Err(&silent)).iter().map(|f| f.id).collect();
        assert_eq!(ids, ["error-message-informative"]);
        let nothing = find("get-nonskill-uri-32602");
        assert_eq!(levels(&nothing, Era::Modern, &Err(error(-32603, 200))), [Level::Should]);
    }

    #[test]
    fn a_result_is_no_refusal() {
        let document = json::read(r#"{"contents":[],"resources":[]}"#).unwrap();
        let result = || Ok(&document.root);
        let must = |check| levels(&find(check), Era::Modern, &result());
        assert_eq!(must("read-unknown-32602"), [Level::Must]);
        assert_eq!(must("list-invalid-cursor-32602"), [Level::Should]);
        assert_eq!(must("directory-undeclared-method-not-found"), []);
        assert_eq!(must("read-traversal-refused"), []);
        let document = json::read(r#"{"contents":[{"uri":"x","text":"root:x:0:0"}]}"#).unwrap();
        let outcome = Ok(&document.root);
        assert_eq!(levels(&find("read-traversal-refused"), Era::Modern, &outcome), [Level::Must]);
        let undeclared = find("directory-undeclared-method-not-found");
        assert_eq!(levels(&undeclared, Era::Modern, &outcome), [Level::Must]);
    }

    #[test]
    fn unknown_methods_have_a_status_of_their_own_since_2026() {
        let probe = find("method-not-found-404");
        assert_eq!(levels(&probe, Era::Modern, &Err(error(-32601, 404))), []);
        assert_eq!(levels(&probe, Era::Modern, &Err(error(-32601, 200))), [Level::Must]);
        assert_eq!(levels(&probe, Era::Legacy, &Err(error(-32601, 200))), []);
        assert_eq!(levels(&probe, Era::Legacy, &Err(error(-32603, 200))), [Level::Must]);
        let over_a_pipe = |code| judge(&probe, Era::Modern, false, Err(&error(code, 200))).len();
        assert_eq!((over_a_pipe(-32601), over_a_pipe(-32603)), (0, 1));
    }
}
