//! `skills/list` as a whole, and `skills/get` beside it.

use std::collections::HashMap;

use super::broken;
use crate::entry::Reading;
use crate::entry::diff::EntryDiff;
use crate::finding::{Finding, Level, excerpt, quote};
use crate::json;
use crate::uri::SkillUri;
use crate::value::Node;

/// How many names that clash are told.
const MAX_NAMES: usize = 20;

/// The names that more than one listed skill has, by the URIs.
pub(in super::super) fn names<'r>(uris: impl Iterator<Item = &'r str>) -> Vec<Finding> {
    let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut by_name = HashMap::new();
    for uri in uris {
        let Ok(skill) = SkillUri::parse(uri) else { continue };
        match by_name.get(skill.name()) {
            Some(&at) => {
                let (_, uris): &mut (&str, Vec<&str>) = &mut names[at];
                uris.push(uri);
            }
            None => {
                by_name.insert(skill.name(), names.len());
                names.push((skill.name(), vec![uri]));
            }
        }
    }
    let clashes = names.into_iter().filter(|(_, uris)| uris.len() > 1);
    clashes
        .take(MAX_NAMES)
        .map(|(name, uris)| {
            let shown: Vec<_> = uris.iter().take(3).map(|uri| quote(uri)).collect();
            let more = if uris.len() > 3 { ", …" } else { "" };
            let message = format!(
                "{} skills are named {}: {}{more}",
                uris.len(),
                quote(name),
                shown.join(", ")
            );
            broken("names-should-be-unique", message)
        })
        .collect()
}

/// What is wrong where this page of the listing cannot be had, counted from 1. The official suite
/// reads all pages before it judges the method, and so holds a later one against it as well.
pub(in super::super) fn no_page(page: usize, error: &str) -> Finding {
    let message = match page {
        1 => error.to_owned(),
        _ => format!("page {page} cannot be had: {error}"),
    };
    broken("skills-list-implemented", message)
}

/// What is wrong where a page ended with the cursor `""` and no next page came of it.
pub(in super::super) fn empty_cursor(came: &str) -> Finding {
    broken("list-empty-cursor", format!("the page behind the cursor \"\" is {came}"))
}

/// What is wrong where a page refuses the cursor that the page before it gave.
pub(in super::super) fn refused_cursor(error: &str) -> Finding {
    broken("skills-list-pagination", format!("the server refuses the cursor it gave: {error}"))
}

/// Cache fields in a result of an older revision.
pub(in super::super) fn cache_fields(result: &Node<'_>) -> Option<Finding> {
    let has = |name: &&str| result.get(name).is_some();
    let fields: Vec<_> =
        ["ttlMs", "cacheScope"].into_iter().filter(has).map(str::to_owned).collect();
    let message = format!("the result has {}", fields.join(" and "));
    (!fields.is_empty()).then(|| broken("no-cache-fields-on-legacy", message))
}

/// What is wrong where `skills/get` does not give the entry of the listing.
pub(in super::super) fn differs(listed: &Reading, got: &Reading) -> Option<Finding> {
    if listed.source == got.source {
        return None;
    }
    if let (Some(listed), Some(got)) = (&listed.entry, &got.entry) {
        return EntryDiff::between(listed, got).finding();
    }
    let (Ok(first), Ok(second)) = (json::read(&listed.source), json::read(&got.source)) else {
        return None;
    };
    if first.root.to_json() == second.root.to_json() || first.root.same_content(&second.root) {
        return None;
    }
    let message = "skills/get and skills/list disagree, and one of the two entries is malformed";
    let sides = (excerpt(&listed.source, 300), excerpt(&got.source, 300));
    Some(broken("get-equals-list", message).sides(sides.0, sides.1))
}

/// What is wrong where the entry of `skills/get` breaks rules that the listed one keeps.
pub(in super::super) fn new_defects(listed: Option<&Reading>, got: &Reading) -> Option<Finding> {
    let is_new = |finding: &&Finding| {
        finding.level == Level::Must
            && !listed.is_some_and(|listed| {
                listed
                    .findings
                    .iter()
                    .any(|other| (other.id, &other.pointer) == (finding.id, &finding.pointer))
            })
    };
    let new: Vec<_> = got.findings.iter().filter(is_new).collect();
    let first = new.first()?;
    let message = format!(
        "the entry from skills/get is wrong where the listed one is not: {}",
        first.message
    );
    let finding = broken("get-entry-full-rules", message);
    Some(match &first.pointer {
        Some(pointer) => finding.pointer(pointer),
        None => finding,
    })
}
