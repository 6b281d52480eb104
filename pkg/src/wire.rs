//! Streamable HTTP without the network: what to send, what came of it, and whether to send it again.
//!
//! `http.js` carries an [`Exchange`] to the server and back; everything that is decided about it is
//! decided here.

use skillglass::host::CallFailure;
use skillglass::protocol::{
    Answered, Attempt, Call, Client, Connected, EraChoice, Handshake, HandshakeError,
    HandshakeStep, HttpRequest, Message, Patience, Progress, Reply as Answer, ReplyError,
    ReplyLimits, ReplyReader, RequestError, Retries, Wire,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::encode;
use crate::failure::failure;
use crate::{Answer as Encoded, argument};

/// What a server answered to one question, or why there is no answer.
#[wasm_bindgen]
pub struct Reply {
    outcome: Result<Answer, CallFailure>,
}

#[wasm_bindgen]
impl Reply {
    /// A JSON-RPC response, as its exact text or as the UTF-8 of it.
    pub fn of(message: &JsValue) -> Result<Self, JsValue> {
        let bytes = argument::file(message, "the response")?;
        let mut reader =
            ReplyReader::new(None, 200, Some("application/json"), ReplyLimits::default());
        let read = reader.push(&bytes).and_then(|_| reader.finish());
        Ok(Self::from(read))
    }

    /// There is no answer; the reason in words.
    pub fn failed(reason: &JsValue) -> Result<Self, JsValue> {
        let reason = argument::text(reason, "reason")?;
        Ok(Self { outcome: Err(CallFailure::NoAnswer(reason)) })
    }
}

impl From<Result<Answer, ReplyError>> for Reply {
    fn from(read: Result<Answer, ReplyError>) -> Self {
        Self { outcome: read.map_err(|error| CallFailure::NoAnswer(error.to_string())) }
    }
}

impl Reply {
    /// The message, to be read while this is held.
    pub(crate) fn message(&self) -> Result<Message<'_>, CallFailure> {
        let answer = self.outcome.as_ref().map_err(Clone::clone)?;
        answer.message().map_err(|error| CallFailure::NoAnswer(error.to_string()))
    }
}

/// One HTTP request, and the reader of its answer.
#[wasm_bindgen]
pub struct Exchange {
    request: HttpRequest,
    /// The question; none in a message of the handshake.
    call: Option<Call>,
    /// What it was sent over, and how many handshakes there had been.
    wire: Wire,
    handshakes: u32,
    retries: Retries,
    reader: Option<ReplyReader>,
    answered: Option<Answered>,
}

#[wasm_bindgen]
impl Exchange {
    /// The HTTP method.
    #[wasm_bindgen(getter)]
    pub fn method(&self) -> String {
        self.request.method.as_str().to_owned()
    }

    /// The address.
    #[wasm_bindgen(getter)]
    pub fn url(&self) -> String {
        self.request.url.clone()
    }

    /// The headers, as pairs of name and value.
    #[wasm_bindgen(getter)]
    pub fn headers(&self) -> Encoded {
        let headers = self.request.headers.iter();
        encode(&headers.map(|header| (&header.name, &header.value)).collect::<Vec<_>>())
    }

    /// The body; none where it is empty.
    #[wasm_bindgen(getter)]
    pub fn body(&self) -> Option<String> {
        Some(self.request.body.clone()).filter(|body| !body.is_empty())
    }

    /// The answer begins: its status, and the values of `Content-Type`, `Mcp-Session-Id` and
    /// `Retry-After`.
    pub fn begin(
        &mut self,
        status: &JsValue,
        content_type: &JsValue,
        session: &JsValue,
        retry_after: &JsValue,
    ) -> Result<(), JsValue> {
        let status = argument::status(status, "status")?;
        let content_type = argument::nullable_text(content_type, "Content-Type")?;
        let (id, limits) = (self.request.id, ReplyLimits::default());
        self.reader = Some(ReplyReader::new(id, status, content_type.as_deref(), limits));
        // Until the body has ended there is no answer in it.
        let early = ReplyError::EndedEarly { status, excerpt: String::new() };
        let mut answered = Answered::bare(status, Err(early));
        answered.session = argument::nullable_text(session, "Mcp-Session-Id")?;
        answered.retry_after = argument::nullable_text(retry_after, "Retry-After")?;
        self.answered = Some(answered);
        Ok(())
    }

