//! Skill entries and their manifests, read from the exact text a server sent.
//!
//! Sources: the extension's *Skill Entries*, *Resources* and *Limits*.

pub mod diff;
pub mod nested;

use std::collections::HashMap;

use serde::Serialize;

use crate::digest::Digest;
use crate::finding::{Finding, Section, excerpt, quote};
use crate::frontmatter::check_entry_format;
use crate::json::{self, OddityKind};
use crate::name::check_name;
use crate::uri::{Outside, SkillUri, Uri, UriNote, canonical};
use crate::value::{Node, Value};

/// How many files a manifest may list: hosts must accept as many, servers should not list more
/// (*Limits*). Counted from the entry.
pub const MAX_FILES: usize = 512;

/// How many bytes a skill's files may have together: 16 MiB, as [`MAX_FILES`]. Counted as the sum
/// of `size`.
pub const MAX_TOTAL_SIZE: u64 = 16 * 1024 * 1024;

/// What one element of `skills`, or the `skill` of `skills/get`, turned out to be; see [`read`].
///
/// A malformed entry is still shown: whatever could be read of it is here, beside the findings
/// that say what is wrong. Only [`Reading::entry`] may be loaded.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The entry's exact JSON text.
    pub source: String,
    /// Its `uri`, if that is a string.
    pub uri: Option<String>,
    /// Its `frontmatter.name`, if that is a string.
    pub name: Option<String>,
    /// Its `frontmatter.description`, if that is a string.
    pub description: Option<String>,
    /// Everything that is wrong with it or odd about it: what readers treat differently, then
    /// `uri`, `frontmatter` and `resources`, with JSON pointers into the entry.
    pub findings: Vec<Finding>,
    /// The entry, if it can be held: a skill URI, a frontmatter object, and `resources` that is an
    /// array or `"dynamic"`. None where readers take different values of its text, since nobody
    /// knows then what was approved.
    ///
    /// An entry whose manifest breaks a MUST is held all the same, so that its sound lines can be
    /// looked at; [`Host`](crate::host::Host) does not load it, and
    /// [`SkillVerdict`](crate::verify::SkillVerdict) refuses it.
    pub entry: Option<SkillEntry>,
}

/// An entry that can be held while acting on a skill: the *retained entry*. [`read`] makes it.
#[derive(Clone, Debug)]
pub struct SkillEntry {
    /// The entry's exact JSON text; spans of `frontmatter` count from its start.
    pub source: String,
    /// The URI of its `SKILL.md`, exact.
    pub uri: String,
    /// Its copy of the frontmatter.
    pub frontmatter: Node<'static>,
    /// Its files.
    pub resources: Resources,
}

impl SkillEntry {
    /// The entry's URI, split.
    ///
    /// # Panics
    /// Where a caller has put something else into `uri`; [`read`] lets only skill URIs through.
    #[must_use]
    pub fn skill_uri(&self) -> SkillUri<'_> {
        SkillUri::parse(&self.uri).expect("read() accepts skill URIs only")
    }

    /// The manifest, unless the skill is dynamic.
    #[must_use]
    pub const fn manifest(&self) -> Option<&Manifest> {
        match &self.resources {
            Resources::Manifest(manifest) => Some(manifest),
            Resources::Dynamic => None,
        }
    }

    /// What people call a file of the skill: its path below the skill's root as the URI spells it,
    /// or the whole URI where it lies elsewhere.
    #[must_use]
    pub fn path_of<'u>(&self, uri: &'u str) -> &'u str {
        self.skill_uri().file_path(uri).unwrap_or(uri)
    }

    /// Whether two entries say the same, whatever the order of members and files.
    /// [`EntryDiff`](diff::EntryDiff) says what differs.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        self.uri == other.uri
            && self.frontmatter.same_content(&other.frontmatter)
            && self.resources.same_content(&other.resources)
    }
}

