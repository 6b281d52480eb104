//! The table of checks: what each one wants, why, and how to mend what fails it.

use crate::finding::{Level, Section};

/// One rule that a server's answers can show to be kept or broken.
///
/// ```
/// use skillglass::conformance::{Check, SubjectKind, Suite};
/// let check = Check::find("entry-uri-required").unwrap();
/// assert_eq!(check.suite_id().as_deref(), Some("sep-2640-entry-uri-required"));
/// assert_eq!((check.about, check.suite), (SubjectKind::Skill, Suite::Checked));
/// assert!(Check::find("no-such-check").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its stable id: the official suite's without the prefix `sep-2640-` where that has one.
    pub id: &'static str,
    /// What the official suite does about it.
    pub suite: Suite,
    /// How the specification words it; [`Level::Note`] for a hint, which never fails.
    pub level: Level,
    /// Whom the rule binds.
    pub binds: Binds,
    /// The kind of thing that keeps or breaks it.
    pub about: SubjectKind,
    /// What holds where it passes.
    pub title: &'static str,
    /// What is wrong where it does not.
    pub failure: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to change.
    pub repair: &'static str,
    /// Where the rule stands.
    pub section: Section,
    /// The revisions it holds in.
    pub since: Since,
    /// What has to be there before it can be tested.
    pub needs: &'static [Need],
}

/// What the official suite does about a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// A server scenario reports it under this id.
    Checked,
    /// It declares a requirement, under the id that is given, and reports nothing.
    Declared(&'static str),
    /// It does not know it.
    Beyond,
}

/// Whom a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds {
    /// Servers.
    Server,
    /// Hosts and their clients.
    Host,
    /// Both sides.
    Both,
    /// Gateways and SDKs in between.
    Between,
}

impl Binds {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Host => "host",
            Self::Both => "both",
            Self::Between => "between",
        }
    }
}

/// The revisions of the base protocol a rule holds in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// All of them.
    Always,
    /// 2026-07-28 and later.
    Modern,
    /// Only before 2026-07-28.
    LegacyOnly,
}

/// What a check cannot be tested without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The server declares the extension.
    Extension,
    /// There is a skill to look at.
    Skill,
    /// A skill lists its files.
    Manifest,
    /// A page ends with the cursor `""`.
    EmptyCursor,
    /// The server lists resources.
    Resources,
    /// `directoryRead` is declared.
    DirectoryRead,
    /// `directoryRead` is not declared.
    NoDirectoryRead,
    /// A directory has a second page.
    DirectoryPages,
    /// A skill has a directory below its root.
    Subdirectory,
    /// A directory without files is known.
    EmptyDirectory,
    /// A skill is known that the listing does not name.
    Unlisted,
    /// The server's instructions name a skill.
    Instructions,
    /// A skill lies inside of another one.
    Nested,
    /// Errors are provoked on purpose.
    Probes,
    /// What the server declares in its other era is known.
    OtherEra,
}

impl Check {
    /// The check with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.id == id)
    }

    /// Its id in the official suite, if that has one.
    #[must_use]
    pub fn suite_id(&self) -> Option<String> {
        match self.suite {
            Suite::Checked if self.id == "wire-schema-valid" => Some(self.id.to_owned()),
            Suite::Checked => Some(format!("sep-2640-{}", self.id)),
            Suite::Declared(id) => Some(format!("sep-2640-{id}")),
            Suite::Beyond => None,
        }
    }

    const fn new(
        (level, suite, about, section): (Level, Suite, SubjectKind, Section),
        id: &'static str,
        title: &'static str,
        failure: &'static str,
        why: &'static str,
        repair: &'static str,
    ) -> Self {
        let (binds, since, needs) = (Binds::Server, Since::Always, EXTENSION);
        Self { id, suite, level, binds, about, title, failure, why, repair, section, since, needs }
    }

    const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    const fn modern(mut self) -> Self {
        self.since = Since::Modern;
        self
    }

    const fn legacy_only(mut self) -> Self {
        self.since = Since::LegacyOnly;
        self
    }

    const fn binds_both(mut self) -> Self {
        self.binds = Binds::Both;
        self
    }
}

use Level::{Must, Note, Should};
use Need::Extension;
use Suite::{Beyond, Checked, Declared};

use super::SubjectKind;

