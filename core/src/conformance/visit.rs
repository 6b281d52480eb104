//! A whole visit to a server, for a caller that only carries HTTP: the handshake, what the server
//! declares in its other era, and the run.

use super::plan::{Options, Progress, Received, Scope};
use super::report::Report;
use super::run::Run;
use super::selection::Selection;
use crate::protocol::conversation::{AnswerHead, Conversation, Errand, Lack};
use crate::protocol::{Client, Era, EraChoice, HandshakeError, Progress as Reading};

/// What a [`Visit`] is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The era to judge.
    pub era: EraChoice,
    /// Whether the server is asked what it declares in its other era, too. Its answer takes the
    /// place of [`Options::other_era`].
    pub both_eras: bool,
    /// Whether the visit waits for [`Visit::resume`] once its cost is known.
    pub ask_first: bool,
    /// Which skills to look at.
    pub scope: Scope,
    /// Which checks to report on.
    pub selection: Selection,
    /// How the run goes about it.
    pub options: Options,
}

/// A visit to a server. It gives [`Errand`]s and takes what comes of them, in any order.
///
/// ```
/// # #[cfg(feature = "demo")] {
/// use skillglass::conformance::{Terms, Visit};
/// use skillglass::protocol::Client;
/// use skillglass::protocol::conversation::AnswerHead;
///
/// let server = skillglass::demo::server("good").unwrap();
/// let client = Client::new("http://localhost/mcp").unwrap();
/// let mut visit = Visit::new(client, Terms::default());
/// while let Some(errand) = visit.next_errand() {
///     let reply = server.answer(&errand.request); // or over HTTP
///     let head = AnswerHead {
///         status: reply.status,
///         content_type: reply.content_type,
///         ..AnswerHead::default()
///     };
///     visit.begin(errand.number, head);
///     visit.push(errand.number, &reply.body);
///     visit.end(errand.number, 0);
/// }
/// let report = visit.report().unwrap();
/// assert_eq!((report.counts.fail, report.incomplete), (0, None));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Visit {
    /// As it was before the handshake, for the other era.
    client: Client,
    terms: Terms,
    talk: Conversation,
    other: Option<Conversation>,
    run: Option<Run>,
    /// The run's step behind each question of the conversation.
    steps: Vec<(u64, u64)>,
    is_over: bool,
}

impl Visit {
    /// A visit that has not begun.
    #[must_use]
    pub fn new(client: Client, terms: Terms) -> Self {
        Self {
            talk: Conversation::new(client.clone(), terms.era),
            client,
            terms,
            other: None,
            run: None,
            steps: Vec::new(),
            is_over: false,
        }
    }

    /// The next request to carry; none where answers are awaited first, the visit
    /// [waits](Visit::is_stopped), or it is over.
    pub fn next_errand(&mut self) -> Option<Errand> {
        loop {
            if let Some(errand) = self.talk.next_errand() {
                return Some(numbered(errand, OWN));
            }
            if let Some(errand) = self.other.as_mut().and_then(Conversation::next_errand) {
                return Some(numbered(errand, OTHER));
            }
            self.pass_answers_on();
            if self.is_over {
                return None;
            }
            let Some(run) = &mut self.run else {
                self.draw_near()?;
                continue;
            };
            if let Some(step) = run.next_step() {
                let question = self.talk.ask(step.call, step.limits);
                self.steps.push((question, step.id));
            } else if run.is_done() {
                self.leave();
            } else {
                return None;
            }
        }
    }

    /// Takes status and headers of an answer.
    pub fn begin(&mut self, errand: u64, head: AnswerHead) {
        if let Some((talk, number)) = self.of(errand) {
            talk.begin(number, head);
        }
    }

    /// Takes the next bytes of an answer's body, and says whether more of it is wanted.
    pub fn push(&mut self, errand: u64, bytes: &[u8]) -> Reading {
        match self.of(errand) {
            Some((talk, number)) => talk.push(number, bytes),
            None => Reading::Done,
        }
    }

