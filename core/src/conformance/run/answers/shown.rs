//! The checks that each kind of answer shows.

/// What the declaration shows.
pub(in super::super) const CAPABILITIES: &[&str] = &[
    "capability-empty-object",
    "capability-declaration-inline",
    "capability-requires-resources",
    "capability-directory-read-boolean",
];

/// What a page of the listing shows.
pub(in super::super) const LIST: &[&str] = &[
    "skills-list-implemented",
    "list-skills-array",
    "skills-list-pagination",
    "skills-list-entry-atomic",
    "list-uri-unique-per-page",
    "skills-list-cache-attributes",
    "cache-values-valid",
    "result-type-complete",
    "no-cache-fields-on-legacy",
];

/// What an answer of `skills/get` shows of the method.
pub(in super::super) const GET_METHOD: &[&str] = &[
    "skills-get-implemented",
    "skills-get-no-cursor",
    "skills-get-cache-attributes",
    "cache-values-valid",
    "result-type-complete",
    "no-cache-fields-on-legacy",
];

/// What it shows of a listed skill.
pub(in super::super) const GET: &[&str] = &[
    "get-answers-every-listed",
    "skills-get-entry-shape",
    "get-entry-full-rules",
    "get-equals-list",
];

/// What only its entry shows, listed or not.
pub(in super::super) const GOT: &[&str] = &["skills-get-entry-shape", "get-entry-full-rules"];

/// What shows whether `skills/get` knows a skill that is not listed.
pub(in super::super) const UNLISTED: &[&str] = &["get-answers-unlisted"];

/// What every entry shows.
pub(in super::super) const ENTRY: &[&str] =
    &["entry-shape", "entry-duplicate-member", "entry-not-unicode"];

/// What an entry that is an object shows.
pub(in super::super) const MEMBERS: &[&str] = &[
    "entry-uri-required",
    "entry-frontmatter-required",
    "entry-resources-required",
    "meta-prefix",
];

/// What an entry with a URI shows.
pub(in super::super) const URI: &[&str] = &["entry-uri-form", "entry-uri-matches-frontmatter-name"];

/// What an entry with the URI of a `SKILL.md` shows.
pub(in super::super) const SKILL_URI: &[&str] = &[
    "name-naming-rules",
    "skill-uri-scheme",
    "authority-reg-name",
    "uri-prefix-segments",
    "uri-scheme-case",
];

/// What an entry with a frontmatter shows.
pub(in super::super) const FORMAT: &[&str] = &[
    "skillformat-name-rules",
    "skillformat-description-length",
    "skillformat-compatibility-length",
    "skillformat-license-string",
    "skillformat-metadata-string-map",
    "skillformat-allowed-tools-string",
    "metadata-reserved-prefix",
];

/// What a manifest shows.
pub(in super::super) const MANIFEST: &[&str] = &[
    "resources-complete",
    "resources-uri-within-skill",
    "manifest-uri-canonical",
    "resources-digest-format",
    "resources-size-required",
    "limit-resources-per-skill",
    "limit-total-size",
];

/// What only skills with a manifest show, beside the manifest itself.
pub(in super::super) const WITH_MANIFEST: &[&str] = &["manifest-links-listed", "dynamic-honest"];

/// What the bytes of a file show.
pub(in super::super) const FILE: &[&str] =
    &["content-readable", "content-uri-echo", "content-size-match", "content-digest-match"];

/// What a `SKILL.md` shows.
pub(in super::super) const SKILL_MD: &[&str] = &[
    "skillmd-required",
    "skillmd-frontmatter",
    "final-segment-equals-name",
    "entry-frontmatter-identical",
    "frontmatter-null-vs-absent",
    "skillmd-mimetype",
    "skillmd-metadata-name",
    "skillmd-metadata-description",
    "manifest-links-listed",
];

/// What its frontmatter shows beside the entry.
pub(in super::super) const COMPARED: &[&str] =
    &["entry-frontmatter-identical", "frontmatter-null-vs-absent"];

/// What a directory shows.
pub(in super::super) const DIRECTORY: &[&str] = &[
    "directory-every-level",
    "directory-read-result-resources-shape",
    "directory-child-shape",
    "directory-children-exact",
    "directory-uri-no-slash",
    "directory-read-pagination",
];

/// What a skill that changes while it is looked at may seem to break.
pub(in super::super) const CHANGEABLE: &[&str] = &[
    "content-size-match",
    "content-digest-match",
    "content-readable",
    "entry-frontmatter-identical",
    "frontmatter-null-vs-absent",
    "get-equals-list",
    "manifest-complete-vs-directory",
    "manifest-complete-vs-resources-list",
    "directory-children-exact",
    "directory-every-level",
];
