//! Which web pages may talk to a server on this machine.
//!
//! A browser lets every page send requests to this machine. Two headers tell: `Host` is another one
//! where a name was pointed here (DNS rebinding), `Origin` names the page.
//!
//! Source: *Security* in *Streamable HTTP* of the base protocol.

use std::fmt;

use crate::finding::quote;
use crate::protocol::endpoint::Address;
use crate::protocol::network::is_loopback;

/// What lets requests in.
///
/// ```
/// use skillglass::server::{Gate, Refused};
/// let gate = Gate::new().host("mcp.example.com")?.origin("https://page.example")?;
/// assert!(gate.admit(Some("127.0.0.1:3000"), None).is_ok());
/// assert!(gate.admit(Some("mcp.example.com"), Some("https://page.example")).is_ok());
/// assert_eq!(gate.admit(Some("evil.example:3000"), None), Err(Refused::Host("evil.example:3000".into())));
/// assert!(gate.admit(Some("localhost"), Some("https://evil.example")).is_err());
/// assert!(Gate::new().origin("page.example").is_err());
/// # Ok::<_, skillglass::server::Misnomer>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    loopback_pages: bool,
}

/// Why a request is not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was sent to a name that is not this server's.
    Host(String),
    /// The page that sent it may not.
    Origin(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host) => write!(f, "this server is not called {}", quote(host)),
            Self::Origin(origin) => write!(f, "pages of {} may not ask here", quote(origin)),
        }
    }
}

impl std::error::Error for Refused {}

/// A text that does not name what it should, so that it would let nobody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misnomer {
    /// It is no host.
    Host(String),
    /// It is no origin of web pages.
    Origin(String),
}

impl fmt::Display for Misnomer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(text) => write!(
                f,
                "{} is no host: give a name and maybe a port, such as mcp.example.com.",
                quote(text)
            ),
            Self::Origin(text) => write!(
                f,
                "{} is no origin: give a scheme, a host and maybe a port, such as https://page.example.",
                quote(text)
            ),
        }
    }
}

impl std::error::Error for Misnomer {}

impl Gate {
    /// Lets in what is sent to a name of this machine, and no web page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets in what is sent to another name, too: with its port, or without for every port.
    ///
    /// # Errors
    /// [`Misnomer::Host`].
    pub fn host(mut self, host: &str) -> Result<Self, Misnomer> {
        if !is_authority(host) {
            return Err(Misnomer::Host(host.to_owned()));
        }
        self.hosts.push(host.to_ascii_lowercase());
        Ok(self)
    }

    /// Lets the pages of an origin in, such as `https://page.example`.
    ///
    /// # Errors
    /// [`Misnomer::Origin`].
    pub fn origin(mut self, origin: &str) -> Result<Self, Misnomer> {
        let bare = without_default_port(origin.strip_suffix('/').unwrap_or(origin));
        // Pages of programs have schemes of their own.
        let is_origin = bare.split_once("://").is_some_and(|(scheme, rest)| {
            let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            !scheme.is_empty() && scheme.chars().all(is_scheme) && is_authority(rest)
        });
        if !is_origin {
            return Err(Misnomer::Origin(origin.to_owned()));
        }
        self.origins.push(bare.to_ascii_lowercase());
        Ok(self)
    }

    /// Lets in all pages that are served by this machine.
    #[must_use]
    pub const fn loopback_pages(mut self) -> Self {
        self.loopback_pages = true;
        self
    }

