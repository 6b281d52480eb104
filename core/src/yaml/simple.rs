//! What most frontmatters are made of, read line by line: mappings and lists in block style, with
//! values on one line or in a block scalar of one paragraph.
//!
//! `yaml-rust2` looks at every character several times, which in a small WebAssembly costs more
//! than all the rest. What stands here is never another reading of a text, only a quicker one: the
//! same tree is built of it (`properties::a_simple_text_is_read_as_the_parser_reads_it`), and at the first line with anything
//! else in it the text is left to the parser.

use yaml_rust2::scanner::TScalarStyle::{self, DoubleQuoted, Folded, Literal, Plain, SingleQuoted};

use super::Document;
use super::tree::{Content, Tree};
use crate::source::Span;

// Bytes are looked at here, not characters, and one after the other: what the standard library does
// for patterns takes several times as long where small code is asked for.

/// The longest key.
const MAX_KEY: usize = 100;

/// Reads the part of `file` that `within` names, where every line of it is simple.
pub(super) fn read(file: &str, within: Span) -> Option<Document> {
    if within.of(file).bytes().any(|byte| matches!(byte, b'\r' | b'\t')) {
        return None;
    }
    let mut reader = Reader { file, tree: Tree::new(file), open: Vec::new(), awaits_value: false };
    let mut at = within.start;
    while at < within.end {
        at = reader.line(at, within)?;
    }
    reader.close_below(0)?;
    reader.close_list_at(0)?;
    if reader.awaits_value || reader.open.len() != 1 {
        return None;
    }
    reader.close()?;
    reader.tree.finish()
}

struct Reader<'t> {
    file: &'t str,
    tree: Tree<'t>,
    /// The indentation of each collection that is open, and whether it is a list.
    open: Vec<(usize, bool)>,
    /// Whether the last line was a key alone.
    awaits_value: bool,
}

