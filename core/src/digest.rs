//! SHA-256 digests in the one spelling the extension allows.
//!
//! Source: the extension's *Resources*, `digest`: over the raw bytes that are served.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest: `sha256:` and 64 lowercase hexadecimal digits on the wire, which is how it is
/// parsed, displayed and serialised.
///
/// ```
/// use skillglass::digest::{Digest, DigestError};
/// let digest = Digest::of(b"");
/// let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// assert_eq!(text.parse(), Ok(digest));
/// assert_eq!(digest.to_string(), text);
/// assert_eq!(text.to_uppercase().parse::<Digest>(), Err(DigestError::PrefixCase));
/// assert_eq!("sha256:e3b0".parse::<Digest>(), Err(DigestError::Digits));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest with these 32 bytes, which somebody else computed: the platform's own SHA-256,
    /// for example.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 64 lowercase hexadecimal digits without the prefix.
    #[must_use]
    pub fn hex(&self) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.0
            .iter()
            .flat_map(|byte| [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]])
            .map(char::from)
            .collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DigestError {
    /// It does not begin with `sha256:`.
    Prefix,
    /// It begins with `sha256:` in other letters' case.
    PrefixCase,
    /// It begins with `sha256-`: the base64 form of subresource integrity.
    Sri,
    /// The digits are hexadecimal and 64, but some are upper case.
    UpperHex,
    /// The digits are not 64 hexadecimal ones.
    Digits,
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prefix => "it must begin with \"sha256:\"",
            Self::PrefixCase => "the prefix must be \"sha256:\" in lower case",
            Self::Sri => "this is the base64 form of subresource integrity; the extension wants \"sha256:\" and hexadecimal digits",
            Self::UpperHex => "the hexadecimal digits must be lower case; the value is right apart from that",
            Self::Digits => "64 hexadecimal digits must follow \"sha256:\"",
        })
    }
}

impl std::error::Error for DigestError {}

impl std::str::FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let Some(digits) = text.strip_prefix("sha256:") else {
            return Err(wrong_prefix(text));
        };
        if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(DigestError::Digits);
        }
        if digits.bytes().any(|digit| digit.is_ascii_uppercase()) {
            return Err(DigestError::UpperHex);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            *byte = (hex_value(pair[0]) << 4) | hex_value(pair[1]);
        }
        Ok(Self(bytes))
    }
}

fn wrong_prefix(text: &str) -> DigestError {
    let head = text.get(..7).unwrap_or_default();
    if head.eq_ignore_ascii_case("sha256:") {
        DigestError::PrefixCase
    } else if head.eq_ignore_ascii_case("sha256-") {
        DigestError::Sri
    } else {
        DigestError::Prefix
    }
}

/// The value of a digit already known to be lowercase hexadecimal.
const fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit - b'a' + 10,
    }
}

/// A digest computed piece by piece. [`FileVerifier`](crate::verify::FileVerifier) compares one
/// with what was promised.
///
/// ```
/// use skillglass::digest::{Digest, Hasher};
/// let mut hasher = Hasher::new();
/// hasher.update(b"skill");
/// hasher.update(b"glass");
/// assert_eq!(hasher.clone().finish(), Digest::of(b"skillglass"));
/// hasher.update(b"\n");
/// assert_ne!(hasher.finish(), Digest::of(b"skillglass"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// A digest of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces in order.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn the_empty_file_has_the_known_digest() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn other_spellings_are_named() {
        let parse = |text: &str| text.parse::<Digest>();
        assert_eq!(parse(&EMPTY.to_uppercase()), Err(DigestError::PrefixCase));
        assert_eq!(parse(&EMPTY.replace("e3b0", "E3B0")), Err(DigestError::UpperHex));
        assert_eq!(
            parse("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            Err(DigestError::Sri)
        );
        assert_eq!(parse("md5:00"), Err(DigestError::Prefix));
        assert_eq!(parse("sha256:é"), Err(DigestError::Digits));
        assert_eq!(parse(""), Err(DigestError::Prefix));
    }

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        let mut hasher = Hasher::new();
        hasher.update(b"skill");
        hasher.update(b"glass");
        assert_eq!(hasher.finish(), Digest::of(b"skillglass"));
    }
}
