//! What a log does not keep.
//!
//! Three rules, from the surest to the most cautious:
//!
//! 1. A header is secret if the user entered it, or if its name says so ([`is_secret_name`]).
//! 2. A parameter of an address is secret if its name says so.
//! 3. What is secret by these rules is masked wherever else it occurs: a server may repeat it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;

use super::LoggedHeader;
use crate::contents::encode_base64;
use crate::protocol::{Header, HttpRequest};
use crate::value::json_string;

/// What stands in place of a secret.
pub const MASK: &str = "••••";

/// The shortest secret that is looked for in other texts, in bytes. A shorter one would be met by
/// chance.
const MIN_LENGTH: usize = 6;

/// Words in the names of headers and parameters that hold secrets.
const SECRET_WORDS: [&str; 13] = [
    "auth",
    "code",
    "cookie",
    "credential",
    "jwt",
    "key",
    "passphrase",
    "password",
    "passwd",
    "secret",
    "session",
    "signature",
    "token",
];

/// Headers whose names hold such a word, and whose values everybody may see.
const PUBLIC: [&str; 1] = ["www-authenticate"];

/// Whether a header or a parameter of that name holds a secret.
///
/// ```
/// use skillglass::protocol::log::redact::is_secret_name;
/// assert!(is_secret_name("Authorization") && is_secret_name("X-Api-Key"));
/// assert!(is_secret_name("Mcp-Session-Id") && !is_secret_name("WWW-Authenticate"));
/// assert!(!is_secret_name("Content-Type") && !is_secret_name("Content-Encoding"));
/// ```
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    // "code" is a word of its own, as "encoding" is none of those meant here.
    let is_code = words.clone().any(|word| word == "code");
    let is_other = SECRET_WORDS.iter().any(|secret| *secret != "code" && name.contains(secret));
    (is_code || is_other) && !PUBLIC.contains(&name.as_str())
}

/// An address whose secret parameters are masked; the rest of it stays letter by letter.
///
/// ```
/// use skillglass::protocol::log::redact::url;
/// assert_eq!(url("https://a.example/mcp?v=1&api_key=x#f"), "https://a.example/mcp?v=1&api_key=••••#f");
/// assert_eq!(url("https://a.example/mcp"), "https://a.example/mcp");
/// ```
#[must_use]
pub fn url(url: &str) -> String {
    let (rest, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    let Some((path, query)) = rest.split_once('?') else { return url.to_owned() };
    let parameter = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if is_secret_name(name) => format!("{name}={MASK}"),
        _ => parameter.to_owned(),
    };
    let query: Vec<_> = query.split('&').map(parameter).collect();
    format!("{path}?{}{fragment}", query.join("&"))
}

/// A header as it may be kept.
pub(super) fn header(name: &str, value: &str, is_entered: bool, secrets: &Secrets) -> LoggedHeader {
    let is_secret = is_entered || is_secret_name(name);
    let value = if is_secret { MASK.to_owned() } else { secrets.mask(value) };
    LoggedHeader { name: name.to_owned(), value, is_secret }
}