/// What an entry's `resources` says of its files.
#[derive(Clone, Debug)]
pub enum Resources {
    /// The complete file manifest.
    Manifest(Manifest),
    /// The content is generated; nothing pins its bytes.
    Dynamic,
}

impl Resources {
    fn same_content(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dynamic, Self::Dynamic) => true,
            (Self::Manifest(a), Self::Manifest(b)) => a.sorted() == b.sorted(),
            _ => false,
        }
    }
}

/// The files of a skill, in the order sent. A hostile one may list any number of them; how many a
/// host takes is for [`Limits`](crate::host::Limits).
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The first line for each URI. Lines without a URI, and further ones, are findings only.
    pub files: Vec<ManifestFile>,
    by_uri: HashMap<String, usize>,
}

/// One line of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestFile {
    /// The file's URI, exact.
    pub uri: String,
    /// Its digest; none where the line's is malformed.
    pub digest: Option<Digest>,
    /// Its size in bytes; none where the line's is malformed.
    pub size: Option<u64>,
    /// Whether the line may be used: inside the skill's directory, and no other line contradicts
    /// it.
    pub usable: bool,
}

impl ManifestFile {
    /// Whether the file may be read: it is inside the skill, and the line says what to expect.
    #[must_use]
    pub const fn is_readable(&self) -> bool {
        self.usable && self.digest.is_some() && self.size.is_some()
    }
}

impl Manifest {
    /// The line for `uri`, compared as text; none where no line has exactly this text.
    #[must_use]
    pub fn get(&self, uri: &str) -> Option<&ManifestFile> {
        self.by_uri.get(uri).and_then(|&index| self.files.get(index))
    }

    /// The sum of all sizes in bytes, saturating.
    #[must_use]
    pub fn total_size(&self) -> u64 {
        self.files.iter().filter_map(|file| file.size).fold(0, u64::saturating_add)
    }

    /// The first line, other than the one for `uri`, with this digest.
    pub(crate) fn other_with_digest(&self, uri: &str, digest: Digest) -> Option<&ManifestFile> {
        self.files.iter().find(|file| file.digest == Some(digest) && file.uri != uri)
    }

    fn sorted(&self) -> Vec<&ManifestFile> {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort();
        files
    }
}

/// Reads the exact text of one entry, an element of `skills` or the `skill` of `skills/get`.
///
/// The text has to be the one the server sent, since a value that went through another reader has
/// lost repeated members, `1.0`, large integers and half surrogate pairs. Never fails: what is
/// wrong is a finding. Cost: the length of the text.
///
/// ```
/// use skillglass::entry::read;
/// let sound = read(r#"{"uri":"skill://tidy/SKILL.md","resources":"dynamic",
///   "frontmatter":{"name":"tidy","description":"Tidies up."}}"#);
/// assert!(sound.entry.is_some() && sound.findings.is_empty());
///
/// let other_name = read(r#"{"uri":"skill://tidy-up/SKILL.md","resources":"dynamic",
///   "frontmatter":{"name":"tidy","description":"Tidies up."}}"#);
/// assert_eq!(other_name.findings[0].id, "entry-uri-matches-frontmatter-name");
///
/// let no_manifest = read(r#"{"uri":"skill://tidy/SKILL.md",
///   "frontmatter":{"name":"tidy","description":"Tidies up."}}"#);
/// assert!(no_manifest.entry.is_none());
/// assert_eq!(no_manifest.findings[0].id, "entry-resources-required");
/// assert_eq!(no_manifest.findings[0].pointer.as_deref(), Some("/resources"));
/// ```
#[must_use]
pub fn read(text: &str) -> Reading {
    let mut reader = Reader { source: text, findings: Vec::new(), skill: None };
    let mut reading = Reading {
        source: text.to_owned(),
        uri: None,
        name: None,
        description: None,
        findings: Vec::new(),
        entry: None,
    };
    let document = match json::read(text) {
        Ok(document) => document,
        Err(error) => {
            reader.must("entry-shape", Section::Entries, error.to_string());
            reading.findings = reader.findings;
            return reading;
        }
    };
    let ambiguous = reader.oddities(&document);
    if document.root.as_object().is_none() {
        let message = format!("the entry is {} instead of an object", document.root.kind());
        reader.must("entry-shape", Section::Entries, message);
        reading.findings = reader.findings;
        return reading;
    }
    let uri = reader.uri(&document.root);
    let frontmatter = reader.frontmatter(&document.root);
    let resources = reader.resources(&document.root);
    let string = |name: &str| Some(frontmatter?.get(name)?.as_str()?.to_owned());
    reading.uri = document.root.get("uri").and_then(Node::as_str).map(str::to_owned);
    reading.name = string("name");
    reading.description = string("description");
    if let (false, Some(uri), Some(frontmatter), Some(resources)) =
        (ambiguous, uri, frontmatter, resources)
    {
        reading.entry = Some(SkillEntry {
            source: text.to_owned(),
            uri,
            frontmatter: frontmatter.clone().into_owned(),
            resources,
        });
    }
    reading.findings = reader.findings;
    reading
}

