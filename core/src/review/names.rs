//! What an entry alone shows: hidden characters, requests, scripts, and file names that mislead.

use super::hidden::{HIDDEN_CHARACTERS, hidden_characters};
use super::{MAX_PER_KIND, note};
use crate::entry::SkillEntry;
use crate::finding::{Bounded, Finding, quote};
use crate::host::path_problems;
use crate::uri::decode_lossy;
use crate::value::{Node, Value, pointer_token};

/// Extensions of files that a host could be made to run.
const SCRIPTS: [&str; 16] = [
    "bash", "bat", "cmd", "com", "exe", "fish", "jar", "js", "mjs", "pl", "ps1", "py", "rb", "sh",
    "ts", "wasm",
];

pub(super) fn review(entry: &SkillEntry) -> Vec<Finding> {
    let mut findings = hidden_in_fields(&entry.frontmatter);
    if let Some(tools) = entry.frontmatter.get("allowed-tools") {
        let wanted = tools.as_str().map_or_else(|| tools.to_json(), str::to_owned);
        let message = format!("the skill asks for tools: {}", quote(&wanted));
        findings
            .push(note("content-requested-tools", message).pointer("/frontmatter/allowed-tools"));
    }
    if let Some(hooks) = entry.frontmatter.get("hooks").filter(|hooks| is_something(hooks)) {
        let message = format!("the skill asks the host to run hooks: {}", quote(&hooks.to_json()));
        findings.push(note("content-requested-hooks", message).pointer("/frontmatter/hooks"));
    }
    findings.extend(hidden_names(entry));
    findings.extend(paths(entry).filter_map(misleads));
    findings
}

/// File names that have no place on every disk.
pub(super) fn unportable(entry: &SkillEntry) -> impl Iterator<Item = Finding> {
    path_problems(entry).into_iter().map(|(path, problem)| {
        let message = format!("{} has no place on every disk: {problem}", quote(path));
        note("content-unportable-name", message)
    })
}

/// The hidden characters in the fields, which a model is given before any file is read.
fn hidden_in_fields(frontmatter: &Node<'_>) -> Vec<Finding> {
    let mut findings = Bounded::new(MAX_PER_KIND);
    for field in frontmatter.as_object().unwrap_or_default() {
        let mut texts = vec![&*field.name];
        add_texts(&field.node, &mut texts);
        for text in texts {
            for hidden in hidden_characters(text) {
                let message = format!("the field {} has {}", quote(&field.name), hidden.told(text));
                let pointer = format!("/frontmatter/{}", pointer_token(&field.name));
                findings.push(note(HIDDEN_CHARACTERS, message).pointer(pointer));
            }
        }
    }
    findings.into_vec()
}

/// Adds the strings in a value and the names of its members.
fn add_texts<'n>(node: &'n Node<'_>, texts: &mut Vec<&'n str>) {
    match &node.value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, texts)),
        Value::Object(members) => {
            for member in members {
                texts.push(&member.name);
                add_texts(&member.node, texts);
            }
        }
        _ => {}
    }
}

fn is_something(node: &Node<'_>) -> bool {
    node.as_object().is_none_or(|members| !members.is_empty())
}

/// The paths of an entry's files below its skill.
fn paths(entry: &SkillEntry) -> impl Iterator<Item = &str> {
    let skill = entry.skill_uri();
    let files = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
    files.iter().filter_map(move |file| skill.file_path(&file.uri).ok())
}

/// The names of files that hold characters nobody would see: notes, one for each file. They are among
/// those of [`review_entry`](super::review_entry); a list of many skills can do with them.
///
/// ```
/// use skillglass::{entry, review::hidden_names};
/// let entry = r#"{"uri":"skill://a/SKILL.md","resources":[{"uri":"skill://a/%E2%80%AEcod.md"}],
///   "frontmatter":{"name":"a","description":"b"}}"#;
/// let entry = entry::read(entry).entry.unwrap();
/// assert_eq!(hidden_names(&entry).count(), 1);
/// ```
pub fn hidden_names(entry: &SkillEntry) -> impl Iterator<Item = Finding> {
    paths(entry).filter_map(|path| {
        // Most names are plain.
        if path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'%') {
            return None;
        }
        let decoded = decode_lossy(path);
        let hidden = hidden_characters(&decoded).next()?;
        let message = format!("{} has {}", quote(path), hidden.told(&decoded));
        Some(note(HIDDEN_CHARACTERS, message))
    })
}

