//! Reads an entry from its text, rule by rule; each broken one becomes a finding.

use std::collections::HashMap;

use super::{
    MAX_FILES, MAX_SAME_FINDINGS, MAX_TOTAL_SIZE, Manifest, ManifestFile, Reading, Resources,
    SkillEntry,
};
use crate::digest::Digest;
use crate::finding::{Bounded, Finding, Section, excerpt, quote};
use crate::frontmatter::check_entry_format;
use crate::json::{self, Document, OddityKind};
use crate::name::check_name;
use crate::uri::{Outside, SkillUri, Uri, UriNote, canonical};
use crate::value::{Node, Value};

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
    match json::read(text) {
        Ok(document) => read_document(text, &document),
        Err(error) => Reading {
            source: text.to_owned(),
            findings: vec![Finding::must("entry-shape", Section::Entries, error.to_string())],
            ..Reading::default()
        },
    }
}

fn read_document(text: &str, document: &Document<'_>) -> Reading {
    let root = &document.root;
    let findings = Bounded::new(MAX_SAME_FINDINGS);
    let mut reader = Reader { source: text, findings, skill: None };
    let ambiguous = reader.oddities(document);
    let (uri, frontmatter, resources) = if root.as_object().is_some() {
        (reader.uri(root), reader.frontmatter(root), reader.resources(root))
    } else {
        let message = format!("the entry is {} instead of an object", root.kind());
        reader.findings.push(Finding::must("entry-shape", Section::Entries, message));
        (None, None, None)
    };
    let field = |name: &str| Some(frontmatter?.get(name)?.as_str()?.to_owned());
    let (name, description) = (field("name"), field("description"));
    let entry = match (uri, frontmatter, resources) {
        (Some(uri), Some(frontmatter), Some(resources)) if !ambiguous => Some(SkillEntry {
            source: text.to_owned(),
            uri,
            frontmatter: frontmatter.clone().into_owned(),
            resources,
        }),
        _ => None,
    };
    let uri = root.get("uri").and_then(Node::as_str).map(str::to_owned);
    let findings = reader.findings.into_vec();
    Reading { source: text.to_owned(), uri, name, description, findings, entry }
}

struct Reader<'n> {
    source: &'n str,
    findings: Bounded,
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
            Err(Outside::Malformed(error)) if !begins_with(uri, skill.root()) => {
                let message = format!("{} is no URI in the skill's directory: {error}", quote(uri));
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

/// Whether a text begins like the URIs in a directory.
fn begins_with(uri: &str, directory: &str) -> bool {
    uri.strip_prefix(directory).is_some_and(|below| below.starts_with('/'))
}

/// The part of a URI that people recognise, for sentences.
fn last_segments(uri: &str) -> String {
    let slash = uri.rmatch_indices('/').nth(1);
    quote(slash.map_or(uri, |(at, _)| &uri[at + 1..]))
}