struct Reader<'n> {
    source: &'n str,
    findings: Vec<Finding>,
    /// The entry's URI, once known to be a skill's.
    skill: Option<SkillUri<'n>>,
}

impl<'n> Reader<'n> {
    /// Whether readers take different values of the text.
    fn oddities(&mut self, document: &json::Document<'_>) -> bool {
        for oddity in &document.oddities {
            let at = excerpt(oddity.span.of(self.source), 80);
            let (id, message) = match oddity.kind {
                OddityKind::DuplicateMember => (
                    "entry-duplicate-member",
                    format!("the member {at} occurs twice in one object"),
                ),
                OddityKind::LoneSurrogate => (
                    "entry-not-unicode",
                    format!("the escape {at} is half a surrogate pair, which is no text"),
                ),
                OddityKind::ByteOrderMark => continue,
            };
            self.findings.push(
                Finding::must(id, Section::Entries, message)
                    .cause("readers keep different values of such text"),
            );
        }
        document.oddities.iter().any(|oddity| oddity.kind != OddityKind::ByteOrderMark)
    }

    /// The URI, if a host may load from it.
    fn uri(&mut self, entry: &'n Node<'_>) -> Option<String> {
        let Some(node) = entry.get("uri") else {
            self.must_at("entry-uri-required", "/uri", "the entry has no uri");
            return None;
        };
        let Some(text) = node.as_str() else {
            let message = format!("uri is {} instead of a string", node.kind());
            self.must_at("entry-uri-required", "/uri", message);
            return None;
        };
        if text.is_empty() {
            self.must_at("entry-uri-required", "/uri", "uri is empty");
            return None;
        }
        match SkillUri::parse(text) {
            Ok(uri) => {
                self.uri_notes(uri);
                self.name_in_uri(uri, entry);
                self.skill = Some(uri);
                Some(text.to_owned())
            }
            Err(error) => {
                let message = format!("{} is not the URI of a SKILL.md: {error}", quote(text));
                let mut finding =
                    Finding::must("entry-uri-form", Section::ResourceMapping, message)
                        .pointer("/uri");
                if let Some(draft) = draft_of(text) {
                    finding = finding.cause(draft);
                }
                self.findings.push(finding);
                None
            }
        }
    }

    fn uri_notes(&mut self, uri: SkillUri<'_>) {
        for note in uri.uri().notes() {
            let id = match note {
                UriNote::OtherScheme => "skill-uri-scheme",
                UriNote::NotRegName => "authority-reg-name",
                UriNote::RawCharacter | UriNote::EncodedSeparator => "uri-prefix-segments",
                UriNote::SchemeCase => "uri-scheme-case",
            };
            let text = uri.uri().as_str();
            let message = format!("{}: {note}", quote(text));
            let mut finding =
                Finding::should(id, Section::ResourceMapping, message).pointer("/uri");
            if let Some(draft) = draft_of(text) {
                finding = finding.cause(draft);
            }
            self.findings.push(finding);
        }
    }

