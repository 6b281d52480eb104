//! A walk through a host's message flow on one skill, and the exchanges that it is seen in.

use skillglass::host::{Passed, Station, Walk};

use crate::transport::Stop;

/// How far a walk is.
pub(crate) struct Flow {
    /// The walk.
    pub(crate) walk: Walk,
    /// The station that is looked at.
    pub(crate) shown: Station,
    /// Whether a reply is waited for.
    pub(crate) is_asking: bool,
    /// Stops that.
    pub(crate) stop: Stop,
    /// The exchanges of the steps, in their order.
    exchanges: Vec<Option<usize>>,
}

impl Flow {
    /// A walk that has not begun. The server said what it offers in the exchange `greeted_in`.
    pub(crate) fn new(walk: Walk, greeted_in: Option<usize>) -> Self {
        let (shown, exchanges) = (Station::Discover, vec![greeted_in]);
        Self { walk, shown, is_asking: false, stop: Stop::new(), exchanges }
    }

    /// The steps at a station, with the exchanges they are seen in.
    pub(crate) fn at(&self, station: Station) -> impl Iterator<Item = (&Passed, Option<usize>)> {
        let passed = self.walk.passed().iter().zip(&self.exchanges);
        passed.filter(move |(passed, _)| passed.station == station).map(|(it, at)| (it, *at))
    }

    /// Where one looks next: at the step behind the last one that was made at the shown station, or
    /// where the walk is.
    pub(crate) fn following(&self) -> Station {
        let passed = self.walk.passed();
        let last = passed.iter().rposition(|passed| passed.station == self.shown);
        let next = last.and_then(|last| passed.get(last + 1));
        next.map_or_else(|| self.walk.station(), |passed| passed.station)
    }

    /// Whether the latest step was made at the shown station.
    pub(crate) fn is_latest(&self) -> bool {
        self.walk.passed().last().is_some_and(|passed| passed.station == self.shown)
    }

    /// Makes a step, and looks at what came of it: of steps that sent something, in `exchange`.
    pub(crate) fn step(&mut self, exchange: Option<usize>, make: impl FnOnce(&mut Walk)) {
        let before = self.walk.passed().len();
        make(&mut self.walk);
        let new = &self.walk.passed()[before..];
        self.exchanges.extend(new.iter().map(|it| it.sent.as_ref().and(exchange)));
        self.shown = new.first().map_or_else(|| self.walk.station(), |passed| passed.station);
    }
}
