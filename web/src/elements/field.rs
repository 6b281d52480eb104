//! A field for an address, a name or a secret: nothing in it is corrected or completed.

use leptos::prelude::*;

/// A field.
#[component]
pub(crate) fn Field(
    /// What it is called.
    label: &'static str,
    /// Its text.
    value: RwSignal<String>,
    /// What such a text looks like.
    #[prop(default = "")]
    example: &'static str,
    /// Whether its text is not shown.
    #[prop(optional)]
    secret: bool,
) -> impl IntoView {
    view! {
        <input
            class="mono"
            type=if secret { "password" } else { "text" }
            aria-label=label
            placeholder=example
            spellcheck="false"
            autocapitalize="none"
            autocomplete="off"
            prop:value=value
            on:input:target=move |event| value.set(event.target().value())
        />
    }
}
