//! Calls the core's entry points, so that whatever they needed from a host would be imported.

use std::collections::BTreeSet;
use std::hint::black_box;

use skillglass::auth::{Secret, code_challenge};
use skillglass::conformance::{Report, Terms, Visit, compare as compare_reports};
use skillglass::digest::Digest;
use skillglass::entry::{self, diff::EntryDiff, nested};
use skillglass::frontmatter::{Frontmatter, check_file_format, compare};
use skillglass::host::{Approval, OriginLabel, approval_state};
use skillglass::protocol::conversation::AnswerHead;
use skillglass::protocol::results::{read_discovery, read_got_skill, read_skill_page};
use skillglass::protocol::{
    Call, Client, EraChoice, Handshake, HandshakeStep, ListLimits, Listing, Reply, ReplyLimits,
    ReplyReader,
};
use skillglass::review::{review_entry, review_text};
use skillglass::server::SkillServer;
use skillglass::source::LineIndex;
use skillglass::uri::SkillUri;
use skillglass::verify::verify_file;
use skillglass::{contents, demo};

/// Walks through a demonstration server from the first question to verified bytes.
///
/// Gives the number of files that may be used.
#[unsafe(no_mangle)]
pub extern "C" fn walk() -> u32 {
    usable_files().unwrap_or_default()
}

fn usable_files() -> Option<u32> {
    let server = demo::server(black_box("good"))?;
    let mut client = Client::new("https://demo.example/mcp").ok()?;
    let mut ask = |call: &Call| {
        let request = client.request(call).ok()?;
        let answer = server.answer(&request);
        let limits = ReplyLimits::default();
        let kind = answer.content_type.as_deref();
        let mut reader = ReplyReader::new(request.id, answer.status, kind, limits);
        reader.push(&answer.body).ok()?;
        reader.finish().ok()
    };
    discover(&ask(&Call::Discover)?)?;
    judge(&server)?;
    let listing = list(&mut ask)?;
    let mut usable = 0;
    for held in listing.skills.iter().filter_map(|reading| reading.entry.as_ref()) {
        let got = ask(&Call::GetSkill { uri: held.uri.clone() })?;
        look_at(held, &got)?;
        for file in held.manifest().into_iter().flat_map(|manifest| &manifest.files) {
            let reply = ask(&Call::ReadResource { uri: file.uri.clone() })?;
            let message = reply.message().ok()?;
            let result = message.outcome().ok()?;
            let contents = contents::read(&message.document, result, &file.uri).ok()?;
            usable += u32::from(verify_file(held, &file.uri, &contents.bytes).is_usable());
            if file.uri == held.uri {
                read_frontmatter(held, &contents.bytes)?;
            }
        }
    }
    Some(usable)
}

fn discover(reply: &Reply) -> Option<()> {
    let message = reply.message().ok()?;
    black_box(read_discovery(message.outcome().ok()?));
    let client = Client::new("https://demo.example/mcp").ok()?;
    let mut handshake = Handshake::new(client, EraChoice::Auto);
    black_box(matches!(handshake.step(), HandshakeStep::Send(_)));
    black_box(code_challenge(&Secret::new("a verifier")));
    Some(())
}

fn judge(server: &SkillServer) -> Option<()> {
    let mut visit = Visit::new(Client::new("https://demo.example/mcp").ok()?, Terms::default());
    while let Some(errand) = visit.next_errand() {
        let answer = server.answer(&errand.request);
        let (status, content_type) = (answer.status, answer.content_type);
        visit.begin(errand.number, AnswerHead { status, content_type, ..AnswerHead::default() });
        visit.push(errand.number, &answer.body);
        visit.end(errand.number, 0);
    }
    let report = Report::from_json(&visit.report()?.to_json()).ok()?;
    black_box((report.markdown(), report.junit(), report.sarif(), report.suite_checks("")));
    black_box(compare_reports(&report, &report));
    report.incomplete.is_none().then_some(())
}

fn list(ask: &mut dyn FnMut(&Call) -> Option<Reply>) -> Option<Listing> {
    let mut listing = Listing::new(ListLimits::default());
    while let Some(call) = listing.next() {
        let reply = ask(&call)?;
        let message = reply.message().ok()?;
        listing.receive(read_skill_page(&message, message.outcome().ok()?));
    }
    Some(listing)
}

fn look_at(held: &entry::SkillEntry, got: &Reply) -> Option<()> {
    let message = got.message().ok()?;
    let got = read_got_skill(&message, message.outcome().ok()?, &held.uri);
    black_box(EntryDiff::between(held, got.reading?.entry.as_ref()?));
    black_box((review_entry(held), nested::check(&[held])));
    black_box(SkillUri::parse(&held.uri).ok()?.resolve("references/a.md"));
    let origin = OriginLabel::new("demo").ok()?;
    let approval = Approval::new(&origin, held, BTreeSet::new());
    black_box(approval_state(approval.as_ref(), &origin, held));
    Some(())
}

fn read_frontmatter(held: &entry::SkillEntry, bytes: &[u8]) -> Option<()> {
    let text = std::str::from_utf8(bytes).ok()?;
    let frontmatter = Frontmatter::read(bytes).ok()?;
    black_box(compare(&frontmatter, text, &held.frontmatter, &held.source));
    black_box(check_file_format(&frontmatter.root, &LineIndex::new(text)));
    black_box((review_text(text), Digest::of(bytes)));
    Some(())
}
