//! Carries the core's requests to a server and hands back what came. It decides nothing.

mod http;
mod pipe;

use std::fmt;
use std::time::Duration;

use skillglass::protocol::conversation::{AnswerHead, Lack};
use skillglass::protocol::{HttpRequest, Progress};
use skillglass::server::SkillServer;

use crate::output::{bytes, count};

pub(crate) use http::{Http, http_client};
pub(crate) use pipe::{Asked, Heard, Launch, Lines, Pipe, Said};

/// The way to a server.
pub(crate) enum Transport {
    /// Over HTTP.
    Http(Http),
    /// To a program that this one has started.
    Pipe(Box<Pipe>),
    /// To a server inside of this program.
    Inside(SkillServer),
}

/// Takes an answer as it comes in.
pub(crate) trait Hearer {
    /// What stands in front of it; the status is 200 where there is no HTTP.
    fn begin(&mut self, head: AnswerHead);

    /// The next bytes of its body.
    fn push(&mut self, bytes: &[u8]) -> Progress;

    /// An answer that is nothing but a body of JSON, behind what is no message.
    fn hear(&mut self, status: u16, body: &[u8], noise: Option<String>) {
        let content_type = Some("application/json".to_owned());
        self.begin(AnswerHead { status, content_type, noise, ..AnswerHead::default() });
        self.push(body);
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// No connection, or a broken one; the reason in the system's words.
    Unreachable(String),
    /// The server sends requests elsewhere, where they are not taken without being asked.
    Elsewhere(String),
    /// The body is compressed, in this way.
    Encoded(String),
    /// The server was silent for too long.
    TimedOut(Duration),
    /// The server sent something now and then, and no whole answer in this time.
    TooSlow(Duration),
    /// The program at the other end of the pipe did not answer in time, or has ended. With what it
    /// wrote to its standard error first and last.
    Silent { ended: bool, said: String },
    /// A line came that may have been the answer, with more bytes than this or no text.
    Garbled(usize),
    /// It was not asked: so many questions in a row had brought no answer.
    GivenUp(usize),
}

impl NoAnswer {
    /// What a conversation makes of it.
    pub(crate) fn lack(&self) -> Lack {
        match self {
            Self::TimedOut(_) | Self::TooSlow(_) => Lack::TimedOut,
            Self::Silent { ended: true, .. } => Lack::Ended,
            Self::Silent { .. } => Lack::Silent,
            reason => Lack::Unreachable(Some(reason.to_string())),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) => f.write_str(reason),
            Self::Elsewhere(address) => write!(
                f,
                "it sends requests on to {address}, which is not followed; give that address if you trust it"
            ),
            Self::Encoded(coding) => write!(
                f,
                "the answer came compressed (Content-Encoding: {coding}), though none is taken that way (Accept-Encoding: identity); let the server, or a proxy in front of it, send it as it is"
            ),
            Self::TimedOut(limit) => write!(f, "the server was silent for {}", seconds(*limit)),
            Self::TooSlow(limit) => write!(f, "no whole answer came in {}", seconds(*limit)),
            Self::Silent { ended, said } => {
                let what = if *ended { "its program ended" } else { "no answer came in time" };
                f.write_str(what)?;
                if said.is_empty() { Ok(()) } else { write!(f, "; it wrote: {said}") }
            }
            Self::Garbled(most) => write!(
                f,
                "its program wrote a line that may have been the answer, but has more than {} or is no UTF-8",
                bytes(*most as u64)
            ),
            Self::GivenUp(number) => {
                write!(f, "it was not asked, as {number} questions in a row brought no answer")
            }
        }
    }
}

fn seconds(time: Duration) -> String {
    count(usize::try_from(time.as_secs()).unwrap_or(usize::MAX), "second")
}

impl Transport {
    /// Sends a request and reads the answer as far as it is wanted.
    pub(crate) async fn send(
        &self,
        request: &HttpRequest,
        hearer: &mut impl Hearer,
    ) -> Result<(), NoAnswer> {
        match self {
            Self::Http(http) => http.send(request, hearer).await,
            Self::Pipe(pipe) => pipe.send(request, hearer).await,
            Self::Inside(server) => {
                let answer = server.answer(request);
                hearer.hear(answer.status, &answer.body, None);
                Ok(())
            }
        }
    }

    /// Makes a server that was silent ready to be asked again: a program may have ended.
    pub(crate) async fn revive(&self) {
        if let Self::Pipe(pipe) = self {
            // If it cannot be started a second time, the next message finds it ended.
            let _ = pipe.restart().await;
        }
    }

    /// Lets a server that was started for this conversation end.
    pub(crate) async fn close(&self) {
        if let Self::Pipe(pipe) = self {
            pipe.close().await;
        }
    }
}
