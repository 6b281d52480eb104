//! What the user allows servers to take: time, connections, memory.

use leptos::prelude::*;
use skillglass::protocol::ReplyLimits;

use crate::browser;

/// Where the choices are kept.
const KEPT: &str = "skillglass.limits";

/// A setting: what there is to choose from, and which of it is chosen.
#[derive(Clone, Copy)]
pub(crate) struct Setting<T: 'static> {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The choices by their names.
    pub(crate) names: &'static [&'static str],
    values: &'static [T],
    /// The place of the chosen one.
    pub(crate) chosen: RwSignal<usize>,
}

impl<T: Copy> Setting<T> {
    fn new(
        name: &'static str,
        names: &'static [&'static str],
        values: &'static [T],
        usual: usize,
    ) -> Self {
        Self { name, names, values, chosen: RwSignal::new(usual) }
    }

    fn value(self) -> T {
        // The places are those of the names, of which there are as many.
        self.values[self.chosen.get_untracked().min(self.values.len() - 1)]
    }
}

/// All settings. They hold for every server, also for those that are connected already.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// How long a server may be silent while the conversation is opened, in seconds.
    pub(crate) connect: Setting<u64>,
    /// How long it may be silent later.
    pub(crate) request: Setting<u64>,
    /// How many files are read at a time; none where the connection decides.
    pub(crate) reads: Setting<Option<usize>>,
    /// How long an answer may be, in bytes.
    pub(crate) answer: Setting<usize>,
}

impl Settings {
    /// The settings of the last visit, and from now on kept for the next.
    pub(crate) fn kept() -> Self {
        const MIB: usize = 1024 * 1024;
        let settings = Self {
            connect: Setting::new(
                "Longest silence while connecting",
                &["10 s", "30 s", "2 min"],
                &[10, 30, 120],
                1,
            ),
            request: Setting::new(
                "Longest silence later",
                &["10 s", "60 s", "10 min"],
                &[10, 60, 600],
                1,
            ),
            reads: Setting::new(
                "Files read at a time",
                &["Auto", "1", "6", "24"],
                &[None, Some(1), Some(6), Some(24)],
                0,
            ),
            answer: Setting::new(
                "Longest answer",
                &["8 MiB", "128 MiB", "512 MiB"],
                &[8 * MIB, 128 * MIB, 512 * MIB],
                1,
            ),
        };
        settings.keep();
        settings
    }

    /// How long a server may be silent while the conversation is opened, in milliseconds.
    pub(crate) fn connect_ms(&self) -> u64 {
        self.connect.value() * 1_000
    }

    /// How long a server may be silent later, in milliseconds.
    pub(crate) fn request_ms(&self) -> u64 {
        self.request.value() * 1_000
    }

    /// How many files are read at a time, where the connection would have `usual`.
    pub(crate) fn reads(&self, usual: usize) -> usize {
        self.reads.value().unwrap_or(usual)
    }

    /// What an answer may cost.
    pub(crate) fn limits(&self) -> ReplyLimits {
        ReplyLimits { body: self.answer.value() }
    }

    fn chosen(&self) -> [RwSignal<usize>; 4] {
        [self.connect.chosen, self.request.chosen, self.reads.chosen, self.answer.chosen]
    }

    fn keep(&self) {
        let chosen = self.chosen();
        let storage = browser::local_storage();
        let kept = storage.as_ref().and_then(|storage| storage.get_item(KEPT).ok().flatten());
        let kept = kept.unwrap_or_default();
        for (signal, place) in chosen.iter().zip(kept.split(' ')) {
            if let Ok(place) = place.parse() {
                signal.set(place);
            }
        }
        Effect::new(move |_| {
            let places = chosen.map(|chosen| chosen.get().to_string()).join(" ");
            if let Some(storage) = browser::local_storage() {
                let _ = storage.set_item(KEPT, &places);
            }
        });
    }
}
