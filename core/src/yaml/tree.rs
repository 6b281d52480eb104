//! Builds the tree from the parser's events, with a stack of its own and limits.

use std::borrow::Cow;

use yaml_rust2::ScanError;
use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::allowance::Source;
use super::spans::{self, line_start};
use super::{
    BYTES_PER_NODE, Document, Limit, MAX_NODES, Note, NoteKind, YamlError, YamlErrorKind,
    insert_note,
};
use super::{core_schema, old_schema};
use crate::source::Span;
use crate::value::{MAX_DEPTH, Member, Node, Value, repeated};

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
    let mut tree = Tree::new(source.file());
    loop {
        let (event, mark) = parser.next_token().map_err(Failure::Parser)?;
        let start = source.offset(&mark);
        // What follows bounds a block scalar. The parser tells of an error only once, so it is
        // kept until the event before it has been judged.
        let following = parser.peek().map(|(_, mark)| source.offset(mark));
        let next = *following.as_ref().unwrap_or(&start);
        match event {
            Event::StreamEnd => return Ok(Document { root: tree.root, notes: tree.notes }),
            Event::DocumentStart if tree.root.is_some() => {
                return Err(error(YamlErrorKind::SeveralDocuments, Span::new(start, start)).into());
            }
            Event::Scalar(value, style, anchor, tag) => {
                let span = spans::scalar(source.file(), start, next, style, &value);
                let value = spans::without_content(source.file(), span, next, style, &value)
                    .unwrap_or(value);
                tree.scalar(&value, style, anchor, tag.as_ref(), span)?;
            }
            Event::Alias(anchor) => {
                tree.alias(anchor, spans::alias(source.file(), start))?;
            }
            Event::SequenceStart(anchor, tag) => {
                check_collection_tag(tag.as_ref(), "seq", start)?;
                tree.open(anchor, Span::new(start, next), Content::Items(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                check_collection_tag(tag.as_ref(), "map", start)?;
                tree.open(anchor, Span::new(start, next), Content::Members(Vec::new(), None))?;
            }
            Event::SequenceEnd | Event::MappingEnd => tree.close(start)?,
            _ => {}
        }
        following.map_err(Failure::Parser)?;
    }
}

/// The parser's complaint in our words, where the usual mistakes can be told apart.
pub(super) fn parser_error(scan_error: &ScanError, source: &Source<'_>) -> YamlError {
    let at = source.offset(scan_error.marker());
    let text = source.file();
    let character = text[at..].chars().next();
    let span = Span::new(at, at + character.map_or(0, char::len_utf8));
    let info = scan_error.info();
    let kind = match character {
        _ if info.starts_with("mapping values are not allowed") => YamlErrorKind::ColonInPlain,
        _ if info.contains("tab") => YamlErrorKind::TabIndent,
        // Blanks are, so a tab stands between two dashes.
        _ if info.starts_with("'-' must be followed") => YamlErrorKind::TabIndent,
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

struct Tree<'t> {
    file: &'t str,
    root: Option<Node<'static>>,
    open: Vec<Open>,
    /// By the parser's numbers, which count from 1.
    anchors: Vec<Option<Anchored>>,
    /// Values so far, copies included.
    nodes: usize,
    notes: Vec<Note>,
}

/// A collection whose end has not come.
struct Open {
    anchor: usize,
    start: usize,
    /// Whether it has brackets of its own.
    bracketed: bool,
    /// Whether it stands in brackets, its own or an outer collection's.
    in_flow: bool,
    content: Content,
    /// Values in the tree before this one.
    nodes_before: usize,
    /// Levels below this one so far.
    height: usize,
}

impl Open {
    /// Whether it is the mapping of one pair that `[a: b]` holds.
    const fn is_pair_of_a_list(&self) -> bool {
        self.in_flow && !self.bracketed && matches!(self.content, Content::Members(..))
    }
}

enum Content {
    Items(Vec<Node<'static>>),
    /// Members, and the key that waits for its value.
    Members(Vec<Member<'static>>, Option<(String, Span)>),
}

/// A finished value that aliases copy.
struct Anchored {
    node: Node<'static>,
    nodes: usize,
    height: usize,
}

impl<'t> Tree<'t> {
    fn new(file: &'t str) -> Self {
        let (open, anchors, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { file, root: None, open, anchors, nodes: 0, notes }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: TScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), YamlError> {
        let plain = style == TScalarStyle::Plain;
        let quoted = matches!(style, TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted);
        // The parser takes these for text where no block scalar can stand.
        if let Some(start @ ('|' | '>')) = text.chars().next().filter(|_| plain) {
            return Err(error(YamlErrorKind::ReservedStart(start), span));
        }
        if let Some(mark) = text.chars().find(|c| *c == '\u{feff}' && !quoted) {
            return Err(error(YamlErrorKind::ForbiddenCharacter(mark), span));
        }
        let value = match tag {
            Some(tag) => tagged(text, tag, span)?,
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
        self.remember(anchor, &node, nodes, 0);
        self.place(node, 0)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), YamlError> {
        let Some(Some(anchored)) = self.anchors.get(anchor) else {
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

    /// Keeps a finished value for its aliases, if it has an anchor.
    fn remember(&mut self, anchor: usize, node: &Node<'static>, nodes: usize, height: usize) {
        if anchor == 0 {
            return;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize_with(anchor + 1, || None);
        }
        self.anchors[anchor] = Some(Anchored { node: node.clone(), nodes, height });
    }

    /// `up_to_next` begins at the parser's mark and ends where the next event begins.
    fn open(&mut self, anchor: usize, up_to_next: Span, content: Content) -> Result<(), YamlError> {
        let start = up_to_next.start;
        let span = Span::new(start, start);
        if self.open.len() >= MAX_DEPTH {
            return Err(error(YamlErrorKind::Limit(Limit::Depth), span));
        }
        let nodes_before = self.nodes;
        self.count(1, span)?;
        // A block list that is no deeper than its key is marked at its first item, whose bracket it
        // is then.
        let bracketed = up_to_next.of(self.file).starts_with(['[', '{']);
        let in_flow = bracketed || self.open.last().is_some_and(|outer| outer.in_flow);
        // `[a: {b: c}]` is YAML, but the parser loses track of what the first comma belongs to.
        let in_pair = self.open.last().is_some_and(Open::is_pair_of_a_list);
        if bracketed && in_pair {
            return Err(error(YamlErrorKind::Limit(Limit::Parser), span));
        }
        self.open.push(Open {
            anchor,
            start,
            bracketed,
            in_flow,
            content,
            nodes_before,
            height: 0,
        });
        Ok(())
    }

    /// `mark` is the closing bracket, or what follows a block collection.
    fn close(&mut self, mark: usize) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let span = collection_span(self.file, &open, mark);
        if open.bracketed {
            self.note_outdented(span);
        } else if !open.in_flow {
            self.indented_by_blanks(span.start)?;
        }
        let value = match open.content {
            Content::Items(items) => Value::Array(items),
            Content::Members(members, _) => {
                check_unique(&members)?;
                Value::Object(members)
            }
        };
        let node = Node { value, span };
        let height = open.height + 1;
        self.remember(open.anchor, &node, self.nodes - open.nodes_before, height);
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
                    let in_flow = open.in_flow;
                    let (name, note) = key(node)?;
                    *waiting = Some((name, span));
                    if let Some(kind) = note {
                        self.note(kind, span);
                    }
                    if !in_flow {
                        self.indented_by_blanks(span.start)?;
                    }
                }
            },
        }
        Ok(())
    }

    /// Refuses a tab among the blanks and indicators in front of a key or a block collection: YAML
    /// allows tabs between tokens, but not as indentation.
    fn indented_by_blanks(&self, start: usize) -> Result<(), YamlError> {
        let line_start = line_start(self.file, start);
        let line = &self.file[line_start..start];
        let indentation = line.trim_start_matches([' ', '\t', '-', '?', ':']);
        let indentation = &line[..line.len() - indentation.len()];
        match indentation.find('\t').map(|at| line_start + at) {
            Some(at) => Err(error(YamlErrorKind::TabIndent, Span::new(at, at + 1))),
            None => Ok(()),
        }
    }

    /// Notes the first line of a flow collection that is not indented below the block it stands
    /// in. YAML wants it to be; most readers do not mind.
    fn note_outdented(&mut self, span: Span) {
        let Some(outer) = self.open.last().filter(|outer| !outer.in_flow) else { return };
        let outer_start = match &outer.content {
            Content::Members(_, Some((_, key))) => key.start,
            _ => outer.start,
        };
        let outer_indent = outer_start - line_start(self.file, outer_start);
        let text = span.of(self.file);
        let outdented = text.match_indices('\n').map(|(at, _)| at + 1).find(|at| {
            let line = text[*at..].trim_start_matches(' ');
            let indent = text.len() - at - line.len();
            indent <= outer_indent && !line.starts_with(['#', '\r', '\n', '\t'])
        });
        if let Some(at) = outdented {
            let at = span.start + at;
            self.note(NoteKind::ReaderAllowance, Span::new(at, at));
        }
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(error(YamlErrorKind::Limit(Limit::Nodes), span));
        }
        Ok(())
    }

    fn note(&mut self, kind: NoteKind, span: Span) {
        insert_note(&mut self.notes, Note { kind, span });
    }
}

/// Refuses a mapping with a name that occurs twice.
fn check_unique(members: &[Member<'static>]) -> Result<(), YamlError> {
    let Some(second) = repeated(members).into_iter().next() else { return Ok(()) };
    let first = members.iter().find(|member| member.name == second.name).unwrap_or(second);
    let kind =
        YamlErrorKind::DuplicateKey { name: second.name.to_string(), first: first.name_span };
    Err(error(kind, second.name_span))
}

/// A key as JSON can carry it.
fn key(node: Node<'static>) -> Result<(String, Option<NoteKind>), YamlError> {
    match node.value {
        Value::String(name) if name == "<<" => Ok((name.into_owned(), Some(NoteKind::MergeKey))),
        Value::String(name) => Ok((name.into_owned(), None)),
        Value::Number(number) => Ok((number.canonical(), Some(NoteKind::NonStringKey))),
        // A key left out; JavaScript hosts and servers write it as the empty name.
        Value::Null => Ok((String::new(), Some(NoteKind::NonStringKey))),
        Value::Array(_) | Value::Object(_) => Err(error(YamlErrorKind::ComplexKey, node.span)),
        Value::NonFinite(spelling) => Ok((spelling.to_owned(), Some(NoteKind::NonStringKey))),
        _ => Ok((node.to_json(), Some(NoteKind::NonStringKey))),
    }
}

/// The value of a tagged scalar.
fn tagged(text: &str, tag: &Tag, span: Span) -> Result<Value<'static>, YamlError> {
    let name = tag_name(tag);
    let mismatch = || error(YamlErrorKind::TagMismatch(name.clone()), span);
    match name.as_str() {
        "!" | "!!str" => Ok(core_schema::string(text)),
        "!!null" => core_schema::null(text).ok_or_else(mismatch),
        "!!bool" => core_schema::boolean(text).ok_or_else(mismatch),
        "!!int" => core_schema::integer(text).ok_or_else(mismatch),
        "!!float" => core_schema::float(text).ok_or_else(mismatch),
        "!!seq" | "!!map" => Err(mismatch()),
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
        Content::Members(members, _) => members.first().map(|member| member.name_span.start),
    };
    let start = first.map_or(open.start, |first| first.min(open.start));
    if open.bracketed {
        let closes = text[mark..].starts_with([']', '}']);
        return Span::new(start, mark + usize::from(closes));
    }
    let start = item_dash(text, open, start);
    let last = match &open.content {
        Content::Items(items) => items.last().map(|item| item.span.end),
        Content::Members(members, _) => members.last().map(|member| member.node.span.end),
    };
    Span::new(start, last.unwrap_or(start).max(start))
}

/// A block sequence begins at its first dash, which stands before its first item.
fn item_dash(text: &str, open: &Open, start: usize) -> usize {
    if !matches!(open.content, Content::Items(_)) {
        return start;
    }
    let line_start = line_start(text, start);
    let before = text[line_start..start].trim_end();
    if before.ends_with('-') { line_start + before.len() - 1 } else { start }
}

const fn error(kind: YamlErrorKind, span: Span) -> YamlError {
    YamlError { kind, span }
}
