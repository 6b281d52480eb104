//! Where an address leads, as far as its text says.

use std::net::{IpAddr, Ipv6Addr};

use super::request::{authority, host, is_loopback, split_scheme};

/// The network an address leads to. Browsers guard the nearer ones against pages from further off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// This machine.
    Loopback,
    /// The network that this machine is in.
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
        let host = host_of(address);
        if is_loopback(address) {
            Self::Loopback
        } else if host.parse().is_ok_and(is_local) || host.to_ascii_lowercase().ends_with(".local")
        {
            Self::Local
        } else {
            Self::Public
        }
    }
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

fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || is_link_local(address),
    }
}

const fn is_link_local(address: Ipv6Addr) -> bool {
    address.segments()[0] & 0xffc0 == 0xfe80
}

/// The host of a web address, without a port and without the brackets of IPv6; empty where there
/// is none.
pub(crate) fn host_of(address: &str) -> &str {
    host(authority_of(address))
}

/// The host of a web address with its port, as the header `Host` has it.
pub(crate) fn authority_of(address: &str) -> &str {
    split_scheme(address).map_or("", |(_, rest)| authority(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_told_by_their_addresses() {
        for local in
            ["http://10.1.2.3/", "http://172.31.0.1", "http://[fd00::1]:1/", "http://printer.LOCAL"]
        {
            assert_eq!(Network::of(local), Network::Local, "{local}");
        }
        for public in
            ["http://172.32.0.1/", "https://10.example/", "http://[2001:db8::1]/", "x", ""]
        {
            assert_eq!(Network::of(public), Network::Public, "{public}");
        }
        assert_eq!(Network::of("http://[::1]"), Network::Loopback);
        assert_eq!(Network::of("http://[fe80::1]/"), Network::Local);
    }

    #[test]
    fn hosts_are_found() {
        assert_eq!(host_of("http://[::1]:3000/mcp"), "::1");
        assert_eq!(host_of("https://mcp.example:8443"), "mcp.example");
        assert_eq!(authority_of("https://mcp.example:8443/mcp?x#y"), "mcp.example:8443");
        assert_eq!((host_of("null"), authority_of("")), ("", ""));
    }
}
