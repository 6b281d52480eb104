//! One function for each kind of case.

use std::collections::BTreeSet;

use skillglass::contents;
use skillglass::entry::{self, Reading, SkillEntry};
use skillglass::finding::{Finding, Level};
use skillglass::frontmatter::{Frontmatter, NoteKind, check_file_format, compare};
use skillglass::host::{Approval, ApprovalState, OriginLabel, approval_state};
use skillglass::json;
use skillglass::name::check_name;
use skillglass::protocol::results::judge_not_found;
use skillglass::protocol::{Call, Reply};
use skillglass::source::LineIndex;
use skillglass::uri::{Outside, Reference, SkillUri, Uri, UriError, UriNote};
use skillglass::value::{Node, json_string};
use skillglass::verify::{Verdict, refuse_contents, verify_file};
use skillglass::yaml;

use crate::{Judged, conversation};

/// The core's verdict on a case file of this kind, or why the file is no such case.
pub(crate) fn judge(kind: &str, bytes: &[u8], case: &Node<'_>) -> Result<Judged, String> {
    if kind == "frontmatter" {
        return Ok(frontmatter(bytes, case.get("expect_frontmatter")));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "the case file is not UTF-8")?;
    let document = json::read(text).map_err(|error| format!("the case file is {error}"))?;
    let root = &document.root;
    match kind {
        "compare" => comparison(root, text),
        "name" => name(root, text),
        "uri" => uri(root),
        "relative" => relative(root, case),
        "manifest" => manifest(root, text),
        "read" => read(root, text),
        "exchange" | "directory" => conversation::judge(root, text),
        other => Err(format!("no such kind of case: {other}")),
    }
}

/// The text of a member of a case file.
pub(crate) fn member<'n>(root: &'n Node<'_>, name: &str) -> Result<&'n str, String> {
    root.get(name).and_then(Node::as_str).ok_or_else(|| format!("the case file has no {name}"))
}

/// The verdict that findings amount to, by their strongest level.
pub(crate) fn by_level(
    findings: &[Finding],
    must: &'static str,
    should: &'static str,
    none: &'static str,
) -> Judged {
    let strongest = findings.iter().min_by_key(|finding| finding.level);
    let because = strongest.map_or("no findings", |finding| &finding.message);
    let verdict = match strongest.map(|finding| finding.level) {
        Some(Level::Must) => must,
        Some(Level::Should) => should,
        Some(Level::Note) => "note",
        None => none,
    };
    Judged::new(verdict, because)
}

fn frontmatter(bytes: &[u8], expected: Option<&Node<'_>>) -> Judged {
    let frontmatter = match Frontmatter::read(bytes) {
        Ok(frontmatter) => frontmatter,
        Err(error) => {
            let verdict = if error.kind.is_reader_limit() { "limit" } else { "invalid" };
            return Judged::new(verdict, error.kind.to_string());
        }
    };
    if let Some(expected) = expected.filter(|expected| !frontmatter.root.same_content(expected)) {
        let read = frontmatter.root.to_json();
        return Judged::new("other content", format!("{read} instead of {}", expected.to_json()));
    }
    // The frontmatter was read, so the bytes are text.
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let findings = check_file_format(&frontmatter.root, &LineIndex::new(text));
    let judged = by_level(&findings, "invalid", "warn", "valid");
    if judged.verdict == "invalid" {
        return judged;
    }
    let not_finite = NoteKind::Yaml(yaml::NoteKind::NonFinite);
    if frontmatter.notes.iter().any(|note| note.kind == not_finite) {
        return Judged::new("unverifiable", not_finite.to_string());
    }
    match (frontmatter.notes.first(), findings.first()) {
        (Some(note), _) => Judged::new("note", note.kind.to_string()),
        (None, Some(finding)) => Judged::new("note", finding.message.clone()),
        (None, None) => judged,
    }
}

fn comparison(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let file = member(root, "skill_md")?;
    let entry = root.get("entry_frontmatter").ok_or("the case file has no entry_frontmatter")?;
    let frontmatter = match Frontmatter::read(file.as_bytes()) {
        Ok(frontmatter) => frontmatter,
        Err(error) => return Ok(Judged::new("mismatch", error.kind.to_string())),
    };
    let comparison = compare(&frontmatter, file, entry, text);
    let differences: Vec<_> = comparison
        .differing()
        .flat_map(|field| &field.differences)
        .map(|difference| {
            let why = difference.explanation.map_or_else(String::new, |why| format!(": {why}"));
            format!("{}{why}", difference.pointer)
        })
        .collect();
    let verdict = if comparison.is_equal() { "match" } else { "mismatch" };
    Ok(Judged::new(verdict, differences.join("; ")))
}

