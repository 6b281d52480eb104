//! The frame of the page: landmarks, what is shown where, focus, keys.

use leptos::ev;
use leptos::prelude::*;

use crate::elements::follow;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent};

use crate::browser;
use crate::groups::{Header, Help, LaterPart, LaterScreen, SignIn, WireDrawer};
use crate::keys::{Command, Press, command};
use crate::later::Later;
use crate::local;
use crate::navigation;
use crate::route::Route;
use crate::run;
use crate::screens::{Connect, TITLE};
use crate::state::App;
use crate::state::server::Server;

/// How often the ages of things are told anew, in milliseconds.
const TICK_MS: u64 = 15_000;

/// What fills the main part of the page.
#[derive(Clone, PartialEq)]
enum Screen {
    Connect,
    /// A server by its label, and its address where a link has named it.
    UnknownServer(String, Option<String>),
    Server(Server),
    Report(Server),
    /// A skill by its key. Whether it is known decides what is shown of it.
    Skill(Server, String, bool),
}

impl Screen {
    fn at(app: App, route: &Route) -> Self {
        let Some(label) = route.label() else { return Self::Connect };
        let Some(server) = app.server_of(route) else {
            return Self::UnknownServer(label.to_owned(), app.at.get());
        };
        match route {
            Route::Skill { key, .. } => {
                Self::Skill(server, key.clone(), server.name_of(key).is_some())
            }
            Route::Report { .. } => Self::Report(server),
            _ => Self::Server(server),
        }
    }

    /// What the browser's tab is called.
    fn title(&self) -> String {
        match self {
            Self::Connect => "Skillglass".to_owned(),
            Self::UnknownServer(label, _) => format!("{label} · Skillglass"),
            Self::Server(server) => format!("{} · Skillglass", server.label()),
            Self::Report(server) => format!("Conformance · {} · Skillglass", server.label()),
            Self::Skill(server, key, _) => {
                let name = untrack(|| server.name_of(key));
                let name = name.as_deref().unwrap_or(key);
                format!("{name} · {} · Skillglass", server.label())
            }
        }
    }
}

/// The page.
#[component]
pub(crate) fn Page() -> impl IntoView {
    let app = App::new(navigation::here());
    provide_context(app);
    navigation::follow(app);
    run::sign_in::look_back(app);
    run::open_only_server(app);
    set_interval(
        move || {
            app.now.try_set(browser::now());
        },
        std::time::Duration::from_millis(TICK_MS),
    );
    let screen = Memo::new(move |_| app.route.with(|route| Screen::at(app, route)));
    announce(screen);
    // A page that is kept for the way back opens a new session then.
    window_event_listener(ev::Custom::<Event>::new("pagehide"), move |_| {
        app.servers.with_untracked(|servers| servers.iter().copied().for_each(run::end_session));
    });
    follow_printing(app);
    take_drops(app);
    browser::watch_policy();
    window_event_listener(ev::resize, move |_| app.moved.notify());
    window_event_listener(ev::keydown, move |event| on_key(app, &event));
    let current = Memo::new(move |_| app.route.with(|route| app.server_of(route)));
    let tours = Memo::new(move |_| app.tour.with(Option::is_some));
    let is_whole_server = move || screen.with(|screen| matches!(screen, Screen::Server(_)));
    let skip = |event: MouseEvent| {
        event.prevent_default();
        browser::focus("main");
    };
    view! {
        <a class="skip" href="#main" on:click=skip>"Skip to the content"</a>
        <Header/>
        <div class="body" on:scroll=move |_| app.moved.notify() class:with-catalog=move || current.get().is_some() class:at-server=is_whole_server>
            {follow(move || current.get().map(|server| view! {
                <LaterPart view=move |later| (later.catalog)(server)/>
            }))}
            <main id="main" tabindex="-1">
                {follow(move || current.get().map(|server| view! { <SignIn server=server/> }))}
                {follow(move || match screen.get() {
                    Screen::Connect => view! { <Connect/> }.into_any(),
                    Screen::UnknownServer(label, at) => {
                        view! { <LaterScreen view=move |later| (later.unknown)(label.clone(), at.clone())/> }.into_any()
                    }
                    Screen::Server(server) => view! { <LaterScreen view=move |later| (later.overview)(server)/> }.into_any(),
                    Screen::Report(server) => view! { <LaterScreen view=move |later| (later.report)(server)/> }.into_any(),
                    Screen::Skill(server, key, _) => {
                        view! { <LaterScreen view=move |later| (later.skill)(server, &key)/> }.into_any()
                    }
                })}
            </main>
        </div>
        <WireDrawer/>
        <div class="visually-hidden" role="status" aria-live="polite">{app.said}</div>
        <Help/>
        {follow(move || tours.get().then(|| view! { <LaterPart view=|later| (later.tour)()/> }))}
        {follow(move || app.palette_open.get().then(|| view! { <LaterPart view=|later| (later.palette)()/> }))}
    }
}

