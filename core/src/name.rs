//! The naming rules of the Agent Skills format.
//!
//! Sources: the field `name` of the Agent Skills format. The extension's *Resource Mapping* holds
//! the last segment of a skill path to the same rules.

use std::fmt;

use serde::Serialize;

/// The longest name, in characters.
pub const MAX_NAME: usize = 64;

/// Why a text is not a skill name: 1 to 64 of `a`–`z`, `0`–`9` and `-`, no hyphen at either end,
/// none doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameError {
    /// It is empty.
    Empty,
    /// It has more than 64 characters.
    TooLong,
    /// It has this character, the first that is not allowed.
    Character(char),
    /// It begins or ends with a hyphen.
    OuterHyphen,
    /// It has two hyphens in a row.
    DoubleHyphen,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong => write!(f, "it is longer than {MAX_NAME} characters"),
            Self::Character(c) if c.is_ascii_uppercase() => {
                write!(f, "it has the upper-case letter {c:?}; only a-z, 0-9 and - are allowed")
            }
            Self::Character(c) => write!(f, "it has {c:?}; only a-z, 0-9 and - are allowed"),
            Self::OuterHyphen => f.write_str("it begins or ends with a hyphen"),
            Self::DoubleHyphen => f.write_str("it has two hyphens in a row"),
        }
    }
}

impl std::error::Error for NameError {}

/// Checks `name` against the format's rules.
///
/// # Errors
/// Of several broken rules the first of: empty, a character, too long, a hyphen at an end, two in
/// a row.
///
/// ```
/// use skillglass::name::{NameError, check_name};
/// assert_eq!(check_name("code-review"), Ok(()));
/// assert_eq!(check_name("Code--Review"), Err(NameError::Character('C')));
/// assert_eq!(check_name("code--review"), Err(NameError::DoubleHyphen));
/// ```
pub fn check_name(name: &str) -> Result<(), NameError> {
    let allowed = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-';
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some(character) = name.chars().find(|c| !allowed(c)) {
        return Err(NameError::Character(character));
    }
    if name.len() > MAX_NAME {
        return Err(NameError::TooLong);
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Err(NameError::OuterHyphen);
    }
    if name.contains("--") {
        return Err(NameError::DoubleHyphen);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_named() {
        assert_eq!(check_name("a"), Ok(()));
        assert_eq!(check_name(&"a".repeat(64)), Ok(()));
        assert_eq!(check_name(&"a".repeat(65)), Err(NameError::TooLong));
        assert_eq!(check_name(""), Err(NameError::Empty));
        assert_eq!(check_name("a_b"), Err(NameError::Character('_')));
        assert_eq!(check_name("日本"), Err(NameError::Character('日')));
        assert_eq!(check_name("a-"), Err(NameError::OuterHyphen));
        assert_eq!(check_name("a--b"), Err(NameError::DoubleHyphen));
    }
}
