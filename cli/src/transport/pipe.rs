//! A program that speaks MCP over its standard input and output.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use skillglass::finding::{excerpt, quote};
use skillglass::json;
use skillglass::protocol::HttpRequest;
use skillglass::protocol::pipe::{Line, cancelled};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{RwLock, mpsc, oneshot};

use super::{Hearer, NoAnswer};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// How long a program may take to end once its input is closed, and again once it is told to.
const ENDING: Duration = Duration::from_secs(2);

/// How long a program that has ended its output is still listened to: what it says last is mostly the reason. Those that it has
/// started may hold its standard error open for longer.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How many messages wait to be written.
const WAITING_MESSAGES: usize = 64;

/// How much of a program's standard error is kept: lines, and characters of each.
const SAID_LINES: usize = 200;
const SAID_CHARACTERS: usize = 300;

/// How much of a line is shown while it comes.
const SHOWN_CHARACTERS: usize = 2_000;

/// How many of these lines a sentence has: the first mostly name the cause, the last the end.
const FIRST_LINES: usize = 6;
const LAST_LINES: usize = 5;

/// The longest line that is put together: of standard error, and of what else is no message; of
/// messages while nobody waits for an answer, and while somebody does.
const MAX_SAID: usize = 8 * 1024;
const MAX_UNASKED: usize = 1024 * 1024;
const MAX_ANSWER: usize = 128 * 1024 * 1024;

/// How a program is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// What is added to its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// The folder it works in, if not this program's.
    pub(crate) folder: Option<PathBuf>,
}

/// A request to a program.
pub(crate) struct Asked<'m> {
    /// Its id.
    pub(crate) id: u64,
    /// The message, on one line.
    pub(crate) message: &'m str,
    /// Whether the program speaks an older era, in which it expects answers to its own questions.
    pub(crate) older: bool,
    /// Whether it is one of the handshake, which is not cancelled.
    pub(crate) greets: bool,
}

/// Whether a request is one of the handshake.
fn greets(request: &HttpRequest) -> bool {
    matches!(request.rpc_method, Some("server/discover" | "initialize"))
}

/// A line of a program's standard error.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Said {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its text, bounded and without hidden characters.
    pub(crate) line: String,
    /// The start of the program that it was written after, from 1.
    #[serde(skip)]
    start: u64,
}

/// The way to a program, which is started for it.
pub(crate) struct Pipe {
    launch: Launch,
    silence: Duration,
    notes: Arc<Notes>,
    /// None once it was closed.
    program: RwLock<Option<Program>>,
}

/// What a program and those started in its place wrote to their standard error, or to their output
/// without it being a message.
struct Notes {
    lines: Mutex<VecDeque<Said>>,
    /// How often the program was started.
    starts: AtomicU64,
    /// Whether something came on standard output that is no message.
    noisy: AtomicBool,
    terminal: Terminal,
}

/// Where what a program writes after one start is kept, which may come when it was started again.
struct Notebook {
    notes: Arc<Notes>,
    start: u64,
}

/// A program that runs.
struct Program {
    child: Child,
    group: Group,
    messages: mpsc::Sender<String>,
    shared: Arc<Shared>,
}

/// The line of an answer.
pub(crate) struct Heard {
    pub(crate) line: Vec<u8>,
    /// What came before it and is no message.
    pub(crate) noise: Option<String>,
}

/// Whom an answer goes to, or the reason why there is none.
type Waiting = oneshot::Sender<Result<Heard, NoAnswer>>;

/// What is known on both sides of a program's output.
struct Shared {
    /// Who waits for the answers to which requests; none once the program's output has ended.
    waiting: Mutex<Option<HashMap<u64, Waiting>>>,
    /// Whether the program's own requests are answered, as in the older eras.
    answers: AtomicBool,
    notebook: Arc<Notebook>,
}

impl Pipe {
    /// Starts a program, whose answers may take as long as `silence`.
    pub(crate) fn start(
        launch: Launch,
        silence: Duration,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let notes = Arc::new(Notes::new(terminal));
        let program = Program::start(&launch, &notes)?;
        Ok(Self { launch, silence, notes, program: RwLock::new(Some(program)) })
    }

