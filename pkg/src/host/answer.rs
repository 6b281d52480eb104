//! The shapes of what goes out of `skillglass/host`, as in [`crate::answer`].

use std::collections::{BTreeSet, HashMap};

use js_sys::{Reflect, Uint8Array};
use serde::{Serialize, Serializer};
use skillglass::digest::Digest;
use skillglass::entry::{ManifestFile, Reading};
use skillglass::finding::Finding;
use skillglass::host::{
    ApprovalRequest, CallFailure, Change, Collision, Host, KnownSkill, OriginLabel, Outgoing,
    PermissionRequest, ReadStop, RequestKind, SkillId, Standing, Stop, TaggedContent,
};
use skillglass::protocol::directory::Child;
use skillglass::protocol::{Call, Listing, RpcError};
use skillglass::value::Node;
use skillglass::verify::Verdict;
use wasm_bindgen::JsValue;

use super::{ContentTag, walked};
use crate::Answer;
use crate::answer::{FileVerdict, OK, encode};
use crate::shared::{ApprovalAnswer, DirectoryChild, Params};

/// A call for `host.js` to send.
#[derive(Serialize)]
pub(super) struct Sending {
    kind: &'static str,
    origin: OriginLabel,
    method: &'static str,
    params: Params,
}

impl Sending {
    pub(super) fn of(outgoing: Outgoing) -> Self {
        let Outgoing { origin, call } = outgoing;
        Self { kind: "send", origin, method: call.method(), params: Params::of(call) }
    }
}

impl Params {
    pub(super) fn of(call: Call) -> Self {
        let (uri, cursor) = match call {
            Call::ListSkills { cursor } => (None, cursor),
            Call::GetSkill { uri } | Call::ReadResource { uri } => (Some(uri), None),
            Call::ReadDirectory { uri, cursor } => (Some(uri), cursor),
            // A host asks for nothing else.
            _ => (None, None),
        };
        Self { uri, cursor }
    }
}

/// One thing a skill asks for, and the same in words.
#[derive(Serialize)]
struct Permission<'a> {
    kind: RequestKind,
    text: &'a str,
    message: String,
}

fn permissions<'r>(requests: &'r BTreeSet<PermissionRequest>) -> Vec<Permission<'r>> {
    let told = |request: &'r PermissionRequest| Permission {
        kind: request.kind,
        text: &request.text,
        message: request.to_string(),
    };
    requests.iter().map(told).collect()
}

#[derive(Serialize)]
pub(super) struct Approving<'a> {
    kind: &'static str,
    request: Asked<'a>,
}

#[derive(Serialize)]
struct Asked<'a> {
    number: u32,
    skill: &'a SkillId,
    name: String,
    description: Option<&'a str>,
    key: Option<Digest>,
    approval: ApprovalAnswer,
    inside: Option<&'a SkillId>,
    requests: Vec<Permission<'a>>,
    review: &'a [Finding],
    files: Option<&'a [ManifestFile]>,
}

impl<'a> Approving<'a> {
    pub(super) fn of(number: u32, request: &'a ApprovalRequest) -> Self {
        let request = Asked {
            number,
            skill: &request.skill,
            name: request.name.to_string(),
            description: request.description.as_deref(),
            key: request.key.map(|key| key.digest()),
            approval: ApprovalAnswer::of(request.state.clone()),
            inside: request.inside.as_ref(),
            requests: permissions(&request.requests),
            review: &request.review,
            files: request.files.as_deref(),
        };
        Self { kind: "approve", request }
    }
}

#[derive(Serialize)]
pub(super) struct Loaded<'a> {
    kind: &'static str,
    skill: &'a SkillId,
    requests: Vec<Permission<'a>>,
    granted: Vec<Permission<'a>>,
    review: &'a [Finding],
}

impl<'a> Loaded<'a> {
    pub(super) fn of(loaded: &'a skillglass::host::Loaded) -> Self {
        Self {
            kind: "loaded",
            skill: &loaded.skill,
            requests: permissions(&loaded.requests),
            granted: permissions(&loaded.granted),
            review: &loaded.review,
        }
    }
}

/// Why nothing was loaded or read. The members that a code has no use for are empty.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stopped {
    kind: &'static str,
    code: &'static str,
    message: String,
    uri: Option<String>,
    wants_refresh: bool,
    findings: Vec<Finding>,
    /// A refusal, or what could not be judged.
    #[serde(serialize_with = "as_file_verdict")]
    verdict: Option<Verdict>,
    server_error: Option<ServerError>,
}

#[derive(Serialize)]
struct ServerError {
    code: Option<i64>,
    message: String,
    data: Option<String>,
}

impl From<&RpcError> for ServerError {
    fn from(error: &RpcError) -> Self {
        Self { code: error.code, message: error.message.clone(), data: error.data.clone() }
    }
}

