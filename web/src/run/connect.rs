//! The way to a server, step by step, and through its listing page by page.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::protocol::results::{read_discovery, read_skill_page};
use skillglass::protocol::{
    Call, Client, EndpointError, ListLimits, Listing, PROTOCOL_VERSION, Reply, ReplyLimits,
    RequestError,
};

use super::ask;
use crate::browser;
use crate::failure::{Failure, Place, first_answer};
use crate::label::DEMO;
use crate::mark::Mark;
use crate::navigation;
use crate::route::Route;
use crate::state::App;
use crate::state::server::{Catalog, Endpoint, Server, Stage, Step};
use crate::text::count;
use crate::transport::{Stop, Transport};

/// The step that tells a server that answers wrongly from one that is not there.
const ANSWERS: &str = "A server answers there";

/// What the user enters beside the address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    /// A bearer token; empty for none.
    pub(crate) token: String,
    /// Headers: names and values. Those without a name do not count.
    pub(crate) headers: Vec<(String, String)>,
}

/// Connects to the server at `endpoint`; the steps can be watched in [`App::attempt`].
pub(crate) fn connect(app: App, endpoint: &str, credentials: &Credentials) -> Result<(), Failure> {
    let (client, transport) = prepare(endpoint, credentials)?;
    if let Some(previous) = app.attempt.get_untracked() {
        previous.stop.with_value(Stop::pull);
    }
    let server = app.new_server(Endpoint(endpoint.to_owned()), client, transport);
    server.steps.update(|steps| {
        steps.push(Step { text: "Address understood".to_owned(), mark: Mark::Good, ms: None });
    });
    app.attempt.set(Some(server));
    spawn_local(run(server));
    Ok(())
}

fn prepare(endpoint: &str, credentials: &Credentials) -> Result<(Client, Transport), Failure> {
    if let Some(name) = endpoint.strip_prefix(DEMO) {
        let server =
            skillglass::demo::server(name).ok_or(Failure::Endpoint(EndpointError::Host))?;
        let client = Client::new(&format!("https://demo.invalid/{name}"));
        return Ok((client.map_err(Failure::Endpoint)?, Transport::Demo(server)));
    }
    let mut client = Client::new(endpoint).map_err(Failure::Endpoint)?;
    set_credentials(&mut client, credentials).map_err(Failure::Request)?;
    Ok((client, Transport::Http))
}

fn set_credentials(client: &mut Client, credentials: &Credentials) -> Result<(), RequestError> {
    if !credentials.token.trim().is_empty() {
        client.set_bearer_token(&credentials.token)?;
    }
    for (name, value) in &credentials.headers {
        if !name.trim().is_empty() {
            client.set_header(name.trim(), value)?;
        }
    }
    Ok(())
}

async fn run(server: Server) {
    if let Err(failure) = reach(server).await {
        let line = failure.line(place(&server.endpoint()));
        server.app().say(format!("Not connected. {line}"));
        let is_told =
            server.steps.with_untracked(|steps| steps.iter().any(|step| step.text == ANSWERS));
        if failure.has_answer() && !is_told {
            end_step(server, Mark::Good, ANSWERS.to_owned());
            begin_step(server, "");
        }
        end_step(server, Mark::Bad, line);
        server.stage.try_set(Stage::Failed(failure));
        return;
    }
    server.stage.try_set(Stage::Ready);
    let declared = server.discovery.with_untracked(|d| d.as_ref().is_some_and(|d| d.skills));
    if declared {
        page(server).await;
    }
    show(server);
    if declared {
        rest(server).await;
    }
}

fn place(endpoint: &str) -> Place<'_> {
    // The sentence that stands in a step does not name the page.
    Place { endpoint, origin: "" }
}

/// From nothing to a server that says what it is.
async fn reach(server: Server) -> Result<(), Failure> {
    begin_step(server, "Asking what is there");
    let stop = server.stop.get_value();
    let reply = ask(server, &Call::Discover, ReplyLimits::default(), &stop).await?;
    end_step(server, Mark::Good, ANSWERS.to_owned());
    begin_step(server, "Reading what it says of itself");
    discover(server, &reply)
}

