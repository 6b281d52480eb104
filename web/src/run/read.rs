//! Reading: an entry with `skills/get`, one file, or all files of a skill.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::contents;
use skillglass::entry::SkillEntry;
use skillglass::protocol::results::{GotSkill, check_finished, holds_in, read_got_skill};
use skillglass::protocol::{Call, Reply, ReplyLimits};
use skillglass::review::hidden_characters;
use skillglass::verify::{refuse_contents, verify_file_with_digest};

use super::{Asked, ask, ask_plainly, explained, line};
use crate::browser::{self, Gate};
use crate::failure::Failure;
use crate::hash;
use crate::route::Route;
use crate::state::App;
use crate::state::pace::Run;
use crate::state::server::Server;
use crate::state::skill::{Answer, FileRead, FileState, Got, Held, News, Skill, SkillFile};
use crate::text::{bytes, count};
use crate::transport::Stop;

/// How often a run shows what it has done.
const SHOW_EVERY_MS: u64 = 200;

/// How long an answer to a read may be at least: refused files are worth a look, too.
const MIN_ANSWER: u64 = 8 * 1024 * 1024;

/// From which length on an answer is judged in steps, in bytes.
const LONG_ANSWER: usize = 1024 * 1024;

/// Asks `skills/get` for the entry of a skill, and compares it with the one that is held.
pub(crate) fn get(skill: Skill) {
    let Some(uri) = skill.held.with_untracked(|held| held.reading.uri.clone()) else { return };
    skill.got.set(Got::Asking);
    skill.get_stop.set_value(Stop::new());
    spawn_local(async move {
        let stop = skill.get_stop.get_value();
        let (exchange, got) = got(skill.server, &uri, &stop).await;
        let got = match got {
            Ok(got) => {
                let answer = answer(skill, got, exchange).compared();
                if let Some(same) = answer.confirmation() {
                    skill.news.try_set(same);
                }
                Got::Answer(Arc::new(answer))
            }
            Err(Failure::Cancelled) => Got::NotAsked,
            Err(failure) => Got::Failed(failure),
        };
        skill.got.try_set(got);
    });
}

/// Asks for the entry of a skill anew if it is no longer fresh, as before it is used.
pub(crate) fn freshen(skill: Skill) {
    let is_idle = skill.got.with_untracked(|got| matches!(got, Got::NotAsked))
        && skill.news.with_untracked(|news| *news != News::Asking);
    let uri = skill.held.with_untracked(|held| held.reading.uri.clone());
    let Some(uri) = uri.filter(|_| is_idle && !skill.is_fresh(browser::now())) else { return };
    skill.news.set(News::Asking);
    skill.get_stop.set_value(Stop::new());
    spawn_local(async move {
        let (exchange, got) = got(skill.server, &uri, &skill.get_stop.get_value()).await;
        match got {
            Ok(got) => skill.take_news(answer(skill, got, exchange)),
            // The entry that is held may be used all the same, as long as one says so.
            Err(failure) => {
                let why = line(skill.server, &failure).await;
                skill.news.try_set(News::Failed(why));
            }
        }
    });
}

/// What `skills/get` gives, and the exchange that it came in.
async fn got(server: Server, uri: &str, stop: &Stop) -> (Option<usize>, Result<GotSkill, Failure>) {
    let call = Call::GetSkill { uri: uri.to_owned() };
    let limits = server.app().settings.limits();
    let Asked { exchange, reply } = ask(server, &call, limits, stop).await;
    let got = reply.and_then(|reply| {
        let message = reply.message().map_err(Failure::Reply)?;
        let result = message.outcome().map_err(Failure::Rpc)?;
        check_finished(result).map_err(Failure::Unfinished)?;
        let mut got = read_got_skill(&message, result, uri);
        let era = server.era();
        got.findings.retain(|finding| holds_in(era, finding));
        Ok(got)
    });
    (exchange, got)
}

fn answer(skill: Skill, got: GotSkill, exchange: Option<usize>) -> Answer {
    let GotSkill { reading, freshness, findings } = got;
    let held = reading
        .map(|reading| Held::new(reading, browser::now(), freshness, "skills/get", exchange));
    Answer::new(held, findings, &skill.held.get_untracked(), exchange)
}

