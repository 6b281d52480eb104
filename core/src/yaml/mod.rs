//! Reads YAML 1.2 with the core schema, with places, from the events of `yaml-rust2`.
//!
//! The event interface is used and not its loader, which recurses, expands aliases without limit
//! and resolves scalars by other rules than the core schema's. Everything above the events is
//! here: limits, resolution, duplicate keys, spans.
//!
//! Source: YAML 1.2.2, core schema in its chapter 10.3. Tags and keys that JSON cannot carry are
//! refused or noted, since a frontmatter has to have a JSON form.

mod allowance;
mod core_schema;
mod old_schema;
mod spans;
mod tree;

use std::fmt;

use serde::Serialize;

pub(crate) use old_schema::{Moment, OldReading, old_reading};

use crate::source::Span;
use crate::value::Node;
use allowance::Source;

/// The longest YAML text that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;

/// How many values a text may hold, copies made by aliases included. A scalar counts once more for
/// every [`BYTES_PER_NODE`] bytes, or a few aliases of a long one would fill the memory.
pub const MAX_NODES: usize = 20_000;

/// How many bytes of a scalar count as one more value.
pub const BYTES_PER_NODE: usize = 64;

/// How many places that `yaml-rust2` cannot read are spelled another way; each costs a new reading.
pub const MAX_RESPELLINGS: usize = 64;

/// A YAML text that was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// The value; none where the text holds only comments and white space.
    pub root: Option<Node<'static>>,
    /// What readers treat differently, in text order.
    pub notes: Vec<Note>,
}

/// Something in a YAML text that other readers see otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// Where it stands, from the start of the text.
    pub span: Span,
}

/// The kinds of [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoteKind {
    /// A key that is not a string; JSON has string names only.
    NonStringKey,
    /// `<<` is an ordinary key in YAML 1.2 and a merge key for many readers.
    MergeKey,
    /// A plain scalar that a YAML 1.1 reader takes for something else.
    OldReading,
    /// An infinity or not-a-number, which JSON cannot carry.
    NonFinite,
    /// A place that `yaml-rust2` alone would refuse although YAML 1.2 allows it.
    ReaderAllowance,
}

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What is wrong.
    pub kind: YamlErrorKind,
    /// Where, from the start of the text; empty where no more than a point is known.
    pub span: Span,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for YamlError {}

/// The kinds of [`YamlError`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// It breaks YAML's grammar; the parser's words.
    Syntax(String),
    /// `: ` inside a plain scalar.
    ColonInPlain,
    /// A plain scalar begins with a character that YAML reserves.
    ReservedStart(char),
    /// A tab where YAML wants blanks.
    TabIndent,
    /// A character that may not stand in YAML at all.
    ForbiddenCharacter(char),
    /// A key occurs twice; the span is the second, this the first.
    DuplicateKey {
        /// The key.
        name: String,
        /// Where it stood first.
        first: Span,
    },
    /// A tag outside of the core schema.
    UnknownTag(String),
    /// A value that its tag does not fit.
    TagMismatch(String),
    /// A key that is a sequence or a mapping.
    ComplexKey,
    /// An alias inside of the value it stands for.
    SelfAlias,
    /// A second document begins.
    SeveralDocuments,
    /// One of our limits, not one of YAML's: the text was not judged.
    Limit(Limit),
}

/// Limits of this reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// More than [`MAX_BYTES`] bytes.
    Bytes,
    /// More than [`MAX_NODES`] values.
    Nodes,
    /// Deeper than [`crate::value::MAX_DEPTH`].
    Depth,
    /// More than [`MAX_RESPELLINGS`] places that the parser underneath cannot read.
    Respellings,
    /// A place that YAML allows and the parser underneath cannot read.
    Parser,
}

impl YamlErrorKind {
    /// Whether the text may well be right and only this reader cannot tell.
    #[must_use]
    pub const fn is_reader_limit(&self) -> bool {
        matches!(self, Self::Limit(_))
    }

    /// What to change, in words for the author of the file; none where that depends on what was
    /// meant.
    #[must_use]
    pub const fn repair(&self) -> Option<&'static str> {
        match self {
            Self::ColonInPlain | Self::ReservedStart(_) => Some("put the value in quotes"),
            Self::TabIndent => Some("indent with blanks"),
            Self::DuplicateKey { .. } => Some("keep one of the two"),
            Self::UnknownTag(_) => Some("remove the tag"),
            Self::ComplexKey => Some("use a string as the key"),
            _ => None,
        }
    }
}