    fn name_in_uri(&mut self, uri: SkillUri<'_>, entry: &Node<'_>) {
        if let Err(error) = check_name(uri.name()) {
            let message = format!("the URI's name {} breaks the rules: {error}", quote(uri.name()));
            let finding = Finding::must("name-naming-rules", Section::ResourceMapping, message);
            self.findings.push(finding.pointer("/uri"));
        }
        let name =
            entry.get("frontmatter").and_then(|node| node.get("name")).and_then(Node::as_str);
        if let Some(name) = name.filter(|name| *name != uri.name()) {
            let message = "the last segment of the skill path is not the frontmatter's name";
            self.findings.push(
                Finding::must(
                    "entry-uri-matches-frontmatter-name",
                    Section::ResourceMapping,
                    message,
                )
                .pointer("/uri")
                .sides(excerpt(name, 80), excerpt(uri.name(), 80))
                .repair("give the directory, the URI and the frontmatter one name"),
            );
        }
    }

    fn frontmatter<'a>(&mut self, entry: &'n Node<'a>) -> Option<&'n Node<'a>> {
        const ID: &str = "entry-frontmatter-required";
        let Some(node) = entry.get("frontmatter") else {
            let old_shape = entry.get("name").is_some() || entry.get("description").is_some();
            let message = "the entry has no frontmatter";
            let mut finding = Finding::must(ID, Section::Entries, message)
                .pointer("/frontmatter")
                .repair("send every field of the file's frontmatter as one object");
            if old_shape {
                finding = finding
                    .cause("name and description stand in the entry itself, as in an early draft");
            }
            self.findings.push(finding);
            return None;
        };
        if node.as_object().is_none() {
            let message = format!("frontmatter is {} instead of an object", node.kind());
            self.must_at(ID, "/frontmatter", message);
            return None;
        }
        self.findings.extend(check_entry_format(node));
        Some(node)
    }

    fn resources(&mut self, entry: &Node<'_>) -> Option<Resources> {
        const ID: &str = "entry-resources-required";
        let node = entry.get("resources");
        match node.map(|node| &node.value) {
            Some(Value::Array(lines)) => Some(Resources::Manifest(self.manifest(lines))),
            Some(Value::String(word)) if word == "dynamic" => Some(Resources::Dynamic),
            Some(Value::String(word)) if word.trim().eq_ignore_ascii_case("dynamic") => {
                let message = format!("resources is {}; the word is \"dynamic\"", quote(word));
                self.must_at(ID, "/resources", message);
                None
            }
            other => {
                let is = match other {
                    None => "is missing".to_owned(),
                    Some(_) => format!("is {}", node.map_or("", Node::kind)),
                };
                let message =
                    format!("resources {is}; it must be an array of files or \"dynamic\"");
                self.findings.push(
                    Finding::must(ID, Section::Resources, message)
                        .pointer("/resources")
                        .repair("list every file of the skill with uri, digest and size"),
                );
                None
            }
        }
    }

    fn manifest(&mut self, lines: &[Node<'_>]) -> Manifest {
        let mut manifest = Manifest { files: Vec::new(), by_uri: HashMap::new() };
        let mut spellings: HashMap<String, usize> = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            let pointer = format!("/resources/{index}");
            let Some(file) = self.line(line, &pointer) else { continue };
            match manifest.by_uri.get(&file.uri) {
                Some(&first) => self.duplicate(&mut manifest.files, first, &file, &pointer),
                None => {
                    if let Some(first) =
                        spellings.insert(canonical(&file.uri), manifest.files.len())
                    {
                        self.alias(&manifest.files[first], &file, &pointer);
                    }
                    manifest.by_uri.insert(file.uri.clone(), manifest.files.len());
                    manifest.files.push(file);
                }
            }
        }
        self.completeness(&manifest);
        self.limits(lines.len(), &manifest);
        manifest
    }

    fn line(&mut self, line: &Node<'_>, pointer: &str) -> Option<ManifestFile> {
        let Some(uri) = line.get("uri").and_then(Node::as_str) else {
            let message = "a line of the manifest has no uri";
            self.must_at("resources-uri-within-skill", pointer, message);
            return None;
        };
        let usable = self.inside(uri, pointer);
        Some(ManifestFile {
            uri: uri.to_owned(),
            digest: self.digest(line, uri, pointer),
            size: self.size(line, uri, pointer),
            usable,
        })
    }

    fn inside(&mut self, uri: &str, pointer: &str) -> bool {
        let Some(skill) = self.skill else { return false };
        let pointer = format!("{pointer}/uri");
        match skill.file_path(uri) {
            Ok(_) => {
                let notes = Uri::parse(uri).map(|uri| uri.notes()).unwrap_or_default();
                if notes.contains(&UriNote::EncodedSeparator) {
                    let message = format!("{}: {}", quote(uri), UriNote::EncodedSeparator);
                    self.findings.push(
                        Finding::should("manifest-uri-canonical", Section::Resources, message)
                            .pointer(pointer),
                    );
                }
                true
            }
            Err(Outside::Elsewhere) => {
                let message = format!("{} lies outside of the skill's directory", quote(uri));
                self.must_at("resources-uri-within-skill", &pointer, message);
                false
            }
            Err(Outside::Malformed(error)) => {
                let message = format!("{} cannot name a file: {error}", quote(uri));
                self.must_at("manifest-uri-canonical", &pointer, message);
                false
            }
        }
    }

    fn digest(&mut self, line: &Node<'_>, uri: &str, pointer: &str) -> Option<Digest> {
        let file = last_segments(uri);
        let message = match line.get("digest").map(|node| (node, node.as_str())) {
            None => format!("{file} has no digest"),
            Some((node, None)) => format!("the digest of {file} is {}", node.kind()),
            Some((_, Some(text))) => match text.parse() {
                Ok(digest) => return Some(digest),
                Err(error) => format!("the digest of {file} is malformed: {error}"),
            },
        };
        let found =
            line.get("digest").map_or_else(String::new, |node| excerpt(&node.to_json(), 120));
        self.findings.push(
            Finding::must("resources-digest-format", Section::Resources, message)
                .pointer(format!("{pointer}/digest"))
                .actual(found)
                .repair(
                    "write \"sha256:\" and the 64 lowercase hexadecimal digits of the bytes served",
                ),
        );
        None
    }

    fn size(&mut self, line: &Node<'_>, uri: &str, pointer: &str) -> Option<u64> {
        let node = line.get("size");
        if let Some(size) = node.and_then(Node::as_count) {
            return Some(size);
        }
        let file = last_segments(uri);
        let message = match node.map(|node| &node.value) {
            None => format!("{file} has no size"),
            Some(Value::Number(number)) => format!(
                "the size of {file} is {}; it must be a whole number of bytes up to 2^53 - 1",
                excerpt(number.text(), 40)
            ),
            Some(_) => {
                format!("the size of {file} is {} instead of a number", node.map_or("", Node::kind))
            }
        };
        let mut finding = Finding::must("resources-size-required", Section::Resources, message)
            .pointer(format!("{pointer}/size"))
            .repair("send the length of the file in bytes");
        if node.is_none() && line.get("digest").is_some() {
            finding = finding.cause("an early draft had digests without sizes");
        }
        self.findings.push(finding);
        None
    }

    fn duplicate(
        &mut self,
        files: &mut [ManifestFile],
        first: usize,
        second: &ManifestFile,
        pointer: &str,
    ) {
        let contradicts = files[first].digest != second.digest || files[first].size != second.size;
        files[first].usable &= !contradicts;
        let message = format!(
            "{} is listed twice{}",
            quote(&second.uri),
            if contradicts { ", with different content" } else { "" }
        );
        self.must_at("resources-complete", &format!("{pointer}/uri"), message);
    }

    fn alias(&mut self, first: &ManifestFile, second: &ManifestFile, pointer: &str) {
        let (first, second) = (quote(&first.uri), quote(&second.uri));
        let message = format!("{first} and {second} are one file in two percent-encodings");
        self.must_at("manifest-uri-canonical", &format!("{pointer}/uri"), message);
    }

    fn completeness(&mut self, manifest: &Manifest) {
        let Some(skill) = self.skill else { return };
        if manifest.get(skill.uri().as_str()).is_none() {
            self.findings.push(
                Finding::must("resources-complete", Section::Resources, "SKILL.md is not listed")
                    .pointer("/resources")
                    .repair("list the skill's own SKILL.md with its digest and size"),
            );
        }
    }

    fn limits(&mut self, lines: usize, manifest: &Manifest) {
        if lines > MAX_FILES {
            let message = format!(
                "the manifest lists {lines} files; hosts need not accept more than {MAX_FILES}"
            );
            let id = "limit-resources-per-skill";
            self.findings.push(Finding::should(id, Section::Limits, message).pointer("/resources"));
        }
        let total = manifest.total_size();
        if total > MAX_TOTAL_SIZE {
            let message = format!(
                "the files have {total} bytes together; hosts need not accept more than {MAX_TOTAL_SIZE}"
            );
            let id = "limit-total-size";
            self.findings.push(Finding::should(id, Section::Limits, message).pointer("/resources"));
        }
    }

    fn must(&mut self, id: &'static str, section: Section, message: impl Into<String>) {
        self.findings.push(Finding::must(id, section, message));
    }

    fn must_at(&mut self, id: &'static str, pointer: &str, message: impl Into<String>) {
        let section =
            if pointer.starts_with("/resources") { Section::Resources } else { Section::Entries };
        self.findings.push(Finding::must(id, section, message).pointer(pointer));
    }
}

