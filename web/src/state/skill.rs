//! One skill: the entry that is held, what was read of its files, and what that says.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use skillglass::contents::ContentNote;
use skillglass::entry::diff::EntryDiff;
use skillglass::entry::{ManifestFile, Reading, SkillEntry};
use skillglass::finding::Finding;
use skillglass::protocol::results::Freshness;
use skillglass::review::review_entry;
use skillglass::verify::{SkillVerdict, Summary, Verdict, evidence, verify_file};

use super::pace::Run;
use super::server::Server;
use super::since::{Kind as ChangeKind, Past, Seen, Since};
use super::standing::{Counts, Facts, Kind, Standing, Tally, unlisted_links};
use super::walk::Flow;
use crate::approvals::Approved;
use crate::browser::{self, Gate};
use crate::failure::Failure;
use crate::text::head;
use crate::transport::Stop;

/// How many bytes of a text are reviewed; looking through more would hold up the page.
const MAX_REVIEWED: usize = 1024 * 1024;

/// How many bytes of read files the page keeps to be shown; beyond, only verdicts are kept.
const MAX_KEPT: u64 = 16 * 1024 * 1024;

/// How long a `SKILL.md` may be to be kept in any case, in bytes.
const MAX_SKILL_MD: u64 = 256 * 1024;

/// An entry and how it was come by.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// What the server sent.
    pub(crate) reading: Reading,
    /// When, in milliseconds since 1970.
    pub(crate) at: u64,
    /// How long it is fresh.
    pub(crate) freshness: Freshness,
    /// The method that gave it.
    pub(crate) method: &'static str,
    /// The number of the exchange that brought it.
    pub(crate) exchange: Option<usize>,
    /// What a person should see in it.
    pub(crate) review: Vec<Finding>,
    /// How many findings there are about it.
    pub(crate) counts: Counts,
}

impl Held {
    /// What `method` gave just now, or at another time.
    pub(crate) fn new(
        reading: Reading,
        at: u64,
        freshness: Freshness,
        method: &'static str,
        exchange: Option<usize>,
    ) -> Self {
        let mut review = reading.entry.as_ref().map(review_entry).unwrap_or_default();
        // What reading the entry has shown is not said twice.
        review.retain(|finding| {
            let is_same =
                |known: &Finding| known.id == finding.id && known.pointer == finding.pointer;
            finding.pointer.is_none() || !reading.findings.iter().any(is_same)
        });
        let counts = Counts::of(reading.findings.iter().chain(&review));
        Self { reading, at, freshness, method, exchange, review, counts }
    }

    /// The entry, if it may be loaded.
    pub(crate) const fn entry(&self) -> Option<&SkillEntry> {
        self.reading.entry.as_ref()
    }
}

/// What `skills/get` gave.
#[derive(Clone, Debug)]
pub(crate) enum Got {
    /// It was not asked.
    NotAsked,
    /// It was asked just now.
    Asking,
    /// It answered.
    Answer(Arc<Answer>),
    /// It could not be had.
    Failed(Failure),
}

/// An answer of `skills/get`.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The entry; none where the result has none for this skill.
    pub(crate) held: Option<Held>,
    /// What is wrong with the result itself, or with its agreement with the listing.
    result: Vec<Finding>,
    /// How it differs from the entry that is held; none where one of the two cannot be read.
    pub(crate) diff: Option<EntryDiff>,
    /// The number of the exchange that brought it.
    pub(crate) exchange: Option<usize>,
}

impl Answer {
    /// The answer that gave `held`, beside the entry that is held already. An entry that may have
    /// changed since is no fault.
    pub(crate) fn new(
        held: Option<Held>,
        result: Vec<Finding>,
        before: &Held,
        exchange: Option<usize>,
    ) -> Self {
        let both = before.entry().zip(held.as_ref().and_then(Held::entry));
        let diff = both.map(|(before, held)| EntryDiff::between(before, held));
        Self { held, result, diff, exchange }
    }

    /// The same, where both entries should be one.
    pub(crate) fn compared(self) -> Self {
        let mut result = self.result;
        result.extend(self.diff.as_ref().and_then(EntryDiff::finding));
        Self { result, ..self }
    }

