//! `cargo xtask cases DIR`: what the core says of a folder of cases.

use std::path::Path;
use std::process::ExitCode;

use crate::tally::Tally;

/// Judges every case of `folder` and names those that did not come out as expected.
pub(crate) fn run(folder: &Path) -> Result<ExitCode, String> {
    let index = folder.join("index.json");
    let text = std::fs::read_to_string(&index)
        .map_err(|error| format!("{} cannot be read: {error}.", index.display()))?;
    let outcomes = skillglass_judge::run(&text, &|name| std::fs::read(folder.join(name)).ok())?;
    let mut tally = Tally::default();
    for outcome in &outcomes {
        tally +=
            Tally { passed: usize::from(outcome.passed), failed: usize::from(!outcome.passed) };
        if !outcome.passed {
            println!("{}: expected {}, got {}", outcome.id, outcome.expected, outcome.got);
        }
    }
    println!("{tally}");
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
