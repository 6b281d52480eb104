//! Approvals, bound to the complete set of a skill's file URIs and digests.
//!
//! Source: the extension's *Integrity and Verification*. A file added, removed or changed revokes
//! an approval; the order of the manifest does not matter. A dynamic skill has no such set, so an
//! approval of it cannot outlast the load it was given for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::origin::{OriginLabel, SkillId};
use super::request::{PermissionRequest, RequestKind, can_ask};
use super::stored::{self, StoredError};
use crate::digest::{Digest, Hasher};
use crate::entry::SkillEntry;
use crate::finding::quote;
use crate::uri::SkillUri;
use crate::value::Node;

/// One digest for a whole set of files.
///
/// It is the SHA-256 of one line for each file, sorted by the bytes of the URIs: the digest as the
/// manifest writes it, a blank, the URI, a line feed. URIs hold no line feed, so no two sets give
/// the same lines.
///
/// ```
/// use skillglass::{digest::Digest, entry, host::ApprovalKey};
/// let entry = |resources: &str| entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md",
///   "frontmatter":{{"name":"a","description":"b"}},"resources":{resources}}}"#)).entry.unwrap();
/// let digest = Digest::of(b"");
/// let file = format!(r#"[{{"uri":"skill://a/SKILL.md","digest":"{digest}","size":0}}]"#);
/// let lines = Digest::of(format!("{digest} skill://a/SKILL.md\n").as_bytes());
/// assert_eq!(ApprovalKey::of(&entry(&file)).unwrap().digest(), lines);
/// assert_eq!(ApprovalKey::of(&entry("\"dynamic\"")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ApprovalKey(Digest);

impl ApprovalKey {
    /// The key of an entry's files; none where [`ApprovalState::NotBindable`] holds.
    #[must_use]
    pub fn of(entry: &SkillEntry) -> Option<Self> {
        files(entry).as_ref().map(Self::over)
    }

    fn over(files: &BTreeMap<String, Digest>) -> Self {
        let mut hasher = Hasher::new();
        for (uri, digest) in files {
            hasher.update(format!("{digest} {uri}\n").as_bytes());
        }
        Self(hasher.finish())
    }

    /// The digest.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.0
    }
}

/// The set an approval binds to; none where the entry does not say what the complete set is.
fn files(entry: &SkillEntry) -> Option<BTreeMap<String, Digest>> {
    // Put in one by one, as is done with every map here: to collect them is to download a sort.
    let mut files = BTreeMap::new();
    for line in &entry.manifest()?.files {
        files.insert(line.uri.clone(), line.digest.filter(|_| line.usable)?);
    }
    files.contains_key(&entry.uri).then_some(files)
}

/// A person's approval of a skill, to be kept over restarts.
///
/// ```
/// # use skillglass::{digest::Digest, entry};
/// use skillglass::host::{Approval, ApprovalState, OriginLabel, approval_state};
/// # let entry = |file: &str| entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md",
/// #   "frontmatter":{{"name":"a","description":"b"}},"resources":[
/// #   {{"uri":"skill://a/SKILL.md","digest":"{}","size":9}}]}}"#, Digest::of(file.as_bytes())))
/// #   .entry.unwrap();
/// let (before, after) = (entry("version 1"), entry("version 2"));
/// let acme = OriginLabel::new("acme").unwrap();
/// let approval = Approval::new(&acme, &before, Default::default()).unwrap();
/// let kept = Approval::read(&approval.to_json()).unwrap();
/// assert_eq!(approval_state(Some(&kept), &acme, &before), ApprovalState::Covers);
/// assert!(matches!(approval_state(Some(&kept), &acme, &after), ApprovalState::Revoked(_)));
/// assert!(Approval::read("{}").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Approval {
    skill: SkillId,
    name: String,
    files: BTreeMap<String, Digest>,
    pub(super) granted: BTreeSet<PermissionRequest>,
}

impl Approval {
    /// The approval of `entry`, with the requests that were granted, as far as the skill can make
    /// them; none where nothing binds it.
    #[must_use]
    pub fn new(
        origin: &OriginLabel,
        entry: &SkillEntry,
        mut granted: BTreeSet<PermissionRequest>,
    ) -> Option<Self> {
        granted.retain(|request| can_ask(entry, request));
        let name = entry.frontmatter.get("name").and_then(Node::as_str).unwrap_or_default();
        Some(Self {
            skill: SkillId::of(origin, entry),
            name: name.to_owned(),
            files: files(entry)?,
            granted,
        })
    }

    /// The skill.
    #[must_use]
    pub const fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// The name the skill had: a label for a person.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is bound to.
    #[must_use]
    pub fn key(&self) -> ApprovalKey {
        ApprovalKey::over(&self.files)
    }

    /// The files it is bound to.
    #[must_use]
    pub const fn files(&self) -> &BTreeMap<String, Digest> {
        &self.files
    }

    /// The requests that were granted with it.
    #[must_use]
    pub const fn granted(&self) -> &BTreeSet<PermissionRequest> {
        &self.granted
    }