    /// Whether a request comes in, by its headers `Host` and `Origin`. A request without an origin
    /// is none of a page's.
    ///
    /// # Errors
    /// See [`Refused`]; to be answered with status 403.
    pub fn admit(&self, host: Option<&str>, origin: Option<&str>) -> Result<(), Refused> {
        let host = host.unwrap_or_default();
        if !self.is_ours(host) {
            return Err(Refused::Host(host.to_owned()));
        }
        match origin.filter(|origin| !self.may_ask(origin)) {
            Some(origin) => Err(Refused::Origin(origin.to_owned())),
            None => Ok(()),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let named =
            |name: &String| *name == host || host.strip_prefix(name.as_str()).is_some_and(is_port);
        is_loopback(&format!("http://{host}")) || self.hosts.iter().any(named)
    }

    fn may_ask(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        self.origins.contains(&origin) || (self.loopback_pages && is_loopback(&origin))
    }
}

/// An origin as browsers send it: without the port that its scheme has anyway.
fn without_default_port(origin: &str) -> &str {
    let port = if origin.starts_with("https:") { ":443" } else { ":80" };
    origin.strip_suffix(port).unwrap_or(origin)
}

/// Whether a text is a host, with or without a port, and nothing else.
fn is_authority(text: &str) -> bool {
    // What browsers send has neither.
    text.is_ascii()
        && !text.contains('*')
        && !text.ends_with(':')
        && Address::read(&format!("http://{text}")).is_ok_and(|address| address.authority == text)
}

/// Whether a text is `:` and a port.
fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// The headers that let a page of `origin` read an answer, errors included.
#[must_use]
pub fn readable(origin: &str) -> [(&'static str, String); 3] {
    [
        ("Access-Control-Allow-Origin", origin.to_owned()),
        (
            "Access-Control-Expose-Headers",
            "Mcp-Session-Id, WWW-Authenticate, Retry-After".to_owned(),
        ),
        ("Vary", "Origin".to_owned()),
    ]
}

/// The headers that answer a browser's question whether a page of `origin` may send a message.
#[must_use]
pub fn preflight(origin: &str) -> Vec<(&'static str, String)> {
    let allowed = "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";
    let mut headers = readable(origin).to_vec();
    headers.extend([
        ("Access-Control-Allow-Methods", "POST".to_owned()),
        ("Access-Control-Allow-Headers", allowed.to_owned()),
        ("Access-Control-Max-Age", "7200".to_owned()),
    ]);
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_ours() {
        let gate = Gate::new().host("Skills.Example").unwrap();
        let ours = |host: &str| gate.admit(Some(host), None).is_ok();
        for host in ["localhost", "127.0.0.1:1", "[::1]:3000", "LOCALHOST:8", "skills.example:443"]
        {
            assert!(ours(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "localhost@evil.example",
            "skills.example.evil.example",
            "skills.example:443.evil.example",
            "evil-skills.example",
            "0.0.0.0",
            "10.0.0.1",
        ] {
            assert!(!ours(host), "{host}");
        }
        assert!(gate.admit(None, None).is_err());
    }

    #[test]
    fn what_names_nobody_is_no_name() {
        for host in [
            "",
            "https://a.example",
            "a.example/",
            "a b",
            "u@a.example",
            "a:99999",
            "a:b",
            "a:",
            "*.a.example",
            "é.example",
        ] {
            assert_eq!(Gate::new().host(host).unwrap_err(), Misnomer::Host(host.into()));
        }
        for host in ["a.example", "a.example:80", "[::1]:3000", "10.0.0.1"] {
            assert!(Gate::new().host(host).is_ok(), "{host}");
        }
        for origin in [
            "",
            "junk",
            "*",
            "null",
            "://a",
            "https://",
            "https://a/b",
            "https://u@a",
            "https://*.a.example",
        ] {
            assert_eq!(Gate::new().origin(origin).unwrap_err(), Misnomer::Origin(origin.into()));
        }
        for origin in ["https://a.example", "http://a:1/", "vscode-webview://1f3a"] {
            assert!(Gate::new().origin(origin).is_ok(), "{origin}");
        }
        for (named, sent) in [("https://a:443", "https://a"), ("http://a:80/", "http://a")] {
            let gate = Gate::new().origin(named).unwrap();
            assert!(gate.admit(Some("localhost"), Some(sent)).is_ok(), "{named}");
        }
    }

    #[test]
    fn only_named_pages_may_ask() {
        let asks = |gate: &Gate, origin: &str| gate.admit(Some("localhost"), Some(origin)).is_ok();
        let named = Gate::new().origin("https://page.example/").unwrap();
        assert!(asks(&named, "https://page.example") && asks(&named, "https://PAGE.example"));
        for origin in [
            "null",
            "",
            "http://page.example",
            "https://page.example:444",
            "https://page.example.evil.example",
            "http://127.0.0.1:8787",
        ] {
            assert!(!asks(&named, origin), "{origin}");
        }
        let local = Gate::new().loopback_pages();
        assert!(asks(&local, "http://127.0.0.1:8787") && asks(&local, "http://localhost"));
        for origin in ["null", "http://localhost.evil.example", "http://10.0.0.1", "file://"] {
            assert!(!asks(&local, origin), "{origin}");
        }
    }
}
