//! The one place that says *verified*.
//!
//! A file is verified when the entry lists it, its length and its SHA-256 are those of its line,
//! and, for `SKILL.md`, its frontmatter equals the entry's field by field. Anything else is
//! refused with a reason and, where recomputing proves one, a cause.
//!
//! Sources: the extension's *Integrity and Verification* and *Frontmatter Verification*. Any
//! discrepancy forbids the use of the content; a wrong size is one as much as a wrong digest.

mod cause;
pub mod evidence;
mod skill;
mod stream;

use std::fmt;

use serde::Serialize;

pub use cause::Cause;
pub(crate) use skill::breaks_manifest;
pub use skill::{FileRow, SkillVerdict, Summary};
pub use stream::{FileVerifier, Progress};

use crate::contents::ContentError;
use crate::digest::Digest;
use crate::entry::{ManifestFile, SkillEntry};
use crate::finding::quote;
use crate::frontmatter::{Comparison, Frontmatter, FrontmatterError, compare};
use crate::source::{LineIndex, Position};

/// What a check of a file's bytes came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// The bytes are the ones the entry promises.
    Verified(Verified),
    /// The skill is dynamic: nothing pins its bytes. For `SKILL.md` the frontmatter was compared
    /// and is equal.
    Unpinned(Unpinned),
    /// The content must not be used.
    Refused(Refusal),
    /// This reader could not judge; nothing is proved either way, and the content must not be
    /// used.
    Untested(Untested),
}

impl Verdict {
    /// Whether a host may use the content. Verified content is untrusted input all the same.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Verified(_) | Self::Unpinned(_))
    }

    /// The URI of the file it is about.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Verified(verified) => &verified.uri,
            Self::Unpinned(unpinned) => &unpinned.uri,
            Self::Refused(refusal) => &refusal.uri,
            Self::Untested(untested) => &untested.uri,
        }
    }
}

/// Proof that bytes were checked. Only this module makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    uri: String,
    digest: Digest,
    size: u64,
}

impl Verified {
    /// The file's URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The digest that was promised and found.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The size that was promised and found, in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }
}

/// A file of a dynamic skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unpinned {
    /// The file's URI.
    pub uri: String,
    /// The digest of what came this time; next time it may be another.
    pub digest: Digest,
    /// The size of what came this time, in bytes.
    pub size: u64,
}

/// A file that must not be used. As text: the reason, in one clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The file's URI.
    pub uri: String,
    /// Why.
    pub reason: Reason,
    /// The manifest's line; none where it has none, and for a dynamic skill.
    pub expected: Option<ManifestFile>,
    /// The digest of what came; none where no bytes came.
    pub digest: Option<Digest>,
    /// The size of what came, in bytes; none where no bytes came.
    pub size: Option<u64>,
    /// What went wrong on the server, where recomputing proves it.
    pub cause: Option<Cause>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The held manifest does not list it.
    NotListed,
    /// The manifest's line is malformed, outside of the skill, or contradicted by another.
    UnusableLine,
    /// Its length is not the one promised.
    Size,
    /// Its length is right, its SHA-256 is not.
    Digest,
    /// Its frontmatter cannot be read.
    Frontmatter(FrontmatterProblem),
    /// Its frontmatter differs from the entry's.
    FrontmatterDiffers(Comparison),
    /// The reply holds no bytes for it.
    Contents(ContentError),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed => f.write_str("the manifest does not list this file"),
            Self::UnusableLine => f.write_str("the manifest's line for this file cannot be used"),
            Self::Size => f.write_str("the size is not the one the manifest promises"),
            Self::Digest => f.write_str("the SHA-256 is not the one the manifest promises"),
            Self::Frontmatter(problem) => {
                write!(f, "the frontmatter cannot be read: {}", problem.message)
            }
            Self::FrontmatterDiffers(comparison) => {
                let names: Vec<_> =
                    comparison.differing().map(|field| quote(&field.name)).collect();
                write!(f, "the frontmatter differs from the entry in {}", names.join(", "))
            }
            Self::Contents(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Reason {}

/// Why a frontmatter cannot be read, with its place; see [`problem`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrontmatterProblem {
    /// What is wrong.
    pub message: String,
    /// Where; none if the bytes are no text.
    pub position: Option<Position>,
    /// What to change, in words for the author of the file.
    pub repair: Option<&'static str>,
}

