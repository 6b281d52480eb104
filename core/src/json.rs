//! Reads JSON text exactly: places, repeated members, numbers as written, unpaired surrogates.
//!
//! A host judges what a server sent, so the reader must see what ordinary readers smooth over: a
//! member that occurs twice, `1.0`, an integer of thirty digits, `"\ud800"`. One pass, no
//! recursion, strings without escapes borrowed from the text. How long a text may be is for the
//! caller to bound.
//!
//! Source: RFC 8259.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::bytes;
use crate::source::Span;
use crate::value::{MAX_DEPTH, Member, Node, Number, Value, repeated};

/// A JSON text that was read, with what is odd about it.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The value.
    pub root: Node<'a>,
    /// What a strict reader would object to, as it was met: the repeated members of an object at
    /// its end, behind what is odd inside of it. The first [`MAX_ODDITIES`] are kept.
    pub oddities: Vec<Oddity>,
}

/// How many [`Oddity`]s a [`Document`] keeps.
pub const MAX_ODDITIES: usize = 100;

/// How many values a text may have that hold no other. A value takes up to a hundred bytes of memory and two of the text.
pub const MAX_VALUES: usize = 4_000_000;

impl Document<'_> {
    /// Whether a string in `span` held an unpaired surrogate, so that no byte sequence is right.
    pub(crate) fn damaged_in(&self, span: Span) -> bool {
        self.has_in(OddityKind::LoneSurrogate, span)
    }

    /// Whether an object in `span` has two members of one name, so that readers take different
    /// ones.
    pub(crate) fn repeats_in(&self, span: Span) -> bool {
        self.has_in(OddityKind::DuplicateMember, span)
    }

    /// What stands behind the last oddity that was kept may be odd in any way.
    fn has_in(&self, kind: OddityKind, span: Span) -> bool {
        let within = |at: Span| span.start <= at.start && at.end <= span.end;
        let full = self.oddities.len() == MAX_ODDITIES;
        let behind = |oddity: &Oddity| oddity.span.end <= span.end;
        self.oddities.iter().any(|oddity| oddity.kind == kind && within(oddity.span))
            || (full && self.oddities.last().is_some_and(behind))
    }
}

/// Something that readers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Oddity {
    /// What it is.
    pub kind: OddityKind,
    /// Where it stands: the mark, the second name, the escape.
    pub span: Span,
}

/// The kinds of [`Oddity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OddityKind {
    /// The text begins with a byte order mark, which JSON forbids.
    ByteOrderMark,
    /// An object has this name a second time.
    DuplicateMember,
    /// A string holds half of a surrogate pair; it was replaced by U+FFFD.
    LoneSurrogate,
}

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The byte where reading stopped, counted from 0.
    pub offset: usize,
}

/// The kinds of [`JsonError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The bytes are not UTF-8; from [`read_bytes`] only.
    NotUtf8,
    /// The text ends too early.
    Eof,
    /// A character that cannot stand here.
    Unexpected,
    /// A control character inside a string must be escaped.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// A number outside of JSON's grammar.
    Number,
    /// Arrays and objects nest deeper than [`MAX_DEPTH`].
    TooDeep,
    /// It has more than [`MAX_VALUES`] values.
    TooMany,
    /// More text follows the value.
    Trailing,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        let what = match self.kind {
            JsonErrorKind::NotUtf8 => "the bytes are not UTF-8",
            JsonErrorKind::Eof => "the text ends too early",
            JsonErrorKind::Unexpected => "a character that cannot stand here",
            JsonErrorKind::ControlCharacter => "an unescaped control character in a string",
            JsonErrorKind::Escape => "an escape that JSON does not have",
            JsonErrorKind::Number => "a number that JSON cannot write this way",
            JsonErrorKind::TooDeep => {
                return write!(
                    f,
                    "nested deeper than the {MAX_DEPTH} levels that are read here (byte {offset})"
                );
            }
            JsonErrorKind::TooMany => {
                return write!(f, "longer than the {MAX_VALUES} values that are read here");
            }
            JsonErrorKind::Trailing => "more text after the value",
        };
        write!(f, "not JSON: {what} (byte {offset})")
    }
}

impl std::error::Error for JsonError {}

impl JsonError {
    /// Whether a limit of this reader was met, so that the text may well be JSON.
    #[must_use]
    pub const fn is_reader_limit(&self) -> bool {
        matches!(self.kind, JsonErrorKind::TooDeep | JsonErrorKind::TooMany)
    }
}

