//! Replies and results: never panic, and the same bytes give the same reply however they are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::protocol::directory::{against_manifest, read_directory};
use skillglass::protocol::results::{
    judge_not_found, read_discovery, read_got_skill, read_initialize, read_skill_page,
};
use skillglass::protocol::{
    Call, ListLimits, Listing, Message, Progress, Reply, ReplyError, ReplyLimits, ReplyReader,
};

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (cut, status, bytes) = input;
    for kind in ["text/event-stream", "application/json", "text/html"] {
        let whole = read(kind, status, bytes, bytes.len().max(1));
        let pieces = read(kind, status, bytes, usize::from(cut).max(1));
        if kind != "text/html" {
            assert_eq!(whole.is_ok(), pieces.is_ok());
        }
        if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
            assert_eq!(whole, pieces);
            let _ = whole.message().map(|message| results(&message));
        }
    }
});

fn read(kind: &str, status: u16, bytes: &[u8], size: usize) -> Result<Reply, ReplyError> {
    let mut reader = ReplyReader::new(1, status, Some(kind), ReplyLimits { body: 1 << 16 });
    for piece in bytes.chunks(size) {
        if reader.push(piece)? == Progress::Done {
            break;
        }
    }
    let _ = reader.take_requests();
    reader.finish()
}

/// Takes the message for the answer to each question in turn.
fn results(message: &Message<'_>) {
    let uri = "skill://a/SKILL.md";
    let result = match message.outcome() {
        Ok(result) => result,
        Err(error) => {
            let _ = judge_not_found(&Call::GetSkill { uri: uri.to_owned() }, &error);
            return;
        }
    };
    let _ = (read_discovery(result), read_initialize(result));
    let page = read_skill_page(message, result);
    let mut listing = Listing::new(ListLimits { pages: 2, skills: 100 });
    listing.receive(page.clone());
    listing.receive(page);
    assert!(listing.next().is_none(), "the same cursor twice, a limit, or none");
    let directory = read_directory(result, "skill://a");
    let got = read_got_skill(message, result, uri);
    if let Some(entry) = got.reading.and_then(|reading| reading.entry) {
        let _ = against_manifest(&entry, "skill://a", &directory.children);
    }
}
