//! Where something stands in a text.
//!
//! Positions leave this crate in one form only: a [`Span`] counts bytes from 0, a [`Position`]
//! counts lines from 1 and columns from 1 in UTF-16 code units, which is what editors and
//! JavaScript count. Nothing else in the crate counts positions.

use serde::Serialize;

/// A half-open range of bytes in a UTF-8 text.
///
/// ```
/// use skillglass::source::Span;
/// assert_eq!(Span::new(3, 6).of("a: yes"), "yes");
/// assert_eq!(Span::new(3, 9).of("a: yes"), ""); // does not lie in the text
/// ```
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
    pub(crate) const fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The piece of `text` this span names; `""` where it does not lie in `text` or would cut a
    /// character.
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
/// assert_eq!(lines.position(99), lines.position(16)); // past the end is the end
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    /// The start of each line and, on long lines, a place now and then, so that finding a position
    /// costs the same wherever it is: JSON often comes as one line.
    marks: Vec<Mark>,
}

/// The known position of a byte.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: usize,
    position: Position,
}

/// How far marks on one line may be apart, in bytes.
const MARK_DISTANCE: usize = 256;

impl<'a> LineIndex<'a> {
    /// Indexes the lines of `text`. Cost: one pass, and a mark for each line and for each 256
    /// bytes of a long one.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut mark = Mark { offset: 0, position: Position { line: 1, column: 1 } };
        let mut marks = vec![mark];
        let mut column = 1;
        for (at, &byte) in bytes.iter().enumerate() {
            let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            column += utf16_units(byte);
            let line = mark.position.line;
            if ends_line {
                column = 1;
                mark = Mark { offset: at + 1, position: Position { line: line + 1, column } };
            } else if at + 1 - mark.offset >= MARK_DISTANCE && text.is_char_boundary(at + 1) {
                mark = Mark { offset: at + 1, position: Position { line, column } };
            } else {
                continue;
            }
            marks.push(mark);
        }
        Self { text, marks }
    }

    /// The position of the byte at `offset`. An offset past the end gives the end; one inside a
    /// character gives that character's start.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let after = self.marks.partition_point(|mark| mark.offset <= offset);
        let Mark { offset: start, position } = self.marks[after - 1];
        let units: usize =
            self.text.as_bytes()[start..offset].iter().map(|byte| utf16_units(*byte)).sum();
        Position { line: position.line, column: position.column + units }
    }

    /// How many lines the text has; a final line break starts one more, empty, line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.marks.last().map_or(1, |mark| mark.position.line)
    }
}

/// How many UTF-16 code units begin with this byte of a UTF-8 text.
const fn utf16_units(byte: u8) -> usize {
    match byte {
        0x80..=0xbf => 0,
        0xf0.. => 2,
        _ => 1,
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

    #[test]
    fn long_lines_count_on() {
        let text = format!("a\n{}b", "😀é".repeat(1000));
        let lines = LineIndex::new(&text);
        assert_eq!(lines.line_count(), 2);
        assert_eq!(lines.position(text.len() - 1), Position { line: 2, column: 3001 });
    }
}
