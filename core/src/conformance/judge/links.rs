//! Where the text of a `SKILL.md` leads: to files of the skill, and to other skills.

use super::broken;
use crate::entry::SkillEntry;
use crate::finding::{Finding, quote};
use crate::protocol::directory::ManifestTree;
use crate::source::{LineIndex, Span};
use crate::uri::{Reference, SKILL_MD, SkillUri, same_after_decoding};

/// How many links of one text are looked at.
const MAX_LINKS: usize = 1_000;

/// How many bytes of a link's target, of its label, and of code in a line are looked at.
const MAX_TARGET: usize = 2_000;
const MAX_LABEL: usize = 1_000;
const MAX_CODE: usize = 2_000;

/// How many broken links of one text are told.
const MAX_TOLD: usize = 20;

/// A link that leads to a place in the skill where no file is listed.
pub(in super::super) struct Unlisted {
    /// What to say of it.
    pub(in super::super) finding: Finding,
    /// The file it names, if that would be one of the skill's.
    pub(in super::super) file: Option<String>,
}

/// The links of `text` from `body` on that lead to no listed file, and whether there are more links
/// than are looked at.
pub(in super::super) fn unlisted(
    entry: &SkillEntry,
    tree: &ManifestTree,
    text: &str,
    body: Span,
) -> (Vec<Unlisted>, bool) {
    let Some(manifest) = entry.manifest() else { return (Vec::new(), false) };
    let skill = entry.skill_uri();
    let lines = LineIndex::new(text);
    let targets = targets(body.of(text));
    let has_more = targets.len() > MAX_LINKS;
    let leads_nowhere = targets.into_iter().take(MAX_LINKS).filter_map(|span| {
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
    (leads_nowhere.take(MAX_TOLD).collect(), has_more)
}

/// What is wrong where such a file can be read all the same.
pub(in super::super) fn served(uri: &str) -> Finding {
    let message = format!("SKILL.md links to {}, which is served and not listed", quote(uri));
    broken("resources-complete", message).pointer("/resources")
}

/// The targets of Markdown links, images and link definitions outside of code and comments: one more
/// than are looked at, where there are more.
fn targets(text: &str) -> Vec<Span> {
    let prose = prose(text);
    let inline = prose.match_indices("](").filter(|(at, _)| ends_label(&prose, *at));
    let inline = inline.map(|(at, _)| at + 2);
    let mut start = 0;
    let definitions = prose.split_inclusive('\n').filter_map(|line| {
        let line_start = start;
        start += line.len();
        let label = line.trim_start().strip_prefix('[')?;
        let end = line.find("]: ")? + 3;
        // A footnote leads to no file, and neither does a note.
        let is_definition = !label.starts_with('^') && ends_definition(&line[end..]);
        is_definition.then_some(line_start + end)
    });
    let spans = inline.chain(definitions).map(|from| target(&prose, from));
    spans.take(MAX_LINKS + 1).filter(|span| span.start < span.end).collect()
}

/// Whether this may follow the label of a link definition: a target, and at most a title behind it.
fn ends_definition(text: &str) -> bool {
    let behind = text.trim().split_once(char::is_whitespace);
    let title = behind.map_or("", |(_, title)| title.trim_start());
    text.starts_with('<') || title.is_empty() || title.starts_with(['"', '\'', '('])
}

/// Whether a bracket that closes at `end` was opened.
fn ends_label(text: &str, end: usize) -> bool {
    let label = &text[text.floor_char_boundary(end.saturating_sub(MAX_LABEL))..end];
    let open = label.bytes().fold(0_usize, |open, byte| match byte {
        b'[' => open + 1,
        b']' => open.saturating_sub(1),
        _ => open,
    });
    open > 0
}

/// The target that begins at `from`: up to a blank or the closing bracket, `<…>` taken off.
fn target(text: &str, from: usize) -> Span {
    let rest = &text[from..text.floor_char_boundary(from + MAX_TARGET)];
    if let Some(inner) = rest.strip_prefix('<') {
        let length = inner.find('>').unwrap_or(0);
        return Span::new(from + 1, from + 1 + length);
    }
    let length = rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len());
    Span::new(from, from + length)
}

/// A Markdown text of the same length with blanks for what holds no links: code and comments. Cost:
/// the text's length.
fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    while let Some(first) = text[prose.len()..].chars().next() {
        let rest = &text[prose.len()..];
        let begins_line = prose.is_empty() || text[..prose.len()].ends_with('\n');
        let skipped = if begins_line { fenced(rest) } else { 0 }.max(hidden(rest));
        if skipped > 0 {
            prose.push_str(&" ".repeat(skipped));
            continue;
        }
        let others = &rest[first.len_utf8()..];
        let plain = others.find(['`', '<', '\\', '\n']).filter(|_| first != '\n');
        let plain = plain.unwrap_or(if first == '\n' { 0 } else { others.len() });
        prose.push_str(&rest[..first.len_utf8() + plain]);
    }
    prose
}

