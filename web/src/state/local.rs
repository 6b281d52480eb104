//! How far the skills of the user's own machine are.

/// What became of the files that were chosen or dropped last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// Nothing is under way.
    Idle,
    /// They are being read.
    Reading,
    /// They cannot be shown; why, in words.
    Problem(String),
}
