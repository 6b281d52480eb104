//! A busy server is left alone: why, and for how long yet.

use leptos::prelude::*;

use crate::browser;
use crate::elements::{Glyph, follow};
use crate::mark::Mark;
use crate::state::server::{Pause, Server};

/// Says that a server is left alone, while it is.
#[component]
pub(crate) fn PauseNotice(
    /// The server.
    server: Server,
) -> impl IntoView {
    // The status is told to screen readers once, not each second.
    let status = Memo::new(move |_| server.pause.get().map(|pause| pause.status));
    let seconds = move || {
        let Pause { ends_at, .. } = server.pause.get()?;
        Some(format!("waiting {} s", ends_at.saturating_sub(browser::clock()).div_ceil(1_000)))
    };
    move || {
        status.get().map(|status| {
            view! {
                <p class="pause">
                    <Glyph mark=Mark::Warn/>
                    <span role="status">"The server is busy (" {status} "):"</span>
                    " "
                    {follow(seconds)}
                </p>
            }
        })
    }
}
