//! Walks on real servers: the demonstrations, and such that change under way.

use super::*;
use crate::demo;
use crate::protocol::results::{read_discovery, read_skill_page};
use crate::protocol::{Client, ReplyLimits, ReplyReader};
use crate::server::{File, SkillServer};

fn send(server: &SkillServer, call: &Call) -> Reply {
    let request = Client::new("http://localhost/").unwrap().request(call).unwrap();
    let answer = server.answer(&request);
    let kind = answer.content_type.as_deref();
    let mut reader = ReplyReader::new(request.id, answer.status, kind, ReplyLimits::default());
    reader.push(&answer.body).unwrap();
    reader.finish().unwrap()
}

/// A walk on a skill that a listing of the server names, if one does.
fn walk(server: &SkillServer, path: &str) -> Walk {
    let discovery = send(server, &Call::Discover);
    let message = discovery.message().unwrap();
    let discovery = read_discovery(message.outcome().unwrap());
    let uri = format!("skill://{path}/SKILL.md");
    let walk = Walk::new(&OriginLabel::like("demo:good"), &discovery, &uri).unwrap();
    let server = server.clone().page_size(100);
    let page = send(&server, &Call::ListSkills { cursor: None });
    let message = page.message().unwrap();
    let page = read_skill_page(&message, message.outcome().unwrap());
    let listed = page.skills.into_iter().find(|reading| reading.uri.as_deref() == Some(&uri));
    match listed {
        Some(reading) => walk.listed(reading, page.freshness, 1_000),
        None => walk,
    }
}

/// Sends what the walk waits for, once.
fn answer_from(walk: &mut Walk, server: &SkillServer) {
    let Wait::Answer(Outgoing { call, .. }) = walk.wait() else { panic!("{:?}", walk.wait()) };
    let reply = send(server, &call.clone());
    walk.answered(Ok(&reply), 2_000);
}

/// Loads the skill, as far as the station where files are read.
fn load(walk: &mut Walk, server: &SkillServer) {
    walk.go_on(2_000);
    walk.go_on(2_000);
    walk.approve();
    answer_from(walk, server);
}

fn stations(walk: &Walk) -> Vec<Station> {
    walk.passed().iter().map(|passed| passed.station).collect()
}

fn last(walk: &Walk) -> &Passed {
    walk.passed().last().unwrap()
}

/// The demonstration server with another text in one file.
fn edited(server: &SkillServer, path: &str) -> SkillServer {
    let files = server.files().iter().map(|file| {
        let mut bytes = file.bytes().to_vec();
        if file.path() == path {
            bytes.extend_from_slice(b"One line more.\n");
        }
        File::new(file.path(), bytes)
    });
    SkillServer::new("edited", files.collect::<Vec<_>>())
}

#[test]
fn the_whole_flow_on_a_server_that_changes() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "code-review");
    load(&mut walk, &server);
    assert_eq!(walk.station(), Station::Read);
    assert!(last(&walk).model.as_ref().unwrap().contains("server: demo-good\n"));
    assert_eq!(walk.files(), ["SKILL.md", "references/checklist.md"]);
    walk.read("references/checklist.md");
    answer_from(&mut walk, &server);
    assert_eq!(
        (last(&walk).kind, walk.last_file()),
        (Kind::Usable, Some("references/checklist.md"))
    );

    walk.go_on(2_000);
    walk.read_again("references/checklist.md", false);
    answer_from(&mut walk, &server);
    assert_eq!((walk.station(), last(&walk).kind), (Station::Change, Kind::Told));
    let server = edited(&server, "code-review/references/checklist.md");
    walk.read_again("references/checklist.md", false);
    answer_from(&mut walk, &server);
    assert_eq!((last(&walk).station, last(&walk).kind), (Station::Refuse, Kind::Refused));
    assert_eq!((last(&walk).findings.len(), &last(&walk).model), (1, &None));

    walk.go_on(2_000);
    answer_from(&mut walk, &server);
    assert!(last(&walk).text.contains("1 changed"), "{}", last(&walk).text);
    assert!(matches!(walk.wait(), Wait::Person(request)
        if matches!(request.state, ApprovalState::Revoked(_))));
    walk.approve();
    answer_from(&mut walk, &server);
    answer_from(&mut walk, &server);
    assert!(last(&walk).model.as_ref().unwrap().contains("One line more."));
    assert!(matches!(walk.wait(), Wait::Over(End::Done)));
    let mut seen = stations(&walk);
    seen.dedup();
    assert_eq!(seen, Station::ALL);
    assert!(walk.passed().iter().all(|passed| !passed.is_played));
}

#[test]
fn a_change_is_played_in_where_the_server_cannot_change() {
    let server = demo::server("good").unwrap();
    for (path, file) in [
        ("code-review", "references/checklist.md"),
        ("code-review", "SKILL.md"),
        ("atelier/workshop/wheel-truing", "assets/logo.png"),
    ] {
        let mut walk = walk(&server, path);
        load(&mut walk, &server);
        walk.go_on(2_000);
        walk.read_again(file, true);
        answer_from(&mut walk, &server);
        assert_eq!(last(&walk).station, Station::Refuse, "{file}: {}", last(&walk).text);
        walk.go_on(2_000);
        answer_from(&mut walk, &server);
        assert_eq!(walk.station(), Station::ApproveAgain, "{file}: {}", last(&walk).text);
        walk.approve();
        while matches!(walk.wait(), Wait::Answer(_)) {
            answer_from(&mut walk, &server);
        }
        assert!(matches!(walk.wait(), Wait::Over(End::Done)), "{file}: {}", last(&walk).text);
        let of_play = walk.passed().iter().filter(|passed| passed.station >= Station::Change);
        assert!(of_play.clone().count() > 4 && of_play.clone().all(|passed| passed.is_played));
        assert!(!walk.passed()[0].is_played);
    }
}