/// Reads `bytes` as one JSON value.
///
/// # Errors
/// [`JsonErrorKind::NotUtf8`], else as [`read`].
///
/// ```
/// use skillglass::json::{JsonErrorKind, read_bytes};
/// assert_eq!(read_bytes(b"59").unwrap().root.as_count(), Some(59));
/// assert_eq!(read_bytes(b"\"\xff\"").unwrap_err().kind, JsonErrorKind::NotUtf8);
/// ```
pub fn read_bytes(bytes: &[u8]) -> Result<Document<'_>, JsonError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonError { kind: JsonErrorKind::NotUtf8, offset: error.valid_up_to() })?;
    read(text)
}

/// Reads `text` as one JSON value. Offsets count from the start of `text`, a byte order mark
/// included.
///
/// # Errors
/// All of [`JsonErrorKind`] but the one about UTF-8: text outside of JSON's grammar, nesting
/// beyond [`MAX_DEPTH`], and more than [`MAX_VALUES`] values. What only some readers object to is an [`Oddity`].
///
/// ```
/// use skillglass::json::{JsonErrorKind, OddityKind, read};
/// let document = read(r#"{"size": 1.0, "size": 2}"#).unwrap();
/// assert_eq!(document.root.get("size").unwrap().as_count(), Some(2));
/// assert_eq!(document.oddities[0].kind, OddityKind::DuplicateMember);
/// let error = read("{'size': 1}").unwrap_err();
/// assert_eq!((error.kind, error.offset), (JsonErrorKind::Unexpected, 1));
/// ```
pub fn read(text: &str) -> Result<Document<'_>, JsonError> {
    let mut reader = Reader { text, at: 0, values: 0, oddities: Vec::new() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
        reader.note(OddityKind::ByteOrderMark, Span::new(0, reader.at));
    }
    let root = reader.document()?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.error(JsonErrorKind::Trailing));
    }
    Ok(Document { root, oddities: reader.oddities })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    values: usize,
    oddities: Vec<Oddity>,
}

/// A container whose end has not been reached.
enum Open<'a> {
    Array { start: usize, items: Vec<Node<'a>> },
    Object { start: usize, members: Vec<Member<'a>>, name: Cow<'a, str>, name_span: Span },
}

