//! What the page knows: several servers, each with its listing and its skills.

pub(crate) mod catalog;
pub(crate) mod judging;
pub(crate) mod local;
pub(crate) mod pace;
pub(crate) mod recents;
pub(crate) mod selection;
pub(crate) mod server;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod since;
pub(crate) mod skill;
pub(crate) mod standing;
pub(crate) mod walk;

use leptos::prelude::*;

use crate::browser;
use crate::label::label;
use crate::later::Loader;
use crate::route::{Link, Route};
use crate::theme::Theme;
use crate::wire::Wire;
use local::Local;
use recents::Recents;
use server::{Connection, Endpoint, Server};
use settings::Settings;
use skill::Skill;
use skillglass::auth::Registration;
use skillglass::protocol::endpoint::may_hold_secret;

/// The name under which a tab remembers the addresses of its servers over a reload.
const REMEMBERED: &str = "skillglass.servers";

/// The name under which a tab remembers that its sign-ins outlast a reload.
const KEEPS_SIGN_INS: &str = "skillglass.keeps-sign-ins";

/// Everything, shared by all parts of the page.
#[derive(Clone, Copy)]
pub(crate) struct App {
    /// Where one is.
    pub(crate) route: RwSignal<Route>,
    /// The address of the server that the route means, where a link has named one that is not connected.
    pub(crate) at: RwSignal<Option<String>>,
    /// The line that a link points at.
    pub(crate) line: RwSignal<Option<usize>>,
    /// The servers that are connected.
    pub(crate) servers: RwSignal<Vec<Server>>,
    /// The servers of earlier visits.
    pub(crate) recents: Recents,
    /// The server that is being connected to, or that could not be.
    pub(crate) attempt: RwSignal<Option<Server>>,
    /// What went over the wire.
    pub(crate) wire: Wire,
    /// The skills of the user's own machine.
    pub(crate) local: RwSignal<Local>,
    /// What is loaded when it is first wanted.
    pub(crate) later: Loader,
    /// Whether the help is shown.
    pub(crate) help_open: RwSignal<bool>,
    /// The stop of the tour that is shown, while somebody takes it.
    pub(crate) tour: RwSignal<Option<usize>>,
    /// Whether the page is being put on paper, where nothing can be unfolded.
    pub(crate) printing: RwSignal<bool>,
    /// Whether the palette of commands is shown.
    pub(crate) palette_open: RwSignal<bool>,
    /// Light, dark, or as the system has it.
    pub(crate) theme: RwSignal<Theme>,
    /// What servers may take.
    pub(crate) settings: Settings,
    /// What a screen reader says next.
    pub(crate) said: RwSignal<String>,
    /// Whatever scrolls or changes its size says so here.
    pub(crate) moved: RwSignal<()>,
    /// The time, to the quarter minute.
    pub(crate) now: RwSignal<u64>,
    /// The client ids that authorization servers know this page by.
    pub(crate) registrations: StoredValue<Vec<Registration>>,
    /// Whether sign-ins outlast a reload of this tab.
    pub(crate) keeps_sign_ins: RwSignal<bool>,
    next_id: StoredValue<u32>,
    /// Owns what outlives the part of the page that made it.
    owner: StoredValue<Owner>,
}