/// A file that this reader could not judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Untested {
    /// The file's URI.
    pub uri: String,
    /// What stopped the reader.
    pub problem: FrontmatterProblem,
}

/// Checks the bytes of the file `uri` against the entry that is held.
///
/// `uri` is the one that was asked for, compared with the manifest as text. Bytes have to be those
/// that came, undecoded; [`contents::read`](crate::contents::read) takes them from a reply. The
/// host's limits are not checked here. Cost: one SHA-256, for `SKILL.md` one reading of its
/// frontmatter, and up to a dozen more SHA-256 where the bytes are wrong.
///
/// ```
/// use skillglass::{digest::Digest, entry, verify::{Cause, Reason, Verdict, verify_file}};
/// let file = b"---\nname: tidy\ndescription: Tidies up.\n---\n";
/// let text = format!(r#"{{"uri":"skill://tidy/SKILL.md",
///   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
///   "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{}","size":{}}}]}}"#,
///   Digest::of(file), file.len());
/// let entry = entry::read(&text).entry.unwrap();
/// let verdict = verify_file(&entry, "skill://tidy/SKILL.md", file);
/// assert!(matches!(verdict, Verdict::Verified(_)));
///
/// let cut = file.strip_suffix(b"\n").unwrap();
/// let Verdict::Refused(refusal) = verify_file(&entry, "skill://tidy/SKILL.md", cut) else { panic!() };
/// assert_eq!((refusal.reason, refusal.cause), (Reason::Size, Some(Cause::FinalNewlineLost)));
/// ```
#[must_use]
pub fn verify_file(entry: &SkillEntry, uri: &str, bytes: &[u8]) -> Verdict {
    verify_file_with_digest(entry, uri, bytes, Digest::of(bytes))
}

/// As [`verify_file`], with a SHA-256 of `bytes` that the caller's platform computed.
///
/// The caller vouches for `digest`; a wrong one makes the verdict worthless.
///
/// ```
/// use skillglass::{digest::Digest, entry};
/// use skillglass::verify::{Verdict, verify_file_with_digest};
/// # let platform_sha256 = |bytes: &[u8]| {
/// #     let hex = Digest::of(bytes).hex();
/// #     std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap())
/// # };
/// # let entry = entry::read(&format!(r#"{{"uri":"skill://tidy/SKILL.md",
/// #   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
/// #   "resources":[{{"uri":"skill://tidy/a.csv","digest":"{}","size":4}}]}}"#,
/// #   Digest::of(b"a,b\n"))).entry.unwrap();
/// let check = |bytes: &[u8]| {
///     let digest = Digest::from_bytes(platform_sha256(bytes));
///     verify_file_with_digest(&entry, "skill://tidy/a.csv", bytes, digest)
/// };
/// assert!(matches!(check(b"a,b\n"), Verdict::Verified(_)));
/// assert!(matches!(check(b"a;b\n"), Verdict::Refused(_)));
/// ```
#[must_use]
pub fn verify_file_with_digest(
    entry: &SkillEntry,
    uri: &str,
    bytes: &[u8],
    digest: Digest,
) -> Verdict {
    let mut verdict = by_size_and_digest(entry, uri, bytes.len() as u64, digest);
    match &mut verdict {
        Verdict::Refused(refusal) => refusal.find_cause(entry, bytes),
        _ if uri == entry.uri => return frontmatter_verdict(entry, bytes, digest, verdict),
        _ => {}
    }
    verdict
}

/// The verdict on a file of which only the size and the SHA-256 are at hand, where they decide.
/// None where the bytes are needed: for the frontmatter of `SKILL.md`, and for the cause of a
/// mismatch.
///
/// The caller vouches for both; wrong ones make the verdict worthless.
///
/// ```
/// use skillglass::{digest::Digest, entry, verify::{Verdict, verify_by_digest}};
/// let digest = Digest::of(b"a,b\n");
/// let text = format!(r#"{{"uri":"skill://tidy/SKILL.md",
///   "frontmatter":{{"name":"tidy","description":"Tidies up."}},
///   "resources":[{{"uri":"skill://tidy/a.csv","digest":"{digest}","size":4}}]}}"#);
/// let entry = entry::read(&text).entry.unwrap();
/// let verdict = verify_by_digest(&entry, "skill://tidy/a.csv", 4, digest);
/// assert!(matches!(verdict, Some(Verdict::Verified(_))));
/// assert_eq!(verify_by_digest(&entry, "skill://tidy/a.csv", 5, digest), None);
/// ```
#[must_use]
pub fn verify_by_digest(
    entry: &SkillEntry,
    uri: &str,
    size: u64,
    digest: Digest,
) -> Option<Verdict> {
    let verdict = by_size_and_digest(entry, uri, size, digest);
    let decided = match &verdict {
        Verdict::Refused(refusal) => !refusal.may_have_cause(),
        _ => uri != entry.uri,
    };
    decided.then_some(verdict)
}

