//! Skill URIs: `scheme://` + skill path + `/` + file path, kept as the exact text sent.
//!
//! The skill path has one or more segments, the last one is the skill's name. Its first segment
//! sits where other URIs have an authority; it is a path segment here and never names a host.
//! Any scheme will do. URIs are compared as text; percent-decoding serves to find out whether two
//! texts could name the same file, never to make them equal.
//!
//! Sources: the extension's *Resource Mapping* and *Relative References*; RFC 3986 for the
//! characters.

use std::fmt;

use serde::Serialize;

/// The file every skill has.
pub const SKILL_MD: &str = "SKILL.md";

/// Why a text cannot be the URI of a skill or of a skill's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UriError {
    /// There is no `scheme://` in front.
    NoScheme,
    /// It carries a query or a fragment.
    QueryOrFragment,
    /// A `%` is not followed by two hexadecimal digits.
    BadPercent,
    /// A segment is empty: `//` inside, or `/` at the end.
    EmptySegment,
    /// A segment is `.` or `..`, plain or percent-encoded.
    DotSegment,
    /// A control character, plain or (in ASCII) percent-encoded, or white space other than a plain
    /// blank.
    ControlCharacter,
    /// Its last segment is not `SKILL.md`.
    NotSkillMd,
    /// `SKILL.md` follows `scheme://` at once, so there is no skill path and no name.
    NoSkillPath,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoScheme => "it has no \"scheme://\" in front",
            Self::QueryOrFragment => "it carries a query or a fragment",
            Self::BadPercent => "a \"%\" is not followed by two hexadecimal digits",
            Self::EmptySegment => "its authority or a path segment is empty",
            Self::DotSegment => "it has a \".\" or \"..\" segment",
            Self::ControlCharacter => "it has a control character",
            Self::NotSkillMd => "it does not end in \"/SKILL.md\"",
            Self::NoSkillPath => {
                "no skill path stands before \"SKILL.md\", so the skill has no name"
            }
        })
    }
}

impl std::error::Error for UriError {}

/// What is unusual, though allowed, about a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UriNote {
    /// The scheme is not `skill`, which servers SHOULD use.
    OtherScheme,
    /// The scheme has upper-case letters; as text it differs from the lower-case spelling.
    SchemeCase,
    /// A segment holds a character that RFC 3986 wants percent-encoded, such as a blank.
    RawCharacter,
    /// A segment holds an encoded `/` or `\`: data, not a separator, and no file name can hold it.
    EncodedSeparator,
    /// The first segment is not a registered name of RFC 3986.
    NotRegName,
}

impl fmt::Display for UriNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherScheme => "its scheme is not \"skill\"",
            Self::SchemeCase => "its scheme has upper-case letters; URIs are compared as text",
            Self::RawCharacter => "a segment holds a character that should be percent-encoded",
            Self::EncodedSeparator => {
                "a segment holds an encoded slash or backslash, a separator on some systems"
            }
            Self::NotRegName => "its first segment is not a registered name as RFC 3986 defines it",
        })
    }
}

/// A well-formed hierarchical URI without query or fragment, split into scheme and segments.
///
/// Its length is not bounded here, and characters that RFC 3986 wants percent-encoded are let
/// through; [`Uri::notes`] names them.
///
/// ```
/// use skillglass::uri::{Uri, UriError};
/// let uri = Uri::parse("skill://acme/refunds/references/LIMITS.csv").unwrap();
/// assert_eq!(uri.segments().collect::<Vec<_>>(), ["acme", "refunds", "references", "LIMITS.csv"]);
/// assert_eq!(Uri::parse("skill://acme/../secret"), Err(UriError::DotSegment));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uri<'a> {
    text: &'a str,
    scheme_end: usize,
}

impl<'a> Uri<'a> {
    /// Splits `text`. Cost: its length.
    ///
    /// # Errors
    /// All of [`UriError`] but the two about `SKILL.md`.
    pub fn parse(text: &'a str) -> Result<Self, UriError> {
        let scheme_end = scheme_end(text).ok_or(UriError::NoScheme)?;
        if text.chars().any(|c| c.is_control() || (c.is_whitespace() && c != ' ')) {
            return Err(UriError::ControlCharacter);
        }
        let uri = Self { text, scheme_end };
        if text.contains(['?', '#']) {
            return Err(UriError::QueryOrFragment);
        }
        for segment in uri.segments() {
            check_segment(segment)?;
        }
        Ok(uri)
    }

