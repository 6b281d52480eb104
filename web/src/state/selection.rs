//! The skills of a server that the user has chosen, to do one thing with all of them.

use std::collections::HashSet;
use std::sync::Arc;

use leptos::prelude::*;

use super::pace::Run;
use super::skill::Skill;
use crate::failure::Failure;
use crate::mark::Mark;
use crate::text::{count, thousands};
use crate::transport::Stop;

/// The keys of what is chosen.
pub(crate) type Chosen = HashSet<Arc<str>>;

/// The skills of a server that the user has chosen.
#[derive(Clone, Copy)]
pub(crate) struct Selection {
    /// Their keys. Some may be of skills that are listed no more.
    pub(crate) chosen: RwSignal<Chosen>,
    /// The one that was chosen or let go of last, from which a range of the pointer begins.
    pub(crate) last: StoredValue<Option<Arc<str>>>,
    /// The range that the keys have made.
    pub(crate) range: StoredValue<Option<Range>>,
    /// How far the verification of all of them is, while it is under way.
    pub(crate) run: RwSignal<Option<Run>>,
    /// The skill that it is at.
    pub(crate) verifying: StoredValue<Option<Skill>>,
    /// Why the last one ended before its end, if the user did not stop it.
    pub(crate) broken_off: RwSignal<Option<Failure>>,
    /// Whether the last one has ended.
    pub(crate) is_verified: RwSignal<bool>,
    /// Ends it.
    pub(crate) stop: StoredValue<Stop, LocalStorage>,
}

impl Selection {
    /// Nothing is chosen.
    pub(super) fn new() -> Self {
        Self {
            chosen: RwSignal::new(Chosen::new()),
            last: StoredValue::new(None),
            range: StoredValue::new(None),
            run: RwSignal::new(None),
            verifying: StoredValue::new(None),
            broken_off: RwSignal::new(None),
            is_verified: RwSignal::new(false),
            stop: StoredValue::new_local(Stop::new()),
        }
    }

    /// Whether the skill with this key is chosen.
    pub(crate) fn has(self, key: &str) -> bool {
        self.chosen.try_with(|chosen| chosen.contains(key)) == Some(true)
    }

    /// Changes what is chosen; what was found of another choice says nothing of this one.
    pub(crate) fn change(self, change: impl FnOnce(&mut Chosen)) {
        self.chosen.update(change);
        self.range.set_value(None);
        self.broken_off.set(None);
        self.is_verified.set(false);
    }
}

/// What the verification of several skills came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// How many are as promised.
    pub(crate) good: usize,
    /// How many are refused or break a rule.
    pub(crate) bad: usize,
    /// How many need a look.
    pub(crate) warn: usize,
    /// Of how many not everything was read.
    pub(crate) unknown: usize,
    /// How many files are not as they were the time before.
    pub(crate) changed: usize,
}

impl Outcome {
    /// Counts a skill that stands so.
    pub(crate) const fn add(&mut self, mark: Mark) {
        match mark {
            Mark::Good | Mark::Note => self.good += 1,
            Mark::Bad => self.bad += 1,
            Mark::Warn => self.warn += 1,
            Mark::Unknown | Mark::Busy => self.unknown += 1,
        }
    }

    /// The marks that there are, and what each means for how many.
    pub(crate) fn parts(self) -> Vec<(Mark, String)> {
        let parts = [
            (Mark::Bad, self.bad, "refused or broken"),
            (Mark::Warn, self.warn, "to look at"),
            (Mark::Good, self.good, "verified"),
            (Mark::Unknown, self.unknown, "not read whole"),
        ];
        let parts = parts.into_iter().filter(|(_, number, _)| *number > 0);
        let mut parts: Vec<_> = parts
            .map(|(mark, number, word)| (mark, format!("{} {word}", thousands(number as u64))))
            .collect();
        if self.changed > 0 {
            parts.push((Mark::Note, format!("{} changed", count(self.changed, "file"))));
        }
        parts
    }

    /// The same in words.
    pub(crate) fn words(self) -> String {
        self.parts().into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", ")
    }
}

/// Chooses or lets go of some.
pub(crate) fn put(chosen: &mut Chosen, keys: impl IntoIterator<Item = Arc<str>>, on: bool) {
    for key in keys {
        if on {
            chosen.insert(key);
        } else {
            chosen.remove(&key);
        }
    }
}

/// What is chosen with Shift and the arrows: everything from one row to another, besides what was chosen before.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    /// Where it begins.
    pub(crate) from: Arc<str>,
    /// Where it ends, which has the focus.
    pub(crate) to: Arc<str>,
    /// What was chosen before it began.
    before: Chosen,
}

impl Range {
    /// The range after a step of the focus: the one that ended where the step begins, else a new one.
    pub(crate) fn stepped(
        range: Option<Self>,
        chosen: &Chosen,
        from: Option<Arc<str>>,
        to: Arc<str>,
    ) -> Self {
        match range.filter(|range| from.as_ref() == Some(&range.to)) {
            Some(range) => Self { to, ..range },
            None => {
                let from = from.unwrap_or_else(|| Arc::clone(&to));
                Self { from, to, before: chosen.clone() }
            }
        }
    }

    /// What is chosen, where these are the rows of the range.
    pub(crate) fn chosen(&self, rows: Vec<Arc<str>>) -> Chosen {
        self.before.iter().cloned().chain(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen after a walk over rows called by letters, where these were chosen before.
    fn walked(before: &str, walk: &str) -> String {
        let key = |letter: char| Arc::<str>::from(letter.to_string());
        let mut chosen: Chosen = before.chars().map(key).collect();
        let mut range = None;
        let letters: Vec<_> = walk.chars().collect();
        for step in letters.windows(2) {
            let next = Range::stepped(range, &chosen, Some(key(step[0])), key(step[1]));
            let ends = [next.from.chars().next().unwrap(), next.to.chars().next().unwrap()];
            let rows = ends[0].min(ends[1])..=ends[0].max(ends[1]);
            chosen = next.chosen(rows.map(key).collect());
            range = Some(next);
        }
        let mut keys: Vec<_> = chosen.iter().map(ToString::to_string).collect();
        keys.sort();
        keys.concat()
    }

    #[test]
    fn a_range_has_all_between_its_ends_and_what_was_chosen_before() {
        assert_eq!(walked("", "abc"), "abc");
        assert_eq!(walked("", "abcb"), "ab");
        assert_eq!(walked("", "cba"), "abc");
        assert_eq!(walked("", "cbcd"), "cd");
        assert_eq!(walked("abcdef", "abcb"), "abcdef");
        assert_eq!(walked("c", "abcb"), "abc");
        // At the end of the list a step leads nowhere.
        assert_eq!(walked("", "abb"), "ab");
    }

    #[test]
    fn a_step_from_nowhere_begins_where_it_leads() {
        let range = Range::stepped(None, &Chosen::new(), None, "b".into());
        assert_eq!((&*range.from, &*range.to), ("b", "b"));
    }

    #[test]
    fn the_outcome_names_what_there_is_the_gravest_first() {
        let mut outcome = Outcome { changed: 2, ..Outcome::default() };
        for mark in [Mark::Good, Mark::Good, Mark::Bad, Mark::Unknown] {
            outcome.add(mark);
        }
        assert_eq!(
            outcome.words(),
            "1 refused or broken, 2 verified, 1 not read whole, 2 files changed"
        );
        assert_eq!(Outcome::default().words(), "");
    }
}
