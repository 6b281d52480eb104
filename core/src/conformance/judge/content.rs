//! The bytes of files, and the frontmatter of `SKILL.md`, beside what entries say of them.

use super::{broken, in_table};
use crate::contents::{ContentError, ContentNote};
use crate::digest::Digest;
use crate::entry::SkillEntry;
use crate::finding::{Finding, Level, quote};
use crate::frontmatter::{FieldOutcome, Frontmatter, check_file_format, compare};
use crate::source::LineIndex;
use crate::uri::{SKILL_MD, SkillUri};
use crate::value::Node;
use crate::verify::{Verdict, evidence, problem, verify_file_with_digest};

/// What is wrong with the size and the digest of a file that the entry lists.
pub(in super::super) fn file(
    entry: &SkillEntry,
    uri: &str,
    bytes: &[u8],
    digest: Digest,
) -> Vec<Finding> {
    let Some(line) = entry.manifest().and_then(|manifest| manifest.get(uri)) else {
        return Vec::new();
    };
    let (size, path) = (bytes.len() as u64, entry.path_of(uri));
    let mut findings = Vec::new();
    if let Some(promised) = line.size.filter(|promised| *promised != size) {
        let sides = (format!("{promised} bytes"), format!("{size} bytes"));
        findings.push(evidence::other_size(path).sides(sides.0, sides.1));
    }
    if let Some(promised) = line.digest.filter(|promised| *promised != digest) {
        let finding = evidence::other_digest(path);
        findings.push(finding.sides(promised.to_string(), digest.to_string()));
    }
    if findings.is_empty() {
        return findings;
    }
    let cause = match verify_file_with_digest(entry, uri, bytes, digest) {
        Verdict::Refused(refusal) => refusal.cause,
        _ => None,
    };
    let told = |finding| evidence::with_cause(in_table(finding), cause.as_ref());
    findings.into_iter().map(told).collect()
}

/// What is wrong where the result of a read holds no bytes for the file.
pub(in super::super) fn no_contents(uri: &str, error: &ContentError) -> Finding {
    in_table(evidence::no_contents(uri, error))
}

/// What others may not accept about the result of a read.
pub(in super::super) fn tolerated(note: &ContentNote) -> Option<Finding> {
    let id = match note {
        // The rules of URIs say that both name one file.
        ContentNote::OtherSpelling { .. } => return None,
        ContentNote::OtherItems { .. } => "content-uri-echo",
        _ => "content-readable",
    };
    let finding = broken(id, format!("{note}; not every host accepts that"));
    Some(Finding { level: Level::Should, ..finding }.repair(note.repair()))
}

/// What a `SKILL.md` turned out to be.
pub(in super::super) struct SkillMd {
    /// Its frontmatter, if it can be read.
    pub(in super::super) frontmatter: Option<Frontmatter>,
    /// What is wrong with it.
    pub(in super::super) findings: Vec<Finding>,
    /// Why this reader could not judge it, if so.
    pub(in super::super) beyond: Option<String>,
}

/// Reads a `SKILL.md` and compares it with the entries that are held of it.
pub(in super::super) fn skill_md<'e>(
    uri: SkillUri<'_>,
    entries: impl Iterator<Item = &'e SkillEntry> + Clone,
    bytes: &[u8],
) -> SkillMd {
    let frontmatter = match Frontmatter::read(bytes) {
        Ok(frontmatter) => frontmatter,
        Err(error) if error.kind.is_reader_limit() => {
            let beyond = Some(format!("this reader cannot judge it: {}", error.kind));
            return SkillMd { frontmatter: None, findings: Vec::new(), beyond };
        }
        Err(error) => {
            let problem = problem(&error, bytes);
            let findings = vec![in_table(evidence::unreadable_frontmatter(SKILL_MD, &problem))];
            return SkillMd { frontmatter: None, findings, beyond: None };
        }
    };
    // The frontmatter was read, so the bytes are text.
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let lines = LineIndex::new(text);
    let root = &frontmatter.root;
    let same = |entry: &&SkillEntry| entry.frontmatter.same_content(root);
    let told_of_entry = entries.clone().any(|entry| same(&entry));
    let mut findings: Vec<_> = check_file_format(root, &lines)
        .into_iter()
        .filter(|finding| !told_of_entry || finding.id == "skillmd-frontmatter")
        .collect();
    let name = root.member("name");
    let other = name.and_then(|member| Some((member, member.node.as_str()?)));
    if let Some((member, name)) = other.filter(|(_, name)| *name != uri.name()) {
        let message =
            format!("the file is named {}, its directory {}", quote(name), quote(uri.name()));
        let finding = broken("final-segment-equals-name", message).sides(uri.name(), quote(name));
        findings.push(finding.at(member.name_span, &lines));
    }
    for entry in entries.filter(|entry| !same(entry)) {
        findings.extend(differences(&frontmatter, text, entry));
    }
    SkillMd { frontmatter: Some(frontmatter), findings, beyond: None }
}

