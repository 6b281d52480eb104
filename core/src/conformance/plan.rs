//! What a run is asked to do, what it costs, and what passes between it and its caller.

use std::collections::HashSet;

use serde::Serialize;

use crate::entry::SkillEntry;
use crate::protocol::directory::ManifestTree;
use crate::protocol::results::Discovery;
use crate::protocol::{Attempt, Call, Reply, ReplyError, ReplyLimits};

/// Which skills a run looks at. The server itself is looked at in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every skill that can be found: listed, named in texts, or served beside the listing.
    #[default]
    Server,
    /// These skills, by the URIs of their `SKILL.md`.
    Skills(Vec<String>),
}

/// How a run goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The server's address for the report; its query and user part are left out.
    pub address: Option<String>,
    /// The most calls that are open at once, at least one.
    pub parallel: usize,
    /// Whether errors are provoked: unknown skills, files, cursors and methods are asked for.
    pub provoke: bool,
    /// Whether all that is listed is read a second time, to see whether it changes.
    pub twice: bool,
    /// The most calls to make; what is behind them stays untested.
    pub max_calls: usize,
    /// The most bytes to ask for, by the sizes that manifests state; what is behind them stays
    /// untested.
    pub max_bytes: u64,
    /// Whether answers come over HTTP. Over a pipe they have no status, and no rule on it holds.
    pub http: bool,
    /// What the server declares in its other era, if the caller has asked: from
    /// [`Connected::discovery`](crate::protocol::Connected) of a second handshake.
    pub other_era: Option<Discovery>,
}

impl Default for Options {
    /// Six calls at once, errors provoked, one pass, at most 100,000 calls and 1 GiB, over HTTP.
    fn default() -> Self {
        Self {
            address: None,
            parallel: 6,
            provoke: true,
            twice: false,
            max_calls: 100_000,
            max_bytes: 1 << 30,
            http: true,
            other_era: None,
        }
    }
}

/// What a run costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The calls in all, those made included.
    pub calls: usize,
    /// The bytes of the files that are read, by the sizes that manifests state.
    pub bytes: u64,
    /// Whether the listing is known; before that the numbers are the least it can be.
    pub is_estimate: bool,
}

impl Plan {
    /// What it costs to look at these skills, for a caller that knows their entries already.
    ///
    /// ```
    /// use skillglass::conformance::{Options, Plan};
    /// let plan = Plan::of([], true, &Options::default());
    /// assert!(plan.calls < 20 && plan.bytes == 0);
    /// ```
    #[must_use]
    pub fn of<'e>(
        entries: impl IntoIterator<Item = &'e SkillEntry>,
        directory_read: bool,
        options: &Options,
    ) -> Self {
        let mut files = HashSet::new();
        let mut directories = HashSet::new();
        let mut plan = Self { calls: BEFORE_SKILLS, bytes: 0, is_estimate: true };
        if options.provoke {
            plan.calls += PROBES;
        }
        for entry in entries {
            plan.calls += 1;
            for file in entry.manifest().map_or(&[][..], |manifest| &manifest.files) {
                if file.usable && files.insert(file.uri.as_str()) {
                    plan.bytes = plan.bytes.saturating_add(file.size.unwrap_or_default());
                }
            }
            if entry.manifest().is_none() {
                files.insert(entry.uri.as_str());
            }
            if directory_read && let Some(tree) = ManifestTree::new(entry) {
                directories.extend(tree.directories().map(str::to_owned));
            }
        }
        plan.calls += files.len() + directories.len();
        if options.twice {
            plan.calls += files.len();
            plan.bytes = plan.bytes.saturating_mul(2);
        }
        plan
    }
}

/// Discovery, one page of skills and one of resources.
const BEFORE_SKILLS: usize = 3;

/// How many errors are provoked at most.
const PROBES: usize = 14;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// What it is at.
    pub stage: Stage,
    /// The calls that were answered or have failed.
    pub answered: usize,
    /// The calls that are open.
    pub open: usize,
    /// The bytes of messages that came.
    pub received: u64,
    /// The cost as far as it is known.
    pub plan: Plan,
}

/// The parts of a run, in their order. A part begins when the one before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// What the server declares and lists. At its end the [`Plan`] is known.
    Survey,
    /// Errors, and the entry of each skill.
    Skills,
    /// Files and directories.
    Files,
    /// A second look at what differed, or at everything.
    Again,
    /// Nothing is left.
    Done,
}

/// A call to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1; the exchange's number in the report.
    pub id: u64,
    /// The call.
    pub call: Call,
    /// How long the answer may be; hand it to the [`ReplyReader`](crate::protocol::ReplyReader).
    pub limits: ReplyLimits,
    /// What it is for, in a few words.
    pub note: String,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// The server answered.
    Answered(Result<Reply, ReplyError>),
    /// No answer came; the reason in words. Nothing is held against the server.
    Failed(String),
    /// The caller gave it up. It is asked again, of a run that was [stopped](super::Run::stop) once it
    /// goes on.
    Withdrawn,
}

impl From<Attempt> for Received {
    fn from(attempt: Attempt) -> Self {
        match attempt {
            Attempt::Answered(answered) => Self::Answered(answered.reply),
            Attempt::Unreachable => Self::Failed("nothing readable came back".to_owned()),
            Attempt::TimedOut => Self::Failed("no answer came within the time limit".to_owned()),
            Attempt::Silent => Self::Failed("the server's process did not answer".to_owned()),
        }
    }
}
