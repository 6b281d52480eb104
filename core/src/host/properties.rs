//! What holds for any input.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::digest::Digest;
use crate::entry::{self, SkillEntry};
use crate::value::json_string;

fn label(text: &str) -> OriginLabel {
    OriginLabel::new(text).unwrap()
}

fn entry(uri: &str, name: &str, resources: &str) -> SkillEntry {
    let (uri, name) = (json_string(uri), json_string(name));
    let text = format!(
        r#"{{"uri":{uri},"resources":{resources},"frontmatter":{{"name":{name},"description":"b"}}}}"#
    );
    entry::read(&text).entry.unwrap()
}

/// The skill `skill://a` with these files, besides its `SKILL.md`.
fn with_files(files: &BTreeMap<String, String>) -> SkillEntry {
    let line = |(path, text): (&str, &str)| {
        let uri = json_string(&format!("skill://a/{path}"));
        format!(r#"{{"uri":{uri},"digest":"{}","size":1}}"#, Digest::of(text.as_bytes()))
    };
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let lines: Vec<_> = std::iter::once(("SKILL.md", "")).chain(files).map(line).collect();
    entry("skill://a/SKILL.md", "a", &format!("[{}]", lines.join(",")))
}

fn content(bytes: &[u8]) -> TaggedContent<'_> {
    let origin = label("acme");
    let skill = SkillId::new(&origin, "skill://a/SKILL.md").unwrap();
    TaggedContent::foreign(&skill, &origin, "x://a", bytes)
}

proptest! {
    #[test]
    fn damaged_approvals_are_read_as_they_are_or_not_at_all(
        at in 0..300_usize,
        cut in 0..4_usize,
        text in "[{}\\[\\]\",:a-zA-Z0-9/\\\\]{0,4}",
    ) {
        let files = BTreeMap::from([("x".to_owned(), "1".to_owned())]);
        let granted = BTreeSet::from([PermissionRequest::run("skill://a/x")]);
        let approval = Approval::new(&label("acme"), &with_files(&files), granted).unwrap();
        let mut stored = approval.to_json();
        let at = at.min(stored.len());
        stored.replace_range(at..(at + cut).min(stored.len()), &text);
        if let Ok(read) = Approval::read(&stored) {
            prop_assert_eq!(Approval::read(&read.to_json()), Ok(read));
        }
    }

    #[test]
    fn approval_keys_tell_sets_apart(
        a in prop::collection::btree_map("[a-c ]{1,2}", "[ab]", 0..4),
        b in prop::collection::btree_map("[a-c ]{1,2}", "[ab]", 0..4),
    ) {
        let key = |files| ApprovalKey::of(&with_files(files)).unwrap();
        prop_assert_eq!(key(&a) == key(&b), a == b);
    }

    #[test]
    fn display_names_are_unique(
        skills in prop::collection::vec(
            (
                "[ab]",
                "(skill|file)://([ab \"()\\u{202e}]/){1,2}SKILL[.]md",
                "[ab\"() \\u{202e}]{1,4}",
            ),
            0..12,
        ),
    ) {
        let mut registry = Registry::default();
        for (origin, uri, name) in &skills {
            let entry = entry(uri, name, "\"dynamic\"");
            let known = KnownSkill { entry, defects: vec![], review: vec![], stale_at_ms: 0 };
            let _ = registry.insert(&label(origin), known);
        }
        let names: BTreeSet<_> =
            registry.display_names().map(|(_, name)| name.to_string()).collect();
        prop_assert_eq!(names.len(), registry.iter().count());
        for (id, name) in registry.display_names() {
            prop_assert_eq!(registry.display_name(id), Some(name));
        }
    }

    #[test]
    fn content_stands_between_marks_of_its_own(text in ".{0,40}", old in ".{0,20}") {
        // The content repeats the marks of an earlier content, as a forger would.
        let forged = format!("{}{text}", content(old.as_bytes()).for_model(100));
        let whole = content(forged.as_bytes()).for_model(10_000);
        let mark = Digest::of(forged.as_bytes()).hex();
        prop_assert_eq!(whole.matches(&mark).count(), 2);
        prop_assert!(whole.contains(&forged));
        let end = format!("\n[end {mark}]\n");
        prop_assert!(whole.ends_with(&end), "{}", whole);
    }

    #[test]
    fn cache_paths_are_plain_and_distinct(
        a in ("[aA]", "[ab]", "[aA.%/\\\\\n:]{0,3}", "[xy]"),
        b in ("[aA]", "[ab]", "[aA.%/\\\\\n:]{0,3}", "[xy]"),
    ) {
        let path = |(origin, skill, file, text): &(String, String, String, String)| {
            let skill = SkillId::new(&label(origin), &format!("skill://{skill}/SKILL.md")).unwrap();
            cache_path(&skill, file, Digest::of(text.as_bytes()))
        };
        let plain = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'/');
        prop_assert!(path(&a).bytes().all(plain));
        prop_assert_eq!(path(&a) == path(&b), a == b);
    }
}
