//! Runs against the core's own server, in this process, whose answers are changed on the way.

mod drive;
mod exports;
mod faults;
mod honest;
mod visits;

use std::collections::BTreeSet;

use super::*;
use crate::protocol::results::read_discovery;
use crate::protocol::{Call, Client, Connected, Era, ReplyReader};
use crate::server::{File, SkillServer};

/// A reply as it goes out: status and body.
type Reply = (u16, String);

fn skill_md(name: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: What {name} does.\nlicense: MIT\n---\n# {name}\n{body}"
    )
}

/// Four listed skills on two pages, one of them nested, one dynamic; one more that is not listed.
fn workshop() -> SkillServer {
    let tidy = "Read [the rules](references/rules.md) and run [sort](scripts/sort.py).\n";
    let files = [
        ("tidy/SKILL.md", skill_md("tidy", tidy)),
        ("tidy/references/rules.md", "Rules.\n".to_owned()),
        ("tidy/scripts/sort.py", "print(sorted([]))\n".to_owned()),
        ("acme/outer/SKILL.md", skill_md("outer", "")),
        ("acme/outer/inner/SKILL.md", skill_md("inner", "")),
        ("acme/outer/inner/notes.md", "Notes.\n".to_owned()),
        ("acme/hidden/SKILL.md", skill_md("hidden", "")),
        ("daily/SKILL.md", skill_md("daily", "")),
        ("daily/today/news.md", "News.\n".to_owned()),
    ];
    let files = files.map(|(path, text)| File::new(path, text.into_bytes()));
    SkillServer::new("Workshop", files)
        .instructions("Newcomers read skill://acme/hidden/SKILL.md first.")
        .page_size(2)
        .with_skill("acme/hidden", |skill| skill.listed = false)
        .with_skill("daily", |skill| skill.dynamic = true)
}

/// What the server answers. Its cursors end with the snapshot that they belong to; here they have no
/// such end, so that faults can name them.
fn answer(server: &SkillServer, call: &Call) -> Reply {
    let end = format!(".{}", server.snapshot());
    let mut call = call.clone();
    if let Call::ListSkills { cursor: Some(cursor) }
    | Call::ListResources { cursor: Some(cursor) }
    | Call::ReadDirectory { cursor: Some(cursor), .. } = &mut call
    {
        cursor.push_str(&end);
    }
    let request = Client::new("http://localhost/").unwrap().request(&call).unwrap();
    let reply = server.answer(&request);
    (reply.status, String::from_utf8(reply.body).unwrap().replace(&format!("{end}\""), "\""))
}

fn connect(era: Era, discovery: &str) -> Connected {
    let document = crate::json::read(discovery).unwrap();
    let discovery = read_discovery(document.root.get("result").unwrap());
    let version = match era {
        Era::Modern => crate::protocol::PROTOCOL_VERSION,
        Era::Legacy => crate::protocol::LEGACY_VERSION,
    };
    Connected { discovery, era, version: version.into() }
}

fn received(step: &Step, (status, text): &Reply) -> Received {
    let mut reader = ReplyReader::new(None, *status, Some("application/json"), step.limits);
    let reply = reader.push(text.as_bytes()).and_then(|_| reader.finish());
    Received::Answered(reply)
}

/// Drives a run over what `answer` answers, to its end.
fn run_in(era: Era, options: Options, answer: &dyn Fn(&Call) -> Reply) -> Report {
    let connected = connect(era, &answer(&Call::Discover).1);
    let mut run = Run::new(&connected, Scope::Server, options);
    while let Some(step) = run.next_step() {
        let reply = answer(&step.call);
        run.receive(step.id, received(&step, &reply));
    }
    assert!(run.is_done());
    run.report()
}

fn run(answer: &dyn Fn(&Call) -> Reply) -> Report {
    run_in(Era::Modern, Options::default(), answer)
}

/// The ids of the checks with this outcome.
fn ids(report: &Report, outcome: Outcome) -> BTreeSet<&str> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    checks.map(|check| &*check.id).collect()
}

fn set<'i>(ids: &[&'i str]) -> BTreeSet<&'i str> {
    ids.iter().copied().collect()
}
