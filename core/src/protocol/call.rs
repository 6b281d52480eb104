//! What is asked: by this client of a server, and by a server of its client.

use super::METHOD_NOT_FOUND;
use crate::value::Node;

/// A question to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `server/discover`: what the server is and declares.
    Discover,
    /// `skills/list`: one page of entries.
    ListSkills {
        /// The cursor of the page before; none for the first page. `""` is a cursor.
        cursor: Option<String>,
    },
    /// `skills/get`: the entry of one skill.
    GetSkill {
        /// The URI of its `SKILL.md`.
        uri: String,
    },
    /// `resources/read`: one file.
    ReadResource {
        /// The file's URI, spelled as the entry spells it.
        uri: String,
    },
    /// `resources/list`: one page of resources.
    ListResources {
        /// The cursor of the page before.
        cursor: Option<String>,
    },
    /// `resources/directory/read`: one page of a directory's direct children.
    ReadDirectory {
        /// The directory's URI, without a slash at the end.
        uri: String,
        /// The cursor of the page before.
        cursor: Option<String>,
    },
    /// A method without the parameters it wants, or one that does not exist: to see how a server
    /// refuses it.
    Probe {
        /// The method.
        method: &'static str,
    },
}

impl Call {
    /// The JSON-RPC method.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::ListSkills { .. } => "skills/list",
            Self::GetSkill { .. } => "skills/get",
            Self::ReadResource { .. } => "resources/read",
            Self::ListResources { .. } => "resources/list",
            Self::ReadDirectory { .. } => "resources/directory/read",
            Self::Probe { method } => method,
        }
    }

    /// What the call is about, for people: the URI or the cursor.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Discover | Self::Probe { .. } => None,
            Self::GetSkill { uri } | Self::ReadResource { uri } => Some(uri),
            Self::ReadDirectory { uri, .. } => Some(uri),
            Self::ListSkills { cursor } | Self::ListResources { cursor } => cursor.as_deref(),
        }
    }

    /// The members of `params` besides `_meta`.
    pub(super) fn params(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Discover | Self::Probe { .. } => vec![],
            Self::ListSkills { cursor } | Self::ListResources { cursor } => {
                cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect()
            }
            Self::GetSkill { uri } | Self::ReadResource { uri } => vec![("uri", uri)],
            Self::ReadDirectory { uri, cursor } => {
                let cursor = cursor.iter().map(|cursor| ("cursor", cursor.as_str()));
                std::iter::once(("uri", uri.as_str())).chain(cursor).collect()
            }
        }
    }
}

/// A request that a server put on the stream of another request's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRequest {
    /// Its id, as JSON text.
    pub id: String,
    /// Its method.
    pub method: String,
}

impl ServerRequest {
    /// The request in a message, if it is one.
    pub(super) fn read(message: &Node<'_>) -> Option<Self> {
        let (method, id) = (message.get("method")?.as_str()?, message.get("id")?);
        Some(Self { id: id.to_json(), method: method.to_owned() })
    }

    /// The JSON-RPC message that answers it: an empty result for `ping`, else that the method does
    /// not exist here.
    #[must_use]
    pub fn answer(&self) -> String {
        let outcome = if self.method == "ping" {
            r#""result":{}"#.to_owned()
        } else {
            format!(
                r#""error":{{"code":{METHOD_NOT_FOUND},"message":"not offered by this client"}}"#
            )
        };
        format!(r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#, self.id)
    }
}
