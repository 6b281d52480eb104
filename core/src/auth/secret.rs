//! Texts that no log, export or message may show.

use std::fmt;

use super::form;

/// A token, code, verifier or state. Only [`Secret::expose`] gives its text.
///
/// ```
/// use skillglass::auth::Secret;
/// let token = Secret::new("hunter2");
/// assert_eq!(token.expose(), "hunter2");
/// assert!(!format!("{token:?}").contains("hunter2"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, to be sent or, where the user asked for it, kept for this tab.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("••••")
    }
}

/// The secrets that a server has seen, and may repeat in what it says.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    /// A shorter text is met by chance, and protects nothing in the first place.
    const MIN_LENGTH: usize = 16;

    pub(super) fn new<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Self {
        let guessable = |secret: &&Secret| secret.0.len() < Self::MIN_LENGTH;
        Self(secrets.into_iter().filter(|secret| !guessable(secret)).cloned().collect())
    }

    /// Whether `text` holds one of them, as it is or as it is written in a form.
    pub(super) fn within(&self, text: &str) -> bool {
        self.0.iter().any(|Secret(secret)| {
            text.contains(secret.as_str()) || text.contains(&form::encode(secret))
        })
    }
}
