//! Where a host may keep verified files, and what makes a kept file usable again.
//!
//! Source: the extension's *Security Considerations*, caches. A path encodes server and URI, a
//! record keeps the origin over restarts, and bytes are checked on every access.

use std::fmt;

use serde::Serialize;

use super::origin::{OriginLabel, SkillId};
use super::stored::{self, StoredError};
use super::tagged::{Standing, TaggedContent};
use crate::digest::Digest;
use crate::value::Node;

/// The relative path of a cached file: a directory for the server, a file for everything else.
///
/// Both parts are SHA-256 digests in lowercase hexadecimal. So nothing from a server is in the
/// path, it is safe and distinct on file systems that fold case, it has 129 characters, and none
/// of it is named `SKILL.md`, so that no search for skills on a disk takes it for one.
///
/// ```
/// use skillglass::{digest::Digest, host::{OriginLabel, SkillId, cache_path}};
/// let [acme, other] = ["acme", "Acme"].map(|label| OriginLabel::new(label).unwrap());
/// let path = |origin, file| {
///     let skill = SkillId::new(origin, "skill://tidy/SKILL.md").unwrap();
///     cache_path(&skill, file, Digest::of(b""))
/// };
/// assert_eq!(path(&acme, "skill://tidy/a").len(), 129);
/// assert_ne!(path(&acme, "skill://tidy/a"), path(&acme, "skill://tidy/A"));
/// assert_ne!(path(&acme, "skill://tidy/a"), path(&other, "skill://tidy/a"));
/// ```
#[must_use]
pub fn cache_path(skill: &SkillId, uri: &str, digest: Digest) -> String {
    // A digest has one length and a skill's URI has no line feed, so no two files give one text.
    let file = Digest::of(format!("{digest}\n{}\n{uri}", skill.uri()).as_bytes());
    format!("{}/{}", cache_directory(skill.origin()), file.hex())
}

/// The directory of a server's cached files, to be removed together with the server: a relative
/// path of 64 hexadecimal digits.
///
/// ```
/// use skillglass::{digest::Digest, host::{OriginLabel, SkillId, cache_directory, cache_path}};
/// let [acme, other] = ["acme", "other"].map(|label| OriginLabel::new(label).unwrap());
/// let skill = SkillId::new(&acme, "skill://tidy/SKILL.md").unwrap();
/// let path = cache_path(&skill, skill.uri(), Digest::of(b""));
/// assert!(path.starts_with(&cache_directory(&acme)));
/// assert!(!path.starts_with(&cache_directory(&other)));
/// ```
#[must_use]
pub fn cache_directory(origin: &OriginLabel) -> String {
    Digest::of(origin.as_str().as_bytes()).hex()
}

/// What a host keeps beside a cached file. Only verified files have one: the bytes of a dynamic
/// skill may be others next time.
///
/// ```
/// # use skillglass::{digest::Digest, entry, verify::{Verdict, verify_file}};
/// use skillglass::host::{CacheError, CacheRecord, OriginLabel, SkillId, Standing, TaggedContent};
/// # let entry = entry::read(&format!(r#"{{"uri":"skill://a/SKILL.md",
/// #   "frontmatter":{{"name":"a","description":"b"}},"resources":[
/// #   {{"uri":"skill://a/SKILL.md","digest":"{0}","size":5}},
/// #   {{"uri":"skill://a/notes","digest":"{0}","size":5}}]}}"#, Digest::of(b"notes"))).entry.unwrap();
/// let Verdict::Verified(verified) = verify_file(&entry, "skill://a/notes", b"notes") else { panic!() };
/// # let origin = OriginLabel::new("acme").unwrap();
/// # let skill = SkillId::of(&origin, &entry);
/// # let foreign = TaggedContent::foreign(&skill, &origin, "skill://a/notes", b"notes");
/// # let content = TaggedContent { standing: Standing::Verified(verified), ..foreign.clone() };
/// let record = CacheRecord::of(&content).unwrap();
/// let kept = CacheRecord::read(&record.to_json()).unwrap();
/// assert_eq!(kept.open(b"notes"), Ok(&b"notes"[..]));
/// assert_eq!(kept.open(b"n0tes"), Err(CacheError::Digest));
/// assert_eq!(CacheRecord::of(&foreign), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheRecord {
    skill: SkillId,
    uri: String,
    digest: Digest,
    size: u64,
}

