//! What `skillglass` has: URIs, entries, frontmatter, contents, verdicts.

use js_sys::Uint8Array;
use skillglass::digest::Digest;
use skillglass::entry::{self, Reading, SkillEntry};
use skillglass::frontmatter::{Frontmatter, compare};
use skillglass::name::check_name as check;
use skillglass::uri::SkillUri;
use skillglass::verify::{
    self, Progress, SkillVerdict, Verdict, verify_by_digest, verify_file as verify,
    verify_file_with_digest,
};
use skillglass::{contents, json, review};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{
    ComparedFields, DigestText, EntryReading, FileVerdict, FrontmatterParts, FrontmatterProblem,
    Match, Mismatch, NameProblem, Problem, ResourceList, SkillUriParts, Sound, WholeSkill, encode,
    encode_contents, encode_result, nullable,
};
use crate::failure::failure;
use crate::{Answer, argument, platform};

/// Splits the URI of a `SKILL.md`.
#[wasm_bindgen(js_name = parseSkillUri)]
pub fn parse_skill_uri(text: &JsValue) -> Answer {
    let text = argument::text(text, "text")?;
    encode_result(SkillUri::parse(&text).map(SkillUriParts::of).map_err(Problem::uri))
}

/// Resolves a reference found in a skill's text.
#[wasm_bindgen(js_name = resolveReference)]
pub fn resolve_reference(skill_uri: &JsValue, reference: &JsValue, from_path: &JsValue) -> Answer {
    let skill_uri = argument::text(skill_uri, "skillUri")?;
    let reference = argument::text(reference, "reference")?;
    let from_path = argument::optional_text(from_path, "fromPath")?;
    let skill = SkillUri::parse(&skill_uri).map_err(|error| {
        failure("invalid-skill-uri", &format!("skillUri is not the URI of a SKILL.md: {error}"))
    })?;
    encode(&skill.resolve_from(&from_path, &reference))
}

/// Checks a skill name against the format's rules.
#[wasm_bindgen(js_name = checkName)]
pub fn check_name(name: &JsValue) -> Answer {
    let name = argument::text(name, "name")?;
    encode_result(check(&name).map(|()| Sound::new()).map_err(NameProblem::of))
}

/// Checks the spelling of a digest.
#[wasm_bindgen(js_name = checkDigest)]
pub fn check_digest(text: &JsValue) -> Answer {
    let digest = argument::text(text, "text")?.parse();
    encode_result(digest.map(DigestText::of).map_err(Problem::digest))
}

/// Lends a function that hashes bytes at once.
#[wasm_bindgen(js_name = hashWith)]
pub fn hash_with(sha256: &JsValue) -> Result<(), JsValue> {
    platform::lend(argument::function(sha256, "sha256")?);
    Ok(())
}

/// The digest of bytes in the extension's spelling.
#[wasm_bindgen]
pub fn sha256(bytes: &JsValue) -> Result<String, JsValue> {
    let bytes = argument::view(bytes, "bytes")?;
    let digest = match platform::digest(bytes)? {
        Some(digest) => digest,
        None => Digest::of(&argument::copy(bytes, "bytes")?),
    };
    Ok(digest.to_string())
}

/// Reads an entry of `skills/list` or `skills/get`.
#[wasm_bindgen(js_name = readEntry)]
pub fn read_entry(entry_json: &JsValue) -> Answer {
    let reading = entry::read(&argument::text(entry_json, "entryJson")?);
    encode(&EntryReading::of(&reading))
}

/// Reads the frontmatter of a `SKILL.md`.
#[wasm_bindgen(js_name = parseFrontmatter)]
pub fn parse_frontmatter(skill_md: &JsValue) -> Answer {
    let bytes = argument::file(skill_md, "skillMd")?;
    let parts = Frontmatter::read(&bytes).map(|frontmatter| {
        FrontmatterParts::of(&frontmatter, std::str::from_utf8(&bytes).unwrap_or_default())
    });
    encode_result(parts.map_err(|error| FrontmatterProblem::of(error, &bytes)))
}

/// Compares the frontmatter of a `SKILL.md` with its entry's.
#[wasm_bindgen(js_name = compareFrontmatter)]
pub fn compare_frontmatter(skill_md: &JsValue, entry_json: &JsValue) -> Answer {
    Entry::new(entry_json)?.compare_frontmatter(skill_md)
}

/// Finds the bytes of a file in the result of `resources/read`.
#[wasm_bindgen(js_name = readContents)]
pub fn read_contents(result_json: &JsValue, uri: &JsValue) -> Answer {
    let result_json = argument::text(result_json, "resultJson")?;
    let uri = argument::text(uri, "uri")?;
    let document = match json::read(&result_json) {
        Ok(document) => document,
        Err(error) => return encode(&Problem::json(error)),
    };
    match contents::read(&document, &document.root, &uri) {
        Ok(contents) => encode_contents(&contents),
        Err(error) => encode(&Problem::contents(error)),
    }
}

/// What a person should see in the text of a file.
#[wasm_bindgen(js_name = reviewText)]
pub fn review_text(text: &JsValue) -> Answer {
    encode(&review::review_text(&argument::text(text, "text")?))
}

/// Checks the bytes of one file against an entry.
#[wasm_bindgen(js_name = verifyFile)]
pub fn verify_file(
    entry_json: &JsValue,
    uri: &JsValue,
    bytes: &JsValue,
    platform_digest: &JsValue,
) -> Answer {
    Entry::new(entry_json)?.verify_file(uri, bytes, platform_digest)
}

/// Checks the bytes of a whole skill against its entry.
#[wasm_bindgen(js_name = verifySkill)]
pub fn verify_skill(entry_json: &JsValue, files: &JsValue) -> Answer {
    Entry::new(entry_json)?.verify_skill(files)
}

