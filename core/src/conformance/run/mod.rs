//! The runner: what to ask next, and what became of the answers. It does no I/O.

mod account;
mod answers;
mod facts;
mod lacks;
mod stages;

use std::collections::{HashSet, VecDeque};

use super::judge::probe::Probe;
use super::ledger::Ledger;
use super::plan::{Options, Plan, Progress, Received, Scope, Stage, Step};
use super::report::Exchange;
use super::{Outcome, Subject};
use crate::finding::excerpt;
use crate::protocol::{Call, Connected, Era, ReplyLimits};
pub(super) use account::summary;
#[cfg(test)]
pub(super) use facts::MAX_ITEMS;
use facts::{Facts, Origin};
use lacks::Lacks;

/// The longest answer that is read, in bytes: a file of 16 MiB whose every byte is a `\u` escape.
const MAX_REPLY: usize = 128 * 1024 * 1024;

/// What an answer may have in any case, in bytes: a file of 16 MiB as base64.
const MIN_REPLY: usize = 24 * 1024 * 1024;

/// How many characters of an answer are kept as evidence.
const MAX_EXCERPT: usize = 500;

/// A conformance run over one server. See the [module](super) for how it is driven.
#[derive(Clone, Debug)]
pub struct Run {
    connected: Connected,
    scope: Scope,
    /// The selected skills, if only some are looked at.
    selected: Option<HashSet<String>>,
    /// How many of them the listing has not named yet.
    unlisted: usize,
    options: Options,
    stage: Stage,
    stopped: bool,
    /// Whether it stops by itself once its cost is known.
    asks_first: bool,
    lacks: Lacks,
    /// What is to be asked, and the bytes that may come of it.
    queue: VecDeque<(Ask, u64)>,
    waiting_bytes: u64,
    /// What was asked and not answered yet, each with its number.
    open: Vec<(u64, Ask)>,
    last_id: u64,
    answered: usize,
    received: u64,
    asked_bytes: u64,
    /// What the stages behind this one cost, as far as it is known.
    later: Plan,
    ledger: Ledger,
    facts: Facts,
    exchanges: Vec<Exchange>,
}

/// A question of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ask {
    Discover,
    List,
    Resources,
    Probe(Box<Probe>),
    Get(usize),
    Read(usize),
    Directory(usize),
    GetAgain(usize),
    ReadAgain(usize),
    /// A file that a `SKILL.md` links to and no manifest lists.
    Linked {
        skill: usize,
        uri: String,
    },
}

impl Run {
    /// A run over the server that a [handshake](crate::protocol::Handshake) has connected to.
    #[must_use]
    pub fn new(connected: &Connected, scope: Scope, options: Options) -> Self {
        let selected: Option<HashSet<String>> = match &scope {
            Scope::Server => None,
            Scope::Skills(uris) => Some(uris.iter().cloned().collect()),
        };
        let mut run = Self {
            connected: connected.clone(),
            unlisted: selected.as_ref().map_or(0, HashSet::len),
            selected,
            scope,
            options,
            stage: Stage::Survey,
            stopped: false,
            asks_first: false,
            lacks: Lacks::default(),
            queue: VecDeque::new(),
            waiting_bytes: 0,
            open: Vec::new(),
            last_id: 0,
            answered: 0,
            received: 0,
            asked_bytes: 0,
            later: Plan::default(),
            ledger: Ledger::new(connected.era),
            facts: Facts::new(),
            exchanges: Vec::new(),
        };
        run.survey();
        run
    }

    /// The next call to make; none where answers are awaited first, or the run is over. Hand what
    /// comes of it to [`Run::receive`], in any order.
    pub fn next_step(&mut self) -> Option<Step> {
        while !self.stopped && self.open.len() < self.options.parallel.max(1) {
            match self.queue.pop_front() {
                Some((ask, bytes)) => {
                    self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
                    if let Some(step) = self.launch(ask, bytes) {
                        return Some(step);
                    }
                }
                None if self.open.is_empty() && self.stage != Stage::Done => {
                    self.stopped = self.asks_first && self.stage == Stage::Survey;
                    self.enter_next_stage();
                }
                None => return None,
            }
        }
        None
    }

    /// Takes what came of the step `id`. An id that is not open is passed over.
    pub fn receive(&mut self, id: u64, received: Received) {
        let Some(at) = self.open.iter().position(|(open, _)| *open == id) else { return };
        let (_, ask) = self.open.swap_remove(at);
        let call = self.call(&ask);
        match received {
            Received::Withdrawn => return self.take_back(ask),
            Received::Failed(reason) => {
                self.failed_call(&ask, &call, &excerpt(&reason, MAX_EXCERPT));
            }
            Received::Answered(reply) => {
                self.settle(id, &ask, &call, &reply);
                if self.ledger.cites(id) {
                    let at = self.exchanges.partition_point(|other| other.number < id);
                    self.exchanges
                        .insert(at, answers::exchange(id, &call, &reply, self.options.http));
                }
            }
        }
        self.answered += 1;
    }

