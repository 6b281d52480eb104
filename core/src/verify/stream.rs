//! Size and digest of a file that comes in pieces.

use super::Reason;
use crate::digest::{Digest, Hasher};

/// Checks a file piece by piece and stops at the first surplus byte.
///
/// It says whether size and digest are right, no more: it makes no [`Verified`](super::Verified), and the
/// frontmatter of a `SKILL.md` is still to be compared.
///
/// ```
/// use skillglass::{digest::Digest, verify::{FileVerifier, Progress, Reason}};
/// let mut verifier = FileVerifier::new(5, Digest::of(b"hello"));
/// assert_eq!(verifier.update(b"hel"), Progress::More);
/// assert_eq!(verifier.clone().finish(), Err(Reason::Size));
/// assert_eq!(verifier.clone().update(b"lo!"), Progress::TooLong);
/// assert_eq!(verifier.update(b"lo"), Progress::More);
/// assert_eq!(verifier.finish(), Ok(()));
/// ```
#[derive(Clone, Debug)]
pub struct FileVerifier {
    size: u64,
    digest: Digest,
    received: u64,
    hasher: Hasher,
}

/// Whether a [`FileVerifier`] wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The file may still be right.
    More,
    /// More bytes came than promised; nothing that follows can mend it.
    TooLong,
}

impl FileVerifier {
    /// A check for a file of `size` bytes with this digest, as its line in the manifest has them.
    #[must_use]
    pub fn new(size: u64, digest: Digest) -> Self {
        Self { size, digest, received: 0, hasher: Hasher::new() }
    }

    /// Takes the next piece. Surplus bytes are not hashed.
    pub fn update(&mut self, bytes: &[u8]) -> Progress {
        self.received = self.received.saturating_add(bytes.len() as u64);
        if self.received > self.size {
            return Progress::TooLong;
        }
        self.hasher.update(bytes);
        Progress::More
    }

    /// Whether size and digest are the promised ones.
    ///
    /// # Errors
    /// [`Reason::Size`], else [`Reason::Digest`].
    pub fn finish(self) -> Result<(), Reason> {
        if self.received != self.size {
            return Err(Reason::Size);
        }
        if self.hasher.finish() == self.digest { Ok(()) } else { Err(Reason::Digest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_ends_at_the_first_surplus_byte() {
        let mut verifier = FileVerifier::new(2, Digest::of(b"ab"));
        assert_eq!(verifier.update(b"a"), Progress::More);
        assert_eq!(verifier.clone().finish(), Err(Reason::Size));
        assert_eq!(verifier.update(b"b"), Progress::More);
        assert_eq!(verifier.clone().finish(), Ok(()));
        assert_eq!(verifier.update(b"c"), Progress::TooLong);
        assert_eq!(FileVerifier::new(0, Digest::of(b"x")).finish(), Err(Reason::Digest));
    }
}