    /// Starts the program again, in the place of the one that runs or ran.
    pub(crate) async fn restart(&self) -> Result<(), Failure> {
        let mut program = self.program.write().await;
        let before = program.replace(Program::start(&self.launch, &self.notes)?);
        drop(program);
        if let Some(before) = before {
            before.end().await;
        }
        Ok(())
    }

    pub(super) async fn send(
        &self,
        request: &HttpRequest,
        hearer: &mut impl Hearer,
    ) -> Result<(), NoAnswer> {
        // Since 2026-07-28 each message has it.
        let older = request.header("Mcp-Method").is_none();
        match request.id {
            Some(id) => {
                let asked = Asked { id, message: &request.body, older, greets: greets(request) };
                let Heard { line, noise } = self.exchange(asked, self.silence).await?;
                hearer.hear(200, &line, noise);
            }
            None => {
                self.tell(&request.body).await?;
                hearer.hear(202, b"", None);
            }
        }
        Ok(())
    }

    /// Sends a request and waits for its answer. Where that does not come in time, or who asked
    /// loses interest, the program is told.
    pub(crate) async fn exchange(
        &self,
        asked: Asked<'_>,
        silence: Duration,
    ) -> Result<Heard, NoAnswer> {
        let Asked { id, message, older, greets } = asked;
        let (messages, shared) = self.running().await?;
        shared.answers.store(older, Ordering::Relaxed);
        let answer = shared.wait_for(id).ok_or_else(|| self.silent(true))?;
        let _turn = Turn { shared: &shared, id, told: (!greets).then(|| messages.clone()) };
        self.write(messages, message).await?;
        match tokio::time::timeout(silence, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(self.silent(true))),
            Err(_) => Err(self.silent(false)),
        }
    }

    /// Sends what is not answered.
    pub(crate) async fn tell(&self, message: &str) -> Result<(), NoAnswer> {
        let (messages, shared) = self.running().await?;
        if lock(&shared.waiting).is_none() {
            return Err(self.silent(true));
        }
        self.write(messages, message).await
    }

    /// What leads to the program that runs now. It is not held up while an answer is waited for, so
    /// that another can take its place.
    async fn running(&self) -> Result<(mpsc::Sender<String>, Arc<Shared>), NoAnswer> {
        let program = self.program.read().await;
        let Some(Program { messages, shared, .. }) = &*program else {
            return Err(self.silent(true));
        };
        Ok((messages.clone(), Arc::clone(shared)))
    }

    async fn write(&self, messages: mpsc::Sender<String>, message: &str) -> Result<(), NoAnswer> {
        messages.send(format!("{message}\n")).await.map_err(|_| self.silent(true))
    }

    /// Whether the program has ended, or answers nothing more.
    pub(crate) async fn has_ended(&self) -> bool {
        let program = self.program.read().await;
        program.as_ref().is_none_or(|program| lock(&program.shared.waiting).is_none())
    }

    fn silent(&self, ended: bool) -> NoAnswer {
        NoAnswer::Silent { ended, said: self.notes.of_this_start() }
    }

    /// The lines of standard error behind the one with this number.
    pub(crate) fn said(&self, behind: u64) -> Vec<Said> {
        lock(&self.notes.lines).iter().filter(|said| said.number > behind).cloned().collect()
    }

    /// Lets the program end. Nothing can be asked any more.
    pub(crate) async fn close(&self) {
        if let Some(program) = self.program.write().await.take() {
            program.end().await;
        }
    }
}

impl Program {
    fn start(launch: &Launch, notes: &Arc<Notes>) -> Result<Self, Failure> {
        let program = launch.words.first().map(|word| word.to_string_lossy().into_owned());
        let program = program.unwrap_or_default();
        Self::spawn(launch, Notes::begin(notes))
            .map_err(|error| Failure::NotStarted { program, error })
    }

