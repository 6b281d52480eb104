//! Why two values differ. An explanation is given only where recomputing proves it.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;

use crate::unicode::differ_in_normalization;
use crate::value::{Member, Node, Value};
use crate::yaml::{Moment, OldReading, old_reading};

/// A proved cause of a difference between a file's field and its entry. As text: one or two
/// sentences, with the repair where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Explanation {
    /// The server read `yes`, `no`, `on` or `off` as a YAML 1.1 boolean.
    Yaml11Boolean,
    /// The server read an octal, binary or underscored number by YAML 1.1.
    Yaml11Integer,
    /// The server read `1:30` as a base-60 number of YAML 1.1.
    Yaml11Sexagesimal,
    /// The server read a date as a timestamp and printed it in full.
    Yaml11Timestamp,
    /// The server kept the quotes of a quoted scalar.
    QuotesKept,
    /// The server took the block marker for the text.
    BlockMarker,
    /// The two differ by line breaks at the end.
    FinalNewline,
    /// The server trimmed white space around the value.
    Trimmed,
    /// The server kept the first line of a value of several lines.
    FirstLineOnly,
    /// The server took a comment for part of the value.
    CommentKept,
    /// The server turned a number, boolean or null into text.
    Stringified,
    /// The two differ only in Unicode normalisation (NFC against NFD).
    Normalization,
    /// Both are the same double; the server's reader lost digits.
    Precision,
    /// The field is null in the file and left out of the entry.
    NullLeftOut,
    /// The server sent only some of the fields.
    LeftOut,
    /// The entry has a field that the file lacks.
    Added,
    /// The server merged `<<` into the mapping around it, as YAML 1.1 does.
    Yaml11Merge,
    /// The entry has the member twice, and readers keep different ones.
    Repeated,
    /// The entry has half a surrogate pair, which is no text.
    NotUnicode,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yaml11Boolean => {
                "The server read this word as a YAML 1.1 boolean. Quote it, or parse with the YAML 1.2 core schema."
            }
            Self::Yaml11Integer => {
                "The server read this number by YAML 1.1 rules. Quote it, or parse with the YAML 1.2 core schema."
            }
            Self::Yaml11Sexagesimal => {
                "The server read this as a base-60 number of YAML 1.1. Quote it, or parse with the YAML 1.2 core schema."
            }
            Self::Yaml11Timestamp => {
                "The server read the date as a YAML 1.1 timestamp. Quote it, or parse with the YAML 1.2 core schema."
            }
            Self::QuotesKept => "The server kept the quotes: it does not parse YAML but cuts lines.",
            Self::BlockMarker => {
                "The server took the block marker for the text: it does not parse YAML but cuts lines."
            }
            Self::FinalNewline => {
                "The two differ by line breaks at the end only: the server cut the block before its last line break, or trimmed it."
            }
            Self::Trimmed => "The server trimmed white space around the value.",
            Self::FirstLineOnly => "The server kept only the first line of the value.",
            Self::CommentKept => "The server took a YAML comment for part of the value.",
            Self::Stringified => "The server turned the value into a string.",
            Self::Normalization => {
                "Both look alike and differ only in Unicode normalisation: the server composes or decomposes characters."
            }
            Self::Precision => {
                "Both are the same number in double precision: the server's reader lost digits. Quote it."
            }
            Self::NullLeftOut => {
                "The field is null in the file; null and absent are not the same. Send every field."
            }
            Self::LeftOut => "The server sent only some of the fields. Send every field the file has.",
            Self::Added => "The entry has a field that the file does not have.",
            Self::Yaml11Merge => {
                "The server merged \"<<\", as YAML 1.1 does. Write the fields out, or parse with the YAML 1.2 core schema."
            }
            Self::NotUnicode => "The entry has half a surrogate pair here, which is no text.",
            Self::Repeated => "The entry has this member twice; readers keep different ones.",
        })
    }
}

/// The proved cause of the difference between `file` and `entry`, two values that are not equal.
pub(super) fn explain(
    file_text: &str,
    file: Option<&Node<'_>>,
    entry: Option<&Node<'_>>,
) -> Option<Explanation> {
    match (file, entry) {
        (Some(file), None) if file.value == Value::Null => Some(Explanation::NullLeftOut),
        (Some(_), None) => Some(Explanation::LeftOut),
        (None, _) => Some(Explanation::Added),
        (Some(file), Some(entry)) => {
            let source = file.span.of(file_text);
            old_yaml(source, entry)
                .or_else(|| lost_precision(file, entry))
                .or_else(|| line_reader(file, source, file_text, entry))
                .or_else(|| stringified(file, source, entry))
        }
    }
}

/// The members of two mappings that differ for a cause that shows in their names, with the cause.
#[derive(Default)]
pub(super) struct Names<'n>(HashMap<&'n str, Explanation>);

impl<'n> Names<'n> {
    /// The proved cause, if there is one.
    pub(super) fn cause(&self, name: &str) -> Option<Explanation> {
        self.0.get(name).copied()
    }

