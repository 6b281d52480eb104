//! The conversation over HTTP: both eras, sessions, secrets, limits, and servers that misbehave.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use skillglass::protocol::{HttpRequest, MAX_SILENCES};

use crate::run::{command, output, run};
use crate::server::{
    Server, broken_off, demo, endless, method, reply, respond, trickle, unfinished,
};

const JSON: (&str, &str) = ("content-type", "application/json");
const STREAM: (&str, &str) = ("content-type", "text/event-stream");

/// The id of a request, as JSON.
fn id(request: &HttpRequest) -> String {
    let document = skillglass::json::read(&request.body).expect("JSON");
    document.root.get("id").map_or("null".to_owned(), |id| id.to_json())
}

fn result(request: &HttpRequest, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id(request))
}

#[test]
fn answers_may_come_as_streams() {
    let good = demo("good");
    let server = Server::start(move |request| {
        let answer = String::from_utf8(good.answer(request).body).expect("text");
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        respond(200, &[STREAM], format!(": hi\r\n\r\ndata: {log}\r\n\r\ndata: {answer}\r\n\r\n"))
    });
    assert!(run(&["verify", &server.url]).ended(0).contains("8 verified, 1 dynamic"));
}

#[test]
fn a_session_that_is_lost_is_begun_anew_once() {
    let handshakes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&handshakes);
    let server = Server::start(move |request| {
        let session = |name| request.header("mcp-session-id") == Some(name);
        match method(request).as_deref() {
            Some("initialize") => {
                let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
                let body = result(
                    request,
                    r#"{"protocolVersion":"2025-06-18","serverInfo":{"name":"old"},
                    "capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}}"#,
                );
                respond(200, &[JSON, ("mcp-session-id", &format!("s{number}"))], body)
            }
            Some("notifications/initialized") => respond(202, &[], ""),
            // The first session ends before the listing, as after a restart.
            Some("skills/list") if session("s2") => {
                respond(200, &[JSON], result(request, r#"{"skills":[]}"#))
            }
            None if session("s2") => respond(200, &[], ""),
            Some("skills/list") => respond(404, &[], "session not found"),
            _ => respond(
                400,
                &[JSON],
                r#"{"id":null,"error":{"code":-32000,"message":"no session"}}"#,
            ),
        }
    });
    let report = run(&["verify", &server.url, "--format", "json"]).json(0);
    assert_eq!((&report["era"], &report["version"]), (&"legacy".into(), &"2025-06-18".into()));
    assert_eq!(handshakes.load(Ordering::SeqCst), 2);
    let expected = [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "skills/list",
        "initialize",
        "notifications/initialized",
        "skills/list",
        // The session's end has no body.
        "",
    ];
    assert_eq!(server.methods(), expected);
}

#[test]
fn a_handshake_that_fails_once_is_not_the_end() {
    let (good, handshakes) = (demo("good"), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&handshakes);
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("server/discover") => respond(400, &[], ""),
        Some("initialize") => match counted.fetch_add(1, Ordering::SeqCst) {
            // The server has started again, and is not ready.
            1 => respond(500, &[], "not yet"),
            number => {
                let answer = good.answer_http(request);
                let session = format!("s{number}");
                respond(200, &[JSON, ("mcp-session-id", &session)], answer.body)
            }
        },
        Some("resources/read") if request.header("mcp-session-id") == Some("s0") => {
            respond(404, &[], "no session")
        }
        _ => reply(good.answer_http(request)),
    });
    let report = run(&["verify", &server.url, "--parallel", "1", "--format", "json"]).json(2);
    let counts = &report["counts"];
    let expected = [&counts["verified"], &counts["unpinned"], &counts["incomplete"]];
    assert_eq!(expected, [7, 1, 1], "one file is unread");
    assert_eq!(handshakes.load(Ordering::SeqCst), 3);
}

