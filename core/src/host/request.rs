//! What a skill asks a host for: tools, hooks, servers, permissions, variables, execution.
//!
//! Source: the extension's *Security Considerations*. A request is shown to a person and honoured
//! only where that person granted it for that very skill. Nothing here grants anything.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::stored::{self, StoredError};
use crate::entry::SkillEntry;
use crate::finding::quote;
use crate::value::Node;

/// What a [`PermissionRequest`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// `allowed-tools`: one tool, to be used without asking.
    Tool,
    /// `hooks`: commands that run at certain events.
    Hooks,
    /// `mcpServers`: servers to connect to.
    McpServers,
    /// `permissions`: rules about what may be done.
    Permissions,
    /// `env`: environment variables.
    Env,
    /// The execution of one of the skill's files.
    Run,
}

impl RequestKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Tool, Self::Hooks, Self::McpServers, Self::Permissions, Self::Env, Self::Run];

    /// The kinds whose request is the whole value of a frontmatter field, with that field.
    const FIELDS: [(Self, &str); 4] = [
        (Self::Hooks, "hooks"),
        (Self::McpServers, "mcpServers"),
        (Self::Permissions, "permissions"),
        (Self::Env, "env"),
    ];

    /// The name it has in stored text, as it is serialised.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Hooks => "hooks",
            Self::McpServers => "mcp-servers",
            Self::Permissions => "permissions",
            Self::Env => "env",
            Self::Run => "run",
        }
    }
}

/// One thing a skill asks for.
///
/// ```
/// use skillglass::{entry, host::{PermissionRequest, RequestKind, permission_requests}};
/// let entry = entry::read(r#"{"uri":"skill://tidy/SKILL.md","resources":"dynamic","frontmatter":
///   {"name":"tidy","description":"Tidies up.","allowed-tools":"Read Bash(git add *)"}}"#);
/// let requests = permission_requests(&entry.entry.unwrap());
/// let ask = |text: &str| PermissionRequest { kind: RequestKind::Tool, text: text.into() };
/// assert!(requests.contains(&ask("Bash(git add *)")));
/// assert!(!requests.contains(&ask("Bash")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PermissionRequest {
    /// What it is about.
    pub kind: RequestKind,
    /// The tool, the field's value as JSON, or the file's URI: exact, as the server sent it.
    pub text: String,
}

impl PermissionRequest {
    /// The request to execute the file `uri`.
    #[must_use]
    pub fn run(uri: &str) -> Self {
        Self { kind: RequestKind::Run, text: uri.to_owned() }
    }

    pub(super) fn read(node: &Node<'_>) -> Result<Self, StoredError> {
        let id = stored::string(node, "kind")?;
        let kind = RequestKind::ALL.into_iter().find(|kind| kind.id() == id);
        let kind = kind.ok_or(StoredError::Member("kind"))?;
        Ok(Self { kind, text: stored::string(node, "text")?.to_owned() })
    }
}

impl fmt::Display for PermissionRequest {
    /// For a person: bounded, hidden characters escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = quote(&self.text);
        match self.kind {
            RequestKind::Tool => write!(f, "use the tool {text} without asking"),
            RequestKind::Hooks => write!(f, "run hooks: {text}"),
            RequestKind::McpServers => write!(f, "connect to servers: {text}"),
            RequestKind::Permissions => write!(f, "set permissions: {text}"),
            RequestKind::Env => write!(f, "set environment variables: {text}"),
            RequestKind::Run => write!(f, "execute {text}"),
        }
    }
}