    /// Takes the next bytes of the body; whether they complete the answer, so that the rest need
    /// not be read.
    pub fn push(&mut self, bytes: &JsValue) -> Result<bool, JsValue> {
        let bytes = argument::bytes(bytes, "bytes")?;
        let Some(reader) = &mut self.reader else { return Ok(true) };
        match reader.push(&bytes) {
            Ok(progress) => Ok(progress == Progress::Done),
            Err(error) => {
                self.reader = None;
                self.conclude(Err(error));
                Ok(true)
            }
        }
    }

    /// The body has ended, or nothing more of it is needed.
    pub fn end(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.conclude(reader.finish());
        }
    }

    /// What the server answered.
    pub fn reply(self) -> Reply {
        match self.answered {
            Some(answered) => Reply::from(answered.reply),
            None => Reply { outcome: Err(CallFailure::NoAnswer("no answer came".to_owned())) },
        }
    }
}

impl Exchange {
    fn conclude(&mut self, reply: Result<Answer, ReplyError>) {
        if let Some(answered) = &mut self.answered {
            answered.reply = reply;
        }
    }
}

/// A conversation with one server over Streamable HTTP, in whichever era the server speaks.
#[wasm_bindgen]
pub struct Conversation {
    client: Client,
    choice: EraChoice,
    /// The handshake that goes on; none once the conversation is open.
    handshake: Option<Handshake>,
    /// How many handshakes have come to their end.
    handshakes: u32,
    /// The result in which the server declared itself, as JSON.
    declared: String,
}

#[wasm_bindgen]
impl Conversation {
    /// A conversation that is yet to be opened, in the era `auto`, `modern` or `legacy`.
    #[wasm_bindgen(constructor)]
    pub fn new(url: &JsValue, headers: &JsValue, era: &JsValue) -> Result<Self, JsValue> {
        let url = argument::text(url, "url")?;
        let invalid = |error: &str| failure("invalid-argument", error);
        let mut client = Client::new(&url).map_err(|error| invalid(&error.to_string()))?;
        for pair in argument::list(headers, "headers", |pair| {
            argument::list(pair, "a header", |part| argument::text(part, "a header"))
        })? {
            let [name, value] = pair.as_slice() else {
                return Err(invalid("a header is a pair of name and value"));
            };
            let set = client.set_header(name, value);
            set.map_err(|error| invalid(&error.to_string()))?;
        }
        let choice = match argument::text(era, "era")?.as_str() {
            "auto" => EraChoice::Auto,
            "modern" => EraChoice::Modern,
            "legacy" => EraChoice::Legacy,
            _ => return Err(invalid("era must be \"auto\", \"modern\" or \"legacy\"")),
        };
        let handshake = Some(Handshake::new(client.clone(), choice));
        Ok(Self { client, choice, handshake, handshakes: 0, declared: String::new() })
    }

    /// The next message of the handshake; none where the conversation is open.
    pub fn opening(&mut self) -> Result<Option<Exchange>, JsValue> {
        let Some(handshake) = &mut self.handshake else { return Ok(None) };
        match handshake.step() {
            HandshakeStep::Send(request) => {
                let wire = handshake.client().wire().clone();
                Ok(Some(self.exchange(request, None, wire, Retries::new(Patience::default()))))
            }
            HandshakeStep::Done(connected) => {
                self.opened(&connected);
                Ok(None)
            }
            HandshakeStep::Failed(error) => {
                // Whoever tries again begins anew.
                self.handshake = Some(Handshake::new(self.client.clone(), self.choice));
                Err(failure(code(&error), &format!("the server cannot be talked to: {error}")))
            }
        }
    }

    /// Takes what came of a message of the handshake; why nothing came, where nothing did.
    pub fn received(&mut self, exchange: Exchange, timed_out: bool) {
        let Some(handshake) = &mut self.handshake else { return };
        let attempt = match exchange.answered {
            Some(answered) => {
                if let Ok(Ok(result)) = answered.message().map(|it| result_text(&it)) {
                    self.declared = result;
                }
                Attempt::Answered(answered)
            }
            None if timed_out => Attempt::TimedOut,
            None => Attempt::Unreachable,
        };
        handshake.receive(attempt);
    }

