//! URIs: splitting, containment and references never panic, and what is inside stays inside.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::uri::{Reference, SkillUri, Uri, same_after_decoding};

fuzz_target!(|input: (&str, &str, &str)| {
    let (skill, reference, from) = input;
    let _ = Uri::parse(reference).map(|uri| uri.notes());
    let _ = same_after_decoding(skill, reference);
    let Ok(skill) = SkillUri::parse(skill) else { return };
    assert!(skill.uri().as_str().starts_with(skill.root()));
    assert!(skill.root().ends_with(skill.name()));
    if let Reference::File { uri, .. } = skill.resolve_from(from, reference) {
        assert!(skill.file_path(&uri).is_ok());
        assert!(uri.starts_with(skill.root()));
    }
});
