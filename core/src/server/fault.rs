//! Rules that a skill breaks on purpose, one at a time.

use std::borrow::Cow;

use super::File;
use crate::digest::Digest;

/// One broken rule. Paths count from the tree's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The manifest has another digest for this file.
    WrongDigest(String),
    /// The manifest counts this file's characters instead of its bytes.
    SizeInCharacters(String),
    /// The manifest writes this file's digest in upper case.
    UpperCaseDigest(String),
    /// The file is served with this text replaced.
    Replaced {
        /// The file.
        path: String,
        /// What stands in the file.
        from: String,
        /// What is served instead.
        to: String,
    },
    /// This file is served with CRLF line ends, while the manifest is of the LF file.
    CrlfServed(String),
    /// The manifest lists this file, but it cannot be read.
    Unreadable(String),
    /// The manifest leaves this file out, though it can be read.
    Unlisted(String),
    /// `skills/get` leaves this file out of the entry, `skills/list` does not.
    GetDiffers(String),
    /// The entry has no `resources`.
    NoResources,
}

impl Fault {
    /// Whether the manifest leaves the file out.
    pub(super) fn hides(&self, file: &str, in_list: bool) -> bool {
        match self {
            Self::Unlisted(path) => path == file,
            Self::GetDiffers(path) => path == file && !in_list,
            _ => false,
        }
    }

    /// Changes what the manifest says of a file.
    pub(super) fn distort(&self, file: &File, digest: &mut String, size: &mut usize) {
        match self {
            Self::WrongDigest(path) if path == file.path() => {
                *digest = Digest::of(b"the file of last week\n").to_string();
            }
            Self::SizeInCharacters(path) if path == file.path() => {
                *size = String::from_utf8_lossy(file.bytes()).chars().count();
            }
            Self::UpperCaseDigest(path) if path == file.path() => {
                *digest = format!("sha256:{}", file.digest().hex().to_uppercase());
            }
            _ => {}
        }
    }

    /// Changes the bytes of a read; none if the file cannot be read.
    pub(super) fn serve<'f>(&self, file: &str, bytes: Cow<'f, [u8]>) -> Option<Cow<'f, [u8]>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self {
            Self::Unreadable(path) if path == file => None,
            Self::Replaced { path, from, to } if path == file => {
                Some(text(&bytes).replace(from, to).into_bytes().into())
            }
            Self::CrlfServed(path) if path == file => {
                Some(text(&bytes).replace('\n', "\r\n").into_bytes().into())
            }
            _ => Some(bytes),
        }
    }
}
