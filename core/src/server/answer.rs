//! The results of the methods.

use super::{Failure, File, INVALID_PARAMS, METHOD_NOT_FOUND, Skill, SkillServer};
use crate::contents::encode_base64;
use crate::finding::quote;
use crate::protocol::SKILLS_EXTENSION;
use crate::value::{Node, json_string};

/// How long clients may keep a result, in milliseconds.
const TTL_MS: u32 = 300_000;

impl SkillServer {
    /// The result of `method` as JSON.
    pub(super) fn result(
        &self,
        method: &str,
        params: Option<&Node<'_>>,
    ) -> Result<String, Failure> {
        let text = |name: &str| params.and_then(|params| params.get(name)).and_then(Node::as_str);
        let uri = || {
            let message = "params.uri must be a string".to_owned();
            text("uri").ok_or((INVALID_PARAMS, message))
        };
        match method {
            "server/discover" => Ok(self.discover()),
            "skills/list" => self.list(text("cursor")),
            "skills/get" => self.get(uri()?),
            "resources/list" => Ok(self.resources()),
            "resources/read" => self.read(uri()?),
            "resources/directory/read" if self.directory_read => self.directory(uri()?),
            _ => Err((METHOD_NOT_FOUND, format!("{} is not offered here", quote(method)))),
        }
    }

    fn discover(&self) -> String {
        let instructions = self
            .instructions
            .as_ref()
            .map_or_else(String::new, |text| format!(r#""instructions":{},"#, json_string(text)));
        let settings = if self.directory_read { r#"{"directoryRead":true}"# } else { "{}" };
        complete(&format!(
            r#""supportedVersions":["2026-07-28"],"capabilities":{{"resources":{{}},"extensions":{{"{SKILLS_EXTENSION}":{settings}}}}},{instructions}"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":{},"version":{}}}}}"#,
            json_string(&self.name),
            json_string(env!("CARGO_PKG_VERSION")),
        ))
    }

    /// A page. The cursor is the number of entries before it.
    fn list(&self, cursor: Option<&str>) -> Result<String, Failure> {
        let listed: Vec<_> = self.skills.iter().filter(|skill| skill.listed).collect();
        let start = match cursor {
            None => 0,
            Some(cursor) => cursor
                .parse()
                .ok()
                .filter(|start| *start < listed.len())
                .ok_or_else(|| (INVALID_PARAMS, format!("unknown cursor {}", quote(cursor))))?,
        };
        let end = listed.len().min(start + self.page_size);
        let entries: Vec<_> = listed[start..end].iter().map(|skill| skill.entry(true)).collect();
        let next =
            if end < listed.len() { format!(r#","nextCursor":"{end}""#) } else { String::new() };
        Ok(complete(&format!(r#""skills":[{}]{next}"#, entries.join(","))))
    }

    fn get(&self, uri: &str) -> Result<String, Failure> {
        let skill = self.skills.iter().find(|skill| skill.uri() == uri);
        let skill = skill.ok_or_else(|| unknown("skill", uri))?;
        Ok(complete(&format!(r#""skill":{}"#, skill.entry(false))))
    }

    fn resources(&self) -> String {
        let skills = self.skills.iter().filter(|skill| skill.listed);
        let resources: Vec<_> = skills.flat_map(Skill::own_resources).collect();
        complete(&format!(r#""resources":[{}]"#, resources.join(",")))
    }

    fn read(&self, uri: &str) -> Result<String, Failure> {
        let found = self.find(uri);
        let (skill, file) = found.ok_or_else(|| unknown("file", uri))?;
        let bytes = skill.served(file).ok_or_else(|| unknown("file", uri))?;
        let content = match std::str::from_utf8(&bytes) {
            Ok(text) => format!(r#""text":{}"#, json_string(text)),
            Err(_) => format!(r#""blob":"{}""#, encode_base64(&bytes)),
        };
        Ok(complete(&format!(
            r#""contents":[{{"uri":{},"mimeType":"{}",{content}}}]"#,
            json_string(uri),
            file.mime_type(),
        )))
    }

    /// The file at `uri`, with the innermost skill that holds it.
    fn find(&self, uri: &str) -> Option<(&Skill, &File)> {
        let path = uri.strip_prefix("skill://")?;
        let holding = self
            .skills
            .iter()
            .filter_map(|skill| Some((skill, skill.files.iter().find(|file| file.path == path)?)));
        holding.max_by_key(|(skill, _)| skill.path.len())
    }

    /// The direct children of a directory.
    fn directory(&self, uri: &str) -> Result<String, Failure> {
        let path = uri.strip_prefix("skill://").ok_or_else(|| unknown("directory", uri))?;
        let below = format!("{path}/");
        let mut children: Vec<String> = Vec::new();
        for file in self.skills.iter().flat_map(|skill| &skill.files) {
            let Some(rest) = file.path.strip_prefix(&below) else { continue };
            let name = rest.split('/').next().unwrap_or_default();
            let mime_type = if name == rest { file.mime_type() } else { "inode/directory" };
            let child = resource(&format!("{uri}/{name}"), name, mime_type);
            if !children.contains(&child) {
                children.push(child);
            }
        }
        if children.is_empty() {
            return Err(unknown("directory", uri));
        }
        Ok(format!(r#"{{"resultType":"complete","resources":[{}]}}"#, children.join(",")))
    }
}

impl Skill {
    /// Its resources but those of nested skills, which list their own.
    fn own_resources(&self) -> Vec<String> {
        let nested = |file: &&File| {
            let rest = &file.path[self.path.len() + 1..];
            let mut parent = rest;
            while let Some((directory, _)) = parent.rsplit_once('/') {
                let skill_md = format!("{}/{directory}/{}", self.path, crate::uri::SKILL_MD);
                if self.files.iter().any(|other| other.path == skill_md) {
                    return false;
                }
                parent = directory;
            }
            true
        };
        let own = self.files.iter().filter(nested);
        own.map(|file| {
            let uri = format!("skill://{}", file.path);
            if uri == self.uri() {
                return self.skill_md_resource(&uri);
            }
            let name = file.path.rsplit('/').next().unwrap_or_default();
            resource(&uri, name, file.mime_type())
        })
        .collect()
    }

    /// `SKILL.md` carries the frontmatter's name and description.
    fn skill_md_resource(&self, uri: &str) -> String {
        let document = crate::json::read(&self.frontmatter).ok();
        let field = |name: &str| {
            let node = document.as_ref().and_then(|document| document.root.get(name));
            node.and_then(Node::as_str).map(json_string)
        };
        let name = field("name").unwrap_or_else(|| json_string(&self.path));
        let description = field("description").unwrap_or_else(|| json_string(""));
        let uri = json_string(uri);
        format!(
            r#"{{"uri":{uri},"name":{name},"description":{description},"mimeType":"text/markdown"}}"#
        )
    }
}

fn resource(uri: &str, name: &str, mime_type: &str) -> String {
    let (uri, name) = (json_string(uri), json_string(name));
    format!(r#"{{"uri":{uri},"name":{name},"mimeType":"{mime_type}"}}"#)
}

/// A complete result with cache fields around `members`.
fn complete(members: &str) -> String {
    format!(r#"{{"resultType":"complete","ttlMs":{TTL_MS},"cacheScope":"public",{members}}}"#)
}

fn unknown(what: &str, uri: &str) -> Failure {
    (INVALID_PARAMS, format!("unknown {what} {}", quote(uri)))
}
