//! The servers behind the bridge: those that the person names, and no others.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use skillglass::finding::{excerpt, quote};
use skillglass::json;
use skillglass::protocol::pipe::readdressed;
use skillglass::protocol::{Client, MAX_SILENCES, METHOD_NOT_FOUND, ReplyLimits};
use skillglass::value::{Node, json_string};

use crate::arguments::{Credentials, Serve};
use crate::failure::Failure;
use crate::listen::{MAX_MESSAGE, read_message, reply, text};
use crate::serve::{self, Shelf, Unreadable};
use crate::target::{self, Target};
use crate::terminal::Terminal;
use crate::transport::{Asked, Heard, Launch, NoAnswer, Pipe, Said, http_client};

/// How long a server may be silent, and how long a program whose silence is an answer.
const SILENCE: Duration = Duration::from_secs(60);
const PROBE_SILENCE: Duration = Duration::from_secs(8);

/// What the page may say in its own words to a server at an address.
const PASSED_ON: [&str; 7] = [
    "accept",
    "content-type",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
];

/// What the page hears of the answer beside its body.
const PASSED_BACK: [&str; 4] =
    ["content-type", "mcp-session-id", "www-authenticate", "retry-after"];

/// A server as the person named it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// How a server is reached.
pub(super) enum Kind {
    /// At the address of this client, with its headers.
    Address(Box<Client>),
    /// A program.
    Program(Launch),
    /// A folder of skills, served by this program.
    Folder(PathBuf),
}

/// How many servers there are at most.
const MAX_SERVERS: usize = 100;

/// The servers, by their numbers.
pub(super) struct Servers(RwLock<Vec<Arc<Server>>>);

/// An address that the person names in the page, with what they send along.
#[derive(Deserialize)]
struct Addition {
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

impl Servers {
    pub(super) fn of(servers: Vec<Server>) -> Self {
        Self(RwLock::new(servers.into_iter().map(Arc::new).collect()))
    }

    pub(super) fn get(&self, number: usize) -> Option<Arc<Server>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Server>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds an address that JSON names, and gives its number; else the reason why not.
    pub(super) fn name(&self, json: &str) -> Result<usize, String> {
        // The reason never quotes what may be a secret.
        let addition = serde_json::from_str(json).map_err(|_| "name a url, with headers if any")?;
        let Addition { url, headers } = addition;
        let client = target::client(&url, headers).map_err(|error| error.to_string())?;
        let server = Address::of(&client).map_err(|error| error.to_string())?;
        let mut servers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if servers.len() == MAX_SERVERS {
            return Err(format!("there are {MAX_SERVERS} servers, which is all there may be"));
        }
        servers.push(Arc::new(Server::Address(Box::new(server))));
        Ok(servers.len() - 1)
    }
}

/// A server that can be talked to.
pub(super) enum Server {
    Address(Box<Address>),
    Program(Box<Program>),
    Folder(Box<Folder>),
}

/// A server at one address. No other is ever asked.
pub(super) struct Address {
    http: reqwest::Client,
    url: String,
    /// The headers that the person gave.
    own: HeaderMap,
}

/// A program.
pub(super) struct Program {
    pipe: Pipe,
    next_id: AtomicU64,
    /// Whether it was greeted in the older way, which works once.
    was_greeted: AtomicBool,
}

/// A folder.
pub(super) struct Folder {
    shelf: Shelf,
    /// Held, so that changes are noticed.
    _watch: Option<serve::Watch>,
}

impl Kind {
    /// How a target is reached; none for what the page has in itself.
    pub(super) fn of(target: Target, credentials: &Credentials) -> Result<Option<Self>, Failure> {
        Ok(match target {
            Target::Address(url) => {
                Some(Self::Address(Box::new(target::client(&url, credentials.headers()?)?)))
            }
            Target::Program(words) => Some(Self::Program(Launch { words, ..Launch::default() })),
            Target::Folder(folder) => Some(Self::Folder(folder)),
            Target::Demo(_) => None,
        })
    }

