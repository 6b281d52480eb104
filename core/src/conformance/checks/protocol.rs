//! The base protocol around everything.

use super::{Check, Need};
use crate::conformance::SubjectKind;
use crate::conformance::checks::Suite::{Beyond, Checked};
use crate::finding::Level::{Must, Should};
use crate::finding::Section;

pub(super) const CHECKS: &[Check] = &[
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
        "An unknown method is refused as unknown",
        "An unknown method is not refused as unknown: another error, a result or another status",
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