impl<'a> Reader<'a> {
    /// One value; containers wait on a stack of our own instead of the machine's.
    fn document(&mut self) -> Result<Node<'a>, JsonError> {
        let mut stack: Vec<Open<'a>> = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            let mut node = match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    if !self.take_closing(b']') {
                        self.push(&mut stack, Open::Array { start, items: Vec::new() })?;
                        continue;
                    }
                    self.node(Value::Array(Vec::new()), start)
                }
                Some(b'{') => {
                    self.at += 1;
                    if !self.take_closing(b'}') {
                        let (name, name_span) = self.member_name()?;
                        let members = Vec::new();
                        self.push(&mut stack, Open::Object { start, members, name, name_span })?;
                        continue;
                    }
                    self.node(Value::Object(Vec::new()), start)
                }
                _ => self.scalar()?,
            };
            self.values += 1;
            if self.values > MAX_VALUES {
                return Err(self.error(JsonErrorKind::TooMany));
            }
            // The value is complete: hand it to its container, and close what ends with it.
            loop {
                let Some(open) = stack.pop() else { return Ok(node) };
                match self.place(open, node)? {
                    Placed::Waiting(open) => {
                        stack.push(open);
                        break;
                    }
                    Placed::Closed(container) => node = container,
                }
            }
        }
    }

    fn push(&self, stack: &mut Vec<Open<'a>>, open: Open<'a>) -> Result<(), JsonError> {
        if stack.len() >= MAX_DEPTH {
            return Err(self.error(JsonErrorKind::TooDeep));
        }
        stack.push(open);
        Ok(())
    }

    /// Adds `node` to its container and reads on to the next element or the container's end.
    fn place(&mut self, open: Open<'a>, node: Node<'a>) -> Result<Placed<'a>, JsonError> {
        self.skip_space();
        let next = self.peek().ok_or_else(|| self.error(JsonErrorKind::Eof))?;
        match (open, next) {
            (Open::Array { start, mut items }, b',') => {
                self.at += 1;
                items.push(node);
                Ok(Placed::Waiting(Open::Array { start, items }))
            }
            (Open::Array { start, mut items }, b']') => {
                self.at += 1;
                items.push(node);
                Ok(Placed::Closed(self.node(Value::Array(items), start)))
            }
            (Open::Object { start, mut members, name, name_span }, b',') => {
                self.at += 1;
                members.push(Member { name, name_span, node });
                let (name, name_span) = self.member_name()?;
                Ok(Placed::Waiting(Open::Object { start, members, name, name_span }))
            }
            (Open::Object { start, mut members, name, name_span }, b'}') => {
                self.at += 1;
                members.push(Member { name, name_span, node });
                for repeated in repeated(&members) {
                    self.note(OddityKind::DuplicateMember, repeated.name_span);
                }
                Ok(Placed::Closed(self.node(Value::Object(members), start)))
            }
            _ => Err(self.error(JsonErrorKind::Unexpected)),
        }
    }

    /// A name and the colon behind it; the reader then stands before the value.
    fn member_name(&mut self) -> Result<(Cow<'a, str>, Span), JsonError> {
        self.skip_space();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let name = self.string()?;
        let name_span = Span::new(start, self.at);
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok((name, name_span))
    }

    fn scalar(&mut self) -> Result<Node<'a>, JsonError> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return Err(self.unexpected()),
        };
        Ok(self.node(value, start))
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.error(JsonErrorKind::Unexpected));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Number<'a>, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Number::from_json(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.error(JsonErrorKind::Number)) } else { Ok(()) }
    }

    /// A string literal, from its opening quote. Borrowed where it holds no escape.
    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        // Files come as one long string, and bytes are quicker to put together than characters.
        let source = self.text.as_bytes();
        let mut bytes = source[start..self.at].to_vec();
        loop {
            match source.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut bytes)?,
                Some(_) => return Err(self.error(JsonErrorKind::ControlCharacter)),
                None => return Err(self.error(JsonErrorKind::Eof)),
            }
            let plain = self.at;
            self.skip_plain();
            bytes.extend_from_slice(&source[plain..self.at]);
        }
        self.at += 1;
        // Whole characters were put together.
        Ok(Cow::Owned(String::from_utf8(bytes).unwrap_or_default()))
    }

    /// Moves to the next quote, backslash or control character.
    fn skip_plain(&mut self) {
        self.at += bytes::unmarked(&self.text.as_bytes()[self.at..], |word| {
            bytes::below(word, b' ') | bytes::equal(word, b'"') | bytes::equal(word, b'\\')
        });
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), JsonError> {
        // Two short lists are less to download than a table of jumps.
        const ESCAPES: [u8; 8] = *b"\"\\/bfnrt";
        const BYTES: [u8; 8] = *b"\"\\/\x08\x0c\n\r\t";
        let start = self.at;
        self.at += 1;
        let Some(&byte) = self.text.as_bytes().get(self.at) else {
            return Err(self.error(JsonErrorKind::Eof));
        };
        if byte == b'u' {
            self.at += 1;
            let character = self.unicode_escape(start)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(());
        }
        let at = ESCAPES.iter().position(|escape| *escape == byte);
        bytes.push(BYTES[at.ok_or_else(|| self.error(JsonErrorKind::Escape))?]);
        self.at += 1;
        Ok(())
    }

    /// The character of a `\uXXXX` escape or of a pair of them, after the first `u`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.hex4()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if first < 0xdc00 && self.text[self.at..].starts_with("\\u") {
            let after_first = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = after_first;
        }
        self.note(OddityKind::LoneSurrogate, Span::new(start, self.at));
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let digits = digits.ok_or_else(|| self.error(JsonErrorKind::Eof))?;
        let mut code = 0;
        for &digit in digits {
            let value = char::from(digit).to_digit(16);
            code = code * 16 + value.ok_or_else(|| self.error(JsonErrorKind::Escape))?;
        }
        self.at += 4;
        Ok(code)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Whether the container closes at once.
    fn take_closing(&mut self, closing: u8) -> bool {
        self.skip_space();
        self.take(closing)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    const fn node(&self, value: Value<'a>, start: usize) -> Node<'a> {
        Node { value, span: Span::new(start, self.at) }
    }

    fn note(&mut self, kind: OddityKind, span: Span) {
        if self.oddities.len() < MAX_ODDITIES {
            self.oddities.push(Oddity { kind, span });
        }
    }

    fn unexpected(&self) -> JsonError {
        let ended = self.at >= self.text.len();
        self.error(if ended { JsonErrorKind::Eof } else { JsonErrorKind::Unexpected })
    }

    const fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError { kind, offset: self.at }
    }
}

