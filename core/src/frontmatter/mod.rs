//! The YAML frontmatter of a `SKILL.md`: where it is, what it says, what is odd about it.
//!
//! Sources: *Skill Format* of Agent Skills and the extension's *Frontmatter Verification*. No text
//! names a YAML version; this crate reads YAML 1.2 with the core schema and explains what a 1.1
//! reader would have made of a value.

mod compare;
mod explain;
mod fence;
mod format;

use std::fmt;

use serde::Serialize;

pub use compare::{Comparison, Difference, FieldComparison, FieldOutcome, Side, compare};
pub use explain::Explanation;
pub use fence::UnclosedHint;
pub(crate) use format::check_entry_format;
pub use format::{MAX_COMPATIBILITY, MAX_DESCRIPTION, check_file_format};

use crate::source::Span;
use crate::value::Node;
use crate::yaml;
use fence::Fences;

/// A `SKILL.md` whose frontmatter could be read. All spans count from the start of the file.
///
/// That it could be read does not make it right: [`check_file_format`] has the format's rules,
/// [`compare`] sets it beside the entry's copy.
#[derive(Clone, Debug)]
pub struct Frontmatter {
    /// The mapping between the fences.
    pub root: Node<'static>,
    /// The YAML text, without the fences, with the line break before the closing one.
    pub yaml: Span,
    /// Everything behind the closing fence: the instructions.
    pub body: Span,
    /// What readers treat differently: about the fences, then about the YAML, each in file order.
    pub notes: Vec<Note>,
}

impl Frontmatter {
    /// Reads the frontmatter of a file's bytes.
    ///
    /// The opening `---` is the first line, the closing one the next line that is `---`; blanks and
    /// tabs behind either, and one byte order mark in front, are accepted with a note. The YAML is
    /// bounded by the limits of [`yaml`], the body by nothing.
    ///
    /// # Errors
    /// See [`FrontmatterErrorKind`]; [`FrontmatterErrorKind::is_reader_limit`] tells what proves
    /// nothing against the file.
    ///
    /// ```
    /// use skillglass::frontmatter::{Frontmatter, FrontmatterErrorKind};
    /// let file = "---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n";
    /// let frontmatter = Frontmatter::read(file.as_bytes()).unwrap();
    /// assert_eq!(frontmatter.root.get("name").unwrap().as_str(), Some("tidy"));
    /// assert_eq!(frontmatter.body.of(file), "# Tidy\n");
    ///
    /// let late = Frontmatter::read(b"\n---\nname: tidy\n---\n").unwrap_err();
    /// assert_eq!(late.kind, FrontmatterErrorKind::LateOpening);
    /// assert_eq!(late.kind.repair(), Some("delete everything in front of the opening \"---\""));
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Self, FrontmatterError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            FrontmatterError { kind: FrontmatterErrorKind::NotUtf8, span: Span::new(at, at + 1) }
        })?;
        let fences = Fences::find(text)?;
        let document = yaml::read_within(text, fences.yaml).map_err(|error| FrontmatterError {
            kind: FrontmatterErrorKind::Yaml(error.kind),
            span: error.span,
        })?;
        let Some(root) = document.root else {
            return Err(FrontmatterError { kind: FrontmatterErrorKind::Empty, span: fences.yaml });
        };
        if root.as_object().is_none() {
            let kind = FrontmatterErrorKind::NotMapping(root.kind());
            return Err(FrontmatterError { kind, span: root.span });
        }
        let mut notes = fences.notes;
        notes.extend(
            document
                .notes
                .into_iter()
                .map(|note| Note { kind: NoteKind::Yaml(note.kind), span: note.span }),
        );
        Ok(Self { root, yaml: fences.yaml, body: fences.body, notes })
    }
}

