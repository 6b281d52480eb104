//! The frontmatter of a file against the copy in the entry, field by field, in both directions.
//!
//! Source: the extension's *Frontmatter Verification*: identical in content, every field.

use serde::Serialize;

use super::Frontmatter;
use super::explain::{Explanation, compare_names, explain};
use crate::finding::excerpt;
use crate::source::{LineIndex, Position, Span};
use crate::value::{Member, Node, Value, pointer_token};

/// How many characters of a value a [`Side`] shows.
const MAX_SHOWN: usize = 2000;

/// How many differences one field may list; the field's outcome counts them all the same.
const MAX_DIFFERENCES: usize = 50;

/// The result of a comparison: one row for each field of either side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The fields: the file's in file order, then those only in the entry.
    pub fields: Vec<FieldComparison>,
}

impl Comparison {
    /// Whether both sides are identical in content.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.fields.iter().all(|field| field.outcome == FieldOutcome::Equal)
    }

    /// The fields that differ.
    pub fn differing(&self) -> impl Iterator<Item = &FieldComparison> {
        self.fields.iter().filter(|field| field.outcome != FieldOutcome::Equal)
    }
}

/// One top-level field. Names and pointers are exact: escape them before they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldComparison {
    /// Its name.
    pub name: String,
    /// The verdict.
    pub outcome: FieldOutcome,
    /// The value in the file; none where it lacks the field.
    pub file: Option<Side>,
    /// The value in the entry; none where it lacks the field.
    pub entry: Option<Side>,
    /// Where inside of the field the two differ; the first fifty places.
    pub differences: Vec<Difference>,
}

/// The verdict on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldOutcome {
    /// Same content on both sides.
    Equal,
    /// Both sides have it, with different content.
    Different,
    /// Only the entry has it.
    OnlyInEntry,
    /// Only the file has it.
    OnlyInFile,
    /// The file's value has no JSON form, so no entry can hold it.
    Unverifiable,
}

/// One place inside of a field where the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The place, as a JSON pointer (RFC 6901) below the frontmatter.
    pub pointer: String,
    /// What the file has there, if anything.
    pub file: Option<Side>,
    /// What the entry has there, if anything.
    pub entry: Option<Side>,
    /// Why, where it can be proved.
    pub explanation: Option<Explanation>,
}

/// A value on one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// The value as JSON, for showing: at most 2,000 characters, hidden ones escaped.
    pub json: String,
    /// Its bytes: in the file, or in the entry's text.
    pub span: Span,
    /// Its first position in the file, or in the entry's text.
    pub position: Position,
}

/// Compares the frontmatter of the file with text `file_text` with an entry's.
///
/// `frontmatter` was read from `file_text`, and `entry`, the entry's `frontmatter` member, from
/// `entry_text`; with other texts places and explanations are wrong. Every difference fails
/// verification; an [`Explanation`] only says why, it never excuses. Cost: the length of both.
///
/// ```
/// use skillglass::frontmatter::{Explanation, Frontmatter, compare};
/// let file = "---\nname: a\ndescription: b\ncreated: 2026-01-15\n---\n";
/// let frontmatter = Frontmatter::read(file.as_bytes()).unwrap();
/// let beside = |entry: &str| {
///     let document = skillglass::json::read(entry).unwrap();
///     compare(&frontmatter, file, &document.root, entry)
/// };
/// assert!(beside(r#"{"description":"b","name":"a","created":"2026-01-15"}"#).is_equal());
///
/// let comparison =
///     beside(r#"{"description":"b","name":"a","created":"2026-01-15T00:00:00.000Z"}"#);
/// let field = comparison.differing().next().unwrap();
/// assert_eq!(field.name, "created");
/// assert_eq!(field.differences[0].explanation, Some(Explanation::Yaml11Timestamp));
/// ```
#[must_use]
pub fn compare(
    frontmatter: &Frontmatter,
    file_text: &str,
    entry: &Node<'_>,
    entry_text: &str,
) -> Comparison {
    let sides = Sides {
        file_text,
        entry_text,
        file_lines: LineIndex::new(file_text),
        entry_lines: LineIndex::new(entry_text),
    };
    let file_members = frontmatter.root.as_object().unwrap_or_default();
    let in_entry = entry.index();
    let names = compare_names(&frontmatter.root, entry);
    let mut fields: Vec<_> = file_members
        .iter()
        .map(|member| {
            let other = in_entry.get(member.name.as_ref()).copied();
            sides.field(&member.name, Some(&member.node), other, names.cause(&member.name))
        })
        .collect();
    let mut known = frontmatter.root.index();
    for member in entry.as_object().unwrap_or_default() {
        if known.insert(&member.name, &member.node).is_none() {
            let node = in_entry.get(&*member.name).copied();
            fields.push(sides.field(&member.name, None, node, names.cause(&member.name)));
        }
    }
    Comparison { fields }
}

