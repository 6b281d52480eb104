//! A term and what there is to say of it.

use leptos::prelude::*;

/// A line of a list of facts.
#[component]
pub(crate) fn Fact(
    /// The term.
    term: &'static str,
    children: Children,
) -> impl IntoView {
    view! { <div class="fact"><dt>{term}</dt><dd>{children()}</dd></div> }
}
