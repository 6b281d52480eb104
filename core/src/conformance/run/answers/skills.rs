//! What has to be refused, and what `skills/get` shows.

use super::super::Run;
use super::super::facts::Origin;
use super::Answer;
use super::shown::{GET, GET_METHOD, GOT, UNLISTED};
use crate::conformance::Subject;
use crate::conformance::judge::probe::Probe;
use crate::conformance::judge::{NoResult, broken, entry, listing, probe};
use crate::finding::quote;
use crate::protocol::results::read_got_skill;
use crate::protocol::{Call, INVALID_PARAMS, METHOD_NOT_FOUND};

impl Run {
    pub(super) fn probed(&mut self, id: u64, probe: &Probe, answer: &Answer<'_>) {
        let method = Subject::method(probe.call.method());
        let outcome = answer.as_ref().map(|(_, result)| *result);
        if matches!(probe.call, Call::ListSkills { .. }) && self.facts.listing.pages() == 0 {
            // What refuses every page refuses an unknown cursor for another reason.
            return self.ledger.untested(&method, &[probe.check], "skills/list is not answered");
        }
        let code = answer.as_ref().err().and_then(NoResult::code);
        let asks_for_skill = matches!(probe.call, Call::GetSkill { .. });
        if asks_for_skill && code == Some(METHOD_NOT_FOUND) && self.facts.skills.is_empty() {
            // No skill is known that would show it.
            let message = format!("asked for {}: {METHOD_NOT_FOUND}", probe.what);
            self.ledger.found(&method, id, [broken("skills-get-implemented", message)]);
        }
        self.ledger.examined(&method, &[probe.check]);
        if outcome.is_err() {
            self.ledger.examined(&method, &["error-message-informative"]);
        }
        let findings = probe::judge(probe, self.era(), self.options.http, outcome);
        self.ledger.found(&method, id, findings);
    }

    pub(super) fn got(&mut self, id: u64, at: usize, answer: Answer<'_>) {
        let uri = self.facts.skills[at].uri.clone();
        let subject = Subject::skill(&uri);
        let method = Subject::method("skills/get");
        let origin = self.facts.skills[at].origin;
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(error) => return self.not_got(id, at, &error),
        };
        self.ledger.examined(&method, GET_METHOD);
        self.ledger.examined(&subject, if origin == Origin::Listed { GET } else { GOT });
        match origin {
            Origin::Instructions => {
                self.ledger.examined(&subject, &["instructions-uris-resolve"]);
                self.ledger.examined(&subject, UNLISTED);
            }
            Origin::Nested => self.ledger.examined(&subject, &["nested-flat-listing"]),
            Origin::Listed => {}
            Origin::Selected | Origin::Mentioned => self.ledger.examined(&subject, UNLISTED),
        }
        let got = read_got_skill(message, result, &uri);
        let (shape, general): (Vec<_>, Vec<_>) =
            got.findings.into_iter().partition(|finding| finding.id == "skills-get-entry-shape");
        self.found(&method, id, general);
        self.found(&method, id, listing::cache_fields(result));
        if origin == Origin::Nested && !shape.is_empty() {
            let message = "skills/get answers with something else than an ordinary entry";
            self.ledger.found(&subject, id, [broken("nested-flat-listing", message)]);
        }
        self.ledger.found(&subject, id, shape);
        let Some(reading) = got.reading else { return };
        self.ledger.found(&subject, id, entry::shapeless(&reading));
        self.entry(id, &reading, "/skill");
        self.found(&subject, id, listing::new_defects(self.facts.listed(at), &reading));
        let differs = self.facts.listed(at).and_then(|listed| listing::differs(listed, &reading));
        self.facts.skills[at].differed |= differs.is_some();
        self.found(&subject, id, differs);
        self.facts.got(at, reading);
    }

    /// `skills/get` answered with an error, or with no message.
    fn not_got(&mut self, id: u64, at: usize, error: &NoResult) {
        let is_first_listed =
            self.facts.skills.iter().position(|it| it.listed.is_some()) == Some(at);
        let skill = &mut self.facts.skills[at];
        skill.unconfirmed = skill.origin != Origin::Listed;
        let subject = Subject::skill(&skill.uri);
        let unknown = error.code() == Some(INVALID_PARAMS);
        let message = error.to_string();
        if is_first_listed || error.code() == Some(METHOD_NOT_FOUND) {
            let method = Subject::method("skills/get");
            let finding = format!("asked for {}: {message}", quote(&skill.uri));
            self.ledger.found(&method, id, [broken("skills-get-implemented", finding)]);
        }
        match skill.origin {
            Origin::Listed => {
                self.ledger.found(&subject, id, [broken("get-answers-every-listed", message)]);
                self.ledger.untested(&subject, GET, "skills/get does not answer for it");
            }
            Origin::Nested => {
                self.ledger.examined(&subject, &["nested-flat-listing"]);
                if !unknown {
                    self.ledger.found(&subject, id, [broken("nested-flat-listing", message)]);
                }
            }
            Origin::Instructions if unknown => {
                self.ledger.found(&subject, id, [broken("instructions-uris-resolve", message)]);
            }
            Origin::Instructions => {
                self.ledger.untested(&subject, &["instructions-uris-resolve"], &message);
                self.ledger.found(&subject, id, [broken("get-answers-unlisted", message)]);
            }
            Origin::Selected | Origin::Mentioned if !unknown => {
                self.ledger.found(&subject, id, [broken("get-answers-unlisted", message)]);
            }
            Origin::Selected | Origin::Mentioned => {}
        }
    }

    pub(super) fn got_again(&mut self, at: usize, answer: Answer<'_>) {
        let skill = &self.facts.skills[at];
        let again = answer.ok().and_then(|(message, result)| {
            read_got_skill(message, result, &skill.uri).reading?.entry
        });
        let before = self.facts.entry(at);
        let changed = match (before, &again) {
            (Some(before), Some(again)) => Some(!before.same_content(again)),
            _ => None,
        };
        let skill = &mut self.facts.skills[at];
        skill.changed = changed;
        if changed.is_none() {
            skill.second_look_failed = Some("the second skills/get gave no entry".to_owned());
        }
    }
}
