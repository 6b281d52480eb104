//! Builds the tree from the parser's events, with a stack of its own and limits.

use std::borrow::Cow;
use std::collections::HashMap;

use yaml_rust2::ScanError;
use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::allowance::Source;
use super::{BYTES_PER_NODE, Document, Limit, MAX_NODES, Note, NoteKind, YamlError, YamlErrorKind};
use super::{core_schema, old_schema, spans};
use crate::source::Span;
use crate::value::{MAX_DEPTH, Member, Node, Value};

/// Why no tree came of a text.
pub(super) enum Failure {
    /// The parser gave up; perhaps only it.
    Parser(ScanError),
    /// The text was understood and is wrong.
    Judged(YamlError),
}

impl From<YamlError> for Failure {
    fn from(error: YamlError) -> Self {
        Self::Judged(error)
    }
}

/// Reads the one document of `source`.
pub(super) fn build(source: &Source<'_>) -> Result<Document, Failure> {
    let mut parser = Parser::new_from_str(&source.text);
    let mut tree = Tree::default();
    loop {
        let (event, mark) = parser.next_token().map_err(Failure::Parser)?;
        let start = source.offset(mark.index());
        // What follows bounds a block scalar. The parser tells of an error only once, so it is
        // kept until the event before it has been judged.
        let following = parser.peek().map(|(_, mark)| source.offset(mark.index()));
        let next = *following.as_ref().unwrap_or(&start);
        match event {
            Event::StreamEnd => return Ok(Document { root: tree.root, notes: tree.notes }),
            Event::DocumentStart if tree.root.is_some() => {
                return Err(error(YamlErrorKind::SeveralDocuments, Span::new(start, start)).into());
            }
            Event::Scalar(value, style, anchor, tag) => {
                let span = spans::scalar(source.file(), start, next, style, &value);
                tree.scalar(&value, style, anchor, tag.as_ref(), span)?;
            }
            Event::Alias(anchor) => {
                tree.alias(anchor, spans::alias(source.file(), start))?;
            }
            Event::SequenceStart(anchor, tag) => {
                check_collection_tag(tag.as_ref(), "seq", start)?;
                tree.open(anchor, start, Content::Items(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                check_collection_tag(tag.as_ref(), "map", start)?;
                tree.open(anchor, start, Content::Members(Members::default(), None))?;
            }
            Event::SequenceEnd | Event::MappingEnd => tree.close(source.file(), start)?,
            _ => {}
        }
        following.map_err(Failure::Parser)?;
    }
}

/// The parser's complaint in our words, where the usual mistakes can be told apart.
pub(super) fn parser_error(scan_error: &ScanError, source: &Source<'_>) -> YamlError {
    let at = source.offset(scan_error.marker().index());
    let text = source.file();
    let character = text[at..].chars().next();
    let span = Span::new(at, at + character.map_or(0, char::len_utf8));
    let info = scan_error.info();
    let kind = match character {
        _ if info.starts_with("mapping values are not allowed") => YamlErrorKind::ColonInPlain,
        _ if info.contains("tab") => YamlErrorKind::TabIndent,
        Some(start) if info.starts_with("unexpected character") => {
            YamlErrorKind::ReservedStart(start)
        }
        Some(start @ (',' | ']' | '}')) if info.contains("expected") => {
            YamlErrorKind::ReservedStart(start)
        }
        _ => YamlErrorKind::Syntax(info.to_owned()),
    };
    error(kind, span)
}

#[derive(Default)]
struct Tree {
    root: Option<Node<'static>>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    /// Values so far, copies included.
    nodes: usize,
    notes: Vec<Note>,
}

/// A collection whose end has not come.
struct Open {
    anchor: usize,
    start: usize,
    content: Content,
    /// Values in the tree before this one.
    nodes_before: usize,
    /// Levels below this one so far.
    height: usize,
}

enum Content {
    Items(Vec<Node<'static>>),
    /// Members, and the key that waits for its value.
    Members(Members, Option<(String, Span)>),
}

/// The members of a mapping; the names of a wide one are indexed, so that duplicates are found in
/// linear time.
#[derive(Default)]
struct Members {
    list: Vec<Member<'static>>,
    index: HashMap<String, Span>,
}

/// From how many members on a mapping is wide.
const WIDE: usize = 32;

impl Members {
    fn push(&mut self, member: Member<'static>) {
        if self.list.len() == WIDE {
            let places = self.list.iter().map(|member| (member.name.to_string(), member.name_span));
            self.index = places.collect();
        }
        if self.list.len() >= WIDE {
            self.index.insert(member.name.to_string(), member.name_span);
        }
        self.list.push(member);
    }

    fn place_of(&self, name: &str) -> Option<Span> {
        if self.list.len() > WIDE {
            return self.index.get(name).copied();
        }
        self.list.iter().find(|member| member.name == name).map(|member| member.name_span)
    }
}

/// A finished value that aliases copy.
struct Anchored {
    node: Node<'static>,
    nodes: usize,
    height: usize,
}

impl Tree {
    fn scalar(
        &mut self,
        text: &str,
        style: TScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), YamlError> {
        let plain = style == TScalarStyle::Plain;
        let value = match tag {
            Some(tag) => tagged(text, plain, tag, span)?,
            None if plain => core_schema::resolve_plain(text),
            None => core_schema::string(text),
        };
        if plain && tag.is_none() && old_schema::old_reading(text).is_some() {
            self.note(NoteKind::OldReading, span);
        }
        if matches!(value, Value::NonFinite(_)) {
            self.note(NoteKind::NonFinite, span);
        }
        let nodes = 1 + text.len() / BYTES_PER_NODE;
        self.count(nodes, span)?;
        let node = Node { value, span };
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), nodes, height: 0 });
        }
        self.place(node, 0)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), YamlError> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err(error(YamlErrorKind::SelfAlias, span));
        };
        let (nodes, height) = (anchored.nodes, anchored.height);
        let depth = self.open.len() + height;
        if self.nodes + nodes <= MAX_NODES && depth <= MAX_DEPTH {
            let node = Node { value: anchored.node.value.clone(), span };
            self.count(nodes, span)?;
            return self.place(node, height);
        }
        let limit = if depth > MAX_DEPTH { Limit::Depth } else { Limit::Nodes };
        Err(error(YamlErrorKind::Limit(limit), span))
    }

    fn open(&mut self, anchor: usize, start: usize, content: Content) -> Result<(), YamlError> {
        let span = Span::new(start, start);
        if self.open.len() >= MAX_DEPTH {
            return Err(error(YamlErrorKind::Limit(Limit::Depth), span));
        }
        let nodes_before = self.nodes;
        self.count(1, span)?;
        self.open.push(Open { anchor, start, content, nodes_before, height: 0 });
        Ok(())
    }

    fn close(&mut self, text: &str, mark: usize) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let span = collection_span(text, &open, mark);
        let value = match open.content {
            Content::Items(items) => Value::Array(items),
            Content::Members(members, _) => Value::Object(members.list),
        };
        let node = Node { value, span };
        let height = open.height + 1;
        if open.anchor > 0 {
            let nodes = self.nodes - open.nodes_before;
            self.anchors.insert(open.anchor, Anchored { node: node.clone(), nodes, height });
        }
        self.place(node, height)
    }

    /// Hands a finished value to what encloses it.
    fn place(&mut self, node: Node<'static>, height: usize) -> Result<(), YamlError> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.height = open.height.max(height);
        match &mut open.content {
            Content::Items(items) => items.push(node),
            Content::Members(members, waiting) => match waiting.take() {
                Some((name, name_span)) => {
                    let name = Cow::Owned(name);
                    members.push(Member { name, name_span, node });
                }
                None => {
                    let span = node.span;
                    let (name, note) = key(node)?;
                    if let Some(first) = members.place_of(&name) {
                        return Err(error(YamlErrorKind::DuplicateKey { name, first }, span));
                    }
                    *waiting = Some((name, span));
                    if let Some(kind) = note {
                        self.note(kind, span);
                    }
                }
            },
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(error(YamlErrorKind::Limit(Limit::Nodes), span));
        }
        Ok(())
    }

    fn note(&mut self, kind: NoteKind, span: Span) {
        self.notes.push(Note { kind, span });
    }
}

