//! A box to tick, and what that means.

use leptos::prelude::*;

/// A box to tick.
#[component]
pub(crate) fn Switch(
    /// What it is called.
    label: &'static str,
    /// What that means.
    #[prop(default = "")]
    hint: &'static str,
    /// Whether it is ticked.
    on: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input type="checkbox" prop:checked=on on:change:target=move |event| on.set(event.target().checked())/>
            <span>{label} <span class="hint">{hint}</span></span>
        </label>
    }
}