/// One finding for each place where the file and the entry differ.
fn differences(frontmatter: &Frontmatter, text: &str, entry: &SkillEntry) -> Vec<Finding> {
    let comparison = compare(frontmatter, text, &entry.frontmatter, &entry.source);
    let mut findings = Vec::new();
    for field in comparison.differing() {
        if field.outcome == FieldOutcome::Unverifiable {
            findings.push(evidence::without_json(field));
            continue;
        }
        let differing = field.differences.iter();
        findings.extend(differing.map(|it| evidence::of_difference(&it.pointer[1..], it)));
    }
    findings.into_iter().map(in_table).collect()
}

/// Whether a file is the `SKILL.md` of a skill with this URI: readable, and named as the URI says.
pub(in super::super) fn is_skill(uri: SkillUri<'_>, bytes: &[u8]) -> bool {
    Frontmatter::read(bytes).is_ok_and(|frontmatter| {
        let name = frontmatter.root.get("name").and_then(Node::as_str);
        name == Some(uri.name()) && frontmatter.root.get("description").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;

    const FILE: &str = "---\nname: a\ndescription: b\nlicense: ~\n---\n";

    fn held(frontmatter: &str, size: usize) -> SkillEntry {
        let digest = Digest::of(FILE.as_bytes());
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{frontmatter},
                "resources":[{{"uri":"skill://a/SKILL.md","digest":"{digest}","size":{size}}}]}}"#
        );
        entry::read(&text).entry.unwrap()
    }

    fn ids(findings: &[Finding]) -> Vec<&'static str> {
        findings.iter().map(|finding| finding.id).collect()
    }

    fn read(frontmatter: &str, text: &str) -> Vec<&'static str> {
        let entry = held(frontmatter, FILE.len());
        let uri = SkillUri::parse("skill://a/SKILL.md").unwrap();
        ids(&skill_md(uri, std::iter::once(&entry), text.as_bytes()).findings)
    }

    #[test]
    fn size_and_digest_are_told_apart_and_explained() {
        let frontmatter = r#"{"name":"a","description":"b","license":null}"#;
        let check = |size, text: &str| {
            let digest = Digest::of(text.as_bytes());
            file(&held(frontmatter, size), "skill://a/SKILL.md", text.as_bytes(), digest)
        };
        assert_eq!(check(FILE.len(), FILE), []);
        assert_eq!(ids(&check(1, FILE)), ["content-size-match"]);
        let crlf = check(FILE.len(), &FILE.replace('\n', "\r\n"));
        assert_eq!(ids(&crlf), ["content-size-match", "content-digest-match"]);
        assert!(crlf.iter().all(|finding| finding.cause.is_some()));
        assert_eq!(ids(&check(FILE.len(), &FILE.replace('b', "c"))), ["content-digest-match"]);
    }

    #[test]
    fn the_file_is_compared_field_by_field() {
        let entry = r#"{"name":"a","description":"b","license":null}"#;
        assert_eq!(read(entry, FILE), [""; 0]);
        let breaks = |entry: &str, text: &str, check: &str| read(entry, text).contains(&check);
        let absent = r#"{"name":"a","description":"b"}"#;
        assert!(breaks(absent, FILE, "frontmatter-null-vs-absent"));
        assert!(!breaks(absent, FILE, "entry-frontmatter-identical"));
        assert!(breaks(entry, &FILE.replace("b\n", "c\n"), "entry-frontmatter-identical"));
        assert_eq!(read(entry, "# no frontmatter"), ["skillmd-frontmatter"]);
        let renamed = FILE.replace("name: a", "name: z");
        assert!(breaks(entry, &renamed, "final-segment-equals-name"));
    }
}
