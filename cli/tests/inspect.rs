//! `inspect`: whom the bridge leads to, whom it lets in, and what it does with those who mean it ill.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};

use axum::response::Response;
use serde_json::{Value, json};
use skillglass::protocol::{Call, Client, HttpRequest, ReplyLimits};

use crate::listening::Listening;
use crate::run::{command, pids, run, wait_for_the_end_of};
use crate::server::{Server, demo, endless, method, reply, respond};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/server.mjs");
const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/skills/good");
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":"a","method":"server/discover"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"skills/list"}"#;

/// The program with a page, and what that page is told.
struct Inspect {
    program: Listening,
    token: String,
    servers: Value,
    /// Where the page is, below the host.
    path: String,
}

impl Inspect {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let page = tempfile::tempdir().expect("a folder");
        let html = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"><title>Page</title>";
        fs::write(page.path().join("index.html"), html).expect("a file");
        let first = ["inspect", "--no-open", "--page", page.path().to_str().expect("text")];
        let mut command = command(&[&first, arguments].concat());
        let program = Listening::start(command.envs(environment.iter().copied()));
        let path = program.url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).expect("a URL");
        let page = program.raw(&get(&path, &format!("Host: {}\r\n", program.address())));
        let told =
            page.split_once("skillglass-bridge\" content=\"").expect("a page that is told").1;
        let told = told.split('"').next().expect("an attribute").replace("&quot;", "\"");
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let token = told["token"].as_str().expect("a token").to_owned();
        Self { program, token, servers: told["servers"].clone(), path }
    }

    /// The headers of the page's own requests.
    fn own(&self) -> String {
        let (address, token) = (self.program.address(), &self.token);
        format!("Host: {address}\r\nOrigin: http://{address}\r\nAuthorization: Bearer {token}\r\n")
    }

    /// The status of an answer over the bridge, and its body.
    fn ask(&self, number: usize, message: &str) -> (u16, String) {
        let answer = self.program.post(&format!("/bridge/{number}"), &self.own(), message);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        (head[9..12].parse().expect("a status"), body.to_owned())
    }

    fn said(&self, number: usize, behind: u64) -> Vec<Value> {
        let path = format!("/bridge/{number}/said/{behind}");
        let answer = self.program.raw(&get(&path, &self.own()));
        let body = answer.split_once("\r\n\r\n").expect("an answer").1;
        serde_json::from_str(body).expect("JSON")
    }
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
}

fn is_refused(answer: &str) -> bool {
    answer.starts_with("HTTP/1.1 403") && !answer.to_lowercase().contains("access-control")
}

#[test]
fn the_page_is_where_nobody_guesses_it_under_a_strict_policy() {
    let inspect = Inspect::start(&[]);
    let host = format!("Host: {}\r\n", inspect.program.address());
    let page = inspect.program.raw(&get(&inspect.path, &host)).to_lowercase();
    assert!(page.contains("content-security-policy: default-src 'none'; frame-ancestors 'none'"));
    assert!(page.contains("x-content-type-options: nosniff") && page.contains("no-store"));
    let secret = inspect.path.trim_matches('/');
    assert_eq!(secret.len(), 32, "128 bits");
    assert_ne!(secret, inspect.token);
    for elsewhere in ["/", "/index.html"] {
        let plain = inspect.program.raw(&get(elsewhere, &host));
        assert!(
            plain.starts_with("HTTP/1.1 200") && !plain.contains("skillglass-bridge"),
            "{plain}"
        );
    }
    for elsewhere in ["/bridge/", &format!("/{secret}"), &format!("/{secret}x/"), "/../etc/passwd"]
    {
        let answer = inspect.program.raw(&get(elsewhere, &host));
        assert!(answer.starts_with("HTTP/1.1 404") && !answer.contains(&inspect.token), "{answer}");
    }
    let above = inspect.program.raw(&get(&format!("{}../Cargo.toml", inspect.path), &host));
    assert!(above.starts_with("HTTP/1.1 404"), "{above}");
    let none = run(&["inspect", "--no-open"]);
    assert!(none.failed(2).contains("--page"), "{}", none.stderr);
}

