//! `skills/list`.

use super::{Check, Need, PROBES, SKILL};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Need::Extension;
use crate::conformance::checks::Suite::{Beyond, Checked};
use crate::finding::Level::{Must, Note, Should};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        (Must, Checked, SubjectKind::Method, Section::SkillsList),
        "skills-list-implemented",
        "skills/list is answered, page by page",
        "skills/list is not answered, or not to its last page",
        "Hosts learn of skills from it; a server without listed skills answers with an empty array.",
        "Answer skills/list, and every cursor that you give, with a result.",
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
        "Every listed skill has a name of its own",
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
];
