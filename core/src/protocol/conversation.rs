//! A conversation with a server: the handshake, then questions, each carried to its end.
//!
//! It is what every caller over HTTP otherwise puts together of [`Handshake`], [`Client`],
//! [`ReplyReader`] and [`Retries`]: a session that the server has forgotten is opened anew, once
//! for all questions; a busy server is left alone for a while; what a server asks on a stream is
//! answered; a server of the older eras is told of questions that were given up.

use std::collections::VecDeque;

use super::{
    Again, Answered, Attempt, Call, Client, Connected, EraChoice, Evidence, Handshake,
    HandshakeError, HandshakeStep, HttpRequest, Patience, Progress, Reply, ReplyError, ReplyLimits,
    ReplyReader, Retries, Wire,
};

/// A request to carry to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// Its number, which everything that comes of it is handed in with.
    pub number: u64,
    /// The question that it carries, from [`Conversation::ask`]; none for what keeps the conversation
    /// going.
    pub question: Option<u64>,
    /// What to send.
    pub request: HttpRequest,
    /// How long to wait before it is sent, in milliseconds, as its server is busy.
    pub pause_ms: u64,
}

/// What stands in front of an answer's body. A page can read a header only where the server
/// exposes it, so each may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerHead {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Mcp-Session-Id`.
    pub session: Option<String>,
    /// `WWW-Authenticate`.
    pub challenge: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// Over a pipe: what came before the answer and is no message; its first characters, to be shown.
    pub noise: Option<String>,
}

/// Why an errand brought no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Nothing readable came; the reason in words, where somebody says one.
    Unreachable(Option<String>),
    /// The connection broke in the middle of the answer.
    BrokenOff,
    /// The time limit passed.
    TimedOut,
    /// Over a pipe: the time limit passed. The pipe tells the server, see
    /// [`pipe::cancelled`](super::pipe::cancelled).
    Silent,
    /// Over a pipe: the process at the other end is gone.
    Ended,
    /// The caller gave it up.
    Stopped,
}

impl Lack {
    fn reason(&self) -> String {
        match self {
            Self::Unreachable(Some(reason)) => format!("nothing readable came back: {reason}"),
            Self::Unreachable(None) => "nothing readable came back".to_owned(),
            Self::BrokenOff => "the connection broke off in the middle of the answer".to_owned(),
            Self::TimedOut | Self::Silent => "no answer came within the time limit".to_owned(),
            Self::Ended => "the process at the other end has ended".to_owned(),
            Self::Stopped => "it was stopped".to_owned(),
        }
    }
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The question's number, from [`Conversation::ask`].
    pub question: u64,
    /// The answer, whatever it says; or in words why there is none.
    pub outcome: Result<Answered, String>,
}

/// A conversation with one server over HTTP or a pipe, without the I/O.
///
/// ```
/// use skillglass::protocol::conversation::{AnswerHead, Conversation};
/// use skillglass::protocol::{Call, Client, EraChoice};
///
/// let client = Client::new("https://mcp.example.com/mcp").unwrap();
/// let mut conversation = Conversation::new(client, EraChoice::Auto);
/// let question = conversation.ask(Call::ListSkills { cursor: None }, Default::default());
///
/// let mut results = [r#"{"supportedVersions":["2026-07-28"]}"#, r#"{"skills":[]}"#].into_iter();
/// while let Some(errand) = conversation.next_errand() {
///     // Send errand.request, then hand in what comes, piece by piece:
///     let content_type = Some("application/json".to_owned());
///     let head = AnswerHead { status: 200, content_type, ..AnswerHead::default() };
///     conversation.begin(errand.number, head);
///     let (id, result) = (errand.request.id.unwrap(), results.next().unwrap());
///     let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
///     conversation.push(errand.number, body.as_bytes());
///     conversation.end(errand.number, 0);
/// }
/// assert_eq!(conversation.connected().unwrap().version, "2026-07-28");
/// let settled = conversation.take_settled().unwrap();
/// assert!(settled.question == question && settled.outcome.is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Conversation {
    client: Client,
    choice: EraChoice,
    state: State,
    connected: Option<Connected>,
    /// The result in which the server declared itself, as its exact JSON text.
    declared: Option<String>,
    /// Why nothing came of the handshake's last message, where somebody says so.
    reason: Option<String>,
    /// How long a busy server is waited for.
    patience: Patience,
    /// How often a busy server was asked to shake hands, and the pause before it is asked again.
    greeting: Retries,
    greeting_pause_ms: u64,
    waiting: VecDeque<Question>,
    /// Messages that want no answer.
    notices: VecDeque<HttpRequest>,
    /// What came over a pipe and is no message, until a question's answer is told to be behind it.
    noise: Option<String>,
    open: Vec<Open>,
    settled: VecDeque<Settled>,
    last_errand: u64,
    last_question: u64,
    is_closed: bool,
}

