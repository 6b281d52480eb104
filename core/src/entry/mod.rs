//! Skill entries and their manifests, read from the exact text a server sent.
//!
//! Sources: the extension's *Skill Entries*, *Resources* and *Limits*.

pub mod diff;
pub mod nested;
mod reader;

use std::collections::{BinaryHeap, HashMap};

use serde::Serialize;

pub use reader::read;

use crate::digest::Digest;
use crate::finding::Finding;
use crate::uri::SkillUri;
use crate::value::Node;

/// How many files a manifest may list: hosts must accept as many, servers should not list more
/// (*Limits*). Counted from the entry.
pub const MAX_FILES: usize = 512;

/// How many bytes a skill's files may have together: 16 MiB, as [`MAX_FILES`]. Counted as the sum
/// of `size`.
pub const MAX_TOTAL_SIZE: u64 = 16 * 1024 * 1024;

/// How many findings of one kind a [`Reading`] has; the last one says where there are more. Every
/// line of a manifest within the limits can have its own.
pub const MAX_SAME_FINDINGS: usize = MAX_FILES;

/// What one element of `skills`, or the `skill` of `skills/get`, turned out to be; see [`read`].
///
/// A malformed entry is still shown: whatever could be read of it is here, beside the findings
/// that say what is wrong. Only [`Reading::entry`] may be loaded.
#[derive(Clone, Debug, Default)]
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
    /// `uri`, `frontmatter` and `resources`, with JSON pointers into the entry. At most
    /// [`MAX_SAME_FINDINGS`] of a kind.
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

    /// The lines in one order, whatever the server's was. A heap sorts with a third of the code, which
    /// pages and packages download.
    fn sorted(&self) -> Vec<&ManifestFile> {
        BinaryHeap::from_iter(&self.files).into_sorted_vec()
    }
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
        let two = |one: &str, other: &str| ids(&with(&format!("{},{}", line(one), line(other))));
        assert_eq!(two("b c", "b%20c"), ["manifest-uri-canonical"]);
        assert_eq!(two("bc", "b%63"), ["manifest-uri-canonical"]);
        assert_eq!(two("b c", "b%20d"), [""; 0]);
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
    fn findings_do_not_grow_with_the_text() {
        let lines = vec!["{}"; 100_000].join(",");
        let reading = entry(&format!("[{lines},{}]", line("../../x")));
        let nameless = |finding: &&Finding| {
            finding.id == "resources-uri-within-skill" && finding.cause.is_none()
        };
        assert_eq!(reading.findings.iter().filter(nameless).count(), MAX_SAME_FINDINGS);
        assert!(reading.findings.len() < MAX_SAME_FINDINGS + 10);
        assert!(ids(&reading).contains(&"resources-complete"));
        let fields: Vec<_> = (0..10_000).map(|field| format!(r#""f{field}":1"#)).collect();
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","resources":"dynamic","frontmatter":{{{}}}}}"#,
            fields.join(",")
        );
        assert!(read(&text).findings.len() < MAX_SAME_FINDINGS + 10);
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
