//! Cases that record a conversation: capabilities, then questions and answers.

use skillglass::entry::{self, SkillEntry};
use skillglass::finding::Finding;
use skillglass::protocol::directory::{Child, against_manifest, read_directory};
use skillglass::protocol::results::{
    Discovery, judge_not_found, read_discovery, read_got_skill, read_skill_page,
};
use skillglass::protocol::{Call, ListLimits, Listing, Message, Reply, ReplyLimits, ReplyReader};
use skillglass::value::Node;

use crate::Judged;
use crate::kinds::{by_level, member};

/// The id that recorded event streams answer to.
const RECORDED_ID: u64 = 1;

/// The verdict on a recorded conversation.
pub(crate) fn judge(root: &Node<'_>, text: &str) -> Result<Judged, String> {
    let discovery = read_discovery(root);
    let entry = root.get("entry").and_then(|entry| entry::read(entry.span.of(text)).entry);
    let mut talk = Talk {
        discovery,
        entry,
        listing: Listing::new(ListLimits::default()),
        children: Vec::new(),
        directory: None,
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
    discovery: Discovery,
    entry: Option<SkillEntry>,
    listing: Listing,
    children: Vec<Child>,
    directory: Option<String>,
    findings: Vec<Finding>,
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
            Err(error) => match judge_not_found(&call, &error) {
                Some(finding) => self.findings.push(finding),
                None if matches!(call, Call::GetSkill { .. } | Call::ReadDirectory { .. }) => {}
                None => return Err(error.to_string()),
            },
        }
        Ok(())
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
                self.findings.extend(got.reading.into_iter().flat_map(|reading| reading.findings));
            }
            Call::ReadDirectory { uri, .. } => {
                let page = read_directory(result, uri);
                self.findings.extend(page.findings);
                self.children.extend(page.children);
                self.directory = Some(uri.clone());
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        if let (Some(entry), Some(directory)) = (&self.entry, &self.directory)
            && !directory.ends_with('/')
        {
            self.findings.extend(against_manifest(entry, directory, &self.children));
        }
        self.findings.extend(self.discovery.findings);
        self.findings.extend(self.listing.findings);
        self.findings.extend(self.listing.skills.into_iter().flat_map(|skill| skill.findings));
        self.findings
    }
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
        return Ok(Reply { status: 200, text: response.span.of(text).to_owned(), id: None });
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
