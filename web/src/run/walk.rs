//! Walking through a host's message flow: the core's walk names the calls, here they are sent.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::host::{OriginLabel, Outgoing, Wait, Walk, file_of};

use super::{Asked, ask, words};
use crate::browser;
use crate::failure::Failure;
use crate::state::skill::Skill;
use crate::state::walk::Flow;
use crate::transport::{Stop, Transport};

/// Begins a walk, in place of the one before; none where nothing names the skill.
pub(crate) fn begin_walk(skill: Skill) {
    stop_walk(skill);
    let (server, held) = (skill.server, skill.held.get_untracked());
    let label = OriginLabel::like(&untrack(|| server.title()));
    let uri = held.reading.uri.as_deref().unwrap_or_default();
    let walk = server.read_discovery(|discovery| Walk::new(&label, discovery, uri).ok());
    let walk = walk.flatten().map(|walk| match held.method {
        "skills/list" => walk.listed(held.reading.clone(), held.freshness, held.at),
        _ => walk,
    });
    skill.flow.set(walk.map(|walk| Flow::new(walk, server.greeted_in.get_value())));
}

/// Stops waiting for a reply.
pub(crate) fn stop_walk(skill: Skill) {
    skill.flow.with_untracked(|flow| flow.iter().for_each(|flow| flow.stop.pull()));
}

/// Makes a step for which nothing has to be sent.
pub(crate) fn step(skill: Skill, make: impl FnOnce(&mut Walk)) {
    let exchange = skill.held.with_untracked(|held| held.exchange);
    skill.flow.update(|flow| {
        if let Some(flow) = flow {
            flow.step(exchange, make);
        }
    });
    tell(skill);
}

/// Sends what the walk waits for.
pub(crate) fn send(skill: Skill) {
    let stop = Stop::new();
    let outgoing = skill.flow.try_update(|flow| {
        let flow = flow.as_mut()?;
        let Wait::Answer(Outgoing { call, .. }) = flow.walk.wait() else { return None };
        (flow.is_asking, flow.stop) = (true, stop.clone());
        Some(call.clone())
    });
    let Some(call) = outgoing.flatten() else { return };
    spawn_local(async move {
        let limits = skill.server.app().settings.limits();
        let Asked { exchange, reply } = ask(skill.server, &call, limits, &stop).await;
        skill.flow.try_update(|flow| {
            // A walk that was begun anew meanwhile waits for a reply of its own.
            let is_awaited = |flow: &&mut Flow| flow.is_asking && flow.stop == stop;
            let Some(flow) = flow.as_mut().filter(is_awaited) else { return };
            flow.is_asking = false;
            if matches!(reply, Err(Failure::Cancelled)) {
                return;
            }
            let reply = reply.map_err(|failure| words(skill.server, &failure));
            let reply = reply.as_ref().map_err(String::as_str);
            flow.step(exchange, |walk| walk.answered(reply, browser::now()));
        });
        tell(skill);
    });
}

/// Whether the server is a demonstration, which this page can change.
pub(crate) fn is_demo(skill: Skill) -> bool {
    matches!(skill.server.connection().transport, Transport::Inside { demo: Some(_), .. })
}

/// Has a demonstration server's file go on with another line from now on.
pub(crate) fn change_demo(skill: Skill, path: &str) {
    let connection = skill.server.connection();
    let Transport::Inside { demo: Some(name), server } = &connection.transport else { return };
    let held = skill.held.get_untracked();
    let uri = held.entry().and_then(|entry| file_of(entry, &entry.uri, path).ok());
    if let (Some(changed), Some(uri)) = (skillglass::demo::server(name), uri) {
        let line = format!("\nWritten on {}.\n", browser::iso_now());
        let changed = changed.append(&uri, line.as_bytes());
        server.replace(Some(Rc::new(move |request| changed.answer(request))));
    }
}

/// Has a screen reader say what came of a step.
fn tell(skill: Skill) {
    let text = skill.flow.with_untracked(|flow| {
        let flow = flow.as_ref()?;
        flow.at(flow.shown).last().map(|(passed, _)| passed.text.clone())
    });
    if let Some(text) = text {
        skill.server.app().say(text);
    }
}
