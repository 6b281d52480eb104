//! The page in Chromium: `page.mjs` walks through it and tells what people see.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A walk through the page, to a server.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Walk<'a> {
    /// A walk of `page.mjs`.
    pub(crate) walk: &'static str,
    pub(crate) url: &'a str,
    /// Whether the older handshake is chosen.
    pub(crate) is_older: bool,
    /// As the page calls what the server is made with.
    pub(crate) sdk: &'static str,
    /// Whether the browser reports a refusal on the way.
    pub(crate) may_report: bool,
}

/// What is said of a server that no page may read.
#[derive(Deserialize)]
pub(crate) struct Refused {
    /// What happened, in one sentence.
    pub(crate) what: String,
    /// The lines that mend it.
    pub(crate) lines: String,
}

/// What is said of a server whose skill was verified.
#[derive(Deserialize)]
pub(crate) struct Verified {
    /// What is spoken with it.
    pub(crate) speaks: String,
}

/// A browser that walks through one page after the other, until this process ends.
struct Browser {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    origin: String,
    _process: Child,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer<T> {
    Found { found: T },
    Error { error: String },
}

/// The origin of the page.
pub(crate) fn origin() -> Result<String, String> {
    Ok(browser()?.lock().unwrap_or_else(PoisonError::into_inner).origin.clone())
}

/// Takes a walk, once the one before has ended.
pub(crate) fn walk<T: DeserializeOwned>(walk: &Walk<'_>) -> Result<T, String> {
    browser()?.lock().unwrap_or_else(PoisonError::into_inner).walk(walk)
}

fn browser() -> Result<&'static Mutex<Browser>, String> {
    static BROWSER: OnceLock<Result<Mutex<Browser>, String>> = OnceLock::new();
    BROWSER.get_or_init(|| Browser::start().map(Mutex::new)).as_ref().map_err(Clone::clone)
}

impl Browser {
    fn start() -> Result<Self, String> {
        const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/client/page.mjs");
        let mut process = Command::new("node")
            .arg(FILE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node cannot be started: {error}"))?;
        let input = process.stdin.take().ok_or("standard input is piped")?;
        let output = BufReader::new(process.stdout.take().ok_or("standard output is piped")?);
        let mut browser = Self { input, output, origin: String::new(), _process: process };
        browser.origin = browser.hear().map_err(|error| {
            format!("the page cannot be opened ({error}); it is built, and a browser named, by: cargo xtask test --only peers")
        })?;
        Ok(browser)
    }

    fn walk<T: DeserializeOwned>(&mut self, walk: &Walk<'_>) -> Result<T, String> {
        let question = serde_json::to_string(walk).map_err(|error| error.to_string())?;
        writeln!(self.input, "{question}").map_err(|error| error.to_string())?;
        match self.hear()? {
            Answer::Found { found } => Ok(found),
            Answer::Error { error } => Err(error),
        }
    }

    fn hear<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }
}
