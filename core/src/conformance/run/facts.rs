//! What a run has learned of the server: skills, files, directories, resources.

use std::collections::{HashMap, HashSet};

use super::super::judge::entry::{ManifestState, manifest_state};
use super::super::judge::metadata::Resource;
use crate::digest::Digest;
use crate::entry::{Reading, SkillEntry};
use crate::protocol::directory::{Child, MAX_TREE_DEPTH, ManifestTree};
use crate::protocol::listing::MAX_IDLE_PAGES;
use crate::protocol::{ListLimits, Listing};
use crate::uri::SKILL_MD;

/// How many pages of resources, or of one directory, are walked.
pub(super) const MAX_PAGES: usize = 1_000;

/// How many resources, or children of one directory, are kept.
pub(in super::super) const MAX_ITEMS: usize = 100_000;

/// How many URIs that may be skills are followed.
pub(super) const MAX_CANDIDATES: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) listing: Listing,
    /// Whether a page of the listing ended with the cursor `""`.
    pub(super) empty_cursor: bool,
    pub(super) resources: Resources,
    pub(super) skills: Vec<Skill>,
    by_uri: HashMap<String, usize>,
    pub(super) files: Vec<File>,
    by_file: HashMap<String, usize>,
    pub(super) directories: Vec<Directory>,
    by_directory: HashMap<String, usize>,
    pub(super) candidates: usize,
}

/// The walk over `resources/list`.
#[derive(Clone, Debug, Default)]
pub(super) struct Resources {
    /// In the order of the list.
    pub(super) known: Vec<Resource>,
    by_uri: HashMap<String, usize>,
    pub(super) walk: Walk,
    /// Why it could not be walked, if so.
    pub(super) failed: Option<String>,
}

impl Resources {
    /// Adds a resource, if its URI is new. Says whether it is known now: there is no room for more than
    /// [`MAX_ITEMS`].
    pub(super) fn add(&mut self, resource: Resource) -> bool {
        let is_known = self.by_uri.contains_key(&resource.uri);
        let has_room = self.known.len() < MAX_ITEMS;
        if !is_known && has_room {
            self.by_uri.insert(resource.uri.clone(), self.known.len());
            self.known.push(resource);
        }
        is_known || has_room
    }

    pub(super) fn get(&self, uri: &str) -> Option<&Resource> {
        self.by_uri.get(uri).map(|at| &self.known[*at])
    }
}

/// A walk over pages: it ends at a cursor that came before, and where nothing new comes any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    pub(super) cursor: Option<String>,
    pub(super) pages: usize,
    pub(super) ended: bool,
    /// How many pages in a row brought nothing new.
    idle: usize,
    seen: HashSet<String>,
}

/// What became of a walk with one more page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The next page is to be asked for.
    More,
    /// That was the last page.
    End,
    /// The cursor came before.
    Repeated,
    /// Page after page brings nothing new.
    Idle,
    /// There are more pages than are walked.
    TooMany,
}

impl Walk {
    pub(super) fn turn(&mut self, next: Option<String>, brought_new: bool) -> Turn {
        self.pages += 1;
        self.idle = if brought_new { 0 } else { self.idle + 1 };
        let turn = match &next {
            None => Turn::End,
            Some(cursor) if !self.seen.insert(cursor.clone()) => Turn::Repeated,
            Some(_) if self.idle >= MAX_IDLE_PAGES => Turn::Idle,
            Some(_) if self.pages >= MAX_PAGES => Turn::TooMany,
            Some(_) => Turn::More,
        };
        self.ended = turn != Turn::More;
        self.cursor = next;
        turn
    }
}

/// How a skill came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The listing names it.
    Listed,
    /// The caller asked for it.
    Selected,
    /// The server's instructions name it.
    Instructions,
    /// Another skill's text names it, or a resource outside of all skills looks like one.
    Mentioned,
    /// A `SKILL.md` inside of another skill.
    Nested,
}

