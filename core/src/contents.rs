//! From the result of `resources/read` to the raw bytes that digest and size speak of.
//!
//! Sources: *Reading Resources* of the base protocol and the extension's *Verification*.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Serialize;

use crate::finding::quote;
use crate::json::Document;
use crate::uri::same_after_decoding;
use crate::value::{Node, Value};

/// The bytes of one file as a server sent them; nothing is said yet of whether they are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents<'a> {
    /// The raw bytes: the UTF-8 of `text`, escapes resolved and nothing else changed, or what the
    /// base64 of `blob` stands for.
    pub bytes: Cow<'a, [u8]>,
    /// The media type the server names; a label, it never changes the bytes.
    pub mime_type: Option<String>,
    /// The member they came in.
    pub member: ContentMember,
    /// What was tolerated.
    pub notes: Vec<ContentNote>,
}

/// The member of a contents item that carries the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentMember {
    /// `text`: the bytes are its UTF-8.
    Text,
    /// `blob`: the bytes are base64.
    Blob,
}

/// Something about a reply that other hosts may not accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ContentNote {
    /// The reply names the URI in another percent-encoding.
    OtherSpelling {
        /// The URI in the reply.
        uri: String,
    },
    /// Items that are not for this URI came along and were passed over.
    OtherItems {
        /// How many.
        count: usize,
    },
    /// The base64 text has line breaks or blanks.
    Base64Space,
    /// The base64 text lacks its padding.
    Base64Padding,
    /// The last digit of the base64 text has bits that belong to no byte and are not zero.
    Base64SpareBits,
}

impl fmt::Display for ContentNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherSpelling { uri } => {
                write!(f, "the reply spells the URI another way: {}", quote(uri))
            }
            Self::OtherItems { count } => {
                write!(f, "the reply has {count} more contents items, for other URIs")
            }
            Self::Base64Space => f.write_str("the base64 text has blanks or line breaks"),
            Self::Base64Padding => f.write_str("the base64 text lacks its padding"),
            Self::Base64SpareBits => {
                f.write_str("the base64 text ends in bits that belong to no byte")
            }
        }
    }
}

impl ContentNote {
    /// What to change.
    #[must_use]
    pub const fn repair(&self) -> &'static str {
        match self {
            Self::OtherSpelling { .. } => "send the URI as it was asked for",
            Self::OtherItems { .. } => "send the file's item only",
            _ => "encode with the standard alphabet and padding, without line breaks (RFC 4648)",
        }
    }
}

/// Why a result holds no bytes for a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ContentError {
    /// `contents` is missing or no array.
    NoContents,
    /// `contents` is empty.
    Empty,
    /// No item has a `uri`, so nothing says what came.
    NoUri,
    /// No item is for the URI asked for.
    OtherUri {
        /// The first URI that came instead.
        uri: String,
    },
    /// Several items are for the URI asked for.
    Ambiguous,
    /// The item has neither `text` nor `blob`, or both, or one of them twice. A null is none.
    NotOneMember,
    /// `text` or `blob` is no string.
    NotString,
    /// `text` holds half a surrogate pair, so no bytes are right.
    NotUnicode,
    /// `blob` uses the URL-safe alphabet.
    Base64Url {
        /// The bytes it stands for in that alphabet; never used as the file.
        #[serde(skip)]
        bytes: Vec<u8>,
    },
    /// `blob` is not base64.
    NotBase64,
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoContents => f.write_str("the result has no contents array"),
            Self::Empty => f.write_str("the contents array is empty; an empty file is text \"\""),
            Self::NoUri => f.write_str("no contents item has a uri, so nothing says what came"),
            Self::OtherUri { uri } => {
                write!(f, "the reply is for another file: {}", quote(uri))
            }
            Self::Ambiguous => f.write_str("several contents items are for the same file"),
            Self::NotOneMember => f.write_str("an item must have either text or blob, once"),
            Self::NotString => f.write_str("text or blob is not a string"),
            Self::NotUnicode => {
                f.write_str("the text holds half a surrogate pair, so it stands for no bytes; send the file as blob")
            }
            Self::Base64Url { .. } => {
                f.write_str("the blob uses the URL-safe alphabet (- and _); base64 wants + and /")
            }
            Self::NotBase64 => f.write_str("the blob is not base64"),
        }
    }
}

impl std::error::Error for ContentError {}