/// What the manifest says of a file of this size and digest.
fn by_size_and_digest(entry: &SkillEntry, uri: &str, size: u64, digest: Digest) -> Verdict {
    let uri = uri.to_owned();
    let Some(manifest) = entry.manifest() else {
        return Verdict::Unpinned(Unpinned { uri, digest, size });
    };
    let line = manifest.get(&uri);
    let reason = match line.map(|line| (line.usable, line.digest, line.size)) {
        None => Reason::NotListed,
        Some((true, Some(_), Some(promised))) if promised != size => Reason::Size,
        Some((true, Some(promised), Some(_))) if promised != digest => Reason::Digest,
        Some((true, Some(_), Some(_))) => return Verdict::Verified(Verified { uri, digest, size }),
        Some(_) => Reason::UnusableLine,
    };
    let (digest, size) = (Some(digest), Some(size));
    Verdict::Refused(Refusal { uri, reason, expected: line.cloned(), digest, size, cause: None })
}

impl Refusal {
    /// Whether recomputing could show what went wrong.
    const fn may_have_cause(&self) -> bool {
        matches!(self.reason, Reason::Size | Reason::Digest)
    }

    fn find_cause(&mut self, entry: &SkillEntry, bytes: &[u8]) {
        if let (true, Some(line), Some(manifest), Some(digest)) =
            (self.may_have_cause(), &self.expected, entry.manifest(), self.digest)
        {
            self.cause = cause::find(manifest, line, bytes, digest);
        }
    }
}

/// The verdict on a read that gave no bytes: refused, whatever the entry says.
///
/// ```
/// use skillglass::{contents, entry, json};
/// use skillglass::verify::{Reason, Verdict, refuse_contents, verify_file};
/// let entry = entry::read(r#"{"uri":"skill://tidy/SKILL.md","resources":"dynamic",
///   "frontmatter":{"name":"tidy","description":"Tidies up."}}"#).entry.unwrap();
/// let verdict = |result: &str| {
///     let document = json::read(result).unwrap();
///     match contents::read(&document, &document.root, "skill://tidy/a.txt") {
///         Ok(contents) => verify_file(&entry, "skill://tidy/a.txt", &contents.bytes),
///         Err(error) => refuse_contents(&entry, "skill://tidy/a.txt", error),
///     }
/// };
/// let sent = verdict(r#"{"contents":[{"uri":"skill://tidy/a.txt","text":"a"}]}"#);
/// assert!(sent.is_usable());
/// let Verdict::Refused(refusal) = verdict(r#"{"contents":[]}"#) else { panic!() };
/// assert_eq!(refusal.reason, Reason::Contents(contents::ContentError::Empty));
/// ```
#[must_use]
pub fn refuse_contents(entry: &SkillEntry, uri: &str, error: ContentError) -> Verdict {
    let expected = entry.manifest().and_then(|manifest| manifest.get(uri)).cloned();
    let cause = match (&error, expected.as_ref().and_then(|line| line.digest)) {
        (ContentError::Base64Url { bytes }, Some(digest)) if Digest::of(bytes) == digest => {
            Some(Cause::Base64Url)
        }
        _ => None,
    };
    Verdict::Refused(Refusal {
        uri: uri.to_owned(),
        reason: Reason::Contents(error),
        expected,
        digest: None,
        size: None,
        cause,
    })
}

