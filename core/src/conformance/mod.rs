//! Conformance: every obligation of a server that its answers can show.
//!
//! A [`Run`] says what to ask next and is fed what came of it; it judges each answer as it comes
//! and keeps no bodies. Its [`Report`] is one JSON contract that the page, the npm package and the
//! command line render.
//!
//! # How a run is driven
//!
//! Open a conversation with a [`Handshake`](crate::protocol::Handshake) first. Then make the calls
//! that [`Run::next_step`] gives, as many at once as it gives, and hand in what comes in any order:
//!
//! ```
//! # #[cfg(feature = "demo")] {
//! use skillglass::conformance::{Options, Outcome, Received, Run, Scope};
//! use skillglass::protocol::{Call, Client, Connected, Era, ReplyReader, results::read_discovery};
//!
//! let server = skillglass::demo::server("good").unwrap();
//! let mut client = Client::new("http://localhost/").unwrap();
//! let mut ask = |call: &Call, limits| {
//!     let request = client.request(call).unwrap();
//!     let reply = server.answer(&request); // or over HTTP
//!     let kind = reply.content_type.as_deref();
//!     let mut reader = ReplyReader::new(request.id, reply.status, kind, limits);
//!     reader.push(&reply.body).unwrap();
//!     reader.finish()
//! };
//!
//! let reply = ask(&Call::Discover, Default::default()).unwrap();
//! let discovery = read_discovery(reply.message().unwrap().outcome().unwrap());
//! let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
//!
//! let mut run = Run::new(&connected, Scope::Server, Options::default());
//! while let Some(step) = run.next_step() {
//!     let reply = ask(&step.call, step.limits);
//!     run.receive(step.id, Received::Answered(reply));
//! }
//! assert!(run.is_done());
//! let report = run.report();
//! assert_eq!(report.counts.fail, 0, "{}", report.summary);
//! # }
//! ```
//!
//! - A call that cannot be made, times out or is refused by the network is
//!   [`Received::Failed`]: its checks are untested, with the reason, and never pass.
//! - The cost is in [`Run::plan`]. It is known once [`Progress::stage`] has left
//!   [`Stage::Survey`]: a caller that wants to ask first drives the run up to there, shows the
//!   plan, and goes on.
//! - [`Run::ask_first`] makes the run stop there by itself.
//! - [`Run::stop`] hands out no more steps, [`Run::resume`] goes on; [`Run::report`] tells at any
//!   time what is known.
//! - A [`Visit`] does all of it, the handshake included, for a caller that only carries HTTP.
//! - Nothing that is asked changes anything on the server. Some questions are to be refused
//!   ([`Options::provoke`]).
//!
//! # Outcomes
//!
//! A check has one [`Outcome`] for each [`Subject`]. A broken MUST fails, a SHOULD that is not
//! followed warns, and so does a hint. What is not known is untested and says why.

mod checks;
mod compare;
mod export;
mod judge;
mod ledger;
mod plan;
mod report;
mod requirements;
mod run;
mod selection;
mod subject;
#[cfg(test)]
mod tests;
mod visit;

pub use checks::{Binds, CHECKS, Check, Need, Since, Suite};
pub use compare::{Change, ChangeKind, Comparison, compare};
pub use ledger::MAX_RESULTS;
pub use plan::{Options, Plan, Progress, Received, Scope, Stage, Step};
pub use report::{
    CheckReport, CheckResult, Counts, Evidence, Exchange, REPORT_VERSION, Report, ReportError,
    SectionLine, ServerLine, Traffic,
};
pub use requirements::{Held, REQUIREMENTS, Requirement};
pub use run::Run;
pub use selection::{Selection, UnknownCheck};
pub use subject::{Outcome, Subject, SubjectKind};
pub use visit::{Terms, Visit};
