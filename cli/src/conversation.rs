//! A conversation with a server: the core's, carried by a transport.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::FuturesUnordered;
use skillglass::demo;
use skillglass::finding::quote;
use skillglass::protocol::conversation::{self, AnswerHead, Errand, Settled};
use skillglass::protocol::retry::is_busy;
use skillglass::protocol::{
    Answered, Call, Client, Connected, EraChoice, HandshakeError, Patience, Progress, Reply,
    ReplyLimits,
};
use tokio::sync::{Mutex as AsyncMutex, Notify, oneshot};

use crate::arguments::Server;
use crate::failure::{Failure, NoConversation};
use crate::folder;
use crate::output::{self, bytes};
use crate::target::{self, Target};
use crate::terminal::Terminal;
use crate::transport::{Hearer, Http, Launch, NoAnswer, Pipe, Transport};

/// After how many questions in a row without an answer no more are asked.
const GIVE_UP: usize = 8;

/// For a busy server that was waited for in vain.
const NO_PATIENCE: Patience = Patience { pause_ms: 0, total_ms: 0 };

/// An open conversation.
pub(crate) struct Conversation {
    /// The server, for people.
    pub(crate) label: String,
    /// What the handshake settled.
    pub(crate) connected: Connected,
    line: Arc<Line>,
    carrier: AsyncMutex<Carrier>,
    /// How long a busy server is waited for, for each question.
    patience: Patience,
    /// How many questions in a row were not answered.
    unanswered: AtomicUsize,
}

/// What is under way. Whoever waits for an answer carries what has to be carried until it is there,
/// one at a time.
#[derive(Default)]
struct Carrier {
    questions: FuturesUnordered<BoxFuture<'static, ()>>,
    /// What keeps the conversation going.
    others: FuturesUnordered<BoxFuture<'static, ()>>,
}

/// What those share who ask and carry.
struct Line {
    transport: Transport,
    terminal: Terminal,
    talk: Mutex<conversation::Conversation>,
    /// There may be something new to carry.
    changed: Notify,
    /// Who waits for the answers to which questions.
    asked: Mutex<HashMap<u64, Asked>>,
    /// Why the last message of a handshake that got no answer got none.
    unheard: Mutex<Option<NoAnswer>>,
}

/// A question that is under way.
struct Asked {
    answer: oneshot::Sender<Result<Answered, Failure>>,
    /// What is asked, for people.
    words: String,
    /// Why no answer came.
    reason: Option<NoAnswer>,
}

impl Conversation {
    /// Opens a conversation with a server that declares the extension.
    pub(crate) async fn with_skills(
        target: &Target,
        server: &Server,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let conversation = Self::open(target, server, terminal).await?;
        if conversation.connected.discovery.skills {
            return Ok(conversation);
        }
        let label = conversation.label.clone();
        conversation.close().await;
        Err(Failure::NoSkills(label))
    }

    /// Opens a conversation.
    pub(crate) async fn open(
        target: &Target,
        server: &Server,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        Self::open_in(server.era(), target, server, terminal).await
    }

    /// Opens a conversation in an era that need not be the one that the command line names.
    pub(crate) async fn open_in(
        era: EraChoice,
        target: &Target,
        server: &Server,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let label = target.label();
        let mut talk = conversation::Conversation::new(client(target, server)?, era);
        let pause_ms = u64::try_from(server.timeout().as_millis()).unwrap_or(u64::MAX);
        let patience = Patience { pause_ms, total_ms: pause_ms.saturating_mul(2) };
        talk.set_patience(patience);
        let line = Arc::new(Line {
            transport: transport(target, server, terminal)?,
            terminal: terminal.clone(),
            talk: Mutex::new(talk),
            changed: Notify::new(),
            asked: Mutex::default(),
            unheard: Mutex::default(),
        });
        terminal.progress(|| format!("Connecting to {label} …"));
        let mut carrier = Carrier::default();
        carrier.set_out(&line);
        while line.talk().is_opening() {
            carrier.wait(&line).await;
            carrier.set_out(&line);
        }
        let connected = line.talk().connected().cloned();
        let connected = connected.ok_or_else(|| line.no_conversation(&label))?;
        let (carrier, unanswered) = (AsyncMutex::new(carrier), AtomicUsize::new(0));
        Ok(Self { label, connected, line, carrier, patience, unanswered })
    }

