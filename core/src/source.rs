//! Where something stands in a text.
//!
//! Positions leave this crate in one form only: a [`Span`] counts bytes from 0, a [`Position`]
//! counts lines from 1 and columns from 1 in UTF-16 code units, which is what editors and
//! JavaScript count. Nothing else in the crate counts positions.

use serde::Serialize;

/// A half-open range of bytes in a UTF-8 text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Span {
    /// The first byte, counted from 0.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The same range, counted from a text that begins `offset` bytes earlier.
    #[must_use]
    pub const fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The piece of `text` this span names, or `""` where it does not lie in `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A place in a text as people and editors count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Position {
    /// The line, from 1. LF, CRLF and a lone CR each end a line.
    pub line: usize,
    /// The column, from 1, in UTF-16 code units.
    pub column: usize,
}

/// Finds positions in one text.
///
/// ```
/// use skillglass::source::{LineIndex, Position};
/// let lines = LineIndex::new("name: x\r\n😀: y");
/// assert_eq!(lines.position(9), Position { line: 2, column: 1 });
/// assert_eq!(lines.position(13), Position { line: 2, column: 3 });
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes the lines of `text`. Cost: one pass.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends_line {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// The position of the byte at `offset`. An offset past the end gives the end; one inside a
    /// character gives that character's start.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let column = self.text[start..offset].encode_utf16().count() + 1;
        Position { line, column }
    }

    /// How many lines the text has; a final line break starts one more, empty, line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_break_counts_once() {
        let lines = LineIndex::new("a\nb\r\nc\rd");
        assert_eq!(lines.line_count(), 4);
        assert_eq!(lines.position(2), Position { line: 2, column: 1 });
        assert_eq!(lines.position(5), Position { line: 3, column: 1 });
        assert_eq!(lines.position(7), Position { line: 4, column: 1 });
    }

    #[test]
    fn offsets_outside_or_inside_characters_are_safe() {
        let lines = LineIndex::new("é");
        assert_eq!(lines.position(1), Position { line: 1, column: 1 });
        assert_eq!(lines.position(99), Position { line: 1, column: 2 });
    }
}
