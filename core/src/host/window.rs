//! The acting window: what may be read while a model acts on a skill, and what may be used of it.
//!
//! Source: the extension's *Integrity and Verification*, *Reading Directories* and *Relative
//! References*.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::approval::ApprovalKey;
use super::cache::{CacheRecord, cache_path};
use super::load::Phase;
use super::origin::{OriginLabel, SkillId};
use super::policy::Limits;
use super::request::{PermissionRequest, can_ask};
use super::step::{CrossOriginCall, FileAnswer, Misuse, Outgoing, ReadStop};
use super::stored::{self, StoredError};
use super::tagged::{Standing, TaggedContent};
use super::{Host, defects};
use crate::digest::Digest;
use crate::entry::{self, Reading, SkillEntry};
use crate::finding::Finding;
use crate::protocol::Call;
use crate::protocol::directory::{Child, DIRECTORY};
use crate::uri::Reference;
use crate::value::Node;
use crate::verify::{Verdict, refuse_contents, verify_file, verify_file_with_digest};

/// A retained entry and what was done within it.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) entry: SkillEntry,
    pub(super) granted: BTreeSet<PermissionRequest>,
    /// The files that were asked for, with the most bytes that came for each.
    asked: BTreeMap<String, u64>,
}

impl Window {
    pub(super) const fn new(entry: SkillEntry, granted: BTreeSet<PermissionRequest>) -> Self {
        Self { entry, granted, asked: BTreeMap::new() }
    }

    /// The window as JSON, to be kept over a restart.
    pub(super) fn to_json(&self, skill: &SkillId) -> String {
        let kept = StoredWindow {
            skill,
            entry: &self.entry.source,
            granted: &self.granted,
            asked: &self.asked,
        };
        stored::to_json(&kept)
    }

    /// Reads what [`Window::to_json`] wrote, and what is known to be wrong with its entry. Nothing is
    /// granted and nothing counts as asked for that the entry gives no cause for.
    pub(super) fn read(node: &Node<'_>) -> Result<(SkillId, Self, Vec<Finding>), StoredError> {
        let skill = stored::skill(node)?;
        let Reading { entry, findings, .. } = entry::read(stored::string(node, "entry")?);
        let entry = entry.filter(|entry| entry.uri == skill.uri());
        let entry = entry.ok_or(StoredError::Member("entry"))?;
        let granted = stored::granted(node, |request| can_ask(&entry, request))?;
        let defects = defects(&entry, &findings);
        let mut window = Self::new(entry, granted);
        for member in stored::members(node, "asked")? {
            let uri = member.name.as_ref();
            let bytes = member.node.as_count().filter(|_| has_file(&window.entry, uri));
            window.asked.insert(uri.to_owned(), bytes.ok_or(StoredError::Member("asked"))?);
        }
        Ok((skill, window, defects))
    }

    pub(super) fn ask_for(&mut self, uri: &str) {
        self.asked.entry(uri.to_owned()).or_default();
    }

    /// Judges what came for a file; gives the content if it may be used.
    pub(super) fn accept<'a>(
        &mut self,
        skill: &SkillId,
        uri: &str,
        answer: FileAnswer<'a>,
        limits: Limits,
    ) -> Result<TaggedContent<'a>, ReadStop> {
        if !self.asked.contains_key(uri) {
            return Err(ReadStop::NotAsked { uri: uri.to_owned() });
        }
        let (verdict, bytes) = match answer {
            FileAnswer::Bytes(bytes) => (verify_file(&self.entry, uri, &bytes), bytes),
            FileAnswer::Hashed(bytes, digest) => {
                (verify_file_with_digest(&self.entry, uri, &bytes, digest), bytes)
            }
            FileAnswer::NoBytes(error) => {
                (refuse_contents(&self.entry, uri, error), Cow::default())
            }
            FileAnswer::Failed(failure) => return Err(ReadStop::Failed(failure)),
        };
        let standing = match verdict {
            Verdict::Verified(verified) => Standing::Verified(verified),
            Verdict::Unpinned(unpinned) => {
                self.count(uri, unpinned.size, limits)?;
                Standing::Unpinned
            }
            Verdict::Refused(refusal) => return Err(ReadStop::Refused(Box::new(refusal))),
            Verdict::Untested(untested) => return Err(ReadStop::Untested(untested)),
        };
        Ok(TaggedContent {
            origin: skill.origin().clone(),
            skill: skill.clone(),
            uri: uri.to_owned(),
            standing,
            bytes,
        })
    }

    /// Adds a dynamic file's bytes to what was retrieved, unless that is too much.
    fn count(&mut self, uri: &str, size: u64, limits: Limits) -> Result<(), ReadStop> {
        let counted = self.asked.get(uri).copied().unwrap_or_default();
        let others = self.asked.iter().filter(|(other, _)| *other != uri);
        // What was counted before a restart can be any number.
        let others = others.fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let bytes = others.saturating_add(size.max(counted));
        self.within(limits, self.asked.len(), bytes)?;
        self.asked.insert(uri.to_owned(), size.max(counted));
        Ok(())
    }

    fn within(&self, limits: Limits, files: usize, bytes: u64) -> Result<(), ReadStop> {
        if limits.allow(files, bytes) {
            Ok(())
        } else {
            Err(ReadStop::OverLimits { files, bytes, limits })
        }
    }

    /// The direct children of a directory, as the manifest has them: the URI of each, and how many
    /// files lie below it, which makes it a directory.
    fn listed_children(&self, directory: &str) -> BTreeMap<String, u64> {
        let below = format!("{directory}/");
        let files = self.entry.manifest().map_or(&[][..], |manifest| &manifest.files);
        let mut children = BTreeMap::new();
        for file in files.iter().filter(|file| file.usable) {
            let Some(rest) = file.uri.strip_prefix(&below) else { continue };
            let name = rest.split('/').next().unwrap_or(rest);
            *children.entry(format!("{below}{name}")).or_default() += u64::from(name != rest);
        }
        children
    }
}

