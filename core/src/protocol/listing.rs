//! The walk over the pages of `skills/list`: it ends, keeps what it got, and says why it ended.

use std::collections::{HashMap, HashSet};

use super::Call;
use super::results::{Freshness, SkillPage};
use crate::entry::Reading;
use crate::finding::{Finding, Level, Section, quote};

/// How many pages in a row may bring nothing new; a server that sends more will not end.
pub(crate) const MAX_IDLE_PAGES: usize = 50;
/// How many findings a listing keeps.
pub const MAX_FINDINGS: usize = 1_000;

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLimits {
    /// The most pages to ask for.
    pub pages: usize,
    /// The most entries to keep.
    pub skills: usize,
}

impl Default for ListLimits {
    /// 2,000 pages and 200,000 entries: twice the largest catalog this is built for.
    fn default() -> Self {
        Self { pages: 2_000, skills: 200_000 }
    }
}

/// Where a walk stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListingState {
    /// The next page is to be asked for with this cursor.
    More(Option<String>),
    /// The last page has come. Servers may list some of their skills only.
    Complete,
    /// The walk ended before the last page; what came before is kept.
    Stopped(StopReason),
}

/// Why a walk stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The server gave a cursor a second time, so the pages go round.
    RepeatedCursor,
    /// Fifty pages in a row brought no new skill, each with a new cursor.
    Idle,
    /// [`ListLimits::pages`] was reached.
    Pages,
    /// [`ListLimits::skills`] was reached, or a page has more entries than are read.
    Skills,
    /// A page could not be had; the reason in words.
    Failed(String),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RepeatedCursor => {
                f.write_str("the server repeats a cursor, so its pages never end")
            }
            Self::Idle => {
                write!(f, "{MAX_IDLE_PAGES} pages in a row brought no new skill")
            }
            Self::Pages => f.write_str("the limit of pages was reached"),
            Self::Skills => f.write_str("the limit of skills was reached"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

/// The skills listed so far.
///
/// ```
/// use skillglass::protocol::{Call, ListLimits, Listing};
/// let listing = Listing::new(ListLimits::default());
/// assert_eq!(listing.next(), Some(Call::ListSkills { cursor: None }));
/// ```
#[derive(Clone, Debug)]
pub struct Listing {
    limits: ListLimits,
    state: ListingState,
    cursors: HashSet<String>,
    pages: usize,
    /// How many pages since the last new skill.
    idle: usize,
    /// The entries in the order sent; a URI listed again is not repeated.
    pub skills: Vec<Reading>,
    /// For each URI the place in `skills`.
    by_uri: HashMap<String, usize>,
    /// For each of `skills` the page it came on.
    page_of: Vec<usize>,
    /// What is wrong with the listing itself: what several pages break alike is said once, and
    /// [`MAX_FINDINGS`] are kept.
    pub findings: Vec<Finding>,
    said: HashSet<String>,
    left_out: usize,
    /// The shortest freshness of all pages.
    pub freshness: Freshness,
}

impl Listing {
    /// A walk that has not begun.
    #[must_use]
    pub fn new(limits: ListLimits) -> Self {
        Self {
            limits,
            state: ListingState::More(None),
            cursors: HashSet::new(),
            pages: 0,
            idle: 0,
            skills: Vec::new(),
            by_uri: HashMap::new(),
            page_of: Vec::new(),
            findings: Vec::new(),
            said: HashSet::new(),
            left_out: 0,
            freshness: Freshness { ttl_ms: u64::MAX, public: true },
        }
    }

    /// A walk that begins with the page behind a cursor.
    #[must_use]
    pub fn from_cursor(cursor: String, limits: ListLimits) -> Self {
        Self { state: ListingState::More(Some(cursor)), ..Self::new(limits) }
    }

    /// The next question, while there is one.
    #[must_use]
    pub fn next(&self) -> Option<Call> {
        match &self.state {
            ListingState::More(cursor) => Some(Call::ListSkills { cursor: cursor.clone() }),
            _ => None,
        }
    }

    /// Where the walk stands.
    #[must_use]
    pub const fn state(&self) -> &ListingState {
        &self.state
    }

    /// How many pages came.
    #[must_use]
    pub const fn pages(&self) -> usize {
        self.pages
    }

    /// How many findings were not kept.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Ends the walk because a page could not be had.
    pub fn fail(&mut self, reason: impl Into<String>) {
        self.state = ListingState::Stopped(StopReason::Failed(reason.into()));
    }

    /// Takes the page that was asked for.
    pub fn receive(&mut self, page: SkillPage) {
        self.pages += 1;
        self.freshness.ttl_ms = self.freshness.ttl_ms.min(page.freshness.ttl_ms);
        self.freshness.public &= page.freshness.public;
        let (known, is_cut) = (self.skills.len(), page.left_out > 0);
        for finding in page.findings {
            self.note(finding);
        }
        for reading in page.skills {
            self.add(reading);
        }
        self.idle = if self.skills.len() == known { self.idle + 1 } else { 0 };
        self.state = if is_cut {
            ListingState::Stopped(StopReason::Skills)
        } else {
            self.after(page.next_cursor)
        };
    }

    fn after(&mut self, cursor: Option<String>) -> ListingState {
        let Some(cursor) = cursor else { return ListingState::Complete };
        if !self.cursors.insert(cursor.clone()) {
            self.endless("the server gave the same cursor twice; the walk ends here");
            return ListingState::Stopped(StopReason::RepeatedCursor);
        }
        if self.idle >= MAX_IDLE_PAGES {
            self.endless(format!("{}; the walk ends here", StopReason::Idle));
            return ListingState::Stopped(StopReason::Idle);
        }
        if self.skills.len() >= self.limits.skills {
            return ListingState::Stopped(StopReason::Skills);
        }
        if self.pages >= self.limits.pages {
            return ListingState::Stopped(StopReason::Pages);
        }
        ListingState::More(Some(cursor))
    }

    fn endless(&mut self, message: impl Into<String>) {
        self.note(
            Finding::must("skills-list-pagination", Section::SkillsList, message)
                .repair("leave nextCursor out of the last page's result"),
        );
    }

    fn note(&mut self, finding: Finding) {
        if self.findings.len() >= MAX_FINDINGS {
            self.left_out += 1;
        } else if self.said.insert(format!("{} {}", finding.id, finding.message)) {
            self.findings.push(finding);
        }
    }

    fn add(&mut self, reading: Reading) {
        if let Some(uri) = &reading.uri {
            if let Some(&first) = self.by_uri.get(uri) {
                let same = same_entry(&self.skills[first], &reading);
                let finding = listed_again(uri, self.page_of[first] != self.pages, same);
                self.note(finding);
                return;
            }
            self.by_uri.insert(uri.clone(), self.skills.len());
        }
        self.page_of.push(self.pages);
        self.skills.push(reading);
    }
}

fn same_entry(first: &Reading, second: &Reading) -> bool {
    match (&first.entry, &second.entry) {
        (Some(first), Some(second)) => first.same_content(second),
        _ => first.source == second.source,
    }
}

/// A skill has one entry. The same one twice does no harm to a host.
fn listed_again(uri: &str, on_another_page: bool, same: bool) -> Finding {
    let (id, place) = if on_another_page {
        ("skills-list-entry-atomic", "on two pages")
    } else {
        ("list-uri-unique-per-page", "twice on a page")
    };
    let (level, entries) = if same {
        (Level::Should, "it is shown once")
    } else {
        (Level::Must, "with different entries")
    };
    let message = format!("{} is listed {place}; {entries}", quote(uri));
    Finding::new(id, level, Section::SkillsList, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;

    fn page(uris: &[&str], next: Option<&str>) -> SkillPage {
        let skill = |uri: &&str| entry::read(&format!(r#"{{"uri":"skill://{uri}/SKILL.md"}}"#));
        SkillPage {
            skills: uris.iter().map(skill).collect(),
            left_out: 0,
            next_cursor: next.map(str::to_owned),
            freshness: Freshness { ttl_ms: 5, public: true },
            findings: Vec::new(),
        }
    }

    #[test]
    fn an_empty_cursor_is_a_cursor() {
        let mut listing = Listing::new(ListLimits::default());
        listing.receive(page(&["a"], Some("")));
        assert_eq!(listing.next(), Some(Call::ListSkills { cursor: Some(String::new()) }));
        let rest = Listing::from_cursor(String::new(), ListLimits::default());
        assert_eq!(rest.next(), listing.next());
        listing.receive(page(&["b"], None));
        assert_eq!((listing.state(), listing.skills.len()), (&ListingState::Complete, 2));
        assert_eq!(listing.freshness.ttl_ms, 5);
    }

    #[test]
    fn circles_end_and_keep_what_came() {
        let mut listing = Listing::new(ListLimits::default());
        for cursor in ["x", "y", "x"] {
            listing.receive(page(&[cursor], Some(cursor)));
        }
        assert_eq!(listing.state(), &ListingState::Stopped(StopReason::RepeatedCursor));
        assert_eq!(listing.skills.len(), 2);
        assert_eq!(listing.findings.len(), 2);
    }

    #[test]
    fn pages_without_a_new_skill_end_the_walk() {
        let mut listing = Listing::new(ListLimits::default());
        listing.receive(page(&["a"], Some("0")));
        for cursor in 1..=MAX_IDLE_PAGES {
            assert!(listing.next().is_some(), "{cursor}");
            listing.receive(page(&[], Some(&cursor.to_string())));
        }
        assert_eq!(listing.state(), &ListingState::Stopped(StopReason::Idle));
        assert_eq!(listing.findings.len(), 1);
        let mut listing = Listing::new(ListLimits::default());
        for cursor in 1..200 {
            let new = cursor.to_string();
            listing.receive(page(if cursor % 50 == 0 { &["a"] } else { &[] }, Some(&new)));
            assert_eq!(listing.next().is_some(), cursor < 100, "{cursor}");
        }
    }

    #[test]
    fn findings_are_said_once_and_bounded() {
        let mut listing = Listing::new(ListLimits::default());
        let late = || Finding::must("x", Section::SkillsList, "ttlMs is missing");
        for cursor in ["1", "2"] {
            listing.receive(SkillPage { findings: vec![late()], ..page(&[], Some(cursor)) });
        }
        assert_eq!((listing.findings.len(), listing.left_out()), (1, 0));
        let other = |number| Finding::must("x", Section::SkillsList, format!("{number}"));
        let many = (0..MAX_FINDINGS).map(other).collect();
        listing.receive(SkillPage { findings: many, ..page(&[], None) });
        assert_eq!((listing.findings.len(), listing.left_out()), (MAX_FINDINGS, 1));
    }

    #[test]
    fn limits_end_the_walk() {
        let mut listing = Listing::new(ListLimits { pages: 1, skills: 10 });
        listing.receive(page(&["a"], Some("n")));
        assert_eq!(listing.state(), &ListingState::Stopped(StopReason::Pages));
        let mut listing = Listing::new(ListLimits { pages: 10, skills: 1 });
        listing.receive(page(&["a"], Some("n")));
        assert_eq!(listing.state(), &ListingState::Stopped(StopReason::Skills));
        let mut listing = Listing::new(ListLimits::default());
        listing.receive(SkillPage { left_out: 1, ..page(&["a"], None) });
        assert_eq!(listing.state(), &ListingState::Stopped(StopReason::Skills));
    }
}
