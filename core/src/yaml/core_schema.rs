//! Resolution of plain scalars by the core schema of YAML 1.2.2, chapter 10.3.

use std::borrow::Cow;

use crate::value::{Number, Value};

/// What a plain, untagged scalar is.
pub(super) fn resolve_plain(text: &str) -> Value<'static> {
    let number = |text| integer(text).or_else(|| float(text));
    let resolved = match text.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N') => null(text),
        Some(b't' | b'T' | b'f' | b'F') => boolean(text),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text),
        Some(_) => None,
    };
    resolved.unwrap_or_else(|| string(text))
}

/// A string, whatever it looks like.
pub(super) fn string(text: &str) -> Value<'static> {
    Value::String(Cow::Owned(text.to_owned()))
}

pub(super) fn null(text: &str) -> Option<Value<'static>> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Value::Null)
}

pub(super) fn boolean(text: &str) -> Option<Value<'static>> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// `[-+]? [0-9]+`, `0o [0-7]+` or `0x [0-9a-fA-F]+`.
pub(super) fn integer(text: &str) -> Option<Value<'static>> {
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8).map(number);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16).map(number);
    }
    let (sign, digits) = split_sign(text);
    (!digits.is_empty() && is_digits(digits)).then(|| number(sign.to_owned() + whole(digits)))
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, infinities and NaN.
pub(super) fn float(text: &str) -> Option<Value<'static>> {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Value::NonFinite(".nan"));
    }
    let (sign, unsigned) = split_sign(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(Value::NonFinite(if sign.is_empty() { ".inf" } else { "-.inf" }));
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], &unsigned[at..]),
        None => (unsigned, ""),
    };
    let exponent_digits = exponent.get(1..).map_or("", |rest| split_sign(rest).1);
    if !is_digits(exponent_digits) || (!exponent.is_empty() && exponent_digits.is_empty()) {
        return None;
    }
    let (whole_part, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole_part.is_empty() || !fraction.is_empty();
    if !has_digits || !is_digits(whole_part) || !is_digits(fraction) {
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Some(number(format!("{sign}{}{point}{fraction}{exponent}", whole(whole_part))))
}

/// Digits of another base as a decimal number, of any length.
pub(super) fn radix(digits: &str, base: u32) -> Option<String> {
    if digits.is_empty() {
        return None;
    }
    // Little-endian decimal limbs of nine digits.
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(base)?);
        for limb in &mut limbs {
            let value = *limb * u64::from(base) + carry;
            *limb = value % 1_000_000_000;
            carry = value / 1_000_000_000;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut text = limbs.pop().unwrap_or_default().to_string();
    for limb in limbs.iter().rev() {
        text.push_str(&format!("{limb:09}"));
    }
    Some(text)
}

/// The minus sign or nothing, and the rest; JSON has no plus sign.
pub(super) fn split_sign(text: &str) -> (&'static str, &str) {
    match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    }
}

/// Digits as JSON writes a whole number: no zero in front, at least one digit.
fn whole(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: String) -> Value<'static> {
    Value::Number(Number::from_json(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_of_other_bases_are_exact() {
        assert_eq!(radix("FFFFFFFFFFFFFFFFFF", 16).as_deref(), Some("4722366482869645213695"));
        assert_eq!(radix("0", 8).as_deref(), Some("0"));
        assert_eq!(radix("8", 8), None);
        assert_eq!(radix("", 16), None);
    }

    #[test]
    fn what_is_no_number_stays_text() {
        for text in [".", "-", "+", "e5", "1e", "1e+", ".e1", "1.2.3", "-.inf.", "0x", "0o9", "١"]
        {
            assert_eq!(resolve_plain(text), string(text), "{text}");
        }
    }
}