#[test]
fn a_busy_server_is_asked_again_when_it_wants_and_not_for_ever() {
    let (good, reads) = (demo("good"), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&reads);
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") if counted.fetch_add(1, Ordering::SeqCst) == 0 => {
            respond(429, &[("retry-after", "0")], "slow down")
        }
        _ => reply(good.answer(request)),
    });
    run(&["verify", &server.url, "code-review"]).ended(0);
    assert_eq!(server.count("resources/read"), 3, "two files, of which one was asked for twice");
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") => respond(503, &[("retry-after", "1")], "later"),
        _ => reply(good.answer(request)),
    });
    let busy = run(&["verify", &server.url, "--timeout", "1", "--format", "json"]);
    assert_eq!(busy.json(2)["counts"]["incomplete"], 9, "nothing is wrong, and nothing is known");
    assert!(busy.stderr.contains("9 skills could not be judged"), "{}", busy.stderr);
    // Those that are under way at a time wait for a second, and the others no more.
    assert!(server.count("resources/read") <= 24 + 6, "{}", server.count("resources/read"));
}

#[test]
fn questions_of_an_older_server_are_answered() {
    let server = Server::start(|request| match method(request).as_deref() {
        Some("initialize") => respond(
            200,
            &[JSON],
            result(
                request,
                r#"{"protocolVersion":"2025-11-25",
            "capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}}"#,
            ),
        ),
        Some("skills/list") => {
            let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
            let answer = result(request, r#"{"skills":[]}"#);
            respond(200, &[STREAM], format!("data: {ping}\n\ndata: {answer}\n\n"))
        }
        _ => respond(202, &[], ""),
    });
    run(&["verify", &server.url, "--era", "legacy"]).ended(0);
    assert_eq!(server.methods().last().map(String::as_str), Some(""), "{:?}", server.methods());
}

#[test]
fn secrets_are_sent_and_never_shown() {
    let good = demo("good");
    let server = Server::start(move |request| {
        let known = request.header("authorization") == Some("Bearer s3cret-token")
            && request.header("x-key") == Some("s3cret-key");
        if known {
            reply(good.answer(request))
        } else {
            respond(401, &[("www-authenticate", "Bearer")], "")
        }
    });
    let refused = run(&["verify", &server.url]);
    assert!(refused.failed(2).contains("--bearer-env"), "{}", refused.stderr);
    let mut verify = command(&[
        "verify",
        &server.url,
        "code-review",
        "-v",
        "--bearer-env",
        "TOKEN",
        "--header-env",
        "X-Key=KEY",
    ]);
    let verified = output(verify.env("TOKEN", "s3cret-token").env("KEY", "s3cret-key"));
    verified.ended(0);
    assert!(!format!("{}{}", verified.stdout, verified.stderr).contains("s3cret"));
    let mut open = command(&["verify", "http://192.0.2.1/mcp", "--bearer-env", "TOKEN"]);
    let open = output(open.env("TOKEN", "s3cret-token"));
    assert!(open.failed(2).contains("unencrypted") && !open.stderr.contains("s3cret"));
    let malformed = run(&["verify", &server.url, "--header", "s3cret"]);
    assert!(!malformed.failed(2).contains("s3cret"));
}

#[test]
fn secrets_that_a_server_repeats_are_masked() {
    let good = demo("good");
    let denied = |request: &HttpRequest| {
        let said = request.header("authorization").unwrap_or_default();
        let error = format!(r#"{{"code":-32000,"message":"denied for {said}"}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, id(request));
        respond(400, &[JSON], body)
    };
    let server = Server::start(move |request| {
        let answer = good.answer(request);
        let is_read = method(request).as_deref() == Some("resources/read");
        if is_read || answer.status >= 400 { denied(request) } else { reply(answer) }
    });
    let shut = Server::start(denied);
    let told = |words: &[&str]| {
        let words = [words, &["-v", "--bearer-env", "TOKEN"]].concat();
        let told = output(command(&words).env("TOKEN", "s3cret-token"));
        format!("{}{}", told.stdout, told.stderr)
    };
    for format in ["text", "json", "markdown", "junit", "sarif", "suite"] {
        let told = told(&["check", &server.url, "--format", format]);
        assert!(told.contains("denied for ••••") && !told.contains("s3cret"), "{told}");
    }
    for format in ["text", "json"] {
        let told = told(&["verify", &server.url, "--format", format]);
        assert!(told.contains("denied for ••••") && !told.contains("s3cret"), "{told}");
    }
    let refused = told(&["verify", &shut.url]);
    assert!(refused.contains("••••") && !refused.contains("s3cret"), "{refused}");
}

#[test]
fn headers_that_cannot_be_sent_are_told_before_anything_is_sent() {
    let server = Server::of(demo("good"));
    let told = |headers: &[&str]| {
        let words = [&["verify", server.url.as_str()], headers].concat();
        output(command(&words).env("TOKEN", "s3cret").env("EMPTY", " \n")).failed(2).to_owned()
    };
    for (headers, reason) in [
        (&["--header", "X: a\nb"][..], "header X is too long, or has"),
        (&["--header", "X: é"], "header X is too long, or has"),
        (&["--header", ": s3cret"], "has no name"),
        (&["--header", "Authorization=Bearer s3cret:x"], "has no name, or one"),
        (&["--header", "content-length: 3"], "set by the protocol or the connection"),
        (&["--header", "Host: a.example"], "set by the protocol or the connection"),
        (&["--header", "Accept-Encoding: gzip"], "set by the protocol or the connection"),
        (&["--header", "X: s3cret", "--header", "x: 2"], "header x is given twice"),
        (
            &["--header", "authorization: Bearer s3cret", "--bearer-env", "TOKEN"],
            "Authorization is given twice",
        ),
        (&["--bearer-env", "EMPTY"], "none EMPTY with a text in it"),
        (&["--bearer-env", "s3cret"], "none of that name with a text in it"),
        (&["--header-env", "X=s3cret-1"], "none of that name with a text in it"),
        (&["--header-env", "X"], "a name, = and the name"),
    ] {
        let said = told(headers);
        assert!(said.contains(reason) && !said.contains("s3cret"), "{headers:?}: {said}");
    }
    assert_eq!(server.methods().len(), 0);
}

#[test]
fn a_compressed_answer_is_called_so() {
    let good = demo("good");
    let server = Server::start(move |request| {
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        let coding = [JSON, ("content-encoding", "gzip")];
        match method(request).as_deref() {
            Some("resources/read") => respond(200, &coding, "\u{1f}\u{8b}"),
            _ => reply(good.answer(request)),
        }
    });
    let read = run(&["verify", &server.url, "code-review"]);
    assert!(read.ended(2).contains("compressed (Content-Encoding: gzip)"), "{}", read.stdout);
    let greets = Server::start(|_| respond(200, &[JSON, ("content-encoding", "br")], "x"));
    let told = run(&["verify", &greets.url]);
    assert!(told.failed(2).contains("compressed (Content-Encoding: br)"), "{}", told.stderr);
    assert!(!told.stderr.contains("Check the address"), "{}", told.stderr);
}

#[test]
fn redirects_are_told_and_not_followed() {
    let elsewhere = Server::of(demo("good"));
    for (status, location) in [
        (307, format!("{}?key=s3cret", elsewhere.url)),
        (308, "/mcp/".to_owned()),
        (302, "/mcp/".to_owned()),
    ] {
        let told = if location == "/mcp/" { "/mcp/".to_owned() } else { elsewhere.url.clone() };
        let away = Server::start(move |_| respond(status, &[("location", &location)], ""));
        for command in ["verify", "check"] {
            let refused = run(&[command, &away.url]);
            assert!(refused.failed(2).contains(&told), "{}", refused.stderr);
            assert!(!refused.stderr.contains("s3cret"), "{}", refused.stderr);
        }
        let is_asked = |method: &String| !method.is_empty();
        assert!(away.methods().iter().all(is_asked), "no message was lost on the way");
    }
    assert_eq!(elsewhere.methods().len(), 0);
}

#[test]
fn one_redirect_makes_a_check_incomplete() {
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("skills/get") if request.url == "/mcp" => respond(307, &[("location", "/mcp?x")], ""),
        _ => reply(good.answer(request)),
    });
    let checked = run(&["check", &server.url, "--format", "json"]);
    let reason = checked.json(2)["incomplete"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("/mcp?…"), "{reason}");
}

