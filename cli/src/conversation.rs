//! A conversation with a server: opened by the core's handshake, carried by a transport.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use skillglass::demo;
use skillglass::finding::quote;
use skillglass::protocol::retry::is_busy;
use skillglass::protocol::{
    Again, Answered, Attempt, Call, Client, Connected, EraChoice, Handshake, HandshakeStep,
    HttpRequest, Patience, Reply, ReplyLimits, Retries, Wire,
};
use tokio::sync::Mutex;

use crate::arguments::Server;
use crate::failure::{Failure, NoConversation};
use crate::folder;
use crate::output::bytes;
use crate::target::{self, Target};
use crate::terminal::Terminal;
use crate::transport::{Http, Launch, NoAnswer, Pipe, Received, Transport};

/// After how many questions in a row without an answer no more are asked.
const GIVE_UP: usize = 8;

/// An open conversation.
pub(crate) struct Conversation {
    /// The server, for people.
    pub(crate) label: String,
    line: Line,
    state: Mutex<State>,
    /// How long a busy server is waited for, for each question.
    patience: Patience,
    /// Whether that was in vain the last time.
    is_busy: AtomicBool,
    /// How many questions in a row were not answered.
    unanswered: AtomicUsize,
}

/// The transport, with somebody who writes down what passes over it.
struct Line {
    transport: Transport,
    terminal: Terminal,
}

/// What a new handshake replaces.
struct State {
    client: Client,
    connected: Connected,
    handshakes: usize,
}

/// What came of asking once.
struct Asked {
    answered: Answered,
    /// How it was asked.
    wire: Wire,
    /// How many handshakes there had been.
    handshakes: usize,
}

