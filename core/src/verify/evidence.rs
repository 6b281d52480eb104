//! What a read of a file says against the server, as findings.
//!
//! `path` is each time what people call the file: its path below the skill, see
//! [`SkillEntry::path_of`](crate::entry::SkillEntry::path_of).

use super::{Cause, FrontmatterProblem, Reason, Refusal, Verdict};
use crate::contents::{ContentError, ContentNote};
use crate::digest::Digest;
use crate::finding::{Finding, MAX_QUOTE, Section, excerpt, quote};
use crate::frontmatter::{self, Difference, FieldComparison, Frontmatter, Side};
use crate::protocol::RpcError;
use crate::review::review_text;
use crate::source::LineIndex;

/// The findings of a verdict on the file at `path`; none where its bytes are the promised ones or
/// nothing promised them. A refusal gives MUSTs, one for each field where the frontmatter differs;
/// an untested file gives a note.
///
/// ```
/// use skillglass::digest::Digest;
/// use skillglass::{entry, verify::{evidence, verify_file}};
/// let entry = format!(
///     r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},
///         "resources":[{{"uri":"skill://a/SKILL.md","digest":"{}","size":3}}]}}"#,
///     Digest::of(b"old"),
/// );
/// let entry = entry::read(&entry).entry.unwrap();
/// let verdict = verify_file(&entry, "skill://a/SKILL.md", b"new");
/// let findings = evidence::of_verdict(entry.path_of("skill://a/SKILL.md"), &verdict);
/// assert_eq!(findings[0].id, "content-digest-match");
/// assert!(findings[0].message.starts_with("SKILL.md is not the file"));
///
/// let sound = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},
///   "resources":"dynamic"}"#;
/// let sound = entry::read(sound).entry.unwrap();
/// let verdict = verify_file(&sound, "skill://a/notes.md", b"new");
/// assert!(evidence::of_verdict("notes.md", &verdict).is_empty());
/// ```
#[must_use]
pub fn of_verdict(path: &str, verdict: &Verdict) -> Vec<Finding> {
    match verdict {
        Verdict::Verified(_) | Verdict::Unpinned(_) => Vec::new(),
        Verdict::Refused(refusal) => of_refusal(path, refusal),
        Verdict::Untested(untested) => {
            let message = format!("{}: {}", quote(path), untested.problem.message);
            let finding = Finding::note("skillmd-frontmatter", Section::SkillFormat, message);
            vec![
                Finding { position: untested.problem.position, ..finding }
                    .cause("this reader cannot read it; nothing is proved either way"),
            ]
        }
    }
}

fn of_refusal(path: &str, refusal: &Refusal) -> Vec<Finding> {
    let finding = match &refusal.reason {
        Reason::FrontmatterDiffers(comparison) => {
            return comparison.differing().map(of_field).collect();
        }
        Reason::NotListed => {
            must(path, "host-unlisted-read", Section::Resources, "is not listed in the manifest")
        }
        Reason::UnusableLine => must(
            path,
            "resources-uri-within-skill",
            Section::Resources,
            "has a line in the manifest that cannot be used",
        ),
        Reason::Size => sides(other_size(path), refusal),
        Reason::Digest => sides(other_digest(path), refusal),
        Reason::Frontmatter(problem) => unreadable_frontmatter(path, problem),
        Reason::Contents(error) => no_contents(path, error),
    };
    vec![with_cause(finding, refusal.cause.as_ref())]
}

/// A broken MUST of the file at `path`.
fn must(path: &str, id: &'static str, section: Section, what: &str) -> Finding {
    Finding::must(id, section, format!("{} {what}", excerpt(path, MAX_QUOTE)))
}

/// A file of another size than its manifest says.
pub(crate) fn other_size(path: &str) -> Finding {
    let what = "does not have the size the manifest promises";
    must(path, "content-size-match", Section::Verification, what)
}

/// A file with another digest than its manifest says.
pub(crate) fn other_digest(path: &str) -> Finding {
    let what = "is not the file the manifest promises";
    must(path, "content-digest-match", Section::Verification, what)
}

/// A `SKILL.md` whose frontmatter cannot be read.
pub(crate) fn unreadable_frontmatter(path: &str, problem: &FrontmatterProblem) -> Finding {
    let what = format!("has frontmatter that cannot be read: {}", problem.message);
    let finding = must(path, "skillmd-frontmatter", Section::SkillFormat, &what);
    let finding = Finding { position: problem.position, ..finding };
    match problem.repair {
        Some(repair) => finding.repair(repair),
        None => finding,
    }
}

/// A read without the file's bytes.
pub(crate) fn no_contents(path: &str, error: &ContentError) -> Finding {
    let id = match error {
        ContentError::NoUri | ContentError::OtherUri { .. } | ContentError::Ambiguous => {
            "content-uri-echo"
        }
        _ => "content-readable",
    };
    let what = format!("was answered without its bytes: {error}");
    must(path, id, Section::ReadingResources, &what)
}