#[test]
fn no_other_page_and_no_other_name_is_let_in() {
    let good = Server::of(demo("good"));
    let inspect = Inspect::start(&[&good.url]);
    let address = inspect.program.address();
    let token = format!("Authorization: Bearer {}\r\n", inspect.token);
    let port = address.rsplit(':').next().expect("a port");
    for headers in [
        // Another page, even one that knows the token.
        format!("Host: {address}\r\nOrigin: https://evil.example\r\n{token}"),
        format!("Host: {address}\r\nOrigin: null\r\n{token}"),
        format!("Host: {address}\r\nOrigin: http://127.0.0.1:1\r\n{token}"),
        format!("Host: {address}\r\nOrigin: http://127.0.0.1.evil.example:{port}\r\n{token}"),
        // A name that was pointed here.
        format!("Host: evil.example:{port}\r\nOrigin: http://evil.example:{port}\r\n{token}"),
        format!("Host: evil.example:{port}\r\n{token}"),
        token.clone(),
        // Who does not know the token.
        format!("Host: {address}\r\nOrigin: http://{address}\r\n"),
        format!("Host: {address}\r\nOrigin: http://{address}\r\nAuthorization: Bearer x\r\n"),
        format!("Host: {address}\r\nAuthorization: {}\r\n", inspect.token),
    ] {
        let answer = inspect.program.post("/bridge/0", &headers, DISCOVER);
        let is_bad = answer.starts_with("HTTP/1.1 400") && !headers.contains("Host");
        assert!(is_refused(&answer) || is_bad, "{headers}: {answer}");
        let page = inspect.program.raw(&get(&inspect.path, &headers));
        let lets_in = headers.contains(&format!("Host: {address}"))
            && !headers.contains("evil")
            && !headers.contains("null")
            && !headers.contains("127.0.0.1:1\r");
        assert_eq!(page.starts_with("HTTP/1.1 200"), lets_in, "{headers}: {page}");
    }
    let preflight = format!(
        "OPTIONS /bridge/0 HTTP/1.1\r\nConnection: close\r\nHost: {address}\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"
    );
    assert!(is_refused(&inspect.program.raw(&preflight)));
    assert_eq!(good.methods().len(), 0, "nothing went on");
    assert_eq!(inspect.ask(0, DISCOVER).0, 400, "the server answers: headers are missing");
    assert_eq!(good.methods(), ["server/discover"]);
}

#[test]
fn it_leads_to_those_who_were_named_and_to_no_others() {
    let good = demo("good");
    let server = Server::start(move |request| reply(good.answer(request)));
    let elsewhere = Server::of(demo("good"));
    let location = format!("{}?key=s3cret", elsewhere.url);
    let away = Server::start(move |_| respond(307, &[("location", &location)], ""));
    let inspect = Inspect::start(&[&server.url, &away.url, SKILLS, "demo:good"]);
    let names = [(&*server.url, &*server.url), (&away.url, &away.url), ("good", SKILLS)];
    let servers = names.map(|(name, what)| json!({"name": name, "what": what, "program": false}));
    assert_eq!(inspect.servers, json!(servers), "the page has the demonstrations in itself");
    let (status, reason) = inspect.ask(1, DISCOVER);
    assert!(status == 502 && reason.contains("not followed") && !reason.contains("s3cret"));
    assert_eq!((away.methods().len(), elsewhere.methods().len()), (1, 0));
    let (status, listed) = inspect.ask(2, LIST);
    assert!(status == 200 && listed.contains("skill://code-review/SKILL.md"), "{listed}");
    for number in [3, 99] {
        assert_eq!(inspect.ask(number, DISCOVER).0, 404);
    }
    for path in ["/bridge/-1", "/bridge/http:%2F%2F127.0.0.1", "/bridge/0/x"] {
        let answer = inspect.program.post(path, &inspect.own(), DISCOVER);
        assert!(answer.starts_with("HTTP/1.1 40"), "{path}: {answer}");
    }
    assert_eq!(server.methods().len(), 0);
}

