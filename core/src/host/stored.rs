//! Reading back what a host keeps over restarts. Storage can be tampered with, so its text is
//! read as strictly as a server's.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::origin::{OriginLabel, SkillId};
use super::request::PermissionRequest;
use crate::digest::Digest;
use crate::json::{self, Document, JsonError};
use crate::value::{Member, Node};

/// Why a stored text is not what it should be. It is then to be thrown away, never repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredError {
    /// It is not JSON.
    Json(JsonError),
    /// It holds what readers of JSON understand in different ways, such as a repeated member.
    Ambiguous,
    /// This member is missing or wrong.
    Member(&'static str),
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Ambiguous => f.write_str("the text can be read in more than one way"),
            Self::Member(name) => write!(f, "the member {name} is missing or wrong"),
        }
    }
}

impl std::error::Error for StoredError {}

/// What is kept, as JSON. All of it can be written: every name is a string.
pub(super) fn to_json(kept: &impl Serialize) -> String {
    // The words of an error that never comes would be kilobytes.
    serde_json::to_string(kept).unwrap_or_default()
}

pub(super) fn document(text: &str) -> Result<Document<'_>, StoredError> {
    let document = json::read(text).map_err(StoredError::Json)?;
    if document.oddities.is_empty() { Ok(document) } else { Err(StoredError::Ambiguous) }
}

pub(super) fn string<'n>(node: &'n Node<'_>, name: &'static str) -> Result<&'n str, StoredError> {
    node.get(name).and_then(Node::as_str).ok_or(StoredError::Member(name))
}

pub(super) fn skill(node: &Node<'_>) -> Result<SkillId, StoredError> {
    const NAME: &str = "skill";
    let skill = node.get(NAME).ok_or(StoredError::Member(NAME))?;
    let origin = OriginLabel::new(string(skill, "origin")?);
    let origin = origin.map_err(|_| StoredError::Member("origin"))?;
    SkillId::new(&origin, string(skill, "uri")?).map_err(|_| StoredError::Member("uri"))
}

/// What was granted, of which the skill has to be able to ask for each.
pub(super) fn granted(
    node: &Node<'_>,
    can_ask: impl Fn(&PermissionRequest) -> bool,
) -> Result<BTreeSet<PermissionRequest>, StoredError> {
    const NAME: &str = "granted";
    let mut granted = BTreeSet::new();
    for request in list(node, NAME)? {
        let request = PermissionRequest::read(request)?;
        if !can_ask(&request) {
            return Err(StoredError::Member(NAME));
        }
        granted.insert(request);
    }
    Ok(granted)
}

pub(super) fn list<'n, 't>(
    node: &'n Node<'t>,
    name: &'static str,
) -> Result<&'n [Node<'t>], StoredError> {
    node.get(name).and_then(Node::as_array).ok_or(StoredError::Member(name))
}

pub(super) fn members<'n, 't>(
    node: &'n Node<'t>,
    name: &'static str,
) -> Result<&'n [Member<'t>], StoredError> {
    node.get(name).and_then(Node::as_object).ok_or(StoredError::Member(name))
}

pub(super) fn digest(node: &Node<'_>, member: &'static str) -> Result<Digest, StoredError> {
    let digest = node.as_str().and_then(|text| text.parse().ok());
    digest.ok_or(StoredError::Member(member))
}
