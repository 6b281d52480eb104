//! The skills of a server: which are meant, and what reading their files comes to.

use futures_util::stream::{self, Stream, StreamExt as _};
use skillglass::contents;
use skillglass::entry::{Reading, SkillEntry};
use skillglass::finding::{Finding, quote};
use skillglass::protocol::results::{
    SkillPage, check_finished, holds_in, read_got_skill, read_skill_page,
};
use skillglass::protocol::{Call, ListLimits, Listing, ListingState, Message, ReplyLimits};
use skillglass::value::Node;
use skillglass::verify::{Verdict, refuse_contents, verify_file};

use crate::conversation::Conversation;
use crate::failure::Failure;
use crate::output::count;
use crate::terminal::Terminal;

/// How long an answer to a read may be at least: refused files are worth a look, too.
const MIN_ANSWER: u64 = 8 * 1024 * 1024;

/// How many skills a sentence names.
const MAX_NAMED: usize = 10;

/// The skills that a command is about.
pub(crate) struct Chosen {
    /// What the server says of each.
    pub(crate) skills: Vec<Reading>,
    /// What is wrong with how it says it.
    pub(crate) findings: Vec<Finding>,
    /// Why the listing ended before its last page, if it did.
    pub(crate) stopped: Option<String>,
}

/// The one skill that `named` means, or all that are listed.
pub(crate) async fn choose(
    conversation: &Conversation,
    named: Option<&str>,
    terminal: &Terminal,
) -> Result<Chosen, Failure> {
    match named {
        Some(uri) if uri.contains("://") => get(conversation, uri).await,
        Some(name) => {
            let listed = list(conversation, terminal).await?;
            let skill = only(&listed, name, &conversation.label)?;
            if let Some(reason) = &listed.stopped {
                let uri = quote(skill.uri.as_deref().unwrap_or_default());
                return Err(Failure::Skill(format!(
                    "There may be another skill called {}, as the listing ended early: {reason}. Name it by its URI if it is this one: {uri}",
                    quote(name),
                )));
            }
            Ok(Chosen { skills: vec![skill], ..listed })
        }
        None => list(conversation, terminal).await,
    }
}

async fn get(conversation: &Conversation, uri: &str) -> Result<Chosen, Failure> {
    let call = Call::GetSkill { uri: uri.to_owned() };
    let reply = conversation.ask(&call, ReplyLimits::default()).await?;
    let message = reply.message().map_err(Failure::Reply)?;
    let got = read_got_skill(&message, final_result(&message)?, uri);
    let Some(reading) = got.reading else {
        let why = got.findings.last().map(|finding| finding.message.as_str()).unwrap_or_default();
        return Err(Failure::Skill(format!("The server's answer holds no entry: {why}.")));
    };
    Ok(Chosen { skills: vec![reading], findings: got.findings, stopped: None })
}

async fn list(conversation: &Conversation, terminal: &Terminal) -> Result<Chosen, Failure> {
    let era = conversation.connected.era;
    let mut listing = Listing::new(ListLimits::default());
    while let Some(call) = listing.next() {
        terminal.progress(|| format!("Listing: {} …", count(listing.skills.len(), "skill")));
        match page(conversation, &call).await {
            Ok(page) => listing.receive(page),
            // What came before is worth a look.
            Err(failure) if listing.pages() > 0 => listing.fail(failure.to_string()),
            Err(failure) => return Err(failure),
        }
    }
    let stopped = match listing.state() {
        ListingState::Stopped(reason) => Some(reason.to_string()),
        _ => None,
    };
    let mut findings = listing.findings;
    findings.retain(|finding| holds_in(era, finding));
    Ok(Chosen { skills: listing.skills, findings, stopped })
}

async fn page(conversation: &Conversation, call: &Call) -> Result<SkillPage, Failure> {
    let reply = conversation.ask(call, ReplyLimits::default()).await?;
    let message = reply.message().map_err(Failure::Reply)?;
    Ok(read_skill_page(&message, final_result(&message)?))
}