impl Conversation {
    /// Opens a conversation with a server that declares the extension.
    pub(crate) async fn with_skills(
        target: &Target,
        server: &Server,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let conversation = Self::open(target, server, terminal).await?;
        if conversation.connected().await.discovery.skills {
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
        let client = client(target, server)?;
        let transport = transport(target, server, terminal)?;
        let line = Line { transport, terminal: terminal.clone() };
        terminal.progress(|| format!("Connecting to {label} …"));
        let (client, connected) = line.greet(client, era, &label).await?;
        let state = Mutex::new(State { client, connected, handshakes: 1 });
        let pause_ms = u64::try_from(server.timeout().as_millis()).unwrap_or(u64::MAX);
        let patience = Patience { pause_ms, total_ms: pause_ms.saturating_mul(2) };
        let (is_busy, unanswered) = (AtomicBool::new(false), AtomicUsize::new(0));
        Ok(Self { label, line, state, patience, is_busy, unanswered })
    }

    /// Whether the server is a program at the other end of a pipe.
    pub(crate) const fn is_over_pipe(&self) -> bool {
        matches!(self.line.transport, Transport::Pipe(_))
    }

    /// What the handshake settled.
    pub(crate) async fn connected(&self) -> Connected {
        self.state.lock().await.connected.clone()
    }

    /// Asks a question, as often as the server wants it repeated and the core allows. Who has left
    /// several in a row without an answer is asked no more.
    pub(crate) async fn ask(&self, call: &Call, limits: ReplyLimits) -> Result<Reply, Failure> {
        if self.unanswered.load(Ordering::Relaxed) >= GIVE_UP {
            return Err(Failure::NoAnswer(NoAnswer::GivenUp(GIVE_UP)));
        }
        let answer = self.ask_patiently(call, limits).await;
        match answer {
            Err(Failure::NoAnswer(_)) => self.unanswered.fetch_add(1, Ordering::Relaxed),
            _ => self.unanswered.swap(0, Ordering::Relaxed),
        };
        answer
    }

    async fn ask_patiently(&self, call: &Call, limits: ReplyLimits) -> Result<Reply, Failure> {
        let mut retries = Retries::new(self.patience);
        loop {
            let Asked { answered, wire, handshakes } = self.ask_once(call, limits).await?;
            let is_busy = is_busy(answered.status);
            let again = match retries.after(&wire, &answered, now_ms()) {
                // Its other questions were patient long enough.
                Again::AfterPause { .. } if self.is_busy.load(Ordering::Relaxed) => Again::No,
                again => again,
            };
            match again {
                Again::No => {
                    self.is_busy.store(is_busy, Ordering::Relaxed);
                    return answered.reply.map_err(Failure::Reply);
                }
                Again::AtOnce => {}
                Again::AfterHandshake => self.begin_again(handshakes).await?,
                Again::AfterPause { ms } => {
                    let status = answered.status;
                    self.line.terminal.detail(|| format!("  busy ({status}), again in {ms} ms"));
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                }
            }
        }
    }

    async fn ask_once(&self, call: &Call, limits: ReplyLimits) -> Result<Asked, Failure> {
        let (client, request, handshakes) = {
            let mut state = self.state.lock().await;
            let request = state.client.request(call).map_err(Failure::Request)?;
            (state.client.clone(), request, state.handshakes)
        };
        let asked = match call.subject() {
            Some(subject) => format!("{} {subject}", call.method()),
            None => call.method().to_owned(),
        };
        let sent = self.line.send(&client, &request, &asked, limits).await;
        let answered = sent.map_err(Failure::NoAnswer)?.answered;
        Ok(Asked { answered, wire: client.wire().clone(), handshakes })
    }

    /// Shakes hands anew, unless another question has done so since `handshakes` of them.
    async fn begin_again(&self, handshakes: usize) -> Result<(), Failure> {
        let mut state = self.state.lock().await;
        if state.handshakes == handshakes {
            let client = state.client.clone();
            // Only the older eras have sessions.
            let renewed = self.line.greet(client, EraChoice::Legacy, &self.label).await?;
            (state.client, state.connected) = renewed;
            state.handshakes += 1;
        }
        Ok(())
    }

    /// Ends the session, if there is one, and the program, if one was started.
    pub(crate) async fn close(self) {
        let client = self.state.into_inner().client;
        if let Some(request) = client.end_session() {
            let limits = ReplyLimits::default();
            // Servers may refuse to end a session, which is theirs to decide.
            let _ = self.line.transport.send(&client, &request, limits).await;
        }
        self.line.transport.close().await;
    }
}

impl Line {
    async fn greet(
        &self,
        client: Client,
        choice: EraChoice,
        server: &str,
    ) -> Result<(Client, Connected), Failure> {
        let mut handshake = Handshake::new(client, choice);
        let mut no_answer = None;
        loop {
            match handshake.step() {
                HandshakeStep::Send(request) => {
                    let client = handshake.client().clone();
                    let asked = request.rpc_method.unwrap_or_default();
                    let sent = self.send(&client, &request, asked, ReplyLimits::default());
                    let attempt = match sent.await {
                        Ok(received) => Attempt::Answered(received.answered),
                        Err(reason) => {
                            let attempt = reason.attempt();
                            if attempt == Attempt::Silent {
                                self.transport.revive().await;
                            }
                            no_answer = Some(reason);
                            attempt
                        }
                    };
                    handshake.receive(attempt);
                }
                HandshakeStep::Done(connected) => {
                    return Ok((handshake.into_client(), *connected));
                }
                HandshakeStep::Failed(error) => {
                    let (server, evidence) = (server.to_owned(), handshake.evidence().to_vec());
                    let why = NoConversation { server, error, no_answer, evidence };
                    return Err(Failure::Connect(Box::new(why)));
                }
            }
        }
    }

    async fn send(
        &self,
        client: &Client,
        request: &HttpRequest,
        asked: &str,
        limits: ReplyLimits,
    ) -> Result<Received, NoAnswer> {
        let began = Instant::now();
        let sent = self.transport.send(client, request, limits).await;
        self.terminal.detail(|| {
            let took = began.elapsed().as_millis();
            match &sent {
                Ok(received) => format!(
                    "{asked}  {} {}, {}, {took} ms",
                    received.answered.status,
                    received.content_type.as_deref().unwrap_or("no media type"),
                    bytes(received.bytes as u64),
                ),
                Err(reason) => format!("{asked}  {reason}, {took} ms"),
            }
        });
        sent
    }
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
    target::client(url, server.credentials.headers()?)
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