#[test]
fn the_page_sees_in_a_folder_what_check_sees() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["one/skills", "two/skills"].map(|path| folder.path().join(path));
    for skills in [&one, &two] {
        fs::create_dir_all(skills.join("torn")).expect("a folder");
        fs::write(skills.join("torn/SKILL.md"), "---\nname: torn\n").expect("a file");
    }
    let [one, two] = [&one, &two].map(|path| path.to_str().expect("text"));
    let mut inspect = Inspect::start(&[one, two]);
    let names = [&inspect.servers[0]["name"], &inspect.servers[1]["name"]];
    assert_eq!(names, [&json!("skills"), &json!(two)]);
    let (status, listed) = inspect.ask(0, LIST);
    assert!(status == 200 && listed.contains("skill://torn/SKILL.md"), "{listed}");
    let notes = inspect.program.notes_until("The page is there");
    assert!(notes.contains("\"torn\" breaks a rule, and `serve` leaves it out"), "{notes}");
}

/// In the page, where a direct connection has failed.
#[test]
fn an_address_can_be_named_later_by_the_page_alone() {
    let echo = Server::start(|request| {
        let key = request.header("x-key").unwrap_or("none").to_owned();
        respond(200, &[("content-type", "text/plain")], key)
    });
    let inspect = Inspect::start(&[]);
    let (address, token) = (inspect.program.address(), &inspect.token);
    let named = json!({"url": echo.url, "headers": [["X-Key", "s3cret"]]}).to_string();
    let name = |headers: &str, body: &str| inspect.program.post("/bridge", headers, body);
    for headers in [
        format!(
            "Host: {address}\r\nOrigin: https://evil.example\r\nAuthorization: Bearer {token}\r\n"
        ),
        format!("Host: evil.example\r\nAuthorization: Bearer {token}\r\n"),
        format!("Host: {address}\r\nOrigin: http://{address}\r\n"),
    ] {
        assert!(is_refused(&name(&headers, &named)), "{headers}");
    }
    assert_eq!(inspect.ask(0, DISCOVER).0, 404, "nobody was named");
    assert!(name(&inspect.own(), &named).ends_with("\r\n\r\n0"));
    assert!(inspect.ask(0, DISCOVER).1.contains("s3cret"));
    let key = json!({"url": "http://192.0.2.1/", "headers": [["X-Key", "s3cret"]]}).to_string();
    let program = r#"{"command":"node","args":["x.mjs"]}"#;
    for body in ["", "{}", program, r#"{"url":"file:///etc/passwd"}"#, r#"{"url":"./x"}"#, &key] {
        let refused = name(&inspect.own(), body);
        assert!(refused.starts_with("HTTP/1.1 400") && !refused.contains("s3cret"), "{refused}");
    }
    let long = json!({"url": format!("https://a.example/{}", "x".repeat(70_000))}).to_string();
    assert!(name(&inspect.own(), &long).starts_with("HTTP/1.1 413"));
    let added = (1..200).take_while(|_| name(&inspect.own(), &named).starts_with("HTTP/1.1 200"));
    assert_eq!(added.count(), 99, "there is an end to it");
}

