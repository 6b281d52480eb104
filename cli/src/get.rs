//! `skillglass get`: one skill into a folder, verified, complete or not at all.
//!
//! Files are put together in a folder below `.skillglass`, which no host looks for skills in, and
//! come to their place by one rename. What is there after an interruption is checked again and
//! then kept. Nothing that is written can be run by accident: no file is executable.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use skillglass::digest::Digest;
use skillglass::entry::{self, Reading, SkillEntry};
use skillglass::finding::{Level, quote};
use skillglass::host::{Checkout, Limits, PlacedFile};
use skillglass::verify::{Verdict, verify_file};

use crate::Outcome;
use crate::arguments::Get;
use crate::conversation::Conversation;
use crate::failure::Failure;
use crate::output::{self, GOOD, bytes, count, shown};
use crate::skills;
use crate::terminal::Terminal;

/// Where this command keeps what is not yet, or not, part of a skill.
const OWN_FOLDER: &str = ".skillglass";

pub(crate) async fn run(arguments: Get, terminal: &Terminal) -> Result<Outcome, Failure> {
    let Get { names, output, replace, server } = arguments;
    let (target, rest) = server.target(&names)?;
    let [named] = rest else {
        return Err(Failure::Usage("Name one skill to get behind the server: its name, its path, or the URI of its SKILL.md.".to_owned()));
    };
    let conversation = Conversation::with_skills(&target, &server, terminal).await?;
    let got = get(&conversation, named, &output, replace, server.parallel(), terminal).await;
    conversation.close().await;
    terminal.clear();
    output::print(&got?)
}

async fn get(
    conversation: &Conversation,
    named: &str,
    folder: &Path,
    replace: bool,
    parallel: usize,
    terminal: &Terminal,
) -> Result<String, Failure> {
    let mut chosen = skills::choose(conversation, Some(named), terminal).await?;
    let reading = chosen.skills.remove(0);
    let broken: Vec<_> =
        reading.findings.iter().filter(|it| it.level == Level::Must).cloned().collect();
    let skill = Skill::plan(&conversation.label, reading)?;
    // Its bytes may be the promised ones all the same.
    for finding in broken {
        terminal.note(format!("The entry breaks a rule: {} ({})", finding.message, finding.id));
    }
    let place = Place::of(&skill, folder)?;
    let (files, size) = (count(skill.checkout.files().len(), "file"), bytes(skill.size()));
    let at = place.skill.display();
    if place.skill.symlink_metadata().is_ok() {
        if skill.is_complete_in(&place.skill) {
            return Ok(format!("{GOOD}verified{GOOD:#} {at} is there already, {files}, {size}\n"));
        }
        place.may_be_replaced(replace, &conversation.label)?;
    }
    fetch(conversation, &skill, &place, parallel, terminal).await?;
    place.settle(&skill)?;
    Ok(format!("{GOOD}verified{GOOD:#} {at}, {files}, {size}\n"))
}

/// Reads the files that are not there yet.
async fn fetch(
    conversation: &Conversation,
    skill: &Skill,
    place: &Place,
    parallel: usize,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let files = skill.checkout.files();
    let missing: Vec<_> = files
        .iter()
        .filter(|placed| !skill.holds(&place.unfinished, placed))
        .map(|placed| placed.file.uri.as_str())
        .collect();
    let mut there = files.len() - missing.len();
    if there > 0 {
        terminal.note(format!("{} kept from an interrupted run.", count(there, "file")));
    }
    let mut reads = pin!(skills::read_files(conversation, &skill.entry, missing, parallel));
    while let Some((uri, read)) = reads.next().await {
        let reason = match read.verdict? {
            Verdict::Verified(_) => None,
            Verdict::Refused(refusal) => Some(match &refusal.cause {
                Some(cause) => format!("{refusal}. {cause}"),
                None => format!("{refusal}."),
            }),
            Verdict::Untested(untested) => Some(format!("{}.", untested.problem.message)),
            Verdict::Unpinned(_) => Some("nothing pins its bytes.".to_owned()),
        };
        if let Some(reason) = reason {
            let uri = quote(uri);
            return Err(Failure::Refused(format!("Refused: in the file {uri} {reason}")));
        }
        if let Some(placed) = skill.checkout.place(uri) {
            write_below(&place.unfinished, &placed.path, &read.bytes)?;
        }
        there += 1;
        let all = files.len();
        terminal.progress(|| format!("{}: {there} of {}", shown(uri), count(all, "file")));
    }
    Ok(())
}

/// A skill that may be put on a disk.
struct Skill {
    server: String,
    entry: SkillEntry,
    checkout: Checkout,
}

impl Skill {
    fn plan(server: &str, reading: Reading) -> Result<Self, Failure> {
        let Some(entry) = reading.entry else {
            let what = reading.findings.first().map(|finding| finding.message.clone());
            let what = what.unwrap_or_default();
            return Err(Failure::Refused(format!(
                "Refused: a host must not load this entry: {what}."
            )));
        };
        let checkout = Checkout::plan(&entry, &reading.findings, Limits::default())
            .map_err(|error| Failure::Refused(format!("Refused: {error}.")))?;
        Ok(Self { server: server.to_owned(), entry, checkout })
    }

    fn size(&self) -> u64 {
        self.checkout.files().iter().filter_map(|placed| placed.file.size).sum()
    }

    /// Whether a folder holds a file of the skill as it should be.
    fn holds(&self, folder: &Path, placed: &PlacedFile) -> bool {
        let path = folder.join(&placed.path);
        let is_file = path
            .symlink_metadata()
            .is_ok_and(|data| data.is_file() && Some(data.len()) == placed.file.size);
        let content = is_file.then(|| fs::read(&path).ok()).flatten();
        content.is_some_and(|content| {
            let verdict = verify_file(&self.entry, &placed.file.uri, &content);
            matches!(verdict, Verdict::Verified(_))
        })
    }

