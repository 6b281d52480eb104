//! What went wrong on a server, proved by recomputing what it promised.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::digest::Digest;
use crate::entry::{Manifest, ManifestFile};
use crate::finding::quote;
use crate::unicode::{Composer, Decomposer};

/// A cause of a mismatch, proved by recomputing. As text: a sentence about the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// The manifest is of the file with CRLF line ends; LF came.
    CrlfToLf,
    /// The manifest is of the file with LF line ends; CRLF came.
    LfToCrlf,
    /// The manifest is of the file with a byte order mark, which was lost.
    MarkLost,
    /// The manifest is of the file without a byte order mark, which was added.
    MarkAdded,
    /// The final line break was lost.
    FinalNewlineLost,
    /// A final line break was added.
    FinalNewlineAdded,
    /// The server composed characters (NFC) that the file has decomposed.
    Composed,
    /// The server decomposed characters (NFD) that the file has composed.
    Decomposed,
    /// What came is the file as a JSON string literal.
    JsonQuoted,
    /// What came is the file's base64, sent as text.
    Base64AsText,
    /// The manifest is of the file's base64, not of its bytes.
    DigestOfBase64,
    /// The promised size counts characters.
    SizeInCharacters,
    /// The promised size counts UTF-16 code units.
    SizeInUtf16,
    /// The promised digest is that of an empty file.
    DigestOfNothing,
    /// Nothing came at all.
    EmptyBody,
    /// What came is another file of the manifest.
    OtherFile {
        /// That file's URI.
        uri: String,
    },
    /// Bytes that are not text were sent as text and lost.
    ReplacementCharacters,
    /// Decoding the blob as base64url gives the promised bytes.
    Base64Url,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::CrlfToLf => {
                "The manifest was made from a file with Windows line ends (CRLF); the server sends it with LF."
            }
            Self::LfToCrlf => {
                "The manifest was made from a file with Unix line ends (LF); the server sends it with CRLF."
            }
            Self::MarkLost => {
                "The file begins with a byte order mark that the server drops when it sends it."
            }
            Self::MarkAdded => {
                "The server adds a byte order mark that the file in the manifest does not have."
            }
            Self::FinalNewlineLost => {
                "The final line break was lost on the way: the server trims the text."
            }
            Self::FinalNewlineAdded => "A final line break was added on the way.",
            Self::Composed => {
                "The server normalises Unicode: it composes characters (NFC) that the file has decomposed."
            }
            Self::Decomposed => {
                "The server normalises Unicode: it decomposes characters (NFD) that the file has composed."
            }
            Self::JsonQuoted => {
                "The text is the file as a JSON string literal: it was encoded twice."
            }
            Self::Base64AsText => "The text is the file's base64; it belongs in blob.",
            Self::DigestOfBase64 => {
                "The manifest was computed from the file's base64, not from its bytes."
            }
            Self::SizeInCharacters => "The size counts characters, not bytes.",
            Self::SizeInUtf16 => {
                "The size counts UTF-16 code units (a JavaScript string's length), not bytes."
            }
            Self::DigestOfNothing => "The promised digest is that of an empty file.",
            Self::EmptyBody => "The server sent an empty file.",
            Self::OtherFile { uri } => {
                return write!(
                    f,
                    "These are the bytes of another file of the manifest: {}.",
                    quote(uri)
                );
            }
            Self::ReplacementCharacters => {
                "Bytes that are not UTF-8 were sent as text and replaced by U+FFFD; send the file as blob."
            }
            Self::Base64Url => {
                "Decoded with the URL-safe alphabet the blob would have the promised digest."
            }
        };
        f.write_str(text)
    }
}

impl Cause {
    /// What to change on the server.
    #[must_use]
    pub const fn repair(&self) -> &'static str {
        match self {
            Self::CrlfToLf | Self::LfToCrlf => {
                "hash the bytes that are served; in git, pin line ends with \"* text eol=lf\" or \"* -text\""
            }
            Self::Composed | Self::Decomposed => "serve the text as it is in the file",
            Self::MarkLost | Self::MarkAdded => "read files as bytes, without decoding them",
            Self::FinalNewlineLost | Self::FinalNewlineAdded => "serve the file's bytes unchanged",
            Self::JsonQuoted => "put the text itself into text, not its JSON form",
            Self::Base64AsText => "send it as blob",
            Self::DigestOfBase64 => "hash the file's bytes",
            Self::SizeInCharacters | Self::SizeInUtf16 => "send the length of the bytes",
            Self::DigestOfNothing => "hash the file's bytes after they were read",
            Self::EmptyBody => "send the file's bytes",
            Self::OtherFile { .. } => "serve each file under its own URI",
            Self::ReplacementCharacters => "send files that are not UTF-8 as blob",
            Self::Base64Url => "use the standard base64 alphabet",
        }
    }
}

