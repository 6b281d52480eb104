//! Requests: the JSON-RPC body, the headers that mirror it, and the user's own headers.
//!
//! Source: *Streamable HTTP* of the base protocol at 2026-07-28.

use std::fmt;

use super::{Answered, Era, LEGACY_VERSION, METHOD_NOT_FOUND, PROTOCOL_VERSION, SERVER_ERROR};
use crate::contents::encode_base64;
use crate::value::{Node, json_string};

/// The longest header value that is sent, in bytes; servers cut connections at longer ones.
pub const MAX_HEADER_VALUE: usize = 8 * 1024;

/// Stands for the address of a server at the other end of a pipe.
const PIPE: &str = "stdio:";

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
    fn params(&self) -> Vec<(&'static str, &str)> {
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

/// A header: name and value.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the user entered it; its value is then never shown, logged or exported.
    pub secret: bool,
}

impl Header {
    fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into(), secret: false }
    }

    /// The value, or dots for a secret one.
    #[must_use]
    pub fn shown(&self) -> &str {
        if self.secret { super::log::redact::MASK } else { &self.value }
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.shown())
    }
}

/// An HTTP method this client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// Every message.
    Post,
    /// The end of a session, in the older eras.
    Delete,
    /// A question about the server itself, when a message does not come through.
    Get,
}

impl HttpMethod {
    /// The method's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Get => "GET",
        }
    }
}

/// A request as it goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: HttpMethod,
    /// The endpoint, exactly as the user gave it.
    pub url: String,
    /// All headers to set.
    pub headers: Vec<Header>,
    /// The JSON-RPC message; empty for a DELETE.
    pub body: String,
    /// The JSON-RPC method in the body; none in an answer to the server, and for a DELETE.
    pub rpc_method: Option<&'static str>,
    /// The id in the body. A message without one is not answered: its reply's status is all there
    /// is to see.
    pub id: Option<u64>,
}

impl HttpRequest {
    /// The value of a header, by case-insensitive name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}

/// An answer as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The value of `Content-Type`.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why an address is not one this client talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// Nothing was entered.
    Empty,
    /// It does not begin with `http://` or `https://`.
    Scheme,
    /// It names no host.
    Host,
    /// It holds a user name or a password.
    UserInfo,
    /// It has a fragment.
    Fragment,
    /// It holds white space or a control character.
    Character,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "Enter the address of an MCP server.",
            Self::Scheme => "An address begins with https:// or http://.",
            Self::Host => "The address names no host.",
            Self::UserInfo => {
                "Do not put a user name or password into the address; use a header instead."
            }
            Self::Fragment => "An address has no # part.",
            Self::Character => "The address holds a blank or a control character.",
        })
    }
}

impl std::error::Error for EndpointError {}

/// Why a request cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// A header's name is not a token.
    HeaderName(String),
    /// A header's value has characters that cannot be sent.
    HeaderValue(String),
    /// The URI is too long to be mirrored in a header.
    UriTooLong,
    /// A secret would travel unencrypted to another machine.
    SecretInTheOpen,
    /// The client sets this header itself.
    Reserved(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderName(name) => {
                write!(f, "{} is not a header name.", crate::finding::quote(name))
            }
            Self::HeaderValue(name) => write!(
                f,
                "The value of the header {name} has characters that cannot be sent."
            ),
            Self::UriTooLong => write!(
                f,
                "The URI is too long to be sent as a header ({MAX_HEADER_VALUE} bytes at most)."
            ),
            Self::SecretInTheOpen => f.write_str(
                "A token or header of yours would travel unencrypted. Use https, or a server on this machine.",
            ),
            Self::Reserved(name) => write!(f, "The header {name} is set by the protocol."),
        }
    }
}

impl std::error::Error for RequestError {}

/// Headers the protocol sets; a user's value would break it.
const RESERVED: [&str; 7] = [
    "accept",
    "content-type",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "last-event-id",
];

/// Makes the requests for one endpoint.
///
/// ```
/// use skillglass::protocol::{Call, Client};
/// let mut client = Client::new("https://mcp.example.com/mcp").unwrap();
/// let request = client.request(&Call::ReadResource { uri: "skill://a/日本.md".into() }).unwrap();
/// assert_eq!(request.header("mcp-method"), Some("resources/read"));
/// assert!(request.header("mcp-name").unwrap().starts_with("=?base64?"));
/// assert!(Client::new("mcp.example.com").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    endpoint: String,
    headers: Vec<Header>,
    next_id: u64,
    wire: Wire,
}

