//! The rules: each function is fed what one answer showed, and says what is wrong with it.

pub(super) mod content;
pub(super) mod directory;
pub(super) mod entry;
pub(super) mod envelope;
pub(super) mod links;
pub(super) mod listing;
pub(super) mod metadata;
pub(super) mod probe;

use std::fmt;

use super::Check;
use crate::finding::Finding;
use crate::protocol::{ReplyError, RpcError};

/// Why a question has no result.
#[derive(Clone, Debug)]
pub(super) enum NoResult {
    /// The server answered with an error.
    Refused(RpcError),
    /// What came is no answer.
    Unreadable(ReplyError),
}

impl NoResult {
    /// The code of the server's error, if it has one.
    pub(super) const fn code(&self) -> Option<i64> {
        match self {
            Self::Refused(error) => error.code,
            Self::Unreadable(_) => None,
        }
    }
}

impl fmt::Display for NoResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

/// A finding of the check `id`, worded as strongly as the table says, with the table's repair.
pub(super) fn broken(id: &'static str, message: impl Into<String>) -> Finding {
    let check = Check::find(id).expect("findings are made of checks in the table");
    Finding::new(check.id, check.level, check.section, message).repair(check.repair)
}

/// A finding that is worded elsewhere as one of the table's, with the table's repair where it has none.
pub(super) fn in_table(finding: Finding) -> Finding {
    let general = broken(finding.id, finding.message);
    let repair = finding.repair.or(general.repair);
    Finding {
        level: general.level,
        section: general.section,
        message: general.message,
        repair,
        ..finding
    }
}
