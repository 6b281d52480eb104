//! What `skillglass/protocol` and `skillglass/host` both have: what a server declares, what an
//! approval is worth, the children of a directory, parameters of requests.

use serde::Serialize;
use skillglass::finding::Finding;
use skillglass::host::{ApprovalDiff, ApprovalState};
use skillglass::protocol::directory::Child;
use skillglass::protocol::results::Discovery;

use crate::answer::OK;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Discovered<'a> {
    kind: &'static str,
    name: Option<&'a str>,
    version: Option<&'a str>,
    instructions: Option<&'a str>,
    protocol_versions: &'a [String],
    skills: bool,
    directory_read: bool,
    findings: &'a [Finding],
}

impl<'a> Discovered<'a> {
    pub(crate) fn of(discovery: &'a Discovery) -> Self {
        Self {
            kind: OK,
            name: discovery.name.as_deref(),
            version: discovery.version.as_deref(),
            instructions: discovery.instructions.as_deref(),
            protocol_versions: &discovery.versions,
            skills: discovery.skills,
            directory_read: discovery.directory_read,
            findings: &discovery.findings,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DirectoryChild<'a> {
    uri: &'a str,
    name: Option<&'a str>,
    mime_type: Option<&'a str>,
}

impl<'a> DirectoryChild<'a> {
    pub(crate) fn all(children: &'a [Child]) -> Vec<Self> {
        let child = |child: &'a Child| Self {
            uri: &child.uri,
            name: child.name.as_deref(),
            mime_type: child.mime_type.as_deref(),
        };
        children.iter().map(child).collect()
    }
}

/// The `params` of a request; a first page's are without a cursor.
#[derive(Serialize)]
pub(crate) struct Params {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct ApprovalAnswer {
    pub(crate) state: &'static str,
    message: Option<String>,
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
}

impl ApprovalAnswer {
    pub(crate) fn of(state: ApprovalState) -> Self {
        let (state, diff) = match state {
            ApprovalState::None => ("none", None),
            ApprovalState::Covers => ("covers", None),
            ApprovalState::NotBindable => ("not-bindable", None),
            ApprovalState::Revoked(diff) => ("revoked", Some(diff)),
        };
        let message = diff.as_ref().map(ApprovalDiff::summary);
        let ApprovalDiff { added, removed, changed } = diff.unwrap_or_default();
        Self { state, message, added, removed, changed }
    }
}
