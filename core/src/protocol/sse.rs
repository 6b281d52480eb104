//! An incremental reader of server-sent events, on bytes.
//!
//! Source: the event stream format of the HTML standard. Differences, both lenient: a lone CR that
//! ends a chunk is accepted at once, and an event that the stream's end cuts off before its blank
//! line is still given by [`SseParser::finish`].

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its type; `message` where the stream names none.
    pub kind: String,
    /// Its `id` line, if it has one of its own.
    pub id: Option<String>,
    /// Its data lines, joined by LF.
    pub data: Vec<u8>,
}

/// Turns bytes into events.
///
/// ```
/// use skillglass::protocol::sse::SseParser;
/// let mut parser = SseParser::new(1024);
/// assert!(parser.push(b": ping\n\ndata: {\"a\":").unwrap().is_empty());
/// let events = parser.push(b"1}\r\n\r\n").unwrap();
/// assert_eq!(events[0].data, b"{\"a\":1}");
/// assert!(SseParser::new(4).push(b"data: too long").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct SseParser {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    kind: String,
    id: Option<String>,
    last_was_cr: bool,
    at_start: bool,
}

/// An event grew beyond the reader's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl SseParser {
    /// A reader for events of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            kind: String::new(),
            id: None,
            last_was_cr: false,
            at_start: true,
        }
    }

    /// Takes the next bytes and gives the events they complete.
    ///
    /// # Errors
    /// [`TooLong`] when a line or an event grows beyond the limit.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.last_was_cr {
            self.last_was_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            if bytes.is_empty() {
                self.last_was_cr = true;
            }
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.take(&rest[..at])?;
            let ends_with_cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
            if ends_with_cr {
                self.last_was_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            events.extend(self.end_line()?);
        }
        self.take(rest)?;
        Ok(events)
    }

    /// The event that the end of the stream cut off, if it holds data.
    #[must_use]
    pub fn finish(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            // A limit can only be passed while bytes come in.
            let _ = self.end_line();
        }
        self.dispatch()
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.data.len() + bytes.len() > self.limit {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, TooLong> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_start)
            && let Some(rest) = line.strip_prefix("\u{feff}".as_bytes())
        {
            line = rest.to_vec();
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => self.kind = String::from_utf8_lossy(value).into_owned(),
            b"id" => self.id = Some(String::from_utf8_lossy(value).into_owned()),
            // Comments, `retry` and unknown fields carry no message.
            _ => {}
        }
        if self.data.len() > self.limit { Err(TooLong) } else { Ok(None) }
    }

    fn dispatch(&mut self) -> Option<Event> {
        let kind = std::mem::take(&mut self.kind);
        let id = self.id.take();
        let data = std::mem::take(&mut self.data);
        let complete = std::mem::take(&mut self.has_data) && !data.is_empty();
        let kind = if kind.is_empty() { "message".to_owned() } else { kind };
        complete.then_some(Event { kind, id, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::new(1000);
        let mut found = Vec::new();
        for chunk in chunks {
            found.extend(parser.push(chunk).unwrap());
        }
        found.extend(parser.finish());
        found
            .into_iter()
            .map(|event| format!("{}={}", event.kind, String::from_utf8(event.data).unwrap()))
            .collect()
    }

    #[test]
    fn every_framing_gives_the_same_events() {
        let stream = "\u{feff}: hi\nid: 1\nretry: 5\ndata:\n\nevent: message\ndata: a\ndata:b\n\nevent: x\ndata: é\n\n";
        let expected = ["message=a\nb", "x=é"];
        for line_end in ["\n", "\r\n", "\r"] {
            let text = stream.replace('\n', line_end);
            assert_eq!(events(&[text.as_bytes()]), expected, "{line_end:?} whole");
            let bytes: Vec<_> = text.as_bytes().chunks(1).collect();
            assert_eq!(events(&bytes), expected, "{line_end:?} byte by byte");
            let chunks: Vec<_> = text.as_bytes().chunks(7).collect();
            assert_eq!(events(&chunks), expected, "{line_end:?} in sevens");
        }
    }

    #[test]
    fn a_cut_off_event_is_still_given() {
        assert_eq!(events(&[b"data: a"]), ["message=a"]);
        assert_eq!(events(&[b"data: a\n"]), ["message=a"]);
        assert_eq!(events(&[b"event: x\n"]), Vec::<String>::new());
    }

    #[test]
    fn endless_lines_and_events_are_cut() {
        assert_eq!(SseParser::new(10).push(&[b'x'; 11]), Err(TooLong));
        let mut parser = SseParser::new(20);
        assert_eq!(parser.push(b"data: 12345678\n"), Ok(vec![]));
        assert_eq!(parser.push(b"data: 12345678\n"), Err(TooLong));
    }
}
