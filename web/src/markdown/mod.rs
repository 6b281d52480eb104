//! The Markdown of skills: what its links lead to, and how it is shown without ever being run.

mod paint;
mod target;

pub(crate) use paint::{Painting, Picture, paint, plain_text};
pub(crate) use target::{Target, body, target, unlisted_files};

use pulldown_cmark::Options;

/// What is read besides CommonMark.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
