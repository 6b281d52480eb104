//! What `skillglass/host` has beyond `skillglass`: the state of a host of skills.
//!
//! `host.js` sends what this names and brings the answers back. Each step names the next one, as
//! [`skillglass::host`] describes.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an answer's memory is given back as soon as it was read"
)]

mod answer;

use std::borrow::Cow;

use js_sys::{Reflect, Uint8Array};
use skillglass::contents;
use skillglass::digest::Digest;
use skillglass::host::{
    ApprovalRequest, CacheRecord, CallFailure, FileAnswer, Host, Misuse, OriginLabel, Outgoing,
    ReadStop, SkillId, Step, TaggedContent, cache_directory,
};
use skillglass::json;
use skillglass::protocol::directory::{DirectoryWalk, read_directory};
use skillglass::protocol::results::{
    read_discovery, read_got_skill, read_initialize, read_skill_page,
};
use skillglass::protocol::{Call, ListLimits, Listing, ListingState};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Problem, encode};
use crate::failure::failure;
use crate::shared::{ApprovalAnswer, Discovered, Params};
use crate::verify::{Entry, held};
use crate::wire::Reply;
use crate::{Answer, argument, platform};
use answer::{
    Approving, Children, FileParts, Known, Listed, ListedEntry, Loaded, Notices, Sending, Stopped,
    known_skills,
};

/// The host, and the requests for approval that wait for an answer.
#[wasm_bindgen]
pub struct HostCore {
    host: Host,
    asked: Vec<(u32, ApprovalRequest)>,
    serial: u32,
}

