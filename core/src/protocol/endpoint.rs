//! Addresses of servers: which of them this client talks to, and the parts that decide something.
//!
//! An address is sent exactly as it was entered. Browsers read many more spellings than are taken
//! here; whatever two readers could take for different hosts is refused.

use std::fmt;
use std::net::Ipv6Addr;

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
    /// What follows the host is no port.
    Port,
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
            Self::Port => {
                "What follows the colon behind the host is no port; ports go up to 65535."
            }
            Self::UserInfo => {
                "Do not put a user name or password into the address; use a header instead."
            }
            Self::Fragment => "An address has no # part.",
            Self::Character => "The address holds a blank or a control character.",
        })
    }
}

impl std::error::Error for EndpointError {}

/// The parts of a web address or an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    pub(crate) is_https: bool,
    /// The host with its port, as the header `Host` has it.
    pub(crate) authority: &'a str,
    /// The host, without the brackets of IPv6.
    pub(crate) host: &'a str,
    /// The port, where one is named.
    pub(crate) port: Option<u16>,
}

impl<'a> Address<'a> {
    pub(crate) fn read(text: &'a str) -> Result<Self, EndpointError> {
        if text.is_empty() {
            return Err(EndpointError::Empty);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(EndpointError::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(EndpointError::Scheme)?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return Err(EndpointError::Scheme);
        }
        if text.contains('#') {
            return Err(EndpointError::Fragment);
        }
        let authority = rest.split(['/', '?', '\\']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(EndpointError::UserInfo);
        }
        let (host, port) = host_and_port(authority)?;
        Ok(Self { is_https, authority, host, port })
    }
}

fn host_and_port(authority: &str) -> Result<(&str, Option<u16>), EndpointError> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed
            .split_once(']')
            .filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok())
            .ok_or(EndpointError::Host)?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    // Browsers decode a host before they look it up.
    if host.is_empty() || host.contains('%') {
        return Err(EndpointError::Host);
    }
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok((host, None)),
        None => Err(EndpointError::Host),
        Some("") => Ok((host, None)),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            port.parse().map(|port| (host, Some(port))).map_err(|_| EndpointError::Port)
        }
        Some(_) => Err(EndpointError::Port),
    }
}

/// Whether an address may hold a secret, and so is neither to be kept nor passed on: a query, a
/// fragment, a user name, or a part of the path that looks as if it had been drawn at random. Takes
/// any text; cost: its length.
///
/// ```
/// use skillglass::protocol::endpoint::may_hold_secret;
/// assert!(!may_hold_secret("https://mcp.example.com/team-7/mcp"));
/// assert!(may_hold_secret("https://mcp.example.com/mcp?key=x"));
/// assert!(may_hold_secret("https://mcp.example.com/s/9f86d081884c7d659a2f/mcp"));
/// ```
#[must_use]
pub fn may_hold_secret(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest).split('/').skip(1);
    address.contains(['?', '#', '@']) || path.into_iter().any(looks_random)
}

/// Digits among many letters, as keys have them and words do not.
fn looks_random(segment: &str) -> bool {
    let has = |part: &str, kind: fn(&char) -> bool| part.chars().any(|c| kind(&c));
    let mixes =
        |part: &str| has(part, char::is_ascii_digit) && has(part, char::is_ascii_alphabetic);
    let is_long_mix = segment
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| part.len() >= 16 && mixes(part));
    let is_base64 = segment.len() >= 20
        && has(segment, char::is_ascii_digit)
        && has(segment, char::is_ascii_uppercase)
        && has(segment, char::is_ascii_lowercase);
    let lengths = segment.split('-').map(str::len);
    let is_uuid =
        lengths.eq([8, 4, 4, 4, 12]) && segment.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    is_long_mix || is_base64 || is_uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_web_addresses() {
        let refusal = |text| Address::read(text).err();
        assert_eq!(refusal("https://a.example/mcp?x=1"), None);
        assert_eq!(refusal("HTTP://[::1]:3000"), None);
        assert_eq!(refusal("http://a.example:/"), None);
        assert_eq!(refusal(""), Some(EndpointError::Empty));
        assert_eq!(refusal("a.example/mcp"), Some(EndpointError::Scheme));
        assert_eq!(refusal("javascript://x/"), Some(EndpointError::Scheme));
        assert_eq!(refusal("https://u:p@a.example/"), Some(EndpointError::UserInfo));
        assert_eq!(refusal("https://a.example/#x"), Some(EndpointError::Fragment));
        assert_eq!(refusal("https://a.example/ b"), Some(EndpointError::Character));
        for no_host in [
            "https://",
            "https:///a.example",
            "http://::1/",
            "http://[::1/",
            "http://[::1].evil.example/",
            "http://[localhost]/",
            "http://%6cocalhost/",
        ] {
            assert_eq!(refusal(no_host), Some(EndpointError::Host), "{no_host}");
        }
        for no_port in ["http://a.example:65536/", "http://a.example:+80/", "http://a:80:90/"] {
            assert_eq!(refusal(no_port), Some(EndpointError::Port), "{no_port}");
        }
    }

    #[test]
    fn the_parts_are_found() {
        let read = |text| {
            let Address { is_https, authority, host, port } = Address::read(text).unwrap();
            (is_https, authority, host, port)
        };
        assert_eq!(read("http://[::1]:3000/mcp"), (false, "[::1]:3000", "::1", Some(3000)));
        let whole = read("https://mcp.example:8443\\mcp?x@y");
        assert_eq!(whole, (true, "mcp.example:8443", "mcp.example", Some(8443)));
        assert_eq!(read("HTTPS://a?b:1"), (true, "a", "a", None));
    }

    #[test]
    fn addresses_that_may_hold_a_secret_are_known() {
        for address in [
            "https://a.example/mcp",
            "https://a.example/team-7/production-server-2026/mcp",
            "https://0123456789abcdef0123.example/mcp",
            "http://127.0.0.1:3000/mcp/",
            "https://a.example",
            "",
        ] {
            assert!(!may_hold_secret(address), "{address}");
        }
        for address in [
            "https://a.example/mcp?",
            "https://a.example/mcp?key=x",
            "https://me:pw@a.example/mcp",
            "https://a.example/#x",
            "https://a.example/s/ZjI2MzUx-NzctNGE5_Yi1h/mcp",
            "https://a.example/550e8400-e29b-41d4-a716-446655440000",
            "https://a.example/0123456789abcdef/mcp",
        ] {
            assert!(may_hold_secret(address), "{address}");
        }
    }
}
