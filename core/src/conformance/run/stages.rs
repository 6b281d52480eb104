//! What each stage of a run asks, and what is judged once it is over.

use super::super::Subject;
use super::super::judge::broken;
use super::super::judge::links::skill_uris;
use super::super::judge::{listing, probe};
use super::super::plan::{Plan, Scope, Stage};
use super::answers::{CAPABILITIES, CHANGEABLE};
use super::facts::{MAX_CANDIDATES, Origin};
use super::{Ask, Run, failed};
use crate::entry::{MAX_FILES, MAX_TOTAL_SIZE, SkillEntry, nested};
use crate::finding::{Finding, quote};
use crate::protocol::directory::{DIRECTORY, ManifestTree};
use crate::protocol::{Era, ListingState, StopReason};
use crate::uri::{SKILL_MD, SkillUri};

/// How many files of one skill are read again where something differed.
const MAX_SECOND_READS: usize = 1;

/// Why what needs all files of a skill is untested.
const NOT_ALL_READ: &str = "not all of its files were read";

impl Run {
    /// The first stage: what the server declares, lists and serves.
    pub(super) fn survey(&mut self) {
        let discovery = self.connected.discovery.clone();
        let server = Subject::server();
        if discovery.skills {
            self.ledger.examined(&server, CAPABILITIES);
        }
        let is_form = |finding: &Finding| finding.id == "wire-schema-valid";
        let (form, declared) = discovery.findings.into_iter().partition::<Vec<_>, _>(is_form);
        self.ledger.found(&server, None, declared);
        self.ledger.found(&Subject::method("initialize"), None, form);
        if let Some(other) = &self.options.other_era {
            self.ledger.examined(&server, &["capability-same-on-both-wires"]);
            let (here, there) = (
                (discovery.skills, discovery.directory_read),
                (other.skills, other.directory_read),
            );
            let says = |(skills, directories): (bool, bool)| match (skills, directories) {
                (false, _) => "no skills",
                (true, false) => "skills",
                (true, true) => "skills and directories",
            };
            if here != there {
                let finding = broken(
                    "capability-same-on-both-wires",
                    format!("this era declares {}, the other {}", says(here), says(there)),
                );
                self.ledger.found(&server, None, [finding]);
            }
        }
        if self.era() == Era::Modern {
            self.plan_ask(Ask::Discover);
        }
        if discovery.skills {
            self.plan_ask(Ask::List);
            self.plan_ask(Ask::Resources);
        }
    }

    /// Closes the stage and opens the next one.
    pub(super) fn enter_next_stage(&mut self) {
        self.stage = match self.stage {
            Stage::Survey => {
                self.know_skills();
                self.provoke();
                self.ask_for_entries();
                Stage::Skills
            }
            Stage::Skills => {
                if self.follow_nested() {
                    self.ask_for_entries();
                    Stage::Skills
                } else {
                    self.plan_files();
                    self.later = Plan::default();
                    Stage::Files
                }
            }
            Stage::Files if self.has_new_skills() => {
                self.ask_for_entries();
                Stage::Skills
            }
            Stage::Files => {
                self.without_get();
                self.commits_to_methods();
                self.compare_manifests();
                self.look_again();
                Stage::Again
            }
            Stage::Again | Stage::Done => {
                self.judge_second_look();
                self.judge_limits();
                Stage::Done
            }
        };
    }

    /// Takes the listed skills into the scope, and what may be skills besides.
    fn know_skills(&mut self) {
        if !self.connected.discovery.skills {
            return;
        }
        let listed = self.facts.listing.skills.iter().enumerate();
        let listed: Vec<_> =
            listed.filter_map(|(at, reading)| Some((at, reading.uri.clone()?))).collect();
        if self.facts.listing.pages() > 0 {
            let names = listing::names(listed.iter().map(|(_, uri)| uri.as_str()));
            let method = Subject::method("skills/list");
            self.ledger.examined(&method, &["names-should-be-unique"]);
            self.ledger.found(&method, None, names);
        }
        for (at, uri) in listed {
            if self.is_in_scope(Some(&uri)) {
                self.facts.add_skill(&uri, Origin::Listed, Some(at));
            }
        }
        if let Scope::Skills(uris) = &self.scope {
            for uri in uris {
                self.facts.add_skill(uri, Origin::Selected, None);
            }
        }
        let instructions = self.connected.discovery.instructions.clone().unwrap_or_default();
        for uri in skill_uris(&instructions) {
            self.follow(uri, Origin::Instructions);
        }
        let beside = self.facts.resources.known.iter().map(|resource| resource.uri.clone());
        let beside: Vec<_> = beside.collect();
        for uri in beside.iter().filter(|uri| SkillUri::parse(uri).is_ok()) {
            self.follow(uri, Origin::Mentioned);
        }
        self.later = self.estimate();
    }

