//! What was found so far: one mark for each check and subject, with the evidence of what is wrong.

use std::collections::HashMap;

use super::checks::{CHECKS, Since};
use super::report::Evidence;
use super::{Outcome, Subject, SubjectKind};
use crate::finding::{Finding, Level};
use crate::protocol::Era;

/// How many subjects of a check are told about one by one; the others are counted.
pub const MAX_RESULTS: usize = 200;

/// How many findings one subject of a check may have.
const MAX_FINDINGS: usize = 20;

/// The marks of a run.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    era: Era,
    numbers: HashMap<&'static str, usize>,
    subjects: HashMap<Subject, usize>,
    /// For each subject the checks it was held against.
    marks: Vec<Vec<(usize, Outcome)>>,
    /// For each check what there is to say of a subject, by subject.
    details: Vec<Vec<(Subject, Details)>>,
    /// For each check why it does not apply to a subject, the first reason.
    not_applicable: Vec<Option<String>>,
    /// The latest exchange that evidence rests on.
    cited: Option<u64>,
}

/// What there is to say of one subject.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    pub(super) reason: Option<String>,
    pub(super) evidence: Vec<Evidence>,
}

impl Ledger {
    pub(super) fn new(era: Era) -> Self {
        Self {
            era,
            numbers: CHECKS.iter().enumerate().map(|(at, check)| (check.id, at)).collect(),
            subjects: HashMap::new(),
            marks: Vec::new(),
            details: vec![Vec::new(); CHECKS.len()],
            not_applicable: vec![None; CHECKS.len()],
            cited: None,
        }
    }

    /// These checks were held against the subject; unless more is said, they pass.
    pub(super) fn examined(&mut self, subject: &Subject, checks: &[&str]) {
        let row = self.row(subject);
        for check in checks {
            self.mark(row, self.numbers[check], Outcome::Pass);
        }
    }

    /// These checks could not be held against the subject.
    pub(super) fn untested(&mut self, subject: &Subject, checks: &[&str], reason: &str) {
        let row = self.row(subject);
        for check in checks {
            let number = self.numbers[check];
            if self.mark(row, number, Outcome::Untested)
                && let Some(details) = self.details(number, subject)
            {
                details.reason.get_or_insert_with(|| reason.to_owned());
            }
        }
    }

    /// There is nothing about the subject that these checks could be held against.
    pub(super) fn not_applicable(&mut self, subject: &Subject, checks: &[&str], reason: &str) {
        let row = self.row(subject);
        for check in checks {
            let number = self.numbers[check];
            if self.mark(row, number, Outcome::NotApplicable) {
                self.not_applicable[number].get_or_insert_with(|| reason.to_owned());
            }
        }
    }

    /// The subject breaks rules. What is only a note about something else than a hint says nothing
    /// about conformance and is left out.
    pub(super) fn found(
        &mut self,
        subject: &Subject,
        exchange: impl Into<Option<u64>>,
        findings: impl IntoIterator<Item = Finding>,
    ) {
        let exchange = exchange.into();
        findings.into_iter().for_each(|finding| self.note(subject, exchange, finding));
    }

    fn note(&mut self, subject: &Subject, exchange: Option<u64>, finding: Finding) {
        let Some(&number) = self.numbers.get(finding.id) else {
            debug_assert!(finding.level == Level::Note, "{} is in no table", finding.id);
            return;
        };
        let outcome = match (finding.level, CHECKS[number].level) {
            (Level::Must, _) => Outcome::Fail,
            (Level::Should, _) | (Level::Note, Level::Note) => Outcome::Warn,
            (Level::Note, _) => return,
        };
        let row = self.row(subject);
        if !self.mark(row, number, outcome) {
            return;
        }
        let Some(details) = self.details(number, subject) else { return };
        let evidence = Evidence::of(finding, exchange);
        let known = &mut details.evidence;
        if let Some(same) = known.iter_mut().find(|other| other.is_same(&evidence)) {
            // A place in a skill's entry is one place, in the listing as in the answer to a get.
            let again = subject.kind != SubjectKind::Skill || evidence.pointer.is_none();
            same.times += u64::from(again);
        } else if known.len() < MAX_FINDINGS {
            let at = known.partition_point(|other| *other < evidence);
            known.insert(at, evidence);
            self.cited = exchange;
        }
    }

