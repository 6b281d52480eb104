//! A conformance run over a server, and what it came to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{CheckReport, Outcome, Progress, Report, Run, SubjectKind};
use skillglass::entry::Reading;
use skillglass::uri::SkillUri;

use crate::transport::Stop;

/// A conformance run over a server. It goes on while other screens are shown.
#[derive(Clone, Copy)]
pub(crate) struct Judging {
    /// The run; none before the first one begins.
    pub(crate) run: StoredValue<Option<Rc<RefCell<Run>>>, LocalStorage>,
    /// The number on the wire's log for each exchange of the run.
    pub(crate) wire: StoredValue<HashMap<u64, usize>>,
    /// How far it is.
    pub(crate) progress: RwSignal<Option<Progress>>,
    /// Whether it hands out questions or awaits answers.
    pub(crate) is_going: RwSignal<bool>,
    /// Whether another run is to be begun, so that what it looks at is shown in place of the report.
    pub(crate) wants_another: RwSignal<bool>,
    /// Ends what it has asked.
    pub(crate) stop: StoredValue<Stop, LocalStorage>,
    /// What is known so far.
    pub(crate) report: RwSignal<Option<Arc<Report>>>,
    /// The last report of the run before this one.
    pub(crate) former: RwSignal<Option<Arc<Report>>>,
    /// When the report was made, in milliseconds since 1970.
    pub(crate) judged_at: RwSignal<u64>,
    /// When the report is shown anew, on the clock for measuring.
    pub(crate) due: StoredValue<u64>,
}

impl Judging {
    /// Nothing was judged yet.
    pub(super) fn new() -> Self {
        Self {
            run: StoredValue::new_local(None),
            wire: StoredValue::new(HashMap::new()),
            progress: RwSignal::new(None),
            is_going: RwSignal::new(false),
            wants_another: RwSignal::new(false),
            stop: StoredValue::new_local(Stop::new()),
            report: RwSignal::new(None),
            former: RwSignal::new(None),
            judged_at: RwSignal::new(0),
            due: StoredValue::new(0),
        }
    }

    /// How many checks of the report failed on the skill with this entry or its files, and the id of the first.
    pub(crate) fn failures_of(self, reading: &Reading) -> Option<(usize, String)> {
        self.report.with(|report| {
            let checks = report.as_ref()?.checks.iter().filter(|check| fails_on(check, reading));
            let mut ids = checks.map(|check| check.id.to_string());
            let first = ids.next()?;
            Some((1 + ids.count(), first))
        })
    }

    /// The run asks, with a stop that nobody has pulled.
    pub(crate) fn begin(self) {
        self.stop.set_value(Stop::new());
        self.is_going.set(true);
    }

    /// Lets go of the run and of what it found. Answers that still come are passed over.
    pub(super) fn forget(self) {
        self.stop.with_value(Stop::pull);
        self.run.set_value(None);
        self.report.set(None);
        self.former.set(None);
    }

    /// Whether something was left out that [`crate::run::resume`] would ask for.
    pub(crate) fn is_stopped(self) -> bool {
        let is_done = |run: &Rc<RefCell<Run>>| run.borrow().is_done();
        !self.is_going.get()
            && self.run.with_value(|run| run.as_ref().is_some_and(|run| !is_done(run)))
    }
}

/// Whether a check failed on a skill: on its entry, a file of it, or a directory.
fn fails_on(check: &CheckReport, reading: &Reading) -> bool {
    let Some(uri) = reading.uri.as_deref() else { return false };
    let manifest = reading.entry.as_ref().and_then(|entry| entry.manifest());
    let is_below = |name: &str| SkillUri::parse(uri).is_ok_and(|it| it.file_path(name).is_ok());
    check.results.iter().filter(|result| result.outcome == Outcome::Fail).any(|result| {
        let name = result.subject.name.as_str();
        match (result.subject.kind, manifest) {
            (SubjectKind::Skill, _) => name == uri,
            // A skill within this one has files of its own.
            (SubjectKind::File, Some(manifest)) => name == uri || manifest.get(name).is_some(),
            (SubjectKind::File | SubjectKind::Directory, _) => is_below(name),
            (SubjectKind::Server | SubjectKind::Method, _) => false,
        }
    })
}