    /// Whether the server is a program at the other end of a pipe.
    pub(crate) fn is_over_pipe(&self) -> bool {
        matches!(self.line.transport, Transport::Pipe(_))
    }

    /// Asks a question, as often as the server wants it repeated and the core allows. Who has left
    /// several in a row without an answer is asked no more.
    pub(crate) async fn ask(&self, call: &Call, limits: ReplyLimits) -> Result<Reply, Failure> {
        if self.unanswered.load(Ordering::Relaxed) >= GIVE_UP {
            return Err(Failure::NoAnswer(NoAnswer::GivenUp(GIVE_UP)));
        }
        // A handshake that failed once may come about for the next question.
        self.line.talk().try_again();
        let answer = self.line.ask(call, limits);
        let carrying = async { self.carrier.lock().await.carry(&self.line).await };
        let outcome = tokio::select! {
            biased;
            answer = answer => answer.unwrap_or(Err(Failure::Interrupted)),
            never = carrying => match never {},
        };
        let outcome = outcome.map_err(|failure| match failure {
            Failure::Unasked(_) if self.line.talk().failure().is_some() => {
                self.line.no_conversation(&self.label)
            }
            failure => failure,
        });
        match &outcome {
            Err(Failure::NoAnswer(_) | Failure::Connect(_)) => {
                self.unanswered.fetch_add(1, Ordering::Relaxed)
            }
            _ => self.unanswered.swap(0, Ordering::Relaxed),
        };
        let answered = outcome?;
        let was_in_vain = is_busy(answered.status);
        self.line.talk().set_patience(if was_in_vain { NO_PATIENCE } else { self.patience });
        answered.reply.map_err(Failure::Reply)
    }

    /// Ends the session, if there is one, and the program, if one was started.
    pub(crate) async fn close(self) {
        let Self { line, carrier, .. } = self;
        let mut carrier = carrier.into_inner();
        // Nobody waits for the answers.
        carrier.questions.clear();
        line.talk().close();
        carrier.set_out(&line);
        while carrier.others.next().await.is_some() {}
        line.transport.close().await;
    }
}

impl Carrier {
    /// Carries what there is to carry, for as long as somebody wants it to.
    async fn carry(&mut self, line: &Arc<Line>) -> Infallible {
        loop {
            self.set_out(line);
            self.wait(line).await;
        }
    }

    /// Takes up what there is to carry, and gives out what has come.
    fn set_out(&mut self, line: &Arc<Line>) {
        while let Some(errand) = { line.talk().next_errand() } {
            let place = if errand.question.is_some() { &self.questions } else { &self.others };
            place.push(Arc::clone(line).carry(errand).boxed());
        }
        line.hand_out();
    }

    /// Waits until something is back, or there is more to carry.
    async fn wait(&mut self, line: &Line) {
        tokio::select! {
            Some(()) = self.questions.next() => {}
            Some(()) = self.others.next() => {}
            () = line.changed.notified() => {}
        }
    }
}

impl Line {
    /// Why there is no conversation, or none any more.
    fn no_conversation(&self, label: &str) -> Failure {
        let talk = self.talk();
        let error = talk.failure().cloned().unwrap_or(HandshakeError::Unreachable);
        let no_answer = lock(&self.unheard).clone();
        let (server, evidence) = (label.to_owned(), talk.evidence().to_vec());
        Failure::Connect(Box::new(NoConversation { server, error, no_answer, evidence }))
    }

