//! A small server for skills, without I/O: from a message to its answer.
//!
//! It speaks the whole extension: `skills/list` with pages, `skills/get`, `resources/list`,
//! `resources/read` and `resources/directory/read`. [`SkillServer::answer`] is for clients of
//! revision `2026-07-28`; [`SkillServer::answer_http`] and [`SkillServer::answer_line`] are for
//! clients of every era. What it serves is a snapshot: a cursor of another tree is refused. A
//! [`Gate`] keeps web pages out that nobody named. The demonstration servers are made of it; a
//! [`Fault`] makes it break one rule on purpose.

mod answer;
mod fault;
mod gate;
mod message;
mod skill;

use std::collections::HashMap;
use std::sync::Arc;

pub use fault::Fault;
pub use gate::{Gate, Misnomer, Refused, preflight, readable};
pub use skill::{File, Skill};

use crate::digest::Hasher;
use crate::protocol::{HttpReply, HttpRequest};
use message::Message;

/// What every URI of this server begins with.
const SCHEME: &str = "skill://";

/// A server and its skills.
///
/// ```
/// use skillglass::protocol::{Call, Client};
/// use skillglass::server::{File, SkillServer};
/// let files = [File::new("tidy/SKILL.md", b"---\nname: tidy\ndescription: Tidies up.\n---\n")];
/// let server = SkillServer::new("example", files);
/// let mut client = Client::new("http://localhost/").unwrap();
/// let request = client.request(&Call::ListSkills { cursor: None }).unwrap();
/// let reply = server.answer(&request);
/// assert_eq!(reply.status, 200);
/// ```
#[derive(Clone, Debug)]
pub struct SkillServer {
    name: String,
    instructions: Option<String>,
    /// The files of all skills, in the order of their paths.
    files: Vec<Arc<File>>,
    skills: Vec<Skill>,
    skill_at: HashMap<String, usize>,
    /// What tells this tree from another one, at the end of each cursor.
    snapshot: String,
    page_size: usize,
    ttl_ms: u32,
    directory_read: bool,
}

impl SkillServer {
    /// A server for a tree of files. Each directory with a `SKILL.md` is a skill, at
    /// `skill://` and its path; a nested skill is one of its own and part of what encloses it.
    /// Files that are in no skill are not served. Of two files at one path the first is.
    #[must_use]
    pub fn new(name: &str, files: impl IntoIterator<Item = File>) -> Self {
        let mut files: Vec<_> = files.into_iter().map(Arc::new).collect();
        files.sort_by(|a, b| a.path().cmp(b.path()));
        files.dedup_by(|a, b| a.path() == b.path());
        let server = Self {
            name: name.to_owned(),
            instructions: None,
            skills: skill::collect(&files),
            skill_at: HashMap::new(),
            snapshot: String::new(),
            files,
            page_size: 50,
            ttl_ms: 300_000,
            directory_read: true,
        };
        server.keep(|_| true)
    }

    /// Puts at most `size` entries on a page of `skills/list`, at least one.
    #[must_use]
    pub fn page_size(mut self, size: usize) -> Self {
        self.page_size = size.max(1);
        self
    }

    /// Lets clients keep a result for so many milliseconds; five minutes if this is not called.
    #[must_use]
    pub const fn ttl_ms(mut self, ttl_ms: u32) -> Self {
        self.ttl_ms = ttl_ms;
        self
    }

    /// Says this to clients in `server/discover`.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.to_owned());
        self
    }

    /// Declares `directoryRead` or not.
    #[must_use]
    pub const fn directory_read(mut self, declared: bool) -> Self {
        self.directory_read = declared;
        self
    }

    /// Changes the skill at `path` (`acme/refunds`), if there is one.
    #[must_use]
    pub fn with_skill(mut self, path: &str, change: impl FnOnce(&mut Skill)) -> Self {
        if let Some(skill) = self.skill_at.get(path).and_then(|at| self.skills.get_mut(*at)) {
            change(skill);
        }
        self
    }

    /// Serves the skills that `wanted` says yes to, and no others. Files of a nested skill that goes
    /// stay as supporting files of the skill that holds it.
    #[must_use]
    pub fn keep(mut self, wanted: impl Fn(&Skill) -> bool) -> Self {
        self.skills.retain(wanted);
        self.skill_at = by_path(&self.skills);
        let files = std::mem::take(&mut self.files);
        self.files = files.into_iter().filter(|file| self.owner(file.path()).is_some()).collect();
        self.snapshot = snapshot(&self.files);
        self
    }

    /// Puts `text` at the end of the file at `uri`, as somebody does who goes on writing it. Its entry
    /// follows.
    ///
    /// ```
    /// use skillglass::server::{File, SkillServer};
    /// let files = [File::new("tidy/SKILL.md", b"---\nname: tidy\ndescription: Tidies up.\n---\n")];
    /// let before = SkillServer::new("example", files);
    /// let after = before.clone().append("skill://tidy/SKILL.md", b"Put it back.\n");
    /// assert_eq!(after.files()[0].bytes().len(), before.files()[0].bytes().len() + 13);
    /// assert_ne!(after.skills()[0].entry(true), before.skills()[0].entry(true));
    /// ```
    #[must_use]
    pub fn append(mut self, uri: &str, text: &[u8]) -> Self {
        let path = uri.strip_prefix(SCHEME).unwrap_or_default();
        let of_skills = self.skills.iter_mut().flat_map(|skill| &mut skill.files);
        for file in self.files.iter_mut().chain(of_skills).filter(|file| file.path() == path) {
            *file = Arc::new(File::new(path, [file.bytes(), text].concat()));
        }
        self.snapshot = snapshot(&self.files);
        self
    }

    /// The skills, in the order they are listed.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// The files of all skills, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> &[Arc<File>] {
        &self.files
    }

    /// What the cursors of this tree end with.
    #[cfg(test)]
    pub(crate) fn snapshot(&self) -> &str {
        &self.snapshot
    }

    /// Answers a request over HTTP of a client that speaks revision `2026-07-28`.
    #[must_use]
    pub fn answer(&self, request: &HttpRequest) -> HttpReply {
        match Message::read(&request.body) {
            Ok(message) => self.answer_modern(request, &message),
            Err(refused) => refused.http(),
        }
    }

    /// The innermost skill that holds a path.
    fn owner(&self, path: &str) -> Option<&Skill> {
        let mut directory = path;
        loop {
            (directory, _) = directory.rsplit_once('/')?;
            if let Some(at) = self.skill_at.get(directory) {
                return self.skills.get(*at);
            }
        }
    }
}

