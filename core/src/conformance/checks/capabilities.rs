//! What a server declares.

use super::{Check, Need};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Suite::{Beyond, Checked};
use crate::finding::Level::{Must, Note};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
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
        "A promised method is not answered, or not always",
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
];