fn name(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let uri = member(root, "uri")?;
    let frontmatter = root.get("frontmatter").ok_or("the case file has no frontmatter")?;
    let entry = format!(
        r#"{{"uri":{},"frontmatter":{},"resources":"dynamic"}}"#,
        json_string(uri),
        frontmatter.span.of(text)
    );
    Ok(by_level(&entry::read(&entry).findings, "invalid", "warn", "valid"))
}

fn uri(root: &Node<'_>) -> Result<Judged, String> {
    if let Some(directory) = root.get("directory").and_then(Node::as_str) {
        return Ok(well_formed(Uri::parse(directory)));
    }
    let uri = member(root, "uri")?;
    let Some(skill) = root.get("skill").and_then(Node::as_str) else {
        return Ok(match SkillUri::parse(uri) {
            Ok(skill) => match check_name(skill.name()) {
                Ok(()) => well_formed(Ok(skill.uri())),
                Err(error) => Judged::new("invalid", error.to_string()),
            },
            Err(error) => Judged::new("invalid", error.to_string()),
        });
    };
    let skill = SkillUri::parse(skill).map_err(|error| error.to_string())?;
    Ok(match skill.file_path(uri) {
        Ok(_) => well_formed(Uri::parse(uri)),
        Err(Outside::Elsewhere) => Judged::new("outside", "not below the skill's root"),
        // Where dot segments lead, only following them tells.
        Err(Outside::Malformed(UriError::DotSegment)) => {
            let below = uri.strip_prefix(skill.root()).and_then(|rest| rest.strip_prefix('/'));
            match below.map(|path| skill.resolve(path)) {
                Some(Reference::File { .. }) => Judged::new("invalid", "a dot segment"),
                _ => Judged::new("outside", "not below the skill's root"),
            }
        }
        Err(Outside::Malformed(error)) => Judged::new("invalid", error.to_string()),
    })
}

fn well_formed(uri: Result<Uri<'_>, UriError>) -> Judged {
    match uri {
        Err(error) => Judged::new("invalid", error.to_string()),
        Ok(uri) => {
            let notes = uri.notes();
            // Another scheme is a SHOULD, yet as good a URI as any.
            match notes.iter().find(|note| **note != UriNote::OtherScheme) {
                Some(note) => Judged::new("warn", note.to_string()),
                None => Judged::new("valid", "well formed"),
            }
        }
    }
}

fn relative(root: &Node<'_>, case: &Node<'_>) -> Result<Judged, String> {
    let skill = SkillUri::parse(member(root, "skill")?).map_err(|error| error.to_string())?;
    Ok(match skill.resolve(member(root, "reference")?) {
        Reference::File { uri, .. } => {
            // The prose of these cases begins with the URI where there is one.
            let prose = case.get("expected").and_then(Node::as_str).unwrap_or_default();
            let expected = prose.split_whitespace().next().unwrap_or_default();
            let other = expected.contains("://") && expected != uri;
            Judged::new(if other { "another file" } else { "valid" }, uri)
        }
        Reference::Here { .. } => Judged::new("valid", "the same file"),
        Reference::Outside { uri } => Judged::new("outside", uri.unwrap_or_default()),
        Reference::External { uri } => Judged::new("external", uri),
        Reference::Malformed { reference } => Judged::new("invalid", reference),
    })
}

fn manifest(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let entries = root.as_array().unwrap_or(std::slice::from_ref(root));
    let readings: Vec<_> = entries.iter().map(|entry| entry::read(entry.span.of(text))).collect();
    if let [first, second] = readings.as_slice()
        && let (Some(first), Some(second)) = (&first.entry, &second.entry)
        && first.uri == second.uri
    {
        return approvals(first, second);
    }
    let mut findings: Vec<_> = readings.iter().flat_map(|r| r.findings.clone()).collect();
    findings.extend(nested(&readings));
    Ok(by_level(&findings, "invalid", "warn", "valid"))
}