#[derive(Clone, Debug)]
enum State {
    Greeting(Box<Handshake>),
    Open,
    Failed(Box<Handshake>, HandshakeError),
}

#[derive(Clone, Debug)]
struct Question {
    number: u64,
    call: Call,
    limits: ReplyLimits,
    retries: Retries,
    pause_ms: u64,
}

/// An errand that is on its way.
#[derive(Clone, Debug)]
struct Open {
    number: u64,
    purpose: Purpose,
    request: HttpRequest,
    wire: Wire,
    answer: Option<(AnswerHead, ReplyReader)>,
    /// What was wrong with the body so far.
    error: Option<ReplyError>,
}

#[derive(Clone, Debug)]
enum Purpose {
    Greeting,
    Question(Box<Question>),
    Notice,
}

impl Conversation {
    /// A conversation that has not begun: it opens with a handshake.
    #[must_use]
    pub fn new(client: Client, choice: EraChoice) -> Self {
        Self {
            client: client.clone(),
            choice,
            state: State::Greeting(Box::new(Handshake::new(client, choice))),
            connected: None,
            declared: None,
            reason: None,
            patience: Patience::default(),
            greeting: Retries::new(Patience::default()),
            greeting_pause_ms: 0,
            waiting: VecDeque::new(),
            notices: VecDeque::new(),
            noise: None,
            open: Vec::new(),
            settled: VecDeque::new(),
            last_errand: 0,
            last_question: 0,
            is_closed: false,
        }
    }

