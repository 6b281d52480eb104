//! Whom a command talks to: an address, a program, a folder, or a demonstration.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use skillglass::demo;
use skillglass::finding::quote;
use skillglass::protocol::Client;

use crate::failure::Failure;

/// A server, as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An MCP endpoint.
    Address(String),
    /// A program that speaks MCP over its standard input and output.
    Program(Vec<OsString>),
    /// A folder of skills, served inside of this program.
    Folder(PathBuf),
    /// One of the demonstration servers, by name.
    Demo(String),
}

impl Target {
    /// Takes the target from a command's names and gives back the rest: with a program all names
    /// are left, else the first one is the target.
    pub(crate) fn take(
        names: &[String],
        program: Vec<OsString>,
    ) -> Result<(Self, &[String]), Failure> {
        if !program.is_empty() {
            return Ok((Self::Program(program), names));
        }
        let usage = "Name a server: its address, a folder of skills, or a program after --.";
        let (first, rest) = names.split_first().ok_or_else(|| Failure::Usage(usage.to_owned()))?;
        Ok((Self::named(first)?, rest))
    }

    /// The target that one name leads to.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        if let Some(demo) = name.strip_prefix("demo:") {
            return Ok(Self::Demo(demo.to_owned()));
        }
        if name.contains("://") {
            return Ok(Self::Address(name.to_owned()));
        }
        let path = Path::new(name);
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        // What follows a `?` may be a secret.
        let shown = quote(name.split('?').next().unwrap_or_default());
        if let Some(address) = meant_address(name) {
            return Err(Failure::Usage(format!(
                "{shown} is no folder here, and an address begins with https:// or http://: did you mean {address}?",
            )));
        }
        if path.is_file() || begins_with_a_program(name) {
            return Err(Failure::Usage(format!(
                "{shown} is no folder here. A program that is a server comes last, after --: skillglass check -- node server.mjs",
            )));
        }
        Err(Failure::Usage(format!(
            "{shown} is no folder here, and no address: an address begins with https:// or http://, a program comes after --, the demonstrations are {}.",
            demo::NAMES.map(|name| format!("demo:{name}")).join(" and "),
        )))
    }

    /// The target in a report. Arguments of programs and queries of addresses are left out, since
    /// they may hold secrets.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Address(url) => url.split('?').next().unwrap_or_default().to_owned(),
            Self::Program(words) => {
                let program = words.first().map(|word| word.to_string_lossy().into_owned());
                format!("stdio:{}", program.unwrap_or_default())
            }
            Self::Folder(path) => path.display().to_string(),
            Self::Demo(name) => format!("demo:{name}"),
        }
    }
}

/// Whether a text is a command line rather than a name: words of which the first is a program.
fn begins_with_a_program(text: &str) -> bool {
    let Some((program, _)) = text.split_once(' ') else { return false };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// A client of the server at an address, with the headers that somebody gave for it.
pub(crate) fn client(
    url: &str,
    headers: impl IntoIterator<Item = (String, String)>,
) -> Result<Client, Failure> {
    let mut client = Client::new(url).map_err(|error| Failure::Usage(error.to_string()))?;
    let mut names = HashSet::new();
    for (name, value) in headers {
        client.set_header(&name, &value).map_err(Failure::Request)?;
        if !names.insert(name.to_ascii_lowercase()) {
            return Err(Failure::Usage(format!(
                "The header {name} is given twice; a server is sent one{}.",
                if name.eq_ignore_ascii_case("authorization") {
                    ", and a bearer token is one"
                } else {
                    ""
                }
            )));
        }
    }
    Ok(client)
}

/// The address that a name without a scheme seems to mean: a host with a port, and maybe a path.
/// Endpoints mostly lie at `/mcp`.
fn meant_address(name: &str) -> Option<String> {
    let (authority, path) = name.split_once('/').unwrap_or((name, "mcp"));
    let (host, port) = authority.rsplit_once(':')?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':');
    let is_meant = !host.is_empty() && host.chars().all(is_host) && port.parse::<u16>().is_ok();
    // What follows a `?` may be a secret.
    let path = path.split('?').next().unwrap_or_default();
    is_meant.then(|| format!("http://{host}:{port}/{}", if path.is_empty() { "mcp" } else { path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take<'n>(names: &'n [String], program: &[&str]) -> (Target, &'n [String]) {
        let program = program.iter().map(OsString::from).collect();
        Target::take(names, program).expect("a target")
    }

    #[test]
    fn a_program_leaves_the_names_to_the_command() {
        let names = ["tidy".to_owned()];
        let (target, rest) = take(&names, &["node", "server.mjs", "--key=s3cret"]);
        assert_eq!((target.label().as_str(), rest), ("stdio:node", &names[..]));
    }

    #[test]
    fn a_name_tells_what_it_is() {
        let names = ["https://a.example/mcp?key=s3cret".to_owned(), "tidy".to_owned()];
        let (target, rest) = take(&names, &[]);
        assert_eq!((target.label().as_str(), rest), ("https://a.example/mcp", &names[1..]));
        assert_eq!(Target::named("demo:good").unwrap(), Target::Demo("good".into()));
        assert!(matches!(Target::named(env!("CARGO_MANIFEST_DIR")), Ok(Target::Folder(_))));
        assert!(Target::named("no-such-folder").is_err());
        assert!(Target::take(&[], vec![]).is_err());
    }

    #[test]
    fn a_program_has_to_be_called_one() {
        for (name, is_program) in
            [("cargo run", true), ("src/target.rs", true), ("my skils", false), ("nothing", false)]
        {
            let told = Target::named(name).expect_err("no server").to_string();
            assert_eq!(told.contains("after --:"), is_program, "{told}");
            assert!(told.contains("is no folder here"), "{told}");
        }
    }

    #[test]
    fn a_host_with_a_port_is_meant_as_an_address() {
        let meant = |name| meant_address(name);
        assert_eq!(meant("localhost:3000").as_deref(), Some("http://localhost:3000/mcp"));
        assert_eq!(meant("[::1]:80/a?key=s3cret").as_deref(), Some("http://[::1]:80/a"));
        for name in ["localhost:3000/mcp?key=s3cret", "acme/mcp?key=s3cret"] {
            let told = Target::named(name).expect_err("no address").to_string();
            assert!(!told.contains("s3cret"), "{told}");
        }
        assert_eq!(["skills", "a:b", ":80", "C:\\skills:1"].map(meant), [const { None }; 4]);
    }
}
