//! `resources/read`.

use super::{Check, MANIFEST, SKILL, SKILL_PROBES};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Suite::Beyond;
use crate::finding::Level::Must;
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
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
];
