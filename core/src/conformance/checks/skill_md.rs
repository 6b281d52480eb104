//! A `SKILL.md`: its frontmatter, and what resources say of it.

use super::{Check, RESOURCES, SKILL};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Suite::{Beyond, Checked};
use crate::finding::Level::{Must, Should};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "skillmd-required",
        "Skills have a SKILL.md at their root",
        "A skill has no SKILL.md that can be read",
        "Without it there is nothing to load.",
        "Answer resources/read of the entry's uri with the file.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::SkillFormat),
        "skillmd-frontmatter",
        "SKILL.md begins with frontmatter that has name and description",
        "The frontmatter of SKILL.md cannot be read, or lacks name or description",
        "Hosts compare it with the entry and refuse what they cannot read.",
        "Begin the file with ---, valid YAML with name and description, and ---.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "final-segment-equals-name",
        "The file's name is the last segment of the skill's path",
        "The file's name is not the last segment of the skill's path",
        "A skill whose two names differ is refused, or shown as another one.",
        "Give the directory, the URI and the frontmatter one name.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::FrontmatterVerification),
        "entry-frontmatter-identical",
        "Entry and file have the same frontmatter",
        "Entry and file have different frontmatter",
        "Hosts compare field by field and refuse the skill.",
        "Parse the file's YAML 1.2 and send every field unchanged.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::FrontmatterVerification),
        "frontmatter-null-vs-absent",
        "Null fields are sent as null",
        "A field is null on one side and absent on the other",
        "The two are different content, so hosts refuse the skill.",
        "Send null where the file has null, and nothing where it has nothing.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-name-rules",
        "The frontmatter's name keeps the naming rules",
        "The frontmatter's name breaks the naming rules",
        "Hosts use names as commands and directory names.",
        "Use 1 to 64 of a-z, 0-9 and single hyphens inside.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-description-length",
        "Descriptions have 1 to 1024 characters",
        "A description is blank or too long",
        "It is what a model chooses the skill by; hosts cut or refuse longer ones.",
        "Say in 1 to 1024 characters what the skill does and when to use it.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-compatibility-length",
        "compatibility has 1 to 500 characters",
        "compatibility is empty, too long or no string",
        "Hosts cannot show it.",
        "Write 1 to 500 characters, or leave the field out.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-license-string",
        "license is a string",
        "license is no string",
        "Hosts cannot show it.",
        "Write the licence's name as text.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-metadata-string-map",
        "metadata maps strings to strings",
        "metadata holds something else than strings",
        "Readers turn other values into text in ways of their own.",
        "Put the values in quotes.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::SkillFormat),
        "skillformat-allowed-tools-string",
        "allowed-tools is one string, separated by blanks",
        "allowed-tools is no string, or separated by commas",
        "Hosts read one string and take commas for parts of names.",
        "Write one string with blanks between the tools.",
    )
    .needs(SKILL),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMetadata),
        "skillmd-mimetype",
        "SKILL.md has the media type text/markdown",
        "SKILL.md has another media type than text/markdown",
        "Hosts choose by it how to show the file.",
        "Send \"mimeType\": \"text/markdown\".",
    )
    .needs(SKILL),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMetadata),
        "skillmd-metadata-name",
        "The resource has the skill's name",
        "The resource has another name than the skill",
        "People see two names for one thing.",
        "Send the frontmatter's name as the resource's name.",
    )
    .needs(RESOURCES),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::ResourceMetadata),
        "skillmd-metadata-description",
        "The resource has the skill's description",
        "The resource has another description than the skill",
        "People read two descriptions of one thing.",
        "Send the frontmatter's description as the resource's description.",
    )
    .needs(RESOURCES),
    Check::new(
        (Should, Beyond, SubjectKind::File, Section::ResourceMetadata),
        "resource-metadata-all",
        "resources/list and resources/read say the same of a file",
        "resources/list and resources/read say different things of a file",
        "Hosts treat the file differently, depending on which they asked first.",
        "Make both answers from one description of the file.",
    )
    .needs(RESOURCES),
    Check::new(
        (Should, Checked, SubjectKind::File, Section::ResourceMetadata),
        "meta-prefix",
        "Keys of _meta have a prefix",
        "A key of _meta has no prefix",
        "Keys without a prefix clash with those of others and of later revisions.",
        "Use the prefix io.modelcontextprotocol.skills/ or one of your own.",
    )
    .needs(SKILL),
];
