//! `skillglass inspect`: the page, and a bridge to what a page cannot reach.
//!
//! The bridge is for one person on this machine. The page that knows of it is served below a path that
//! nobody can guess, and is told the token that every message over the bridge has to carry. The
//! bridge leads to the servers that the person names, on the command line or in that page, and to no
//! others, and answers no other web page. At `/` there is the page as any web server has it, without
//! the bridge.

mod config;
mod page;
mod server;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use rustls::crypto::ring;
use skillglass::server::Gate;

use self::page::{Page, Told, ToldServer};
use self::server::{Kind, Named, Server, Servers, check_names};
use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::folder;
use crate::listen::{Listener, header, read_message, text};
use crate::output;
use crate::target::Target;
use crate::terminal::Terminal;

/// The longest text in which a server is named: an address and headers.
const MAX_NAMING: usize = 64 * 1024;

/// What the handlers share.
struct Shared {
    /// The value of `Authorization` that lets a message over the bridge.
    authorization: String,
    gate: Gate,
    /// The page as it is, and as it is told of the bridge.
    plain: Page,
    told: Page,
    servers: Servers,
}

pub(crate) async fn run(
    arguments: Inspect,
    terminal: &Terminal,
) -> Result<crate::Outcome, Failure> {
    let named = named(&arguments)?;
    check_names(&named)?;
    let plain = match &arguments.page {
        Some(folder) => Page::in_folder(folder)?,
        None => Page::built_in()?,
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let listener = Listener::bind(address).await?;
    // The path is its own secret; one that leaks from somewhere does not open the bridge.
    let (path, token) = (random()?, random()?);
    let servers = named.iter().map(|Named { name, kind }| ToldServer {
        name: name.clone(),
        what: kind.label(),
        program: matches!(kind, Kind::Program(_)),
    });
    let told = plain.told(&Told { token: &token, servers: servers.collect() });
    let servers = named.into_iter().map(|named| Server::start(named.kind, terminal));
    let servers = Servers::of(servers.collect::<Result<_, _>>()?);
    let origin = |host: &str| format!("http://{host}:{}", listener.address.port());
    let own_pages = ["127.0.0.1", "localhost"].map(origin);
    let gate = own_pages.iter().try_fold(Gate::new(), |gate, own| gate.origin(own))?;
    let url = format!("{}/{path}/", origin("127.0.0.1"));
    output::print(&format!("{url}\n"))?;
    terminal.note("The page is there, for you only, until this program ends (Ctrl-C).");
    if !arguments.no_open && open::that_detached(&url).is_err() {
        terminal.note("No browser could be opened; open the address above.");
    }
    let authorization = format!("Bearer {token}");
    let shared = Arc::new(Shared { authorization, gate, plain, told, servers });
    let outcome = tokio::select! {
        failure = listener.serve(router(&path, Arc::clone(&shared))) => Err(failure),
        () = crate::interrupted() => Ok(crate::Outcome::Clean),
    };
    for server in shared.servers.all() {
        server.close().await;
    }
    outcome
}

/// The servers of the command line and of the configuration file.
fn named(arguments: &Inspect) -> Result<Vec<Named>, Failure> {
    let Inspect { names, program, credentials, config, .. } = arguments;
    let targets = names.iter().map(|name| Target::named(name)).collect::<Result<Vec<_>, _>>()?;
    let addresses = targets.iter().filter(|target| matches!(target, Target::Address(_)));
    if credentials.are_given() && addresses.count() != 1 {
        let text = "Headers go to one server at an address. Several servers have theirs in a --config file.";
        return Err(Failure::Usage(text.to_owned()));
    }
    let program = (!program.is_empty()).then(|| Target::Program(program.clone()));
    let mut named = Vec::new();
    for target in targets.into_iter().chain(program) {
        let name = name_of(&target)?;
        let is_taken = named.iter().any(|other: &Named| other.name == name);
        let name = if is_taken { target.label() } else { name };
        // The page has the demonstrations in itself.
        named.extend(Kind::of(target, credentials)?.map(|kind| Named { name, kind }));
    }
    if let Some(path) = config {
        named.extend(config::read(path)?);
    }
    Ok(named)
}

/// What the page calls a server: a folder by its own name, others as reports do.
fn name_of(target: &Target) -> Result<String, Failure> {
    match target {
        Target::Folder(path) => folder::name(path),
        _ => Ok(target.label()),
    }
}

/// Thirty-two hexadecimal digits that nobody can guess.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    ring::default_provider().secure_random.fill(&mut bytes).map_err(|_| {
        Failure::Runtime(std::io::Error::other("the system gives no random numbers"))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn router(path: &str, shared: Arc<Shared>) -> Router {
    let bridge = Router::new()
        .route("/bridge", post(name))
        .route("/bridge/{number}", any(exchange))
        .route("/bridge/{number}/said/{behind}", get(said))
        .route("/bridge/{number}/restart", post(restart))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), with_token));
    Router::new()
        .route("/", get(plain))
        .route("/{file}", get(plain))
        .route(&format!("/{path}/"), get(told))
        .route(&format!("/{path}/{{file}}"), get(told))
        .merge(bridge)
        .fallback(async || text(StatusCode::NOT_FOUND, "there is nothing here"))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), through_gate))
        .with_state(shared)
}

