//! The command line.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use skillglass::protocol::EraChoice;

use crate::Outcome;
use crate::failure::Failure;
use crate::target::Target;

/// How many skills are on a page of `serve`.
const PAGE_SIZE: u16 = 50;

const EXIT_CODES: &str = "\
Exit codes: 0 nothing is wrong, 1 what was looked at is wrong, 2 it could not be looked at.";

const VERIFY_EXAMPLES: &str = "\
Examples:
  skillglass verify https://mcp.example.com/mcp
  skillglass verify https://mcp.example.com/mcp refunds --bearer-env TOKEN
  skillglass verify refunds -- node server.mjs
  skillglass verify ./skills --format json

Exit codes: 0 every skill is verified or dynamic, 1 one is refused or breaks a rule, 2 none is, but not \
everything could be looked at: files could not be read or judged, or the listing ended early.";

const GET_EXAMPLES: &str = "\
Examples:
  skillglass get https://mcp.example.com/mcp refunds -o ~/.agents/skills
  skillglass get https://mcp.example.com/mcp skill://acme/refunds/SKILL.md
  skillglass get refunds -o skills -- node server.mjs

The skill appears in DIR/NAME at once and complete, or not at all. What was read before an \
interruption is kept in DIR/.skillglass, and checked again. There also is a record of where each skill \
came from.

Exit codes: 0 the skill is there and verified, 1 it was refused, 2 it could not be read.";

const CHECK_EXAMPLES: &str = "\
Examples:
  skillglass check https://mcp.example.com/mcp
  skillglass check ./skills
  skillglass check --fail-on should -- node server.mjs
  skillglass check https://mcp.example.com/mcp --format sarif -o skills.sarif
  skillglass check https://mcp.example.com/mcp --only 'manifest-*' --baseline report.json

Exit codes: 0 no rule is broken, 1 a rule is broken that --fail-on names, 2 not everything could be \
looked at: the server cannot be reached or declares no skills, calls failed, or the run ended at a \
limit. What a server need not offer does not count.";

const INSPECT_EXAMPLES: &str = "\
Examples:
  skillglass inspect
  skillglass inspect https://mcp.example.com/mcp --bearer-env TOKEN
  skillglass inspect ./skills
  skillglass inspect -- node server.mjs
  skillglass inspect --config .mcp.json

The page is served to you only, at an address that is made anew each time. What it cannot reach by \
itself it reaches through this program: the servers that you name, here or in the page, and no others. \
Headers and tokens that are given here stay in this program.";

const SERVE_EXAMPLES: &str = "\
Examples:
  skillglass serve ./skills
  skillglass serve ./skills --stdio
  skillglass serve ./skills --prefix acme --origin https://inspector.example.com
  skillglass serve . --listen 0.0.0.0:3000 --host skills.example.com

Every folder with a SKILL.md is a skill; its path from DIR is its skill path. A skill whose \
frontmatter cannot be read is left out, with a note. What is served is what was there when the folder \
was last read; it is read again when something in it changes.";

/// Look through an MCP server at the skills it serves.
#[derive(Debug, Parser)]
#[command(name = "skillglass", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// Show every exchange, what a server's program writes to its standard error, and the checks that
    /// do not apply
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read every file of the skills and check it against what the server promises
    #[command(after_help = VERIFY_EXAMPLES)]
    #[command(
        override_usage = "skillglass verify [OPTIONS] SERVER [SKILL]\n       skillglass verify [OPTIONS] [SKILL] -- COMMAND [ARGUMENTS]"
    )]
    Verify(Verify),
    /// Fetch one skill into a folder, verified
    #[command(after_help = GET_EXAMPLES)]
    #[command(
        override_usage = "skillglass get [OPTIONS] SERVER SKILL\n       skillglass get [OPTIONS] SKILL -- COMMAND [ARGUMENTS]"
    )]
    Get(Get),
    /// Check everything that a server of skills must and should do
    #[command(after_help = CHECK_EXAMPLES)]
    #[command(
        override_usage = "skillglass check [OPTIONS] SERVER\n       skillglass check [OPTIONS] -- COMMAND [ARGUMENTS]"
    )]
    Check(Check),
    /// List the checks, with what each one wants
    Checks {
        /// The form of the list
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Open the page, with a bridge to servers, programs and folders that a page cannot reach
    #[command(after_help = INSPECT_EXAMPLES)]
    #[command(
        override_usage = "skillglass inspect [OPTIONS] [SERVER]...\n       skillglass inspect [OPTIONS] [SERVER]... -- COMMAND [ARGUMENTS]"
    )]
    Inspect(Inspect),
    /// Serve a folder of skills over MCP
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Print what completes this command line in a shell
    #[command(
        after_help = "Example: skillglass completions bash > ~/.local/share/bash-completion/completions/skillglass"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages into a folder
    #[command(after_help = "Example: skillglass man ~/.local/share/man/man1")]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// `skillglass verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// SERVER is an address, a folder of skills, or demo:good or demo:broken; a program that speaks
    /// MCP over its standard input and output comes after -- instead. SKILL is a name, a path such
    /// as acme/refunds, or the URI of a SKILL.md; all listed skills if left out
    #[arg(value_name = "SERVER] [SKILL", num_args = 0..=2)]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) server: Server,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// `skillglass get`.
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// SERVER and SKILL as for `verify`
    #[arg(value_name = "SERVER] [SKILL", num_args = 0..=2)]
    pub(crate) names: Vec<String>,
    /// The folder that the skill's own folder is made in
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Put the skill in the place of another version that this command fetched from the same server
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) server: Server,
}

