//! Skills on the user's own machine: the files of a folder or a zip archive that they chose or dropped. Nothing of them
//! leaves the page.

use std::collections::HashSet;
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use rawzip::{CompressionMethod, ZipArchive, ZipVerification};
use skillglass::digest::Digest;
use skillglass::server::{File, SkillServer};
use skillglass::uri::{SKILL_MD, encode_segment};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DataTransfer, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry,
};

use crate::browser;
use crate::hash;
use crate::transport::Demo;

/// How many files are looked at.
const MAX_FILES: usize = 20_000;

/// How many bytes they may have together.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// How many bytes are unpacked before the page gets its turn, and what a file costs beside them.
const AT_ONCE: usize = 1024 * 1024;
const FILE_COST: usize = 4096;

/// What version control, package managers and desktops leave behind, and no skill consists of.
const NOT_OF_SKILLS: [&str; 6] = [".git", ".hg", ".svn", ".DS_Store", "__MACOSX", "node_modules"];

/// Why files cannot be looked at as skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocalError {
    /// No folder with a `SKILL.md` is among them.
    NoSkill,
    /// There are too many, or they are too large.
    TooMuch,
    /// The browser could not read one of them.
    Unreadable,
    /// The archive is none, or is made in a way that is not read here.
    NoArchive(&'static str),
}

impl std::fmt::Display for LocalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSkill => write!(f, "No folder with a {SKILL_MD} is in there."),
            Self::TooMuch => write!(
                f,
                "That is too much: this page looks at {MAX_FILES} files and 256 MiB at most. Choose a folder further down."
            ),
            Self::Unreadable => write!(f, "The browser could not read one of the files."),
            Self::NoArchive(why) => write!(f, "The zip archive cannot be read: {why}."),
        }
    }
}

/// A file of what was chosen.
struct Found {
    /// Its path from there.
    path: String,
    bytes: Vec<u8>,
    digest: Digest,
}

/// Files as they come in, within limits.
#[derive(Default)]
struct Gathered {
    files: Vec<Found>,
    bytes: usize,
}

impl Gathered {
    /// Whether one more file of this size is too much.
    fn make_room(&self, size: u64) -> Result<(), LocalError> {
        let left = MAX_BYTES.saturating_sub(self.bytes) as u64;
        if self.files.len() < MAX_FILES && size <= left { Ok(()) } else { Err(LocalError::TooMuch) }
    }

    async fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.bytes += bytes.len();
        let digest = hash::sha256(&bytes).await;
        self.files.push(Found { path, bytes, digest });
    }
}

/// The skills among the files that were chosen in a form: a folder's, or a zip archive.
pub(crate) async fn chosen(files: FileList) -> Result<Vec<File>, LocalError> {
    let mut gathered = Gathered::default();
    for file in (0..files.length()).filter_map(|at| files.get(at)) {
        gathered.take(path_of(&file), &file).await?;
    }
    skills(gathered)
}

/// The path of a chosen file from the folder that was chosen; its name where it was chosen alone.
fn path_of(file: &web_sys::File) -> String {
    let path = Reflect::get(file, &"webkitRelativePath".into()).ok();
    let path = path.and_then(|path| path.as_string()).filter(|path| !path.is_empty());
    path.unwrap_or_else(|| file.name())
}

/// What the chosen files are called together: their folder, or their archive.
pub(crate) fn name_of_chosen(files: &FileList) -> String {
    let path = files.get(0).as_ref().map(path_of).unwrap_or_default();
    without_ending(path.split('/').next().unwrap_or_default())
}

/// What the dropped files are called together.
pub(crate) fn name_of_dropped(entries: &[FileSystemEntry]) -> String {
    match entries {
        [only] => without_ending(&only.name()),
        _ => "dropped".to_owned(),
    }
}

fn without_ending(name: &str) -> String {
    name.strip_suffix(".zip").unwrap_or(name).to_owned()
}

/// What was dropped, to be had while the event lasts.
pub(crate) fn dropped(data: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = data.items();
    let entry = |at| items.get(at)?.webkit_get_as_entry().ok().flatten();
    (0..items.length()).filter_map(entry).collect()
}

