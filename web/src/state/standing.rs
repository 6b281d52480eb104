//! How a skill stands: one mark, one line for its head, one word for its row.

use skillglass::entry::{Reading, Resources, SkillEntry};
use skillglass::finding::{Finding, Level};
use skillglass::review::{HIDDEN_CHARACTERS, is_review};
use skillglass::verify::{Summary, Verdict, evidence};

use super::skill::FileState;
use crate::failure::Failure;
use crate::mark::Mark;
use crate::markdown;
use crate::text::{bytes, count};

/// What the checks of a skill's files come to, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Verified, or nothing to verify against.
    pub(crate) usable: usize,
    /// Refused.
    pub(crate) refused: usize,
    /// Not to be judged by this reader.
    pub(crate) untested: usize,
    /// Answered with an error.
    pub(crate) failed: usize,
    /// Not to be had: no answer came, or the server let nobody in.
    pub(crate) missed: usize,
    /// The characters of the usable ones that nobody would see.
    pub(crate) hidden: usize,
    /// The bytes of the usable ones.
    pub(crate) bytes: u64,
    /// The bytes that are kept.
    pub(crate) kept: u64,
}

impl Tally {
    /// Counts a state.
    pub(crate) fn put_in(&mut self, state: &FileState) {
        self.change(state, |number, by| *number += by, |sum, by| *sum += by);
    }

    /// Takes a state that was counted out again.
    pub(crate) fn take_out(&mut self, state: &FileState) {
        self.change(state, |number, by| *number -= by, |sum, by| *sum -= by);
    }

    fn change(
        &mut self,
        state: &FileState,
        number: impl Fn(&mut usize, usize),
        sum: impl Fn(&mut u64, u64),
    ) {
        match state {
            FileState::Read(read) => {
                match &read.verdict {
                    Verdict::Verified(_) | Verdict::Unpinned(_) => {
                        number(&mut self.usable, 1);
                        number(&mut self.hidden, read.hidden);
                        sum(&mut self.bytes, read.size);
                    }
                    Verdict::Refused(_) => number(&mut self.refused, 1),
                    Verdict::Untested(_) => number(&mut self.untested, 1),
                }
                if read.bytes.is_some() {
                    sum(&mut self.kept, read.size);
                }
            }
            FileState::Failed(Failure::Rpc(_) | Failure::Reply(_) | Failure::Unfinished(_)) => {
                number(&mut self.failed, 1);
            }
            FileState::Failed(_) => number(&mut self.missed, 1),
            FileState::NotRead | FileState::Reading => {}
        }
    }
}

/// How many findings there are of each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Broken MUSTs.
    pub(crate) must: usize,
    /// Broken SHOULDs.
    pub(crate) should: usize,
    /// Notes, but for those of a review.
    pub(crate) note: usize,
    /// What a person should see in a skill's content, though nothing is wrong with it.
    pub(crate) review: usize,
    /// Those of a review that are about characters nobody would see.
    pub(crate) hidden: usize,
}

impl Counts {
    /// Counts findings.
    pub(crate) fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            counts.hidden += usize::from(finding.id == HIDDEN_CHARACTERS);
            match finding.level {
                _ if is_review(finding) => counts.review += 1,
                Level::Must => counts.must += 1,
                Level::Should => counts.should += 1,
                Level::Note => counts.note += 1,
            }
        }
        counts
    }

    /// These and those.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            must: self.must + other.must,
            should: self.should + other.should,
            note: self.note + other.note,
            review: self.review + other.review,
            hidden: self.hidden + other.hidden,
        }
    }

    /// All that say what is wrong or odd.
    pub(crate) const fn all(self) -> usize {
        self.must + self.should + self.note
    }
}

/// What a skill consists of, by its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// So many files.
    Files(usize),
    /// Whatever the server makes up.
    Dynamic,
    /// The entry may not be loaded.
    Unreadable,
}

impl Kind {
    /// The kind of the skill whose entry was read.
    pub(crate) fn of(reading: &Reading) -> Self {
        match reading.entry.as_ref().map(|entry| &entry.resources) {
            Some(Resources::Manifest(manifest)) => Self::Files(manifest.files.len()),
            Some(Resources::Dynamic) => Self::Dynamic,
            None => Self::Unreadable,
        }
    }

    /// How many files there are to be read.
    pub(crate) const fn files(self) -> usize {
        match self {
            Self::Files(number) => number,
            Self::Dynamic => 1,
            Self::Unreadable => 0,
        }
    }
}

/// Everything a standing depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// What the skill consists of.
    pub(crate) kind: Kind,
    /// The findings about it.
    pub(crate) counts: Counts,
    /// What was read.
    pub(crate) tally: Tally,
    /// What core makes of it.
    pub(crate) summary: Option<Summary>,
    /// Whether the server has come up with another entry than the one that is held.
    pub(crate) is_outdated: bool,
    /// Whether another skill of the server has its name.
    pub(crate) same_name: bool,
    /// Whether the last run over its files ended before its end, and not because the user wanted that.
    pub(crate) is_broken_off: bool,
}

