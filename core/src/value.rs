//! The data model that JSON and YAML texts are lowered into: what a value is, and where it stands.
//!
//! Numbers keep their exact decimal text, strings their exact characters, objects the order and
//! the repetition of their members. Two values are compared by content ([`Node::same_content`]):
//! the order of members does not count, `1` equals `1.0`, and nothing passes through a double.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;

use crate::source::Span;

/// How many levels arrays and objects may nest in any text this crate reads.
///
/// Recursion over a [`Node`] is bounded by this number, since both readers enforce it.
pub const MAX_DEPTH: usize = 128;

/// A value and the place it was read from.
///
/// ```
/// let document = skillglass::json::read(r#"{"size": 59.0, "uri": "skill://a/SKILL.md"}"#).unwrap();
/// let entry = &document.root;
/// assert_eq!(entry.get("size").unwrap().as_count(), Some(59));
/// assert_eq!(entry.get("size").unwrap().as_str(), None); // a number is no text
/// assert!(entry.get("digest").is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// What it is.
    pub value: Value<'a>,
    /// Where it stands in its source text.
    pub span: Span,
}

/// The content of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number, exact.
    Number(Number<'a>),
    /// `.inf`, `-.inf` or `.nan`, in that spelling. Only YAML has them; JSON cannot carry them.
    NonFinite(&'static str),
    /// A string.
    String(Cow<'a, str>),
    /// A sequence.
    Array(Vec<Node<'a>>),
    /// A mapping: members in source order, repeated names kept.
    Object(Vec<Member<'a>>),
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Where the name stands.
    pub name_span: Span,
    /// Its value.
    pub node: Node<'a>,
}

impl<'a> Node<'a> {
    /// The value of the member called `name`: the last one, as JSON readers do, where it is
    /// repeated; none in anything but an object. Cost: the number of members.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.member(name).map(|member| &member.node)
    }

    /// As [`Node::get`], with the place of the name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member<'a>> {
        self.as_object()?.iter().rev().find(|member| member.name == name)
    }

    /// The members by name, for more than a few look-ups; the last one where a name is repeated.
    pub(crate) fn index(&self) -> HashMap<&str, &Node<'_>> {
        by_name(self.as_object().unwrap_or_default())
    }

    /// The text of a string; none for anything else.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array; none for anything else.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object, in source order; none for anything else.
    #[must_use]
    pub fn as_object(&self) -> Option<&[Member<'a>]> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// A whole number from 0 up to 2^53 − 1, whichever way it is written (`59`, `59.0`, `5.9e1`);
    /// none for anything else.
    #[must_use]
    pub fn as_count(&self) -> Option<u64> {
        match &self.value {
            Value::Number(number) => number.to_count(),
            _ => None,
        }
    }

    /// A whole number of 64 bits, whichever way it is written; none for anything else.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        let Value::Number(number) = &self.value else { return None };
        let (negative, amount) = Decimal::read(&number.text).whole()?;
        let amount = i64::try_from(amount).ok()?;
        Some(if negative { -amount } else { amount })
    }

    /// What kind of value it is, in the words of JSON, for messages: `"a string"`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::NonFinite(_) => "a number that JSON cannot carry",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// Whether both are the same content: equal after the order of members and the spelling of
    /// numbers are set aside. A non-finite number equals nothing, not even itself, and neither does
    /// an object with two members of one name, since readers keep different ones.
    ///
    /// `==` is stricter: it compares spellings, the order of members and places as well.
    ///
    /// ```
    /// let read = |text: &'static str| skillglass::json::read(text).unwrap().root;
    /// assert!(read(r#"{"a": 1, "b": []}"#).same_content(&read(r#"{"b": [], "a": 1.0}"#)));
    /// assert!(!read("9007199254740993").same_content(&read("9007199254740992")));
    /// assert!(!read(r#"{"a": 1, "a": 1}"#).same_content(&read(r#"{"a": 1}"#)));
    /// ```
    #[must_use]
    pub fn same_content(&self, other: &Node<'_>) -> bool {
        match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a.same_number(b),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_content(b))
            }
            (Value::Object(a), Value::Object(b)) => same_members(a, b),
            _ => false,
        }
    }

    /// The value as JSON text: members in source order, no white space, numbers as written.
    /// Non-finite numbers appear as a string of their YAML spelling. Hidden characters stay; see
    /// [`excerpt`](crate::finding::excerpt) for showing it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    fn write_json(&self, out: &mut String) {
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => out.push_str(number.text()),
            Value::NonFinite(spelling) => write_json_string(spelling, out),
            Value::String(text) => write_json_string(text, out),
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_json_string(&member.name, out);
                    out.push(':');
                    member.node.write_json(out);
                }
                out.push('}');
            }
        }
    }

    /// The same tree, owning all its text.
    #[must_use]
    pub fn into_owned(self) -> Node<'static> {
        let value = match self.value {
            Value::Null => Value::Null,
            Value::Bool(flag) => Value::Bool(flag),
            Value::Number(number) => Value::Number(number.into_owned()),
            Value::NonFinite(spelling) => Value::NonFinite(spelling),
            Value::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Value::Array(items) => Value::Array(items.into_iter().map(Node::into_owned).collect()),
            Value::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|member| Member {
                        name: Cow::Owned(member.name.into_owned()),
                        name_span: member.name_span,
                        node: member.node.into_owned(),
                    })
                    .collect(),
            ),
        };
        Node { value, span: self.span }
    }
}