/// A key as JSON can carry it.
fn key(node: Node<'static>) -> Result<(String, Option<NoteKind>), YamlError> {
    match node.value {
        Value::String(name) if name == "<<" => Ok((name.into_owned(), Some(NoteKind::MergeKey))),
        Value::String(name) => Ok((name.into_owned(), None)),
        // A key left out; JavaScript hosts and servers write it as the empty name.
        Value::Null => Ok((String::new(), Some(NoteKind::NonStringKey))),
        Value::Array(_) | Value::Object(_) => Err(error(YamlErrorKind::ComplexKey, node.span)),
        Value::NonFinite(spelling) => Ok((spelling.to_owned(), Some(NoteKind::NonStringKey))),
        _ => Ok((node.to_json(), Some(NoteKind::NonStringKey))),
    }
}

/// The value of a tagged scalar.
fn tagged(text: &str, plain: bool, tag: &Tag, span: Span) -> Result<Value<'static>, YamlError> {
    let name = tag_name(tag);
    let mismatch = || error(YamlErrorKind::TagMismatch(name.clone()), span);
    match name.as_str() {
        "!" | "!!str" => Ok(core_schema::string(text)),
        "!!null" => core_schema::null(text).ok_or_else(mismatch),
        "!!bool" => core_schema::boolean(text).ok_or_else(mismatch),
        "!!int" => core_schema::integer(text).ok_or_else(mismatch),
        "!!float" => core_schema::float(text).ok_or_else(mismatch),
        "!!seq" | "!!map" => {
            if plain && text.is_empty() {
                Ok(Value::Null)
            } else {
                Err(mismatch())
            }
        }
        _ => Err(error(YamlErrorKind::UnknownTag(name), span)),
    }
}