    /// The exact text.
    #[must_use]
    pub const fn as_str(&self) -> &'a str {
        self.text
    }

    /// The scheme as written, without `://`.
    #[must_use]
    pub fn scheme(&self) -> &'a str {
        &self.text[..self.scheme_end]
    }

    /// The segments as written, the one in authority position included.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.path().split('/')
    }

    /// Everything after `://`.
    #[must_use]
    pub fn path(&self) -> &'a str {
        &self.text[self.scheme_end + 3..]
    }

    /// What is unusual about it; each note at most once. Servers SHOULD avoid all of it
    /// (*Resource Mapping*).
    ///
    /// ```
    /// use skillglass::uri::{Uri, UriNote};
    /// assert_eq!(Uri::parse("skill://acme/refunds/my%20notes.md").unwrap().notes(), []);
    /// let notes = Uri::parse("file://acme/my notes.md").unwrap().notes();
    /// assert_eq!(notes, [UriNote::OtherScheme, UriNote::RawCharacter]);
    /// ```
    #[must_use]
    pub fn notes(&self) -> Vec<UriNote> {
        let mut notes = Vec::new();
        if self.scheme().bytes().any(|byte| byte.is_ascii_uppercase()) {
            notes.push(UriNote::SchemeCase);
        }
        if !self.scheme().eq_ignore_ascii_case("skill") {
            notes.push(UriNote::OtherScheme);
        }
        if !self.segments().next().is_some_and(|first| first.chars().all(is_reg_name_char)) {
            notes.push(UriNote::NotRegName);
        }
        if self.segments().skip(1).any(|segment| !segment.chars().all(is_segment_char)) {
            notes.push(UriNote::RawCharacter);
        }
        if self.segments().any(has_encoded_separator) {
            notes.push(UriNote::EncodedSeparator);
        }
        notes
    }
}

/// The URI of a skill's `SKILL.md`.
///
/// Whether its name keeps the naming rules is for [`check_name`](crate::name::check_name).
///
/// ```
/// use skillglass::uri::{SkillUri, UriError};
/// let uri = SkillUri::parse("skill://acme/billing/refunds/SKILL.md").unwrap();
/// assert_eq!(uri.name(), "refunds");
/// assert_eq!(uri.prefix(), "acme/billing");
/// assert_eq!(uri.root(), "skill://acme/billing/refunds");
/// assert_eq!(SkillUri::parse("skill://SKILL.md"), Err(UriError::NoSkillPath));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillUri<'a> {
    uri: Uri<'a>,
}

impl<'a> SkillUri<'a> {
    /// Reads the URI of a `SKILL.md`.
    ///
    /// # Errors
    /// As [`Uri::parse`]; [`UriError::NotSkillMd`] and [`UriError::NoSkillPath`] besides.
    pub fn parse(text: &'a str) -> Result<Self, UriError> {
        let uri = Uri::parse(text)?;
        if uri.path() == SKILL_MD {
            return Err(UriError::NoSkillPath);
        }
        if uri.segments().next_back() != Some(SKILL_MD) {
            return Err(UriError::NotSkillMd);
        }
        Ok(Self { uri })
    }

