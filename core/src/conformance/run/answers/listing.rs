//! What `skills/list` and `resources/list` show.

use super::super::facts::Turn;
use super::super::{Ask, Run};
use super::Answer;
use super::shown::{ENTRY, FORMAT, LIST, MANIFEST, MEMBERS, SKILL_URI, URI, WITH_MANIFEST};
use crate::conformance::Subject;
use crate::conformance::judge::entry::{ManifestState, manifest_state};
use crate::conformance::judge::metadata::Resource;
use crate::conformance::judge::{broken, entry, listing, metadata};
use crate::entry::Reading;
use crate::finding::{Finding, Level};
use crate::protocol::results::{has_misspelt_cursor, read_skill_page};
use crate::protocol::{ListingState, StopReason};
use crate::value::Node;

impl Run {
    pub(super) fn listed(&mut self, id: u64, answer: Answer<'_>) {
        let method = Subject::method("skills/list");
        let behind_empty = matches!(self.facts.listing.state(), ListingState::More(Some(cursor)) if cursor.is_empty());
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error = error.to_string();
                let pages = self.facts.listing.pages();
                if behind_empty {
                    let came = format!("refused: {error}");
                    self.ledger.found(&method, id, [listing::empty_cursor(&came)]);
                } else {
                    self.ledger.found(&method, id, [listing::no_page(pages + 1, &error)]);
                }
                if pages > 0 {
                    self.ledger.found(&method, id, [listing::refused_cursor(&error)]);
                }
                return self.facts.listing.fail(error);
            }
        };
        self.ledger.examined(&method, LIST);
        let mut page = read_skill_page(message, result);
        self.found(&method, id, std::mem::take(&mut page.findings));
        self.found(&method, id, listing::cache_fields(result));
        if has_misspelt_cursor(result) {
            let reason = "skills/list gives its cursor under another name, so nobody knows what is behind it";
            self.lacks.cut_short(reason);
        }
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
                self.lacks.cut_short(&reason);
            }
            _ => {}
        }
    }

    /// Judges an entry. One without a URI is told by its place in the message.
    pub(super) fn entry(&mut self, id: u64, reading: &Reading, place: &str) {
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

    pub(super) fn resources(&mut self, id: u64, answer: Answer<'_>) {
        let walk = &mut self.facts.resources;
        let (_, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let is_first = walk.walk.pages == 0;
                walk.walk.ended = true;
                walk.failed = Some(format!("resources/list: {error}"));
                if !is_first {
                    self.endless_resources(id, &format!("refuse their own cursor: {error}"));
                }
                return;
            }
        };
        let known = walk.known.len();
        let mut full = false;
        let items = result.get("resources").and_then(Node::as_array).unwrap_or_default();
        for item in items {
            let Some(resource) = Resource::read(item) else { continue };
            let bare = metadata::meta_keys(item);
            if !bare.is_empty() {
                self.ledger.found(&Subject::file(&resource.uri), id, bare);
            }
            if !walk.add(resource) {
                full = true;
                break;
            }
        }
        let next = result.get("nextCursor").and_then(Node::as_str).map(str::to_owned);
        let endless = match walk.walk.turn(next, walk.known.len() > known) {
            _ if full => return self.too_many_resources(),
            Turn::TooMany => return self.too_many_resources(),
            Turn::More => return self.plan_page(Ask::Resources),
            Turn::End => return,
            Turn::Repeated => "repeat a cursor",
            Turn::Idle => "go on and bring nothing new",
        };
        walk.failed = Some("the pages of resources/list do not end".to_owned());
        self.endless_resources(id, endless);
    }

    fn too_many_resources(&mut self) {
        let reason = "resources/list has more than is walked";
        self.facts.resources.walk.ended = true;
        self.facts.resources.failed = Some(reason.to_owned());
        self.lacks.cut_short(reason);
    }

    /// The pages of resources/list are the base protocol's; what goes wrong there is a matter of form.
    fn endless_resources(&mut self, id: u64, why: &str) {
        let finding = broken("wire-schema-valid", format!("the pages {why}"));
        let finding = finding.pointer("/result/nextCursor");
        let repair = "give each page a new cursor and leave nextCursor out of the last one";
        self.ledger.found(&Subject::method("resources/list"), id, [finding.repair(repair)]);
    }
}
