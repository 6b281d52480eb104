//! What can stand between a page and an answer, in words.

use super::answer::pathless_advice;
use super::{Diagnosis, LINES, Place, Remedy};

/// What stands between a page and a server's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The page's own policy does not allow this address.
    PagePolicy,
    /// Browsers call no server at this port.
    BadPort(u16),
    /// The page came over https and may not call plain http.
    MixedContent,
    /// The device is offline.
    Offline,
    /// The user, or whoever set the browser up, does not let this page into their own network.
    LocalNetworkDenied,
    /// Nobody answers there.
    Nobody {
        /// Whether the page came over https and the address is plain http.
        is_mixed: bool,
        /// Whether the browser asks the user for a permission.
        asks: bool,
    },
    /// Somebody takes requests there and answers none.
    Silent,
    /// The address sends elsewhere.
    Redirect,
    /// A server answers, and lets no page of this origin read it.
    OriginRefused,
    /// A server lets this page read it, and does not answer the browser's question that comes
    /// before a message.
    PreflightRefused,
    /// A server lets this page in, but not with these headers.
    HeadersRefused(Vec<String>),
    /// Each part of the request is allowed by itself.
    Unclear,
}

impl Obstacle {
    /// Whether a server is there.
    #[must_use]
    pub const fn has_server(&self) -> bool {
        matches!(
            self,
            Self::Silent
                | Self::Redirect
                | Self::OriginRefused
                | Self::PreflightRefused
                | Self::HeadersRefused(_)
                | Self::Unclear
        )
    }

    /// The obstacle in words.
    ///
    /// ```
    /// use skillglass::protocol::diagnosis::{Obstacle, Place};
    /// let place = Place { endpoint: "http://127.0.0.1:3000/mcp", origin: "https://page.example" };
    /// let diagnosis = Obstacle::HeadersRefused(vec!["Mcp-Method".into()]).diagnose(place);
    /// assert!(diagnosis.what.contains("Mcp-Method") && diagnosis.remedy.is_some());
    /// ```
    #[must_use]
    pub fn diagnose(&self, place: Place<'_>) -> Diagnosis {
        let mut diagnosis = self.words(place);
        // A server may let pages in at its endpoint only.
        let hint = diagnosis.remedy.and_then(|_| pathless_advice(place.endpoint));
        if let Some(hint) = hint {
            diagnosis.advice = format!("{hint} {}", diagnosis.advice);
        }
        diagnosis
    }

    fn words(&self, place: Place<'_>) -> Diagnosis {
        let Place { endpoint, origin } = place;
        match self {
            Self::PagePolicy => Diagnosis::new(
                "This page may not call that address: its own policy forbids it, and nothing was sent.",
                "Whoever serves this page restricts the addresses it may connect to (Content-Security-Policy, connect-src).",
                "Serve the page yourself, or have the address added to connect-src.",
            ),
            Self::BadPort(port) => Diagnosis::new(
                format!("Browsers do not call port {port}, and nothing was sent."),
                "The port belongs to another protocol, and every browser blocks it.",
                "Let the server listen on another port, such as 3000 or 8000.",
            ),
            Self::MixedContent => Diagnosis::new(
                "The browser does not let this page call plain http, and nothing was sent.",
                "This page came over https. From such a page, plain http is allowed to the same machine only.",
                "Serve MCP over https, or open this page from a server on your own machine.",
            ),
            Self::Offline => Diagnosis::new(
                "This device is offline, and nothing was sent.",
                "",
                "Connect to the network and try again. The two demo servers need none.",
            ),
            Self::LocalNetworkDenied => Diagnosis::new(
                "The browser does not let this page into your own network, and nothing was sent.",
                format!(
                    "Pages from elsewhere need your permission to call servers on this machine or in its network. For {origin} it was refused."
                ),
                "Allow it in the browser's settings for this page (the sign left of the address), reload, and connect again; or open this page from a server on your own machine.",
            ),
            Self::Nobody { is_mixed, asks } => nobody(endpoint, *is_mixed, *asks),
            Self::Silent => Diagnosis::new(
                format!("A server takes requests at {endpoint}, but answers none."),
                "It may hang, or something between you and the server swallows the answers.",
                "Look at the server's log, restart it, and try again.",
            ),
            Self::Redirect => Diagnosis::new(
                "A server answers there, and sends elsewhere instead of answering.",
                "A page may not follow where a message is sent: tokens would go along. Often the scheme or a slash at the end is missing, or the server wants a sign-in.",
                format!("Enter the address that {endpoint} leads to; a tab of its own shows it."),
            ),
            Self::OriginRefused => Diagnosis::new(
                format!("A server answers there, but does not let pages from {origin} read it (CORS)."),
                "Its answers lack Access-Control-Allow-Origin for this page. It may also want a token before it answers a page's question, refuse foreign pages altogether, or send elsewhere; a page cannot see that.",
                LINES,
            )
            .remedy(Remedy::Cors),
            Self::PreflightRefused => Diagnosis::new(
                "A server answers there and lets this page read it, but refuses the browser's question before a message (CORS preflight).",
                "Before each message the browser asks with OPTIONS whether the page may send its headers. The answer has to be a success, name the page and the headers, and want no token.",
                LINES,
            )
            .remedy(Remedy::Cors),
            Self::HeadersRefused(headers) => Diagnosis::new(
                format!(
                    "The server lets this page in, but not with {} {} (CORS).",
                    if headers.len() == 1 { "the header" } else { "the headers" },
                    headers.join(", "),
                ),
                "Before the message the browser asks with OPTIONS what the page may send, and the answer leaves that out of Access-Control-Allow-Headers. Settings for older revisions of MCP often lack the newer headers.",
                LINES,
            )
            .remedy(Remedy::Cors),
            Self::Unclear => Diagnosis::new(
                "A server answers there, but the browser gave no answer to this message.",
                "Each of its headers alone is allowed. The connection may have broken, or the server answers messages without Access-Control-Allow-Origin.",
                "Try again; if it stays so, compare the server's settings with these lines.",
            )
            .remedy(Remedy::Cors),
        }
    }
}