/// The skills among what was dropped: folders, files, zip archives.
pub(crate) async fn skills_of(entries: Vec<FileSystemEntry>) -> Result<Vec<File>, LocalError> {
    let mut gathered = Gathered::default();
    let mut left = entries;
    while let Some(entry) = left.pop() {
        let path = entry.full_path().trim_start_matches('/').to_owned();
        if !is_of_skills(&path) {
            continue;
        }
        if entry.is_directory() {
            left.extend(below(entry.unchecked_into()).await?);
        } else {
            let entry: FileSystemFileEntry = entry.unchecked_into();
            let file =
                awaited(|taken, failed| entry.file_with_callback_and_callback(taken, failed));
            let file: Blob = file.await?.unchecked_into();
            gathered.take(path, &file).await?;
        }
    }
    skills(gathered)
}

/// The entries of a folder, which a browser tells some at a time.
async fn below(folder: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, LocalError> {
    let reader = folder.create_reader();
    let mut entries = Vec::new();
    loop {
        let some = awaited(|taken, failed| {
            // A reader that cannot be read calls back, too.
            let _ = reader.read_entries_with_callback_and_callback(taken, failed);
        });
        let some = Array::from(&some.await?);
        if some.length() == 0 {
            return Ok(entries);
        }
        entries.extend(some.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
        if entries.len() > MAX_FILES {
            return Err(LocalError::TooMuch);
        }
    }
}

/// What a call gives to the first of two functions; it failed if it calls the second.
async fn awaited(call: impl FnOnce(&Function, &Function)) -> Result<JsValue, LocalError> {
    let mut call = Some(call);
    let promise = Promise::new(&mut |taken, failed| {
        if let Some(call) = call.take() {
            call(&taken, &failed);
        }
    });
    JsFuture::from(promise).await.map_err(|_| LocalError::Unreadable)
}

impl Gathered {
    /// Reads a file, or what is in it if it is an archive.
    async fn take(&mut self, path: String, file: &Blob) -> Result<(), LocalError> {
        if !is_of_skills(&path) {
            return Ok(());
        }
        self.make_room(file.size() as u64)?;
        let buffer = JsFuture::from(file.array_buffer()).await;
        let bytes = Uint8Array::new(&buffer.map_err(|_| LocalError::Unreadable)?).to_vec();
        match path.strip_suffix(".zip") {
            Some(name) if !path.contains('/') => self.unpack(name, &bytes).await?,
            _ => self.add(path, bytes).await,
        }
        Ok(())
    }

    /// Takes what is in a zip archive, as if it were a folder of that name.
    async fn unpack(&mut self, name: &str, archive: &[u8]) -> Result<(), LocalError> {
        const NONE: LocalError = LocalError::NoArchive("it is damaged, or none");
        let archive = ZipArchive::from_slice(archive).map_err(|_| NONE)?;
        let mut entries = archive.entries();
        let mut names = HashSet::new();
        let mut unpacked = 0;
        while let Some(entry) = entries.next_entry().map_err(|_| NONE)? {
            if leads_out(entry.file_path().as_bytes()) {
                return Err(LocalError::NoArchive("a name in it leads out of the archive"));
            }
            let path = entry.file_path().try_normalize();
            let path = path.map_err(|_| LocalError::NoArchive("a name in it is no UTF-8"))?;
            let path = format!("{name}/{}", path.as_ref());
            if entry.is_dir() || !is_of_skills(&path) {
                continue;
            }
            if !names.insert(path.clone()) {
                return Err(LocalError::NoArchive("two files in it have one name"));
            }
            if entry.flags().is_encrypted() {
                return Err(LocalError::NoArchive("it is locked with a password"));
            }
            self.make_room(entry.uncompressed_size_hint())?;
            let packed = archive.get_entry(entry.wayfinder()).map_err(|_| NONE)?;
            let bytes = match entry.compression_method() {
                CompressionMethod::STORE => packed.data().to_vec(),
                CompressionMethod::DEFLATE => {
                    inflate(packed.data(), entry.uncompressed_size_hint() as usize)?
                }
                _ => {
                    return Err(LocalError::NoArchive(
                        "it is packed in a way this page does not read",
                    ));
                }
            };
            let is_whole = packed.claim_verifier().valid(ZipVerification {
                crc: rawzip::crc32(&bytes),
                uncompressed_size: bytes.len() as u64,
            });
            is_whole.map_err(|_| NONE)?;
            unpacked += bytes.len() + FILE_COST;
            self.add(path, bytes).await;
            if unpacked > AT_ONCE {
                unpacked = 0;
                browser::breathe().await;
            }
        }
        Ok(())
    }
}

/// What was packed, if it is no larger than the archive says.
fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, LocalError> {
    decompress_to_vec_with_limit(packed, size).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => LocalError::NoArchive("a file in it is larger than it says"),
        _ => LocalError::NoArchive("it is damaged"),
    })
}