#[test]
fn what_is_no_skills_server_is_said_so() {
    let site =
        Server::start(|_| respond(200, &[("content-type", "text/html")], "<h1>Bicycles</h1>"));
    assert!(run(&["verify", &site.url]).failed(2).contains("/mcp"));
    let dead = "http://127.0.0.1:9/mcp";
    assert!(run(&["verify", dead]).failed(2).contains("Connection refused"));
    let busy = Server::start(|_| respond(503, &[], "later"));
    assert!(run(&["verify", &busy.url, "--timeout", "1"]).failed(2).contains("503"));
    assert_eq!(busy.methods(), ["server/discover"; 2], "it is asked once more, after a second");
    let none = Server::start(|request| {
        respond(
            200,
            &[JSON],
            result(request, r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#),
        )
    });
    assert!(run(&["verify", &none.url]).failed(2).contains("does not declare"));
    assert_eq!(none.methods(), ["server/discover"], "nothing is asked that is not declared");
}

#[test]
fn a_server_that_wants_input_is_said_so_and_given_none() {
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") => {
            let wants = r#"{"resultType":"input_required","requestState":"s","inputRequests":{
                "a":{"method":"elicitation/create","params":{"message":"Which team?"}}}}"#;
            respond(200, &[JSON], result(request, wants))
        }
        _ => reply(good.answer(request)),
    });
    let report = run(&["verify", &server.url, "code-review", "--format", "json"]).json(2);
    let unread = report["skills"][0]["unread"].as_object().expect("an object");
    let said = "elicitation/create, \"Which team?\"; nothing was sent back";
    assert!(unread.values().all(|why| why.as_str().is_some_and(|why| why.contains(said))));
    assert_eq!(server.count("resources/read"), unread.len(), "each file is asked for once");
}

