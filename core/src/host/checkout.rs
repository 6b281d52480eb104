//! Putting a whole skill into a folder, for a person who asked for that.
//!
//! A plan is made before anything is read: it says which file goes where, or why the skill has no
//! place on a disk. No path in it leaves the folder, names a device, lets two files fall into one
//! on a file system that folds case or Unicode forms, or makes the folder something whose settings
//! are run.
//!
//! No specification has rules for this; the extension's *Security Considerations* only want what is
//! kept to stay apart.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;

use super::policy::Limits;
use crate::entry::{ManifestFile, SkillEntry};
use crate::finding::{Finding, is_hidden, quote};
use crate::name::{NameError, check_name};
use crate::unicode::Composer;
use crate::uri::decode_segment;
use crate::verify::SkillVerdict;

/// The longest name of a file or folder, in bytes, that common file systems take.
pub const MAX_FILE_NAME: usize = 255;

/// Which file of a skill goes where.
///
/// ```
/// use skillglass::host::{Checkout, CheckoutError, Limits};
/// let skill = |path: &str| {
///     let line = format!(r#"{{"digest":"sha256:{}","size":1,"uri":"skill://tidy"#, "0".repeat(64));
///     skillglass::entry::read(&format!(r#"{{"uri":"skill://tidy/SKILL.md",
///       "frontmatter":{{"name":"tidy","description":"Tidies up."}},
///       "resources":[{line}/SKILL.md"}},{line}/{path}"}}]}}"#))
/// };
/// let reading = skill("my%20notes.md");
/// let checkout = Checkout::plan(reading.entry.as_ref().unwrap(), &reading.findings, Limits::default()).unwrap();
/// assert_eq!((checkout.name(), checkout.files()[1].path.as_str()), ("tidy", "my notes.md"));
///
/// let reading = skill("skill.MD");
/// let refused = Checkout::plan(reading.entry.as_ref().unwrap(), &reading.findings, Limits::default());
/// assert!(matches!(refused, Err(CheckoutError::Path { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    name: String,
    files: Vec<PlacedFile>,
}

/// A file and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFile {
    /// The manifest's line.
    pub file: ManifestFile,
    /// The path below the skill's own folder, with `/` between names.
    pub path: String,
}

impl Checkout {
    /// Plans where the files of `entry` go. `findings` are those of the entry's
    /// [`Reading`](crate::entry::Reading).
    ///
    /// # Errors
    /// See [`CheckoutError`].
    pub fn plan(
        entry: &SkillEntry,
        findings: &[Finding],
        limits: Limits,
    ) -> Result<Self, CheckoutError> {
        let defects = SkillVerdict::of(entry, findings, []).manifest_findings;
        if !defects.is_empty() {
            return Err(CheckoutError::InvalidEntry(defects));
        }
        let manifest = entry.manifest().ok_or(CheckoutError::Dynamic)?;
        let (files, bytes) = (manifest.files.len(), manifest.total_size());
        if !limits.allow(files, bytes) {
            return Err(CheckoutError::TooLarge { files, bytes, limits });
        }
        let name = entry.skill_uri().name();
        check_name(name).map_err(CheckoutError::Name)?;
        if is_device(name) {
            return Err(CheckoutError::Device(name.to_owned()));
        }
        let mut taken = Taken::default();
        let mut placed = Vec::new();
        for file in &manifest.files {
            let refused = |problem| CheckoutError::Path { uri: file.uri.clone(), problem };
            let path = taken.place(entry, file).map_err(refused)?;
            placed.push(PlacedFile { file: file.clone(), path });
        }
        Ok(Self { name: name.to_owned(), files: placed })
    }

    /// The name of the skill's own folder: the skill's.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The files, in the manifest's order.
    #[must_use]
    pub fn files(&self) -> &[PlacedFile] {
        &self.files
    }

    /// The place of the file `uri`.
    #[must_use]
    pub fn place(&self, uri: &str) -> Option<&PlacedFile> {
        self.files.iter().find(|placed| placed.file.uri == uri)
    }
}

/// Why a skill has no place on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckoutError {
    /// Its manifest breaks these rules.
    InvalidEntry(Vec<Finding>),
    /// It is dynamic: nothing says which files it has, and what is in them.
    Dynamic,
    /// It is larger than allowed.
    TooLarge {
        /// Its files.
        files: usize,
        /// Their bytes together.
        bytes: u64,
        /// What is allowed.
        limits: Limits,
    },
    /// Its name breaks the rules.
    Name(NameError),
    /// Its name is that of a device.
    Device(String),
    /// One of its files has no place.
    Path {
        /// The file.
        uri: String,
        /// Why.
        problem: PathProblem,
    },
}

impl fmt::Display for CheckoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidEntry(findings) => {
                let first = findings.first().map_or("a rule", |finding| finding.message.as_str());
                write!(f, "its manifest cannot be trusted: {first}")
            }
            Self::Dynamic => f.write_str(
                "it is dynamic: no manifest says which files it has and what is in them",
            ),
            Self::TooLarge { files, bytes, limits } => write!(
                f,
                "it has {files} files with {bytes} bytes together; {} files and {} bytes are allowed",
                limits.files(),
                limits.bytes(),
            ),
            Self::Name(error) => write!(f, "its name breaks the rules: {error}"),
            Self::Device(name) => write!(f, "its name {} is that of a device", quote(name)),
            Self::Path { uri, problem } => {
                write!(f, "its file {} has no place on a disk: {problem}", quote(uri))
            }
        }
    }
}

