//! What a host decides for itself.
//!
//! Source: the extension's *Limits* and *Integrity and Verification*.

use serde::Serialize;

use crate::entry::{MAX_FILES, MAX_TOTAL_SIZE};

/// The choices the extension leaves to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether a person approves each skill before it is loaded for the first time. Changed and
    /// nested skills need an approval in any case.
    pub ask: bool,
    /// Whether dynamic skills are loaded at all.
    pub dynamic: bool,
    /// For how long an entry is used at least, in milliseconds, where its server calls it stale at
    /// once, or says nothing, as before 2026-07-28: what was just listed can then be loaded without
    /// asking for it again. Files are held against the entry in any case.
    pub keep_ms: u64,
    /// How large a skill may be.
    pub limits: Limits,
}

impl Default for Policy {
    /// Asks, takes dynamic skills, keeps entries for a minute, and accepts no more than a host must.
    fn default() -> Self {
        Self { ask: true, dynamic: true, keep_ms: 60_000, limits: Limits::default() }
    }
}

/// How large a skill may be: counted from the entry, or, for a dynamic skill, from what was
/// actually retrieved.
///
/// ```
/// use skillglass::host::Limits;
/// assert_eq!(Limits::default().files(), 512);
/// assert_eq!(Limits::new(1_000, 0).files(), 1_000);
/// assert_eq!(Limits::new(1_000, 0).bytes(), 16 * 1024 * 1024); // never below what hosts must take
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    files: usize,
    bytes: u64,
}

impl Limits {
    /// Limits of that many files and bytes, raised to what every host must accept.
    #[must_use]
    pub fn new(files: usize, bytes: u64) -> Self {
        Self { files: files.max(MAX_FILES), bytes: bytes.max(MAX_TOTAL_SIZE) }
    }

    /// The most files.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.files
    }

    /// The most bytes of all files together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether so much is allowed; the limits themselves are.
    pub(super) const fn allow(&self, files: usize, bytes: u64) -> bool {
        files <= self.files && bytes <= self.bytes
    }
}

impl Default for Limits {
    /// 512 files and 16 MiB, which every host must accept.
    fn default() -> Self {
        Self { files: MAX_FILES, bytes: MAX_TOTAL_SIZE }
    }
}
