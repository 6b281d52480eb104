//! A conversation with a server, from the handshake to its end, as a host would hold it.

use skillglass::conformance::{Options, Received, Report, Run, Scope};
use skillglass::contents;
use skillglass::entry::SkillEntry;
use skillglass::protocol::results::{Discovery, GotSkill, read_got_skill, read_skill_page};
use skillglass::protocol::{
    Call, Client, Connected, Era, EraChoice, Handshake, HandshakeError, HandshakeStep, ListLimits,
    Listing, Reply, ReplyLimits,
};
use skillglass::verify::{SkillVerdict, Verdict, refuse_contents, verify_file};

use crate::http::{Answer, Http, attempt};

/// An open conversation.
pub(crate) struct Conversation {
    pub(crate) connected: Connected,
    pub(crate) handshakes: usize,
    /// How many questions of the server's own were answered.
    pub(crate) questions: usize,
    /// Whether an answer came as an event stream, for every answer to a call.
    pub(crate) streams: Vec<bool>,
    http: Http,
    choice: EraChoice,
    client: Client,
}

impl Conversation {
    pub(crate) fn open(url: &str, choice: EraChoice) -> Result<Self, HandshakeError> {
        let http = Http::new();
        let (client, connected) = greet(&http, client(url), choice)?;
        let (questions, streams) = (0, Vec::new());
        Ok(Self { connected, handshakes: 1, questions, streams, http, choice, client })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Goes on at another address, as if the server had been started again.
    pub(crate) fn move_to(&mut self, url: &str) {
        let wire = self.client.wire().clone();
        self.client = client(url);
        self.client.set_wire(wire);
    }

    /// Walks through the pages of the listing.
    pub(crate) fn list(&mut self) -> Result<Listing, String> {
        let mut listing = Listing::new(ListLimits::default());
        while let Some(call) = listing.next() {
            let reply = self.ask(&call)?;
            let message = reply.message().map_err(text)?;
            listing.receive(read_skill_page(&message, message.outcome().map_err(text)?));
        }
        Ok(listing)
    }

    /// Asks for the entry of one skill.
    pub(crate) fn get(&mut self, uri: &str) -> Result<GotSkill, String> {
        let reply = self.ask(&Call::GetSkill { uri: uri.to_owned() })?;
        let message = reply.message().map_err(text)?;
        Ok(read_got_skill(&message, message.outcome().map_err(text)?, uri))
    }

    /// Reads every file of a skill and checks it.
    pub(crate) fn verify(&mut self, entry: &SkillEntry) -> Result<SkillVerdict, String> {
        let files = entry.manifest().map_or(&[][..], |manifest| &manifest.files);
        let verdicts: Result<Vec<_>, _> =
            files.iter().map(|file| self.read(entry, &file.uri)).collect();
        Ok(SkillVerdict::of(entry, &[], verdicts?))
    }

    fn read(&mut self, entry: &SkillEntry, uri: &str) -> Result<Verdict, String> {
        let reply = self.ask(&Call::ReadResource { uri: uri.to_owned() })?;
        let message = reply.message().map_err(text)?;
        let result = message.outcome().map_err(text)?;
        Ok(match contents::read(&message.document, result, uri) {
            Ok(file) => verify_file(entry, uri, &file.bytes),
            Err(error) => refuse_contents(entry, uri, error),
        })
    }

    /// Ends the session, if there is one, and says with which status the server agreed.
    pub(crate) fn end(&mut self) -> Result<Option<u16>, String> {
        let Some(request) = self.client.end_session() else { return Ok(None) };
        let sent = self.http.send(&self.client, &request, ReplyLimits::default());
        Ok(Some(sent.map_err(text)?.answered.status))
    }

    /// Asks a question; of a server that has forgotten the session, once more in a new one.
    fn ask(&mut self, call: &Call) -> Result<Reply, String> {
        let mut answer = self.send_call(call)?;
        if self.client.wire().lost_session(&answer.answered) {
            let client = client(self.client.endpoint());
            (self.client, self.connected) = greet(&self.http, client, self.choice).map_err(text)?;
            self.handshakes += 1;
            answer = self.send_call(call)?;
        }
        answer.answered.reply.map_err(text)
    }

    /// Judges the server, all of it.
    pub(crate) fn judge(&mut self) -> Report {
        let options = Options { other_era: self.other_era(), ..Options::default() };
        let mut run = Run::new(&self.connected, Scope::Server, options);
        while let Some(step) = run.next_step() {
            let received = match self.send_within(&step.call, step.limits) {
                Ok(answer) => Received::Answered(answer.answered.reply),
                Err(error) => Received::Failed(error),
            };
            run.receive(step.id, received);
        }
        run.report()
    }

    /// What the server declares in the era that is not spoken here.
    fn other_era(&self) -> Option<Discovery> {
        let other = match self.connected.era {
            Era::Modern => EraChoice::Legacy,
            Era::Legacy => EraChoice::Modern,
        };
        let (_, connected) = greet(&self.http, client(self.client.endpoint()), other).ok()?;
        Some(connected.discovery)
    }

    /// Sends a question, whatever comes of it.
    pub(crate) fn send_call(&mut self, call: &Call) -> Result<Answer, String> {
        self.send_within(call, ReplyLimits::default())
    }

    fn send_within(&mut self, call: &Call, limits: ReplyLimits) -> Result<Answer, String> {
        let request = self.client.request(call).map_err(text)?;
        let answer = self.http.send(&self.client, &request, limits).map_err(text)?;
        self.questions += answer.questions;
        self.streams.push(answer.content_type.as_deref() == Some("text/event-stream"));
        Ok(answer)
    }
}

fn client(url: &str) -> Client {
    Client::new(url).expect("servers print web addresses")
}

fn greet(
    http: &Http,
    client: Client,
    choice: EraChoice,
) -> Result<(Client, Connected), HandshakeError> {
    let mut handshake = Handshake::new(client, choice);
    loop {
        match handshake.step() {
            HandshakeStep::Send(request) => {
                let sent = http.send(handshake.client(), &request, ReplyLimits::default());
                handshake.receive(attempt(sent));
            }
            HandshakeStep::Done(connected) => return Ok((handshake.into_client(), *connected)),
            HandshakeStep::Failed(error) => return Err(error),
        }
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