/// An entry that is read once and held while its skill is in use.
#[wasm_bindgen]
pub struct Entry {
    pub(crate) reading: Reading,
}

#[wasm_bindgen]
impl Entry {
    /// Reads the exact text of an entry. A malformed entry is held too, to show what is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(entry_json: &JsValue) -> Result<Self, JsValue> {
        Ok(Self { reading: entry::read(&argument::text(entry_json, "entryJson")?) })
    }

    /// The URI of its `SKILL.md`.
    #[wasm_bindgen(getter)]
    pub fn uri(&self) -> JsValue {
        nullable(self.reading.uri.as_deref())
    }

    /// The name in its frontmatter.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> JsValue {
        nullable(self.reading.name.as_deref())
    }

    /// The description in its frontmatter.
    #[wasm_bindgen(getter)]
    pub fn description(&self) -> JsValue {
        nullable(self.reading.description.as_deref())
    }

    /// Whether a host may load it.
    #[wasm_bindgen(getter)]
    pub fn loadable(&self) -> bool {
        self.reading.entry.is_some()
    }

    /// Its files, or `"dynamic"`.
    #[wasm_bindgen(getter)]
    pub fn resources(&self) -> Answer {
        encode(&ResourceList::of(&self.reading))
    }

    /// What is wrong or odd about it.
    #[wasm_bindgen(getter)]
    pub fn findings(&self) -> Answer {
        encode(&self.reading.findings)
    }

    /// Compares its frontmatter with that of a `SKILL.md`.
    #[wasm_bindgen(js_name = compareFrontmatter)]
    pub fn compare_frontmatter(&self, skill_md: &JsValue) -> Answer {
        let bytes = argument::file(skill_md, "skillMd")?;
        let entry = held(&self.reading)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let comparison = Frontmatter::read(&bytes)
            .map(|frontmatter| compare(&frontmatter, text, &entry.frontmatter, &entry.source))
            .map_err(|error| FrontmatterProblem::of(error, &bytes));
        encode_result(comparison.as_ref().map(ComparedFields::of))
    }

    /// Checks the bytes of one file.
    #[wasm_bindgen(js_name = verifyFile)]
    pub fn verify_file(&self, uri: &JsValue, bytes: &JsValue, platform_digest: &JsValue) -> Answer {
        let uri = argument::text(uri, "uri")?;
        let bytes = argument::view(bytes, "bytes")?;
        let digest = argument::platform_digest(platform_digest, "platformDigest")?;
        encode(&FileVerdict::of(&verdict(held(&self.reading)?, &uri, bytes, digest)?))
    }

    /// Checks the bytes of the whole skill.
    #[wasm_bindgen(js_name = verifySkill)]
    pub fn verify_skill(&self, files: &JsValue) -> Answer {
        let files = argument::members(files, "files")?;
        let entry = held(&self.reading)?;
        let verdicts: Vec<Verdict> = files
            .iter()
            .map(|(uri, bytes)| verdict(entry, uri, argument::view(bytes, "a file")?, None))
            .collect::<Result<_, JsValue>>()?;
        let skill = SkillVerdict::of(entry, &self.reading.findings, verdicts);
        encode(&WholeSkill::of(&skill))
    }
}

/// The verdict on a file. Its bytes are copied into this module only where they are looked at:
/// those that the platform has hashed and the manifest promises stay where they are.
fn verdict(
    entry: &SkillEntry,
    uri: &str,
    bytes: &Uint8Array,
    digest: Option<Digest>,
) -> Result<Verdict, JsValue> {
    let digest = match digest {
        None => platform::digest(bytes)?,
        digest => digest,
    };
    let decided =
        digest.and_then(|digest| verify_by_digest(entry, uri, bytes.length().into(), digest));
    if let Some(decided) = decided {
        return Ok(decided);
    }
    let bytes = argument::copy(bytes, "the file")?;
    Ok(match digest {
        Some(digest) => verify_file_with_digest(entry, uri, &bytes, digest),
        None => verify(entry, uri, &bytes),
    })
}

/// The entry, if a host may load it. Nothing can be checked against any other.
pub(crate) fn held(reading: &Reading) -> Result<&SkillEntry, JsValue> {
    reading.entry.as_ref().ok_or_else(|| {
        let why = reading.findings.first().map_or("", |finding| &finding.message);
        failure("entry-not-loadable", &format!("the entry must not be loaded: {why}"))
    })
}

/// Checks a file piece by piece.
#[wasm_bindgen]
pub struct FileVerifier {
    pieces: Option<verify::FileVerifier>,
}

#[wasm_bindgen]
impl FileVerifier {
    /// A check for a file of `size` bytes with this digest.
    #[wasm_bindgen(constructor)]
    pub fn new(size: &JsValue, digest: &JsValue) -> Result<Self, JsValue> {
        let size = argument::count(size, "size")?;
        let digest = argument::digest(digest, "digest")?;
        Ok(Self { pieces: Some(verify::FileVerifier::new(size, digest)) })
    }

    /// Takes the next piece; `false` once more came than was promised.
    pub fn update(&mut self, bytes: &JsValue) -> Result<bool, JsValue> {
        let bytes = argument::bytes(bytes, "bytes")?;
        let pieces = self.pieces.as_mut().ok_or_else(finished)?;
        Ok(pieces.update(&bytes) == Progress::More)
    }

    /// Whether the pieces were the promised file. Ends the check.
    pub fn finish(&mut self) -> Answer {
        let pieces = self.pieces.take().ok_or_else(finished)?;
        encode_result(pieces.finish().map(|()| Match::new()).map_err(Mismatch::of))
    }
}

fn finished() -> JsValue {
    failure("finished", "this check has ended; make a new FileVerifier for another file")
}