    /// That the held entry is the same, if it is.
    pub(crate) fn confirmation(&self) -> Option<News> {
        let same = self.diff.as_ref().is_some_and(EntryDiff::is_empty);
        let held = self.held.as_ref().filter(|_| same)?;
        let Held { at, freshness, method, .. } = *held;
        Some(News::Same { at, freshness, method })
    }

    /// The method that gave it.
    pub(crate) fn method(&self) -> &'static str {
        self.held.as_ref().map_or("skills/get", |held| held.method)
    }

    /// What is wrong with it, without what is wrong with the held entry already.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.result
    }
}

/// How news of a held entry are come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Nobody asked since it is held.
    None,
    /// It is asked for anew.
    Asking,
    /// It was the same when it came again.
    Same {
        /// When, in milliseconds since 1970.
        at: u64,
        /// How long that is fresh.
        freshness: Freshness,
        /// The method that gave it.
        method: &'static str,
    },
    /// It could not be had anew; why, in words.
    Failed(String),
}

/// A file of a skill.
#[derive(Clone)]
pub(crate) struct SkillFile {
    /// Its URI.
    pub(crate) uri: Arc<str>,
    /// Its path below the skill, or its whole URI where it lies elsewhere.
    pub(crate) path: Arc<str>,
    /// What the manifest promises; none in a dynamic skill.
    pub(crate) promised: Option<Arc<ManifestFile>>,
    /// What is known of its bytes.
    pub(crate) state: RwSignal<FileState>,
    /// How it differs from what it was at the verification before.
    pub(crate) change: RwSignal<Option<ChangeKind>>,
    /// The number of the exchange that the state comes from.
    pub(crate) exchange: StoredValue<Option<usize>>,
    /// How many entries were held before the one that lists it.
    generation: usize,
}

impl SkillFile {
    /// Whether the manifest's line lets it be read.
    pub(crate) fn is_readable(&self) -> bool {
        self.promised.as_deref().is_none_or(ManifestFile::is_readable)
    }

    /// What its row is known by. An exchanged entry makes new rows, even for the same URI.
    pub(crate) fn list_key(&self) -> Arc<str> {
        format!("{} {}", self.generation, self.uri).into()
    }

    /// The size that is promised.
    pub(crate) fn size(&self) -> Option<u64> {
        self.promised.as_ref()?.size
    }
}

/// What is known of a file's bytes.
#[derive(Clone, Debug)]
pub(crate) enum FileState {
    /// Nothing: it was not asked for.
    NotRead,
    /// It is being read.
    Reading,
    /// It was read.
    Read(Arc<FileRead>),
    /// It could not be had.
    Failed(Failure),
}

impl FileState {
    /// Whether there are no bytes to be shown, but could be: it was not read, or they were let go of.
    pub(crate) fn is_absent(&self) -> bool {
        match self {
            Self::NotRead => true,
            Self::Read(read) => read.verdict.is_usable() && read.bytes.is_none(),
            Self::Reading | Self::Failed(_) => false,
        }
    }
}

/// A file as it came.
#[derive(Clone, Debug)]
pub(crate) struct FileRead {
    /// What its check came to.
    pub(crate) verdict: Verdict,
    /// Its bytes; none if the reply held none, or if they were let go of.
    pub(crate) bytes: Option<Arc<[u8]>>,
    /// How many bytes came.
    pub(crate) size: u64,
    /// How many of its characters nobody would see.
    pub(crate) hidden: usize,
    /// The media type the server names.
    pub(crate) mime_type: Option<String>,
    /// What was tolerated in the reply.
    pub(crate) notes: Vec<ContentNote>,
}

impl FileRead {
    /// The bytes, if they are the skill's.
    pub(crate) fn usable(&self) -> Option<&Arc<[u8]>> {
        self.bytes.as_ref().filter(|_| self.verdict.is_usable())
    }
}

