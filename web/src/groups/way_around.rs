//! The way to a server that lets no page in: through the program, which no rule of browsers binds.

use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::protocol::diagnosis;

use crate::bridge;
use crate::elements::{Button, CopyButton, follow};
use crate::run;
use crate::state::server::Server;

/// A button where the program serves this page, and else the command that does.
#[component]
pub(crate) fn WayAround(
    /// The server that could not be read.
    server: Server,
) -> impl IntoView {
    if bridge::is_there() {
        let refused = RwSignal::new(false);
        let go = move || {
            spawn_local(async move {
                refused.try_set(!run::go_around(server).await);
            });
        };
        return view! {
            <p class="advice">"The program that serves this page can ask the server in its place."</p>
            <p><Button class="button primary" press=go>"Connect through skillglass inspect"</Button></p>
            {follow(move || refused.get().then(|| view! {
                <p class="advice">"The program did not take the address. Its terminal says whether it still runs."</p>
            }))}
        }
        .into_any();
    }
    let command = diagnosis::around(&server.endpoint());
    view! {
        <p>"Or leave the server as it is, and look at it from outside of the browser:"</p>
        <div class="remedy command">
            <pre tabindex="0" aria-label="Command">{command.clone()}</pre>
            <CopyButton text=command label="Copy"/>
        </div>
    }
    .into_any()
}
