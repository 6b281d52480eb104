//! What a first sight does not need. The build cuts it off into a second file (`web/finish.mjs`), which
//! is loaded when it is first wanted: the part that shows, connects and lists calls the other one
//! through the table [`Later`] only.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::{SplitLoaderError, wasm_split};

use skillglass::protocol::HttpRequest;
use skillglass::protocol::diagnosis::{Obstacle, Remedy};
use web_sys::{FileList, FileSystemEntry};

use crate::failure::Failure;
use crate::run::sign_in;
use crate::screens::{
    BridgedServers, Credentials, Headers, ReportScreen, ServerOverview, SkillOrNot, UnknownServer,
};
use crate::state::App;
use crate::state::server::Server;
use crate::transport::Demo;
use crate::wire::Wire;
use crate::{groups, run};

/// What is said where it cannot be had.
pub(crate) const NOT_LOADED: &str = "A part of this page could not be loaded.";

/// What the second file holds.
pub(crate) struct Later {
    /// The skills of a server.
    pub(crate) catalog: fn(Server) -> AnyView,
    /// Moves the focus to the next skill of the list, or to the one before.
    pub(crate) step_through: fn(Server, bool),
    /// Chooses the skill that has the focus, or lets go of it.
    pub(crate) choose: fn(App),
    /// A server as a whole.
    pub(crate) overview: fn(Server) -> AnyView,
    /// A skill by its key.
    pub(crate) skill: fn(Server, &str) -> AnyView,
    /// How a server conforms.
    pub(crate) report: fn(Server) -> AnyView,
    /// What went over the wire.
    pub(crate) exchanges: fn(Wire) -> AnyView,
    /// An address or a header that cannot be used.
    pub(crate) complaint: fn(&Failure) -> AnyView,
    /// What stands between this page and the answer to a request that the browser refused.
    pub(crate) obstacle: fn(Server, Box<HttpRequest>) -> LocalBoxFuture<'static, Obstacle>,
    /// A failure in one line.
    pub(crate) line: fn(Server, &Failure) -> String,
    /// Why a server could not be connected to.
    pub(crate) failure: fn(Server, Failure) -> AnyView,
    /// A server that this tab is not connected to, by its label and its address.
    pub(crate) unknown: fn(String, Option<String>) -> AnyView,
    /// How far a connection is.
    pub(crate) steps: fn(Server) -> AnyView,
    /// The servers that the program which serves this page reaches.
    pub(crate) bridged: fn() -> AnyView,
    /// A token, headers, and whether the server is not to be remembered.
    pub(crate) credentials: fn(RwSignal<String>, Headers, RwSignal<bool>) -> AnyView,
    /// Which revision is spoken, and what servers may take.
    pub(crate) limits: fn(RwSignal<usize>) -> AnyView,
    /// Takes the tokens that the tab has kept.
    pub(crate) recall: fn(Server),
    /// The lines that let this page read a server.
    pub(crate) cors: fn() -> AnyView,
    /// A dialog that opens a skill by its URI. The signal says whether it is open.
    pub(crate) open_by_uri: fn(Server, RwSignal<bool>) -> AnyView,
    /// The keys, and what the marks mean.
    pub(crate) help: fn() -> AnyView,
    /// The palette of commands.
    pub(crate) palette: fn() -> AnyView,
    /// The tour, as long as it goes on.
    pub(crate) tour: fn() -> AnyView,
    /// What there is to do about signing in.
    pub(crate) sign_in: fn(Server) -> AnyView,
    /// Renews the tokens without the user, as long as that is possible.
    pub(crate) renew: fn(Server) -> LocalBoxFuture<'static, ()>,
    /// Goes on with a sign-in for which the page itself went away.
    pub(crate) take_up: fn(App),
    /// Verifies the skill that is shown, or stops that.
    pub(crate) verify: fn(App),
    /// Shows the skills among files that were chosen.
    pub(crate) chosen: fn(App, FileList) -> LocalBoxFuture<'static, ()>,
    /// Shows the skills among what was dropped.
    pub(crate) dropped: fn(App, Vec<FileSystemEntry>) -> LocalBoxFuture<'static, ()>,
    /// A demonstration server by its name.
    pub(crate) demo: fn(&str) -> Option<Demo>,
}