/// The files in the order of the manifest, to be found by URI.
#[derive(Clone, Default)]
pub(crate) struct Files {
    /// In the order of the manifest.
    pub(crate) order: Vec<SkillFile>,
    by_uri: HashMap<Arc<str>, usize>,
    generation: usize,
}

impl Files {
    /// The file with this URI.
    pub(crate) fn get(&self, uri: &str) -> Option<&SkillFile> {
        self.order.get(*self.by_uri.get(uri)?)
    }

    fn push(&mut self, file: SkillFile) {
        self.by_uri.insert(Arc::clone(&file.uri), self.order.len());
        self.order.push(file);
    }
}

/// A finding about one file.
#[derive(Clone, Debug)]
pub(crate) struct FileFinding {
    /// The file's URI.
    pub(crate) uri: Arc<str>,
    /// Its place among all findings of this skill; never used twice.
    pub(crate) number: usize,
    /// What is wrong.
    pub(crate) finding: Finding,
    /// The number of the exchange that showed it.
    pub(crate) exchange: Option<usize>,
}

/// One skill of a server.
#[derive(Clone, Copy)]
pub(crate) struct Skill {
    /// The server that serves it.
    pub(crate) server: Server,
    key: StoredValue<Arc<str>>,
    /// The entry that is held: what files are checked against.
    pub(crate) held: RwSignal<Arc<Held>>,
    /// What `skills/get` says.
    pub(crate) got: RwSignal<Got>,
    /// Whether the held entry still holds.
    pub(crate) news: RwSignal<News>,
    /// The user's approval of it; none within where there is none, none at all before the browser has said so.
    pub(crate) approved: RwSignal<Option<Option<Arc<Approved>>>>,
    /// What files held that were read before the entry was exchanged, by URI.
    former: RwSignal<HashMap<Arc<str>, Arc<[u8]>>>,
    /// Its files.
    pub(crate) files: RwSignal<Files>,
    /// What the checks of its files come to, counted.
    pub(crate) tally: RwSignal<Tally>,
    /// What core makes of all checks together.
    pub(crate) summary: RwSignal<Option<Summary>>,
    /// What is wrong with files that were read.
    pub(crate) found: RwSignal<Vec<FileFinding>>,
    next_number: StoredValue<usize>,
    /// The run over all files, while there is one.
    pub(crate) run: RwSignal<Option<Run>>,
    /// Opens when the run ends.
    pub(crate) ended: StoredValue<Gate, LocalStorage>,
    /// What the last run that went to its end came to.
    past: StoredValue<Option<Past>>,
    /// How it differs from the one before.
    pub(crate) since: RwSignal<Option<Arc<Since>>>,
    /// Why the last run ended before its end, if the user did not stop it.
    pub(crate) broken_off: RwSignal<Option<Failure>>,
    /// Stops the run or the read that is under way.
    pub(crate) stop: StoredValue<Stop, LocalStorage>,
    /// Stops asking `skills/get`.
    pub(crate) get_stop: StoredValue<Stop, LocalStorage>,
    /// The walk through a host's message flow, once it was looked at.
    pub(crate) flow: RwSignal<Option<Flow>, LocalStorage>,
}

impl Skill {
    /// A skill of which nothing was read.
    pub(crate) fn new(server: Server, key: &str, held: Held) -> Self {
        let skill = Self {
            server,
            key: StoredValue::new(key.into()),
            held: RwSignal::new(Arc::new(held)),
            got: RwSignal::new(Got::NotAsked),
            news: RwSignal::new(News::None),
            approved: RwSignal::new(None),
            former: RwSignal::new(HashMap::new()),
            files: RwSignal::new(Files::default()),
            tally: RwSignal::new(Tally::default()),
            summary: RwSignal::new(None),
            found: RwSignal::new(Vec::new()),
            next_number: StoredValue::new(0),
            run: RwSignal::new(None),
            ended: StoredValue::new_local(Gate::new()),
            past: StoredValue::new(None),
            since: RwSignal::new(None),
            broken_off: RwSignal::new(None),
            stop: StoredValue::new_local(Stop::new()),
            get_stop: StoredValue::new_local(Stop::new()),
            flow: RwSignal::new_local(None),
        };
        skill.lay_out_files();
        skill
    }