/// Opens a skill that need not be listed.
pub(crate) async fn open_by_uri(server: Server, uri: &str, stop: &Stop) -> Result<Skill, Failure> {
    let (exchange, got) = got(server, uri, stop).await;
    let GotSkill { reading, freshness, findings } = got?;
    let Some(reading) = reading else {
        let what = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        return Err(Failure::NoEntry(what));
    };
    let held = Held::new(reading, browser::now(), freshness, "skills/get", exchange);
    Ok(server.open_by_uri(uri, held))
}

/// Reads one file and checks it.
pub(crate) fn read_file(skill: Skill, file: SkillFile) {
    let is_busy = matches!(file.state.get_untracked(), FileState::Reading);
    if is_busy || !file.is_readable() {
        return;
    }
    let stop = begin(skill);
    let before = file.state.get_untracked();
    skill.record(&file, FileState::Reading);
    spawn_local(async move {
        let state = match read(skill, &file, &stop).await {
            Some(FileState::Failed(failure)) => {
                Some(FileState::Failed(explained(skill.server, failure).await))
            }
            state => state,
        };
        let path = &file.path;
        skill.server.app().say(match &state {
            Some(FileState::Read(read)) if read.verdict.is_usable() => format!("{path} was read."),
            Some(FileState::Read(_)) => format!("{path} is refused."),
            _ => format!("{path} could not be read."),
        });
        skill.record_opened(&file, state.unwrap_or(before));
    });
}

/// A stop for what begins now; one that was pulled is spent.
fn begin(skill: Skill) -> Stop {
    if skill.stop.with_value(Stop::is_pulled) {
        skill.stop.set_value(Stop::new());
    }
    skill.stop.get_value()
}

/// Reads every file of a skill and checks it, a few at a time.
pub(crate) fn verify_all(skill: Skill) {
    verify(skill, None);
}

/// Reads every file of a skill and checks it, as one of several skills where `batch` says how far those are. The gate
/// opens at the end. A run that is under way goes on as it is.
fn verify(skill: Skill, batch: Option<RwSignal<Option<Run>>>) -> Gate {
    if skill.run.with_untracked(Option::is_some) {
        return skill.ended.get_value();
    }
    let files: Vec<_> = skill.files.with_untracked(|files| {
        files.order.iter().filter(|file| file.is_readable()).cloned().collect()
    });
    let total = files.len();
    let promised = files.iter().filter_map(SkillFile::size).fold(0, u64::saturating_add);
    let (stop, ended) = (begin(skill), Gate::new());
    skill.ended.set_value(ended.clone());
    skill.run.set(Some(Run::new(total, promised, browser::clock())));
    skill.broken_off.set(None);
    skill.forget_changes();
    if batch.is_none() {
        skill.server.app().say(format!("Reading {}.", count(total, "file")));
    }
    let queue = Rc::new(Queue::new(files, batch));
    let server = skill.server;
    let usual = server.connection().transport.parallel(&server.endpoint());
    for _ in 0..server.app().settings.reads(usual).min(total) {
        queue.working.set(queue.working.get() + 1);
        spawn_local(work(skill, Rc::clone(&queue), stop.clone()));
    }
    if total == 0 {
        finish(skill, &queue, &stop);
    }
    ended
}

/// Verifies the skills that are chosen, one after the other.
pub(crate) fn verify_chosen(server: Server) {
    let selection = server.selection;
    let rows = untrack(|| server.chosen());
    if rows.is_empty() || selection.run.with_untracked(Option::is_some) {
        return;
    }
    let files = rows.iter().map(|row| row.kind.files()).sum();
    let promised = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.size));
    let stop = Stop::new();
    selection.stop.set_value(stop.clone());
    selection.broken_off.set(None);
    selection.is_verified.set(false);
    selection.run.set(Some(Run::new(files, promised, browser::clock())));
    server.app().say(format!("Verifying {}.", count(rows.len(), "skill")));
    spawn_local(async move {
        for row in rows {
            if stop.is_pulled() {
                break;
            }
            let Some(skill) = untrack(|| server.skill(&row.key)) else { continue };
            if skill.held.with_untracked(|held| held.entry().is_none()) {
                continue;
            }
            let is_under_way = skill.run.with_untracked(Option::is_some);
            selection.verifying.set_value((!is_under_way).then_some(skill));
            let ended = verify(skill, Some(selection.run));
            if is_under_way {
                stop.or(ended.opened()).await;
                advance(selection.run, row.kind.files(), row.size);
            } else {
                ended.opened().await;
            }
            // What ends the run of one, such as a server that is gone, would end those of the others.
            if let Some(failure) = skill.broken_off.try_get_untracked().flatten() {
                selection.broken_off.try_set(Some(failure));
                break;
            }
        }
        selection.verifying.try_set_value(None);
        selection.run.try_set(None);
        selection.is_verified.try_set(true);
        let is_broken_off = selection.broken_off.try_with_untracked(Option::is_some) == Some(true);
        let ended = match stop.is_pulled() {
            true => "Stopped",
            false if is_broken_off => "Broken off",
            false => "Done",
        };
        let outcome = untrack(|| server.outcome_of_chosen());
        server.app().say(format!("{ended}: {}.", outcome.words()));
    });
}

