//! What stands between a page and an answer, found out step by step.
//!
//! Three requests that differ in one thing each tell the causes apart, as far as a page can:
//!
//! 1. A request whose answer nobody may read goes through to any server. Is somebody there? It
//!    follows where it is sent; if that leads nowhere, the next one tells.
//! 2. A request for which a browser asks no permission. May this page read anything at all?
//! 3. The same with one header of the refused request. Which header is not allowed?

use std::fmt;

use super::Obstacle;
use crate::protocol::endpoint::Address;
use crate::protocol::network::Network;
use crate::protocol::{Header, HttpMethod, HttpRequest};

/// What is said to a server that has to be sent something: a message that changes nothing, as a handler may read what
/// it is sent without a look at whether that is JSON.
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// How many headers are tried one by one.
const MAX_HEADERS: usize = 12;

/// What a page knows of its own situation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vantage {
    /// The page's origin, as the browser sends it.
    pub origin: String,
    /// Whether the browser knows itself to be offline.
    pub is_offline: bool,
    /// Whether the page's own policy (`connect-src`) forbade the request.
    pub is_forbidden_by_policy: bool,
    /// What the user said to requests to their own network; see [`Permission::names`].
    pub permission: Permission,
}

/// What a browser may do with the user's own network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// The browser knows no such permission, or none is needed.
    #[default]
    Unknown,
    /// It was given.
    Granted,
    /// The user will be asked, or is being asked just now.
    Prompt,
    /// It was refused.
    Denied,
}

impl Permission {
    /// The names under which browsers may know the permission that a page of `origin` needs to
    /// call `endpoint`, the most fitting first; none where no permission is needed.
    ///
    /// ```
    /// use skillglass::protocol::diagnosis::Permission;
    /// assert_eq!(Permission::names("https://page.example", "http://127.0.0.1:3000/mcp")[0], "loopback-network");
    /// assert!(Permission::names("http://localhost:8787", "http://127.0.0.1:3000/mcp").is_empty());
    /// ```
    #[must_use]
    pub fn names(origin: &str, endpoint: &str) -> &'static [&'static str] {
        let (from, to) = (Network::of(origin), Network::of(endpoint));
        match to {
            _ if from == Network::Loopback => &[],
            Network::Loopback => &["loopback-network", "local-network-access"],
            Network::Local if from == Network::Public => &["local-network", "local-network-access"],
            _ => &[],
        }
    }
}

/// A harmless request, to be sent without cookies or referrer: a GET, or a POST of the message
/// `ping`, as `text/plain` where its header says no other type. Redirects are followed by a probe that is not readable, and reported by one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// The method, the address, the body and at most one header, whose value is no secret.
    pub request: HttpRequest,
    /// Whether the page wants to read the answer (`mode: "cors"`), or only to know that there is
    /// one (`mode: "no-cors"`).
    pub readable: bool,
}

/// What came of a probe. Its body is of no interest: the caller lets go of it at once, as it may be
/// an endless stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// An answer came.
    Answered,
    /// The server sends elsewhere (a readable probe only: `type` is `opaqueredirect`).
    Redirected,
    /// The browser gave nothing, and no reason.
    Refused,
    /// The time limit passed; five seconds are enough.
    TimedOut,
}

impl fmt::Display for ProbeOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answered => "an answer came",
            Self::Redirected => "the server sends elsewhere",
            Self::Refused => "the browser gave no answer and no reason",
            Self::TimedOut => "no answer came within the time limit",
        })
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InquiryStep {
    /// Send this, and hand what comes to [`Inquiry::receive`].
    Send(Probe),
    /// This stands in the way.
    Done(Obstacle),
}

/// A search for the obstacle before one request that the browser refused without a reason.
///
/// ```
/// use skillglass::protocol::diagnosis::*;
/// use skillglass::protocol::{Call, Client};
/// let refused = Client::new("http://127.0.0.1:3000/mcp").unwrap().request(&Call::Discover).unwrap();
/// let vantage = Vantage { origin: "http://localhost:8787".into(), ..Vantage::default() };
/// let mut inquiry = Inquiry::new(refused, &vantage);
/// let InquiryStep::Send(probe) = inquiry.step() else { panic!() };
/// assert!(!probe.readable);
/// inquiry.receive(ProbeOutcome::Answered);
/// inquiry.step();
/// inquiry.receive(ProbeOutcome::Refused);
/// assert_eq!(inquiry.step(), InquiryStep::Done(Obstacle::OriginRefused));
/// ```
#[derive(Clone, Debug)]
pub struct Inquiry {
    refused: HttpRequest,
    is_mixed: bool,
    permission: Permission,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Alive,
    /// Nobody was there, perhaps as the request was sent on, in a circle or to nobody.
    Astray,
    Plain,
    /// The header to try next, and those that were not allowed.
    Header(usize, Vec<String>),
    Done(Obstacle),
}

