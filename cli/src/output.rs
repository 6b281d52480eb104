//! What goes to standard output: one result, as text or as JSON.

use std::borrow::Cow;
use std::io::{ErrorKind, Write as _};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;
use skillglass::finding::excerpt;
use skillglass::protocol::log::redact::Secrets;

use crate::Outcome;
use crate::failure::Failure;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBTFUL: Style = AnsiColor::Yellow.on_default();
pub(crate) const QUIET: Style = Style::new().dimmed();

/// How much of a server's text one line shows.
const MAX_SHOWN: usize = 400;

/// What this program was given to send, and shows nobody.
static SECRETS: OnceLock<Secrets> = OnceLock::new();

/// Has these secrets masked in everything that is written from now on.
pub(crate) fn withhold(secrets: Secrets) {
    // Every conversation of a command has the same.
    let _ = SECRETS.set(secrets);
}

/// What is masked in everything that is written.
pub(crate) fn withheld() -> Cow<'static, Secrets> {
    SECRETS.get().map_or_else(Cow::default, Cow::Borrowed)
}

/// Writes a result. Colours are left out where no terminal shows them.
pub(crate) fn print(text: &str) -> Result<Outcome, Failure> {
    print_masked(&withheld().mask(text))
}

/// Writes a result whose texts are masked already, and whose own words are not to be touched.
pub(crate) fn print_masked(text: &str) -> Result<Outcome, Failure> {
    let mut output = anstream::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // Who reads the output has read enough, which changes nothing of what was found.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(Outcome::Clean),
    }
}

/// Writes a result as JSON.
pub(crate) fn print_json(result: &impl Serialize) -> Result<Outcome, Failure> {
    let failed = |error: serde_json::Error| Failure::Output(error.into());
    let text = match &*withheld() {
        secrets if secrets.is_empty() => serde_json::to_string_pretty(result).map_err(failed)?,
        secrets => {
            let mut value = serde_json::to_value(result).map_err(failed)?;
            mask(&mut value, secrets);
            format!("{value:#}")
        }
    };
    print_masked(&format!("{text}\n"))
}

/// Masks the texts of a result and the members that are named by a server, as by a URI.
fn mask(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = secrets.mask(text),
        Value::Array(elements) => elements.iter_mut().for_each(|element| mask(element, secrets)),
        Value::Object(members) => {
            for (name, mut member) in std::mem::take(members) {
                mask(&mut member, secrets);
                let is_ours = name.bytes().all(|byte| byte.is_ascii_alphabetic());
                members.insert(if is_ours { name } else { secrets.mask(&name) }, member);
            }
        }
        _ => {}
    }
}

/// A server's text, bounded and without hidden characters.
pub(crate) fn shown(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}

/// A number and what it counts: `1 file`, `2 files`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// A number of bytes for people: `812 bytes`, `12.3 KiB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    if number < 1024 {
        return format!("{number} byte{}", if number == 1 { "" } else { "s" });
    }
    let mut amount = number as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_for_people() {
        assert_eq!((bytes(1), bytes(1023)), ("1 byte".into(), "1023 bytes".into()));
        assert_eq!((bytes(1536), bytes(16 << 20)), ("1.5 KiB".into(), "16.0 MiB".into()));
        assert_eq!(bytes(u64::MAX), "17179869184.0 GiB");
        assert_eq!((count(1, "file"), count(0, "file")), ("1 file".into(), "0 files".into()));
    }
}
