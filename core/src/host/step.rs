//! What a [`Host`](super::Host) says to its caller: what to send, whom to ask, what came of it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::approval::{ApprovalKey, ApprovalState};
use super::origin::{OriginLabel, SkillId};
use super::policy::Limits;
use super::registry::DisplayName;
use super::request::PermissionRequest;
use super::tagged::TaggedContent;
use crate::contents::{ContentError, Contents};
use crate::digest::Digest;
use crate::entry::ManifestFile;
use crate::finding::{Finding, quote};
use crate::protocol::{Call, INVALID_PARAMS, LEGACY_NOT_FOUND, RpcError};
use crate::verify::{Refusal, Untested};

/// What comes next in the load of a skill.
#[derive(Debug)]
pub enum Step {
    /// Send this call, then give its answer to [`Host::got_skill`](super::Host::got_skill) or to
    /// [`Host::got_skill_md`](super::Host::got_skill_md).
    Send(Outgoing),
    /// Ask a person, then call [`Host::approve`](super::Host::approve) or
    /// [`Host::deny`](super::Host::deny).
    Approve(ApprovalRequest),
    /// The skill is loaded; its files may be read until [`Host::end`](super::Host::end).
    Loaded(Loaded),
    /// The skill is not loaded. Content of an earlier load must leave the model's context.
    Stopped(Stop),
}

/// A call, and the only server it may go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The server.
    pub origin: OriginLabel,
    /// The call.
    pub call: Call,
}

/// Everything a person needs to decide whether a skill may be loaded. No file of it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The skill, with the server it comes from.
    pub skill: SkillId,
    /// Its name, told apart from others.
    pub name: DisplayName,
    /// What its entry says of it; any text.
    pub description: Option<String>,
    /// What the approval will be bound to; none where it holds for this load only.
    pub key: Option<ApprovalKey>,
    /// How the skill stands to an earlier approval, with what changed since.
    pub state: ApprovalState,
    /// The skill inside of whose directory it lies. Approving that one did not approve this one.
    pub inside: Option<SkillId>,
    /// What it asks for. Nothing of it is granted unless a person says so.
    pub requests: BTreeSet<PermissionRequest>,
    /// What else a person should see before deciding: broken rules, hidden characters, scripts, names
    /// that mislead. See [`KnownSkill::review`](super::KnownSkill::review).
    pub review: Vec<Finding>,
    /// Its files; none where it is dynamic and may send anything.
    pub files: Option<Vec<ManifestFile>>,
    /// Tells this request from earlier ones for the same skill.
    #[serde(skip)]
    pub(super) serial: u64,
}

/// A skill that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The skill.
    pub skill: SkillId,
    /// Its `SKILL.md`, for the model.
    pub content: TaggedContent<'static>,
    /// What it asks for.
    pub requests: BTreeSet<PermissionRequest>,
    /// What of that a person granted it.
    pub granted: BTreeSet<PermissionRequest>,
    /// What is to be seen in the entry it was loaded from, whose frontmatter is that of its
    /// `SKILL.md`. See [`KnownSkill::review`](super::KnownSkill::review).
    pub review: Vec<Finding>,
}

/// Why a skill is not loaded. As text: one clause for a person.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stop {
    /// Its server does not declare the extension, so it must not be asked.
    NotDeclared,
    /// `skills/get` brought no answer.
    LookUp(CallFailure),
    /// The entry must not be loaded; what is wrong with it: it cannot be held, or its manifest
    /// breaks a MUST.
    InvalidEntry(Vec<Finding>),
    /// It is dynamic, and the policy declines those.
    DynamicDeclined,
    /// It is larger than this host takes.
    TooLarge {
        /// Its files.
        files: usize,
        /// Their bytes.
        bytes: u64,
        /// What is allowed.
        limits: Limits,
    },
    /// A person said no.
    Denied,
    /// Its `SKILL.md` cannot be used.
    SkillMd(ReadStop),
}

impl Stop {
    /// Whether [`Host::refresh`](super::Host::refresh) may help: what came is not what the entry
    /// promises, so one of them is out of date.
    #[must_use]
    pub fn wants_refresh(&self) -> bool {
        matches!(self, Self::SkillMd(stop) if stop.wants_refresh())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDeclared => f.write_str("the server does not declare the skills extension"),
            Self::LookUp(failure) => write!(f, "the skill could not be looked up: {failure}"),
            Self::InvalidEntry(findings) => match findings.first() {
                Some(finding) => write!(f, "the entry cannot be loaded: {}", finding.message),
                None => f.write_str("the entry cannot be loaded"),
            },
            Self::DynamicDeclined => f.write_str("dynamic skills are declined"),
            Self::TooLarge { files, bytes, limits } => {
                write!(f, "the skill is too large: {}", size_against(*files, *bytes, *limits))
            }
            Self::Denied => f.write_str("the skill was not approved"),
            Self::SkillMd(stop) => write!(f, "SKILL.md cannot be used: {stop}"),
        }
    }
}

fn size_against(files: usize, bytes: u64, limits: Limits) -> String {
    let (most_files, most_bytes) = (limits.files(), limits.bytes());
    format!("{files} files and {bytes} bytes; at most {most_files} and {most_bytes} are taken")
}