    /// Whether nothing is left to ask and nothing is awaited.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// Hands out no more steps. Answers to open ones are still taken, unless they are
    /// [withdrawn](Received::Withdrawn); [`Run::report`] says what was not tested. [`Run::resume`]
    /// goes on.
    pub const fn stop(&mut self) {
        self.stopped = true;
    }

    /// Makes the run stop by itself once its cost is known, until [`Run::resume`].
    pub const fn ask_first(&mut self) {
        self.asks_first = true;
    }

    /// Whether it hands out no more steps until [`Run::resume`].
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Goes on after [`Run::stop`].
    pub const fn resume(&mut self) {
        self.stopped = false;
    }

    /// How far the run is, and what it costs. Cheap enough for every answer.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let plan = Plan {
            calls: self.answered + self.open.len() + self.queue.len() + self.later.calls,
            bytes: self.asked_bytes + self.waiting_bytes + self.later.bytes,
            is_estimate: self.stage < Stage::Files,
        };
        let (answered, open) = (self.answered, self.open.len());
        Progress { stage: self.stage, answered, open, received: self.received, plan }
    }

    /// What the run costs; before [`Stage::Skills`] only what is known so far.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.progress().plan
    }

    /// Whether a skill is one of those that are looked at.
    fn is_in_scope(&self, uri: Option<&str>) -> bool {
        let selected = |selected: &HashSet<String>| uri.is_some_and(|uri| selected.contains(uri));
        self.selected.as_ref().is_none_or(selected)
    }

    fn plan_ask(&mut self, ask: Ask) {
        let bytes = self.bytes(&ask);
        self.waiting_bytes = self.waiting_bytes.saturating_add(bytes);
        self.queue.push_back((ask, bytes));
    }

    /// Plans again, before what waits, what was asked and given up.
    fn take_back(&mut self, ask: Ask) {
        let bytes = self.bytes(&ask);
        self.asked_bytes = self.asked_bytes.saturating_sub(bytes);
        self.waiting_bytes = self.waiting_bytes.saturating_add(bytes);
        self.queue.push_front((ask, bytes));
    }

    /// Plans the next page of a walk, which goes before what waits.
    fn plan_page(&mut self, ask: Ask) {
        self.queue.push_front((ask, 0));
    }

    const fn era(&self) -> Era {
        self.connected.era
    }

    /// Whether directories may be asked for.
    const fn directories(&self) -> bool {
        self.connected.discovery.directory_read
    }

    /// Makes a step of a question, or notes why it is not asked.
    fn launch(&mut self, ask: Ask, bytes: u64) -> Option<Step> {
        let used = self.answered + self.open.len();
        let reason = if used >= self.options.max_calls {
            format!("the limit of {} calls was reached", self.options.max_calls)
        } else if self.asked_bytes.saturating_add(bytes) > self.options.max_bytes {
            format!("the limit of {} bytes was reached", self.options.max_bytes)
        } else {
            self.last_id += 1;
            self.asked_bytes += bytes;
            let call = self.call(&ask);
            let (note, limits) = (self.note(&ask), self.limits(&ask));
            self.open.push((self.last_id, ask));
            return Some(Step { id: self.last_id, call, limits, note });
        };
        self.untested(&ask, &reason);
        self.lacks.cut_short(&reason);
        None
    }

    fn call(&self, ask: &Ask) -> Call {
        let facts = &self.facts;
        match ask {
            Ask::Discover => Call::Discover,
            // The walk stands where it stood when the page was asked for.
            Ask::List => facts.listing.next().unwrap_or(Call::ListSkills { cursor: None }),
            Ask::Resources => Call::ListResources { cursor: facts.resources.walk.cursor.clone() },
            Ask::Probe(probe) => probe.call.clone(),
            Ask::Get(at) | Ask::GetAgain(at) => {
                Call::GetSkill { uri: facts.skills[*at].uri.clone() }
            }
            Ask::Read(at) | Ask::ReadAgain(at) => {
                Call::ReadResource { uri: facts.files[*at].uri.clone() }
            }
            Ask::Linked { uri, .. } => Call::ReadResource { uri: uri.clone() },
            Ask::Directory(at) => {
                let directory = &facts.directories[*at];
                let (uri, cursor) = (directory.uri.clone(), directory.walk.cursor.clone());
                Call::ReadDirectory { uri, cursor }
            }
        }
    }

    fn note(&self, ask: &Ask) -> String {
        match ask {
            Ask::Discover => "what the server declares".to_owned(),
            Ask::List => format!("page {} of the listing", self.facts.listing.pages() + 1),
            Ask::Resources => "the server's resources".to_owned(),
            Ask::Probe(probe) => format!("to be refused: {}", probe.what),
            Ask::Get(_) => "the entry of a skill".to_owned(),
            Ask::Read(_) => "a file".to_owned(),
            Ask::Directory(_) => "a directory".to_owned(),
            Ask::GetAgain(_) => "an entry once more".to_owned(),
            Ask::ReadAgain(_) => "a file once more".to_owned(),
            Ask::Linked { .. } => "a file that a link names and no manifest".to_owned(),
        }
    }

    /// The bytes of the file that is asked for, as far as a manifest says.
    fn bytes(&self, ask: &Ask) -> u64 {
        match ask {
            Ask::Read(at) | Ask::ReadAgain(at) => self.facts.files[*at].size.unwrap_or_default(),
            _ => 0,
        }
    }

    /// A file takes six bytes for each of its own at most, in `\u` escapes, and some around it. One
    /// that is larger than promised is to be seen, not cut off.
    fn limits(&self, ask: &Ask) -> ReplyLimits {
        let size = match ask {
            Ask::Read(at) | Ask::ReadAgain(at) => self.facts.files[*at].size,
            _ => None,
        };
        let escaped = size.and_then(|size| usize::try_from(size.saturating_mul(6)).ok());
        let body = escaped.map_or(MAX_REPLY, |body| body.saturating_add(1 << 20));
        ReplyLimits { body: body.clamp(MIN_REPLY, MAX_REPLY) }
    }

    /// A call brought nothing to judge by. Nothing is held against the server, and the run is not
    /// complete.
    fn failed_call(&mut self, ask: &Ask, call: &Call, reason: &str) {
        self.untested(ask, reason);
        self.lacks.failed(call.method(), reason);
    }

    /// Notes that a question has no answer, and why.
    fn untested(&mut self, ask: &Ask, reason: &str) {
        let (facts, ledger) = (&mut self.facts, &mut self.ledger);
        mark_untested(facts, ledger, ask, reason);
        match ask {
            Ask::List => facts.listing.fail(reason),
            Ask::Resources => {
                facts.resources.walk.ended = true;
                facts.resources.failed = Some(reason.to_owned());
            }
            Ask::GetAgain(at) => facts.skills[*at].second_look_failed = Some(reason.to_owned()),
            Ask::ReadAgain(at) => {
                for skill in facts.files[*at].skills.clone() {
                    facts.skills[skill].second_look_failed = Some(reason.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Marks the checks that a question was asked for.
fn mark_untested(facts: &Facts, ledger: &mut Ledger, ask: &Ask, reason: &str) {
    use answers::{FILE, GET, LIST, SKILL_MD, UNLISTED};
    match ask {
        Ask::List => ledger.untested(&Subject::method("skills/list"), LIST, reason),
        Ask::Probe(probe) => {
            ledger.untested(&Subject::method(probe.call.method()), &[probe.check], reason);
        }
        Ask::Get(at) => {
            let skill = &facts.skills[*at];
            let checks = if skill.origin == Origin::Listed { GET } else { UNLISTED };
            ledger.untested(&Subject::skill(&skill.uri), checks, reason);
        }
        Ask::Read(at) => {
            let uri = &facts.files[*at].uri;
            if facts.unconfirmed(uri) {
                return ledger.untested(&Subject::skill(uri), UNLISTED, reason);
            }
            ledger.untested(&Subject::file(uri), FILE, reason);
            if facts.own_skill(uri).is_some() {
                ledger.untested(&Subject::skill(uri), SKILL_MD, reason);
            }
        }
        Ask::Directory(at) => unseen_directory(facts, ledger, *at, reason),
        Ask::GetAgain(at) => {
            let subject = Subject::skill(&facts.skills[*at].uri);
            ledger.untested(&subject, &["dynamic-honest"], reason);
        }
        Ask::Discover | Ask::Resources | Ask::ReadAgain(_) | Ask::Linked { .. } => {}
    }
}

/// Marks what a directory would have shown: of itself, and of the manifests of the skills around it.
fn unseen_directory(facts: &Facts, ledger: &mut Ledger, at: usize, reason: &str) {
    let directory = &facts.directories[at];
    ledger.untested(&Subject::directory(&directory.uri), answers::DIRECTORY, reason);
    let skills = directory.skills.iter().map(|skill| &facts.skills[*skill]);
    for skill in skills.filter(|skill| skill.tree.is_some()) {
        let check = ["manifest-complete-vs-directory"];
        ledger.untested(&Subject::skill(&skill.uri), &check, reason);
    }
}

/// Whether an outcome of the ledger is a failure.
fn failed(ledger: &Ledger, subject: &Subject, check: &str) -> bool {
    ledger.outcome(subject, check) == Some(Outcome::Fail)
}
