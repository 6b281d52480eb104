//! `skillglass` on the command line: what a page cannot reach, and what continuous integration needs.
//!
//! The rules are the core's. Here is what it leaves to its callers: arguments, files, processes,
//! connections, and words on a terminal.

mod arguments;
mod check;
mod conversation;
mod failure;
mod folder;
mod get;
mod inspect;
mod listen;
mod output;
mod serve;
mod skills;
mod target;
mod terminal;
mod transport;
mod verify;

use std::panic::resume_unwind;
use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// What a command came to. Its number is the exit code; 2 is for a [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing is wrong.
    Clean = 0,
    /// What was looked at is wrong.
    Findings = 1,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let terminal = Terminal::new(arguments.verbose);
    // Only the first call in a process counts, and this is it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return ended(&terminal, Err(Failure::Runtime(error))),
    };
    // A task runs on the threads of its connections, so that fewer have to wake each other.
    let work = runtime.spawn(run(arguments, terminal.clone()));
    let outcome = runtime.block_on(work).unwrap_or_else(|panic| resume_unwind(panic.into_panic()));
    // Nothing that still waits, as for input that never comes, holds the program up.
    runtime.shutdown_background();
    ended(&terminal, outcome)
}

async fn run(arguments: Arguments, terminal: Terminal) -> Result<Outcome, Failure> {
    let terminal = &terminal;
    match arguments.command {
        // These serve until they are interrupted, or tell what is known by then.
        Command::Inspect(arguments) => inspect::run(arguments, terminal).await,
        Command::Serve(arguments) => serve::run(arguments, terminal).await,
        Command::Check(arguments) => check::run(arguments, terminal).await,
        Command::Verify(arguments) => or_interrupted(verify::run(arguments, terminal)).await,
        Command::Get(arguments) => or_interrupted(get::run(arguments, terminal)).await,
        Command::Checks { format } => check::list(format),
        Command::Completions { shell } => output::print(&arguments::completions(shell)),
        Command::Man { folder } => arguments::write_manual(&folder),
    }
}

/// What comes of a command or a part of it, unless somebody ends it before.
async fn or_interrupted<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::select! {
        outcome = work => outcome,
        // What is dropped here ends its processes.
        () = interrupted() => Err(Failure::Interrupted),
    }
}

/// Waits until somebody wants this program to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn ended(terminal: &Terminal, outcome: Result<Outcome, Failure>) -> ExitCode {
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(failure) => {
            terminal.error(&failure);
            ExitCode::from(if matches!(failure, Failure::Refused(_)) { 1 } else { 2 })
        }
    }
}