    /// Starts a program, in a process group of its own and without a shell.
    fn spawn(launch: &Launch, notebook: Notebook) -> io::Result<Self> {
        let (program, arguments) = launch.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(errors)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (messages, mut to_write) = mpsc::channel::<String>(WAITING_MESSAGES);
        let notebook = Arc::new(notebook);
        let shared = Arc::new(Shared {
            waiting: Mutex::new(Some(HashMap::new())),
            answers: AtomicBool::new(false),
            notebook: Arc::clone(&notebook),
        });
        tokio::spawn(async move {
            while let Some(message) = to_write.recv().await {
                // Who no longer reads has ended its output as well, which is noticed there.
                if input.write_all(message.as_bytes()).await.is_err() {
                    break;
                }
            }
        });
        let errors = tokio::spawn(read_errors(errors, notebook));
        let (sharing, replies) = (Arc::clone(&shared), messages.downgrade());
        tokio::spawn(async move {
            read_messages(output, &sharing, replies).await;
            let _ = tokio::time::timeout(LAST_WORDS, errors).await;
            *lock(&sharing.waiting) = None;
        });
        Ok(Self { child, group, messages, shared })
    }

    /// Closes the program's input, and waits for its end; a program that does not end is told to,
    /// and at last made to, with all that it has started.
    async fn end(self) {
        let Self { mut child, group, messages, .. } = self;
        drop(messages);
        if tokio::time::timeout(ENDING, child.wait()).await.is_err() {
            group.terminate();
            let _ = tokio::time::timeout(ENDING, child.wait()).await;
        }
        // Here the group is dropped, and whatever is left of it ends.
    }
}

/// Somebody's place among those who wait.
struct Turn<'s> {
    shared: &'s Shared,
    id: u64,
    /// Where the program is told that nobody waits any more, if it may be.
    told: Option<mpsc::Sender<String>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let waited =
            lock(&self.shared.waiting).as_mut().and_then(|waiting| waiting.remove(&self.id));
        if let (Some(_), Some(messages)) = (waited, &self.told) {
            // A program that reads nothing does not miss it.
            let _ = messages.try_send(format!("{}\n", cancelled(self.id)));
        }
    }
}

impl Shared {
    /// The answer to the request `id`; none if no more answers come.
    fn wait_for(&self, id: u64) -> Option<oneshot::Receiver<Result<Heard, NoAnswer>>> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiting).as_mut()?.insert(id, sender);
        Some(receiver)
    }

    /// Who waits for this line. An error that names no request is for the only one who waits.
    fn addressee(&self, line: &Line) -> Option<Waiting> {
        let mut waiting = lock(&self.waiting);
        let waiting = waiting.as_mut()?;
        match line {
            Line::Response(id) => waiting.remove(id),
            Line::Error if waiting.len() == 1 => waiting.drain().next().map(|(_, sender)| sender),
            _ => None,
        }
    }

    /// How much of a line is kept that begins so.
    fn room(&self, begin: &[u8]) -> usize {
        let waiting = lock(&self.waiting);
        match waiting.as_ref() {
            _ if !begin.starts_with(b"{") => MAX_SAID,
            Some(waiting) if !waiting.is_empty() => MAX_ANSWER,
            _ => MAX_UNASKED,
        }
    }

    /// A line came of which nobody can tell whom it answers: nobody waits for it any more.
    fn give_up(&self) {
        let waiting = lock(&self.waiting).as_mut().map(std::mem::take).unwrap_or_default();
        for sender in waiting.into_values() {
            // Who asked may have gone meanwhile.
            let _ = sender.send(Err(NoAnswer::Garbled(MAX_ANSWER)));
        }
    }
}

