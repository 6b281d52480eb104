//! Buttons, and rows of buttons of which one is chosen.

use leptos::prelude::*;

/// A button.
#[component]
pub(crate) fn Button(
    /// What it does.
    #[prop(into)]
    press: Callback<()>,
    /// How it looks.
    #[prop(default = "button")]
    class: &'static str,
    /// What it is called, where its text does not say enough.
    #[prop(into, optional)]
    label: Option<String>,
    /// A hint.
    #[prop(optional)]
    title: Option<&'static str>,
    /// Whether it can do nothing now.
    #[prop(into, optional)]
    disabled: Signal<bool>,
    /// Whether it is on, if it is a switch.
    #[prop(into, optional)]
    pressed: Option<Signal<bool>>,
    children: Children,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=class
            aria-label=label
            title=title
            aria-pressed=pressed.map(|pressed| Signal::derive(move || pressed.get().to_string()))
            disabled=disabled
            on:click=move |_| press.run(())
        >
            {children()}
        </button>
    }
}

/// Buttons of which one is chosen.
#[component]
pub(crate) fn Choices(
    /// What the choice is about.
    label: &'static str,
    /// What there is to choose from.
    names: &'static [&'static str],
    /// The place of the chosen one.
    chosen: RwSignal<usize>,
) -> impl IntoView {
    let choice = |(place, name): (usize, &'static &'static str)| {
        let is_chosen = Signal::derive(move || chosen.get() == place);
        view! {
            <Button class="choice" pressed=is_chosen press=move || chosen.set(place)>{*name}</Button>
        }
    };
    view! {
        <div class="choices" role="group" aria-label=label>
            {names.iter().enumerate().map(choice).collect_view()}
        </div>
    }
}
