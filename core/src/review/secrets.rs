//! Strings that look like credentials of well-known services.

use super::Notes;
use crate::source::Span;

/// A prefix, the characters that may follow, how many of them there must be, and whose it is.
struct Shape {
    prefix: &'static str,
    body: fn(char) -> bool,
    least: usize,
    what: &'static str,
}

/// The longest body that is looked at.
const LONGEST: usize = 1024;

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
    for shape in SHAPES {
        for (at, _) in text.match_indices(shape.prefix) {
            let inside_word = text[..at].chars().next_back().is_some_and(word);
            let body_start = at + shape.prefix.len();
            let rest = &text[body_start..];
            // All shapes are ASCII, so characters are bytes.
            let length = rest.chars().take(LONGEST).take_while(|c| (shape.body)(*c)).count();
            if !inside_word && length >= shape.least {
                let span = Span::new(at, body_start + length);
                notes.add("content-secret", span, format!("this looks like {}", shape.what));
            }
        }
    }
    for (at, header) in text.match_indices("-----BEGIN ") {
        let line = text[at..].lines().next().unwrap_or_default();
        if line.contains("PRIVATE KEY") {
            let span = Span::new(at, at + header.len());
            notes.add("content-secret", span, "this looks like a private key");
        }
    }
}

fn upper_or_digit(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word_or_dash(c: char) -> bool {
    word(c) || c == '-'
}

fn token(c: char) -> bool {
    word_or_dash(c) || c == '.'
}

#[cfg(test)]
mod tests {
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
}