/// A [`Window`] as it is kept. The entry is its text, so that what is read of it is what was read.
#[derive(Serialize)]
struct StoredWindow<'a> {
    skill: &'a SkillId,
    entry: &'a str,
    granted: &'a BTreeSet<PermissionRequest>,
    asked: &'a BTreeMap<String, u64>,
}

/// The file of a skill that a reference in its file `from` leads to.
///
/// ```
/// use skillglass::{entry, host::file_of};
/// let digest = format!("sha256:{}", "0".repeat(64));
/// let entry = entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md",
///   "frontmatter":{{"name":"a","description":"b"}},"resources":[
///   {{"uri":"skill://a/SKILL.md","digest":"{digest}","size":9}},
///   {{"uri":"skill://a/docs/x.md","digest":"{digest}","size":9}}]}}"#)).entry.unwrap();
/// assert_eq!(file_of(&entry, "skill://a/SKILL.md", "docs/x.md#end").unwrap(), "skill://a/docs/x.md");
/// assert!(file_of(&entry, "skill://a/docs/x.md", "y.md").is_err()); // the manifest does not list it
/// ```
///
/// # Errors
/// [`ReadStop::NotListed`], [`ReadStop::Outside`], [`ReadStop::External`], [`ReadStop::Malformed`].
pub fn file_of(entry: &SkillEntry, from: &str, reference: &str) -> Result<String, ReadStop> {
    let skill = entry.skill_uri();
    let outside = |_| ReadStop::Outside { uri: Some(from.to_owned()) };
    let from_path = skill.file_path(from).map_err(outside)?;
    let uri = match skill.resolve_from(from_path, reference) {
        Reference::File { uri, .. } => uri,
        Reference::Here { .. } => from.to_owned(),
        Reference::Outside { uri } => return Err(ReadStop::Outside { uri }),
        Reference::External { uri } => return Err(ReadStop::External { uri }),
        Reference::Malformed { reference } => return Err(ReadStop::Malformed { reference }),
    };
    if has_file(entry, &uri) { Ok(uri) } else { Err(ReadStop::NotListed { uri }) }
}

/// Whether the skill may have this file: its manifest lists it, or it has none and the URI is inside.
fn has_file(entry: &SkillEntry, uri: &str) -> bool {
    match entry.manifest() {
        Some(manifest) => manifest.get(uri).is_some_and(|line| line.usable),
        None => entry.skill_uri().file_path(uri).is_ok(),
    }
}

impl Host {
    /// The call that reads a file of a skill the model acts on: a reference in its `SKILL.md`, or
    /// a URI. Any number of files may be read at a time, and each any number of times.
    ///
    /// # Errors
    /// [`ReadStop::NotActing`]; what the reference leads to where that is no file of the skill
    /// ([`Outside`](ReadStop::Outside), [`External`](ReadStop::External),
    /// [`Malformed`](ReadStop::Malformed)); [`ReadStop::NotListed`] where the retained manifest lacks
    /// it; [`ReadStop::OverLimits`] where a dynamic skill would come to more files than are taken.
    pub fn read(&mut self, skill: &SkillId, reference: &str) -> Result<Outgoing, ReadStop> {
        self.read_from(skill, skill.uri(), reference)
    }