    /// The server in a few words, without what may be secret.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Address(client) => Target::Address(client.endpoint().to_owned()).label(),
            Self::Program(launch) => Target::Program(launch.words.clone()).label(),
            Self::Folder(path) => path.display().to_string(),
        }
    }
}

impl Server {
    /// Starts what has to be started.
    pub(super) fn start(kind: Kind, terminal: &Terminal) -> Result<Self, Failure> {
        Ok(match kind {
            Kind::Address(client) => Self::Address(Box::new(Address::of(&client)?)),
            Kind::Program(launch) => {
                let pipe = Pipe::start(launch, SILENCE, terminal)?;
                let (next_id, was_greeted) = (AtomicU64::new(0), AtomicBool::new(false));
                Self::Program(Box::new(Program { pipe, next_id, was_greeted }))
            }
            Kind::Folder(folder) => {
                let shelf = Shelf::fill(Serve::of(folder), Unreadable::Served, terminal)?;
                let watch = serve::watch(&shelf, terminal);
                Self::Folder(Box::new(Folder { shelf, _watch: watch }))
            }
        })
    }

    /// Takes a message of the page to the server, and the answer back.
    pub(super) async fn answer(&self, method: Method, headers: &HeaderMap, body: Body) -> Response {
        let message = match read_message(headers, body, MAX_MESSAGE).await {
            Ok(message) => message,
            Err(refused) => return refused,
        };
        match self {
            Self::Address(address) => address.answer(method, headers, message.body).await,
            _ if method != Method::POST => {
                text(StatusCode::METHOD_NOT_ALLOWED, "there is no session")
            }
            Self::Program(program) => program.answer(&message.body).await,
            Self::Folder(folder) => reply(folder.shelf.server().answer_http(&message)),
        }
    }

    /// What a program wrote to its standard error behind the line with this number.
    pub(super) fn said(&self, behind: u64) -> Vec<Said> {
        match self {
            Self::Program(program) => program.pipe.said(behind),
            Self::Address(_) | Self::Folder(_) => Vec::new(),
        }
    }

    /// Starts a program again.
    pub(super) async fn restart(&self) -> Result<(), Failure> {
        match self {
            Self::Program(program) => program.restart().await,
            Self::Address(_) | Self::Folder(_) => Ok(()),
        }
    }

    /// Lets a program end.
    pub(super) async fn close(&self) {
        if let Self::Program(program) = self {
            program.pipe.close().await;
        }
    }
}

impl Address {
    fn of(client: &Client) -> Result<Self, Failure> {
        let url = client.endpoint().to_owned();
        let http = http_client(&url, SILENCE)
            .map_err(|reason| Failure::Usage(format!("HTTP cannot be used here: {reason}.")))?;
        let mut own = HeaderMap::new();
        // A message of the client's has the headers that the person gave, and marks them as secret.
        for header in client.initialized().headers.iter().filter(|header| header.secret) {
            let name = HeaderName::from_bytes(header.name.as_bytes());
            if let (Ok(name), Ok(mut value)) = (name, HeaderValue::from_str(&header.value)) {
                value.set_sensitive(true);
                own.insert(name, value);
            }
        }
        Ok(Self { http, url, own })
    }

    async fn answer(&self, method: Method, headers: &HeaderMap, body: String) -> Response {
        let mut passed_on = HeaderMap::new();
        for name in PASSED_ON {
            if let Some(value) = headers.get(name) {
                passed_on.insert(name, value.clone());
            }
        }
        passed_on.extend(self.own.clone());
        let request = self.http.request(method, &self.url).timeout(SILENCE * MAX_SILENCES);
        let response = match request.headers(passed_on).body(body).send().await {
            Ok(response) => response,
            Err(error) => return nothing_came(&NoAnswer::of(&error, SILENCE)),
        };
        if let Some(reason) = NoAnswer::beside(&response) {
            return nothing_came(&reason);
        }
        let mut passed_back = HeaderMap::new();
        for name in PASSED_BACK {
            if let Some(value) = response.headers().get(name) {
                passed_back.insert(name, value.clone());
            }
        }
        (response.status(), passed_back, Body::from_stream(bounded(response))).into_response()
    }
}