impl Stopped {
    fn new(code: &'static str, message: String) -> Self {
        Self {
            kind: "stopped",
            code,
            message,
            uri: None,
            wants_refresh: false,
            findings: Vec::new(),
            verdict: None,
            server_error: None,
        }
    }

    pub(super) fn not_declared() -> Self {
        Self::load(Stop::NotDeclared)
    }

    pub(super) fn invalid_entry(findings: Vec<Finding>) -> Self {
        Self::load(Stop::InvalidEntry(findings))
    }

    /// A call brought no result.
    pub(super) fn call(failure: &CallFailure) -> Self {
        let (code, error) = match failure {
            CallFailure::Refused(_) if failure.is_unknown() => ("unknown", true),
            CallFailure::Refused(_) => ("server-error", true),
            CallFailure::NoAnswer(_) => ("no-answer", false),
        };
        let server_error = match failure {
            CallFailure::Refused(rpc) if error => Some(ServerError::from(rpc)),
            _ => None,
        };
        Self { server_error, ..Self::new(code, failure.to_string()) }
    }

    pub(super) fn load(stop: Stop) -> Self {
        let message = stop.to_string();
        let wants_refresh = stop.wants_refresh();
        let stopped = match stop {
            Stop::LookUp(failure) => Self::call(&failure),
            Stop::InvalidEntry(findings) => {
                Self { findings, ..Self::new("invalid-entry", String::new()) }
            }
            Stop::DynamicDeclined => Self::new("dynamic-declined", String::new()),
            Stop::TooLarge { .. } => Self::new("too-large", String::new()),
            Stop::Denied => Self::new("denied", String::new()),
            Stop::SkillMd(stop) => Self::read(stop),
            _ => Self::new("not-declared", String::new()),
        };
        Self { message, wants_refresh, ..stopped }
    }

    pub(super) fn read(stop: ReadStop) -> Self {
        let message = stop.to_string();
        let wants_refresh = stop.wants_refresh();
        let about = |code, uri| Self { uri, ..Self::new(code, String::new()) };
        let stopped = match stop {
            ReadStop::NotActing => about("not-loaded", None),
            ReadStop::NotAsked { uri } => about("not-asked", Some(uri)),
            ReadStop::NotListed { uri } => about("not-listed", Some(uri)),
            ReadStop::Outside { uri } => about("outside", uri),
            ReadStop::External { uri } => about("external", Some(uri)),
            ReadStop::Malformed { .. } => about("malformed", None),
            ReadStop::CrossOrigin(call) => about("cross-origin", Some(call.uri().to_owned())),
            ReadStop::UnknownOrigin(_) => about("unknown-origin", None),
            ReadStop::DirectoryReadNotDeclared => about("directory-read-not-declared", None),
            ReadStop::OverLimits { .. } => about("too-large", None),
            ReadStop::Failed(failure) => Self::call(&failure),
            ReadStop::Refused(refusal) => judged("refused", Verdict::Refused(*refusal)),
            ReadStop::Untested(untested) => judged("untested", Verdict::Untested(untested)),
            _ => about("not-loaded", None),
        };
        Self { message, wants_refresh, ..stopped }
    }
}

fn judged(code: &'static str, verdict: Verdict) -> Stopped {
    let uri = Some(verdict.uri().to_owned());
    Stopped { uri, verdict: Some(verdict), ..Stopped::new(code, String::new()) }
}

fn as_file_verdict<S: Serializer>(verdict: &Option<Verdict>, to: S) -> Result<S::Ok, S::Error> {
    verdict.as_ref().map(FileVerdict::of).serialize(to)
}

/// A skill the host knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Known<'a> {
    origin: &'a OriginLabel,
    uri: &'a str,
    name: Option<&'a str>,
    display_name: String,
    description: Option<&'a str>,
    dynamic: bool,
    files: Option<usize>,
    bytes: Option<u64>,
    defects: &'a [Finding],
    review: &'a [Finding],
    approval: &'static str,
}

impl<'a> Known<'a> {
    pub(super) fn find(host: &'a Host, id: &'a SkillId) -> Option<Self> {
        let registry = host.registry();
        let name = registry.display_name(id)?.to_string();
        Some(Self::of(host, id, registry.get(id)?, name))
    }

    fn of(host: &Host, id: &'a SkillId, known: &'a KnownSkill, display_name: String) -> Self {
        let field = |name| known.entry.frontmatter.get(name).and_then(Node::as_str);
        let manifest = known.entry.manifest();
        Self {
            origin: id.origin(),
            uri: id.uri(),
            name: field("name"),
            display_name,
            description: field("description"),
            dynamic: manifest.is_none(),
            files: manifest.map(|manifest| manifest.files.len()),
            bytes: manifest.map(|manifest| manifest.total_size()),
            defects: &known.defects,
            review: &known.review,
            approval: host
                .approval_state(id)
                .map_or("none", |state| ApprovalAnswer::of(state).state),
        }
    }
}