/// Ends [`verify_chosen`]; a skill that was being verified before goes on.
pub(crate) fn stop_chosen(server: Server) {
    server.selection.stop.with_value(Stop::pull);
    if let Some(skill) = server.selection.verifying.get_value() {
        skill.stop.with_value(Stop::pull);
    }
}

/// Verifies the skill that is shown, or stops that.
pub(crate) fn verify_shown(app: App) {
    let skill = app.route.with_untracked(|route| match route {
        Route::Skill { label, key, .. } => untrack(|| app.server(label)?.skill(key)),
        _ => None,
    });
    let Some(skill) = skill else { return };
    if skill.run.with_untracked(Option::is_some) {
        skill.stop.with_value(Stop::pull);
    } else if skill.held.with_untracked(|held| held.entry().is_some()) {
        verify_all(skill);
    }
}

/// The files of a run, and how far its workers are.
struct Queue {
    files: Vec<SkillFile>,
    /// How far all skills are of which this is one.
    batch: Option<RwSignal<Option<Run>>>,
    next: Cell<usize>,
    working: Cell<usize>,
    /// Files that are done and not yet shown.
    done: RefCell<Vec<(SkillFile, FileState)>>,
    shown_at: Cell<u64>,
}

impl Queue {
    fn new(files: Vec<SkillFile>, batch: Option<RwSignal<Option<Run>>>) -> Self {
        Self {
            files,
            batch,
            next: Cell::new(0),
            working: Cell::new(0),
            done: RefCell::default(),
            shown_at: Cell::new(0),
        }
    }

    fn take(&self) -> Option<&SkillFile> {
        let file = self.files.get(self.next.get())?;
        self.next.set(self.next.get() + 1);
        Some(file)
    }

    /// Whether enough time has passed to show what was done since.
    fn is_due(&self) -> bool {
        browser::clock().saturating_sub(self.shown_at.get()) >= SHOW_EVERY_MS
    }
}

async fn work(skill: Skill, queue: Rc<Queue>, stop: Stop) {
    while let Some(file) = queue.take().filter(|_| !stop.is_pulled()) {
        let Some(mut state) = read(skill, file, &stop).await else { break };
        if let FileState::Failed(failure) = &state
            && failure.ends_a_run()
        {
            // The others would meet the same, and ask the same questions about it.
            if stop.is_pulled() {
                break;
            }
            stop.pull();
            let failure = explained(skill.server, failure.clone()).await;
            skill.broken_off.try_set(Some(failure.clone()));
            state = FileState::Failed(failure);
        }
        queue.done.borrow_mut().push((file.clone(), state));
        if queue.is_due() {
            show(skill, &queue);
        }
    }
    queue.working.set(queue.working.get() - 1);
    if queue.working.get() == 0 {
        show(skill, &queue);
        finish(skill, &queue, &stop);
    }
}

/// Shows what is done. All at once, since each change that is shown costs the browser a layout.
fn show(skill: Skill, queue: &Queue) {
    queue.shown_at.set(browser::clock());
    let done = queue.done.take();
    let (files, mut came) = (done.len(), 0);
    for (file, state) in done {
        if let FileState::Read(read) = &state {
            came += read.size;
        }
        skill.record_of_run(&file, state);
    }
    let of_skill = advance(skill.run, files, came);
    let told = queue.batch.map_or(of_skill, |batch| advance(batch, files, came));
    let quarter = |run: Run| run.done * 4 / run.total.max(1);
    if let Some((before, now)) = told
        && now.total > 20
        && now.done < now.total
        && quarter(now) > quarter(before)
    {
        skill.server.app().say(format!("{} of {} read.", now.done, now.total));
    }
}

