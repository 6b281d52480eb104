//! Proof Key for Code Exchange, with `S256` only (RFC 7636), and the `state` beside it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::Secret;

/// Random bytes for one authorization, from the platform's cryptographic source. Never used twice.
#[derive(Clone)]
pub struct Randomness {
    /// For the code verifier.
    pub verifier: [u8; 32],
    /// For the `state`.
    pub state: [u8; 32],
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Randomness(••••)")
    }
}

impl Randomness {
    /// The code verifier: 43 characters.
    #[must_use]
    pub fn code_verifier(&self) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(self.verifier))
    }

    /// The `state`: 43 characters.
    #[must_use]
    pub fn state(&self) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(self.state))
    }
}

/// The `S256` challenge for a code verifier (RFC 7636, section 4.2).
///
/// ```
/// use skillglass::auth::{Secret, code_challenge};
/// let verifier = Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
/// assert_eq!(code_challenge(&verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
/// ```
#[must_use]
pub fn code_challenge(verifier: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()))
}

/// Whether a text has the form of [`Randomness::code_verifier`] and [`Randomness::state`].
pub(super) fn is_random_text(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_are_texts_of_their_own_form() {
        let random = Randomness { verifier: [255; 32], state: [0; 32] };
        assert_eq!(random.code_verifier().expose().len(), 43);
        assert!(is_random_text(random.code_verifier().expose()));
        assert_eq!(random.state().expose(), "A".repeat(43));
        assert!(!format!("{random:?}").contains("255"));
        for wrong in ["", "A", &"A".repeat(44), &"+".repeat(43)] {
            assert!(!is_random_text(wrong), "{wrong}");
        }
    }
}
