//! Carries the core's requests over HTTP and hands back what came. It decides nothing.

use std::io::Read as _;
use std::time::Duration;

use skillglass::protocol::{
    Answered, Attempt, Client, HttpMethod, HttpRequest, Progress, ReplyLimits, ReplyReader,
};
use ureq::http::{HeaderMap, Request, Response};
use ureq::{Agent, Body};

/// The way to servers on this machine.
pub(crate) struct Http {
    agent: Agent,
}

/// An answer and the form it came in.
pub(crate) struct Answer {
    pub(crate) answered: Answered,
    pub(crate) content_type: Option<String>,
    /// How many questions of the server's own came before the answer, and were answered.
    pub(crate) questions: usize,
}

impl Http {
    pub(crate) fn new() -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            // A limit for a busy machine; a quick one never comes near it.
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        Self { agent }
    }

    /// Sends a request of `client`, and reads the answer as far as needed.
    pub(crate) fn send(
        &self,
        client: &Client,
        request: &HttpRequest,
        limits: ReplyLimits,
    ) -> Result<Answer, ureq::Error> {
        let response = self.call(request)?;
        let status = response.status().as_u16();
        let header = |name| text(response.headers(), name);
        let content_type = header("content-type");
        let (session, challenge) = (header("mcp-session-id"), header("www-authenticate"));
        let retry_after = header("retry-after");
        let mut reader = ReplyReader::new(request.id, status, content_type.as_deref(), limits);
        let mut body = response.into_body().into_reader();
        let mut piece = [0; 4096];
        let mut questions = 0;
        let reply = loop {
            let length = body.read(&mut piece)?;
            match reader.push(&piece[..length]) {
                Err(error) => break Err(error),
                Ok(Progress::More) if length > 0 => {}
                Ok(_) => break reader.finish(),
            }
            for question in reader.take_requests() {
                if let Some(answer) = client.answer(&question) {
                    self.call(&answer)?;
                    questions += 1;
                }
            }
        };
        let answered = Answered { status, session, challenge, retry_after, reply };
        Ok(Answer { answered, content_type, questions })
    }

    fn call(&self, request: &HttpRequest) -> Result<Response<Body>, ureq::Error> {
        let mut builder = Request::builder().method(request.method.as_str()).uri(&request.url);
        for header in &request.headers {
            builder = builder.header(&header.name, &header.value);
        }
        match request.method {
            HttpMethod::Post => self.agent.run(builder.body(request.body.as_str())?),
            HttpMethod::Delete | HttpMethod::Get => self.agent.run(builder.body(())?),
        }
    }
}

/// What a handshake makes of an answer, or of its absence.
pub(crate) fn attempt(sent: Result<Answer, ureq::Error>) -> Attempt {
    match sent {
        Ok(answer) => Attempt::Answered(answer.answered),
        Err(ureq::Error::Timeout(_)) => Attempt::TimedOut,
        Err(_) => Attempt::Unreachable,
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