/// The known skills of a server, or of all.
pub(super) fn known_skills<'h>(host: &'h Host, origin: Option<&OriginLabel>) -> Vec<Known<'h>> {
    let registry = host.registry();
    let of_origin = |id: &SkillId| origin.is_none_or(|origin| id.origin() == origin);
    let named = registry.display_names().filter(|(id, _)| of_origin(id));
    named
        .filter_map(|(id, name)| Some(Known::of(host, id, registry.get(id)?, name.to_string())))
        .collect()
}

/// What came of listing a server's skills.
#[derive(Serialize)]
pub(super) struct Listed<'a> {
    kind: &'static str,
    complete: bool,
    message: Option<String>,
    skills: Vec<Known<'a>>,
    invalid: Vec<ListedEntry<'a>>,
}

/// An entry as it was listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedEntry<'a> {
    uri: Option<&'a str>,
    name: Option<&'a str>,
    entry_json: &'a str,
    loadable: bool,
    findings: &'a [Finding],
}

impl<'a> ListedEntry<'a> {
    pub(super) fn of(reading: &'a Reading) -> Self {
        Self {
            uri: reading.uri.as_deref(),
            name: reading.name.as_deref(),
            entry_json: &reading.source,
            loadable: reading.entry.is_some(),
            findings: &reading.findings,
        }
    }
}

impl<'a> Listed<'a> {
    pub(super) fn of(host: &'a Host, origin: &OriginLabel, listing: &'a Listing) -> Self {
        let (complete, message) = walked(listing.state());
        let mut known: HashMap<&str, Known<'_>> =
            known_skills(host, Some(origin)).into_iter().map(|known| (known.uri, known)).collect();
        let usable = listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        let skills = usable.filter_map(|entry| known.remove(entry.uri.as_str())).collect();
        let invalid = listing.skills.iter().filter(|reading| reading.entry.is_none());
        let invalid = invalid.map(ListedEntry::of);
        Self { kind: "listed", complete, message, skills, invalid: invalid.collect() }
    }
}

/// The children of a directory.
#[derive(Serialize)]
pub(super) struct Children<'a> {
    kind: &'static str,
    uri: &'a str,
    children: Vec<DirectoryChild<'a>>,
    unlisted: &'a [String],
    complete: bool,
}

impl<'a> Children<'a> {
    pub(super) fn of(
        uri: &'a str,
        children: &'a [Child],
        unlisted: &'a [String],
        complete: bool,
    ) -> Self {
        let children = DirectoryChild::all(children);
        Self { kind: OK, uri, children, unlisted, complete }
    }
}

/// What happened that nobody asked about.
#[derive(Serialize)]
pub(super) struct Notices {
    collisions: Vec<Collision>,
    changes: Vec<Changed>,
}

#[derive(Serialize)]
struct Changed {
    skill: SkillId,
    revoked: Option<ApprovalAnswer>,
}

impl Notices {
    pub(super) fn of(collisions: Vec<Collision>, changes: Vec<Change>) -> Self {
        let changed = |Change { skill, revoked }| Changed {
            skill,
            revoked: revoked
                .map(|diff| ApprovalAnswer::of(skillglass::host::ApprovalState::Revoked(diff))),
        };
        Self { collisions, changes: changes.into_iter().map(changed).collect() }
    }
}

/// What a file is made of besides its standing: its bytes where JavaScript has them, and its type.
#[derive(Default)]
pub(super) struct FileParts {
    pub(super) mime_type: Option<String>,
    pub(super) bytes: Option<Uint8Array>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    kind: &'static str,
    origin: &'a OriginLabel,
    skill: &'a SkillId,
    uri: &'a str,
    standing: &'static str,
    digest: Option<Digest>,
    mime_type: Option<String>,
}

impl FileParts {
    /// The file with its bytes, and the tag that turns them into text for a model.
    pub(super) fn encode(self, mut content: TaggedContent<'_>) -> Answer {
        let (standing, digest) = match &content.standing {
            Standing::Verified(verified) => ("verified", Some(verified.digest())),
            Standing::Unpinned => ("unpinned", None),
            Standing::Foreign => ("foreign", None),
        };
        let answer = encode(&Content {
            kind: "content",
            origin: &content.origin,
            skill: &content.skill,
            uri: &content.uri,
            standing,
            digest,
            mime_type: self.mime_type,
        })?;
        let bytes = std::mem::take(&mut content.bytes);
        let bytes = self.bytes.unwrap_or_else(|| Uint8Array::from(&*bytes));
        Reflect::set(&answer, &"bytes".into(), &bytes)?;
        Reflect::set(
            &answer,
            &"tag".into(),
            &JsValue::from(ContentTag { content: content.into_owned() }),
        )?;
        Ok(answer)
    }
}