    /// Takes failures of these checks back, since what they rest on has changed meanwhile.
    pub(super) fn excuse(&mut self, subject: &Subject, checks: &[&str], reason: &str) {
        self.take_back(subject, checks, reason, |outcome| outcome == Outcome::Fail);
    }

    /// Takes back whatever was said of these checks, since it proves nothing.
    pub(super) fn withdraw(&mut self, subject: &Subject, checks: &[&str], reason: &str) {
        self.take_back(subject, checks, reason, |_| true);
    }

    fn take_back(
        &mut self,
        subject: &Subject,
        checks: &[&str],
        reason: &str,
        is_meant: impl Fn(Outcome) -> bool,
    ) {
        let Some(&at) = self.subjects.get(subject) else { return };
        for check in checks {
            let number = self.numbers[check];
            let mark = self.marks[at].iter_mut().find(|(of, _)| *of == number);
            if let Some((_, outcome)) = mark.filter(|(_, outcome)| is_meant(*outcome)) {
                *outcome = Outcome::Untested;
                let reason = Some(reason.to_owned());
                if let Some(details) = self.details(number, subject) {
                    *details = Details { reason, evidence: Vec::new() };
                }
            }
        }
    }

    /// The mark of a check on a subject, if there is one.
    pub(super) fn outcome(&self, subject: &Subject, check: &str) -> Option<Outcome> {
        let number = self.numbers[check];
        let marks = &self.marks[*self.subjects.get(subject)?];
        marks.iter().find(|(of, _)| *of == number).map(|(_, outcome)| *outcome)
    }

    /// Whether evidence rests on this exchange, the latest that was judged.
    pub(super) fn cites(&self, exchange: u64) -> bool {
        self.cited == Some(exchange)
    }

    /// For each check how often it came to which outcome, in the order of [`Outcome`].
    pub(super) fn counts(&self) -> Vec<[usize; 5]> {
        let mut counts = vec![[0; 5]; CHECKS.len()];
        for (number, outcome) in self.marks.iter().flatten() {
            counts[*number][*outcome as usize] += 1;
        }
        counts
    }

    /// What there is to say of the subjects of a check, each with its outcome.
    pub(super) fn told(
        &self,
        number: usize,
    ) -> impl Iterator<Item = (&Subject, Outcome, &Details)> {
        let check = CHECKS[number].id;
        self.details[number].iter().filter_map(move |(subject, details)| {
            Some((subject, self.outcome(subject, check)?, details))
        })
    }

    /// Why a check does not apply, if that was said of a subject.
    pub(super) fn why_not_applicable(&self, number: usize) -> Option<&str> {
        self.not_applicable[number].as_deref()
    }

    /// The marks of a subject.
    fn row(&mut self, subject: &Subject) -> usize {
        if let Some(row) = self.subjects.get(subject) {
            return *row;
        }
        self.subjects.insert(subject.clone(), self.marks.len());
        self.marks.push(Vec::new());
        self.marks.len() - 1
    }

    /// Sets the mark, unless a graver one stands there. Says whether the check holds in this era.
    fn mark(&mut self, row: usize, number: usize, outcome: Outcome) -> bool {
        let holds = match CHECKS[number].since {
            Since::Always => true,
            Since::Modern => self.era == Era::Modern,
            Since::LegacyOnly => self.era == Era::Legacy,
        };
        if holds {
            match self.marks[row].iter_mut().find(|(of, _)| *of == number) {
                Some((_, known)) => *known = outcome.max(*known),
                None => self.marks[row].push((number, outcome)),
            }
        }
        holds
    }

    /// Where to say something of a subject; none where enough was said of others before it.
    fn details(&mut self, number: usize, subject: &Subject) -> Option<&mut Details> {
        let told = &mut self.details[number];
        let at = match told.binary_search_by(|(other, _)| other.cmp(subject)) {
            Ok(at) => at,
            Err(MAX_RESULTS..) => return None,
            Err(at) => {
                told.insert(at, (subject.clone(), Details::default()));
                told.truncate(MAX_RESULTS);
                at
            }
        };
        Some(&mut told[at].1)
    }
}
