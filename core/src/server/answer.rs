//! The results of the methods.

use std::sync::Arc;

use super::message::{DISCOVER, Refusal, settled};
use super::skill::{below, from};
use super::{File, SCHEME, Skill, SkillServer};
use crate::contents::encode_base64;
use crate::finding::quote;
use crate::protocol::{Era, INVALID_PARAMS, METHOD_NOT_FOUND, PROTOCOL_VERSION, SKILLS_EXTENSION};
use crate::uri::decode_lossy;
use crate::value::{Node, json_string};

/// How many resources or children are on a page.
const PAGE_OF_RESOURCES: usize = 1_000;

/// The items of a page, and the cursor of the next one.
type Page = (String, Option<String>);

impl SkillServer {
    /// The result of `method` as JSON.
    pub(super) fn result(
        &self,
        method: &str,
        params: Option<&Node<'_>>,
        era: Era,
    ) -> Result<String, Refusal> {
        let text = |name: &str| params.and_then(|params| params.get(name)).and_then(Node::as_str);
        let uri = || {
            let message = "params.uri must be a string";
            text("uri").ok_or_else(|| Refusal::new(INVALID_PARAMS, message))
        };
        let cursor = params.and_then(|params| params.get("cursor"));
        let place = || cursor.map(|cursor| self.place(cursor)).transpose();
        let number = || match place()? {
            None => Ok(0),
            Some(place) => place.parse().map_err(|_| unknown("cursor", place)),
        };
        match (method, era) {
            (DISCOVER, Era::Modern) => Ok(self.discover()),
            ("initialize", Era::Legacy) => Ok(self.initialize(params)),
            ("ping", Era::Legacy) => Ok("{}".to_owned()),
            ("skills/list", _) => Ok(self.cacheable(era, &paged("skills", self.list(number()?)))),
            ("skills/get", _) => Ok(self.cacheable(era, &self.get(uri()?)?)),
            ("resources/list", _) => {
                Ok(self.cacheable(era, &paged("resources", self.resources(number()?))))
            }
            ("resources/templates/list", _) => Ok(self.cacheable(era, r#""resourceTemplates":[]"#)),
            ("resources/read", _) => Ok(self.cacheable(era, &self.read(uri()?)?)),
            // The official client refuses a directory without the cache fields.
            ("resources/directory/read", _) if self.directory_read => {
                Ok(self.cacheable(era, &paged("resources", self.directory(uri()?, place()?)?)))
            }
            _ => {
                let message = format!("{} is not offered here", quote(method));
                Err(Refusal::new(METHOD_NOT_FOUND, message))
            }
        }
    }

    fn discover(&self) -> String {
        let about = self.about();
        let info = self.info();
        self.cacheable(
            Era::Modern,
            &format!(
                r#""supportedVersions":["{PROTOCOL_VERSION}"],{about},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}"#
            ),
        )
    }

    fn initialize(&self, params: Option<&Node<'_>>) -> String {
        let (version, about, info) = (settled(params), self.about(), self.info());
        format!(r#"{{"protocolVersion":"{version}",{about},"serverInfo":{info}}}"#)
    }

    /// What it can do, and what it says to clients.
    fn about(&self) -> String {
        let settings = if self.directory_read { r#"{"directoryRead":true}"# } else { "{}" };
        let instructions = self
            .instructions
            .as_ref()
            .map_or_else(String::new, |text| format!(r#","instructions":{}"#, json_string(text)));
        format!(
            r#""capabilities":{{"resources":{{}},"extensions":{{"{SKILLS_EXTENSION}":{settings}}}}}{instructions}"#
        )
    }

    fn info(&self) -> String {
        let (name, version) = (json_string(&self.name), json_string(env!("CARGO_PKG_VERSION")));
        format!(r#"{{"name":{name},"version":{version}}}"#)
    }

    /// A complete result around `members`, with the cache fields that 2026-07-28 wants.
    fn cacheable(&self, era: Era, members: &str) -> String {
        match era {
            Era::Modern => {
                let ttl_ms = self.ttl_ms;
                complete(era, &format!(r#""ttlMs":{ttl_ms},"cacheScope":"public",{members}"#))
            }
            Era::Legacy => complete(era, members),
        }
    }

    /// The place a cursor stands for, if this tree gave it.
    fn place<'c>(&self, cursor: &'c Node<'_>) -> Result<&'c str, Refusal> {
        let text = cursor.as_str().unwrap_or_default();
        let place = text.strip_suffix(&self.snapshot).and_then(|rest| rest.strip_suffix('.'));
        place.ok_or_else(|| unknown("cursor", text))
    }

    fn cursor(&self, place: impl std::fmt::Display) -> String {
        format!("{place}.{}", self.snapshot)
    }

    /// A page of entries, behind the first `begin` skills.
    fn list(&self, begin: usize) -> Page {
        let mut listed =
            self.skills.iter().enumerate().skip(begin).filter(|(_, skill)| skill.listed);
        let entries: Vec<_> =
            listed.by_ref().take(self.page_size).map(|(_, skill)| skill.entry(true)).collect();
        (entries.join(","), listed.next().map(|(at, _)| self.cursor(at)))
    }

    fn get(&self, uri: &str) -> Result<String, Refusal> {
        let path = uri.strip_prefix(SCHEME).and_then(|path| path.strip_suffix("/SKILL.md"));
        let at = path.and_then(|path| self.skill_at.get(path));
        let skill = at.and_then(|at| self.skills.get(*at)).ok_or_else(|| unknown("skill", uri))?;
        Ok(format!(r#""skill":{}"#, skill.entry(false)))
    }

    /// A page of the listed skills' files, behind the first `begin` files.
    fn resources(&self, begin: usize) -> Page {
        let owned = |(at, file)| Some((at, file, self.owner(File::path(file))?));
        let files = self.files.iter().map(Arc::as_ref).enumerate().skip(begin);
        let mut listed = files.filter_map(owned).filter(|(_, _, skill)| skill.listed);
        let page = listed.by_ref().take(PAGE_OF_RESOURCES);
        let resources: Vec<_> = page.map(|(_, file, skill)| skill.resource(file)).collect();
        (resources.join(","), listed.next().map(|(at, ..)| self.cursor(at)))
    }

    fn read(&self, uri: &str) -> Result<String, Refusal> {
        let not_there = || unknown("file", uri);
        let file = self.file(uri).ok_or_else(not_there)?;
        let skill = self.owner(file.path()).ok_or_else(not_there)?;
        let bytes = skill.served(file).ok_or_else(not_there)?;
        let content = match std::str::from_utf8(&bytes) {
            Ok(text) => format!(r#""text":{}"#, json_string(text)),
            Err(_) => format!(r#""blob":"{}""#, encode_base64(&bytes)),
        };
        let (uri, mime_type) = (json_string(uri), file.mime_type());
        Ok(format!(r#""contents":[{{"uri":{uri},"mimeType":"{mime_type}",{content}}}]"#))
    }

    fn file(&self, uri: &str) -> Option<&File> {
        let path = uri.strip_prefix(SCHEME)?;
        let file = self.files.get(from(&self.files, path))?;
        (file.path() == path).then_some(file)
    }

    /// A page of the direct children of a directory, from the child `first` on.
    fn directory(&self, uri: &str, first: Option<&str>) -> Result<Page, Refusal> {
        let path = uri.strip_prefix(SCHEME).ok_or_else(|| unknown("directory", uri))?;
        let mut rest = below(&self.files, path);
        if rest.is_empty() {
            return Err(unknown("directory", uri));
        }
        rest = &rest[from(rest, &format!("{path}/{}", first.unwrap_or_default()))..];
        let mut children = Vec::new();
        while let Some(file) = rest.first() {
            let name = &file.path()[path.len() + 1..];
            let name = name.split_once('/').map_or(name, |(directory, _)| directory);
            if children.len() == PAGE_OF_RESOURCES {
                return Ok((children.join(","), Some(self.cursor(name))));
            }
            let child = format!("{path}/{name}");
            let files = below(rest, &child).len();
            let mime_type = if files > 0 { "inode/directory" } else { file.mime_type() };
            children.push(resource(&format!("{SCHEME}{child}"), name, mime_type));
            rest = &rest[files.max(1)..];
        }
        Ok((children.join(","), None))
    }
}

impl Skill {
    /// A file in the listing of resources; `SKILL.md` carries the frontmatter's name and
    /// description.
    fn resource(&self, file: &File) -> String {
        let uri = file.uri();
        if uri != self.uri() {
            let name = file.path().rsplit('/').next().unwrap_or_default();
            return resource(&uri, name, file.mime_type());
        }
        let document = crate::json::read(&self.frontmatter).ok();
        let field = |name: &str| {
            let node = document.as_ref().and_then(|document| document.root.get(name));
            node.and_then(Node::as_str).map(json_string)
        };
        let name = field("name").unwrap_or_else(|| json_string(&self.path));
        let description = field("description").unwrap_or_else(|| json_string(""));
        let uri = json_string(&uri);
        format!(
            r#"{{"uri":{uri},"name":{name},"description":{description},"mimeType":"text/markdown"}}"#
        )
    }
}

fn resource(uri: &str, name: &str, mime_type: &str) -> String {
    let (uri, name) = (json_string(uri), json_string(&decode_lossy(name)));
    format!(r#"{{"uri":{uri},"name":{name},"mimeType":"{mime_type}"}}"#)
}

/// The members of a page: an array of items, and the cursor of the next page.
fn paged(items: &str, (page, next): Page) -> String {
    let next =
        next.map_or_else(String::new, |next| format!(r#","nextCursor":{}"#, json_string(&next)));
    format!(r#""{items}":[{page}]{next}"#)
}

/// A result around `members`. Only 2026-07-28 has kinds of results.
fn complete(era: Era, members: &str) -> String {
    match era {
        Era::Modern => format!(r#"{{"resultType":"complete",{members}}}"#),
        Era::Legacy => format!("{{{members}}}"),
    }
}

fn unknown(what: &str, text: &str) -> Refusal {
    Refusal::new(INVALID_PARAMS, format!("unknown {what} {}", quote(text)))
}
