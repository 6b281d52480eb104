//! The host's side of the extension: what to ask, what to approve, what to hand to a model.
//!
//! Sources: the extension's *Integrity and Verification*, *Limits* and *Security Considerations*.
//!
//! A [`Host`] knows servers by labels it gave them, and skills by server and URI. It reads nothing
//! and knows no time: the caller sends the calls it names, tells it the answers, and asks a person
//! when it says so. Times are milliseconds of one clock of the caller's, since whenever. It never names a call ahead of need: none to list, none to look something up
//! that is known and fresh, none for a file before that very file is wanted.
//!
//! [`Host::begin_load`] starts a load. From then on each step names the next:
//!
//! | the host says | left out where | the caller goes on with |
//! |---|---|---|
//! | [`Step::Send`] `skills/get` | the entry is known and fresh | [`Host::got_skill`] |
//! | [`Step::Approve`] | an approval covers the entry, and it is not nested | [`Host::approve`] or [`Host::deny`] |
//! | [`Step::Send`] `resources/read` | | [`Host::got_skill_md`] |
//! | [`Step::Loaded`] | | [`Host::read`] and [`Host::got_file`], as the model wants |
//! | [`Step::Stopped`] | | [`Host::refresh`], where [`Stop::wants_refresh`] |
//!
//! # The acting window
//!
//! From [`Step::Loaded`] until [`Host::end`] the host retains the entry the skill was loaded from,
//! whatever it hears of the skill meanwhile. Files are read within that entry only, and verified
//! against it. Call [`Host::end`] when the skill's `SKILL.md` has left the model's context, never
//! sooner. [`Host::refresh`] closes the window and looks the skill up again: a changed set of
//! files needs approval again before anything else is read.
//!
//! # A skill that no listing named
//!
//! The [crate's first page](crate) has the way from a listing.
//!
//! ```
//! use skillglass::host::{Host, OriginLabel, Policy, ReadStop, SkillId, Step};
//! use skillglass::protocol::results::{GotSkill, read_discovery};
//! use skillglass::{digest::Digest, entry, json};
//!
//! let declaration = r#"{"capabilities":{"resources":{},
//!   "extensions":{"io.modelcontextprotocol/skills":{}}}}"#;
//! let discovery = read_discovery(&json::read(declaration).unwrap().root);
//! let mut host = Host::new(Policy::default());
//! let [acme, other] = ["acme", "other"].map(|label| OriginLabel::new(label).unwrap());
//! host.add_origin(&acme, &discovery);
//! host.add_origin(&other, &discovery);
//!
//! // Nothing is known of the skill, so it is looked up.
//! let skill = SkillId::new(&acme, "skill://tidy/SKILL.md").unwrap();
//! let step = host.begin_load(&skill, 0).unwrap();
//! assert!(matches!(step, Step::Send(send) if send.call.method() == "skills/get"));
//!
//! let file = "---\nname: tidy\ndescription: Tidies up.\n---\n";
//! let entry = format!(r#"{{"uri":"skill://tidy/SKILL.md",
//!   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
//!   "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{}","size":{}}}]}}"#,
//!   Digest::of(file.as_bytes()), file.len());
//! let got = GotSkill {
//!     reading: Some(entry::read(&entry)), freshness: Default::default(), findings: vec![],
//! };
//! let Step::Approve(request) = host.got_skill(&skill, Ok(got), 0).unwrap() else { panic!() };
//!
//! // A person says yes; only now is a file asked for.
//! let step = host.approve(&request, Default::default()).unwrap();
//! assert!(matches!(step, Step::Send(send) if send.call.method() == "resources/read"));
//! let step = host.got_skill_md(&skill, file.as_bytes().into()).unwrap();
//! assert!(matches!(step, Step::Loaded(_)));
//! assert!(matches!(host.read(&skill, "notes.md"), Err(ReadStop::NotListed { .. })));
//!
//! // A read on another server is asked about each time, naming both.
//! let stop = host.read_at(&skill, &other, "file://list.txt").unwrap_err();
//! let ReadStop::CrossOrigin(call) = stop else { panic!("{stop}") };
//! assert_eq!(call.allow().origin, other);
//! ```

mod approval;
mod cache;
mod checkout;
mod load;
mod origin;
mod policy;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
mod registry;
mod request;
#[cfg(test)]
mod scenarios;
mod step;
mod stored;
mod tagged;
mod walk;
mod window;

