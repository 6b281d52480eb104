//! What a log does not keep.
//!
//! Three rules, from the surest to the most cautious:
//!
//! 1. A header is secret if the user entered it, or if its name says so ([`is_secret_name`]).
//! 2. A parameter of an address is secret if its name says so.
//! 3. What is secret by these rules is masked wherever else it occurs: a server may repeat it.

use std::borrow::Cow;

use super::LoggedHeader;
use crate::protocol::HttpRequest;
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

/// The secrets of one exchange.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Those that a request carries.
    pub(super) fn of_request(request: &HttpRequest) -> Self {
        let mut secrets = Self::default();
        for header in &request.headers {
            if header.secret || is_secret_name(&header.name) {
                secrets.add(&header.value);
            }
        }
        let query = request.url.split_once('?').map_or("", |(_, query)| query);
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

    /// A value; where it is a scheme and a credential, as in `Bearer …`, the credential as well.
    fn add(&mut self, value: &str) {
        let credential = value.split_once(' ').map(|(_, credential)| credential);
        for secret in std::iter::once(value).chain(credential) {
            if secret.len() < MIN_LENGTH {
                continue;
            }
            let escaped = json_string(secret);
            let escaped = &escaped[1..escaped.len() - 1];
            if escaped != secret {
                self.0.push(escaped.to_owned());
            }
            self.0.push(secret.to_owned());
        }
    }

    /// `text` with every secret masked, as it is and as JSON writes it.
    pub(super) fn mask(&self, text: &str) -> String {
        let masked = self.0.iter().fold(Cow::Borrowed(text), |text, secret| {
            if text.contains(secret.as_str()) {
                Cow::Owned(text.replace(secret.as_str(), MASK))
            } else {
                text
            }
        });
        masked.into_owned()
    }
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
