//! `skills/get`.

use super::{Check, Need, PROBES, SKILL};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Need::Extension;
use crate::conformance::checks::Suite::{Beyond, Checked, Declared};
use crate::finding::Level::{Must, Note};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
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
        "skills/get does not answer with the whole entry of the skill asked for",
        "A host has nothing to check files against.",
        "Send the whole entry, with the uri that was asked for, as \"skill\".",
    )
    .needs(SKILL),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::SkillsGet),
        "get-entry-full-rules",
        "Entries from skills/get keep all rules of entries",
        "The entry from skills/get breaks rules that the listed one keeps",
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
        "A nested skill is not answered like any other",
        "A nested skill is published like any other; nothing in an entry marks nesting.",
        "Answer skills/get for it with an ordinary entry, or with -32602 where it is not published.",
    )
    .needs(&[Extension, Need::Nested]),
];