/// Says when the page is put on paper, and when that is over.
fn follow_printing(app: App) {
    for (name, is_on_paper) in [("beforeprint", true), ("afterprint", false)] {
        window_event_listener(ev::Custom::<Event>::new(name), move |_| {
            browser::put_on_paper(is_on_paper);
            app.printing.set(is_on_paper);
        });
    }
}

/// Names the tab of the browser after the screen, and moves the focus to a new screen's title.
fn announce(screen: Memo<Screen>) {
    Effect::new(move |before: Option<()>| {
        screen.with(|screen| document().set_title(&screen.title()));
        if before.is_some() {
            request_animation_frame(|| {
                browser::focus(TITLE);
                // A wide page scrolls its main part, a narrow one the list together with it.
                for part in ["#main", ".body"] {
                    if let Ok(Some(part)) = document().query_selector(part) {
                        part.set_scroll_top(0);
                    }
                }
            });
        }
    });
}

/// Files can be dropped anywhere on the page.
fn take_drops(app: App) {
    window_event_listener(ev::dragover, |event| event.prevent_default());
    window_event_listener(ev::drop, move |event| {
        event.prevent_default();
        let entries = event.data_transfer().map(|data| local::dropped(&data)).unwrap_or_default();
        if entries.is_empty() {
            return;
        }
        navigation::go(&Route::START);
        spawn_local(async move {
            if let Ok(later) = app.later.load().await {
                (later.dropped)(app, entries).await;
            }
        });
    });
}

fn on_key(app: App, event: &KeyboardEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is_within = |selector: &str| {
        target
            .as_ref()
            .is_some_and(|target| target.closest(selector).is_ok_and(|found| found.is_some()))
    };
    // An open dialog has the keys to itself.
    if is_within("dialog") {
        return;
    }
    let press = Press {
        key: &event.key(),
        modified: event.ctrl_key() || event.alt_key() || event.meta_key(),
        commanding: event.ctrl_key() != event.meta_key() && !event.alt_key() && !event.shift_key(),
        typing: is_within("input:not([type=checkbox]), textarea, select"),
    };
    let Some(command) = command(press) else { return };
    event.prevent_default();
    match command {
        Command::Filter => browser::focus("filter"),
        Command::Next => step(app, true),
        Command::Previous => step(app, false),
        Command::Choose => with_later(app, |later| (later.choose)(app)),
        Command::Verify => with_later(app, |later| (later.verify)(app)),
        Command::Wire => app.wire.open.update(|open| *open = !*open),
        Command::Help => app.help_open.set(true),
        Command::Palette => app.palette_open.set(true),
    }
}

fn step(app: App, forward: bool) {
    let server = app.route.with_untracked(|route| untrack(|| app.server_of(route)));
    if let Some(server) = server {
        with_later(app, |later| (later.step_through)(server, forward));
    }
}

/// Does something that only a page with its second file can.
fn with_later(app: App, act: impl FnOnce(&'static Later)) {
    if let Some(later) = app.later.loaded() {
        act(later);
    }
}
