//! Running programs: quietly, shown, or shown and counted.

use std::io::{BufRead, BufReader, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::tally::Tally;

/// Runs a program whose output is noise, and shows that output if it fails.
pub(crate) fn quiet(command: &mut Command) -> Result<(), String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(());
    }
    print!("{}", String::from_utf8_lossy(&output.stdout));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Err(format!("`{}` failed ({}).", line(command), output.status))
}

/// Runs a program and lets its output through.
pub(crate) fn shown(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status}).", line(command))) }
}

/// Runs a build of minutes: a person at a terminal sees it go on, a log gets its output only if it fails.
pub(crate) fn long(command: &mut Command) -> Result<(), String> {
    if std::io::stderr().is_terminal() { shown(command) } else { quiet(command) }
}

/// Becomes the program, so that what stops this process stops it. Returns only if that fails, with the reason.
pub(crate) fn instead(command: &mut Command) -> String {
    let error = command.exec();
    not_started(command, &error)
}

/// What a program prints on standard output, or nothing when it fails or is missing.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs tests, lets their output through and adds up what `count` finds in its lines.
///
/// A run that fails without a counted failure (it did not compile, it crashed) counts as one; so does a run without
/// any test, as nothing was checked.
pub(crate) fn counted(
    command: &mut Command,
    count: fn(&str) -> Option<Tally>,
) -> Result<Tally, String> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    let stdout = child.stdout.take().ok_or("standard output was not piped")?;
    let mut tally = Tally::default();
    for read in BufReader::new(stdout).split(b'\n') {
        let bytes = read.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        println!("{text}");
        tally += count(&text).unwrap_or_default();
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() && tally.failed == 0 {
        eprintln!("`{}` failed ({status}).", line(command));
        tally.failed = 1;
    } else if tally == Tally::default() {
        eprintln!("`{}` ran no tests.", line(command));
        tally.failed = 1;
    }
    Ok(tally)
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` could not be started: {error}.", command.get_program().to_string_lossy())
}

/// The command as a person would type it.
fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
