//! The verdict on a whole skill, from the verdicts on its files.
//!
//! Sources: the extension's *Resources* (what makes a manifest complete) and *Integrity and
//! Verification*.

use std::collections::HashMap;

use serde::Serialize;

use super::Verdict;
use crate::entry::SkillEntry;
use crate::finding::{Finding, Level};

/// What the checks of a skill's files came to together.
///
/// ```
/// use skillglass::{entry, verify::{SkillVerdict, Summary, verify_file}};
/// let reading = entry::read(r#"{"uri":"skill://tidy/SKILL.md","resources":"dynamic",
///   "frontmatter":{"name":"tidy","description":"Tidies up."}}"#);
/// let entry = reading.entry.as_ref().unwrap();
/// let file = b"---\nname: tidy\ndescription: Tidies up.\n---\n";
/// let read = verify_file(entry, &entry.uri, file);
/// assert_eq!(SkillVerdict::of(entry, &reading.findings, [read]).summary, Summary::Unpinned);
/// assert_eq!(SkillVerdict::of(entry, &reading.findings, []).summary, Summary::Incomplete);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillVerdict {
    /// Never better than the worst row.
    pub summary: Summary,
    /// The files of the manifest in its order, the skill's own `SKILL.md` in any case, then
    /// whatever else was checked.
    pub files: Vec<FileRow>,
    /// The broken MUSTs of the manifest itself. One of them alone makes the summary
    /// [`Summary::Refused`], since such a manifest does not say what the complete skill is.
    pub manifest_findings: Vec<Finding>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRow {
    /// The file's URI, exact.
    pub uri: String,
    /// What its check came to; none where it was not checked.
    pub verdict: Option<Verdict>,
}

/// The state of a whole skill, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Summary {
    /// Every file of the manifest is verified, and nothing else came along.
    Verified,
    /// The skill is dynamic, and nothing speaks against what came.
    Unpinned,
    /// Some file could not be judged.
    Untested,
    /// Some file was not checked.
    Incomplete,
    /// Some file, or the manifest itself, is refused.
    Refused,
}

impl SkillVerdict {
    /// Sets `verdicts` beside the files that `entry` lists. `findings` are those of the entry's
    /// [`Reading`](crate::entry::Reading). Of two verdicts on one file, the later one counts; none
    /// at all ask what the manifest itself is worth.
    pub fn of(
        entry: &SkillEntry,
        findings: &[Finding],
        verdicts: impl IntoIterator<Item = Verdict>,
    ) -> Self {
        let mut rows = Rows::default();
        for file in entry.manifest().map_or(&[][..], |manifest| &manifest.files) {
            rows.add(&file.uri);
        }
        rows.add(&entry.uri);
        for verdict in verdicts {
            let row = rows.add(verdict.uri());
            row.verdict = Some(verdict);
        }
        let manifest_findings: Vec<_> =
            findings.iter().filter(|finding| breaks_manifest(finding)).cloned().collect();
        let worst_row = rows.files.iter().map(FileRow::state).max().unwrap_or(Summary::Incomplete);
        let summary = if manifest_findings.is_empty() { worst_row } else { Summary::Refused };
        Self { summary, files: rows.files, manifest_findings }
    }
}

impl FileRow {
    const fn state(&self) -> Summary {
        match self.verdict {
            Some(Verdict::Verified(_)) => Summary::Verified,
            Some(Verdict::Unpinned(_)) => Summary::Unpinned,
            Some(Verdict::Untested(_)) => Summary::Untested,
            Some(Verdict::Refused(_)) => Summary::Refused,
            None => Summary::Incomplete,
        }
    }
}

/// Whether a finding about an entry is a broken MUST of its manifest.
pub(crate) fn breaks_manifest(finding: &Finding) -> bool {
    let in_manifest =
        finding.pointer.as_ref().is_some_and(|pointer| pointer.starts_with("/resources"));
    in_manifest && finding.level == Level::Must
}

/// One row for each URI, in the order they came.
#[derive(Default)]
struct Rows {
    files: Vec<FileRow>,
    by_uri: HashMap<String, usize>,
}