fn nobody(endpoint: &str, is_mixed: bool, asks: bool) -> Diagnosis {
    let mut why = "The browser does not say more. The name or port may be wrong, the server may be down, its certificate may not be trusted, or it may send requests on, in a circle or to where nobody answers.".to_owned();
    let mut advice = "Check that the server runs, and open the address in a tab of its own to see what the browser says of it.".to_owned();
    if asks {
        why.push_str(" Or you were asked whether this page may look into your own network, and did not allow it.");
    }
    if is_mixed {
        why.push_str(
            " Safari refuses plain http to a page that came over https, even on the same machine.",
        );
    }
    if endpoint.contains("//0.0.0.0") {
        advice = format!(
            "0.0.0.0 is an address to listen on, not one to call. Try {}.",
            endpoint.replacen("//0.0.0.0", "//127.0.0.1", 1)
        );
    }
    Diagnosis::new(format!("Nobody answers at {endpoint}."), why, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> =
        Place { endpoint: "http://127.0.0.1:3000/mcp", origin: "https://page.example" };

    fn all() -> Vec<Obstacle> {
        use Obstacle::*;
        vec![
            PagePolicy,
            BadPort(6000),
            MixedContent,
            Offline,
            LocalNetworkDenied,
            Nobody { is_mixed: false, asks: false },
            Nobody { is_mixed: true, asks: true },
            Silent,
            Redirect,
            OriginRefused,
            PreflightRefused,
            HeadersRefused(vec!["Mcp-Method".into(), "Mcp-Name".into()]),
            Unclear,
        ]
    }

    #[test]
    fn each_says_what_happened_and_what_to_do() {
        for obstacle in all() {
            let Diagnosis { what, advice, remedy, .. } = obstacle.diagnose(PLACE);
            assert!(what.ends_with('.') && advice.ends_with('.'), "{obstacle:?}");
            assert_eq!(remedy.is_some(), what.contains("CORS") || obstacle == Obstacle::Unclear);
        }
        let said: std::collections::BTreeSet<_> =
            all().iter().map(|obstacle| obstacle.diagnose(PLACE).what).collect();
        assert_eq!(said.len(), all().len() - 1, "only the two ways of nobody begin alike");
    }

    #[test]
    fn a_refusal_may_be_of_an_address_without_a_path() {
        let advice =
            |endpoint| Obstacle::OriginRefused.diagnose(Place { endpoint, ..PLACE }).advice;
        let hint = "try http://127.0.0.1:3902/mcp. Add these lines";
        assert!(advice("http://127.0.0.1:3902").contains(hint));
        assert_eq!(advice(PLACE.endpoint), LINES);
    }

    #[test]
    fn the_page_and_what_it_lacks_are_named() {
        let what = |obstacle: Obstacle| obstacle.diagnose(PLACE).what;
        assert!(what(Obstacle::OriginRefused).contains(PLACE.origin));
        let one = what(Obstacle::HeadersRefused(vec!["Mcp-Name".into()]));
        assert!(one.contains("the header Mcp-Name (CORS)"));
        let two = what(Obstacle::HeadersRefused(vec!["A".into(), "B".into()]));
        assert!(two.contains("the headers A, B (CORS)"));
    }

    #[test]
    fn an_address_to_listen_on_is_told_from_one_to_call() {
        let place = Place { endpoint: "http://0.0.0.0:8000/mcp", ..PLACE };
        let obstacle = Obstacle::Nobody { is_mixed: false, asks: false };
        assert!(obstacle.diagnose(place).advice.contains("http://127.0.0.1:8000/mcp"));
    }
}
