//! Loading a skill: look it up, ask, read its `SKILL.md`, verify.
//!
//! Sources: the extension's *Integrity and Verification* and *Getting a Skill*, and the message
//! flow of its documentation.

use std::collections::BTreeSet;

use super::approval::{Approval, ApprovalKey, ApprovalState, approval_state};
use super::origin::SkillId;
use super::policy::Policy;
use super::registry::{DisplayName, KnownSkill};
use super::request::{PermissionRequest, can_ask, permission_requests};
use super::step::{
    ApprovalRequest, CallFailure, FileAnswer, Loaded, Misuse, Outgoing, ReadStop, Step, Stop,
};
use super::window::Window;
use super::{Host, review};
use crate::entry::{self, SkillEntry};
use crate::finding::Finding;
use crate::protocol::Call;
use crate::protocol::results::GotSkill;
use crate::value::Node;

/// Where a skill stands. One that is neither loading nor acted on has no phase.
#[derive(Debug)]
pub(super) enum Phase {
    /// `skills/get` was sent.
    LookingUp,
    /// A person was asked about this entry.
    Asking { serial: u64, entry: SkillEntry },
    /// `resources/read` of the `SKILL.md` was sent.
    Reading(Window),
    /// The model acts on it.
    Acting(Window),
}

impl Phase {
    /// What the skill waits for, for [`Misuse::OutOfOrder`].
    const fn words(&self) -> &'static str {
        match self {
            Self::LookingUp => "is being looked up",
            Self::Asking { .. } => "waits for a person's answer",
            Self::Reading(_) => "waits for its SKILL.md",
            Self::Acting(_) => "is loaded",
        }
    }
}

impl Host {
    /// Begins to load a skill, listed or not. An entry that is known and fresh is used as it is;
    /// else the skill is looked up first. Gives [`Step::Send`], [`Step::Approve`] or
    /// [`Step::Stopped`].
    ///
    /// # Errors
    /// [`Misuse::UnknownOrigin`]; [`Misuse::OutOfOrder`] where the skill is being loaded or acted
    /// on already.
    ///
    /// ```
    /// use skillglass::host::{Host, OriginLabel, Policy, SkillId, Step, Stop};
    /// use skillglass::{json, protocol::results::read_discovery};
    /// let acme = OriginLabel::new("acme").unwrap();
    /// let skill = SkillId::new(&acme, "skill://tidy/SKILL.md").unwrap();
    /// let begin = |declaration: &str| {
    ///     let mut host = Host::new(Policy::default());
    ///     host.add_origin(&acme, &read_discovery(&json::read(declaration).unwrap().root));
    ///     host.begin_load(&skill, 0).unwrap()
    /// };
    /// let skills = r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}"#;
    /// assert!(matches!(begin(skills), Step::Send(send) if send.call.method() == "skills/get"));
    /// assert!(matches!(begin(r#"{"capabilities":{}}"#), Step::Stopped(Stop::NotDeclared)));
    /// ```
    pub fn begin_load(&mut self, skill: &SkillId, now_ms: u64) -> Result<Step, Misuse> {
        if let Some(phase) = self.phases.get(skill) {
            return Err(Misuse::OutOfOrder(phase.words()));
        }
        if !self.declared(skill.origin())?.skills {
            return Ok(Step::Stopped(Stop::NotDeclared));
        }
        let known = self.registry.get(skill).filter(|known| now_ms < known.stale_at_ms);
        Ok(match known.cloned() {
            Some(known) => self.consider(skill, known),
            None => self.look_up(skill),
        })
    }

    /// Looks a skill up again and loads it anew, whatever it was doing. From now on nothing is
    /// read for the entry that was held.
    ///
    /// # Errors
    /// [`Misuse::UnknownOrigin`].
    pub fn refresh(&mut self, skill: &SkillId) -> Result<Step, Misuse> {
        let declared = self.declared(skill.origin())?;
        self.end(skill);
        Ok(if declared.skills { self.look_up(skill) } else { Step::Stopped(Stop::NotDeclared) })
    }

    /// Ends a skill's load or its acting window, whichever goes on; nothing where neither does.
    pub fn end(&mut self, skill: &SkillId) {
        self.phases.remove(skill);
    }

