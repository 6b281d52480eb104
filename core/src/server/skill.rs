//! The skills of a tree of files.

use std::borrow::Cow;

use super::Fault;
use crate::digest::Digest;
use crate::frontmatter::Frontmatter;
use crate::uri::SKILL_MD;
use crate::value::json_string;

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path from the tree's root, with `/` between segments.
    pub path: String,
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
}

impl File {
    /// A file at `path`.
    #[must_use]
    pub fn new(path: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { path: path.to_owned(), bytes: bytes.into() }
    }

    /// The media type that goes with the file's name.
    #[must_use]
    pub fn mime_type(&self) -> &'static str {
        let extension = self.path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "md" => "text/markdown",
            "csv" => "text/csv",
            "json" => "application/json",
            "py" => "text/x-python",
            "sh" => "text/x-shellscript",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "txt" => "text/plain",
            _ => "application/octet-stream",
        }
    }
}

/// A skill as it is served.
#[derive(Clone, Debug)]
pub struct Skill {
    /// The skill path, `acme/refunds`.
    pub path: String,
    /// Its files, nested skills' files included; paths count from the tree's root.
    pub files: Vec<File>,
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
        format!("skill://{}/{SKILL_MD}", self.path)
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
        let hides =
            |file: &&File| !self.faults.iter().any(|fault| fault.hides(&file.path, in_list));
        let lines: Vec<_> = self.files.iter().filter(hides).map(|file| self.line(file)).collect();
        format!(r#","resources":[{}]"#, lines.join(","))
    }

    /// A manifest line.
    fn line(&self, file: &File) -> String {
        let mut digest = Digest::of(&file.bytes).to_string();
        let mut size = file.bytes.len();
        for fault in &self.faults {
            fault.distort(file, &mut digest, &mut size);
        }
        let uri = json_string(&format!("skill://{}", file.path));
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

/// Groups files into skills, in path order.
pub(super) fn collect(files: impl IntoIterator<Item = File>) -> Vec<Skill> {
    let mut files: Vec<File> = files.into_iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let ending = format!("/{SKILL_MD}");
    let roots = files.iter().filter_map(|file| Some((file, file.path.strip_suffix(&ending)?)));
    roots
        .map(|(skill_md, path)| {
            let below = format!("{path}/");
            let of_skill = files.iter().filter(|file| file.path.starts_with(&below));
            Skill {
                path: path.to_owned(),
                files: of_skill.cloned().collect(),
                frontmatter: frontmatter(&skill_md.bytes, path),
                listed: true,
                dynamic: false,
                faults: Vec::new(),
            }
        })
        .collect()
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