impl fmt::Display for YamlErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(words) => write!(f, "not valid YAML: {words}"),
            Self::ColonInPlain => f.write_str(
                "not valid YAML: a colon and a blank inside a value that is not in quotes",
            ),
            Self::ReservedStart(c) => {
                write!(f, "not valid YAML: a value that is not in quotes cannot begin with {c:?}")
            }
            Self::TabIndent => f.write_str("not valid YAML: a tab used to indent"),
            Self::ForbiddenCharacter(c) => {
                write!(f, "YAML does not allow the character U+{:04X}", *c as u32)
            }
            Self::DuplicateKey { name, .. } => {
                write!(f, "the key {} occurs twice", crate::finding::quote(name))
            }
            Self::UnknownTag(tag) => {
                write!(
                    f,
                    "the tag {} is not part of YAML's core schema",
                    crate::finding::quote(tag)
                )
            }
            Self::TagMismatch(tag) => {
                write!(f, "the value does not fit its tag {}", crate::finding::quote(tag))
            }
            Self::ComplexKey => f.write_str("a key that is a list or a mapping"),
            Self::SelfAlias => f.write_str("an alias inside of the value it stands for"),
            Self::SeveralDocuments => f.write_str("a second YAML document begins here"),
            Self::Limit(Limit::Bytes) => write!(f, "longer than {MAX_BYTES} bytes"),
            Self::Limit(Limit::Nodes) => write!(f, "more than {MAX_NODES} values"),
            Self::Limit(Limit::Respellings) => {
                write!(f, "more than {MAX_RESPELLINGS} places that this reader cannot read")
            }
            Self::Limit(Limit::Parser) => {
                f.write_str("our reader cannot read a collection as the value of a pair in a list")
            }
            Self::Limit(Limit::Depth) => {
                write!(f, "more than {} levels of nesting", crate::value::MAX_DEPTH)
            }
        }
    }
}

/// Reads `text` as one YAML document. Spans count from its start.
///
/// # Errors
/// See [`YamlErrorKind`]; [`YamlErrorKind::is_reader_limit`] tells what proves nothing against the
/// text.
///
/// ```
/// use skillglass::{source::Span, yaml::{NoteKind, read}};
/// let document = read("name: tidy\ndraft: yes # text in YAML 1.2\n").unwrap();
/// let root = document.root.unwrap();
/// assert_eq!(root.to_json(), r#"{"name":"tidy","draft":"yes"}"#);
/// assert_eq!(document.notes[0].kind, NoteKind::OldReading);
///
/// let error = read("name: tidy\nname: other\n").unwrap_err();
/// assert_eq!(error.to_string(), "the key \"name\" occurs twice");
/// assert_eq!(error.span, Span::new(11, 15));
/// ```
pub fn read(text: &str) -> Result<Document, YamlError> {
    read_within(text, Span::new(0, text.len()))
}

/// Reads the part of `file` that `within` names. Spans count from the start of `file`.
pub(crate) fn read_within(file: &str, within: Span) -> Result<Document, YamlError> {
    let text = within.of(file);
    if text.len() > MAX_BYTES {
        let span = Span::new(within.start + MAX_BYTES, within.end);
        return Err(YamlError { kind: YamlErrorKind::Limit(Limit::Bytes), span });
    }
    check_characters(text, within.start)?;
    let mut source = Source::new(file, within);
    loop {
        match tree::build(&source) {
            Ok(mut document) => {
                for note in source.notes() {
                    insert_note(&mut document.notes, note);
                }
                return Ok(document);
            }
            Err(tree::Failure::Judged(error)) => return Err(error),
            // The parser refused. Where YAML 1.2 allows what stands there, spell it another way
            // and read again.
            Err(tree::Failure::Parser(scan_error)) => {
                if source.respellings() == MAX_RESPELLINGS {
                    let span = tree::parser_error(&scan_error, &source).span;
                    let kind = YamlErrorKind::Limit(Limit::Respellings);
                    return Err(YamlError { kind, span });
                }
                if !source.respell(&scan_error) {
                    return Err(tree::parser_error(&scan_error, &source));
                }
            }
        }
    }
}

/// Adds a note to notes in text order, unless it is among them.
fn insert_note(notes: &mut Vec<Note>, note: Note) {
    let before = notes.iter().rposition(|known| known.span.start <= note.span.start);
    if before.is_none_or(|before| notes[before] != note) {
        notes.insert(before.map_or(0, |before| before + 1), note);
    }
}