/// `good`, unless the frontmatter of the `SKILL.md` in `bytes` is not the entry's.
fn frontmatter_verdict(entry: &SkillEntry, bytes: &[u8], digest: Digest, good: Verdict) -> Verdict {
    let reason = match Frontmatter::read(bytes) {
        // Most files are right, and telling that is cheaper than telling what differs.
        Ok(frontmatter) if frontmatter.root.same_content(&entry.frontmatter) => return good,
        Ok(frontmatter) => {
            // Frontmatter was read, so the bytes are text.
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let comparison = compare(&frontmatter, text, &entry.frontmatter, &entry.source);
            if comparison.is_equal() {
                return good;
            }
            Reason::FrontmatterDiffers(comparison)
        }
        Err(error) => {
            let problem = problem(&error, bytes);
            if error.kind.is_reader_limit() {
                return Verdict::Untested(Untested { uri: entry.uri.clone(), problem });
            }
            Reason::Frontmatter(problem)
        }
    };
    let expected = entry.manifest().and_then(|manifest| manifest.get(&entry.uri)).cloned();
    Verdict::Refused(Refusal {
        uri: entry.uri.clone(),
        reason,
        expected,
        digest: Some(digest),
        size: Some(bytes.len() as u64),
        cause: None,
    })
}

/// A frontmatter error for people, with its place in the file, whose bytes are `bytes`.
///
/// ```
/// use skillglass::{frontmatter::Frontmatter, verify::problem};
/// let file = b"---\nname: tidy\ndescription: Tidies: up.\n---\n";
/// let problem = problem(&Frontmatter::read(file).unwrap_err(), file);
/// assert_eq!(problem.position.unwrap().line, 3);
/// assert_eq!(problem.repair, Some("put the value in quotes"));
/// ```
#[must_use]
pub fn problem(error: &FrontmatterError, bytes: &[u8]) -> FrontmatterProblem {
    let text = std::str::from_utf8(bytes).ok();
    FrontmatterProblem {
        message: error.kind.to_string(),
        position: text.map(|text| LineIndex::new(text).position(error.span.start)),
        repair: error.kind.repair(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;

    const SKILL: &[u8] = b"---\nname: a\ndescription: b\n---\ntext\n";

    fn skill(files: &[(&str, &[u8], u64)]) -> SkillEntry {
        let line = |uri: &str, bytes: &[u8], size: u64| {
            format!(r#"{{"uri":"skill://a/{uri}","digest":"{}","size":{size}}}"#, Digest::of(bytes))
        };
        let mut lines = vec![line("SKILL.md", SKILL, SKILL.len() as u64)];
        lines.extend(files.iter().map(|(uri, bytes, size)| line(uri, bytes, *size)));
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{}]}}"#,
            lines.join(",")
        );
        entry::read(&text).entry.unwrap()
    }

    fn refused(promised: &[u8], came: &[u8]) -> (Reason, Option<Cause>) {
        let entry = skill(&[("f", promised, promised.len() as u64), ("g", b"other\n", 6)]);
        match verify_file(&entry, "skill://a/f", came) {
            Verdict::Refused(refusal) => (refusal.reason, refusal.cause),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn promised_bytes_are_verified() {
        let entry = skill(&[("f", b"x", 1)]);
        assert!(matches!(verify_file(&entry, "skill://a/f", b"x"), Verdict::Verified(_)));
        assert!(matches!(verify_file(&entry, "skill://a/SKILL.md", SKILL), Verdict::Verified(_)));
    }

    #[test]
    fn each_reason_is_told_apart() {
        assert_eq!(refused(b"x", b"y"), (Reason::Digest, None));
        assert_eq!(refused(b"x", b"xy"), (Reason::Size, None));
        let entry = skill(&[]);
        let verdict = verify_file(&entry, "skill://a/other", b"x");
        let Verdict::Refused(refusal) = verdict else { panic!() };
        assert_eq!(refusal.reason, Reason::NotListed);
    }

    #[test]
    fn size_and_digest_decide_where_the_bytes_add_nothing() {
        let entry = skill(&[("f", b"x", 1)]);
        for (uri, bytes, decided) in [
            ("skill://a/f", &b"x"[..], true),
            ("skill://a/f", b"y", false),
            ("skill://a/f", b"xy", false),
            ("skill://a/other", b"x", true),
            ("skill://a/SKILL.md", SKILL, false),
            ("skill://a/SKILL.md", b"x", false),
        ] {
            let verdict = verify_by_digest(&entry, uri, bytes.len() as u64, Digest::of(bytes));
            assert_eq!(verdict.is_some(), decided, "{uri}");
            assert!(verdict.is_none_or(|verdict| verdict == verify_file(&entry, uri, bytes)));
        }
    }

    #[test]
    fn a_wrong_size_alone_is_a_failure() {
        let entry = skill(&[("f", "é😀".as_bytes(), 2), ("g", "é😀".as_bytes(), 3)]);
        let cause = |uri| match verify_file(&entry, uri, "é😀".as_bytes()) {
            Verdict::Refused(Refusal { reason: Reason::Size, cause, .. }) => cause,
            other => panic!("{other:?}"),
        };
        assert_eq!(cause("skill://a/f"), Some(Cause::SizeInCharacters));
        assert_eq!(cause("skill://a/g"), Some(Cause::SizeInUtf16));
    }

    #[test]
    fn causes_are_proved_by_recomputing() {
        let cause = |promised: &[u8], came: &[u8]| refused(promised, came).1;
        assert_eq!(cause(b"a\r\nb\r\n", b"a\nb\n"), Some(Cause::CrlfToLf));
        assert_eq!(cause(b"a\nb\n", b"a\r\nb\r\n"), Some(Cause::LfToCrlf));
        assert_eq!(cause("\u{feff}a".as_bytes(), b"a"), Some(Cause::MarkLost));
        assert_eq!(cause(b"a", "\u{feff}a".as_bytes()), Some(Cause::MarkAdded));
        assert_eq!(cause(b"a\n", b"a"), Some(Cause::FinalNewlineLost));
        assert_eq!(cause(b"a", b"a\n"), Some(Cause::FinalNewlineAdded));
        assert_eq!(cause("Cafe\u{301}".as_bytes(), "Café".as_bytes()), Some(Cause::Composed));
        assert_eq!(cause("Café".as_bytes(), "Cafe\u{301}".as_bytes()), Some(Cause::Decomposed));
        assert_eq!(cause(b"a\"b", br#""a\"b""#), Some(Cause::JsonQuoted));
        assert_eq!(cause(b"abc", b"YWJj"), Some(Cause::Base64AsText));
        assert_eq!(cause(b"YWJj", b"abc"), Some(Cause::DigestOfBase64));
        assert_eq!(cause(b"", b"abc"), Some(Cause::DigestOfNothing));
        assert_eq!(cause(b"abc", b""), Some(Cause::EmptyBody));
        let other = Cause::OtherFile { uri: "skill://a/g".into() };
        assert_eq!(cause(b"abc", b"other\n"), Some(other));
        assert_eq!(cause(b"a\xff", "a\u{fffd}".as_bytes()), Some(Cause::ReplacementCharacters));
        assert_eq!(cause(b"abc", b"abd"), None);
    }

    #[test]
    fn frontmatter_is_compared_even_when_the_digest_is_right() {
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"other"}},"resources":[{{"uri":"skill://a/SKILL.md","digest":"{}","size":{}}}]}}"#,
            Digest::of(SKILL),
            SKILL.len()
        );
        let entry = entry::read(&text).entry.unwrap();
        let verdict = verify_file(&entry, "skill://a/SKILL.md", SKILL);
        let Verdict::Refused(refusal) = verdict else { panic!("{verdict:?}") };
        assert!(matches!(refusal.reason, Reason::FrontmatterDiffers(_)));
        assert_eq!(
            refusal.to_string(),
            "the frontmatter differs from the entry in \"description\""
        );
    }

    #[test]
    fn dynamic_skills_are_never_verified() {
        let text = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}"#;
        let entry = entry::read(text).entry.unwrap();
        assert!(matches!(verify_file(&entry, "skill://a/SKILL.md", SKILL), Verdict::Unpinned(_)));
        assert!(matches!(verify_file(&entry, "skill://a/x", b"x"), Verdict::Unpinned(_)));
        let other = b"---\nname: a\n---\n";
        let verdict = verify_file(&entry, "skill://a/SKILL.md", other);
        let Verdict::Refused(refusal) = verdict else { panic!("{verdict:?}") };
        assert_eq!((refusal.digest, refusal.size), (Some(Digest::of(other)), Some(16)));
        assert_eq!(refusal.expected, None);
    }
}
