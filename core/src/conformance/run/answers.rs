//! What the answer to each question shows.

use super::super::Subject;
use super::super::judge::entry::{ManifestState, manifest_state};
use super::super::judge::metadata::Resource;
use super::super::judge::probe::Probe;
use super::super::judge::{
    broken, content, directory, entry, envelope, links, listing, metadata, probe,
};
use super::super::plan::Received;
use super::super::report::Exchange;
use super::facts::{MAX_ITEMS, Origin, Turn};
use super::{Ask, MAX_EXCERPT, Run, exchange, failed};
use crate::contents;
use crate::digest::Digest;
use crate::entry::{MAX_FILES, Reading};
use crate::finding::{Finding, Level, excerpt, quote};
use crate::protocol::directory::{Child, read_directory};
use crate::protocol::results::{holds_in, read_got_skill, read_skill_page};
use crate::protocol::{
    Call, INVALID_PARAMS, ListingState, METHOD_NOT_FOUND, Message, Reply, ReplyError, RpcError,
    StopReason,
};
use crate::uri::{SKILL_MD as FILE_NAME, SkillUri};
use crate::value::Node;

/// What the declaration shows.
pub(super) const CAPABILITIES: &[&str] = &[
    "capability-empty-object",
    "capability-declaration-inline",
    "capability-requires-resources",
    "capability-directory-read-boolean",
];

/// What a page of the listing shows.
pub(super) const LIST: &[&str] = &[
    "skills-list-implemented",
    "list-skills-array",
    "skills-list-pagination",
    "skills-list-entry-atomic",
    "list-uri-unique-per-page",
    "skills-list-cache-attributes",
    "cache-values-valid",
    "result-type-complete",
    "no-cache-fields-on-legacy",
];

/// What an answer of `skills/get` shows of the method.
const GET_METHOD: &[&str] = &[
    "skills-get-implemented",
    "skills-get-no-cursor",
    "skills-get-cache-attributes",
    "cache-values-valid",
    "result-type-complete",
    "no-cache-fields-on-legacy",
];

/// What it shows of a listed skill.
pub(super) const GET: &[&str] = &[
    "get-answers-every-listed",
    "skills-get-entry-shape",
    "get-entry-full-rules",
    "get-equals-list",
];

/// What only its entry shows, listed or not.
const GOT: &[&str] = &["skills-get-entry-shape", "get-entry-full-rules"];

/// What shows whether `skills/get` knows a skill that is not listed.
pub(super) const UNLISTED: &[&str] = &["get-answers-unlisted"];

/// What every entry shows.
const ENTRY: &[&str] = &["entry-shape", "entry-duplicate-member", "entry-not-unicode"];

/// What an entry that is an object shows.
const MEMBERS: &[&str] = &[
    "entry-uri-required",
    "entry-frontmatter-required",
    "entry-resources-required",
    "meta-prefix",
];

/// What an entry with a URI shows.
const URI: &[&str] = &["entry-uri-form", "entry-uri-matches-frontmatter-name"];

/// What an entry with the URI of a `SKILL.md` shows.
const SKILL_URI: &[&str] = &[
    "name-naming-rules",
    "skill-uri-scheme",
    "authority-reg-name",
    "uri-prefix-segments",
    "uri-scheme-case",
];

/// What an entry with a frontmatter shows.
const FORMAT: &[&str] = &[
    "skillformat-name-rules",
    "skillformat-description-length",
    "skillformat-compatibility-length",
    "skillformat-license-string",
    "skillformat-metadata-string-map",
    "skillformat-allowed-tools-string",
    "metadata-reserved-prefix",
];

/// What a manifest shows.
const MANIFEST: &[&str] = &[
    "resources-complete",
    "resources-uri-within-skill",
    "manifest-uri-canonical",
    "resources-digest-format",
    "resources-size-required",
    "limit-resources-per-skill",
    "limit-total-size",
];

/// What only skills with a manifest show, beside the manifest itself.
const WITH_MANIFEST: &[&str] = &["manifest-links-listed", "dynamic-honest"];

/// What the bytes of a file show.
pub(super) const FILE: &[&str] =
    &["content-readable", "content-uri-echo", "content-size-match", "content-digest-match"];

/// What a `SKILL.md` shows.
pub(super) const SKILL_MD: &[&str] = &[
    "skillmd-required",
    "skillmd-frontmatter",
    "final-segment-equals-name",
    "entry-frontmatter-identical",
    "frontmatter-null-vs-absent",
    "skillmd-mimetype",
    "skillmd-metadata-name",
    "skillmd-metadata-description",
    "manifest-links-listed",
];