impl std::error::Error for CheckoutError {}

/// Why a file has no place on a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PathProblem {
    /// It lies outside of the skill's directory.
    Outside,
    /// A name, percent-decoded, is not text.
    NotText,
    /// A name has this character, which separates names, hides or means something on some system.
    Character(char),
    /// A name ends with a blank or a full stop, which some systems drop.
    Ending,
    /// A name is that of a device on some systems.
    Device,
    /// A name is `.git`: tools run what the settings in such a folder say.
    Repository,
    /// A name is longer than [`MAX_FILE_NAME`] bytes.
    TooLong,
    /// Another file has this path, or one that is the same on some systems.
    Taken(String),
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("it lies outside of the skill's directory"),
            Self::NotText => f.write_str("a name in it, percent-decoded, is not text"),
            Self::Character(character) => write!(f, "a name in it has {character:?}"),
            Self::Ending => f.write_str("a name in it ends with a blank or a full stop"),
            Self::Device => f.write_str("a name in it is that of a device on some systems"),
            Self::Repository => {
                f.write_str("it would make the folder a git repository, whose settings are run")
            }
            Self::TooLong => write!(f, "a name in it has more than {MAX_FILE_NAME} bytes"),
            Self::Taken(path) => {
                write!(f, "on some systems it is the same as {}", quote(path))
            }
        }
    }
}

/// The files of an entry that have no place on every disk, and why; each with its path below the
/// skill. Files outside of the skill are left out, since they are none of its.
pub(crate) fn path_problems(entry: &SkillEntry) -> Vec<(&str, PathProblem)> {
    let skill = entry.skill_uri();
    let files = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
    let mut taken = Taken::default();
    let mut problem = |file: &ManifestFile| taken.place(entry, file).err();
    files
        .iter()
        .filter_map(|file| Some((skill.file_path(&file.uri).ok()?, problem(file)?)))
        .collect()
}

/// The path of a file below its skill's folder.
fn disk_path(entry: &SkillEntry, file: &ManifestFile) -> Result<String, PathProblem> {
    let path = entry.skill_uri().file_path(&file.uri).map_err(|_| PathProblem::Outside)?;
    let names: Result<Vec<_>, _> = path.split('/').map(disk_name).collect();
    Ok(names?.join("/"))
}

/// The name that a segment of a URI stands for.
fn disk_name(segment: &str) -> Result<String, PathProblem> {
    let name = decode_segment(segment).ok_or(PathProblem::NotText)?;
    let bad = |c: &char| matches!(c, '/' | '\\' | ':') || is_hidden(*c);
    if let Some(character) = name.chars().find(bad) {
        return Err(PathProblem::Character(character));
    }
    if name.ends_with([' ', '.']) {
        return Err(PathProblem::Ending);
    }
    if is_device(&name) {
        return Err(PathProblem::Device);
    }
    // The second is what Windows calls the first where it keeps short names.
    if [".git", "git~1"].iter().any(|git| name.eq_ignore_ascii_case(git)) {
        return Err(PathProblem::Repository);
    }
    if name.len() > MAX_FILE_NAME { Err(PathProblem::TooLong) } else { Ok(name) }
}

/// Whether Windows takes a name for a device, whatever follows its first full stop.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        let number = stem.strip_prefix(prefix).map(str::chars).map(Iterator::collect::<Vec<_>>);
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || numbered("com")
        || numbered("lpt")
}

/// The paths that are given away, in the form that the most forgetful file system sees.
#[derive(Default)]
struct Taken {
    /// Files by that form, and folders, with the paths they were taken for.
    files: HashMap<String, String>,
    folders: HashMap<String, String>,
    /// Made with the first path that needs it.
    composer: Option<Composer>,
}

impl Taken {
    /// The place of a file, which nothing else may have from now on.
    fn place(&mut self, entry: &SkillEntry, file: &ManifestFile) -> Result<String, PathProblem> {
        let path = disk_path(entry, file)?;
        self.add(&path)?;
        Ok(path)
    }

    /// Takes a path and the folders above it. Files must be alone; a folder must be spelled alike
    /// each time, else two folders would become one.
    fn add(&mut self, path: &str) -> Result<(), PathProblem> {
        let ends = path.match_indices('/').map(|(end, _)| end);
        for folder in ends.map(|end| &path[..end]) {
            let folded = self.fold(folder);
            if let Some(file) = self.files.get(&folded) {
                return Err(PathProblem::Taken(file.clone()));
            }
            let other = self.folders.entry(folded).or_insert_with(|| folder.to_owned());
            if other != folder {
                return Err(PathProblem::Taken(other.clone()));
            }
        }
        let folded = self.fold(path);
        if let Some(other) = self.files.get(&folded).or_else(|| self.folders.get(&folded)) {
            return Err(PathProblem::Taken(other.clone()));
        }
        self.files.insert(folded, path.to_owned());
        Ok(())
    }