enum Placed<'a> {
    Waiting(Open<'a>),
    Closed(Node<'a>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_too_many_values_proves_nothing() {
        let text = format!("[{}0]", "0,".repeat(MAX_VALUES));
        let error = read(&text).unwrap_err();
        assert!(error.is_reader_limit() && error.kind == JsonErrorKind::TooMany, "{error}");
        assert!(read(&text.replacen("0,", "", 1)).is_ok());
    }

    fn kind(text: &str) -> JsonErrorKind {
        read(text).expect_err("not JSON").kind
    }

    #[test]
    fn values_keep_their_place_and_spelling() {
        let text = r#" {"a": [1.0, "x\n\ud83d\ude00"], "b": {}} "#;
        let document = read(text).unwrap();
        assert_eq!(document.root.to_json(), r#"{"a":[1.0,"x\n😀"],"b":{}}"#);
        assert_eq!(document.root.get("a").unwrap().span.of(text), r#"[1.0, "x\n\ud83d\ude00"]"#);
        assert!(document.oddities.is_empty());
    }

    #[test]
    fn strings_end_at_the_first_mark_wherever_it_is() {
        for before in 0..20 {
            // Bytes beside the marks, and ones of every length of a character.
            let plain: String = "! #[]~\u{7f}aé€😀".chars().cycle().take(before).collect();
            for after in ["", "\u{7f}", "\"", "\\", "aaaaaaaa\u{1}"] {
                let text = format!("\"{plain}\"{after}");
                let document = read(&text);
                let text = document.map(|document| document.root.as_str().map(str::to_owned));
                assert_eq!(text.ok().flatten(), after.is_empty().then(|| plain.clone()));
            }
            assert_eq!(
                read(&format!("\"{plain}\\n{plain}\"")).unwrap().root.as_str(),
                Some(&*format!("{plain}\n{plain}"))
            );
            for control in 0..0x20_u8 {
                let text = format!("\"{plain}{}aaaaaaaa\"", char::from(control));
                assert_eq!(kind(&text), JsonErrorKind::ControlCharacter);
            }
        }
    }

    #[test]
    fn oddities_are_seen() {
        let text = "\u{feff}{\"a\":1,\"a\":\"\\ud800\",\"__proto__\":2}";
        let document = read(text).unwrap();
        let kinds: Vec<_> = document.oddities.iter().map(|oddity| oddity.kind).collect();
        assert_eq!(
            kinds,
            [OddityKind::ByteOrderMark, OddityKind::LoneSurrogate, OddityKind::DuplicateMember]
        );
        let damaged = document.root.get("a").unwrap();
        assert_eq!(damaged.as_str(), Some("\u{fffd}"));
        assert!(document.damaged_in(damaged.span));
        assert_eq!(document.root.get("__proto__").unwrap().as_count(), Some(2));
    }

    #[test]
    fn many_oddities_hide_no_other() {
        let text = format!(r#"[{{{}"a":1}},"\ud800"]"#, r#""a":1,"#.repeat(MAX_ODDITIES + 1));
        let document = read(&text).unwrap();
        let items = document.root.as_array().unwrap();
        assert!(document.damaged_in(items[1].span));
        assert!(document.repeats_in(items[0].span));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        assert_eq!(kind(""), JsonErrorKind::Eof);
        assert_eq!(kind("[1,]"), JsonErrorKind::Unexpected);
        assert_eq!(kind("{\"a\" 1}"), JsonErrorKind::Unexpected);
        assert_eq!(kind("01"), JsonErrorKind::Trailing);
        assert_eq!(kind("1."), JsonErrorKind::Number);
        assert_eq!(kind("\"a\nb\""), JsonErrorKind::ControlCharacter);
        assert_eq!(kind("\"\\x\""), JsonErrorKind::Escape);
        assert_eq!(kind("\"\\u12"), JsonErrorKind::Eof);
        assert_eq!(kind("<html>"), JsonErrorKind::Unexpected);
        assert_eq!(read_bytes(b"\"\xff\"").unwrap_err().kind, JsonErrorKind::NotUtf8);
    }

    #[test]
    fn depth_is_bounded_without_recursion() {
        assert!(read(&("[".repeat(128) + &"]".repeat(128))).is_ok());
        assert_eq!(kind(&"[".repeat(1_000_000)), JsonErrorKind::TooDeep);
    }
}
