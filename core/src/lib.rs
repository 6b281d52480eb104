//! Rules for Agent Skills served over MCP, without I/O.
//!
//! A server that declares the extension `io.modelcontextprotocol/skills` promises what its skills
//! hold: an entry for each, with a copy of the frontmatter and a manifest of sizes and SHA-256
//! digests. A host has to check every byte against that. This crate is those checks: it is fed
//! text and bytes, and says what is true of them and what to send next. It never reads a file,
//! opens a connection, asks for the time or prints.
//!
//! # A host in five calls
//!
//! A [`Host`](host::Host) keeps what a host has to keep, and says what may come next.
//!
//! | when | call | what comes of it |
//! |---|---|---|
//! | `skills/list` was answered | [`Host::listed`](host::Host::listed) | the skills are known, with names that tell them apart |
//! | the model wants a skill | [`Host::begin_load`](host::Host::begin_load) | a [`Step`](host::Step): whom to ask, what to send |
//! | a person said yes | [`Host::approve`](host::Host::approve) | the read of its `SKILL.md` to send, and an approval to keep |
//! | a file came | [`Host::got_skill_md`](host::Host::got_skill_md), [`Host::got_file`](host::Host::got_file) | content for the model, verified and tagged; or why not |
//! | the model follows a reference | [`Host::read`](host::Host::read) | the read to send; or why it is refused unasked |
//!
//! ```
//! use skillglass::host::{Host, OriginLabel, Policy, ReadStop, SkillId, Step};
//! use skillglass::{contents, entry, json};
//! # use skillglass::digest::Digest;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let skill_md = "---\nname: tidy\ndescription: Tidies up.\n---\nSee [notes](notes.md).\n";
//! # let notes = b"Put things back.\n";
//! # let line = |path: &str, bytes: &[u8]| format!(
//! #     r#"{{"uri":"skill://tidy/{path}","digest":"{}","size":{}}}"#, Digest::of(bytes), bytes.len());
//! # let listed = format!(r#"{{"uri":"skill://tidy/SKILL.md",
//! #     "frontmatter":{{"name":"tidy","description":"Tidies up."}},"resources":[{},{}]}}"#,
//! #     line("SKILL.md", skill_md.as_bytes()), line("notes.md", notes));
//! # let result = format!(r#"{{"contents":[{{"uri":"skill://tidy/SKILL.md","text":{}}}]}}"#,
//! #     skillglass::value::json_string(skill_md));
//! # let discovery = skillglass::protocol::results::read_discovery(&json::read(
//! #     r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}"#)?.root);
//! let now = 0; // in milliseconds
//! let mut host = Host::new(Policy::default());
//! let acme = OriginLabel::new("acme")?; // what the host's user calls the server
//! host.add_origin(&acme, &discovery); // what the server declares
//!
//! // 1. Each element of `skills` is read from the exact text that the server sent.
//! host.listed(&acme, [entry::read(&listed)], Default::default(), now)?;
//!
//! // 2. and 3. Before anything of the skill is read, a person decides.
//! let skill = SkillId::new(&acme, "skill://tidy/SKILL.md")?;
//! let Step::Approve(request) = host.begin_load(&skill, now)? else { panic!() };
//! let Step::Send(send) = host.approve(&request, Default::default())? else { panic!() };
//! assert_eq!(send.call.method(), "resources/read");
//!
//! // 4. The answer is verified against the entry, and tagged with its server for the model.
//! let result = json::read(&result)?;
//! let file = contents::read(&result, &result.root, skill.uri());
//! let Step::Loaded(loaded) = host.got_skill_md(&skill, file.into())? else { panic!() };
//! assert!(loaded.content.for_model(10_000).contains("server: acme"));
//!
//! // 5. The model follows a link of the instructions.
//! host.read(&skill, "notes.md")?; // the call to send
//! let uri = "skill://tidy/notes.md";
//! host.got_file(&skill, uri, b"Put things back.\n"[..].into())?;
//!
//! // Other bytes are refused, and what the manifest does not list is never asked for.
//! let other = host.got_file(&skill, uri, b"Throw things away.\n"[..].into());
//! assert!(matches!(other, Err(ReadStop::Refused(_))));
//! assert!(matches!(host.read(&skill, "secrets.md"), Err(ReadStop::NotListed { .. })));
//! # Ok(())
//! # }
//! ```
//!
//! How calls are sent and answers are read is for [`protocol::conversation`] and
//! [`protocol::results`]. A person is shown what [`ApprovalRequest`](host::ApprovalRequest) holds,
//! and perhaps what [`review`] finds.
//!
//! # The checks alone
//!
//! Who has a host already needs four functions, which keep nothing: [`entry::read`] for what a
//! server lists, [`contents::read`] for what it sends, [`verify::verify_file`] for whether that is
//! what it promised, [`host::approval_state`] for whether it is still what was approved.
//!
//! ```
//! use skillglass::{digest::Digest, entry, verify::{Cause, Verdict, verify_file}};
//!
//! let file = "---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n";
//! let listed = format!(
//!     r#"{{"uri":"skill://tidy/SKILL.md",
//!         "frontmatter":{{"name":"tidy","description":"Tidies up."}},
//!         "resources":[{{"uri":"skill://tidy/SKILL.md","digest":"{}","size":{}}}]}}"#,
//!     Digest::of(file.as_bytes()),
//!     file.len(),
//! );
//! let reading = entry::read(&listed);
//! assert!(reading.findings.is_empty());
//! let held = reading.entry.expect("an entry a host may hold");
//! assert!(matches!(verify_file(&held, &held.uri, file.as_bytes()), Verdict::Verified(_)));
//!
//! let windows = file.replace('\n', "\r\n");
//! let verdict = verify_file(&held, &held.uri, windows.as_bytes());
//! let Verdict::Refused(refusal) = verdict else { panic!() };
//! assert_eq!(refusal.to_string(), "the size is not the one the manifest promises");
//! assert_eq!(refusal.cause, Some(Cause::LfToCrlf));
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
//! The feature `demo` adds two demonstration servers with sample skills.
//!
//! # What holds everywhere
//!
//! A server's mistake is a [`finding::Finding`] or a [`verify::Refusal`], never a panic and never a
//! silent repair. `Err` is for text that cannot be read at all, for what must not be read, and for
//! misuse. No function recurses deeper than [`value::MAX_DEPTH`]. URIs, numbers and strings stay as
//! the server sent them: [`finding::quote`] makes them safe to show. Sizes are in bytes, offsets
//! count bytes from 0, lines and columns from 1, times are milliseconds of the caller's clock.
//!
//! Sections are named as the specification of the extension titles them; [`finding::Section`] has
//! their addresses.
#![forbid(unsafe_code)]

// What the README shows is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod auth;
mod bytes;
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