    /// How long a busy server is waited for by the handshake and by the questions that are asked
    /// from now on.
    pub const fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
        self.greeting = Retries::new(patience);
    }

    /// Asks a question, once the conversation is open. Gives the question's number.
    pub fn ask(&mut self, call: Call, limits: ReplyLimits) -> u64 {
        self.last_question += 1;
        let (number, retries) = (self.last_question, Retries::new(self.patience));
        self.waiting.push_back(Question { number, call, limits, retries, pause_ms: 0 });
        number
    }

    /// Nobody waits for the answer to a question any more, so it is not sent if it was not yet. An
    /// errand that carries it ends by [`Conversation::fail`].
    pub fn withdraw(&mut self, question: u64) {
        self.waiting.retain(|waiting| waiting.number != question);
    }

    /// The next request to carry; none where answers are awaited first, or nothing is left.
    pub fn next_errand(&mut self) -> Option<Errand> {
        if let Some(notice) = self.notices.pop_front() {
            return Some(self.send(notice, Purpose::Notice, 0));
        }
        if self.is_closed {
            return None;
        }
        let is_greeted = self.open.iter().any(|open| matches!(open.purpose, Purpose::Greeting));
        loop {
            match &mut self.state {
                State::Greeting(_) if is_greeted => return None,
                State::Greeting(handshake) => match handshake.step() {
                    HandshakeStep::Send(request) => {
                        let pause_ms = std::mem::take(&mut self.greeting_pause_ms);
                        return Some(self.send(request, Purpose::Greeting, pause_ms));
                    }
                    HandshakeStep::Done(connected) => {
                        self.client = handshake.client().clone();
                        self.connected = Some(*connected);
                        self.state = State::Open;
                    }
                    HandshakeStep::Failed(error) => {
                        let ended = std::mem::replace(&mut self.state, State::Open);
                        if let State::Greeting(handshake) = ended {
                            self.state = State::Failed(handshake, error);
                        }
                    }
                },
                State::Failed(..) => {
                    let reason = self.trouble().unwrap_or_default();
                    let unasked = std::mem::take(&mut self.waiting);
                    unasked.into_iter().for_each(|it| self.give_up(it.number, reason.clone()));
                    return None;
                }
                State::Open => {
                    let question = self.waiting.pop_front()?;
                    match self.client.request(&question.call) {
                        Ok(request) => {
                            let pause_ms = question.pause_ms;
                            let purpose = Purpose::Question(Box::new(question));
                            return Some(self.send(request, purpose, pause_ms));
                        }
                        Err(error) => self.give_up(question.number, error.to_string()),
                    }
                }
            }
        }
    }

    /// Takes status and headers of an answer.
    pub fn begin(&mut self, errand: u64, mut head: AnswerHead) {
        let Some(open) = self.open.iter_mut().find(|open| open.number == errand) else { return };
        self.noise = self.noise.take().or(head.noise.take());
        let (limits, noise) = match &open.purpose {
            Purpose::Question(question) => (question.limits, self.noise.take()),
            Purpose::Greeting | Purpose::Notice => (ReplyLimits::default(), None),
        };
        let kind = head.content_type.as_deref();
        let reader =
            ReplyReader::new(open.request.id, head.status, kind, limits).behind_noise(noise);
        open.answer = Some((head, reader));
    }

    /// Takes the next bytes of an answer's body. [`Progress::Done`] says that nothing more of it
    /// is wanted, even if it goes on.
    pub fn push(&mut self, errand: u64, bytes: &[u8]) -> Progress {
        let Some(open) = self.open.iter_mut().find(|open| open.number == errand) else {
            return Progress::Done;
        };
        let Some((_, reader)) = &mut open.answer else { return Progress::Done };
        let progress = reader.push(bytes).unwrap_or_else(|error| {
            open.error = Some(error);
            Progress::Done
        });
        let questions = reader.take_requests();
        let client = match &self.state {
            State::Greeting(handshake) => handshake.client(),
            State::Open | State::Failed(..) => &self.client,
        };
        if !self.is_closed {
            let answers = questions.iter().filter_map(|question| client.answer(question));
            self.notices.extend(answers);
        }
        progress
    }

    /// An answer has come to its end, or nothing more of it was wanted. `now_ms` is the time in
    /// milliseconds since 1970, for servers that ask for a pause until then.
    pub fn end(&mut self, errand: u64, now_ms: u64) {
        let Some(mut open) = self.take(errand) else { return };
        let Some((head, reader)) = open.answer.take() else {
            return self.lack(open, &Lack::BrokenOff);
        };
        let reply = open.error.take().map_or_else(|| reader.finish(), Err);
        let answered = head.with(reply);
        match open.purpose {
            Purpose::Notice => {}
            Purpose::Greeting => match self.greeting.pause(&answered, now_ms) {
                // The handshake has not heard of it, and gives the same step again.
                Some(ms) => self.greeting_pause_ms = ms,
                None => {
                    // The handshake's last message has no id: whatever comes back declares nothing.
                    if open.request.id.is_some() {
                        self.note_declaration(&answered);
                    }
                    self.greeted(Attempt::Answered(answered));
                }
            },
            Purpose::Question(question) => self.answered(*question, &open.wire, answered, now_ms),
        }
    }

    /// An errand brought no answer, or not all of one.
    pub fn fail(&mut self, errand: u64, lack: &Lack) {
        if let Some(open) = self.take(errand) {
            self.lack(open, lack);
        }
    }

    /// The next question that came to its end.
    pub fn take_settled(&mut self) -> Option<Settled> {
        self.settled.pop_front()
    }

    /// What the last handshake settled.
    #[must_use]
    pub const fn connected(&self) -> Option<&Connected> {
        self.connected.as_ref()
    }

    /// Whether a handshake is under way.
    #[must_use]
    pub const fn is_opening(&self) -> bool {
        matches!(self.state, State::Greeting(_))
    }

    /// Why there is no conversation, or none any more. Then every question comes to nothing.
    #[must_use]
    pub const fn failure(&self) -> Option<&HandshakeError> {
        match &self.state {
            State::Failed(_, error) => Some(error),
            State::Greeting(_) | State::Open => None,
        }
    }

    /// What the handshake has learned that is under way or has failed.
    #[must_use]
    pub fn evidence(&self) -> &[Evidence] {
        match &self.state {
            State::Greeting(handshake) | State::Failed(handshake, _) => handshake.evidence(),
            State::Open => &[],
        }
    }

    /// [`Conversation::failure`] in words, with the reason that the caller gave for it.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let error = self.failure()?;
        let reason = self.reason.as_ref().filter(|_| *error == HandshakeError::Unreachable);
        Some(reason.map_or_else(|| error.to_string(), |reason| format!("{error}: {reason}")))
    }

    /// The result of `server/discover` or `initialize` in which the server declared itself, as its
    /// exact JSON text.
    #[must_use]
    pub fn declared(&self) -> Option<&str> {
        self.declared.as_deref()
    }

    /// Shakes hands once more, where that has failed.
    pub fn try_again(&mut self) {
        if matches!(self.state, State::Failed(..)) {
            self.greeting = Retries::new(self.patience);
            let handshake = Handshake::new(self.client.clone(), self.choice);
            self.state = State::Greeting(Box::new(handshake));
        }
    }

    /// Takes leave of the server: all that is sent from now on is the end of the session, if there
    /// is one.
    pub fn close(&mut self) {
        if self.is_closed {
            return;
        }
        self.is_closed = true;
        if let State::Greeting(handshake) = &self.state {
            self.client = handshake.client().clone();
        }
        self.notices.extend(self.client.end_session());
    }

    fn send(&mut self, request: HttpRequest, purpose: Purpose, pause_ms: u64) -> Errand {
        self.last_errand += 1;
        let (number, wire) = (self.last_errand, self.client.wire().clone());
        let (answer, error) = (None, None);
        let question = match &purpose {
            Purpose::Question(question) => Some(question.number),
            Purpose::Greeting | Purpose::Notice => None,
        };
        self.open.push(Open { number, purpose, request: request.clone(), wire, answer, error });
        Errand { number, question, request, pause_ms }
    }

    fn take(&mut self, errand: u64) -> Option<Open> {
        let at = self.open.iter().position(|open| open.number == errand)?;
        Some(self.open.swap_remove(at))
    }

    fn lack(&mut self, open: Open, lack: &Lack) {
        match open.purpose {
            Purpose::Notice => {}
            Purpose::Greeting => {
                self.reason = match lack {
                    Lack::Unreachable(reason) => reason.clone(),
                    _ => None,
                };
                self.greeted(match lack {
                    Lack::TimedOut => Attempt::TimedOut,
                    Lack::Silent | Lack::Ended => Attempt::Silent,
                    _ => Attempt::Unreachable,
                });
            }
            Purpose::Question(question) => {
                if matches!(lack, Lack::TimedOut | Lack::Stopped) && !self.is_closed {
                    self.notices.extend(self.client.cancelled(&open.request));
                }
                self.give_up(question.number, lack.reason());
            }
        }
    }

    fn note_declaration(&mut self, answered: &Answered) {
        let Ok(message) = answered.message() else { return };
        if let Ok(result) = message.outcome() {
            self.declared = Some(result.span.of(message.text).to_owned());
        }
    }

    fn greeted(&mut self, attempt: Attempt) {
        if let State::Greeting(handshake) = &mut self.state {
            handshake.receive(attempt);
        }
    }

    fn answered(&mut self, mut question: Question, wire: &Wire, answered: Answered, now_ms: u64) {
        match question.retries.after(wire, &answered, now_ms) {
            Again::No => {
                let (question, outcome) = (question.number, Ok(answered));
                return self.settled.push_back(Settled { question, outcome });
            }
            Again::AtOnce => question.pause_ms = 0,
            Again::AfterPause { ms } => question.pause_ms = ms,
            Again::AfterHandshake => {
                question.pause_ms = 0;
                // However many questions have met the loss, one handshake serves all of them.
                if matches!(self.state, State::Open) && self.client.wire() == wire {
                    let handshake = Handshake::new(self.client.clone(), EraChoice::Legacy);
                    self.state = State::Greeting(Box::new(handshake));
                }
            }
        }
        self.waiting.push_front(question);
    }

    fn give_up(&mut self, question: u64, reason: String) {
        self.settled.push_back(Settled { question, outcome: Err(reason) });
    }
}