/// Whether a name in an archive means a place outside of the folder that the archive stands for.
fn leads_out(name: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    name.first().is_some_and(is_separator)
        || matches!(name, [letter, b':', ..] if letter.is_ascii_alphabetic())
        || name.split(is_separator).any(|segment| segment == b"..")
}

fn is_of_skills(path: &str) -> bool {
    path.split('/').all(|segment| !NOT_OF_SKILLS.contains(&segment))
}

/// The files as a server has them. The outermost folder is only where they lie, unless it is a skill itself.
fn skills(gathered: Gathered) -> Result<Vec<File>, LocalError> {
    let is_skill_md = |path: &str| path.rsplit('/').next() == Some(SKILL_MD) && path.contains('/');
    if !gathered.files.iter().any(|file| is_skill_md(&file.path)) {
        return Err(LocalError::NoSkill);
    }
    let first = |path: &str| path.split_once('/').map(|(first, _)| first.to_owned());
    let roots: HashSet<_> = gathered.files.iter().filter_map(|file| first(&file.path)).collect();
    let is_skill =
        |root: &str| gathered.files.iter().any(|file| file.path == format!("{root}/{SKILL_MD}"));
    let strips = roots.len() == 1 && !roots.iter().any(|root| is_skill(root));
    let file = |Found { path, bytes, digest }: Found| {
        let path = if strips { path.split_once('/')?.1 } else { &path };
        let segments: Vec<_> = path.split('/').map(encode_segment).collect();
        Some(File::with_digest(&segments.join("/"), bytes, digest))
    };
    Ok(gathered.files.into_iter().filter_map(file).collect())
}

/// A server of these files inside of this page.
pub(crate) fn server(name: &str, files: Vec<File>) -> Demo {
    let server = SkillServer::new(name, files);
    Rc::new(move |request| server.answer(request))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(path: &str) -> Found {
        Found { path: path.to_owned(), bytes: Vec::new(), digest: Digest::of(b"") }
    }

    fn paths(files: &[&str]) -> Result<Vec<String>, LocalError> {
        let files = files.iter().copied().map(empty).collect();
        let served = skills(Gathered { files, bytes: 0 })?;
        Ok(served.iter().map(|file| file.path().to_owned()).collect())
    }

    #[test]
    fn the_folder_that_was_chosen_is_only_where_they_lie() {
        assert_eq!(
            paths(&["mine/a/SKILL.md", "mine/a/b c.md"]).unwrap(),
            ["a/SKILL.md", "a/b%20c.md"]
        );
        assert_eq!(paths(&["a/SKILL.md", "a/b.md"]).unwrap(), ["a/SKILL.md", "a/b.md"]);
        assert_eq!(paths(&["a/SKILL.md", "b/SKILL.md"]).unwrap(), ["a/SKILL.md", "b/SKILL.md"]);
    }

    #[test]
    fn what_holds_no_skill_is_none() {
        assert_eq!(paths(&["mine/README.md"]), Err(LocalError::NoSkill));
        assert_eq!(paths(&["SKILL.md"]), Err(LocalError::NoSkill));
        assert!(!is_of_skills("a/.git/config") && is_of_skills("a/.github/x"));
    }

    #[test]
    fn bombs_end_at_the_limit() {
        let packed = miniz_oxide::deflate::compress_to_vec(&[0; 100_000], 6);
        assert_eq!(inflate(&packed, 100_000).unwrap().len(), 100_000);
        let lie = LocalError::NoArchive("a file in it is larger than it says");
        assert_eq!(inflate(&packed, 99_999), Err(lie));
        let almost = Gathered { files: Vec::new(), bytes: MAX_BYTES - 1 };
        assert_eq!(almost.make_room(1), Ok(()));
        assert_eq!(almost.make_room(2), Err(LocalError::TooMuch));
        assert_eq!(almost.make_room(u64::MAX), Err(LocalError::TooMuch));
        let full = Gathered { files: (0..MAX_FILES).map(|_| empty("a")).collect(), bytes: 0 };
        assert_eq!(full.make_room(0), Err(LocalError::TooMuch));
    }

    #[test]
    fn names_that_lead_out_of_an_archive_are_known() {
        for name in ["../a", "a/../../b", "/etc/a", "\\a", "a\\..\\b", "C:a", "c:\\a", ".."] {
            assert!(leads_out(name.as_bytes()), "{name}");
        }
        for name in ["a", "a/b", "./a", "a/..b/c", "a..", "", "ab:c"] {
            assert!(!leads_out(name.as_bytes()), "{name}");
        }
    }
}
