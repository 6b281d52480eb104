//! Places that cannot be shown: a server that is not connected, a skill that is not known.

use leptos::prelude::*;

use super::TITLE;
use crate::elements::{Button, ServerText};
use crate::label::{DEMO, LOCAL};
use crate::route::Route;
use crate::run::{self, Entered};
use crate::screens::connect::Attempt;
use crate::state::server::Server;
use crate::state::{App, app};

/// A server that this tab is not connected to, for example after a reload.
#[component]
pub(crate) fn UnknownServer(
    /// The label in the address.
    label: String,
    /// The address in it.
    at: Option<String>,
) -> impl IntoView {
    let app = app();
    let is_demo = label.starts_with(DEMO);
    let why = match &at {
        Some(_) => {
            "A link leads here. Nothing is sent to the server before you connect, and nothing of it is read before you ask."
        }
        None => {
            "This tab is not connected to it. What was read of a server is kept in the tab's memory only; a reload lets go of it."
        }
    };
    let is_local = label.starts_with(LOCAL);
    let why = if is_local {
        "Files of your own machine are kept in the tab's memory only, and a reload lets go of them. Choose them again at the start."
    } else {
        why
    };
    let endpoint = at.or_else(|| App::remembered(&label)).or(is_demo.then(|| label.clone()));
    let action = endpoint.filter(|_| !is_local).map(|endpoint| {
        let form = Route::Connect { url: Some(endpoint.clone()) }.hash();
        let shown = endpoint.clone();
        // The form is where an address that cannot be used is explained.
        let connect = move || {
            let _ = run::connect(app, &endpoint, &Entered::default());
        };
        view! {
            <p class="acts">
                <Button class="button primary" press=connect>
                    "Connect to " <ServerText text=shown/>
                </Button>
                {(!is_demo).then(|| view! {
                    <a class="button" href=form>"With headers or a token"</a>
                })}
            </p>
        }
    });
    view! {
        <div class="screen narrow">
            <h1 id=TITLE tabindex="-1"><ServerText text=label/></h1>
            <p class="lead">{why}</p>
            {action}
            <Attempt/>
            <p><a href=Route::START.hash()>"Connect to another server"</a></p>
        </div>
    }
}

/// A skill that the server's listing does not have.
#[component]
pub(crate) fn UnknownSkill(
    /// The server.
    server: Server,
    /// The key in the address.
    key: String,
) -> impl IntoView {
    let back = Route::Server { label: server.label().to_string() }.hash();
    view! {
        <div class="screen narrow">
            <h1 id=TITLE tabindex="-1">"Not in the listing"</h1>
            <p class="lead"><code><ServerText text=key/></code></p>
            <p>
                "The listing, as far as it has come, does not have this skill. A server may serve skills that it does not list: Open by URI, below the list, asks for one."
            </p>
            <p><a href=back>"About this server"</a></p>
        </div>
    }
}
