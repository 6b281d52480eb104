//! What the program costs: `check` beside a bare loop that reads and parses the same answers, and
//! `serve` with many skills. Prints numbers; asserts nothing.
//!
//! Run with `cargo bench -p skillglass-cli`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const PROGRAM: &str = env!("CARGO_BIN_EXE_skillglass");

/// The largest skill that hosts have to take.
const FILES: usize = 512;
const FILE_BYTES: usize = 16 * 1024 * 1024 / FILES;

const ROUNDS: usize = 9;
const PARALLEL: usize = 6;

/// A server that runs for as long as the value lives.
struct Serve {
    child: Child,
    url: String,
}

impl Serve {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("serve").arg(folder).args(["--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program is built");
        let mut url = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut url).expect("a line");
        Self { child, url: url.trim_end().to_owned() }
    }

    /// The most memory it had, in KiB, where the system says so.
    fn peak(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // Both fail only for a process that has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_skill(folder: &Path, name: &str, files: usize, bytes: usize) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let text = format!("---\nname: {name}\ndescription: Made to be measured.\n---\n");
    fs::write(folder.join("SKILL.md"), text).expect("a file");
    let line = "The quick brown fox jumps over the lazy dog.\n";
    let text = line.repeat(bytes / line.len() + 1);
    for number in 1..files {
        fs::write(folder.join(format!("f{number:03}.txt")), &text[..bytes]).expect("a file");
    }
}

/// Asks one question and parses the answer.
async fn ask(http: &reqwest::Client, url: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut request = http
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if let (Some(uri), "resources/read") = (params["uri"].as_str(), method) {
        request = request.header("mcp-name", uri);
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = request.body(body.to_string()).send().await.expect("an answer");
    let bytes = answer.bytes().await.expect("a whole answer");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Reads what `check` reads of the files, and looks at none of it.
async fn bare(url: String) {
    let http = reqwest::Client::new();
    let listed = ask(&http, &url, "skills/list", json!({})).await;
    let files = listed["result"]["skills"][0]["resources"].as_array().expect("a manifest").clone();
    let asked = files.into_iter().map(|file| json!({"uri": file["uri"]}));
    let reads = asked.map(|asked| ask(&http, &url, "resources/read", asked));
    let read = stream::iter(reads).buffer_unordered(PARALLEL);
    let count = read.filter(|answer| std::future::ready(answer["result"].is_object())).count();
    assert_eq!(count.await, FILES);
}

fn check(url: &str) {
    run(Command::new(PROGRAM).args(["check", url, "--era", "modern"]));
}

/// The bare loop as a program of its own, as `check` is one.
fn bare_program(url: &str) {
    run(Command::new(std::env::current_exe().expect("this program")).args(["bare", url]));
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status();
    assert!(status.expect("the program is built").success());
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn main() {
    // Only the first call in a process counts, and this is it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = Runtime::new().expect("threads");
    let arguments: Vec<_> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if let [word, url] = arguments.as_slice()
        && word == "bare"
    {
        // As the program runs its work.
        let work = runtime.spawn(bare(url.to_owned()));
        return runtime.block_on(work).expect("it ends");
    }
    let folder = tempfile::tempdir().expect("a folder");
    write_skill(folder.path(), "large", FILES, FILE_BYTES - 1);
    let serve = Serve::start(folder.path());
    let (mut checks, mut loops) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        checks.push(timed(|| check(&serve.url)));
        loops.push(timed(|| bare_program(&serve.url)));
    }
    let (checks, loops) = (median(checks), median(loops));
    let ratio = checks.as_secs_f64() / loops.as_secs_f64();
    println!(
        "check of {FILES} files, 16 MiB: {checks:.0?}; a bare loop: {loops:.0?}; {ratio:.2} times"
    );
    println!("serve, 16 MiB: peak memory {}", serve.peak());
    for count in [1_000, 10_000] {
        let folder = tempfile::tempdir().expect("a folder");
        (0..count).for_each(|number| write_skill(folder.path(), &format!("s{number:05}"), 2, 200));
        let mut serve = None;
        let start = timed(|| serve = Some(Serve::start(folder.path())));
        let serve = serve.expect("it was started");
        let list = timed(|| runtime.block_on(list(&serve.url, count)));
        let peak = serve.peak();
        println!("serve of {count} skills: starts in {start:.0?}, lists in {list:.0?}, {peak}");
    }
}

/// Walks over all pages.
async fn list(url: &str, count: usize) {
    let http = reqwest::Client::new();
    let (mut listed, mut params) = (0, json!({}));
    loop {
        let page = ask(&http, url, "skills/list", params).await;
        listed += page["result"]["skills"].as_array().expect("a page").len();
        match &page["result"]["nextCursor"] {
            Value::String(cursor) => params = json!({"cursor": cursor}),
            _ => break,
        }
    }
    assert_eq!(listed, count);
}
