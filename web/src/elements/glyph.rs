//! A state at a glance. The word for it stands beside, or is given for screen readers.

use leptos::prelude::*;

use super::follow;

use crate::mark::Mark;

/// A state's glyph.
#[component]
pub(crate) fn Glyph(
    /// The state.
    #[prop(into)]
    mark: Signal<Mark>,
    /// The word for it where none stands beside.
    #[prop(into, optional)]
    word: MaybeProp<String>,
) -> impl IntoView {
    view! {
        <span class=move || mark.get().class() aria-hidden="true">
            {follow(move || mark.get().glyph())}
        </span>
        {follow(move || word.get().map(|word| view! { <span class="visually-hidden">{word}": "</span> }))}
    }
}
