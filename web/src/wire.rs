//! The log of what went over the wire, as the page shares it. What is kept and what is masked,
//! core decides.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use skillglass::protocol::HttpRequest;
use skillglass::protocol::log::{Exchange, Log, Outcome, Question};

use crate::browser;

/// How often the log is shown anew, in milliseconds.
const SHOW_EVERY_MS: u64 = 100;

/// The log, and what is looked at of it.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    log: StoredValue<Log>,
    changed: RwSignal<()>,
    is_pending: StoredValue<bool>,
    /// Whether it is shown.
    pub(crate) open: RwSignal<bool>,
    /// The number of the exchange that is looked at.
    pub(crate) chosen: RwSignal<Option<usize>>,
    /// The words that exchanges must hold to be listed.
    pub(crate) filter: RwSignal<String>,
}

impl Wire {
    /// A log of nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            log: StoredValue::new(Log::default()),
            changed: RwSignal::new(()),
            is_pending: StoredValue::new(false),
            open: RwSignal::new(false),
            chosen: RwSignal::new(None),
            filter: RwSignal::new(String::new()),
        }
    }

    /// Reads the log, now and whenever it changes.
    pub(crate) fn with<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.changed.track();
        self.log.with_value(read)
    }

    /// The exchange with this number, while it is kept.
    pub(crate) fn get(self, number: usize) -> Option<Arc<Exchange>> {
        self.log.with_value(|log| log.get(number).cloned())
    }

    /// Shows an exchange, whatever the filter says.
    pub(crate) fn show(self, number: usize) {
        let is_listed = self
            .get(number)
            .is_some_and(|exchange| self.filter.with_untracked(|filter| exchange.matches(filter)));
        if !is_listed {
            self.filter.set(String::new());
        }
        self.chosen.set(Some(number));
        self.open.set(true);
        request_animation_frame(|| browser::focus(DETAIL));
    }

    /// Shows the latest exchange with a server.
    pub(crate) fn show_latest(self, server: &str) {
        let latest = self.log.with_value(|log| {
            log.exchanges().rev().find(|exchange| exchange.server == server).map(|e| e.number)
        });
        if let Some(number) = latest {
            self.show(number);
        }
    }

    /// Notes that a request goes out.
    pub(crate) fn begin(self, question: &Question<'_>) -> usize {
        let number = self.log.try_update_value(|log| log.begin(question));
        self.show_soon();
        number.unwrap_or_default()
    }

    /// Notes what came of it.
    pub(crate) fn end(self, number: usize, request: &HttpRequest, outcome: Outcome) {
        self.log.try_update_value(|log| log.end(number, request, outcome));
        self.show_soon();
    }

    /// A run over hundreds of files would have the page laid out anew for each of them.
    fn show_soon(self) {
        if self.is_pending.get_value() {
            return;
        }
        self.is_pending.set_value(true);
        let show = move || {
            self.is_pending.set_value(false);
            self.changed.try_set(());
        };
        set_timeout(show, Duration::from_millis(SHOW_EVERY_MS));
    }
}

/// The element that shows the chosen exchange.
pub(crate) const DETAIL: &str = "exchange";