/// The first change that turns what came into what was promised, or that accounts for the size.
///
/// Each candidate is hashed, so what is named here is proved. At most a dozen hashes, on a mismatch
/// only.
pub(super) fn find(
    manifest: &Manifest,
    line: &ManifestFile,
    bytes: &[u8],
    digest: Digest,
) -> Option<Cause> {
    let promised = line.digest?;
    let size = line.size?;
    if digest == promised {
        let text = std::str::from_utf8(bytes).ok()?;
        if size == text.chars().count() as u64 {
            return Some(Cause::SizeInCharacters);
        }
        return (size == text.encode_utf16().count() as u64).then_some(Cause::SizeInUtf16);
    }
    if bytes.is_empty() {
        return Some(Cause::EmptyBody);
    }
    for (cause, candidate) in candidates(bytes) {
        if candidate.is_some_and(|candidate| Digest::of(&candidate) == promised) {
            return Some(cause);
        }
    }
    if promised == Digest::of(b"") {
        return Some(Cause::DigestOfNothing);
    }
    if let Some(other) = manifest.other_with_digest(&line.uri, digest) {
        return Some(Cause::OtherFile { uri: other.uri.clone() });
    }
    let lost = String::from_utf8_lossy(bytes).contains(char::REPLACEMENT_CHARACTER);
    lost.then_some(Cause::ReplacementCharacters)
}

/// Undoes one way of changing a file; none where it cannot have happened.
type Undo = fn(&[u8]) -> Option<Cow<'_, [u8]>>;

/// What the promised file would be, for each way a server is known to change one.
fn candidates(bytes: &[u8]) -> impl Iterator<Item = (Cause, Option<Cow<'_, [u8]>>)> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let undo: [(Cause, Undo); 11] = [
        (Cause::CrlfToLf, |bytes| Some(lf_to_crlf(bytes)?.into())),
        (Cause::LfToCrlf, |bytes| Some(crlf_to_lf(bytes)?.into())),
        (Cause::MarkLost, |bytes| Some([MARK, bytes].concat().into())),
        (Cause::MarkAdded, |bytes| Some(bytes.strip_prefix(MARK)?.into())),
        (Cause::FinalNewlineLost, |bytes| Some([bytes, b"\n"].concat().into())),
        (Cause::FinalNewlineAdded, |bytes| Some(bytes.strip_suffix(b"\n")?.into())),
        (Cause::Composed, |bytes| {
            let text = not_ascii(bytes)?;
            Some(Decomposer::new().decompose(text).into_bytes().into())
        }),
        (Cause::Decomposed, |bytes| {
            let text = not_ascii(bytes)?;
            Some(Composer::new().compose(text).into_bytes().into())
        }),
        (Cause::JsonQuoted, |bytes| Some(json_unquoted(bytes)?.into())),
        (Cause::Base64AsText, |bytes| Some(base64_decoded(bytes)?.into())),
        (Cause::DigestOfBase64, |bytes| {
            Some(crate::contents::encode_base64(bytes).into_bytes().into())
        }),
    ];
    undo.into_iter().map(move |(cause, undo)| (cause, undo(bytes)))
}

fn lf_to_crlf(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.contains(&b'\n') || bytes.contains(&b'\r') {
        return None;
    }
    let mut longer = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for &byte in bytes {
        if byte == b'\n' {
            longer.push(b'\r');
        }
        longer.push(byte);
    }
    Some(longer)
}

fn crlf_to_lf(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.contains("\r\n").then(|| text.replace("\r\n", "\n").into_bytes())
}

fn not_ascii(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.is_ascii())
}

fn json_unquoted(bytes: &[u8]) -> Option<Vec<u8>> {
    let document = crate::json::read_bytes(bytes).ok()?;
    document.root.as_str().map(|text| text.as_bytes().to_vec())
}

fn base64_decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    crate::contents::decode_base64(std::str::from_utf8(bytes).ok()?.trim())
}