/// What its frontmatter shows beside the entry.
const COMPARED: &[&str] = &["entry-frontmatter-identical", "frontmatter-null-vs-absent"];

/// What a directory shows.
pub(super) const DIRECTORY: &[&str] = &[
    "directory-every-level",
    "directory-read-result-resources-shape",
    "directory-child-shape",
    "directory-children-exact",
    "directory-uri-no-slash",
    "directory-read-pagination",
];

/// What a skill that changes while it is looked at may seem to break.
pub(super) const CHANGEABLE: &[&str] = &[
    "content-size-match",
    "content-digest-match",
    "content-readable",
    "entry-frontmatter-identical",
    "frontmatter-null-vs-absent",
    "get-equals-list",
    "manifest-complete-vs-directory",
    "manifest-complete-vs-resources-list",
    "directory-children-exact",
    "directory-every-level",
];

/// How many links of one skill to unlisted files are tried.
const MAX_LINKED: usize = 5;

/// An answer: a result with the message around it, or an error.
type Answer<'a> = Result<(&'a Message<'a>, &'a Node<'a>), RpcError>;

impl Run {
    /// Judges what came, and gives the exchange's line for the report.
    pub(super) fn settle(
        &mut self,
        id: u64,
        ask: &Ask,
        call: &Call,
        received: Received,
    ) -> Exchange {
        let reply = match received {
            Received::Failed(reason) => {
                let reason = excerpt(&reason, MAX_EXCERPT);
                self.untested(ask, &reason);
                return exchange(id, call, None, 0, &reason);
            }
            Received::Answered(reply) => reply,
        };
        let status = status(&reply);
        let (bytes, text) = match &reply {
            Ok(reply) => (reply.text.len(), reply.text.as_str()),
            Err(error) => (0, error.excerpt().unwrap_or_default()),
        };
        self.received += bytes as u64;
        let shown = status.filter(|_| self.options.http);
        let line = exchange(id, call, shown, bytes, text);
        if let Some(reason) = no_verdict(status, &reply) {
            self.untested(ask, &reason);
            return line;
        }
        let method = Subject::method(call.method());
        self.ledger.examined(&method, &["wire-schema-valid", "json-mark"]);
        let message = match &reply {
            Ok(reply) => reply.message(),
            Err(error) => Err(error.clone()),
        };
        match message {
            Ok(message) => {
                let form = envelope::check(self.era(), call, &message);
                self.ledger.found(&method, id, form);
                self.ledger.found(&method, id, message.findings());
                let outcome = message.outcome().map(|result| (&message, result));
                self.judge(id, ask, call, outcome);
            }
            Err(error) => {
                self.ledger.found(&method, id, [envelope::no_message(&error.to_string())]);
                let status = status.unwrap_or_default();
                let error = RpcError { code: None, message: error.to_string(), data: None, status };
                self.judge(id, ask, call, Err(error));
            }
        }
        line
    }

    fn judge(&mut self, id: u64, ask: &Ask, call: &Call, answer: Answer<'_>) {
        match ask {
            Ask::Discover => {}
            Ask::List => self.listed(id, answer),
            Ask::Resources => self.resources(id, answer),
            Ask::Probe(probe) => self.probed(id, probe, &answer),
            Ask::Get(at) => self.got(id, *at, answer),
            Ask::Read(at) => self.read(id, *at, answer),
            Ask::Directory(at) => self.directory(id, *at, call, answer),
            Ask::GetAgain(at) => self.got_again(*at, answer),
            Ask::ReadAgain(at) => self.read_again(*at, answer),
            Ask::Linked { skill, uri } => self.linked(id, *skill, uri, answer),
        }
    }

    /// Notes findings on a result that hold in this era.
    fn found(&mut self, subject: &Subject, id: u64, findings: impl IntoIterator<Item = Finding>) {
        let era = self.era();
        self.ledger.found(subject, id, findings.into_iter().filter(|it| holds_in(era, it)));
    }

    // skills/list

