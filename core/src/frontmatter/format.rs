//! The Agent Skills rules for the fields, applied to a file's frontmatter or to an entry's copy.
//!
//! Sources: the frontmatter fields of the Agent Skills format; the extension's *Resource Metadata*
//! for reserved keys.

use crate::entry::MAX_SAME_FINDINGS;
use crate::finding::{Bounded, Finding, Section, excerpt, is_hidden, quote};
use crate::name::check_name;
use crate::review::hidden_characters;
use crate::source::LineIndex;
use crate::value::{Member, Node, Value, pointer_token};

/// The longest description, in characters (Unicode scalar values).
pub const MAX_DESCRIPTION: usize = 1024;

/// The longest compatibility text, in characters (Unicode scalar values).
pub const MAX_COMPATIBILITY: usize = 500;

/// The fields the format defines.
const KNOWN: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields that ask a host to run something or to grant something. No host may honour them.
const POWERFUL: [&str; 4] = ["hooks", "mcpServers", "permissions", "env"];

/// Words that some vendors reserve in names.
const VENDOR_WORDS: [&str; 2] = ["claude", "anthropic"];

/// Checks the frontmatter of a file against the Agent Skills format; findings carry positions.
///
/// `lines` indexes the text of the file that `root` was read from. Broken rules for `name`,
/// `description` and `compatibility` are MUSTs, those for `license`, `metadata` and `allowed-tools`
/// SHOULDs. Fields that ask a host for power, unknown fields, values whose spelling is lost on the
/// way, and hidden characters are notes. [`entry::read`](crate::entry::read) checks the entry's copy
/// by the same rules.
///
/// ```
/// use skillglass::{frontmatter::{Frontmatter, check_file_format}, source::LineIndex};
/// let check = |file: &str| {
///     let frontmatter = Frontmatter::read(file.as_bytes()).unwrap();
///     check_file_format(&frontmatter.root, &LineIndex::new(file))
/// };
/// assert!(check("---\nname: tidy\ndescription: Tidies up.\n---\n").is_empty());
/// let findings = check("---\nname: Tidy\ndescription: Tidies up.\n---\n");
/// assert_eq!(findings[0].id, "skillformat-name-rules");
/// assert_eq!(findings[0].position.unwrap().line, 2);
/// ```
#[must_use]
pub fn check_file_format(root: &Node<'_>, lines: &LineIndex<'_>) -> Vec<Finding> {
    Check { root, place: Place::File(lines), findings: Bounded::new(MAX_SAME_FINDINGS) }.run()
}

/// Checks the `frontmatter` of an entry; findings carry JSON pointers below `/frontmatter`.
pub(crate) fn check_entry_format(root: &Node<'_>) -> Vec<Finding> {
    Check { root, place: Place::Entry, findings: Bounded::new(MAX_SAME_FINDINGS) }.run()
}

enum Place<'l> {
    Entry,
    File(&'l LineIndex<'l>),
}

struct Check<'l> {
    root: &'l Node<'l>,
    place: Place<'l>,
    findings: Bounded,
}

