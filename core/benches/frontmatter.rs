//! What one `SKILL.md` costs natively, for files that another reader is timed on as well:
//! `tests/bench/node.mjs` runs this on a folder of pairs, `N.md` and the entry's text `N.json`.
//!
//! Prints one JSON object: microseconds for a file, the least of many rounds.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a program that measures"
)]

use std::path::Path;
use std::time::Instant;

use skillglass::digest::Digest;
use skillglass::entry::{self, SkillEntry};
use skillglass::frontmatter::{Frontmatter, compare};
use skillglass::verify::verify_file_with_digest;

const ROUNDS: usize = 31;

struct Pair {
    file: String,
    digest: Digest,
    entry: SkillEntry,
}

fn main() {
    // Cargo adds `--bench`. Without a folder there is nobody to be compared with.
    let Some(folder) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        return;
    };
    let pairs: Vec<Pair> = (0..).map_while(|index| pair(Path::new(&folder), index)).collect();
    let verdict = least(&pairs, |Pair { file, digest, entry }| {
        assert!(verify_file_with_digest(entry, &entry.uri, file.as_bytes(), *digest).is_usable());
    });
    let places = least(&pairs, |Pair { file, entry, .. }| {
        let frontmatter = Frontmatter::read(file.as_bytes()).expect("frontmatter");
        assert!(compare(&frontmatter, file, &entry.frontmatter, &entry.source).is_equal());
    });
    println!(r#"{{"verdict":{verdict},"places":{places}}}"#);
}

fn pair(folder: &Path, index: usize) -> Option<Pair> {
    let file = std::fs::read_to_string(folder.join(format!("{index}.md"))).ok()?;
    let entry = std::fs::read_to_string(folder.join(format!("{index}.json"))).ok()?;
    let digest = Digest::of(file.as_bytes());
    Some(Pair { file, digest, entry: entry::read(&entry).entry.expect("a sound entry") })
}

/// Microseconds that `work` takes for one pair.
fn least(pairs: &[Pair], work: impl Fn(&Pair)) -> f64 {
    let round = |_| {
        let start = Instant::now();
        pairs.iter().for_each(&work);
        start.elapsed().as_secs_f64()
    };
    let least = (0..ROUNDS).map(round).fold(f64::MAX, f64::min);
    least * 1e6 / pairs.len() as f64
}