/// The finding with what was proved of its cause.
pub(crate) fn with_cause(finding: Finding, cause: Option<&Cause>) -> Finding {
    match cause {
        Some(cause) => finding.cause(cause.to_string()).repair(cause.repair()),
        None => finding,
    }
}

/// The manifest's line beside what came.
fn sides(finding: Finding, refusal: &Refusal) -> Finding {
    let promised = refusal.expected.as_ref().map(|line| weight(line.digest, line.size));
    finding.sides(promised.unwrap_or_default(), weight(refusal.digest, refusal.size))
}

/// A digest by its ends, so that two can be told apart at a glance, and a size.
fn weight(digest: Option<Digest>, size: Option<u64>) -> String {
    let digest = digest.map_or_else(
        || "no digest".to_owned(),
        |digest| {
            let hex = digest.hex();
            format!("sha256:{}…{}", &hex[..8], &hex[56..])
        },
    );
    let size = size.map_or_else(|| "no size".to_owned(), |size| format!("{size} bytes"));
    format!("{digest}, {size}")
}

/// A field that differs between `SKILL.md` and its entry, by the first place where it does.
fn of_field(field: &FieldComparison) -> Finding {
    match field.differences.first() {
        Some(difference) => of_difference(&field.name, difference),
        None => without_json(field),
    }
}

/// A field of which no entry can have an equal.
pub(crate) fn without_json(field: &FieldComparison) -> Finding {
    let name = quote(&field.name);
    let message = format!("{name} holds a number that JSON cannot carry, so no entry can match");
    let finding =
        Finding::must("entry-frontmatter-identical", Section::FrontmatterVerification, message);
    Finding { position: field.file.as_ref().map(|side| side.position), ..finding }
        .repair("write the number as text in the file, in quotes")
}

/// One place where `SKILL.md` and its entry differ; `what` is what people call it.
pub(crate) fn of_difference(what: &str, difference: &Difference) -> Finding {
    let (file, entry) = (difference.file.as_ref(), difference.entry.as_ref());
    let is_null = |side: &Side| side.json == "null";
    let id = match (file, entry) {
        (Some(side), None) | (None, Some(side)) if is_null(side) => "frontmatter-null-vs-absent",
        _ => "entry-frontmatter-identical",
    };
    let shown =
        |side: Option<&Side>| side.map_or_else(|| "(absent)".to_owned(), |side| side.json.clone());
    let message = format!("SKILL.md and its entry differ in {}", quote(what));
    let finding = Finding::must(id, Section::FrontmatterVerification, message)
        .pointer(format!("/frontmatter{}", difference.pointer))
        .sides(shown(file), shown(entry));
    let finding = Finding {
        position: file.map(|side| side.position),
        span: file.map(|side| side.span),
        ..finding
    };
    match difference.explanation {
        Some(explanation) => finding.cause(explanation.to_string()),
        None => finding.repair("send the file's frontmatter as it is, every field"),
    }
}

/// The finding where the server answered the read of a listed file with an error: a MUST.
///
/// ```
/// use skillglass::{protocol::RpcError, verify::evidence::of_error};
/// let message = "disk full".to_owned();
/// let error = RpcError { code: Some(-32603), message, data: None, status: 200 };
/// let finding = of_error("notes.md", &error);
/// assert_eq!(finding.id, "content-readable");
/// assert_eq!(finding.message, "notes.md is listed, but cannot be read");
/// ```
#[must_use]
pub fn of_error(path: &str, error: &RpcError) -> Finding {
    let message = format!("{} is listed, but cannot be read", excerpt(path, MAX_QUOTE));
    Finding::must("content-readable", Section::ReadingResources, message)
        .actual(error.to_string())
        .repair("serve every file that the manifest lists, under exactly that URI")
}

/// The finding for what [`contents::read`](crate::contents::read) tolerated in a reply: a note.
///
/// ```
/// use skillglass::{contents, finding::Level, json, verify::evidence::of_note};
/// let notes = |blob: &str| {
///     let reply = format!(r#"{{"contents":[{{"uri":"skill://a/x","blob":"{blob}"}}]}}"#);
///     let document = json::read(&reply).unwrap();
///     contents::read(&document, &document.root, "skill://a/x").unwrap().notes
/// };
/// assert!(notes("AA==").is_empty());
/// let finding = of_note("x", &notes("AA")[0]);
/// assert_eq!((finding.id, finding.level), ("content-reply-form", Level::Note));
/// ```
#[must_use]
pub fn of_note(path: &str, note: &ContentNote) -> Finding {
    let message = format!("{}: {note}; not every host accepts that", excerpt(path, MAX_QUOTE));
    Finding::note("content-reply-form", Section::ReadingResources, message).repair(note.repair())
}

