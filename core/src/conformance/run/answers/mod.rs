//! What the answer to each question shows.

mod directories;
mod files;
mod listing;
mod shown;
mod skills;

pub(super) use shown::{CAPABILITIES, CHANGEABLE, DIRECTORY, FILE, GET, LIST, SKILL_MD, UNLISTED};

use super::{Ask, MAX_EXCERPT, Run, failed};
use crate::conformance::Subject;
use crate::conformance::judge::{NoResult, broken, envelope};
use crate::conformance::report::Exchange;
use crate::finding::{Finding, excerpt};
use crate::protocol::results::holds_in;
use crate::protocol::{Call, Message, Reply, ReplyError};
use crate::value::Node;

/// An answer: a result with the message around it, or why there is none.
type Answer<'a> = Result<(&'a Message<'a>, &'a Node<'a>), NoResult>;

impl Run {
    /// Judges what came.
    pub(super) fn settle(
        &mut self,
        id: u64,
        ask: &Ask,
        call: &Call,
        reply: &Result<Reply, ReplyError>,
    ) {
        self.received += text(reply).0 as u64;
        let message = match reply {
            Ok(reply) => reply.message(),
            Err(error) => Err(error.clone()),
        };
        if let Some(reason) = no_verdict(status(reply), message.as_ref().err()) {
            return match (ask, status(reply)) {
                // The run can do without: a refusal was asked for, and one of another kind came.
                (Ask::Probe(_), Some(401 | 403)) => self.untested(ask, &reason),
                _ => self.failed_call(ask, call, &reason),
            };
        }
        let method = Subject::method(call.method());
        self.ledger.examined(&method, &["wire-schema-valid", "json-mark"]);
        match message {
            Ok(message) => {
                let outcome = message.outcome().map(|result| (&message, result));
                let form = envelope::check(self.era(), &self.connected.version, call, &message);
                let status = envelope::check_status(message.status, outcome.is_err());
                let status = status.filter(|_| self.options.http);
                self.ledger.found(&method, id, form.into_iter().chain(status));
                self.ledger.found(&method, id, message.findings());
                self.judge(id, ask, call, outcome.map_err(NoResult::Refused));
            }
            Err(error) => {
                self.ledger.found(&method, id, [envelope::no_message(&error)]);
                self.judge(id, ask, call, Err(NoResult::Unreadable(error)));
            }
        }
    }

    fn judge(&mut self, id: u64, ask: &Ask, call: &Call, answer: Answer<'_>) {
        match ask {
            Ask::Discover => {}
            Ask::List => self.listed(id, answer),
            Ask::Resources => self.resources(id, answer),
            Ask::Probe(probe) => self.probed(id, probe, &answer),
            Ask::Get(at) => self.got(id, *at, answer),
            Ask::Read(at) => self.read(id, *at, call, answer),
            Ask::Directory(at) => self.directory(id, *at, call, answer),
            Ask::GetAgain(at) => self.got_again(*at, answer),
            Ask::ReadAgain(at) => self.read_again(*at, answer),
            Ask::Linked { skill, uri } => self.linked(id, *skill, uri, answer),
        }
    }

    /// Notes findings on a result that hold in this era.
    fn found(&mut self, subject: &Subject, id: u64, findings: impl IntoIterator<Item = Finding>) {
        let era = self.era();
        self.ledger.found(subject, id, findings.into_iter().filter(|it| holds_in(era, it)));
    }

    /// Where `skills/get` never gave a result, that alone is held against the server: what refuses
    /// everything keeps and breaks the rules for single questions by accident.
    pub(super) fn without_get(&mut self) {
        const REASON: &str = "skills/get is not answered";
        const PROBES: &[&str] =
            &["skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"];
        const SKILL: &[&str] =
            &["get-answers-every-listed", "get-answers-unlisted", "nested-flat-listing"];
        let method = Subject::method("skills/get");
        let answered = self.ledger.outcome(&method, "skills-get-no-cursor").is_some();
        if answered || !failed(&self.ledger, &method, "skills-get-implemented") {
            return;
        }
        self.ledger.withdraw(&method, PROBES, REASON);
        for skill in &self.facts.skills {
            self.ledger.withdraw(&Subject::skill(&skill.uri), SKILL, REASON);
        }
    }

    /// Whether both methods of the extension were answered.
    pub(super) fn commits_to_methods(&mut self) {
        const CHECK: &str = "capability-commits-to-methods";
        // What fails where a method is not answered, and what only an answer shows.
        const METHODS: [(&str, &str, &str); 2] = [
            ("skills/list", "skills-list-implemented", "list-skills-array"),
            ("skills/get", "skills-get-implemented", "skills-get-no-cursor"),
        ];
        let server = Subject::server();
        if self.facts.listing.pages() > 0 {
            self.ledger.examined(&server, &[CHECK]);
        }
        for (name, answered, shown) in METHODS {
            let method = Subject::method(name);
            if failed(&self.ledger, &method, answered) {
                let sometimes = self.ledger.outcome(&method, shown).is_some();
                let not = if sometimes { "not always" } else { "not" };
                let message = format!("{name} is declared and {not} answered");
                self.ledger.found(&server, None, [broken(CHECK, message)]);
            }
        }
    }
}

/// The line of an exchange in the report; `http` says whether its status means anything.
pub(super) fn exchange(
    number: u64,
    call: &Call,
    reply: &Result<Reply, ReplyError>,
    http: bool,
) -> Exchange {
    let (bytes, text) = text(reply);
    Exchange {
        number,
        method: call.method().to_owned(),
        asked: call.subject().map(|subject| excerpt(subject, MAX_EXCERPT)),
        status: status(reply).filter(|_| http).map(u64::from),
        bytes: bytes as u64,
        excerpt: (!text.is_empty()).then(|| excerpt(text, MAX_EXCERPT)),
    }
}

/// How many bytes the message has that came, and its text or the beginning of what is none.
fn text(reply: &Result<Reply, ReplyError>) -> (usize, &str) {
    match reply {
        Ok(reply) => (reply.text.len(), reply.text.as_str()),
        Err(error) => (0, error.excerpt().unwrap_or_default()),
    }
}

/// The HTTP status of an answer, where it is known.
const fn status(reply: &Result<Reply, ReplyError>) -> Option<u16> {
    match reply {
        Ok(Reply { status, .. })
        | Err(
            ReplyError::MediaType { status, .. }
            | ReplyError::NotJson { status, .. }
            | ReplyError::NotMessage { status, .. }
            | ReplyError::OtherId { status, .. }
            | ReplyError::EndedEarly { status, .. },
        ) => Some(*status),
        Err(_) => None,
    }
}

/// Why an answer says nothing about the rules: who asks is not known, the server is busy, or the
/// answer goes beyond what is read here.
fn no_verdict(status: Option<u16>, error: Option<&ReplyError>) -> Option<String> {
    match (status, error) {
        (Some(401), _) => Some("the server wants authorization (401)".to_owned()),
        (Some(403), _) => Some("the server refuses (403)".to_owned()),
        (Some(status @ (408 | 429 | 502..=504)), _) => {
            Some(format!("the server is busy or out of reach ({status})"))
        }
        (_, Some(error)) if error.is_reader_limit() => Some(error.to_string()),
        _ => None,
    }
}
