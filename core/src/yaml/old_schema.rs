//! What a YAML 1.1 reader (PyYAML, older js-yaml, gray-matter) makes of a plain scalar.
//!
//! Used to explain a difference, never to read.

use super::core_schema::{radix, split_sign};

/// A YAML 1.1 reading that differs from the core schema's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OldReading {
    /// `y`, `n`, `yes`, `no`, `on`, `off` and their other cases.
    Boolean(bool),
    /// `0755`, `0b101`, `1_000`: the number in decimal.
    Integer(String),
    /// `1:30`: base 60, the number in decimal.
    Sexagesimal(String),
    /// A date or a time, in seconds and the digits behind them.
    Timestamp(Moment),
}

/// The YAML 1.1 reading of `plain`, where it is another one.
pub(crate) fn old_reading(plain: &str) -> Option<OldReading> {
    // Numbers and dates begin with a digit or a sign, so that prose is told apart at once.
    if !plain.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)) {
        return boolean(plain).map(OldReading::Boolean);
    }
    integer(plain)
        .map(OldReading::Integer)
        .or_else(|| sexagesimal(plain).map(OldReading::Sexagesimal))
        .or_else(|| Moment::read(plain).map(OldReading::Timestamp))
}

fn boolean(plain: &str) -> Option<bool> {
    match plain {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// `0[0-7_]+`, `0b[01_]+`, and decimals with underscores.
fn integer(plain: &str) -> Option<String> {
    let (sign, digits) = split_sign(plain);
    let digits = digits.to_owned();
    let plain_digits = digits.replace('_', "");
    let value = if let Some(binary) = plain_digits.strip_prefix("0b") {
        radix(binary, 2)?
    } else if plain_digits.len() > 1 && plain_digits.starts_with('0') {
        radix(&plain_digits[1..], 8)?
    } else if digits.contains('_') && digits.starts_with(|c: char| c.is_ascii_digit()) {
        radix(&plain_digits, 10)?
    } else {
        return None;
    };
    Some(format!("{sign}{value}"))
}

/// `[-+]?[1-9][0-9]*(:[0-5]?[0-9])+`.
fn sexagesimal(plain: &str) -> Option<String> {
    let (sign, digits) = split_sign(plain);
    let mut groups = digits.split(':');
    let first = groups.next()?;
    if first.starts_with('0') || first.is_empty() || !first.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut value: u64 = first.parse().ok()?;
    let mut count = 0;
    for group in groups {
        let digit: u64 = group.parse().ok().filter(|_| matches!(group.len(), 1 | 2))?;
        if digit > 59 || !group.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        value = value.checked_mul(60)?.checked_add(digit)?;
        count += 1;
    }
    (count > 0).then(|| format!("{sign}{value}"))
}

/// A point in time, however it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Seconds since 1970, UTC where no zone is named.
    seconds: i64,
    /// The digits of the fraction, without zeros at the end.
    fraction: Vec<u8>,
}

impl Moment {
    /// Reads a timestamp of YAML 1.1, which is also what date types print: `YYYY-MM-DD`, alone or
    /// followed by `T` or blanks, a time and a zone.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut rest = Rest(text.as_bytes());
        let (year, month, day) =
            (rest.number()?, rest.behind(b'-')?.number()?, rest.behind(b'-')?.number()?);
        let mut moment = Self { seconds: days(year, month, day) * 86_400, fraction: Vec::new() };
        if rest.0.is_empty() {
            return (text.len() == "YYYY-MM-DD".len()).then_some(moment);
        }
        let t = rest.take(b'T') || rest.take(b't');
        if rest.skip_blanks() == t {
            return None;
        }
        let (hour, minute, second) =
            (rest.number()?, rest.behind(b':')?.number()?, rest.behind(b':')?.number()?);
        moment.seconds += hour * 3600 + minute * 60 + second;
        if rest.take(b'.') {
            moment.fraction = rest.digits().to_vec();
            while moment.fraction.last() == Some(&b'0') {
                moment.fraction.pop();
            }
        }
        rest.skip_blanks();
        let west = rest.take(b'-');
        if west || rest.take(b'+') {
            let hours = rest.number()?;
            let minutes = if rest.take(b':') { rest.number()? } else { 0 };
            let offset = hours * 3600 + minutes * 60;
            moment.seconds += if west { offset } else { -offset };
        } else {
            rest.take(b'Z');
        }
        rest.0.is_empty().then_some(moment)
    }
}

/// What is left of a text.
struct Rest<'t>(&'t [u8]);

impl<'t> Rest<'t> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.0.strip_prefix(&[byte]);
        self.0 = found.unwrap_or(self.0);
        found.is_some()
    }

    fn behind(&mut self, byte: u8) -> Option<&mut Self> {
        self.take(byte).then_some(self)
    }

    /// Whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let before = self.0.len();
        while self.take(b' ') {}
        self.0.len() < before
    }

    fn digits(&mut self) -> &'t [u8] {
        let end = self.0.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        digits
    }

    /// A number of one to four digits.
    fn number(&mut self) -> Option<i64> {
        let digits = Some(self.digits()).filter(|digits| matches!(digits.len(), 1..=4))?;
        Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }
}

/// Days since 1970 in the Gregorian calendar.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_readings_are_those_of_yaml_1_1() {
        assert_eq!(old_reading("yes"), Some(OldReading::Boolean(true)));
        assert_eq!(old_reading("0755"), Some(OldReading::Integer("493".into())));
        assert_eq!(old_reading("0b101"), Some(OldReading::Integer("5".into())));
        assert_eq!(old_reading("1_000"), Some(OldReading::Integer("1000".into())));
        assert_eq!(old_reading("12:30:45"), Some(OldReading::Sexagesimal("45045".into())));
        assert_eq!(old_reading("y"), Some(OldReading::Boolean(true)));
        assert!(matches!(old_reading("2026-01-15"), Some(OldReading::Timestamp(_))));
        for same in [
            "true",
            "0",
            "08",
            "09:05",
            "1:75",
            "x:1",
            "",
            "2026-1-5",
            "_",
            "日本語日本語日本語日",
            "2026-01-15-16",
            "2026-01-15 noon",
        ] {
            assert_eq!(old_reading(same), None, "{same}");
        }
    }

    #[test]
    fn a_moment_is_the_same_however_it_is_written() {
        let moment = |text| Moment::read(text).unwrap_or_else(|| panic!("{text}"));
        for (one, other) in [
            ("2026-01-15", "2026-01-15T00:00:00.000Z"),
            ("2026-01-15", "2026-01-15 00:00:00"),
            ("2026-01-15T10:00:00Z", "2026-01-15 10:00:00+00:00"),
            ("2026-01-15T10:00:00+02:00", "2026-01-15T08:00:00.000Z"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-15T02:59:43.1Z"),
            ("2026-03-01 00:30:00 +1", "2026-02-28T23:30:00Z"),
            ("1969-12-31T23:59:59", "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(moment(one), moment(other), "{one}");
        }
        assert_eq!(moment("1970-01-01").seconds, 0);
        assert_eq!(moment("2026-01-15").seconds, 1_768_435_200);
        assert_ne!(moment("2026-01-15"), moment("2026-01-16"));
        assert_ne!(moment("2026-01-15T00:00:00.1"), moment("2026-01-15"));
    }
}
