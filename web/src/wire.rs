//! The log of what went over the wire: bounded, and without the user's secrets.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use skillglass::protocol::HttpRequest;

use crate::text::head;

/// How many exchanges are kept.
pub(crate) const MAX_EXCHANGES: usize = 300;

/// How much of a body is kept, in bytes.
pub(crate) const MAX_BODY: usize = 16 * 1024;

/// A question and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// Its place among all exchanges, from 1.
    pub(crate) number: usize,
    /// The server's label.
    pub(crate) server: String,
    /// The JSON-RPC method; the HTTP method for what has none.
    pub(crate) method: &'static str,
    /// What it was about.
    pub(crate) subject: Option<String>,
    /// The request's headers, secrets replaced by dots.
    pub(crate) headers: Vec<(String, String)>,
    /// The request's body, bounded.
    pub(crate) request: String,
    /// What came of it; none while it is under way.
    pub(crate) outcome: Option<Outcome>,
}

/// How an exchange ended.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The HTTP status, if an answer came.
    pub(crate) status: Option<u16>,
    /// How long it took.
    pub(crate) ms: u64,
    /// How many bytes the body had as it arrived.
    pub(crate) bytes: u64,
    /// The media type.
    pub(crate) content_type: Option<String>,
    /// The message or the body's beginning, bounded; or why there is none.
    pub(crate) body: String,
    /// Whether an answer came that could be read.
    pub(crate) good: bool,
}

/// Everything that is kept, with sums over everything that was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// The latest exchanges, oldest first.
    pub(crate) exchanges: VecDeque<Arc<Exchange>>,
    /// How many there were in all.
    pub(crate) total: usize,
    /// How many bytes came in all.
    pub(crate) bytes: u64,
    /// The longest one and its method.
    pub(crate) slowest: Option<(u64, &'static str)>,
}

impl Log {
    fn begin(&mut self, server: &str, subject: Option<&str>, request: &HttpRequest) -> usize {
        self.total += 1;
        let header = |header: &skillglass::protocol::Header| {
            (header.name.clone(), header.shown().to_owned())
        };
        self.exchanges.push_back(Arc::new(Exchange {
            number: self.total,
            server: server.to_owned(),
            method: request.rpc_method.unwrap_or(request.method.as_str()),
            subject: subject.map(|subject| head(subject, 400).0.to_owned()),
            headers: request.headers.iter().map(header).collect(),
            request: bounded(&request.body),
            outcome: None,
        }));
        if self.exchanges.len() > MAX_EXCHANGES {
            self.exchanges.pop_front();
        }
        self.total
    }

    fn end(&mut self, number: usize, mut outcome: Outcome) {
        outcome.body = bounded(&outcome.body);
        self.bytes = self.bytes.saturating_add(outcome.bytes);
        let Some(exchange) = self.get_mut(number) else { return };
        let (ms, method) = (outcome.ms, exchange.method);
        Arc::make_mut(exchange).outcome = Some(outcome);
        if self.slowest.is_none_or(|(slowest, _)| ms > slowest) {
            self.slowest = Some((ms, method));
        }
    }

    /// The exchange with this number, while it is kept.
    pub(crate) fn get(&self, number: usize) -> Option<&Arc<Exchange>> {
        self.exchanges.get(self.index(number)?)
    }

    fn get_mut(&mut self, number: usize) -> Option<&mut Arc<Exchange>> {
        let index = self.index(number)?;
        self.exchanges.get_mut(index)
    }

    fn index(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.exchanges.front()?.number)
    }
}

fn bounded(text: &str) -> String {
    match head(text, MAX_BODY) {
        (all, false) => all.to_owned(),
        (head, true) => format!("{head}\n… cut off here; {} bytes in all", text.len()),
    }
}

/// How often the log is shown anew, in milliseconds.
const SHOW_EVERY_MS: u64 = 100;

/// The log as the page shares it.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    log: StoredValue<Log>,
    changed: RwSignal<()>,
    is_pending: StoredValue<bool>,
}

impl Wire {
    /// A log of nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            log: StoredValue::new(Log::default()),
            changed: RwSignal::new(()),
            is_pending: StoredValue::new(false),
        }
    }

    /// Reads the log, now and whenever it changes.
    pub(crate) fn with<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.changed.track();
        self.log.with_value(read)
    }

    /// Notes that a question goes out.
    pub(crate) fn begin(self, server: &str, subject: Option<&str>, request: &HttpRequest) -> usize {
        let number = self.log.try_update_value(|log| log.begin(server, subject, request));
        self.show_soon();
        number.unwrap_or_default()
    }

    /// Notes what came of it.
    pub(crate) fn end(self, number: usize, outcome: Outcome) {
        self.log.try_update_value(|log| log.end(number, outcome));
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

#[cfg(test)]
mod tests {
    use super::*;
    use skillglass::protocol::{Call, Client};

    fn exchange(log: &mut Log, token: &str) -> usize {
        let mut client = Client::new("https://a.example/mcp").unwrap();
        client.set_bearer_token(token).unwrap();
        let request = client.request(&Call::Discover).unwrap();
        log.begin("a.example", None, &request)
    }

    fn outcome(ms: u64, body: &str) -> Outcome {
        let bytes = body.len() as u64;
        let content_type = None;
        Outcome { status: Some(200), ms, bytes, content_type, body: body.into(), good: true }
    }

    #[test]
    fn secrets_are_not_kept() {
        let mut log = Log::default();
        exchange(&mut log, "hunter2");
        assert!(!format!("{log:?}").contains("hunter2"));
    }

    #[test]
    fn only_the_latest_are_kept_and_all_are_counted() {
        let mut log = Log::default();
        for _ in 0..MAX_EXCHANGES + 5 {
            let number = exchange(&mut log, "x");
            log.end(number, outcome(1, "abc"));
        }
        assert_eq!((log.exchanges.len(), log.total), (MAX_EXCHANGES, MAX_EXCHANGES + 5));
        assert_eq!(log.bytes, 3 * log.total as u64);
        assert!(log.get(5).is_none());
        assert_eq!(log.get(6).unwrap().number, 6);
    }

    #[test]
    fn answers_find_their_question() {
        let mut log = Log::default();
        let (first, second) = (exchange(&mut log, "x"), exchange(&mut log, "x"));
        log.end(second, outcome(9, ""));
        assert!(log.get(first).unwrap().outcome.is_none());
        assert_eq!(log.slowest, Some((9, "server/discover")));
    }

    #[test]
    fn long_bodies_are_cut() {
        let mut log = Log::default();
        let number = exchange(&mut log, "x");
        log.end(number, outcome(1, &"é".repeat(MAX_BODY)));
        let body = &log.get(number).unwrap().outcome.as_ref().unwrap().body;
        assert!(body.len() < MAX_BODY + 100 && body.contains("cut off here; 32768 bytes"));
    }
}