use std::collections::BTreeMap;

pub use approval::{Approval, ApprovalDiff, ApprovalKey, ApprovalState, approval_state};
pub use cache::{CacheError, CacheRecord, cache_directory, cache_path};
pub(crate) use checkout::path_problems;
pub use checkout::{Checkout, CheckoutError, MAX_FILE_NAME, PathProblem, PlacedFile};
pub use origin::{LabelError, MAX_LABEL, OriginLabel, SkillId};
pub use policy::{Limits, Policy};
pub use registry::{Change, Collision, DisplayName, KnownSkill, Registry};
pub use request::{PermissionRequest, RequestKind, permission_requests};
pub use step::{
    ApprovalRequest, CallFailure, CrossOriginCall, FileAnswer, Loaded, Misuse, Outgoing, ReadStop,
    Step, Stop,
};
pub use stored::StoredError;
pub use tagged::{Standing, TaggedContent};
pub use walk::{Duty, End, Kind, Passed, Station, Wait, Walk};
pub use window::{DirectoryView, file_of};

use crate::entry::{Reading, SkillEntry};
use crate::finding::{Finding, Level};
use crate::protocol::results::{Discovery, Freshness};
use crate::review::review_unstored_entry;
use crate::value::Node;
use crate::verify::{SkillVerdict, breaks_manifest};
use load::Phase;
use window::Window;

/// How many [`Collision`]s wait to be taken.
pub const MAX_COLLISIONS: usize = 1_000;

/// How many [`Change`]s wait to be taken.
pub const MAX_CHANGES: usize = 1_000;

/// The version of what [`Host::to_json`] writes.
const STORED_VERSION: u64 = 1;

/// A host of skills. See the [module](self) for how it is driven.
#[derive(Debug, Default)]
pub struct Host {
    policy: Policy,
    origins: Vec<(OriginLabel, Declared)>,
    registry: Registry,
    collisions: Vec<Collision>,
    changes: Vec<Change>,
    // Boxed, since maps of one shape share their code, and pages and packages download it.
    approvals: BTreeMap<SkillId, Box<Approval>>,
    /// The skills that are being loaded or acted on.
    phases: BTreeMap<SkillId, Box<Phase>>,
    /// The number of the latest approval request.
    serial: u64,
}

/// What is wrong with an entry, so that its skill must not be loaded.
fn defects(entry: &SkillEntry, findings: &[Finding]) -> Vec<Finding> {
    SkillVerdict::of(entry, findings, []).manifest_findings
}

/// What a person should see in an entry that may be loaded. Rules of its manifest are left out: with
/// one of those broken it is not.
fn review(entry: &SkillEntry, findings: Vec<Finding>) -> Vec<Finding> {
    let is_broken = |finding: &Finding| finding.level != Level::Note && !breaks_manifest(finding);
    let broken = findings.into_iter().filter(is_broken);
    broken.chain(review_unstored_entry(entry)).collect()
}

/// What a server declared.
#[derive(Clone, Copy, Debug)]
struct Declared {
    skills: bool,
    directory_read: bool,
}

impl Host {
    /// A host that knows nothing yet.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Adds a server, under the label the host's user knows it by, with what it declares. The
    /// name it gives itself plays no part. Of a server that was added before, only the declaration
    /// changes.
    pub fn add_origin(&mut self, label: &OriginLabel, discovery: &Discovery) {
        let declared =
            Declared { skills: discovery.skills, directory_read: discovery.directory_read };
        self.origins.retain(|(other, _)| other != label);
        self.origins.push((label.clone(), declared));
    }

    /// Forgets a server with all its skills, loads and approvals, so that nothing of them passes
    /// to another server under the same label. Remove its [`cache_directory`] as well.
    pub fn remove_origin(&mut self, label: &OriginLabel) {
        self.origins.retain(|(other, _)| other != label);
        self.registry.remove_origin(label);
        self.collisions.retain(|it| it.skill.origin() != label && it.other.origin() != label);
        self.changes.retain(|it| it.skill.origin() != label);
        self.approvals.retain(|skill, _| skill.origin() != label);
        self.phases.retain(|skill, _| skill.origin() != label);
    }

