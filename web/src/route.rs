//! Where in the page one is, as the part of the address behind `#`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What would end or split a segment is encoded; what people read in URIs stays readable.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@')
    .remove(b',');

/// A place in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The start: which server?
    Connect {
        /// An address to put into the field. It is never connected to by itself.
        url: Option<String>,
    },
    /// A server as a whole.
    Server {
        /// The label this page gave the server.
        label: String,
    },
    /// How a server conforms.
    Report {
        /// The label this page gave the server.
        label: String,
        /// The id of the check that is looked at.
        check: Option<String>,
    },
    /// One skill of a server.
    Skill {
        /// The label this page gave the server.
        label: String,
        /// The skill's key: its URI, or its place in the listing where it has none.
        key: String,
        /// Which side of it.
        tab: Tab,
    },
}

/// The sides of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    /// What the skill tells a model.
    Instructions,
    /// Its files, or one of them.
    Files {
        /// The URI of the file that is open.
        open: Option<String>,
    },
    /// Its frontmatter in the entry and in the file.
    Frontmatter,
    /// What is wrong with it.
    Checks,
    /// Its entry as JSON.
    Raw,
    /// What a host does with it.
    Host,
}

impl Tab {
    const fn word(&self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Files { .. } => "files",
            Self::Frontmatter => "frontmatter",
            Self::Checks => "checks",
            Self::Raw => "raw",
            Self::Host => "host",
        }
    }

    fn read(word: &str, open: Option<&str>) -> Self {
        match word {
            "files" => Self::Files { open: open.map(decode) },
            "frontmatter" => Self::Frontmatter,
            "checks" => Self::Checks,
            "raw" => Self::Raw,
            "host" => Self::Host,
            _ => Self::Instructions,
        }
    }
}

impl Route {
    /// The start, with nothing in the field.
    pub(crate) const START: Self = Self::Connect { url: None };

    /// The route to one side of a skill.
    pub(crate) fn skill(label: &str, key: &str, tab: Tab) -> Self {
        Self::Skill { label: label.to_owned(), key: key.to_owned(), tab }
    }

    /// Reads the part of the address from `#` on. Whatever is no place leads to the start.
    pub(crate) fn read(hash: &str) -> Self {
        let path = hash.strip_prefix("#/").unwrap_or_default();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut segments = path.split('/');
        match (segments.next(), segments.next().filter(|label| !label.is_empty())) {
            (Some("s"), Some(label)) => {
                let label = decode(label);
                match segments.next().filter(|key| !key.is_empty()) {
                    None => Self::Server { label },
                    Some(key) => {
                        let word = segments.next().unwrap_or_default();
                        let tab = Tab::read(word, segments.next().filter(|open| !open.is_empty()));
                        Self::Skill { label, key: decode(key), tab }
                    }
                }
            }
            (Some("c"), Some(label)) => {
                let check = segments.next().filter(|check| !check.is_empty()).map(decode);
                Self::Report { label: decode(label), check }
            }
            _ => Self::Connect { url: query.strip_prefix("url=").map(decode) },
        }
    }

    /// The part of the address from `#` on.
    pub(crate) fn hash(&self) -> String {
        match self {
            Self::Connect { url: None } => "#/connect".to_owned(),
            Self::Connect { url: Some(url) } => format!("#/connect?url={}", encode(url)),
            Self::Server { label } => format!("#/s/{}", encode(label)),
            Self::Report { label, check: None } => format!("#/c/{}", encode(label)),
            Self::Report { label, check: Some(check) } => {
                format!("#/c/{}/{}", encode(label), encode(check))
            }
            Self::Skill { label, key, tab } => {
                let place = format!("#/s/{}/{}/{}", encode(label), encode(key), tab.word());
                match tab {
                    Tab::Files { open: Some(uri) } => format!("{place}/{}", encode(uri)),
                    _ => place,
                }
            }
        }
    }

    /// The same place of a server with another label.
    pub(crate) fn of_server(&self, label: &str) -> Self {
        let label = label.to_owned();
        match self.clone() {
            Self::Connect { url } => Self::Connect { url },
            Self::Server { .. } => Self::Server { label },
            Self::Report { check, .. } => Self::Report { label, check },
            Self::Skill { key, tab, .. } => Self::Skill { label, key, tab },
        }
    }