    /// What it is called by in addresses: its URI, or its place in the listing.
    pub(crate) fn key(&self) -> Arc<str> {
        self.key.get_value()
    }

    /// The file with this URI; in a dynamic skill, any file below its root.
    pub(crate) fn file(&self, uri: &str) -> Option<SkillFile> {
        let known = self.files.with_untracked(|files| files.get(uri).cloned());
        if known.is_some() {
            return known;
        }
        let held = self.held.get_untracked();
        let entry = held.entry()?;
        let inside = entry.skill_uri().file_path(uri).is_ok();
        if entry.manifest().is_some() || !inside {
            return None;
        }
        let generation = self.files.with_untracked(|files| files.generation);
        let file = self.server.app().keep(|| new_file(entry, uri, None, generation));
        self.files.update(|files| files.push(file.clone()));
        Some(file)
    }

    /// How many findings there are in all.
    pub(crate) fn counts(&self) -> Counts {
        let of_entry = self.held.with(|held| held.counts);
        let of_files = self.found.with(|found| Counts::of(found.iter().map(|file| &file.finding)));
        let of_get = self.got.with(|got| match got {
            Got::Answer(answer) => Counts::of(answer.findings()),
            _ => Counts::default(),
        });
        of_entry.and(of_files).and(of_get)
    }

    /// How it stands. `same_name` says whether another skill of its server has its name.
    pub(crate) fn standing(&self, same_name: bool) -> Standing {
        Standing::of(Facts {
            kind: self.held.with(|held| Kind::of(&held.reading)),
            counts: self.counts(),
            tally: self.tally.get(),
            summary: self.summary.get(),
            is_outdated: self.is_outdated(),
            same_name,
            is_broken_off: self.broken_off.with(Option::is_some),
        })
    }

    /// Whether the server was last heard to describe it otherwise than the held entry does.
    pub(crate) fn is_outdated(&self) -> bool {
        self.got.with(|got| match got {
            Got::Answer(answer) => answer.diff.as_ref().is_some_and(|diff| !diff.is_empty()),
            _ => false,
        })
    }

    /// What a file held before its entry was exchanged, if it was read then.
    pub(crate) fn former(&self, uri: &str) -> Option<Arc<[u8]>> {
        self.former.with_untracked(|former| former.get(uri).cloned())
    }

    /// The skill's own `SKILL.md`.
    pub(crate) fn skill_md(&self) -> Option<SkillFile> {
        let held = self.held.get();
        let uri = &held.entry()?.uri;
        self.files.with(|files| files.get(uri).cloned())
    }

    /// Takes what became of a read.
    pub(crate) fn record(&self, file: &SkillFile, state: FileState) {
        // A file of an entry that is no longer held says nothing any more.
        if self.files.with_untracked(|files| files.generation != file.generation) {
            return;
        }
        let before = file.state.get_untracked();
        self.tally.try_update(|tally| {
            tally.take_out(&before);
            tally.put_in(&state);
        });
        self.note_findings(file, &state);
        let is_over = !matches!(state, FileState::Reading);
        file.state.try_set(state);
        if is_over && self.run.try_get_untracked().flatten().is_none() {
            self.sum_up();
        }
    }

    /// Asks core what all checks come to together.
    pub(crate) fn sum_up(&self) {
        let held = self.held.get_untracked();
        let Some(entry) = held.entry() else { return };
        let verdicts = self.files.with_untracked(|files| {
            let verdict = |file: &SkillFile| match file.state.get_untracked() {
                FileState::Read(read) => Some(read.verdict.clone()),
                _ => None,
            };
            files.order.iter().filter_map(verdict).collect::<Vec<_>>()
        });
        let verdict = SkillVerdict::of(entry, &held.reading.findings, verdicts);
        self.summary.try_set(Some(verdict.summary));
    }