impl Inquiry {
    /// A search that has not asked anything yet.
    #[must_use]
    pub fn new(refused: HttpRequest, vantage: &Vantage) -> Self {
        let mut refused = refused;
        // What a browser sends of its own accord, or without asking.
        refused.headers.retain(|header| !header.name.eq_ignore_ascii_case("accept"));
        refused.headers.truncate(MAX_HEADERS);
        let is_mixed = is_https(&vantage.origin) && !is_https(&refused.url);
        let state = match without_asking(&refused.url, is_mixed, vantage) {
            Some(obstacle) => State::Done(obstacle),
            None => State::Alive,
        };
        Self { refused, is_mixed, permission: vantage.permission, state }
    }

    /// What to do next.
    #[must_use]
    pub fn step(&self) -> InquiryStep {
        let (purpose, method, readable, header) = match &self.state {
            State::Done(obstacle) => return InquiryStep::Done(obstacle.clone()),
            State::Alive => ("is anybody there?", HttpMethod::Get, false, None),
            State::Astray => ("does it send elsewhere?", HttpMethod::Post, true, None),
            State::Plain => ("may a page read it?", HttpMethod::Post, true, None),
            State::Header(at, _) => {
                let header = self.refused.headers.get(*at).map(harmless);
                ("may it be sent?", HttpMethod::Post, true, header)
            }
        };
        let is_message = method == HttpMethod::Post;
        let request = HttpRequest {
            method,
            url: self.refused.url.clone(),
            headers: header.into_iter().collect(),
            body: if is_message { PING.to_owned() } else { String::new() },
            rpc_method: is_message.then_some("ping"),
            id: is_message.then_some(1),
        };
        InquiryStep::Send(Probe { purpose, request, readable })
    }

    /// Takes what came of the probe that [`Inquiry::step`] gave.
    pub fn receive(&mut self, outcome: ProbeOutcome) {
        use ProbeOutcome::{Answered, Redirected, Refused, TimedOut};
        let state = std::mem::replace(&mut self.state, State::Alive);
        self.state = match (state, outcome) {
            (State::Alive, Refused) => State::Astray,
            (State::Alive, Answered | Redirected) => State::Plain,
            (State::Astray, Refused) => State::Done(self.nobody()),
            (State::Plain, Refused) => State::Done(Obstacle::OriginRefused),
            (State::Astray | State::Plain, Redirected) => State::Done(Obstacle::Redirect),
            (State::Astray | State::Plain, Answered) => self.after(0, Vec::new()),
            (State::Alive | State::Astray | State::Plain, TimedOut) => {
                State::Done(Obstacle::Silent)
            }
            (State::Header(at, refused), Answered | Redirected) => self.after(at + 1, refused),
            (State::Header(at, mut refused), Refused | TimedOut) => {
                refused.extend(self.refused.headers.get(at).map(|header| header.name.clone()));
                self.after(at + 1, refused)
            }
            (done @ State::Done(_), _) => done,
        };
    }

    /// The next header, or what all of them came to.
    fn after(&self, at: usize, refused: Vec<String>) -> State {
        let all = self.refused.headers.len();
        if at < all {
            return State::Header(at, refused);
        }
        State::Done(match refused.len() {
            0 => Obstacle::Unclear,
            count if count == all => Obstacle::PreflightRefused,
            _ => Obstacle::HeadersRefused(refused),
        })
    }

    fn nobody(&self) -> Obstacle {
        match Network::of(&self.refused.url) {
            // Browsers that ask for permission let such pages through where it is given.
            Network::Local if self.is_mixed => Obstacle::MixedContent,
            _ => Obstacle::Nobody {
                is_mixed: self.is_mixed,
                asks: self.permission == Permission::Prompt,
            },
        }
    }
}

