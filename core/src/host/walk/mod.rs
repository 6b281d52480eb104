//! The message flow of a host on one skill, one step at a time, for people who want to see it.
//!
//! A [`Walk`] holds a [`Host`] of its own, which makes every decision; what is here only keeps the
//! steps apart, says what each is about, and writes down what came of it. Like the host it reads
//! nothing: the caller sends what [`Wait::Answer`] names and gives the reply to
//! [`Walk::answered`].
//!
//! Source: the message flow of the extension's documentation, and *Integrity and Verification*.

mod played;
mod station;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use station::{Duty, Station};

use super::approval::ApprovalState;
use super::origin::{OriginLabel, SkillId};
use super::policy::Policy;
use super::step::{ApprovalRequest, CallFailure, FileAnswer, Outgoing, ReadStop, Step, Stop};
use super::tagged::{Standing, TaggedContent};
use super::{Host, Misuse};
use crate::contents;
use crate::entry::{Reading, SkillEntry};
use crate::finding::Finding;
use crate::protocol::results::{Discovery, Freshness, GotSkill, check_finished, read_got_skill};
use crate::protocol::{Call, Message, Reply};
use crate::uri::UriError;
use crate::value::json_string;
use crate::verify::{Verdict, evidence};
use played::Played;

/// How many bytes of a file are shown as what a model receives.
const MAX_MODEL: usize = 16 * 1024;

/// What a walk waits for.
#[derive(Debug)]
pub enum Wait {
    /// The next step: [`Walk::go_on`].
    Step,
    /// This call's reply: [`Walk::answered`].
    Answer(Outgoing),
    /// A person's answer: [`Walk::approve`] or [`Walk::deny`].
    Person(Box<ApprovalRequest>),
    /// The name of a file, [`Walk::read`], or enough of them, [`Walk::go_on`].
    File,
    /// A change: [`Walk::read_again`].
    Change,
    /// Nothing more.
    Over(End),
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the end of the flow.
    Done,
    /// A person said no.
    Denied,
    /// The skill cannot be loaded.
    Stopped,
    /// The skill is dynamic, so that a change cannot be noticed.
    Unpinned,
}

impl End {
    /// What that means, in sentences.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Done => {
                "This is the whole flow. At no time did the model receive content that nobody had approved, or that was not what its entry promises."
            }
            Self::Denied => {
                "A person said no. Nothing more is read, and the model receives nothing."
            }
            Self::Stopped => {
                "A host ends here. Until the server is mended, it does not load the skill, and the model receives nothing of it."
            }
            Self::Unpinned => {
                "The flow ends here for a dynamic skill: it promises no digests, so there is nothing to refuse. A host may decline such skills, and an approval of one is good for one load."
            }
        }
    }
}

/// What a step came to, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A host goes on.
    Usable,
    /// A host goes on, and a person should know that nothing pins what it goes on with.
    Unpinned,
    /// A host must not use it.
    Refused,
    /// Nothing was to be judged.
    Told,
}

/// A step that was made.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Where.
    pub station: Station,
    /// What was sent for it, if anything.
    pub sent: Option<Call>,
    /// What it came to.
    pub kind: Kind,
    /// The same as a sentence.
    pub text: String,
    /// What is wrong, where something was refused.
    pub findings: Vec<Finding>,
    /// What the model receives, as text that says where it comes from; none where it receives
    /// nothing.
    pub model: Option<String>,
    /// Whether it shows a change that was played in: it says nothing about the server.
    pub is_played: bool,
}

/// What the next reply is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Entry,
    SkillMd,
    File,
}