#[derive(Clone, Debug)]
pub(super) struct Skill {
    pub(super) uri: String,
    pub(super) origin: Origin,
    /// Its place in the listing.
    pub(super) listed: Option<usize>,
    /// Whether `skills/get` was asked for it.
    pub(super) asked: bool,
    /// What `skills/get` answered, where that is not the entry of the listing.
    pub(super) got: Option<Reading>,
    /// Whether `skills/get` does not know it, so that only its `SKILL.md` can show that it is one.
    pub(super) unconfirmed: bool,
    /// Whether its files were planned.
    pub(super) planned: bool,
    /// Whether something of it differed from its entry.
    pub(super) differed: bool,
    /// What a second `skills/get` said: whether the entry is another one.
    pub(super) changed: Option<bool>,
    /// Why the second look failed, if so.
    pub(super) second_look_failed: Option<String>,
    /// The files that it lists or has.
    pub(super) files: Vec<usize>,
    /// The directories at its root and below it.
    pub(super) directories: Vec<usize>,
    /// The directories of the manifest that was sent last.
    pub(super) tree: Option<ManifestTree>,
    /// How many files its directories showed, where it is dynamic.
    pub(super) found_files: usize,
    pub(super) served_files: usize,
    pub(super) served_bytes: u64,
}

#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) uri: String,
    /// The skills that list it.
    pub(super) skills: Vec<usize>,
    /// The largest size that a manifest states.
    pub(super) size: Option<u64>,
    pub(super) seen: Option<Digest>,
    pub(super) differed: bool,
    /// Whether a second read gave other bytes.
    pub(super) changed: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub(super) uri: String,
    /// The skills whose root it is, or lies below.
    pub(super) skills: Vec<usize>,
    pub(super) walk: Walk,
    pub(super) children: Vec<Child>,
    /// The URIs of the children that came.
    known: HashSet<String>,
    /// Whether no manifest lists a file below it, though its parent names it.
    pub(super) without_files: bool,
    /// Whether a page of it holds no array of children.
    pub(super) unreadable: bool,
}

impl Facts {
    pub(super) fn new() -> Self {
        Self {
            listing: Listing::new(ListLimits::default()),
            empty_cursor: false,
            resources: Resources::default(),
            skills: Vec::new(),
            by_uri: HashMap::new(),
            files: Vec::new(),
            by_file: HashMap::new(),
            directories: Vec::new(),
            by_directory: HashMap::new(),
            candidates: 0,
        }
    }

    /// The skill with this URI.
    pub(super) fn skill(&self, uri: &str) -> Option<usize> {
        self.by_uri.get(uri).copied()
    }

    /// The skill whose `SKILL.md` this is, if it is known to be one.
    pub(super) fn own_skill(&self, uri: &str) -> Option<usize> {
        self.skill(uri).filter(|at| !self.skills[*at].unconfirmed)
    }

    /// Whether this is a `SKILL.md` that `skills/get` does not know though it may be a skill's. A
    /// nested one may be no more than a file of the skill around it.
    pub(super) fn unconfirmed(&self, uri: &str) -> bool {
        self.skill(uri).is_some_and(|at| {
            self.skills[at].unconfirmed && self.skills[at].origin != Origin::Nested
        })
    }

    /// Adds a skill, if it is new.
    pub(super) fn add_skill(
        &mut self,
        uri: &str,
        origin: Origin,
        listed: Option<usize>,
    ) -> Option<usize> {
        if self.by_uri.contains_key(uri) {
            return None;
        }
        let at = self.skills.len();
        self.by_uri.insert(uri.to_owned(), at);
        self.skills.push(Skill {
            uri: uri.to_owned(),
            origin,
            listed,
            asked: false,
            got: None,
            unconfirmed: false,
            planned: false,
            differed: false,
            changed: None,
            second_look_failed: None,
            files: Vec::new(),
            directories: Vec::new(),
            tree: None,
            found_files: 0,
            served_files: 0,
            served_bytes: 0,
        });
        Some(at)
    }

    /// The skill's entry in the listing.
    pub(super) fn listed(&self, at: usize) -> Option<&Reading> {
        self.listing.skills.get(self.skills[at].listed?)
    }

    /// The entries of a skill that a host may hold, the freshest first, each once.
    pub(super) fn entries(&self, at: usize) -> impl Iterator<Item = &SkillEntry> + Clone {
        let readings = [self.skills[at].got.as_ref(), self.listed(at)];
        readings.into_iter().flatten().filter_map(|reading| reading.entry.as_ref())
    }

    /// Takes what `skills/get` answered.
    pub(super) fn got(&mut self, at: usize, reading: Reading) {
        let listed = self.listed(at).and_then(|listed| listed.entry.as_ref());
        let same = listed.zip(reading.entry.as_ref()).is_some_and(|(a, b)| a.same_content(b));
        self.skills[at].got = (!same).then_some(reading);
    }