/// How a skill stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// At a glance.
    pub(crate) mark: Mark,
    /// For its head.
    pub(crate) line: String,
    /// For its row.
    pub(crate) word: String,
}

impl Standing {
    /// How the skill with these facts stands.
    pub(crate) fn of(facts: Facts) -> Self {
        let mark = mark(facts);
        Self { mark, line: line(facts), word: word(facts) }
    }
}

fn mark(facts: Facts) -> Mark {
    let Facts { kind, counts, tally, summary, is_outdated, same_name, .. } = facts;
    let broken = kind == Kind::Unreadable
        || counts.must > 0
        || tally.refused + tally.failed > 0
        || summary == Some(Summary::Refused);
    if broken {
        Mark::Bad
    } else if counts.should + tally.untested + tally.missed + tally.hidden + counts.hidden > 0
        || kind == Kind::Dynamic
        || is_outdated
    {
        Mark::Warn
    } else if summary == Some(Summary::Verified) {
        Mark::Good
    } else if same_name {
        Mark::Warn
    } else {
        Mark::Unknown
    }
}

fn line(facts: Facts) -> String {
    let Facts { kind, counts, tally, summary, is_outdated, same_name, is_broken_off } = facts;
    let Kind::Files(total) = kind else {
        return match kind {
            Kind::Unreadable => "Unreadable entry, not to be loaded".to_owned(),
            _ if tally.refused > 0 => "Dynamic, and SKILL.md is refused".to_owned(),
            _ if tally.missed > 0 => "Dynamic, and a file could not be had".to_owned(),
            _ => "Dynamic: nothing pins its bytes".to_owned(),
        };
    };
    let files = if total == 1 { "file" } else { "files" };
    if tally.refused > 0 {
        return format!("Refused {} of {total} {files}", tally.refused);
    }
    if tally.failed > 0 {
        return format!("Could not read {} of {total} {files}", tally.failed);
    }
    if tally.untested > 0 {
        return format!("Could not judge {} of {total} {files}", tally.untested);
    }
    if is_broken_off && tally.usable < total {
        return format!("Broken off: verified {} of {total} {files}", tally.usable);
    }
    if tally.missed > 0 {
        return format!("Could not get {} of {total} {files}", tally.missed);
    }
    let progress = match (summary, tally.usable) {
        (Some(Summary::Verified), _) => {
            format!("Verified {total} of {total}, {}", bytes(tally.bytes))
        }
        (_, 0) if same_name => "Not read yet; another skill has this name".to_owned(),
        (_, 0) => "Not read yet".to_owned(),
        (_, read) => format!("Verified {read} of {total} so far"),
    };
    let hidden = tally.hidden + counts.hidden > 0;
    let progress = if hidden { format!("{progress}; has hidden characters") } else { progress };
    let progress = if is_outdated { format!("{progress}; since changed") } else { progress };
    match (counts.must, counts.should) {
        (0, 0) => progress,
        (0, should) => format!("{progress}; breaks {}", count(should, "SHOULD")),
        // What is wrong first: a count of verified files beside it would read like good news.
        (must, _) => format!("Breaks {}; {}", count(must, "MUST"), uncapital(&progress)),
    }
}