    fn fold(&mut self, path: &str) -> String {
        if path.is_ascii() {
            return path.to_ascii_lowercase();
        }
        // Upper case first, so that one letter with several lower-case forms has one.
        let lower = path.to_uppercase().to_lowercase();
        self.composer.get_or_insert_with(Composer::new).compose(&lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{self, MAX_FILES, Reading};

    fn skill(name: &str, files: &[&str]) -> Reading {
        let digest = "0".repeat(64);
        let line = |path: &str| {
            format!(r#"{{"uri":"skill://{name}/{path}","digest":"sha256:{digest}","size":1}}"#)
        };
        let lines = std::iter::once("SKILL.md").chain(files.iter().copied()).map(line);
        let lines = lines.collect::<Vec<_>>().join(",");
        entry::read(&format!(
            r#"{{"uri":"skill://{name}/SKILL.md","frontmatter":{{"name":"{name}","description":"b"}},"resources":[{lines}]}}"#
        ))
    }

    fn plan(reading: &Reading) -> Result<Checkout, CheckoutError> {
        Checkout::plan(reading.entry.as_ref().unwrap(), &reading.findings, Limits::default())
    }

    fn problem(files: &[&str]) -> PathProblem {
        match plan(&skill("a", files)) {
            Err(CheckoutError::Path { problem, .. }) => problem,
            other => panic!("{files:?}: {other:?}"),
        }
    }

    #[test]
    fn ordinary_files_have_their_places() {
        let files = ["x/y.md", "x/100%25.md", "x/%C3%A9.md", ".hidden", "x/con-trol.md", "...x"];
        let checkout = plan(&skill("a", &files)).unwrap();
        let paths: Vec<_> = checkout.files().iter().map(|placed| placed.path.as_str()).collect();
        let expected =
            ["SKILL.md", "x/y.md", "x/100%.md", "x/é.md", ".hidden", "x/con-trol.md", "...x"];
        assert_eq!(paths, expected);
        assert_eq!(checkout.place("skill://a/x/y.md").unwrap().path, "x/y.md");
    }

    #[test]
    fn what_leads_elsewhere_has_none() {
        assert_eq!(problem(&["x%2Fy"]), PathProblem::Character('/'));
        assert_eq!(problem(&["..%2F..%2Fy"]), PathProblem::Character('/'));
        assert_eq!(problem(&["..%5Cy"]), PathProblem::Character('\\'));
        assert_eq!(problem(&["SKILL.md:stream"]), PathProblem::Character(':'));
        assert_eq!(problem(&["%E2%80%AEx"]), PathProblem::Character('\u{202e}'));
        assert_eq!(problem(&["x%FF"]), PathProblem::NotText);
        assert_eq!(problem(&["x/... "]), PathProblem::Ending);
        assert_eq!(problem(&["x."]), PathProblem::Ending);
        assert_eq!(problem(&["Aux.md"]), PathProblem::Device);
        assert_eq!(problem(&["x/COM1"]), PathProblem::Device);
        assert_eq!(problem(&[".Git/config"]), PathProblem::Repository);
        assert_eq!(problem(&[&"x".repeat(256)]), PathProblem::TooLong);
    }

    #[test]
    fn no_two_files_fall_into_one() {
        assert_eq!(problem(&["skill.MD"]), PathProblem::Taken("SKILL.md".into()));
        assert_eq!(problem(&["x/y", "X/z"]), PathProblem::Taken("x".into()));
        assert_eq!(problem(&["x", "x/y"]), PathProblem::Taken("x".into()));
        assert_eq!(problem(&["x/y", "x"]), PathProblem::Taken("x".into()));
        assert_eq!(problem(&["%C3%A9", "e%CC%81"]), PathProblem::Taken("é".into()));
        assert_eq!(problem(&["%CF%83", "%CF%82"]), PathProblem::Taken("σ".into()));
        let spelled_twice = plan(&skill("a", &["x%20y", "x y"]));
        assert!(matches!(spelled_twice, Err(CheckoutError::InvalidEntry(_))));
    }

    #[test]
    fn what_cannot_be_held_to_its_entry_is_refused() {
        let dynamic = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}"#;
        assert_eq!(plan(&entry::read(dynamic)), Err(CheckoutError::Dynamic));
        let outside = skill("a", &["x"]).source.replace("skill://a/x", "skill://b/x");
        assert!(matches!(plan(&entry::read(&outside)), Err(CheckoutError::InvalidEntry(_))));
        assert!(matches!(plan(&skill("A", &[])), Err(CheckoutError::Name(_))));
        assert!(matches!(plan(&skill("nul", &[])), Err(CheckoutError::Device(_))));
        let names: Vec<_> = (0..MAX_FILES).map(|number| format!("f{number}")).collect();
        let files: Vec<_> = names.iter().map(String::as_str).collect();
        assert!(plan(&skill("a", &files[1..])).is_ok());
        assert!(matches!(plan(&skill("a", &files)), Err(CheckoutError::TooLarge { .. })));
    }
}
