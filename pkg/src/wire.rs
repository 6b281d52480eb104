//! Streamable HTTP without the network: the core's conversation, and what servers answer.
//!
//! `http.js` carries the errands of a [`Talk`] to the server and back; everything that is decided
//! about them is decided in the core.

use js_sys::Uint8Array;
use skillglass::digest::Digest;
use skillglass::host::CallFailure;
use skillglass::protocol::conversation::{self, Settled};
use skillglass::protocol::results::check_finished;
use skillglass::protocol::{
    HandshakeError, Message, Progress, Reply as Answered, ReplyError, ReplyLimits, ReplyReader,
};
use skillglass::value::Node;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::encode;
use crate::carriage::{self, Outgoing};
use crate::failure::failure;
use crate::{Answer, argument};

/// What a server answered to one question, or why there is no answer; or the file that was asked for,
/// where a cache had it.
#[wasm_bindgen]
pub struct Reply {
    outcome: Result<Answered, CallFailure>,
    pub(crate) kept: Option<(Uint8Array, Digest)>,
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
        Ok(Self::without(reason))
    }
}

impl From<Result<Answered, ReplyError>> for Reply {
    fn from(read: Result<Answered, ReplyError>) -> Self {
        let outcome = read.map_err(|error| CallFailure::NoAnswer(error.to_string()));
        Self { outcome, kept: None }
    }
}

impl Reply {
    fn without(reason: String) -> Self {
        Self { outcome: Err(CallFailure::NoAnswer(reason)), kept: None }
    }

    /// A file out of a cache, with its SHA-256.
    pub(crate) fn of_kept(bytes: Uint8Array, digest: Digest) -> Self {
        Self { kept: Some((bytes, digest)), ..Self::without(String::new()) }
    }

    /// The message, to be read while this is held.
    pub(crate) fn message(&self) -> Result<Message<'_>, CallFailure> {
        let answer = self.outcome.as_ref().map_err(Clone::clone)?;
        answer.message().map_err(|error| CallFailure::NoAnswer(error.to_string()))
    }

    /// The result in a message, if it is final: what a host cannot go on with is no answer to it.
    pub(crate) fn result<'m>(message: &'m Message<'_>) -> Result<&'m Node<'m>, CallFailure> {
        let result = message.outcome().map_err(CallFailure::Refused)?;
        check_finished(result).map_err(|why| CallFailure::NoAnswer(why.to_string()))?;
        Ok(result)
    }
}

/// A conversation with one server, in whichever era the server speaks.
#[wasm_bindgen]
pub struct Talk {
    conversation: conversation::Conversation,
    /// The question that was settled last.
    settled: Option<Settled>,
}

#[wasm_bindgen]
impl Talk {
    /// A conversation that is yet to be opened, with these `headers`, `token` and `era`.
    #[wasm_bindgen(constructor)]
    pub fn new(url: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let client = carriage::client(Some(&argument::text(url, "url")?), options)?;
        let conversation = conversation::Conversation::new(client, carriage::era(options)?);
        Ok(Self { conversation, settled: None })
    }

    /// Asks a question, and gives its number.
    pub fn ask(&mut self, method: &JsValue, params: &JsValue) -> Result<f64, JsValue> {
        let call = argument::call(&argument::text(method, "method")?, params)?;
        let call = call.ok_or_else(|| {
            failure("invalid-argument", "this transport knows the methods of skills only")
        })?;
        Ok(number(self.conversation.ask(call, ReplyLimits::default())))
    }

    /// Nobody waits for the answer to a question any more.
    pub fn withdraw(&mut self, question: &JsValue) -> Result<(), JsValue> {
        self.conversation.withdraw(argument::count(question, "question")?);
        Ok(())
    }

    /// The next request to carry, or `null`.
    #[wasm_bindgen(js_name = next)]
    pub fn next_errand(&mut self) -> Answer {
        match self.conversation.next_errand() {
            Some(errand) => encode(&Outgoing::of(&errand)),
            None => Ok(JsValue::NULL),
        }
    }

    /// Takes status and headers of an answer.
    pub fn begin(
        &mut self,
        errand: &JsValue,
        status: &JsValue,
        content_type: &JsValue,
        session: &JsValue,
        retry_after: &JsValue,
        challenge: &JsValue,
    ) -> Result<(), JsValue> {
        let head = carriage::head(status, content_type, session, retry_after, challenge)?;
        self.conversation.begin(argument::count(errand, "errand")?, head);
        Ok(())
    }

    /// Takes the next bytes of an answer; whether no more of it is wanted.
    pub fn push(&mut self, errand: &JsValue, bytes: &JsValue) -> Result<bool, JsValue> {
        let bytes = argument::bytes(bytes, "bytes")?;
        let progress = self.conversation.push(argument::count(errand, "errand")?, &bytes);
        Ok(progress == Progress::Done)
    }

    /// An answer has come to its end.
    pub fn end(&mut self, errand: &JsValue, now_ms: &JsValue) -> Result<(), JsValue> {
        let now_ms = argument::count(now_ms, "now")?;
        self.conversation.end(argument::count(errand, "errand")?, now_ms);
        Ok(())
    }

    /// An errand brought no answer.
    pub fn fail(
        &mut self,
        errand: &JsValue,
        lack: &JsValue,
        reason: &JsValue,
    ) -> Result<(), JsValue> {
        let lack = carriage::lack(lack, reason)?;
        self.conversation.fail(argument::count(errand, "errand")?, &lack);
        Ok(())
    }

    /// The number of the next question that came to its end; [`Talk::reply`] has what came of it.
    pub fn settled(&mut self) -> Option<f64> {
        self.settled = self.conversation.take_settled();
        self.settled.as_ref().map(|settled| number(settled.question))
    }

    /// What came of the question that [`Talk::settled`] named.
    pub fn reply(&mut self) -> Reply {
        let outcome = self.settled.take().map(|settled| settled.outcome);
        let none = || Err("no question was settled".to_owned());
        match outcome.unwrap_or_else(none) {
            Ok(answered) => Reply::from(answered.reply),
            Err(reason) => Reply::without(reason),
        }
    }

    /// Whether a handshake is under way.
    #[wasm_bindgen(getter)]
    pub fn opening(&self) -> bool {
        self.conversation.is_opening()
    }

    /// The result of `server/discover` or `initialize`, as JSON.
    #[wasm_bindgen(getter)]
    pub fn declared(&self) -> Option<String> {
        self.conversation.declared().map(str::to_owned)
    }

    /// Why the server cannot be talked to, as the error to throw. Then it may be tried again.
    #[wasm_bindgen(js_name = takeFailure)]
    pub fn take_failure(&mut self) -> Option<js_sys::Error> {
        let (error, trouble) = (self.conversation.failure()?, self.conversation.trouble()?);
        let message = format!("the server cannot be talked to: {trouble}");
        let error = failure(code(error), &message);
        self.conversation.try_again();
        Some(error.into())
    }

    /// Takes leave of the server.
    pub fn close(&mut self) {
        self.conversation.close();
    }
}

/// A number for JavaScript. Nobody counts as far as it would not be exact.
#[expect(clippy::cast_precision_loss, reason = "one for each question")]
const fn number(of: u64) -> f64 {
    of as f64
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
