//! The lines that let this page read a server, for what the server is made with.

use leptos::prelude::*;
use skillglass::protocol::diagnosis::{self, Place, Sdk};

use crate::browser;
use crate::elements::{Choices, CopyButton};

/// The lines to paste, with this page's origin and the server's name filled in.
#[component]
pub(crate) fn Remedy(
    /// What the server has to allow.
    remedy: diagnosis::Remedy,
    /// The server's address; empty where it is not known yet.
    endpoint: String,
) -> impl IntoView {
    let origin = browser::origin();
    let chosen = RwSignal::new(0);
    let lines = Signal::derive(move || {
        let sdk = Sdk::ALL.get(chosen.get()).copied().unwrap_or(Sdk::Express);
        remedy.lines(sdk, Place { endpoint: &endpoint, origin: &origin })
    });
    view! {
        <div class="remedy">
            <div class="remedy-bar">
                <Choices label="What the server is made with" names=&Sdk::NAMES chosen=chosen/>
                <CopyButton text=lines label="Copy"/>
            </div>
            <pre tabindex="0" aria-label="Lines to paste">{lines}</pre>
        </div>
    }
}