#[test]
fn a_server_whose_bytes_are_not_its_entry_s_is_not_loaded_from() {
    let server = demo::server("broken").unwrap();
    let mut walk = walk(&server, "changed-after-listing");
    load(&mut walk, &server);
    assert_eq!((last(&walk).station, walk.station()), (Station::Refuse, Station::Refresh));
    walk.go_on(2_000);
    answer_from(&mut walk, &server);
    assert_eq!(walk.station(), Station::LoadAgain, "the entry is the approved one");
    answer_from(&mut walk, &server);
    assert!(matches!(walk.wait(), Wait::Over(End::Stopped)));
    assert!(walk.passed().iter().skip(2).all(|passed| passed.model.is_none()));
}

#[test]
fn a_file_may_be_what_is_wrong() {
    let server = demo::server("broken").unwrap();
    for path in ["wrong-digest", "wrong-size", "missing-file"] {
        let mut walk = walk(&server, path);
        load(&mut walk, &server);
        let file = walk.files()[1].to_owned();
        walk.read(&file);
        answer_from(&mut walk, &server);
        assert_eq!(
            (last(&walk).station, walk.station()),
            (Station::Refuse, Station::Refresh),
            "{path}"
        );
    }
}

#[test]
fn an_entry_that_cannot_be_held_ends_it() {
    let server = demo::server("broken").unwrap();
    let mut walk = walk(&server, "no-resources");
    walk.go_on(2_000);
    assert_eq!((last(&walk).kind, last(&walk).findings.is_empty()), (Kind::Refused, false));
    walk.go_on(2_000);
    answer_from(&mut walk, &server);
    assert!(matches!(walk.wait(), Wait::Over(End::Stopped)));
    assert!(!last(&walk).findings.is_empty());
}

#[test]
fn what_is_not_listed_is_looked_up() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "atelier/internal/onboarding");
    walk.go_on(2_000);
    walk.go_on(2_000);
    answer_from(&mut walk, &server);
    assert_eq!(walk.station(), Station::Approve);
    walk.deny();
    assert!(matches!(walk.wait(), Wait::Over(End::Denied)));
    let sent = walk.passed().iter().filter_map(|passed| passed.sent.as_ref()).map(Call::method);
    assert_eq!(sent.collect::<Vec<_>>(), ["skills/get"]);
}

#[test]
fn a_listed_skill_can_be_looked_up_all_the_same() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "code-review");
    walk.go_on(2_000);
    walk.look_up();
    answer_from(&mut walk, &server);
    assert_eq!((last(&walk).station, walk.station()), (Station::Get, Station::Approve));
}

#[test]
fn only_files_of_the_entry_are_read() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "code-review");
    load(&mut walk, &server);
    let reading =
        ["references/none.md", "../daily-briefing/SKILL.md", "https://example.com/", "a b\n"];
    for reference in reading {
        walk.read(reference);
        assert_eq!((last(&walk).kind, &last(&walk).sent), (Kind::Refused, &None), "{reference}");
        assert!(matches!(walk.wait(), Wait::File));
    }
}

#[test]
fn nothing_pins_a_dynamic_skill() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "daily-briefing");
    load(&mut walk, &server);
    assert_eq!(last(&walk).kind, Kind::Unpinned);
    walk.read("today/bench.md");
    answer_from(&mut walk, &server);
    walk.go_on(2_000);
    walk.read_again("SKILL.md", false);
    answer_from(&mut walk, &server);
    assert!(last(&walk).text.contains("nothing to compare it with"), "{}", last(&walk).text);
    walk.read_again("SKILL.md", false);
    answer_from(&mut walk, &server);
    assert!(last(&walk).text.starts_with("Nothing has changed"), "{}", last(&walk).text);
    walk.read_again("today/bench.md", true);
    answer_from(&mut walk, &server);
    assert!(matches!(walk.wait(), Wait::Over(End::Unpinned)));
}

#[test]
fn a_server_without_the_extension_is_not_asked() {
    let document = crate::json::read("{}").unwrap();
    let discovery = read_discovery(&document.root);
    let acme = OriginLabel::new("acme").unwrap();
    let mut walk = Walk::new(&acme, &discovery, "skill://a/SKILL.md").unwrap();
    walk.go_on(0);
    assert_eq!((stations(&walk), last(&walk).kind), (vec![Station::Discover], Kind::Refused));
}

#[test]
fn no_answer_is_told() {
    let server = demo::server("good").unwrap();
    let mut walk = walk(&server, "code-review");
    load(&mut walk, &server);
    walk.read("references/checklist.md");
    walk.answered(Err("the server is silent"), 2_000);
    assert_eq!(
        (last(&walk).text.as_str(), walk.station()),
        ("The server is silent.", Station::Read)
    );
}