    /// As [`Host::read`], for a reference that stands in the skill's file `from`, a URI.
    ///
    /// # Errors
    /// As [`Host::read`]; [`ReadStop::Outside`] where `from` is no file of the skill.
    pub fn read_from(
        &mut self,
        skill: &SkillId,
        from: &str,
        reference: &str,
    ) -> Result<Outgoing, ReadStop> {
        let limits = self.policy.limits;
        let window = self.window_mut(skill)?;
        let resolved = file_of(&window.entry, from, reference).and_then(|uri| {
            let is_new = !window.asked.contains_key(&uri);
            window.within(limits, window.asked.len() + usize::from(is_new), 0).map(|()| uri)
        });
        let uri = self.noting(skill, resolved)?;
        self.window_mut(skill)?.ask_for(&uri);
        Ok(Outgoing { origin: skill.origin().clone(), call: Call::ReadResource { uri } })
    }

    /// As [`Host::read`], for a URI on a named server.
    ///
    /// # Errors
    /// As [`Host::read`]. Another server than the skill's own gives [`ReadStop::CrossOrigin`], each
    /// time, or [`ReadStop::UnknownOrigin`].
    pub fn read_at(
        &mut self,
        skill: &SkillId,
        origin: &OriginLabel,
        uri: &str,
    ) -> Result<Outgoing, ReadStop> {
        if origin == skill.origin() {
            return self.read(skill, uri);
        }
        self.window(skill)?;
        self.declared(origin).map_err(|_| ReadStop::UnknownOrigin(origin.clone()))?;
        Err(ReadStop::CrossOrigin(CrossOriginCall {
            skill: skill.clone(),
            to: origin.clone(),
            uri: uri.to_owned(),
        }))
    }

