//! What goes out: closed shapes, `null` for none, no number beyond 2^53 − 1.
//!
//! Each shape is the core's own serialization with the sentences for people beside the codes for
//! programs. `index.d.ts` describes them. They cross as JSON text, which the platform's reader turns
//! into objects at once; building them member by member takes more calls and more code.

use js_sys::{JSON, Reflect, Uint8Array};
use serde::Serialize;
use skillglass::contents::{ContentError, ContentMember, ContentNote, Contents};
use skillglass::digest::{Digest, DigestError};
use skillglass::entry::{ManifestFile, Reading, Resources};
use skillglass::finding::Finding;
use skillglass::frontmatter::{
    Comparison, Difference, Explanation, FieldComparison, FieldOutcome, Frontmatter,
    FrontmatterError, FrontmatterErrorKind, NoteKind, Side, check_file_format,
};
use skillglass::json::JsonError;
use skillglass::name::NameError;
use skillglass::source::{LineIndex, Position, Span};
use skillglass::uri::{SkillUri, UriError, UriNote};
use skillglass::verify::{self, Cause, Reason, Refusal, SkillVerdict, Summary, Verdict};
use wasm_bindgen::JsValue;

use crate::failure::failure;

/// Turns a shape into a JavaScript value that `JSON.stringify` prints without loss.
pub(crate) fn encode(shape: &impl Serialize) -> Result<JsValue, JsValue> {
    // Strings, numbers and lists of them can always be written; the error's own words would be
    // kilobytes that nobody reads.
    let text = serde_json::to_string(shape);
    JSON::parse(&text.map_err(|_| failure("internal", "an answer cannot be written"))?)
}

/// A string, or `null`.
pub(crate) fn nullable(text: Option<&str>) -> JsValue {
    text.map_or(JsValue::NULL, JsValue::from_str)
}

/// As [`encode`], whichever of the two it is.
pub(crate) fn encode_result(
    result: Result<impl Serialize, impl Serialize>,
) -> Result<JsValue, JsValue> {
    match result {
        Ok(value) => encode(&value),
        Err(problem) => encode(&problem),
    }
}

// The tag of each shape is a plain field: what serde makes of tagged enums and of flattened
// structs is compiled once more for each of them, and costs many kilobytes together.

/// The `kind` of an answer that holds what was asked for.
pub(crate) const OK: &str = "ok";

/// The `kind` of an answer that says why there is none.
pub(crate) const INVALID: &str = "invalid";

/// Why a text is not what it should be, as a code and as a sentence.
#[derive(Serialize)]
pub(crate) struct Problem<R> {
    kind: &'static str,
    reason: R,
    message: String,
}

impl Problem<UriError> {
    pub(crate) fn uri(error: UriError) -> Self {
        Self { kind: INVALID, reason: error, message: error.to_string() }
    }
}

impl Problem<DigestError> {
    pub(crate) fn digest(error: DigestError) -> Self {
        Self { kind: INVALID, reason: error, message: error.to_string() }
    }
}

/// A code and its sentence.
#[derive(Serialize)]
pub(crate) struct Told<K> {
    kind: K,
    message: String,
}