fn same_members(a: &[Member<'_>], b: &[Member<'_>]) -> bool {
    let (by_name_a, by_name_b) = (by_name(a), by_name(b));
    let repeated = by_name_a.len() < a.len() || by_name_b.len() < b.len();
    let other = |member: &Member<'_>| by_name_b.get(member.name.as_ref()).copied();
    let same = |member: &Member<'_>| other(member).is_some_and(|o| member.node.same_content(o));
    !repeated && a.len() == b.len() && a.iter().all(same)
}

/// Up to so many members it is quicker to compare each with those before it than to hash them.
const FEW: usize = 8;

/// The members that have the name of one before them.
pub(crate) fn repeated<'m, 'a>(members: &'m [Member<'a>]) -> Vec<&'m Member<'a>> {
    let mut seen = HashMap::new();
    let is_repeated = |(at, member): &(usize, &'m Member<'a>)| {
        if members.len() <= FEW {
            return members[..*at].iter().any(|before| before.name == member.name);
        }
        seen.insert(&*member.name, &member.node).is_some()
    };
    members.iter().enumerate().filter(is_repeated).map(|(_, member)| member).collect()
}

/// The last member of each name.
fn by_name<'m>(members: &'m [Member<'_>]) -> HashMap<&'m str, &'m Node<'m>> {
    members.iter().map(|member| (member.name.as_ref(), &member.node)).collect()
}

/// Appends `text` to `out` as a JSON string literal.
fn write_json_string(text: &str, out: &mut String) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | ..b' ');
    let mut rest = text;
    out.push('"');
    while let Some(at) = rest.bytes().position(is_escaped) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// `text` as a JSON string literal (RFC 8259, 7). Only what JSON forbids is escaped.
///
/// ```
/// use skillglass::{json, value::json_string};
/// let literal = json_string("a \"b\"\n");
/// assert_eq!(literal, r#""a \"b\"\n""#);
/// assert_eq!(json::read(&literal).unwrap().root.as_str(), Some("a \"b\"\n"));
/// assert!(json::read("\"a \"b\"\n\"").is_err()); // what comes of quotes alone
/// ```
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_json_string(text, &mut out);
    out
}

/// A member's name as a token of a JSON pointer (RFC 6901).
pub(crate) fn pointer_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A finite number, kept as the decimal text JSON would write. `==` compares the texts,
/// [`Number::same_number`] what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number<'a> {
    text: Cow<'a, str>,
}

impl<'a> Number<'a> {
    /// Wraps a text that already is a JSON number; both readers check that before they call.
    pub(crate) fn from_json(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into() }
    }

    /// The number in JSON's grammar, all digits kept.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether both are the same number: `1`, `1.0` and `10e-1` are; 2^53 and 2^53 + 1 are not.
    #[must_use]
    pub fn same_number(&self, other: &Number<'_>) -> bool {
        self.text == other.text || Decimal::read(&self.text) == Decimal::read(&other.text)
    }

    /// The number as JavaScript writes the name of a member: `1.0` is `1`. Numbers that it writes
    /// with an exponent, and those that no double holds, stay as they are.
    pub(crate) fn canonical(&self) -> String {
        Decimal::read(&self.text).plain().unwrap_or_else(|| self.text.to_string())
    }

    /// Whether a reader that sees numbers, not texts, writes it another way: `1.0`, `1e3`, `-0`.
    pub(crate) fn loses_its_spelling(&self) -> bool {
        let text = self.text.as_ref();
        let fraction_ends_in_zero = text.contains('.') && text.ends_with('0');
        fraction_ends_in_zero || text.contains(['e', 'E']) || text == "-0"
    }

    /// Whether both are whole numbers that round to the same double, as a JavaScript reader sees
    /// them. Fractions are not compared: the standard library's reader of doubles would be an
    /// eighth of what a browser downloads.
    #[must_use]
    pub fn same_double(&self, other: &Number<'_>) -> bool {
        match (Decimal::read(&self.text).whole(), Decimal::read(&other.text).whole()) {
            (Some((a_negative, a)), Some((b_negative, b))) => {
                a_negative == b_negative && (a as f64).total_cmp(&(b as f64)) == Ordering::Equal
            }
            _ => false,
        }
    }

    /// Whether it is a whole number that [`Node::as_count`] does not give, as it is too large.
    pub(crate) fn is_large_count(&self) -> bool {
        let negative = self.text.starts_with('-');
        !negative && Decimal::read(&self.text).exponent >= 0 && self.to_count().is_none()
    }

    /// The number as a count, if it is whole, not negative and at most 2^53 − 1.
    fn to_count(&self) -> Option<u64> {
        const MAX_SAFE: u128 = (1 << 53) - 1;
        let (negative, count) = Decimal::read(&self.text).whole()?;
        if negative || count > MAX_SAFE { None } else { count.try_into().ok() }
    }

    fn into_owned(self) -> Number<'static> {
        Number { text: Cow::Owned(self.text.into_owned()) }
    }
}