    /// The result of `server/discover` or `initialize`, as JSON.
    #[wasm_bindgen(getter)]
    pub fn declared(&self) -> String {
        self.declared.clone()
    }

    /// The request for a question.
    pub fn ask(&mut self, method: &JsValue, params: &JsValue) -> Result<Exchange, JsValue> {
        let method = argument::text(method, "method")?;
        let call = argument::call(&method, params)?;
        let call = call.ok_or_else(|| {
            failure("invalid-argument", "this transport knows the methods of skills only")
        })?;
        self.send(call, Retries::new(Patience::default()))
    }

    /// After how many milliseconds to send a question again; none where its answer stands. A
    /// handshake may have become due.
    pub fn again(
        &mut self,
        exchange: &mut Exchange,
        now_ms: &JsValue,
    ) -> Result<Option<f64>, JsValue> {
        use skillglass::protocol::Again;
        let now_ms = argument::count(now_ms, "now")?;
        let Some(answered) = &exchange.answered else { return Ok(None) };
        Ok(match exchange.retries.after(&exchange.wire, answered, now_ms) {
            Again::No => None,
            Again::AtOnce => Some(0.0),
            #[expect(clippy::cast_precision_loss, reason = "a minute at most")]
            Again::AfterPause { ms } => Some(ms as f64),
            Again::AfterHandshake => {
                // Of several questions that learn of it, the first one begins anew.
                if exchange.handshakes == self.handshakes && self.handshake.is_none() {
                    self.handshake = Some(Handshake::new(self.client.clone(), EraChoice::Legacy));
                }
                Some(0.0)
            }
        })
    }

    /// The request for the same question once more.
    pub fn repeat(&mut self, exchange: Exchange) -> Result<Exchange, JsValue> {
        match exchange.call {
            Some(call) => self.send(call, exchange.retries),
            None => Err(failure("invalid-argument", "only a question can be sent again")),
        }
    }

    /// The answers to what the server asked on the stream of an answer, in the older eras.
    pub fn answers(&mut self, exchange: &mut Exchange) -> Vec<Exchange> {
        let asked = exchange.reader.as_mut().map(ReplyReader::take_requests).unwrap_or_default();
        let answers: Vec<_> = asked.iter().filter_map(|it| self.client.answer(it)).collect();
        answers.into_iter().map(|request| self.told(request)).collect()
    }

    /// What tells the server that nobody waits for an answer any more, in the older eras.
    pub fn cancelled(&self, exchange: &Exchange) -> Option<Exchange> {
        self.client.cancelled(&exchange.request).map(|request| self.told(request))
    }

    /// The end of the session, where there is one.
    pub fn ending(&self) -> Option<Exchange> {
        self.client.end_session().map(|request| self.told(request))
    }
}

impl Conversation {
    fn opened(&mut self, _: &Connected) {
        if let Some(handshake) = self.handshake.take() {
            self.client = handshake.into_client();
            self.handshakes += 1;
        }
    }

    fn send(&mut self, call: Call, retries: Retries) -> Result<Exchange, JsValue> {
        let request = self
            .client
            .request(&call)
            .map_err(|error: RequestError| failure("invalid-argument", &error.to_string()))?;
        let wire = self.client.wire().clone();
        Ok(self.exchange(request, Some(call), wire, retries))
    }

    /// A message whose answer is its status.
    fn told(&self, request: HttpRequest) -> Exchange {
        let wire = self.client.wire().clone();
        self.exchange(request, None, wire, Retries::new(Patience::default()))
    }

    const fn exchange(
        &self,
        request: HttpRequest,
        call: Option<Call>,
        wire: Wire,
        retries: Retries,
    ) -> Exchange {
        let handshakes = self.handshakes;
        Exchange { request, call, wire, handshakes, retries, reader: None, answered: None }
    }
}

fn result_text(message: &Message<'_>) -> Result<String, ()> {
    message.outcome().map(|result| result.span.of(message.text).to_owned()).map_err(drop)
}

/// Why a conversation could not be opened, for programs.
const fn code(error: &HandshakeError) -> &'static str {
    match error {
        HandshakeError::Unauthorized { .. } => "unauthorized",
        HandshakeError::Forbidden { .. } => "forbidden",
        HandshakeError::TimedOut => "timed-out",
        HandshakeError::Unreachable => "unreachable",
        _ => "no-conversation",
    }
}
