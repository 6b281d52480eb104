//! Parts that are put together from elements and shown on several screens.

mod catalog;
mod evidence;
mod failure_card;
mod file_panel;
mod file_view;
mod finding_card;
mod header;
mod help;
mod open_by_uri;
mod pause;
mod picture;
mod program;
mod remedy;
mod rendered;
mod sign_in;
mod steps;
mod verdict_card;
mod way_around;
mod wire;
mod wire_findings;

pub(crate) use catalog::{Catalog, step_through};
pub(crate) use evidence::{EvidenceView, full_stop};
pub(crate) use failure_card::FailureCard;
pub(crate) use file_panel::{FilePanel, FileStatus};
pub(crate) use file_view::FileView;
pub(crate) use finding_card::FindingCard;
pub(crate) use header::Header;
pub(crate) use help::Help;
pub(crate) use pause::PauseNotice;
pub(crate) use program::Program;
pub(crate) use remedy::Remedy;
pub(crate) use sign_in::{Account, SignIn};
pub(crate) use steps::Steps;
pub(crate) use way_around::WayAround;
pub(crate) use wire::WireDrawer;