#[test]
fn a_server_that_never_ends_is_left() {
    let silent = Server::start(|_| respond(200, &[STREAM], unfinished(": wait\n\n")));
    let left = run(&["verify", &silent.url, "--timeout", "1"]);
    assert!(left.failed(2).contains("silent for 1 second)"), "{}", left.stderr);
    let good = demo("good");
    let flood = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") => respond(200, &[JSON], endless(&[b' '; 65_536])),
        _ => reply(good.answer(request)),
    });
    let report = run(&["verify", &flood.url, "code-review", "--format", "json"]).json(2);
    let unread = report["skills"][0]["unread"].as_object().expect("an object");
    assert_eq!(unread.len(), 2);
    assert!(unread.values().all(|why| why.as_str().is_some_and(|why| why.contains("longer than"))));
}

#[test]
fn signs_of_life_are_no_answer() {
    let good = demo("good");
    let server = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") => respond(200, &[STREAM], trickle(": still here\n\n")),
        _ => reply(good.answer(request)),
    });
    let left = run(&["verify", &server.url, "code-review", "--timeout", "1", "--format", "json"]);
    let unread = left.json(2)["skills"][0]["unread"].as_object().expect("an object").clone();
    assert_eq!(unread.len(), 2);
    let reason = format!("no whole answer came in {MAX_SILENCES} seconds");
    assert!(unread.values().all(|why| *why == reason), "{unread:?}");
}

