//! A button that puts text on the clipboard and says whether it could.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;
use crate::state::app;

/// Copies a text.
#[component]
pub(crate) fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// What the button is called.
    label: &'static str,
    /// Whether only a small sign is shown; the label is then for screen readers and as a hint.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let app = app();
    let shown = RwSignal::new(None::<&'static str>);
    let copy = move |_| {
        let text = text.get_untracked();
        spawn_local(async move {
            let copied = browser::copy(&text).await.is_ok();
            app.say(if copied { "Copied." } else { "The browser does not allow copying." });
            shown.try_set(Some(if copied { "Copied" } else { "Not allowed" }));
        });
    };
    let reset = move |_| shown.set(None);
    if small {
        let sign = move || match shown.get() {
            Some("Copied") => "✓",
            Some(_) => "✕",
            None => "⧉",
        };
        return view! {
            <button type="button" class="copy-sign" aria-label=label title=label on:click=copy on:blur=reset>
                {sign}
            </button>
        }
        .into_any();
    }
    view! {
        <button type="button" class="button" on:click=copy on:blur=reset>
            {move || shown.get().unwrap_or(label)}
        </button>
    }
    .into_any()
}
