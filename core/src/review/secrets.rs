//! Strings that look like credentials of well-known services.

use std::ops::Range;

use super::Notes;
use crate::source::Span;

/// A prefix, the bytes that may follow, how many of them there must be, and whose it is.
struct Shape {
    prefix: &'static str,
    body: fn(u8) -> bool,
    least: usize,
    what: &'static str,
}

/// The longest body that is looked at.
const LONGEST: usize = 1024;

/// No secret is shorter, its prefix included.
const SHORTEST: usize = 20;

const SHAPES: &[Shape] = &[
    Shape { prefix: "AKIA", body: upper_or_digit, least: 16, what: "an AWS access key" },
    Shape { prefix: "ghp_", body: word, least: 36, what: "a GitHub token" },
    Shape { prefix: "github_pat_", body: word, least: 22, what: "a GitHub token" },
    Shape { prefix: "glpat-", body: word_or_dash, least: 20, what: "a GitLab token" },
    Shape { prefix: "xoxb-", body: word_or_dash, least: 20, what: "a Slack token" },
    Shape { prefix: "xoxp-", body: word_or_dash, least: 20, what: "a Slack token" },
    Shape { prefix: "AIza", body: word_or_dash, least: 35, what: "a Google API key" },
    Shape { prefix: "sk-ant-", body: word_or_dash, least: 20, what: "an API key" },
    Shape { prefix: "sk_live_", body: word, least: 20, what: "a payment service's key" },
    Shape { prefix: "npm_", body: word, least: 36, what: "an npm token" },
    Shape { prefix: "eyJ", body: token, least: 60, what: "a JSON web token" },
];

/// Notes what has the shape of a secret. The secret itself is not repeated.
pub(super) fn review(text: &str, notes: &mut Notes<'_>) {
    for run in long_runs(text.as_bytes()) {
        let mut end = run.start;
        for at in run.clone() {
            // What stands within a secret, or a word, is part of it.
            let is_inside = at < end || (at > run.start && word(text.as_bytes()[at - 1]));
            if !is_inside && let Some((what, length)) = secret(&text[at..run.end]) {
                let span = Span::new(at, at + length);
                notes.add("content-secret", span, format!("this looks like {what}"));
                end = span.end;
            }
        }
    }
    for (at, header) in text.match_indices("-----BEGIN ") {
        let rest = &text[at + header.len()..];
        let label = &rest[..rest.find('-').unwrap_or(rest.len())];
        if label.contains("PRIVATE KEY") {
            let span = Span::new(at, at + header.len());
            notes.add("content-secret", span, "this looks like a private key");
        }
    }
}

/// Where [`SHORTEST`] or more bytes of which secrets are made stand in a row. No such run fits between
/// two places that are [`SHORTEST`] apart, so that most bytes need no look.
fn long_runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut probe = SHORTEST - 1;
    std::iter::from_fn(move || {
        loop {
            let (before, rest) = text.split_at_checked(probe)?;
            let length = rest.iter().position(|byte| !token(*byte)).unwrap_or(rest.len());
            let start = before.iter().rposition(|byte| !token(*byte)).map_or(0, |at| at + 1);
            let run = start..probe + length;
            probe = run.end + SHORTEST;
            if run.len() >= SHORTEST {
                return Some(run);
            }
        }
    })
}

/// Whose secret a text begins with, and how long it is.
fn secret(text: &str) -> Option<(&'static str, usize)> {
    let shape = SHAPES.iter().find(|shape| text.starts_with(shape.prefix))?;
    let start = shape.prefix.len();
    let length = text[start..].bytes().take(LONGEST).take_while(|byte| (shape.body)(*byte)).count();
    (length >= shape.least).then_some((shape.what, start + length))
}

const fn upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

const fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn word_or_dash(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

const fn token(byte: u8) -> bool {
    word_or_dash(byte) || byte == b'.'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::review_text;

    #[test]
    fn shapes_of_secrets_are_noted_without_the_secret() {
        let key = format!("key = AKIA{}", "A1".repeat(8));
        let findings = review_text(&key);
        assert_eq!(findings[0].id, "content-secret");
        assert!(!findings[0].message.contains("AKIA"));
        assert_eq!(review_text("-----BEGIN RSA PRIVATE KEY-----").len(), 1);
        for harmless in
            ["AKIA", "NAKIA1234567890123456", "eyJ", "sk-ant-", "-----BEGIN CERTIFICATE-----"]
        {
            assert!(review_text(harmless).is_empty(), "{harmless}");
        }
    }
    #[test]
    fn no_secret_slips_through_wherever_it_stands() {
        let least = SHAPES.iter().map(|shape| shape.prefix.len() + shape.least).min();
        assert_eq!(least, Some(SHORTEST));
        let key = format!("AKIA{}", "A1".repeat(8));
        for before in ["é", "a b ", "x.", "no-"] {
            for (padding, after) in (0..2 * SHORTEST).zip([" b", "-", "", "é"].into_iter().cycle())
            {
                let text = format!("{}{before}{key}{after}", " ".repeat(padding));
                let span = review_text(&text).first().and_then(|finding| finding.span);
                assert_eq!(span.map(|span| span.of(&text)), Some(&*key), "{text}");
            }
        }
    }
}
