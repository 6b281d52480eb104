//! The shapes of what goes out of `skillglass/protocol`, as in [`crate::answer`].

use serde::Serialize;
use skillglass::entry::Reading;
use skillglass::finding::Finding;
use skillglass::protocol::directory::DirectoryPage;
use skillglass::protocol::results::{self, judge_not_found};
use skillglass::protocol::{Call, ListingState, Message, ReplyError, RpcError, StopReason};
use skillglass::uri::{Uri, UriNote};
use skillglass::value::Node;

use crate::answer::{EntryReading, INVALID, OK, Told};
use crate::shared::DirectoryChild;

#[derive(Serialize)]
pub(super) struct UriParts<'a> {
    kind: &'static str,
    uri: &'a str,
    scheme: &'a str,
    path: &'a str,
    notes: Vec<Told<UriNote>>,
}

impl<'a> UriParts<'a> {
    pub(super) fn of(uri: Uri<'a>) -> Self {
        let notes = uri.notes().into_iter().map(Told::uri).collect();
        Self { kind: OK, uri: uri.as_str(), scheme: uri.scheme(), path: uri.path(), notes }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultReply<'a> {
    kind: &'static str,
    result_json: &'a str,
    findings: Vec<Finding>,
}

impl<'a> ResultReply<'a> {
    pub(super) fn of(message: &Message<'a>, result: &Node<'_>) -> Self {
        let result_json = result.span.of(message.text);
        Self { kind: "result", result_json, findings: message.findings() }
    }
}

#[derive(Serialize)]
pub(super) struct ErrorReply<'a> {
    kind: &'static str,
    code: Option<i64>,
    message: &'a str,
    data: Option<&'a str>,
    findings: Vec<Finding>,
}

impl<'a> ErrorReply<'a> {
    pub(super) fn of(message: &Message<'_>, error: &'a RpcError, call: Option<&Call>) -> Self {
        let judged = call.and_then(|call| judge_not_found(call, error));
        Self {
            kind: "error",
            code: error.code,
            message: &error.message,
            data: error.data.as_deref(),
            findings: message.findings().into_iter().chain(judged).collect(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct InvalidReply<'a> {
    kind: &'static str,
    reason: &'static str,
    message: String,
    status: u16,
    excerpt: Option<&'a str>,
}

impl<'a> InvalidReply<'a> {
    pub(super) fn of(status: u16, error: &'a ReplyError) -> Self {
        let (reason, excerpt) = match error {
            ReplyError::MediaType { excerpt, .. } => ("media-type", Some(excerpt)),
            ReplyError::NotJson { excerpt, .. } => ("not-json", Some(excerpt)),
            ReplyError::NotMessage { excerpt, .. } => ("not-message", Some(excerpt)),
            ReplyError::OtherId { excerpt, .. } => ("other-id", Some(excerpt)),
            ReplyError::EndedEarly { excerpt, .. } => ("ended-early", Some(excerpt)),
            _ => ("too-long", None),
        };
        let excerpt = excerpt.map(String::as_str);
        Self { kind: INVALID, reason, message: error.to_string(), status, excerpt }
    }
}

/// An entry with the text it was read from, which is what a host holds on to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedSkill<'a> {
    entry_json: &'a str,
    reading: EntryReading<'a>,
}

impl<'a> ListedSkill<'a> {
    fn of(reading: &'a Reading) -> Self {
        Self { entry_json: &reading.source, reading: EntryReading::of(reading) }
    }

    pub(super) fn all(readings: &'a [Reading]) -> Vec<Self> {
        readings.iter().map(Self::of).collect()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkillPage<'a> {
    kind: &'static str,
    skills: Vec<ListedSkill<'a>>,
    left_out: usize,
    next_cursor: Option<&'a str>,
    ttl_ms: u64,
    cache_scope: &'static str,
    findings: &'a [Finding],
}

impl<'a> SkillPage<'a> {
    pub(super) fn of(page: &'a results::SkillPage) -> Self {
        Self {
            kind: OK,
            skills: ListedSkill::all(&page.skills),
            left_out: page.left_out,
            next_cursor: page.next_cursor.as_deref(),
            ttl_ms: page.freshness.ttl_ms,
            cache_scope: cache_scope(page.freshness),
            findings: &page.findings,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GotSkill<'a> {
    kind: &'static str,
    skill: Option<ListedSkill<'a>>,
    ttl_ms: u64,
    cache_scope: &'static str,
    findings: &'a [Finding],
}

impl<'a> GotSkill<'a> {
    pub(super) fn of(got: &'a results::GotSkill) -> Self {
        Self {
            kind: OK,
            skill: got.reading.as_ref().map(ListedSkill::of),
            ttl_ms: got.freshness.ttl_ms,
            cache_scope: cache_scope(got.freshness),
            findings: &got.findings,
        }
    }
}

const fn cache_scope(freshness: results::Freshness) -> &'static str {
    if freshness.public { "public" } else { "private" }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Directory<'a> {
    kind: &'static str,
    children: Vec<DirectoryChild<'a>>,
    next_cursor: Option<&'a str>,
    findings: &'a [Finding],
}

impl<'a> Directory<'a> {
    pub(super) fn of(page: &'a DirectoryPage) -> Self {
        Self {
            kind: OK,
            children: DirectoryChild::all(&page.children),
            next_cursor: page.next_cursor.as_deref(),
            findings: &page.findings,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Walk {
    kind: &'static str,
    reason: Option<&'static str>,
    message: Option<String>,
}

impl Walk {
    pub(super) fn of(state: &ListingState) -> Self {
        let ListingState::Stopped(why) = state else {
            let complete = *state == ListingState::Complete;
            let kind = if complete { "complete" } else { "more" };
            return Self { kind, reason: None, message: None };
        };
        let reason = match why {
            StopReason::RepeatedCursor => "repeated-cursor",
            StopReason::Idle => "idle",
            StopReason::Pages => "pages",
            StopReason::Skills => "skills",
            StopReason::Failed(_) => "not-json",
        };
        Self { kind: "stopped", reason: Some(reason), message: Some(why.to_string()) }
    }
}