/// What a server turned out to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Revision 2026-07-28 and later: no handshake, metadata on every request.
    Modern {
        /// The revision.
        version: &'static str,
    },
    /// Revisions up to 2025-11-25: a handshake, and a session where the server wants one.
    Legacy {
        /// The revision that the handshake settled; none before it.
        version: Option<String>,
        /// The session's id, from the answer to `initialize` only.
        session: Option<String>,
    },
}

impl Wire {
    /// The era.
    #[must_use]
    pub const fn era(&self) -> Era {
        match self {
            Self::Modern { .. } => Era::Modern,
            Self::Legacy { .. } => Era::Legacy,
        }
    }

    /// Whether an answer says that the server has forgotten the session, as after a restart. A new
    /// handshake mends that; a second loss in a row has another reason.
    ///
    /// The protocol wants status 404. Servers wired by hand around the TypeScript SDK answer 400
    /// with the code -32000, as for any message to a session that was never opened.
    #[must_use]
    pub fn lost_session(&self, answered: &Answered) -> bool {
        let Self::Legacy { session: Some(_), .. } = self else { return false };
        let code = || answered.message().ok()?.outcome().err()?.code;
        match answered.status {
            404 => code() != Some(METHOD_NOT_FOUND),
            400 => code() == Some(SERVER_ERROR),
            _ => false,
        }
    }
}

impl Client {
    /// A client for the MCP endpoint at `endpoint`.
    ///
    /// # Errors
    /// See [`EndpointError`].
    pub fn new(endpoint: &str) -> Result<Self, EndpointError> {
        check_endpoint(endpoint)?;
        Ok(Self {
            endpoint: endpoint.to_owned(),
            headers: Vec::new(),
            next_id: 0,
            wire: Wire::Modern { version: PROTOCOL_VERSION },
        })
    }

    /// A client for a server at the other end of a pipe. Of its requests only the bodies are sent,
    /// see [`super::pipe`].
    #[must_use]
    pub fn over_pipe() -> Self {
        Self {
            endpoint: PIPE.to_owned(),
            headers: Vec::new(),
            next_id: 0,
            wire: Wire::Modern { version: PROTOCOL_VERSION },
        }
    }

    /// The endpoint's address.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Sends `Authorization: Bearer <token>` with every request.
    ///
    /// # Errors
    /// As [`Client::set_header`].
    pub fn set_bearer_token(&mut self, token: &str) -> Result<(), RequestError> {
        self.set_header("Authorization", &format!("Bearer {}", token.trim()))
    }

