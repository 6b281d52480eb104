//! Frontmatter: never panics, places lie in the file, and it equals its own copy as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::frontmatter::{Frontmatter, NoteKind, check_file_format, compare};
use skillglass::source::LineIndex;
use skillglass::{json, yaml};

fuzz_target!(|yaml: &str| {
    let file = format!("---\n{yaml}\n---\nbody");
    match Frontmatter::read(file.as_bytes()) {
        Ok(frontmatter) => {
            let _ = check_file_format(&frontmatter.root, &LineIndex::new(&file));
            let copy = frontmatter.root.to_json();
            let document = json::read(&copy).expect("frontmatter can be sent as JSON");
            let comparison = compare(&frontmatter, &file, &document.root, &copy);
            let finite = !frontmatter
                .notes
                .iter()
                .any(|note| note.kind == NoteKind::Yaml(yaml::NoteKind::NonFinite));
            assert!(comparison.is_equal() || !finite);
            for side in comparison.fields.iter().filter_map(|field| field.file.as_ref()) {
                assert!(file.get(side.span.start..side.span.end).is_some());
            }
        }
        Err(error) => {
            let _ = LineIndex::new(&file).position(error.span.start);
        }
    }
});
