//! A program behind the bridge: what it writes to its standard error, and a way to start it again.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::bridge::{self, Bridged, Said, read_said};
use crate::browser;
use crate::elements::{Button, Keyed, ServerText, list};
use crate::run;
use crate::state::server::Server;
use crate::transport::{self, Stop};

/// How often it is asked for what is new, in milliseconds.
const ASK_EVERY_MS: u64 = 1_000;

/// How long an answer may take, in milliseconds.
const PATIENCE_MS: u64 = 10_000;

/// How many lines are shown; the program keeps no more.
const MAX_LINES: usize = 200;

/// What a server's program writes to its standard error. Nothing for other servers.
#[component]
pub(crate) fn Program(
    /// The server.
    server: Server,
) -> impl IntoView {
    let bridged = bridge::find(&server.endpoint()).filter(|bridged| bridged.is_program)?;
    let said = RwSignal::new(Vec::new());
    spawn_local(follow(bridged, said));
    let restart = move || spawn_local(start_again(bridged, server));
    let lines = list(move || said.with(|said| said.iter().map(line).collect()));
    Some(view! {
        <details class="more">
            <summary>"What its program writes"</summary>
            {move || said.with(Vec::is_empty).then(|| view! {
                <p class="hint">"It has written nothing to its standard error."</p>
            })}
            <ol class="said" tabindex="0" aria-label="Standard error">{lines}</ol>
            <p><Button press=restart>"Start the program again"</Button></p>
        </details>
    })
}

fn line(said: &Said) -> Keyed {
    let text = said.line.clone();
    Keyed::new(said.number.to_string(), move || view! { <li><ServerText text=text/></li> })
}

/// Asks for new lines for as long as somebody could look at them.
async fn follow(bridged: &'static Bridged, said: RwSignal<Vec<Said>>) {
    loop {
        let last = said.try_with_untracked(|said| said.last().map_or(0, |said| said.number));
        let Some(behind) = last else { return };
        let request = bridged.ask_what_was_said(behind);
        if let Ok((200, body)) = transport::ask_beside(&request, PATIENCE_MS, &Stop::new()).await {
            let more = read_said(&String::from_utf8_lossy(&body));
            if !more.is_empty() {
                said.try_update(|said| {
                    said.extend(more);
                    let too_many = said.len().saturating_sub(MAX_LINES);
                    said.drain(..too_many);
                });
            }
        }
        browser::sleep(ASK_EVERY_MS).await;
    }
}

async fn start_again(bridged: &'static Bridged, server: Server) {
    let app = server.app();
    // If that fails, connecting says why.
    let _ = transport::ask_beside(&bridged.ask_to_restart(), PATIENCE_MS, &Stop::new()).await;
    run::disconnect(server);
    run::connect_bridged(app, bridged);
}