    /// Takes the answer to `skills/get`, which came at `now_ms`. Gives [`Step::Send`],
    /// [`Step::Approve`] or [`Step::Stopped`].
    ///
    /// # Errors
    /// [`Misuse::OutOfOrder`] where none was asked for.
    pub fn got_skill(
        &mut self,
        skill: &SkillId,
        got: Result<GotSkill, CallFailure>,
        now_ms: u64,
    ) -> Result<Step, Misuse> {
        self.take_phase(skill, |phase| match *phase {
            Phase::LookingUp => Ok(()),
            other => Err(other.into()),
        })?;
        let got = match got {
            Ok(got) => got,
            Err(failure) => {
                if failure.is_unknown() {
                    self.registry.remove(skill);
                }
                return Ok(Step::Stopped(Stop::LookUp(failure)));
            }
        };
        let reading = got.reading.filter(|reading| reading.uri.as_deref() == Some(skill.uri()));
        let learned = match reading {
            Some(reading) => self.learn(skill.origin(), reading, got.freshness, now_ms),
            None => Err(got.findings),
        };
        Ok(match (learned, self.registry.get(skill).cloned()) {
            (Ok(()), Some(known)) => self.consider(skill, known),
            (learned, _) => {
                self.registry.remove(skill);
                Step::Stopped(Stop::InvalidEntry(learned.err().unwrap_or_default()))
            }
        })
    }

    /// A person approved the request, and granted these of the skill's requests: any of
    /// [`ApprovalRequest::requests`], and the execution of files of the skill.
    ///
    /// # Errors
    /// [`Misuse::OldRequest`]; [`Misuse::NotRequested`] where `granted` has more than the skill can
    /// ask for. Nothing is approved then.
    pub fn approve(
        &mut self,
        request: &ApprovalRequest,
        granted: BTreeSet<PermissionRequest>,
    ) -> Result<Step, Misuse> {
        let skill = &request.skill;
        let entry = self.asked_about(request)?;
        if let Some(unasked) = granted.iter().find(|request| !can_ask(entry, request)) {
            return Err(Misuse::NotRequested(unasked.clone()));
        }
        let entry = SkillEntry::clone(entry);
        if let Some(approval) = Approval::new(skill.origin(), &entry, granted.clone()) {
            self.restore(approval);
        }
        Ok(self.read_skill_md(skill, entry, granted))
    }

    /// A person denied the request. An earlier approval of other files stays what it was.
    ///
    /// # Errors
    /// [`Misuse::OldRequest`].
    pub fn deny(&mut self, request: &ApprovalRequest) -> Result<Step, Misuse> {
        self.asked_about(request)?;
        self.end(&request.skill);
        Ok(Step::Stopped(Stop::Denied))
    }

    /// Takes what came of reading the `SKILL.md`. Gives [`Step::Loaded`] or [`Step::Stopped`].
    ///
    /// # Errors
    /// [`Misuse::OutOfOrder`] where it was not asked for.
    pub fn got_skill_md(
        &mut self,
        skill: &SkillId,
        answer: FileAnswer<'_>,
    ) -> Result<Step, Misuse> {
        let mut window = self.take_phase(skill, |phase| match *phase {
            Phase::Reading(window) => Ok(window),
            other => Err(other.into()),
        })?;
        Ok(match window.accept(skill, skill.uri(), answer, self.policy.limits) {
            Ok(content) => {
                let content = content.into_owned();
                let requests = permission_requests(&window.entry);
                let granted = window.granted.clone();
                let review = review(&window.entry, entry::read(&window.entry.source).findings);
                self.enter(skill, Phase::Acting(window));
                Step::Loaded(Loaded { skill: skill.clone(), content, requests, granted, review })
            }
            Err(stop) => {
                self.registry.expire(skill);
                if matches!(stop, ReadStop::Refused(_)) {
                    self.note_change(skill, None);
                }
                Step::Stopped(Stop::SkillMd(stop))
            }
        })
    }

    fn look_up(&mut self, skill: &SkillId) -> Step {
        self.enter(skill, Phase::LookingUp);
        send(skill, Call::GetSkill { uri: skill.uri().to_owned() })
    }

