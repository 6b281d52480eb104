//! Judging: driving the core's conformance run over a server.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::conformance::{Options, Received, Run, Scope, Stage, Step};
use skillglass::protocol::log::Question;
use skillglass::protocol::results::Discovery;
use skillglass::protocol::{Attempt, Era, EraChoice, Handshake, HandshakeStep};

use super::{Asked, Cost, ask_plainly, exchange, explained, line, tell};
use crate::browser;
use crate::failure::Failure;
use crate::state::server::Server;
use crate::transport::{Stop, Unanswered};

/// A report is shown anew at most this often, in milliseconds.
const SHOW_EVERY_MS: u64 = 300;

/// Of the time of a run, showing it takes this part at most.
const SHARE_OF_SHOWING: u64 = 20;

type Shared = Rc<RefCell<Run>>;

/// What a run compares with what the server declares in the era that it is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherEra {
    /// What it declares in the other one, which is asked for first.
    Asked,
    /// Nothing.
    LeftOut,
}

/// Begins a run over a server. The report of the run before is kept to compare with.
pub(crate) fn judge(server: Server, scope: Scope, options: Options, other_era: OtherEra) {
    let Some(connected) = server.connected.get_untracked() else { return };
    let judging = server.judging;
    judging.former.set(judging.report.get_untracked());
    judging.report.set(None);
    judging.wire.update_value(HashMap::clear);
    let options = Options { address: Some(server.endpoint().to_string()), ..options };
    let run = Rc::new(RefCell::new(Run::new(&connected, scope.clone(), options.clone())));
    judging.run.set_value(Some(Rc::clone(&run)));
    server.app().say("Checking the server.");
    if other_era == OtherEra::LeftOut {
        return go(server, &run);
    }
    judging.progress.set(Some(run.borrow().progress()));
    judging.begin();
    spawn_local(async move {
        let other_era = declared_in_other_era(server).await;
        if !is_current(server, &run) {
            return;
        }
        let was_stopped = run.borrow().is_stopped();
        // Nothing was asked yet.
        *run.borrow_mut() = Run::new(&connected, scope, Options { other_era, ..options });
        if was_stopped {
            run.borrow_mut().stop();
        }
        go(server, &run);
    });
}

/// What a server declares in the era that it is not spoken to in; none where that could not be learned.
async fn declared_in_other_era(server: Server) -> Option<Discovery> {
    let stop = server.judging.stop.try_get_value()?;
    let choice = match server.era() {
        Era::Modern => EraChoice::Legacy,
        Era::Legacy => EraChoice::Modern,
    };
    let client = server.connection().client.borrow().clone();
    let mut handshake = Handshake::new(client, choice);
    let silence_ms = server.app().settings.connect_ms();
    let cost = Cost { limits: server.app().settings.limits(), silence_ms, stop: &stop };
    let discovery = loop {
        let request = match handshake.step() {
            HandshakeStep::Send(request) => request,
            HandshakeStep::Done(connected) => break Some(connected.discovery),
            HandshakeStep::Failed(_) => break None,
        };
        let label = server.label();
        let question = Question::plain(&label, &request, browser::now());
        let (_, answered) = exchange(server, handshake.client(), question, cost).await.ok()?;
        handshake.receive(match answered {
            Ok(answered) => Attempt::Answered(answered),
            Err(Unanswered::TimedOut(_)) => Attempt::TimedOut,
            Err(_) => Attempt::Unreachable,
        });
    };
    if let Some(end) = handshake.client().end_session() {
        tell(server, end, None);
    }
    discovery
}

/// Whether this is the run of the server still: another may have begun meanwhile, or the server was
/// let go of.
fn is_current(server: Server, run: &Shared) -> bool {
    let is_same = |current: &Option<Shared>| current.as_ref().is_some_and(|it| Rc::ptr_eq(it, run));
    server.judging.run.try_with_value(is_same) == Some(true)
}

/// Asks for nothing more and gives up what is on its way, which is asked again when the run goes on.
pub(crate) fn stop_judging(server: Server) {
    if let Some(run) = server.judging.run.get_value() {
        run.borrow_mut().stop();
        server.judging.stop.with_value(Stop::pull);
    }
}

/// Goes on where [`stop_judging`] ended.
pub(crate) fn resume(server: Server) {
    let Some(run) = server.judging.run.get_value() else { return };
    run.borrow_mut().resume();
    go(server, &run);
}

fn go(server: Server, run: &Shared) {
    server.judging.begin();
    server.judging.due.set_value(0);
    pump(server, run);
}

/// Sends what the run wants to ask now; each answer asks for more.
fn pump(server: Server, run: &Shared) {
    loop {
        let step = run.borrow_mut().next_step();
        let Some(step) = step else { break };
        let run = Rc::clone(run);
        spawn_local(async move {
            let id = step.id;
            let received = received(server, step).await;
            run.borrow_mut().receive(id, received);
            if is_current(server, &run) {
                pump(server, &run);
            }
        });
    }
    show(server, run);
}

async fn received(server: Server, step: Step) -> Received {
    let Some(stop) = server.judging.stop.try_get_value() else { return Received::Withdrawn };
    let Asked { exchange, reply } = ask_plainly(server, &step.call, step.limits, &stop).await;
    if let Some(number) = exchange {
        server.judging.wire.try_update_value(|wire| wire.insert(step.id, number));
    }
    match reply {
        Ok(reply) => Received::Answered(Ok(reply)),
        Err(Failure::Reply(error)) => Received::Answered(Err(error)),
        Err(Failure::Cancelled) => Received::Withdrawn,
        Err(failure) => {
            let why = async { line(server, &explained(server, failure).await).await };
            stop.or(why).await.map_or(Received::Withdrawn, Received::Failed)
        }
    }
}

/// Shows how far the run is, and what is known when that is due.
fn show(server: Server, run: &Shared) {
    let (judging, app) = (server.judging, server.app());
    let progress = run.borrow().progress();
    let before = judging.progress.try_get_untracked().flatten().map(|before| before.stage);
    judging.progress.try_set(Some(progress));
    let has_ended = progress.open == 0;
    let started = browser::clock();
    if has_ended || started >= judging.due.try_get_value().unwrap_or_default() {
        let report = run.borrow().report().masked(&server.secrets());
        // The wire's numbers: one for each exchange, wherever it is shown.
        let report = judging.wire.try_with_value(|wire| {
            report.renumbered(|number| wire.get(&number).map_or(number, |on_wire| *on_wire as u64))
        });
        let Some(report) = report else { return };
        judging.judged_at.try_set(browser::now());
        judging.report.try_set(Some(Arc::new(report)));
        let took = browser::clock() - started;
        judging.due.try_set_value(browser::clock() + SHOW_EVERY_MS.max(took * SHARE_OF_SHOWING));
    }
    if has_ended {
        judging.is_going.try_set(false);
        let summary = judging
            .report
            .try_with_untracked(|report| report.as_ref().map(|report| report.summary.clone()));
        app.say(summary.flatten().unwrap_or_default());
    } else if before != Some(progress.stage) {
        app.say(stage_word(progress.stage));
    }
}

/// What a run is at, in words.
pub(crate) const fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Survey => "Reading what the server declares and lists",
        Stage::Skills => "Asking for entries and provoking errors",
        Stage::Files => "Reading files and directories",
        Stage::Again => "Looking a second time",
        Stage::Done => "Done",
    }
}
