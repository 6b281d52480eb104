//! The top of the page: which servers there are, help, light and dark.

use leptos::prelude::*;

use crate::elements::{Button, Keyed, ServerText, follow, list};
use crate::navigation;
use crate::route::Route;
use crate::run;
use crate::state::app;
use crate::state::server::{Server, Stage};
use crate::theme::ThemeSwitch;

/// The top of the page.
#[component]
pub(crate) fn Header() -> impl IntoView {
    let app = app();
    let pills = list(move || {
        let pill = |server| {
            Keyed::new(Server::label(&server), move || view! { <ServerPill server=server/> })
        };
        app.servers.get().into_iter().map(pill).collect()
    });
    let at_start = move || app.route.with(|route| matches!(route, Route::Connect { .. }));
    view! {
        <header class="top">
            <a class="brand" href=Route::START.hash() aria-label="Skillglass, start">
                <Logo/>
                <span class="brand-name">"Skillglass"</span>
            </a>
            <nav class="servers" aria-label="Servers">
                {pills}
                <a
                    class="pill add"
                    href=Route::START.hash()
                    aria-label="+ Server"
                    aria-current=move || at_start().then_some("page")
                >
                    "+" <span class="add-what">"Server"</span>
                </a>
            </nav>
            <div class="tools">
                <Button class="tool find" press=move || app.palette_open.set(true)>
                    "Find" <kbd>"Ctrl K"</kbd>
                </Button>
                <ThemeSwitch/>
                <Button class="tool" press=move || app.help_open.set(true)>
                    "Help" <kbd>"?"</kbd>
                </Button>
            </div>
        </header>
    }
}

#[component]
fn ServerPill(server: Server) -> impl IntoView {
    let app = app();
    let label = server.label();
    let route = Route::Server { label: label.to_string() };
    let href = route.hash();
    let is_current = {
        let label = label.clone();
        Memo::new(move |_| app.route.with(|route| route.label() == Some(&label)))
    };
    let title = move || match server.speaks() {
        Some(speaks) => format!("{}, {speaks}", server.endpoint()),
        None => server.endpoint().to_string(),
    };
    let dot = move || match server.stage.get() {
        Stage::Ready if server.declares_skills() => "dot good",
        Stage::Ready | Stage::Connecting => "dot warn",
        Stage::Failed(_) => "dot bad",
    };
    let remove = move || {
        let leaves = is_current.get_untracked();
        run::disconnect(server);
        if leaves {
            navigation::go(&Route::START);
        }
    };
    view! {
        <span class=move || format!("pill hue-{}", server.hue.get()) class:current=move || is_current.get() title=title>
            <a href=href aria-current=move || is_current.get().then_some("true")>
                <span class=dot aria-hidden="true"></span>
                {follow(move || view! { <ServerText text=server.title()/> })}
            </a>
            <Button class="pill-close" label=format!("Disconnect {label}") title="Disconnect" press=remove>
                "×"
            </Button>
        </span>
    }
}

#[component]
fn Logo() -> impl IntoView {
    view! {
        <svg class="logo" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <circle cx="8.5" cy="8.5" r="6"></circle>
            <path d="m13.2 13.2 4.3 4.3"></path>
            <path d="m6 8.6 1.8 1.8 3.2-3.6"></path>
        </svg>
    }
}
