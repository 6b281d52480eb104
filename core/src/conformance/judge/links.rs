//! Where the text of a `SKILL.md` leads: to files of the skill, and to other skills.

use super::broken;
use crate::entry::SkillEntry;
use crate::finding::{Finding, quote};
use crate::protocol::directory::ManifestTree;
use crate::source::{LineIndex, Span};
use crate::uri::{Reference, SKILL_MD, SkillUri, same_after_decoding};

/// How many links of one text are looked at.
const MAX_LINKS: usize = 1_000;

/// How many broken links of one text are told.
const MAX_TOLD: usize = 20;

/// A link that leads to a place in the skill where no file is listed.
pub(in super::super) struct Unlisted {
    /// What to say of it.
    pub(in super::super) finding: Finding,
    /// The file it names, if that would be one of the skill's.
    pub(in super::super) file: Option<String>,
}

/// The links of `text` from `body` on that lead to no listed file.
pub(in super::super) fn unlisted(
    entry: &SkillEntry,
    tree: &ManifestTree,
    text: &str,
    body: Span,
) -> Vec<Unlisted> {
    let Some(manifest) = entry.manifest() else { return Vec::new() };
    let skill = entry.skill_uri();
    let lines = LineIndex::new(text);
    let targets = targets(body.of(text)).take(MAX_LINKS);
    let leads_nowhere = targets.filter_map(|span| {
        let span = span.shifted(body.start);
        let (what, uri, inside) = match skill.resolve(span.of(text)) {
            Reference::File { uri, .. } => ("leads to", uri, true),
            // A link to another place of the name space is no file of this skill.
            Reference::Outside { uri: Some(uri) } if !span.of(text).contains("://") => {
                ("leads out of the skill, to", uri, false)
            }
            _ => return None,
        };
        let is_listed = manifest.get(&uri).is_some()
            || tree.holds(uri.trim_end_matches('/'))
            || (inside && !tree.reaches(&uri))
            || manifest.files.iter().any(|file| same_after_decoding(&file.uri, &uri));
        if is_listed {
            return None;
        }
        let (link, target) = (quote(span.of(text)), quote(&uri));
        let message = format!("the link {link} {what} {target}, which is not listed");
        let finding = broken("manifest-links-listed", message).at(span, &lines);
        Some(Unlisted { finding, file: inside.then_some(uri) })
    });
    leads_nowhere.take(MAX_TOLD).collect()
}

/// What is wrong where such a file can be read all the same.
pub(in super::super) fn served(uri: &str) -> Finding {
    let message = format!("SKILL.md links to {}, which is served and not listed", quote(uri));
    broken("resources-complete", message).pointer("/resources")
}

/// The targets of Markdown links, images and link definitions outside of code.
fn targets(text: &str) -> impl Iterator<Item = Span> {
    let mut fence: Option<&str> = None;
    let mut offset = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let start = offset;
        offset += line.len();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                return in_line(line).map(|span| span.shifted(start)).collect::<Vec<_>>();
            }
            _ => {}
        }
        Vec::new()
    })
}

/// The targets in a line: behind `](`, and behind `[label]: ` at its start.
fn in_line(line: &str) -> impl Iterator<Item = Span> {
    let definition = line
        .trim_start()
        .starts_with('[')
        .then(|| line.find("]: "))
        .flatten()
        .map(|at| target(line, at + 3));
    let inline = line.match_indices("](").map(|(at, _)| at);
    let inline = inline
        .filter(|at| line[..*at].matches('`').count().is_multiple_of(2))
        .map(|at| target(line, at + 2));
    definition.into_iter().chain(inline).filter(|span| span.start < span.end)
}

/// The target that begins at `from`: up to a blank or the closing bracket, `<…>` taken off.
fn target(line: &str, from: usize) -> Span {
    let rest = &line[from..];
    if let Some(inner) = rest.strip_prefix('<') {
        let length = inner.find('>').unwrap_or(0);
        return Span::new(from + 1, from + 1 + length);
    }
    let length = rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len());
    Span::new(from, from + length)
}

/// The URIs of `SKILL.md` files that a text names, each once.
pub(in super::super) fn skill_uris(text: &str) -> Vec<&str> {
    let ending = format!("/{SKILL_MD}");
    let ends = text.match_indices(&ending).map(|(at, _)| at + ending.len());
    let uris = ends.filter_map(|end| {
        let before = &text[..end];
        let breaks = |c: char| c.is_whitespace() || "\"'`<>()[]{}|".contains(c);
        let start = before.char_indices().rev().find(|(_, c)| breaks(*c));
        let uri = &before[start.map_or(0, |(at, c)| at + c.len_utf8())..];
        SkillUri::parse(uri).is_ok().then_some(uri)
    });
    let mut found = Vec::new();
    for uri in uris {
        if found.len() < MAX_LINKS && !found.contains(&uri) {
            found.push(uri);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::entry;

    fn messages(text: &str) -> Vec<String> {
        let digest = Digest::of(b"");
        let line =
            |path: &str| format!(r#"{{"uri":"skill://x/a/{path}","digest":"{digest}","size":0}}"#);
        let lines = ["SKILL.md", "r/b.md"].map(line).join(",");
        let entry = entry::read(&format!(
            r#"{{"uri":"skill://x/a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{lines}]}}"#
        ));
        let entry = entry.entry.unwrap();
        let tree = ManifestTree::new(&entry).unwrap();
        let found = unlisted(&entry, &tree, text, Span::new(0, text.len()));
        found.into_iter().map(|unlisted| unlisted.finding.message).collect()
    }

    #[test]
    fn links_to_files_and_their_directories_are_fine() {
        let text = "[b](r/b.md#top) [r](r/) [r](r) ![i](./r/b.md \"title\") <https://x.example>\n\
            [x](https://x.example/y) [y](#here) [other](skill://x/c/SKILL.md)\n\
            [def]: r/b.md\n`[code](no.md)`\n```\n[fenced](no.md)\n```\n";
        assert_eq!(messages(text), Vec::<String>::new());
    }

    #[test]
    fn links_to_nothing_are_told_with_their_place() {
        let found = messages("see [c](r/c.md), [d](<r/d e.md>) and [up](../b/x.md)\n[k]: k.md\n");
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found.iter().any(|message| message.contains("r/c.md")));
        assert!(found.iter().any(|message| message.contains("out of the skill")));
    }

    #[test]
    fn skills_are_found_in_running_text() {
        let text = "Use skill://a/b/SKILL.md, `file://x/y/SKILL.md` or (skill://a/b/SKILL.md). \
            Not /SKILL.md, docs/SKILL.md or skill://SKILL.md.";
        assert_eq!(skill_uris(text), ["skill://a/b/SKILL.md", "file://x/y/SKILL.md"]);
    }
}
