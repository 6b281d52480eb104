//! Sets of scopes.

use std::collections::BTreeSet;
use std::fmt;

/// The longest list of scopes that is used, in bytes, blanks included.
pub const MAX_SCOPES: usize = 4 * 1024;

/// A set of scopes (RFC 6749, section 3.3).
///
/// ```
/// use skillglass::auth::Scopes;
/// let asked = Scopes::parse("files:read profile").unwrap();
/// let all = asked.union(&Scopes::parse("files:write").unwrap()).unwrap();
/// assert_eq!(all.to_string(), "files:read files:write profile");
/// assert!(all.contains_all(&asked) && !asked.contains_all(&all));
/// assert_eq!(Scopes::parse("\"quoted\""), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(BTreeSet<String>);

impl Scopes {
    /// Reads scopes separated by blanks; none where a character cannot be part of a scope, or the
    /// text is longer than [`MAX_SCOPES`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::of(text.split(' ').filter(|scope| !scope.is_empty()))
    }

    /// The set of these scopes, under the same conditions.
    pub(super) fn of<'s>(scopes: impl IntoIterator<Item = &'s str>) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
        let mut length = 0;
        let mut set = BTreeSet::new();
        for scope in scopes {
            length += scope.len() + 1;
            if scope.is_empty() || !scope.bytes().all(allowed) || length > MAX_SCOPES {
                return None;
            }
            set.insert(scope.to_owned());
        }
        Some(Self(set))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `scope` is among them.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.contains(scope)
    }

    /// Whether all of `others` are among them.
    #[must_use]
    pub fn contains_all(&self, others: &Self) -> bool {
        self.0.is_superset(&others.0)
    }

    /// The scopes of both; none where they are longer than [`MAX_SCOPES`].
    #[must_use]
    pub fn union(&self, other: &Self) -> Option<Self> {
        Self::of(self.0.union(&other.0).map(String::as_str))
    }

    /// The scopes, in the order of their bytes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Scopes {
    /// As requests write them: separated by blanks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_bounded_and_plain() {
        assert_eq!(Scopes::parse(" b  a b ").unwrap().to_string(), "a b");
        assert!(Scopes::parse("").unwrap().is_empty());
        for wrong in ["a\tb", "é", "a\\b", "a\u{202e}"] {
            assert_eq!(Scopes::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(Scopes::parse(&"abc ".repeat(MAX_SCOPES)), None);
        let half = |scope: &str| Scopes::parse(&scope.repeat(MAX_SCOPES / 2)).unwrap();
        assert!(half("a").union(&half("a")).is_some());
        assert_eq!(half("a").union(&half("b")), None);
    }
}