    /// The label of the server it leads to.
    pub(crate) fn label(&self) -> Option<&str> {
        match self {
            Self::Connect { .. } => None,
            Self::Server { label } | Self::Report { label, .. } | Self::Skill { label, .. } => {
                Some(label)
            }
        }
    }
}

/// A route, with what a link to it says besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The place in the page.
    pub(crate) route: Route,
    /// The address of the server that the label stands for. It is never connected to by itself.
    pub(crate) at: Option<String>,
    /// A line of the file that is open, from 1.
    pub(crate) line: Option<usize>,
}

impl Link {
    /// Reads the part of the address from `#` on.
    pub(crate) fn read(hash: &str) -> Self {
        let route = Route::read(hash);
        let query = hash.split_once('?').map_or("", |(_, query)| query);
        let member = |name: &str| {
            let mut members = query.split('&').filter_map(|member| member.split_once('='));
            members.find(|(known, _)| *known == name).map(|(_, value)| decode(value))
        };
        let has_place = route.label().is_some();
        Self {
            at: member("at").filter(|at| has_place && !at.is_empty()),
            line: member("line").and_then(|line| line.parse().ok()).filter(|line| *line > 0),
            route,
        }
    }

    /// The part of the address from `#` on.
    pub(crate) fn hash(&self) -> String {
        let at = self.at.as_ref().map(|at| format!("at={}", encode(at)));
        let line = self.line.map(|line| format!("line={line}"));
        let members: Vec<_> = at.into_iter().chain(line).collect();
        match members.is_empty() {
            true => self.route.hash(),
            false => format!("{}?{}", self.route.hash(), members.join("&")),
        }
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(route: &Route) {
        assert_eq!(Route::read(&route.hash()), *route, "{}", route.hash());
    }

    #[test]
    fn every_place_has_an_address() {
        there_and_back(&Route::START);
        there_and_back(&Route::Connect { url: Some("https://a.example/mcp?x=1&y=%2F#z".into()) });
        there_and_back(&Route::Server { label: "demo:good".into() });
        there_and_back(&Route::Report { label: "a/b".into(), check: None });
        there_and_back(&Route::Report { label: "a".into(), check: Some("cache-values".into()) });
        let open = Some("skill://a/b/references/100% ä?#.md".to_owned());
        for tab in [
            Tab::Instructions,
            Tab::Files { open: None },
            Tab::Files { open },
            Tab::Checks,
            Tab::Host,
        ] {
            there_and_back(&Route::skill("a/b", "skill://a/b/SKILL.md", tab));
        }
    }

    #[test]
    fn addresses_stay_readable() {
        let route = Route::skill("demo:good", "skill://code-review/SKILL.md", Tab::Raw);
        assert_eq!(route.hash(), "#/s/demo:good/skill:%2F%2Fcode-review%2FSKILL.md/raw");
    }

    #[test]
    fn anything_else_leads_to_the_start() {
        for hash in ["", "#", "#/", "#main", "#/s", "#/s/", "#/nowhere/at/all", "nonsense"] {
            assert_eq!(Route::read(hash), Route::START, "{hash}");
        }
    }

    #[test]
    fn links_name_the_server_and_the_line() {
        let open = Some("skill://a/b.py".to_owned());
        let route = Route::skill("a", "skill://a/SKILL.md", Tab::Files { open });
        let at = Some("https://a.example/mcp".to_owned());
        let link = Link { route: route.clone(), at: at.clone(), line: Some(12) };
        assert_eq!(Link::read(&link.hash()), link);
        assert!(
            link.hash().ends_with("?at=https:%2F%2Fa.example%2Fmcp&line=12"),
            "{}",
            link.hash()
        );
        assert_eq!(Link::read(&route.hash()), Link { route: route.clone(), at: None, line: None });
        assert_eq!(Link { route, at, line: None }.route.of_server("b").label(), Some("b"));
    }

    #[test]
    fn nonsense_in_a_link_is_passed_over() {
        let link = Link::read("#/s/a?line=0&at=&x");
        assert_eq!((link.at, link.line), (None, None));
        assert_eq!(Link::read("#/connect?url=https:%2F%2Fa").at, None);
    }

    #[test]
    fn an_unknown_side_is_the_first_one() {
        let route = Route::read("#/s/a/skill:%2F%2Fb%2FSKILL.md/other");
        assert_eq!(route, Route::skill("a", "skill://b/SKILL.md", Tab::Instructions));
    }
}
