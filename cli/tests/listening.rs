//! The program where it listens, as `serve` and `inspect` do, for as long as the value lives.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A program that has said where it listens.
pub(crate) struct Listening {
    pub(crate) child: Child,
    /// The line that it wrote first.
    pub(crate) url: String,
    notes: BufReader<ChildStderr>,
}

impl Listening {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program is built");
        let mut url = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut url).expect("a line");
        let notes = BufReader::new(child.stderr.take().expect("it is piped"));
        Self { child, url: url.trim_end().to_owned(), notes }
    }

    /// The notes up to one that holds this text.
    pub(crate) fn notes_until(&mut self, wanted: &str) -> String {
        let mut notes = String::new();
        while !notes.contains(wanted) {
            let read = self.notes.read_line(&mut notes).expect("text");
            assert!(read > 0, "{wanted:?} was not said: {notes}");
        }
        notes
    }

    /// The notes up to its end.
    pub(crate) fn rest_of_notes(&mut self) -> String {
        let mut notes = String::new();
        self.notes.read_to_string(&mut notes).expect("text");
        notes
    }

    /// The most memory that it has had at a time, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kilobytes = peak.trim().trim_end_matches(" kB").parse::<usize>();
        kilobytes.expect("a number") * 1024
    }

    /// The host and port.
    pub(crate) fn address(&self) -> &str {
        self.url.split('/').nth(2).expect("a URL")
    }

    /// A connection.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address()).expect("it listens")
    }

    /// Sends this as it is and gives the whole answer.
    pub(crate) fn raw(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer, then the end");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Sends a message to a path, with more headers, each with its line end.
    pub(crate) fn post(&self, path: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Both fail only for a process that has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
