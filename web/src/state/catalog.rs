//! The skills of a server as the list shows them: grouped, filtered, and told apart.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use skillglass::entry::{Manifest, Reading, SkillEntry};
use skillglass::review::hidden_names;
use skillglass::uri::SkillUri;

use super::standing::{Counts, Kind};
use crate::text::{LAST_RANK, head, rank};

/// A skill in the list.
#[derive(PartialEq)]
pub(crate) struct Row {
    /// What the skill is called by in addresses.
    pub(crate) key: Arc<str>,
    /// The group it stands in: the part of its path before its name.
    pub(crate) prefix: Arc<str>,
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The last part of its path, where that is not its name.
    pub(crate) folder: Option<Arc<str>>,
    /// What the filter looks through, in lower case.
    haystack: Box<str>,
    /// What it consists of.
    pub(crate) kind: Kind,
    /// How many bytes its files promise to have.
    pub(crate) size: u64,
    /// The findings about its entry.
    pub(crate) counts: Counts,
}

impl Row {
    /// The row of the entry at `index` of the listing.
    pub(crate) fn new(reading: &Reading, index: usize) -> Self {
        let key = key_of(reading, index);
        let uri = reading.uri.as_deref().and_then(|uri| SkillUri::parse(uri).ok());
        let folder = uri.map(|uri| uri.name());
        let name = reading.name.as_deref().filter(|name| !name.is_empty());
        let name = name.or(folder).unwrap_or(&key);
        let folder = folder.filter(|folder| *folder != name);
        let folder = folder.map(|folder| head(folder, 200).0.into());
        let name: Arc<str> = head(name, 200).0.into();
        let description = head(reading.description.as_deref().unwrap_or_default(), 2000).0;
        let hidden: Vec<_> = reading.entry.iter().flat_map(hidden_names).collect();
        let hidden = Counts::of(&hidden);
        let manifest = reading.entry.as_ref().and_then(SkillEntry::manifest);
        Self {
            prefix: uri.map_or("", |uri| uri.prefix()).into(),
            haystack: format!("{name}\n{key}\n{description}").to_lowercase().into(),
            name,
            folder,
            kind: Kind::of(reading),
            size: manifest.map_or(0, Manifest::total_size),
            counts: Counts::of(&reading.findings).and(hidden),
            key,
        }
    }
}

impl Row {
    /// How well it fits, the best first; none where it lacks a word.
    fn rank(&self, words: &[&str]) -> Option<usize> {
        rank(&self.haystack, words)
    }
}

/// The group of skills that no listing shows.
const OPENED_BY_URI: &str = "opened by URI";

/// What groups are sorted by: prefixes, then skills without one, then those opened by their URI.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Prefix(Arc<str>),
    TopLevel,
    OpenedByUri,
}

impl Place {
    fn name(&self) -> Arc<str> {
        match self {
            Self::Prefix(prefix) => prefix.replace('/', " / ").into(),
            Self::TopLevel => "top level".into(),
            Self::OpenedByUri => OPENED_BY_URI.into(),
        }
    }
}

/// The skills of a server.
#[derive(Default)]
pub(crate) struct Catalog {
    groups: BTreeMap<Place, Vec<Arc<Row>>>,
    by_key: HashMap<Arc<str>, Arc<Row>>,
    names: HashMap<Arc<str>, usize>,
    unreadable: usize,
}

impl Catalog {
    /// Adds a skill that is listed.
    pub(crate) fn list(&mut self, row: Row) {
        if self.by_key.contains_key(&row.key) {
            self.take_out_opened(&row.key);
        }
        let place = match &*row.prefix {
            "" => Place::TopLevel,
            _ => Place::Prefix(Arc::clone(&row.prefix)),
        };
        self.push(place, Arc::new(row));
    }

    /// Adds a skill that no listing shows.
    pub(crate) fn open_by_uri(&mut self, row: Row) {
        self.push(Place::OpenedByUri, Arc::new(row));
    }

    fn push(&mut self, place: Place, row: Arc<Row>) {
        if self.by_key.contains_key(&row.key) {
            return;
        }
        *self.names.entry(Arc::clone(&row.name)).or_default() += 1;
        self.unreadable += usize::from(row.kind == Kind::Unreadable);
        self.by_key.insert(Arc::clone(&row.key), Arc::clone(&row));
        self.groups.entry(place).or_default().push(row);
    }

    /// A listing shows a skill that was opened by its URI.
    fn take_out_opened(&mut self, key: &str) {
        let Some(opened) = self.groups.remove(&Place::OpenedByUri) else { return };
        for row in opened {
            self.by_key.remove(&row.key);
            if let Some(count) = self.names.get_mut(&row.name) {
                *count -= 1;
            }
            self.unreadable -= usize::from(row.kind == Kind::Unreadable);
            if *row.key != *key {
                self.push(Place::OpenedByUri, row);
            }
        }
    }