#[wasm_bindgen]
impl HostCore {
    /// A host with this policy, and what an earlier one kept.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &JsValue, state: &JsValue) -> Result<Self, JsValue> {
        let mut host = Host::new(argument::policy(policy)?);
        if !state.is_undefined() {
            let state = argument::text(state, "state")?;
            host.restore_all(&state).map_err(|error| {
                failure("invalid-state", &format!("state is not what a host has kept: {error}"))
            })?;
        }
        Ok(Self { host, asked: Vec::new(), serial: 0 })
    }

    /// What to keep over a restart.
    #[wasm_bindgen(getter)]
    pub fn state(&self) -> String {
        self.host.to_json()
    }

    /// Adds a server with what it declares: the result of `server/discover` or `initialize`.
    #[wasm_bindgen(js_name = addOrigin)]
    pub fn add_origin(&mut self, origin: &JsValue, declared: &JsValue) -> Answer {
        let origin = argument::origin(origin)?;
        let declared = argument::text(declared, "what the server declares")?;
        let document = match json::read(&declared) {
            Ok(document) => document,
            Err(error) => return encode(&Problem::json(error)),
        };
        let discovery = match document.root.get("protocolVersion") {
            Some(_) => read_initialize(&document.root).1,
            None => read_discovery(&document.root),
        };
        self.host.add_origin(&origin, &discovery);
        encode(&Discovered::of(&discovery))
    }

    /// Forgets a server. Gives the directory of its cached files.
    #[wasm_bindgen(js_name = removeOrigin)]
    pub fn remove_origin(&mut self, origin: &JsValue) -> Result<String, JsValue> {
        let origin = argument::origin(origin)?;
        self.host.remove_origin(&origin);
        Ok(cache_directory(&origin))
    }

    /// The walk over what a server lists, from its first page on or from the one behind a cursor.
    #[wasm_bindgen(js_name = beginListing)]
    pub fn begin_listing(&self, origin: &JsValue, cursor: &JsValue) -> Result<SkillWalk, JsValue> {
        let origin = argument::origin(origin)?;
        let declared = self.host.declares_skills(&origin).map_err(misuse)?;
        let limits = ListLimits::default();
        let listing = if cursor.is_undefined() {
            Listing::new(limits)
        } else {
            Listing::from_cursor(argument::text(cursor, "cursor")?, limits)
        };
        Ok(SkillWalk { origin, declared, listing, failure: None })
    }

    /// Takes what a walk brought.
    pub fn listed(&mut self, walk: SkillWalk, now_ms: &JsValue) -> Answer {
        let now_ms = argument::count(now_ms, "now")?;
        let SkillWalk { origin, declared, listing, failure } = walk;
        if !declared {
            return encode(&Stopped::not_declared());
        }
        if let (Some(failure), 0) = (&failure, listing.pages()) {
            return encode(&Stopped::call(failure));
        }
        let (skills, freshness) = (listing.skills.clone(), listing.freshness);
        self.host.listed(&origin, skills, freshness, now_ms).map_err(misuse)?;
        encode(&Listed::of(&self.host, &origin, &listing))
    }

    /// The call that looks a skill up without loading it.
    #[wasm_bindgen(js_name = beginGet)]
    pub fn begin_get(&self, skill: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        if !self.host.declares_skills(skill.origin()).map_err(misuse)? {
            return encode(&Stopped::not_declared());
        }
        let call = Call::GetSkill { uri: skill.uri().to_owned() };
        encode(&Sending::of(Outgoing { origin: skill.origin().clone(), call }))
    }

    /// Takes the answer to it.
    pub fn got(&mut self, skill: &JsValue, reply: Reply, now_ms: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let now_ms = argument::count(now_ms, "now")?;
        let message = match reply.message() {
            Ok(message) => message,
            Err(failure) => return encode(&Stopped::call(&failure)),
        };
        let got = match Reply::result(&message) {
            Ok(result) => read_got_skill(&message, result, skill.uri()),
            Err(failure) => return encode(&Stopped::call(&failure)),
        };
        let own = |uri: Option<&str>| uri == Some(skill.uri());
        match got.reading.filter(|reading| own(reading.uri.as_deref())) {
            Some(reading) if reading.entry.is_some() => {
                let listed = self.host.listed(skill.origin(), [reading], got.freshness, now_ms);
                listed.map_err(misuse)?;
                encode(&Known::find(&self.host, &skill))
            }
            Some(reading) => encode(&Stopped::invalid_entry(reading.findings)),
            None => encode(&Stopped::invalid_entry(got.findings)),
        }
    }

    /// The known skills of a server, or of all.
    pub fn skills(&self, origin: &JsValue) -> Answer {
        let origin = if origin.is_undefined() { None } else { Some(argument::origin(origin)?) };
        encode(&known_skills(&self.host, origin.as_ref()))
    }

    /// The exact text of a known skill's entry.
    #[wasm_bindgen(js_name = entryJson)]
    pub fn entry_json(&self, skill: &JsValue) -> Result<Option<String>, JsValue> {
        let known = self.host.registry().get(&argument::skill(skill)?);
        Ok(known.map(|known| known.entry.source.clone()))
    }

    /// Begins to load a skill.
    #[wasm_bindgen(js_name = beginLoad)]
    pub fn begin_load(&mut self, skill: &JsValue, now_ms: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let step = self.host.begin_load(&skill, argument::count(now_ms, "now")?);
        self.encode_step(step.map_err(misuse)?, None)
    }

    /// Looks a skill up again and loads it anew.
    pub fn refresh(&mut self, skill: &JsValue) -> Answer {
        let step = self.host.refresh(&argument::skill(skill)?);
        self.encode_step(step.map_err(misuse)?, None)
    }

    /// Takes the answer to `skills/get` of a load.
    #[wasm_bindgen(js_name = gotSkill)]
    pub fn got_skill(&mut self, skill: &JsValue, reply: Reply, now_ms: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let now_ms = argument::count(now_ms, "now")?;
        let got = reply.message().and_then(|message| {
            Ok(read_got_skill(&message, Reply::result(&message)?, skill.uri()))
        });
        let step = self.host.got_skill(&skill, got, now_ms);
        self.encode_step(step.map_err(misuse)?, None)
    }

    /// Takes the answer to `resources/read` of a load.
    #[wasm_bindgen(js_name = gotSkillMd)]
    pub fn got_skill_md(&mut self, skill: &JsValue, reply: Reply) -> Answer {
        let skill = argument::skill(skill)?;
        with_file(&reply, skill.uri(), |answer, parts| {
            let step = self.host.got_skill_md(&skill, answer).map_err(misuse)?;
            self.encode_step(step, Some(parts))
        })
    }

    /// A person approved the request of this number, and granted these.
    pub fn approve(&mut self, skill: &JsValue, number: u32, granted: &JsValue) -> Answer {
        let granted = argument::granted(granted)?;
        let request = self.take_request(&argument::skill(skill)?, number)?;
        match self.host.approve(&request, granted) {
            Ok(step) => self.encode_step(step, None),
            Err(error) => {
                self.wait_for(number, request);
                Err(misuse(error))
            }
        }
    }

    /// A person denied the request of this number.
    pub fn deny(&mut self, skill: &JsValue, number: u32) -> Answer {
        let request = self.take_request(&argument::skill(skill)?, number)?;
        let step = self.host.deny(&request).map_err(misuse)?;
        self.encode_step(step, None)
    }

    /// The skills that a model acts on.
    pub fn acting(&self) -> Answer {
        encode(&self.host.acting().collect::<Vec<_>>())
    }

    /// Ends a load or an acting window.
    pub fn end(&mut self, skill: &JsValue) -> Result<(), JsValue> {
        let skill = argument::skill(skill)?;
        self.forget_request(&skill);
        self.host.end(&skill);
        Ok(())
    }

    /// Withdraws an approval.
    pub fn revoke(&mut self, skill: &JsValue) -> Result<(), JsValue> {
        let skill = argument::skill(skill)?;
        self.forget_request(&skill);
        self.host.revoke(&skill);
        Ok(())
    }

    /// The call that reads a file: a reference that stands in the file `from`, or in `SKILL.md`.
    pub fn read(&mut self, skill: &JsValue, reference: &JsValue, from: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let reference = argument::text(reference, "reference")?;
        let outgoing = if from.is_undefined() {
            self.host.read(&skill, &reference)
        } else {
            self.host.read_from(&skill, &argument::text(from, "from")?, &reference)
        };
        encode_call(outgoing)
    }

    /// Takes the answer to it.
    #[wasm_bindgen(js_name = gotFile)]
    pub fn got_file(&mut self, skill: &JsValue, uri: &JsValue, reply: Reply) -> Answer {
        let skill = argument::skill(skill)?;
        let uri = argument::text(uri, "uri")?;
        with_file(&reply, &uri, |answer, parts| match self.host.got_file(&skill, &uri, answer) {
            Ok(content) => parts.encode(content),
            Err(stop) => encode(&Stopped::read(stop)),
        })
    }

    /// Where a cache would hold a file of a skill.
    #[wasm_bindgen(js_name = cachedAt)]
    pub fn cached_at(&self, skill: &JsValue, uri: &JsValue) -> Result<Option<String>, JsValue> {
        let uri = argument::text(uri, "uri")?;
        Ok(self.host.cached_at(&argument::skill(skill)?, &uri))
    }

    /// A file out of a cache in place of an answer, if it is still the one that was promised.
    #[wasm_bindgen(js_name = takeCached)]
    pub fn take_cached(
        &self,
        skill: &JsValue,
        uri: &JsValue,
        record: &JsValue,
        bytes: &JsValue,
    ) -> Result<Option<Reply>, JsValue> {
        let (skill, uri) = (argument::skill(skill)?, argument::text(uri, "uri")?);
        let record = argument::text(record, "a cached file's record")?;
        let bytes = argument::view(bytes, "a cached file's bytes")?;
        let digest = platform::digest(bytes)?.unwrap_or_else(|| Digest::of(&bytes.to_vec()));
        let size = bytes.length().into();
        let takes = self.host.takes_cached(&skill, &uri, &record, size, digest);
        Ok(takes.then(|| Reply::of_kept(bytes.clone(), digest)))
    }

    /// The call that reads a file of a named server. Of another one than the skill's own only
    /// where a person has allowed this very call.
    #[wasm_bindgen(js_name = readAt)]
    pub fn read_at(
        &mut self,
        skill: &JsValue,
        origin: &JsValue,
        uri: &JsValue,
        allowed: bool,
    ) -> Answer {
        let skill = argument::skill(skill)?;
        let origin = argument::origin(origin)?;
        match self.host.read_at(&skill, &origin, &argument::text(uri, "uri")?) {
            Err(ReadStop::CrossOrigin(call)) if allowed => encode(&Sending::of(call.allow())),
            outgoing => encode_call(outgoing),
        }
    }

    /// Takes the answer of another server than the skill's own.
    #[wasm_bindgen(js_name = gotForeign)]
    pub fn got_foreign(
        &self,
        skill: &JsValue,
        origin: &JsValue,
        uri: &JsValue,
        reply: Reply,
    ) -> Answer {
        let skill = argument::skill(skill)?;
        let origin = argument::origin(origin)?;
        let uri = argument::text(uri, "uri")?;
        with_file(&reply, &uri, |answer, parts| match answer {
            FileAnswer::Bytes(bytes) | FileAnswer::Hashed(bytes, _) => {
                parts.encode(TaggedContent::foreign(&skill, &origin, &uri, &bytes))
            }
            FileAnswer::NoBytes(error) => {
                encode(&Stopped::call(&CallFailure::NoAnswer(error.to_string())))
            }
            FileAnswer::Failed(failure) => encode(&Stopped::call(&failure)),
        })
    }

    /// Whether a directory of a skill may be asked for at its server: the first call.
    #[wasm_bindgen(js_name = beginDirectory)]
    pub fn begin_directory(&self, skill: &JsValue, directory: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let directory = self.directory(&skill, directory)?;
        encode_call(self.host.read_directory(&skill, &directory, None))
    }

    /// Takes what the walk over the directory brought.
    #[wasm_bindgen(js_name = gotDirectory)]
    pub fn got_directory(&mut self, skill: &JsValue, pages: Pages) -> Answer {
        let skill = argument::skill(skill)?;
        let Pages { walk, uri, failure } = pages;
        if let Some(failure) = failure {
            return encode(&Stopped::call(&failure));
        }
        match self.host.got_directory(&skill, &uri, &walk.children) {
            Ok(view) => {
                encode(&Children::of(&uri, &view.children, &view.unlisted, walk.is_complete()))
            }
            Err(stop) => encode(&Stopped::read(stop)),
        }
    }

    /// A directory by the retained manifest; nothing where the skill is dynamic and has none.
    #[wasm_bindgen(js_name = manifestDirectory)]
    pub fn manifest_directory(&self, skill: &JsValue, directory: &JsValue) -> Answer {
        let skill = argument::skill(skill)?;
        let directory = self.directory(&skill, directory)?;
        match self.host.manifest_directory(&skill, &directory) {
            Ok(children) => encode(&Children::of(&directory, &children, &[], true)),
            Err(stop) => encode(&Stopped::read(stop)),
        }
    }

    /// Whether the skill the model acts on is dynamic, so that no manifest says what it holds.
    #[wasm_bindgen(js_name = isDynamic)]
    pub fn is_dynamic(&self, skill: &JsValue) -> Result<bool, JsValue> {
        let known = self.host.registry().get(&argument::skill(skill)?);
        Ok(known.is_some_and(|known| known.entry.manifest().is_none()))
    }

    /// A person granted this to a skill the model acts on.
    pub fn grant(&mut self, skill: &JsValue, request: &JsValue) -> Result<(), JsValue> {
        let request = argument::permission(request)?;
        self.host.grant(&argument::skill(skill)?, &request).map_err(misuse)
    }

    /// Whether a person granted this.
    #[wasm_bindgen(js_name = isGranted)]
    pub fn is_granted(&self, skill: &JsValue, request: &JsValue) -> Result<bool, JsValue> {
        let request = argument::permission(request)?;
        Ok(self.host.is_granted(&argument::skill(skill)?, &request))
    }

    /// What the approval of a known skill is worth; none where the skill is not known.
    #[wasm_bindgen(js_name = approvalState)]
    pub fn approval_state(&self, skill: &JsValue) -> Answer {
        let state = self.host.approval_state(&argument::skill(skill)?);
        encode(&state.map(ApprovalAnswer::of))
    }

    /// What happened since this was last called.
    #[wasm_bindgen(js_name = takeNotices)]
    pub fn take_notices(&mut self) -> Answer {
        encode(&Notices::of(self.host.take_collisions(), self.host.take_changes()))
    }
}

