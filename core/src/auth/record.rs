//! Members of a JSON object, read strictly: no repetition, no other type, no unbounded text.

use std::fmt;

use super::UrlError;
use crate::host::StoredError;
use crate::json;
use crate::value::{Member, Node, Value, json_string};

/// The longest text that is taken from a document, in bytes.
const MAX_TEXT: usize = 8 * 1024;

/// The longest list that is taken from a document.
const MAX_LIST: usize = 1_000;

/// What is wrong with one member of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberError {
    /// The member's name.
    pub name: &'static str,
    /// What is wrong with it.
    pub problem: MemberProblem,
}

/// The kinds of [`MemberError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberProblem {
    /// It is missing or `null`.
    Missing,
    /// It occurs twice, and readers differ over which one counts.
    Repeated,
    /// It should be this.
    Type(&'static str),
    /// It is longer than anything sensible.
    TooLong,
    /// It is no address that may be used.
    Url(UrlError),
}

impl fmt::Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its member {} ", self.name)?;
        match self.problem {
            MemberProblem::Missing => f.write_str("is missing"),
            MemberProblem::Repeated => f.write_str("occurs more than once"),
            MemberProblem::Type(expected) => write!(f, "is not {expected}"),
            MemberProblem::TooLong => f.write_str("is too long"),
            MemberProblem::Url(error) => write!(f, "is an address that cannot be used: {error}"),
        }
    }
}

impl std::error::Error for MemberError {}

impl MemberError {
    pub(super) fn expected(name: &'static str, expected: &'static str) -> Self {
        Self { name, problem: MemberProblem::Type(expected) }
    }

    pub(super) fn url(name: &'static str, error: UrlError) -> Self {
        Self { name, problem: MemberProblem::Url(error) }
    }
}

/// A JSON object.
pub(super) struct Record<'d>(&'d [Member<'d>]);

impl<'d> Record<'d> {
    /// The object that `node` is.
    pub(super) fn of(node: &'d Node<'d>) -> Option<Self> {
        node.as_object().map(Self)
    }

    /// Whether it has no members but these.
    pub(super) fn has_only(&self, names: &[&str]) -> bool {
        self.0.iter().all(|member| names.contains(&member.name.as_ref()))
    }

    /// A member; none where it is missing or `null`.
    pub(super) fn member(&self, name: &'static str) -> Result<Option<&'d Node<'d>>, MemberError> {
        let mut members = self.0.iter().filter(|member| member.name == name);
        let first = members.next();
        if members.next().is_some() {
            return Err(MemberError { name, problem: MemberProblem::Repeated });
        }
        let node = first.map(|member| &member.node);
        Ok(node.filter(|node| node.kind() != "null"))
    }

    /// A string.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<&'d str>, MemberError> {
        self.member(name)?.map(|node| short_text(node, name, "a string")).transpose()
    }

    /// A string that must be there.
    pub(super) fn needed_text(&self, name: &'static str) -> Result<&'d str, MemberError> {
        needed(name, self.text(name)?)
    }

    /// An array of strings.
    pub(super) fn texts(&self, name: &'static str) -> Result<Option<Vec<&'d str>>, MemberError> {
        const EXPECTED: &str = "an array of strings";
        let Some(node) = self.member(name)? else { return Ok(None) };
        let items = node.as_array().ok_or(MemberError::expected(name, EXPECTED))?;
        if items.len() > MAX_LIST {
            return Err(MemberError { name, problem: MemberProblem::TooLong });
        }
        items
            .iter()
            .map(|item| short_text(item, name, EXPECTED))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A boolean, `false` where it is missing.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, MemberError> {
        match self.member(name)?.map(|node| &node.value) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(MemberError::expected(name, "true or false")),
        }
    }

    /// A whole number that is not negative; a string of digits passes as well, as some servers
    /// write seconds.
    pub(super) fn count(&self, name: &'static str) -> Result<Option<u64>, MemberError> {
        let Some(node) = self.member(name)? else { return Ok(None) };
        let count = node.as_count().or_else(|| node.as_str()?.parse().ok());
        count.map(Some).ok_or(MemberError::expected(name, "a number of seconds"))
    }
}

pub(super) fn needed<T>(name: &'static str, value: Option<T>) -> Result<T, MemberError> {
    value.ok_or(MemberError { name, problem: MemberProblem::Missing })
}

/// Reads an object that this client stored: these members, and nothing that readers understand in
/// different ways.
pub(super) fn read_stored<T>(
    text: &str,
    names: &[&str],
    read: impl FnOnce(&Record<'_>) -> Result<T, MemberError>,
) -> Result<T, StoredError> {
    let document = json::read(text).map_err(StoredError::Json)?;
    let record = Record::of(&document.root).filter(|record| record.has_only(names));
    let record = record.filter(|_| document.oddities.is_empty()).ok_or(StoredError::Ambiguous)?;
    read(&record).map_err(|error| StoredError::Member(error.name))
}

/// Writes an object that [`read_stored`] reads: names, and values as JSON.
pub(super) fn write_stored(members: &[(&str, String)]) -> String {
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("{}:{value}", json_string(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn short_text<'d>(
    node: &'d Node<'d>,
    name: &'static str,
    expected: &'static str,
) -> Result<&'d str, MemberError> {
    let text = node.as_str().ok_or(MemberError::expected(name, expected))?;
    if text.len() > MAX_TEXT {
        return Err(MemberError { name, problem: MemberProblem::TooLong });
    }
    Ok(text)
}
