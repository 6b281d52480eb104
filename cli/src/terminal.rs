//! What goes to standard error: progress while a person watches, notes, and every exchange on demand.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use skillglass::finding::excerpt;

use crate::output::withheld;

/// How often a progress line is written anew at most.
const SHOW_EVERY: Duration = Duration::from_millis(80);

const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new().dimmed();

/// The person's side of standard error.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    watched: bool,
    verbose: bool,
    /// When the progress line that stands there now was written.
    line: Arc<Mutex<Option<Instant>>>,
    /// What is said once only.
    noted: Arc<Mutex<HashSet<String>>>,
}

impl Terminal {
    pub(crate) fn new(verbose: bool) -> Self {
        let watched = std::io::stderr().is_terminal();
        Self { watched, verbose, line: Arc::default(), noted: Arc::default() }
    }

    /// Shows how far something is, in the place of what was shown before. Nobody sees it in a file.
    pub(crate) fn progress(&self, text: impl FnOnce() -> String) {
        if !self.watched {
            return;
        }
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.is_some_and(|shown| shown.elapsed() < SHOW_EVERY) {
            return;
        }
        *line = Some(Instant::now());
        write(format_args!("\r\x1b[2K{}", text()));
    }

    /// Says what a person should know, though nothing fails for it.
    pub(crate) fn note(&self, text: impl Display) {
        self.line(format_args!("{NOTE}note{NOTE:#}  {text}\n"));
    }

    /// Says it as [`Terminal::note`] does, unless it was said so before.
    pub(crate) fn note_once(&self, text: String) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = noted.insert(text.clone());
        drop(noted);
        if is_new {
            self.note(text);
        }
    }

    /// Whether a person asked for everything.
    pub(crate) const fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Says why the program stops.
    pub(crate) fn error(&self, text: impl Display) {
        self.line(format_args!("{ERROR}error{ERROR:#} {text}\n"));
    }

    /// Says what only `--verbose` asks for.
    pub(crate) fn detail(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            let text = excerpt(&withheld().mask(&text()), 2_000);
            self.line(format_args!("{QUIET}{text}{QUIET:#}\n"));
        }
    }

    /// Takes the progress line away.
    pub(crate) fn clear(&self) {
        self.line(format_args!(""));
    }

    fn line(&self, text: std::fmt::Arguments<'_>) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.take().is_some() {
            write(format_args!("\r\x1b[2K{text}"));
        } else {
            write(text);
        }
    }
}

fn write(text: std::fmt::Arguments<'_>) {
    // There is nobody left to tell.
    let _ = anstream::stderr().lock().write_all(withheld().mask(&text.to_string()).as_bytes());
}
