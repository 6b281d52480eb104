//! A whole directory beside the manifest of a skill around it.

use std::collections::HashSet;

use super::broken;
use super::metadata::{Resource, same_type};
use crate::finding::{Finding, Level, excerpt, quote};
use crate::protocol::directory::{Child, ManifestTree};
use crate::uri::decode_lossy;

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

/// What the directory and `resources/list` say differently of a file: its name, or its media type.
pub(in super::super) fn differs(child: &Child, listed: &Resource) -> Option<Finding> {
    let pair = |here: &Option<String>, there: &Option<String>, same: fn(&str, &str) -> bool| {
        let pair = here.clone().zip(there.clone());
        pair.filter(|(here, there)| !same(here, there))
    };
    // A file may be called by its place there, whatever it is called elsewhere.
    let last_segment = child.uri.rsplit('/').next().unwrap_or_default();
    let is_place = |name: &str| name == last_segment || name == decode_lossy(last_segment);
    let name = pair(&child.name, &listed.name, |here, there| here == there);
    let name = name.filter(|(here, _)| !is_place(here));
    let kind = || pair(&child.mime_type, &listed.mime_type, same_type);
    let (what, (here, there)) =
        name.map(|it| ("name", it)).or_else(|| Some(("media type", kind()?)))?;
    let message = format!("resources/list names another {what} for {}", quote(&child.uri));
    let finding = broken("directory-child-shape", message);
    let finding = finding.sides(excerpt(&there, 80), excerpt(&here, 80));
    Some(Finding { level: Level::Should, ..finding })
}

/// The children that came more than once.
pub(in super::super) fn repeated(children: &[Child]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let again = children.iter().filter(|child| !seen.insert(child.uri.as_str()));
    again
        .take(5)
        .map(|child| {
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

/// What follows where the method answers nothing: no children, and no pages of them.
pub(in super::super) fn no_result(error: &str) -> [Finding; 2] {
    let missing = |id| broken(id, error);
    ["directory-read-result-resources-shape", "directory-read-pagination"].map(missing)
}

/// What is wrong where a cursor leads to something else than a page.
pub(in super::super) fn no_page(findings: &[Finding]) -> Option<Finding> {
    let no_array = |finding: &&Finding| finding.pointer.as_deref() == Some("/resources");
    let finding = findings.iter().find(no_array)?;
    Some(endless(&format!("are no arrays: {}", finding.message)))
}

/// What is wrong where the pages go round or are refused.
pub(in super::super) fn endless(why: &str) -> Finding {
    broken("directory-read-pagination", format!("the pages {why}"))
}