    /// Takes what came of reading the file `uri`, from its server or from a cache.
    ///
    /// # Errors
    /// The content is not to be used: [`ReadStop::NotActing`], [`ReadStop::NotAsked`],
    /// [`ReadStop::Failed`], [`ReadStop::Refused`], [`ReadStop::Untested`], or
    /// [`ReadStop::OverLimits`] where a dynamic skill has sent more bytes than are taken.
    pub fn got_file<'a>(
        &mut self,
        skill: &SkillId,
        uri: &str,
        answer: FileAnswer<'a>,
    ) -> Result<TaggedContent<'a>, ReadStop> {
        let limits = self.policy.limits;
        let content = self.window_mut(skill)?.accept(skill, uri, answer, limits);
        self.noting(skill, content)
    }

    /// Where a cache would hold a file of a skill that is being loaded or acted on, as the retained
    /// manifest has it; none for a dynamic skill and for a file that is not listed. What is there is
    /// looked at by [`Host::takes_cached`].
    #[must_use]
    pub fn cached_at(&self, skill: &SkillId, uri: &str) -> Option<String> {
        let manifest = self.retained(skill)?.manifest()?;
        Some(cache_path(skill, uri, manifest.get(uri)?.digest?))
    }

    /// Whether a cache's file, of which this is the record, the length and the SHA-256, is the one
    /// that the retained manifest promises. Then its bytes may be given to [`Host::got_skill_md`] or
    /// [`Host::got_file`] in place of a server's answer; else it is worth nothing.
    ///
    /// ```
    /// use skillglass::host::{CacheRecord, FileAnswer, Host, OriginLabel, Policy, SkillId, Step};
    /// # use skillglass::{digest::Digest, entry, json, protocol::results::read_discovery};
    /// # let file = b"---\nname: tidy\ndescription: Tidies up.\n---\n";
    /// # let (digest, size) = (Digest::of(file), file.len() as u64);
    /// # let entry = entry::read(&format!(r#"{{"uri":"skill://tidy/SKILL.md",
    /// #   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
    /// #   "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{digest}","size":{size}}}]}}"#));
    /// # let acme = OriginLabel::new("acme").unwrap();
    /// # let skill = SkillId::new(&acme, "skill://tidy/SKILL.md").unwrap();
    /// # let mut host = Host::new(Policy { ask: false, ..Policy::default() });
    /// # host.add_origin(&acme, &read_discovery(&json::read(
    /// #   r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}"#).unwrap().root));
    /// # host.listed(&acme, [entry], Default::default(), 0).unwrap();
    /// // A host that loads the skill skill://tidy/SKILL.md, and keeps its verified `file`.
    /// let load = |host: &mut Host| {
    ///     host.begin_load(&skill, 0).unwrap();
    ///     host.got_skill_md(&skill, file[..].into()).unwrap()
    /// };
    /// let Step::Loaded(loaded) = load(&mut host) else { panic!() };
    /// let record = CacheRecord::of(&loaded.content).unwrap().to_json();
    /// assert_eq!(host.cached_at(&skill, skill.uri()), Some(CacheRecord::read(&record).unwrap().path()));
    /// assert!(host.takes_cached(&skill, skill.uri(), &record, size, digest));
    /// assert!(!host.takes_cached(&skill, skill.uri(), &record, size, Digest::of(b"other")));
    /// assert!(!host.takes_cached(&skill, skill.uri(), "{}", size, digest));
    /// ```
    #[must_use]
    pub fn takes_cached(
        &self,
        skill: &SkillId,
        uri: &str,
        record: &str,
        size: u64,
        digest: Digest,
    ) -> bool {
        let Some(path) = self.cached_at(skill, uri) else { return false };
        // The path is made of server, skill, file and digest.
        CacheRecord::read(record)
            .is_ok_and(|kept| kept.path() == path && kept.check(size, digest).is_ok())
    }

    /// The call that lists a directory of a skill the model acts on, at its server. Where the
    /// skill has a manifest, [`Host::manifest_directory`] answers without asking.
    ///
    /// # Errors
    /// [`ReadStop::DirectoryReadNotDeclared`], [`ReadStop::Outside`], [`ReadStop::NotActing`].
    pub fn read_directory(
        &self,
        skill: &SkillId,
        directory: &str,
        cursor: Option<String>,
    ) -> Result<Outgoing, ReadStop> {
        self.window_on_directory(skill, directory)?;
        let origin = skill.origin();
        if !self.declared(origin).is_ok_and(|declared| declared.directory_read) {
            return Err(ReadStop::DirectoryReadNotDeclared);
        }
        let call = Call::ReadDirectory { uri: directory.to_owned(), cursor };
        Ok(Outgoing { origin: origin.clone(), call })
    }

    /// Takes the children a server listed in a directory. They never extend the manifest. A
    /// directory that the manifest knows no file of is passed over: it may be empty.
    ///
    /// # Errors
    /// [`ReadStop::Outside`], [`ReadStop::NotActing`].
    ///
    /// ```
    /// use skillglass::host::{Host, OriginLabel, Policy, ReadStop, SkillId};
    /// use skillglass::protocol::directory::Child;
    /// # use skillglass::{digest::Digest, entry, json, protocol::results::read_discovery};
    /// # let file = b"---\nname: tidy\ndescription: Tidies up.\n---\n";
    /// # let entry = entry::read(&format!(r#"{{"uri":"skill://tidy/SKILL.md",
    /// #   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
    /// #   "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{}","size":{}}}]}}"#,
    /// #   Digest::of(file), file.len()));
    /// # let acme = OriginLabel::new("acme").unwrap();
    /// # let skill = SkillId::new(&acme, "skill://tidy/SKILL.md").unwrap();
    /// # let mut host = Host::new(Policy { ask: false, ..Policy::default() });
    /// # host.add_origin(&acme, &read_discovery(&json::read(
    /// #   r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}"#).unwrap().root));
    /// # host.listed(&acme, [entry], Default::default(), 0).unwrap();
    /// # host.begin_load(&skill, 0).unwrap();
    /// # host.got_skill_md(&skill, file[..].into()).unwrap();
    /// // A host that acts on skill://tidy/SKILL.md, whose manifest lists nothing else.
    /// let child = |uri: &str| Child { uri: uri.into(), name: None, mime_type: None };
    /// let mut listed = vec![child("skill://tidy/SKILL.md")];
    /// assert!(!host.got_directory(&skill, "skill://tidy", &listed).unwrap().has_changed());
    ///
    /// listed.push(child("skill://tidy/new.md"));
    /// let view = host.got_directory(&skill, "skill://tidy", &listed).unwrap();
    /// assert_eq!((view.children.len(), &*view.unlisted), (1, &["skill://tidy/new.md".into()][..]));
    ///
    /// let elsewhere = host.got_directory(&skill, "skill://other", &listed);
    /// assert!(matches!(elsewhere, Err(ReadStop::Outside { .. })));
    /// ```
    pub fn got_directory(
        &mut self,
        skill: &SkillId,
        directory: &str,
        children: &[Child],
    ) -> Result<DirectoryView, ReadStop> {
        let window = self.window_on_directory(skill, directory)?;
        let mut view = DirectoryView::default();
        if window.entry.manifest().is_none() {
            let uri = window.entry.skill_uri();
            let inside = |child: &&Child| uri.file_path(&child.uri).is_ok();
            view.children = children.iter().filter(inside).cloned().collect();
            return Ok(view);
        }
        let listed = window.listed_children(directory);
        for child in children {
            if listed.contains_key(&child.uri) {
                view.children.push(child.clone());
            } else if !child.is_directory() {
                view.unlisted.push(child.uri.clone());
            }
        }
        if view.has_changed() {
            self.registry.expire(skill);
            self.note_change(skill, None);
        }
        Ok(view)
    }

    /// The children of a directory by the retained manifest, without any call. Nothing for a
    /// dynamic skill, which has none.
    ///
    /// # Errors
    /// [`ReadStop::Outside`], [`ReadStop::NotActing`].
    pub fn manifest_directory(
        &self,
        skill: &SkillId,
        directory: &str,
    ) -> Result<Vec<Child>, ReadStop> {
        let window = self.window_on_directory(skill, directory)?;
        let child = |(uri, below): (String, u64)| Child {
            name: uri.rsplit('/').next().map(str::to_owned),
            mime_type: (below > 0).then(|| DIRECTORY.to_owned()),
            uri,
        };
        Ok(window.listed_children(directory).into_iter().map(child).collect())
    }

    /// Whether a person granted this to the skill the model acts on. For anything that widens
    /// permissions or executes on the host, this is the gate; there is no other way to yes.
    #[must_use]
    pub fn is_granted(&self, skill: &SkillId, request: &PermissionRequest) -> bool {
        self.window(skill).is_ok_and(|window| window.granted.contains(request))
    }

    /// A person granted this to the skill the model acts on.
    ///
    /// # Errors
    /// [`Misuse::OutOfOrder`] where the skill is not loaded; [`Misuse::NotRequested`] where it
    /// cannot ask for that.
    pub fn grant(&mut self, skill: &SkillId, request: &PermissionRequest) -> Result<(), Misuse> {
        let Some(Phase::Acting(window)) = self.phases.get_mut(skill).map(Box::as_mut) else {
            return Err(Misuse::OutOfOrder("is not loaded"));
        };
        if !can_ask(&window.entry, request) {
            return Err(Misuse::NotRequested(request.clone()));
        }
        window.granted.insert(request.clone());
        let key = ApprovalKey::of(&window.entry);
        // What was approved meanwhile may be another set of files.
        let approval = self.approvals.get_mut(skill);
        if let Some(approval) = approval.filter(|approval| Some(approval.key()) == key) {
            approval.granted.insert(request.clone());
        }
        Ok(())
    }

    pub(super) fn window(&self, skill: &SkillId) -> Result<&Window, ReadStop> {
        match self.phases.get(skill).map(Box::as_ref) {
            Some(Phase::Acting(window)) => Ok(window),
            _ => Err(ReadStop::NotActing),
        }
    }

    /// The entry a skill is being loaded from, or acted on.
    fn retained(&self, skill: &SkillId) -> Option<&SkillEntry> {
        match self.phases.get(skill).map(Box::as_ref) {
            Some(Phase::Reading(window) | Phase::Acting(window)) => Some(&window.entry),
            _ => None,
        }
    }

    fn window_mut(&mut self, skill: &SkillId) -> Result<&mut Window, ReadStop> {
        match self.phases.get_mut(skill).map(Box::as_mut) {
            Some(Phase::Acting(window)) => Ok(window),
            _ => Err(ReadStop::NotActing),
        }
    }

    fn window_on_directory(&self, skill: &SkillId, directory: &str) -> Result<&Window, ReadStop> {
        let window = self.window(skill)?;
        let uri = window.entry.skill_uri();
        if directory == uri.root() || uri.file_path(directory).is_ok() {
            Ok(window)
        } else {
            Err(ReadStop::Outside { uri: Some(directory.to_owned()) })
        }
    }

    /// Has the skill looked up before its next load, where `outcome` says that it has changed.
    fn noting<T>(&mut self, skill: &SkillId, outcome: Result<T, ReadStop>) -> Result<T, ReadStop> {
        if outcome.as_ref().is_err_and(ReadStop::wants_refresh) {
            self.registry.expire(skill);
        }
        if matches!(outcome, Err(ReadStop::Refused(_))) {
            self.note_change(skill, None);
        }
        outcome
    }
}

/// A directory of a skill, as its server listed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryView {
    /// The children that belong to the skill as it was approved.
    pub children: Vec<Child>,
    /// The URIs of files that the retained manifest does not have: never to be shown as part of
    /// the skill.
    pub unlisted: Vec<String>,
}

impl DirectoryView {
    /// Whether the skill has changed and needs approval again, by [`Host::refresh`].
    #[must_use]
    pub const fn has_changed(&self) -> bool {
        !self.unlisted.is_empty()
    }
}
