//! The states that everything on the page is shown in: a glyph, a word, and only then a colour.

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Verified, passed, done.
    Good,
    /// Refused, failed, a MUST broken.
    Bad,
    /// Needs a look.
    Warn,
    /// Not read, not tested.
    Unknown,
    /// Under way.
    Busy,
    /// Worth knowing, nothing broken.
    Note,
}

impl Mark {
    /// Its glyph.
    pub(crate) const fn glyph(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "✕",
            Self::Warn => "!",
            Self::Unknown | Self::Busy => "",
            Self::Note => "i",
        }
    }

    /// The class that gives it its colour.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Good => "mark good",
            Self::Bad => "mark bad",
            Self::Warn => "mark warn",
            Self::Unknown => "mark unknown",
            Self::Busy => "mark busy",
            Self::Note => "mark note",
        }
    }
}
