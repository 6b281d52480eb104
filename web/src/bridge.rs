//! The bridge of `skillglass inspect`, where that program serves this page: servers that it reaches
//! in the page's place.

use std::sync::OnceLock;

use leptos::prelude::document;
use skillglass::json;
use skillglass::protocol::{Client, EndpointError, Header, HttpMethod, HttpRequest};
use skillglass::value::{Node, Value};

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

/// The servers behind the bridge; none where this page came from a plain web server.
pub(crate) fn servers() -> &'static [Bridged] {
    static SERVERS: OnceLock<Vec<Bridged>> = OnceLock::new();
    SERVERS.get_or_init(|| told().map(|told| read(&told)).unwrap_or_default())
}

/// The server behind the bridge that an endpoint means.
pub(crate) fn find(endpoint: &str) -> Option<&'static Bridged> {
    servers().iter().find(|server| server.endpoint() == endpoint)
}

/// What the program has written into this page.
fn told() -> Option<String> {
    let meta = document().query_selector("meta[name=skillglass-bridge]").ok()??;
    meta.get_attribute("content")
}

fn read(told: &str) -> Vec<Bridged> {
    let Ok(document) = json::read(told) else { return Vec::new() };
    let text =
        |node: &Node<'_>, name: &str| node.get(name).and_then(Node::as_str).map(str::to_owned);
    let token = text(&document.root, "token").unwrap_or_default();
    let servers = document.root.get("servers").and_then(Node::as_array).unwrap_or_default();
    let server = |(number, server): (usize, &Node<'_>)| {
        let is_program = server.get("program").is_some_and(|it| it.value == Value::Bool(true));
        let (name, what) = (text(server, "name")?, text(server, "what")?);
        Some(Bridged { name, what, is_program, number, token: token.clone() })
    };
    servers.iter().enumerate().filter_map(server).collect()
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
        let value = format!("Bearer {}", self.token);
        HttpRequest {
            method,
            url: self.url(path),
            headers: vec![Header { name: "Authorization".to_owned(), value, secret: true }],
            body: String::new(),
            rpc_method: None,
            id: None,
        }
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
        let servers = read(told);
        let endpoints: Vec<_> = servers.iter().map(Bridged::endpoint).collect();
        assert_eq!(endpoints, ["https://a.example/mcp", "bridge:tidy"]);
        assert!(servers[1].is_program && servers[1].number == 1 && servers[1].token == "t0");
        assert!(read("").is_empty() && read("{}").is_empty());
    }

    #[test]
    fn lines_have_their_numbers() {
        let said = read_said(r#"[{"number":3,"line":"ready"},{"line":"?"}]"#);
        assert_eq!(said, [Said { number: 3, line: "ready".to_owned() }]);
    }
}
