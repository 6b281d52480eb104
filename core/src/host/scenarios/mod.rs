//! Hosts and servers in conversation.

mod loads;
#[cfg(not(target_arch = "wasm32"))]
mod order;
mod reads;

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::contents;
use crate::protocol::directory::read_directory;
use crate::protocol::results::{read_discovery, read_got_skill, read_skill_page};
use crate::protocol::{Call, Client, Message, Reply, ReplyLimits, ReplyReader};
use crate::server::{File, Skill, SkillServer};

/// A host, the servers it knows, and every call it made, in order.
struct World {
    host: Host,
    servers: BTreeMap<OriginLabel, SkillServer>,
    sent: Vec<String>,
    now_ms: u64,
}

impl World {
    fn new(policy: Policy, servers: impl IntoIterator<Item = (&'static str, SkillServer)>) -> Self {
        let host = Host::new(policy);
        let mut world = Self { host, servers: BTreeMap::new(), sent: Vec::new(), now_ms: 1_000 };
        for (label, server) in servers {
            world.servers.insert(origin(label), server);
            let discover = Outgoing { origin: origin(label), call: Call::Discover };
            let reply = world.send(&discover);
            let message = reply.message().unwrap();
            world.host.add_origin(&origin(label), &read_discovery(message.outcome().unwrap()));
        }
        world.sent.clear();
        world
    }

    fn send(&mut self, outgoing: &Outgoing) -> Reply {
        let Outgoing { origin, call } = outgoing;
        let subject = call.subject().unwrap_or_default();
        self.sent.push(format!("{origin} {} {subject}", call.method()));
        let request = Client::new("http://localhost/").unwrap().request(call).unwrap();
        let answer = self.servers[origin].answer(&request);
        let kind = answer.content_type.as_deref();
        let mut reader = ReplyReader::new(request.id, answer.status, kind, ReplyLimits::default());
        reader.push(&answer.body).unwrap();
        reader.finish().unwrap()
    }

    fn list(&mut self, label: &str) {
        let call = Call::ListSkills { cursor: None };
        let reply = self.send(&Outgoing { origin: origin(label), call });
        let message = reply.message().unwrap();
        let page = read_skill_page(&message, message.outcome().unwrap());
        self.host.listed(&origin(label), page.skills, page.freshness, self.now_ms).unwrap();
    }

    /// Sends what `step` wants sent, until something else is wanted.
    fn settle(&mut self, skill: &SkillId, mut step: Step) -> Step {
        while let Step::Send(outgoing) = &step {
            let reply = self.send(outgoing);
            let message = reply.message().unwrap();
            step = match &outgoing.call {
                Call::GetSkill { uri } => {
                    let got = message.outcome().map_err(CallFailure::Refused);
                    let got = got.map(|result| read_got_skill(&message, result, uri));
                    self.host.got_skill(skill, got, self.now_ms).unwrap()
                }
                _ => self.host.got_skill_md(skill, answer(&message, skill.uri())).unwrap(),
            };
        }
        step
    }

    fn begin(&mut self, skill: &SkillId) -> Step {
        let step = self.host.begin_load(skill, self.now_ms).unwrap();
        self.settle(skill, step)
    }

    fn refresh(&mut self, skill: &SkillId) -> Step {
        let step = self.host.refresh(skill).unwrap();
        self.settle(skill, step)
    }

    fn approve(&mut self, request: &ApprovalRequest) -> Step {
        self.approve_with(request, [])
    }

    fn approve_with<const N: usize>(
        &mut self,
        request: &ApprovalRequest,
        granted: [PermissionRequest; N],
    ) -> Step {
        let step = self.host.approve(request, BTreeSet::from(granted)).unwrap();
        self.settle(&request.skill, step)
    }

    /// Loads a skill that a person approves.
    fn load(&mut self, skill: &SkillId) -> Loaded {
        let request = asked(self.begin(skill));
        loaded(self.approve(&request))
    }

    fn read(
        &mut self,
        skill: &SkillId,
        reference: &str,
    ) -> Result<TaggedContent<'static>, ReadStop> {
        let outgoing = self.host.read(skill, reference)?;
        let reply = self.send(&outgoing);
        let message = reply.message().unwrap();
        let uri = outgoing.call.subject().unwrap();
        Ok(self.host.got_file(skill, uri, answer(&message, uri))?.into_owned())
    }

    fn directory(&mut self, skill: &SkillId, uri: &str) -> Result<DirectoryView, ReadStop> {
        let outgoing = self.host.read_directory(skill, uri, None)?;
        let reply = self.send(&outgoing);
        let message = reply.message().unwrap();
        let page = read_directory(message.outcome().unwrap(), uri);
        self.host.got_directory(skill, uri, &page.children)
    }

    /// The skill on that server as a change makes it.
    fn change(&mut self, label: &str, path: &str, change: impl FnOnce(&mut Skill)) {
        let server = self.servers.remove(&origin(label)).unwrap();
        self.servers.insert(origin(label), server.with_skill(path, change));
    }

    /// Writes a file of that server anew.
    fn rewrite(&mut self, label: &str, path: &str, text: &'static str) {
        let server = rewritten(&self.servers[&origin(label)], path, text);
        self.servers.insert(origin(label), server);
    }
}

fn answer<'m>(message: &'m Message<'_>, uri: &str) -> FileAnswer<'m> {
    match message.outcome() {
        Ok(result) => contents::read(&message.document, result, uri).into(),
        Err(error) => FileAnswer::Failed(CallFailure::Refused(error)),
    }
}

fn origin(label: &str) -> OriginLabel {
    OriginLabel::new(label).unwrap()
}

fn id(label: &str, path: &str) -> SkillId {
    SkillId::new(&origin(label), &format!("skill://{path}/SKILL.md")).unwrap()
}

fn asked(step: Step) -> ApprovalRequest {
    match step {
        Step::Approve(request) => request,
        other => panic!("expected a request for approval: {other:?}"),
    }
}

fn loaded(step: Step) -> Loaded {
    match step {
        Step::Loaded(loaded) => loaded,
        other => panic!("expected a loaded skill: {other:?}"),
    }
}

fn stopped(step: Step) -> Stop {
    match step {
        Step::Stopped(stop) => stop,
        other => panic!("expected a stop: {other:?}"),
    }
}

const TIDY: &str =
    "---\nname: tidy\ndescription: Tidies up.\nallowed-tools: Read Bash(rm *)\n---\n# Tidy\n";

/// A server with the skill `acme/tidy`, which has two more files.
fn tidy() -> SkillServer {
    serve(&[
        ("acme/tidy/SKILL.md", TIDY),
        ("acme/tidy/references/rules.md", "# Rules\n"),
        ("acme/tidy/scripts/sort.py", "print()\n"),
    ])
}

fn serve(files: &[(&'static str, &'static str)]) -> SkillServer {
    let files = files.iter().map(|(path, text)| File::new(path, text.as_bytes()));
    SkillServer::new("a name no host believes", files)
}

/// The server with another text in one file, or with one more.
fn rewritten(server: &SkillServer, path: &str, text: &'static str) -> SkillServer {
    let others = server.files().iter().filter(|file| file.path() != path);
    let files = others.map(|file| File::clone(file)).chain([File::new(path, text.as_bytes())]);
    SkillServer::new("a name no host believes", files.collect::<Vec<_>>())
}

const OUTER: &str = "---\nname: outer\ndescription: Holds another.\n---\n";
const INNER: &str = "---\nname: inner\ndescription: Lies inside.\nallowed-tools: Bash\n---\n";