const EXTENSION: &[Need] = &[Extension];
const SKILL: &[Need] = &[Extension, Need::Skill];
const MANIFEST: &[Need] = &[Extension, Need::Skill, Need::Manifest];
const RESOURCES: &[Need] = &[Extension, Need::Skill, Need::Resources];
const PROBES: &[Need] = &[Extension, Need::Probes];
const SKILL_PROBES: &[Need] = &[Extension, Need::Probes, Need::Skill];
const DIRECTORIES: &[Need] = &[Extension, Need::DirectoryRead, Need::Skill];
const DIRECTORY_PROBES: &[Need] = &[Extension, Need::Probes, Need::DirectoryRead, Need::Skill];

/// Every check that a [`super::Run`] judges, in the order of a report.
pub static CHECKS: &[Check] = &[
    // Capabilities
    Check::new(
        (Must, Checked, SubjectKind::Server, Section::Capabilities),
        "capability-empty-object",
        "The declaration of the extension is an object",
        "The declaration of the extension is no object",
        "Clients read settings from it and take any other value for no support.",
        "Declare {} or {\"directoryRead\":true}.",
    ),
    Check::new(
        (Must, Checked, SubjectKind::Server, Section::Capabilities),
        "capability-declaration-inline",
        "The settings stand directly under the extension's identifier",
        "The declaration is wrapped or stands in another place",
        "Clients look for the settings at capabilities.extensions and nowhere else.",
        "Put the settings object itself under \"io.modelcontextprotocol/skills\" in capabilities.extensions.",
    )
    .needs(&[]),
    Check::new(
        (Must, Checked, SubjectKind::Server, Section::Capabilities),
        "capability-requires-resources",
        "The resources capability is declared as well",
        "Skills are declared without resources",
        "Skill files are read with resources/read, which clients call only where resources are declared.",
        "Declare \"resources\": {} beside the extension.",
    ),
    Check::new(
        (Must, Beyond, SubjectKind::Server, Section::Capabilities),
        "capability-directory-read-boolean",
        "directoryRead is a boolean",
        "directoryRead is no boolean",
        "Clients must not read directories unless it is exactly true.",
        "Send true, false, or leave it out.",
    ),
    Check::new(
        (Must, Checked, SubjectKind::Server, Section::Capabilities),
        "capability-commits-to-methods",
        "skills/list and skills/get are both answered",
        "A declared method is missing",
        "Declaring the extension promises both methods.",
        "Implement skills/list and skills/get, or do not declare the extension.",
    ),
    Check::new(
        (Note, Beyond, SubjectKind::Server, Section::Capabilities),
        "capability-same-on-both-wires",
        "Both eras of the protocol declare the same",
        "The two eras of the protocol declare different things",
        "Hosts of one era then see skills that hosts of the other do not.",
        "Declare the extension in server/discover and in initialize alike.",
    )
    .needs(&[Need::OtherEra]),
    // Listing
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsList),
        "skills-list-implemented",
        "skills/list is answered",
        "skills/list is not answered",
        "Hosts learn of skills from it; a server without listed skills answers with an empty array.",
        "Answer skills/list with a result.",
    ),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::SkillsList),
        "list-skills-array",
        "skills is an array",
        "skills is missing or no array",
        "Hosts refuse the page or take it for an empty one.",
        "Send \"skills\" as an array of entries; [] where there are none.",
    ),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsList),
        "skills-list-pagination",
        "The pages of skills/list come to an end",
        "The pages of skills/list cannot be followed to their end",
        "Hosts stop at a repeated or unusable cursor and miss what is behind it.",
        "Give each page a new cursor and leave nextCursor out of the last one.",
    ),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "list-empty-cursor",
        "The cursor \"\" leads to the next page",
        "The cursor \"\" leads nowhere",
        "An empty string is a cursor; only a missing one ends the listing.",
        "Leave nextCursor out of the last page instead of sending \"\".",
    )
    .needs(&[Extension, Need::EmptyCursor]),
    Check::new(
        (Should, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "list-invalid-cursor-32602",
        "An unknown cursor is refused with -32602",
        "An unknown cursor is not refused with -32602",
        "A client with an outdated cursor would read the list again from its beginning, or never learn why it fails.",
        "Answer a cursor that you did not give out with error -32602.",
    )
    .needs(PROBES),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsList),
        "skills-list-entry-atomic",
        "No skill is spread over pages",
        "A skill is listed on several pages",
        "Hosts keep one entry of a skill and lose what the others say.",
        "Send each skill once, complete, on one page.",
    ),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::SkillsList),
        "list-uri-unique-per-page",
        "No skill is listed twice on a page",
        "A skill is listed twice on a page",
        "Hosts keep one of the two entries, and not all the same one.",
        "Send one entry for each skill.",
    ),
    Check::new(
        (Should, Checked, SubjectKind::Method, Section::SkillsList),
        "names-should-be-unique",
        "The listed skills have names of their own",
        "Several listed skills have one name",
        "People and models choose by the name; hosts have to add the path to tell such skills apart.",
        "Rename all but one, or accept that hosts show their paths.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsList),
        "skills-list-cache-attributes",
        "skills/list says how long it is fresh, and for whom",
        "A page of skills/list lacks ttlMs or cacheScope",
        "Strict clients refuse a result without them.",
        "Add \"ttlMs\" and \"cacheScope\" to every page.",
    )
    .modern(),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "cache-values-valid",
        "ttlMs and cacheScope have valid values",
        "ttlMs or cacheScope has a value that clients cannot use",
        "Strict clients refuse the result, others ask again each time.",
        "Send ttlMs as a whole number of milliseconds from 0, cacheScope as \"public\" or \"private\".",
    )
    .modern(),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "result-type-complete",
        "Results say that they are complete",
        "A result does not say that it is complete",
        "Clients treat any other resultType as invalid, and strict ones a missing one too.",
        "Add \"resultType\": \"complete\" to results of skills/list, skills/get and resources/directory/read.",
    )
    .modern(),
    Check::new(
        (Note, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "no-cache-fields-on-legacy",
        "Older revisions get no cache fields",
        "ttlMs or cacheScope is sent in an older revision",
        "They mean nothing there.",
        "Send them from 2026-07-28 on only.",
    )
    .legacy_only(),
    // Getting a skill
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsGet),
        "skills-get-implemented",
        "skills/get is answered",
        "skills/get is not answered",
        "Hosts refresh entries and load unlisted skills with it.",
        "Answer skills/get for the URI of every SKILL.md you serve.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillsGet),
        "get-answers-every-listed",
        "skills/get answers for every listed skill",
        "skills/get does not answer for a listed skill",
        "A host cannot refresh such a skill after a change.",
        "Answer for each URI that skills/list names, spelled the same.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Declared("skills-get-answers-unlisted"), SubjectKind::Skill, Section::SkillsGet),
        "get-answers-unlisted",
        "skills/get answers for skills that are not listed",
        "A served skill is unknown to skills/get",
        "A listing may leave skills out; skills/get must know every one that is served.",
        "Look skills up in what is served, not in what is listed.",
    )
    .needs(&[Extension, Need::Unlisted]),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::SkillsGet),
        "skills-get-entry-shape",
        "skills/get answers with the entry of the skill asked for",
        "skills/get answers with something else than the skill's entry",
        "A host has nothing to check files against.",
        "Send the entry, with the uri that was asked for, as \"skill\".",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillsGet),
        "get-entry-full-rules",
        "Entries from skills/get keep all rules of entries",
        "The entry from skills/get breaks rules that its listing keeps",
        "A host that refreshes the skill can no longer load it.",
        "Make both answers from one entry.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillsGet),
        "get-equals-list",
        "skills/get and skills/list give the same entry",
        "skills/get and skills/list disagree",
        "Which files a host accepts then depends on how it learned of the skill.",
        "Make both answers from one snapshot; if the skill has just changed, run again.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsGet),
        "skills-get-no-cursor",
        "skills/get has no pages",
        "skills/get answers with a nextCursor",
        "An entry is complete in one answer; nobody asks for a second page.",
        "Leave nextCursor out and send the whole entry.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsGet),
        "skills-get-cache-attributes",
        "skills/get says how long it is fresh, and for whom",
        "skills/get lacks ttlMs or cacheScope",
        "Strict clients refuse a result without them.",
        "Add \"ttlMs\" and \"cacheScope\" to the result.",
    )
    .modern()
    .needs(SKILL),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::Errors),
        "skills-get-unknown-uri-invalid-params",
        "An unknown skill is refused with -32602",
        "An unknown skill is not refused with -32602",
        "A host cannot tell a skill that is gone from a server in trouble.",
        "Answer an unknown URI with error -32602.",
    )
    .needs(PROBES),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::SkillsGet),
        "get-nonskill-uri-32602",
        "skills/get refuses what is no SKILL.md with -32602",
        "skills/get accepts a URI that is no SKILL.md, or refuses it with another error",
        "A file or directory has no entry; an answer for it makes a skill of it.",
        "Answer supporting files, directories and a missing uri with error -32602.",
    )
    .needs(PROBES),
    Check::new(
        (Note, Beyond, SubjectKind::Skill, Section::SkillsGet),
        "instructions-uris-resolve",
        "The skills that the instructions name exist",
        "The instructions name a skill that skills/get does not know",
        "Models follow the instructions and find nothing.",
        "Correct the URI in the instructions, or serve the skill.",
    )
    .needs(&[Extension, Need::Instructions]),
    Check::new(
        (Must, Declared("nested-publication-flat"), SubjectKind::Skill, Section::ResourceMapping),
        "nested-flat-listing",
        "Nested skills have ordinary entries, or none",
        "A nested skill is answered in a way of its own",
        "A nested skill is published like any other; nothing in an entry marks nesting.",
        "Answer skills/get for it with an ordinary entry, or with -32602 where it is not published.",
    )
    .needs(&[Extension, Need::Nested]),
    // Entries
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
        "An entry lacks name or description",
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
        "Use letters, digits and - . _ ~ ! $ & ' ( ) * + , ; = in it, else percent-encode.",
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
    // Manifests
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "resources-complete",
        "Manifests list each file once, SKILL.md included",
        "A manifest lists a file twice or lacks SKILL.md",
        "Hosts read only what is listed and refuse contradicting lines.",
        "List every file of the skill exactly once.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "resources-uri-within-skill",
        "Manifests list files of the skill only",
        "A manifest lists a file outside of the skill",
        "Hosts must not read it under this skill's approval.",
        "List only what lies below the skill's directory.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Resources),
        "manifest-uri-canonical",
        "Manifest URIs are plain: no dot or empty segments, no query, no second spelling",
        "A manifest URI can be read in two ways",
        "Such URIs name another file after a library has normalised them.",
        "List each file under its one plain URI.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "resources-digest-format",
        "Digests are sha256: and 64 lowercase hexadecimal digits",
        "A digest is malformed",
        "Hosts cannot check the file and must not use it.",
        "Write \"sha256:\" and the lowercase hexadecimal SHA-256 of the bytes served.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "resources-size-required",
        "Sizes are whole numbers of bytes",
        "A size is missing or malformed",
        "Hosts cannot check the file and must not use it.",
        "Send the length of the file in bytes.",
    )
    .needs(MANIFEST),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::Limits),
        "limit-resources-per-skill",
        "Skills list at most 512 files",
        "A skill lists more than 512 files",
        "Hosts need not accept it.",
        "Split the skill, or leave files out.",
    )
    .needs(MANIFEST),
    Check::new(
        (Should, Checked, SubjectKind::Skill, Section::Limits),
        "limit-total-size",
        "Skills list at most 16 MiB",
        "A skill lists more than 16 MiB",
        "Hosts need not accept it.",
        "Split the skill, or make files smaller.",
    )
    .needs(MANIFEST),
    Check::new(
        (Should, Beyond, SubjectKind::Skill, Section::Limits),
        "limits-actual-bytes",
        "What is served stays within 512 files and 16 MiB",
        "What is served goes beyond 512 files or 16 MiB",
        "Hosts count what they retrieve, whatever the manifest says.",
        "Split the skill, or make files smaller.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Resources),
        "manifest-complete-vs-directory",
        "Manifests list every file of the skill's directories",
        "A directory holds a file that the manifest lacks",
        "A manifest is complete, so hosts refuse the file and ask for approval anew.",
        "List every file below the skill's root; if the skill has just changed, run again.",
    )
    .needs(&[Extension, Need::DirectoryRead, Need::Skill, Need::Manifest]),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Resources),
        "manifest-complete-vs-resources-list",
        "Manifests list every resource below the skill's root",
        "resources/list names a file that the manifest lacks",
        "A manifest is complete, so hosts refuse the file.",
        "List every file below the skill's root; if the skill has just changed, run again.",
    )
    .needs(&[Extension, Need::Skill, Need::Manifest, Need::Resources]),
    Check::new(
        (Must, Declared("resources-nested-completeness"), SubjectKind::Skill, Section::Resources),
        "manifest-nested-complete",
        "Manifests list the files of nested skills as well",
        "A manifest lacks files of a nested skill, or says other things of them",
        "To the enclosing skill they are supporting files.",
        "List the nested skill's files in the enclosing manifest, with the same digest and size.",
    )
    .needs(&[Extension, Need::Nested]),
    Check::new(
        (Note, Beyond, SubjectKind::Skill, Section::RelativeReferences),
        "manifest-links-listed",
        "Relative links lead to listed files",
        "A link in SKILL.md leads to no listed file",
        "A model that follows it is refused.",
        "Correct the link, or add the file to the skill.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Declared("resources-dynamic-marker"), SubjectKind::Skill, Section::Resources),
        "dynamic-honest",
        "Listed content stays the same from read to read",
        "Listed content changes from read to read",
        "Nothing pins generated content; a manifest that says so misleads approvals.",
        "Mark the skill \"resources\": \"dynamic\", or serve stable bytes.",
    )
    .needs(MANIFEST),
    // Reading files
    Check::new(
        (Must, Beyond, SubjectKind::File, Section::ReadingResources),
        "content-readable",
        "Every listed file can be read",
        "A listed file cannot be read",
        "A model that needs the file is refused.",
        "Serve each listed URI with resources/read, as text or blob.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::File, Section::ReadingResources),
        "content-uri-echo",
        "Answers name the file that was asked for, once",
        "An answer names another file, or several times the same",
        "Hosts cannot tell which content is meant, and refuse it.",
        "Answer with one item whose uri is the one asked for.",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::File, Section::Resources),
        "content-size-match",
        "Sizes are those of the bytes served",
        "A file has another size than its manifest says",
        "Hosts refuse the file.",
        "Count the bytes that are served.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Beyond, SubjectKind::File, Section::Resources),
        "content-digest-match",
        "Digests are those of the bytes served",
        "A file has another SHA-256 than its manifest says",
        "Hosts refuse the file.",
        "Hash the bytes that are served.",
    )
    .needs(MANIFEST),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::Errors),
        "read-unknown-32602",
        "An unknown file is refused with -32602",
        "An unknown file is not refused with -32602",
        "A host cannot tell a missing file from an empty one or a server in trouble.",
        "Answer resources/read of what you do not serve with error -32602, never with empty contents.",
    )
    .needs(SKILL_PROBES),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::Security),
        "read-traversal-refused",
        "Paths out of the skill are refused",
        "A path out of the skill is answered with content",
        "Dot segments must never reach the server's own files.",
        "Look URIs up as text in what you serve; never join them to a path.",
    )
    .needs(SKILL_PROBES),
    // SKILL.md
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::ResourceMapping),
        "skillmd-required",
        "Skills have a SKILL.md at their root",
        "A skill has no SKILL.md that can be read",
        "Without it there is nothing to load.",
        "Serve the entry's uri with resources/read.",
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
        "allowed-tools is a list, or separated by commas",
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
    // Directories
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::Directories),
        "directory-read-method-registered",
        "resources/directory/read is answered",
        "resources/directory/read is declared but not answered",
        "directoryRead: true promises the method.",
        "Implement resources/directory/read, or do not declare directoryRead.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Beyond, SubjectKind::Directory, Section::Directories),
        "directory-every-level",
        "Every directory of every skill can be read",
        "A directory of a skill cannot be read",
        "directoryRead: true promises it for all of them.",
        "Answer for the root and every directory below it, nested or not.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Checked, SubjectKind::Directory, Section::Directories),
        "directory-read-result-resources-shape",
        "A directory's result is an array of resources with a uri",
        "A directory's result is no array of resources with a uri",
        "Hosts cannot read it.",
        "Send \"resources\" as an array of resources.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Beyond, SubjectKind::Directory, Section::Directories),
        "directory-child-shape",
        "Children have a name",
        "A child has no name",
        "Every resource has one; strict clients refuse the result.",
        "Send the last path segment, or the skill's name for its SKILL.md, as name.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Beyond, SubjectKind::Directory, Section::Directories),
        "directory-children-exact",
        "A directory lists all its direct children and nothing else",
        "A directory lists too much or too little",
        "Hosts descend by it and miss files, or show files of others.",
        "List every direct child once, and no descendants.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Checked, SubjectKind::Directory, Section::Directories),
        "directory-read-subdir-mimetype",
        "Directories have the media type inode/directory",
        "A directory has another media type than inode/directory",
        "Hosts take it for a file and do not descend.",
        "Send \"mimeType\": \"inode/directory\" for child directories.",
    )
    .needs(&[Extension, Need::DirectoryRead, Need::Skill, Need::Subdirectory]),
    Check::new(
        (Must, Beyond, SubjectKind::Directory, Section::Directories),
        "directory-uri-no-slash",
        "URIs of directories have no slash at the end",
        "The URI of a directory ends in a slash",
        "URIs are compared as text, so the directory is not recognised.",
        "Leave the slash out.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Checked, SubjectKind::Directory, Section::Directories),
        "directory-read-pagination",
        "The pages of a directory come to an end",
        "The pages of a directory cannot be followed to their end",
        "Hosts stop at a repeated or unusable cursor and miss what is behind it.",
        "Give each page a new cursor and leave nextCursor out of the last one.",
    )
    .needs(DIRECTORIES),
    Check::new(
        (Must, Beyond, SubjectKind::Directory, Section::Directories),
        "directory-pagination-complete",
        "The pages of a directory repeat nothing",
        "A child comes on two pages of a directory",
        "Pages that overlap usually lose children as well.",
        "Cut pages from one ordered list.",
    )
    .needs(&[Extension, Need::DirectoryRead, Need::Skill, Need::DirectoryPages]),
    Check::new(
        (Must, Declared("directory-read-empty-dir"), SubjectKind::Directory, Section::Directories),
        "directory-empty-array",
        "An empty directory is answered with []",
        "An empty directory is not answered with []",
        "An error says that there is no such directory.",
        "Answer with \"resources\": [].",
    )
    .needs(&[Extension, Need::DirectoryRead, Need::EmptyDirectory]),
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::Errors),
        "directory-read-invalid-params",
        "What is no directory is refused with -32602",
        "What is no directory is not refused with -32602",
        "A host cannot tell a file from an empty directory or a server in trouble.",
        "Answer the URI of a file, and a missing uri, with error -32602.",
    )
    .needs(DIRECTORY_PROBES),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::Errors),
        "directory-unknown-32602",
        "An unknown directory is refused with -32602",
        "An unknown directory is not refused with -32602",
        "A host takes a mistyped directory for an empty one.",
        "Answer a URI that names nothing with error -32602.",
    )
    .needs(DIRECTORY_PROBES),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::Directories),
        "directory-undeclared-method-not-found",
        "Where directoryRead is not declared, the method is unknown or works",
        "resources/directory/read is not declared and answered in another way",
        "Clients tell a missing method by -32601.",
        "Answer with -32601 (and HTTP 404), or declare directoryRead.",
    )
    .needs(&[Extension, Need::Probes, Need::NoDirectoryRead, Need::Skill]),
    // Base protocol
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::BaseProtocol),
        "wire-schema-valid",
        "Answers have the form of the base protocol",
        "An answer does not have the form of the base protocol",
        "Strict clients refuse or overlook the whole answer.",
        "Send the members that the protocol's schema requires.",
    )
    .needs(&[]),
    Check::new(
        (Should, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "json-mark",
        "Messages begin with their JSON",
        "A message begins with a byte order mark",
        "Many JSON readers refuse it.",
        "Send the JSON without the mark.",
    )
    .needs(&[]),
    Check::new(
        (Must, Beyond, SubjectKind::Method, Section::BaseProtocol),
        "method-not-found-404",
        "An unknown method is refused with -32601",
        "An unknown method is not refused with -32601",
        "Clients find out by it what a server offers.",
        "Answer unknown methods with error -32601, since 2026-07-28 with HTTP status 404.",
    )
    .needs(&[Need::Probes]),
    Check::new(
        (Should, Beyond, SubjectKind::Method, Section::Errors),
        "error-message-informative",
        "Errors say what is wrong",
        "An error has no message",
        "The message is all that a person gets to see.",
        "Say in the message what was asked for and why it is refused.",
    )
    .needs(&[Need::Probes]),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_plain() {
        let ids: HashSet<_> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), CHECKS.len());
        let plain = |id: &str| {
            id.bytes().all(|byte| b"abcdefghijklmnopqrstuvwxyz0123456789-".contains(&byte))
        };
        assert!(ids.iter().all(|id| plain(id)));
    }

    #[test]
    fn texts_are_short_sentences() {
        for check in CHECKS {
            assert!(!check.title.ends_with('.') && !check.failure.ends_with('.'), "{}", check.id);
            assert!(check.why.ends_with('.') && check.repair.ends_with('.'), "{}", check.id);
            assert!(check.title.len() <= 90 && check.why.len() <= 120, "{}", check.id);
        }
    }
}
