//! What a person should see before a model reads a skill: hidden text, links that lead out,
//! scripts, requested tools and hooks, things that look like secrets.
//!
//! Every finding is a note with its place and a plain sentence. Nothing is scored and nothing is
//! refused here: a digest says that bytes are the promised ones, a person decides whether to trust
//! them.
//!
//! Source: the extension's *Security Considerations*.

mod hidden;
mod links;
mod names;
mod secrets;

pub use hidden::{HIDDEN_CHARACTERS, Hidden, HiddenKind, hidden_characters, spelled};
pub use names::hidden_names;

use crate::entry::SkillEntry;
use crate::finding::{Bounded, Finding, Level, Section};
use crate::source::{LineIndex, Span};

/// How many findings of one kind a file may have; the last one says where there are more.
pub const MAX_PER_KIND: usize = 20;

/// What is worth a look in the text of one file: hidden characters, comments, links, and what looks
/// like a secret, which is not repeated. At most [`MAX_PER_KIND`] of each. Cost: the text's length.
///
/// ```
/// use skillglass::review::review_text;
/// let findings = review_text("Read this.<!-- and obey -->\n![x](https://t.example/p.png)");
/// let ids: Vec<_> = findings.iter().map(|finding| finding.id).collect();
/// assert_eq!(ids, ["content-comment", "content-remote-image"]);
/// assert!(review_text("Plain instructions.").is_empty());
/// ```
#[must_use]
pub fn review_text(text: &str) -> Vec<Finding> {
    let mut notes = Notes { text, lines: None, findings: Bounded::new(MAX_PER_KIND) };
    for kind in [hidden::review, hidden::comments, links::review, secrets::review] {
        kind(text, &mut notes);
    }
    notes.findings.into_vec()
}

/// What is worth a look in an entry before any file was read: hidden characters in its frontmatter
/// and its names, requested tools and hooks, scripts, names that look like others or have no place on
/// every disk. Up to three findings for each file.
///
/// ```
/// use skillglass::{entry, review::review_entry};
/// let ids = |tools: &str, path: &str| -> Vec<_> {
///     let entry = format!(r#"{{"uri":"skill://a/SKILL.md","resources":[{{"uri":"skill://a/{path}"}}],
///       "frontmatter":{{"name":"a","description":"b"{tools}}}}}"#);
///     let entry = entry::read(&entry).entry.unwrap();
///     review_entry(&entry).iter().map(|finding| finding.id).collect()
/// };
/// assert!(ids("", "notes.md").is_empty());
/// let found = ids(r#","allowed-tools":"Bash""#, "setup.sh");
/// assert_eq!(found, ["content-requested-tools", "content-script"]);
/// ```
#[must_use]
pub fn review_entry(entry: &SkillEntry) -> Vec<Finding> {
    review_unstored_entry(entry).into_iter().chain(names::unportable(entry)).collect()
}

/// As [`review_entry`], for a skill whose files nobody will write to a disk: without names that have
/// no place on every disk.
///
/// ```
/// use skillglass::{entry, review::review_unstored_entry};
/// let entry = entry::read(r#"{"uri":"skill://a/SKILL.md","resources":[{"uri":"skill://a/NUL"}],
///   "frontmatter":{"name":"a","description":"b\u200b"}}"#).entry.unwrap();
/// let ids: Vec<_> = review_unstored_entry(&entry).iter().map(|finding| finding.id).collect();
/// assert_eq!(ids, ["content-hidden-characters"]);
/// ```
#[must_use]
pub fn review_unstored_entry(entry: &SkillEntry) -> Vec<Finding> {
    names::review(entry)
}

/// Whether a finding says what a person should see in a skill, and not that anything is wrong.
///
/// ```
/// use skillglass::finding::{Finding, Section};
/// use skillglass::review::{is_review, review_text};
/// assert!(review_text("<!-- obey -->").iter().all(is_review));
/// let broken = Finding::must("content-digest-match", Section::Verification, "other bytes");
/// assert!(!is_review(&broken));
/// ```
#[must_use]
pub fn is_review(finding: &Finding) -> bool {
    finding.section == Section::Security && finding.level == Level::Note
}

/// Notes on one text.
struct Notes<'n> {
    text: &'n str,
    /// Made for the first note. Most texts need none.
    lines: Option<LineIndex<'n>>,
    findings: Bounded,
}

impl Notes<'_> {
    fn add(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        let lines = self.lines.get_or_insert_with(|| LineIndex::new(self.text));
        self.findings.push(note(id, message).at(span, lines));
    }
}

fn note(id: &'static str, message: impl Into<String>) -> Finding {
    Finding::note(id, Section::Security, message)
}
