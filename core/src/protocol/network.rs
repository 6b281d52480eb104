//! Where an address leads, as far as its text says.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::endpoint::Address;

/// The network an address leads to. Browsers guard the nearer ones against pages from further off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// This machine.
    Loopback,
    /// The network that this machine is in. To call the address that stands for none, `0.0.0.0`, is
    /// to call this machine, but nobody is known by that name.
    Local,
    /// Anywhere else; a name may still lead to a nearer one.
    Public,
}

impl Network {
    /// The network that a web address or an origin leads to.
    ///
    /// ```
    /// use skillglass::protocol::network::Network;
    /// assert_eq!(Network::of("http://localhost:3000/mcp"), Network::Loopback);
    /// assert_eq!(Network::of("http://192.168.1.7/mcp"), Network::Local);
    /// assert_eq!(Network::of("https://mcp.example.com/mcp"), Network::Public);
    /// ```
    #[must_use]
    pub fn of(address: &str) -> Self {
        let host = host_of(address).to_ascii_lowercase();
        // A name may end with the root's dot.
        let host = host.strip_suffix('.').unwrap_or(&host);
        match ip_of(host) {
            Some(ip) if ip.is_loopback() => Self::Loopback,
            Some(ip) if is_local(ip) => Self::Local,
            Some(_) => Self::Public,
            None if host == "localhost" || host.ends_with(".localhost") => Self::Loopback,
            None if host.ends_with(".local") => Self::Local,
            None => Self::Public,
        }
    }
}

/// Whether an address stays on this machine.
///
/// ```
/// use skillglass::protocol::network::is_loopback;
/// assert!(is_loopback("http://127.0.0.1:3000/mcp"));
/// assert!(!is_loopback("http://localhost.example.com/mcp"));
/// ```
#[must_use]
pub fn is_loopback(address: &str) -> bool {
    Network::of(address) == Network::Loopback
}

/// Whether a call of an address ends on this machine, whatever it is known by.
pub(crate) fn ends_here(address: &str) -> bool {
    is_loopback(address) || ip_of(host_of(address)).is_some_and(|ip| ip.is_unspecified())
}

/// How many requests to one server are worth having under way at a time, by the protocol that
/// carries them, as `PerformanceResourceTiming.nextHopProtocol` names it: as many as browsers have
/// connections to one host, and more where all share one.
///
/// ```
/// use skillglass::protocol::network::parallel_requests;
/// assert_eq!(parallel_requests("http/1.1"), 6);
/// assert_eq!(parallel_requests("h2"), 24);
/// assert_eq!(parallel_requests(""), 6); // the server does not let the page know
/// ```
#[must_use]
pub fn parallel_requests(next_hop: &str) -> usize {
    if matches!(next_hop, "h2" | "h3") { 24 } else { 6 }
}

/// The IP address that a host is, as browsers read it.
fn ip_of(host: &str) -> Option<IpAddr> {
    match host.parse::<Ipv6Addr>() {
        Ok(address) => Some(address.to_canonical()),
        Err(_) => ipv4_of(host).map(IpAddr::V4),
    }
}

/// One to four numbers, of which the last fills what is left: `127.1` and `0x7f000001` are
/// 127.0.0.1. Source: *IPv4 parser* of the URL standard.
fn ipv4_of(host: &str) -> Option<Ipv4Addr> {
    let numbers = host.split('.').map(number).collect::<Option<Vec<_>>>()?;
    let (last, first) = numbers.split_last()?;
    let left = 4_usize.checked_sub(first.len()).filter(|left| *left > 0)?;
    let fits = *last < 1_u64 << (8 * left) && first.iter().all(|part| *part < 256);
    let front = first.iter().fold(0, |front, part| (front << 8) | part);
    u32::try_from((front << (8 * left)) | last).ok().filter(|_| fits).map(Ipv4Addr::from)
}

/// A decimal, hexadecimal (`0x`) or octal (`0`) number.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(""), _) | (_, Some("")) => return Some(0),
        (Some(hexadecimal), _) => (hexadecimal, 16),
        (_, Some(octal)) => (octal, 8),
        _ => (text, 10),
    };
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    u64::from_str_radix(digits, radix).ok().filter(|number| is_plain && *number <= u32::MAX.into())
}

fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_private() || address.is_link_local() || address.is_unspecified()
        }
        IpAddr::V6(address) => {
            address.is_unique_local() || address.is_unicast_link_local() || address.is_unspecified()
        }
    }
}

/// The host of a web address, without a port and without the brackets of IPv6; empty where there
/// is none.
pub(crate) fn host_of(address: &str) -> &str {
    Address::read(address).map_or("", |address| address.host)
}

/// The host of a web address with its port, as the header `Host` has it; empty where there is none.
pub(crate) fn authority_of(address: &str) -> &str {
    Address::read(address).map_or("", |address| address.authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_told_by_their_addresses() {
        for local in [
            "http://10.1.2.3/",
            "http://172.31.0.1",
            "http://0xc0a80107/",
            "http://[fd00::1]:1/",
            "http://[fe80::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://printer.LOCAL",
            "http://0.0.0.0/",
            "http://[::]:80/",
        ] {
            assert_eq!(Network::of(local), Network::Local, "{local}");
        }
        for public in
            ["http://172.32.0.1/", "https://10.example/", "http://[2001:db8::1]/", "x", "null", ""]
        {
            assert_eq!(Network::of(public), Network::Public, "{public}");
        }
    }

    #[test]
    fn calls_of_no_address_end_here() {
        for yes in ["http://0/", "http://0.0.0.0:80/", "http://[::]/", "http://localhost"] {
            assert!(ends_here(yes), "{yes}");
        }
        assert!(!ends_here("http://10.0.0.1/") && !ends_here("http://0.0.0.1/"));
    }

    #[test]
    fn loopback_is_told_from_what_looks_like_it() {
        for yes in [
            "http://localhost/",
            "http://LOCALHOST.:3000/",
            "http://x.localhost:1/",
            "http://127.9.9.9/",
            "http://127.1/",
            "http://0x7F.0.0.1:80/",
            "http://2130706433/",
            "http://0177.0.0.01/",
            "https://[::1]/",
            "http://[0:0:0:0:0:0:0:1]:3000/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(is_loopback(yes), "{yes}");
        }
        for no in [
            "http://127.0.0.1.example.com/",
            "http://[::1].evil.example/",
            "http://127.0.0.1:80@evil.example/",
            "http://localhost@a.example/",
            "http://evil.example#.localhost",
            "http://evil.example\\.localhost",
            "http://10.0.0.1/",
            "http://127.0.0.1.1/",
            "http://127.0.0.256/",
            "http://256.1/",
            "http://4294967296/",
            "http://127.0.0.+1/",
            "http://127..1/",
            "ftp://localhost/",
        ] {
            assert!(!is_loopback(no), "{no}");
        }
    }
}
