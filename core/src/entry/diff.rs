//! What changed between two entries of one skill.
//!
//! Sources: the extension's *Getting a Skill* (the entry is the listing's) and *Integrity and
//! Verification* (a changed set of files needs approval again; for that, see
//! [`approval_state`](crate::host::approval_state)).

use std::collections::HashMap;

use serde::Serialize;

use super::{Manifest, ManifestFile, Resources, SkillEntry};
use crate::finding::{Finding, Section};

/// The differences between an entry and a later one, or between a listing and `skills/get`.
///
/// ```
/// use skillglass::entry::{diff::EntryDiff, read};
/// let entry = |description: &str| {
///     read(&format!(r#"{{"uri":"skill://a/SKILL.md","resources":"dynamic",
///       "frontmatter":{{"name":"a","description":"{description}"}}}}"#)).entry.unwrap()
/// };
/// assert!(EntryDiff::between(&entry("x"), &entry("x")).is_empty());
/// assert_eq!(EntryDiff::between(&entry("x"), &entry("y")).frontmatter, ["description"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryDiff {
    /// The top-level frontmatter fields that differ, or that one side lacks. Names and URIs here
    /// are exact: escape them before they are shown.
    pub frontmatter: Vec<String>,
    /// The URIs only the second entry lists.
    pub added: Vec<String>,
    /// The URIs only the first entry lists.
    pub removed: Vec<String>,
    /// The URIs of the second entry for the paths that both list, with another digest or size.
    pub changed: Vec<String>,
    /// Whether one lists files and the other is dynamic.
    pub kind_changed: bool,
}

impl EntryDiff {
    /// What changed from `first` to `second`. Their own URIs are not compared, and files are told
    /// apart by their paths below them: a skill can be compared with a copy at another place.
    #[must_use]
    pub fn between(first: &SkillEntry, second: &SkillEntry) -> Self {
        let mut diff = Self { frontmatter: fields(first, second), ..Self::default() };
        match (&first.resources, &second.resources) {
            (Resources::Dynamic, Resources::Dynamic) => {}
            (Resources::Manifest(before), Resources::Manifest(after)) => {
                let (were, are) = (by_place(first, before), by_place(second, after));
                for file in &before.files {
                    match are.get(place(first, &file.uri)) {
                        None => diff.removed.push(file.uri.clone()),
                        Some(now) if !same_line(file, now) => diff.changed.push(now.uri.clone()),
                        Some(_) => {}
                    }
                }
                let new = after.files.iter();
                let new = new.filter(|file| !were.contains_key(place(second, &file.uri)));
                diff.added = new.map(|file| file.uri.clone()).collect();
            }
            _ => diff.kind_changed = true,
        }
        diff
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The finding for a `skills/get` whose entry is not the listing's.
    ///
    /// Both come from one server, but not at one time: a skill may have changed in between, which
    /// the finding says.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        if self.is_empty() {
            return None;
        }
        let message = format!("skills/get and skills/list disagree: {}", self.summary());
        Some(
            Finding::must("get-equals-list", Section::SkillsGet, message)
                .repair("answer both from one snapshot; if the skill has just changed, list again"),
        )
    }

    /// The changes in one line: `1 more file, 2 changed files`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        if self.kind_changed {
            parts.push("one lists files, the other is dynamic".to_owned());
        }
        let mut count = |list: &[String], what: &str| {
            if !list.is_empty() {
                let plural = if list.len() == 1 { "" } else { "s" };
                parts.push(format!("{} {what}{plural}", list.len()));
            }
        };
        count(&self.frontmatter, "other field");
        count(&self.added, "more file");
        count(&self.removed, "missing file");
        count(&self.changed, "changed file");
        if parts.is_empty() { "nothing changed".to_owned() } else { parts.join(", ") }
    }
}

fn fields(first: &SkillEntry, second: &SkillEntry) -> Vec<String> {
    let (before, after) = (first.frontmatter.index(), second.frontmatter.index());
    let members = first.frontmatter.as_object().unwrap_or_default();
    let changed = members.iter().filter(|member| {
        let now = after.get(&*member.name);
        !now.is_some_and(|now| now.same_content(&member.node))
    });
    let members = second.frontmatter.as_object().unwrap_or_default();
    let new = members.iter().filter(|member| !before.contains_key(&*member.name));
    changed.chain(new).map(|member| member.name.as_ref().to_owned()).collect()
}

/// The lines of a manifest by their places.
fn by_place<'e>(
    entry: &'e SkillEntry,
    manifest: &'e Manifest,
) -> HashMap<&'e str, &'e ManifestFile> {
    manifest.files.iter().map(|file| (place(entry, &file.uri), file)).collect()
}

/// What stands behind the skill's root, from the slash on: without it a line whose URI is only a path
/// would be the same as another one. The whole URI where it lies elsewhere.
fn place<'u>(entry: &SkillEntry, uri: &'u str) -> &'u str {
    let below = uri.strip_prefix(entry.skill_uri().root());
    below.filter(|below| below.starts_with('/')).unwrap_or(uri)
}

fn same_line(a: &ManifestFile, b: &ManifestFile) -> bool {
    a.digest == b.digest && a.size == b.size
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::digest::Digest;

    fn entry(files: &[(&str, &str)]) -> SkillEntry {
        let lines: Vec<_> = files
            .iter()
            .map(|(path, text)| {
                let digest = Digest::of(text.as_bytes());
                format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":{}}}"#, text.len())
            })
            .collect();
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{}]}}"#,
            lines.join(",")
        );
        read(&text).entry.unwrap()
    }

    #[test]
    fn a_copy_at_another_place_is_compared_by_paths() {
        let here = entry(&[("SKILL.md", "s"), ("x", "1"), ("y", "1")]);
        let there = here.source.replace("skill://a/", "skill://team/a/");
        let there = read(&there).entry.unwrap();
        assert!(EntryDiff::between(&here, &there).is_empty());
        let changed = entry(&[("SKILL.md", "s"), ("x", "2"), ("z", "1")]);
        let diff = EntryDiff::between(&there, &changed);
        assert_eq!(
            (diff.changed, diff.added),
            (vec!["skill://a/x".into()], vec!["skill://a/z".into()])
        );
        assert_eq!(diff.removed, ["skill://team/a/y"]);
    }

    #[test]
    fn files_are_compared_by_uri() {
        let before = entry(&[("SKILL.md", "s"), ("x", "1"), ("y", "1")]);
        let after = entry(&[("z", "1"), ("y", "2"), ("SKILL.md", "s")]);
        let diff = EntryDiff::between(&before, &after);
        assert_eq!(diff.added, ["skill://a/z"]);
        assert_eq!(diff.removed, ["skill://a/x"]);
        assert_eq!(diff.changed, ["skill://a/y"]);
        assert_eq!(diff.summary(), "1 more file, 1 missing file, 1 changed file");
        assert_eq!(diff.finding().unwrap().id, "get-equals-list");
        assert_eq!(EntryDiff::between(&before, &before).finding(), None);
        let source = before.source.replace("skill://a/y", "x");
        let with_a_path_as_uri = read(&source).entry.unwrap();
        let diff = EntryDiff::between(&with_a_path_as_uri, &with_a_path_as_uri);
        assert!(diff.is_empty(), "{diff:?}");
    }
}
