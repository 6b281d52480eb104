//! A small server for skills, without I/O: from an HTTP request to an HTTP reply.
//!
//! It speaks revision `2026-07-28` and the whole extension: `skills/list` with pages,
//! `skills/get`, `resources/list`, `resources/read` and `resources/directory/read`. The
//! demonstration servers are made of it. A [`Fault`] makes it break one rule on purpose.

mod answer;
mod fault;
mod skill;

pub use fault::Fault;
pub use skill::{File, Skill};

use crate::finding::quote;
use crate::json;
use crate::protocol::{
    HEADER_MISMATCH, HttpReply, HttpRequest, INVALID_PARAMS, METHOD_NOT_FOUND, PROTOCOL_VERSION,
    UNSUPPORTED_VERSION,
};
use crate::value::{Node, json_string};

/// JSON-RPC: the body is not JSON.
const PARSE_ERROR: i64 = -32700;

/// JSON-RPC: the body is not a request.
const INVALID_REQUEST: i64 = -32600;

/// A server and its skills.
///
/// ```
/// use skillglass::protocol::{Call, Client};
/// use skillglass::server::{File, SkillServer};
/// let files = [File::new("tidy/SKILL.md", b"---\nname: tidy\ndescription: Tidies up.\n---\n")];
/// let server = SkillServer::new("example", files);
/// let mut client = Client::new("http://localhost/").unwrap();
/// let request = client.request(&Call::ListSkills { cursor: None }).unwrap();
/// let reply = server.answer(&request);
/// assert_eq!(reply.status, 200);
/// ```
#[derive(Clone, Debug)]
pub struct SkillServer {
    name: String,
    instructions: Option<String>,
    skills: Vec<Skill>,
    page_size: usize,
    directory_read: bool,
}

impl SkillServer {
    /// A server for a tree of files. Each directory with a `SKILL.md` is a skill, at
    /// `skill://` and its path; a nested skill is one of its own and part of what encloses it.
    #[must_use]
    pub fn new(name: &str, files: impl IntoIterator<Item = File>) -> Self {
        Self {
            name: name.to_owned(),
            instructions: None,
            skills: skill::collect(files),
            page_size: 50,
            directory_read: true,
        }
    }

    /// Puts at most `size` entries on a page of `skills/list`, at least one.
    #[must_use]
    pub fn page_size(mut self, size: usize) -> Self {
        self.page_size = size.max(1);
        self
    }

    /// Says this to clients in `server/discover`.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.to_owned());
        self
    }

    /// Declares `directoryRead` or not.
    #[must_use]
    pub const fn directory_read(mut self, declared: bool) -> Self {
        self.directory_read = declared;
        self
    }

    /// Changes the skill at `path` (`acme/refunds`), if there is one.
    #[must_use]
    pub fn with_skill(mut self, path: &str, change: impl FnOnce(&mut Skill)) -> Self {
        if let Some(skill) = self.skills.iter_mut().find(|skill| skill.path == path) {
            change(skill);
        }
        self
    }

    /// The skills, in the order they are listed.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// Answers one request.
    #[must_use]
    pub fn answer(&self, request: &HttpRequest) -> HttpReply {
        let (status, body) = self.reply(request);
        HttpReply {
            status,
            content_type: Some("application/json".to_owned()),
            body: body.into_bytes(),
        }
    }

    fn reply(&self, request: &HttpRequest) -> (u16, String) {
        let Ok(document) = json::read(&request.body) else {
            return (400, error_reply("null", PARSE_ERROR, "the body is not JSON"));
        };
        let root = &document.root;
        let id = root.get("id").map_or_else(|| "null".to_owned(), Node::to_json);
        let Some(method) = root.get("method").and_then(Node::as_str) else {
            return (400, error_reply(&id, INVALID_REQUEST, "the body is not a request"));
        };
        if let Err((code, message)) = check_metadata(request, method, root.get("params")) {
            return (400, error_reply(&id, code, &message));
        }
        match self.result(method, root.get("params")) {
            Ok(result) => (200, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)),
            Err((code, message)) => {
                let status = if code == METHOD_NOT_FOUND { 404 } else { 200 };
                (status, error_reply(&id, code, &message))
            }
        }
    }
}

/// A JSON-RPC error: code and message.
type Failure = (i64, String);

fn error_reply(id: &str, code: i64, message: &str) -> String {
    let message = json_string(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// The headers and `_meta` that every request must carry, and that must agree.
fn check_metadata(
    request: &HttpRequest,
    method: &str,
    params: Option<&Node<'_>>,
) -> Result<(), Failure> {
    let version = params
        .and_then(|params| params.get("_meta"))
        .and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"))
        .and_then(Node::as_str)
        .ok_or_else(|| {
            (
                INVALID_PARAMS,
                "params._meta lacks io.modelcontextprotocol/protocolVersion".to_owned(),
            )
        })?;
    if version != PROTOCOL_VERSION {
        return Err((UNSUPPORTED_VERSION, format!("{} is not supported", quote(version))));
    }
    let must_equal = |header: &str, expected: &str| match request.header(header) {
        Some(value) if value == expected => Ok(()),
        found => Err((
            HEADER_MISMATCH,
            format!(
                "the header {header} is {}, the body says {}",
                quote(found.unwrap_or_default()),
                quote(expected)
            ),
        )),
    };
    must_equal("MCP-Protocol-Version", version)?;
    must_equal("Mcp-Method", method)
}
