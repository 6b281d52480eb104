//! The manifest of an entry.

use super::{Check, MANIFEST, Need, SKILL};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Need::Extension;
use crate::conformance::checks::Suite::{Beyond, Checked, Declared};
use crate::finding::Level::{Must, Note, Should};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        (Must, Checked, SubjectKind::Skill, Section::Resources),
        "resources-complete",
        "Manifests list each file once, SKILL.md included",
        "A manifest lists a file twice, or lacks a file of the skill",
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
        "A manifest promises every file, so hosts refuse this one and ask for approval anew.",
        "List every file below the skill's root; if the skill has just changed, run again.",
    )
    .needs(&[Extension, Need::DirectoryRead, Need::Skill, Need::Manifest]),
    Check::new(
        (Must, Beyond, SubjectKind::Skill, Section::Resources),
        "manifest-complete-vs-resources-list",
        "Manifests list every resource below the skill's root",
        "resources/list names a file that the manifest lacks",
        "A manifest promises every file, so hosts refuse this one.",
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
];
