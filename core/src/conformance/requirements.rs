//! The requirements of the official suite that are no check here: what holds them instead, or why
//! nothing can.
//!
//! Together with the [`CHECKS`](super::CHECKS) that the suite knows they are all of its rows.

use super::Binds;

/// A requirement that no answer of a server can show to be kept or broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The official suite's id, without the prefix `sep-2640-`; `X1` to `X8` for what it excludes.
    pub id: &'static str,
    /// How it is worded.
    pub level: &'static str,
    /// Whom it binds.
    pub binds: Binds,
    /// What it wants, in short.
    pub what: &'static str,
    /// What becomes of it here.
    pub held: Held,
}

/// What becomes of a requirement that is no check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The core's host keeps it; the file below `core/src` and the test in it that shows so.
    ByHost(&'static str, &'static str),
    /// It allows something. The file below `core/src` and the test in it that shows that a server
    /// may do so.
    Allowed(&'static str, &'static str),
    /// Nothing that passes between host and server shows it; the reason.
    Unseen(&'static str),
}

const fn host(
    level: &'static str,
    id: &'static str,
    what: &'static str,
    file: &'static str,
    test: &'static str,
) -> Requirement {
    Requirement { id, level, binds: Binds::Host, what, held: Held::ByHost(file, test) }
}

const fn allowed(
    id: &'static str,
    what: &'static str,
    file: &'static str,
    test: &'static str,
) -> Requirement {
    Requirement { id, level: "MAY", binds: Binds::Server, what, held: Held::Allowed(file, test) }
}

const fn unseen(
    level: &'static str,
    binds: Binds,
    id: &'static str,
    what: &'static str,
    why: &'static str,
) -> Requirement {
    Requirement { id, level, binds, what, held: Held::Unseen(why) }
}

const LOADS: &str = "host/scenarios/loads.rs";
const READS: &str = "host/scenarios/reads.rs";
const PROPERTIES: &str = "host/properties.rs";
const HONEST: &str = "conformance/tests/honest.rs";