struct Sides<'t> {
    file_text: &'t str,
    entry_text: &'t str,
    file_lines: LineIndex<'t>,
    entry_lines: LineIndex<'t>,
}

impl Sides<'_> {
    fn field(
        &self,
        name: &str,
        file: Option<&Node<'_>>,
        entry: Option<&Node<'_>>,
        known_cause: Option<Explanation>,
    ) -> FieldComparison {
        let mut differences = Vec::new();
        let damaged = entry.is_some_and(|entry| is_damaged(entry.span.of(self.entry_text)));
        let outcome = match (file, entry) {
            (Some(file), _) if has_non_finite(file) => FieldOutcome::Unverifiable,
            (Some(file), Some(entry))
                if known_cause.is_none() && !damaged && file.same_content(entry) =>
            {
                FieldOutcome::Equal
            }
            (Some(_), Some(_)) => FieldOutcome::Different,
            (Some(_), None) => FieldOutcome::OnlyInFile,
            (None, _) => FieldOutcome::OnlyInEntry,
        };
        let pointer = format!("/{}", pointer_token(name));
        if let Some(cause) = known_cause.or(damaged.then_some(Explanation::NotUnicode)) {
            differences.push(self.difference(pointer, file, entry, Some(cause)));
        } else if outcome != FieldOutcome::Equal {
            self.collect(pointer, file, entry, &mut differences);
        }
        FieldComparison {
            name: name.to_owned(),
            outcome,
            file: file.map(|node| self.file_side(node)),
            entry: entry.map(|node| self.entry_side(node)),
            differences,
        }
    }

    /// Walks down to the innermost values that differ. Depth is bounded by both readers.
    fn collect(
        &self,
        pointer: String,
        file: Option<&Node<'_>>,
        entry: Option<&Node<'_>>,
        found: &mut Vec<Difference>,
    ) {
        if found.len() >= MAX_DIFFERENCES {
            return;
        }
        match (file.map(|node| &node.value), entry.map(|node| &node.value)) {
            (Some(Value::Object(a)), Some(Value::Object(_))) => {
                let (Some(file), Some(entry)) = (file, entry) else { return };
                let (in_file, in_entry) = (file.index(), entry.index());
                let names = compare_names(file, entry);
                let mut member = |name: &str, file: Option<&Node<'_>>, entry: Option<&Node<'_>>| {
                    let below = format!("{pointer}/{}", pointer_token(name));
                    match names.cause(name) {
                        None => self.collect(below, file, entry, found),
                        cause => found.push(self.difference(below, file, entry, cause)),
                    }
                };
                for Member { name, node, .. } in a {
                    let other = in_entry.get(&**name).copied();
                    let same = other.is_some_and(|other| node.same_content(other));
                    if !same || names.cause(name).is_some() {
                        member(name, Some(node), other);
                    }
                }
                for Member { name, node, .. } in entry.as_object().unwrap_or_default() {
                    if !in_file.contains_key(&**name) {
                        member(name, None, Some(node));
                    }
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) => {
                for index in 0..a.len().max(b.len()) {
                    let (a, b) = (a.get(index), b.get(index));
                    let same = matches!((a, b), (Some(a), Some(b)) if a.same_content(b));
                    if !same {
                        self.collect(format!("{pointer}/{index}"), a, b, found);
                    }
                }
            }
            _ => {
                let cause = explain(self.file_text, file, entry);
                found.push(self.difference(pointer, file, entry, cause));
            }
        }
    }

    fn difference(
        &self,
        pointer: String,
        file: Option<&Node<'_>>,
        entry: Option<&Node<'_>>,
        explanation: Option<Explanation>,
    ) -> Difference {
        Difference {
            pointer,
            explanation,
            file: file.map(|node| self.file_side(node)),
            entry: entry.map(|node| self.entry_side(node)),
        }
    }

    fn file_side(&self, node: &Node<'_>) -> Side {
        side(node, &self.file_lines)
    }

    fn entry_side(&self, node: &Node<'_>) -> Side {
        side(node, &self.entry_lines)
    }
}