/// The mark of a fence, how often it stands there, and what follows, if a line begins with one. It may
/// stand in a quotation, and where it opens code in an item of a list.
fn fence(line: &str, opens: bool) -> Option<(char, usize, &str)> {
    let is_around = |c: char| {
        c.is_whitespace() || c == '>' || (opens && (c.is_ascii_digit() || "-*+.)".contains(c)))
    };
    let line = line.trim_start_matches(is_around);
    let mark = line.chars().next().filter(|mark| "`~".contains(*mark))?;
    let behind = line.trim_start_matches(mark);
    let length = line.len() - behind.len();
    // What has more marks behind it is code in a line.
    (length >= 3 && !(mark == '`' && behind.contains('`'))).then_some((mark, length, behind))
}

/// How many bytes the fenced code has that a line begins, to its end or the text's.
fn fenced(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let Some((mark, length, _)) = fence(first, true) else { return 0 };
    let mut bytes = first.len();
    for line in lines {
        bytes += line.len();
        let ends = |(other, others, behind): (char, usize, &str)| {
            other == mark && others >= length && behind.trim().is_empty()
        };
        if fence(line, false).is_some_and(ends) {
            break;
        }
    }
    bytes
}

/// How many bytes a comment, code in a line or an escaped character has, if the text begins with one.
fn hidden(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |end| end + 3);
    }
    if let Some(escaped) = text.strip_prefix('\\') {
        return if escaped.starts_with(|c: char| c.is_ascii_punctuation()) { 2 } else { 0 };
    }
    let behind = text.trim_start_matches('`');
    let length = text.len() - behind.len();
    // It ends with the paragraph at the latest.
    let near = &behind[..behind.floor_char_boundary(MAX_CODE)];
    let begins_other = |line: &str| line.trim().is_empty() || fence(line, true).is_some();
    let lines = near.split_inclusive('\n').enumerate();
    let own = lines.take_while(|(at, line)| *at == 0 || !begins_other(line));
    let near = &near[..own.map(|(_, line)| line.len()).sum()];
    let mut rest = near;
    while length > 0
        && let Some(at) = rest.find('`')
    {
        let after = rest[at..].trim_start_matches('`');
        if rest.len() - at - after.len() == length {
            return length + near.len() - after.len();
        }
        rest = after;
    }
    length
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
        let (found, _) = unlisted(&entry, &tree, text, Span::new(0, text.len()));
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
    fn what_only_looks_like_a_link_is_none() {
        for text in [
            "[^1]: see below",
            "[Note]: the key must be set",
            "- ```sh\n  [gone](gone.md)\n  ```\n[b](r/b.md)",
            "> ~~~\n> [gone](gone.md)\n> ~~~\n[b](r/b.md)",
            "- [ ] task: later\n- [x] done: now",
            "<!-- [gone](gone.md)\n[gone](gone.md) --> [b](r/b.md)",
            "<!-- [gone](gone.md)",
            "````md\n```\n[gone](gone.md)\n```\n[gone](gone.md)\n````\n[b](r/b.md)",
            "~~~\n[gone](gone.md)\n```\n[gone](gone.md)",
            "``[gone](a`gone.md)`` and `` `[gone](gone.md)` ``",
            "\\[gone](gone.md) \\`[b](r/b.md)\\`",
        ] {
            assert_eq!(messages(text), Vec::<String>::new(), "{text}");
        }
        for text in [
            "` [gone](gone.md)",
            "```a``` [gone](gone.md)",
            "é\\é[gone](gone.md)`",
            "```\n```\n[gone](gone.md)",
            "Press ` to open.\n\n```sh\necho `date`\n```\n\n[gone](gone.md)",
            "Quote with `.\n\n[x](gone.md)\n\nEnd with ` here",
            "[k]: gone.md 'title'",
            "[k]: <g one.md>",
        ] {
            assert_eq!(messages(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn the_cost_is_the_texts_length() {
        for piece in ["](", "[", "`", "``", "<!--", "\\`", "```\n", "[a]: "] {
            let text = piece.repeat(400_000 / piece.len());
            assert!(messages(&text).len() <= MAX_TOLD, "{piece}");
        }
    }

    #[test]
    fn skills_are_found_in_running_text() {
        let text = "Use skill://a/b/SKILL.md, `file://x/y/SKILL.md` or (skill://a/b/SKILL.md). \
            Not /SKILL.md, docs/SKILL.md or skill://SKILL.md.";
        assert_eq!(skill_uris(text), ["skill://a/b/SKILL.md", "file://x/y/SKILL.md"]);
    }
}
