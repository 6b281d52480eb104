//! What this page calls a server. A server does not choose its own label.

use skillglass::protocol::endpoint::may_hold_secret;

use crate::bridge::BRIDGE;

/// How an endpoint begins that means a server inside of this page.
pub(crate) const DEMO: &str = "demo:";

/// How an endpoint begins that means a folder or an archive of the user's own.
pub(crate) const LOCAL: &str = "local:";

/// The label of the server at `endpoint`: its host, and its path where that is not the usual one.
/// A number keeps it apart from those that are `taken`.
pub(crate) fn label(endpoint: &str, taken: impl Fn(&str) -> bool) -> String {
    let base = base(endpoint);
    let numbered = (2..).map(|number| format!("{base} ({number})"));
    std::iter::once(base.to_owned()).chain(numbered).find(|label| !taken(label)).unwrap_or_default()
}

fn base(endpoint: &str) -> &str {
    if endpoint.starts_with(DEMO) || endpoint.starts_with(LOCAL) {
        return endpoint;
    }
    if let Some(name) = endpoint.strip_prefix(BRIDGE) {
        return name;
    }
    let address = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    let path = address.split('?').next().unwrap_or_default().trim_end_matches('/');
    // A label is in the page's own address; a part of the path that could be a secret is not.
    let address = match may_hold_secret(path) {
        true => address.split(['/', '?']).next().unwrap_or_default(),
        false => path,
    };
    address.strip_suffix("/mcp").unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(endpoint: &str) -> String {
        label(endpoint, |_| false)
    }

    #[test]
    fn labels_are_short_addresses() {
        assert_eq!(free("https://mcp.example.com/mcp"), "mcp.example.com");
        assert_eq!(free("http://127.0.0.1:3000/mcp"), "127.0.0.1:3000");
        assert_eq!(free("https://example.com/team/skills/?key=x"), "example.com/team/skills");
        assert_eq!(free("https://example.com/s/9f86d081884c7d659a2f/mcp"), "example.com");
        assert_eq!(free("demo:good"), "demo:good");
        assert_eq!(free("bridge:weather"), "weather");
    }

    #[test]
    fn labels_are_unique() {
        let taken = |label: &str| label == "a.example" || label == "a.example (2)";
        assert_eq!(label("https://a.example/mcp", taken), "a.example (3)");
    }
}