fn side(node: &Node<'_>, lines: &LineIndex<'_>) -> Side {
    Side {
        json: excerpt(&node.to_json(), MAX_SHOWN),
        span: node.span,
        position: lines.position(node.span.start),
    }
}

/// Whether a value's JSON has half a surrogate pair, which the reader has replaced.
fn is_damaged(json: &str) -> bool {
    let read = || crate::json::read(json);
    json.contains("\\u") && read().is_ok_and(|document| document.damaged_in(document.root.span))
}

fn has_non_finite(node: &Node<'_>) -> bool {
    match &node.value {
        Value::NonFinite(_) => true,
        Value::Array(items) => items.iter().any(has_non_finite),
        Value::Object(members) => members.iter().any(|member| has_non_finite(&member.node)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn differences(fields: &str, entry: &str) -> Vec<(String, Option<Explanation>)> {
        let file = format!("---\n{fields}\n---\n");
        let frontmatter = Frontmatter::read(file.as_bytes()).unwrap();
        let document = json::read(entry).unwrap();
        let comparison = compare(&frontmatter, &file, &document.root, entry);
        assert_eq!(comparison.is_equal(), comparison.differing().next().is_none());
        let differing = comparison.differing().flat_map(|field| field.differences.clone());
        differing.map(|difference| (difference.pointer, difference.explanation)).collect()
    }

    fn explained(fields: &str, entry: &str) -> Option<Explanation> {
        let found = differences(fields, entry);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].1
    }

    #[test]
    fn equal_content_is_equal() {
        assert_eq!(differences("a: 1.0\nb: [x, {c: ~}]", r#"{"b":["x",{"c":null}],"a":1}"#), []);
    }

    #[test]
    fn both_directions_and_depth_are_seen() {
        let found = differences("a: 1\nb: {c: [1, 2], d: 3}", r#"{"b":{"c":[1,3],"e":4},"z":5}"#);
        let pointers: Vec<_> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
        assert_eq!(pointers, ["/a", "/b/c/1", "/b/d", "/b/e", "/z"]);
    }

    #[test]
    fn causes_are_proved() {
        use Explanation as E;
        assert_eq!(explained("a: yes", r#"{"a":true}"#), Some(E::Yaml11Boolean));
        assert_eq!(explained("a: 0755", r#"{"a":493}"#), Some(E::Yaml11Integer));
        assert_eq!(explained("a: 12:30:45", r#"{"a":45045}"#), Some(E::Yaml11Sexagesimal));
        assert_eq!(
            explained("a: 9007199254740993", r#"{"a":9007199254740992}"#),
            Some(E::Precision)
        );
        assert_eq!(explained("a: 'x'", r#"{"a":"'x'"}"#), Some(E::QuotesKept));
        assert_eq!(explained("a: >-\n  x", r#"{"a":">-"}"#), Some(E::BlockMarker));
        assert_eq!(explained("a: |\n  x", r#"{"a":"x"}"#), Some(E::FinalNewline));
        assert_eq!(explained("a: \" x \"", r#"{"a":"x"}"#), Some(E::Trimmed));
        assert_eq!(explained("a: one\n  two", r#"{"a":"one"}"#), Some(E::FirstLineOnly));
        assert_eq!(explained("a: x # y", r#"{"a":"x # y"}"#), Some(E::CommentKept));
        assert_eq!(explained("a: Café", "{\"a\":\"Cafe\u{301}\"}"), Some(E::Normalization));
        assert_eq!(explained("a: 1.0", r#"{"a":"1.0"}"#), Some(E::Stringified));
        assert_eq!(explained("a: true", r#"{"a":"True"}"#), Some(E::Stringified));
        assert_eq!(explained("a: ~", r#"{}"#), Some(E::NullLeftOut));
        assert_eq!(explained("a: x", r#"{}"#), Some(E::LeftOut));
        assert_eq!(explained("a: x", r#"{"a":"y"}"#), None);
        assert_eq!(explained("a: no", r#"{"a":true}"#), None);
    }

    #[test]
    fn keys_that_became_others_are_explained_on_both_sides() {
        use Explanation as E;
        let merge = "b: &b {x: 1, y: 3}\nc:\n  <<: *b\n  y: 2";
        let merged = differences(merge, r#"{"b":{"x":1,"y":3},"c":{"x":1,"y":2}}"#);
        let explained: Vec<_> = merged.iter().map(|(at, cause)| (&**at, *cause)).collect();
        assert_eq!(explained, [("/c/<<", Some(E::Yaml11Merge)), ("/c/x", Some(E::Yaml11Merge))]);
        let lost = differences(merge, r#"{"b":{"x":1,"y":3},"c":{"y":2}}"#);
        assert_eq!(lost, [("/c/<<".to_owned(), Some(E::LeftOut))]);
        // Nothing proves a merge where nothing was to be merged.
        for nothing in ["<<: hello", "<<: {}", "b: 1\n<<: {b: 2}"] {
            let entry = if nothing.starts_with('b') { r#"{"b":1}"# } else { "{}" };
            let lost = differences(nothing, entry);
            assert_eq!(lost, [("/<<".to_owned(), Some(E::LeftOut))], "{nothing}");
        }
    }

    #[test]
    fn what_the_entry_says_twice_it_does_not_say() {
        let repeated = |pointer: &str| vec![(pointer.to_owned(), Some(Explanation::Repeated))];
        assert_eq!(differences("a: x", r#"{"a":"y","a":"x"}"#), repeated("/a"));
        assert_eq!(differences("a: {b: x}", r#"{"a":{"b":"x","b":"x"}}"#), repeated("/a/b"));
        assert_eq!(differences("a: x", r#"{"a":"x","b":1,"b":1}"#), repeated("/b"));
        let half = differences("a: \"\\ufffd\"", r#"{"a":"\ud800"}"#);
        assert_eq!(half, [("/a".to_owned(), Some(Explanation::NotUnicode))]);
        assert_eq!(differences("a: 😀", r#"{"a":"\ud83d\ude00"}"#), []);
    }

    #[test]
    fn what_json_cannot_carry_is_unverifiable() {
        let file = "---\na: .inf\n---\n";
        let frontmatter = Frontmatter::read(file.as_bytes()).unwrap();
        let document = json::read(r#"{"a":null}"#).unwrap();
        let comparison = compare(&frontmatter, file, &document.root, "");
        assert_eq!(comparison.fields[0].outcome, FieldOutcome::Unverifiable);
        assert!(!comparison.is_equal());
    }
}
