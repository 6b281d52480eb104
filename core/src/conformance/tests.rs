//! Runs against the core's own server, in this process.

use super::*;
use crate::protocol::results::read_discovery;
use crate::protocol::{Call, Client, Connected, Era, ReplyReader};
use crate::server::SkillServer;

/// A reply as it goes out: status and body.
type Reply = (u16, String);

fn honest(server: &SkillServer, call: &Call) -> Reply {
    let request = Client::new("http://localhost/").unwrap().request(call).unwrap();
    let reply = server.answer(&request);
    (reply.status, String::from_utf8(reply.body).unwrap())
}

/// Drives a run over what `answer` answers, to its end.
fn run(options: Options, answer: &dyn Fn(&Call) -> Reply) -> Report {
    let (_, discovery) = answer(&Call::Discover);
    let document = crate::json::read(&discovery).unwrap();
    let discovery = read_discovery(document.root.get("result").unwrap());
    let connected = Connected { discovery, era: Era::Modern, version: "2026-07-28".into() };
    let mut run = Run::new(&connected, Scope::Server, options);
    while let Some(step) = run.next_step() {
        let (status, text) = answer(&step.call);
        let mut reader = ReplyReader::new(0, status, Some("application/json"), step.limits);
        reader.push(text.as_bytes()).unwrap();
        run.receive(step.id, Received::Answered(reader.finish()));
    }
    assert!(run.is_done());
    run.report()
}

/// The ids of the checks with this outcome.
fn ids(report: &Report, outcome: Outcome) -> Vec<&str> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    checks.map(|check| &*check.id).collect()
}

#[test]
#[cfg(feature = "demo")]
fn the_good_server_fails_nothing() {
    let server = crate::demo::server("good").unwrap();
    let report = run(Options::default(), &|call| honest(&server, call));
    assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
    assert_eq!(ids(&report, Outcome::Untested), [""; 0]);
    assert_eq!(ids(&report, Outcome::Warn), ["names-should-be-unique"]);
    assert_eq!((report.traffic.skills, report.traffic.files), (10, 26));
    assert_eq!(Report::from_json(&report.to_json()), Ok(report));
}
