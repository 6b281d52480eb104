//! The variants of the fault server, and what the official suite finds in each.

use std::collections::BTreeMap;

use serde::Deserialize;
use skillglass::conformance::Outcome;
use skillglass::protocol::EraChoice;

use crate::server::fault_server;

/// A variant, as the fault server lists it.
#[derive(Debug, Deserialize)]
pub(super) struct Variant {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) group: String,
    /// The only era in which it is a fault, if it is not one in both.
    era: Option<String>,
    /// The checks that fail.
    pub(super) breaks: Vec<String>,
    /// The checks that warn.
    pub(super) warns: Vec<String>,
    /// The checks that may fail or warn because of it.
    pub(super) follows: Vec<String>,
    /// The checks that the official suite fails and the core does not, with the reason.
    pub(super) lenient: BTreeMap<String, String>,
}

impl Variant {
    /// The checks that have to come to this outcome in an era.
    pub(super) fn wanted(&self, outcome: Outcome, era: EraChoice) -> &[String] {
        match outcome {
            _ if self.era.is_some() && era == EraChoice::Legacy => &[],
            Outcome::Fail => &self.breaks,
            Outcome::Warn => &self.warns,
            _ => &[],
        }
    }

    /// Whether a check may come to this outcome.
    pub(super) fn explains(&self, outcome: Outcome, id: &str) -> bool {
        let named = if outcome == Outcome::Fail { &self.breaks } else { &self.warns };
        named.iter().chain(&self.follows).any(|named| named == id)
    }

    /// Whether there is a reason not to fail where the official suite does, under this id of its.
    pub(super) fn is_lenient(&self, suite_id: &str) -> bool {
        self.lenient.contains_key(suite_id.strip_prefix("sep-2640-").unwrap_or(suite_id))
    }
}

/// What the official suite finds in a variant.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Suite {
    modern: Found,
    legacy: Found,
}

/// The ids of the suite's checks that failed or warned, in one era.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Found {
    pub(super) fails: Vec<String>,
    pub(super) warns: Vec<String>,
}

impl Suite {
    pub(super) const fn of(&self, era: EraChoice) -> &Found {
        match era {
            EraChoice::Legacy => &self.legacy,
            _ => &self.modern,
        }
    }
}

/// The variants in the order of the fault server, the honest one first.
pub(super) fn variants() -> Vec<Variant> {
    let output = fault_server().arg("--list").output().expect("Node starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("--list prints JSON of this form")
}

/// What the suite found, by variant; it was not tried on those that are missing.
pub(super) fn findings() -> BTreeMap<String, Suite> {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../suite/findings.json");
    let text = std::fs::read_to_string(FILE).expect("tests/suite keeps its findings");
    serde_json::from_str(&text).expect("tests/suite writes JSON of this form")
}