    /// Compares a run that went to its end with the one before, in place of which it is remembered.
    pub(crate) fn compare_with_past(&self) {
        let files = self.files.get_untracked().order;
        let seen = |file: &SkillFile| {
            Some((Arc::clone(&file.uri), Seen::of(&file.state.get_untracked())?))
        };
        let now = Past::new(files.iter().filter_map(seen).collect(), browser::now());
        let since = self.past.with_value(|past| past.as_ref().map(|past| past.compare(&now)));
        self.past.set_value(Some(now));
        for changed in since.iter().flat_map(|since| &since.changed) {
            if let Some(file) = self.files.with_untracked(|files| files.get(&changed.uri).cloned())
            {
                file.change.set(Some(changed.kind));
            }
        }
        self.since.try_set(since.map(Arc::new));
    }

    /// Takes back what was said of changes: the files are read anew.
    pub(crate) fn forget_changes(&self) {
        self.since.set(None);
        for file in self.files.get_untracked().order {
            if file.change.with_untracked(Option::is_some) {
                file.change.set(None);
            }
        }
    }

    /// When the held entry last came, for how long that is fresh, and which method gave it.
    pub(crate) fn came(&self) -> (u64, Freshness, &'static str) {
        match self.news.get() {
            News::Same { at, freshness, method } => (at, freshness, method),
            _ => self.held.with(|held| (held.at, held.freshness, held.method)),
        }
    }

    /// Whether the held entry may still be used without asking again.
    pub(crate) fn is_fresh(&self, now: u64) -> bool {
        let (at, freshness, _) = untrack(|| self.came());
        untrack(|| self.server.is_fresh(at, freshness, now))
    }

    /// Takes the entry as it came anew: what is the same renews the held one, and all else is shown.
    pub(crate) fn take_news(&self, answer: Answer) {
        let same = answer.confirmation();
        if same.is_none() || !answer.findings().is_empty() {
            self.got.try_set(Got::Answer(Arc::new(answer)));
        }
        self.news.try_set(same.unwrap_or(News::None));
    }

    /// Holds another entry from now on. Bytes that were kept are checked anew against it; those that
    /// are not its own were read under the former one, and say nothing about what is served now.
    pub(crate) fn hold(&self, held: Held) {
        self.stop.with_value(Stop::pull);
        let kept = self.files.with_untracked(|files| {
            let read = |file: &SkillFile| match file.state.get_untracked() {
                FileState::Read(read) => Some((Arc::clone(&file.uri), read)),
                _ => None,
            };
            files.order.iter().filter_map(read).collect::<Vec<_>>()
        });
        let usable = |(uri, read): &(Arc<str>, Arc<FileRead>)| {
            Some((Arc::clone(uri), Arc::clone(read.usable()?)))
        };
        self.former.update(|former| former.extend(kept.iter().filter_map(usable)));
        self.held.set(Arc::new(held));
        self.got.set(Got::NotAsked);
        self.news.set(News::None);
        self.broken_off.set(None);
        self.tally.set(Tally::default());
        self.found.set(Vec::new());
        self.summary.set(None);
        self.since.set(None);
        self.lay_out_files();
        let held = self.held.get_untracked();
        let Some(entry) = held.entry() else { return };
        for (uri, read) in kept {
            let (Some(file), Some(bytes)) = (self.file(&uri), read.bytes.clone()) else { continue };
            let verdict = verify_file(entry, &uri, &bytes);
            if verdict.is_usable() {
                let read = FileRead { verdict, ..(*read).clone() };
                self.record(&file, FileState::Read(Arc::new(read)));
            }
        }
    }

    fn lay_out_files(&self) {
        let held = self.held.get_untracked();
        let Some(entry) = held.entry() else { return };
        let generation = self.files.with_untracked(|files| files.generation) + 1;
        let mut files = Files { generation, ..Files::default() };
        self.server.app().keep(|| match entry.manifest() {
            Some(manifest) => {
                for line in &manifest.files {
                    files.push(new_file(entry, &line.uri, Some(line), generation));
                }
            }
            None => files.push(new_file(entry, &entry.uri, None, generation)),
        });
        self.files.set(files);
    }