#[test]
fn a_server_hears_what_belongs_to_the_protocol_and_what_the_person_gave() {
    let heard = Server::start(|request: &HttpRequest| {
        let headers =
            request.headers.iter().map(|header| format!("{}={}", header.name, header.value));
        let headers = headers.collect::<Vec<_>>().join("\n");
        let back = [("content-type", "text/plain"), ("mcp-session-id", "s"), ("set-cookie", "a=b")];
        respond(200, &back, headers)
    });
    let words = ["-v", &heard.url, "--bearer-env", "TOKEN", "--header-env", "X-Key=KEY"];
    let secrets = [("TOKEN", "s3cret-token"), ("KEY", "s3cret-key")];
    let mut inspect = Inspect::start_with(&words, &secrets);
    let page = inspect.program.raw(&get(&inspect.path, &inspect.own()));
    assert!(!page.contains("s3cret"), "the page does not know them");
    let more = "Mcp-Method: x\r\nX-Key: mine\r\nCookie: a=b\r\nX-Forwarded-For: 1.2.3.4\r\nAccept: application/json\r\n";
    let headers = format!("{}{more}", inspect.own());
    let answer = inspect.program.post("/bridge/0", &headers, DISCOVER).to_lowercase();
    for part in [
        "authorization=bearer s3cret-token",
        "x-key=s3cret-key",
        "mcp-method=x",
        "mcp-session-id: s",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    for part in ["x-key=mine", "cookie", "x-forwarded-for", "origin=", &inspect.token] {
        assert!(!answer.contains(part), "{part}: {answer}");
    }
    inspect.program.child.kill().expect("it runs");
    let said = inspect.program.rest_of_notes();
    assert!(!said.contains("s3cret"), "{said}");
    let two = run(&[
        "inspect",
        "--no-open",
        "--page",
        ".",
        "http://a.example",
        "http://b.example",
        "--header",
        "X: y",
    ]);
    assert!(two.failed(2).contains("one server"), "{}", two.stderr);
}

/// The page would take the bytes for the text.
#[test]
fn a_compressed_answer_is_not_passed_on() {
    let coded = Server::start(|_| respond(200, &[("content-encoding", "gzip")], "\u{1f}\u{8b}"));
    let inspect = Inspect::start(&[&coded.url]);
    let (status, reason) = inspect.ask(0, DISCOVER);
    assert!(status == 502 && reason.contains("Content-Encoding: gzip"), "{reason}");
}

#[test]
fn messages_and_answers_have_limits() {
    let good = demo("good");
    let flood = Server::start(move |request| -> Response {
        match method(request).as_deref() {
            Some("resources/read") => {
                respond(200, &[("content-type", "application/json")], endless(&[b' '; 65_536]))
            }
            _ => reply(good.answer(request)),
        }
    });
    let inspect = Inspect::start(&[&flood.url]);
    let long =
        format!("{}Content-Length: 99999999\r\nContent-Type: application/json\r\n", inspect.own());
    let long = format!("POST /bridge/0 HTTP/1.1\r\nConnection: close\r\n{long}\r\n{{");
    assert!(inspect.program.raw(&long).starts_with("HTTP/1.1 413"));
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let own = inspect.own();
    let begin = format!(
        "POST /bridge/0 HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n{own}\r\n"
    );
    let mut stream = inspect.program.connect();
    stream.write_all(begin.as_bytes()).expect("it reads");
    // It stops reading once there is too much; then this may fail.
    (0..64).try_for_each(|_| stream.write_all(chunk.as_bytes())).ok();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 413");
    assert_eq!(flood.methods().len(), 0);
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://a/SKILL.md"}}"#;
    let answer = inspect.program.post("/bridge/0", &own, read);
    let most = ReplyLimits::default().body;
    assert!(answer.len() < most + most / 8, "{} bytes of an answer without end", answer.len());
    assert!(!answer.ends_with("0\r\n\r\n"), "an answer that was cut off has no end");
}

#[test]
fn who_is_slow_keeps_nobody_waiting() {
    let inspect = Inspect::start(&[SKILLS]);
    let own = inspect.own();
    let slow: Vec<_> = (0..64)
        .map(|number| {
            let mut stream = inspect.program.connect();
            let begin = if number % 2 == 0 {
                "POST /bridge/0 HTTP/1.1\r\nHost: 127".to_owned()
            } else {
                format!("POST /bridge/0 HTTP/1.1\r\nContent-Length: 99\r\n{own}\r\n{{")
            };
            stream.write_all(begin.as_bytes()).expect("it reads");
            stream
        })
        .collect();
    assert_eq!(inspect.ask(0, LIST).0, 200);
    for mut stream in slow {
        stream.set_nonblocking(true).expect("a socket");
        let waits = stream.read(&mut [0]).expect_err("it was not let go for that");
        assert_eq!(waits.kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn a_program_is_talked_to_in_its_own_way() {
    let inspect = Inspect::start(&["--", "node", PROGRAM, "modern"]);
    assert_eq!(
        inspect.servers,
        json!([{"name": "stdio:node", "what": "stdio:node", "program": true}])
    );
    let (status, answer) = inspect.ask(0, &DISCOVER.replace(',', ",\r\n"));
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!((status, &answer["id"]), (200, &json!("a")), "the page's own id comes back");
    let told = inspect
        .ask(0, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
    assert_eq!(told, (202, String::new()));
    assert_eq!(inspect.ask(0, "nonsense").0, 400);
}

#[test]
fn an_older_program_is_greeted_by_every_page_anew() {
    let mut client = Client::new("http://localhost/").expect("an address");
    let greeting = client.initialize().body;
    for behaviour in ["legacy", "exits"] {
        let inspect = Inspect::start(&["--", "node", PROGRAM, behaviour]);
        for _ in 0..2 {
            let (status, answer) = inspect.ask(0, DISCOVER);
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["error"]["code"], -32601, "{behaviour}: {status}");
            assert!(inspect.ask(0, &greeting).1.contains("2025-06-18"), "{behaviour}");
            assert_eq!(inspect.ask(0, &client.initialized().body).0, 202);
            let list = client.request(&Call::ListSkills { cursor: None }).expect("a request");
            assert_eq!(inspect.ask(0, &list.body).0, 200, "{behaviour}");
        }
    }
}

#[test]
fn what_a_program_writes_is_shown_within_limits() {
    let inspect = Inspect::start(&["--", "node", PROGRAM, "floods"]);
    assert_eq!(inspect.ask(0, LIST).0, 200, "it is not stopped by what it writes");
    let said = inspect.said(0, 0);
    assert!(said.len() <= 200);
    assert!(
        said.iter()
            .all(|said| said["line"].as_str().is_some_and(|line| line.chars().count() <= 300))
    );
    let mute = Inspect::start(&["--", "node", PROGRAM, "mute"]);
    let (status, reason) = mute.ask(0, LIST);
    assert!(status == 502 && reason.contains("its program ended"), "{reason}");
    let lines = mute.said(0, 0);
    assert_eq!(lines[0]["line"], "no database\\u{1b}[31m", "hidden characters are shown");
    assert_eq!(mute.said(0, lines[0]["number"].as_u64().expect("a number")).len(), lines.len() - 1);
    let restarted = mute.program.post("/bridge/0/restart", &mute.own(), "");
    assert!(restarted.starts_with("HTTP/1.1 204"), "{restarted}");
}

/// A program may write more than this one could keep: notes, notifications, and lines without an end.
#[cfg(target_os = "linux")]
#[test]
fn what_a_program_writes_is_not_kept() {
    const MIB: usize = 1024 * 1024;
    let peak = |behaviour: &str, listed: fn(&(u16, String)) -> bool| {
        let inspect = Inspect::start(&["--", "node", PROGRAM, behaviour]);
        let answer = inspect.ask(0, LIST);
        assert!(listed(&answer), "{behaviour}: {} {:.200}", answer.0, answer.1);
        inspect.program.peak_memory()
    };
    let calm = peak("modern", |(status, _)| *status == 200);
    let torrent = peak("torrent", |(status, _)| *status == 200);
    assert!(torrent < calm + 16 * MIB, "{calm} bytes, then {torrent}");
    let endless = peak("endless", |(status, why)| *status == 502 && why.contains("more than 128"));
    assert!(endless < calm + (128 + 16) * MIB, "{calm} bytes, then {endless}");
}

#[cfg(unix)]
#[test]
fn what_it_started_ends_with_it() {
    use rustix::process::{Pid, Signal, kill_process};
    let mut inspect = Inspect::start(&["-v", "--", "node", PROGRAM, "stays"]);
    assert_eq!(inspect.ask(0, LIST).0, 200);
    let pids = pids(&inspect.program.notes_until("pids "));
    kill_process(Pid::from_child(&inspect.program.child), Signal::TERM).expect("it runs");
    let status = inspect.program.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "that is how one ends it");
    wait_for_the_end_of(&pids);
}

#[test]
fn servers_come_from_a_file_as_well() {
    let server = Server::start(|request| {
        respond(
            200,
            &[("content-type", "text/plain")],
            request.header("x-key").unwrap_or("none").to_owned(),
        )
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let config = json!({"mcpServers": {
        "away": {"url": server.url, "headers": {"X-Key": "${KEY}"}},
        "near": {"command": "node", "args": [PROGRAM, "modern"]},
    }});
    fs::write(&file, config.to_string()).expect("a file");
    let file = file.to_str().expect("text");
    let inspect = Inspect::start_with(&["--config", file], &[("KEY", "s3cret")]);
    assert_eq!(inspect.servers[0], json!({"name": "away", "what": server.url, "program": false}));
    let (status, heard) = inspect.ask(0, DISCOVER);
    assert!(status == 200 && heard.contains("s3cret"), "{heard}");
    assert_eq!(inspect.ask(1, DISCOVER).0, 200);
    let twice = run(&["inspect", "--no-open", "--page", ".", SKILLS, SKILLS]);
    assert_eq!(twice.code, Some(2));
}
