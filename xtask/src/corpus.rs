//! `cargo xtask corpus DIR`: our reading of real files beside that of npm's `yaml`.
//!
//! Both find the frontmatter on their own and read it as YAML 1.2. Differences that a documented
//! rule of ours explains are counted apart; all others are listed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use skillglass::frontmatter::{Frontmatter, FrontmatterErrorKind, NoteKind};
use skillglass::json;
use skillglass::value::{Node, Value};
use skillglass::yaml::{self, YamlErrorKind};

use crate::tools::Need;
use crate::workspace::Workspace;

/// Reads every `*.md` below `folder` with both readers, and lists where they differ.
pub(crate) fn run(workspace: &Workspace, folder: &Path) -> Result<ExitCode, String> {
    Need::NodeParts.provide(workspace)?;
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let theirs = read_with_npm(workspace, &files)?;
    let mut counts = Counts::default();
    for (file, theirs) in files.iter().zip(theirs.lines()) {
        let bytes = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
        let relation = compare(&bytes, theirs)?;
        counts.add(&relation);
        if let Relation::Differs(how) = relation {
            println!("{}: {how}", file.display());
        }
    }
    println!("{} files: {counts}", files.len());
    Ok(if counts.differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How the two readings of one file relate.
enum Relation {
    Agree,
    BothRefuse,
    /// By a documented rule of ours.
    Explained,
    Differs(String),
}

#[derive(Default)]
struct Counts {
    agree: usize,
    both_refuse: usize,
    explained: usize,
    differ: usize,
}

impl Counts {
    fn add(&mut self, relation: &Relation) {
        match relation {
            Relation::Agree => self.agree += 1,
            Relation::BothRefuse => self.both_refuse += 1,
            Relation::Explained => self.explained += 1,
            Relation::Differs(_) => self.differ += 1,
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { agree, both_refuse, explained, differ } = self;
        write!(
            f,
            "{agree} agree, {both_refuse} refused by both, {explained} differ by a documented rule, {differ} differ"
        )
    }
}

/// Relates our reading of `bytes` to npm's, one line of JSON: `{"value": …}` or `{"error": …}`.
fn compare(bytes: &[u8], theirs: &str) -> Result<Relation, String> {
    let document = json::read(theirs).map_err(|error| format!("tests/corpus/read.mjs: {error}"))?;
    let theirs = document.root.get("value");
    let their_error = document.root.get("error").and_then(Node::as_str).unwrap_or_default();
    let how = match (Frontmatter::read(bytes), theirs) {
        (Ok(ours), Some(theirs)) if ours.root.same_content(theirs) => return Ok(Relation::Agree),
        (Err(_), None) => return Ok(Relation::BothRefuse),
        _ if has_lone_carriage_return(bytes) => return Ok(Relation::Explained),
        (Ok(ours), Some(theirs)) if same_but_for_numbers(&ours, theirs) => {
            return Ok(Relation::Explained);
        }
        (Ok(ours), None) if has_note(&ours, yaml::NoteKind::ReaderAllowance) => {
            return Ok(Relation::Explained);
        }
        (Err(error), Some(_)) if is_our_rule(&error.kind) => return Ok(Relation::Explained),
        (Ok(ours), Some(theirs)) => {
            format!("{} instead of {}", ours.root.to_json(), theirs.to_json())
        }
        (Ok(_), None) => format!("only npm's yaml refuses: {their_error}"),
        (Err(error), Some(_)) => format!("only ours refuses: {}", error.kind),
    };
    Ok(Relation::Differs(how))
}

/// Rules under which we refuse what npm's `yaml` reads: unknown tags, characters outside of
/// YAML's printable set, keys JSON cannot have, frontmatter that is no mapping, our limits.
fn is_our_rule(kind: &FrontmatterErrorKind) -> bool {
    match kind {
        FrontmatterErrorKind::Empty | FrontmatterErrorKind::NotMapping(_) => true,
        FrontmatterErrorKind::Yaml(kind) => matches!(
            kind,
            YamlErrorKind::UnknownTag(_)
                | YamlErrorKind::TagMismatch(_)
                | YamlErrorKind::ForbiddenCharacter(_)
                | YamlErrorKind::ComplexKey
                | YamlErrorKind::Limit(_)
        ),
        _ => false,
    }
}

/// A lone carriage return is a line break in YAML 1.2 and for us, but not for npm's `yaml`.
fn has_lone_carriage_return(bytes: &[u8]) -> bool {
    let lone = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    bytes.windows(2).any(lone) || bytes.last() == Some(&b'\r')
}

/// Numbers that a double cannot hold, and infinities, are ours alone to tell apart.
fn same_but_for_numbers(ours: &Frontmatter, theirs: &Node<'_>) -> bool {
    has_note(ours, yaml::NoteKind::NonFinite) || same_in_doubles(&ours.root, theirs)
}

fn has_note(ours: &Frontmatter, kind: yaml::NoteKind) -> bool {
    ours.notes.iter().any(|note| note.kind == NoteKind::Yaml(kind))
}

fn same_in_doubles(ours: &Node<'_>, theirs: &Node<'_>) -> bool {
    match (&ours.value, &theirs.value) {
        (Value::Number(a), Value::Number(b)) => a.same_double(b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_in_doubles(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|member| {
                    theirs
                        .get(&member.name)
                        .is_some_and(|other| same_in_doubles(&member.node, other))
                })
        }
        _ => ours.same_content(theirs),
    }
}

/// One line for each file, in order.
fn read_with_npm(workspace: &Workspace, files: &[PathBuf]) -> Result<String, String> {
    let mut node = workspace.command("node");
    node.arg("tests/corpus/read.mjs").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = node.spawn().map_err(|error| format!("node could not be started: {error}."))?;
    let paths: Vec<_> = files.iter().map(|file| absolute(file)).collect::<Result<_, _>>()?;
    let mut input = child.stdin.take().ok_or("standard input was not piped")?;
    let writer = std::thread::spawn(move || input.write_all(paths.join("\n").as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    writer.join().map_err(|_| "writing to node failed")?.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("tests/corpus/read.mjs failed ({}).", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

fn absolute(file: &Path) -> Result<String, String> {
    let path = file.canonicalize().map_err(|error| unreadable(file, &error))?;
    Ok(path.to_string_lossy().into_owned())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in folder.read_dir().map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}.", path.display())
}
