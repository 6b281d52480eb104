//! Replies: never panic, and the same bytes give the same reply however they are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::protocol::{Progress, Reply, ReplyError, ReplyLimits, ReplyReader};

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    for kind in ["text/event-stream", "application/json", "text/html"] {
        let whole = read(kind, bytes, bytes.len().max(1));
        let pieces = read(kind, bytes, usize::from(cut).max(1));
        if kind != "text/html" {
            assert_eq!(whole.is_ok(), pieces.is_ok());
        }
        if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
            assert_eq!(whole, pieces);
            let _ = whole.message().map(|message| message.outcome().is_ok());
        }
    }
});

fn read(kind: &str, bytes: &[u8], size: usize) -> Result<Reply, ReplyError> {
    let mut reader = ReplyReader::new(1, 200, Some(kind), ReplyLimits { body: 1 << 16 });
    for piece in bytes.chunks(size) {
        if reader.push(piece)? == Progress::Done {
            break;
        }
    }
    reader.finish()
}
