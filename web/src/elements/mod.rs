//! The smallest parts: a state, a server's text, a button that copies, text with line numbers.

mod copy;
mod digest;
mod glyph;
mod list;
mod marked_text;
mod server_text;
mod source;
mod tabs;

pub(crate) use copy::CopyButton;
pub(crate) use digest::Digest;
pub(crate) use glyph::Glyph;
pub(crate) use list::{Keyed, list};
pub(crate) use marked_text::MarkedText;
pub(crate) use server_text::ServerText;
pub(crate) use source::Source;
pub(crate) use tabs::{TabLink, Tabs};
