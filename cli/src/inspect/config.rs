//! The servers of a configuration file, in the common form that many hosts read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillglass::finding::quote;

use super::server::{Kind, Named};
use crate::failure::Failure;
use crate::target;
use crate::transport::Launch;

/// `{ "mcpServers": { NAME: … } }`; other members belong to other programs.
#[derive(Deserialize)]
struct Config {
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Entry>,
}

/// One server: an address with headers, or a program with its arguments and environment.
#[derive(Deserialize)]
struct Entry {
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
}

/// Reads the servers that a file names, in the order of their names.
pub(super) fn read(path: &Path) -> Result<Vec<Named>, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::file("read", path))?;
    parse(&text, &|name| std::env::var(name).ok()).map_err(|reason| {
        Failure::Usage(format!(
            "{} cannot be used: {reason}. It should hold {{\"mcpServers\": {{\"name\": {{\"url\": …}} or {{\"command\": …, \"args\": […]}}}}}}.",
            path.display(),
        ))
    })
}

fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Named>, String> {
    // The reason names a place and never quotes the file, which may hold secrets.
    let config: Config = serde_json::from_str(text).map_err(|error| {
        format!("line {}, column {} is not as expected", error.line(), error.column())
    })?;
    config
        .servers
        .into_iter()
        .map(|(name, entry)| {
            let kind = kind(entry, environment)
                .map_err(|reason| format!("the server {} {reason}", quote(&name)))?;
            Ok(Named { name, kind })
        })
        .collect()
}

fn kind(entry: Entry, environment: &dyn Fn(&str) -> Option<String>) -> Result<Kind, String> {
    let filled = |text: &str| fill(text, environment);
    let filled_map = |map: BTreeMap<String, String>| {
        map.into_iter()
            .map(|(name, value)| Ok((name, filled(&value)?)))
            .collect::<Result<Vec<_>, String>>()
    };
    match (entry.url, entry.command) {
        (Some(url), None) => {
            let client = target::client(&filled(&url)?, filled_map(entry.headers)?)
                .map_err(|failure| format!("cannot be used: {failure}"))?;
            Ok(Kind::Address(Box::new(client)))
        }
        (None, Some(command)) => {
            let words = std::iter::once(command).chain(entry.args);
            let words: Result<Vec<_>, String> =
                words.map(|word| Ok(OsString::from(filled(&word)?))).collect();
            let environment = filled_map(entry.env)?;
            Ok(Kind::Program(Launch { words: words?, environment, folder: entry.cwd }))
        }
        _ => Err("has to have either a url or a command".to_owned()),
    }
}

/// The text with each `${NAME}` replaced by what the environment holds under that name, and
/// `${NAME:-OTHER}` by `OTHER` where it holds nothing.
fn fill(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((variable, behind)) = after.split_once('}') else { break };
        let (name, other) = match variable.split_once(":-") {
            Some((name, other)) => (name, Some(other.to_owned())),
            None => (variable, None),
        };
        // As shells have it, what is empty counts as nothing where there is something else.
        let value = environment(name).filter(|value| !value.is_empty() || other.is_none());
        let value = value.or(other);
        let missing =
            || format!("wants the environment variable {}, which is not set", quote(name));
        filled.push_str(before);
        filled.push_str(&value.ok_or_else(missing)?);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn both_kinds_of_servers_are_read() {
        let text = r#"{"other":1,"mcpServers":{
            "b":{"type":"http","url":"https://a.example/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}},
            "a":{"command":"node","args":["server.mjs","${NONE:-x}"],"env":{"KEY":"${TOKEN}"},"cwd":"/srv"}}}"#;
        let servers = parse(text, &environment).unwrap();
        assert_eq!(
            servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
        let Kind::Program(Launch { words, environment, folder }) = &servers[0].kind else {
            panic!()
        };
        assert_eq!(words, &["node", "server.mjs", "x"].map(OsString::from));
        assert_eq!(environment, &[("KEY".to_owned(), "s3cret".to_owned())]);
        assert_eq!(folder.as_deref(), Some(Path::new("/srv")));
        let Kind::Address(client) = &servers[1].kind else { panic!() };
        let told = client.initialized();
        assert_eq!(told.url, "https://a.example/mcp");
        assert_eq!(told.header("authorization"), Some("Bearer s3cret"));
    }

    #[test]
    fn what_cannot_be_used_is_said_without_quoting_it() {
        let reason = |text: &str| parse(text, &environment).map(|_| ()).unwrap_err();
        let broken = reason(r#"{"mcpServers":{"a":{"url":1,"headers":{"X":"s3cret"}}}}"#);
        assert!(broken.contains("column") && !broken.contains("s3cret"), "{broken}");
        assert!(reason(r#"{"mcpServers":{"a":{}}}"#).contains("either a url or a command"));
        let unset = reason(r#"{"mcpServers":{"a":{"url":"https://${HOST}/"}}}"#);
        assert!(unset.contains("\"HOST\""), "{unset}");
        assert!(reason("{}").contains("line 1"));
    }

    #[test]
    fn what_is_no_variable_stays() {
        let filled = |text: &str| fill(text, &environment).unwrap();
        assert_eq!(filled("a$b {c} ${ d"), "a$b {c} ${ d");
        assert_eq!(filled("${TOKEN}${TOKEN}!"), "s3crets3cret!");
        assert_eq!(filled("${EMPTY}|${EMPTY:-x}"), "|x");
    }
}