impl Check<'_> {
    fn run(mut self) -> Vec<Finding> {
        self.name();
        self.description();
        self.compatibility();
        self.license();
        self.metadata();
        self.allowed_tools();
        self.other_fields();
        for member in self.root.as_object().unwrap_or_default() {
            self.values(&member.name, &member.node);
        }
        self.findings.into_vec()
    }

    fn name(&mut self) {
        let Some(name) = self.required_string("name") else { return };
        if let Err(error) = check_name(&name) {
            let message = format!("the name {} breaks the naming rules: {error}", quote(&name));
            let finding = Finding::must("skillformat-name-rules", Section::SkillFormat, message)
                .repair("use 1 to 64 of a-z, 0-9 and single hyphens, as in the directory's name");
            self.add(finding, "name");
        }
        if let Some(word) = VENDOR_WORDS.iter().find(|word| name.contains(**word)) {
            let message = format!("some hosts reserve the word \"{word}\" in names");
            self.note("skillformat-vendor-word", "name", message);
        }
    }

    fn description(&mut self) {
        let Some(text) = self.required_string("description") else { return };
        let length = text.chars().count();
        if text.chars().all(|c| c.is_whitespace() || is_hidden(c)) {
            let message = "the description is blank; it is what a model chooses the skill by";
            self.must("skillformat-description-length", "description", message);
        } else if length > MAX_DESCRIPTION {
            let message =
                format!("the description has {length} characters, {MAX_DESCRIPTION} are allowed");
            self.must("skillformat-description-length", "description", message);
        }
        if text.contains(['<', '>']) {
            let message = "the description has angle brackets, which some hosts refuse";
            self.note("skillformat-description-markup", "description", message);
        }
    }

    fn compatibility(&mut self) {
        let Some(node) = self.root.get("compatibility") else { return };
        let Some(text) = node.as_str() else {
            let message = format!("compatibility is {} instead of a string", node.kind());
            return self.must("skillformat-compatibility-length", "compatibility", message);
        };
        let length = text.chars().count();
        if length == 0 || length > MAX_COMPATIBILITY {
            let message = format!(
                "compatibility has {length} characters, 1 to {MAX_COMPATIBILITY} are allowed"
            );
            self.must("skillformat-compatibility-length", "compatibility", message);
        }
    }

    fn license(&mut self) {
        let Some(node) = self.root.get("license") else { return };
        if node.as_str().is_none() {
            let message = format!("license is {} instead of a string", node.kind());
            self.should("skillformat-license-string", "license", message);
        }
    }

    fn metadata(&mut self) {
        let Some(node) = self.root.get("metadata") else { return };
        let Some(members) = node.as_object() else {
            let message = format!("metadata is {} instead of a map of strings", node.kind());
            return self.should("skillformat-metadata-string-map", "metadata", message);
        };
        if let Some(member) = members.iter().find(|member| member.node.as_str().is_none()) {
            let message = format!(
                "metadata maps strings to strings, but {} is {}",
                quote(&member.name),
                member.node.kind()
            );
            let finding =
                Finding::should("skillformat-metadata-string-map", Section::SkillFormat, message)
                    .repair("put the value in quotes, or move the structure out of metadata");
            self.add(finding, "metadata");
        }
        let reserved = |member: &&Member<'_>| member.name.starts_with("io.modelcontextprotocol/");
        if let Some(member) = members.iter().find(reserved) {
            let message = format!(
                "the metadata key {} uses a prefix reserved for the protocol",
                excerpt(&member.name, 80)
            );
            let finding =
                Finding::should("metadata-reserved-prefix", Section::ResourceMetadata, message);
            self.add(finding, "metadata");
        }
    }

    fn allowed_tools(&mut self) {
        let Some(node) = self.root.get("allowed-tools") else { return };
        let message = match node.as_str() {
            None => format!("allowed-tools is {} instead of one string", node.kind()),
            Some(tools) if tools.contains(',') => {
                "allowed-tools separates tools by commas; the format wants blanks".to_owned()
            }
            Some(_) => return,
        };
        self.should("skillformat-allowed-tools-string", "allowed-tools", message);
    }

    fn other_fields(&mut self) {
        let root = self.root;
        for member in root.as_object().unwrap_or_default() {
            let name = member.name.as_ref();
            if POWERFUL.contains(&name) {
                let message = format!(
                    "the field {name} asks the host for power; no host may honour it unasked"
                );
                let finding =
                    Finding::note("skillformat-powerful-field", Section::Security, message);
                self.add(finding, name);
            } else if !KNOWN.contains(&name) {
                let message =
                    format!("{} is not a field of the format; it passes through", quote(name));
                self.note("skillformat-unknown-field", name, message);
            }
        }
    }

    /// What is worth knowing of the values below `field`. Depth is bounded by both readers.
    fn values(&mut self, field: &str, node: &Node<'_>) {
        match &node.value {
            Value::Null => {
                let message = "the value is null, which is not the same as leaving the field out";
                self.note("skillformat-null-value", field, message);
            }
            Value::Number(number) if number.loses_its_spelling() => {
                let message = format!(
                    "{} is a number, so its spelling is lost on the way; quote it to keep it",
                    excerpt(number.text(), 40)
                );
                self.note("skillformat-number-spelling", field, message);
            }
            Value::String(text) => {
                if let Some(hidden) = hidden_characters(text).next() {
                    let message = format!("the value holds {}", hidden.told(text));
                    let finding =
                        Finding::note("content-hidden-characters", Section::Security, message);
                    self.add(finding, field);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.values(field, item)),
            Value::Object(members) => {
                members.iter().for_each(|member| self.values(field, &member.node));
            }
            _ => {}
        }
    }

    /// The text of a field that must be a string; missing and mistyped ones become findings.
    fn required_string(&mut self, field: &str) -> Option<String> {
        let id = match (&self.place, field) {
            (Place::Entry, _) => "entry-frontmatter-required",
            (Place::File(_), _) => "skillmd-frontmatter",
        };
        let Some(node) = self.root.get(field) else {
            let message = format!("{field} is missing");
            self.must(id, field, message);
            return None;
        };
        let Some(text) = node.as_str() else {
            let message = format!("{field} is {} instead of a string", node.kind());
            let repair = match node.value {
                Value::Null => format!("write a {field}"),
                _ => "put the value in quotes".to_owned(),
            };
            let finding = Finding::must(id, Section::SkillFormat, message)
                .actual(excerpt(&node.to_json(), 80))
                .repair(repair);
            self.add(finding, field);
            return None;
        };
        if text.is_empty() {
            self.must(id, field, format!("{field} is empty"));
            return None;
        }
        Some(text.to_owned())
    }

    fn must(&mut self, id: &'static str, field: &str, message: impl Into<String>) {
        self.add(Finding::must(id, Section::SkillFormat, message), field);
    }

    fn should(&mut self, id: &'static str, field: &str, message: impl Into<String>) {
        self.add(Finding::should(id, Section::SkillFormat, message), field);
    }

    fn note(&mut self, id: &'static str, field: &str, message: impl Into<String>) {
        self.add(Finding::note(id, Section::SkillFormat, message), field);
    }

    fn add(&mut self, finding: Finding, field: &str) {
        let finding = match self.place {
            Place::Entry => finding.pointer(format!("/frontmatter/{}", pointer_token(field))),
            Place::File(lines) => {
                let span = self.root.member(field).map_or(self.root.span, |m| m.name_span);
                finding.at(span, lines)
            }
        };
        self.findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn ids(frontmatter: &str) -> Vec<&'static str> {
        let document = json::read(frontmatter).unwrap();
        check_entry_format(&document.root).iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn sound_frontmatter_has_no_findings() {
        let sound = r#"{"name":"a","description":"b","license":"MIT","compatibility":"any",
            "metadata":{"version":"1.0"},"allowed-tools":"Bash Read"}"#;
        assert_eq!(ids(sound), Vec::<&str>::new());
    }

    #[test]
    fn each_rule_has_its_finding() {
        assert_eq!(ids("{}"), ["entry-frontmatter-required", "entry-frontmatter-required"]);
        assert_eq!(ids(r#"{"name":5,"description":"b"}"#), ["entry-frontmatter-required"]);
        assert_eq!(ids(r#"{"name":"A","description":"b"}"#), ["skillformat-name-rules"]);
        assert_eq!(ids(r#"{"name":"a","description":" "}"#), ["skillformat-description-length"]);
        let long = format!(r#"{{"name":"a","description":"{}"}}"#, "é".repeat(1025));
        assert_eq!(ids(&long), ["skillformat-description-length"]);
        let exact = format!(r#"{{"name":"a","description":"{}"}}"#, "é".repeat(1024));
        assert_eq!(ids(&exact), Vec::<&str>::new());
        let with = |more: &str| ids(&format!(r#"{{"name":"a","description":"b",{more}}}"#));
        assert_eq!(with(r#""compatibility":"""#), ["skillformat-compatibility-length"]);
        assert_eq!(with(r#""metadata":{"a":1}"#), ["skillformat-metadata-string-map"]);
        assert_eq!(with(r#""metadata":[]"#), ["skillformat-metadata-string-map"]);
        let reserved = r#""metadata":{"io.modelcontextprotocol/x":"y"}"#;
        assert_eq!(with(reserved), ["metadata-reserved-prefix"]);
        assert_eq!(with(r#""allowed-tools":["a"]"#), ["skillformat-allowed-tools-string"]);
        assert_eq!(with(r#""allowed-tools":"a, b""#), ["skillformat-allowed-tools-string"]);
        assert_eq!(with(r#""license":1"#), ["skillformat-license-string"]);
        assert_eq!(with(r#""version":"1""#), ["skillformat-unknown-field"]);
        assert_eq!(with(r#""hooks":{}"#), ["skillformat-powerful-field"]);
        assert_eq!(
            with(r#""license":null"#),
            ["skillformat-license-string", "skillformat-null-value"]
        );
        let nested = with(r#""metadata":{"a":"x\u200by"}"#);
        assert_eq!(nested, ["content-hidden-characters"]);
        let version = with(r#""version":1.0"#);
        assert_eq!(version, ["skillformat-unknown-field", "skillformat-number-spelling"]);
        let repair = |value: &str| {
            let text = format!(r#"{{"name":"a","description":{value}}}"#);
            let document = json::read(&text).unwrap();
            check_entry_format(&document.root)[0].repair.clone()
        };
        assert_eq!(repair("null").as_deref(), Some("write a description"));
        assert_eq!(repair("5").as_deref(), Some("put the value in quotes"));
        let vendor = r#"{"name":"claude-helper","description":"b"}"#;
        assert_eq!(ids(vendor), ["skillformat-vendor-word"]);
    }
}