#[test]
fn a_file_that_breaks_off_is_told_and_the_others_are_read() {
    let breaks_off = |file: &'static str| {
        let good = demo("good");
        Server::start(move |request| match method(request).as_deref() {
            Some("resources/read") if request.body.contains(file) => broken_off(),
            _ => reply(good.answer(request)),
        })
    };
    let one = run(&["verify", &breaks_off("skill://code-review/SKILL.md").url, "--format", "json"]);
    let counts = &one.json(2)["counts"];
    let expected = [&counts["verified"], &counts["unpinned"], &counts["incomplete"]];
    assert_eq!(expected, [7, 1, 1]);
    assert!(one.stderr.contains("1 skill could not be judged as a whole"), "{}", one.stderr);
    // What is wrong stays wrong.
    let broken = demo("broken");
    let both = Server::start(move |request| match method(request).as_deref() {
        Some("resources/read") if request.body.contains("missing-file") => broken_off(),
        _ => reply(broken.answer(request)),
    });
    assert_eq!(run(&["verify", &both.url, "--format", "json"]).json(1)["counts"]["incomplete"], 1);
    // A server that answers nothing more is not asked for every file.
    let all = breaks_off("skill://");
    assert_eq!(run(&["verify", &all.url, "--format", "json"]).json(2)["counts"]["incomplete"], 9);
    let asked = all.count("resources/read");
    assert!((8..8 + 6).contains(&asked), "{asked}");
}

#[test]
fn a_listing_that_does_not_come_to_its_end_is_no_clean_one() {
    let pages = |cursor: fn(usize) -> String| {
        let (good, asked) = (demo("good"), AtomicUsize::new(0));
        let (good, asked) = (Arc::new(good), Arc::new(asked));
        Server::start(move |request| match method(request).as_deref() {
            Some("skills/list") => {
                let next = cursor(asked.fetch_add(1, Ordering::SeqCst));
                let page = format!(
                    r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","skills":[],"nextCursor":"{next}"}}"#
                );
                respond(200, &[JSON], result(request, &page))
            }
            _ => reply(good.answer(request)),
        })
    };
    let repeats = pages(|_| "x".to_owned());
    let ended = run(&["verify", &repeats.url]);
    assert!(ended.ended(2).contains("repeats a cursor"));
    assert!(ended.stderr.contains("the listing ended early"), "{}", ended.stderr);
    assert_eq!(repeats.count("skills/list"), 2);
    let endless = pages(|page| page.to_string());
    let ended = run(&["verify", &endless.url]);
    assert!(ended.ended(2).contains("listing     ended early"), "{}", ended.stdout);
    assert!(endless.count("skills/list") < 100, "pages that bring nothing new");
    // What came before is judged, and what is wrong stays wrong.
    for (name, code) in [("good", 2), ("broken", 1)] {
        let demo = demo(name).page_size(4);
        let stops = Server::start(move |request| match method(request).as_deref() {
            Some("skills/list") if request.body.contains("cursor") => respond(500, &[], "oh"),
            _ => reply(demo.answer(request)),
        });
        let ended = run(&["verify", &stops.url]);
        assert!(ended.ended(code).contains("ended early: "), "{}", ended.stdout);
        assert!(ended.stdout.contains("verified"), "{}", ended.stdout);
        assert!(run(&["verify", &stops.url, "nonsense"]).failed(2).contains("ended early, though"));
        let listed =
            ended.stdout.lines().find_map(|line| line.strip_prefix("verified")).expect("one");
        let uri = listed.trim_start().split(' ').next().expect("a URI");
        let path = uri.trim_start_matches("skill://").trim_end_matches("/SKILL.md");
        let path = run(&["verify", &stops.url, path]);
        assert!(path.failed(2).contains("Name it by its URI"), "{}", path.stderr);
        assert_ne!(run(&["verify", &stops.url, uri]).code, Some(2));
    }
}
