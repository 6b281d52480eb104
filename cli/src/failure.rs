//! Why a command could not be run: what happened, why, and what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

use skillglass::finding::quote;
use skillglass::protocol::results::Unfinished;
use skillglass::protocol::{Evidence, HandshakeError, ReplyError, RequestError, RpcError};
use skillglass::server::Misnomer;

use crate::transport::NoAnswer;

/// What stops a command, or one question of it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments do not fit; the sentence says how they would.
    Usage(String),
    /// The program's own machinery did not start.
    Runtime(io::Error),
    /// Somebody ended the program.
    Interrupted,
    /// The result could not be written.
    Output(io::Error),
    /// A file or folder could not be used.
    File {
        /// What was to be done with it.
        doing: &'static str,
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A server's program could not be started.
    NotStarted {
        /// Its name.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// The conversation could not be opened.
    Connect(Box<NoConversation>),
    /// The server does not declare the extension.
    NoSkills(String),
    /// Not everything could be looked at.
    Incomplete(String),
    /// A request cannot be made.
    Request(RequestError),
    /// A question was not asked; the sentence says why.
    Unasked(String),
    /// Nothing came back.
    NoAnswer(NoAnswer),
    /// What came back is no message.
    Reply(ReplyError),
    /// The server answered with an error.
    Rpc(RpcError),
    /// The result is not the final one.
    Unfinished(Unfinished),
    /// What was asked for is not there, or there is more than one of it.
    Skill(String),
    /// What was asked for must not be done; the sentence says why.
    Refused(String),
}

/// Why a conversation could not be opened.
#[derive(Debug)]
pub(crate) struct NoConversation {
    /// The server.
    pub(crate) server: String,
    /// Why not.
    pub(crate) error: HandshakeError,
    /// Why nothing came back, if nothing did.
    pub(crate) no_answer: Option<NoAnswer>,
    /// What was learned on the way.
    pub(crate) evidence: Vec<Evidence>,
}

impl From<Misnomer> for Failure {
    fn from(misnomer: Misnomer) -> Self {
        Self::Usage(misnomer.to_string())
    }
}

impl Failure {
    pub(crate) fn file(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { doing, path, error }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(sentence) | Self::Skill(sentence) | Self::Refused(sentence) => {
                f.write_str(sentence)
            }
            Self::Runtime(error) => write!(f, "The program could not start its work: {error}."),
            Self::Interrupted => f.write_str("Interrupted."),
            Self::Output(error) => write!(f, "The result could not be written: {error}."),
            Self::File { doing, path, error } => {
                write!(f, "{} could not be {doing}: {error}.", path.display())
            }
            Self::NotStarted { program, error } => write!(
                f,
                "The program {} could not be started: {error}. Check its name; one that is not on PATH is named with its folder.",
                quote(program)
            ),
            Self::Connect(why) => why.fmt(f),
            Self::NoSkills(server) => write!(
                f,
                "{server} does not declare the skills extension, so there is nothing to ask it for. A server declares it under capabilities.extensions as \"io.modelcontextprotocol/skills\"."
            ),
            Self::Incomplete(reason) => {
                write!(f, "Not everything could be looked at, so this is no pass: {reason}.")
            }
            Self::Request(error) => error.fmt(f),
            Self::Unasked(reason) => f.write_str(reason),
            Self::NoAnswer(error) => error.fmt(f),
            Self::Reply(error) => {
                error.fmt(f)?;
                error.excerpt().map_or(Ok(()), |excerpt| write!(f, ": {excerpt}"))
            }
            Self::Rpc(error) => error.fmt(f),
            Self::Unfinished(unfinished) => write!(f, "{unfinished}; nothing was sent back"),
        }
    }
}

impl fmt::Display for NoConversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, error, no_answer, evidence } = self;
        write!(f, "No conversation with {server}: {error}")?;
        if let Some(reason) = no_answer {
            write!(f, " ({reason})")?;
        }
        let advice = match no_answer {
            // These say themselves what to do.
            Some(NoAnswer::Elsewhere(_) | NoAnswer::Encoded(_)) => "",
            _ => advice(error),
        };
        write!(f, ". {advice}")?;
        // A single step says what the sentence says, and so do those of a program that ended.
        let ended = matches!(no_answer, Some(NoAnswer::Silent { ended: true, .. }));
        let steps = if evidence.len() > 1 && !ended { evidence.as_slice() } else { &[] };
        steps.iter().try_for_each(|step| write!(f, "\n      {}: {}", step.asked, step.learned))
    }
}

/// What a person can do about a handshake that failed.
fn advice(error: &HandshakeError) -> &'static str {
    match error {
        HandshakeError::Unreachable | HandshakeError::VersionHeaderBlocked => {
            "Check the address, and that the server runs."
        }
        HandshakeError::TimedOut => "Try again, or give it longer with --timeout SECONDS.",
        HandshakeError::Silent => {
            "Check the command: it should speak MCP over its standard input and output."
        }
        HandshakeError::Unauthorized { .. } => {
            "Give a token with --bearer-env NAME, or a header with --header-env NAME=VARIABLE."
        }
        HandshakeError::Forbidden { .. } => {
            "Check the token, and which hosts the server allows itself to be called by."
        }
        HandshakeError::ServerTrouble { .. } => "Try again later.",
        HandshakeError::Objection(_) => "A proxy on the way may drop headers.",
        HandshakeError::NotMcp(_) => "Check the address; many MCP endpoints end in /mcp.",
        HandshakeError::OtherEra { .. } => "Leave --era out to speak what the server speaks.",
        _ => "",
    }
}