/// Where each skill stands, by its path.
fn by_path(skills: &[Skill]) -> HashMap<String, usize> {
    skills.iter().enumerate().map(|(at, skill)| (skill.path.clone(), at)).collect()
}

/// Paths and digests of all files, in eight hexadecimal digits.
fn snapshot(files: &[Arc<File>]) -> String {
    let mut hasher = Hasher::new();
    for file in files {
        hasher.update(format!("{}\n{}\n", file.digest(), file.path()).as_bytes());
    }
    hasher.finish().hex()[..8].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Call, Client, Header};

    fn tree(paths: &[&str]) -> SkillServer {
        let file = |path: &&str| {
            let name = path.rsplit('/').nth(1).unwrap_or_default();
            let text = format!("---\nname: {name}\ndescription: {path}\n---\n");
            File::new(path, text.into_bytes())
        };
        SkillServer::new("test", paths.iter().map(file))
    }

    fn text(reply: &HttpReply) -> String {
        String::from_utf8(reply.body.clone()).unwrap()
    }

    fn ask(server: &SkillServer, call: &Call) -> String {
        let request = Client::new("http://localhost/").unwrap().request(call).unwrap();
        text(&server.answer(&request))
    }

    /// The value of a string member, wherever it stands first.
    fn member(text: &str, name: &str) -> Option<String> {
        let rest = text.split_once(&format!("\"{name}\":\""))?.1;
        Some(rest.split('"').next()?.to_owned())
    }

    /// Every page of a walk.
    fn pages(server: &SkillServer, call: impl Fn(Option<String>) -> Call) -> Vec<String> {
        let mut pages = vec![ask(server, &call(None))];
        while let Some(cursor) = member(pages.last().unwrap(), "nextCursor") {
            pages.push(ask(server, &call(Some(cursor))));
        }
        pages
    }

    #[test]
    fn every_directory_is_read_whatever_sorts_between_its_files() {
        let server =
            tree(&["a/SKILL.md", "a/x-y", "a/x/1", "a/x/2", "a/x.z", "a-b/SKILL.md", "out"]);
        let children = |uri: &str| {
            let call = Call::ReadDirectory { uri: uri.to_owned(), cursor: None };
            let answer = ask(&server, &call);
            let names = answer.split("\"name\":\"").skip(1);
            names.map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(children("skill://a"), ["SKILL.md", "x-y", "x.z", "x"]);
        assert_eq!(children("skill://a/x"), ["1", "2"]);
        assert_eq!(children("skill://a/x-y"), Vec::<String>::new());
        assert_eq!(server.files().len(), 6, "what is in no skill is not served");
        assert!(ask(&server, &Call::ReadResource { uri: "skill://out".into() }).contains("-32602"));
    }

    #[test]
    fn walks_over_pages_miss_nothing() {
        let names: Vec<_> = (0..2_500).map(|number| format!("a/f{number:04}")).collect();
        let mut paths: Vec<_> = names.iter().map(String::as_str).collect();
        paths.extend(["a/SKILL.md", "b/SKILL.md", "c/SKILL.md"]);
        let server = tree(&paths).page_size(1).with_skill("b", |skill| skill.listed = false);
        let listed = pages(&server, |cursor| Call::ListSkills { cursor });
        assert_eq!(listed.len(), 2);
        let directory =
            pages(&server, |cursor| Call::ReadDirectory { uri: "skill://a".into(), cursor });
        let resources = pages(&server, |cursor| Call::ListResources { cursor });
        let count = |pages: &[String]| {
            pages.iter().map(|page| page.matches("\"uri\"").count()).sum::<usize>()
        };
        assert_eq!((directory.len(), count(&directory)), (3, 2_501));
        assert_eq!((resources.len(), count(&resources)), (3, 2_502));
    }

    #[test]
    fn a_cursor_of_another_tree_is_refused() {
        let server = tree(&["a/SKILL.md", "b/SKILL.md"]).page_size(1);
        let first = ask(&server, &Call::ListSkills { cursor: None });
        let next = Call::ListSkills { cursor: member(&first, "nextCursor") };
        assert!(ask(&server, &next).contains("skill://b/SKILL.md"));
        let changed = tree(&["a/SKILL.md", "b/SKILL.md", "b/new"]).page_size(1);
        for cursor in
            [member(&first, "nextCursor").unwrap(), "1".into(), "x.".into(), String::new()]
        {
            assert!(ask(&changed, &Call::ListSkills { cursor: Some(cursor) }).contains("-32602"));
        }
    }

    #[test]
    fn both_eras_are_spoken_over_http() {
        let server = tree(&["a/SKILL.md"]);
        let mut client = Client::new("http://localhost/").unwrap();
        let modern = client.request(&Call::ListSkills { cursor: None }).unwrap();
        assert!(text(&server.answer_http(&modern)).contains("\"resultType\":\"complete\""));
        let greeting = text(&server.answer_http(&client.initialize()));
        assert!(
            greeting.contains("\"protocolVersion\":\"2025-11-25\"")
                && greeting.contains("extensions")
        );
        assert_eq!(server.answer_http(&client.initialized()).status, 202);
        let version = Some("2025-06-18".to_owned());
        client.set_wire(crate::protocol::Wire::Legacy { version, session: None });
        let older = client.request(&Call::ListSkills { cursor: None }).unwrap();
        let older = text(&server.answer_http(&older));
        assert!(older.contains("skill://a/SKILL.md"));
        assert!(!older.contains("resultType") && !older.contains("ttlMs"), "{older}");
    }

    #[test]
    fn a_pipe_has_no_headers() {
        let server = tree(&["a/SKILL.md"]);
        let mut client = Client::over_pipe();
        let read =
            client.request(&Call::ReadResource { uri: "skill://a/SKILL.md".into() }).unwrap();
        assert!(server.answer_line(&read.body).unwrap().contains("\"contents\""));
        assert!(server.answer_line(&client.initialize().body).unwrap().contains("serverInfo"));
        assert_eq!(server.answer_line(r#"{"jsonrpc":"2.0","id":"q","result":{}}"#), None);
        assert!(server.answer_line("nonsense").unwrap().contains("-32700"));
    }

    #[test]
    fn what_is_wrong_with_a_request_is_refused_before_it_is_read() {
        let server = tree(&["a/SKILL.md"]);
        let uri = "skill://a/é".to_owned();
        let sound = Client::new("http://localhost/").unwrap().request(&Call::ReadResource { uri });
        let sound = sound.unwrap();
        let broken = |change: &dyn Fn(&mut HttpRequest)| {
            let mut request = sound.clone();
            change(&mut request);
            let reply = server.answer_http(&request);
            (reply.status, text(&reply))
        };
        let without = |name: &'static str| {
            broken(&|request| request.headers.retain(|header| header.name != name))
        };
        let with = |name: &str, value: &str| {
            broken(&|request| {
                request.headers.retain(|header| header.name != name);
                let (name, value) = (name.to_owned(), value.to_owned());
                request.headers.push(Header { name, value, secret: false });
            })
        };
        assert_eq!(broken(&|_| ()).0, 200, "the file is unknown, the request is sound");
        for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
            let (status, body) = without(name);
            assert!(status == 400 && body.contains("-32020"), "{name}: {status} {body}");
        }
        assert!(with("Mcp-Name", "skill://a/other").1.contains("-32020"));
        assert_eq!(with("Content-Type", "text/plain").0, 415);
        assert_eq!(without("Content-Type").0, 415);
        assert_eq!(with("Accept", "text/html").0, 406);
        let replaced = |from: &str, to: &str| {
            assert!(sound.body.contains(from), "{from}");
            broken(&|request| request.body = request.body.replacen(from, to, 1))
        };
        let (status, body) = replaced("2026-07-28", "2027-01-01");
        assert!(status == 400 && body.contains("\"supported\":[\"2026-07-28\"]"), "{body}");
        assert!(replaced("clientCapabilities", "x").1.contains("-32602"));
        for id in ["null", "1.5", "true"] {
            assert!(replaced("\"id\":0", &format!("\"id\":{id}")).1.contains("-32600"), "{id}");
        }
        assert!(replaced("{\"jsonrpc\"", "[{\"jsonrpc\"").1.contains("-32700"));
        assert!(
            broken(&|request| request.body = format!("[{}]", request.body)).1.contains("-32600")
        );
        let (status, body) = replaced("resources/read", "tools/list");
        assert!(status == 400 && body.contains("-32020"), "{body}");
    }
}
