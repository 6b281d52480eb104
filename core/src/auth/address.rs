//! Addresses that authorization may use: https anywhere, http on this machine only.
//!
//! Sources: *Communication Security* of the base protocol's authorization; RFC 8414 and RFC 9728,
//! section 3, for well-known addresses.

use std::fmt;

use crate::protocol::network::{ends_here, is_loopback};
use crate::protocol::{Client, EndpointError};
use crate::uri::decode_lossy;

/// The longest address that is used, in bytes.
pub const MAX_URL: usize = 4 * 1024;

/// An address that a token, a code or a person may be sent to. Its text stays as it was written.
///
/// ```
/// use skillglass::auth::{SecureUrl, UrlError};
/// let url = SecureUrl::parse("https://AS.example:443/tenant").unwrap();
/// assert_eq!(url.origin(), "https://as.example");
/// assert_eq!(url.as_str(), "https://AS.example:443/tenant");
/// assert_eq!(SecureUrl::parse("http://as.example/"), Err(UrlError::Insecure));
/// assert!(SecureUrl::parse("http://127.0.0.1:9000/").is_ok());
/// assert!(SecureUrl::parse("javascript:alert(1)").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecureUrl {
    text: String,
    /// Where the path begins, which may be empty.
    path: usize,
    /// Where the query begins, its `?` included, which may be empty.
    query: usize,
}

/// Why a text is not such an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlError {
    /// It is no web address without user name and fragment.
    Address(EndpointError),
    /// It is http, and leads to another machine.
    Insecure,
    /// It leads to this machine, though the one who names it is another.
    Loopback,
    /// It holds a character that a URL has to encode.
    Character,
    /// A path segment is `.` or `..`, plain or percent-encoded, so that readers differ over it.
    DotSegment,
    /// It is longer than [`MAX_URL`].
    TooLong,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Address(EndpointError::Empty) => "it is empty",
            Self::Address(EndpointError::Scheme) => "it does not begin with https://",
            Self::Address(EndpointError::Host) => "it names no host",
            Self::Address(EndpointError::UserInfo) => "it holds a user name or password",
            Self::Address(EndpointError::Fragment) => "it has a # part",
            Self::Address(_) => "it is no web address",
            Self::Insecure => "it is http, and what is sent there could be read on the way",
            Self::Loopback => "it leads to this machine, though another machine names it",
            Self::Character => "it holds a character that an address has to encode",
            Self::DotSegment => "it has a \".\" or \"..\" in its path",
            Self::TooLong => "it is longer than 4096 bytes",
        })
    }
}

impl std::error::Error for UrlError {}

