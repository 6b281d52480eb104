//! Findings: what is wrong, how much it matters, where it stands, why, and how to mend it.

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

/// The section of a specification that holds a rule.
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
/// Texts that come from a server are bounded and have their hidden characters escaped, so every
/// field can be shown as it is.
///
/// ```
/// use skillglass::finding::{Finding, Level, Section};
/// let finding = Finding::must("entry-uri-required", Section::Entries, "the entry has no uri")
///     .pointer("/uri")
///     .repair("add the URI of the skill's SKILL.md");
/// assert_eq!(finding.level, Level::Must);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule's stable id; the official conformance suite's where it has one.
    pub id: &'static str,
    /// How strongly the rule is worded.
    pub level: Level,
    /// What is wrong, as a sentence about this server.
    pub message: String,
    /// Where the rule stands.
    pub section: Section,
    /// The place in the entry or result, as a JSON pointer.
    pub pointer: Option<String>,
    /// The place in the file.
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

    /// Adds the JSON pointer of the place.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
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

/// How many characters of a server's text a sentence quotes.
pub const MAX_QUOTE: usize = 160;

/// A server's text for use in a sentence: in quotes, bounded to [`MAX_QUOTE`] characters, control,
/// zero-width and direction characters escaped.
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
    let mut characters = message.chars();
    let first = characters.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().chain(characters).collect();
    if !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

/// Whether a person would not see `character`, or not see it as what it is: control and format
/// characters, direction overrides, zero-width, tag and unassigned ones. Line feed, tab and the
/// plain blank are not hidden in running text; sentences escape the first two as well.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}
