//! Cases that record a conversation: capabilities, then questions and answers.

use std::collections::{BTreeMap, BTreeSet};

use skillglass::entry::diff::EntryDiff;
use skillglass::entry::{self, SkillEntry, nested};
use skillglass::finding::{Finding, Section};
use skillglass::protocol::directory::{Child, ManifestTree, against_manifest, read_directory};
use skillglass::protocol::results::{
    Discovery, holds_in, judge_not_found, read_discovery, read_got_skill, read_skill_page,
};
use skillglass::protocol::{
    Call, Era, ListLimits, Listing, Message, PROTOCOL_VERSION, Reply, ReplyLimits, ReplyReader,
};
use skillglass::value::Node;

use crate::Judged;
use crate::kinds::{by_level, member};

/// The id that recorded event streams answer to.
const RECORDED_ID: u64 = 1;

/// The verdict on a recorded conversation.
pub(crate) fn judge(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let discovery = read_discovery(root);
    let entry = root.get("entry").and_then(|entry| entry::read(entry.span.of(text)).entry);
    let version = root.get("protocolVersion").and_then(Node::as_str).unwrap_or(PROTOCOL_VERSION);
    let mut talk = Talk {
        era: if version == PROTOCOL_VERSION { Era::Modern } else { Era::Legacy },
        discovery,
        entry,
        listing: Listing::new(ListLimits::default()),
        directories: BTreeMap::new(),
        findings: Vec::new(),
    };
    let exchanges = root.get("exchanges").and_then(Node::as_array).unwrap_or_default();
    for exchange in exchanges {
        if let Err(reason) = talk.exchange(exchange, text) {
            return Ok(Judged::new("error", reason));
        }
    }
    Ok(by_level(&talk.finish(), "error", "warn", "ok"))
}

struct Talk {
    era: Era,
    discovery: Discovery,
    entry: Option<SkillEntry>,
    listing: Listing,
    directories: BTreeMap<String, Directory>,
    findings: Vec<Finding>,
}

/// What came of one directory.
#[derive(Default)]
struct Directory {
    children: Vec<Child>,
    cursors: BTreeSet<String>,
}

impl Talk {
    /// Judges one question and its answer; `Err` is an answer that is no message, or a call that
    /// must not be made.
    fn exchange(&mut self, exchange: &Node<'_>, text: &str) -> Result<(), String> {
        let request = exchange.get("request").ok_or("an exchange has no request")?;
        let call = call(request)?;
        self.allowed(&call)?;
        let reply = reply(exchange, text)?;
        let message = reply.message().map_err(|error| error.to_string())?;
        self.findings.extend(message.findings());
        match message.outcome() {
            Ok(result) => self.result(&call, &message, result),
            Err(_) if self.is_known(&call) => return Err("it is listed, and unknown".to_owned()),
            Err(error) => match judge_not_found(&call, &error) {
                Some(finding) => self.findings.push(finding),
                None if matches!(call, Call::GetSkill { .. } | Call::ReadDirectory { .. }) => {}
                None => return Err(error.to_string()),
            },
        }
        Ok(())
    }

    /// Whether the server itself has named what is asked for.
    fn is_known(&self, call: &Call) -> bool {
        match call {
            Call::GetSkill { uri } => self.listed(uri).is_some(),
            Call::ReadDirectory { uri, .. } => {
                let tree = self.entry.as_ref().and_then(ManifestTree::new);
                tree.is_some_and(|tree| tree.holds(uri))
            }
            _ => false,
        }
    }

    fn listed(&self, uri: &str) -> Option<&SkillEntry> {
        let mut held = self.listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        held.find(|entry| entry.uri == uri)
    }

    fn allowed(&self, call: &Call) -> Result<(), String> {
        let directory = matches!(call, Call::ReadDirectory { .. });
        let skills = matches!(call, Call::ListSkills { .. } | Call::GetSkill { .. });
        if directory && !self.discovery.directory_read {
            return Err("directoryRead is not declared, so it must not be called".to_owned());
        }
        if skills && !self.discovery.skills {
            return Err("the extension is not declared, so it must not be called".to_owned());
        }
        Ok(())
    }

