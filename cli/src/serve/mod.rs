//! `skillglass serve`: a folder of skills over MCP.

mod http;
mod pipe;
mod watch;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use skillglass::entry;
use skillglass::finding::{Level, quote};
use skillglass::server::{Gate, Misnomer, SkillServer};

use crate::Outcome;
use crate::arguments::Serve;
use crate::failure::Failure;
use crate::folder;
use crate::listen::Listener;
use crate::output::{self, count};
use crate::terminal::Terminal;

pub(crate) use watch::{Watch, begin as watch};

/// How many notes there are on what is wrong with the skills.
const MAX_NOTES: usize = 20;

/// How long clients may keep what comes from a folder that changes under their eyes, and from one
/// that does not.
const WATCHED_TTL_MS: u32 = 0;
const STILL_TTL_MS: u32 = 300_000;

pub(crate) async fn run(arguments: Serve, terminal: &Terminal) -> Result<Outcome, Failure> {
    let Serve { stdio, listen, no_watch, .. } = arguments;
    let gate = gate(&arguments)?;
    let shelf = Shelf::fill(arguments, Unreadable::LeftOut, terminal)?;
    let listener = if stdio { None } else { Some(Listener::bind(listen).await?) };
    let _watch = if no_watch { None } else { watch::begin(&shelf, terminal) };
    match listener {
        None => pipe::serve(&shelf).await,
        Some(listener) => {
            // For whoever started this: where it serves, once it does.
            output::print(&format!("http://{}{}\n", listener.address, http::PATH))?;
            terminal.note(format!("Serving {}.", shelf.summary()));
            tokio::select! {
                failure = http::serve(listener, shelf, gate) => Err(failure),
                () = crate::interrupted() => Ok(Outcome::Clean),
            }
        }
    }
}

/// Which web pages may read the server: those that are named, else those of this machine.
fn gate(arguments: &Serve) -> Result<Gate, Misnomer> {
    let gate = arguments.host.iter().try_fold(Gate::new(), |gate, host| gate.host(host))?;
    match arguments.origin.as_slice() {
        [] => Ok(gate.loopback_pages()),
        origins => origins.iter().try_fold(gate, |gate, origin| gate.origin(origin)),
    }
}

/// What is served: one snapshot of the folder, replaced as a whole.
#[derive(Clone)]
pub(crate) struct Shelf {
    settings: Arc<Settings>,
    server: Arc<RwLock<Arc<SkillServer>>>,
    terminal: Terminal,
}

/// What becomes of a skill whose frontmatter cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// No client is shown it.
    LeftOut,
    /// It is served as a careless server does, for whoever looks for what is wrong.
    Served,
}

/// How a folder is read.
struct Settings {
    arguments: Serve,
    unreadable: Unreadable,
    name: String,
    folder: PathBuf,
}

impl Shelf {
    pub(crate) fn fill(
        arguments: Serve,
        unreadable: Unreadable,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let folder = arguments.folder.canonicalize();
        let folder = folder.map_err(Failure::file("opened", &arguments.folder))?;
        let name = match &arguments.name {
            Some(name) => name.clone(),
            None => folder::name(&folder)?,
        };
        let settings = Arc::new(Settings { arguments, unreadable, name, folder });
        let server = settings.read(terminal)?;
        settings.check_names(&server)?;
        say_what_is_wrong(&server, terminal);
        let server = Arc::new(RwLock::new(Arc::new(server)));
        Ok(Self { settings, server, terminal: terminal.clone() })
    }

    /// The snapshot that is served now.
    pub(crate) fn server(&self) -> Arc<SkillServer> {
        Arc::clone(&self.server.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the folder again. What cannot be read, as in the middle of a change, leaves all as it is.
    fn refill(&self) {
        match self.settings.read(&self.terminal) {
            Ok(server) if server.files() == self.server().files() => {}
            Ok(server) => {
                say_what_is_wrong(&server, &self.terminal);
                let mut current = self.server.write().unwrap_or_else(PoisonError::into_inner);
                *current = Arc::new(server);
                drop(current);
                self.terminal.note(format!("Read again: {}", self.summary()));
            }
            Err(failure) => {
                self.terminal.note(format!("{failure} What was there before is served on."));
            }
        }
    }

    fn summary(&self) -> String {
        let server = self.server();
        let files = count(server.files().len(), "file");
        format!("{}, {files}", count(server.skills().len(), "skill"))
    }
}

impl Settings {
    fn read(&self, terminal: &Terminal) -> Result<SkillServer, Failure> {
        let Serve {
            prefix,
            instructions,
            unlisted,
            dynamic,
            page_size,
            no_directories,
            no_watch,
            ..
        } = &self.arguments;
        let files = folder::read(&self.folder, prefix, terminal)?;
        let (becomes, served) = match self.unreadable {
            Unreadable::LeftOut => ("is left out", false),
            Unreadable::Served => ("breaks a rule, and `serve` leaves it out", true),
        };
        let mut server = SkillServer::new(&self.name, files)
            .page_size((*page_size).into())
            .directory_read(!no_directories)
            .ttl_ms(if *no_watch { STILL_TTL_MS } else { WATCHED_TTL_MS })
            .keep(|skill| match skill.problem() {
                None => true,
                Some(problem) => {
                    let at = problem.position.map(|at| format!(":{}:{}", at.line, at.column));
                    terminal.note(format!(
                        "{} {becomes}: SKILL.md{}: {}",
                        quote(&skill.path),
                        at.unwrap_or_default(),
                        problem.message
                    ));
                    served
                }
            });
        if let Some(instructions) = instructions {
            server = server.instructions(instructions);
        }
        for path in unlisted {
            server = server.with_skill(path, |skill| skill.listed = false);
        }
        for path in dynamic {
            server = server.with_skill(path, |skill| skill.dynamic = true);
        }
        Ok(server)
    }

    /// The skills that the command line names have to be there when it is read.
    fn check_names(&self, server: &SkillServer) -> Result<(), Failure> {
        let Serve { unlisted, dynamic, .. } = &self.arguments;
        let mut named = unlisted.iter().chain(dynamic);
        let unknown = named.find(|path| server.skills().iter().all(|skill| skill.path != **path));
        unknown.map_or(Ok(()), |path| {
            let path = quote(path);
            Err(Failure::Usage(format!("There is no skill {path}; name it by its skill path.")))
        })
    }
}

/// Says which rules the skills break, limits included.
fn say_what_is_wrong(server: &SkillServer, terminal: &Terminal) {
    let mut notes = server.skills().iter().flat_map(|skill| {
        let findings = entry::read(&skill.entry(true)).findings.into_iter();
        let broken = findings.filter(|finding| finding.level != Level::Note);
        broken
            .map(|finding| format!("{}: {} ({})", quote(&skill.path), finding.message, finding.id))
    });
    notes.by_ref().take(MAX_NOTES).for_each(|note| terminal.note(note));
    let more = notes.count();
    if more > 0 {
        terminal.note(format!("{more} more; all of them: skillglass check DIR"));
    }
}