impl SecureUrl {
    /// Reads an address that the user or the page names.
    ///
    /// # Errors
    /// All of [`UrlError`] but [`UrlError::Loopback`].
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.len() > MAX_URL {
            return Err(UrlError::TooLong);
        }
        Client::new(text).map_err(UrlError::Address)?;
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&byte);
        if !text.bytes().all(plain) {
            return Err(UrlError::Character);
        }
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("https") && !is_loopback(text) {
            return Err(UrlError::Insecure);
        }
        let path = text.len() - rest.len() + rest.find(['/', '?']).unwrap_or(rest.len());
        let query = text.find('?').unwrap_or(text.len());
        let dots = |segment: &str| matches!(decode_lossy(segment).as_str(), "." | "..");
        if text[path..query].split('/').any(dots) {
            return Err(UrlError::DotSegment);
        }
        Ok(Self { text: text.to_owned(), path, query })
    }

    /// Reads an address that stands in a document from `self`. Only this machine may name itself;
    /// otherwise any server could have the page call what runs here.
    ///
    /// # Errors
    /// See [`UrlError`].
    pub fn names(&self, text: &str) -> Result<Self, UrlError> {
        let named = Self::parse(text)?;
        let allowed = !ends_here(text) || self.is_loopback();
        if allowed { Ok(named) } else { Err(UrlError::Loopback) }
    }

    /// The exact text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Scheme, host and port, in the form in which equal origins are equal texts.
    #[must_use]
    pub fn origin(&self) -> String {
        let base = self.base().to_ascii_lowercase();
        let default_port = if base.starts_with("https:") { ":443" } else { ":80" };
        base.strip_suffix(default_port).unwrap_or(&base).to_owned()
    }

    /// Whether it leads to this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.text)
    }

    /// Whether it is https.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.text.get(..8).is_some_and(|head| head.eq_ignore_ascii_case("https://"))
    }

    /// Everything in front of the path, as written.
    pub(super) fn base(&self) -> &str {
        &self.text[..self.path]
    }

    /// The path, as written; empty where it is the root.
    pub(super) fn path(&self) -> &str {
        match &self.text[self.path..self.query] {
            "/" => "",
            path => path,
        }
    }

    /// The query with its `?`, or nothing.
    pub(super) fn query(&self) -> &str {
        &self.text[self.query..]
    }

    /// Whether, as a resource, it stands for the MCP server at `endpoint`: it is that address, or
    /// a path above it on the same origin.
    ///
    /// ```
    /// use skillglass::auth::SecureUrl;
    /// let endpoint = SecureUrl::parse("https://a.example/team/mcp").unwrap();
    /// let covers = |resource| SecureUrl::parse(resource).unwrap().covers(&endpoint);
    /// assert!(covers("https://a.example/team"));
    /// assert!(!covers("https://a.example/te"));
    /// assert!(!covers("https://b.example/team"));
    /// ```
    #[must_use]
    pub fn covers(&self, endpoint: &Self) -> bool {
        let above = self.path().strip_suffix('/').unwrap_or(self.path());
        let below = endpoint.path().strip_prefix(above);
        let same_or_above = match self.query() {
            "" => below.is_some_and(|below| below.is_empty() || below.starts_with('/')),
            query => self.path() == endpoint.path() && query == endpoint.query(),
        };
        same_or_above && self.origin() == endpoint.origin()
    }

    /// The well-known address `suffix` with this one's path and query behind it.
    pub(super) fn well_known(&self, suffix: &str) -> String {
        format!("{}/.well-known/{suffix}{}{}", self.base(), self.path(), self.query())
    }

    /// The well-known address `suffix` of the whole origin.
    pub(super) fn well_known_root(&self, suffix: &str) -> String {
        format!("{}/.well-known/{suffix}", self.base())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> SecureUrl {
        SecureUrl::parse(text).unwrap()
    }

    #[test]
    fn only_safe_addresses_pass() {
        let error = |text: &str| SecureUrl::parse(text).unwrap_err();
        assert_eq!(error("http://a.example/"), UrlError::Insecure);
        assert_eq!(error("http://127.0.0.1.evil.example/"), UrlError::Insecure);
        for scheme in ["javascript:alert(1)", "data:,x", "file:///x", "ftp://a/", "//a.example/"] {
            assert_eq!(error(scheme), UrlError::Address(EndpointError::Scheme), "{scheme}");
        }
        assert_eq!(error("https://u@a.example/"), UrlError::Address(EndpointError::UserInfo));
        assert_eq!(error("https://a.example/#x"), UrlError::Address(EndpointError::Fragment));
        assert_eq!(error("https://a.example\\@b.example/"), UrlError::Character);
        assert_eq!(error("https://ü.example/"), UrlError::Character);
        assert_eq!(error("https://a.example/x/../y"), UrlError::DotSegment);
        assert_eq!(error("https://a.example/%2E%2e"), UrlError::DotSegment);
        assert_eq!(error(&format!("https://a.example/{}", "x".repeat(5000))), UrlError::TooLong);
        assert!(SecureUrl::parse("HTTP://[::1]:80").is_ok());
    }

    #[test]
    fn only_this_machine_names_itself() {
        let remote = url("https://a.example/");
        assert_eq!(remote.names("http://localhost:1/"), Err(UrlError::Loopback));
        for here in ["127.0.0.1", "127.1", "0x7f000001", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]"] {
            assert_eq!(
                remote.names(&format!("https://{here}/")),
                Err(UrlError::Loopback),
                "{here}"
            );
        }
        assert!(url("http://127.0.0.1:2/").names("http://localhost:1/").is_ok());
        assert!(url("http://127.0.0.1:2/").names("https://b.example").is_ok());
    }

    #[test]
    fn origins_are_compared_in_one_form() {
        assert_eq!(url("HTTPS://A.example:443/x").origin(), url("https://a.example").origin());
        assert_eq!(url("http://localhost:80").origin(), "http://localhost");
        assert_ne!(url("https://a.example:80").origin(), url("https://a.example").origin());
        assert_eq!(url("https://[2001:db8::443]").origin(), "https://[2001:db8::443]");
    }

    #[test]
    fn a_resource_covers_what_lies_below_it() {
        let covers = |resource: &str, endpoint: &str| url(resource).covers(&url(endpoint));
        assert!(covers("https://a.example", "https://a.example/mcp?x=1"));
        assert!(covers("https://a.example/", "https://A.example:443/mcp"));
        assert!(covers("https://a.example/mcp/", "https://a.example/mcp"));
        assert!(covers("https://a.example/mcp?x=1", "https://a.example/mcp?x=1"));
        assert!(!covers("https://a.example/mcp?x=1", "https://a.example/mcp?x=2"));
        assert!(!covers("https://a.example/mcp?x=1", "https://a.example/mcp/y?x=1"));
        assert!(!covers("https://a.example/mc", "https://a.example/mcp"));
        assert!(!covers("https://a.example/mcp/x", "https://a.example/mcp"));
        assert!(!covers("https://a.example:8443", "https://a.example/mcp"));
    }

    #[test]
    fn well_known_addresses_keep_path_and_query() {
        let known = |text: &str| url(text).well_known("x");
        assert_eq!(known("https://a.example/mcp?y"), "https://a.example/.well-known/x/mcp?y");
        assert_eq!(known("https://a.example/"), "https://a.example/.well-known/x");
        assert_eq!(known("https://a.example?y"), "https://a.example/.well-known/x?y");
    }
}