    /// Whether a server declares the extension, so that it may be asked for skills at all.
    ///
    /// # Errors
    /// [`Misuse::UnknownOrigin`].
    pub fn declares_skills(&self, origin: &OriginLabel) -> Result<bool, Misuse> {
        Ok(self.declared(origin)?.skills)
    }

    /// Takes skills that a server listed, which came at `now_ms`. An entry that cannot be held is
    /// left out, and one known for the same skill goes stale. An empty or partial listing proves
    /// nothing, so skills that are not in it stay known.
    ///
    /// # Errors
    /// [`Misuse::UnknownOrigin`].
    ///
    /// ```
    /// use skillglass::host::{Host, Misuse, OriginLabel, Policy};
    /// use skillglass::{entry, json, protocol::results::read_discovery};
    /// let mut host = Host::new(Policy::default());
    /// let acme = OriginLabel::new("acme").unwrap();
    /// let skills = || [
    ///     entry::read(r#"{"uri":"skill://tidy/SKILL.md","resources":"dynamic",
    ///       "frontmatter":{"name":"tidy","description":"Tidies up."}}"#),
    ///     entry::read(r#"{"uri":"skill://old/SKILL.md","name":"old","description":"A draft's."}"#),
    /// ];
    /// let unknown = host.listed(&acme, skills(), Default::default(), 0);
    /// assert_eq!(unknown, Err(Misuse::UnknownOrigin(acme.clone())));
    ///
    /// host.add_origin(&acme, &read_discovery(&json::read("{}").unwrap().root));
    /// host.listed(&acme, skills(), Default::default(), 0).unwrap();
    /// let names: Vec<_> = host.registry().display_names().map(|(_, name)| name.to_string()).collect();
    /// assert_eq!(names, ["tidy"]);
    /// ```
    pub fn listed(
        &mut self,
        origin: &OriginLabel,
        skills: impl IntoIterator<Item = Reading>,
        freshness: Freshness,
        now_ms: u64,
    ) -> Result<(), Misuse> {
        self.declared(origin)?;
        for reading in skills {
            let uri = reading.uri.clone();
            if self.learn(origin, reading, freshness, now_ms).is_err() {
                let id = uri.and_then(|uri| SkillId::new(origin, &uri).ok());
                id.iter().for_each(|id| self.registry.expire(id));
            }
        }
        Ok(())
    }

    /// The known skills and the names to show for them.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The names that met since this was last called. At most [`MAX_COLLISIONS`] wait to be taken;
    /// [`Registry::display_names`] tells all names apart in any case.
    pub fn take_collisions(&mut self) -> Vec<Collision> {
        std::mem::take(&mut self.collisions)
    }

    /// The skills that turned out to have changed since this was last called: an entry with other
    /// content than the one before or than the one that was approved, or a server whose answers
    /// are not what the retained entry promises. At most [`MAX_CHANGES`] wait to be taken; what is
    /// loaded is checked in any case.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Takes back an approval that was kept over a restart, in place of any other of that skill. The
    /// server need not have been added yet.
    pub fn restore(&mut self, approval: Approval) {
        self.approvals.insert(approval.skill().clone(), Box::new(approval));
    }

    /// The approvals to keep over a restart.
    pub fn approvals(&self) -> impl Iterator<Item = &Approval> {
        self.approvals.values().map(Box::as_ref)
    }

    /// The skills that a model acts on, from [`Step::Loaded`] until [`Host::end`].
    pub fn acting(&self) -> impl Iterator<Item = &SkillId> {
        self.windows().map(|(skill, _)| skill)
    }

