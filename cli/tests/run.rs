//! Runs the program and keeps what it said.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program with these arguments, nothing of the environment that could change what it does.
pub(crate) fn command(arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillglass"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
    {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(arguments: &[impl AsRef<OsStr>]) -> Run {
    output(&mut command(arguments))
}

pub(crate) fn output(command: &mut Command) -> Run {
    finished(command.output().expect("the program is built"))
}

/// What a program said that has ended.
pub(crate) fn finished(output: Output) -> Run {
    let Output { status, stdout, stderr } = output;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes text");
    Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

impl Run {
    /// The result, of a run that must have ended with `code`.
    pub(crate) fn ended(&self, code: i32) -> &str {
        let Self { stdout, stderr, .. } = self;
        assert_eq!(self.code, Some(code), "{stdout}\n{stderr}");
        stdout
    }

    /// The result as JSON, of a run that must have ended with `code`.
    pub(crate) fn json(&self, code: i32) -> serde_json::Value {
        serde_json::from_str(self.ended(code)).expect("--format json writes JSON")
    }

    /// The reason why the program stopped.
    pub(crate) fn failed(&self, code: i32) -> &str {
        assert_eq!(self.ended(code), "", "a failure goes to standard error only");
        &self.stderr
    }
}

/// The processes that the program `server.mjs stays` says that it consists of.
#[cfg(unix)]
pub(crate) fn pids(notes: &str) -> Vec<String> {
    let line = notes.lines().find(|line| line.contains("pids ")).expect("it said so");
    let numbers = line.split_whitespace().filter(|word| word.parse::<u32>().is_ok());
    let pids: Vec<_> = numbers.map(str::to_owned).collect();
    assert_eq!(pids.len(), 2, "{line}");
    pids
}

/// Waits for processes that were killed: they go when the system gets to it.
#[cfg(unix)]
pub(crate) fn wait_for_the_end_of(pids: &[String]) {
    use rustix::process::{Pid, test_kill_process};
    use std::time::{Duration, Instant};
    let pid_of = |pid: &String| {
        let number = pid.parse().expect("a number");
        Pid::from_raw(number).expect("it is not zero")
    };
    let runs = |pid: &String| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
        match status {
            Ok(status) => !status.contains("State:\tZ"),
            Err(_) => !cfg!(target_os = "linux") && test_kill_process(pid_of(pid)).is_ok(),
        }
    };
    let begin = Instant::now();
    while pids.iter().any(runs) {
        assert!(begin.elapsed() < Duration::from_secs(30), "{pids:?} still run");
        std::thread::yield_now();
    }
}