    /// The approval as JSON, to be kept.
    #[must_use]
    pub fn to_json(&self) -> String {
        stored::to_json(self)
    }

    /// Reads what [`Approval::to_json`] wrote.
    ///
    /// # Errors
    /// See [`StoredError`]. A text that cannot be read approves nothing.
    pub fn read(text: &str) -> Result<Self, StoredError> {
        let document = stored::document(text)?;
        let root = &document.root;
        let skill = stored::skill(root)?;
        let mut files = BTreeMap::new();
        for member in stored::members(root, "files")? {
            let digest = stored::digest(&member.node, "files")?;
            files.insert(member.name.as_ref().to_owned(), digest);
        }
        let uri = SkillUri::parse(skill.uri()).map_err(|_| StoredError::Member("uri"))?;
        let is_inside = |file: &String| uri.file_path(file).is_ok();
        if !files.contains_key(skill.uri()) || !files.keys().all(is_inside) {
            return Err(StoredError::Member("files"));
        }
        // What else a skill asks for is in its entry, and held against that when it is loaded.
        let can_ask = |request: &PermissionRequest| {
            request.kind != RequestKind::Run || files.contains_key(&request.text)
        };
        Ok(Self {
            name: stored::string(root, "name")?.to_owned(),
            granted: stored::granted(root, can_ask)?,
            skill,
            files,
        })
    }
}

/// What an approval is worth for an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "diff", rename_all = "kebab-case")]
pub enum ApprovalState {
    /// There is no approval of this skill.
    None,
    /// The approval is of exactly these files.
    Covers,
    /// The files have changed; the skill needs approval again.
    Revoked(ApprovalDiff),
    /// No approval can cover the entry: it is dynamic, or its manifest does not say what the
    /// complete set of files is.
    NotBindable,
}

/// Compares an approval with an entry that came from `origin`. An approval of another skill, or
/// of the same URI on another server, is none. [`Approval`] shows one that covers and one that is
/// revoked.
///
/// ```
/// use skillglass::{entry, host::{ApprovalState, OriginLabel, approval_state}};
/// let acme = OriginLabel::new("acme").unwrap();
/// let state = |resources: &str| {
///     let entry = entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md","resources":{resources},
///       "frontmatter":{{"name":"a","description":"b"}}}}"#)).entry.unwrap();
///     approval_state(None, &acme, &entry)
/// };
/// let digest = skillglass::digest::Digest::of(b"");
/// let files = format!(r#"[{{"uri":"skill://a/SKILL.md","digest":"{digest}","size":0}}]"#);
/// assert_eq!(state(&files), ApprovalState::None);
/// assert_eq!(state("\"dynamic\""), ApprovalState::NotBindable);
/// ```
#[must_use]
pub fn approval_state(
    approval: Option<&Approval>,
    origin: &OriginLabel,
    entry: &SkillEntry,
) -> ApprovalState {
    let Some(files) = files(entry) else { return ApprovalState::NotBindable };
    let same_skill = |approval: &&Approval| approval.skill == SkillId::of(origin, entry);
    let Some(approval) = approval.filter(same_skill) else { return ApprovalState::None };
    let diff = ApprovalDiff::between(&approval.files, &files);
    if diff == ApprovalDiff::default() {
        ApprovalState::Covers
    } else {
        ApprovalState::Revoked(diff)
    }
}

/// What happened to a skill's files since they were approved. URIs are exact; use
/// [`Display`](fmt::Display) to show them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ApprovalDiff {
    /// Files that were not approved.
    pub added: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
    /// Files with other bytes.
    pub changed: Vec<String>,
}

/// How many files of each kind a sentence names.
const MAX_NAMED: usize = 10;

impl ApprovalDiff {
    fn between(approved: &BTreeMap<String, Digest>, now: &BTreeMap<String, Digest>) -> Self {
        let uris = |files: &BTreeMap<String, Digest>, keep: &dyn Fn(&str, &Digest) -> bool| {
            let kept = files.iter().filter(|(uri, digest)| keep(uri, digest));
            kept.map(|(uri, _)| uri.clone()).collect()
        };
        Self {
            added: uris(now, &|uri, _| !approved.contains_key(uri)),
            removed: uris(approved, &|uri, _| !now.contains_key(uri)),
            changed: uris(now, &|uri, digest| approved.get(uri).is_some_and(|was| was != digest)),
        }
    }

    /// The change in one line: `1 added, 2 changed`.
    #[must_use]
    pub fn summary(&self) -> String {
        let counted = self.kinds().map(|(what, files)| format!("{} {what}", files.len()));
        counted.collect::<Vec<_>>().join(", ")
    }

    fn kinds(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let kinds: [(_, &[String]); 3] =
            [("added", &self.added), ("removed", &self.removed), ("changed", &self.changed)];
        kinds.into_iter().filter(|(_, files)| !files.is_empty())
    }
}