    /// Sends a header of the user's with every request. Its value counts as a secret.
    ///
    /// # Errors
    /// A name or value that cannot be sent, a header the protocol sets, or an unencrypted endpoint
    /// on another machine.
    pub fn set_header(&mut self, name: &str, value: &str) -> Result<(), RequestError> {
        if !is_token(name) {
            return Err(RequestError::HeaderName(name.to_owned()));
        }
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(RequestError::Reserved(name.to_owned()));
        }
        let sendable = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
        if !value.bytes().all(sendable) || value.len() > MAX_HEADER_VALUE {
            return Err(RequestError::HeaderValue(name.to_owned()));
        }
        if !is_private_channel(&self.endpoint) {
            return Err(RequestError::SecretInTheOpen);
        }
        self.headers.retain(|header| !header.name.eq_ignore_ascii_case(name));
        let value = value.trim().to_owned();
        self.headers.push(Header { name: name.to_owned(), value, secret: true });
        Ok(())
    }

    /// What the client speaks: the newest revision until told otherwise.
    #[must_use]
    pub const fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Speaks this from now on.
    pub fn set_wire(&mut self, wire: Wire) {
        self.wire = wire;
    }

    /// The request for `call`. Each has an id of its own.
    ///
    /// # Errors
    /// [`RequestError::UriTooLong`].
    pub fn request(&mut self, call: &Call) -> Result<HttpRequest, RequestError> {
        let mut headers = self.message_headers();
        if let Wire::Modern { .. } = self.wire {
            headers.push(Header::new("Mcp-Method", call.method()));
            if let Call::ReadResource { uri } = call {
                headers.push(Header::new("Mcp-Name", mirrored(uri)?));
            }
        }
        let id = self.next_id();
        let body = body(call, id, &self.wire);
        Ok(HttpRequest { id: Some(id), ..self.post(headers, body, Some(call.method())) })
    }

    /// `initialize`, which begins the handshake of the older eras. It carries no version header:
    /// servers refuse it with one.
    #[must_use]
    pub fn initialize(&mut self) -> HttpRequest {
        self.wire = Wire::Legacy { version: None, session: None };
        let id = self.next_id();
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{LEGACY_VERSION}","capabilities":{CAPABILITIES},"clientInfo":{}}}}}"#,
            client_info(),
        );
        let headers = self.message_headers();
        HttpRequest { id: Some(id), ..self.post(headers, body, Some("initialize")) }
    }

    /// `notifications/initialized`, which ends the handshake.
    #[must_use]
    pub fn initialized(&self) -> HttpRequest {
        self.notification("notifications/initialized", "")
    }

    /// `notifications/cancelled`, which tells a server of the older eras that nobody waits for the
    /// answer to `request` any more. Since 2026-07-28 the end of the connection says that, and
    /// `initialize` must not be cancelled.
    #[must_use]
    pub fn cancelled(&self, request: &HttpRequest) -> Option<HttpRequest> {
        let id = request.id.filter(|_| request.rpc_method != Some("initialize"))?;
        let params = format!(r#","params":{{"requestId":{id}}}"#);
        (self.wire.era() == Era::Legacy)
            .then(|| self.notification("notifications/cancelled", &params))
    }

    fn notification(&self, method: &'static str, params: &str) -> HttpRequest {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#);
        self.post(self.message_headers(), body, Some(method))
    }

    /// The answer to a request that a server of the older eras put on a stream. Since 2026-07-28
    /// servers may not ask, and are not answered.
    #[must_use]
    pub fn answer(&self, request: &ServerRequest) -> Option<HttpRequest> {
        (self.wire.era() == Era::Legacy)
            .then(|| self.post(self.message_headers(), request.answer(), None))
    }

    /// The end of the session, if there is one.
    #[must_use]
    pub fn end_session(&self) -> Option<HttpRequest> {
        let Wire::Legacy { session: Some(_), .. } = self.wire else { return None };
        let mut request = self.post(self.version_headers(), String::new(), None);
        request.method = HttpMethod::Delete;
        Some(request)
    }

    fn next_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    fn message_headers(&self) -> Vec<Header> {
        let mut headers = vec![
            Header::new("Content-Type", "application/json"),
            Header::new("Accept", "application/json, text/event-stream"),
        ];
        headers.extend(self.version_headers());
        headers
    }

    fn version_headers(&self) -> Vec<Header> {
        let (version, session) = match &self.wire {
            Wire::Modern { version } => (Some(*version), None),
            Wire::Legacy { version, session } => (version.as_deref(), session.as_ref()),
        };
        let version = version.map(|version| Header::new("MCP-Protocol-Version", version));
        let session = session.map(|session| Header::new("Mcp-Session-Id", session));
        version.into_iter().chain(session).collect()
    }

    fn post(
        &self,
        mut headers: Vec<Header>,
        body: String,
        rpc_method: Option<&'static str>,
    ) -> HttpRequest {
        headers.extend(self.headers.iter().cloned());
        let (method, url) = (HttpMethod::Post, self.endpoint.clone());
        HttpRequest { method, url, headers, body, rpc_method, id: None }
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

/// What this client declares: the extension, without settings.
const CAPABILITIES: &str = r#"{"extensions":{"io.modelcontextprotocol/skills":{}}}"#;

fn client_info() -> String {
    format!(r#"{{"name":"skillglass","version":{}}}"#, json_string(env!("CARGO_PKG_VERSION")))
}

/// The JSON-RPC request, with the metadata that the newest revision wants in each.
fn body(call: &Call, id: u64, wire: &Wire) -> String {
    let mut params = Vec::new();
    for (name, value) in call.params() {
        params.push(format!("{}:{}", json_string(name), json_string(value)));
    }
    if let Wire::Modern { version } = wire {
        params.push(format!(
            r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{CAPABILITIES}}}"#,
            client_info(),
        ));
    }
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{}","params":{{{}}}}}"#,
        call.method(),
        params.join(","),
    )
}

