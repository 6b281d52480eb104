//! The skills of a server that the user has chosen, to do one thing with all of them.

use std::collections::HashSet;
use std::sync::Arc;

use leptos::prelude::*;

use super::pace::Run;
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
    /// The one that was chosen or let go of last, from which a range begins.
    pub(crate) last: StoredValue<Option<Arc<str>>>,
    /// How far the verification of all of them is, while it is under way.
    pub(crate) run: RwSignal<Option<Run>>,
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
            run: RwSignal::new(None),
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

/// A step from one row to the next takes both in; a step back lets go of the one that is left.
pub(crate) fn step(chosen: &mut Chosen, from: Option<Arc<str>>, to: Arc<str>) {
    match from {
        Some(from) if from != to && chosen.contains(&from) && chosen.contains(&to) => {
            chosen.remove(&from);
        }
        from => put(chosen, from.into_iter().chain([to]), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stepped(steps: &[(&str, &str)]) -> Vec<String> {
        let mut chosen = Chosen::new();
        for (from, to) in steps {
            let from = Some(*from).filter(|from| !from.is_empty()).map(Into::into);
            step(&mut chosen, from, (*to).into());
        }
        let mut keys: Vec<_> = chosen.iter().map(ToString::to_string).collect();
        keys.sort();
        keys
    }

    #[test]
    fn steps_take_rows_in_and_steps_back_let_go() {
        assert_eq!(stepped(&[("", "a")]), ["a"]);
        assert_eq!(stepped(&[("a", "b"), ("b", "c")]), ["a", "b", "c"]);
        assert_eq!(stepped(&[("a", "b"), ("b", "c"), ("c", "b")]), ["a", "b"]);
        // At the end of the list a step leads nowhere.
        assert_eq!(stepped(&[("a", "b"), ("b", "b")]), ["a", "b"]);
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
