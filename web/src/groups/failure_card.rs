//! What could not be had: what happened, why as far as it is known, what to do.

use leptos::prelude::*;
use skillglass::protocol::diagnosis::{self, Diagnosis, Place};

use super::{Remedy, WayAround};
use crate::bridge;
use crate::browser;
use crate::elements::{Button, Glyph};
use crate::failure::Failure;
use crate::mark::Mark;
use crate::state::app;
use crate::state::server::Server;

/// A failure in words, with whatever mends it.
#[component]
pub(crate) fn FailureCard(
    /// What happened.
    failure: Failure,
    /// The server it happened with.
    server: Server,
    /// Whether what happened stands above already.
    #[prop(optional)]
    untitled: bool,
    /// The exchange it happened in; the latest with the server where none is named.
    #[prop(default = None)]
    exchange: Option<usize>,
    /// Whether it stands in a dialog, from which the wire cannot be reached.
    #[prop(optional)]
    in_dialog: bool,
    /// What can be done from here.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let wire = app().wire;
    let endpoint = server.endpoint().to_string();
    let origin = browser::origin();
    let Diagnosis { what, why, advice, evidence, remedy } =
        failure.diagnose(Place { endpoint: &endpoint, origin: &origin }).masked(&server.secrets());
    let show = move || match exchange {
        Some(number) => wire.show(number),
        None => wire.show_latest(&server.label()),
    };
    let is_cors = remedy == Some(diagnosis::Remedy::Cors);
    let around = move |at_hand| {
        (is_cors && bridge::is_there() == at_hand).then(|| view! { <WayAround server=server/> })
    };
    let remedy = remedy.map(|remedy| view! { <Remedy remedy=remedy endpoint=endpoint/> });
    view! {
        <section class="card failure" role="alert">
            {(!untitled).then(|| view! { <h3><Glyph mark=Mark::Bad/> {what}</h3> })}
            <div class="failure-body">
                {(!why.is_empty()).then(|| view! { <p>{why}</p> })}
                {around(true)}
                {(!advice.is_empty()).then(|| view! { <p class="advice">{advice}</p> })}
                {evidence.map(|evidence| view! {
                    <p class="side-name">"What came:"</p>
                    <pre class="evidence">{evidence}</pre>
                })}
                {remedy}
                {around(false)}
                {(!in_dialog).then(|| view! {
                    <p class="finding-links">
                        <Button class="link" press=show>"What went over the wire"</Button>
                    </p>
                })}
                {children.map(|children| children())}
            </div>
        </section>
    }
}

/// An address or a header that cannot be used.
#[component]
pub(crate) fn Complaint(
    /// Why.
    failure: Failure,
) -> impl IntoView {
    let words = failure.diagnose(Place { endpoint: "", origin: "" });
    view! {
        <p class="field-error" role="alert">{words.what} " " {words.advice}</p>
    }
}