/// Lets in what was sent to this machine's own name, and by no other web page.
async fn through_gate(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    match shared.gate.admit(header(headers, "host"), header(headers, "origin")) {
        Ok(()) => next.run(request).await,
        Err(refused) => text(StatusCode::FORBIDDEN, &refused.to_string()),
    }
}

/// Lets in what carries the token, which only the page knows.
async fn with_token(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if header(request.headers(), "authorization") == Some(&shared.authorization) {
        next.run(request).await
    } else {
        text(StatusCode::FORBIDDEN, "this is for the page that this program serves")
    }
}

async fn plain(State(shared): State<Arc<Shared>>, file: Option<Path<String>>) -> Response {
    shared.plain.answer(file.as_deref().map_or("", String::as_str))
}

async fn told(State(shared): State<Arc<Shared>>, file: Option<Path<String>>) -> Response {
    shared.told.answer(file.as_deref().map_or("", String::as_str))
}

/// A server that the person names in the page.
async fn name(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let message = match read_message(&head.headers, body, MAX_NAMING).await {
        Ok(message) => message,
        Err(refused) => return refused,
    };
    match shared.servers.name(&message.body) {
        Ok(number) => number.to_string().into_response(),
        Err(reason) => text(StatusCode::BAD_REQUEST, &reason),
    }
}

async fn exchange(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<usize>,
    method: Method,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let Some(server) = shared.servers.get(number) else { return unknown() };
    if method != Method::POST && method != Method::DELETE {
        return text(StatusCode::METHOD_NOT_ALLOWED, "messages are sent with POST");
    }
    server.answer(method, &headers, request.into_body()).await
}

/// What a program wrote to its standard error, behind the line with a number.
async fn said(
    State(shared): State<Arc<Shared>>,
    Path((number, behind)): Path<(usize, u64)>,
) -> Response {
    let Some(server) = shared.servers.get(number) else { return unknown() };
    let lines = serde_json::to_string(&server.said(behind)).unwrap_or_default();
    ([("content-type", "application/json")], lines).into_response()
}

async fn restart(State(shared): State<Arc<Shared>>, Path(number): Path<usize>) -> Response {
    let Some(server) = shared.servers.get(number) else { return unknown() };
    match server.restart().await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(failure) => text(StatusCode::BAD_GATEWAY, &failure.to_string()),
    }
}

fn unknown() -> Response {
    text(StatusCode::NOT_FOUND, "no such server was named")
}