/// `skillglass check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// SERVER as for `verify`: an address, a folder of skills, or a demonstration
    #[arg(value_name = "SERVER", num_args = 0..=1)]
    pub(crate) names: Vec<String>,
    /// Look at this skill only, besides the server itself: a name, a path, or a URI
    #[arg(long, value_name = "SKILL")]
    pub(crate) skill: Vec<String>,
    /// Report on these checks only, by id; * at the end stands for the rest of an id
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Do not report on these checks
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// Which broken rules make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Must)]
    pub(crate) fail_on: FailOn,
    /// A report of before, as --format json wrote it: what was wrong then does not count
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Write the report into a file, and its last sentence to standard error
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Ask no more than so many questions; what is behind them stays untested
    #[arg(long, value_name = "N")]
    pub(crate) max_requests: Option<usize>,
    /// Read everything a second time, to see whether it changes
    #[arg(long)]
    pub(crate) twice: bool,
    /// Ask nothing that has to be answered with an error
    #[arg(long)]
    pub(crate) no_probes: bool,
    #[command(flatten)]
    pub(crate) server: Server,
}

/// The weakest wording of a rule whose breaking counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// MUST
    Must,
    /// MUST and SHOULD
    Should,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// For programs; docs/report.md tells its form
    Json,
    /// For pull requests and summaries
    Markdown,
    /// JUnit's XML, for servers that show test results
    Junit,
    /// SARIF 2.1.0, for servers that show findings in code
    Sarif,
    /// The official conformance suite's checks.json
    Suite,
}

/// `skillglass serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The folder of skills
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Speak over standard input and output instead of HTTP
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:3000")]
    pub(crate) listen: SocketAddr,
    /// A name by which others call this server, besides those of this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The origin of web pages that may read this server; pages of this machine if left out
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// What stands in front of every skill path
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    /// What the server calls itself; the folder's name if left out
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What the server tells clients about its skills
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// A skill that is served, but not listed, by its skill path
    #[arg(long, value_name = "PATH")]
    pub(crate) unlisted: Vec<String>,
    /// A skill that is declared as dynamic, by its skill path
    #[arg(long, value_name = "PATH")]
    pub(crate) dynamic: Vec<String>,
    /// How many skills are on a page
    #[arg(long, value_name = "N", default_value_t = PAGE_SIZE, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) page_size: u16,
    /// Offer no resources/directory/read
    #[arg(long)]
    pub(crate) no_directories: bool,
    /// Do not read the folder again when something in it changes
    #[arg(long)]
    pub(crate) no_watch: bool,
}

impl Serve {
    /// How a folder is served where nothing else is wanted.
    pub(crate) fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            stdio: false,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            host: Vec::new(),
            origin: Vec::new(),
            prefix: String::new(),
            name: None,
            instructions: None,
            unlisted: Vec::new(),
            dynamic: Vec::new(),
            page_size: PAGE_SIZE,
            no_directories: false,
            no_watch: false,
        }
    }
}

