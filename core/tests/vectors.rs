//! The shared vectors of `tests/vectors`, natively and as WebAssembly in Node and in a browser.
//!
//! `tests/vectors/README.md` says what a case is. Each answer below is what the crate says of one
//! case, as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Value, json};
use skillglass::digest::Digest;
use skillglass::entry::{self, Resources};
use skillglass::frontmatter::{self as front, Frontmatter, FrontmatterError, check_file_format};
use skillglass::name::{NameError, check_name};
use skillglass::source::LineIndex;
use skillglass::uri::SkillUri;
use skillglass::verify::{SkillVerdict, problem, verify_file};
use skillglass::{contents, json as json_text, yaml};

macro_rules! vectors {
    ($($kind:ident),*) => {
        $(
            #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
            #[test]
            fn $kind() {
                check(
                    include_str!(concat!("../../tests/vectors/", stringify!($kind), ".json")),
                    answer::$kind,
                );
            }
        )*
    };
}

vectors!(
    uri,
    reference,
    name,
    digest,
    json,
    yaml,
    frontmatter,
    compare,
    entry,
    contents,
    verify,
    skill
);

/// Asks for every case and reports all that are answered otherwise than expected.
fn check(vectors: &str, answer: fn(&Case) -> Value) {
    let vectors: Value = serde_json::from_str(vectors).expect("the vectors are JSON");
    let cases = vectors["cases"].as_array().expect("the vectors have cases");
    assert!(!cases.is_empty());
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let answered = answer(&Case(case));
            let (name, expected) = (&case["name"], &case["expect"]);
            (!agrees(expected, &answered))
                .then(|| format!("{name}\n  expected {expected}\n  answered {answered}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Whether `answered` has everything that `expected` names.
fn agrees(expected: &Value, answered: &Value) -> bool {
    match (expected, answered) {
        (Value::Object(expected), Value::Object(answered)) => expected
            .iter()
            .all(|(name, value)| answered.get(name).is_some_and(|other| agrees(value, other))),
        (Value::Array(expected), Value::Array(answered)) => {
            expected.len() == answered.len()
                && expected.iter().zip(answered).all(|(a, b)| agrees(a, b))
        }
        _ => expected == answered,
    }
}

/// The inputs of one case.
struct Case<'a>(&'a Value);

impl Case<'_> {
    fn text(&self, member: &str) -> String {
        let text = &self.0[member];
        let parts = text.as_array().map_or(std::slice::from_ref(text), Vec::as_slice);
        parts.iter().map(part).collect()
    }

    /// The bytes of `base64`, else of `text`.
    fn bytes(&self) -> Vec<u8> {
        match self.0["base64"].as_str() {
            Some(base64) => STANDARD.decode(base64).expect("the vectors hold base64"),
            None => self.text("text").into_bytes(),
        }
    }
}

/// A text, or one to be repeated.
fn part(part: &Value) -> String {
    match part.as_str() {
        Some(text) => text.to_owned(),
        None => {
            let times = part["times"].as_u64().expect("a repeated part has a count");
            let times = usize::try_from(times).expect("the count is small");
            part["repeat"].as_str().expect("a part has a text").repeat(times)
        }
    }
}

fn invalid(reason: impl Serialize) -> Value {
    json!({ "kind": "invalid", "reason": reason })
}

fn kinds<T: Serialize>(kinds: impl IntoIterator<Item = T>) -> Value {
    kinds.into_iter().map(|kind| json!({ "kind": kind })).collect()
}

mod answer {
    use super::*;

    pub(super) fn uri(case: &Case) -> Value {
        match SkillUri::parse(&case.text("text")) {
            Ok(uri) => json!({
                "kind": "ok",
                "scheme": uri.uri().scheme(),
                "root": uri.root(),
                "skillPath": uri.skill_path(),
                "prefix": uri.prefix(),
                "name": uri.name(),
                "notes": kinds(uri.uri().notes()),
            }),
            Err(error) => invalid(error),
        }
    }

    pub(super) fn reference(case: &Case) -> Value {
        let skill_uri = case.text("skillUri");
        let skill = SkillUri::parse(&skill_uri).expect("the vectors name a skill");
        let from_path = case.0["fromPath"].as_str().unwrap_or_default();
        json!(skill.resolve_from(from_path, &case.text("reference")))
    }

    pub(super) fn name(case: &Case) -> Value {
        let reason = match check_name(&case.text("text")) {
            Ok(()) => return json!({ "kind": "ok" }),
            Err(NameError::Character(character)) => {
                return json!({ "kind": "invalid", "reason": "character", "character": character });
            }
            Err(other) => other,
        };
        json!({ "kind": "invalid", "reason": reason, "character": null })
    }

    pub(super) fn digest(case: &Case) -> Value {
        if case.0["base64"].is_string() {
            return json!({ "kind": "ok", "digest": Digest::of(&case.bytes()) });
        }
        match case.text("text").parse::<Digest>() {
            Ok(digest) => json!({ "kind": "ok", "digest": digest }),
            Err(error) => invalid(error),
        }
    }

    pub(super) fn json(case: &Case) -> Value {
        match json_text::read(&case.text("text")) {
            Ok(document) => json!({
                "kind": "ok",
                "json": document.root.to_json(),
                "oddities": document.oddities.iter().map(|oddity| oddity.kind).collect::<Vec<_>>(),
            }),
            Err(error) => invalid(error.kind),
        }
    }

    pub(super) fn yaml(case: &Case) -> Value {
        match yaml::read(&case.text("text")) {
            Ok(document) => json!({
                "kind": "ok",
                "json": document.root.map(|root| root.to_json()),
                "notes": kinds(document.notes.iter().map(|note| note.kind)),
            }),
            Err(error) => invalid(error.kind),
        }
    }

    pub(super) fn frontmatter(case: &Case) -> Value {
        let bytes = case.bytes();
        let frontmatter = match Frontmatter::read(&bytes) {
            Ok(frontmatter) => frontmatter,
            Err(error) => return unreadable(&error, &bytes),
        };
        let text = String::from_utf8(bytes).expect("frontmatter was read");
        let lines = LineIndex::new(&text);
        let fields = frontmatter.root.as_object().expect("frontmatter has fields").iter();
        json!({
            "kind": "ok",
            "fields": fields.map(|field| json!({
                "name": field.name,
                "json": field.node.to_json(),
                "position": lines.position(field.node.span.start),
            })).collect::<Vec<_>>(),
            "yaml": frontmatter.yaml,
            "body": frontmatter.body,
            "notes": frontmatter.notes,
            "findings": check_file_format(&frontmatter.root, &lines),
        })
    }

    fn unreadable(error: &FrontmatterError, bytes: &[u8]) -> Value {
        json!({
            "kind": "invalid",
            "reason": error.kind,
            "position": problem(error, bytes).position,
            "readerLimit": error.kind.is_reader_limit(),
        })
    }

    pub(super) fn compare(case: &Case) -> Value {
        let skill_md = case.text("skillMd");
        let entry_json = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{},"resources":"dynamic"}}"#,
            case.text("frontmatter")
        );
        let entry = entry::read(&entry_json).entry.expect("the vectors hold a frontmatter object");
        let frontmatter = match Frontmatter::read(skill_md.as_bytes()) {
            Ok(frontmatter) => frontmatter,
            Err(error) => return unreadable(&error, skill_md.as_bytes()),
        };
        let comparison = front::compare(&frontmatter, &skill_md, &entry.frontmatter, &entry.source);
        json!({ "kind": "ok", "equal": comparison.is_equal(), "fields": comparison.fields })
    }

    pub(super) fn entry(case: &Case) -> Value {
        let reading = entry::read(&case.text("text"));
        let resources = reading.entry.as_ref().map(|entry| match &entry.resources {
            Resources::Manifest(manifest) => json!(manifest.files),
            Resources::Dynamic => json!("dynamic"),
        });
        json!({
            "uri": reading.uri,
            "name": reading.name,
            "description": reading.description,
            "loadable": reading.entry.is_some(),
            "resources": resources,
            "findings": reading.findings,
        })
    }

    pub(super) fn contents(case: &Case) -> Value {
        let result = case.text("result");
        let Ok(document) = json_text::read(&result) else {
            return invalid(json!({ "kind": "not-json" }));
        };
        match contents::read(&document, &document.root, &case.text("uri")) {
            Ok(file) => json!({
                "kind": "ok",
                "base64": contents::encode_base64(&file.bytes),
                "mimeType": file.mime_type,
                "member": file.member,
                "notes": file.notes,
            }),
            Err(error) => invalid(error),
        }
    }

    pub(super) fn verify(case: &Case) -> Value {
        let reading = entry::read(&case.text("entry"));
        let entry = reading.entry.expect("the vectors hold an entry");
        json!(verify_file(&entry, &case.text("uri"), &case.bytes()))
    }

    pub(super) fn skill(case: &Case) -> Value {
        let reading = entry::read(&case.text("entry"));
        let entry = reading.entry.as_ref().expect("the vectors hold an entry");
        let files = case.0["files"].as_array().expect("the vectors hold files").iter().map(Case);
        let verdicts = files.map(|file| verify_file(entry, &file.text("uri"), &file.bytes()));
        json!(SkillVerdict::of(entry, &reading.findings, verdicts))
    }
}
