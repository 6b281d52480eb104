//! What checks are about, and what they can come to.

use serde::Serialize;

/// The kinds of things that keep or break rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// The server as a whole.
    Server,
    /// A method of the protocol, over all exchanges of it.
    Method,
    /// A skill, by the URI of its `SKILL.md`.
    Skill,
    /// A file, by its URI.
    File,
    /// A directory, by its URI.
    Directory,
}

impl SubjectKind {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 5] =
        [Self::Server, Self::Method, Self::Skill, Self::File, Self::Directory];

    /// The word for it, as a report has it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Method => "method",
            Self::Skill => "skill",
            Self::File => "file",
            Self::Directory => "directory",
        }
    }
}

/// The thing that one outcome of a check is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Subject {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its URI, or the method's name, exactly as sent; empty for the server.
    pub name: String,
}

impl Subject {
    /// The server.
    #[must_use]
    pub const fn server() -> Self {
        Self { kind: SubjectKind::Server, name: String::new() }
    }

    /// A method.
    #[must_use]
    pub fn method(name: &str) -> Self {
        Self { kind: SubjectKind::Method, name: name.to_owned() }
    }

    /// A skill.
    #[must_use]
    pub fn skill(uri: &str) -> Self {
        Self { kind: SubjectKind::Skill, name: uri.to_owned() }
    }

    /// A file.
    #[must_use]
    pub fn file(uri: &str) -> Self {
        Self { kind: SubjectKind::File, name: uri.to_owned() }
    }

    /// A directory.
    #[must_use]
    pub fn directory(uri: &str) -> Self {
        Self { kind: SubjectKind::Directory, name: uri.to_owned() }
    }
}

/// What a check came to. Of two outcomes for one subject the greater one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// There was nothing to test; the reason says why.
    NotApplicable,
    /// The rule is kept.
    Pass,
    /// It is not known whether the rule is kept; the reason says why. Never a pass.
    Untested,
    /// A SHOULD is not followed, or a hint says that something is unusual.
    Warn,
    /// A MUST is broken.
    Fail,
}

impl Outcome {
    /// All of them, the gravest first, as a report shows them.
    pub const ALL: [Self; 5] =
        [Self::Fail, Self::Warn, Self::Untested, Self::Pass, Self::NotApplicable];

    /// The word for it, as a report has it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotApplicable => "not-applicable",
            Self::Pass => "pass",
            Self::Untested => "untested",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}