/// Standard base64 as JavaScript hosts take it: padding optional, spare bits ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Finds the bytes of the file `uri` in the result of a `resources/read`.
///
/// `result` is a node of `document`, and has to come from the exact text of the reply: another
/// reader turns half a surrogate pair into U+FFFD without a word. The item is chosen by its URI:
/// the exact text first, else the one item that differs only in percent-encoding. Items for other
/// files are passed over. `text` is borrowed from the document where it holds no escape.
///
/// # Errors
/// See [`ContentError`]; [`refuse_contents`](crate::verify::refuse_contents) makes a verdict of it.
///
/// ```
/// use skillglass::contents::{ContentError, read};
/// let reply = r#"{"contents":[{"uri":"skill://a/b.txt","text":"hi"}]}"#;
/// let document = skillglass::json::read(reply).unwrap();
/// let file = read(&document, &document.root, "skill://a/b.txt").unwrap();
/// assert_eq!(&*file.bytes, b"hi");
///
/// let other = read(&document, &document.root, "skill://a/c.txt");
/// assert_eq!(other, Err(ContentError::OtherUri { uri: "skill://a/b.txt".into() }));
/// ```
pub fn read<'a>(
    document: &Document<'_>,
    result: &'a Node<'_>,
    uri: &str,
) -> Result<Contents<'a>, ContentError> {
    let items = result.get("contents").and_then(Node::as_array).ok_or(ContentError::NoContents)?;
    let mut notes = Vec::new();
    let item = choose(items, uri, &mut notes)?;
    let mime_type = item.get("mimeType").and_then(Node::as_str).map(str::to_owned);
    let sent = |name| item.get(name).filter(|node| node.value != Value::Null);
    let (member, bytes) = match (sent("text"), sent("blob")) {
        _ if document.repeats_in(item.span) => return Err(ContentError::NotOneMember),
        (Some(node), None) => (ContentMember::Text, text_bytes(document, node)?),
        (None, Some(node)) => (ContentMember::Blob, blob_bytes(node, &mut notes)?),
        _ => return Err(ContentError::NotOneMember),
    };
    Ok(Contents { bytes, mime_type, member, notes })
}

fn choose<'n, 'a>(
    items: &'n [Node<'a>],
    uri: &str,
    notes: &mut Vec<ContentNote>,
) -> Result<&'n Node<'a>, ContentError> {
    let named: Vec<(&Node<'_>, &str)> =
        items.iter().filter_map(|item| Some((item, item.get("uri")?.as_str()?))).collect();
    let exact: Vec<_> = named.iter().filter(|(_, named)| *named == uri).collect();
    let alike: Vec<_> = named.iter().filter(|(_, named)| same_after_decoding(named, uri)).collect();
    let chosen = match (exact.as_slice(), alike.as_slice()) {
        ([one], _) => *one,
        ([], [one]) => {
            notes.push(ContentNote::OtherSpelling { uri: one.1.to_owned() });
            *one
        }
        ([], []) => {
            return Err(match named.first() {
                Some((_, other)) => ContentError::OtherUri { uri: (*other).to_owned() },
                None if items.is_empty() => ContentError::Empty,
                None => ContentError::NoUri,
            });
        }
        _ => return Err(ContentError::Ambiguous),
    };
    if items.len() > 1 {
        notes.push(ContentNote::OtherItems { count: items.len() - 1 });
    }
    Ok(chosen.0)
}

fn text_bytes<'n>(
    document: &Document<'_>,
    node: &'n Node<'_>,
) -> Result<Cow<'n, [u8]>, ContentError> {
    let text = node.as_str().ok_or(ContentError::NotString)?;
    if document.damaged_in(node.span) {
        return Err(ContentError::NotUnicode);
    }
    Ok(Cow::Borrowed(text.as_bytes()))
}

fn blob_bytes(
    node: &Node<'_>,
    notes: &mut Vec<ContentNote>,
) -> Result<Cow<'static, [u8]>, ContentError> {
    let blob = node.as_str().ok_or(ContentError::NotString)?;
    let mut compact = Cow::Borrowed(blob);
    let mut decoded = BASE64.decode(blob);
    // Few have any, and looking takes as long as decoding.
    if decoded.is_err() && blob.bytes().any(|byte| byte.is_ascii_whitespace()) {
        notes.push(ContentNote::Base64Space);
        compact = Cow::Owned(blob.chars().filter(|c| !c.is_ascii_whitespace()).collect());
        decoded = BASE64.decode(compact.as_bytes());
    }
    if let Ok(bytes) = decoded {
        if !compact.len().is_multiple_of(4) {
            notes.push(ContentNote::Base64Padding);
        }
        if has_spare_bits(&compact) {
            notes.push(ContentNote::Base64SpareBits);
        }
        return Ok(Cow::Owned(bytes));
    }
    let standard = compact.replace('-', "+").replace('_', "/");
    match BASE64.decode(standard.as_bytes()) {
        Ok(bytes) if compact.contains(['-', '_']) => Err(ContentError::Base64Url { bytes }),
        _ => Err(ContentError::NotBase64),
    }
}

/// Whether the last digit says more than its bytes can hold (RFC 4648, 3.5).
fn has_spare_bits(base64: &str) -> bool {
    let digits = base64.trim_end_matches('=');
    let last = digits.chars().next_back().and_then(|last| STANDARD.as_str().find(last));
    let spare = match digits.len() % 4 {
        2 => 0b1111,
        3 => 0b11,
        _ => 0,
    };
    last.is_some_and(|value| value & spare != 0)
}