/// The body of an answer, cut off where no answer is that long. It ends with the page's interest.
fn bounded(response: reqwest::Response) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    let begin = (response, ReplyLimits::default().body);
    stream::try_unfold(begin, async |(mut response, left)| {
        let piece = response.chunk().await.map_err(|_| std::io::ErrorKind::ConnectionAborted)?;
        let Some(piece) = piece else { return Ok(None) };
        let left = left.checked_sub(piece.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
        Ok(Some((piece, (response, left))))
    })
}

impl Program {
    async fn answer(&self, body: &str) -> Response {
        let Ok(document) = json::read(body) else {
            return text(StatusCode::BAD_REQUEST, "the message is not JSON");
        };
        let method = document.root.get("method").and_then(Node::as_str).unwrap_or_default();
        let is_probe = method == "server/discover";
        let greets = method == "initialize";
        // A page that was loaded anew begins anew, also with a program that has ended meanwhile.
        let is_known = greets && self.was_greeted.load(Ordering::Relaxed);
        let begins = is_known || ((is_probe || greets) && self.pipe.has_ended().await);
        if begins && let Err(failure) = self.restart().await {
            return text(StatusCode::BAD_GATEWAY, &failure.to_string());
        }
        let older = greets || self.was_greeted.load(Ordering::Relaxed);
        self.was_greeted.store(older, Ordering::Relaxed);
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        // Several tabs of the page count for themselves, so each message gets a number of its own.
        let Some((asked, message)) = readdressed(body, &id.to_string()) else {
            return self.tell(method, body).await;
        };
        let silence = if is_probe { PROBE_SILENCE } else { SILENCE };
        let message = &message;
        match self
            .pipe
            .exchange(Asked { id, message, older, greets: is_probe || greets }, silence)
            .await
        {
            Ok(Heard { line, .. }) => {
                let line = String::from_utf8_lossy(&line);
                let answer = readdressed(&line, &asked);
                json(StatusCode::OK, answer.map_or_else(|| line.into_owned(), |(_, answer)| answer))
            }
            Err(reason) if is_probe => self.did_not_know(&asked, &reason).await,
            Err(reason) => nothing_came(&reason),
        }
    }

    /// Tells the program what wants no answer.
    async fn tell(&self, method: &str, body: &str) -> Response {
        // It names a request by the page's number, under which the program knows another or none. The
        // end of the page's request says the same, and the program is told of that.
        if method == "notifications/cancelled" {
            return StatusCode::ACCEPTED.into_response();
        }
        // What holds line breaks between its members is still one message.
        let line = body.replace(['\n', '\r'], " ");
        match self.pipe.tell(&line).await {
            Ok(()) => StatusCode::ACCEPTED.into_response(),
            Err(reason) => nothing_came(&reason),
        }
    }

    /// Older programs are silent or end where they are asked what they do not know. Over HTTP they
    /// would say so.
    async fn did_not_know(&self, asked: &str, reason: &NoAnswer) -> Response {
        if matches!(reason, NoAnswer::Silent { ended: true, .. }) {
            // If it cannot be started a second time, the next message finds it ended.
            let _ = self.restart().await;
        }
        let message = json_string(&excerpt(&reason.to_string(), 500));
        let error = format!(r#"{{"code":{METHOD_NOT_FOUND},"message":{message}}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{asked},"error":{error}}}"#);
        json(StatusCode::NOT_FOUND, body)
    }

    async fn restart(&self) -> Result<(), Failure> {
        self.was_greeted.store(false, Ordering::Relaxed);
        self.pipe.restart().await
    }
}

fn json(status: StatusCode, body: String) -> Response {
    (status, [("content-type", "application/json")], body).into_response()
}

fn nothing_came(reason: &NoAnswer) -> Response {
    text(StatusCode::BAD_GATEWAY, &reason.to_string())
}

/// Refuses a second server of one name.
pub(super) fn check_names(servers: &[Named]) -> Result<(), Failure> {
    let mut names: Vec<_> = servers.iter().map(|server| server.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Failure::Usage(format!("Two servers are called {}.", quote(pair[0])))),
    }
}
