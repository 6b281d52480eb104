//! Findings: what is wrong, how much it matters, where it stands, why, and how to mend it; and the
//! two functions that make a server's text safe to show, [`quote`] and [`excerpt`].

use std::fmt;

use serde::Serialize;

use crate::source::{LineIndex, Position, Span};

/// How strongly the specification words the rule that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A MUST, MUST NOT or REQUIRED was broken.
    Must,
    /// A SHOULD or SHOULD NOT was broken.
    Should,
    /// Nothing was broken; readers or hosts are known to differ here.
    Note,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Note => "NOTE",
        })
    }
}

/// The section of a specification that holds a rule. Serialised as `{ "title": …, "url": … }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Extension: how a skill's files map to URIs.
    ResourceMapping,
    /// Extension: metadata of the `SKILL.md` resource.
    ResourceMetadata,
    /// Extension: capability declaration.
    Capabilities,
    /// Extension: the members of a skill entry.
    Entries,
    /// Extension: the manifest in `resources`.
    Resources,
    /// Extension: limits on files and bytes.
    Limits,
    /// Extension: `skills/list`.
    SkillsList,
    /// Extension: `skills/get`.
    SkillsGet,
    /// Extension: `resources/directory/read`.
    Directories,
    /// Extension: checks on bytes that were read.
    Verification,
    /// Extension: frontmatter of the file against the entry's.
    FrontmatterVerification,
    /// Extension: references in a skill's text.
    RelativeReferences,
    /// Extension: what hosts must guard against.
    Security,
    /// Extension: error codes.
    Errors,
    /// Agent Skills format: the `SKILL.md` file.
    SkillFormat,
    /// Base protocol: results and caching.
    BaseProtocol,
    /// Base protocol: `resources/read`.
    ReadingResources,
}

impl Section {
    /// The section's title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ResourceMapping => "Resource Mapping",
            Self::ResourceMetadata => "Resource Metadata",
            Self::Capabilities => "Capabilities",
            Self::Entries => "Skill Entries",
            Self::Resources => "Resources",
            Self::Limits => "Limits",
            Self::SkillsList => "Listing Skills",
            Self::SkillsGet => "Getting a Skill",
            Self::Directories => "Reading Directories",
            Self::Verification => "Integrity and Verification",
            Self::FrontmatterVerification => "Frontmatter Verification",
            Self::RelativeReferences => "Relative References",
            Self::Security => "Security Considerations",
            Self::Errors => "Error Handling",
            Self::SkillFormat => "Agent Skills format",
            Self::BaseProtocol => "MCP base protocol",
            Self::ReadingResources => "Reading Resources",
        }
    }

    /// The page that holds the section.
    #[must_use]
    pub const fn url(self) -> &'static str {
        match self {
            Self::SkillFormat => "https://agentskills.io/specification",
            Self::BaseProtocol => "https://modelcontextprotocol.io/specification/2026-07-28/basic",
            Self::ReadingResources => {
                "https://modelcontextprotocol.io/specification/2026-07-28/server/resources"
            }
            _ => {
                "https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx"
            }
        }
    }
}

impl Serialize for Section {
    /// As `{ "title": …, "url": … }`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut section = serializer.serialize_struct("Section", 2)?;
        section.serialize_field("title", self.title())?;
        section.serialize_field("url", self.url())?;
        section.end()
    }
}