/// What a caller has sent and nobody else may read: the values of its headers and of the secret
/// parameters of its address. A server may repeat them, as they are or encoded.
///
/// ```
/// use skillglass::protocol::Client;
/// let mut client = Client::new("https://mcp.example.com/mcp").unwrap();
/// client.set_bearer_token("s3cret-t0ken").unwrap();
/// let secrets = client.secrets();
/// assert_eq!(secrets.mask("no entry for s3cret-t0ken"), "no entry for ••••");
/// assert_eq!(secrets.mask("denied for s3cret-t…"), "denied for ••••…");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Those that a request carries.
    pub(super) fn of_request(request: &HttpRequest) -> Self {
        Self::of(&request.headers, &request.url)
    }

    /// Those among headers and in an address.
    pub(in crate::protocol) fn of(headers: &[Header], url: &str) -> Self {
        let mut secrets = Self::default();
        for header in headers {
            if header.secret || is_secret_name(&header.name) {
                secrets.add(&header.value);
            }
        }
        let query = url.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split(['&', '#']).filter_map(|pair| pair.split_once('=')) {
            if is_secret_name(name) {
                secrets.add(value);
            }
        }
        secrets
    }

    /// And those that an answer carries.
    pub(super) fn extend(&mut self, headers: &[LoggedHeader]) {
        for header in headers {
            if is_secret_name(&header.name) {
                self.add(&header.value);
            }
        }
    }

    /// Whether there is nothing to mask.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A value; where it is a scheme and a credential, as in `Bearer …`, the credential as well.
    fn add(&mut self, value: &str) {
        let credential = value.split_once(' ').map(|(_, credential)| credential);
        for secret in std::iter::once(value).chain(credential) {
            if secret.len() < MIN_LENGTH {
                continue;
            }
            let escaped = json_string(secret);
            let base64 = encode_base64(secret.as_bytes());
            let forms = [
                secret,
                &escaped[1..escaped.len() - 1],
                &percent_encoded(secret),
                base64.trim_end_matches('='),
            ];
            for form in forms {
                if !self.0.iter().any(|known| known == form) {
                    self.0.push(form.to_owned());
                }
            }
        }
        // The longest first, as one may be a part of another.
        self.0.sort_by_key(|secret| Reverse(secret.len()));
    }

    /// `text` with every secret masked: as it is, as JSON and addresses write it, in Base64, and
    /// where the text was cut within it, which `…` shows.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let masked = self.0.iter().fold(Cow::Borrowed(text), |text, secret| {
            if text.contains(secret.as_str()) {
                Cow::Owned(text.replace(secret.as_str(), MASK))
            } else {
                text
            }
        });
        if !masked.contains('…') {
            return masked.into_owned();
        }
        let parts: Vec<_> = masked.split('…').collect();
        let last = parts.len() - 1;
        let part = |(at, part): (usize, &&str)| match at == last {
            true => (*part).to_owned(),
            false => self.mask_cut(part),
        };
        parts.iter().enumerate().map(part).collect::<Vec<_>>().join("…")
    }

    /// `text`, of which more came, without the beginning of a secret at its end.
    pub(super) fn mask_cut(&self, text: &str) -> String {
        let kept = self.0.iter().filter_map(|secret| {
            // A scheme alone is no secret.
            let least =
                secret.find([' ', '%']).map_or(MIN_LENGTH, |blank| MIN_LENGTH.max(blank + 2));
            let begun = |length: &usize| text.as_bytes().ends_with(&secret.as_bytes()[..*length]);
            let most = secret.len().min(text.len() + 1);
            (least..most).rev().find(begun).map(|length| text.len() - length)
        });
        kept.min().map_or_else(|| text.to_owned(), |kept| format!("{}{MASK}", &text[..kept]))
    }
}

/// As a parameter of an address has it.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte.into());
        } else {
            // Writing to a string never fails.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Call, Client};

    #[test]
    fn names_tell_secrets() {
        for name in ["authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "apikey"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["Accept", "content-encoding", "MCP-Protocol-Version", "Mcp-Name", "Origin"] {
            assert!(!is_secret_name(name), "{name}");
        }
        assert!(is_secret_name("code") && is_secret_name("auth_code"));
    }

    #[test]
    fn a_credential_is_masked_without_its_scheme_and_within_json() {
        let mut client = Client::new("http://localhost/mcp").unwrap();
        client.set_header("X-Key", "Basic dXNl\"cjpwYXNz").unwrap();
        let secrets = Secrets::of_request(&client.request(&Call::Discover).unwrap());
        assert_eq!(secrets.mask("got dXNl\"cjpwYXNz."), "got ••••.");
        assert_eq!(secrets.mask(r#"{"x":"Basic dXNl\"cjpwYXNz"}"#), r#"{"x":"••••"}"#);
    }

    #[test]
    fn a_secret_is_masked_where_it_is_encoded_or_cut() {
        let mut client = Client::new("http://localhost/mcp").unwrap();
        client.set_header("Authorization", "Bearer s3cr/t+key").unwrap();
        let secrets = client.secrets();
        for told in ["s3cr/t+key", "s3cr%2Ft%2Bkey", "czNjci90K2tleQ", "Bearer s3cr/t…", "s3cr/t…"]
        {
            let masked = secrets.mask(&format!("no {told} here"));
            assert!(!masked.contains("cr") && !masked.contains("czNj"), "{masked}");
        }
        assert_eq!(secrets.mask("Bearer… is wanted"), "Bearer… is wanted");
        assert!(Client::new("http://localhost/mcp").unwrap().secrets().is_empty());
    }

    #[test]
    fn what_is_too_short_is_not_looked_for() {
        let mut client = Client::new("http://localhost/mcp").unwrap();
        client.set_header("X-Key", "a").unwrap();
        let secrets = Secrets::of_request(&client.request(&Call::Discover).unwrap());
        assert_eq!(secrets.mask("a banana"), "a banana");
    }

    #[test]
    fn secret_parameters_are_masked_wherever_they_occur() {
        let request = Client::new("http://localhost/mcp?token=abcdefgh&x=1")
            .unwrap()
            .request(&Call::Discover)
            .unwrap();
        assert_eq!(Secrets::of_request(&request).mask("at abcdefgh"), "at ••••");
        assert_eq!(url("http://localhost/?&token&key=#x"), "http://localhost/?&token&key=••••#x");
    }
}
