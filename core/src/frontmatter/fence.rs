//! Finds the two `---` lines that enclose the frontmatter.

use std::fmt;

use serde::Serialize;

use super::{FrontmatterError, FrontmatterErrorKind, Note, NoteKind};
use crate::source::Span;

const MARK: &str = "\u{feff}";

/// Where the frontmatter of a file is.
#[derive(Debug)]
pub(super) struct Fences {
    /// The text between the fences, with the line break before the closing one.
    pub(super) yaml: Span,
    /// Everything behind the closing fence's line.
    pub(super) body: Span,
    /// What is odd about the fences.
    pub(super) notes: Vec<Note>,
}

/// What an unclosed frontmatter looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnclosedHint {
    /// Nothing that looks like a fence follows.
    None,
    /// A line `...` stands where the fence should.
    Dots,
    /// A line of more than three dashes stands where the fence should.
    LongDashes,
    /// A Markdown formatter turned the fields into a heading.
    Formatted,
}

impl fmt::Display for UnclosedHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "",
            Self::Dots => "; a line \"...\" ends YAML documents but does not close frontmatter",
            Self::LongDashes => "; a longer row of dashes does not close it",
            Self::Formatted => {
                "; it looks as if a Markdown formatter turned the frontmatter into a heading"
            }
        })
    }
}

impl Fences {
    /// Finds the fences in the text of a file.
    pub(super) fn find(text: &str) -> Result<Self, FrontmatterError> {
        let mut notes = Vec::new();
        let start = if text.starts_with(MARK) { MARK.len() } else { 0 };
        if start > 0 {
            notes.push(Note { kind: NoteKind::ByteOrderMark, span: Span::new(0, start) });
        }
        let mut lines = lines(text, start);
        let opening = lines.next().filter(|line| is_fence(line.of(text)));
        let Some(opening) = opening else { return Err(no_opening(text, start)) };
        note_space(text, opening, NoteKind::SpaceAfterOpening, &mut notes);
        let yaml_start = after_line_break(text, opening.end);
        for line in lines {
            if is_fence(line.of(text)) {
                note_carriage_return(text, Span::new(opening.end, line.start), &mut notes);
                note_space(text, line, NoteKind::SpaceAfterClosing, &mut notes);
                return Ok(Self {
                    yaml: Span::new(yaml_start, line.start),
                    body: Span::new(after_line_break(text, line.end), text.len()),
                    notes,
                });
            }
        }
        let kind = FrontmatterErrorKind::Unclosed(hint(&text[yaml_start..]));
        Err(FrontmatterError { kind, span: opening })
    }
}

/// The lines from `start` on, without their breaks.
fn lines(text: &str, start: usize) -> impl Iterator<Item = Span> {
    let mut at = Some(start);
    std::iter::from_fn(move || {
        let start = at?;
        let rest = &text.as_bytes()[start..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = start + length.unwrap_or(rest.len());
        at = (end < text.len()).then(|| after_line_break(text, end));
        Some(Span::new(start, end))
    })
}

/// Behind the line break at `end`, if there is one.
fn after_line_break(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    end + if rest.starts_with("\r\n") { 2 } else { usize::from(!rest.is_empty()) }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
}

fn note_space(text: &str, line: Span, kind: NoteKind, notes: &mut Vec<Note>) {
    if line.of(text).len() > 3 {
        notes.push(Note { kind, span: Span::new(line.start + 3, line.end) });
    }
}

/// Notes the first carriage return that is no part of a CRLF.
fn note_carriage_return(text: &str, within: Span, notes: &mut Vec<Note>) {
    let bytes = text.as_bytes();
    let lone = |at: &usize| bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if let Some(at) = (within.start..within.end).find(lone) {
        notes.push(Note { kind: NoteKind::LoneCarriageReturn, span: Span::new(at, at + 1) });
    }
}

/// A fence that comes after white space only is worth another message than none at all.
fn no_opening(text: &str, start: usize) -> FrontmatterError {
    let content = start + (text[start..].len() - text[start..].trim_start().len());
    let late = lines(text, content).next().is_some_and(|line| is_fence(line.of(text)));
    if late {
        let span = Span::new(start, content);
        return FrontmatterError { kind: FrontmatterErrorKind::LateOpening, span };
    }
    let span = Span::new(start, lines(text, start).next().map_or(start, |line| line.end));
    FrontmatterError { kind: FrontmatterErrorKind::Missing, span }
}

fn hint(unclosed: &str) -> UnclosedHint {
    for line in unclosed.lines().map(str::trim_end) {
        if line == "..." {
            return UnclosedHint::Dots;
        }
        if line.len() > 3 && line.bytes().all(|byte| byte == b'-') {
            return UnclosedHint::LongDashes;
        }
        if line.trim_start_matches('#').trim_start().starts_with("name:") && line.starts_with('#') {
            return UnclosedHint::Formatted;
        }
    }
    UnclosedHint::None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> &str {
        Fences::find(text).unwrap().yaml.of(text)
    }

    fn kind(text: &str) -> FrontmatterErrorKind {
        Fences::find(text).unwrap_err().kind
    }

    #[test]
    fn fences_are_whole_lines() {
        assert_eq!(yaml("---\na: b\n---\nbody\n---\n"), "a: b\n");
        assert_eq!(yaml("---\r\na: b\r\n---"), "a: b\r\n");
        assert_eq!(yaml("---\ra: b\r---\rx"), "a: b\r");
        assert_eq!(yaml("---\na: x --- y\n  ---\n---\n"), "a: x --- y\n  ---\n");
        assert_eq!(yaml("---\n---\n"), "");
        let text = "---\na: b\n---\nbody";
        assert_eq!(Fences::find(text).unwrap().body.of(text), "body");
        assert_eq!(Fences::find("---\na: b\n---").unwrap().body, Span::new(12, 12));
    }

    #[test]
    fn oddities_are_noted() {
        let kinds = |text| -> Vec<_> {
            Fences::find(text).unwrap().notes.iter().map(|note| note.kind).collect()
        };
        assert_eq!(
            kinds("\u{feff}--- \na: b\n---\t\n"),
            [NoteKind::ByteOrderMark, NoteKind::SpaceAfterOpening, NoteKind::SpaceAfterClosing]
        );
        assert_eq!(kinds("---\r\na: b\rc: d\r\n---\r\n"), [NoteKind::LoneCarriageReturn]);
        assert_eq!(kinds("---\r\na: b\r\n---\r\n\r"), []);
    }

    #[test]
    fn missing_fences_are_explained() {
        assert_eq!(kind(""), FrontmatterErrorKind::Missing);
        assert_eq!(kind("# Title\n---\n"), FrontmatterErrorKind::Missing);
        assert_eq!(kind("\n\n---\na: b\n---\n"), FrontmatterErrorKind::LateOpening);
        assert_eq!(kind("----\na: b\n---\n"), FrontmatterErrorKind::Missing);
        let unclosed = FrontmatterErrorKind::Unclosed;
        assert_eq!(kind("---\na: b\n"), unclosed(UnclosedHint::None));
        assert_eq!(kind("---\na: b\n...\n"), unclosed(UnclosedHint::Dots));
        assert_eq!(kind("---\na: b\n----\n"), unclosed(UnclosedHint::LongDashes));
        assert_eq!(kind("---\n\n## name: x\n"), unclosed(UnclosedHint::Formatted));
    }
}
