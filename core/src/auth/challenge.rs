//! `WWW-Authenticate`: how a server says what it wants.
//!
//! Sources: RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728, section 5.1. A page can read
//! the header only where the server exposes it, so everything here may be missing.

use super::{Scopes, Secrets};
use crate::finding::{MAX_QUOTE, excerpt};
use crate::protocol::http::MAX_HEADER_VALUE;

/// How many challenges, and how many parameters of each, are read.
const MAX_ITEMS: usize = 16;

/// What the challenge of the scheme `Bearer` says. Everything in it is the server's word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Where the protected resource metadata is said to be; not checked yet.
    pub resource_metadata: Option<String>,
    /// The scopes that the request needs; empty where none are named or they cannot be read.
    pub scopes: Scopes,
    /// The error code, bounded and escaped; `insufficient_scope` asks for more scopes.
    pub error: Option<String>,
    /// The error in words, bounded and escaped.
    pub description: Option<String>,
}

/// The challenges of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenges {
    /// The first one of the scheme `Bearer`.
    pub bearer: Option<Challenge>,
    /// All schemes as the server writes them, in its order; 16 at most.
    pub schemes: Vec<String>,
}

impl Challenges {
    /// Reads the value of `WWW-Authenticate`; several headers joined by commas are one value.
    ///
    /// Reading stops at what fits the grammar nowhere, and after 8 KiB. A parameter that occurs
    /// twice in a challenge is left out, since nothing says which one counts.
    ///
    /// ```
    /// use skillglass::auth::Challenges;
    /// let read = Challenges::read(r#"Basic realm="x", Bearer scope="a b", error=invalid_token"#);
    /// let bearer = read.bearer.unwrap();
    /// assert_eq!(bearer.scopes.to_string(), "a b");
    /// assert_eq!(bearer.error.as_deref(), Some("invalid_token"));
    /// assert_eq!(Challenges::read("Negotiate").bearer, None);
    /// ```
    #[must_use]
    pub fn read(header: &str) -> Self {
        Self::read_hiding(header, &Secrets::default())
    }

    /// As [`Challenges::read`], without what repeats a secret.
    pub(super) fn read_hiding(header: &str, secrets: &Secrets) -> Self {
        let mut reader = Reader { rest: &header[..header.floor_char_boundary(MAX_HEADER_VALUE)] };
        let mut challenges = Vec::new();
        while challenges.len() < MAX_ITEMS
            && let Some(raw) = reader.challenge()
        {
            challenges.push(raw);
        }
        challenges.retain(|raw| !secrets.within(&raw.scheme));
        let bearer = challenges.iter().find(|raw| raw.scheme.eq_ignore_ascii_case("bearer"));
        let bearer = bearer.map(|raw| raw.to_challenge(secrets));
        let shown = |raw: RawChallenge| excerpt(&raw.scheme, MAX_QUOTE);
        Self { bearer, schemes: challenges.into_iter().map(shown).collect() }
    }
}

/// A challenge as it is written.
struct RawChallenge {
    scheme: String,
    /// Names in lower case, and values.
    parameters: Vec<(String, String)>,
}

