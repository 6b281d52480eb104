//! What has changed since a skill was verified before.

use std::collections::HashMap;
use std::sync::Arc;

use skillglass::digest::Digest;
use skillglass::verify::Verdict;

use super::skill::FileState;
use crate::text::count;

/// What the check of a file came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Verified, or nothing to verify against.
    Usable,
    /// Refused.
    Refused,
    /// Not to be judged by this reader.
    Untested,
    /// It could not be had.
    Failed,
}

/// A check of a file, as it is remembered when the bytes are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// What it came to.
    pub(crate) outcome: Outcome,
    /// The SHA-256 of what came; none where no bytes came.
    pub(crate) digest: Option<Digest>,
}

impl Seen {
    /// What a state says, if the file was read.
    pub(crate) fn of(state: &FileState) -> Option<Self> {
        let (outcome, digest) = match state {
            FileState::NotRead | FileState::Reading => return None,
            FileState::Failed(_) => (Outcome::Failed, None),
            FileState::Read(read) => match &read.verdict {
                Verdict::Verified(verified) => (Outcome::Usable, Some(verified.digest())),
                Verdict::Unpinned(unpinned) => (Outcome::Usable, Some(unpinned.digest)),
                Verdict::Refused(refusal) => (Outcome::Refused, refusal.digest),
                Verdict::Untested(_) => (Outcome::Untested, None),
            },
        };
        Some(Self { outcome, digest })
    }
}

/// What a whole verification came to, file by file.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    /// When it ended, in milliseconds since 1970.
    at: u64,
    seen: Vec<(Arc<str>, Seen)>,
}

/// How a file differs from what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Refused, as it was not before.
    Refused,
    /// Not to be had, as it was not before.
    Failed,
    /// Not to be judged, as it was not before.
    Untested,
    /// As promised, as it was not before.
    Mended,
    /// With the same outcome, but other bytes came.
    Bytes,
    /// The entry did not list it before.
    New,
    /// The entry lists it no more.
    Gone,
}

impl Kind {
    /// All of them, the gravest first.
    pub(crate) const ALL: [Self; 7] = [
        Self::Refused,
        Self::Failed,
        Self::Untested,
        Self::Mended,
        Self::Bytes,
        Self::New,
        Self::Gone,
    ];

    /// In a word or two.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Refused => "newly refused",
            Self::Failed => "newly unreadable",
            Self::Untested => "newly not judged",
            Self::Mended => "mended",
            Self::Bytes => "other bytes",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }

    fn between(before: Seen, now: Seen) -> Option<Self> {
        if before.outcome == now.outcome {
            return (before.digest != now.digest).then_some(Self::Bytes);
        }
        Some(match now.outcome {
            Outcome::Usable => Self::Mended,
            Outcome::Refused => Self::Refused,
            Outcome::Untested => Self::Untested,
            Outcome::Failed => Self::Failed,
        })
    }
}

/// A file that is not as it was.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    /// Its URI.
    pub(crate) uri: Arc<str>,
    /// How it differs.
    pub(crate) kind: Kind,
    /// What its check came to before.
    pub(crate) before: Option<Seen>,
    /// What it comes to now.
    pub(crate) now: Option<Seen>,
}

/// What has changed since the verification before.
#[derive(Clone, Debug)]
pub(crate) struct Since {
    /// When that one ended, in milliseconds since 1970.
    pub(crate) at: u64,
    /// The files that are not as they were.
    pub(crate) changed: Vec<Changed>,
    /// Of how many the same came.
    pub(crate) same: usize,
    /// How many had the same outcome both times without any bytes to compare.
    pub(crate) without_bytes: usize,
}

impl Since {
    /// The files that are as they were.
    pub(crate) fn rest(&self) -> String {
        let same = format!("the same came for {}", count(self.same, "file"));
        match self.without_bytes {
            0 => same,
            number => format!("{same}, and {number} could again not be read or judged"),
        }
    }

    /// How many files of each kind there are, the gravest first.
    pub(crate) fn counts(&self) -> String {
        let number = |kind: Kind| self.changed.iter().filter(|file| file.kind == kind).count();
        let part = |kind: Kind| match number(kind) {
            0 => None,
            number => Some(format!("{number} {}", kind.word())),
        };
        Kind::ALL.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
    }
}