impl AnswerHead {
    fn with(self, reply: Result<Reply, ReplyError>) -> Answered {
        let Self { status, session, challenge, retry_after, .. } = self;
        Answered { status, session, challenge, retry_after, reply }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::StreamFlaw;

    fn conversation(choice: EraChoice) -> Conversation {
        Conversation::new(Client::new("http://localhost/mcp").unwrap(), choice)
    }

    fn list(conversation: &mut Conversation) -> u64 {
        conversation.ask(Call::ListSkills { cursor: None }, ReplyLimits::default())
    }

    /// Answers an errand in full, with its own id.
    fn answer(conversation: &mut Conversation, errand: &Errand, head: AnswerHead, member: &str) {
        let content_type = Some("application/json".to_owned());
        conversation.begin(errand.number, AnswerHead { content_type, ..head });
        let id = errand.request.id.unwrap_or_default();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},{member}}}"#);
        conversation.push(errand.number, body.as_bytes());
        conversation.end(errand.number, 0);
    }

    fn head(status: u16) -> AnswerHead {
        AnswerHead { status, ..AnswerHead::default() }
    }

    /// Opens a session by the older handshake.
    fn greet(conversation: &mut Conversation, session: &str) {
        let hello = conversation.next_errand().unwrap();
        assert_eq!(hello.request.rpc_method, Some("initialize"));
        assert_eq!(conversation.next_errand(), None, "everything else waits");
        let head = AnswerHead { session: Some(session.to_owned()), ..head(200) };
        let result = r#""result":{"protocolVersion":"2025-11-25"}"#;
        answer(conversation, &hello, head, result);
        let thanks = conversation.next_errand().unwrap();
        assert_eq!(thanks.request.rpc_method, Some("notifications/initialized"));
        conversation.begin(thanks.number, self::head(202));
        conversation.end(thanks.number, 0);
    }

    #[test]
    fn what_is_no_message_is_told_with_the_answer_behind_it() {
        let mut talk = conversation(EraChoice::Modern);
        let questions = [list(&mut talk), list(&mut talk)];
        let noisy = AnswerHead { noise: Some("Listening".to_owned()), ..head(200) };
        let hello = talk.next_errand().unwrap();
        answer(&mut talk, &hello, noisy, r#""result":{"supportedVersions":["2026-07-28"]}"#);
        let flaws = questions.map(|_| {
            let errand = talk.next_errand().unwrap();
            answer(&mut talk, &errand, head(200), r#""result":{}"#);
            let settled = talk.take_settled().unwrap();
            settled.outcome.unwrap().reply.unwrap().flaw
        });
        assert_eq!(flaws, [Some(StreamFlaw::Noise("Listening".to_owned())), None]);
    }

    #[test]
    fn what_comes_back_for_the_last_message_of_a_handshake_declares_nothing() {
        let mut talk = conversation(EraChoice::Legacy);
        list(&mut talk);
        let hello = talk.next_errand().unwrap();
        let result = r#""result":{"protocolVersion":"2025-11-25"}"#;
        answer(&mut talk, &hello, head(200), result);
        let thanks = talk.next_errand().unwrap();
        answer(&mut talk, &thanks, head(200), r#""result":{}"#);
        assert_eq!(talk.next_errand().unwrap().request.rpc_method, Some("skills/list"));
        assert_eq!(talk.declared(), Some(r#"{"protocolVersion":"2025-11-25"}"#));
    }

    #[test]
    fn a_lost_session_is_opened_once_for_all_questions() {
        let mut talk = conversation(EraChoice::Legacy);
        let questions = [list(&mut talk), list(&mut talk)];
        greet(&mut talk, "first");
        let lost = [talk.next_errand().unwrap(), talk.next_errand().unwrap()];
        answer(&mut talk, &lost[0], head(404), r#""error":{"code":-32001,"message":"who?"}"#);
        greet(&mut talk, "second");
        answer(&mut talk, &lost[1], head(404), r#""error":{"code":-32001,"message":"who?"}"#);
        for _ in questions {
            let again = talk.next_errand().unwrap();
            assert_eq!(again.request.header("Mcp-Session-Id"), Some("second"));
            answer(&mut talk, &again, head(200), r#""result":{}"#);
        }
        assert_eq!(talk.next_errand(), None);
        let settled = [talk.take_settled().unwrap(), talk.take_settled().unwrap()];
        assert!(settled.iter().all(|it| it.outcome.as_ref().unwrap().status == 200));
        talk.close();
        assert_eq!(talk.next_errand().unwrap().request.method, super::super::HttpMethod::Delete);
    }

    #[test]
    fn a_busy_server_is_left_alone() {
        let mut talk = conversation(EraChoice::Auto);
        let busy = AnswerHead { retry_after: Some("3".to_owned()), ..head(503) };
        let question = list(&mut talk);
        let probe = talk.next_errand().unwrap();
        answer(&mut talk, &probe, busy.clone(), r#""error":{"code":1,"message":"later"}"#);
        let probe = talk.next_errand().unwrap();
        assert_eq!((probe.pause_ms, probe.request.rpc_method), (3_000, Some("server/discover")));
        answer(&mut talk, &probe, head(200), r#""result":{"supportedVersions":["2026-07-28"]}"#);
        let asked = talk.next_errand().unwrap();
        answer(&mut talk, &asked, busy, r#""error":{"code":1,"message":"later"}"#);
        assert_eq!(talk.take_settled(), None);
        let asked = talk.next_errand().unwrap();
        assert_eq!(asked.pause_ms, 3_000);
        answer(&mut talk, &asked, head(200), r#""result":{}"#);
        assert_eq!(talk.take_settled().unwrap().question, question);
    }

    #[test]
    fn what_is_given_up_is_cancelled_and_what_is_asked_answered() {
        let mut talk = conversation(EraChoice::Legacy);
        greet(&mut talk, "s");
        let question = list(&mut talk);
        let asked = talk.next_errand().unwrap();
        let stream = Some("text/event-stream".to_owned());
        talk.begin(asked.number, AnswerHead { content_type: stream, ..head(200) });
        let ping = b"data: {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\n\n";
        assert_eq!(talk.push(asked.number, ping), Progress::More);
        assert!(talk.next_errand().unwrap().request.body.contains("\"id\":5"));
        talk.fail(asked.number, &Lack::TimedOut);
        let settled = talk.take_settled().unwrap();
        assert_eq!(settled.question, question);
        assert_eq!(settled.outcome.unwrap_err(), "no answer came within the time limit");
        let cancelled = talk.next_errand().unwrap().request;
        assert_eq!(cancelled.rpc_method, Some("notifications/cancelled"));
    }

    #[test]
    fn after_leave_was_taken_nothing_is_cancelled() {
        let mut talk = conversation(EraChoice::Legacy);
        greet(&mut talk, "s");
        list(&mut talk);
        let asked = talk.next_errand().unwrap();
        talk.close();
        talk.fail(asked.number, &Lack::Stopped);
        assert_eq!(talk.next_errand().unwrap().request.method, super::super::HttpMethod::Delete);
        assert_eq!(talk.next_errand(), None);
    }

    #[test]
    fn a_program_that_is_silent_is_greeted_in_the_older_way() {
        let mut talk = Conversation::new(Client::over_pipe(), EraChoice::Auto);
        let asked = talk.next_errand().unwrap();
        assert_eq!(asked.request.rpc_method, Some("server/discover"));
        talk.fail(asked.number, &Lack::Silent);
        let asked = talk.next_errand().unwrap();
        assert_eq!(asked.request.rpc_method, Some("initialize"));
        talk.fail(asked.number, &Lack::Ended);
        assert_eq!(talk.next_errand(), None);
        assert_eq!(talk.failure(), Some(&HandshakeError::Silent));
        let asked: Vec<_> = talk.evidence().iter().map(|evidence| evidence.asked).collect();
        assert_eq!(asked, ["server/discover", "initialize"]);
    }

    #[test]
    fn patience_is_as_long_as_the_caller_says() {
        let mut talk = conversation(EraChoice::Auto);
        talk.set_patience(Patience { pause_ms: 1_000, total_ms: 1_000 });
        for pause_ms in [0, 1_000] {
            let asked = talk.next_errand().unwrap();
            assert_eq!(asked.pause_ms, pause_ms);
            answer(&mut talk, &asked, head(503), r#""error":{"code":1,"message":"busy"}"#);
        }
        assert!(talk.next_errand().is_none_or(|errand| errand.pause_ms == 0));
    }

    #[test]
    fn where_nobody_answers_every_question_says_so() {
        let mut talk = conversation(EraChoice::Auto);
        let question = list(&mut talk);
        while let Some(errand) = talk.next_errand() {
            talk.fail(errand.number, &Lack::Unreachable(None));
        }
        assert_eq!(talk.failure(), Some(&HandshakeError::Unreachable));
        let settled = talk.take_settled().unwrap();
        assert_eq!((settled.question, settled.outcome.is_err()), (question, true));
    }

    #[test]
    fn after_a_failure_it_may_be_tried_again() {
        let mut talk = conversation(EraChoice::Legacy);
        let question = list(&mut talk);
        let hello = talk.next_errand().unwrap();
        talk.fail(hello.number, &Lack::Unreachable(Some("refused".to_owned())));
        assert_eq!(talk.next_errand(), None);
        let settled = talk.take_settled().unwrap();
        let reason = "nothing readable came back: refused";
        assert_eq!((settled.question, settled.outcome.unwrap_err().as_str()), (question, reason));
        assert_eq!((talk.trouble().as_deref(), talk.declared()), (Some(reason), None));
        talk.try_again();
        greet(&mut talk, "s");
        assert_eq!(talk.next_errand(), None);
        assert_eq!(talk.declared(), Some(r#"{"protocolVersion":"2025-11-25"}"#));
        assert_eq!(talk.trouble(), None);
    }

    #[test]
    fn a_question_that_was_withdrawn_is_not_sent() {
        let mut talk = conversation(EraChoice::Legacy);
        let [first, second] = [list(&mut talk), list(&mut talk)];
        talk.withdraw(first);
        greet(&mut talk, "s");
        let asked = talk.next_errand().unwrap();
        assert_eq!((asked.question, talk.next_errand()), (Some(second), None));
    }

    #[test]
    fn numbers_that_are_not_open_are_passed_over() {
        let mut talk = conversation(EraChoice::Auto);
        talk.begin(7, head(200));
        assert_eq!(talk.push(7, b"{}"), Progress::Done);
        talk.end(7, 0);
        talk.fail(7, &Lack::Stopped);
        let probe = talk.next_errand().unwrap();
        talk.end(probe.number, 0);
        assert!(talk.next_errand().is_some(), "an answer without a head is none");
    }
}