/// So many files more are done; how far the run was before, and is now.
fn advance(run: RwSignal<Option<Run>>, files: usize, came: u64) -> Option<(Run, Run)> {
    let both = run.try_update(|run| {
        let run = run.as_mut()?;
        let before = *run;
        run.advance(files, came, browser::clock());
        Some((before, *run))
    });
    both.flatten()
}

fn finish(skill: Skill, queue: &Queue, stop: &Stop) {
    let run = skill.run.try_update(Option::take).flatten();
    skill.sum_up();
    if !stop.is_pulled() {
        skill.compare_with_past();
    }
    skill.ended.with_value(Gate::open);
    let Some(run) = run.filter(|_| queue.batch.is_none()) else { return };
    let tally = skill.tally.get_untracked();
    let ended = if stop.is_pulled() { "Stopped" } else { "Done" };
    let since = skill.since.with_untracked(|since| {
        let since = since.as_ref().filter(|since| !since.changed.is_empty())?;
        Some(format!(" Since the time before: {}.", since.counts()))
    });
    skill.server.app().say(format!(
        "{ended}: {} of {} read, {}, {} refused.{}",
        run.done,
        run.total,
        bytes(run.bytes),
        tally.refused,
        since.unwrap_or_default()
    ));
}

/// What became of a read; none if it was stopped.
async fn read(skill: Skill, file: &SkillFile, stop: &Stop) -> Option<FileState> {
    let call = Call::ReadResource { uri: file.uri.to_string() };
    let limits = limits(skill.server, file);
    let Asked { exchange, reply } = ask_plainly(skill.server, &call, limits, stop).await;
    file.exchange.set_value(exchange);
    match reply {
        Err(Failure::Cancelled) => None,
        Err(failure) => Some(FileState::Failed(failure)),
        // What the entry said may have been let go of while the answer was on its way.
        Ok(_) if stop.is_pulled() => None,
        Ok(reply) => judge(skill, &file.uri, &reply).await,
    }
}

/// A promised file cannot need more: each byte of it is six characters as a `\u` escape.
fn limits(server: Server, file: &SkillFile) -> ReplyLimits {
    let promised = file.size().unwrap_or_default().saturating_mul(6).max(MIN_ANSWER);
    let promised = usize::try_from(promised).unwrap_or(usize::MAX);
    ReplyLimits { body: promised.min(server.app().settings.limits().body) }
}

async fn judge(skill: Skill, uri: &str, reply: &Reply) -> Option<FileState> {
    let held = skill.held.get_untracked();
    Some(match judged(held.entry()?, uri, reply).await {
        Ok(read) => FileState::Read(Arc::new(read)),
        Err(failure) => FileState::Failed(failure),
    })
}

/// Goes through an answer in steps; of a long one, each takes its time.
async fn judged(entry: &SkillEntry, uri: &str, reply: &Reply) -> Result<FileRead, Failure> {
    let is_long = reply.text.len() >= LONG_ANSWER;
    let step = async || {
        if is_long {
            browser::breathe().await;
        }
    };
    step().await;
    let message = reply.message().map_err(Failure::Reply)?;
    let result = message.outcome().map_err(Failure::Rpc)?;
    check_finished(result).map_err(Failure::Unfinished)?;
    step().await;
    Ok(match contents::read(&message.document, result, uri) {
        Ok(came) => {
            let digest = hash::sha256(&came.bytes).await;
            let verdict = verify_file_with_digest(entry, uri, &came.bytes, digest);
            step().await;
            let hidden = std::str::from_utf8(&came.bytes).map_or(0, count_hidden);
            step().await;
            FileRead {
                verdict,
                hidden,
                size: came.bytes.len() as u64,
                bytes: Some(came.bytes.as_ref().into()),
                mime_type: came.mime_type,
                notes: came.notes,
            }
        }
        Err(error) => FileRead {
            verdict: refuse_contents(entry, uri, error),
            hidden: 0,
            size: 0,
            bytes: None,
            mime_type: None,
            notes: Vec::new(),
        },
    })
}

/// How many characters of a text nobody would see.
fn count_hidden(text: &str) -> usize {
    hidden_characters(text).map(|run| run.span.of(text).chars().count()).sum()
}