/// The message flow of a host on one skill, one [`Station`] at a time. It holds a [`Host`] that makes every decision; the
/// caller sends what [`Wait::Answer`] names and gives the reply to [`Walk::answered`].
///
/// ```
/// use skillglass::host::{OriginLabel, Station, Wait, Walk};
/// use skillglass::{json, protocol::results::read_discovery};
/// let declared = r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}"#;
/// let discovery = read_discovery(&json::read(declared).unwrap().root);
/// let acme = OriginLabel::new("acme").unwrap();
/// let mut walk = Walk::new(&acme, &discovery, "skill://tidy/SKILL.md").unwrap();
/// assert_eq!(walk.passed()[0].station, Station::Discover);
/// walk.go_on(0); // no listing has named the skill
/// walk.go_on(0);
/// let Wait::Answer(outgoing) = walk.wait() else { panic!() };
/// assert_eq!(outgoing.call.method(), "skills/get");
/// walk.answered(Err("the server is silent"), 0);
/// assert!(matches!(walk.wait(), Wait::Over(_)));
/// ```
#[derive(Debug)]
pub struct Walk {
    host: Host,
    skill: SkillId,
    listed: Option<(Reading, Freshness, u64)>,
    station: Station,
    wait: Wait,
    awaited: Awaited,
    passed: Vec<Passed>,
    /// The file that was read last, and its bytes.
    last: Option<(String, Vec<u8>)>,
    /// Whether the skill was looked up again.
    is_second: bool,
    played: Option<Played>,
}

impl Walk {
    /// A walk on the skill at `uri` of a server that declares so much. Its label is for people and
    /// for the model. The server has been discovered by then, so that is the first step passed.
    ///
    /// # Errors
    /// `uri` is not the URI of a `SKILL.md`.
    pub fn new(origin: &OriginLabel, discovery: &Discovery, uri: &str) -> Result<Self, UriError> {
        let mut host = Host::new(Policy::default());
        host.add_origin(origin, discovery);
        let mut walk = Self {
            host,
            skill: SkillId::new(origin, uri)?,
            listed: None,
            station: Station::List,
            wait: Wait::Step,
            awaited: Awaited::Entry,
            passed: Vec::new(),
            last: None,
            is_second: false,
            played: None,
        };
        if discovery.skills {
            let more = if discovery.directory_read { ", and lists directories" } else { "" };
            let text = format!(
                "It declares io.modelcontextprotocol/skills{more}. The host calls it {origin}."
            );
            walk.note(Station::Discover, None, Kind::Usable, text);
        } else {
            let text = Stop::NotDeclared.to_string();
            walk.note(Station::Discover, None, Kind::Refused, sentence(&text));
            walk.wait = Wait::Over(End::Stopped);
        }
        Ok(walk)
    }

    /// The same walk with the entry that a listing gave at `came_ms`.
    #[must_use]
    pub fn listed(mut self, reading: Reading, freshness: Freshness, came_ms: u64) -> Self {
        self.listed = Some((reading, freshness, came_ms));
        self
    }

    /// Where it is.
    #[must_use]
    pub const fn station(&self) -> Station {
        self.station
    }

    /// What it waits for.
    #[must_use]
    pub const fn wait(&self) -> &Wait {
        &self.wait
    }

    /// The steps that were made, the first one first.
    #[must_use]
    pub fn passed(&self) -> &[Passed] {
        &self.passed
    }

