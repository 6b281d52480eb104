//! Messages to the server: which era they are of, what must be right about them, and the form of the
//! answer.
//!
//! Sources: *Streamable HTTP*, *stdio*, *Lifecycle* and *Versioning* of the base protocol, at
//! 2026-07-28 and before.

use super::SkillServer;
use crate::contents::decode_base64;
use crate::finding::quote;
use crate::json::{self, Document};
use crate::protocol::{
    Era, HEADER_MISMATCH, HttpReply, HttpRequest, INVALID_PARAMS, LEGACY_VERSION, LEGACY_VERSIONS,
    METHOD_NOT_FOUND, PROTOCOL_VERSION, UNSUPPORTED_VERSION,
};
use crate::value::{Node, Value, json_string};

/// JSON-RPC: the body is not JSON.
const PARSE_ERROR: i64 = -32700;

/// JSON-RPC: the body is not a request.
const INVALID_REQUEST: i64 = -32600;

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const VERSION_HEADER: &str = "MCP-Protocol-Version";

/// A message that has the form of one.
pub(super) struct Message<'a> {
    document: Document<'a>,
    /// The id as JSON; none for a notification.
    id: Option<String>,
    /// The method; none for an answer to a request that this server never makes.
    method: Option<String>,
}

/// Why a message is refused: a JSON-RPC error.
pub(super) struct Refusal {
    code: i64,
    message: String,
    /// Its `data` as JSON.
    data: Option<String>,
}

impl Refusal {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The error as an answer to the request `id`.
    fn body(&self, id: &str) -> String {
        let Self { code, message, data } = self;
        let message = json_string(message);
        let data = data.as_ref().map_or_else(String::new, |data| format!(r#","data":{data}"#));
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#
        )
    }

    /// The error as an answer to a message that could not be read.
    pub(super) fn http(&self) -> HttpReply {
        json_reply(400, self.body("null"))
    }
}

impl<'a> Message<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Refusal> {
        let document =
            json::read(text).map_err(|_| Refusal::new(PARSE_ERROR, "the body is not JSON"))?;
        let root = &document.root;
        let invalid = |message: &str| Refusal::new(INVALID_REQUEST, message);
        if root.as_object().is_none() {
            return Err(invalid("the body is not one message"));
        }
        let id = match root.get("id").map(|node| &node.value) {
            None => None,
            Some(Value::String(_)) => root.get("id").map(Node::to_json),
            Some(Value::Number(number)) if is_whole(number.text()) => {
                root.get("id").map(Node::to_json)
            }
            Some(_) => return Err(invalid("the id is neither a string nor a whole number")),
        };
        let method = root.get("method").and_then(Node::as_str).map(str::to_owned);
        let answers = root.get("result").or_else(|| root.get("error")).is_some();
        if method.is_none() && !(id.is_some() && answers) {
            return Err(invalid("the body is not a request"));
        }
        Ok(Self { document, id, method })
    }

    fn params(&self) -> Option<&Node<'a>> {
        self.document.root.get("params")
    }

    /// The revision in the metadata, which no older client sends.
    fn version(&self) -> Option<&str> {
        self.params()?.get("_meta")?.get(VERSION_KEY)?.as_str()
    }

    /// The method and the id of a request.
    fn request(&self) -> Option<(&str, &str)> {
        Some((self.method.as_deref()?, self.id.as_deref()?))
    }
}

impl SkillServer {
    /// Answers a request over HTTP of a client of any era. Only POST is for messages; other methods
    /// are answered with status 405.
    ///
    /// ```
    /// use skillglass::protocol::Client;
    /// use skillglass::server::SkillServer;
    /// let server = SkillServer::new("example", []);
    /// let reply = server.answer_http(&Client::new("http://localhost/").unwrap().initialize());
    /// assert_eq!(reply.status, 200);
    /// ```
    #[must_use]
    pub fn answer_http(&self, request: &HttpRequest) -> HttpReply {
        if let Some(refused) = refuse_media_types(request) {
            return refused;
        }
        let message = match Message::read(&request.body) {
            Ok(message) => message,
            Err(refused) => return refused.http(),
        };
        let header = request.header(VERSION_HEADER);
        // Any revision of this era or a later one, so that the answer names the one that is spoken.
        let modern = header.is_some_and(|version| version >= PROTOCOL_VERSION);
        if modern || message.version().is_some() || message.method.as_deref() == Some(DISCOVER) {
            return self.answer_modern(request, &message);
        }
        if let Some(unknown) = header.filter(|version| !LEGACY_VERSIONS.contains(version)) {
            return unsupported(unknown).http();
        }
        match self.answer_message(&message, Era::Legacy) {
            Some(Ok(body)) => json_reply(200, body),
            Some(Err((_, body))) => json_reply(200, body),
            None => accepted(),
        }
    }