    fn result(&mut self, call: &Call, message: &Message<'_>, result: &Node<'_>) {
        match call {
            Call::ListSkills { .. } => self.listing.receive(read_skill_page(message, result)),
            Call::GetSkill { uri } => {
                let got = read_got_skill(message, result, uri);
                self.findings.extend(got.findings);
                let Some(reading) = got.reading else { return };
                if let (Some(listed), Some(got)) = (self.listed(uri), &reading.entry) {
                    self.findings.extend(EntryDiff::between(listed, got).finding());
                }
                self.findings.extend(reading.findings);
            }
            Call::ReadDirectory { uri, .. } => {
                let page = read_directory(result, uri);
                self.findings.extend(page.findings);
                let directory = self.directories.entry(uri.clone()).or_default();
                for child in page.children {
                    if directory.children.iter().any(|known| known.uri == child.uri) {
                        self.findings
                            .push(broken("directory-pagination-complete", "a child twice"));
                    }
                    directory.children.push(child);
                }
                if page.next_cursor.is_some_and(|cursor| !directory.cursors.insert(cursor)) {
                    self.findings.push(broken("directory-read-pagination", "the pages go round"));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        for (uri, directory) in self.directories.iter().filter(|(uri, _)| !uri.ends_with('/')) {
            if let Some(entry) = &self.entry {
                self.findings.extend(against_manifest(entry, uri, &directory.children));
            }
        }
        let held = self.listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        self.findings.extend(nested::check(&held.collect::<Vec<_>>()));
        self.findings.extend(self.discovery.findings);
        self.findings.extend(self.listing.findings);
        self.findings.extend(self.listing.skills.into_iter().flat_map(|skill| skill.findings));
        self.findings.retain(|finding| holds_in(self.era, finding));
        self.findings
    }
}

fn broken(id: &'static str, message: &str) -> Finding {
    Finding::must(id, Section::Directories, message)
}

fn call(request: &Node<'_>) -> Result<Call, String> {
    let params = request.get("params");
    let text = |name: &str| {
        params.and_then(|params| params.get(name)).and_then(Node::as_str).map(str::to_owned)
    };
    let uri = || text("uri").ok_or("a request has no uri");
    Ok(match member(request, "method")? {
        "skills/list" => Call::ListSkills { cursor: text("cursor") },
        "skills/get" => Call::GetSkill { uri: uri()? },
        "resources/read" => Call::ReadResource { uri: uri()? },
        "resources/list" => Call::ListResources { cursor: text("cursor") },
        "resources/directory/read" => Call::ReadDirectory { uri: uri()?, cursor: text("cursor") },
        "server/discover" => Call::Discover,
        other => return Err(format!("no such method: {other}")),
    })
}

/// The answer as a message: recorded as HTTP, or as the response alone.
fn reply(exchange: &Node<'_>, text: &str) -> Result<Reply, String> {
    let Some(http) = exchange.get("http") else {
        let response = exchange.get("response").ok_or("an exchange has no response")?;
        return Ok(Reply {
            status: 200,
            text: response.span.of(text).to_owned(),
            id: None,
            flaw: None,
        });
    };
    if let Some(error) = http.get("error").and_then(Node::as_str) {
        return Err(error.to_owned());
    }
    let status = http.get("status").and_then(Node::as_count).unwrap_or_default();
    let headers = http.get("headers").and_then(Node::as_object).unwrap_or_default();
    let kind = headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
    let kind = kind.and_then(|header| header.node.as_str());
    let status = u16::try_from(status).unwrap_or_default();
    let mut reader = ReplyReader::new(RECORDED_ID, status, kind, ReplyLimits::default());
    let body = http.get("body").and_then(Node::as_str).unwrap_or_default();
    reader.push(body.as_bytes()).map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())
}