/// A number as digits × 10^exponent, with no zero at either end of the digits.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, saturating_exponent(exponent)),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = String::with_capacity(mantissa.len());
        digits.push_str(whole);
        digits.push_str(fraction);
        let significant = digits.trim_end_matches('0').len();
        let dropped = digits.len() - significant;
        digits.truncate(significant);
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        let shift = i64::try_from(dropped).unwrap_or(i64::MAX)
            - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        Self { negative, digits, exponent: exponent.saturating_add(shift) }
    }

    /// Its digits around the decimal point, where that takes no more than 21 places.
    fn plain(&self) -> Option<String> {
        const PLACES: usize = 21;
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let digits = self.digits.as_str();
        let places = usize::try_from(self.exponent.unsigned_abs()).ok()?;
        if self.exponent >= 0 {
            let length = digits.len().checked_add(places).filter(|length| *length <= PLACES)?;
            return Some(format!("{sign}{digits:0<length$}"));
        }
        let Some(whole) = digits.len().checked_sub(places).filter(|whole| *whole > 0) else {
            let leading = places - digits.len();
            return (leading < 6).then(|| format!("{sign}0.{digits:0>places$}"));
        };
        Some(format!("{sign}{}.{}", &digits[..whole], &digits[whole..]))
    }

    /// Its sign and its amount, if it is whole and fits 128 bits.
    fn whole(&self) -> Option<(bool, u128)> {
        if self.digits.is_empty() {
            return Some((false, 0));
        }
        let power = 10_u128.checked_pow(self.exponent.try_into().ok()?)?;
        Some((self.negative, self.digits.parse::<u128>().ok()?.checked_mul(power)?))
    }
}

/// Exponents beyond 64 bits are all "out of any use"; they keep their sign.
fn saturating_exponent(text: &str) -> i64 {
    text.strip_prefix('+').unwrap_or(text).parse().unwrap_or(if text.starts_with('-') {
        i64::MIN / 2
    } else {
        i64::MAX / 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number<'_> {
        Number::from_json(text)
    }

    #[test]
    fn numbers_are_compared_exactly() {
        assert!(number("1").same_number(&number("1.0")));
        assert!(number("-0").same_number(&number("0")));
        assert!(number("1200").same_number(&number("1.2e3")));
        assert!(!number("9007199254740993").same_number(&number("9007199254740992")));
        assert!(number("9007199254740993").same_double(&number("9007199254740992")));
        assert!(!number("1e400").same_number(&number("1e401")));
        assert!(number("1e30").same_double(&number("1000000000000000000000000000001")));
        assert!(!number("-9007199254740993").same_double(&number("9007199254740992")));
        assert!(!number("9007199254740993").same_double(&number("9007199254740994")));
        assert!(!number("1e400").same_double(&number("1e401")));
    }

    #[test]
    fn whole_numbers_are_read_in_every_spelling() {
        let integer = |text| crate::json::read(text).unwrap().root.as_integer();
        for text in ["-32602", "-32602.0", "-326.02e2", "-3260200e-2"] {
            assert_eq!(integer(text), Some(-32602), "{text}");
        }
        for text in ["1.5", "\"1\"", "1e400", "null"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_written_as_javascript_writes_them() {
        for (text, name) in [
            ("1.0", "1"),
            ("1.10", "1.1"),
            ("-0", "0"),
            ("1e3", "1000"),
            ("12.5e1", "125"),
            ("-0.00150", "-0.0015"),
            ("0.0000015", "0.0000015"),
            ("1.5e-9", "1.5e-9"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(number(text).canonical(), name, "{text}");
        }
    }

    #[test]
    fn counts_are_whole_and_safe() {
        let count =
            |text| Node { value: Value::Number(number(text)), span: Span::default() }.as_count();
        assert_eq!(count("59.0"), Some(59));
        assert_eq!(count("5.9e1"), Some(59));
        assert_eq!(count("0"), Some(0));
        assert_eq!(count("9007199254740991"), Some(9_007_199_254_740_991));
        assert_eq!(count("9007199254740992"), None);
        assert_eq!(count("1.5"), None);
        assert_eq!(count("-1"), None);
        assert_eq!(count("1e99999999999999999999"), None);
    }

    #[test]
    fn json_text_escapes_what_json_must() {
        assert_eq!(json_string("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\"");
    }
}
