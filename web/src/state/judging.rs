//! A conformance run over a server, and what it came to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{Progress, Report, Run};

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
