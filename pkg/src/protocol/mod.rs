//! What `skillglass/protocol` has beyond `skillglass`: replies, results, listings, approvals.

mod answer;

use std::collections::BTreeSet;

use skillglass::entry::{SkillEntry, nested};
use skillglass::finding::Finding;
use skillglass::host::{Approval, approval_state as state_of};
use skillglass::protocol::directory::{Child, against_manifest, read_directory};
use skillglass::protocol::results::{self, holds_in};
use skillglass::protocol::{
    Call, Era, ListLimits, Listing, Message, Reply, ReplyLimits, ReplyReader,
};
use skillglass::uri::Uri;
use skillglass::{entry, json, review};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Problem, encode, encode_result, nullable};
use crate::failure::failure;
use crate::shared::{ApprovalAnswer, Discovered, Params};
use crate::verify::held;
use crate::{Answer, argument};
use answer::{
    Directory, ErrorReply, GotSkill, InvalidReply, ListedSkill, ResultReply, SkillPage, UriParts,
    Walk,
};

/// Splits the URI of a file or a directory.
#[wasm_bindgen(js_name = parseUri)]
pub fn parse_uri(text: &JsValue) -> Answer {
    let text = argument::text(text, "text")?;
    encode_result(Uri::parse(&text).map(UriParts::of).map_err(Problem::uri))
}

/// Reads the HTTP answer to a JSON-RPC request.
#[wasm_bindgen(js_name = readReply)]
pub fn read_reply(reply: &JsValue, request: &JsValue) -> Answer {
    let status = argument::status(&argument::member(reply, "reply", "status")?, "reply.status")?;
    let content_type = argument::member(reply, "reply", "contentType")?;
    let content_type = argument::nullable_text(&content_type, "reply.contentType")?;
    let body = argument::file(&argument::member(reply, "reply", "body")?, "reply.body")?;
    let (id, call) = argument::request(request)?;

    let mut reader = ReplyReader::new(id, status, content_type.as_deref(), ReplyLimits::default());
    let read = reader.push(&body).and_then(|_| reader.finish());
    match read.as_ref().map_err(Clone::clone).and_then(Reply::message) {
        Ok(message) => match message.outcome() {
            Ok(result) => encode(&ResultReply::of(&message, result)),
            Err(error) => encode(&ErrorReply::of(&message, &error, call.as_ref())),
        },
        Err(error) => encode(&InvalidReply::of(status, &error)),
    }
}

/// Reads the result of `server/discover`.
#[wasm_bindgen(js_name = readDiscovery)]
pub fn read_discovery(result_json: &JsValue) -> Answer {
    with_result(result_json, |message| {
        encode(&Discovered::of(&results::read_discovery(&message.document.root)))
    })
}

/// Reads the result of `initialize`.
#[wasm_bindgen(js_name = readInitialize)]
pub fn read_initialize(result_json: &JsValue) -> Answer {
    with_result(result_json, |message| {
        let (_, discovery) = results::read_initialize(&message.document.root);
        encode(&Discovered::of(&discovery))
    })
}

/// Reads the result of `skills/list`.
#[wasm_bindgen(js_name = readSkillPage)]
pub fn read_skill_page(result_json: &JsValue, protocol_version: &JsValue) -> Answer {
    let era = argument::era(protocol_version)?;
    with_result(result_json, |message| {
        let mut page = results::read_skill_page(message, &message.document.root);
        keep_those_of(era, &mut page.findings);
        encode(&SkillPage::of(&page))
    })
}

/// Reads the result of `skills/get`.
#[wasm_bindgen(js_name = readGotSkill)]
pub fn read_got_skill(result_json: &JsValue, uri: &JsValue, protocol_version: &JsValue) -> Answer {
    let uri = argument::text(uri, "uri")?;
    let era = argument::era(protocol_version)?;
    with_result(result_json, |message| {
        let mut got = results::read_got_skill(message, &message.document.root, &uri);
        keep_those_of(era, &mut got.findings);
        encode(&GotSkill::of(&got))
    })
}

/// Reads the result of `resources/directory/read`.
#[wasm_bindgen(js_name = readDirectoryPage)]
pub fn read_directory_page(
    result_json: &JsValue,
    uri: &JsValue,
    protocol_version: &JsValue,
) -> Answer {
    let uri = argument::text(uri, "uri")?;
    let era = argument::era(protocol_version)?;
    with_result(result_json, |message| {
        let mut page = read_directory(&message.document.root, &uri);
        keep_those_of(era, &mut page.findings);
        encode(&Directory::of(&page))
    })
}

