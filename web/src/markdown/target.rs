//! What the links of a skill's text lead to.

use std::collections::HashSet;

use pulldown_cmark::{Event, Parser, Tag};
use skillglass::entry::SkillEntry;
use skillglass::frontmatter::Frontmatter;
use skillglass::uri::Reference;

use super::OPTIONS;

/// How many links are looked at.
const MAX_LINKS: usize = 2_000;

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Another place in the same text.
    Here,
    /// A file that may be read.
    File(String),
    /// A directory with files that may be read.
    Directory,
    /// A file below the skill's root that the manifest does not list.
    Unlisted(String),
    /// Something of the same server, but not of this skill.
    Outside,
    /// A web address, for a person to open.
    Web(String),
    /// Nothing that is opened, with the reason.
    Dead(&'static str),
}

/// What `reference` leads to where it stands in the file at `path`.
pub(crate) fn target(entry: &SkillEntry, path: &str, reference: &str) -> Target {
    match entry.skill_uri().resolve_from(path, reference) {
        Reference::Here { .. } => Target::Here,
        Reference::File { uri, .. } => file(entry, uri),
        Reference::Outside { .. } => Target::Outside,
        Reference::External { .. } if is_web(reference) => Target::Web(reference.to_owned()),
        Reference::External { .. } => Target::Dead("not a web address"),
        Reference::Malformed { .. } => Target::Dead("not a link that can be followed"),
    }
}

fn file(entry: &SkillEntry, uri: String) -> Target {
    let Some(manifest) = entry.manifest() else { return Target::File(uri) };
    if manifest.get(&uri).is_some() {
        return Target::File(uri);
    }
    let below = |file: &str| file.strip_prefix(&uri).is_some_and(|rest| rest.starts_with('/'));
    if manifest.files.iter().any(|file| below(&file.uri)) {
        Target::Directory
    } else {
        Target::Unlisted(uri)
    }
}

fn is_web(reference: &str) -> bool {
    let begins = |scheme: &str| {
        reference.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    begins("https://") || begins("http://")
}

/// The instructions of a `SKILL.md`: what follows its frontmatter.
pub(crate) fn body(text: &str) -> &str {
    Frontmatter::read(text.as_bytes()).map_or(text, |frontmatter| frontmatter.body.of(text))
}

/// The files that a `SKILL.md` links to below its root, though the manifest does not list them.
pub(crate) fn unlisted_files(entry: &SkillEntry, skill_md: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut unlisted = Vec::new();
    let links = Parser::new_ext(body(skill_md), OPTIONS).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url),
        _ => None,
    });
    for reference in links.take(MAX_LINKS) {
        if !seen.insert(reference.to_string()) {
            continue;
        }
        if let Target::Unlisted(uri) = target(entry, "", &reference) {
            unlisted.push(uri);
        }
    }
    unlisted
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillglass::digest::Digest;
    use skillglass::entry;

    fn skill(resources: &str) -> SkillEntry {
        let text = format!(
            r#"{{"uri":"skill://a/b/SKILL.md","frontmatter":{{"name":"b","description":"c"}},"resources":{resources}}}"#
        );
        entry::read(&text).entry.unwrap()
    }

    fn listed() -> SkillEntry {
        let digest = Digest::of(b"");
        let line =
            |path: &str| format!(r#"{{"uri":"skill://a/b/{path}","digest":"{digest}","size":0}}"#);
        skill(&format!("[{},{},{}]", line("SKILL.md"), line("refs/x.md"), line("refs/y.md")))
    }

    #[test]
    fn links_lead_to_listed_files_only() {
        let entry = listed();
        assert_eq!(
            target(&entry, "", "refs/x.md#top"),
            Target::File("skill://a/b/refs/x.md".into())
        );
        assert_eq!(
            target(&entry, "refs/x.md", "y.md"),
            Target::File("skill://a/b/refs/y.md".into())
        );
        assert_eq!(target(&entry, "", "refs/"), Target::Directory);
        assert_eq!(target(&entry, "", "z.md"), Target::Unlisted("skill://a/b/z.md".into()));
        assert_eq!(target(&entry, "", "../other/SKILL.md"), Target::Outside);
        assert_eq!(target(&entry, "", "#below"), Target::Here);
    }

    #[test]
    fn only_web_addresses_leave_the_page() {
        let entry = listed();
        assert_eq!(
            target(&entry, "", "HTTPS://a.example/"),
            Target::Web("HTTPS://a.example/".into())
        );
        assert_eq!(target(&entry, "", "//a.example/"), Target::Outside);
        for reference in ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.c"] {
            assert!(matches!(target(&entry, "", reference), Target::Dead(_)), "{reference}");
        }
    }

    #[test]
    fn a_dynamic_skill_lists_nothing_and_links_anywhere_below() {
        let entry = skill("\"dynamic\"");
        assert_eq!(target(&entry, "", "z.md"), Target::File("skill://a/b/z.md".into()));
        assert_eq!(target(&entry, "", "../z.md"), Target::Outside);
    }

    #[test]
    fn unlisted_links_are_found_once_and_outside_of_the_frontmatter() {
        let text = "---\nname: b\ndescription: '[no](no.md)'\n---\n[x](refs/x.md) ![z](z.md) [z](z.md) `[q](q.md)`\n";
        assert_eq!(unlisted_files(&listed(), text), ["skill://a/b/z.md"]);
    }
}