/// The listed skill of this name, or with this skill path.
fn only(listed: &Chosen, named: &str, server: &str) -> Result<Reading, Failure> {
    let path = |reading: &Reading| {
        let entry = reading.entry.as_ref()?;
        Some(entry.skill_uri().skill_path().to_owned())
    };
    let means = |reading: &&Reading| {
        reading.name.as_deref() == Some(named) || path(reading).as_deref() == Some(named)
    };
    let meant: Vec<_> = listed.skills.iter().filter(means).collect();
    match meant.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let names = listed.skills.iter().filter_map(|reading| reading.name.as_deref());
            let names: Vec<_> = names.map(quote).take(MAX_NAMED).collect();
            let others = match (&listed.stopped, names.is_empty()) {
                (Some(reason), _) => format!("; its listing ended early, though: {reason}"),
                (None, true) => String::new(),
                (None, false) => format!("; it lists {}", names.join(", ")),
            };
            Err(Failure::Skill(format!(
                "{server} lists no skill {}{others}. A skill that it does not list has to be named by the URI of its SKILL.md.",
                quote(named),
            )))
        }
        several => {
            let uris = several.iter().filter_map(|reading| Some(quote(reading.uri.as_deref()?)));
            let uris = uris.take(MAX_NAMED).collect::<Vec<_>>().join(", ");
            Err(Failure::Skill(format!(
                "{server} lists {} called {}; name one by its URI: {uris}.",
                count(several.len(), "skill"),
                quote(named),
            )))
        }
    }
}

/// A file that was asked for.
pub(crate) struct FileRead {
    /// What its check came to, or why there was nothing to check.
    pub(crate) verdict: Result<Verdict, Failure>,
    /// What came.
    pub(crate) bytes: Vec<u8>,
}

/// Reads files of a skill, a few at a time, and checks each. They come in any order.
pub(crate) fn read_files<'a>(
    conversation: &'a Conversation,
    entry: &'a SkillEntry,
    uris: Vec<&'a str>,
    parallel: usize,
) -> impl Stream<Item = (&'a str, FileRead)> {
    let reads = uris.into_iter().map(move |uri| async move {
        let read = read_file(conversation, entry, uri).await;
        let failed = |failure| FileRead { verdict: Err(failure), bytes: Vec::new() };
        (uri, read.unwrap_or_else(failed))
    });
    stream::iter(reads).buffer_unordered(parallel)
}

async fn read_file(
    conversation: &Conversation,
    entry: &SkillEntry,
    uri: &str,
) -> Result<FileRead, Failure> {
    let call = Call::ReadResource { uri: uri.to_owned() };
    let reply = conversation.ask(&call, limits(entry, uri)).await?;
    let message = reply.message().map_err(Failure::Reply)?;
    let result = final_result(&message)?;
    Ok(match contents::read(&message.document, result, uri) {
        Ok(came) => {
            let verdict = Ok(verify_file(entry, uri, &came.bytes));
            FileRead { verdict, bytes: came.bytes.into_owned() }
        }
        Err(error) => {
            FileRead { verdict: Ok(refuse_contents(entry, uri, error)), bytes: Vec::new() }
        }
    })
}

/// The result in a message, if it is the final one.
fn final_result<'m, 'a>(message: &'m Message<'a>) -> Result<&'m Node<'a>, Failure> {
    let result = message.outcome().map_err(Failure::Rpc)?;
    check_finished(result).map_err(Failure::Unfinished)?;
    Ok(result)
}

/// A promised file cannot need more: each byte of it is six characters as a `\u` escape.
fn limits(entry: &SkillEntry, uri: &str) -> ReplyLimits {
    let promised = entry.manifest().and_then(|manifest| manifest.get(uri)?.size);
    let body = promised.unwrap_or_default().saturating_mul(6).max(MIN_ANSWER);
    let most = ReplyLimits::default().body;
    ReplyLimits { body: usize::try_from(body).unwrap_or(most).min(most) }
}