    /// The files that the entry lists, by their paths below the skill; none where it lists none.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let Some(entry) = self.entry() else { return Vec::new() };
        let files = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
        files.iter().filter(|file| file.usable).map(|file| entry.path_of(&file.uri)).collect()
    }

    /// The path of the file that was read last.
    #[must_use]
    pub fn last_file(&self) -> Option<&str> {
        let (uri, _) = self.last.as_ref()?;
        self.entry().map(|entry| entry.path_of(uri))
    }

    /// Makes the next step, where [`Wait::Step`] or [`Wait::File`] waits for that. `now_ms` is of the
    /// clock that the listing's time is of.
    pub fn go_on(&mut self, now_ms: u64) {
        match (self.station, &self.wait) {
            (Station::List, Wait::Step) => self.find(),
            (Station::Get, Wait::Step) => {
                let step = self.host.begin_load(&self.skill, now_ms);
                if !matches!(step, Ok(Step::Send(_))) {
                    self.note_step(None, &step);
                }
                self.follow(step);
            }
            (Station::Read, Wait::File) => {
                (self.station, self.wait) = (Station::Change, Wait::Change);
            }
            (Station::Refresh, Wait::Step) => self.look_up(),
            _ => {}
        }
    }

    /// Looks the skill up although its entry is fresh, where a walk waits at [`Station::Get`].
    pub fn look_up(&mut self) {
        if matches!((self.station, &self.wait), (Station::Get | Station::Refresh, Wait::Step)) {
            self.is_second = self.station == Station::Refresh;
            let step = self.host.refresh(&self.skill);
            self.follow(step);
        }
    }

    /// A person says yes. Nothing that the skill asks for is granted.
    pub fn approve(&mut self) {
        let Wait::Person(request) = &self.wait else { return };
        let (step, station) = (self.host.approve(request, BTreeSet::new()), self.station);
        let text = match (&request.key, &request.files) {
            (Some(key), Some(all)) => format!(
                "Approved: {}, bound together by {}. Nothing else is approved, and nothing is granted.",
                files(all.len()),
                key.digest()
            ),
            _ => "Approved for this load only, since nothing pins the bytes. Nothing is granted."
                .to_owned(),
        };
        self.note(station, None, Kind::Usable, text);
        self.follow(step);
    }

    /// A person says no.
    pub fn deny(&mut self) {
        let Wait::Person(request) = &self.wait else { return };
        // What comes of it is known: the skill is not loaded.
        let _ = self.host.deny(request);
        let text = "Denied. No file of the skill is read.".to_owned();
        self.note(self.station, None, Kind::Refused, text);
        self.wait = Wait::Over(End::Denied);
    }

    /// The model wants a file: a reference as the instructions have it, or a URI.
    pub fn read(&mut self, reference: &str) {
        if matches!(self.wait, Wait::File) {
            self.ask_for(reference);
        }
    }

    /// The model wants a file after the server may have changed. With `played`, the bytes that come
    /// are altered, and so is the entry of the skill from then on, as a change on the server would
    /// have it.
    pub fn read_again(&mut self, reference: &str, played: bool) {
        if !matches!(self.wait, Wait::Change) {
            return;
        }
        self.played = None;
        self.ask_for(reference);
        if let (Wait::Answer(Outgoing { call, .. }), true) = (&self.wait, played) {
            self.played = call.subject().map(|uri| Played::new(uri.to_owned()));
        }
    }

    /// Takes the reply to the call that [`Wait::Answer`] names, or why there is none, in words.
    pub fn answered(&mut self, reply: Result<&Reply, &str>, now_ms: u64) {
        let Wait::Answer(Outgoing { call, .. }) = &self.wait else { return };
        let call = call.clone();
        let reply = reply.map_err(|why| CallFailure::NoAnswer(why.to_owned()));
        let message = reply.and_then(|reply| {
            reply.message().map_err(|error| CallFailure::NoAnswer(error.to_string()))
        });
        match self.awaited {
            Awaited::Entry => self.take_entry(call, message, now_ms),
            Awaited::SkillMd => {
                let message = message.as_ref().map_err(Clone::clone);
                let answer = answer(message, self.skill.uri(), self.played.as_mut());
                let step = self.host.got_skill_md(&self.skill, answer);
                self.note_step(Some(call), &step);
                self.follow(step);
            }
            Awaited::File => {
                let uri = call.subject().unwrap_or_default().to_owned();
                let message = message.as_ref().map_err(Clone::clone);
                let answer = answer(message, &uri, self.played.as_mut());
                let content = self.host.got_file(&self.skill, &uri, answer);
                self.take_file(call, content);
            }
        }
    }

    /// Finds the skill in the listing.
    fn find(&mut self) {
        self.station = Station::Get;
        let Some((reading, freshness, came_ms)) = self.listed.take() else {
            let text = "No listing has named this skill; it was opened by its URI.".to_owned();
            return self.note(Station::List, None, Kind::Told, text);
        };
        let sent = Some(Call::ListSkills { cursor: None });
        let known = self.host.listed(self.skill.origin(), [reading.clone()], freshness, came_ms);
        let defects = self.host.registry().get(&self.skill).map(|known| known.defects.clone());
        match (known, &reading.entry, defects) {
            (Ok(()), Some(entry), Some(defects)) if defects.is_empty() => {
                let what = match entry.manifest() {
                    Some(manifest) => {
                        format!("{}, {} bytes", files(manifest.files.len()), manifest.total_size())
                    }
                    None => "dynamic".to_owned(),
                };
                self.note(
                    Station::List,
                    sent,
                    Kind::Usable,
                    format!("The entry can be held: {what}."),
                );
                let line = self.catalog_line(&reading);
                self.tell(line);
            }
            (_, _, defects) => {
                let text = "The entry must not be loaded.".to_owned();
                self.note(Station::List, sent, Kind::Refused, text);
                self.blame(defects.unwrap_or(reading.findings));
            }
        }
    }

    /// What a model is told of a skill that is not loaded: data, in which nothing can pass for more.
    fn catalog_line(&self, reading: &Reading) -> String {
        let text = |text: Option<&str>| json_string(text.unwrap_or_default());
        format!(
            "{{\n  \"server\": {},\n  \"uri\": {},\n  \"name\": {},\n  \"description\": {}\n}}\n",
            json_string(self.skill.origin().as_str()),
            json_string(self.skill.uri()),
            text(reading.name.as_deref()),
            text(reading.description.as_deref()),
        )
    }

    fn take_entry(&mut self, call: Call, message: Result<Message<'_>, CallFailure>, now_ms: u64) {
        let got = message.and_then(|message| {
            let result = message.outcome().map_err(CallFailure::Refused)?;
            check_finished(result).map_err(|error| CallFailure::NoAnswer(error.to_string()))?;
            let got = read_got_skill(&message, result, self.skill.uri());
            let alter = |reading| match &self.played {
                Some(played) => played.alter_entry(reading),
                None => reading,
            };
            Ok(GotSkill { reading: got.reading.map(alter), ..got })
        });
        let step = self.host.got_skill(&self.skill, got, now_ms);
        self.note_step(Some(call), &step);
        self.follow(step);
    }

    fn take_file(&mut self, call: Call, content: Result<TaggedContent<'_>, ReadStop>) {
        let sent = Some(call);
        match (self.station, content) {
            (Station::Read, Ok(content)) => {
                self.note_content(sent, &content);
                self.last = Some((content.uri, content.bytes.into_owned()));
                self.wait = Wait::File;
            }
            (Station::Change, Ok(content)) => {
                let before = self.last.replace((content.uri.clone(), content.bytes.to_vec()));
                let before = before.filter(|(uri, _)| *uri == content.uri);
                let is_verified = matches!(content.standing, Standing::Verified(_));
                let differs = before.as_ref().is_some_and(|(_, bytes)| content.bytes != *bytes);
                if differs || self.played.is_some() {
                    self.note_content(sent, &content);
                    self.wait = Wait::Over(End::Unpinned);
                } else {
                    // What is verified is what the entry has promised before.
                    let text = if is_verified || before.is_some() {
                        "Nothing has changed: what came is what it was before."
                    } else {
                        "This file was not read before, and nothing pins it: there is nothing to compare it with."
                    };
                    self.note(Station::Change, sent, Kind::Told, text.to_owned());
                    self.wait = Wait::Change;
                }
            }
            (_, Ok(content)) => {
                self.note_content(sent, &content);
                self.wait = Wait::Over(End::Done);
            }
            (_, Err(stop)) => self.refuse(sent, &stop),
        }
    }

    /// A file may not be used: what the host does about that.
    fn refuse(&mut self, sent: Option<Call>, stop: &ReadStop) {
        let is_stale = stop.wants_refresh() && sent.is_some();
        let (station, station_after, wait) = match self.station {
            Station::LoadAgain => {
                (Station::LoadAgain, Station::LoadAgain, Wait::Over(End::Stopped))
            }
            _ if is_stale => (Station::Refuse, Station::Refresh, Wait::Step),
            Station::Change => (Station::Change, Station::Change, Wait::Change),
            at => (at, at, Wait::File),
        };
        if is_stale && self.station == Station::Change {
            let text = if self.played.is_some() {
                "Skillglass has put a line at the end of the bytes after they came."
            } else {
                "What the server serves now is not what it served before."
            };
            self.note(Station::Change, None, Kind::Told, text.to_owned());
        }
        self.note(station, sent, Kind::Refused, sentence(&stop.to_string()));
        let findings = self.findings(stop);
        self.blame(findings);
        (self.station, self.wait) = (station_after, wait);
    }

    fn ask_for(&mut self, reference: &str) {
        match self.host.read(&self.skill, reference) {
            Ok(outgoing) => {
                (self.awaited, self.wait) = (Awaited::File, Wait::Answer(outgoing));
            }
            Err(stop) => self.refuse(None, &stop),
        }
    }

    /// Goes where the host leads.
    fn follow(&mut self, step: Result<Step, Misuse>) {
        let again = |first, second| if self.is_second { second } else { first };
        match step {
            Ok(Step::Send(outgoing)) => {
                (self.station, self.awaited) = match outgoing.call {
                    Call::GetSkill { .. } => {
                        (again(Station::Get, Station::Refresh), Awaited::Entry)
                    }
                    _ => (again(Station::Load, Station::LoadAgain), Awaited::SkillMd),
                };
                self.wait = Wait::Answer(outgoing);
            }
            Ok(Step::Approve(request)) => {
                self.station = again(Station::Approve, Station::ApproveAgain);
                self.wait = Wait::Person(Box::new(request));
            }
            Ok(Step::Loaded(_)) if !self.is_second => {
                (self.station, self.wait) = (Station::Read, Wait::File);
            }
            // What was refused before is read once more, if the new entry lists it.
            Ok(Step::Loaded(_)) => {
                let refused = self.passed.iter().rfind(|it| it.station == Station::Refuse);
                let uri = refused.and_then(|passed| passed.sent.as_ref()?.subject());
                let uri = uri.filter(|uri| *uri != self.skill.uri()).map(str::to_owned);
                let call = uri.and_then(|uri| self.host.read(&self.skill, &uri).ok());
                self.awaited = Awaited::File;
                self.wait = call.map_or(Wait::Over(End::Done), Wait::Answer);
            }
            Ok(Step::Stopped(stop)) if stop.wants_refresh() && !self.is_second => {
                (self.station, self.wait) = (Station::Refresh, Wait::Step);
            }
            Ok(Step::Stopped(_)) | Err(_) => self.wait = Wait::Over(End::Stopped),
        }
    }

    /// Writes down where the host leads.
    fn note_step(&mut self, sent: Option<Call>, step: &Result<Step, Misuse>) {
        let (mut kind, mut findings, mut model) = (Kind::Usable, Vec::new(), None);
        let mut station = self.station;
        let text = match step {
            Ok(Step::Send(_)) => "The entry is the one that was approved, so the server has not said that anything changed.".to_owned(),
            Ok(Step::Approve(request)) => match &request.state {
                ApprovalState::Revoked(diff) => {
                    kind = Kind::Refused;
                    format!("The skill has changed: {}. The approval has ended.", diff.summary())
                }
                _ if sent.is_none() => "The entry is known and fresh, so nothing is sent.".to_owned(),
                _ => "The server answers with an entry that can be held.".to_owned(),
            },
            Ok(Step::Loaded(loaded)) => {
                kind = standing(&loaded.content);
                model = Some(loaded.content.for_model(MAX_MODEL));
                verdict_of(&loaded.content, true)
            }
            Ok(Step::Stopped(stop)) => {
                kind = Kind::Refused;
                if stop.wants_refresh() && !self.is_second {
                    station = Station::Refuse;
                }
                findings = match stop {
                    Stop::InvalidEntry(findings) => findings.clone(),
                    Stop::SkillMd(stop) => self.findings(stop),
                    _ => Vec::new(),
                };
                sentence(&stop.to_string())
            }
            Err(misuse) => {
                kind = Kind::Refused;
                sentence(&misuse.to_string())
            }
        };
        self.note(station, sent, kind, text);
        self.blame(findings);
        model.into_iter().for_each(|text| self.tell(text));
    }

    fn note_content(&mut self, sent: Option<Call>, content: &TaggedContent<'_>) {
        let is_skill_md = content.uri == self.skill.uri();
        self.note(self.station, sent, standing(content), verdict_of(content, is_skill_md));
        self.tell(content.for_model(MAX_MODEL));
    }

    fn note(&mut self, station: Station, sent: Option<Call>, kind: Kind, text: String) {
        let (findings, model, is_played) = (Vec::new(), None, self.played.is_some());
        self.passed.push(Passed { station, sent, kind, text, findings, model, is_played });
    }

    /// Adds to the latest step what is wrong.
    fn blame(&mut self, findings: Vec<Finding>) {
        if let Some(passed) = self.passed.last_mut() {
            passed.findings = findings;
        }
    }

    /// Adds to the latest step what the model receives.
    fn tell(&mut self, text: String) {
        if let Some(passed) = self.passed.last_mut() {
            passed.model = Some(text);
        }
    }

    fn entry(&self) -> Option<&SkillEntry> {
        self.host.registry().get(&self.skill).map(|known| &known.entry)
    }

    fn findings(&self, stop: &ReadStop) -> Vec<Finding> {
        let verdict = match stop {
            ReadStop::Refused(refusal) => Verdict::Refused(refusal.as_ref().clone()),
            ReadStop::Untested(untested) => Verdict::Untested(untested.clone()),
            _ => return Vec::new(),
        };
        let path = self.entry().map_or(verdict.uri(), |entry| entry.path_of(verdict.uri()));
        evidence::of_verdict(path, &verdict)
    }
}