fn discover(server: Server, reply: &Reply) -> Result<(), Failure> {
    let message = reply.message().map_err(Failure::Reply)?;
    let discovery = read_discovery(message.outcome().map_err(first_answer)?);
    let speaks_ours = discovery.versions.iter().any(|version| version == PROTOCOL_VERSION);
    if !speaks_ours && !discovery.versions.is_empty() {
        return Err(Failure::OtherRevision(discovery.versions));
    }
    let (mark, text) = if discovery.skills {
        (Mark::Good, "It declares skills")
    } else {
        (Mark::Warn, "It does not declare skills")
    };
    server.discovery.try_set(Some(Arc::new(discovery)));
    end_step(server, Mark::Good, format!("It speaks MCP {PROTOCOL_VERSION}"));
    server.steps.try_update(|steps| {
        steps.push(Step { text: text.to_owned(), mark, ms: None });
    });
    Ok(())
}

/// Puts a reached server beside the others and goes there, unless the user has gone elsewhere.
fn show(server: Server) {
    let app = server.app();
    let was_watched = app.attempt.get_untracked() == Some(server);
    app.add(server);
    let label = server.label().to_string();
    app.say(format!("Connected to {label}."));
    let wanted = app.route.with_untracked(|route| route.label() == Some(&label));
    if was_watched && !wanted {
        navigation::go(&Route::Server { label });
    }
}

async fn rest(server: Server) {
    while page(server).await {}
    let listed = server.listing.with_untracked(|listing| listing.skills.len());
    server.app().say(format!("{} listed.", count(listed, "skill")));
}

/// Lists from the beginning. Skills that were opened stay as they are.
pub(crate) fn list_again(server: Server) {
    server.stop.set_value(Stop::new());
    server.listing.set(Listing::new(ListLimits::default()));
    server.catalog.update(Catalog::forget_listed);
    spawn_local(rest(server));
}

/// Asks for the next page; whether there was one.
async fn page(server: Server) -> bool {
    let Some(call) = server.listing.try_with_untracked(Listing::next).flatten() else {
        return false;
    };
    let number = server.listing.with_untracked(Listing::pages) + 1;
    let before = server.listing.with_untracked(|listing| listing.skills.len());
    let stop = server.stop.get_value();
    let started = browser::clock();
    let outcome = ask(server, &call, ReplyLimits::default(), &stop).await;
    let read = outcome.and_then(|reply| {
        let message = reply.message().map_err(Failure::Reply)?;
        let page = read_skill_page(&message, message.outcome().map_err(Failure::Rpc)?);
        server.listing.try_update(|listing| listing.receive(page));
        Ok(())
    });
    let ms = Some(browser::clock() - started);
    let (mark, text) = match &read {
        Ok(()) => {
            server.extend_catalog(before);
            let new = server.listing.with_untracked(|listing| listing.skills.len()) - before;
            (Mark::Good, format!("Page {number}: {}", count(new, "skill")))
        }
        Err(failure) => {
            let line = failure.line(place(&server.endpoint()));
            server.listing.try_update(|listing| listing.fail(line.as_str()));
            (Mark::Bad, format!("Page {number} could not be had. {line}"))
        }
    };
    note_page(server, Step { text, mark, ms });
    read.is_ok()
}

/// Long listings are told by their first pages and their last one.
fn note_page(server: Server, step: Step) {
    const TOLD: usize = 8;
    server.steps.try_update(|steps| {
        if steps.len() >= TOLD && steps.last().is_some_and(|last| last.text.starts_with("Page ")) {
            steps.pop();
        }
        steps.push(step);
    });
}

fn begin_step(server: Server, text: &str) {
    let step = Step { text: text.to_owned(), mark: Mark::Busy, ms: Some(browser::clock()) };
    server.steps.try_update(|steps| steps.push(step));
}

/// Ends the step that is under way.
fn end_step(server: Server, mark: Mark, text: String) {
    server.steps.try_update(|steps| {
        if let Some(step) = steps.iter_mut().rev().find(|step| step.mark == Mark::Busy) {
            let ms = step.ms.map(|started| browser::clock() - started);
            *step = Step { text, mark, ms };
        }
    });
}