/// Takes the program's messages to who waits for them, until its output ends.
async fn read_messages(
    output: impl AsyncRead + Unpin,
    shared: &Shared,
    replies: mpsc::WeakSender<String>,
) {
    let mut lines = Lines::new(output);
    let mut noise = None;
    while let Some(line) = lines.next(|begin| shared.room(begin)).await {
        let Some(text) = text_of(&line) else {
            shared.give_up();
            continue;
        };
        match Line::read(&text) {
            Line::Request(request) if shared.answers.load(Ordering::Relaxed) => {
                let Some(replies) = replies.upgrade() else { break };
                let answer = format!("{}\n", request.answer());
                // A program that floods this one with questions and reads no answers loses some.
                let _ = replies.try_send(answer);
            }
            line_is @ (Line::Response(_) | Line::Error) => {
                if let Some(addressee) = shared.addressee(&line_is) {
                    // Who asked may have gone meanwhile.
                    let _ = addressee.send(Ok(Heard { line, noise: noise.take() }));
                }
            }
            Line::Other if !is_message(&text) => {
                if !text.trim().is_empty() {
                    noise.get_or_insert_with(|| excerpt(text.trim(), SAID_CHARACTERS));
                    shared.notebook.keep_noise(&text);
                }
            }
            Line::Request(_) | Line::Other => shared.notebook.show("sends: ", &text),
        }
    }
}

/// Whether a text is a message, or several in an array as one older revision has them.
fn is_message(text: &str) -> bool {
    json::read(text).is_ok_and(|document| {
        document.root.as_array().is_some() || document.root.get("jsonrpc").is_some()
    })
}

/// The text of a line of messages, to see whose it is; none of one that is too long, or long and no
/// UTF-8, of which a copy would have to be made.
fn text_of(line: &[u8]) -> Option<Cow<'_, str>> {
    if line.len() <= MAX_UNASKED {
        return Some(String::from_utf8_lossy(line));
    }
    let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= MAX_ANSWER);
    text.map(Cow::Borrowed)
}

/// Keeps what the program wrote to its standard error last. It is read whatever it is, so that a
/// full pipe never stops the program.
async fn read_errors(errors: impl AsyncRead + Unpin, notebook: Arc<Notebook>) {
    let mut lines = Lines::new(errors);
    while let Some(line) = lines.next(|_| MAX_SAID).await {
        notebook.keep("", &String::from_utf8_lossy(&line));
    }
}

impl Notes {
    fn new(terminal: &Terminal) -> Self {
        Self {
            lines: Mutex::default(),
            starts: AtomicU64::new(0),
            noisy: AtomicBool::new(false),
            terminal: terminal.clone(),
        }
    }

    /// For what the program writes that is now started.
    fn begin(this: &Arc<Self>) -> Notebook {
        let start = this.starts.fetch_add(1, Ordering::Relaxed) + 1;
        Notebook { notes: Arc::clone(this), start }
    }

    /// What the program wrote since it was started the last time, in one line.
    fn of_this_start(&self) -> String {
        let start = self.starts.load(Ordering::Relaxed);
        let lines = lock(&self.lines);
        let lines: Vec<_> =
            lines.iter().filter(|said| said.start == start).map(|said| &*said.line).collect();
        ends_of(&lines)
    }
}

impl Notebook {
    /// Keeps a line, with what there is to say of it in front.
    fn keep(&self, about: &str, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        self.show(&format!("writes: {about}"), line);
        let mut kept = lock(&self.notes.lines);
        let number = kept.back().map_or(1, |last| last.number + 1);
        if kept.len() == SAID_LINES {
            kept.pop_front();
        }
        let line = format!("{about}{}", excerpt(line, SAID_CHARACTERS));
        kept.push_back(Said { number, line, start: self.start });
    }

    /// Keeps a line of standard output that is no message, and says of the first one that this is a mistake.
    fn keep_noise(&self, line: &str) {
        self.keep("on standard output, but no message: ", line);
        if !self.notes.noisy.swap(true, Ordering::Relaxed) {
            let line = quote(&excerpt(line.trim(), SAID_CHARACTERS));
            self.notes.terminal.note_once(format!(
                "The program writes to its standard output what is no message: {line}. Clients may stumble over it, as nothing but messages may stand there. Write logs to standard error (console.error)."
            ));
        }
    }

    /// Shows a line to who wants to see everything.
    fn show(&self, does: &str, line: &str) {
        self.notes
            .terminal
            .detail(|| format!("  server {does}{}", excerpt(line.trim(), SHOWN_CHARACTERS)));
    }
}