    /// Decides what an entry needs before its `SKILL.md` may be read.
    fn consider(&mut self, skill: &SkillId, known: KnownSkill) -> Step {
        let KnownSkill { entry, defects, review, .. } = known;
        if let Some(stop) = objection(&self.policy, &entry, &defects) {
            return Step::Stopped(stop);
        }
        let approval = self.approval(skill);
        let state = approval_state(approval, skill.origin(), &entry);
        let granted = match (&state, approval) {
            (ApprovalState::Covers, Some(approval)) => approval.granted().clone(),
            _ => BTreeSet::new(),
        };
        let inside = self.enclosing_skill(skill);
        let must_ask = match state {
            ApprovalState::Covers => false,
            ApprovalState::Revoked(_) => true,
            ApprovalState::None => self.policy.ask,
            // A skill that was approved for its files and is dynamic now has changed.
            ApprovalState::NotBindable => self.policy.ask || approval.is_some(),
        };
        // A nested skill needs fresh consent: no approval, not even its own, speaks for now.
        if must_ask || inside.is_some() {
            return self.ask(skill, entry, state, inside, review);
        }
        let mut still_asked = BTreeSet::new();
        still_asked.extend(granted.into_iter().filter(|request| can_ask(&entry, request)));
        self.read_skill_md(skill, entry, still_asked)
    }

    fn ask(
        &mut self,
        skill: &SkillId,
        entry: SkillEntry,
        state: ApprovalState,
        inside: Option<SkillId>,
        review: Vec<Finding>,
    ) -> Step {
        self.serial += 1;
        let description = entry.frontmatter.get("description").and_then(Node::as_str);
        let request = ApprovalRequest {
            skill: skill.clone(),
            name: self.registry.display_name(skill).unwrap_or_else(|| DisplayName::alone(&entry)),
            description: description.map(str::to_owned),
            key: ApprovalKey::of(&entry),
            state,
            inside,
            requests: permission_requests(&entry),
            review,
            files: entry.manifest().map(|manifest| manifest.files.clone()),
            serial: self.serial,
        };
        self.enter(skill, Phase::Asking { serial: self.serial, entry });
        Step::Approve(request)
    }

    fn read_skill_md(
        &mut self,
        skill: &SkillId,
        entry: SkillEntry,
        granted: BTreeSet<PermissionRequest>,
    ) -> Step {
        let mut window = Window::new(entry, granted);
        window.ask_for(skill.uri());
        self.enter(skill, Phase::Reading(window));
        send(skill, Call::ReadResource { uri: skill.uri().to_owned() })
    }

    /// The innermost known skill of the same server in whose directory this one lies.
    fn enclosing_skill(&self, skill: &SkillId) -> Option<SkillId> {
        let is_known = |id: &SkillId| self.registry.get(id).is_some() || self.window(id).is_ok();
        skill.enclosing().into_iter().find(is_known)
    }

    fn asked_about(&self, request: &ApprovalRequest) -> Result<&SkillEntry, Misuse> {
        match self.phases.get(&request.skill).map(Box::as_ref) {
            Some(Phase::Asking { serial, entry }) if *serial == request.serial => Ok(entry),
            _ => Err(Misuse::OldRequest),
        }
    }

    pub(super) fn enter(&mut self, skill: &SkillId, phase: Phase) {
        self.phases.insert(skill.clone(), Box::new(phase));
    }

    /// Takes a skill out of the phase that `pick` accepts; else leaves it where it is.
    fn take_phase<T>(
        &mut self,
        skill: &SkillId,
        pick: impl FnOnce(Box<Phase>) -> Result<T, Box<Phase>>,
    ) -> Result<T, Misuse> {
        let Some(phase) = self.phases.remove(skill) else {
            return Err(Misuse::OutOfOrder("is not being loaded"));
        };
        pick(phase).map_err(|phase| {
            let words = phase.words();
            self.phases.insert(skill.clone(), phase);
            Misuse::OutOfOrder(words)
        })
    }
}

fn send(skill: &SkillId, call: Call) -> Step {
    Step::Send(Outgoing { origin: skill.origin().clone(), call })
}

/// Why the host does not load an entry, whoever approves it.
pub(super) fn objection(policy: &Policy, entry: &SkillEntry, defects: &[Finding]) -> Option<Stop> {
    if !defects.is_empty() {
        return Some(Stop::InvalidEntry(defects.to_vec()));
    }
    let Some(manifest) = entry.manifest() else {
        return (!policy.dynamic).then_some(Stop::DynamicDeclined);
    };
    let (files, bytes, limits) = (manifest.files.len(), manifest.total_size(), policy.limits);
    (!limits.allow(files, bytes)).then_some(Stop::TooLarge { files, bytes, limits })
}