impl HostCore {
    /// A directory of a skill: a URI, or the skill's own where it is left out.
    fn directory(&self, skill: &SkillId, directory: &JsValue) -> Result<String, JsValue> {
        if directory.is_undefined() {
            let end = skill.uri().len() - "/SKILL.md".len();
            return Ok(skill.uri()[..end].to_owned());
        }
        argument::text(directory, "directory")
    }

    /// The request of this number, if it is still the one that waits for its skill.
    fn take_request(&mut self, skill: &SkillId, number: u32) -> Result<ApprovalRequest, JsValue> {
        let at = self.asked.iter().position(|(waits, it)| *waits == number && it.skill == *skill);
        at.map(|at| self.asked.swap_remove(at).1).ok_or_else(|| misuse(Misuse::OldRequest))
    }

    fn wait_for(&mut self, number: u32, request: ApprovalRequest) {
        self.forget_request(&request.skill.clone());
        self.asked.push((number, request));
    }

    fn forget_request(&mut self, skill: &SkillId) {
        self.asked.retain(|(_, request)| request.skill != *skill);
    }

    fn encode_step(&mut self, step: Step, parts: Option<FileParts>) -> Answer {
        match step {
            Step::Send(outgoing) => encode(&Sending::of(outgoing)),
            Step::Approve(request) => {
                self.serial = self.serial.wrapping_add(1);
                let encoded = encode(&Approving::of(self.serial, &request));
                self.wait_for(self.serial, request);
                encoded
            }
            Step::Loaded(loaded) => {
                let answer = encode(&Loaded::of(&loaded))?;
                let parts = parts.unwrap_or_default();
                Reflect::set(&answer, &"content".into(), &parts.encode(loaded.content)?)?;
                Ok(answer)
            }
            Step::Stopped(stop) => encode(&Stopped::load(stop)),
        }
    }
}