fn misleads(path: &str) -> Option<Finding> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if SCRIPTS.contains(&extension.to_ascii_lowercase().as_str()) {
        return Some(note("content-script", format!("{} is a script or a program", quote(path))));
    }
    if path.split('/').any(mixes_alphabets) {
        let message = format!("{} mixes alphabets whose letters look alike", quote(path));
        return Some(note("content-lookalike-name", message));
    }
    None
}

/// Latin beside Cyrillic or Greek letters in one name, its extension apart.
fn mixes_alphabets(name: &str) -> bool {
    let decoded = decode_lossy(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    let latin = decoded.chars().any(|c| c.is_ascii_alphabetic());
    let alike = decoded.chars().any(|c| matches!(c, '\u{370}'..='\u{52f}'));
    latin && alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::read;

    fn ids(frontmatter: &str, files: &[&str]) -> Vec<&'static str> {
        let lines: Vec<_> = ["SKILL.md"]
            .iter()
            .chain(files)
            .map(|path| format!(r#"{{"uri":"skill://a/{path}"}}"#))
            .collect();
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"{frontmatter}}},"resources":[{}]}}"#,
            lines.join(",")
        );
        let entry = read(&text).entry.unwrap();
        crate::review::review_entry(&entry).iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn requests_and_scripts_are_shown() {
        assert_eq!(ids(r#","allowed-tools":"Bash""#, &[]), ["content-requested-tools"]);
        assert_eq!(ids(r#","hooks":{"x":1}"#, &[]), ["content-requested-hooks"]);
        assert_eq!(ids("", &["scripts/run.PY", "a.md"]), ["content-script"]);
    }

    #[test]
    fn hidden_characters_of_fields_are_shown() {
        let text = r#"{"uri":"skill://a/SKILL.md","resources":"dynamic","frontmatter":{"name":"a",
            "description":"b\u200bc","x/y":["\u202e",{"\u001b":"z"}],"\u2060":1,"line":["a\nb"]}}"#;
        let found = review(&read(text).entry.unwrap());
        let places: Vec<_> = found.iter().map(|it| it.pointer.as_deref().unwrap()).collect();
        let [x_y, name] = ["/frontmatter/x~1y", "/frontmatter/\\u{2060}"];
        assert_eq!(places, ["/frontmatter/description", x_y, x_y, name]);
        let first = "the field \"description\" has characters that take no room: U+200B";
        assert_eq!((found[0].id, found[0].message.as_str()), (HIDDEN_CHARACTERS, first));
        let many = format!(r#","many":"{}""#, r"\u200ba".repeat(100));
        assert_eq!(ids(&many, &[]).len(), MAX_PER_KIND);
    }

    #[test]
    fn misleading_names_are_shown() {
        assert_eq!(ids("", &["p\u{430}y.md"]), ["content-lookalike-name"]);
        assert_eq!(ids("", &["p%D0%B0y.md"]), ["content-lookalike-name"]);
        assert_eq!(ids("", &["\u{434}\u{430}.md"]), Vec::<&str>::new());
        assert_eq!(ids("", &["x/NUL.txt"]), ["content-unportable-name"]);
        assert_eq!(ids("", &["A.md", "a.md"]), ["content-unportable-name"]);
        assert_eq!(ids("", &["a", "a/b"]), ["content-unportable-name"]);
        for path in ["COM2", "aux.tar.gz", "nul/a.md", "a./b", "a%5Cb", ".git/config"] {
            assert_eq!(ids("", &[path]), ["content-unportable-name"], "{path}");
        }
        let hidden = ["content-hidden-characters", "content-unportable-name"];
        for path in ["%E2%80%AEa", "a\u{202e}dm.hs", "b%E2%80%8B/c.md"] {
            assert_eq!(ids("", &[path]), hidden, "{path}");
        }
        assert_eq!(ids("", &["com2.sh"]), ["content-script", "content-unportable-name"]);
        assert_eq!(ids("", &["../x"]), Vec::<&str>::new());
    }
}