/// The early draft that a URI comes from, if it is one of a draft's.
fn draft_of(uri: &str) -> Option<&'static str> {
    if uri.ends_with("index.json") {
        return Some("the server follows an early draft that listed skills in skill://index.json");
    }
    let template = uri.contains('{') && uri.contains('}');
    template.then_some("this is a URI template, by which an early draft told of skills")
}

/// The part of a URI that people recognise, for sentences.
fn last_segments(uri: &str) -> String {
    let mut segments: Vec<_> = uri.rsplit('/').take(2).collect();
    segments.reverse();
    quote(&segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn entry(resources: &str) -> Reading {
        read(&format!(
            r#"{{"uri":"skill://x/a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":{resources}}}"#
        ))
    }

    fn line(path: &str) -> String {
        format!(r#"{{"uri":"skill://x/a/{path}","digest":"{DIGEST}","size":0}}"#)
    }

    fn ids(reading: &Reading) -> Vec<&'static str> {
        reading.findings.iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn a_sound_entry_is_held() {
        let reading = entry(&format!("[{},{}]", line("SKILL.md"), line("r/b.md")));
        assert_eq!(ids(&reading), Vec::<&str>::new());
        let entry = reading.entry.unwrap();
        assert_eq!(entry.manifest().unwrap().get("skill://x/a/r/b.md").unwrap().size, Some(0));
        assert_eq!(entry.skill_uri().prefix(), "x");
    }

    #[test]
    fn resources_is_an_array_or_the_word() {
        for bad in ["null", "{}", "\"Dynamic\"", "\"x\"", "5"] {
            let reading = entry(bad);
            assert_eq!(ids(&reading), ["entry-resources-required"], "{bad}");
            assert!(reading.entry.is_none());
        }
        assert!(entry("\"dynamic\"").entry.is_some());
        assert_eq!(ids(&entry("[]")), ["resources-complete"]);
    }

    #[test]
    fn malformed_lines_are_kept_apart() {
        let with = |line_two: &str| entry(&format!("[{},{line_two}]", line("SKILL.md")));
        let reading = with(r#"{"uri":"skill://x/a/b","digest":"SHA256:00","size":"1"}"#);
        assert_eq!(ids(&reading), ["resources-digest-format", "resources-size-required"]);
        let entry = reading.entry.unwrap();
        assert_eq!(entry.manifest().unwrap().files[1].digest, None);
        assert_eq!(ids(&with(&line("../b"))), ["manifest-uri-canonical"]);
        assert_eq!(ids(&with(&line("../b").replace("a/../", ""))), ["resources-uri-within-skill"]);
        assert_eq!(ids(&with("5")), ["resources-uri-within-skill"]);
        assert_eq!(ids(&with(&line("SKILL.md"))), ["resources-complete"]);
        assert_eq!(ids(&with(&line("SKILL%2emd"))), ["manifest-uri-canonical"]);
        for size in ["1.5", "-1", "null", "9007199254740992", "1e300"] {
            let bad = line("b").replace(":0}", &format!(":{size}}}"));
            assert_eq!(ids(&with(&bad)), ["resources-size-required"], "{size}");
        }
    }

    #[test]
    fn contradicting_lines_are_unusable() {
        let other = line("b").replace(":0}", ":1}");
        let reading = entry(&format!("[{},{},{other}]", line("SKILL.md"), line("b")));
        let entry = reading.entry.unwrap();
        assert!(!entry.manifest().unwrap().get("skill://x/a/b").unwrap().usable);
    }

    #[test]
    fn limits_are_inclusive() {
        let many = |count: usize| {
            let lines: Vec<_> = (1..count).map(|index| line(&format!("f{index}"))).collect();
            entry(&format!("[{},{}]", line("SKILL.md"), lines.join(",")))
        };
        assert_eq!(ids(&many(512)), Vec::<&str>::new());
        assert_eq!(ids(&many(513)), ["limit-resources-per-skill"]);
        let sized = |size: u64| {
            let big = line("b").replace(":0}", &format!(":{size}}}"));
            ids(&entry(&format!("[{},{big}]", line("SKILL.md"))))
        };
        assert_eq!(sized(16_777_216), Vec::<&str>::new());
        assert_eq!(sized(16_777_217), ["limit-total-size"]);
    }

    #[test]
    fn oddities_and_old_shapes_are_named() {
        assert_eq!(ids(&read("[]")), ["entry-shape"]);
        assert_eq!(ids(&read("{")), ["entry-shape"]);
        let old = read(r#"{"name":"a","description":"b","uri":"skill://a/SKILL.md"}"#);
        assert!(old.findings.iter().any(|finding| finding.cause.is_some()));
        for draft in ["skill://index.json", "skill://docs/{product}/SKILL.md"] {
            let reading = read(&format!(r#"{{"uri":"{draft}"}}"#));
            let about_uri = |finding: &&Finding| finding.pointer.as_deref() == Some("/uri");
            assert!(reading.findings.iter().find(about_uri).unwrap().cause.is_some(), "{draft}");
        }
        let unsized_line = entry(&format!("[{}]", line("SKILL.md").replace(",\"size\":0", "")));
        assert!(unsized_line.findings[0].cause.is_some());
        let twice = read(
            r#"{"uri":"skill://a/SKILL.md","uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}"#,
        );
        assert_eq!(ids(&twice), ["entry-duplicate-member"]);
        assert!(twice.entry.is_none());
        let other_name = read(
            r#"{"uri":"file://b/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}"#,
        );
        assert_eq!(ids(&other_name), ["skill-uri-scheme", "entry-uri-matches-frontmatter-name"]);
        assert_eq!(other_name.findings[0].level, Level::Should);
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        let one = entry(&format!("[{},{}]", line("SKILL.md"), line("b"))).entry.unwrap();
        let two = entry(&format!("[{},{}]", line("b"), line("SKILL.md"))).entry.unwrap();
        assert!(one.same_content(&two));
        let three = entry(&format!("[{}]", line("SKILL.md"))).entry.unwrap();
        assert!(!one.same_content(&three));
    }
}