    fn is_complete_in(&self, folder: &Path) -> bool {
        let is_folder = folder.symlink_metadata().is_ok_and(|data| data.is_dir());
        is_folder && self.checkout.files().iter().all(|placed| self.holds(folder, placed))
    }
}

/// The places of one skill in the folder that the user named.
struct Place {
    /// The skill itself, once it is complete.
    skill: PathBuf,
    /// Where it is put together.
    unfinished: PathBuf,
    /// Where it comes from.
    record: PathBuf,
    /// What was in its place before, for the moment between two renames.
    before: PathBuf,
}

/// Where a skill comes from, and what it was when it came.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    /// The server; of a program its name only, of an address no query, as they may hold secrets.
    server: String,
    /// The URI of the `SKILL.md`.
    uri: String,
    /// When it was fetched, in milliseconds since 1970.
    fetched_at_ms: u64,
    /// The entry's exact JSON, which the files were checked against.
    entry: String,
}

impl Place {
    fn of(skill: &Skill, folder: &Path) -> Result<Self, Failure> {
        let name = skill.checkout.name();
        let own = folder.join(OWN_FOLDER);
        fs::create_dir_all(folder).map_err(Failure::file("made", folder))?;
        make_folder(&own).map_err(Failure::file("made", &own))?;
        // Another version of the skill is put together in another place.
        let version = format!("{}\n{}", skill.server, skill.entry.source);
        let version = &Digest::of(version.as_bytes()).hex()[..16];
        let unfinished = own.join(format!("{name}-{version}"));
        make_folder(&unfinished).map_err(Failure::file("made", &unfinished))?;
        Ok(Self {
            skill: folder.join(name),
            unfinished,
            record: own.join(format!("{name}.json")),
            before: own.join(format!("{name}-{version}.before")),
        })
    }

    /// Whether what is in the skill's place may make way: only what this command put there, from
    /// the same server, and only if the user says so.
    fn may_be_replaced(&self, replace: bool, server: &str) -> Result<(), Failure> {
        let at = self.skill.display();
        let recorded = fs::read_to_string(&self.record).ok();
        let record: Option<Record> = recorded.and_then(|text| serde_json::from_str(&text).ok());
        let known =
            record.as_ref().is_some_and(|record| entry::read(&record.entry).entry.is_some());
        match record.filter(|_| known) {
            None => Err(Failure::Skill(format!(
                "{at} is there already, and there is no record that this command put it there. Move it away, or choose another folder with -o."
            ))),
            Some(record) if record.server != server => Err(Failure::Skill(format!(
                "{at} is from another server, {}. Move it away, or choose another folder with -o.",
                shown(&record.server),
            ))),
            Some(_) if !replace => Err(Failure::Skill(format!(
                "{at} holds another version of the skill. Let it be replaced with --replace; changes that were made to it are lost then."
            ))),
            Some(_) => Ok(()),
        }
    }

    /// Brings the complete skill to its place.
    fn settle(&self, skill: &Skill) -> Result<(), Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = Record {
            server: skill.server.clone(),
            uri: skill.entry.uri.clone(),
            fetched_at_ms: u64::try_from(now.as_millis()).unwrap_or_default(),
            entry: skill.entry.source.clone(),
        };
        let record =
            serde_json::to_vec_pretty(&record).map_err(|error| Failure::Output(error.into()))?;
        let stand_in = self.record.with_extension("json.new");
        write_new(&stand_in, &record)
            .and_then(|()| fs::rename(&stand_in, &self.record))
            .map_err(Failure::file("written", &self.record))?;
        let replaces = self.skill.symlink_metadata().is_ok();
        let moved = if replaces { fs::rename(&self.skill, &self.before) } else { Ok(()) };
        moved
            .and_then(|()| fs::rename(&self.unfinished, &self.skill))
            .map_err(Failure::file("replaced", &self.skill))?;
        if replaces {
            fs::remove_dir_all(&self.before).map_err(Failure::file("removed", &self.before))?;
        }
        Ok(())
    }
}

/// Writes a file below `folder`, which this program has made. `path` is a checkout's.
fn write_below(folder: &Path, path: &str, content: &[u8]) -> Result<(), Failure> {
    let whole = folder.join(path);
    let mut parent = folder.to_owned();
    let mut names = path.split('/').peekable();
    let written = loop {
        let Some(name) = names.next() else { break Ok(()) };
        parent.push(name);
        let done =
            if names.peek().is_some() { make_folder(&parent) } else { write_new(&parent, content) };
        if done.is_err() {
            break done;
        }
    };
    written.map_err(Failure::file("written", whole))
}

/// Makes a folder unless it is there. A link to one is none.
fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_folder = path.symlink_metadata()?.is_dir();
            if is_folder { Ok(()) } else { Err(ErrorKind::NotADirectory.into()) }
        }
        made => made,
    }
}

/// Writes a file anew. What was in its place goes, and is never written through.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_never_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "mine").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.join("file"), inside.join("file")).unwrap();
        assert!(write_below(&inside, "folder/file", b"theirs").is_err());
        write_below(&inside, "file", b"theirs").unwrap();
        write_below(&inside, "new/deep/file", b"theirs").unwrap();
        assert_eq!(fs::read(outside.join("file")).unwrap(), b"mine");
        assert_eq!(fs::read(inside.join("file")).unwrap(), b"theirs");
        assert_eq!(fs::read(inside.join("new/deep/file")).unwrap(), b"theirs");
    }
}