impl Reader<'_> {
    /// Reads the line at `at`, with the block scalar that may begin on it. Gives the next line's
    /// place.
    fn line(&mut self, at: usize, within: Span) -> Option<usize> {
        let line = line_at(self.file, at, within);
        let next = at + line.len() + 1;
        let indent = blanks(line);
        let text = &line[indent..];
        if text.is_empty() {
            return Some(next);
        }
        let at = at + indent;
        let item = text.strip_prefix("- ");
        self.go_to(at, indent, item.is_some())?;
        if let Some(item) = item {
            // Of a list in a list the parser does not tell which of the two the brackets are of.
            if item.as_bytes().get(blanks(item)) == Some(&b'[') {
                return None;
            }
            self.value(at + 2, item)?;
            return Some(next);
        }
        let of_key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = text.bytes().position(|byte| !of_key(byte))?;
        let (key, rest) = text.split_at(length);
        if length > MAX_KEY || !key.as_bytes().first()?.is_ascii_alphabetic() {
            return None;
        }
        self.scalar(key, Plain, Span::new(at, at + length))?;
        let rest = rest.strip_prefix(':')?;
        let at = at + length + 1;
        let skipped = blanks(rest);
        match trim_end(&rest[skipped..]) {
            "" => self.awaits_value = true,
            _ if skipped == 0 => return None,
            header @ (">" | ">-" | "|" | "|-") => {
                return self.block(at + skipped, header, next, indent, within);
            }
            _ => self.value(at, rest)?,
        }
        Some(next)
    }

    /// Closes and opens collections, so that a line with that indentation goes on in the innermost.
    fn go_to(&mut self, at: usize, indent: usize, is_list: bool) -> Option<()> {
        let outer = self.open.last().copied();
        let is_deeper = match outer {
            Some((outer, in_list)) => indent > outer || (is_list && !in_list && indent == outer),
            None => indent == 0,
        };
        if is_deeper {
            if outer.is_some() && !std::mem::take(&mut self.awaits_value) {
                return None;
            }
            let content = if is_list {
                Content::Items(Vec::new())
            } else {
                Content::Members(Vec::new(), None)
            };
            self.tree.open(0, at, content).ok()?;
            self.open.push((indent, is_list));
            return Some(());
        }
        if self.awaits_value {
            return None;
        }
        self.close_below(indent)?;
        if !is_list {
            self.close_list_at(indent)?;
        }
        (self.open.last() == Some(&(indent, is_list))).then_some(())
    }

    fn close_below(&mut self, indent: usize) -> Option<()> {
        while self.open.last().is_some_and(|(inner, _)| *inner > indent) {
            self.close()?;
        }
        Some(())
    }

    /// Closes a list that is no deeper than the key it belongs to.
    fn close_list_at(&mut self, indent: usize) -> Option<()> {
        let belongs_to_key = self.open.len() > 1;
        if belongs_to_key && self.open.last() == Some(&(indent, true)) {
            return self.close();
        }
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        self.open.pop();
        self.tree.close(0).ok()
    }

    fn scalar(&mut self, text: &str, style: TScalarStyle, span: Span) -> Option<()> {
        self.tree.scalar(text, style, 0, None, span).ok()
    }

    /// A value that is all of the rest of its line, `rest` at `at`.
    fn value(&mut self, at: usize, rest: &str) -> Option<()> {
        let start = at + blanks(rest);
        let text = trim_end(&rest[blanks(rest)..]);
        let span = Span::new(start, start + text.len());
        let quoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        match text.as_bytes().first()? {
            b'"' => self.scalar(&unquoted(quoted('"')?, b'"')?, DoubleQuoted, span),
            b'\'' => self.scalar(&unquoted(quoted('\'')?, b'\'')?, SingleQuoted, span),
            b'[' => self.flow_list(span),
            _ if is_plain(text) => self.scalar(text, Plain, span),
            _ => None,
        }
    }

    /// A list of plain scalars in brackets.
    fn flow_list(&mut self, span: Span) -> Option<()> {
        let inner = span.of(self.file).strip_prefix('[')?.strip_suffix(']')?;
        self.tree.open(0, span.start, Content::Items(Vec::new())).ok()?;
        let mut at = span.start + 1;
        for item in inner.split(',') {
            let start = at + blanks(item);
            let text = trim_end(&item[blanks(item)..]);
            let is_special = |byte| matches!(byte, b'[' | b']' | b'{' | b'}' | b':' | b'#');
            if !is_plain(text) || text.bytes().any(is_special) {
                return None;
            }
            self.scalar(text, Plain, Span::new(start, start + text.len()))?;
            at += item.len() + 1;
        }
        self.tree.close(span.end - 1).ok()
    }

    /// A block scalar of one paragraph, whose indicator stands at `at` and whose lines begin at
    /// `first`. Gives the next line's place.
    fn block(
        &mut self,
        at: usize,
        header: &str,
        first: usize,
        outer: usize,
        within: Span,
    ) -> Option<usize> {
        let (mut next, mut end, mut indent) = (first, first, None);
        let mut value = String::new();
        let style = if header.starts_with('>') { Folded } else { Literal };
        while next < within.end {
            let line = line_at(self.file, next, within);
            let deep = blanks(line);
            let text = &line[deep..];
            if !text.is_empty() && deep <= outer {
                break;
            }
            // Blank lines and deeper ones are folded otherwise, and the last line may lack its end.
            let is_even = *indent.get_or_insert(deep) == deep && text.trim_end() == text;
            if text.is_empty() || !is_even || next + line.len() == within.end {
                return None;
            }
            if !value.is_empty() {
                value.push(if style == Folded { ' ' } else { '\n' });
            }
            value.push_str(text);
            end = next + line.len();
            next = end + 1;
        }
        if value.is_empty() {
            return None;
        }
        if !header.ends_with('-') {
            value.push('\n');
        }
        self.scalar(&value, style, Span::new(at, end))?;
        Some(next)
    }
}

/// The line at `at`, without its end.
fn line_at(file: &str, at: usize, within: Span) -> &str {
    let rest = &file[at..within.end];
    let end = rest.bytes().position(|byte| byte == b'\n');
    &rest[..end.unwrap_or(rest.len())]
}

/// How many blanks a text begins with.
fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b' ').count()
}

/// A text without the blanks at its end.
fn trim_end(text: &str) -> &str {
    let blanks = text.bytes().rev().take_while(|byte| *byte == b' ').count();
    &text[..text.len() - blanks]
}

