//! A whole directory beside the manifest of a skill around it.

use std::collections::HashMap;

use super::broken;
use crate::finding::{Finding, quote};
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
    let mut own = tree.compare(directory, children);
    own.retain(|finding| finding.id != INCOMPLETE);
    let unlisted = tree.unlisted(directory, children).map(|child| {
        let (file, directory) = (quote(&child.uri), quote(directory));
        broken(
            INCOMPLETE,
            format!("{file} is in the directory {directory} and not in the manifest"),
        )
    });
    (own, unlisted.collect())
}

/// The children that came more than once.
pub(in super::super) fn repeated(children: &[Child]) -> Vec<Finding> {
    let mut first = HashMap::new();
    let places = children.iter().enumerate();
    let again = places.filter(|(at, child)| first.insert(child.uri.as_str(), *at).is_some());
    again
        .take(5)
        .map(|(_, child)| {
            let message = format!("{} comes more than once", quote(&child.uri));
            broken("directory-pagination-complete", message)
        })
        .collect()
}

/// What is wrong where a directory that the skill has is refused.
pub(in super::super) fn refused(error: &str) -> Finding {
    broken("directory-every-level", error)
}

/// What is wrong where a directory without files is not answered with an empty array.
pub(in super::super) fn not_empty(came: &str) -> Finding {
    broken(
        "directory-empty-array",
        format!("its directory names it and no file is in it, yet {came}"),
    )
}

/// What is wrong where the pages go round or are refused.
pub(in super::super) fn endless(why: &str) -> Finding {
    broken("directory-read-pagination", format!("the pages {why}"))
}