/// How much of a stream is taken at a time.
const PIECE: usize = 64 * 1024;

/// The lines of a stream, of which each is cut off at a limit.
pub(crate) struct Lines<R>(BufReader<R>);

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self(BufReader::with_capacity(PIECE, stream))
    }

    /// The next line, without its line feed and blanks in front, of which as much is kept as `limit` makes of its
    /// beginning; none at the end of the stream, or where it breaks.
    pub(crate) async fn next(&mut self, limit: impl Fn(&[u8]) -> usize) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        let mut most = None;
        loop {
            let piece = self.0.fill_buf().await.ok()?;
            if piece.is_empty() {
                return (!line.is_empty()).then_some(line);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let part = &piece[..end.unwrap_or(piece.len())];
            let used = end.map_or(part.len(), |end| end + 1);
            // What is in front of a line's first word tells nothing of it.
            let part = if line.is_empty() { without_blanks(part) } else { part };
            // One byte more than allowed stays, so that the line is known to be too long.
            if !part.is_empty() {
                let most = *most.get_or_insert_with(|| limit(part) + 1);
                line.extend_from_slice(&part[..part.len().min(most - line.len())]);
            }
            self.0.consume(used);
            if end.is_some() {
                return Some(line);
            }
        }
    }
}

fn without_blanks(begin: &[u8]) -> &[u8] {
    let begin = begin.trim_ascii_start();
    // The mark that some systems put in front of a text.
    begin.strip_prefix("\u{feff}".as_bytes()).unwrap_or(begin).trim_ascii_start()
}

/// A program and all that it has started. It ends at the latest when the value is dropped.
struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { id: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(id) = self.id {
            // It fails only where nothing of the group is left.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::KILL);
    }
}

/// Elsewhere the program itself is killed when its handle is dropped.
#[cfg(not(unix))]
impl Group {
    fn of(_child: &Child) -> Self {
        Self {}
    }

    fn terminate(&self) {}
}

/// The first and the last of these lines, in one.
fn ends_of(lines: &[&str]) -> String {
    match lines.len().saturating_sub(LAST_LINES) {
        last if last > FIRST_LINES => {
            [&lines[..FIRST_LINES], &["…"], &lines[last..]].concat().join(" / ")
        }
        _ => lines.join(" / "),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn lines_are_cut_off_at_the_limit() {
        let pieces = b"ab\nabcdefgh\n\nxyz\n \t".chain(&b" \xef\xbb\xbf abc\nend"[..]);
        let mut lines = Lines::new(pieces);
        let mut found = Vec::new();
        let limit = |begin: &[u8]| if begin.starts_with(b"x") { 1 } else { 4 };
        while let Some(line) = lines.next(limit).await {
            found.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(found, ["ab", "abcde", "", "xy", "abc", "end"]);
    }

    #[test]
    fn what_is_too_long_to_be_copied_has_to_be_text() {
        let long = |byte: u8| vec![byte; MAX_UNASKED + 1];
        assert!(text_of(&long(b'x')).is_some() && text_of(&long(0xff)).is_none());
        assert_eq!(text_of(b"\xff").as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn late_words_of_a_former_start_are_not_those_of_the_next() {
        let notes = Arc::new(Notes::new(&Terminal::new(false)));
        let former = Notes::begin(&notes);
        let next = Notes::begin(&notes);
        next.keep("", "no database");
        former.keep("", "an unknown method");
        assert_eq!(notes.of_this_start(), "no database");
        assert_eq!(lock(&notes.lines).len(), 2);
    }

    #[test]
    fn a_sentence_has_the_first_lines_and_the_last() {
        let lines: Vec<_> = (1..=20).map(|number| number.to_string()).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(ends_of(&lines), "1 / 2 / 3 / 4 / 5 / 6 / … / 16 / 17 / 18 / 19 / 20");
        assert_eq!(ends_of(&lines[..11]), lines[..11].join(" / "));
        assert_eq!(ends_of(&[]), "");
    }
}