impl App {
    /// The page at its start. Whatever it keeps lives as long as the current owner.
    pub(crate) fn new(Link { route, at, line }: Link) -> Self {
        Self {
            route: RwSignal::new(route),
            at: RwSignal::new(at),
            line: RwSignal::new(line),
            recents: Recents::kept(),
            servers: RwSignal::new(Vec::new()),
            attempt: RwSignal::new(None),
            wire: Wire::new(),
            local: RwSignal::new(Local::Idle),
            later: Loader::new(),
            help_open: RwSignal::new(false),
            tour: RwSignal::new(None),
            printing: RwSignal::new(false),
            palette_open: RwSignal::new(false),
            theme: RwSignal::new(Theme::kept()),
            settings: Settings::kept(),
            said: RwSignal::new(String::new()),
            moved: RwSignal::new(()),
            now: RwSignal::new(browser::now()),
            registrations: StoredValue::new(Vec::new()),
            keeps_sign_ins: RwSignal::new(kept(KEEPS_SIGN_INS).is_some()),
            next_id: StoredValue::new(0),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    /// Makes signals that live as long as the page.
    pub(crate) fn keep<T>(&self, make: impl FnOnce() -> T) -> T {
        self.owner.get_value().with(make)
    }

    /// The connected server with this label.
    pub(crate) fn server(&self, label: &str) -> Option<Server> {
        self.servers
            .with(|servers| servers.iter().find(|server| *server.label() == *label).copied())
    }

    /// The connected server at this address.
    pub(crate) fn server_at(&self, endpoint: &str) -> Option<Server> {
        self.servers.with_untracked(|servers| {
            servers.iter().find(|server| *server.endpoint() == *endpoint).copied()
        })
    }

    /// The connected server that a route leads to.
    pub(crate) fn server_of(&self, route: &Route) -> Option<Server> {
        let server = self.server(route.label()?)?;
        // A link may mean another server by the same label.
        let is_meant = self.at.with(|at| at.as_deref().is_none_or(|at| *at == *server.endpoint()));
        is_meant.then_some(server)
    }

    /// The skills that were opened, of all servers.
    pub(crate) fn skills(&self) -> Vec<Skill> {
        let of_server = |server: Server| {
            server.skills.with_untracked(|skills| skills.values().copied().collect::<Vec<_>>())
        };
        self.servers.get_untracked().into_iter().flat_map(of_server).collect()
    }

    /// How many bytes of files are kept, of all of them.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let kept = |skill: Skill| skill.tally.with_untracked(|tally| tally.kept);
        self.skills().into_iter().map(kept).sum()
    }

    /// A server that nothing is known of yet.
    pub(crate) fn new_server(self, endpoint: Endpoint, connection: Connection) -> Server {
        let id = self.next_id.get_value();
        self.next_id.set_value(id + 1);
        let taken = |label: &str| {
            self.servers.with_untracked(|servers| servers.iter().any(|s| *s.label() == *label))
        };
        let label = label(&endpoint.0, taken);
        self.keep(|| Server::new(self, id, &label, endpoint, connection))
    }

    /// Shows a server beside the others from now on.
    pub(crate) fn add(&self, server: Server) {
        self.servers.update(|servers| servers.push(server));
        self.attempt.set(None);
        self.remember();
        self.recents.note(server);
    }

    /// Forgets a server and everything that was read of it.
    pub(crate) fn remove(&self, server: Server) {
        server.forget();
        self.servers.update(|servers| servers.retain(|other| *other != server));
        self.remember();
    }

    /// Begins or ceases to keep sign-ins over a reload of this tab.
    pub(crate) fn keep_sign_ins(&self, keep: bool) {
        self.keeps_sign_ins.set(keep);
        if let Some(storage) = browser::session_storage() {
            let _ = match keep {
                true => storage.set_item(KEEPS_SIGN_INS, "yes"),
                false => storage.remove_item(KEEPS_SIGN_INS),
            };
        }
        let servers = self.servers.get_untracked();
        for server in servers.into_iter().chain(self.attempt.get_untracked()) {
            server.sign_in.keep(&server.endpoint(), keep);
        }
    }

    /// Has a screen reader say something.
    pub(crate) fn say(&self, text: impl Into<String>) {
        self.said.try_set(text.into());
    }

    /// Keeps labels and addresses, nothing else, until the tab is closed. What may not be remembered is left out.
    pub(crate) fn remember(&self) {
        let lines = self.servers.with_untracked(|servers| {
            let line = |server: &Server| format!("{}\t{}", server.label(), server.endpoint());
            let is_kept = |server: &&Server| {
                server.is_remembered.get_untracked() && !may_hold_secret(&server.endpoint())
            };
            servers.iter().filter(is_kept).map(line).collect::<Vec<_>>().join("\n")
        });
        if let Some(storage) = browser::session_storage() {
            let _ = storage.set_item(REMEMBERED, &lines);
        }
    }

    /// The address of a server that this tab was connected to before a reload.
    pub(crate) fn remembered(label: &str) -> Option<String> {
        let lines = kept(REMEMBERED)?;
        let mut pairs = lines.lines().filter_map(|line| line.split_once('\t'));
        pairs.find(|(known, _)| *known == label).map(|(_, endpoint)| endpoint.to_owned())
    }
}

/// What this tab keeps under a name.
fn kept(name: &str) -> Option<String> {
    browser::session_storage()?.get_item(name).ok().flatten()
}

/// Everything the page knows.
pub(crate) fn app() -> App {
    expect_context()
}