    /// The URI it is made of.
    #[must_use]
    pub const fn uri(&self) -> Uri<'a> {
        self.uri
    }

    /// The skill's root directory: the URI without `/SKILL.md`, no slash at the end.
    #[must_use]
    pub fn root(&self) -> &'a str {
        &self.uri.text[..self.uri.text.len() - SKILL_MD.len() - 1]
    }

    /// The segments between `scheme://` and `SKILL.md`, joined by `/`.
    #[must_use]
    pub fn skill_path(&self) -> &'a str {
        &self.root()[self.uri.scheme_end + 3..]
    }

    /// The last segment of the skill path. It must equal the frontmatter's `name`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.skill_path().rsplit('/').next().unwrap_or_default()
    }

    /// The free part of the skill path in front of the name; empty where there is none.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.skill_path().rsplit_once('/').map_or("", |(prefix, _)| prefix)
    }

    /// The path of a file below the skill's root as `uri` spells it, or why `uri` is not such a
    /// file.
    ///
    /// The test is on whole segments of the exact text, so neither `root/../x` nor `rootless/x`
    /// passes, and no decoding can widen it.
    ///
    /// # Errors
    /// [`Outside::Malformed`] for a text that is no plain URI, else [`Outside::Elsewhere`].
    ///
    /// ```
    /// use skillglass::uri::{Outside, SkillUri, UriError};
    /// let skill = SkillUri::parse("skill://acme/refunds/SKILL.md").unwrap();
    /// assert_eq!(skill.file_path("skill://acme/refunds/a%20b.md"), Ok("a%20b.md"));
    /// assert_eq!(skill.file_path("skill://acme/refunds-old/a.md"), Err(Outside::Elsewhere));
    /// let sly = skill.file_path("skill://acme/refunds/%2e%2e/a.md");
    /// assert_eq!(sly, Err(Outside::Malformed(UriError::DotSegment)));
    /// ```
    pub fn file_path<'u>(&self, uri: &'u str) -> Result<&'u str, Outside> {
        Uri::parse(uri).map_err(Outside::Malformed)?;
        let below = uri.strip_prefix(self.root()).and_then(|rest| rest.strip_prefix('/'));
        below.ok_or(Outside::Elsewhere)
    }

    /// Resolves a reference found in the skill's `SKILL.md` against the skill's root
    /// (*Relative References*).
    ///
    /// Dot segments are applied, percent-encoded ones as well, and what a URI may not hold raw is
    /// encoded; other escapes stay as they are. A reference that begins with `/` starts at the
    /// first segment, one that begins with `//` names the first segment, and never a host.
    ///
    /// ```
    /// use skillglass::uri::{Reference, SkillUri};
    /// let skill = SkillUri::parse("skill://acme/refunds/SKILL.md").unwrap();
    /// let inside = Reference::File { uri: "skill://acme/refunds/a/b.md".into(), fragment: None };
    /// assert_eq!(skill.resolve("a/./b.md"), inside);
    /// assert!(matches!(skill.resolve("../chargebacks/SKILL.md"), Reference::Outside { .. }));
    /// assert!(matches!(skill.resolve("https://example.org/"), Reference::External { .. }));
    /// ```
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Reference {
        self.resolve_from("", reference)
    }

    /// As [`SkillUri::resolve`], for a reference that stands in the file at `file_path`.
    ///
    /// The extension resolves references in `SKILL.md` against the root. References inside
    /// supporting files resolve against that file's own directory, as in any file tree.
    ///
    /// ```
    /// use skillglass::uri::{Reference, SkillUri};
    /// let skill = SkillUri::parse("skill://acme/refunds/SKILL.md").unwrap();
    /// let file = |uri: &str| Reference::File { uri: uri.into(), fragment: None };
    /// let limits = file("skill://acme/refunds/references/limits.csv");
    /// assert_eq!(skill.resolve_from("references/guide.md", "limits.csv"), limits);
    /// let above = skill.resolve_from("references/guide.md", "../../x.md");
    /// assert!(matches!(above, Reference::Outside { .. }));
    /// ```
    #[must_use]
    pub fn resolve_from(&self, file_path: &str, reference: &str) -> Reference {
        let (target, fragment) = match reference.split_once('#') {
            Some((target, fragment)) => (target, Some(fragment.to_owned())),
            None => (reference, None),
        };
        if target.is_empty() {
            return Reference::Here { fragment };
        }
        if let Some(scheme_end) = reference_scheme_end(target) {
            if !target[..scheme_end].eq_ignore_ascii_case(self.uri.scheme()) {
                return Reference::External { uri: reference.to_owned() };
            }
            return self.absolute(target, fragment);
        }
        if target.starts_with("//") {
            // Another first segment, which is a name here and never a host.
            let scheme = self.uri.scheme();
            return self.absolute(&format!("{scheme}:{target}"), fragment);
        }
        let empty_segment = target.contains("//");
        if empty_segment || target.contains(['?', '\\']) {
            return Reference::Malformed { reference: reference.to_owned() };
        }
        let base = file_path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let joined = match target.strip_prefix('/') {
            // A leading slash starts at the root of the name space, which is above the skill.
            Some(absolute) => remove_dot_segments(&[absolute]),
            None => remove_dot_segments(&[self.skill_path(), base, target]),
        };
        let Some(path) = joined else {
            return Reference::Outside { uri: None };
        };
        let inside = path.strip_prefix(self.skill_path()).and_then(|rest| rest.strip_prefix('/'));
        let uri = match inside {
            // The root stays as the server spells it, since URIs are compared as text.
            Some(file_path) => format!("{}/{}", self.root(), encode_path(file_path)),
            None => format!("{}://{}", self.uri.scheme(), encode_path(&path)),
        };
        if Uri::parse(&uri).is_err() {
            return Reference::Malformed { reference: reference.to_owned() };
        }
        if self.file_path(&uri).is_ok() {
            Reference::File { uri, fragment }
        } else {
            Reference::Outside { uri: Some(uri) }
        }
    }

    /// What a URI of the skill's own scheme leads to.
    fn absolute(&self, target: &str, fragment: Option<String>) -> Reference {
        if self.file_path(target).is_ok() {
            Reference::File { uri: target.to_owned(), fragment }
        } else {
            Reference::Outside { uri: Some(target.to_owned()) }
        }
    }
}

