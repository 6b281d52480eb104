//! `resources/directory/read`.

use super::{Check, DIRECTORIES, DIRECTORY_PROBES, Need};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Need::Extension;
use crate::conformance::checks::Suite::{Beyond, Checked, Declared};
use crate::finding::Level::Must;
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
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
];