impl RawChallenge {
    fn to_challenge(&self, secrets: &Secrets) -> Challenge {
        let value = |name| self.value(name).filter(|value| !secrets.within(value));
        Challenge {
            resource_metadata: value("resource_metadata").map(str::to_owned),
            scopes: value("scope").and_then(Scopes::parse).unwrap_or_default(),
            error: value("error").map(|text| excerpt(text, MAX_QUOTE)),
            description: value("error_description").map(|text| excerpt(text, MAX_QUOTE)),
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut values = self.parameters.iter().filter(|(known, _)| known == name);
        let (_, value) = values.next()?;
        values.next().is_none().then_some(value)
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn challenge(&mut self) -> Option<RawChallenge> {
        self.skip(" \t,");
        let scheme = self.token()?.to_owned();
        self.skip_token68();
        let mut parameters = Vec::new();
        while parameters.len() < MAX_ITEMS
            && let Some(parameter) = self.parameter()
        {
            parameters.push(parameter);
        }
        Some(RawChallenge { scheme, parameters })
    }

    /// The next name and value; none, and nothing read, where a new challenge or the end follows.
    fn parameter(&mut self) -> Option<(String, String)> {
        let start = self.rest;
        let parameter = self.name_and_value();
        if parameter.is_none() {
            self.rest = start;
        }
        parameter
    }

    fn name_and_value(&mut self) -> Option<(String, String)> {
        self.skip(" \t,");
        let name = self.token()?.to_ascii_lowercase();
        self.skip(" \t");
        self.rest = self.rest.strip_prefix('=')?;
        self.skip(" \t");
        let value =
            if self.rest.starts_with('"') { self.quoted()? } else { self.token()?.to_owned() };
        Some((name, value))
    }

    /// Passes over the single word that some schemes have in place of parameters.
    fn skip_token68(&mut self) {
        let after_blanks = self.rest.trim_start_matches([' ', '\t']);
        let word = after_blanks.split(',').next().unwrap_or_default().trim_end();
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        if !word.is_empty() && word.trim_end_matches('=').bytes().all(in_word) {
            self.rest = &after_blanks[word.len()..];
        }
    }

    fn token(&mut self) -> Option<&str> {
        let in_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let end = self.rest.bytes().position(|byte| !in_token(byte)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }

    /// A quoted string, from its opening quote; none where it does not end.
    fn quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                '\\' => text.push(characters.next()?.1),
                other => text.push(other),
            }
        }
        None
    }

    fn skip(&mut self, characters: &str) {
        self.rest = self.rest.trim_start_matches(|c| characters.contains(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(header: &str) -> Challenge {
        Challenges::read(header).bearer.unwrap()
    }

    #[test]
    fn several_challenges_are_told_apart() {
        let read = Challenges::read(
            "Negotiate YII/ab==, Basic realm=\"a, Bearer scope=\\\"no\\\"\" , bEARER \
             resource_metadata = \"https://a.example/x\",, scope=\"a b\", DPoP algs=\"ES256\"",
        );
        assert_eq!(read.schemes, ["Negotiate", "Basic", "bEARER", "DPoP"]);
        let bearer = read.bearer.unwrap();
        assert_eq!(bearer.resource_metadata.as_deref(), Some("https://a.example/x"));
        assert_eq!(bearer.scopes.to_string(), "a b");
    }

    #[test]
    fn a_bare_scheme_is_a_challenge() {
        assert_eq!(bearer("Bearer"), Challenge::default());
        assert_eq!(bearer("Basic, Bearer, Bearer error=x"), Challenge::default());
        assert_eq!(bearer("Basic x, Bearer error=x").error.as_deref(), Some("x"));
        assert_eq!(Challenges::read(""), Challenges::default());
    }

    #[test]
    fn escapes_are_undone_and_hidden_characters_are_not_shown() {
        let read = bearer("Bearer error_description=\"a\\\"b\u{202e}\", error=\"x\\y\"");
        assert_eq!(read.description.as_deref(), Some("a\"b\\u{202e}"));
        assert_eq!(read.error.as_deref(), Some("xy"));
    }

    #[test]
    fn ambiguous_and_broken_parameters_are_left_out() {
        assert_eq!(bearer("Bearer error=a, ERROR=b").error, None);
        assert_eq!(bearer("Bearer scope=\"a\\\\\"").scopes, Scopes::default());
        assert_eq!(bearer("Bearer error=a, scope=\"never ends").error.as_deref(), Some("a"));
        assert_eq!(bearer("Bearer error=\"a\\"), Challenge::default());
        assert_eq!(bearer("Bearer error=é, scope=a").error, None);
    }

    #[test]
    fn length_and_number_are_bounded() {
        assert_eq!(Challenges::read(&"x,".repeat(100_000)).schemes.len(), MAX_ITEMS);
        let long = format!("Bearer {}", "a=b,".repeat(100_000));
        assert_eq!(Challenges::read(&long).bearer, Some(Challenge::default()));
        let long = format!("Bearer error=\"{}", "é".repeat(100_000));
        assert_eq!(bearer(&long).error, None);
        let shown = bearer(&format!("Bearer error=\"{}\"", "x".repeat(7_000))).error.unwrap();
        assert_eq!(shown.chars().count(), MAX_QUOTE + 1);
    }
}
