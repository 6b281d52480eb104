//! A state and a sentence about it.

use leptos::prelude::*;

use super::Glyph;
use crate::mark::Mark;

/// A state and a sentence.
#[component]
pub(crate) fn VerdictLine(
    /// The state.
    mark: Mark,
    /// The sentence.
    #[prop(into)]
    text: Signal<String>,
    /// What can be done about it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <p class="verdict-line">
            <Glyph mark=mark/>
            <span>{text}</span>
            {children.map(|children| children())}
        </p>
    }
}
