//! The rules: each function is fed what one answer showed, and says what is wrong with it.

pub(super) mod content;
pub(super) mod directory;
pub(super) mod entry;
pub(super) mod envelope;
pub(super) mod links;
pub(super) mod listing;
pub(super) mod metadata;
pub(super) mod probe;

use super::Check;
use crate::finding::Finding;

/// A finding of the check `id`, worded as strongly as the table says, with the table's repair.
pub(super) fn broken(id: &'static str, message: impl Into<String>) -> Finding {
    let check = Check::find(id).expect("findings are made of checks in the table");
    Finding::new(check.id, check.level, check.section, message).repair(check.repair)
}