/// Compares a complete directory with the manifest of the entry that is held.
#[wasm_bindgen(js_name = checkDirectory)]
pub fn check_directory(entry_json: &JsValue, uri: &JsValue, children: &JsValue) -> Answer {
    let reading = entry::read(&argument::text(entry_json, "entryJson")?);
    let uri = argument::text(uri, "uri")?;
    let children = argument::list(children, "children", |child| {
        let member = |name| argument::member(child, "a child", name);
        Ok(Child {
            uri: argument::text(&member("uri")?, "a child's uri")?,
            name: argument::nullable_text(&member("name")?, "a child's name")?,
            mime_type: argument::nullable_text(&member("mimeType")?, "a child's mimeType")?,
        })
    })?;
    encode(&against_manifest(held(&reading)?, &uri, &children))
}

/// Checks what has to hold between skills whose directories enclose each other.
#[wasm_bindgen(js_name = checkNested)]
pub fn check_nested(entries: &JsValue) -> Answer {
    let readings = argument::list(entries, "entries", |entry_json| {
        Ok(entry::read(&argument::text(entry_json, "an entry")?))
    })?;
    let held: Vec<&SkillEntry> = readings.iter().filter_map(|one| one.entry.as_ref()).collect();
    encode(&nested::check(&held))
}

/// What a person should see in an entry.
#[wasm_bindgen(js_name = reviewEntry)]
pub fn review_entry(entry_json: &JsValue) -> Answer {
    let reading = entry::read(&argument::text(entry_json, "entryJson")?);
    encode(&review::review_entry(held(&reading)?))
}

/// An approval of exactly this entry's files, as text to be kept.
#[wasm_bindgen]
pub fn approve(origin: &JsValue, entry_json: &JsValue) -> Answer {
    let origin = argument::origin(origin)?;
    let reading = entry::read(&argument::text(entry_json, "entryJson")?);
    let approval = Approval::new(&origin, held(&reading)?, BTreeSet::new());
    Ok(nullable(approval.map(|approval| approval.to_json()).as_deref()))
}

/// What a kept approval is worth for an entry.
#[wasm_bindgen(js_name = checkApproval)]
pub fn check_approval(approval: &JsValue, origin: &JsValue, entry_json: &JsValue) -> Answer {
    let approval = argument::nullable_text(approval, "approval")?;
    let origin = argument::origin(origin)?;
    let reading = entry::read(&argument::text(entry_json, "entryJson")?);
    // A text that cannot be read approves nothing.
    let approval = approval.and_then(|text| Approval::read(&text).ok());
    encode(&ApprovalAnswer::of(state_of(approval.as_ref(), &origin, held(&reading)?)))
}

/// The walk over the pages of `skills/list`.
#[wasm_bindgen]
pub struct SkillListing {
    listing: Listing,
    era: Era,
}

#[wasm_bindgen]
impl SkillListing {
    /// A walk that has not begun.
    #[wasm_bindgen(constructor)]
    pub fn new(protocol_version: &JsValue) -> Result<Self, JsValue> {
        let listing = Listing::new(ListLimits::default());
        Ok(Self { listing, era: argument::era(protocol_version)? })
    }

    /// The `params` of the next request, while there is one.
    pub fn next(&self) -> Answer {
        let Some(Call::ListSkills { cursor }) = self.listing.next() else {
            return Ok(JsValue::NULL);
        };
        encode(&Params { uri: None, cursor })
    }

    /// Takes the result of the request that [`SkillListing::next`] gave.
    pub fn receive(&mut self, result_json: &JsValue) -> Result<(), JsValue> {
        let text = argument::text(result_json, "resultJson")?;
        if self.listing.next().is_none() {
            let message = "this walk has ended; make a new SkillListing for another one";
            return Err(failure("finished", message));
        }
        match result(&text) {
            Ok(message) => {
                let mut page = results::read_skill_page(&message, &message.document.root);
                keep_those_of(self.era, &mut page.findings);
                self.listing.receive(page);
            }
            Err(error) => self.listing.fail(error.to_string()),
        }
        Ok(())
    }

    /// Where the walk stands.
    #[wasm_bindgen(getter)]
    pub fn state(&self) -> Answer {
        encode(&Walk::of(self.listing.state()))
    }

    /// The entries so far.
    #[wasm_bindgen(getter)]
    pub fn skills(&self) -> Answer {
        encode(&ListedSkill::all(&self.listing.skills))
    }

    /// What is wrong with the listing itself.
    #[wasm_bindgen(getter)]
    pub fn findings(&self) -> Answer {
        encode(&self.listing.findings)
    }
}

/// A result alone, as the readers of results take it.
fn result(text: &str) -> Result<Message<'_>, json::JsonError> {
    Ok(Message { text, status: 200, id: None, flaw: None, document: json::read(text)? })
}

fn with_result(result_json: &JsValue, read: impl FnOnce(&Message<'_>) -> Answer) -> Answer {
    let text = argument::text(result_json, "resultJson")?;
    match result(&text) {
        Ok(message) => read(&message),
        Err(error) => encode(&Problem::json(error)),
    }
}

/// Drops the findings on rules that an era does not have.
fn keep_those_of(era: Era, findings: &mut Vec<Finding>) {
    findings.retain(|finding| holds_in(era, finding));
}