/// What stands in quotes, where nothing but quotes and backslashes is escaped in it.
fn unquoted(inner: &str, quote: u8) -> Option<String> {
    let mut value = String::new();
    let mut rest = inner;
    let marks = |byte: u8| byte == quote || (quote == b'"' && byte == b'\\');
    while let Some(at) = rest.bytes().position(marks) {
        let (b"''" | b"\\\"" | b"\\\\") = rest.as_bytes().get(at..at + 2)? else { return None };
        value.push_str(&rest[..at]);
        value.push_str(&rest[at + 1..at + 2]);
        rest = &rest[at + 2..];
    }
    value.push_str(rest);
    Some(value)
}

/// Whether a text is a plain scalar for every reader.
fn is_plain(text: &str) -> bool {
    let begins =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'(');
    let mut before = b' ';
    let is_free = text.bytes().all(|byte| {
        let ends = matches!((before, byte), (b':', b' ') | (b' ', b'#'));
        before = byte;
        !ends
    });
    is_free && before != b':' && text.as_bytes().first().is_some_and(begins)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::value::Node;
    use crate::yaml::read_by_parser;

    /// Lines that are simple, or nearly.
    fn text() -> impl Strategy<Value = String> {
        let indent = select(&["", "", "", "  ", "  ", "    ", " "][..]);
        let start = select(
            &[
                "a: ", "b: ", "c: ", "d: ", "e: ", "yes: ", "d-e_f: ", "a:", "b:", "k:", "- ",
                "- ", "-", "1: ", "",
            ][..],
        );
        let simple = select(
            &[
                "x",
                "some words",
                "é – ü",
                "yes",
                "1.50",
                "0x1F",
                "2026-01-15",
                "null",
                "a#b",
                "http://x/y",
                "'it''s'",
                "\"q: #\"",
                "\"a \\\"b\\\" \\\\\"",
                "[a, b]",
                "[1,yes ]",
                "/etc",
            ][..],
        );
        let odd = select(
            &[
                "",
                "~",
                ".inf",
                "a: b",
                "a:",
                "a #b",
                "#c",
                "'a",
                "''",
                "'''",
                "\"a\\n\"",
                "\"\"",
                "\"a\" b",
                "[]",
                "[a",
                "[a: b]",
                "{a: b}",
                ">",
                ">-",
                "|",
                "|-",
                "|+",
                ">2",
                "> ",
                "&x a",
                "*x",
                "!!str a",
                "- a",
                "-1",
                "(p) q",
                "a\tb",
                "x ",
                "  x",
                "\u{a0}x",
                "\u{85}",
                "\u{2028}x",
                "\u{feff}",
                "---",
                "...",
                "<<",
                "key: v",
            ][..],
        );
        let value = prop_oneof![3 => simple, 1 => odd];
        let end = select(&["\n", "\n", "\n", "\n", "\n", "\n\n", "\r\n", ""][..]);
        let line = (indent, start, value, end)
            .prop_map(|(indent, start, value, end)| format!("{indent}{start}{value}{end}"));
        vec(line, 0..7).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(20_260_728),
            failure_persistence: None,
            cases: 20_000,
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_simple_text_is_read_as_the_parser_reads_it(text in text()) {
            let within = Span::new(0, text.len());
            if let Some(simple) = read(&text, within) {
                let document = read_by_parser(&text, within);
                prop_assert!(document.is_ok(), "{text:?} {document:?}");
                let document = document.unwrap();
                // Behind a block scalar the parser counts bytes where it means characters.
                let has_places = text.is_ascii() || !text.contains(['>', '|']);
                let told = |document: &Document| {
                    let kinds: Vec<_> = document.notes.iter().map(|note| note.kind).collect();
                    let json = document.root.as_ref().map(Node::to_json);
                    if has_places { format!("{document:?}") } else { format!("{json:?} {kinds:?}") }
                };
                prop_assert_eq!(told(&simple), told(&document), "{:?}", text);
            }
        }
    }

    #[test]
    fn what_most_frontmatters_are_made_of_is_simple() {
        let text = "name: a\ndescription: \"Reads: it\"\nfolded: >-\n  one\n  two\nlicense: 'MIT'\n\
            metadata:\n  version: \"1.0\"\n  more:\n    deep: 1\ntags:\n- x\n- y\nlist:\n  - z\nflow: [a, b]\n";
        assert!(read(text, Span::new(0, text.len())).is_some());
    }
}
