//! What a peer is, and what comes of talking to it.

use std::process::Command;
use std::sync::OnceLock;

use skillglass::finding::Finding;
use skillglass::protocol::diagnosis::{self, Place, Remedy};
use skillglass::protocol::results::holds_in;
use skillglass::protocol::{Call, Connected, Era, EraChoice, ListingState};
use skillglass::verify::Summary;

use crate::conversation::Conversation;
use crate::page::{self, Refused, Verified, Walk};
use crate::server::Server;

/// A server made with an official SDK, how it is talked to, and what it should speak.
pub(crate) struct Peer {
    pub(crate) sdk: Sdk,
    pub(crate) set_up: &'static str,
    pub(crate) start: fn() -> Command,
    pub(crate) choice: EraChoice,
    pub(crate) speaks: Spoken<'static>,
    /// What the page is told that the server is made with.
    pub(crate) made_with: diagnosis::Sdk,
    pub(crate) notes: &'static str,
    pub(crate) found: OnceLock<Result<Found, String>>,
    pub(crate) in_page: OnceLock<Result<InPage, String>>,
}

/// What the page says, before and after its own lines were pasted into the server.
pub(crate) struct InPage {
    /// What it says of the server as it is set up, with `ORIGIN` for its origin.
    pub(crate) refused: String,
    /// What it speaks with the server that has the lines, whose skill it verified.
    pub(crate) speaks: String,
}

/// An SDK: its language, and its package, as which its servers introduce themselves.
#[derive(Clone, Copy)]
pub(crate) struct Sdk {
    pub(crate) language: &'static str,
    pub(crate) package: &'static str,
}

/// What a conversation is held in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spoken<'a> {
    pub(crate) era: Era,
    pub(crate) version: &'a str,
    pub(crate) in_session: bool,
    pub(crate) form: Form,
    pub(crate) declares_skills: bool,
}

/// The form of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Stream,
    Mixed,
}

/// What came of a whole conversation.
pub(crate) struct Found {
    pub(crate) connected: Connected,
    pub(crate) skills: Skills,
    /// How many questions of the server's own were answered.
    pub(crate) questions: usize,
    pub(crate) form: Form,
    pub(crate) session: Option<Ended>,
}

/// What the server's skills came to.
pub(crate) struct Skills {
    pub(crate) listed: usize,
    pub(crate) complete: bool,
    /// Whether `skills/get` gave the entry of the listing.
    pub(crate) got_the_same: bool,
    pub(crate) files: usize,
    pub(crate) summary: Summary,
    /// The rules that the server breaks, by their ids.
    pub(crate) broken: Vec<&'static str>,
}

/// How a session ended.
pub(crate) struct Ended {
    pub(crate) status: u16,
    /// Whether the server no longer knew it afterwards.
    pub(crate) forgotten: bool,
}

impl Peer {
    /// What came of the conversation, which is held once for all tests.
    pub(crate) fn found(&self) -> Result<&Found, String> {
        let talk = || {
            let Self { sdk: Sdk { package, .. }, set_up, .. } = self;
            self.talk().map_err(|error| format!("{package} ({set_up}): {error}"))
        };
        self.found.get_or_init(talk).as_ref().map_err(Clone::clone)
    }

    /// What comes of the same in the page.
    pub(crate) fn in_page(&self) -> Result<&InPage, String> {
        let walk = || {
            let Self { sdk: Sdk { package, .. }, set_up, .. } = self;
            self.walk().map_err(|error| format!("{package} ({set_up}), in the page: {error}"))
        };
        self.in_page.get_or_init(walk).as_ref().map_err(Clone::clone)
    }