impl Told<UriNote> {
    pub(crate) fn uri(kind: UriNote) -> Self {
        Self { kind, message: kind.to_string() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillUriParts<'a> {
    kind: &'static str,
    uri: &'a str,
    scheme: &'a str,
    root: &'a str,
    skill_path: &'a str,
    prefix: &'a str,
    name: &'a str,
    notes: Vec<Told<UriNote>>,
}

impl<'a> SkillUriParts<'a> {
    pub(crate) fn of(uri: SkillUri<'a>) -> Self {
        Self {
            kind: OK,
            uri: uri.uri().as_str(),
            scheme: uri.uri().scheme(),
            root: uri.root(),
            skill_path: uri.skill_path(),
            prefix: uri.prefix(),
            name: uri.name(),
            notes: uri.uri().notes().into_iter().map(Told::uri).collect(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Sound {
    kind: &'static str,
}

impl Sound {
    pub(crate) const fn new() -> Self {
        Self { kind: OK }
    }
}

#[derive(Serialize)]
pub(crate) struct NameProblem {
    kind: &'static str,
    reason: &'static str,
    character: Option<char>,
    message: String,
}

impl NameProblem {
    pub(crate) fn of(error: NameError) -> Self {
        let (reason, character) = match error {
            NameError::Empty => ("empty", None),
            NameError::TooLong => ("too-long", None),
            NameError::Character(character) => ("character", Some(character)),
            NameError::OuterHyphen => ("outer-hyphen", None),
            NameError::DoubleHyphen => ("double-hyphen", None),
        };
        Self { kind: INVALID, reason, character, message: error.to_string() }
    }
}

#[derive(Serialize)]
pub(crate) struct DigestText {
    kind: &'static str,
    digest: Digest,
}

impl DigestText {
    pub(crate) const fn of(digest: Digest) -> Self {
        Self { kind: OK, digest }
    }
}

#[derive(Serialize)]
pub(crate) struct EntryReading<'a> {
    uri: Option<&'a str>,
    name: Option<&'a str>,
    description: Option<&'a str>,
    loadable: bool,
    resources: Option<ResourceList<'a>>,
    findings: &'a [Finding],
}

impl<'a> EntryReading<'a> {
    pub(crate) fn of(reading: &'a Reading) -> Self {
        Self {
            uri: reading.uri.as_deref(),
            name: reading.name.as_deref(),
            description: reading.description.as_deref(),
            loadable: reading.entry.is_some(),
            resources: ResourceList::of(reading),
            findings: &reading.findings,
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ResourceList<'a> {
    Manifest(&'a [ManifestFile]),
    Word(&'static str),
}

impl<'a> ResourceList<'a> {
    pub(crate) fn of(reading: &'a Reading) -> Option<Self> {
        Some(match &reading.entry.as_ref()?.resources {
            Resources::Manifest(manifest) => Self::Manifest(&manifest.files),
            Resources::Dynamic => Self::Word("dynamic"),
        })
    }
}

#[derive(Serialize)]
pub(crate) struct FrontmatterParts {
    kind: &'static str,
    fields: Vec<Field>,
    yaml: Span,
    body: Span,
    notes: Vec<FrontmatterNote>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    name_span: Span,
    json: String,
    span: Span,
    position: Position,
}

#[derive(Serialize)]
struct FrontmatterNote {
    kind: NoteKind,
    message: String,
    span: Span,
    position: Position,
}

impl FrontmatterParts {
    pub(crate) fn of(frontmatter: &Frontmatter, file: &str) -> Self {
        let lines = LineIndex::new(file);
        let members = frontmatter.root.as_object().unwrap_or_default();
        let fields = members.iter().map(|member| Field {
            name: member.name.clone().into_owned(),
            name_span: member.name_span,
            json: member.node.to_json(),
            span: member.node.span,
            position: lines.position(member.node.span.start),
        });
        let notes = frontmatter.notes.iter().map(|note| FrontmatterNote {
            kind: note.kind,
            message: note.kind.to_string(),
            span: note.span,
            position: lines.position(note.span.start),
        });
        Self {
            kind: OK,
            fields: fields.collect(),
            yaml: frontmatter.yaml,
            body: frontmatter.body,
            notes: notes.collect(),
            findings: check_file_format(&frontmatter.root, &lines),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrontmatterProblem {
    kind: &'static str,
    reason: FrontmatterErrorKind,
    message: String,
    span: Span,
    position: Option<Position>,
    repair: Option<&'static str>,
    reader_limit: bool,
}

impl FrontmatterProblem {
    pub(crate) fn of(error: FrontmatterError, bytes: &[u8]) -> Self {
        let problem = skillglass::verify::problem(&error, bytes);
        Self {
            kind: INVALID,
            message: problem.message,
            span: error.span,
            position: problem.position,
            repair: problem.repair,
            reader_limit: error.kind.is_reader_limit(),
            reason: error.kind,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ComparedFields<'a> {
    kind: &'static str,
    equal: bool,
    fields: Vec<ComparedField<'a>>,
}

#[derive(Serialize)]
struct ComparedField<'a> {
    name: &'a str,
    outcome: FieldOutcome,
    file: Option<&'a Side>,
    entry: Option<&'a Side>,
    differences: Vec<ToldDifference<'a>>,
}

#[derive(Serialize)]
struct ToldDifference<'a> {
    pointer: &'a str,
    file: Option<&'a Side>,
    entry: Option<&'a Side>,
    explanation: Option<Explanation>,
    message: Option<String>,
}

impl<'a> ComparedFields<'a> {
    pub(crate) fn of(comparison: &'a Comparison) -> Self {
        Self { kind: OK, equal: comparison.is_equal(), fields: ComparedField::all(comparison) }
    }
}

impl<'a> ComparedField<'a> {
    fn all(comparison: &'a Comparison) -> Vec<Self> {
        comparison.fields.iter().map(Self::of).collect()
    }

    fn of(field: &'a FieldComparison) -> Self {
        Self {
            name: &field.name,
            outcome: field.outcome,
            file: field.file.as_ref(),
            entry: field.entry.as_ref(),
            differences: field.differences.iter().map(ToldDifference::of).collect(),
        }
    }
}

impl<'a> ToldDifference<'a> {
    fn of(difference: &'a Difference) -> Self {
        Self {
            pointer: &difference.pointer,
            file: difference.file.as_ref(),
            entry: difference.entry.as_ref(),
            explanation: difference.explanation,
            message: difference.explanation.map(|explanation| explanation.to_string()),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileContents<'a> {
    kind: &'static str,
    mime_type: Option<&'a str>,
    member: ContentMember,
    notes: &'a [ContentNote],
}

/// Encodes the contents of a file. JSON has no bytes, so they are added to the object.
pub(crate) fn encode_contents(contents: &Contents<'_>) -> Result<JsValue, JsValue> {
    let object = encode(&FileContents {
        kind: OK,
        mime_type: contents.mime_type.as_deref(),
        member: contents.member,
        notes: &contents.notes,
    })?;
    Reflect::set(&object, &"bytes".into(), &Uint8Array::from(&*contents.bytes))?;
    Ok(object)
}

/// Why a result gives no bytes.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum NoContents {
    NotJson { kind: &'static str },
    Refused(ContentError),
}

impl Problem<NoContents> {
    pub(crate) fn json(error: JsonError) -> Self {
        let reason = NoContents::NotJson { kind: "not-json" };
        Self { kind: INVALID, reason, message: error.to_string() }
    }

    pub(crate) fn contents(error: ContentError) -> Self {
        let message = error.to_string();
        Self { kind: INVALID, reason: NoContents::Refused(error), message }
    }
}

/// A verdict; a refusal with its sentences.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum FileVerdict<'a> {
    Good(Good<'a>),
    Refused(Box<Refused<'a>>),
    Untested(UntestedFile<'a>),
}

/// Both verdicts that let a host use the content.
#[derive(Serialize)]
pub(crate) struct Good<'a> {
    verdict: &'static str,
    uri: &'a str,
    digest: Digest,
    size: u64,
}

#[derive(Serialize)]
pub(crate) struct Refused<'a> {
    verdict: &'static str,
    uri: &'a str,
    reason: RefusalReason<'a>,
    message: String,
    expected: Option<&'a ManifestFile>,
    digest: Option<Digest>,
    size: Option<u64>,
    cause: Option<&'a Cause>,
    explanation: Option<String>,
    repair: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RefusalReason<'a> {
    FrontmatterDiffers { kind: &'static str, detail: DifferingFields<'a> },
    Other(&'a Reason),
}

#[derive(Serialize)]
struct DifferingFields<'a> {
    fields: Vec<ComparedField<'a>>,
}

#[derive(Serialize)]
pub(crate) struct UntestedFile<'a> {
    verdict: &'static str,
    uri: &'a str,
    problem: &'a verify::FrontmatterProblem,
}

impl<'a> FileVerdict<'a> {
    pub(crate) fn of(verdict: &'a Verdict) -> Self {
        let uri = verdict.uri();
        match verdict {
            Verdict::Verified(file) => Self::Good(Good {
                verdict: "verified",
                uri,
                digest: file.digest(),
                size: file.size(),
            }),
            Verdict::Unpinned(file) => {
                Self::Good(Good { verdict: "unpinned", uri, digest: file.digest, size: file.size })
            }
            Verdict::Refused(refusal) => Self::Refused(Box::new(Refused::of(refusal))),
            Verdict::Untested(file) => {
                Self::Untested(UntestedFile { verdict: "untested", uri, problem: &file.problem })
            }
        }
    }
}

impl<'a> Refused<'a> {
    fn of(refusal: &'a Refusal) -> Self {
        let repair = match &refusal.reason {
            Reason::Frontmatter(problem) => problem.repair,
            _ => refusal.cause.as_ref().map(Cause::repair),
        };
        Self {
            verdict: "refused",
            uri: &refusal.uri,
            reason: RefusalReason::of(&refusal.reason),
            message: refusal.to_string(),
            expected: refusal.expected.as_ref(),
            digest: refusal.digest,
            size: refusal.size,
            cause: refusal.cause.as_ref(),
            explanation: refusal.cause.as_ref().map(ToString::to_string),
            repair,
        }
    }
}

impl<'a> RefusalReason<'a> {
    fn of(reason: &'a Reason) -> Self {
        match reason {
            Reason::FrontmatterDiffers(comparison) => Self::FrontmatterDiffers {
                kind: "frontmatter-differs",
                detail: DifferingFields { fields: ComparedField::all(comparison) },
            },
            other => Self::Other(other),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeSkill<'a> {
    summary: Summary,
    files: Vec<FileRow<'a>>,
    manifest_findings: &'a [Finding],
}

#[derive(Serialize)]
struct FileRow<'a> {
    uri: &'a str,
    verdict: Option<FileVerdict<'a>>,
}

impl<'a> WholeSkill<'a> {
    pub(crate) fn of(skill: &'a SkillVerdict) -> Self {
        let rows = skill.files.iter().map(|row| FileRow {
            uri: &row.uri,
            verdict: row.verdict.as_ref().map(FileVerdict::of),
        });
        Self {
            summary: skill.summary,
            files: rows.collect(),
            manifest_findings: &skill.manifest_findings,
        }
    }
}

/// The pieces of a file were the promised ones.
#[derive(Serialize)]
pub(crate) struct Match {
    kind: &'static str,
}

impl Match {
    pub(crate) const fn new() -> Self {
        Self { kind: "match" }
    }
}

/// The pieces of a file were other ones.
#[derive(Serialize)]
pub(crate) struct Mismatch {
    kind: &'static str,
    reason: Reason,
    message: String,
}

impl Mismatch {
    pub(crate) fn of(reason: Reason) -> Self {
        Self { kind: "mismatch", message: reason.to_string(), reason }
    }
}
