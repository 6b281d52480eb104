//! What fills the main part of the page.

mod connect;
mod report;
mod server;
mod skill;
mod unknown;

pub(crate) use connect::{BridgedServers, Connect, Credentials, Headers, open_demo};
pub(crate) use report::{FORMS, Form, ReportScreen, save_report};
pub(crate) use server::ServerOverview;
pub(crate) use skill::SkillOrNot;
pub(crate) use unknown::UnknownServer;

/// The id of every screen's title, which takes the focus when the screen changes.
pub(crate) const TITLE: &str = "title";
