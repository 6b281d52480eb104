//! The table of checks: what each one wants, why, and how to mend what fails it.

mod capabilities;
mod directories;
mod entries;
mod files;
mod getting;
mod listing;
mod manifests;
mod protocol;
mod skill_md;

use super::SubjectKind;
use crate::finding::{Level, Section};

/// One rule that a server's answers can show to be kept or broken.
///
/// ```
/// use skillglass::conformance::{Check, SubjectKind, Suite};
/// let check = Check::find("entry-uri-required").unwrap();
/// assert_eq!(check.suite_id().as_deref(), Some("sep-2640-entry-uri-required"));
/// assert_eq!((check.about, check.suite), (SubjectKind::Skill, Suite::Checked));
/// assert!(Check::find("no-such-check").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its stable id: the official suite's without the prefix `sep-2640-` where that has one.
    pub id: &'static str,
    /// What the official suite does about it.
    pub suite: Suite,
    /// How the specification words it; [`Level::Note`] for a hint, which never fails.
    pub level: Level,
    /// Whom the rule binds.
    pub binds: Binds,
    /// The kind of thing that keeps or breaks it.
    pub about: SubjectKind,
    /// What holds where it passes.
    pub title: &'static str,
    /// What is wrong where it does not.
    pub failure: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to change.
    pub repair: &'static str,
    /// Where the rule stands.
    pub section: Section,
    /// The revisions it holds in.
    pub since: Since,
    /// What has to be there before it can be tested.
    pub needs: &'static [Need],
}

/// What the official suite does about a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// A server scenario reports it under this id.
    Checked,
    /// It declares a requirement, under the id that is given, and reports nothing.
    Declared(&'static str),
    /// It does not know it.
    Beyond,
}

/// Whom a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds {
    /// Servers.
    Server,
    /// Hosts and their clients.
    Host,
    /// Both sides.
    Both,
    /// Gateways and SDKs in between.
    Between,
}

impl Binds {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Host => "host",
            Self::Both => "both",
            Self::Between => "between",
        }
    }
}

/// The revisions of the base protocol a rule holds in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// All of them.
    Always,
    /// 2026-07-28 and later.
    Modern,
    /// Only before 2026-07-28.
    LegacyOnly,
}

/// What a check cannot be tested without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The server declares the extension.
    Extension,
    /// There is a skill to look at.
    Skill,
    /// A skill lists its files.
    Manifest,
    /// A page ends with the cursor `""`.
    EmptyCursor,
    /// The server lists resources.
    Resources,
    /// `directoryRead` is declared.
    DirectoryRead,
    /// `directoryRead` is not declared.
    NoDirectoryRead,
    /// A directory has a second page.
    DirectoryPages,
    /// A skill has a directory below its root.
    Subdirectory,
    /// A directory without files is known.
    EmptyDirectory,
    /// A skill is known that the listing does not name.
    Unlisted,
    /// The server's instructions name a skill.
    Instructions,
    /// A skill lies inside of another one.
    Nested,
    /// Errors are provoked on purpose.
    Probes,
    /// What the server declares in its other era is known.
    OtherEra,
}

impl Check {
    /// The check with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.id == id)
    }

    /// Its id in the official suite, if that has one.
    #[must_use]
    pub fn suite_id(&self) -> Option<String> {
        match self.suite {
            Suite::Checked if self.id == "wire-schema-valid" => Some(self.id.to_owned()),
            Suite::Checked => Some(format!("sep-2640-{}", self.id)),
            Suite::Declared(id) => Some(format!("sep-2640-{id}")),
            Suite::Beyond => None,
        }
    }

    const fn new(
        (level, suite, about, section): (Level, Suite, SubjectKind, Section),
        id: &'static str,
        title: &'static str,
        failure: &'static str,
        why: &'static str,
        repair: &'static str,
    ) -> Self {
        let (binds, since, needs) = (Binds::Server, Since::Always, EXTENSION);
        Self { id, suite, level, binds, about, title, failure, why, repair, section, since, needs }
    }

    const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    const fn modern(mut self) -> Self {
        self.since = Since::Modern;
        self
    }

    const fn legacy_only(mut self) -> Self {
        self.since = Since::LegacyOnly;
        self
    }

    const fn binds_both(mut self) -> Self {
        self.binds = Binds::Both;
        self
    }
}

const EXTENSION: &[Need] = &[Need::Extension];
const SKILL: &[Need] = &[Need::Extension, Need::Skill];
const MANIFEST: &[Need] = &[Need::Extension, Need::Skill, Need::Manifest];
const RESOURCES: &[Need] = &[Need::Extension, Need::Skill, Need::Resources];
const PROBES: &[Need] = &[Need::Extension, Need::Probes];
const SKILL_PROBES: &[Need] = &[Need::Extension, Need::Probes, Need::Skill];
const DIRECTORIES: &[Need] = &[Need::Extension, Need::DirectoryRead, Need::Skill];
const DIRECTORY_PROBES: &[Need] =
    &[Need::Extension, Need::Probes, Need::DirectoryRead, Need::Skill];

/// Every check that a [`super::Run`] judges, in the order of a report.
pub static CHECKS: &[Check] = &joined::<{ count() }>();

/// The checks by subject.
const TABLES: &[&[Check]] = &[
    capabilities::CHECKS,
    listing::CHECKS,
    getting::CHECKS,
    entries::CHECKS,
    manifests::CHECKS,
    files::CHECKS,
    skill_md::CHECKS,
    directories::CHECKS,
    protocol::CHECKS,
];

const fn count() -> usize {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
}

/// The tables as one.
const fn joined<const COUNT: usize>() -> [Check; COUNT] {
    let mut all = [TABLES[0][0]; COUNT];
    let (mut at, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            all[at] = TABLES[table][row];
            (at, row) = (at + 1, row + 1);
        }
        table += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_plain() {
        let ids: HashSet<_> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), CHECKS.len());
        let plain = |id: &str| {
            id.bytes().all(|byte| b"abcdefghijklmnopqrstuvwxyz0123456789-".contains(&byte))
        };
        assert!(ids.iter().all(|id| plain(id)));
    }

    #[test]
    fn texts_are_short_sentences() {
        for check in CHECKS {
            assert!(!check.title.ends_with('.') && !check.failure.ends_with('.'), "{}", check.id);
            assert!(check.why.ends_with('.') && check.repair.ends_with('.'), "{}", check.id);
            assert!(check.title.len() <= 90 && check.why.len() <= 120, "{}", check.id);
        }
    }
}