/// YAML's printable set; the parser itself would silently end at a NUL.
fn check_characters(text: &str, offset: usize) -> Result<(), YamlError> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
    // Most texts are ASCII, and their bytes are quicker to look through than their characters.
    let usual = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let start = text.bytes().position(|byte| !usual(byte)).unwrap_or(text.len());
    match text[start..].char_indices().find(|(_, c)| !allowed(*c)) {
        Some((at, character)) => Err(YamlError {
            kind: YamlErrorKind::ForbiddenCharacter(character),
            span: Span::new(at, at + character.len_utf8()).shifted(offset + start),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        read(text).unwrap().root.unwrap().to_json()
    }

    fn kind(text: &str) -> YamlErrorKind {
        read(text).expect_err("not YAML").kind
    }

    #[test]
    fn the_core_schema_decides() {
        assert_eq!(
            json("a: yes\nb: False\nc: NULL\nd:\ne: ~"),
            r#"{"a":"yes","b":false,"c":null,"d":null,"e":null}"#
        );
        assert_eq!(
            json("a: 0755\nb: 0o755\nc: 0xFF\nd: +5\ne: 0b1"),
            r#"{"a":755,"b":493,"c":255,"d":5,"e":"0b1"}"#
        );
        assert_eq!(
            json("a: 1.0\nb: .5\nc: 5.\nd: -.5e+3\ne: 1_000"),
            r#"{"a":1.0,"b":0.5,"c":5,"d":-0.5e+3,"e":"1_000"}"#
        );
        assert_eq!(
            json("a: 9007199254740993\nb: 2026-01-15\nc: 1:30"),
            r#"{"a":9007199254740993,"b":"2026-01-15","c":"1:30"}"#
        );
        assert_eq!(json("a: !!str 1.0\nb: !!int '7'\nc: ! 12"), r#"{"a":"1.0","b":7,"c":"12"}"#);
        assert_eq!(json("a: +-5\nb: 0x-1\nc: -0x1F"), r#"{"a":"+-5","b":"0x-1","c":"-0x1F"}"#);
    }

    #[test]
    fn scalars_keep_their_text() {
        assert_eq!(
            json(
                "a: 'it''s'\nb: \"x\\ty\"\nc: one\n  two\nd: |\n  l1\n\n  l2\n\ne: >-\n  f1\n  f2\n"
            ),
            r#"{"a":"it's","b":"x\ty","c":"one two","d":"l1\n\nl2\n","e":"f1 f2"}"#
        );
        assert_eq!(json("a: &x hi\nb: *x\n<<: {c: 1}"), r#"{"a":"hi","b":"hi","<<":{"c":1}}"#);
        assert_eq!(json("1: a\ntrue: b\nnull: c"), r#"{"1":"a","true":"b","":"c"}"#);
        assert_eq!(json("1.0: a\n1e3: b"), r#"{"1":"a","1000":"b"}"#);
        assert_eq!(json("a: |\nb: >+\n\nc: >\n"), r#"{"a":"","b":"\n","c":""}"#);
        assert_eq!(json("a:\n  b: >+\n\n\n"), r#"{"a":{"b":"\n\n"}}"#);
    }

    #[test]
    fn what_the_parser_alone_refuses_is_read() {
        assert_eq!(
            json("a:\tx\nb: \"\\ud83d\\ude00!\"\nc: {\n  d: 1\n}\ne: é"),
            r#"{"a":"x","b":"😀!","c":{"d":1},"e":"é"}"#
        );
        assert_eq!(json("a: {\n\"b\": [\n1\n]\n}\n"), r#"{"a":{"b":[1]}}"#);
        assert_eq!(json("a:\n-\tx\n- \ty\n"), r#"{"a":["x","y"]}"#);
        // What it truly cannot read is not the server's fault.
        assert_eq!(kind("[a: {b: c}, d]"), YamlErrorKind::Limit(Limit::Parser));
        assert_eq!(kind("[a: [b, c], d]"), YamlErrorKind::Limit(Limit::Parser));
        let many = format!("a: [\n{}]", "1,\n".repeat(MAX_RESPELLINGS + 1));
        assert_eq!(kind(&many), YamlErrorKind::Limit(Limit::Respellings));
        let document = read("a:\tx\nbé: \"\\ud83d\\ude00\"").unwrap();
        let node = document.root.as_ref().unwrap().get("bé").unwrap();
        assert_eq!(node.span.of("a:\tx\nbé: \"\\ud83d\\ude00\""), "\"\\ud83d\\ude00\"");
        assert_eq!(document.notes.len(), 2);
    }

    #[test]
    fn errors_name_their_cause() {
        assert_eq!(kind("a: b: c"), YamlErrorKind::ColonInPlain);
        assert_eq!(kind("a: `b`"), YamlErrorKind::ReservedStart('`'));
        for tabbed in ["a:\n\tb: c", "\ta: b", "a:\n-\tb: c", "a:\n-\t- b", "a: b\n\tc"] {
            assert_eq!(kind(tabbed), YamlErrorKind::TabIndent, "{tabbed:?}");
        }
        assert_eq!(kind("a: [|b]"), YamlErrorKind::ReservedStart('|'));
        assert_eq!(kind("a: b\u{feff}"), YamlErrorKind::ForbiddenCharacter('\u{feff}'));
        assert_eq!(kind("a: !!map"), YamlErrorKind::TagMismatch("!!map".into()));
        assert_eq!(kind("a: b\0"), YamlErrorKind::ForbiddenCharacter('\0'));
        assert_eq!(kind("a: !python/x y"), YamlErrorKind::UnknownTag("!python/x".into()));
        assert_eq!(kind("a: !!int x"), YamlErrorKind::TagMismatch("!!int".into()));
        assert_eq!(kind("[a]: b"), YamlErrorKind::ComplexKey);
        assert_eq!(kind("a: 1\n...\nb: 2"), YamlErrorKind::SeveralDocuments);
        assert!(matches!(kind("a: *b"), YamlErrorKind::Syntax(_)));
        let duplicate = read("a: 1\nb: 2\n\"a\": 3").unwrap_err();
        assert_eq!(duplicate.span, Span::new(10, 13));
        assert_eq!(
            duplicate.kind,
            YamlErrorKind::DuplicateKey { name: "a".into(), first: Span::new(0, 1) }
        );
    }

    #[test]
    fn bombs_end_at_a_limit() {
        let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (this, last) in ("bcdefgh").chars().zip("abcdefg".chars()) {
            bomb.push_str(&format!(
                "{this}: &{this} [{}]\n",
                vec![format!("*{last}"); 10].join(",")
            ));
        }
        assert_eq!(kind(&bomb), YamlErrorKind::Limit(Limit::Nodes));
        let long = format!("a: &a {}\nb: [{}]", "x".repeat(30_000), "*a,".repeat(1000));
        assert_eq!(kind(&long), YamlErrorKind::Limit(Limit::Nodes));
        assert_eq!(kind(&"- ".repeat(5000)), YamlErrorKind::Limit(Limit::Depth));
        assert_eq!(kind(&"x".repeat(MAX_BYTES + 1)), YamlErrorKind::Limit(Limit::Bytes));
        assert_eq!(kind("a: &a [*a]"), YamlErrorKind::SelfAlias);
    }

    #[test]
    fn values_know_their_place() {
        let text = "k: one\n  two # c\nl: |\n  t\n\nm: [1, {n: 'o'}]\np:\n  - q\n";
        let root = read(text).unwrap().root.unwrap();
        let of = |pointer: &[&str]| {
            pointer.iter().fold(&root, |node, name| node.get(name).unwrap()).span.of(text)
        };
        assert_eq!(of(&["k"]), "one\n  two");
        assert_eq!(of(&["l"]), "|\n  t");
        assert_eq!(of(&["m"]), "[1, {n: 'o'}]");
        assert_eq!(root.member("m").unwrap().name_span.of(text), "m");
        assert_eq!(of(&["p"]), "- q");
        let text = "l: |\n  éé – ü\n\n  é\nm:\tq\no:\n- [a, b]\n- c\n";
        let Document { root, notes } = read(text).unwrap();
        let root = root.unwrap();
        assert_eq!(root.get("m").unwrap().span.of(text), "q");
        assert_eq!(root.get("o").unwrap().span.of(text), "- [a, b]\n- c");
        assert_eq!(root.get("o").unwrap().as_array().unwrap()[0].span.of(text), "[a, b]");
        assert_eq!(notes.iter().map(|note| note.span.of(text)).collect::<Vec<_>>(), ["\t"]);
        let text = "a:\n- b: &x\n    - c\n  d: !!str 'e'\n";
        let root = read(text).unwrap().root.unwrap();
        let items = root.get("a").unwrap();
        assert_eq!(items.span.of(text), "- b: &x\n    - c\n  d: !!str 'e'");
        let item = &items.as_array().unwrap()[0];
        assert_eq!(item.get("b").unwrap().span.of(text), "- c");
        assert_eq!(item.get("d").unwrap().span.of(text), "'e'");
    }
}