    /// An answer has come to its end. `now_ms` is the time in milliseconds since 1970.
    pub fn end(&mut self, errand: u64, now_ms: u64) {
        if let Some((talk, number)) = self.of(errand) {
            talk.end(number, now_ms);
        }
        self.pass_answers_on();
    }

    /// An errand brought no answer.
    pub fn fail(&mut self, errand: u64, lack: &Lack) {
        if let Some((talk, number)) = self.of(errand) {
            talk.fail(number, lack);
        }
        self.pass_answers_on();
    }

    /// How far the run is; none before it has begun.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        self.run.as_ref().map(Run::progress)
    }

    /// Whether it waits for [`Visit::resume`]: it was stopped, or its cost is known and
    /// [`Terms::ask_first`] is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.run.as_ref().is_some_and(Run::is_stopped)
    }

    /// Asks for nothing more.
    pub fn stop(&mut self) {
        if let Some(run) = &mut self.run {
            run.stop();
        }
    }

    /// Goes on after [`Visit::stop`].
    pub fn resume(&mut self) {
        if let Some(run) = &mut self.run {
            run.resume();
        }
    }

    /// Asks for nothing more, and takes leave of the server. What is on its way still counts.
    pub fn close(&mut self) {
        self.stop();
        self.leave();
    }

    /// Why the conversation could not be opened, where that is; then there is no report.
    #[must_use]
    pub fn failure(&self) -> Option<&HandshakeError> {
        self.talk.failure().filter(|_| self.run.is_none())
    }

    /// [`Visit::failure`] in words, with the reason that the caller gave for it, without what the
    /// client has sent as a secret.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.talk.trouble().filter(|_| self.run.is_none())?;
        Some(self.client.secrets().mask(&trouble))
    }

    /// What is known so far, without what the client has sent as a secret; none before the
    /// conversation is open.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        let report = self.terms.selection.of(self.run.as_ref()?.report());
        Some(report.masked(&self.client.secrets()))
    }

    /// Goes on to the other era, and from there to the run. None where that has to wait.
    fn draw_near(&mut self) -> Option<()> {
        let connected = self.talk.connected()?;
        let mut options = self.terms.options.clone();
        match &mut self.other {
            None if self.terms.both_eras => {
                let choice = match connected.era {
                    Era::Modern => EraChoice::Legacy,
                    Era::Legacy => EraChoice::Modern,
                };
                self.other = Some(Conversation::new(self.client.clone(), choice));
                return Some(());
            }
            None => {}
            Some(other) if other.is_opening() => return None,
            Some(other) => {
                options.other_era = other.connected().map(|there| there.discovery.clone());
                other.close();
            }
        }
        let mut run = Run::new(connected, self.terms.scope.clone(), options);
        if self.terms.ask_first {
            run.ask_first();
        }
        self.run = Some(run);
        Some(())
    }

    fn leave(&mut self) {
        self.is_over = true;
        self.talk.close();
        if let Some(other) = &mut self.other {
            other.close();
        }
    }

    fn pass_answers_on(&mut self) {
        let Some(run) = &mut self.run else { return };
        while let Some(settled) = self.talk.take_settled() {
            let of_question = |(question, _): &(u64, u64)| *question == settled.question;
            let Some(at) = self.steps.iter().position(of_question) else { continue };
            let (_, step) = self.steps.swap_remove(at);
            run.receive(
                step,
                match settled.outcome {
                    Ok(answered) => Received::Answered(answered.reply),
                    Err(reason) => Received::Failed(reason),
                },
            );
        }
    }

    /// The conversation that an errand belongs to, and its number there.
    fn of(&mut self, errand: u64) -> Option<(&mut Conversation, u64)> {
        let number = errand / CONVERSATIONS;
        match errand % CONVERSATIONS {
            OWN => Some((&mut self.talk, number)),
            _ => self.other.as_mut().map(|other| (other, number)),
        }
    }
}

/// Two conversations number their errands; the remainder tells which one it is.
const CONVERSATIONS: u64 = 2;
const OWN: u64 = 0;
const OTHER: u64 = 1;

fn numbered(errand: Errand, conversation: u64) -> Errand {
    Errand { number: errand.number * CONVERSATIONS + conversation, ..errand }
}