/// A walk over the pages of `skills/list`.
#[wasm_bindgen]
pub struct SkillWalk {
    origin: OriginLabel,
    /// Whether the server declares the extension, so that it may be asked.
    declared: bool,
    listing: Listing,
    failure: Option<CallFailure>,
}

#[wasm_bindgen]
impl SkillWalk {
    /// The next call; none where the walk has ended.
    pub fn next(&self) -> Answer {
        match self.listing.next().filter(|_| self.declared) {
            Some(call) => encode(&Sending::of(Outgoing { origin: self.origin.clone(), call })),
            None => Ok(JsValue::NULL),
        }
    }

    /// The entries so far, with what is wrong with each.
    #[wasm_bindgen(getter)]
    pub fn entries(&self) -> Answer {
        encode(&self.listing.skills.iter().map(ListedEntry::of).collect::<Vec<_>>())
    }

    /// Takes the answer to it.
    pub fn receive(&mut self, reply: Reply) {
        let page = reply
            .message()
            .and_then(|message| Ok(read_skill_page(&message, Reply::result(&message)?)));
        match page {
            Ok(page) => self.listing.receive(page),
            Err(failure) => {
                self.listing.fail(failure.to_string());
                self.failure = Some(failure);
            }
        }
    }
}

/// A walk over the pages of a directory.
#[wasm_bindgen]
pub struct Pages {
    uri: String,
    walk: DirectoryWalk,
    failure: Option<CallFailure>,
}