/// Whatever is named here and nowhere else goes into the second file.
#[wasm_split(later, fallible, wasm_split_path = leptos::wasm_split)]
fn part() -> Result<&'static Later, SplitLoaderError> {
    static LATER: Later = Later {
        catalog: |server| view! { <groups::Catalog server=server/> }.into_any(),
        step_through: |server, forward| {
            groups::step_through(server, forward);
        },
        choose: groups::choose,
        overview: |server| view! { <ServerOverview server=server/> }.into_any(),
        skill: |server, key| view! { <SkillOrNot server=server key=key.to_owned()/> }.into_any(),
        report: |server| view! { <ReportScreen server=server/> }.into_any(),
        exchanges: |wire| view! { <groups::Exchanges wire=wire/> }.into_any(),
        complaint: |failure| view! { <groups::Complaint failure=failure.clone()/> }.into_any(),
        obstacle: |server, request| Box::pin(run::obstacle(server, request)),
        line: run::words,
        failure: |server, failure| {
            view! { <groups::FailureCard failure=failure server=server untitled=true/> }.into_any()
        },
        unknown: |label, at| view! { <UnknownServer label=label at=at/> }.into_any(),
        steps: |server| {
            view! { <groups::Steps server=server/> <groups::PauseNotice server=server/> }.into_any()
        },
        bridged: || view! { <BridgedServers/> }.into_any(),
        credentials: |token, headers, forgets| {
            view! { <Credentials token=token headers=headers forgets=forgets/> }.into_any()
        },
        limits: |era| view! { <groups::Limits era=era/> }.into_any(),
        recall: |server| server.sign_in.recall(&server.endpoint()),
        cors: || view! { <groups::Remedy remedy=Remedy::Cors endpoint=String::new()/> }.into_any(),
        open_by_uri: |server, is_open| {
            view! { <groups::OpenDialog server=server is_open=is_open/> }.into_any()
        },
        help: || view! { <groups::KeysAndMarks/> }.into_any(),
        palette: || view! { <groups::Palette/> }.into_any(),
        tour: || view! { <groups::Tour/> }.into_any(),
        sign_in: |server| view! { <groups::SignInSteps server=server/> }.into_any(),
        renew: |server| Box::pin(sign_in::renew(server)),
        take_up: run::take_up,
        verify: run::verify_shown,
        chosen: |app, files| Box::pin(run::take_chosen(app, files)),
        dropped: |app, entries| Box::pin(run::take_dropped(app, entries)),
        demo: |name| {
            let server = skillglass::demo::server(name)?;
            Some(Rc::new(move |request| server.answer(request)))
        },
    };
    Ok(&LATER)
}

/// How far the second file is.
#[derive(Clone, Copy)]
pub(crate) enum State {
    /// Nobody wanted it yet.
    Absent,
    /// It is on its way.
    Loading,
    /// It is there.
    Ready(&'static Later),
    /// It did not come, or not as it was built.
    Failed,
}

/// The second file, to be loaded by whoever wants it first.
#[derive(Clone, Copy)]
pub(crate) struct Loader {
    state: RwSignal<State>,
}

impl Loader {
    /// Nothing is loaded yet.
    pub(crate) fn new() -> Self {
        Self { state: RwSignal::new(State::Absent) }
    }

    /// Begins to load it, unless somebody has.
    pub(crate) fn begin(self) {
        if matches!(self.state.get_untracked(), State::Absent | State::Failed) {
            spawn_local(async move {
                let _ = self.load().await;
            });
        }
    }

    /// What it holds, as soon as it is there.
    pub(crate) async fn load(self) -> Result<&'static Later, Failure> {
        if let Some(later) = self.loaded() {
            return Ok(later);
        }
        self.state.set(State::Loading);
        let later = part().await.map_err(|_| Failure::NotLoaded);
        self.state.set(later.as_ref().map_or(State::Failed, |later| State::Ready(later)));
        later
    }

    /// How far it is, and follows that.
    pub(crate) fn state(self) -> State {
        self.state.get()
    }

    /// What it holds, if it is there.
    pub(crate) fn loaded(self) -> Option<&'static Later> {
        match self.state.get_untracked() {
            State::Ready(later) => Some(later),
            _ => None,
        }
    }
}
