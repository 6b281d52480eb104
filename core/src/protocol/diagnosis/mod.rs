//! Why a page cannot have something from a server: what happened, why, and what mends it.
//!
//! A browser hands a page either an answer or nothing, and never says why there is nothing. An
//! [`Inquiry`] finds the [`Obstacle`] out with a few harmless requests, which the caller sends as
//! each [`Probe`] says. Where an answer came that is of no use, [`Diagnosis`] says what it means.
//! [`Remedy`] has the lines that mend a server, for the SDK it is made with.

mod answer;
mod inquiry;
mod obstacle;
mod remedy;

pub use answer::is_old_transport;
pub use inquiry::{Inquiry, InquiryStep, Permission, Probe, ProbeOutcome, Vantage};
pub use obstacle::Obstacle;
pub use remedy::{Remedy, Sdk, around};

use super::log::redact::Secrets;

/// What goes with lines to paste.
const LINES: &str = "Add these lines to the server, restart it, and connect again.";

/// A page that asks, and a server that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'p> {
    /// The server's address, as the user gave it.
    pub endpoint: &'p str,
    /// The origin of the page, as the browser sends it.
    pub origin: &'p str,
}

/// A diagnosis for people: sentences in plain words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// What happened, and so how far it went: one sentence.
    pub what: String,
    /// Why, as far as it can be told; empty where the first sentence says all.
    pub why: String,
    /// What to do; empty where nothing can be done from outside.
    pub advice: String,
    /// What came from the server: bounded, hidden characters escaped.
    pub evidence: Option<String>,
    /// Which lines mend the server, if lines do.
    pub remedy: Option<Remedy>,
}

impl Diagnosis {
    /// A diagnosis of these sentences.
    #[must_use]
    pub fn new(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> Self {
        let (what, why, advice) = (what.into(), why.into(), advice.into());
        Self { what, why, advice, evidence: None, remedy: None }
    }

    /// The diagnosis with what the page has sent masked wherever the server has repeated it.
    #[must_use]
    pub fn masked(self, secrets: &Secrets) -> Self {
        let mask = |text: String| secrets.mask(&text);
        let Self { what, why, advice, evidence, remedy } = self;
        Self {
            what: mask(what),
            why: mask(why),
            advice: mask(advice),
            evidence: evidence.map(mask),
            remedy,
        }
    }

    fn remedy(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }
}