    fn listed(&mut self, id: u64, answer: Answer<'_>) {
        let method = Subject::method("skills/list");
        let behind_empty = matches!(self.facts.listing.state(), ListingState::More(Some(cursor)) if cursor.is_empty());
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error = error.to_string();
                if behind_empty {
                    let came = format!("refused: {error}");
                    self.ledger.found(&method, id, [listing::empty_cursor(&came)]);
                } else {
                    self.ledger.found(&method, id, [broken("skills-list-implemented", &*error)]);
                }
                if self.facts.listing.pages() > 0 {
                    self.ledger.found(&method, id, [listing::refused_cursor(&error)]);
                }
                return self.facts.listing.fail(error);
            }
        };
        self.ledger.examined(&method, LIST);
        let mut page = read_skill_page(message, result);
        self.found(&method, id, std::mem::take(&mut page.findings));
        self.found(&method, id, listing::cache_fields(result));
        for (at, reading) in page.skills.iter().enumerate() {
            if self.is_in_scope(reading.uri.as_deref()) {
                self.entry(id, reading, &format!("/skills/{at}"));
            }
        }
        let known = self.facts.listing.skills.len();
        let listing = &mut self.facts.listing;
        self.facts.empty_cursor |= page.next_cursor.as_deref() == Some("");
        listing.receive(page);
        let mut findings = std::mem::take(&mut listing.findings);
        // A host does well to be lenient here; a server keeps an entry whole.
        for finding in findings.iter_mut().filter(|it| it.id == "skills-list-entry-atomic") {
            finding.level = Level::Must;
        }
        let goes_round = *listing.state() == ListingState::Stopped(StopReason::RepeatedCursor);
        let new = &listing.skills[known..];
        let nothing_new = new.is_empty();
        if let Some(selected) = &self.selected {
            let wanted = |uri: &String| selected.contains(uri);
            self.unlisted -= new.iter().filter(|it| it.uri.as_ref().is_some_and(wanted)).count();
        }
        self.found(&method, id, findings);
        if behind_empty {
            self.ledger.examined(&method, &["list-empty-cursor"]);
            if goes_round && nothing_new {
                let came = listing::empty_cursor("one that came before");
                self.ledger.found(&method, id, [came]);
            }
        }
        let found_all = self.selected.is_some() && self.unlisted == 0;
        match self.facts.listing.state() {
            ListingState::More(_) if !found_all => self.plan_page(Ask::List),
            ListingState::Stopped(reason @ (StopReason::Pages | StopReason::Skills)) => {
                let reason = reason.to_string();
                self.ledger.untested(&method, &["skills-list-pagination"], &reason);
            }
            _ => {}
        }
    }

    /// Judges an entry. One without a URI is told by its place in the message.
    fn entry(&mut self, id: u64, reading: &Reading, place: &str) {
        let subject = match &reading.uri {
            Some(uri) => Subject::skill(uri),
            None => Subject::method("skills/list"),
        };
        let ledger = &mut self.ledger;
        ledger.examined(&subject, ENTRY);
        let breaks = |check: &str| reading.findings.iter().any(|finding| finding.id == check);
        let has_frontmatter = !reading.findings.iter().any(|finding| {
            finding.id == "entry-frontmatter-required"
                && finding.pointer.as_deref() == Some("/frontmatter")
        });
        if breaks("entry-shape") {
            let reason = "the entry is no object";
            for checks in [MEMBERS, URI, SKILL_URI, FORMAT, MANIFEST] {
                ledger.untested(&subject, checks, reason);
            }
        } else {
            ledger.examined(&subject, MEMBERS);
            let has_uri = !breaks("entry-uri-required");
            let is_skill_uri = has_uri && !breaks("entry-uri-form");
            let mut either = |holds: bool, checks: &[&str], reason: &str| {
                if holds {
                    ledger.examined(&subject, checks);
                } else {
                    ledger.untested(&subject, checks, reason);
                }
            };
            either(has_uri, URI, "the entry has no uri");
            either(is_skill_uri, SKILL_URI, "the uri is not that of a SKILL.md");
            either(has_frontmatter, FORMAT, "the entry has no frontmatter");
            match manifest_state(reading) {
                ManifestState::Listed => ledger.examined(&subject, MANIFEST),
                ManifestState::Dynamic => {
                    let reason = "the skill is dynamic";
                    ledger.not_applicable(&subject, MANIFEST, reason);
                    ledger.not_applicable(&subject, WITH_MANIFEST, reason);
                }
                ManifestState::Unreadable => {
                    ledger.untested(&subject, MANIFEST, "no manifest can be read");
                }
            }
        }
        let nameless = reading.uri.is_none();
        let placed = |mut finding: Finding| {
            if nameless {
                finding.pointer = Some(format!("{place}{}", finding.pointer.unwrap_or_default()));
            }
            finding
        };
        let findings = reading.findings.iter().cloned().chain(entry::more(reading));
        self.ledger.found(&subject, id, findings.map(placed));
    }

    // resources/list

    fn resources(&mut self, id: u64, answer: Answer<'_>) {
        let walk = &mut self.facts.resources;
        let (_, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                walk.walk.ended = true;
                walk.failed = Some(format!("resources/list: {error}"));
                return;
            }
        };
        let items = result.get("resources").and_then(Node::as_array).unwrap_or_default();
        for item in items {
            let Some(resource) = Resource::read(item) else { continue };
            if walk.known.len() >= MAX_ITEMS {
                break;
            }
            let bare = metadata::meta_keys(item);
            if !bare.is_empty() {
                self.ledger.found(&Subject::file(&resource.uri), id, bare);
            }
            walk.add(resource);
        }
        let next = result.get("nextCursor").and_then(Node::as_str).map(str::to_owned);
        match walk.walk.turn(next) {
            Turn::More if walk.known.len() < MAX_ITEMS => self.plan_page(Ask::Resources),
            Turn::End => {}
            Turn::Repeated => walk.failed = Some("resources/list repeats a cursor".to_owned()),
            Turn::More | Turn::TooMany => {
                walk.failed = Some("resources/list has more pages than are walked".to_owned());
            }
        }
    }

    // What has to be refused

    fn probed(&mut self, id: u64, probe: &Probe, answer: &Answer<'_>) {
        let method = Subject::method(probe.call.method());
        let outcome = match answer {
            Ok((_, result)) => Ok(*result),
            Err(error) => Err(error.clone()),
        };
        if matches!(probe.call, Call::ListSkills { .. }) && self.facts.listing.pages() == 0 {
            // What refuses every page refuses an unknown cursor for another reason.
            return self.ledger.untested(&method, &[probe.check], "skills/list is not answered");
        }
        self.ledger.examined(&method, &[probe.check]);
        if outcome.is_err() {
            self.ledger.examined(&method, &["error-message-informative"]);
        }
        let findings = probe::judge(probe, self.era(), self.options.http, &outcome);
        self.ledger.found(&method, id, findings);
    }

    // skills/get

    fn got(&mut self, id: u64, at: usize, answer: Answer<'_>) {
        let uri = self.facts.skills[at].uri.clone();
        let subject = Subject::skill(&uri);
        let method = Subject::method("skills/get");
        let origin = self.facts.skills[at].origin;
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(error) => return self.not_got(id, at, &error),
        };
        self.ledger.examined(&method, GET_METHOD);
        self.ledger.examined(&subject, if origin == Origin::Listed { GET } else { GOT });
        match origin {
            Origin::Instructions => {
                self.ledger.examined(&subject, &["instructions-uris-resolve"]);
                self.ledger.examined(&subject, UNLISTED);
            }
            Origin::Nested => self.ledger.examined(&subject, &["nested-flat-listing"]),
            Origin::Listed => {}
            Origin::Selected | Origin::Mentioned => self.ledger.examined(&subject, UNLISTED),
        }
        let got = read_got_skill(message, result, &uri);
        let (shape, general): (Vec<_>, Vec<_>) =
            got.findings.into_iter().partition(|finding| finding.id == "skills-get-entry-shape");
        self.found(&method, id, general);
        self.found(&method, id, listing::cache_fields(result));
        if origin == Origin::Nested && !shape.is_empty() {
            let message = "skills/get answers with something else than an ordinary entry";
            self.ledger.found(&subject, id, [broken("nested-flat-listing", message)]);
        }
        self.ledger.found(&subject, id, shape);
        let Some(reading) = got.reading else { return };
        self.ledger.found(&subject, id, entry::shapeless(&reading));
        self.entry(id, &reading, "/skill");
        self.found(&subject, id, listing::new_defects(self.facts.listed(at), &reading));
        let differs = self.facts.listed(at).and_then(|listed| listing::differs(listed, &reading));
        self.facts.skills[at].differed |= differs.is_some();
        self.found(&subject, id, differs);
        self.facts.got(at, reading);
    }

    /// `skills/get` answered with an error, or with no message.
    fn not_got(&mut self, id: u64, at: usize, error: &RpcError) {
        let is_first_listed =
            self.facts.skills.iter().position(|it| it.listed.is_some()) == Some(at);
        let skill = &mut self.facts.skills[at];
        skill.unconfirmed = skill.origin != Origin::Listed;
        let subject = Subject::skill(&skill.uri);
        let unknown = error.code == Some(INVALID_PARAMS);
        let message = error.to_string();
        if is_first_listed || error.code == Some(METHOD_NOT_FOUND) {
            let method = Subject::method("skills/get");
            let finding = format!("asked for {}: {message}", quote(&skill.uri));
            self.ledger.found(&method, id, [broken("skills-get-implemented", finding)]);
        }
        match skill.origin {
            Origin::Listed => {
                self.ledger.found(&subject, id, [broken("get-answers-every-listed", message)]);
                self.ledger.untested(&subject, GET, "skills/get does not answer for it");
            }
            Origin::Nested => {
                self.ledger.examined(&subject, &["nested-flat-listing"]);
                if !unknown {
                    self.ledger.found(&subject, id, [broken("nested-flat-listing", message)]);
                }
            }
            Origin::Instructions if unknown => {
                self.ledger.found(&subject, id, [broken("instructions-uris-resolve", message)]);
            }
            Origin::Instructions => {
                self.ledger.untested(&subject, &["instructions-uris-resolve"], &message);
                self.ledger.found(&subject, id, [broken("get-answers-unlisted", message)]);
            }
            Origin::Selected | Origin::Mentioned if !unknown => {
                self.ledger.found(&subject, id, [broken("get-answers-unlisted", message)]);
            }
            Origin::Selected | Origin::Mentioned => {}
        }
    }

    fn got_again(&mut self, at: usize, answer: Answer<'_>) {
        let skill = &self.facts.skills[at];
        let again = answer.ok().and_then(|(message, result)| {
            read_got_skill(message, result, &skill.uri).reading?.entry
        });
        let before = self.facts.entry(at);
        let changed = match (before, &again) {
            (Some(before), Some(again)) => Some(!before.same_content(again)),
            _ => None,
        };
        let skill = &mut self.facts.skills[at];
        skill.changed = changed;
        if changed.is_none() {
            skill.second_look_failed = Some("the second skills/get gave no entry".to_owned());
        }
    }

    // resources/read

    fn read(&mut self, id: u64, at: usize, answer: Answer<'_>) {
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        let unconfirmed = self.facts.unconfirmed(&uri);
        let own = self.facts.own_skill(&uri);
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(_) if unconfirmed => return self.no_such_skill(&uri),
            Err(error) => {
                let finding = broken("content-readable", error.to_string());
                return self.unread(id, at, finding);
            }
        };
        if result.get("resultType").and_then(Node::as_str) == Some("input_required") {
            return self.untested(&Ask::Read(at), "the server asks for input before it answers");
        }
        let file = match contents::read(&message.document, result, &uri) {
            Ok(file) => file,
            Err(_) if unconfirmed => return self.no_such_skill(&uri),
            Err(error) => return self.unread(id, at, content::no_contents(&error)),
        };
        if unconfirmed {
            return self.judge_unconfirmed(id, &uri, &file.bytes);
        }
        self.ledger.examined(&subject, &["content-readable", "content-uri-echo", "meta-prefix"]);
        self.ledger.found(&subject, id, content::tolerated(&file.notes));
        let items = result.get("contents").and_then(Node::as_array).unwrap_or_default();
        self.ledger.found(&subject, id, items.iter().flat_map(metadata::meta_keys));
        let listed = self.facts.resources.get(&uri);
        let listed_type = listed.and_then(|resource| resource.mime_type.clone());
        if let (Some(read), Some(listed)) = (&file.mime_type, &listed_type) {
            self.ledger.examined(&subject, &["resource-metadata-all"]);
            self.ledger.found(&subject, id, metadata::agreement(read, listed));
        }
        self.judge_bytes(id, at, &file.bytes);
        if let Some(own) = own {
            self.skill_md(id, own, &file.bytes);
            let types = metadata::media_type(file.mime_type.as_deref(), listed_type.as_deref());
            let skill = Subject::skill(&uri);
            self.ledger.examined(&skill, &["skillmd-mimetype"]);
            self.ledger.found(&skill, id, types);
        }
    }

    /// A file that is listed gave no bytes.
    fn unread(&mut self, id: u64, at: usize, finding: Finding) {
        const REASON: &str = "the file cannot be read";
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        self.differs(at);
        if self.facts.own_skill(&uri).is_some() {
            let skill = Subject::skill(&uri);
            let required = broken("skillmd-required", finding.message.clone());
            self.ledger.found(&skill, id, [required]);
            self.ledger.untested(&skill, SKILL_MD, REASON);
        }
        self.ledger.found(&subject, id, [finding]);
        self.ledger.untested(&subject, FILE, REASON);
    }

    fn no_such_skill(&mut self, uri: &str) {
        self.ledger.not_applicable(&Subject::skill(uri), UNLISTED, "no skill is served there");
    }

    /// A `SKILL.md` that `skills/get` does not know: is it a skill's?
    fn judge_unconfirmed(&mut self, id: u64, uri: &str, bytes: &[u8]) {
        let is_skill = SkillUri::parse(uri).is_ok_and(|skill| content::is_skill(skill, bytes));
        if !is_skill {
            return self.no_such_skill(uri);
        }
        let message =
            format!("{} can be read and is a skill, but skills/get does not know it", quote(uri));
        let finding = broken("get-answers-unlisted", message);
        self.ledger.found(&Subject::skill(uri), id, [finding]);
    }

    /// Size and digest of a file, beside every manifest that lists it.
    fn judge_bytes(&mut self, id: u64, at: usize, bytes: &[u8]) {
        let digest = Digest::of(bytes);
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        let skills = self.facts.files[at].skills.clone();
        let mut is_pinned = false;
        let mut findings = Vec::new();
        for skill in &skills {
            for entry in self.facts.entries(*skill) {
                let Some(line) = entry.manifest().and_then(|manifest| manifest.get(&uri)) else {
                    continue;
                };
                is_pinned = true;
                for (check, readable) in [
                    ("content-size-match", line.size.is_some()),
                    ("content-digest-match", line.digest.is_some()),
                ] {
                    if readable {
                        self.ledger.examined(&subject, &[check]);
                    } else {
                        self.ledger.untested(
                            &subject,
                            &[check],
                            "the manifest's line is malformed",
                        );
                    }
                }
                findings.extend(content::file(entry, &uri, bytes, digest));
            }
        }
        if !is_pinned {
            let checks = ["content-size-match", "content-digest-match"];
            self.ledger.not_applicable(&subject, &checks, "no manifest lists it");
        }
        self.facts.files[at].seen = Some(digest);
        if !findings.is_empty() {
            self.differs(at);
        }
        self.ledger.found(&subject, id, findings);
        for skill in skills {
            let skill = &mut self.facts.skills[skill];
            skill.served_files += 1;
            skill.served_bytes = skill.served_bytes.saturating_add(bytes.len() as u64);
        }
    }

    /// Something of the file is not as promised; its skills are looked at again.
    fn differs(&mut self, at: usize) {
        self.facts.files[at].differed = true;
        for skill in self.facts.files[at].skills.clone() {
            self.facts.skills[skill].differed = true;
        }
    }

    fn skill_md(&mut self, id: u64, at: usize, bytes: &[u8]) {
        const LABELS: &[&str] = &["skillmd-metadata-name", "skillmd-metadata-description"];
        const LINKS: &[&str] = &["manifest-links-listed"];
        let uri = self.facts.skills[at].uri.clone();
        let subject = Subject::skill(&uri);
        let Ok(skill_uri) = SkillUri::parse(&uri) else { return };
        self.ledger.examined(&subject, &["skillmd-required"]);
        let read = content::skill_md(skill_uri, self.facts.entries(at), bytes);
        let differs = read.findings.iter().any(|finding| COMPARED.contains(&finding.id));
        self.facts.skills[at].differed |= differs;
        self.ledger.found(&subject, id, read.findings);
        let Some(frontmatter) = read.frontmatter else {
            if read.beyond.is_none() {
                self.ledger.examined(&subject, &["skillmd-frontmatter"]);
            }
            let reason = read.beyond.as_deref().unwrap_or("the frontmatter cannot be read");
            let unknown: Vec<_> = SKILL_MD
                .iter()
                .filter(|check| !matches!(**check, "skillmd-required" | "skillmd-mimetype"))
                .filter(|check| read.beyond.is_some() || **check != "skillmd-frontmatter")
                .copied()
                .collect();
            return self.ledger.untested(&subject, &unknown, reason);
        };
        self.ledger.examined(&subject, &["skillmd-frontmatter", "final-segment-equals-name"]);
        if self.facts.entry(at).is_some() {
            self.ledger.examined(&subject, COMPARED);
        } else {
            self.ledger.untested(&subject, COMPARED, "there is no entry that can be held");
        }
        if let Some(resource) = self.facts.resources.get(&uri) {
            self.ledger.examined(&subject, LABELS);
            self.ledger.found(&subject, id, metadata::labels(resource, &frontmatter.root));
        } else if self.facts.resources.failed.is_none() {
            self.ledger.not_applicable(&subject, LABELS, "resources/list does not name it");
        }
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let mut linked: Vec<String> = Vec::new();
        if let (Some(entry), Some(tree)) = (self.facts.entry(at), &self.facts.skills[at].tree) {
            self.ledger.examined(&subject, LINKS);
            for link in links::unlisted(entry, tree, text, frontmatter.body) {
                self.ledger.found(&subject, id, [link.finding]);
                linked.extend(link.file.filter(|file| !linked.contains(file)));
            }
        }
        for uri in linked.into_iter().take(MAX_LINKED) {
            self.plan_ask(Ask::Linked { skill: at, uri });
        }
        let scheme = format!("{}://", skill_uri.uri().scheme());
        for mentioned in links::skill_uris(text) {
            if mentioned.starts_with(&scheme) {
                self.follow(mentioned, Origin::Mentioned);
            }
        }
    }

    /// A file that can be read below a skill's root belongs into its manifest.
    fn linked(&mut self, id: u64, skill: usize, uri: &str, answer: Answer<'_>) {
        let is_served = answer
            .is_ok_and(|(message, result)| contents::read(&message.document, result, uri).is_ok());
        if is_served {
            let subject = Subject::skill(&self.facts.skills[skill].uri);
            self.ledger.found(&subject, id, [links::served(uri)]);
        }
    }

    fn read_again(&mut self, at: usize, answer: Answer<'_>) {
        let file = &self.facts.files[at];
        let again = answer.ok().and_then(|(message, result)| {
            let file = contents::read(&message.document, result, &file.uri).ok()?;
            Some(Digest::of(&file.bytes))
        });
        self.facts.files[at].changed = Some(again != self.facts.files[at].seen);
    }

    // resources/directory/read

    fn directory(&mut self, id: u64, at: usize, call: &Call, answer: Answer<'_>) {
        const REGISTERED: &str = "directory-read-method-registered";
        let uri = self.facts.directories[at].uri.clone();
        let subject = Subject::directory(&uri);
        let method = Subject::method(call.method());
        let (_, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error_text = error.to_string();
                if at == 0 || error.code == Some(METHOD_NOT_FOUND) {
                    self.ledger.found(&method, id, [broken(REGISTERED, &*error_text)]);
                    self.ledger.found(&subject, id, directory::no_result(&error_text));
                }
                let directory = &mut self.facts.directories[at];
                let finding = if directory.walk.pages > 0 {
                    directory::endless(&format!("refuse their own cursor: {error_text}"))
                } else if directory.without_files {
                    directory::not_empty(&error_text)
                } else {
                    directory::refused(&error_text)
                };
                for skill in directory.skills.clone() {
                    self.facts.skills[skill].differed = true;
                }
                self.ledger.found(&subject, id, [finding]);
                return self.ledger.untested(&subject, DIRECTORY, "the directory cannot be read");
            }
        };
        self.ledger.examined(&method, &[REGISTERED, "result-type-complete"]);
        self.ledger.examined(&subject, DIRECTORY);
        let page = read_directory(result, &uri);
        let (general, own): (Vec<_>, Vec<_>) =
            page.findings.into_iter().partition(|finding| finding.id == "result-type-complete");
        self.found(&method, id, general);
        let directory = &mut self.facts.directories[at];
        let no_page = if directory.walk.pages > 0 { directory::no_page(&own) } else { None };
        self.ledger.found(&subject, id, own.into_iter().chain(no_page));
        directory.children.extend(page.children);
        let turn = directory.walk.turn(page.next_cursor);
        let full = directory.children.len() >= MAX_ITEMS;
        match turn {
            Turn::More if !full => return self.plan_page(Ask::Directory(at)),
            Turn::End => {}
            Turn::Repeated => {
                self.ledger.found(&subject, id, [directory::endless("repeat a cursor")]);
            }
            Turn::More | Turn::TooMany => {
                let reason = "there are more pages than are walked";
                return self.ledger.untested(&subject, DIRECTORY, reason);
            }
        }
        self.whole_directory(id, at);
    }

    /// Judges a directory whose pages have all come.
    fn whole_directory(&mut self, id: u64, at: usize) {
        let directory = &mut self.facts.directories[at];
        let (uri, skills) = (directory.uri.clone(), directory.skills.clone());
        let mut children = std::mem::take(&mut directory.children);
        for child in &mut children {
            // That it ends in a slash was told; what it is does not depend on it.
            child.uri.truncate(child.uri.trim_end_matches('/').len());
        }
        let (pages, without_files) = (directory.walk.pages, directory.without_files);
        let subject = Subject::directory(&uri);
        let resources = &self.facts.resources;
        let differs = |child: &Child| directory::differs(child, resources.get(&child.uri)?);
        self.ledger.found(&subject, id, children.iter().filter_map(differs));
        let repeated = directory::repeated(&children);
        if pages > 1 {
            self.ledger.examined(&subject, &["directory-pagination-complete"]);
            self.ledger.found(&subject, id, repeated);
        } else {
            let once = |finding: Finding| broken("directory-children-exact", finding.message);
            self.ledger.found(&subject, id, repeated.into_iter().map(once));
        }
        if without_files {
            self.ledger.examined(&subject, &["directory-empty-array"]);
        }
        let mut has_directories = children.iter().any(|child| child.is_directory());
        for skill in &skills {
            let Some(tree) = &self.facts.skills[*skill].tree else { continue };
            has_directories |= tree.holds_directories(&uri);
            let owner = Subject::skill(&self.facts.skills[*skill].uri);
            let (own, incomplete) = directory::beside_manifest(tree, &uri, &children);
            let differs = !own.is_empty() || !incomplete.is_empty();
            self.ledger.examined(&owner, &["manifest-complete-vs-directory"]);
            self.ledger.found(&owner, id, incomplete);
            self.ledger.found(&subject, id, own);
            self.facts.skills[*skill].differed |= differs;
        }
        if has_directories {
            self.ledger.examined(&subject, &["directory-read-subdir-mimetype"]);
        }
        let Some(innermost) = skills.first().copied() else { return };
        let is_dynamic =
            self.facts.entry(innermost).is_some_and(|entry| entry.manifest().is_none());
        let below = format!("{uri}/");
        for child in children.iter().filter(|child| child.uri.starts_with(&below)) {
            if child.is_directory() {
                let tree = |at: &usize| self.facts.skills[*at].tree.as_ref();
                let listed = skills.iter().filter_map(tree).any(|tree| tree.holds(&child.uri));
                let without_files = !is_dynamic && !listed;
                let new = self.facts.add_directory(&child.uri, without_files);
                new.into_iter().for_each(|at| self.plan_ask(Ask::Directory(at)));
                continue;
            }
            if SkillUri::parse(&child.uri).is_ok() && child.uri.ends_with(FILE_NAME) {
                self.follow(&child.uri, Origin::Nested);
            }
            // Of a dynamic skill one more file than allowed is enough to see that.
            if is_dynamic && self.facts.skills[innermost].found_files <= MAX_FILES {
                self.facts.skills[innermost].found_files += 1;
                let new = self.facts.add_file(&child.uri, innermost, None);
                new.into_iter().for_each(|at| self.plan_ask(Ask::Read(at)));
            }
        }
    }

    /// Whether both methods of the extension were answered.
    pub(super) fn commits_to_methods(&mut self) {
        const CHECK: &str = "capability-commits-to-methods";
        let server = Subject::server();
        let missing: Vec<_> =
            [("skills/list", "skills-list-implemented"), ("skills/get", "skills-get-implemented")]
                .into_iter()
                .filter(|(method, check)| failed(&self.ledger, &Subject::method(method), check))
                .map(|(method, _)| method)
                .collect();
        if self.facts.listing.pages() > 0 || !missing.is_empty() {
            self.ledger.examined(&server, &[CHECK]);
        }
        if !missing.is_empty() {
            let message = format!("{} is declared and not answered", missing.join(" and "));
            self.ledger.found(&server, None, [broken(CHECK, message)]);
        }
    }
}

/// The HTTP status of an answer, where it is known.
const fn status(reply: &Result<Reply, ReplyError>) -> Option<u16> {
    match reply {
        Ok(Reply { status, .. })
        | Err(
            ReplyError::MediaType { status, .. }
            | ReplyError::NotJson { status, .. }
            | ReplyError::NotMessage { status, .. }
            | ReplyError::OtherId { status, .. }
            | ReplyError::EndedEarly { status, .. },
        ) => Some(*status),
        Err(_) => None,
    }
}

/// Why an answer says nothing about the rules: who asks is not known, the server is busy, or the
/// answer was cut off here.
fn no_verdict(status: Option<u16>, reply: &Result<Reply, ReplyError>) -> Option<String> {
    match (status, reply) {
        (Some(401), _) => Some("the server wants authorization (401)".to_owned()),
        (Some(403), _) => Some("the server refuses (403)".to_owned()),
        (Some(status @ (408 | 429 | 502..=504)), _) => {
            Some(format!("the server is busy or out of reach ({status})"))
        }
        (_, Err(error @ ReplyError::TooLong { .. })) => Some(error.to_string()),
        _ => None,
    }
}