    /// The first cause that was proved stays.
    fn add(&mut self, name: &'n str, cause: Explanation) {
        self.0.entry(name).or_insert(cause);
    }
}

/// Compares the names of two mappings.
pub(super) fn compare_names<'n>(file: &'n Node<'_>, entry: &'n Node<'_>) -> Names<'n> {
    let (in_file, in_entry) = (file.index(), entry.index());
    let mut names = Names::default();
    for sent in entry.as_object().unwrap_or_default() {
        // Readers take different values of a name that comes twice.
        if !std::ptr::eq(in_entry[&*sent.name], &sent.node) {
            names.add(&sent.name, Explanation::Repeated);
        }
    }
    let is_new = |name: &str| !in_file.contains_key(name);
    let came = |name: &str, node: &Node<'_>| {
        in_entry.get(name).is_some_and(|sent| sent.same_content(node))
    };
    for lost in file.as_object().unwrap_or_default() {
        if &*lost.name == "<<" && !in_entry.contains_key("<<") {
            let mut merged = merged(&lost.node);
            merged.retain(|merged| is_new(&merged.name));
            let all_came = merged.iter().all(|merged| came(&merged.name, &merged.node));
            if all_came && !merged.is_empty() {
                names.add("<<", Explanation::Yaml11Merge);
                merged.iter().for_each(|it| names.add(&it.name, Explanation::Yaml11Merge));
            }
        }
    }
    names
}

/// What YAML 1.1 merges where this is the value of `<<`: the members of a mapping, or of several.
fn merged<'n, 'a>(node: &'n Node<'a>) -> Vec<&'n Member<'a>> {
    let mut members = Vec::new();
    for mapping in node.as_array().unwrap_or(std::slice::from_ref(node)) {
        members.extend(mapping.as_object().unwrap_or_default());
    }
    members
}

/// Does the entry hold what a YAML 1.1 reader makes of the plain scalar?
fn old_yaml(source: &str, entry: &Node<'_>) -> Option<Explanation> {
    match (old_reading(source)?, &entry.value) {
        (OldReading::Boolean(old), Value::Bool(sent)) if old == *sent => {
            Some(Explanation::Yaml11Boolean)
        }
        (OldReading::Integer(old), Value::Number(sent)) if old == sent.text() => {
            Some(Explanation::Yaml11Integer)
        }
        (OldReading::Sexagesimal(old), Value::Number(sent)) if old == sent.text() => {
            Some(Explanation::Yaml11Sexagesimal)
        }
        (OldReading::Timestamp(old), Value::String(sent))
            if Moment::read(sent).as_ref() == Some(&old) =>
        {
            Some(Explanation::Yaml11Timestamp)
        }
        _ => None,
    }
}

fn lost_precision(file: &Node<'_>, entry: &Node<'_>) -> Option<Explanation> {
    match (&file.value, &entry.value) {
        (Value::Number(file), Value::Number(entry)) if file.same_double(entry) => {
            Some(Explanation::Precision)
        }
        _ => None,
    }
}

/// Does the entry hold what a reader of lines, not of YAML, cuts out of the file?
fn line_reader(
    file: &Node<'_>,
    source: &str,
    file_text: &str,
    entry: &Node<'_>,
) -> Option<Explanation> {
    let sent = entry.as_str()?;
    if source.starts_with(['"', '\'']) && sent == source {
        return Some(Explanation::QuotesKept);
    }
    if source.starts_with(['|', '>']) && source.lines().next().is_some_and(|l| l.trim() == sent) {
        return Some(Explanation::BlockMarker);
    }
    if let Some(text) = file.as_str() {
        let bare = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
        if bare(text) == bare(sent) {
            return Some(Explanation::FinalNewline);
        }
        if text.trim() == sent {
            return Some(Explanation::Trimmed);
        }
        if differ_in_normalization(text, sent) {
            return Some(Explanation::Normalization);
        }
    }
    let first_line = source.lines().next().unwrap_or_default().trim();
    if first_line.len() < source.len() && sent == first_line {
        return Some(Explanation::FirstLineOnly);
    }
    let rest_of_line = file_text[file.span.start..].lines().next().unwrap_or_default().trim_end();
    (rest_of_line.len() > source.len() && sent == rest_of_line).then_some(Explanation::CommentKept)
}

/// Is the entry the text form of a number, boolean or null?
fn stringified(file: &Node<'_>, source: &str, entry: &Node<'_>) -> Option<Explanation> {
    let sent = entry.as_str()?;
    let forms: &[&str] = match file.value {
        Value::Null => &["null", "None", "", "~"],
        Value::Bool(true) => &["true", "True"],
        Value::Bool(false) => &["false", "False"],
        Value::Number(_) => &[],
        _ => return None,
    };
    let json = file.to_json();
    let is_form = sent == source || sent == json || forms.contains(&sent);
    is_form.then_some(Explanation::Stringified)
}