    fn walk(&self) -> Result<InPage, String> {
        let origin = page::origin()?;
        let server = self.start()?;
        let Refused { what, lines } = page::walk(&self.walk_to(&server, "refused", true))?;
        let place = Place { endpoint: &server.url, origin: &origin };
        if lines != Remedy::Cors.lines(self.made_with, place) {
            return Err(format!("these are not the core's lines:\n{lines}"));
        }
        let let_in = &mut (self.start)();
        let server = Server::start(let_in.env("PASTED_LINES", lines).env("PAGE_ORIGIN", &origin))?;
        let is_asked_in_vain = self.choice == EraChoice::Auto && self.speaks.era == Era::Legacy;
        let Verified { speaks } = page::walk(&self.walk_to(&server, "verified", is_asked_in_vain))?;
        Ok(InPage { refused: what.replace(&origin, "ORIGIN"), speaks })
    }

    fn walk_to<'a>(&self, server: &'a Server, walk: &'static str, may_report: bool) -> Walk<'a> {
        let is_older = self.choice == EraChoice::Legacy;
        Walk { walk, url: &server.url, is_older, sdk: self.lines_for(), may_report }
    }

    /// What the page calls the lines that are pasted.
    pub(crate) fn lines_for(&self) -> &'static str {
        let place = diagnosis::Sdk::ALL.iter().position(|sdk| *sdk == self.made_with);
        diagnosis::Sdk::NAMES[place.unwrap_or_default()]
    }

    pub(crate) fn start(&self) -> Result<Server, String> {
        Server::start(&mut (self.start)())
    }

    pub(crate) fn greet(&self, server: &Server) -> Result<Conversation, String> {
        Conversation::open(&server.url, self.choice).map_err(|error| error.to_string())
    }

    fn talk(&self) -> Result<Found, String> {
        let server = self.start()?;
        let mut conversation = self.greet(&server)?;
        let skills = ask_about_skills(&mut conversation)?;
        let form = Form::of(&conversation.streams);
        let session = end(&mut conversation)?;
        let Conversation { connected, questions, .. } = conversation;
        Ok(Found { connected, skills, questions, form, session })
    }
}

impl Found {
    pub(crate) fn spoken(&self) -> Spoken<'_> {
        Spoken {
            era: self.connected.era,
            version: &self.connected.version,
            in_session: self.session.is_some(),
            form: self.form,
            declares_skills: self.connected.discovery.skills,
        }
    }
}

/// Lists, gets, reads and verifies. A host asks only where skills are declared; here it is of
/// interest what the others answer.
fn ask_about_skills(conversation: &mut Conversation) -> Result<Skills, String> {
    let listing = conversation.list()?;
    let listed = listing.skills.first().ok_or("the listing is empty")?;
    let entry = listed.entry.as_ref().ok_or("the listed entry cannot be loaded")?;
    let got = conversation.get(&entry.uri)?;
    let verdict = conversation.verify(entry)?;
    let Connected { discovery, era, .. } = &conversation.connected;
    let findings = [&discovery.findings, &listing.findings, &listed.findings, &got.findings];
    Ok(Skills {
        listed: listing.skills.len(),
        complete: *listing.state() == ListingState::Complete,
        got_the_same: got.reading.is_some_and(|reading| reading.source == listed.source),
        files: verdict.files.len(),
        summary: verdict.summary,
        broken: broken(*era, findings.into_iter().flatten()),
    })
}

fn broken<'a>(era: Era, findings: impl Iterator<Item = &'a Finding>) -> Vec<&'static str> {
    findings.filter(|finding| holds_in(era, finding)).map(|finding| finding.id).collect()
}

/// Ends the session, if there is one, and looks whether it has ended.
fn end(conversation: &mut Conversation) -> Result<Option<Ended>, String> {
    let Some(status) = conversation.end()? else { return Ok(None) };
    let answer = conversation.send_call(&Call::ListSkills { cursor: None })?;
    let forgotten = conversation.client().wire().lost_session(&answer.answered);
    Ok(Some(Ended { status, forgotten }))
}

impl Form {
    fn of(streams: &[bool]) -> Self {
        match (streams.contains(&true), streams.contains(&false)) {
            (true, true) => Self::Mixed,
            (true, false) => Self::Stream,
            _ => Self::Json,
        }
    }
}
