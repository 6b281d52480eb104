//! The servers of earlier visits: where they are, and what the user calls them. Never a token, a header, or an address that
//! could hold a secret.

use leptos::prelude::*;
use skillglass::protocol::endpoint::may_hold_secret;

use super::server::Server;
use crate::bridge::BRIDGE;
use crate::browser;
use crate::label::{DEMO, LOCAL};

/// Where they are kept.
const KEPT: &str = "skillglass.recent";

/// How many are kept.
const MAX_KEPT: usize = 12;

/// A server of an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recent {
    /// Its address.
    pub(crate) endpoint: String,
    /// What the user calls it; empty where they call it nothing.
    pub(crate) name: String,
    /// The place of its colour, `0` for none.
    pub(crate) hue: usize,
}

impl Recent {
    /// What is remembered of a server, if anything is.
    fn of(server: Server) -> Option<Self> {
        let endpoint = server.endpoint().to_string();
        let (name, hue) = (server.name.get_untracked(), server.hue.get_untracked());
        let is_kept = can_be_kept(&endpoint) && server.is_remembered.get_untracked();
        is_kept.then_some(Self { endpoint, name, hue })
    }

    fn line(&self) -> String {
        format!("{}\t{}\t{}", self.hue, self.endpoint, self.name.replace(['\t', '\n', '\r'], " "))
    }

    fn read(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let hue = parts.next()?.parse().ok()?;
        let endpoint = parts.next().filter(|endpoint| !endpoint.is_empty())?.to_owned();
        Some(Self { endpoint, name: parts.next().unwrap_or_default().to_owned(), hue })
    }
}

/// Whether an address can be kept and passed on. Some may hold secrets; what is behind the bridge or on this machine, others
/// cannot reach.
pub(crate) fn is_harmless(endpoint: &str) -> bool {
    !endpoint.starts_with(BRIDGE) && !endpoint.starts_with(LOCAL) && !may_hold_secret(endpoint)
}

/// Whether an address can be kept here. Demonstrations need not be.
pub(crate) fn can_be_kept(endpoint: &str) -> bool {
    !endpoint.starts_with(DEMO) && is_harmless(endpoint)
}

/// The servers of earlier visits, the latest first.
#[derive(Clone, Copy)]
pub(crate) struct Recents {
    list: RwSignal<Vec<Recent>>,
}

impl Recents {
    /// Those of earlier visits.
    pub(crate) fn kept() -> Self {
        let text = browser::local_storage().and_then(|it| it.get_item(KEPT).ok().flatten());
        let lines = text.unwrap_or_default();
        Self {
            list: RwSignal::new(lines.lines().filter_map(Recent::read).take(MAX_KEPT).collect()),
        }
    }

    /// All of them, and follows them.
    pub(crate) fn all(self) -> Vec<Recent> {
        self.list.get()
    }

    /// What is known of an address.
    pub(crate) fn get(self, endpoint: &str) -> Option<Recent> {
        self.list.with_untracked(|list| list.iter().find(|it| it.endpoint == endpoint).cloned())
    }

    /// Puts a server first.
    pub(crate) fn note(self, server: Server) {
        let Some(recent) = Recent::of(server) else { return self.forget(&server.endpoint()) };
        self.change(|list| {
            list.retain(|other| other.endpoint != recent.endpoint);
            list.insert(0, recent);
            list.truncate(MAX_KEPT);
        });
    }

    /// Forgets a server.
    pub(crate) fn forget(self, endpoint: &str) {
        self.change(|list| list.retain(|other| other.endpoint != endpoint));
    }

    /// Forgets all of them.
    pub(crate) fn forget_all(self) {
        self.change(Vec::clear);
    }

    fn change(self, change: impl FnOnce(&mut Vec<Recent>)) {
        self.list.update(change);
        let lines = self
            .list
            .with_untracked(|list| list.iter().map(Recent::line).collect::<Vec<_>>().join("\n"));
        if let Some(storage) = browser::local_storage() {
            let _ = match lines.is_empty() {
                true => storage.remove_item(KEPT),
                false => storage.set_item(KEPT, &lines),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_can_be_read() {
        let recent =
            Recent { endpoint: "https://a.example/mcp".into(), name: "Staging\t1".into(), hue: 3 };
        let read = Recent::read(&recent.line()).unwrap();
        assert_eq!(read, Recent { name: "Staging 1".into(), ..recent });
        assert_eq!(Recent::read("nonsense"), None);
        assert_eq!(Recent::read("1\t"), None);
    }

    #[test]
    fn addresses_that_could_hold_a_secret_are_not_kept() {
        assert!(is_harmless("https://a.example/mcp"));
        for endpoint in ["https://a.example/mcp?key=x", "bridge:weather", "local:mine"] {
            assert!(!is_harmless(endpoint), "{endpoint}");
        }
    }
}
