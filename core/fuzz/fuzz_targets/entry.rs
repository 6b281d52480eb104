//! Entries: never panic; an entry that is held is consistent and equals itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::entry::{self, diff::EntryDiff, nested};
use skillglass::review::review_entry;

fuzz_target!(|text: &str| {
    let reading = entry::read(text);
    let Some(entry) = reading.entry else {
        assert!(!reading.findings.is_empty());
        return;
    };
    assert!(EntryDiff::between(&entry, &entry).is_empty());
    assert!(entry.same_content(&entry));
    let _ = (review_entry(&entry), nested::check(&[&entry, &entry]));
    for file in entry.manifest().into_iter().flat_map(|manifest| &manifest.files) {
        assert!(!file.usable || entry.skill_uri().file_path(&file.uri).is_ok());
    }
});