#[wasm_bindgen]
impl Pages {
    /// A walk that has not begun.
    #[wasm_bindgen(constructor)]
    pub fn new(directory: &JsValue) -> Result<Self, JsValue> {
        let uri = argument::text(directory, "directory")?;
        Ok(Self { walk: DirectoryWalk::new(&uri), uri, failure: None })
    }

    /// The parameters of the next call; none where the walk has ended.
    pub fn next(&self) -> Answer {
        match (&self.failure, self.walk.next()) {
            (None, Some(call)) => encode(&Params::of(call)),
            _ => Ok(JsValue::NULL),
        }
    }

    /// Takes the answer to that call.
    pub fn receive(&mut self, reply: Reply) {
        let page = reply
            .message()
            .and_then(|message| Ok(read_directory(Reply::result(&message)?, &self.uri)));
        match page {
            Ok(page) => self.walk.receive(page),
            Err(failure) => self.failure = Some(failure),
        }
    }
}

/// The tag of a file whose bytes are elsewhere.
#[wasm_bindgen]
pub struct ContentTag {
    /// Without bytes, but while they are made into text.
    content: TaggedContent<'static>,
}

#[wasm_bindgen]
impl ContentTag {
    /// What to keep beside the file in a cache; none where it must not be kept.
    #[wasm_bindgen(getter)]
    pub fn record(&self) -> Option<String> {
        CacheRecord::of(&self.content).map(|record| record.to_json())
    }