/// A body value as a header value: plain where it can be, else the protocol's base64 form.
///
/// A server decodes it and compares it with the body byte for byte, so nothing may be left to the
/// browser, which trims, re-encodes or refuses what is not plain ASCII.
fn mirrored(value: &str) -> Result<String, RequestError> {
    let plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && !value.is_empty()
        && value.trim() == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    let encoded = if plain {
        value.to_owned()
    } else {
        format!("=?base64?{}?=", encode_base64(value.as_bytes()))
    };
    if encoded.len() > MAX_HEADER_VALUE { Err(RequestError::UriTooLong) } else { Ok(encoded) }
}

fn check_endpoint(endpoint: &str) -> Result<(), EndpointError> {
    if endpoint.is_empty() {
        return Err(EndpointError::Empty);
    }
    if endpoint.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(EndpointError::Character);
    }
    let (_, rest) = split_scheme(endpoint).ok_or(EndpointError::Scheme)?;
    if endpoint.contains('#') {
        return Err(EndpointError::Fragment);
    }
    let authority = authority(rest);
    if authority.contains('@') {
        return Err(EndpointError::UserInfo);
    }
    if host(authority).is_empty() { Err(EndpointError::Host) } else { Ok(()) }
}

/// The lower-case scheme, if it is a web one, and what follows `://`.
pub(super) fn split_scheme(endpoint: &str) -> Option<(String, &str)> {
    let (scheme, rest) = endpoint.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https").then_some((scheme, rest))
}

pub(super) fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '\\']).next().unwrap_or_default()
}