fn check_collection_tag(tag: Option<&Tag>, expected: &str, start: usize) -> Result<(), YamlError> {
    let Some(tag) = tag else { return Ok(()) };
    let name = tag_name(tag);
    let span = Span::new(start, start);
    match name.strip_prefix("!!") {
        Some(kind) if kind == expected => Ok(()),
        Some("str" | "null" | "bool" | "int" | "float" | "seq" | "map") => {
            Err(error(YamlErrorKind::TagMismatch(name), span))
        }
        None if name == "!" => Ok(()),
        _ => Err(error(YamlErrorKind::UnknownTag(name), span)),
    }
}

/// A tag the way an author writes it.
fn tag_name(tag: &Tag) -> String {
    let full = format!("{}{}", tag.handle, tag.suffix);
    match full.strip_prefix("tag:yaml.org,2002:") {
        Some(kind) => format!("!!{kind}"),
        None => full,
    }
}

/// The parser marks a block mapping at its first `:` and its end at what follows.
fn collection_span(text: &str, open: &Open, mark: usize) -> Span {
    let first = match &open.content {
        Content::Items(items) => items.first().map(|item| item.span.start),
        Content::Members(members, _) => members.list.first().map(|member| member.name_span.start),
    };
    let start = first.map_or(open.start, |first| first.min(open.start));
    if matches!(text[start..].chars().next(), Some('[' | '{')) {
        let closes = text[mark..].starts_with([']', '}']);
        return Span::new(start, mark + usize::from(closes));
    }
    let start = item_dash(text, open, start);
    let last = match &open.content {
        Content::Items(items) => items.last().map(|item| item.span.end),
        Content::Members(members, _) => members.list.last().map(|member| member.node.span.end),
    };
    Span::new(start, last.unwrap_or(start).max(start))
}

/// A block sequence begins at its first dash, which stands before its first item.
fn item_dash(text: &str, open: &Open, start: usize) -> usize {
    if !matches!(open.content, Content::Items(_)) {
        return start;
    }
    let line_start = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[line_start..start].rfind("- ").map_or(start, |at| line_start + at)
}

const fn error(kind: YamlErrorKind, span: Span) -> YamlError {
    YamlError { kind, span }
}