    /// Everything to keep over a restart, as JSON: the approvals, and the acting windows, as a model
    /// may go on with what it was given before.
    #[must_use]
    pub fn to_json(&self) -> String {
        let approvals: Vec<_> = self.approvals().map(Approval::to_json).collect();
        let acting: Vec<_> = self.windows().map(|(skill, window)| window.to_json(skill)).collect();
        let (approvals, acting) = (approvals.join(","), acting.join(","));
        format!(r#"{{"version":{STORED_VERSION},"approvals":[{approvals}],"acting":[{acting}]}}"#)
    }

    /// Takes back what [`Host::to_json`] wrote. [`Host::end`] each of [`Host::acting`] whose
    /// `SKILL.md` is not in a model's context any more. A skill that this host would not load, by its
    /// policy or for what is wrong with its entry, is not acted on any longer.
    ///
    /// # Errors
    /// See [`StoredError`]. Nothing of a text that cannot be read is taken.
    ///
    /// ```
    /// use skillglass::host::{Host, StoredError};
    /// let mut host = Host::default();
    /// let kept = host.to_json();
    /// assert_eq!(host.restore_all(&kept), Ok(()));
    /// assert_eq!(host.restore_all("{}"), Err(StoredError::Member("version")));
    /// ```
    pub fn restore_all(&mut self, text: &str) -> Result<(), StoredError> {
        let document = stored::document(text)?;
        let root = &document.root;
        if root.get("version").and_then(Node::as_count) != Some(STORED_VERSION) {
            return Err(StoredError::Member("version"));
        }
        let mut kept = Self::default();
        for approval in stored::list(root, "approvals")? {
            kept.restore(Approval::read(approval.span.of(text))?);
        }
        for window in stored::list(root, "acting")? {
            let (skill, window, defects) = Window::read(window)?;
            if load::objection(&self.policy, &window.entry, &defects).is_none() {
                kept.enter(&skill, Phase::Acting(window));
            }
        }
        kept.approvals.into_values().for_each(|approval| self.restore(*approval));
        self.phases.extend(kept.phases);
        Ok(())
    }

    /// Withdraws an approval, and ends whatever goes on with the skill.
    pub fn revoke(&mut self, skill: &SkillId) {
        self.approvals.remove(skill);
        self.end(skill);
    }

    /// What the approval of a known skill is worth now; none where the skill is not known.
    #[must_use]
    pub fn approval_state(&self, skill: &SkillId) -> Option<ApprovalState> {
        let known = self.registry.get(skill)?;
        Some(approval_state(self.approval(skill), skill.origin(), &known.entry))
    }

    fn windows(&self) -> impl Iterator<Item = (&SkillId, &Window)> {
        self.phases.iter().filter_map(|(skill, phase)| match phase.as_ref() {
            Phase::Acting(window) => Some((skill, window)),
            _ => None,
        })
    }

    fn approval(&self, skill: &SkillId) -> Option<&Approval> {
        self.approvals.get(skill).map(Box::as_ref)
    }

    fn declared(&self, origin: &OriginLabel) -> Result<Declared, Misuse> {
        let declared = self.origins.iter().find(|(label, _)| label == origin);
        let declared = declared.map(|(_, declared)| *declared);
        declared.ok_or_else(|| Misuse::UnknownOrigin(origin.clone()))
    }

    /// Makes an entry known that may be held; gives back what is wrong with one that may not.
    fn learn(
        &mut self,
        origin: &OriginLabel,
        reading: Reading,
        freshness: Freshness,
        now_ms: u64,
    ) -> Result<(), Vec<Finding>> {
        let Some(entry) = reading.entry else { return Err(reading.findings) };
        let defects = defects(&entry, &reading.findings);
        let stale_at_ms = now_ms.saturating_add(freshness.lasts_ms().max(self.policy.keep_ms));
        self.note_other_content(origin, &entry);
        let review = review(&entry, reading.findings);
        let known = KnownSkill { entry, defects, review, stale_at_ms };
        let collision = self.registry.insert(origin, known);
        self.collisions.extend(collision.filter(|_| self.collisions.len() < MAX_COLLISIONS));
        Ok(())
    }

    /// Notes a change where an entry is about to replace one with other content, or is the first
    /// that is heard of a skill whose approval does not cover it.
    fn note_other_content(&mut self, origin: &OriginLabel, entry: &SkillEntry) {
        let skill = SkillId::of(origin, entry);
        let before = self.registry.get(&skill);
        if before.is_some_and(|known| known.entry.same_content(entry)) {
            return;
        }
        let is_known = before.is_some();
        let revoked = match approval_state(self.approval(&skill), origin, entry) {
            ApprovalState::Revoked(diff) => Some(diff),
            _ => None,
        };
        if is_known || revoked.is_some() {
            self.note_change(&skill, revoked);
        }
    }

    fn note_change(&mut self, skill: &SkillId, revoked: Option<ApprovalDiff>) {
        if self.changes.len() < MAX_CHANGES {
            self.changes.push(Change { skill: skill.clone(), revoked });
        }
    }
}
