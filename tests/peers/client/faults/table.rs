//! The matrix in the documentation, written from what the runs came to.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use skillglass::conformance::{Outcome, Report};
use skillglass::protocol::EraChoice;

use super::ids;
use super::matrix::{ERAS, Row};

pub(super) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/faults.md");

const INTRODUCTION: &str = "\
# Faults and what finds them

Each row is a server of `tests/servers/fault-server` that differs from the honest one in one thing, and what was found in it:
by the core's conformance run, and by the official suite, whose findings `tests/suite` keeps.

This page is written by its test: `UPDATE_DOCS=1 cargo test -p skillglass-peers faults`.

- **Fails**, **Warns**: the checks of the core, by their ids. Those in bold are what the fault is for; the others follow from
  it. *Modern* and *older* mark what only one of the two eras of the base protocol shows.
- **Suite**: what the official suite fails, or warns of in brackets, in either era.

";

/// The page's text.
pub(super) fn page(rows: &[Row]) -> String {
    let mut page = INTRODUCTION.to_owned();
    writeln!(page, "{}", summary(rows)).expect("a string takes all");
    let mut group = "";
    for row in rows {
        if group != row.variant.group {
            group = &row.variant.group;
            writeln!(page, "\n## {group}\n\n| Variant | What it does | Fails | Warns | Suite |\n|---|---|---|---|---|")
                .expect("a string takes all");
        }
        writeln!(page, "{}", line(row)).expect("a string takes all");
    }
    page
}

/// How many faults either side finds.
fn summary(rows: &[Row]) -> String {
    let faults: Vec<_> = rows.iter().filter(|row| row.variant.group != "honest").collect();
    let core = faults.iter().filter(|row| ERAS.into_iter().any(|era| found(row, era))).count();
    let suite = faults
        .iter()
        .filter(|row| {
            ERAS.into_iter().any(|era| {
                let found = row.suite.of(era);
                !found.fails.is_empty() || !found.warns.is_empty()
            })
        })
        .count();
    format!(
        "Of {} faults the core finds {core} and the suite {suite}. In {} honest servers the core finds no failure.",
        faults.len(),
        rows.len() - faults.len(),
    )
}

fn found(row: &Row, era: EraChoice) -> bool {
    let counts = |report: &Report| report.counts.fail + report.counts.warn > 0;
    row.report(era).is_some_and(counts)
}

fn line(row: &Row) -> String {
    let variant = &row.variant;
    let title = variant.title.replace('|', "\\|");
    format!(
        "| `{}` | {title} | {} | {} | {} |",
        variant.id,
        cell(row, Outcome::Fail, &variant.breaks),
        cell(row, Outcome::Warn, &variant.warns),
        suite_cell(row),
    )
}

/// The checks with an outcome in either era.
fn cell(row: &Row, outcome: Outcome, named: &[String]) -> String {
    let in_era = |era| row.report(era).map(|report| ids(report, outcome));
    let [modern, legacy] = ERAS.map(in_era);
    let both: BTreeSet<&str> = modern.iter().chain(&legacy).flatten().copied().collect();
    let has = |era: &Option<BTreeSet<&str>>, id: &str| {
        era.as_ref().is_none_or(|found| found.contains(id))
    };
    let mark = |id: &&str| {
        let text = if named.iter().any(|named| named == id) {
            format!("**{id}**")
        } else {
            (*id).to_owned()
        };
        match (has(&modern, id), has(&legacy, id)) {
            (true, false) => format!("{text} (modern)"),
            (false, true) => format!("{text} (older)"),
            _ => text,
        }
    };
    both.iter().map(mark).collect::<Vec<_>>().join(", ")
}

fn suite_cell(row: &Row) -> String {
    let short = |id: &str| id.strip_prefix("sep-2640-").unwrap_or(id).to_owned();
    let fails: BTreeSet<_> =
        ERAS.iter().flat_map(|era| &row.suite.of(*era).fails).map(|id| short(id)).collect();
    let warns = ERAS.iter().flat_map(|era| &row.suite.of(*era).warns).map(|id| short(id));
    let warns: BTreeSet<_> = warns.map(|id| format!("({id})")).collect();
    fails.into_iter().chain(warns).collect::<Vec<_>>().join(", ")
}