/// What came of reading a file, altered where a change is played in.
fn answer<'m>(
    message: Result<&'m Message<'_>, CallFailure>,
    uri: &str,
    played: Option<&mut Played>,
) -> FileAnswer<'m> {
    let result = message.and_then(|message| {
        let result = message.outcome().map_err(CallFailure::Refused)?;
        check_finished(result).map_err(|error| CallFailure::NoAnswer(error.to_string()))?;
        Ok(contents::read(&message.document, result, uri))
    });
    match (result, played) {
        (Err(failure), _) => FileAnswer::Failed(failure),
        (Ok(Ok(came)), Some(played)) => FileAnswer::Bytes(played.alter(uri, came.bytes)),
        (Ok(read), _) => read.into(),
    }
}

const fn standing(content: &TaggedContent<'_>) -> Kind {
    match content.standing {
        Standing::Verified(_) => Kind::Usable,
        Standing::Unpinned | Standing::Foreign => Kind::Unpinned,
    }
}

fn verdict_of(content: &TaggedContent<'_>, is_skill_md: bool) -> String {
    match (&content.standing, is_skill_md) {
        (Standing::Verified(_), true) => {
            "Verified: size and SHA-256 are those of the manifest, and the frontmatter equals the entry's."
        }
        (Standing::Verified(_), false) => "Verified: size and SHA-256 are those of the manifest.",
        (_, true) => "The frontmatter equals the entry's. Nothing pins the bytes: the skill is dynamic.",
        (_, false) => "Nothing pins the bytes: the skill is dynamic.",
    }
    .to_owned()
}

fn files(number: usize) -> String {
    format!("{number} {}", if number == 1 { "file" } else { "files" })
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    let stop = if clause.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", rest.as_str())
}