    /// Follows a URI that may be a skill's, where the whole server is looked at.
    pub(super) fn follow(&mut self, uri: &str, origin: Origin) {
        if self.scope != Scope::Server || self.facts.candidates >= MAX_CANDIDATES {
            return;
        }
        let inside = origin != Origin::Instructions && !self.enclosing(uri).is_empty();
        let origin = if inside { Origin::Nested } else { origin };
        if self.facts.add_skill(uri, origin, None).is_some() {
            self.facts.candidates += 1;
        }
    }

    /// The skills around a skill.
    fn enclosing(&self, uri: &str) -> Vec<usize> {
        let root = uri.strip_suffix(SKILL_MD).map_or(uri, |root| root.trim_end_matches('/'));
        let around = self.facts.around(root);
        around.into_iter().filter(|at| self.facts.skills[*at].uri != uri).collect()
    }

    /// Follows each `SKILL.md` that a manifest lists. Says whether there was a new one.
    fn follow_nested(&mut self) -> bool {
        let known = self.facts.skills.len();
        let new = (0..known).filter(|at| !self.facts.skills[*at].planned);
        let listed = new.filter_map(|at| self.facts.entry(at)?.manifest());
        let nested: Vec<_> = listed
            .flat_map(|manifest| &manifest.files)
            .filter(|file| file.usable && file.uri.ends_with(SKILL_MD))
            .filter(|file| SkillUri::parse(&file.uri).is_ok())
            .map(|file| file.uri.clone())
            .collect();
        for uri in nested {
            self.follow(&uri, Origin::Nested);
        }
        self.facts.skills.len() > known
    }

    /// Asks what has to be refused.
    fn provoke(&mut self) {
        if !self.options.provoke {
            return;
        }
        let mut probes = probe::of_server(self.connected.discovery.skills);
        let sample = (0..self.facts.skills.len()).find(|at| self.facts.entry(*at).is_some());
        if let Some(entry) = sample.and_then(|at| self.facts.entry(at)) {
            let files = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
            let file = files.iter().find(|file| file.usable && !file.uri.ends_with(SKILL_MD));
            let file = file.map(|file| file.uri.as_str());
            probes.extend(probe::of_skill(entry.skill_uri(), file, self.directories()));
        }
        for probe in probes {
            self.plan_ask(Ask::Probe(Box::new(probe)));
        }
    }

    fn ask_for_entries(&mut self) {
        let unasked = (0..self.facts.skills.len()).filter(|at| !self.facts.skills[*at].asked);
        let unasked: Vec<_> = unasked.collect();
        for at in unasked {
            self.facts.skills[at].asked = true;
            self.plan_ask(Ask::Get(at));
        }
    }

    fn has_new_skills(&self) -> bool {
        self.facts.skills.iter().any(|skill| !skill.asked)
    }

