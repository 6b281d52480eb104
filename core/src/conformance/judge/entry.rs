//! Rules for entries that go beyond what a host checks when it reads one.

use std::collections::HashMap;

use super::broken;
use crate::entry::{Reading, Resources, SkillEntry};
use crate::finding::{Finding, quote};
use crate::json;
use crate::protocol::directory::ManifestTree;
use crate::uri::{SKILL_MD, decode_lossy};
use crate::value::Node;

/// What is wrong with an entry, beside the findings of its reading.
pub(in super::super) fn more(reading: &Reading) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(nameless(reading));
    if let Some(entry) = &reading.entry {
        findings.extend(aliases(entry));
        findings.extend(directories(entry));
    }
    findings.extend(meta(reading));
    findings
}

/// A URI that does not end in a name and `SKILL.md` matches no name.
fn nameless(reading: &Reading) -> Option<Finding> {
    let (uri, name) = (reading.uri.as_deref()?, reading.name.as_deref()?);
    let path = uri.split_once("://").map_or(uri, |(_, path)| path);
    let mut segments = path.rsplit('/');
    let named =
        segments.next() == Some(SKILL_MD) && segments.next().is_some_and(|it| !it.is_empty());
    let message = format!("no segment of {} is the name {}", quote(uri), quote(name));
    (!named).then(|| broken("entry-uri-matches-frontmatter-name", message).pointer("/uri"))
}

/// Lines of a manifest that name one file in two spellings.
fn aliases(entry: &SkillEntry) -> Option<Finding> {
    let files = &entry.manifest()?.files;
    let mut spellings: HashMap<String, usize> = HashMap::new();
    files.iter().enumerate().find_map(|(at, file)| {
        let decoded = if file.uri.contains('%') {
            let segments: Vec<_> = file.uri.split('/').map(decode_lossy).collect();
            segments.join("/")
        } else {
            file.uri.clone()
        };
        let other = &files[spellings.insert(decoded, at)?].uri;
        let message =
            format!("{} and {} are spellings of one file", quote(other), quote(&file.uri));
        Some(broken("manifest-uri-canonical", message).pointer("/resources"))
    })
}

/// A line of a manifest that names a directory of other lines.
fn directories(entry: &SkillEntry) -> Option<Finding> {
    let tree = ManifestTree::new(entry)?;
    let file = entry.manifest()?.files.iter().find(|file| tree.holds(&file.uri))?;
    let message = format!("{} is a directory; a manifest lists files", quote(&file.uri));
    Some(broken("manifest-uri-canonical", message).pointer("/resources"))
}

/// Keys of the entry's `_meta` without a prefix.
fn meta(reading: &Reading) -> Vec<Finding> {
    if !reading.source.contains("_meta") {
        return Vec::new();
    }
    let document = json::read(&reading.source);
    document.map_or_else(|_| Vec::new(), |document| super::metadata::meta_keys(&document.root))
}

/// Whether the entry's manifest could be read as one.
pub(in super::super) fn manifest_state(reading: &Reading) -> ManifestState {
    match reading.entry.as_ref().map(|entry| &entry.resources) {
        Some(Resources::Manifest(_)) => ManifestState::Listed,
        Some(Resources::Dynamic) => ManifestState::Dynamic,
        None => {
            let document = json::read(&reading.source).ok();
            let resources = document.as_ref().and_then(|document| document.root.get("resources"));
            match resources.and_then(Node::as_str) {
                Some("dynamic") => ManifestState::Dynamic,
                _ => ManifestState::Unreadable,
            }
        }
    }
}

/// What the `resources` of an entry are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum ManifestState {
    /// A list of files.
    Listed,
    /// `"dynamic"`.
    Dynamic,
    /// Neither, or the entry around them cannot be loaded.
    Unreadable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::entry::read;

    fn ids(uri: &str, resources: &str) -> Vec<&'static str> {
        let reading = read(&format!(
            r#"{{"uri":"{uri}","frontmatter":{{"name":"a","description":"b"}},"resources":{resources}}}"#
        ));
        more(&reading).iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn one_file_has_one_spelling() {
        let digest = Digest::of(b"");
        let list = |paths: &[&str]| {
            let line = |path: &&str| {
                format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":0}}"#)
            };
            format!("[{}]", paths.iter().map(line).collect::<Vec<_>>().join(","))
        };
        let skill = "skill://a/SKILL.md";
        assert_eq!(ids(skill, &list(&["SKILL.md", "b c", "b%20d"])), [""; 0]);
        assert_eq!(ids(skill, &list(&["SKILL.md", "b c", "b%20c"])), ["manifest-uri-canonical"]);
        assert_eq!(ids(skill, &list(&["SKILL.md", "bc", "b%63"])), ["manifest-uri-canonical"]);
        assert_eq!(ids(skill, &list(&["SKILL.md", "b", "b/c"])), ["manifest-uri-canonical"]);
    }

    #[test]
    fn a_uri_without_a_name_matches_none() {
        let name = ["entry-uri-matches-frontmatter-name"];
        for uri in ["skill://SKILL.md", "skill://a/skill.md", "skill://a/SKILL.md?x", "a"] {
            assert_eq!(ids(uri, "\"dynamic\""), name, "{uri}");
        }
        assert_eq!(ids("skill://a/SKILL.md", "\"dynamic\""), [""; 0]);
    }
}