    /// Keeps only those that no listing shows.
    pub(crate) fn forget_listed(&mut self) {
        let opened = self.groups.remove(&Place::OpenedByUri).unwrap_or_default();
        *self = Self::default();
        for row in opened {
            self.push(Place::OpenedByUri, row);
        }
    }

    /// The skill with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Row>> {
        self.by_key.get(key)
    }

    /// All skills, in the order of the list.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.groups.values().flatten()
    }

    /// The keys of the skills with this name.
    pub(crate) fn called(&self, name: &str) -> Vec<Arc<str>> {
        let rows = self.rows().filter(|row| *row.name == *name);
        rows.map(|row| Arc::clone(&row.key)).collect()
    }

    /// How many skills there are.
    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// How many of them have an entry that cannot be read.
    pub(crate) const fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Whether more than one skill has this name.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 1)
    }

    /// The skills that hold each of these words, in lower case: those whose name begins with the first one, then
    /// those that have it in their name, then the others. At most `most` of them, and how many there are.
    pub(crate) fn best(&self, words: &[&str], most: usize) -> (Vec<Arc<Row>>, usize) {
        let mut ranks: [Vec<&Arc<Row>>; LAST_RANK + 1] = Default::default();
        let mut found = 0;
        for row in self.rows() {
            if let Some(rank) = row.rank(words) {
                found += 1;
                if ranks[rank].len() < most {
                    ranks[rank].push(row);
                }
            }
        }
        (ranks.into_iter().flatten().take(most).cloned().collect(), found)
    }

    /// What passes a filter, in the order of the list.
    pub(crate) fn passing(&self, filter: &str) -> Passing {
        let wanted = filter.trim().to_lowercase();
        let mut items = Vec::new();
        for (place, group) in &self.groups {
            let rows = group.iter().filter(|row| row.haystack.contains(&*wanted));
            let mut rows = rows.map(|row| Item::Row(Arc::clone(row))).peekable();
            if rows.peek().is_some() {
                items.push(Item::Group(place.name()));
                items.extend(rows);
            }
        }
        Passing { items }
    }
}

/// A line of the list.
#[derive(Clone)]
pub(crate) enum Item {
    /// The name of the group that follows.
    Group(Arc<str>),
    /// A skill.
    Row(Arc<Row>),
}

impl Item {
    /// The skill's key.
    pub(crate) fn key(&self) -> Option<&Arc<str>> {
        match self {
            Self::Group(_) => None,
            Self::Row(row) => Some(&row.key),
        }
    }
}

/// What passes the filter.
#[derive(Default)]
pub(crate) struct Passing {
    /// In the order of the list.
    pub(crate) items: Vec<Item>,
}

impl Passing {
    /// The place of the skill with this key.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        self.items.iter().position(|item| item.key().is_some_and(|known| **known == *key))
    }

    /// The keys of the skills from one place to another, in either direction, both included.
    pub(crate) fn between(&self, a: usize, b: usize) -> Vec<Arc<str>> {
        let last = a.max(b).min(self.items.len().saturating_sub(1));
        let items = self.items.get(a.min(b)..=last).unwrap_or_default();
        items.iter().filter_map(Item::key).cloned().collect()
    }

    /// The place of the skill one step after or before `from`; the ends hold. Without `from`, the
    /// first skill's.
    pub(crate) fn step(&self, from: Option<usize>, forward: bool) -> Option<usize> {
        let is_row = |place: &usize| self.items.get(*place).and_then(Item::key).is_some();
        let count = self.items.len();
        match (from, forward) {
            (None, _) => (0..count).find(is_row),
            (Some(from), true) => (from + 1..count).find(is_row).or(Some(from)),
            (Some(from), false) => (0..from).rev().find(is_row).or(Some(from)),
        }
        .filter(is_row)
    }
}

/// What an entry is called by in addresses: its URI, or its place where it has none. Nothing that
/// a server sends as `uri` can pass for a place.
pub(crate) fn key_of(reading: &Reading, index: usize) -> Arc<str> {
    match uri_of(reading) {
        Some(uri) => uri.into(),
        None => place_of(index).into(),
    }
}

/// Whether the entry at `index` of the listing is called so.
pub(crate) fn is_called(reading: &Reading, index: usize, key: &str) -> bool {
    match uri_of(reading) {
        Some(uri) => uri == key,
        None => place_of(index) == key,
    }
}

fn uri_of(reading: &Reading) -> Option<&str> {
    reading.uri.as_deref().filter(|uri| uri.contains("://"))
}