impl Rows {
    fn add(&mut self, uri: &str) -> &mut FileRow {
        let next = self.files.len();
        let index = *self.by_uri.entry(uri.to_owned()).or_insert(next);
        if index == next {
            self.files.push(FileRow { uri: uri.to_owned(), verdict: None });
        }
        &mut self.files[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::entry::{self, Reading};
    use crate::verify::verify_file;

    const SKILL_MD: (&str, &[u8]) = ("skill://a/SKILL.md", b"---\nname: a\ndescription: b\n---\n");
    const NOTES: (&str, &[u8]) = ("skill://a/notes.md", b"notes\n");

    fn skill(lines: &[(&str, &[u8])]) -> Reading {
        let lines: Vec<_> = lines
            .iter()
            .map(|(uri, bytes)| {
                let (digest, size) = (Digest::of(bytes), bytes.len());
                format!(r#"{{"uri":"{uri}","digest":"{digest}","size":{size}}}"#)
            })
            .collect();
        resources(&format!("[{}]", lines.join(",")))
    }

    fn resources(json: &str) -> Reading {
        entry::read(&format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":{json}}}"#
        ))
    }

    fn verdict(reading: &Reading, files: &[(&str, &[u8])]) -> SkillVerdict {
        let entry = reading.entry.as_ref().unwrap();
        let verdicts = files.iter().map(|(uri, bytes)| verify_file(entry, uri, bytes));
        SkillVerdict::of(entry, &reading.findings, verdicts)
    }

    fn summary(reading: &Reading, files: &[(&str, &[u8])]) -> Summary {
        verdict(reading, files).summary
    }

    #[test]
    fn verified_means_every_file() {
        let reading = skill(&[SKILL_MD, NOTES]);
        assert_eq!(summary(&reading, &[NOTES, SKILL_MD]), Summary::Verified);
        assert_eq!(summary(&reading, &[SKILL_MD]), Summary::Incomplete);
        assert_eq!(summary(&reading, &[]), Summary::Incomplete);
        assert_eq!(summary(&reading, &[SKILL_MD, (NOTES.0, b"other")]), Summary::Refused);
        let surplus = ("skill://a/b", &b"b"[..]);
        assert_eq!(summary(&reading, &[SKILL_MD, NOTES, surplus]), Summary::Refused);
        assert_eq!(summary(&reading, &[(NOTES.0, b""), SKILL_MD, NOTES]), Summary::Verified);
    }

    #[test]
    fn a_manifest_that_breaks_its_own_rules_never_verifies() {
        let without_skill_md = skill(&[NOTES]);
        assert_eq!(summary(&without_skill_md, &[NOTES]), Summary::Refused);
        let twice = skill(&[SKILL_MD, NOTES, NOTES]);
        assert_eq!(summary(&twice, &[SKILL_MD, NOTES]), Summary::Refused);
        assert_eq!(summary(&resources("[]"), &[]), Summary::Refused);
        let nameless = resources("[{}]");
        assert_eq!(verdict(&nameless, &[]).manifest_findings.len(), 2);
    }

    #[test]
    fn a_dynamic_skill_is_unpinned_at_best() {
        let reading = resources("\"dynamic\"");
        assert_eq!(summary(&reading, &[SKILL_MD, NOTES]), Summary::Unpinned);
        assert_eq!(summary(&reading, &[NOTES]), Summary::Incomplete);
        assert_eq!(summary(&reading, &[(SKILL_MD.0, NOTES.1)]), Summary::Refused);
    }

    #[test]
    fn rows_follow_the_manifest() {
        let reading = skill(&[NOTES, SKILL_MD]);
        let rows = verdict(&reading, &[("skill://a/x", b""), SKILL_MD]).files;
        let uris: Vec<_> = rows.iter().map(|row| row.uri.as_str()).collect();
        assert_eq!(uris, [NOTES.0, SKILL_MD.0, "skill://a/x"]);
        assert_eq!(rows[0].verdict, None);
    }
}