pub(super) fn host(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether an address stays on this machine.
///
/// ```
/// assert!(skillglass::protocol::request::is_loopback("http://127.0.0.1:3000/mcp"));
/// assert!(!skillglass::protocol::request::is_loopback("http://localhost.example.com/mcp"));
/// ```
#[must_use]
pub fn is_loopback(endpoint: &str) -> bool {
    let Some((_, rest)) = split_scheme(endpoint) else { return false };
    let host = host(authority(rest)).to_ascii_lowercase();
    let numeric = host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    numeric || host == "localhost" || host.ends_with(".localhost") || host == "::1"
}

fn is_private_channel(endpoint: &str) -> bool {
    split_scheme(endpoint).is_some_and(|(scheme, _)| scheme == "https") || is_loopback(endpoint)
}

/// RFC 9110 token.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::protocol::{Reply, ReplyError};

    fn client() -> Client {
        Client::new("http://127.0.0.1:3000/mcp").unwrap()
    }

    #[test]
    fn requests_carry_the_protocols_metadata() {
        let mut client = client();
        let first = client.request(&Call::Discover).unwrap();
        let second = client.request(&Call::ListSkills { cursor: Some(String::new()) }).unwrap();
        assert_eq!((first.id, second.id), (Some(0), Some(1)));
        let document = json::read(&second.body).unwrap();
        let params = document.root.get("params").unwrap();
        assert_eq!(params.get("cursor").unwrap().as_str(), Some(""));
        let meta = params.get("_meta").unwrap();
        let version = meta.get("io.modelcontextprotocol/protocolVersion").unwrap();
        assert_eq!(version.as_str(), second.header("MCP-Protocol-Version"));
        assert_eq!(second.header("Mcp-Name"), None);
    }

    #[test]
    fn the_older_eras_have_a_session() {
        let mut client = client();
        let begin = client.initialize();
        assert_eq!(begin.header("MCP-Protocol-Version"), None);
        assert!(begin.body.contains("2025-11-25") && !begin.body.contains("2026"));
        assert_eq!(client.end_session(), None);
        let version = Some("2025-06-18".to_owned());
        client.set_wire(Wire::Legacy { version, session: Some("s1".into()) });
        let call = Call::ReadResource { uri: "skill://a/é".into() };
        let read = client.request(&call).unwrap();
        assert_eq!(read.header("MCP-Protocol-Version"), Some("2025-06-18"));
        assert_eq!(read.header("Mcp-Session-Id"), Some("s1"));
        assert_eq!((read.header("Mcp-Method"), read.header("Mcp-Name")), (None, None));
        assert!(!read.body.contains("_meta"));
        assert_eq!(client.initialized().id, None);
        let ping = ServerRequest { id: "\"p\"".into(), method: "ping".into() };
        let answer = client.answer(&ping).unwrap();
        assert_eq!(answer.body, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
        let roots = ServerRequest { id: "5".into(), method: "roots/list".into() };
        assert!(client.answer(&roots).unwrap().body.contains("-32601"));
        let cancelled = client.cancelled(&read).unwrap();
        assert_eq!(cancelled.header("Mcp-Session-Id"), Some("s1"));
        assert!(cancelled.body.ends_with(r#""params":{"requestId":1}}"#), "{}", cancelled.body);
        assert_eq!(client.cancelled(&begin), None);
        let end = client.end_session().unwrap();
        assert_eq!((end.method, end.header("Mcp-Session-Id")), (HttpMethod::Delete, Some("s1")));
    }

    #[test]
    fn a_lost_session_is_known_by_its_answers() {
        let error = |status, code: i64| {
            let text = format!(r#"{{"id":null,"error":{{"code":{code},"message":"m"}}}}"#);
            Answered::bare(status, Ok(Reply { status, text, id: None }))
        };
        let text = Answered::bare(
            404,
            Err(ReplyError::MediaType {
                status: 404,
                content_type: None,
                excerpt: "Not Found: Session not found".into(),
            }),
        );
        let version = || Some("2025-11-25".to_owned());
        let without = Wire::Legacy { version: version(), session: None };
        assert!(!without.lost_session(&text), "there is none to lose");
        let wire = Wire::Legacy { version: version(), session: Some("s1".to_owned()) };
        assert!(wire.lost_session(&text));
        assert!(wire.lost_session(&error(404, -32600)));
        assert!(wire.lost_session(&error(400, -32000)));
        assert!(!wire.lost_session(&error(404, METHOD_NOT_FOUND)));
        assert!(!wire.lost_session(&error(400, -32602)));
        assert!(!wire.lost_session(&error(200, -32000)));
    }

    #[test]
    fn names_are_encoded_only_where_they_must_be() {
        let name = |uri: &str| {
            let call = Call::ReadResource { uri: uri.to_owned() };
            client().request(&call).map(|request| request.header("Mcp-Name").unwrap().to_owned())
        };
        assert_eq!(name("skill://a/b%20c.md"), Ok("skill://a/b%20c.md".into()));
        assert_eq!(name("é"), Ok("=?base64?w6k=?=".into()));
        assert_eq!(name(" a"), Ok("=?base64?IGE=?=".into()));
        assert_eq!(name(""), Ok("=?base64??=".into()));
        assert_eq!(name("=?base64?x?="), Ok("=?base64?PT9iYXNlNjQ/eD89?=".into()));
        assert_eq!(name(&"x".repeat(20_000)), Err(RequestError::UriTooLong));
    }

    #[test]
    fn endpoints_are_web_addresses() {
        let check = |endpoint| Client::new(endpoint).err();
        assert_eq!(check("https://a.example/mcp?x=1"), None);
        assert_eq!(check("HTTP://[::1]:3000"), None);
        assert_eq!(check(""), Some(EndpointError::Empty));
        assert_eq!(check("a.example/mcp"), Some(EndpointError::Scheme));
        assert_eq!(check("javascript://x/"), Some(EndpointError::Scheme));
        assert_eq!(check("https://"), Some(EndpointError::Host));
        assert_eq!(check("https://u:p@a.example/"), Some(EndpointError::UserInfo));
        assert_eq!(check("https://a.example/#x"), Some(EndpointError::Fragment));
        assert_eq!(check("https://a.example/ b"), Some(EndpointError::Character));
    }

    #[test]
    fn secrets_stay_secret() {
        let mut local = client();
        local.set_bearer_token("s3cret").unwrap();
        let request = local.request(&Call::Discover).unwrap();
        assert_eq!(request.header("authorization"), Some("Bearer s3cret"));
        assert!(!format!("{request:?}").contains("s3cret"));
        let mut open = Client::new("http://a.example/").unwrap();
        assert_eq!(open.set_bearer_token("x"), Err(RequestError::SecretInTheOpen));
        assert_eq!(
            local.set_header("mcp-method", "x"),
            Err(RequestError::Reserved("mcp-method".into()))
        );
        assert_eq!(local.set_header("a b", "x"), Err(RequestError::HeaderName("a b".into())));
        assert_eq!(local.set_header("a", "x\r\ny"), Err(RequestError::HeaderValue("a".into())));
    }

    #[test]
    fn loopback_is_told_from_names_that_look_like_it() {
        for yes in
            ["http://localhost/", "http://127.9.9.9/", "https://[::1]/", "http://x.localhost:1/"]
        {
            assert!(is_loopback(yes), "{yes}");
        }
        for no in
            ["http://127.0.0.1.example.com/", "http://localhost@a.example/", "http://10.0.0.1/"]
        {
            assert!(!is_loopback(no), "{no}");
        }
    }
}
