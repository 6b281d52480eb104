//! A change that is played in, for a server that nobody can change just now: files and entries are
//! altered after they came, so that they agree with each other and no longer with what came before.

use std::borrow::Cow;

use crate::digest::Digest;
use crate::entry::{self, Reading};
use crate::json;
use crate::value::Node;

/// What is put at the end of the file.
const ADDED: &[u8] = b"\nThis line was put here by Skillglass, to show what a change does.\n";

/// A file that is altered after it came.
#[derive(Debug)]
pub(super) struct Played {
    /// Which one.
    uri: String,
    /// What it has become.
    now: Option<(u64, Digest)>,
}

impl Played {
    pub(super) const fn new(uri: String) -> Self {
        Self { uri, now: None }
    }

    /// The bytes as they are said to be now.
    pub(super) fn alter<'b>(&mut self, uri: &str, bytes: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        if *uri != *self.uri {
            return bytes;
        }
        let bytes = [&bytes, ADDED].concat();
        self.now = Some((bytes.len() as u64, Digest::of(&bytes)));
        bytes.into()
    }

    /// The entry as it would be of those bytes.
    pub(super) fn alter_entry(&self, reading: Reading) -> Reading {
        self.rewritten(&reading.source).map_or(reading, |text| entry::read(&text))
    }

    fn rewritten(&self, source: &str) -> Option<String> {
        let (size, digest) = self.now.as_ref()?;
        let document = json::read(source).ok()?;
        let files = document.root.get("resources")?.as_array()?;
        let is_it = |file: &&Node<'_>| {
            file.get("uri").and_then(Node::as_str).is_some_and(|uri| *uri == *self.uri)
        };
        let file = files.iter().find(is_it)?;
        let mut edits = [
            (file.get("size")?.span, size.to_string()),
            (file.get("digest")?.span, format!("\"{digest}\"")),
        ];
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = source.to_owned();
        for (span, now) in edits {
            text.replace_range(span.start..span.end, &now);
        }
        Some(text)
    }
}
