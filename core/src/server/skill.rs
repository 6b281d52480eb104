//! The skills of a tree of files.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Fault, SCHEME};
use crate::digest::Digest;
use crate::frontmatter::Frontmatter;
use crate::uri::SKILL_MD;
use crate::value::json_string;
use crate::verify::{FrontmatterProblem, problem};

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    path: String,
    bytes: Cow<'static, [u8]>,
    digest: Digest,
}

impl File {
    /// A file at `path`, which counts from the tree's root, has `/` between segments, and is spelled
    /// as URIs spell it: see [`encode_segment`](crate::uri::encode_segment).
    #[must_use]
    pub fn new(path: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        Self::with_digest(path, bytes, digest)
    }

    /// As [`File::new`], with a SHA-256 of `bytes` that the caller's platform computed. A wrong one makes a server that
    /// promises other bytes than it sends.
    ///
    /// ```
    /// use skillglass::{digest::Digest, server::File};
    /// let file = File::with_digest("tidy/a.txt", b"a".as_slice(), Digest::of(b"a"));
    /// assert_eq!(file, File::new("tidy/a.txt", b"a".as_slice()));
    /// ```
    #[must_use]
    pub fn with_digest(path: &str, bytes: impl Into<Cow<'static, [u8]>>, digest: Digest) -> Self {
        Self { path: path.to_owned(), bytes: bytes.into(), digest }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Their SHA-256.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The URI.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.path)
    }

    /// The media type that goes with the file's name.
    #[must_use]
    pub fn mime_type(&self) -> &'static str {
        let extension = self.path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "md" => "text/markdown",
            "csv" => "text/csv",
            "html" => "text/html",
            "css" => "text/css",
            "js" | "mjs" => "text/javascript",
            "json" => "application/json",
            "pdf" => "application/pdf",
            "py" => "text/x-python",
            "sh" => "text/x-shellscript",
            "svg" => "image/svg+xml",
            "jpg" | "jpeg" => "image/jpeg",
            "png" => "image/png",
            "txt" => "text/plain",
            "yaml" | "yml" => "application/yaml",
            _ => "application/octet-stream",
        }
    }
}

/// A skill as it is served.
#[derive(Clone, Debug)]
pub struct Skill {
    /// The skill path, `acme/refunds`.
    pub path: String,
    pub(super) files: Vec<Arc<File>>,
    /// Its frontmatter as JSON, as the entry carries it.
    pub frontmatter: String,
    /// Whether `skills/list` names it.
    pub listed: bool,
    /// Whether its entry says `dynamic` instead of listing files.
    pub dynamic: bool,
    /// The rules it breaks on purpose.
    pub faults: Vec<Fault>,
}

impl Skill {
    /// The URI of its `SKILL.md`.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}/{SKILL_MD}", self.path)
    }

    /// Its files in the order of their paths, nested skills' files included, which those share.
    #[must_use]
    pub fn files(&self) -> &[Arc<File>] {
        &self.files
    }

    /// Why the frontmatter of its `SKILL.md` cannot be read, and so no honest entry be made of it.
    #[must_use]
    pub fn problem(&self) -> Option<FrontmatterProblem> {
        let path = format!("{}/{SKILL_MD}", self.path);
        let bytes = self.files.get(from(&self.files, &path))?.bytes();
        Frontmatter::read(bytes).err().map(|error| problem(&error, bytes))
    }

    /// The entry as JSON; `in_list` tells the two methods apart for [`Fault::GetDiffers`].
    #[must_use]
    pub fn entry(&self, in_list: bool) -> String {
        let uri = json_string(&self.uri());
        let frontmatter = &self.frontmatter;
        let resources = self.resources(in_list);
        format!(r#"{{"uri":{uri},"frontmatter":{frontmatter}{resources}}}"#)
    }

    /// The `resources` member with the comma in front of it.
    fn resources(&self, in_list: bool) -> String {
        if self.faults.contains(&Fault::NoResources) {
            return String::new();
        }
        if self.dynamic {
            return r#","resources":"dynamic""#.to_owned();
        }
        let hidden = |file: &File| self.faults.iter().any(|fault| fault.hides(&file.path, in_list));
        let listed = self.files.iter().filter(|file| !hidden(file));
        let lines: Vec<_> = listed.map(|file| self.line(file)).collect();
        format!(r#","resources":[{}]"#, lines.join(","))
    }

    /// A manifest line.
    fn line(&self, file: &File) -> String {
        let mut digest = file.digest.to_string();
        let mut size = file.bytes.len();
        for fault in &self.faults {
            fault.distort(file, &mut digest, &mut size);
        }
        let uri = json_string(&file.uri());
        format!(r#"{{"uri":{uri},"digest":"{digest}","size":{size}}}"#)
    }

    /// The bytes that a read of `file` gives.
    #[must_use]
    pub fn served<'f>(&self, file: &'f File) -> Option<Cow<'f, [u8]>> {
        let mut bytes = Cow::Borrowed(file.bytes.as_ref());
        for fault in &self.faults {
            bytes = fault.serve(&file.path, bytes)?;
        }
        Some(bytes)
    }
}

/// The skills among files that are in the order of their paths.
pub(super) fn collect(files: &[Arc<File>]) -> Vec<Skill> {
    let ending = format!("/{SKILL_MD}");
    let roots = files.iter().filter_map(|file| Some((file, file.path.strip_suffix(&ending)?)));
    roots
        .map(|(skill_md, path)| Skill {
            path: path.to_owned(),
            files: below(files, path).to_vec(),
            frontmatter: frontmatter(&skill_md.bytes, path),
            listed: true,
            dynamic: false,
            faults: Vec::new(),
        })
        .collect()
}

/// The files below a directory, of files that are in the order of their paths.
pub(super) fn below<'f>(files: &'f [Arc<File>], directory: &str) -> &'f [Arc<File>] {
    let begin = from(files, &format!("{directory}/"));
    // The character that follows the slash is the first one no path below can have there.
    let end = from(files, &format!("{directory}0"));
    &files[begin..end]
}

/// Where paths that are not less than `path` begin.
pub(super) fn from(files: &[Arc<File>], path: &str) -> usize {
    files.partition_point(|file| file.path.as_str() < path)
}

/// The file's frontmatter, or what a careless server sends when it cannot read it: the
/// directory's name and whatever stands behind `description:`.
fn frontmatter(skill_md: &[u8], path: &str) -> String {
    if let Ok(frontmatter) = Frontmatter::read(skill_md) {
        return frontmatter.root.to_json();
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let text = String::from_utf8_lossy(skill_md);
    let description = text.lines().find_map(|line| line.strip_prefix("description:"));
    let description = description.unwrap_or("No description could be read.").trim();
    format!(r#"{{"name":{},"description":{}}}"#, json_string(name), json_string(description))
}