impl CacheRecord {
    /// The record of a verified file; none for other content.
    #[must_use]
    pub fn of(content: &TaggedContent<'_>) -> Option<Self> {
        let Standing::Verified(verified) = &content.standing else { return None };
        Some(Self {
            skill: content.skill.clone(),
            uri: verified.uri().to_owned(),
            digest: verified.digest(),
            size: verified.size(),
        })
    }

    /// The skill, with the server it came from.
    #[must_use]
    pub const fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// The file's URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Where the file is kept.
    #[must_use]
    pub fn path(&self) -> String {
        cache_path(&self.skill, &self.uri, self.digest)
    }

    /// The cached bytes, if they are still the ones that were verified. Which skill may use them
    /// is for [`Host::got_file`](super::Host::got_file) to say, which takes them as it takes what
    /// a server sends.
    ///
    /// # Errors
    /// The bytes are others: throw them away and read the file from its server.
    pub fn open<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], CacheError> {
        self.check(bytes.len() as u64, Digest::of(bytes)).map(|()| bytes)
    }

    /// As [`CacheRecord::open`], for bytes whose SHA-256 the caller's platform computed.
    ///
    /// # Errors
    /// As [`CacheRecord::open`].
    pub fn check(&self, size: u64, digest: Digest) -> Result<(), CacheError> {
        if size != self.size {
            return Err(CacheError::Size);
        }
        if digest == self.digest { Ok(()) } else { Err(CacheError::Digest) }
    }

    /// The record as JSON, to be kept.
    #[must_use]
    pub fn to_json(&self) -> String {
        stored::to_json(self)
    }

    /// Reads what [`CacheRecord::to_json`] wrote.
    ///
    /// # Errors
    /// See [`StoredError`]. Then the file beside it is worth nothing.
    pub fn read(text: &str) -> Result<Self, StoredError> {
        const DIGEST: &str = "digest";
        let document = stored::document(text)?;
        let root = &document.root;
        let digest = root.get(DIGEST).ok_or(StoredError::Member(DIGEST))?;
        Ok(Self {
            skill: stored::skill(root)?,
            uri: stored::string(root, "uri")?.to_owned(),
            digest: stored::digest(digest, DIGEST)?,
            size: root.get("size").and_then(Node::as_count).ok_or(StoredError::Member("size"))?,
        })
    }
}

/// Why cached bytes cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheError {
    /// Their length is another.
    Size,
    /// Their SHA-256 is another.
    Digest,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Size => "size",
            Self::Digest => "SHA-256",
        };
        write!(f, "the {what} of the cached file is not the one that was verified")
    }
}

impl std::error::Error for CacheError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(label: &str, uri: &str) -> SkillId {
        SkillId::new(&OriginLabel::new(label).unwrap(), uri).unwrap()
    }

    #[test]
    fn stored_records_are_read_strictly() {
        let record = CacheRecord {
            skill: id("acme", "skill://a/SKILL.md"),
            uri: "skill://a/x".to_owned(),
            digest: Digest::of(b"x"),
            size: 1,
        };
        let text = record.to_json();
        assert_eq!(CacheRecord::read(&text), Ok(record.clone()));
        assert_eq!(record.open(b"xx"), Err(CacheError::Size));
        let broken = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            CacheRecord::read(&text.replacen(from, to, 1)).unwrap_err()
        };
        assert_eq!(broken("\"size\":1", "\"size\":-1"), StoredError::Member("size"));
        assert_eq!(broken("sha256:", "sha512:"), StoredError::Member("digest"));
        assert_eq!(broken("SKILL.md", "notes.md"), StoredError::Member("uri"));
        assert_eq!(broken("\"size\"", "\"uri\""), StoredError::Ambiguous);
    }
}
