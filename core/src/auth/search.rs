//! One document at several possible addresses.

use std::collections::VecDeque;

use super::AuthError;
use super::answer::{Fault, Question};

/// The addresses that are left, and the most telling failure so far.
#[derive(Debug)]
pub(super) struct Search {
    question: Question,
    addresses: VecDeque<String>,
    failure: Option<(String, Fault)>,
}

impl Search {
    pub(super) fn new(question: Question, addresses: Vec<String>) -> Self {
        Self { question, addresses: addresses.into(), failure: None }
    }

    /// The address that is to be asked now; none where all were asked.
    pub(super) fn address(&self) -> Option<&str> {
        self.addresses.front().map(String::as_str)
    }

    /// Notes why the address did not help, and moves on to the next.
    pub(super) fn failed(&mut self, fault: Fault) {
        let Some(address) = self.addresses.pop_front() else { return };
        let before = self.failure.as_ref().map(|(_, fault)| weight(fault));
        if before.is_none_or(|before| before < weight(&fault)) {
            self.failure = Some((address, fault));
        }
    }

    /// Whether the document was nowhere to be had, rather than there and wrong.
    pub(super) fn found_nothing(&self) -> bool {
        self.failure.as_ref().is_none_or(|(_, fault)| weight(fault) < WRONG)
    }

    /// Why all failed; none as long as none has.
    pub(super) fn error(&self) -> Option<AuthError> {
        let (address, fault) = self.failure.as_ref()?;
        Some(self.question.failed(address, fault.clone()))
    }
}

/// The weight of a document that was there, and wrong.
const WRONG: u8 = 3;

/// How much a failure tells: a wrong document more than silence, silence more than "not here".
/// Many servers answer every address with a page for people, which says "not here" as well.
fn weight(fault: &Fault) -> u8 {
    match fault {
        Fault::Status(_) | Fault::Refused(_) => 0,
        Fault::Json(_) => 1,
        Fault::Opaque | Fault::TimedOut => 2,
        _ => WRONG,
    }
}