/// Why a URI is not a file of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// It is not a plain URI at all.
    Malformed(UriError),
    /// It lies elsewhere: another directory, another scheme, another skill.
    Elsewhere,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => error.fmt(f),
            Self::Elsewhere => f.write_str("it lies outside of the skill's directory"),
        }
    }
}

impl std::error::Error for Outside {}

/// What a reference in a skill's Markdown leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reference {
    /// Another place in the same file.
    Here {
        /// The heading it names, as written; none for an empty reference.
        fragment: Option<String>,
    },
    /// A place inside the skill's directory. Whether a file is listed there is the manifest's
    /// business.
    File {
        /// The absolute URI, to be looked up in the manifest as text.
        uri: String,
        /// The heading it names in that file, as written.
        fragment: Option<String>,
    },
    /// A place in the same name space outside of the skill; never read under its approval.
    Outside {
        /// The absolute URI, as written where the reference is one; none where dot segments climb
        /// above the name space itself.
        uri: Option<String>,
    },
    /// Another scheme: a link for a person, never fetched on its own.
    External {
        /// The reference as written, its fragment included.
        uri: String,
    },
    /// Nothing that can be resolved.
    Malformed {
        /// The reference as written.
        reference: String,
    },
}

/// Whether two URIs that differ as text could name one file, since they differ only in
/// percent-encoding. Servers echo such spellings; hosts must not treat them as listed.
///
/// ```
/// use skillglass::uri::same_after_decoding;
/// assert!(same_after_decoding("skill://a/my notes.md", "skill://a/my%20notes.md"));
/// assert!(!same_after_decoding("skill://a/b", "skill://a/B"));
/// ```
#[must_use]
pub fn same_after_decoding(a: &str, b: &str) -> bool {
    canonical(a) == canonical(b)
}

/// A URI in the one percent-encoding that all spellings of it share: escapes only where a segment
/// needs them, with upper-case digits.
pub(crate) fn canonical(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| hex_pair(bytes, at + 1)).flatten();
        let byte = escape.unwrap_or(bytes[at]);
        let is_raw = byte != b'%' && byte.is_ascii() && is_segment_char(char::from(byte));
        if is_raw || (byte == b'/' && escape.is_none()) {
            out.push(char::from(byte));
        } else {
            push_escape(byte, &mut out);
        }
        at += if escape.is_some() { 3 } else { 1 };
    }
    out
}

fn push_escape(byte: u8, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// A segment as a person reads it: percent-decoded, undecodable bytes as U+FFFD. For showing and
/// for judging looks, never for comparing.
///
/// ```
/// use skillglass::uri::decode_lossy;
/// assert_eq!(decode_lossy("my%20notes.md"), "my notes.md");
/// assert_eq!(decode_lossy("%FF%"), "\u{fffd}%");
/// ```
#[must_use]
pub fn decode_lossy(segment: &str) -> String {
    String::from_utf8_lossy(&percent_decode(segment)).into_owned()
}

/// A segment that stands for `name`, whatever is in it; an empty name, `.` and `..` stay what they
/// are, which no segment of a skill's URI may be.
///
/// ```
/// use skillglass::uri::{decode_lossy, encode_segment};
/// assert_eq!(encode_segment("100% é/x.md"), "100%25%20%C3%A9%2Fx.md");
/// assert_eq!(decode_lossy(&encode_segment("100% é/x.md")), "100% é/x.md");
/// ```
#[must_use]
pub fn encode_segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    encode(name, |character| character != '%' && is_segment_char(character), &mut out);
    out
}

/// The text a segment stands for; none if its bytes are not UTF-8. What it decodes to may hold `/`
/// and control characters.
///
/// ```
/// use skillglass::uri::decode_segment;
/// assert_eq!(decode_segment("a%20b").as_deref(), Some("a b"));
/// assert_eq!(decode_segment("%FF"), None);
/// ```
#[must_use]
pub fn decode_segment(segment: &str) -> Option<String> {
    String::from_utf8(percent_decode(segment)).ok()
}

