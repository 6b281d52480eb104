//! The way to a server, told as it happens.

use leptos::prelude::*;

use crate::elements::{Glyph, follow};
use crate::mark::Mark;
use crate::state::server::{Server, Step};
use crate::text::duration;

/// The steps to a server.
#[component]
pub(crate) fn Steps(
    /// The server.
    server: Server,
) -> impl IntoView {
    let step = move |Step { method, text, mark, ms }: Step| {
        let waits = mark == Mark::Busy && server.sign_in.is_under_way();
        let text = if waits { "waits until you have signed in".to_owned() } else { text };
        let took = ms.filter(|_| mark != Mark::Busy).map(duration);
        view! {
            <li>
                <Glyph mark=mark/>
                <span class="step-text">
                    {method.map(|method| view! { <code>{method}</code> " " })}
                    {text}
                    {(mark == Mark::Busy).then_some("…")}
                </span>
                <span class="step-time">{took}</span>
            </li>
        }
    };
    view! {
        <ol class="steps" aria-label="Steps of the connection">
            {follow(move || server.steps.get().into_iter().map(step).collect_view())}
        </ol>
    }
}