impl Past {
    /// A verification that ended at this time.
    pub(crate) const fn new(seen: Vec<(Arc<str>, Seen)>, at: u64) -> Self {
        Self { at, seen }
    }

    /// How a later one differs. What is gone comes last.
    pub(crate) fn compare(&self, later: &Self) -> Since {
        let by_uri = |past: &Self| past.seen.iter().cloned().collect::<HashMap<_, _>>();
        let (was, is) = (by_uri(self), by_uri(later));
        let mut changed = Vec::new();
        for (uri, now) in &later.seen {
            let before = was.get(uri).copied();
            let kind = before.map_or(Some(Kind::New), |before| Kind::between(before, *now));
            let uri = Arc::clone(uri);
            changed.extend(kind.map(|kind| Changed { uri, kind, before, now: Some(*now) }));
        }
        let alike = later.seen.len() - changed.len();
        let without_bytes = later
            .seen
            .iter()
            .filter(|(uri, now)| now.digest.is_none() && was.get(uri) == Some(now));
        let without_bytes = without_bytes.count();
        for (uri, before) in self.seen.iter().filter(|(uri, _)| !is.contains_key(uri)) {
            let (uri, before) = (Arc::clone(uri), Some(*before));
            changed.push(Changed { uri, kind: Kind::Gone, before, now: None });
        }
        Since { at: self.at, changed, same: alike - without_bytes, without_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, Outcome, &str)]) -> Vec<(Arc<str>, Seen)> {
        let file = |(uri, outcome, bytes): &(&str, Outcome, &str)| {
            let digest = (!bytes.is_empty()).then(|| Digest::of(bytes.as_bytes()));
            ((*uri).into(), Seen { outcome: *outcome, digest })
        };
        files.iter().map(file).collect()
    }

    #[test]
    fn every_kind_of_change_is_told_and_nothing_else() {
        use Outcome::{Failed, Refused, Untested, Usable};
        let before = seen(&[
            ("same", Usable, "a"),
            ("same-refused", Refused, "b"),
            ("refused", Usable, "c"),
            ("mended", Refused, "d"),
            ("back", Failed, ""),
            ("lost", Usable, "e"),
            ("odd", Usable, "f"),
            ("bytes", Refused, "g"),
            ("z-gone", Usable, "h"),
            ("gone", Usable, "i"),
        ]);
        let now = seen(&[
            ("new", Usable, "n"),
            ("same", Usable, "a"),
            ("same-refused", Refused, "b"),
            ("refused", Refused, "x"),
            ("mended", Usable, "x"),
            ("back", Usable, "x"),
            ("lost", Failed, ""),
            ("odd", Untested, ""),
            ("bytes", Refused, "x"),
        ]);
        let since = Past::new(before, 7).compare(&Past::new(now, 8));
        let told: Vec<_> = since.changed.iter().map(|file| (&*file.uri, file.kind)).collect();
        assert_eq!(
            told,
            [
                ("new", Kind::New),
                ("refused", Kind::Refused),
                ("mended", Kind::Mended),
                ("back", Kind::Mended),
                ("lost", Kind::Failed),
                ("odd", Kind::Untested),
                ("bytes", Kind::Bytes),
                ("z-gone", Kind::Gone),
                ("gone", Kind::Gone),
            ]
        );
        assert_eq!((since.at, since.same, since.without_bytes), (7, 2, 0));
        assert_eq!(
            since.counts(),
            "1 newly refused, 1 newly unreadable, 1 newly not judged, 2 mended, 1 other bytes, 1 new, 2 gone"
        );
    }

    #[test]
    fn nothing_has_changed_where_the_same_came() {
        let files = seen(&[("a", Outcome::Usable, "a"), ("b", Outcome::Failed, "")]);
        let past = Past::new(files, 0);
        let since = past.compare(&past);
        assert_eq!((since.changed.len(), since.counts().as_str()), (0, ""));
        assert_eq!(
            since.rest(),
            "the same came for 1 file, and 1 could again not be read or judged"
        );
    }
}