    /// What entries say of each other, and what resources say beside them.
    fn compare_manifests(&mut self) {
        let facts = &self.facts;
        let entries: Vec<_> = (0..facts.skills.len()).filter_map(|at| facts.entry(at)).collect();
        for (outer, inner) in nested::pairs(&entries) {
            let subject = Subject::skill(&outer.uri);
            self.ledger.examined(&subject, &["manifest-nested-complete"]);
            self.ledger.found(&subject, None, nested::check_pair(outer, inner));
            // It has an entry like any other.
            self.ledger.examined(&Subject::skill(&inner.uri), &["nested-flat-listing"]);
        }
        for skill in facts.skills.iter().filter(|it| it.origin == Origin::Nested && it.unconfirmed)
        {
            let (subject, reason) = (Subject::skill(&skill.uri), "it has no entry of its own");
            self.ledger.not_applicable(&subject, &["manifest-nested-complete"], reason);
        }
        if facts.resources.failed.is_none() && facts.resources.walk.ended {
            for entry in entries.iter().filter(|entry| entry.manifest().is_some()) {
                let subject = Subject::skill(&entry.uri);
                self.ledger.examined(&subject, &["manifest-complete-vs-resources-list"]);
            }
            for resource in &facts.resources.known {
                let uri = &resource.uri;
                if resource.mime_type.as_deref() == Some(DIRECTORY) {
                    continue;
                }
                for entry in facts.around(uri).into_iter().filter_map(|at| facts.entry(at)) {
                    let subject = Subject::skill(&entry.uri);
                    self.ledger.found(&subject, None, unlisted_resource(entry, uri));
                }
            }
        }
    }

    /// Asks for every file and directory of the skills that are new.
    fn plan_files(&mut self) {
        for at in 0..self.facts.skills.len() {
            if std::mem::replace(&mut self.facts.skills[at].planned, true) {
                continue;
            }
            if self.facts.skills[at].unconfirmed {
                // What skills/get does not know may be served all the same.
                let uri = self.facts.skills[at].uri.clone();
                if self.facts.unconfirmed(&uri) {
                    let new = self.facts.add_file(&uri, at, None);
                    new.into_iter().for_each(|at| self.plan_ask(Ask::Read(at)));
                }
                continue;
            }
            let mut files = Vec::new();
            let mut directories = Vec::new();
            for entry in self.facts.entries(at) {
                let lines = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
                let usable = lines.iter().filter(|file| file.usable);
                files.extend(usable.map(|file| (file.uri.clone(), file.size)));
                directories.push(entry.skill_uri().root().to_owned());
            }
            let tree = self.facts.entry(at).and_then(ManifestTree::new);
            let in_tree = tree.iter().flat_map(ManifestTree::directories);
            directories.extend(in_tree.map(str::to_owned));
            self.facts.skills[at].tree = tree;
            let uri = self.facts.skills[at].uri.clone();
            if SkillUri::parse(&uri).is_ok() {
                files.push((uri, None));
            }
            for (uri, size) in files {
                let new = self.facts.add_file(&uri, at, size);
                new.into_iter().for_each(|at| self.plan_ask(Ask::Read(at)));
            }
            if self.directories() {
                for uri in directories {
                    let new = self.facts.add_directory(&uri, false);
                    new.into_iter().for_each(|at| self.plan_ask(Ask::Directory(at)));
                }
            }
        }
    }

    /// Asks again for what differed, or for everything.
    fn look_again(&mut self) {
        for at in 0..self.facts.skills.len() {
            let is_listed = self.facts.entry(at).is_some_and(|entry| entry.manifest().is_some());
            if is_listed && (self.options.twice || self.facts.skills[at].differed) {
                self.plan_ask(Ask::GetAgain(at));
            }
        }
        let mut reads = vec![0; self.facts.skills.len()];
        for at in 0..self.facts.files.len() {
            let file = &self.facts.files[at];
            let Some(first) = file.skills.first().filter(|_| file.seen.is_some()) else { continue };
            let wanted = file.differed && reads[*first] < MAX_SECOND_READS;
            if self.options.twice || wanted {
                reads[*first] += 1;
                self.plan_ask(Ask::ReadAgain(at));
            }
        }
    }

    /// Content that changes is a fault of a manifest that lists it, unless the skill itself was
    /// changed meanwhile: then what differed proves nothing.
    fn judge_second_look(&mut self) {
        const CHECK: &[&str] = &["dynamic-honest"];
        for at in 0..self.facts.skills.len() {
            let skill = &self.facts.skills[at];
            let subject = Subject::skill(&skill.uri);
            if self.facts.entry(at).is_none_or(|entry| entry.manifest().is_none()) {
                continue;
            }
            if let Some(reason) = skill.second_look_failed.clone() {
                self.ledger.untested(&subject, CHECK, &reason);
            } else if skill.changed == Some(true) {
                if failed(&self.ledger, &subject, "get-equals-list") {
                    let message = "the manifest is another one each time it is asked for";
                    self.ledger.found(&subject, None, [broken("dynamic-honest", message)]);
                } else {
                    self.excuse(at);
                }
            } else if let Some(file) = self.changed_file(at) {
                let message = format!(
                    "{} came with other bytes the second time, under the same manifest",
                    quote(&file)
                );
                self.ledger.found(&subject, None, [broken("dynamic-honest", message)]);
            } else if self.was_read(at) {
                self.ledger.examined(&subject, CHECK);
            } else {
                self.ledger.untested(&subject, CHECK, NOT_ALL_READ);
            }
        }
    }