/// Why a file is not read, or its content not used. As text: one clause for a person.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadStop {
    /// The skill is not loaded, so nothing is read for it.
    NotActing,
    /// Content came for a file that was not asked for.
    NotAsked {
        /// The file.
        uri: String,
    },
    /// The retained manifest does not list the file, or its line cannot be used.
    NotListed {
        /// The file.
        uri: String,
    },
    /// It lies outside of the skill. Another skill has to be loaded to be read.
    Outside {
        /// The place, where it can be named.
        uri: Option<String>,
    },
    /// It is a link for a person, never followed on its own.
    External {
        /// The link.
        uri: String,
    },
    /// It is no reference.
    Malformed {
        /// What was given.
        reference: String,
    },
    /// It is on another server: a person has to allow this very call.
    CrossOrigin(CrossOriginCall),
    /// The host knows no such server.
    UnknownOrigin(OriginLabel),
    /// The server does not declare `directoryRead`, so it must not be asked.
    DirectoryReadNotDeclared,
    /// What was retrieved of the dynamic skill is more than this host takes.
    OverLimits {
        /// The files, this one included.
        files: usize,
        /// Their bytes.
        bytes: u64,
        /// What is allowed.
        limits: Limits,
    },
    /// No answer came.
    Failed(CallFailure),
    /// The content is not the one that was promised.
    Refused(Box<Refusal>),
    /// This reader could not judge the content, so it must not be used either.
    Untested(Untested),
}

impl ReadStop {
    /// Whether [`Host::refresh`](super::Host::refresh) may help: the skill and the retained entry
    /// are not of one time.
    #[must_use]
    pub fn wants_refresh(&self) -> bool {
        match self {
            Self::NotListed { .. } | Self::Refused(_) => true,
            Self::Failed(failure) => failure.is_unknown(),
            _ => false,
        }
    }
}

impl fmt::Display for ReadStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotActing => f.write_str("the skill is not loaded"),
            Self::NotAsked { uri } => write!(f, "{} was not asked for", quote(uri)),
            Self::NotListed { uri } => write!(
                f,
                "the manifest does not list {}; if the skill has changed, it needs approval again",
                quote(uri)
            ),
            Self::Outside { uri: Some(uri) } => {
                write!(f, "{} lies outside of the skill", quote(uri))
            }
            Self::Outside { uri: None } => f.write_str("the reference leads out of the skill"),
            Self::External { uri } => write!(f, "{} is a link, not a file", quote(uri)),
            Self::Malformed { reference } => write!(f, "{} is no reference", quote(reference)),
            Self::CrossOrigin(call) => call.fmt(f),
            Self::UnknownOrigin(origin) => write!(f, "there is no server called {origin}"),
            Self::DirectoryReadNotDeclared => {
                f.write_str("the server does not declare that it lists directories")
            }
            Self::OverLimits { files, bytes, limits } => write!(
                f,
                "the dynamic skill has sent too much: {}",
                size_against(*files, *bytes, *limits)
            ),
            Self::Failed(failure) => failure.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Untested(untested) => f.write_str(&untested.problem.message),
        }
    }
}

impl std::error::Error for ReadStop {}

/// A read that a skill of one server would make on another. It is made once, if a person allows
/// it; to make it again is to ask again.
///
/// Source: *Security Considerations*: a per-call approval that names both servers.
#[derive(Debug)]
#[must_use = "a person has to be asked"]
pub struct CrossOriginCall {
    pub(super) skill: SkillId,
    pub(super) to: OriginLabel,
    pub(super) uri: String,
}

impl CrossOriginCall {
    /// The skill that wants it.
    #[must_use]
    pub const fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// The server it would go to.
    #[must_use]
    pub const fn to(&self) -> &OriginLabel {
        &self.to
    }

    /// What it would read.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The call, once a person has allowed it. Tag what comes with
    /// [`TaggedContent::foreign`].
    #[must_use]
    pub fn allow(self) -> Outgoing {
        Outgoing { origin: self.to, call: Call::ReadResource { uri: self.uri } }
    }
}

impl fmt::Display for CrossOriginCall {
    /// The question for the person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (skill, to, uri) = (&self.skill, &self.to, quote(&self.uri));
        write!(
            f,
            "the skill {} of {} wants to read {uri} from {to}",
            quote(skill.uri()),
            skill.origin()
        )
    }
}

/// Why a call brought no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The server answered with an error.
    Refused(RpcError),
    /// No message came back; the reason in words.
    NoAnswer(String),
}

impl CallFailure {
    /// Whether the server says that it does not have what was asked for.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Refused(error)
            if matches!(error.code, Some(INVALID_PARAMS | LEGACY_NOT_FOUND)))
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::NoAnswer(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for CallFailure {}

/// What came of a `resources/read`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAnswer<'a> {
    /// The file's bytes.
    Bytes(Cow<'a, [u8]>),
    /// The file's bytes, with the SHA-256 that the caller's platform computed of them.
    Hashed(Cow<'a, [u8]>, Digest),
    /// A result without bytes for the file.
    NoBytes(ContentError),
    /// No result.
    Failed(CallFailure),
}

impl<'a> From<Result<Contents<'a>, ContentError>> for FileAnswer<'a> {
    /// Takes what [`contents::read`](crate::contents::read) made of a result.
    fn from(read: Result<Contents<'a>, ContentError>) -> Self {
        match read {
            Ok(contents) => Self::Bytes(contents.bytes),
            Err(error) => Self::NoBytes(error),
        }
    }
}

impl<'a> From<&'a [u8]> for FileAnswer<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

/// A mistake of the caller. The host is as it was before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// The server was not added.
    UnknownOrigin(OriginLabel),
    /// The step does not fit; this is what the skill is waiting for.
    OutOfOrder(&'static str),
    /// The approval request is not the one that waits for an answer.
    OldRequest,
    /// The skill does not ask for this, so it cannot be granted.
    NotRequested(PermissionRequest),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOrigin(origin) => write!(f, "no server called {origin} was added"),
            Self::OutOfOrder(state) => write!(f, "this step does not fit: the skill {state}"),
            Self::OldRequest => f.write_str("another approval request waits for an answer"),
            Self::NotRequested(request) => write!(f, "the skill does not ask to {request}"),
        }
    }
}

impl std::error::Error for Misuse {}
