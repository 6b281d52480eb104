//! What YAML 1.2 allows and `yaml-rust2` 0.13 refuses, spelled so that it reads it.
//!
//! Three constructs are known: a tab between `:` and a value, an escaped surrogate pair in a
//! double-quoted scalar, and a flow collection continued at column 0. Only the line that the
//! parser stumbled over is changed, so text inside of scalars is never touched, and every place
//! keeps its byte offset in the original.

use std::borrow::Cow;

use yaml_rust2::ScanError;
use yaml_rust2::scanner::Marker;

use super::{Note, NoteKind};
use crate::source::Span;

/// A text as the parser gets to see it, and the way back to the file it stands in.
pub(super) struct Source<'t> {
    /// The text for the parser.
    pub(super) text: Cow<'t, str>,
    file: &'t str,
    offsets: Offsets,
    notes: Vec<Note>,
}

/// Where each character of the parser's text stands in the file, in bytes.
enum Offsets {
    /// The text is ASCII as it came, and begins here: characters are bytes.
    Bytes(usize),
    Table {
        /// One offset for each character, and one for the end.
        characters: Vec<usize>,
        /// The index of the first character of each line.
        lines: Vec<usize>,
    },
}

impl Offsets {
    fn table(text: &str, characters: Vec<usize>) -> Self {
        let mut lines = vec![0];
        let mut rest = text.chars().enumerate().peekable();
        while let Some((at, character)) = rest.next() {
            let is_crlf = character == '\r' && rest.peek().is_some_and(|(_, next)| *next == '\n');
            if matches!(character, '\n' | '\r') && !is_crlf {
                lines.push(at + 1);
            }
        }
        Self::Table { characters, lines }
    }
}

impl<'t> Source<'t> {
    /// The part of `file` that `within` names.
    pub(super) fn new(file: &'t str, within: Span) -> Self {
        let text = within.of(file);
        let offsets = if text.is_ascii() {
            Offsets::Bytes(within.start)
        } else {
            let characters = text.char_indices().map(|(at, _)| within.start + at);
            Offsets::table(text, characters.chain([within.end]).collect())
        };
        Self { text: Cow::Borrowed(text), file, offsets, notes: Vec::new() }
    }

    /// The places that were respelled.
    pub(super) fn notes(self) -> Vec<Note> {
        self.notes
    }

    /// How many places were respelled so far.
    pub(super) const fn respellings(&self) -> usize {
        self.notes.len()
    }

    /// The whole file, as it came.
    pub(super) const fn file(&self) -> &'t str {
        self.file
    }

    /// The byte offset in the file of the parser's mark.
    pub(super) fn offset(&self, mark: &Marker) -> usize {
        self.offset_of(self.index(mark))
    }

    /// The character of the parser's text that a mark stands at. Behind a block scalar its index has
    /// counted bytes for characters, so line and column decide.
    fn index(&self, mark: &Marker) -> usize {
        match &self.offsets {
            Offsets::Bytes(_) => mark.index(),
            Offsets::Table { lines, .. } => {
                lines.get(mark.line() - 1).map_or(mark.index(), |start| start + mark.col())
            }
        }
    }

    /// The byte offset in the file of a character of the parser's text.
    fn offset_of(&self, index: usize) -> usize {
        match &self.offsets {
            Offsets::Bytes(start) => start + index.min(self.text.len()),
            Offsets::Table { characters, .. } => characters[index.min(characters.len() - 1)],
        }
    }

    /// Changes the place of `error` if it is one of the three. Says whether it did.
    pub(super) fn respell(&mut self, error: &ScanError) -> bool {
        let index = self.index(error.marker());
        let line = self.line_of(index);
        let characters: Vec<char> = self.text.chars().collect();
        let change = tab_after_colon(&characters, &line)
            .or_else(|| surrogate_pair(&characters, index))
            .or_else(|| flow_at_column_0(&characters, &line, error.info()));
        let Some(change) = change else { return false };
        self.apply(characters, &change);
        true
    }

    /// The characters of the line that holds the character at `index`.
    fn line_of(&self, index: usize) -> std::ops::Range<usize> {
        let mut start = 0;
        let mut end = 0;
        for (at, character) in self.text.chars().enumerate() {
            end = at + 1;
            if matches!(character, '\n' | '\r') {
                if at >= index {
                    return start..at;
                }
                start = at + 1;
            }
        }
        start..end
    }

    fn apply(&mut self, mut characters: Vec<char>, change: &Change) {
        let end = change.at + change.remove;
        let mut table: Vec<usize> = (0..=characters.len()).map(|at| self.offset_of(at)).collect();
        let span = Span::new(table[change.at], table[end]);
        self.notes.push(Note { kind: NoteKind::ReaderAllowance, span });
        table.splice(change.at..end, [span.start]);
        characters.splice(change.at..end, [change.insert]);
        let text: String = characters.into_iter().collect();
        self.offsets = Offsets::table(&text, table);
        self.text = Cow::Owned(text);
    }
}

/// `remove` characters at `at` become the one in `insert`.
struct Change {
    at: usize,
    remove: usize,
    insert: char,
}

/// A tab behind the first `:` of the line, which ends a key outside of quotes.
fn tab_after_colon(characters: &[char], line: &std::ops::Range<usize>) -> Option<Change> {
    let at =
        line.clone().skip(1).find(|&at| characters[at] == '\t' && characters[at - 1] == ':')?;
    Some(Change { at, remove: 1, insert: ' ' })
}

/// A line of a flow collection that begins at column 0.
fn flow_at_column_0(
    characters: &[char],
    line: &std::ops::Range<usize>,
    info: &str,
) -> Option<Change> {
    let at_column_0 = characters.get(line.start).is_some_and(|first| !first.is_whitespace());
    let complains = info == "invalid indentation" || info.contains("flow construct");
    (at_column_0 && complains).then_some(Change { at: line.start, remove: 0, insert: ' ' })
}

/// The first escaped surrogate pair behind the start of the scalar at `from`.
fn surrogate_pair(characters: &[char], from: usize) -> Option<Change> {
    let at = (from..characters.len().saturating_sub(11)).find(|&at| {
        is_escape_of(&characters[at..at + 6], 0xd800..0xdc00)
            && is_escape_of(&characters[at + 6..at + 12], 0xdc00..0xe000)
    })?;
    let high = escape_code(&characters[at..at + 6])? - 0xd800;
    let low = escape_code(&characters[at + 6..at + 12])? - 0xdc00;
    let insert = char::from_u32(0x10000 + (high << 10) + low)?;
    Some(Change { at, remove: 12, insert })
}

fn is_escape_of(characters: &[char], range: std::ops::Range<u32>) -> bool {
    escape_code(characters).is_some_and(|code| range.contains(&code))
}

/// The code of `\uXXXX`.
fn escape_code(characters: &[char]) -> Option<u32> {
    let ['\\', 'u', digits @ ..] = characters else { return None };
    digits.iter().try_fold(0, |code, digit| Some(code * 16 + digit.to_digit(16)?))
}
