//! Event streams: never panic, and the same bytes give the same events however they are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::protocol::sse::{Event, SseParser, TooLong};

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (cut, limit, bytes) = input;
    // A stream that is cut off by a limit may have given events before it.
    for limit in [usize::from(limit), 1 << 16] {
        let whole = events(bytes, bytes.len().max(1), limit);
        let pieces = events(bytes, usize::from(cut).max(1), limit);
        assert_eq!(whole, pieces);
        for event in whole.unwrap_or_default() {
            assert!(!event.data.is_empty() && event.data.len() <= limit);
        }
    }
});

fn events(bytes: &[u8], size: usize, limit: usize) -> Result<Vec<Event>, TooLong> {
    let mut parser = SseParser::new(limit);
    let mut events = Vec::new();
    for piece in bytes.chunks(size) {
        events.extend(parser.push(piece)?);
    }
    events.extend(parser.finish());
    Ok(events)
}
