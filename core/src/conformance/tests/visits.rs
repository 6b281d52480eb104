//! Whole visits: the handshake, the other era, the run.

use super::*;
use crate::protocol::conversation::{AnswerHead, Errand, Lack};
use crate::protocol::{EraChoice, HandshakeError};

const URL: &str = "http://localhost/mcp";

fn visit(terms: Terms) -> Visit {
    Visit::new(Client::new(URL).unwrap(), terms)
}

/// Answers an errand as the server does.
fn carry(server: &SkillServer, visit: &mut Visit, errand: &Errand) {
    let reply = server.answer(&errand.request);
    let (status, content_type) = (reply.status, reply.content_type);
    let head = AnswerHead { status, content_type, ..AnswerHead::default() };
    visit.begin(errand.number, head);
    visit.push(errand.number, &reply.body);
    visit.end(errand.number, 0);
}

/// Carries everything, the latest errand first, and says which methods were called.
fn finish(server: &SkillServer, visit: &mut Visit) -> Vec<&'static str> {
    let (mut open, mut methods) = (Vec::new(), Vec::new());
    loop {
        open.extend(std::iter::from_fn(|| visit.next_errand()));
        let Some(errand) = open.pop() else { return methods };
        methods.extend(errand.request.rpc_method);
        carry(server, visit, &errand);
    }
}

#[test]
fn a_visit_is_a_handshake_and_the_run() {
    let server = workshop();
    let mut visit = visit(Terms::default());
    let methods = finish(&server, &mut visit);
    assert_eq!(methods[0], "server/discover");
    let report = visit.report().unwrap();
    let (_, mut run) = drive::begin(Scope::Server, Options::default());
    drive::finish(&server, &mut run);
    let outcomes = |report: &Report| {
        report.checks.iter().map(|it| (it.id.clone(), it.outcome)).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&report), outcomes(&run.report()));
}

#[test]
fn what_the_client_sends_as_a_secret_is_in_no_report() {
    let (server, token) = (workshop(), "s3cret-t0ken");
    for is_shut in [false, true] {
        let mut client = Client::new(URL).unwrap();
        client.set_bearer_token(token).unwrap();
        let mut visit = Visit::new(client, Terms::default());
        while let Some(errand) = visit.next_errand() {
            let (number, reply) = (errand.number, server.answer(&errand.request));
            let body = String::from_utf8(reply.body).unwrap();
            let is_denied = is_shut || body.contains(r#""error":"#);
            visit.begin(
                number,
                AnswerHead {
                    status: if is_denied { 400 } else { 200 },
                    content_type: reply.content_type,
                    ..AnswerHead::default()
                },
            );
            let said = errand.request.header("authorization").unwrap();
            let denied = format!(
                r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32000,"message":"denied for {said}"}}}}"#,
                errand.request.id.unwrap_or_default()
            );
            visit.push(number, if is_denied { denied.as_bytes() } else { body.as_bytes() });
            visit.end(number, 0);
        }
        let told = match visit.report() {
            Some(report) => report.to_json(),
            None => visit.trouble().unwrap(),
        };
        assert!(told.contains("denied for ••••") && !told.contains("s3cret"), "{told}");
    }
}

#[test]
fn a_visit_that_is_closed_asks_for_nothing_more() {
    let server = workshop();
    for answers in 0..4 {
        let mut visit = visit(Terms { both_eras: true, ..Terms::default() });
        for _ in 0..answers {
            let errand = visit.next_errand().unwrap();
            carry(&server, &mut visit, &errand);
        }
        let open: Vec<_> = std::iter::from_fn(|| visit.next_errand()).collect();
        visit.close();
        for errand in &open {
            carry(&server, &mut visit, errand);
        }
        let methods = finish(&server, &mut visit);
        assert_eq!(methods, [""; 0], "closed after {answers} answers");
    }
}

#[test]
fn the_other_era_is_asked_before_the_run() {
    for (status, outcome) in [(200, Outcome::Warn), (500, Outcome::NotApplicable)] {
        let mut visit = visit(Terms { both_eras: true, ..Terms::default() });
        let first = visit.next_errand().unwrap();
        carry(&workshop(), &mut visit, &first);
        let hello = visit.next_errand().unwrap();
        assert_eq!(hello.request.rpc_method, Some("initialize"));
        assert_eq!(visit.next_errand(), None, "the run waits");
        let content_type = Some("application/json".to_owned());
        let session = Some("s".to_owned());
        let head = AnswerHead { status, content_type, session, ..AnswerHead::default() };
        visit.begin(hello.number, head);
        let id = hello.request.id.unwrap();
        // It declares no skills.
        let result = r#""result":{"protocolVersion":"2025-11-25"}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},{result}}}"#);
        visit.push(hello.number, body.as_bytes());
        visit.end(hello.number, 0);
        let methods = finish(&workshop(), &mut visit);
        assert!(methods.contains(&"skills/list"));
        let report = visit.report().unwrap();
        let check = report.check("capability-same-on-both-wires").unwrap();
        assert_eq!(check.outcome, outcome);
    }
}

#[test]
fn the_cost_can_be_agreed_to_first() {
    let mut visit = visit(Terms { ask_first: true, ..Terms::default() });
    let methods = finish(&workshop(), &mut visit);
    assert!(visit.is_stopped() && !methods.contains(&"resources/read"), "{methods:?}");
    let cost = visit.progress().unwrap().plan;
    assert!(cost.calls > methods.len() && cost.bytes > 0, "{cost:?}");
    assert!(visit.report().unwrap().incomplete.is_some());
    visit.resume();
    assert!(finish(&workshop(), &mut visit).contains(&"resources/read"));
    assert_eq!(visit.report().unwrap().incomplete, None);
}

#[test]
fn without_a_conversation_there_is_no_report() {
    let mut visit = visit(Terms { era: EraChoice::Modern, both_eras: true, ..Terms::default() });
    while let Some(errand) = visit.next_errand() {
        visit.fail(errand.number, &Lack::Unreachable(Some("refused".to_owned())));
    }
    assert!(visit.report().is_none() && visit.progress().is_none());
    assert_eq!(visit.failure(), Some(&HandshakeError::Unreachable));
}

#[test]
fn some_checks_can_be_selected() {
    let selection = Selection::new(vec!["content-*".into()], vec!["content-readable".into()]);
    let terms = Terms { selection: selection.unwrap(), ..Terms::default() };
    let mut visit = visit(terms);
    finish(&workshop(), &mut visit);
    let report = visit.report().unwrap();
    let ids: Vec<_> = report.checks.iter().map(|check| &*check.id).collect();
    assert_eq!(ids, ["content-uri-echo", "content-size-match", "content-digest-match"]);
    assert_eq!(report.counts.pass, 3);
}
