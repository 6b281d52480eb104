//! The bridge of `skillglass inspect`, where that program serves this page: servers that it reaches
//! in the page's place.

use std::cell::RefCell;
use std::sync::OnceLock;

use leptos::prelude::document;
use skillglass::json;
use skillglass::protocol::{Client, EndpointError, Header, HttpMethod, HttpRequest};
use skillglass::value::{Node, Value, json_string};

use crate::browser;

/// How an endpoint begins that means a server behind the bridge, by its name.
pub(crate) const BRIDGE: &str = "bridge:";

/// A server behind the bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bridged {
    /// What the user calls it.
    pub(crate) name: String,
    /// Its address, its program, or its folder.
    pub(crate) what: String,
    /// Whether it is a program, which writes to its standard error and can be started again.
    pub(crate) is_program: bool,
    number: usize,
    token: String,
}

/// What the program has told this page.
#[derive(Debug, Default)]
struct Bridge {
    /// None where this page came from a plain web server.
    token: Option<String>,
    servers: Vec<Bridged>,
}

thread_local! {
    /// The servers that were named in the page, the latest one last. They are as few as the user's
    /// clicks, and stay for as long as the page does.
    static NAMED: RefCell<Vec<&'static Bridged>> = const { RefCell::new(Vec::new()) };
}

fn bridge() -> &'static Bridge {
    static BRIDGE: OnceLock<Bridge> = OnceLock::new();
    BRIDGE.get_or_init(|| told().map(|told| read(&told)).unwrap_or_default())
}

/// Whether there is a bridge.
pub(crate) fn is_there() -> bool {
    bridge().token.is_some()
}

/// The servers behind the bridge that were named when it was built.
pub(crate) fn servers() -> &'static [Bridged] {
    &bridge().servers
}

/// The server behind the bridge that an endpoint means.
pub(crate) fn find(endpoint: &str) -> Option<&'static Bridged> {
    let is_it = |server: &&'static Bridged| server.endpoint() == endpoint;
    let named = NAMED.with_borrow(|named| named.iter().rev().copied().find(is_it));
    named.or_else(|| servers().iter().find(is_it))
}

/// Asks the bridge to lead to one more address, with the headers that the user gave for it. None
/// where there is no bridge.
pub(crate) fn ask_to_name(client: &Client) -> Option<HttpRequest> {
    let token = bridge().token.as_ref()?;
    let own = client.initialized().headers;
    let own = own.iter().filter(|header| header.secret);
    let pair =
        |header: &Header| format!("[{},{}]", json_string(&header.name), json_string(&header.value));
    let headers = own.map(pair).collect::<Vec<_>>().join(",");
    let url = json_string(client.endpoint());
    let mut request = request(token, HttpMethod::Post, format!("{}/bridge", browser::origin()));
    request.body = format!(r#"{{"url":{url},"headers":[{headers}]}}"#);
    Some(request)
}

/// Takes the answer to [`ask_to_name`]: the number under which the address is known now.
pub(crate) fn name(endpoint: &str, answer: &str) -> Option<&'static Bridged> {
    let (number, token) = (answer.parse().ok()?, bridge().token.clone()?);
    let (name, what) = (endpoint.to_owned(), endpoint.to_owned());
    let bridged = Bridged { name, what, is_program: false, number, token };
    let bridged: &'static Bridged = Box::leak(Box::new(bridged));
    NAMED.with_borrow_mut(|named| named.push(bridged));
    Some(bridged)
}

/// What the program has written into this page.
fn told() -> Option<String> {
    let meta = document().query_selector("meta[name=skillglass-bridge]").ok()??;
    meta.get_attribute("content")
}

fn read(told: &str) -> Bridge {
    let Ok(document) = json::read(told) else { return Bridge::default() };
    let text =
        |node: &Node<'_>, name: &str| node.get(name).and_then(Node::as_str).map(str::to_owned);
    let Some(token) = text(&document.root, "token") else { return Bridge::default() };
    let servers = document.root.get("servers").and_then(Node::as_array).unwrap_or_default();
    let server = |(number, server): (usize, &Node<'_>)| {
        let is_program = server.get("program").is_some_and(|it| it.value == Value::Bool(true));
        let (name, what) = (text(server, "name")?, text(server, "what")?);
        Some(Bridged { name, what, is_program, number, token: token.clone() })
    };
    let servers = servers.iter().enumerate().filter_map(server).collect();
    Bridge { token: Some(token), servers }
}

fn request(token: &str, method: HttpMethod, url: String) -> HttpRequest {
    let header =
        |name: &str, value: String, secret| Header { name: name.to_owned(), value, secret };
    HttpRequest {
        method,
        url,
        headers: vec![
            header("Authorization", format!("Bearer {token}"), true),
            header("Content-Type", "application/json".to_owned(), false),
        ],
        body: String::new(),
        rpc_method: None,
        id: None,
    }
}

impl Bridged {
    /// The endpoint by which the page knows it: its address, if that is also its name.
    pub(crate) fn endpoint(&self) -> String {
        if self.name == self.what && self.what.contains("://") {
            self.what.clone()
        } else {
            format!("{BRIDGE}{}", self.name)
        }
    }

    /// A client that talks to it over the bridge.
    pub(crate) fn client(&self) -> Result<Client, EndpointError> {
        let mut client = Client::new(&self.url(""))?;
        // The token is hexadecimal, and goes to this machine.
        let _ = client.set_bearer_token(&self.token);
        Ok(client)
    }

    /// Asks for what the program wrote to its standard error behind the line with this number.
    pub(crate) fn ask_what_was_said(&self, behind: u64) -> HttpRequest {
        self.request(HttpMethod::Get, &format!("/said/{behind}"))
    }

    /// Asks for the program to be started again.
    pub(crate) fn ask_to_restart(&self) -> HttpRequest {
        self.request(HttpMethod::Post, "/restart")
    }

    fn request(&self, method: HttpMethod, path: &str) -> HttpRequest {
        request(&self.token, method, self.url(path))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/bridge/{}{path}", browser::origin(), self.number)
    }
}

/// A line that a program wrote to its standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its text.
    pub(crate) line: String,
}

/// Reads the answer to [`Bridged::ask_what_was_said`].
pub(crate) fn read_said(body: &str) -> Vec<Said> {
    let Ok(document) = json::read(body) else { return Vec::new() };
    let said = |line: &Node<'_>| {
        let number = line.get("number")?.as_count()?;
        Some(Said { number, line: line.get("line")?.as_str()?.to_owned() })
    };
    document.root.as_array().unwrap_or_default().iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_wrote_is_read() {
        let told = r#"{"token":"t0","servers":[
            {"name":"https://a.example/mcp","what":"https://a.example/mcp","program":false},
            {"name":"tidy","what":"stdio:node","program":true}]}"#;
        let servers = read(told).servers;
        let endpoints: Vec<_> = servers.iter().map(Bridged::endpoint).collect();
        assert_eq!(endpoints, ["https://a.example/mcp", "bridge:tidy"]);
        assert!(servers[1].is_program && servers[1].number == 1 && servers[1].token == "t0");
        assert!(read("").token.is_none() && read("{}").token.is_none());
    }

    #[test]
    fn lines_have_their_numbers() {
        let said = read_said(r#"[{"number":3,"line":"ready"},{"line":"?"}]"#);
        assert_eq!(said, [Said { number: 3, line: "ready".to_owned() }]);
    }
}
