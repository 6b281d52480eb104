//! Rules for entries that go beyond what a host checks when it reads one.

use super::broken;
use crate::entry::{Reading, Resources, SkillEntry};
use crate::finding::{Finding, quote};
use crate::json;
use crate::protocol::directory::ManifestTree;
use crate::uri::{SKILL_MD, SkillUri};
use crate::value::Node;

/// What is wrong with an entry, beside the findings of its reading.
pub(in super::super) fn more(reading: &Reading) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(memberless(reading));
    findings.extend(nameless(reading));
    findings.extend(not_its_own(reading));
    findings.extend(unnamed_lines(reading));
    if let Some(entry) = &reading.entry {
        findings.extend(directories(entry));
    }
    findings.extend(meta(reading));
    findings
}

/// An entry that is no object lacks what every entry has.
fn memberless(reading: &Reading) -> Vec<Finding> {
    const REQUIRED: [&str; 3] =
        ["entry-uri-required", "entry-frontmatter-required", "entry-resources-required"];
    let shapeless = reading.findings.iter().find(|finding| finding.id == "entry-shape");
    let found = |shapeless: &Finding| REQUIRED.map(|id| broken(id, shapeless.message.as_str()));
    shapeless.map(found).into_iter().flatten().collect()
}

/// A malformed URI is that of no file; a manifest has to list it all the same.
fn not_its_own(reading: &Reading) -> Option<Finding> {
    let malformed = reading.findings.iter().any(|finding| finding.id == "entry-uri-form");
    let (true, Some(uri)) = (malformed, &reading.uri) else { return None };
    let document = json::read(&reading.source).ok()?;
    let lines = document.root.get("resources")?.as_array()?;
    let is_listed =
        lines.iter().any(|line| line.get("uri").and_then(Node::as_str) == Some(uri.as_str()));
    let message = format!("no line of the manifest is for {}", quote(uri));
    (!is_listed).then(|| broken("resources-complete", message).pointer("/resources"))
}

/// Lines of a manifest that name no file and say nothing of one either.
fn unnamed_lines(reading: &Reading) -> Vec<Finding> {
    let unnamed = reading.findings.iter().any(|finding| {
        finding.id == "resources-uri-within-skill"
            && finding.pointer.as_ref().is_some_and(|pointer| !pointer.ends_with("/uri"))
    });
    let document = unnamed.then(|| json::read(&reading.source).ok()).flatten();
    let lines = document.as_ref().and_then(|document| document.root.get("resources")?.as_array());
    let mut lines = lines.unwrap_or_default().iter().enumerate();
    let Some((at, _)) = lines.find(|(_, line)| line.as_object().is_none()) else {
        return Vec::new();
    };
    let lacks = |id, what| {
        broken(id, format!("a line has no {what}")).pointer(format!("/resources/{at}/{what}"))
    };
    vec![lacks("resources-digest-format", "digest"), lacks("resources-size-required", "size")]
}

/// What an entry from `skills/get` lacks of the shape of an entry.
pub(in super::super) fn shapeless(reading: &Reading) -> Option<Finding> {
    let finding = reading.findings.iter().find(|finding| match finding.id {
        "entry-uri-required" | "entry-resources-required" => true,
        "entry-frontmatter-required" => finding.pointer.as_deref() == Some("/frontmatter"),
        _ => false,
    })?;
    let place = format!("/skill{}", finding.pointer.as_deref().unwrap_or_default());
    Some(broken("skills-get-entry-shape", finding.message.as_str()).pointer(place))
}

/// A malformed URI that does not end in the name and `SKILL.md`.
fn nameless(reading: &Reading) -> Option<Finding> {
    let (uri, name) = (reading.uri.as_deref()?, reading.name.as_deref()?);
    let is_named = SkillUri::parse(uri).is_ok()
        || uri.split_once("://").is_some_and(|(_, path)| {
            let mut segments = path.rsplit('/');
            segments.next() == Some(SKILL_MD) && segments.next() == Some(name)
        });
    let message = format!("{} does not end in {}/{SKILL_MD}", quote(uri), quote(name));
    (!is_named).then(|| broken("entry-uri-matches-frontmatter-name", message).pointer("/uri"))
}

/// A line of a manifest that names a directory of other lines.
fn directories(entry: &SkillEntry) -> Option<Finding> {
    let tree = ManifestTree::new(entry)?;
    let file = entry.manifest()?.files.iter().find(|file| file.usable && tree.holds(&file.uri))?;
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
    fn a_manifest_lists_files() {
        let digest = Digest::of(b"");
        let list = |paths: &[&str]| {
            let line = |path: &&str| {
                format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":0}}"#)
            };
            format!("[{}]", paths.iter().map(line).collect::<Vec<_>>().join(","))
        };
        let skill = "skill://a/SKILL.md";
        assert_eq!(ids(skill, &list(&["SKILL.md", "b c", "b%20d"])), [""; 0]);
        assert_eq!(ids(skill, &list(&["SKILL.md", "b", "b/c"])), ["manifest-uri-canonical"]);
    }

    #[test]
    fn what_is_no_entry_lacks_all_of_it() {
        let ids: Vec<_> = more(&read("\"a\"")).iter().map(|finding| finding.id).collect();
        assert_eq!(ids.len(), 3, "{ids:?}");
        let lacks = |text: &str| shapeless(&read(text)).and_then(|finding| finding.pointer);
        let entry = r#"{"uri":"skill://a/SKILL.md","frontmatter":{},"resources":"dynamic"}"#;
        assert_eq!(lacks(entry), None);
        assert_eq!(lacks(&entry.replace("\"dynamic\"", "7")).as_deref(), Some("/skill/resources"));
        assert_eq!(lacks(&entry.replace("{}", "7")).as_deref(), Some("/skill/frontmatter"));
    }

    #[test]
    fn a_manifest_lists_the_entrys_own_uri() {
        let listing = |uri: &str| format!(r#"[{{"uri":"{uri}","digest":"x","size":0}}]"#);
        let complete =
            |uri: &str, listed: &str| !ids(uri, &listing(listed)).contains(&"resources-complete");
        assert!(complete("skill://a/skill.md", "skill://a/skill.md"));
        assert!(!complete("skill://a/skill.md", "skill://a/SKILL.md"));
    }

    #[test]
    fn a_line_that_is_no_object_has_neither_digest_nor_size() {
        let lines = |lines: &str| ids("skill://a/SKILL.md", lines);
        let named = ["resources-digest-format", "resources-size-required"];
        assert_eq!(lines(r#"["skill://a/SKILL.md"]"#), named);
        assert_eq!(lines(r#"[{"digest":"x","size":1}]"#), [""; 0]);
    }

    #[test]
    fn a_uri_without_a_name_matches_none() {
        let name = ["entry-uri-matches-frontmatter-name"];
        for uri in [
            "skill://SKILL.md",
            "skill://a/skill.md",
            "skill://a/SKILL.md?x",
            "a/SKILL.md",
            "skill://a/./SKILL.md",
        ] {
            assert_eq!(ids(uri, "\"dynamic\""), name, "{uri}");
        }
        assert_eq!(ids("skill://a/SKILL.md", "\"dynamic\""), [""; 0]);
    }
}
