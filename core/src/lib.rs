//! Rules for Agent Skills served over MCP, without I/O.
//!
//! A server that declares the extension `io.modelcontextprotocol/skills` promises what its skills
//! hold: an entry for each, with a copy of the frontmatter and a manifest of sizes and SHA-256
//! digests. A host has to check every byte against that. This crate is those checks: it is fed
//! text and bytes, and says what is true of them and what to send next. It never reads a file,
//! opens a connection, asks for the time or prints.
//!
//! # A skill, from its entry to verified bytes
//!
//! ```
//! use skillglass::{contents, digest::Digest, entry, json, verify};
//!
//! let file = "---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n";
//! let entry = format!(
//!     r#"{{"uri":"skill://tidy/SKILL.md","frontmatter":{{"name":"tidy","description":"Tidies up."}},
//!         "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{}","size":{}}}]}}"#,
//!     Digest::of(file.as_bytes()),
//!     file.len(),
//! );
//!
//! // What `skills/list` or `skills/get` sent, as exact text.
//! let reading = entry::read(&entry);
//! assert!(reading.findings.is_empty());
//! let held = reading.entry.expect("an entry a host may load");
//!
//! // What `resources/read` answered.
//! let result = format!(
//!     r#"{{"contents":[{{"uri":"skill://tidy/SKILL.md","text":{}}}]}}"#,
//!     skillglass::value::json_string(file),
//! );
//! let document = json::read(&result).expect("JSON");
//! let contents = contents::read(&document, &document.root, &held.uri).expect("bytes");
//! let verdict = verify::verify_file(&held, &held.uri, &contents.bytes);
//! assert!(matches!(verdict, verify::Verdict::Verified(_)));
//! ```
//!
//! # Where to look
//!
//! - [`uri`], [`name`], [`digest`]: the small things everything is made of.
//! - [`entry`]: skill entries and manifests; [`entry::diff`]: what changed between two.
//! - [`frontmatter`]: the YAML of a `SKILL.md` and its comparison with the entry.
//! - [`contents`], [`verify`]: from a `resources/read` result to a verdict.
//! - [`host`]: what a host keeps, asks and reads: approvals, origins, loads, reads, caches.
//! - [`review`]: what a person should see before a model reads a skill.
//! - [`protocol`]: requests, replies and paging; [`server`]: the other side of the wire.
//! - [`auth`]: signing in to a server, step by step.
//! - [`json`], [`yaml`], [`value`], [`source`]: exact readers with places.
//! - [`conformance`]: every obligation of a server, checked and reported.
//! - [`finding`]: what is wrong, how much it matters, why, and how to mend it.
//!
//! # What holds everywhere
//!
//! A server's mistake is a [`finding::Finding`] or a [`verify::Refusal`], never a panic and never a
//! silent repair. `Err` is for text that cannot be read at all and for misuse. No function recurses
//! deeper than [`value::MAX_DEPTH`]. URIs, numbers and strings stay as the server sent them.
#![forbid(unsafe_code)]

pub mod auth;
pub mod conformance;
pub mod contents;
#[cfg(feature = "demo")]
pub mod demo;
pub mod digest;
pub mod entry;
pub mod finding;
pub mod frontmatter;
pub mod host;
pub mod json;
pub mod name;
pub mod protocol;
pub mod review;
pub mod server;
pub mod source;
mod unicode;
pub mod uri;
pub mod value;
pub mod verify;
pub mod yaml;
