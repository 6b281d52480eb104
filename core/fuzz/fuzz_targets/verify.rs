//! Verification: what is verified has the promised size and digest; anything else is not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::digest::Digest;
use skillglass::review::review_text;
use skillglass::verify::{Verdict, verify_file};
use skillglass::{contents, entry, json};

fuzz_target!(|input: (&[u8], &[u8], &str)| {
    let (promised, came, result) = input;
    let uri = "skill://a/SKILL.md";
    let text = format!(
        r#"{{"uri":"{uri}","frontmatter":{{"name":"a","description":"b"}},"resources":[
            {{"uri":"{uri}","digest":"{}","size":{}}},{{"uri":"skill://a/f","digest":"{}","size":{}}}]}}"#,
        Digest::of(promised),
        promised.len(),
        Digest::of(promised),
        promised.len(),
    );
    let entry = entry::read(&text).entry.expect("a sound entry");
    let verified = matches!(verify_file(&entry, "skill://a/f", came), Verdict::Verified(_));
    assert_eq!(verified, promised == came);
    let skill_md = verify_file(&entry, uri, came);
    assert!(!matches!(skill_md, Verdict::Verified(_)) || promised == came);
    let _ = review_text(&String::from_utf8_lossy(came));
    if let Ok(document) = json::read(result) {
        let _ = contents::read(&document, &document.root, uri).map(|file| file.bytes.len());
    }
});
