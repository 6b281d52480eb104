//! Who a skill is: a server's label, assigned by the host, together with the skill's URI.
//!
//! Source: the extension's *Security Considerations*, names and origins. Names are labels and
//! never identify anything.

use std::fmt;

use serde::Serialize;

use crate::entry::SkillEntry;
use crate::finding::{is_hidden, quote};
use crate::uri::{SkillUri, UriError};

/// The longest label, in characters.
pub const MAX_LABEL: usize = 64;

/// What the host calls a server, for people and for models: never the name a server gives itself.
///
/// Letters, digits, single blanks, `-`, `_` and `.`, so that no label can pass for a label and a
/// name together.
///
/// ```
/// use skillglass::host::{LabelError, OriginLabel};
/// assert_eq!(OriginLabel::new("Acme 2").unwrap().as_str(), "Acme 2");
/// assert_eq!(OriginLabel::new("acme: refunds"), Err(LabelError::Character(':')));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct OriginLabel(String);

impl OriginLabel {
    /// A label of that text.
    ///
    /// # Errors
    /// See [`LabelError`].
    pub fn new(text: &str) -> Result<Self, LabelError> {
        let allowed = |c: char| (c.is_alphanumeric() && !is_hidden(c)) || " -_.".contains(c);
        if text.is_empty() {
            return Err(LabelError::Empty);
        }
        if let Some(character) = text.chars().find(|c| !allowed(*c)) {
            return Err(LabelError::Character(character));
        }
        if text.chars().count() > MAX_LABEL {
            return Err(LabelError::TooLong);
        }
        if text.trim() != text || text.contains("  ") {
            return Err(LabelError::Blank);
        }
        Ok(Self(text.to_owned()))
    }

    /// The label that is most like `text`: what no label may have becomes `-`, and it is cut where it is
    /// too long.
    ///
    /// ```
    /// use skillglass::host::OriginLabel;
    /// assert_eq!(OriginLabel::like("demo:good").as_str(), "demo-good");
    /// assert_eq!(OriginLabel::like(" / ").as_str(), "server");
    /// ```
    #[must_use]
    pub fn like(text: &str) -> Self {
        let is_kept = |c: char| (c.is_alphanumeric() && !is_hidden(c)) || "-_.".contains(c);
        let text: String =
            text.chars().map(|c| if is_kept(c) { c } else { '-' }).take(MAX_LABEL).collect();
        match text.trim_matches('-') {
            "" => Self("server".to_owned()),
            text => Self(text.to_owned()),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OriginLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelError {
    /// It is empty.
    Empty,
    /// It has more than [`MAX_LABEL`] characters.
    TooLong,
    /// It has this character.
    Character(char),
    /// It begins or ends with a blank, or has two in a row.
    Blank,
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a label must not be empty"),
            Self::TooLong => write!(f, "a label has at most {MAX_LABEL} characters"),
            Self::Character(c) => {
                write!(f, "a label has letters, digits, blanks, \"-\", \"_\" and \".\", not {c:?}")
            }
            Self::Blank => f.write_str("a label has single blanks, and only inside"),
        }
    }
}

impl std::error::Error for LabelError {}

/// The identity of a skill: the originating server and the URI of its `SKILL.md`.
///
/// ```
/// use skillglass::host::{OriginLabel, SkillId};
/// let acme = OriginLabel::new("acme").unwrap();
/// let id = SkillId::new(&acme, "skill://refunds/SKILL.md").unwrap();
/// assert_eq!(id.to_string(), "acme: \"skill://refunds/SKILL.md\"");
/// assert!(SkillId::new(&acme, "skill://refunds/notes.md").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SkillId {
    origin: OriginLabel,
    uri: String,
}

impl SkillId {
    /// The skill at `uri` of the server `origin`.
    ///
    /// # Errors
    /// `uri` is not the URI of a `SKILL.md`.
    pub fn new(origin: &OriginLabel, uri: &str) -> Result<Self, UriError> {
        SkillUri::parse(uri)?;
        Ok(Self { origin: origin.clone(), uri: uri.to_owned() })
    }

    /// The skill of an entry that came from `origin`.
    #[must_use]
    pub fn of(origin: &OriginLabel, entry: &SkillEntry) -> Self {
        Self { origin: origin.clone(), uri: entry.uri.clone() }
    }

    /// The server's label.
    #[must_use]
    pub const fn origin(&self) -> &OriginLabel {
        &self.origin
    }

    /// The URI of its `SKILL.md`, exact.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The skills, known or not, whose directories hold this one, innermost first.
    pub(super) fn enclosing(&self) -> Vec<Self> {
        let Ok(uri) = SkillUri::parse(&self.uri) else { return Vec::new() };
        let paths = std::iter::successors(parent(uri.skill_path()), |path| parent(path));
        let scheme = uri.uri().scheme();
        paths.filter_map(|path| Self::new(&self.origin, &skill_md(scheme, path)).ok()).collect()
    }
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

fn skill_md(scheme: &str, path: &str) -> String {
    format!("{scheme}://{path}/{}", crate::uri::SKILL_MD)
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, quote(&self.uri))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_mislead() {
        let error = |text: &str| OriginLabel::new(text).err();
        assert_eq!(error(&"é".repeat(MAX_LABEL)), None);
        assert_eq!(error(&"é".repeat(MAX_LABEL + 1)), Some(LabelError::TooLong));
        assert_eq!(error(""), Some(LabelError::Empty));
        for blank in [" a", "a ", "a  b", "  "] {
            assert_eq!(error(blank), Some(LabelError::Blank), "{blank:?}");
        }
        for c in ['\u{202e}', '\u{3164}', '\n', '/', '"', '(', '\u{a0}'] {
            assert_eq!(error(&format!("a{c}b")), Some(LabelError::Character(c)));
        }
    }

    #[test]
    fn enclosing_directories_are_whole_segments() {
        let acme = OriginLabel::new("acme").unwrap();
        let id = SkillId::new(&acme, "x://a/bc/d/SKILL.md").unwrap();
        let uris: Vec<_> = id.enclosing().into_iter().map(|outer| outer.uri).collect();
        assert_eq!(uris, ["x://a/bc/SKILL.md", "x://a/SKILL.md"]);
        assert_eq!(SkillId::new(&acme, "x://a/SKILL.md").unwrap().enclosing(), []);
    }
}