    /// Takes what a run has read, which nobody looks at yet: where there is no room for the bytes, their verdict stays.
    pub(crate) fn record_of_run(&self, file: &SkillFile, state: FileState) {
        let has_room = |size: u64| self.server.app().kept_bytes().saturating_add(size) <= MAX_KEPT;
        let lets_go = match &state {
            FileState::Read(read) => !has_room(read.size) && !self.is_always_kept(file, read),
            _ => false,
        };
        self.record(file, state);
        if lets_go {
            self.let_go(file);
        }
    }

    /// Takes what the user has opened, and lets go of the bytes of other files where there is no room for all.
    pub(crate) fn record_opened(&self, file: &SkillFile, state: FileState) {
        self.record(file, state);
        let app = self.server.app();
        if app.kept_bytes() <= MAX_KEPT {
            return;
        }
        for skill in app.skills() {
            for other in skill.files.with_untracked(|files| files.order.clone()) {
                if other.state != file.state {
                    skill.let_go(&other);
                }
            }
        }
    }

    /// Lets go of the bytes of a file; what its check came to stays.
    fn let_go(&self, file: &SkillFile) {
        let FileState::Read(read) = file.state.get_untracked() else { return };
        if read.bytes.is_none() || self.is_always_kept(file, &read) {
            return;
        }
        self.tally.update(|tally| tally.kept -= read.size);
        file.state.set(FileState::Read(Arc::new(FileRead { bytes: None, ..(*read).clone() })));
    }

    /// The text of a skill is what its other sides compare and show.
    fn is_always_kept(&self, file: &SkillFile, read: &FileRead) -> bool {
        let is_skill_md = |held: &Arc<Held>| held.entry().is_some_and(|e| *e.uri == *file.uri);
        read.size <= MAX_SKILL_MD && self.held.with_untracked(is_skill_md)
    }

    fn note_findings(&self, file: &SkillFile, state: &FileState) {
        let new = self.findings_of(file, state);
        let nothing_changes = new.is_empty()
            && self.found.with_untracked(|found| found.iter().all(|old| old.uri != file.uri));
        if nothing_changes {
            return;
        }
        self.found.try_update(|found| {
            found.retain(|old| old.uri != file.uri);
            for finding in new {
                let number = self.next_number.get_value();
                self.next_number.set_value(number + 1);
                let (uri, exchange) = (Arc::clone(&file.uri), file.exchange.get_value());
                found.push(FileFinding { uri, number, finding, exchange });
            }
        });
    }

    fn findings_of(&self, file: &SkillFile, state: &FileState) -> Vec<Finding> {
        let read = match state {
            FileState::NotRead | FileState::Reading => return Vec::new(),
            FileState::Failed(Failure::Rpc(error)) => {
                return vec![evidence::of_error(&file.path, error)];
            }
            FileState::Failed(_) => return Vec::new(),
            FileState::Read(read) => read,
        };
        let mut findings = evidence::of_verdict(&file.path, &read.verdict);
        findings.extend(read.notes.iter().map(|note| evidence::of_note(&file.path, note)));
        let held = self.held.get_untracked();
        let (Some(entry), Some(bytes)) = (held.entry(), read.usable()) else { return findings };
        if let Ok(text) = std::str::from_utf8(bytes) {
            let (start, is_cut) = head(text, MAX_REVIEWED);
            findings.extend(evidence::of_text(&file.path, start));
            findings.extend(is_cut.then(|| evidence::of_unreviewed(&file.path, start.len())));
        }
        if entry.uri == *file.uri {
            findings.extend(evidence::of_skill_md(bytes, &held.reading.findings));
            findings.extend(unlisted_links(entry, bytes));
        }
        findings
    }
}

fn new_file(
    entry: &SkillEntry,
    uri: &str,
    promised: Option<&ManifestFile>,
    generation: usize,
) -> SkillFile {
    SkillFile {
        uri: uri.into(),
        path: entry.path_of(uri).into(),
        promised: promised.map(|line| Arc::new(line.clone())),
        state: RwSignal::new(FileState::NotRead),
        change: RwSignal::new(None),
        exchange: StoredValue::new(None),
        generation,
    }
}