    /// The file for a model: its text between marks that it cannot forge.
    #[wasm_bindgen(js_name = forModel)]
    pub fn for_model(&mut self, bytes: &JsValue, limit: &JsValue) -> Result<String, JsValue> {
        let limit = usize::try_from(argument::count(limit, "limit")?).unwrap_or(usize::MAX);
        self.content.bytes = argument::bytes(bytes, "bytes")?.into();
        let text = self.content.for_model(limit);
        self.content.bytes = Cow::default();
        Ok(text)
    }
}

/// The file of an entry that a reference in its `SKILL.md` leads to.
#[wasm_bindgen(js_name = fileOf)]
pub fn file_of(entry: &Entry, reference: &JsValue) -> Answer {
    let reference = argument::text(reference, "reference")?;
    let entry = held(&entry.reading)?;
    match skillglass::host::file_of(entry, &entry.uri, &reference) {
        Ok(uri) => Ok(uri.into()),
        Err(stop) => encode(&Stopped::read(stop)),
    }
}

/// Hands on what a reply has of a file: with the platform's digest where one was lent, since the
/// bytes have to leave this module in any case.
fn with_file(
    reply: &Reply,
    uri: &str,
    take: impl FnOnce(FileAnswer<'_>, FileParts) -> Answer,
) -> Answer {
    let mut parts = FileParts::default();
    if let Some((bytes, digest)) = &reply.kept {
        parts.bytes = Some(bytes.clone());
        return take(FileAnswer::Hashed(bytes.to_vec().into(), *digest), parts);
    }
    let message = match reply.message() {
        Ok(message) => message,
        Err(failure) => return take(FileAnswer::Failed(failure), parts),
    };
    let result = match Reply::result(&message) {
        Ok(result) => result,
        Err(failure) => return take(FileAnswer::Failed(failure), parts),
    };
    let contents = match contents::read(&message.document, result, uri) {
        Ok(contents) => contents,
        Err(error) => return take(FileAnswer::NoBytes(error), parts),
    };
    let bytes = Uint8Array::from(&*contents.bytes);
    let answer = match platform::digest(&bytes)? {
        Some(digest) => FileAnswer::Hashed(contents.bytes, digest),
        None => FileAnswer::Bytes(contents.bytes),
    };
    parts.mime_type = contents.mime_type;
    parts.bytes = Some(bytes);
    take(answer, parts)
}

fn encode_call(outgoing: Result<Outgoing, ReadStop>) -> Answer {
    match outgoing {
        Ok(outgoing) => encode(&Sending::of(outgoing)),
        Err(stop) => encode(&Stopped::read(stop)),
    }
}

/// A mistake of the caller.
fn misuse(error: Misuse) -> JsValue {
    let code = match &error {
        Misuse::UnknownOrigin(_) => "unknown-origin",
        Misuse::OldRequest => "old-request",
        Misuse::NotRequested(_) => "not-requested",
        _ => "out-of-order",
    };
    failure(code, &error.to_string())
}

/// Where a walk over a listing ended.
fn walked(state: &ListingState) -> (bool, Option<String>) {
    match state {
        ListingState::Stopped(why) => (false, Some(why.to_string())),
        state => (*state == ListingState::Complete, None),
    }
}