/// `skillglass inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// SERVER is an address or a folder of skills; a program that speaks MCP over its standard input
    /// and output comes after --. The page itself can ask for others that let web pages in
    #[arg(value_name = "SERVER")]
    pub(crate) names: Vec<String>,
    /// A file with more servers: {"mcpServers": {NAME: {"url", "headers"} or {"command", "args", "env", "cwd"}}};
    /// ${VARIABLE} in it stands for what the environment holds
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The port of the page on this machine; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// The folder of a built page, in the place of the one in this program
    #[arg(long, value_name = "DIR")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) credentials: Credentials,
    /// A program that speaks MCP over its standard input and output
    #[arg(last = true, value_name = "COMMAND", hide = true)]
    pub(crate) program: Vec<OsString>,
}

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How to talk to a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Server {
    /// Which revisions of the protocol to try
    #[arg(long, value_enum, default_value_t = Era::Auto)]
    era: Era,
    #[command(flatten)]
    pub(crate) credentials: Credentials,
    /// How long a server may be silent; a whole answer may take twenty times that
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// How many files to read at a time
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: u16,
    /// A program that speaks MCP over its standard input and output
    #[arg(last = true, value_name = "COMMAND", hide = true)]
    program: Vec<OsString>,
}

/// What a server at an address wants to know of who asks.
#[derive(Debug, Args)]
pub(crate) struct Credentials {
    /// Send a header with every request; others on this machine can see it, so see --header-env
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Send a header whose value is in an environment variable
    #[arg(long, value_name = "NAME=VARIABLE")]
    header_env: Vec<String>,
    /// Send the bearer token that is in an environment variable
    #[arg(long, value_name = "VARIABLE")]
    bearer_env: Option<String>,
}

/// The revisions to try.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Era {
    /// Ask, and speak what the server speaks
    Auto,
    /// 2026-07-28 and later
    Modern,
    /// 2025-11-25 and before, which begin with a handshake
    Legacy,
}

impl Server {
    /// The server that the names of a command, or the words after `--`, lead to, and the names that
    /// are left.
    pub(crate) fn target<'n>(
        &self,
        names: &'n [String],
    ) -> Result<(Target, &'n [String]), Failure> {
        Target::take(names, self.program.clone())
    }

    pub(crate) fn era(&self) -> EraChoice {
        match self.era {
            Era::Auto => EraChoice::Auto,
            Era::Modern => EraChoice::Modern,
            Era::Legacy => EraChoice::Legacy,
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    pub(crate) fn parallel(&self) -> usize {
        self.parallel.into()
    }
}

impl Credentials {
    /// Whether there are any.
    pub(crate) fn are_given(&self) -> bool {
        !self.header.is_empty() || !self.header_env.is_empty() || self.bearer_env.is_some()
    }

    /// The headers that were asked for, names and values.
    pub(crate) fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        let mut headers = Vec::new();
        for header in &self.header {
            let (name, value) = header.split_once(':').ok_or_else(|| {
                // The text itself may be a secret.
                Failure::Usage("A --header is a name, a colon and a value.".to_owned())
            })?;
            headers.push((name.trim().to_owned(), value.to_owned()));
        }
        for header in &self.header_env {
            let (name, variable) = header.split_once('=').ok_or_else(|| {
                let text = "A --header-env is a name, = and the name of an environment variable.";
                Failure::Usage(text.to_owned())
            })?;
            headers.push((name.trim().to_owned(), value_of("--header-env", variable)?));
        }
        if let Some(variable) = &self.bearer_env {
            let token = value_of("--bearer-env", variable)?;
            headers.push(("Authorization".to_owned(), format!("Bearer {}", token.trim())));
        }
        Ok(headers)
    }
}

fn value_of(option: &str, variable: &str) -> Result<String, Failure> {
    let value = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
    value.ok_or_else(|| {
        // What does not look like a name may be the secret itself.
        let is_name = variable.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let name = if is_name { variable } else { "of that name" };
        Failure::Usage(format!(
            "{option} names a variable of the environment, and there is none {name} with a text in it."
        ))
    })
}

/// What completes the command line in `shell`.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "skillglass", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes one manual page for each command.
pub(crate) fn write_manual(folder: &Path) -> Result<Outcome, Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
        .map_err(Failure::file("written", folder))?;
    Ok(Outcome::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn names_and_programs_are_told_apart() {
        let line = ["skillglass", "verify", "tidy", "--", "node", "server.mjs", "--port", "1"];
        let Command::Verify(verify) = Arguments::parse_from(line).command else { panic!() };
        let (target, rest) = verify.server.target(&verify.names).expect("a program");
        assert_eq!((target.label().as_str(), rest), ("stdio:node", &["tidy".to_owned()][..]));
    }
}