/// One statement about what a server sent, with its evidence.
///
/// In the findings of this crate, texts that come from a server are bounded and have their hidden
/// characters escaped, so every field can be shown as it is. Who makes one of his own passes such
/// texts through [`quote`] or [`excerpt`] first; [`Finding::pointer`] does so itself.
///
/// ```
/// use skillglass::finding::{Finding, Level, Section};
/// let finding = Finding::must("entry-uri-required", Section::Entries, "the entry has no uri")
///     .pointer("/uri")
///     .repair("add the URI of the skill's SKILL.md");
/// assert_eq!(finding.level, Level::Must);
///
/// let sound = r#"{"uri":"skill://a/SKILL.md","resources":"dynamic",
///   "frontmatter":{"name":"a","description":"b"}}"#;
/// assert!(!skillglass::entry::read(sound).findings.contains(&finding));
/// let findings = skillglass::entry::read(&sound.replace("uri", "url")).findings;
/// assert_eq!((findings[0].id, findings[0].level), (finding.id, finding.level));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule's stable id; the official conformance suite's where it has one.
    pub id: &'static str,
    /// How strongly the rule is worded.
    pub level: Level,
    /// What is wrong, as a clause about this server, without a capital or a full stop.
    pub message: String,
    /// Where the rule stands.
    pub section: Section,
    /// The place in the entry or result, as a JSON pointer (RFC 6901): of at most [`MAX_POINTER`]
    /// characters, hidden ones escaped.
    pub pointer: Option<String>,
    /// The first place in the file.
    pub position: Option<Position>,
    /// The place in the file as bytes.
    pub span: Option<Span>,
    /// What was promised or demanded.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// Why, where it can be proved.
    pub cause: Option<String>,
    /// What to change.
    pub repair: Option<String>,
}

impl Finding {
    /// A broken MUST.
    #[must_use]
    pub fn must(id: &'static str, section: Section, message: impl Into<String>) -> Self {
        Self::new(id, Level::Must, section, message)
    }

    /// A broken SHOULD.
    #[must_use]
    pub fn should(id: &'static str, section: Section, message: impl Into<String>) -> Self {
        Self::new(id, Level::Should, section, message)
    }

    /// Something worth knowing.
    #[must_use]
    pub fn note(id: &'static str, section: Section, message: impl Into<String>) -> Self {
        Self::new(id, Level::Note, section, message)
    }

    /// A finding without evidence yet.
    #[must_use]
    pub fn new(
        id: &'static str,
        level: Level,
        section: Section,
        message: impl Into<String>,
    ) -> Self {
        Self {
            id,
            level,
            message: message.into(),
            section,
            pointer: None,
            position: None,
            span: None,
            expected: None,
            actual: None,
            cause: None,
            repair: None,
        }
    }

    /// Adds the JSON pointer of the place, made safe to show: names in it are a server's.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(excerpt(&pointer.into(), MAX_POINTER));
        self
    }

    /// Adds the place in the file that `lines` indexes.
    #[must_use]
    pub fn at(mut self, span: Span, lines: &LineIndex<'_>) -> Self {
        self.span = Some(span);
        self.position = Some(lines.position(span.start));
        self
    }

    /// Adds both sides of a difference.
    #[must_use]
    pub fn sides(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }

    /// Adds what came.
    #[must_use]
    pub fn actual(mut self, actual: impl Into<String>) -> Self {
        self.actual = Some(actual.into());
        self
    }

    /// Adds a proved cause.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Adds the repair.
    #[must_use]
    pub fn repair(mut self, repair: impl Into<String>) -> Self {
        self.repair = Some(repair.into());
        self
    }
}

/// Findings of one text, which may be wrong in one way as often as its sender likes: of each kind
/// only so many are kept, and the last of them says where there are more.
pub(crate) struct Bounded {
    limit: usize,
    findings: Vec<Finding>,
    kinds: Vec<Kind>,
}

/// The findings of one id and level.
struct Kind {
    id: &'static str,
    level: Level,
    kept: usize,
    /// The place of the last one kept.
    last: usize,
    more: bool,
}

impl Bounded {
    /// Keeps `limit` findings of each kind.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, findings: Vec::new(), kinds: Vec::new() }
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        let Finding { id, level, .. } = finding;
        let last = self.findings.len();
        match self.kinds.iter_mut().find(|kind| (kind.id, kind.level) == (id, level)) {
            None => self.kinds.push(Kind { id, level, kept: 1, last, more: false }),
            Some(kind) if kind.kept < self.limit => {
                kind.kept += 1;
                kind.last = last;
            }
            Some(kind) => {
                if !kind.more {
                    kind.more = true;
                    self.findings[kind.last].message.push_str("; there is more of the same");
                }
                return;
            }
        }
        self.findings.push(finding);
    }

    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.findings
    }
}

/// How many characters of a server's text a sentence quotes.
pub const MAX_QUOTE: usize = 160;

/// How many characters of a JSON pointer a [`Finding`] shows.
pub const MAX_POINTER: usize = 500;