    /// Answers a line that came over a pipe, with or without its line feed, from a client of any era;
    /// none where no answer is due.
    ///
    /// ```
    /// use skillglass::protocol::{Call, Client};
    /// use skillglass::server::SkillServer;
    /// let server = SkillServer::new("example", []);
    /// let request = Client::over_pipe().request(&Call::Discover).unwrap();
    /// assert!(server.answer_line(&request.body).unwrap().contains("2026-07-28"));
    /// assert_eq!(server.answer_line(&Client::over_pipe().initialized().body), None);
    /// ```
    #[must_use]
    pub fn answer_line(&self, line: &str) -> Option<String> {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(refused) => return Some(refused.body("null")),
        };
        let modern = message.version().is_some() || message.method.as_deref() == Some(DISCOVER);
        let era = if modern { Era::Modern } else { Era::Legacy };
        if let (Some((_, id)), Era::Modern) = (message.request(), era)
            && let Err(refused) = check_metadata(&message)
        {
            return Some(refused.body(id));
        }
        self.answer_message(&message, era).map(|(Ok(body) | Err((_, body)))| body)
    }

    /// Answers a message over HTTP by the rules of revision `2026-07-28`.
    pub(super) fn answer_modern(&self, request: &HttpRequest, message: &Message<'_>) -> HttpReply {
        if let Some((method, id)) = message.request() {
            let checked =
                check_metadata(message).and_then(|()| check_headers(request, message, method));
            if let Err(refused) = checked {
                return json_reply(400, refused.body(id));
            }
        }
        match self.answer_message(message, Era::Modern) {
            Some(Ok(body)) => json_reply(200, body),
            Some(Err((METHOD_NOT_FOUND, body))) => json_reply(404, body),
            Some(Err((_, body))) => json_reply(200, body),
            None => accepted(),
        }
    }

    /// The response to a message; none where it is no request. An error comes with its code.
    fn answer_message(
        &self,
        message: &Message<'_>,
        era: Era,
    ) -> Option<Result<String, (i64, String)>> {
        let (method, id) = message.request()?;
        Some(match self.result(method, message.params(), era) {
            Ok(result) => Ok(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)),
            Err(refused) => Err((refused.code, refused.body(id))),
        })
    }
}

/// The method that only clients since 2026-07-28 know.
pub(super) const DISCOVER: &str = "server/discover";

/// Refuses bodies that a web page could send without asking, and clients that take no JSON.
fn refuse_media_types(request: &HttpRequest) -> Option<HttpReply> {
    let essence =
        |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let sent = request.header("Content-Type").map(essence);
    if sent.as_deref() != Some("application/json") {
        return Some(text_reply(415, "send the message as application/json"));
    }
    let takes = |accepted: &str| {
        let mut kinds = accepted.split(',').map(essence);
        kinds.any(|kind| matches!(kind.as_str(), "application/json" | "application/*" | "*/*"))
    };
    let refuses = request.header("Accept").is_some_and(|accepted| !takes(accepted));
    refuses.then(|| text_reply(406, "answers are application/json"))
}

/// The metadata that every request must carry.
fn check_metadata(message: &Message<'_>) -> Result<(), Refusal> {
    let lacks = |key: &str| Refusal::new(INVALID_PARAMS, format!("params._meta lacks {key}"));
    let version = message.version().ok_or_else(|| lacks(VERSION_KEY))?;
    if version != PROTOCOL_VERSION {
        return Err(unsupported(version));
    }
    let meta = message.params().and_then(|params| params.get("_meta"));
    let capabilities = meta.and_then(|meta| meta.get(CAPABILITIES_KEY)).and_then(Node::as_object);
    capabilities.map(|_| ()).ok_or_else(|| lacks(CAPABILITIES_KEY))
}

/// The headers that mirror the body.
fn check_headers(
    request: &HttpRequest,
    message: &Message<'_>,
    method: &str,
) -> Result<(), Refusal> {
    let must_equal = |header: &str, expected: &str| match request.header(header) {
        Some(value) if value == expected => Ok(()),
        found => {
            let (found, expected) = (quote(found.unwrap_or_default()), quote(expected));
            let message = format!("the header {header} is {found}, the body says {expected}");
            Err(Refusal::new(HEADER_MISMATCH, message))
        }
    };
    must_equal(VERSION_HEADER, message.version().unwrap_or_default())?;
    must_equal("Mcp-Method", method)?;
    let uri = message.params().and_then(|params| params.get("uri")).and_then(Node::as_str);
    let Some(uri) = uri.filter(|_| method == "resources/read") else { return Ok(()) };
    let name = request.header("Mcp-Name").and_then(decoded);
    if name.as_deref() == Some(uri) {
        return Ok(());
    }
    let (found, expected) = (quote(&name.unwrap_or_default()), quote(uri));
    let message = format!("the header Mcp-Name stands for {found}, the body says {expected}");
    Err(Refusal::new(HEADER_MISMATCH, message))
}

/// What a header that mirrors the body stands for, plain or in the protocol's base64 form.
fn decoded(value: &str) -> Option<String> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(decode_base64(encoded)?).ok(),
        None => Some(value.to_owned()),
    }
}

/// Whether a JSON number is written as a whole one.
fn is_whole(number: &str) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn unsupported(version: &str) -> Refusal {
    let message = format!("{} is not supported", quote(version));
    let requested = json_string(version);
    let data = format!(r#"{{"supported":["{PROTOCOL_VERSION}"],"requested":{requested}}}"#);
    Refusal { code: UNSUPPORTED_VERSION, message, data: Some(data) }
}

/// The revision that a handshake settles on: the one that the client offers, if it is known.
pub(super) fn settled(params: Option<&Node<'_>>) -> &'static str {
    let offered = params.and_then(|params| params.get("protocolVersion")).and_then(Node::as_str);
    LEGACY_VERSIONS.into_iter().find(|known| offered == Some(known)).unwrap_or(LEGACY_VERSION)
}

fn json_reply(status: u16, body: String) -> HttpReply {
    let content_type = Some("application/json".to_owned());
    HttpReply { status, content_type, body: body.into_bytes() }
}

fn text_reply(status: u16, text: &str) -> HttpReply {
    HttpReply { status, content_type: Some("text/plain".to_owned()), body: text.into() }
}

fn accepted() -> HttpReply {
    HttpReply { status: 202, content_type: None, body: Vec::new() }
}
