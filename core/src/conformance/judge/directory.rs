//! A whole directory beside the manifest of a skill around it.

use std::collections::HashSet;

use super::broken;
use crate::finding::{Finding, Section, quote};
use crate::protocol::directory::{Child, ManifestTree};

/// What is wrong with a directory, and with the manifest that lacks a file of it.
///
/// The second list is about the skill: a manifest is complete, so a file that it lacks is its
/// fault, not the directory's.
pub(in super::super) fn beside_manifest(
    tree: &ManifestTree,
    directory: &str,
    children: &[Child],
) -> (Vec<Finding>, Vec<Finding>) {
    const INCOMPLETE: &str = "manifest-complete-vs-directory";
    let (incomplete, own): (Vec<_>, Vec<_>) =
        tree.compare(directory, children).into_iter().partition(|finding| finding.id == INCOMPLETE);
    let incomplete = incomplete.into_iter().map(|finding| broken(INCOMPLETE, finding.message));
    (own, incomplete.collect())
}

/// The children that came more than once.
pub(in super::super) fn repeated(children: &[Child]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let again = children.iter().filter(|child| !seen.insert(&child.uri));
    again
        .take(5)
        .map(|child| {
            let message = format!("{} comes more than once", quote(&child.uri));
            broken("directory-pagination-complete", message)
        })
        .collect()
}

/// What is wrong where a directory that the skill has is refused.
pub(in super::super) fn refused(directory: &str, error: &str) -> Finding {
    broken("directory-every-level", format!("{} cannot be read: {error}", quote(directory)))
}

/// What is wrong where a directory without files is not answered with an empty array.
pub(in super::super) fn not_empty(directory: &str, came: &str) -> Finding {
    let message = format!("the directory {} holds no files, yet {came}", quote(directory));
    broken("directory-empty-array", message)
}

/// What is wrong where the pages go round or are refused.
pub(in super::super) fn endless(directory: &str, why: &str) -> Finding {
    Finding::must(
        "directory-read-pagination",
        Section::Directories,
        format!("the pages of {} {why}", quote(directory)),
    )
}