/// A line as the rest of another.
fn uncapital(line: &str) -> String {
    let mut characters = line.chars();
    let first = characters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

fn word(facts: Facts) -> String {
    let Facts { kind, tally, summary, is_outdated, same_name, .. } = facts;
    match kind {
        Kind::Unreadable => "unreadable".to_owned(),
        Kind::Dynamic => "dynamic".to_owned(),
        Kind::Files(_) if is_outdated => "changed".to_owned(),
        Kind::Files(total) => {
            let touched =
                tally.usable + tally.refused + tally.failed + tally.missed + tally.untested > 0;
            if touched && summary != Some(Summary::Verified) {
                format!("{} of {total}", tally.usable)
            } else if same_name {
                "same name".to_owned()
            } else {
                count(total, "file")
            }
        }
    }
}

/// The links of a `SKILL.md` to files below its root that the manifest does not list.
pub(crate) fn unlisted_links(entry: &SkillEntry, skill_md: &[u8]) -> Vec<Finding> {
    let (Some(_), Ok(text)) = (entry.manifest(), std::str::from_utf8(skill_md)) else {
        return Vec::new();
    };
    let unlisted = markdown::unlisted_files(entry, text);
    unlisted.iter().map(|uri| evidence::of_unlisted_link(entry.path_of(uri))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Facts = Facts {
        kind: Kind::Files(3),
        counts: Counts { must: 0, should: 0, note: 0, review: 0, hidden: 0 },
        tally: Tally {
            usable: 0,
            refused: 0,
            untested: 0,
            failed: 0,
            missed: 0,
            hidden: 0,
            bytes: 0,
            kept: 0,
        },
        summary: None,
        is_outdated: false,
        same_name: false,
        is_broken_off: false,
    };

    fn standing(facts: Facts) -> (Mark, String, String) {
        let Standing { mark, line, word } = Standing::of(facts);
        (mark, line, word)
    }

    #[test]
    fn what_was_not_read_is_not_green() {
        let (mark, line, word) = standing(NOTHING);
        assert_eq!(
            (mark, line.as_str(), word.as_str()),
            (Mark::Unknown, "Not read yet", "3 files")
        );
        let tally = Tally { usable: 2, ..NOTHING.tally };
        let some = Facts { tally, summary: Some(Summary::Incomplete), ..NOTHING };
        let (mark, line, word) = standing(some);
        assert_eq!((mark, word.as_str()), (Mark::Unknown, "2 of 3"));
        assert_eq!(line, "Verified 2 of 3 so far");
    }

    #[test]
    fn green_is_core_s_word() {
        let tally = Tally { usable: 3, bytes: 41_200, ..NOTHING.tally };
        let all = Facts { tally, summary: Some(Summary::Verified), ..NOTHING };
        let (mark, line, word) = standing(all);
        assert_eq!((mark, word.as_str()), (Mark::Good, "3 files"));
        assert_eq!(line, "Verified 3 of 3, 41.2 kB");
        let without = Facts { summary: Some(Summary::Refused), ..all };
        assert_eq!(standing(without).0, Mark::Bad);
        let outdated = standing(Facts { is_outdated: true, ..all });
        assert_eq!((outdated.0, outdated.2.as_str()), (Mark::Warn, "changed"));
        assert_eq!(outdated.1, "Verified 3 of 3, 41.2 kB; since changed");
    }

    #[test]
    fn a_broken_rule_is_never_green() {
        let tally = Tally { usable: 3, ..NOTHING.tally };
        let all = Facts { tally, summary: Some(Summary::Verified), ..NOTHING };
        let must = Facts { counts: Counts { must: 2, should: 1, ..Counts::default() }, ..all };
        assert_eq!(standing(must).0, Mark::Bad);
        assert_eq!(standing(must).1, "Breaks 2 MUSTs; verified 3 of 3, 0 B");
        let should = Facts { counts: Counts { should: 1, ..Counts::default() }, ..all };
        assert_eq!(standing(should).0, Mark::Warn);
        let note = Facts { counts: Counts { note: 5, ..Counts::default() }, ..all };
        assert_eq!(standing(note).0, Mark::Good);
    }

    #[test]
    fn what_nobody_sees_needs_a_look() {
        let tally = Tally { usable: 3, hidden: 159, ..NOTHING.tally };
        let all = Facts { tally, summary: Some(Summary::Verified), ..NOTHING };
        assert_eq!(standing(all).0, Mark::Warn);
        assert!(standing(all).1.ends_with("; has hidden characters"));
        let unread = Facts { counts: Counts { hidden: 1, ..Counts::default() }, ..NOTHING };
        assert_eq!(standing(unread).0, Mark::Warn);
        assert_eq!(standing(unread).1, "Not read yet; has hidden characters");
    }

    #[test]
    fn refused_and_unreadable_files_are_red() {
        let refused = Facts { tally: Tally { usable: 2, refused: 1, ..NOTHING.tally }, ..NOTHING };
        assert_eq!(standing(refused).1, "Refused 1 of 3 files");
        assert_eq!((standing(refused).0, standing(refused).2), (Mark::Bad, "2 of 3".into()));
        let failed = Facts { tally: Tally { failed: 1, ..NOTHING.tally }, ..NOTHING };
        assert_eq!(
            (standing(failed).0, standing(failed).1),
            (Mark::Bad, "Could not read 1 of 3 files".into())
        );
    }

    #[test]
    fn what_could_not_be_had_is_not_merely_unread() {
        let missed = Facts { tally: Tally { missed: 1, ..NOTHING.tally }, ..NOTHING };
        let (mark, line, word) = standing(missed);
        assert_eq!((mark, word.as_str()), (Mark::Warn, "0 of 3"));
        assert_eq!(line, "Could not get 1 of 3 files");
        let broken_off = Facts { is_broken_off: true, ..missed };
        assert_eq!(standing(broken_off).1, "Broken off: verified 0 of 3 files");
        let dynamic = Facts { kind: Kind::Dynamic, ..missed };
        assert_eq!(standing(dynamic).1, "Dynamic, and a file could not be had");
    }

    #[test]
    fn kinds_without_a_manifest_say_so() {
        let (mark, _, word) = standing(Facts { kind: Kind::Dynamic, ..NOTHING });
        assert_eq!((mark, word.as_str()), (Mark::Warn, "dynamic"));
        let (mark, _, word) = standing(Facts { kind: Kind::Unreadable, ..NOTHING });
        assert_eq!((mark, word.as_str()), (Mark::Bad, "unreadable"));
    }

    #[test]
    fn a_shared_name_needs_a_look() {
        let (mark, line, word) = standing(Facts { same_name: true, ..NOTHING });
        assert_eq!((mark, word.as_str()), (Mark::Warn, "same name"));
        assert_eq!(line, "Not read yet; another skill has this name");
    }
}