/// The bytes a segment stands for. A malformed escape stands for itself.
fn percent_decode(segment: &str) -> Vec<u8> {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| hex_pair(bytes, at + 1)).flatten();
        out.push(escape.unwrap_or(bytes[at]));
        at += if escape.is_some() { 3 } else { 1 };
    }
    out
}

fn hex_pair(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(at)? * 16 + digit(at + 1)?).ok()
}

/// The length of the scheme of a text that begins `scheme://`.
fn scheme_end(text: &str) -> Option<usize> {
    let end = text.find("://")?;
    is_scheme(&text[..end]).then_some(end)
}

/// The length of the scheme of a reference such as `mailto:x` or `https://x`.
fn reference_scheme_end(reference: &str) -> Option<usize> {
    let end = reference.find(':')?;
    is_scheme(&reference[..end]).then_some(end)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn check_segment(segment: &str) -> Result<(), UriError> {
    if segment.is_empty() {
        return Err(UriError::EmptySegment);
    }
    let bytes = segment.as_bytes();
    let bad_percent =
        (0..bytes.len()).any(|at| bytes[at] == b'%' && hex_pair(bytes, at + 1).is_none());
    if bad_percent {
        return Err(UriError::BadPercent);
    }
    let decoded = percent_decode(segment);
    if decoded == b"." || decoded == b".." {
        return Err(UriError::DotSegment);
    }
    if decoded.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) {
        return Err(UriError::ControlCharacter);
    }
    Ok(())
}

fn has_encoded_separator(segment: &str) -> bool {
    let decoded = percent_decode(segment);
    decoded.contains(&b'/') || decoded.contains(&b'\\')
}

/// RFC 3986 reg-name: unreserved, sub-delims, percent-encoded.
fn is_reg_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=%".contains(c)
}

/// RFC 3986 pchar.
fn is_segment_char(c: char) -> bool {
    is_reg_name_char(c) || c == ':' || c == '@'
}