fn nested(readings: &[Reading]) -> Vec<Finding> {
    let entries: Vec<&SkillEntry> = readings.iter().filter_map(|r| r.entry.as_ref()).collect();
    entry::nested::check(&entries)
}

/// Whether an approval of the first entry covers the second.
fn approvals(before: &SkillEntry, after: &SkillEntry) -> Result<Judged, String> {
    let origin = OriginLabel::new("server").map_err(|error| error.to_string())?;
    let approval = Approval::new(&origin, before, BTreeSet::new());
    Ok(match approval_state(approval.as_ref(), &origin, after) {
        ApprovalState::Covers => Judged::new("same-approval", "the same URIs and digests"),
        ApprovalState::Revoked(diff) => Judged::new("approval-revoked", diff.summary()),
        ApprovalState::None => Judged::new("approval-revoked", "the first cannot be approved"),
        ApprovalState::NotBindable => Judged::new("approval-revoked", "nothing binds the second"),
    })
}

/// A manifest line and the answer to a read of its file.
fn read(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let line = root.get("resource").ok_or("the case file has no resource")?;
    let response = root.get("response").ok_or("the case file has no response")?;
    let uri = member(line, "uri")?;
    let reply =
        Reply { status: 200, text: response.span.of(text).to_owned(), id: None, flaw: None };
    let message = reply.message().map_err(|error| error.to_string())?;
    let result = match message.outcome() {
        Ok(result) => result,
        Err(error) => {
            let call = Call::ReadResource { uri: uri.to_owned() };
            let tolerated = judge_not_found(&call, &error)
                .is_some_and(|finding| finding.level == Level::Should);
            return Ok(Judged::new(if tolerated { "warn" } else { "failed" }, error.to_string()));
        }
    };
    let contents = contents::read(&message.document, result, uri);
    let bytes = contents.as_ref().map_or(&[][..], |contents| &contents.bytes);
    let entry = entry_around(line, text, uri, bytes)?;
    let verdict = match &contents {
        Ok(contents) => verify_file(&entry, uri, &contents.bytes),
        Err(error) => refuse_contents(&entry, uri, error.clone()),
    };
    Ok(match verdict {
        Verdict::Verified(_) if contents.is_ok_and(|contents| !contents.notes.is_empty()) => {
            Judged::new("note", "the bytes are right, the reply around them is unusual")
        }
        Verdict::Verified(_) => Judged::new("verified", "size and digest are right"),
        Verdict::Refused(refusal) => {
            let cause =
                refusal.cause.as_ref().map_or_else(String::new, |cause| format!(" {cause}"));
            Judged::new("failed", format!("{refusal}.{cause}"))
        }
        Verdict::Unpinned(_) => Judged::new("verified", "dynamic"),
        Verdict::Untested(untested) => Judged::new("limit", untested.problem.message),
    })
}

/// An entry that holds the line. The case has none, so its frontmatter is the file's own.
fn entry_around(
    line: &Node<'_>,
    text: &str,
    uri: &str,
    bytes: &[u8],
) -> Result<SkillEntry, String> {
    let listed = line.get("digest").is_some();
    let root = skill_root(uri);
    let skill_uri = format!("{root}/SKILL.md");
    let name = root.rsplit('/').next().unwrap_or_default();
    let placeholder = format!(r#"{{"name":{},"description":"A skill."}}"#, json_string(name));
    let frontmatter = match Frontmatter::read(bytes) {
        Ok(frontmatter) if uri == skill_uri => frontmatter.root.to_json(),
        _ => placeholder,
    };
    let line = if listed { line.span.of(text) } else { "" };
    let entry = format!(
        r#"{{"uri":{},"frontmatter":{frontmatter},"resources":[{line}]}}"#,
        json_string(&skill_uri)
    );
    entry::read(&entry).entry.ok_or_else(|| "no entry can hold this line".to_owned())
}

/// The directory of the skill that holds a file: the one of a `SKILL.md`, else the second segment,
/// which is where these cases keep their skills.
fn skill_root(uri: &str) -> String {
    if let Some(root) = uri.strip_suffix("/SKILL.md") {
        return root.to_owned();
    }
    let (scheme, path) = uri.split_once("://").unwrap_or(("skill", uri));
    let segments: Vec<_> = path.split('/').collect();
    let kept = segments.len().saturating_sub(1).clamp(1, 2);
    format!("{scheme}://{}", segments[..kept].join("/"))
}