fn place_of(index: usize) -> String {
    format!("entry {}", index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillglass::entry;

    fn row(uri: &str) -> Row {
        let reading = entry::read(&format!(
            r#"{{"uri":"{uri}","frontmatter":{{"name":"n","description":"About {uri}"}},"resources":[]}}"#
        ));
        Row::new(&reading, 0)
    }

    fn catalog(uris: &[&str]) -> Catalog {
        let mut catalog = Catalog::default();
        uris.iter().for_each(|uri| catalog.list(row(uri)));
        catalog
    }

    fn lines(passing: &Passing) -> Vec<&str> {
        fn line(item: &Item) -> &str {
            match item {
                Item::Group(name) => name,
                Item::Row(row) => &row.key,
            }
        }
        passing.items.iter().map(line).collect()
    }

    const URIS: [&str; 4] = [
        "skill://b/two/SKILL.md",
        "skill://flat/SKILL.md",
        "skill://a/one/SKILL.md",
        "skill://b/one/SKILL.md",
    ];

    #[test]
    fn groups_are_sorted_and_their_skills_are_not() {
        let mut catalog = catalog(&URIS);
        catalog.open_by_uri(row("skill://a/hidden/SKILL.md"));
        assert_eq!(
            lines(&catalog.passing("")),
            [
                "a",
                URIS[2],
                "b",
                URIS[0],
                URIS[3],
                "top level",
                URIS[1],
                "opened by URI",
                "skill://a/hidden/SKILL.md"
            ]
        );
        assert_eq!(catalog.len(), 5);
    }

    #[test]
    fn the_filter_looks_through_name_description_and_uri() {
        let catalog = catalog(&URIS);
        assert_eq!(lines(&catalog.passing(" B/ONE ")), ["b", URIS[3]]);
        assert_eq!(catalog.passing("about").items.len(), 7);
        assert!(catalog.passing("nothing").items.is_empty());
    }

    #[test]
    fn the_best_come_first() {
        let named = |name: &str| {
            let text = format!(
                r#"{{"uri":"skill://x/{name}/SKILL.md","frontmatter":{{"name":"{name}","description":"Of rows."}},"resources":[]}}"#
            );
            Row::new(&entry::read(&text), 0)
        };
        let mut catalog = Catalog::default();
        ["browse", "arrow", "row-boat", "none"]
            .into_iter()
            .for_each(|name| catalog.list(named(name)));
        let best = |words: &[&str], most| {
            let (rows, found) = catalog.best(words, most);
            (rows.iter().map(|row| row.name.to_string()).collect::<Vec<_>>(), found)
        };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(best(&["row"], 9), (names(&["row-boat", "browse", "arrow", "none"]), 4));
        assert_eq!(best(&["row"], 2), (names(&["row-boat", "browse"]), 4));
        assert_eq!(best(&["of", "arr"], 9), (names(&["arrow"]), 1));
        assert_eq!(best(&["of", "nothing"], 9), (names(&[]), 0));
    }

    #[test]
    fn steps_pass_over_the_names_of_groups() {
        let passing = catalog(&URIS).passing("");
        let mut at = None;
        let mut seen = Vec::new();
        for _ in 0..5 {
            at = passing.step(at, true);
            seen.push(at.unwrap());
        }
        assert_eq!(seen, [1, 3, 4, 6, 6]);
        assert_eq!(passing.step(Some(3), false), Some(1));
        assert_eq!(passing.step(Some(1), false), Some(1));
        assert_eq!(Passing::default().step(None, true), None);
    }

    #[test]
    fn ranges_go_both_ways_and_pass_over_groups() {
        let passing = catalog(&URIS).passing("");
        let keys = |a, b| passing.between(a, b).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(keys(1, 4), [URIS[2], URIS[0], URIS[3]]);
        assert_eq!(keys(4, 3), [URIS[0], URIS[3]]);
        assert_eq!(keys(6, 99), [URIS[1]]);
        assert!(Passing::default().between(0, 0).is_empty());
    }

    #[test]
    fn what_was_opened_by_its_uri_outlives_a_listing() {
        let mut catalog = catalog(&URIS);
        catalog.open_by_uri(row("skill://a/hidden/SKILL.md"));
        catalog.forget_listed();
        assert_eq!(lines(&catalog.passing("")), ["opened by URI", "skill://a/hidden/SKILL.md"]);
        assert!(catalog.get(URIS[0]).is_none());
        catalog.list(row("skill://a/hidden/SKILL.md"));
        assert_eq!(lines(&catalog.passing("")), ["a", "skill://a/hidden/SKILL.md"]);
    }
}
