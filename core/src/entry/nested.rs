//! Skills inside of skills.
//!
//! Source: the extension's *Resource Mapping* and *Resources*. To the enclosing skill a nested
//! skill's files are supporting files: its manifest lists them, with the same digests and sizes.

use super::SkillEntry;
use crate::finding::{Finding, Section, quote};

/// The findings for every pair of `entries` in which one skill's directory holds the other's.
/// All of them have to be of one server.
///
/// Cost: the number of entries times their depth, plus the files of nested skills.
///
/// ```
/// use skillglass::{digest::Digest, entry};
/// let line = |path| format!(r#"{{"uri":"skill://{path}","digest":"{}","size":0}}"#, Digest::of(b""));
/// let skill = |root: &str, name: &str, lines: &[String]| {
///     let text = format!(r#"{{"uri":"skill://{root}/SKILL.md","resources":[{}],
///       "frontmatter":{{"name":"{name}","description":"b"}}}}"#, lines.join(","));
///     entry::read(&text).entry.unwrap()
/// };
/// let [outer, inner] = ["a/SKILL.md", "a/b/SKILL.md"].map(line);
/// let nested = skill("a/b", "b", &[inner.clone()]);
/// let complete = skill("a", "a", &[outer.clone(), inner]);
/// assert!(entry::nested::check(&[&complete, &nested]).is_empty());
/// let short = skill("a", "a", &[outer]);
/// let findings = entry::nested::check(&[&short, &nested]);
/// assert_eq!(findings[0].id, "manifest-nested-complete");
/// ```
#[must_use]
pub fn check(entries: &[&SkillEntry]) -> Vec<Finding> {
    pairs(entries).into_iter().filter_map(|(outer, inner)| check_pair(outer, inner)).collect()
}

/// Every pair of an enclosing skill and one in its directory, at any depth.
pub(crate) fn pairs<'e>(entries: &[&'e SkillEntry]) -> Vec<(&'e SkillEntry, &'e SkillEntry)> {
    let roots: std::collections::HashMap<&str, &SkillEntry> =
        entries.iter().map(|entry| (entry.skill_uri().root(), *entry)).collect();
    let inside = |inner: &&'e SkillEntry| {
        let inner = *inner;
        let outer = ancestors(inner.skill_uri().root()).filter_map(|root| roots.get(root).copied());
        outer.map(|outer| (outer, inner)).collect::<Vec<_>>()
    };
    entries.iter().flat_map(inside).collect()
}

/// The directories above a skill's root, innermost first, the scheme's `//` excluded.
fn ancestors(root: &str) -> impl Iterator<Item = &str> {
    let first_segment = root.find("://").map_or(0, |at| at + 3);
    let mut rest = root;
    std::iter::from_fn(move || {
        let at = rest.rfind('/').filter(|at| *at > first_segment)?;
        rest = &rest[..at];
        Some(rest)
    })
}

/// The finding where the enclosing skill's manifest lacks a file of the nested one, or says other
/// things of it.
pub(crate) fn check_pair(outer: &SkillEntry, inner: &SkillEntry) -> Option<Finding> {
    let (outer_files, inner_files) = (outer.manifest()?, inner.manifest()?);
    let wrong = inner_files.files.iter().find(|file| {
        !outer_files
            .get(&file.uri)
            .is_some_and(|line| line.digest == file.digest && line.size == file.size)
    })?;
    let message = format!(
        "{} holds the skill {}, but does not list its file {} with the same digest and size",
        quote(&outer.uri),
        quote(&inner.uri),
        quote(&wrong.uri)
    );
    Some(
        Finding::must("manifest-nested-complete", Section::Resources, message)
            .repair("list the nested skill's files in the enclosing manifest as well"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::entry::read;

    fn skill(path: &str, files: &[(&str, &str)]) -> SkillEntry {
        let lines: Vec<_> = files
            .iter()
            .map(|(file, text)| {
                let digest = Digest::of(text.as_bytes());
                format!(r#"{{"uri":"skill://{file}","digest":"{digest}","size":{}}}"#, text.len())
            })
            .collect();
        let name = path.rsplit('/').next().unwrap();
        let text = format!(
            r#"{{"uri":"skill://{path}/SKILL.md","frontmatter":{{"name":"{name}","description":"b"}},"resources":[{}]}}"#,
            lines.join(",")
        );
        read(&text).entry.unwrap()
    }

    #[test]
    fn the_outer_manifest_holds_the_inner_one() {
        let inner = skill("x/a/b/c", &[("x/a/b/c/SKILL.md", "1")]);
        let outer = skill("x/a", &[("x/a/SKILL.md", "0"), ("x/a/b/c/SKILL.md", "1")]);
        assert_eq!(check(&[&inner, &outer]), []);
        let stale = skill("x/a", &[("x/a/SKILL.md", "0"), ("x/a/b/c/SKILL.md", "2")]);
        assert_eq!(check(&[&inner, &stale])[0].id, "manifest-nested-complete");
        let short = skill("x/a", &[("x/a/SKILL.md", "0")]);
        assert_eq!(check(&[&short, &inner]).len(), 1);
        let beside = skill("x/ab", &[("x/ab/SKILL.md", "0")]);
        assert_eq!(check(&[&beside, &inner]), []);
    }
}
