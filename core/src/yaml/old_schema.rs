//! What a YAML 1.1 reader (PyYAML, older js-yaml, gray-matter) makes of a plain scalar.
//!
//! Used to explain a difference, never to read.

use super::core_schema::{radix, split_sign};

/// A YAML 1.1 reading that differs from the core schema's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OldReading {
    /// `yes`, `no`, `on`, `off` and their other cases.
    Boolean(bool),
    /// `0755`, `0b101`, `1_000`: the number in decimal.
    Integer(String),
    /// `1:30`: base 60, the number in decimal.
    Sexagesimal(String),
    /// A date or a time; the texts under which servers send it on.
    Timestamp(Vec<String>),
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
        .or_else(|| timestamp(plain).map(OldReading::Timestamp))
}

fn boolean(plain: &str) -> Option<bool> {
    match plain {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
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

/// `YYYY-MM-DD`, alone or followed by a time: the spellings that date types print.
fn timestamp(plain: &str) -> Option<Vec<String>> {
    let date = plain.get(..10)?;
    let bytes = date.as_bytes();
    let shape = bytes.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if !shape {
        return None;
    }
    let rest = &plain[10..];
    if rest.is_empty() {
        return Some(vec![
            format!("{date}T00:00:00.000Z"),
            format!("{date}T00:00:00Z"),
            format!("{date}T00:00:00"),
            format!("{date} 00:00:00"),
        ]);
    }
    let time = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let clock = time.get(..8)?;
    let is_clock = clock.bytes().enumerate().all(|(at, byte)| match at {
        2 | 5 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    is_clock.then(|| {
        vec![
            format!("{date}T{clock}.000Z"),
            format!("{date}T{clock}Z"),
            format!("{date}T{clock}+00:00"),
            format!("{date}T{clock}"),
            format!("{date} {clock}"),
        ]
    })
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
        assert!(matches!(old_reading("2026-01-15"), Some(OldReading::Timestamp(_))));
        for same in
            ["true", "0", "08", "09:05", "1:75", "x:1", "", "2026-1-5", "_", "日本語日本語日本語日"]
        {
            assert_eq!(old_reading(same), None, "{same}");
        }
    }
}