/// A server's text for use in a sentence: in quotes, bounded to [`MAX_QUOTE`] characters, hidden
/// ones escaped as in [`excerpt`].
///
/// ```
/// use skillglass::finding::quote;
/// assert_eq!(quote("a\u{202e}b"), "\"a\\u{202e}b\"");
/// assert!(quote(&"x".repeat(1000)).ends_with("…\""));
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    format!("\"{}\"", excerpt(text, MAX_QUOTE))
}

/// The first `limit` characters of a server's text, hidden ones escaped, with `…` where it was cut.
///
/// An escape counts as the character it stands for, so the result may have up to nine times as many.
/// Quotes and backslashes stay as they are: the result is for eyes, not for a parser.
///
/// ```
/// use skillglass::finding::excerpt;
/// assert_eq!(excerpt("plain text", 80), "plain text");
/// assert_eq!(excerpt("line 1\nline 2", 80), r"line 1\nline 2");
/// assert_eq!(excerpt("pay\u{200b}pal", 4), r"pay\u{200b}…");
/// ```
#[must_use]
pub fn excerpt(text: &str, limit: usize) -> String {
    // Most texts are short and plain.
    if text.len() <= limit && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(limit));
    for (count, character) in text.chars().enumerate() {
        if count == limit {
            out.push('…');
            break;
        }
        if character == '"' || character == '\'' || !is_hidden(character) {
            out.push(character);
        } else {
            // Not escape_debug: it takes the fillers U+115F, U+3164 and U+FFA0 for printable.
            out.extend(character.escape_default());
        }
    }
    out
}

/// A message as a sentence: a capital in front, a full stop behind.
pub(crate) fn sentence(message: &str) -> String {
    let mut sentence = message.to_owned();
    // Messages are English.
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

/// Whether a person would not see `character`, or not see it as what it is.
///
/// That is: control characters, what Unicode calls default ignorable (direction marks, zero-width
/// characters, fillers, selectors, tags), separators of lines and paragraphs, annotation marks. Line
/// feed, carriage return and tab are control characters; who judges running text leaves them out.
///
/// ```
/// use skillglass::finding::is_hidden;
/// assert!(!is_hidden('a') && !is_hidden(' ') && !is_hidden('\u{a0}'));
/// assert!(is_hidden('\u{202e}') && is_hidden('\u{e0041}') && is_hidden('\n'));
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_may_be_made_any_number_of_times() {
        let mut findings = Bounded::new(2);
        findings.extend(
            ["a", "b", "a", "c", "a", "a"]
                .map(|id| Finding::must(id, Section::Entries, format!("it is {id}"))),
        );
        findings.push(Finding::should("a", Section::Entries, "it is a as well"));
        let messages: Vec<_> = findings.into_vec().into_iter().map(|found| found.message).collect();
        let last = "it is a; there is more of the same";
        assert_eq!(messages, ["it is a", "it is b", last, "it is c", "it is a as well"]);
    }

    #[test]
    fn names_of_a_server_cannot_hide_in_a_pointer() {
        let finding = Finding::note("x", Section::Entries, "y");
        let sly =
            finding.clone().pointer(format!("/frontmatter/\u{1b}[2J\u{202e}{}", "x".repeat(999)));
        let pointer = sly.pointer.unwrap();
        assert!(pointer.starts_with(r"/frontmatter/\u{1b}[2J\u{202e}x") && pointer.ends_with("x…"));
        assert_eq!(finding.pointer("/a~1b/é").pointer.as_deref(), Some("/a~1b/é"));
    }

    #[test]
    fn every_character_that_nobody_sees_is_hidden() {
        let hidden = "\0\n\u{85}\u{ad}\u{34f}\u{61c}\u{115f}\u{17b4}\u{180b}\u{180e}\u{180f}\u{200b}\u{200f}\
            \u{2028}\u{202e}\u{2060}\u{2066}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1bca0}\u{1d173}\
            \u{e0001}\u{e0041}\u{e0100}\u{e0fff}";
        assert_eq!(hidden.chars().find(|c| !is_hidden(*c)), None);
        assert_eq!(
            "a é\u{a0}\u{2003}日\u{301}\u{600}\u{fffd}😀".chars().find(|c| is_hidden(*c)),
            None
        );
    }
}
