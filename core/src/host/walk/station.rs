//! The stations of the message flow, and what a host has to do at each.

use crate::finding::{Level, Section};

/// A station of the message flow, in its order. A walk need not come to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Station {
    /// The server says what it offers.
    Discover,
    /// The skill's entry is learned of, with a listing.
    List,
    /// The entry is looked up, where none is known that is fresh.
    Get,
    /// A person is asked.
    Approve,
    /// `SKILL.md` is read and verified, and goes to the model.
    Load,
    /// The model wants a supporting file.
    Read,
    /// The files change on the server.
    Change,
    /// What came is not what was promised.
    Refuse,
    /// The skill is looked up again.
    Refresh,
    /// A person is asked again.
    ApproveAgain,
    /// The skill is loaded as it is now.
    LoadAgain,
}

/// Something a host has to do, in our words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duty {
    /// How strongly the specification words it.
    pub level: Level,
    /// What to do, as one sentence.
    pub text: &'static str,
    /// Where the specification says so.
    pub section: Section,
}

impl Station {
    /// Every station.
    pub const ALL: [Self; 11] = [
        Self::Discover,
        Self::List,
        Self::Get,
        Self::Approve,
        Self::Load,
        Self::Read,
        Self::Change,
        Self::Refuse,
        Self::Refresh,
        Self::ApproveAgain,
        Self::LoadAgain,
    ];

    /// What it is called.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Discover => "Discover the server",
            Self::List => "Find the skill",
            Self::Get => "Look it up",
            Self::Approve => "Ask a person",
            Self::Load => "Load SKILL.md",
            Self::Read => "Read a file",
            Self::Change => "The server changes",
            Self::Refuse => "Refuse the content",
            Self::Refresh => "Look it up again",
            Self::ApproveAgain => "Ask again",
            Self::LoadAgain => "Load it again",
        }
    }

    /// What happens there, in one or two sentences.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Discover => "The server declares which extensions it offers.",
            Self::List => {
                "A listing brings entries: name, description and, for each file, its size and SHA-256. No file is read."
            }
            Self::Get => {
                "A listed entry is complete. Only where a host has nothing but a URI, or where what it has is no longer fresh, it asks skills/get."
            }
            Self::Approve => {
                "Before anything of the skill is read, a person sees where it comes from, what it consists of and what it asks for."
            }
            Self::Load => {
                "Now the first file is read. The entry it is checked against is kept for as long as the instructions are in the model's context."
            }
            Self::Read => {
                "The instructions name other files, and the model asks for one when it needs it. The host reads it within the entry that it kept."
            }
            Self::Change => {
                "Somebody edits the skill. A host is not told; what it knows of the skill is what its entry says."
            }
            Self::Refuse => {
                "What was read is not what the entry promises, so the model does not get it."
            }
            Self::Refresh => {
                "The entry and the bytes are not of one time. The host closes the load and asks skills/get for the entry of now."
            }
            Self::ApproveAgain => {
                "An approval is of files with these digests and of nothing else, so the old one has ended."
            }
            Self::LoadAgain => {
                "The skill is loaded as it is now, with the entry that was just approved."
            }
        }
    }

    /// What a host has to do there.
    pub fn duties(self) -> impl Iterator<Item = Duty> {
        let duty = |(level, text, section): &(Level, &'static str, Section)| Duty {
            level: *level,
            text,
            section: *section,
        };
        self.rules().iter().map(duty)
    }

    const fn rules(self) -> &'static [(Level, &'static str, Section)] {
        use Level::{Must, Should};
        use Section::{
            Capabilities, FrontmatterVerification, RelativeReferences, Resources, Security,
            SkillsGet, SkillsList, Verification,
        };
        match self {
            Self::Discover => &[
                (
                    Must,
                    "Know the server by a label of its own, never by the name that the server gives itself.",
                    Security,
                ),
                (
                    Must,
                    "Ask for directories only where the server declares directoryRead.",
                    Capabilities,
                ),
            ],
            Self::List => &[
                (
                    Must,
                    "Conclude nothing from what a listing leaves out: a skill may be served and not listed.",
                    SkillsList,
                ),
                (
                    Must,
                    "Tell skills apart by server and URI. A name is a label; no skill silently takes another's place.",
                    Security,
                ),
                (
                    Must,
                    "Load no entry whose resources is neither a list of files nor \"dynamic\".",
                    Resources,
                ),
            ],
            Self::Get => &[
                (Must, "Be able to load a skill of which it has the URI only.", SkillsGet),
                (Must, "Stop where the server does not know the skill (-32602).", SkillsGet),
            ],
            Self::Approve => &[
                (
                    Must,
                    "Bind an approval that is kept to the complete set of file URIs and digests.",
                    Verification,
                ),
                (
                    Must,
                    "Grant nothing the skill asks for, such as allowed-tools, unless a person says so for this skill.",
                    Security,
                ),
                (Must, "Read no file ahead of need.", Verification),
                (
                    Should,
                    "Show which server it comes from, and let the person look at it before it is loaded.",
                    Security,
                ),
            ],
            Self::Load => &[
                (
                    Must,
                    "Check size and SHA-256 of the bytes before anything of them is used.",
                    Verification,
                ),
                (
                    Must,
                    "Compare the frontmatter of the file with the entry's, field by field.",
                    FrontmatterVerification,
                ),
                (
                    Must,
                    "Tell the model which server the text comes from, and treat it as untrusted input: a digest is no reason to trust it.",
                    Security,
                ),
            ],
            Self::Read => &[
                (
                    Must,
                    "Read only files that the kept entry lists, and only from the server of the skill.",
                    Verification,
                ),
                (Must, "Resolve references against the root of the skill.", RelativeReferences),
                (Must, "Check size and SHA-256 of every file before it is used.", Verification),
            ],
            Self::Change => &[(
                Must,
                "Go on checking what it reads against the entry that the skill was loaded from.",
                Verification,
            )],
            Self::Refuse => &[
                (
                    Must,
                    "Use nothing of content that fails. A wrong size counts as much as a wrong digest.",
                    Verification,
                ),
                (
                    Must,
                    "Take a file that the kept entry does not list for a failure too, even where a directory of the server has it.",
                    Verification,
                ),
            ],
            Self::Refresh => &[
                (Must, "Read nothing more for the entry that was kept.", Verification),
                (Must, "End an approval when a file was added, removed or changed.", Verification),
            ],
            Self::ApproveAgain => &[
                (
                    Must,
                    "Have a person approve again before anything is loaded or run.",
                    Verification,
                ),
                (
                    Should,
                    "Show the skill as one that has changed and needs approval again.",
                    Verification,
                ),
            ],
            Self::LoadAgain => &[(
                Must,
                "Check everything again, against the new entry: nothing of the earlier load counts.",
                Verification,
            )],
        }
    }
}
