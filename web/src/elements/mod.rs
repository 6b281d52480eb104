//! The smallest parts: a state, a server's text, a button that copies, text with line numbers.

mod button;
mod copy;
mod digest;
mod fact;
mod field;
mod follow;
mod glyph;
mod list;
mod marked_text;
mod server_text;
mod source;
mod switch;
mod tabs;
mod verdict_line;

pub(crate) use button::{Button, Choices};
pub(crate) use copy::CopyButton;
pub(crate) use digest::Digest;
pub(crate) use fact::Fact;
pub(crate) use field::Field;
pub(crate) use follow::follow;
pub(crate) use glyph::Glyph;
pub(crate) use list::{Keyed, list};
pub(crate) use marked_text::MarkedText;
pub(crate) use server_text::ServerText;
pub(crate) use source::Source;
pub(crate) use switch::Switch;
pub(crate) use tabs::{TabLink, Tabs};
pub(crate) use verdict_line::VerdictLine;