/// Every requirement of the official suite that is no check, in the suite's order.
pub static REQUIREMENTS: &[Requirement] = &[
    allowed(
        "nested-skills-permitted",
        "A skill may lie inside of another one.",
        HONEST,
        "the_workshop_is_clean",
    ),
    host(
        "MUST NOT",
        "nested-skillmd-not-acted-on",
        "A nested SKILL.md that is read as a file has no effect.",
        LOADS,
        "a_nested_skill_needs_consent_of_its_own",
    ),
    host(
        "MUST NOT",
        "capability-directory-read-flag",
        "Directories are read only where directoryRead is true.",
        READS,
        "directories_are_asked_for_where_declared_and_inside",
    ),
    allowed(
        "skills-list-may-be-partial",
        "A listing may leave skills out, or be empty.",
        HONEST,
        "a_server_may_list_nothing_or_serve_nothing",
    ),
    host(
        "MUST NOT",
        "host-no-empty-listing-assumption",
        "An empty listing proves nothing.",
        LOADS,
        "an_unlisted_skill_is_loaded_by_its_uri",
    ),
    unseen(
        "rule",
        Binds::Server,
        "enumeration-scheme-uniform",
        "A listing is over skills of all schemes.",
        "A listing may be partial, so what it leaves out proves nothing. Skills of every scheme are checked alike.",
    ),
    host(
        "MUST",
        "host-disambiguate-listing-collision",
        "Skills with one name are told apart.",
        "host/registry.rs",
        "collisions_are_reported_once",
    ),
    host(
        "MUST NOT",
        "names-not-unique",
        "A name is a label and identifies nothing.",
        PROPERTIES,
        "display_names_are_unique",
    ),
    host(
        "MUST NOT",
        "resources-invalid-entry",
        "An entry without valid resources is not loaded.",
        LOADS,
        "entries_that_break_the_rules_are_not_loaded",
    ),
    host(
        "MUST",
        "limit-host-support",
        "Skills up to the limits are accepted.",
        LOADS,
        "size_limits_are_inclusive_and_explained",
    ),
    host(
        "MUST",
        "host-load-by-uri",
        "A skill can be loaded by its URI alone.",
        LOADS,
        "an_unlisted_skill_is_loaded_by_its_uri",
    ),
    host(
        "MUST NOT",
        "read-is-not-a-load",
        "Reading a SKILL.md is no load.",
        LOADS,
        "steps_out_of_order_are_errors_and_change_nothing",
    ),
    host(
        "MUST",
        "host-verify-digest",
        "Content with another digest is not used.",
        READS,
        "changed_bytes_are_refused_and_the_skill_is_looked_up_again",
    ),
    host(
        "MUST",
        "host-size-mismatch-failure",
        "Content of another size is not used.",
        "verify.rs",
        "a_wrong_size_alone_is_a_failure",
    ),
    host(
        "MUST NOT",
        "host-no-prefetch",
        "Nothing is read ahead of need.",
        LOADS,
        "a_listed_skill_is_read_when_it_is_wanted_and_not_before",
    ),
    host(
        "MUST",
        "host-frontmatter-comparison",
        "The frontmatter is compared field by field.",
        LOADS,
        "frontmatter_that_is_not_the_files_is_refused",
    ),
    host(
        "MUST NOT",
        "host-digest-not-security-boundary",
        "A right digest makes content no more trusted.",
        PROPERTIES,
        "content_stands_between_marks_of_its_own",
    ),
    host(
        "MUST",
        "host-skill-identity-pair",
        "A skill is identified by server and URI.",
        LOADS,
        "one_uri_on_two_servers_is_two_skills",
    ),
    host(
        "MUST NOT",
        "host-not-skill-by-scheme",
        "A scheme makes no skill of a resource.",
        LOADS,
        "servers_without_the_extension_are_not_asked",
    ),
    host(
        "MUST NOT",
        "host-cross-origin-no-shadow",
        "No skill silently replaces one of another origin.",
        "host/registry.rs",
        "one_uri_on_two_servers_is_two_skills",
    ),
    host(
        "MUST",
        "host-content-bound-approval",
        "An approval that is kept covers a set of files and digests, and ends with it.",
        "host/approval.rs",
        "every_change_of_the_set_revokes",
    ),
    host(
        "MUST NOT",
        "host-dynamic-not-content-bound",
        "No approval of a dynamic skill is kept.",
        LOADS,
        "a_dynamic_skill_is_asked_about_each_time",
    ),
    host(
        "MUST",
        "host-nested-fresh-consent",
        "A nested skill needs consent of its own.",
        LOADS,
        "a_nested_skill_needs_consent_of_its_own",
    ),
    host(
        "MUST",
        "host-origin-tag-visible",
        "Content says in the model's context which server it is from.",
        "host/tagged.rs",
        "a_uri_cannot_add_lines",
    ),
    host(
        "MUST",
        "host-untrusted-input",
        "Content is untrusted input.",
        PROPERTIES,
        "content_stands_between_marks_of_its_own",
    ),
    unseen(
        "MUST NOT",
        Binds::Host,
        "host-skills-are-data-not-directives",
        "Content has no more authority than other context.",
        "How a model weighs its context is not on the wire. The core's tag says that the content is data.",
    ),
    host(
        "MUST",
        "host-cache-path-encodes-origin",
        "Paths of kept files encode server and URI.",
        PROPERTIES,
        "cache_paths_are_plain_and_distinct",
    ),
    unseen(
        "MUST",
        Binds::Host,
        "host-higher-risk-surface",
        "Skills are treated as riskier than remote tools.",
        "A host's policy is not on the wire. In the core nothing is loaded, run or granted without an approval.",
    ),
    host(
        "MUST NOT",
        "host-no-implicit-local-execution",
        "Nothing is run without an approval for that skill.",
        LOADS,
        "a_grant_is_a_persons_and_holds_for_what_was_asked",
    ),
    host(
        "MUST",
        "host-exec-gate-while-acting",
        "While a skill is acted on, running needs its approval as well.",
        LOADS,
        "a_grant_is_a_persons_and_holds_for_what_was_asked",
    ),
    host(
        "MUST",
        "host-reads-bound-to-origin",
        "Files are read from the skill's own server.",
        READS,
        "another_server_is_read_by_one_allowed_call_at_a_time",
    ),
    host(
        "MUST",
        "host-cross-origin-read-approval",
        "Another server is read with an approval that names both, for each call.",
        READS,
        "another_server_is_read_by_one_allowed_call_at_a_time",
    ),
    host(
        "MUST",
        "host-label-not-serverinfo-name",
        "The host names its servers; their own names are no labels.",
        "host/origin.rs",
        "labels_cannot_mislead",
    ),
    host(
        "MUST NOT",
        "host-no-implicit-permission-grants",
        "No field of a frontmatter widens permissions by itself.",
        LOADS,
        "a_grant_is_a_persons_and_holds_for_what_was_asked",
    ),
    host(
        "MUST",
        "host-ignore-allowed-tools",
        "allowed-tools grants nothing by itself.",
        LOADS,
        "a_grant_is_a_persons_and_holds_for_what_was_asked",
    ),
    unseen(
        "MAY",
        Binds::Between,
        "intermediary-meta-prefix",
        "Gateways may annotate under a prefix of their own.",
        "A client cannot see who wrote a key. The check `meta-prefix` accepts every prefix.",
    ),
    host(
        "MUST",
        "host-cache-write-isolation",
        "Kept files are protected, or hashed on each access.",
        READS,
        "cached_files_are_checked_and_keep_their_origin",
    ),
    host(
        "MUST",
        "host-cache-excluded-from-discovery",
        "No search for skills on a disk finds kept files.",
        PROPERTIES,
        "cache_paths_are_plain_and_distinct",
    ),
    host(
        "SHOULD",
        "host-cache-removal-on-server-removal",
        "Kept files go when their server goes.",
        "host/registry.rs",
        "forgetting_leaves_nothing_behind",
    ),
    host(
        "MUST NOT",
        "host-registry-no-fetch",
        "A catalog is made from the listing alone.",
        LOADS,
        "a_listed_skill_is_read_when_it_is_wanted_and_not_before",
    ),
    unseen(
        "MUST NOT",
        Binds::Host,
        "host-virtual-mount-lazy",
        "A virtual file system reads on access.",
        "The core mounts nothing.",
    ),
    host(
        "SHOULD",
        "host-surface-directory-read",
        "Models may list directories where the server can.",
        READS,
        "a_directory_never_extends_the_manifest",
    ),
    unseen(
        "SHOULD",
        Binds::Between,
        "sdk-convenience-wrappers",
        "SDKs wrap the methods.",
        "What an SDK offers is not on the wire.",
    ),
    host(
        "MUST NOT",
        "directory-read-not-manifest-extension",
        "A directory never extends the manifest.",
        READS,
        "a_directory_never_extends_the_manifest",
    ),
    unseen(
        "MUST NOT",
        Binds::Host,
        "X1",
        "The first segment of a URI is never resolved on a network.",
        "That happens below MCP. The core does no I/O.",
    ),
    unseen(
        "SHOULD",
        Binds::Host,
        "X2",
        "People see the origin and can look at a skill before it is loaded.",
        "A host's display is not on the wire. The page is made for it.",
    ),
    host(
        "MAY",
        "X3",
        "What is held while acting on a skill lasts until it leaves the model's context.",
        "host/scenarios/order.rs",
        "any_order_is_safe",
    ),
    host(
        "MUST",
        "X4",
        "Only files of the held entry are read.",
        READS,
        "references_stay_inside_of_the_retained_entry",
    ),
    unseen(
        "SHOULD",
        Binds::Host,
        "X5",
        "Verified content is kept on demand.",
        "What is kept is asked for no more, which looks the same as what is not wanted.",
    ),
    host(
        "SHOULD",
        "X6",
        "A host that declines a large skill says why.",
        LOADS,
        "size_limits_are_inclusive_and_explained",
    ),
    host(
        "MAY",
        "X7",
        "The size limit holds for what is retrieved of a dynamic skill.",
        READS,
        "a_dynamic_skill_is_limited_by_what_is_retrieved",
    ),
    host(
        "SHOULD",
        "X8",
        "A changed skill is shown as one that needs approval again.",
        LOADS,
        "a_changed_manifest_revokes_the_approval_and_says_how",
    ),
];