/// The bytes of a standard base64 text.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// `bytes` in standard base64, with padding: what belongs into `blob`.
///
/// ```
/// use skillglass::{contents::{encode_base64, read}, json};
/// assert_eq!(encode_base64(b"\xfb\xff"), "+/8=");
/// let sent = |blob: &str| format!(r#"{{"contents":[{{"uri":"skill://a/b","blob":"{blob}"}}]}}"#);
/// let bytes = |reply: &str| {
///     let document = json::read(reply).unwrap();
///     read(&document, &document.root, "skill://a/b").map(|contents| contents.bytes.to_vec())
/// };
/// assert_eq!(bytes(&sent("+/8=")).unwrap(), b"\xfb\xff");
/// assert!(bytes(&sent("-_8=")).is_err()); // the URL-safe alphabet
/// ```
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn bytes(item: &str) -> Result<(Vec<u8>, Vec<ContentNote>), ContentError> {
        let text = format!(r#"{{"contents":[{item}]}}"#);
        let document = json::read(&text).unwrap();
        let contents = read(&document, &document.root, "skill://a/b c")?;
        Ok((contents.bytes.into_owned(), contents.notes))
    }

    #[test]
    fn text_and_blob_give_raw_bytes() {
        let text = "{\"uri\":\"skill://a/b c\",\"text\":\"\\ufeffa\\r\\n\\u0000\\rb\u{2028}c\\ud83d\\ude00\"}";
        let whole = "\u{feff}a\r\n\0\rb\u{2028}c😀";
        assert_eq!(bytes(text).unwrap().0, whole.as_bytes());
        let blob = r#"{"uri":"skill://a/b c","blob":"AP/+"}"#;
        assert_eq!(bytes(blob).unwrap(), (vec![0, 255, 254], vec![]));
        let empty = r#"{"uri":"skill://a/b c","text":""}"#;
        assert_eq!(bytes(empty).unwrap(), (vec![], vec![]));
    }

    #[test]
    fn tolerated_spellings_are_noted() {
        let blob = |blob| bytes(&format!(r#"{{"uri":"skill://a/b c","blob":"{blob}"}}"#));
        assert_eq!(blob("AA").unwrap(), (vec![0], vec![ContentNote::Base64Padding]));
        assert_eq!(blob("AA\\n==").unwrap(), (vec![0], vec![ContentNote::Base64Space]));
        assert_eq!(blob("AB==").unwrap(), (vec![0], vec![ContentNote::Base64SpareBits]));
        let nulls = bytes(r#"{"uri":"skill://a/b c","text":"x","blob":null}"#).unwrap();
        assert_eq!(nulls, (b"x".to_vec(), vec![]));
        let echo = bytes(r#"{"uri":"skill://a/b%20c","text":"x"}"#).unwrap();
        assert_eq!(echo.1, [ContentNote::OtherSpelling { uri: "skill://a/b%20c".into() }]);
        let decoy = r#"{"uri":"skill://z","text":"y"},{"uri":"skill://a/b c","text":"x"}"#;
        assert_eq!(
            bytes(decoy).unwrap(),
            (b"x".to_vec(), vec![ContentNote::OtherItems { count: 1 }])
        );
    }

    #[test]
    fn what_is_no_file_is_refused() {
        assert_eq!(bytes(""), Err(ContentError::Empty));
        assert_eq!(bytes(r#"{"text":"x"}"#), Err(ContentError::NoUri));
        let other = bytes(r#"{"uri":"skill://z","text":"x"}"#);
        assert_eq!(other, Err(ContentError::OtherUri { uri: "skill://z".into() }));
        let item = r#"{"uri":"skill://a/b c","text":"x"}"#;
        assert_eq!(bytes(&format!("{item},{item}")), Err(ContentError::Ambiguous));
        let with = |more: &str| bytes(&format!(r#"{{"uri":"skill://a/b c"{more}}}"#)).unwrap_err();
        assert_eq!(with(""), ContentError::NotOneMember);
        assert_eq!(
            with(r#","text":"x","blob":"eA=="}"#.trim_end_matches('}')),
            ContentError::NotOneMember
        );
        assert_eq!(with(r#","text":null,"blob":null"#), ContentError::NotOneMember);
        assert_eq!(with(r#","text":"x","text":"y""#), ContentError::NotOneMember);
        assert_eq!(with(r#","text":1"#), ContentError::NotString);
        assert_eq!(with(r#","text":"\ud800""#), ContentError::NotUnicode);
        assert_eq!(with(r#","blob":"-_8=""#), ContentError::Base64Url { bytes: vec![251, 255] });
        assert_eq!(with(r#","blob":"a""#), ContentError::NotBase64);
        assert_eq!(with(r#","blob":"!!!!""#), ContentError::NotBase64);
    }
}
