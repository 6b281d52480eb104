//! Every variant, judged once in each era it speaks.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};
use std::thread;

use skillglass::conformance::Report;
use skillglass::protocol::EraChoice;

use super::variants::{Suite, Variant, findings, variants};
use crate::conversation::Conversation;
use crate::server::{Server, fault_server};

pub(super) const ERAS: [EraChoice; 2] = [EraChoice::Modern, EraChoice::Legacy];

/// How many variants are judged at once: the two sides of a conversation mostly wait for each other.
pub(super) const WORKERS: usize = 4;

/// A variant and what came of it.
pub(super) struct Row {
    pub(super) variant: Variant,
    pub(super) suite: Suite,
    modern: Option<Report>,
    legacy: Option<Report>,
}

impl Row {
    /// The report in one era; none where the variant does not speak it.
    pub(super) const fn report(&self, era: EraChoice) -> Option<&Report> {
        match era {
            EraChoice::Legacy => self.legacy.as_ref(),
            _ => self.modern.as_ref(),
        }
    }
}

/// The rows in the order of the fault server. They are made once for all tests.
pub(super) fn matrix() -> &'static [Row] {
    static MATRIX: OnceLock<Vec<Row>> = OnceLock::new();
    MATRIX.get_or_init(judge_all)
}

fn judge_all() -> Vec<Row> {
    let server = Server::start(&mut fault_server()).unwrap();
    let mut suite = findings();
    let waiting = Mutex::new(variants().into_iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((at, variant)) = next(&waiting) {
                    let url = format!("{}/{}", server.url, variant.id);
                    let [modern, legacy] = ERAS.map(|era| judge(&url, era));
                    done.lock().unwrap().insert(at, (variant, modern, legacy));
                }
            });
        }
    });
    let rows = done.into_inner().unwrap().into_values();
    rows.map(|(variant, modern, legacy)| {
        let suite = suite.remove(&variant.id).unwrap_or_default();
        Row { variant, suite, modern, legacy }
    })
    .collect()
}

pub(super) fn next<T>(waiting: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    waiting.lock().unwrap().next()
}

/// Judges a server in one era, if it speaks it.
fn judge(url: &str, era: EraChoice) -> Option<Report> {
    Some(Conversation::open(url, era).ok()?.judge())
}
