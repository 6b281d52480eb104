//! JSON: never panics, places lie in the text, and what it writes it reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = json::read_bytes(bytes) else { return };
    let text = std::str::from_utf8(bytes).expect("it was read as text");
    assert!(text.get(document.root.span.start..document.root.span.end).is_some());
    let written = document.root.to_json();
    let again = json::read(&written).expect("what is written is JSON");
    assert!(document.root.same_content(&again.root));
});
