//! Counting tests from what test runners print.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// How many checks passed and how many failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Tally {
    /// One check, by whether it succeeded. Its error is shown.
    pub(crate) fn of(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self { passed: 1, failed: 0 },
            Err(sentence) => {
                eprintln!("{sentence}");
                Self { passed: 0, failed: 1 }
            }
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Reads the closing line of a Rust test binary: `test result: ok. 3 passed; 0 failed; …`.
pub(crate) fn rust_result(line: &str) -> Option<Tally> {
    let (_, counts) = line.split_once("test result: ")?;
    let (_, counts) = counts.split_once(". ")?;
    let mut counts = counts.split("; ");
    Some(Tally {
        passed: number_before(counts.next()?, " passed")?,
        failed: number_before(counts.next()?, " failed")?,
    })
}

/// Reads one of the closing lines of Node's test runner: `ℹ pass 3`, `ℹ fail 1`, `ℹ cancelled 0`.
pub(crate) fn node_result(line: &str) -> Option<Tally> {
    let (word, number) = line.strip_prefix("ℹ ")?.split_once(' ')?;
    let number = number.parse().ok()?;
    match word {
        "pass" => Some(Tally { passed: number, failed: 0 }),
        "fail" | "cancelled" => Some(Tally { passed: 0, failed: number }),
        _ => None,
    }
}

fn number_before(text: &str, word: &str) -> Option<usize> {
    text.strip_suffix(word)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_result_of_a_rust_test_binary() {
        let line = "test result: ok. 17 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.02s";
        assert_eq!(rust_result(line), Some(Tally { passed: 17, failed: 0 }));
        let line = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(rust_result(line), Some(Tally { passed: 3, failed: 2 }));
    }

    #[test]
    fn reads_the_result_of_a_wasm_test_binary() {
        let line =
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 filtered out; finished in 0.00s";
        assert_eq!(rust_result(line), Some(Tally { passed: 2, failed: 0 }));
    }

    #[test]
    fn counts_nothing_in_other_rust_lines() {
        for line in [
            "test tally::reads ... ok",
            "test result: ",
            "test result: ok. many passed; 0 failed;",
            "",
        ] {
            assert_eq!(rust_result(line), None, "{line}");
        }
    }

    #[test]
    fn reads_the_totals_of_node() {
        let output = "▶ suite\n  ✔ one (1ms)\nℹ tests 4\nℹ suites 1\nℹ pass 2\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 48.5";
        let tally: Tally = output.lines().filter_map(node_result).sum();
        assert_eq!(tally, Tally { passed: 2, failed: 2 });
    }

    #[test]
    fn says_the_totals_as_the_last_line_does() {
        assert_eq!(Tally { passed: 12, failed: 0 }.to_string(), "12 passed, 0 failed");
    }
}