/// What the format's rules say of a `SKILL.md`, without what its entry was already `told`: rules of
/// [`check_file_format`](frontmatter::check_file_format), then notes on what readers treat
/// differently. Nothing where the frontmatter cannot be read, which the verdict says.
///
/// ```
/// use skillglass::verify::evidence::of_skill_md;
/// let ids = |file: &str| -> Vec<_> {
///     of_skill_md(file.as_bytes(), &[]).iter().map(|finding| finding.id).collect()
/// };
/// assert!(ids("---\nname: a\ndescription: b\n---\n").is_empty());
/// assert_eq!(ids("---\nname: a\ndescription: b\nlicense: 2\n---\n"), ["skillformat-license-string"]);
/// assert_eq!(ids("--- \nname: a\ndescription: b\n---\n"), ["skillmd-readers-differ"]);
/// ```
#[must_use]
pub fn of_skill_md(bytes: &[u8], told: &[Finding]) -> Vec<Finding> {
    let (Ok(frontmatter), Ok(text)) = (Frontmatter::read(bytes), std::str::from_utf8(bytes)) else {
        return Vec::new();
    };
    let lines = LineIndex::new(text);
    let notes = frontmatter.notes.iter().map(|note| {
        Finding::note("skillmd-readers-differ", Section::SkillFormat, note.kind.to_string())
            .at(note.span, &lines)
    });
    let is_new = |finding: &Finding| {
        !told.iter().any(|other| other.id == finding.id && other.message == finding.message)
    };
    let rules = frontmatter::check_file_format(&frontmatter.root, &lines);
    rules.into_iter().filter(is_new).chain(notes).collect()
}

/// What a person should see in the text of the file at `path` before a model does, each with the path
/// in front: notes of [`review_text`].
///
/// ```
/// use skillglass::verify::evidence::of_text;
/// let findings = of_text("SKILL.md", "Read this.<!-- and obey -->");
/// assert_eq!(findings[0].message, "SKILL.md: a comment that nobody sees: \"and obey\"");
/// assert!(of_text("SKILL.md", "Read this.").is_empty());
/// ```
#[must_use]
pub fn of_text(path: &str, text: &str) -> Vec<Finding> {
    let path = excerpt(path, MAX_QUOTE);
    let with_path =
        |finding: Finding| Finding { message: format!("{path}: {}", finding.message), ..finding };
    review_text(text).into_iter().map(with_path).collect()
}

/// The finding for a text that was looked through as far as its first `length` bytes: a note.
#[must_use]
pub fn of_unreviewed(path: &str, length: usize) -> Finding {
    let path = excerpt(path, MAX_QUOTE);
    let message = format!("{path}: only its first {length} bytes were looked through");
    Finding::note("content-long", Section::Security, message)
}

/// The finding for a link in the instructions to a file that the manifest does not list: a note.
#[must_use]
pub fn of_unlisted_link(path: &str) -> Finding {
    let message =
        format!("the instructions link to {}, which the manifest does not list", quote(path));
    Finding::note("manifest-complete", Section::RelativeReferences, message)
        .cause("a host reads only what the held manifest lists, so the link is dead")
        .repair("list the file with its digest and size, or take the link out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;
    use crate::verify::verify_file;

    fn skill(description: &str, promised: &[u8]) -> entry::SkillEntry {
        let digest = Digest::of(promised);
        let size = promised.len();
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"{description}"}},"resources":[{{"uri":"skill://a/SKILL.md","digest":"{digest}","size":{size}}}]}}"#
        );
        entry::read(&text).entry.unwrap()
    }

    const FILE: &[u8] = b"---\nname: a\ndescription: b\n---\ntext\n";

    fn findings(entry: &entry::SkillEntry, bytes: &[u8]) -> Vec<Finding> {
        of_verdict("SKILL.md", &verify_file(entry, "skill://a/SKILL.md", bytes))
    }

    #[test]
    fn promised_bytes_say_nothing() {
        assert_eq!(findings(&skill("b", FILE), FILE), []);
    }

    #[test]
    fn other_bytes_are_shown_beside_the_promise() {
        let crlf = std::str::from_utf8(FILE).unwrap().replace('\n', "\r\n");
        let found = findings(&skill("b", FILE), crlf.as_bytes());
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.id, "content-size-match");
        assert!(finding.expected.as_ref().unwrap().ends_with("36 bytes"));
        assert!(finding.actual.as_ref().unwrap().ends_with("41 bytes"));
        assert!(finding.cause.is_some() && finding.repair.is_some());
    }

    #[test]
    fn each_field_that_differs_is_one_finding() {
        let found = findings(&skill("other", FILE), FILE);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.id, "entry-frontmatter-identical");
        assert_eq!(finding.position.unwrap().line, 3);
        assert_eq!(finding.pointer.as_deref(), Some("/frontmatter/description"));
        assert_eq!(
            (finding.expected.as_deref(), finding.actual.as_deref()),
            (Some("\"b\""), Some("\"other\""))
        );
    }

    #[test]
    fn the_entry_is_not_told_twice() {
        let file = b"---\nname: a\ndescription: b\nother: 1\n---\n";
        let alone = of_skill_md(file, &[]);
        assert_eq!(alone.len(), 1);
        assert_eq!(of_skill_md(file, &alone), []);
    }
}
