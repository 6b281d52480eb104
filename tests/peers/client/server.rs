//! The servers: each in a process of its own, for as long as the value lives.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

const SERVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/servers");

/// A server that serves.
pub(crate) struct Server {
    pub(crate) url: String,
    process: Child,
    /// Open as long as this process lives: a server ends when it is closed, however that happens.
    _input: Option<ChildStdin>,
    /// Open, so that nothing a server prints can stop it.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server and waits for the line that says where it serves.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        let name = format!("{command:?}");
        let mut process = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}; {INSTALL}"))?;
        let input = process.stdin.take();
        let mut output = BufReader::new(process.stdout.take().ok_or("standard output is piped")?);
        let mut url = String::new();
        let read = output.read_line(&mut url);
        let server =
            Self { url: url.trim_end().to_owned(), process, _input: input, _output: output };
        match read {
            Ok(_) if server.url.starts_with("http://127.0.0.1:") => Ok(server),
            _ => Err(format!("{name} does not serve; {INSTALL}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only for a process that has ended by itself.
        let _ = kill_process_group(Pid::from_child(&self.process), Signal::KILL);
        let _ = self.process.wait();
    }
}

const INSTALL: &str = "what it needs is installed by: cargo xtask test --only peers";

/// A server of `servers/` in JavaScript.
pub(crate) fn node(file: &str, set_up: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(format!("{SERVERS}/{file}")).arg(set_up);
    command
}

/// A server in JavaScript behind nginx.
pub(crate) fn nginx() -> Command {
    let mut command = Command::new("node");
    command.arg(format!("{SERVERS}/nginx.mjs"));
    command
}

/// A server of `servers/` in Python, in the environment that has the SDK in this version.
pub(crate) fn python(sdk: u8, set_up: &str) -> Command {
    let python = cache().join(format!("skillglass/python-mcp-{sdk}/bin/python"));
    let mut command = Command::new(python);
    // Without -B, importing writes beside the sources.
    command.arg("-B").arg(format!("{SERVERS}/python-{sdk}.py")).arg(set_up);
    command
}

/// The server that breaks one rule at a time.
pub(crate) fn fault_server() -> Command {
    let mut command = Command::new("node");
    command.arg(format!("{SERVERS}/../../servers/fault-server/main.mjs"));
    command
}

/// The core's own server.
pub(crate) fn demo(name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo-server"));
    command.arg(name);
    command
}

/// The server in Rust.
pub(crate) fn rmcp(set_up: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rmcp-server"));
    command.arg(set_up);
    command
}

/// Where `cargo xtask` puts what it installs: `$XDG_CACHE_HOME`, else `~/.cache`.
fn cache() -> PathBuf {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| env::home_dir().unwrap_or_default().join(".cache"))
}