/// The paths joined, dot segments applied, or `None` where they climb above the first segment.
fn remove_dot_segments(paths: &[&str]) -> Option<String> {
    let mut segments: Vec<&str> = Vec::new();
    for segment in paths.iter().flat_map(|path| path.split('/')) {
        match percent_decode(segment).as_slice() {
            b"" | b"." => {}
            b".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    (!segments.is_empty()).then(|| segments.join("/"))
}

/// Percent-encodes what may not stand raw in a path; existing escapes stay as they are.
fn encode_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    encode(path, |character| character == '/' || is_segment_char(character), &mut out);
    out
}

/// Writes `text` with all characters percent-encoded but those that may stand raw.
fn encode(text: &str, may_stand: impl Fn(char) -> bool, out: &mut String) {
    for character in text.chars() {
        if may_stand(character) {
            out.push(character);
        } else {
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                push_escape(byte, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(text: &str) -> Result<&str, UriError> {
        SkillUri::parse(text).map(|uri| uri.name())
    }

    #[test]
    fn a_skill_uri_is_split_as_text() {
        assert_eq!(skill("skill://code-review/SKILL.md"), Ok("code-review"));
        assert_eq!(skill("github://owner/repo/skills/refunds/SKILL.md"), Ok("refunds"));
        assert_eq!(skill("SKILL://Acme/Refunds/SKILL.md"), Ok("Refunds"));
        let uri = SkillUri::parse("skill://code-review/SKILL.md").unwrap();
        assert_eq!((uri.prefix(), uri.root()), ("", "skill://code-review"));
    }

    #[test]
    fn malformed_uris_have_a_reason() {
        assert_eq!(skill("code-review/SKILL.md"), Err(UriError::NoScheme));
        assert_eq!(skill("skill://SKILL.md"), Err(UriError::NoSkillPath));
        assert_eq!(skill("skill:///SKILL.md"), Err(UriError::EmptySegment));
        assert_eq!(skill("skill://a//b/SKILL.md"), Err(UriError::EmptySegment));
        assert_eq!(skill("skill://a/SKILL.md/"), Err(UriError::EmptySegment));
        assert_eq!(skill("skill://a/../b/SKILL.md"), Err(UriError::DotSegment));
        assert_eq!(skill("skill://a/%2e%2E/b/SKILL.md"), Err(UriError::DotSegment));
        assert_eq!(skill("skill://a/SKILL.md?x"), Err(UriError::QueryOrFragment));
        assert_eq!(skill("skill://a/SKILL.md#x"), Err(UriError::QueryOrFragment));
        assert_eq!(skill("skill://a/%zz/SKILL.md"), Err(UriError::BadPercent));
        assert_eq!(skill("skill://a/%00/SKILL.md"), Err(UriError::ControlCharacter));
        assert_eq!(skill("skill://a/skill.md"), Err(UriError::NotSkillMd));
        assert_eq!(skill("skill://index.json"), Err(UriError::NotSkillMd));
    }

    #[test]
    fn unusual_uris_have_notes() {
        let notes = |text| Uri::parse(text).unwrap().notes();
        assert_eq!(notes("skill://acme/refunds/SKILL.md"), []);
        assert_eq!(notes("file://acme/x"), [UriNote::OtherScheme]);
        assert_eq!(notes("Skill://acme/x"), [UriNote::SchemeCase]);
        assert_eq!(notes("skill://my tools/x"), [UriNote::NotRegName]);
        assert_eq!(notes("skill://acme/a b"), [UriNote::RawCharacter]);
        assert_eq!(notes("skill://acme/a%2Fb"), [UriNote::EncodedSeparator]);
        assert_eq!(notes("skill://acme/a%5Cb"), [UriNote::EncodedSeparator]);
    }

    #[test]
    fn containment_is_by_whole_segments() {
        let uri = SkillUri::parse("skill://acme/refunds/SKILL.md").unwrap();
        assert_eq!(uri.file_path("skill://acme/refunds/a/b.md"), Ok("a/b.md"));
        assert_eq!(uri.file_path("skill://acme/refunds/SKILL.md"), Ok("SKILL.md"));
        assert_eq!(uri.file_path("skill://acme/refunds"), Err(Outside::Elsewhere));
        assert_eq!(uri.file_path("skill://acme/refunds-old/x"), Err(Outside::Elsewhere));
        assert_eq!(uri.file_path("SKILL://acme/refunds/x"), Err(Outside::Elsewhere));
        for sly in ["/../x", "/%2e%2e/x", "/a/..", "//x", "/x?y", "/x#y", "/"] {
            let uri_text = format!("skill://acme/refunds{sly}");
            assert!(matches!(uri.file_path(&uri_text), Err(Outside::Malformed(_))), "{uri_text}");
        }
    }

    #[test]
    fn spellings_of_one_file_are_told_from_other_files() {
        for (a, b) in [("a b", "a%20b"), ("%c3%bc", "ü"), ("%61", "a"), ("%zz", "%25zz")] {
            assert!(same_after_decoding(a, b), "{a} {b}");
        }
        for (a, b) in [("a/b", "a%2Fb"), ("a", "A"), ("%252e", "%2e"), ("ü", "u\u{308}")] {
            assert!(!same_after_decoding(a, b), "{a} {b}");
        }
    }

    #[test]
    fn references_resolve_against_the_root() {
        let uri = SkillUri::parse("skill://code-review/SKILL.md").unwrap();
        let file = |text: &str| Reference::File { uri: text.to_owned(), fragment: None };
        assert_eq!(uri.resolve("references/a.md"), file("skill://code-review/references/a.md"));
        assert_eq!(uri.resolve("my notes/plan.md"), file("skill://code-review/my%20notes/plan.md"));
        assert_eq!(
            uri.resolve_from("references/a.md", "../b.md"),
            file("skill://code-review/b.md")
        );
        assert_eq!(uri.resolve("#top"), Reference::Here { fragment: Some("top".into()) });
        assert_eq!(uri.resolve("../../x"), Reference::Outside { uri: None });
        assert_eq!(uri.resolve("../x"), Reference::Outside { uri: Some("skill://x".into()) });
        assert_eq!(uri.resolve("%2e%2e/x"), Reference::Outside { uri: Some("skill://x".into()) });
        assert_eq!(uri.resolve("/x"), Reference::Outside { uri: Some("skill://x".into()) });
        for external in ["javascript:alert(1)", "https://example.org/x?y#z"] {
            assert_eq!(uri.resolve(external), Reference::External { uri: external.into() });
        }
        assert_eq!(
            uri.resolve("//evil.example/x"),
            Reference::Outside { uri: Some("skill://evil.example/x".into()) }
        );
        assert_eq!(uri.resolve("//code-review/a"), file("skill://code-review/a"));
        assert!(matches!(uri.resolve("a//b"), Reference::Malformed { .. }));
        assert!(matches!(uri.resolve("a%zz"), Reference::Malformed { .. }));
    }
}