    fn changed_file(&self, skill: usize) -> Option<String> {
        let files = self.facts.skills[skill].files.iter().map(|at| &self.facts.files[*at]);
        files.clone().find(|file| file.changed == Some(true)).map(|file| file.uri.clone())
    }

    /// Whether every file that the skill lists was read.
    fn was_read(&self, skill: usize) -> bool {
        let files = &self.facts.skills[skill].files;
        !files.is_empty() && files.iter().all(|at| self.facts.files[*at].seen.is_some())
    }

    /// Takes back what was held against a skill that changed while it was looked at.
    fn excuse(&mut self, at: usize) {
        const REASON: &str = "the skill changed while it was looked at; run again";
        let uri = self.facts.skills[at].uri.clone();
        let subject = Subject::skill(&uri);
        self.ledger.untested(&subject, &["dynamic-honest"], REASON);
        self.lacks.cut_short("a skill changed while it was looked at; run again");
        let (facts, skill) = (&self.facts, &self.facts.skills[at]);
        let files = skill.files.iter().map(|at| Subject::file(&facts.files[*at].uri));
        let directories = skill.directories.iter();
        let directories = directories.map(|at| Subject::directory(&facts.directories[*at].uri));
        let subjects = files.chain(directories).chain([subject]);
        for subject in subjects {
            self.ledger.excuse(&subject, CHANGEABLE, REASON);
        }
    }

    /// What was served of each skill, beside the limits.
    fn judge_limits(&mut self) {
        const CHECK: &[&str] = &["limits-actual-bytes"];
        for at in 0..self.facts.skills.len() {
            let skill = &self.facts.skills[at];
            if skill.unconfirmed {
                continue;
            }
            let subject = Subject::skill(&skill.uri);
            if skill.served_files > MAX_FILES || skill.served_bytes > MAX_TOTAL_SIZE {
                let served = format!("{} files, {} bytes", skill.served_files, skill.served_bytes);
                let limits = format!("{MAX_FILES} files, {MAX_TOTAL_SIZE} bytes");
                let message = "more is served than hosts need accept";
                let finding = broken("limits-actual-bytes", message).sides(limits, served);
                self.ledger.found(&subject, None, [finding]);
            } else if self.was_read(at) {
                self.ledger.examined(&subject, CHECK);
            } else if !skill.files.is_empty() {
                self.ledger.untested(&subject, CHECK, NOT_ALL_READ);
            }
        }
    }

    /// What the stages behind the survey cost, by what the listing says.
    fn estimate(&self) -> Plan {
        let listed = (0..self.facts.skills.len()).filter_map(|at| self.facts.entry(at));
        let whole = Plan::of(listed, self.directories(), &self.options);
        let of_nothing = Plan::of([], self.directories(), &self.options);
        let asked_now = self.facts.skills.len();
        let calls = whole.calls - of_nothing.calls;
        Plan { calls: calls.saturating_sub(asked_now), bytes: whole.bytes, is_estimate: true }
    }

    /// Why no skill is known, where that is.
    pub(super) fn listing_failure(&self) -> Option<&str> {
        match self.facts.listing.state() {
            ListingState::Stopped(StopReason::Failed(reason)) => Some(reason),
            _ => None,
        }
    }
}

/// A resource below a skill's root that its manifest lacks.
fn unlisted_resource(entry: &SkillEntry, uri: &str) -> Option<Finding> {
    let manifest = entry.manifest()?;
    if manifest.get(uri).is_some() || uri == entry.skill_uri().root() {
        return None;
    }
    let message = format!("resources/list names {}, the manifest does not", quote(uri));
    Some(broken("manifest-complete-vs-resources-list", message))
}
