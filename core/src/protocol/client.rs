//! Makes requests: the JSON-RPC body, the headers that mirror it, and the user's own headers.
//!
//! Source: *Streamable HTTP* of the base protocol at 2026-07-28.

use std::fmt;

use super::endpoint::{Address, EndpointError};
use super::http::{MAX_HEADER_VALUE, is_token};
use super::log::redact::Secrets;
use super::network::is_loopback;
use super::{
    Call, Era, Header, HttpMethod, HttpRequest, LEGACY_VERSION, PROTOCOL_VERSION, ServerRequest,
    Wire,
};
use crate::contents::encode_base64;
use crate::value::json_string;

/// Stands for the address of a server at the other end of a pipe.
const PIPE: &str = "stdio:";

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
            // It may be a secret in the wrong place.
            Self::HeaderName(_) => {
                f.write_str("A header has no name, or one with a blank or another sign that no name has.")
            }
            Self::HeaderValue(name) => write!(
                f,
                "The value of the header {name} is too long, or has line breaks, control characters or characters beyond ASCII."
            ),
            Self::UriTooLong => write!(
                f,
                "The URI is too long to be sent as a header ({MAX_HEADER_VALUE} bytes at most)."
            ),
            Self::SecretInTheOpen => f.write_str(
                "A token or header of yours would travel unencrypted. Use https, or a server on this machine.",
            ),
            Self::Reserved(name) => write!(f, "The header {name} is set by the protocol or the connection."),
        }
    }
}

impl std::error::Error for RequestError {}

/// Headers the protocol sets, or the connection; a user's value would break it.
const RESERVED: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
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

impl Client {
    /// A client for the MCP endpoint at `endpoint`.
    ///
    /// # Errors
    /// See [`EndpointError`].
    pub fn new(endpoint: &str) -> Result<Self, EndpointError> {
        Address::read(endpoint)?;
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
        // As of a variable that was read from a file.
        let value = value.trim();
        let sendable = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
        if !value.bytes().all(sendable) || value.len() > MAX_HEADER_VALUE {
            return Err(RequestError::HeaderValue(name.to_owned()));
        }
        if !is_private_channel(&self.endpoint) {
            return Err(RequestError::SecretInTheOpen);
        }
        self.headers.retain(|header| !header.name.eq_ignore_ascii_case(name));
        self.headers.push(Header { name: name.to_owned(), value: value.to_owned(), secret: true });
        Ok(())
    }

    /// What it sends that nobody else may read, to be masked in what a server says.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        Secrets::of(&self.headers, &self.endpoint)
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
    /// answer to `request` any more. Since 2026-07-28 the end of the connection says that, over a pipe
    /// [`pipe::cancelled`](super::pipe::cancelled) in every era; `initialize` must not be cancelled.
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

/// Whether nobody on the way can read along.
fn is_private_channel(endpoint: &str) -> bool {
    Address::read(endpoint).is_ok_and(|address| address.is_https) || is_loopback(endpoint)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

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
        let misplaced = local.set_header("Authorization=Bearer s3cret", "x").unwrap_err();
        assert!(!misplaced.to_string().contains("s3cret"), "{misplaced}");
        assert!(matches!(local.set_header("", "x"), Err(RequestError::HeaderName(_))));
        for value in ["x\r\ny", "é", &"x".repeat(9_000)] {
            assert_eq!(local.set_header("a", value), Err(RequestError::HeaderValue("a".into())));
        }
        local.set_header("a", "x\n").unwrap();
        assert_eq!(local.initialized().header("a"), Some("x"));
    }
}