impl fmt::Display for ApprovalDiff {
    /// For a person, one line for each kind; bounded, hidden characters escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (what, files)) in self.kinds().enumerate() {
            let named: Vec<_> = files.iter().take(MAX_NAMED).map(|uri| quote(uri)).collect();
            let line_break = if index > 0 { "\n" } else { "" };
            write!(f, "{line_break}{what}: {}", named.join(", "))?;
            if files.len() > MAX_NAMED {
                write!(f, " and {} more", files.len() - MAX_NAMED)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;

    fn skill(files: &[(&str, &str)]) -> SkillEntry {
        let line = |(path, text): &(&str, &str)| {
            let digest = Digest::of(text.as_bytes());
            format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":{}}}"#, text.len())
        };
        let lines: Vec<_> = files.iter().map(line).collect();
        resources(&format!("[{}]", lines.join(",")))
    }

    fn resources(json: &str) -> SkillEntry {
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":{json}}}"#
        );
        entry::read(&text).entry.unwrap()
    }

    fn acme() -> OriginLabel {
        OriginLabel::new("acme").unwrap()
    }

    fn approval(entry: &SkillEntry) -> Approval {
        Approval::new(&acme(), entry, BTreeSet::from([PermissionRequest::run("skill://a/x")]))
            .unwrap()
    }

    #[test]
    fn what_the_skill_cannot_ask_for_is_not_granted() {
        let run = |uri: &str| PermissionRequest::run(uri);
        let granted = BTreeSet::from([run("skill://a/x"), run("skill://a/z")]);
        let approval = Approval::new(&acme(), &skill(&FILES), granted).unwrap();
        assert_eq!(approval.granted(), &BTreeSet::from([run("skill://a/x")]));
    }

    const FILES: [(&str, &str); 3] = [("SKILL.md", "s"), ("x", "1"), ("y", "1")];

    #[test]
    fn the_order_of_files_does_not_matter() {
        let turned = skill(&[FILES[2], FILES[0], FILES[1]]);
        assert_eq!(ApprovalKey::of(&skill(&FILES)), ApprovalKey::of(&turned));
        let state = approval_state(Some(&approval(&skill(&FILES))), &acme(), &turned);
        assert_eq!(state, ApprovalState::Covers);
    }

    #[test]
    fn every_change_of_the_set_revokes() {
        let approval = approval(&skill(&FILES));
        let now = skill(&[("SKILL.md", "s"), ("y", "2"), ("z\u{202e}", "1")]);
        assert_ne!(ApprovalKey::of(&now), Some(approval.key()));
        let ApprovalState::Revoked(diff) = approval_state(Some(&approval), &acme(), &now) else {
            panic!("still covered");
        };
        assert_eq!(diff.summary(), "1 added, 1 removed, 1 changed");
        assert_eq!(
            diff.to_string(),
            "added: \"skill://a/z\\u{202e}\"\nremoved: \"skill://a/x\"\nchanged: \"skill://a/y\""
        );
    }

    #[test]
    fn another_origin_or_no_set_is_not_covered() {
        let entry = skill(&FILES);
        let approval = approval(&entry);
        let other = OriginLabel::new("other").unwrap();
        assert_eq!(approval_state(Some(&approval), &other, &entry), ApprovalState::None);
        assert_eq!(approval_state(None, &acme(), &entry), ApprovalState::None);
        let line = |uri: &str, digest: &str| {
            format!(r#"{{"uri":"skill://{uri}","digest":"{digest}","size":0}}"#)
        };
        let digest = Digest::of(b"").to_string();
        let [sound, outside] = ["a/SKILL.md", "b/x"].map(|uri| line(uri, &digest));
        let lines = [
            "\"dynamic\"".to_owned(),
            "[]".to_owned(),
            format!("[{}]", line("a/SKILL.md", "sha256:00")),
            format!("[{sound},{outside}]"),
        ];
        for unbindable in lines.map(|json| resources(&json)) {
            assert_eq!(ApprovalKey::of(&unbindable), None);
            assert_eq!(Approval::new(&acme(), &unbindable, BTreeSet::new()), None);
            let state = approval_state(Some(&approval), &acme(), &unbindable);
            assert_eq!(state, ApprovalState::NotBindable);
        }
    }

    #[test]
    fn stored_text_is_read_strictly() {
        let approval = approval(&skill(&FILES));
        let text = approval.to_json();
        assert_eq!(Approval::read(&text), Ok(approval));
        let broken = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Approval::read(&text.replacen(from, to, 1)).unwrap_err()
        };
        assert_eq!(broken("\"acme\"", "\"a:b\""), StoredError::Member("origin"));
        assert_eq!(broken("sha256:", "sha256-"), StoredError::Member("files"));
        assert_eq!(broken("\"skill://a/SKILL.md\":", "\"x\":"), StoredError::Member("files"));
        assert_eq!(broken("\"skill://a/x\":", "\"skill://b/x\":"), StoredError::Member("files"));
        assert_eq!(broken("\"skill://a/x\"}", "\"skill://a/z\"}"), StoredError::Member("granted"));
        assert_eq!(broken("\"kind\":\"run\"", "\"kind\":\"all\""), StoredError::Member("kind"));
        assert_eq!(broken("\"name\"", "\"skill\""), StoredError::Ambiguous);
        assert!(matches!(broken("}", ""), StoredError::Json(_)));
    }
}