    /// The entry of a skill that was sent last.
    pub(super) fn entry(&self, at: usize) -> Option<&SkillEntry> {
        self.entries(at).next()
    }

    /// The reading of the skill's entry that was sent last.
    pub(super) fn reading(&self, at: usize) -> Option<&Reading> {
        self.skills[at].got.as_ref().or_else(|| self.listed(at))
    }

    /// Whether some skill lists its files.
    pub(super) fn has_manifest(&self) -> bool {
        (0..self.skills.len())
            .filter_map(|at| self.reading(at))
            .any(|reading| manifest_state(reading) == ManifestState::Listed)
    }

    /// The skills whose root is `uri` or lies above it, the innermost first. Roots deeper than
    /// [`MAX_TREE_DEPTH`] are not looked for.
    pub(super) fn around(&self, uri: &str) -> Vec<usize> {
        let first_segment = uri.find("://").map_or(0, |at| at + 3);
        let slashes = uri[first_segment..].match_indices('/').map(|(at, _)| first_segment + at);
        let ends = slashes.chain([uri.len()]).take(MAX_TREE_DEPTH);
        let mut around: Vec<_> =
            ends.filter_map(|end| self.skill(&format!("{}/{SKILL_MD}", &uri[..end]))).collect();
        around.reverse();
        around
    }

    /// Adds a file that a skill lists, or has. Says whether it is new.
    pub(super) fn add_file(&mut self, uri: &str, skill: usize, size: Option<u64>) -> Option<usize> {
        if let Some(&at) = self.by_file.get(uri) {
            let file = &mut self.files[at];
            file.size = file.size.max(size);
            if !file.skills.contains(&skill) {
                file.skills.push(skill);
                self.skills[skill].files.push(at);
            }
            return None;
        }
        let at = self.files.len();
        self.by_file.insert(uri.to_owned(), at);
        self.skills[skill].files.push(at);
        let skills = vec![skill];
        let uri = uri.to_owned();
        self.files.push(File { uri, skills, size, seen: None, differed: false, changed: None });
        Some(at)
    }

    /// Adds a directory, if it is new.
    pub(super) fn add_directory(&mut self, uri: &str, without_files: bool) -> Option<usize> {
        if self.by_directory.contains_key(uri) {
            return None;
        }
        let at = self.directories.len();
        self.by_directory.insert(uri.to_owned(), at);
        let skills = self.around(uri);
        for skill in &skills {
            self.skills[*skill].directories.push(at);
        }
        self.directories.push(Directory {
            uri: uri.to_owned(),
            skills,
            walk: Walk::default(),
            children: Vec::new(),
            known: HashSet::new(),
            without_files,
            unreadable: false,
        });
        Some(at)
    }
}

impl Directory {
    /// Takes the children of a page. Says whether some are new.
    pub(super) fn take(&mut self, children: Vec<Child>) -> bool {
        let before = self.known.len();
        self.known.extend(children.iter().map(|child| child.uri.clone()));
        self.children.extend(children);
        self.known.len() > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_end() {
        let mut walk = Walk::default();
        assert_eq!(walk.turn(Some(String::new()), true), Turn::More);
        assert_eq!(walk.turn(Some("a".into()), true), Turn::More);
        assert_eq!(walk.turn(Some(String::new()), true), Turn::Repeated);
        assert_eq!(Walk::default().turn(None, false), Turn::End);
        let mut idle = Walk::default();
        let turns = (1..).map(|page| idle.turn(Some(page.to_string()), page == 3));
        assert_eq!(turns.take_while(|turn| *turn == Turn::More).count(), 2 + MAX_IDLE_PAGES);
    }

    #[test]
    fn skills_around_a_place_are_found_innermost_first() {
        let mut facts = Facts::new();
        for uri in ["skill://x/a/SKILL.md", "skill://x/a/b/c/SKILL.md", "skill://x/ab/SKILL.md"] {
            facts.add_skill(uri, Origin::Listed, None);
        }
        assert_eq!(facts.around("skill://x/a/b/c/d.md"), [1, 0]);
        assert_eq!(facts.around("skill://x/a"), [0]);
        assert_eq!(facts.around("skill://x"), [0; 0]);
        assert_eq!(facts.add_skill("skill://x/a/SKILL.md", Origin::Selected, None), None);
    }
}
