//! The members of an entry beside its manifest.

use super::{Check, SKILL};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Suite::{Beyond, Checked};
use crate::finding::Level::{Must, Should};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Entries),
        "entry-shape",
        "Entries are objects",
        "An entry is no object",
        "Hosts cannot read it.",
        "Send each entry as an object with uri, frontmatter and resources.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Entries),
        "entry-duplicate-member",
        "No member of an entry occurs twice",
        "A member occurs twice in one object",
        "Readers keep different ones, so two hosts see two entries.",
        "Send each member once.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Entries),
        "entry-not-unicode",
        "Entries are valid Unicode",
        "An entry holds half a surrogate pair",
        "Such text has no bytes; readers refuse the whole page or replace it.",
        "Do not cut strings inside of a character.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Entries),
        "entry-uri-required",
        "Entries have a uri",
        "An entry has no uri",
        "Without it nothing can be read or identified.",
        "Add the URI of the skill's SKILL.md.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::ResourceMapping),
        "entry-uri-form",
        "The uri is that of a SKILL.md",
        "The uri is not that of a SKILL.md",
        "Hosts derive the skill's name, root and files from it.",
        "Send scheme://path/name/SKILL.md, without query, fragment, empty or dot segments.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Entries),
        "entry-frontmatter-required",
        "Entries carry name and description",
        "An entry has no frontmatter with name and description",
        "They are what a model chooses a skill by.",
        "Send every field of the file's frontmatter as one object.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "entry-resources-required",
        "resources is an array or \"dynamic\"",
        "resources is neither an array nor \"dynamic\"",
        "Hosts must not load such an entry.",
        "List every file of the skill, or send \"dynamic\" where content is generated.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "entry-uri-matches-frontmatter-name",
        "The uri ends in the skill's name",
        "The uri does not end in the skill's name",
        "A skill whose two names differ is refused, or shown as another one.",
        "Give the directory, the URI and the frontmatter one name.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "name-naming-rules",
        "The name in the uri keeps the naming rules",
        "The name in the uri breaks the naming rules",
        "Hosts use names as commands and directory names.",
        "Use 1 to 64 of a-z, 0-9 and single hyphens inside.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "skill-uri-scheme",
        "Skills use the scheme skill://",
        "A skill uses another scheme than skill://",
        "Other schemes are allowed, but people recognise skills by this one.",
        "Serve skills under skill:// unless the files live under another scheme anyway.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "authority-reg-name",
        "The first segment is a registered name (RFC 3986)",
        "The first segment is no registered name (RFC 3986)",
        "URI libraries take it for a host and change or refuse it.",
        "Use letters, digits and - . _ ~ ! $ & ' ( ) * + , ; = in it; percent-encode the others.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::ResourceMapping),
        "uri-prefix-segments",
        "The other segments are valid path segments (RFC 3986)",
        "A segment is no valid path segment (RFC 3986)",
        "URI libraries encode such characters, and the text no longer matches.",
        "Percent-encode what RFC 3986 does not allow in a segment.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::ResourceMapping),
        "uri-scheme-case",
        "The scheme is in lower case",
        "The scheme has upper-case letters",
        "URIs are compared as text, and libraries lower the case.",
        "Write the scheme in lower case.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMetadata),
        "metadata-reserved-prefix",
        "metadata uses no reserved keys",
        "metadata uses a key reserved for the protocol",
        "A later revision may give the key a meaning.",
        "Choose a prefix of your own.",
    )
    .needs(SKILL)
    .binds_both(),
];