/// What a page can know before it asks.
fn without_asking(url: &str, is_mixed: bool, vantage: &Vantage) -> Option<Obstacle> {
    if vantage.is_forbidden_by_policy {
        Some(Obstacle::PagePolicy)
    } else if let Some(port) = bad_port(url) {
        Some(Obstacle::BadPort(port))
    } else if is_mixed && Network::of(url) == Network::Public {
        Some(Obstacle::MixedContent)
    } else if vantage.is_offline && Network::of(url) != Network::Loopback {
        Some(Obstacle::Offline)
    } else if vantage.permission == Permission::Denied {
        Some(Obstacle::LocalNetworkDenied)
    } else {
        None
    }
}

fn is_https(address: &str) -> bool {
    Address::read(address).is_ok_and(|address| address.is_https)
}

/// The header without the user's secret: a browser asks for permission by the name alone.
fn harmless(header: &Header) -> Header {
    let value = if header.secret { "x".to_owned() } else { header.value.clone() };
    Header { name: header.name.clone(), value, secret: false }
}

/// The port of an address, if it is one that browsers never call.
fn bad_port(url: &str) -> Option<u16> {
    let port = Address::read(url).ok()?.port?;
    BAD_PORTS.binary_search(&port).is_ok().then_some(port)
}

/// Source: *Port blocking* of the Fetch standard.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Call, Client};

    const HERE: &str = "http://localhost:8787";
    const SERVER: &str = "http://127.0.0.1:3000/mcp";

    fn refused(endpoint: &str) -> HttpRequest {
        let mut client = Client::new(endpoint).unwrap();
        let _ = client.set_bearer_token("hunter2");
        client.request(&Call::Discover).unwrap()
    }

    /// Answers every probe by what `answer` makes of it, and gives what the inquiry came to with
    /// the probes it took.
    fn inquire(
        endpoint: &str,
        vantage: &Vantage,
        answer: impl Fn(&Probe) -> ProbeOutcome,
    ) -> (Obstacle, Vec<Probe>) {
        let mut inquiry = Inquiry::new(refused(endpoint), vantage);
        let mut probes = Vec::new();
        loop {
            match inquiry.step() {
                InquiryStep::Done(obstacle) => return (obstacle, probes),
                InquiryStep::Send(probe) => {
                    inquiry.receive(answer(&probe));
                    probes.push(probe);
                }
            }
            assert!(probes.len() < 20, "it must end");
        }
    }

    fn at(origin: &str) -> Vantage {
        Vantage { origin: origin.to_owned(), ..Vantage::default() }
    }

    /// A server with these headers on its list, and a page that may or may not read it.
    fn server(may_read: bool, allowed: &'static [&str]) -> impl Fn(&Probe) -> ProbeOutcome {
        move |probe| {
            let may_send =
                probe.request.headers.iter().all(|header| allowed.contains(&&*header.name));
            if !probe.readable || (may_read && may_send) {
                ProbeOutcome::Answered
            } else {
                ProbeOutcome::Refused
            }
        }
    }

    #[test]
    fn what_a_page_knows_it_does_not_ask() {
        let none = |_: &Probe| panic!("nothing needs to be asked");
        let secure = at("https://page.example");
        let known = |endpoint: &str, vantage: &Vantage| inquire(endpoint, vantage, none).0;
        assert_eq!(known("http://mcp.example/mcp", &secure), Obstacle::MixedContent);
        assert_eq!(known("http://127.0.0.1:6667/mcp", &at(HERE)), Obstacle::BadPort(6667));
        let offline = Vantage { is_offline: true, ..at(HERE) };
        assert_eq!(known("https://mcp.example/mcp", &offline), Obstacle::Offline);
        let forbidden = Vantage { is_forbidden_by_policy: true, ..at(HERE) };
        assert_eq!(known(SERVER, &forbidden), Obstacle::PagePolicy);
        let denied = Vantage { permission: Permission::Denied, ..secure };
        assert_eq!(known(SERVER, &denied), Obstacle::LocalNetworkDenied);
    }

    #[test]
    fn nobody_is_told_from_somebody_who_refuses() {
        let nobody = |_: &Probe| ProbeOutcome::Refused;
        let (obstacle, probes) = inquire(SERVER, &at(HERE), nobody);
        assert_eq!(obstacle, Obstacle::Nobody { is_mixed: false, asks: false });
        assert_eq!(probes.len(), 2);
        let prompted = Vantage { permission: Permission::Prompt, ..at("https://page.example") };
        let asked = Obstacle::Nobody { is_mixed: true, asks: true };
        assert_eq!(inquire(SERVER, &prompted, nobody).0, asked);
        let local = "http://192.168.1.7/mcp";
        assert_eq!(inquire(local, &at("https://page.example"), nobody).0, Obstacle::MixedContent);
        let offline = Vantage { is_offline: true, ..at(HERE) };
        assert!(matches!(inquire(SERVER, &offline, nobody).0, Obstacle::Nobody { .. }));
        let silent = |_: &Probe| ProbeOutcome::TimedOut;
        assert_eq!(inquire(SERVER, &at(HERE), silent).0, Obstacle::Silent);
        let (obstacle, probes) = inquire(SERVER, &at(HERE), server(false, &[]));
        assert_eq!((obstacle, probes.len()), (Obstacle::OriginRefused, 2));
    }

    #[test]
    fn a_missing_header_is_found_by_its_name() {
        let all = ["Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Authorization"];
        let older: &[&str] = &["Content-Type", "Authorization"];
        let (obstacle, probes) = inquire(SERVER, &at(HERE), server(true, older));
        let missing = ["MCP-Protocol-Version", "Mcp-Method"].map(str::to_owned);
        assert_eq!(obstacle, Obstacle::HeadersRefused(missing.into()));
        assert_eq!(probes.len(), 2 + all.len());
        let (obstacle, _) = inquire(SERVER, &at(HERE), server(true, &[]));
        assert_eq!(obstacle, Obstacle::PreflightRefused);
        let everything = |_: &Probe| ProbeOutcome::Answered;
        assert_eq!(inquire(SERVER, &at(HERE), everything).0, Obstacle::Unclear);
        let elsewhere = |probe: &Probe| match probe.readable {
            true => ProbeOutcome::Redirected,
            false => ProbeOutcome::Answered,
        };
        assert_eq!(inquire(SERVER, &at(HERE), elsewhere).0, Obstacle::Redirect);
    }

    #[test]
    fn a_circle_of_redirects_is_told_from_nobody() {
        let circle = |probe: &Probe| match probe.readable {
            true => ProbeOutcome::Redirected,
            false => ProbeOutcome::Refused,
        };
        let (obstacle, probes) = inquire(SERVER, &at(HERE), circle);
        assert_eq!((obstacle, probes.len()), (Obstacle::Redirect, 2));
    }

    #[test]
    fn probes_carry_one_header_and_no_secret() {
        let (_, probes) = inquire(SERVER, &at(HERE), server(true, &[]));
        for Probe { request, readable, .. } in &probes {
            assert!(request.headers.len() <= 1);
            assert_eq!(request.body.is_empty(), request.method == HttpMethod::Get);
            assert!(request.body.is_empty() || crate::json::read(&request.body).is_ok());
            assert_eq!(request.method == HttpMethod::Post, *readable);
            assert_eq!(request.url, SERVER);
            assert!(request.headers.iter().all(|header| !header.value.contains("hunter2")));
        }
        let names: Vec<_> =
            probes.iter().flat_map(|p| &p.request.headers).map(|h| &*h.name).collect();
        assert_eq!(names, ["Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Authorization"]);
    }

    #[test]
    fn permissions_depend_on_both_networks() {
        let needs = |origin, endpoint| Permission::names(origin, endpoint).first().copied();
        assert_eq!(needs("https://page.example", "http://[::1]:3/"), Some("loopback-network"));
        assert_eq!(needs("https://page.example", "http://10.0.0.1/"), Some("local-network"));
        assert_eq!(needs("http://10.0.0.2", "http://127.0.0.1/"), Some("loopback-network"));
        assert_eq!(needs("http://10.0.0.2", "http://10.0.0.1/"), None);
        assert_eq!(needs("https://page.example", "https://mcp.example/"), None);
    }

    #[test]
    fn bad_ports_can_be_searched() {
        assert!(BAD_PORTS.is_sorted());
        assert_eq!(bad_port("http://[::1]:6000/"), Some(6000));
        assert_eq!(bad_port("http://[::1]/"), None);
        assert_eq!(bad_port("https://a.example:443/"), None);
    }
}