    fn talk(&self) -> MutexGuard<'_, conversation::Conversation> {
        lock(&self.talk)
    }

    /// Has a question carried, and gives the place where its answer comes.
    fn ask(
        &self,
        call: &Call,
        limits: ReplyLimits,
    ) -> oneshot::Receiver<Result<Answered, Failure>> {
        let (answer, receiver) = oneshot::channel();
        let words = match call.subject() {
            Some(subject) => format!("{} {subject}", call.method()),
            None => call.method().to_owned(),
        };
        let mut asked = lock(&self.asked);
        let question = self.talk().ask(call.clone(), limits);
        asked.insert(question, Asked { answer, words, reason: None });
        self.changed.notify_one();
        receiver
    }

    /// Gives the answers that are there to those who wait for them.
    fn hand_out(&self) {
        while let Some(Settled { question, outcome }) = { self.talk().take_settled() } {
            let Some(asked) = lock(&self.asked).remove(&question) else { continue };
            let outcome = outcome
                .map_err(|words| asked.reason.map_or(Failure::Unasked(words), Failure::NoAnswer));
            // Who asked may have gone meanwhile.
            let _ = asked.answer.send(outcome);
        }
    }

    /// Sends a request and takes what comes of it to the core.
    async fn carry(self: Arc<Self>, errand: Errand) {
        let Errand { number, question, request, pause_ms } = errand;
        let asked = question.and_then(|it| Some(lock(&self.asked).get(&it)?.words.clone()));
        let asked = asked.as_deref().or(request.rpc_method).unwrap_or("an answer");
        if pause_ms > 0 {
            self.terminal.detail(|| format!("{asked}  busy, again in {pause_ms} ms"));
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        }
        let began = Instant::now();
        let (head, bytes) = (AnswerHead::default(), 0);
        let mut hearing = Hearing { line: &self, errand: number, head, bytes };
        let sent = self.transport.send(&request, &mut hearing).await;
        self.terminal.detail(|| {
            let took = began.elapsed().as_millis();
            match &sent {
                Ok(()) => format!("{asked}  {hearing}, {took} ms"),
                Err(reason) => format!("{asked}  {reason}, {took} ms"),
            }
        });
        let lack = sent.as_ref().err().map(NoAnswer::lack);
        match question {
            Some(question) => {
                if let Some(asked) = lock(&self.asked).get_mut(&question) {
                    asked.reason = sent.err();
                }
            }
            // Of the conversation's own messages only those of the handshake are answered.
            None if request.id.is_some() => {
                if let Err(NoAnswer::Silent { .. }) = sent {
                    self.transport.revive().await;
                }
                *lock(&self.unheard) = sent.err();
            }
            None => {}
        }
        match lack {
            None => self.talk().end(number, now_ms()),
            Some(lack) => self.talk().fail(number, &lack),
        }
    }
}

/// An answer on its way to the core.
struct Hearing<'l> {
    line: &'l Line,
    errand: u64,
    head: AnswerHead,
    bytes: usize,
}

impl Hearer for Hearing<'_> {
    fn begin(&mut self, head: AnswerHead) {
        self.head = head.clone();
        self.line.talk().begin(self.errand, head);
    }

    fn push(&mut self, bytes: &[u8]) -> Progress {
        self.bytes += bytes.len();
        let progress = self.line.talk().push(self.errand, bytes);
        // The server may have asked something itself.
        self.line.changed.notify_one();
        progress
    }
}

impl fmt::Display for Hearing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.head.content_type.as_deref().unwrap_or("no media type");
        write!(f, "{} {kind}, {}", self.head.status, bytes(self.bytes as u64))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time in milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// The core's client for a target, with the headers that a person gave.
fn client(target: &Target, server: &Server) -> Result<Client, Failure> {
    let Target::Address(url) = target else {
        if server.credentials.are_given() {
            let text = "Headers go to a server at an address. A program takes its secrets from the environment.";
            return Err(Failure::Usage(text.to_owned()));
        }
        return Ok(Client::over_pipe());
    };
    let client = target::client(url, server.credentials.headers()?)?;
    output::withhold(client.secrets());
    Ok(client)
}

fn transport(target: &Target, server: &Server, terminal: &Terminal) -> Result<Transport, Failure> {
    Ok(match target {
        Target::Address(url) => Transport::Http(
            Http::new(url, server.timeout())
                .map_err(|reason| Failure::Usage(format!("HTTP cannot be used here: {reason}.")))?,
        ),
        Target::Program(words) => {
            let launch = Launch { words: words.clone(), ..Launch::default() };
            Transport::Pipe(Box::new(Pipe::start(launch, server.timeout(), terminal)?))
        }
        Target::Folder(path) => Transport::Inside(folder::serve(path, terminal)?),
        Target::Demo(name) => Transport::Inside(demo::server(name).ok_or_else(|| {
            let known = demo::NAMES.map(|name| format!("demo:{name}")).join(" and ");
            let name = quote(name);
            Failure::Usage(format!("There is no demonstration {name}; there are {known}."))
        })?),
    })
}
