//! Which revision of the protocol is spoken, and what servers may take.

use leptos::prelude::*;

use crate::elements::Choices;
use crate::state::app;
use crate::state::settings::Settings;

/// The choices there are.
#[component]
pub(crate) fn Limits(
    /// The place of the revision that is chosen.
    era: RwSignal<usize>,
) -> impl IntoView {
    let Settings { connect, request, reads, answer } = app().settings;
    view! {
        <div class="settings">
            <SettingField
                name="Revision of the protocol"
                names=&["Auto", "2026-07-28", "Older handshake"]
                chosen=era
            />
            <SettingField name=connect.name names=connect.names chosen=connect.chosen/>
            <SettingField name=request.name names=request.names chosen=request.chosen/>
            <SettingField name=reads.name names=reads.names chosen=reads.chosen/>
            <SettingField name=answer.name names=answer.names chosen=answer.chosen/>
        </div>
        <p class="hint">
            "Auto asks the server with server/discover, and where it does not know that, with initialize, as the revisions before 2026-07-28 want it. A server that is silent for longer than allowed is given up. Files are read six at a time, and 24 at a time over HTTP/2 and later. The limits hold for all servers, and are kept in this browser."
        </p>
    }
}

#[component]
fn SettingField(
    name: &'static str,
    names: &'static [&'static str],
    chosen: RwSignal<usize>,
) -> impl IntoView {
    view! {
        <div class="setting">
            <span aria-hidden="true">{name}</span>
            <Choices label=name names=names chosen=chosen/>
        </div>
    }
}
