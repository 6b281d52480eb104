//! Skillglass core.
#![forbid(unsafe_code)]

pub mod contents;
#[cfg(feature = "demo")]
pub mod demo;
pub mod digest;
pub mod entry;
pub mod finding;
pub mod frontmatter;
pub mod json;
pub mod name;
pub mod protocol;
pub mod server;
pub mod source;
pub mod uri;
pub mod value;
pub mod verify;
pub mod yaml;
