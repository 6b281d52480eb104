//! What could not be had: what happened, why as far as it is known, what to do.

use leptos::prelude::*;

use super::Remedy;
use crate::browser;
use crate::elements::Glyph;
use crate::failure::{Failure, Place, Words};
use crate::mark::Mark;
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
    /// What can be done from here.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let origin = browser::origin();
    let words = failure.words(Place { endpoint: &server.endpoint(), origin: &origin });
    if untitled && words.is_bare() {
        return ().into_any();
    }
    let Words { what, why, advice, evidence } = words;
    let remedy = failure.is_refused_page().then(|| view! { <Remedy origin=origin/> });
    view! {
        <section class="card failure" role="alert">
            {(!untitled).then(|| view! { <h3><Glyph mark=Mark::Bad/> {what}</h3> })}
            <div class="failure-body">
                {(!why.is_empty()).then(|| view! { <p>{why}</p> })}
                {(!advice.is_empty()).then(|| view! { <p class="advice">{advice}</p> })}
                {evidence.map(|evidence| view! {
                    <p class="side-name">"What came:"</p>
                    <pre class="evidence">{evidence}</pre>
                })}
                {remedy}
                {children.map(|children| children())}
            </div>
        </section>
    }
    .into_any()
}