/// Everything the entry's frontmatter asks for. The execution of files is asked for at other times,
/// see [`PermissionRequest::run`].
///
/// ```
/// use skillglass::{entry, host::{RequestKind, permission_requests}};
/// let kinds = |fields: &str| -> Vec<_> {
///     let entry = entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md","resources":"dynamic",
///       "frontmatter":{{"name":"a","description":"b"{fields}}}}}"#)).entry.unwrap();
///     permission_requests(&entry).into_iter().map(|request| request.kind).collect()
/// };
/// assert_eq!(kinds(r#","license":"MIT""#), []);
/// assert_eq!(kinds(r#","allowed-tools":"Read","hooks":{}"#), [RequestKind::Tool, RequestKind::Hooks]);
/// ```
#[must_use]
pub fn permission_requests(entry: &SkillEntry) -> BTreeSet<PermissionRequest> {
    let frontmatter = &entry.frontmatter;
    let tools = frontmatter.get("allowed-tools").map(tools).unwrap_or_default();
    let tools = tools.into_iter().map(|text| PermissionRequest { kind: RequestKind::Tool, text });
    let fields = RequestKind::FIELDS.into_iter().filter_map(|(kind, field)| {
        Some(PermissionRequest { kind, text: frontmatter.get(field)?.to_json() })
    });
    let mut requests = BTreeSet::new();
    requests.extend(tools.chain(fields));
    requests
}

/// Whether the skill of `entry` can ask for `request` at all.
pub(super) fn can_ask(entry: &SkillEntry, request: &PermissionRequest) -> bool {
    match (request.kind, entry.manifest()) {
        (RequestKind::Run, Some(manifest)) => manifest.get(&request.text).is_some(),
        (RequestKind::Run, None) => entry.skill_uri().file_path(&request.text).is_ok(),
        _ => permission_requests(entry).contains(request),
    }
}

/// The tools of an `allowed-tools`. The format wants one string; lists are met in the wild.
fn tools(node: &Node<'_>) -> Vec<String> {
    if let Some(text) = node.as_str() {
        return split_tools(text);
    }
    match node.as_array() {
        Some(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_json(), str::to_owned))
            .collect(),
        None => vec![node.to_json()],
    }
}

/// Splits at blanks, but not inside of parentheses: `Bash(git add *)` is one tool, and a person
/// asked about `add` alone would not know what it means.
fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let outer_blank = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    };
    text.split(outer_blank).filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;

    fn requests(fields: &str) -> Vec<String> {
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","resources":"dynamic","frontmatter":{{"name":"a","description":"b"{fields}}}}}"#
        );
        let entry = entry::read(&text).entry.unwrap();
        permission_requests(&entry)
            .iter()
            .map(|it| format!("{} {}", it.kind.id(), it.text))
            .collect()
    }

    #[test]
    fn every_powerful_field_is_a_request() {
        assert_eq!(requests(""), Vec::<String>::new());
        assert_eq!(
            requests(r#","allowed-tools":" Read  Bash(git add *) Read ","license":"MIT""#),
            ["tool Bash(git add *)", "tool Read"]
        );
        assert_eq!(requests(r#","allowed-tools":["A b",5]"#), ["tool 5", "tool A b"]);
        assert_eq!(requests(r#","allowed-tools":true"#), ["tool true"]);
        let fields = r#","hooks":{"stop":"x"},"mcpServers":[],"permissions":null,"env":{"A":"b"}"#;
        assert_eq!(
            requests(fields),
            [r#"hooks {"stop":"x"}"#, "mcp-servers []", "permissions null", r#"env {"A":"b"}"#]
        );
    }

    #[test]
    fn unbalanced_parentheses_are_kept_whole() {
        assert_eq!(split_tools("A(b c"), ["A(b c"]);
        assert_eq!(split_tools("A) b"), ["A)", "b"]);
    }

    #[test]
    fn a_stored_kind_is_read_back() {
        for kind in RequestKind::ALL {
            let request = PermissionRequest { kind, text: "é\n\"".to_owned() };
            let text = serde_json::to_string(&request).unwrap();
            let document = stored::document(&text).unwrap();
            assert_eq!(PermissionRequest::read(&document.root), Ok(request));
        }
    }
}