/// Something in a file that readers are known to treat differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoteKind {
    /// The file begins with a byte order mark; many readers then see no frontmatter.
    ByteOrderMark,
    /// White space follows the opening `---`.
    SpaceAfterOpening,
    /// White space follows the closing `---`.
    SpaceAfterClosing,
    /// Lines end with a lone carriage return; the span is the first.
    LoneCarriageReturn,
    /// A note about the YAML text.
    #[serde(untagged)]
    Yaml(yaml::NoteKind),
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByteOrderMark => {
                "the file begins with a byte order mark; many hosts see no frontmatter behind it"
            }
            Self::SpaceAfterOpening => {
                "white space follows the opening \"---\"; some readers want it alone"
            }
            Self::SpaceAfterClosing => {
                "white space follows the closing \"---\"; some readers want it alone"
            }
            Self::LoneCarriageReturn => {
                "lines end with a lone carriage return, which many readers do not take as a line end"
            }
            Self::Yaml(yaml::NoteKind::NonStringKey) => {
                "a key is not a string; JSON has string names only"
            }
            Self::Yaml(yaml::NoteKind::MergeKey) => {
                "\"<<\" is an ordinary key in YAML 1.2, but many readers merge it away"
            }
            Self::Yaml(yaml::NoteKind::OldReading) => {
                "a YAML 1.1 reader takes this value for something else; quotes make it safe"
            }
            Self::Yaml(yaml::NoteKind::NonFinite) => {
                "JSON cannot carry this number, so no entry can be identical to the file"
            }
            Self::Yaml(yaml::NoteKind::ReaderAllowance) => {
                "YAML 1.2 allows this, but some readers refuse it"
            }
        })
    }
}

/// Why a file has no readable frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterError {
    /// What is wrong.
    pub kind: FrontmatterErrorKind,
    /// Where, from the start of the file. [`problem`](crate::verify::problem) gives line and
    /// column.
    pub span: Span,
}

impl fmt::Display for FrontmatterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for FrontmatterError {}

/// The kinds of [`FrontmatterError`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FrontmatterErrorKind {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The file does not begin with `---`.
    Missing,
    /// A `---` comes, but after white space; the span is that white space.
    LateOpening,
    /// No line `---` closes it.
    Unclosed(UnclosedHint),
    /// The text between the fences holds no value.
    Empty,
    /// The text between the fences is no mapping but this, in the words of [`Node::kind`].
    NotMapping(&'static str),
    /// The text between the fences is not YAML, or breaks a rule of this reader.
    Yaml(yaml::YamlErrorKind),
}

impl FrontmatterErrorKind {
    /// Whether only this reader's limits stopped it, so that nothing is proved against the file.
    #[must_use]
    pub const fn is_reader_limit(&self) -> bool {
        matches!(self, Self::Yaml(kind) if kind.is_reader_limit())
    }

    /// What to change, in words for the author of the file.
    #[must_use]
    pub const fn repair(&self) -> Option<&'static str> {
        match self {
            Self::NotUtf8 => Some("save the file as UTF-8"),
            Self::Missing => Some("begin the file with a line \"---\", then name and description"),
            Self::LateOpening => Some("delete everything in front of the opening \"---\""),
            Self::Unclosed(_) => Some("close the frontmatter with a line that is exactly \"---\""),
            Self::Empty | Self::NotMapping(_) => {
                Some("write \"name: …\" and \"description: …\" between the fences")
            }
            Self::Yaml(kind) => kind.repair(),
        }
    }
}

impl fmt::Display for FrontmatterErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the bytes are not valid UTF-8"),
            Self::Missing => f.write_str("the file does not begin with \"---\""),
            Self::LateOpening => f.write_str("white space stands before the opening \"---\""),
            Self::Unclosed(hint) => write!(f, "no line \"---\" closes the frontmatter{hint}"),
            Self::Empty => f.write_str("the frontmatter is empty"),
            Self::NotMapping(kind) => write!(f, "the frontmatter is {kind} instead of fields"),
            Self::Yaml(kind) => kind.fmt(f),
        }
    }
}
