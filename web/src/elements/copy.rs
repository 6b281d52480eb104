//! A button that puts text on the clipboard and says whether it could.

use leptos::prelude::*;

use super::follow;
use leptos::task::spawn_local;

use crate::browser;
use crate::state::app;

/// What is said when it went well.
const COPIED: &str = "Copied";

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
            shown.try_set(Some(if copied { COPIED } else { "Not allowed" }));
        });
    };
    let reset = move |_| shown.set(None);
    if small {
        let class = move || match shown.get() {
            Some(COPIED) => "copy-sign copied",
            Some(_) => "copy-sign refused",
            None => "copy-sign",
        };
        return view! {
            <button type="button" class=class aria-label=label title=label on:click=copy on:blur=reset>
                <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                    <path class="copy-sheets" d="M5.5 5.5h7v7h-7zM3.5 10.5v-7h7"></path>
                    <path class="copy-tick" d="m3.5 8.5 3 3 6-7"></path>
                </svg>
            </button>
        }
        .into_any();
    }
    view! {
        <button type="button" class="button" on:click=copy on:blur=reset>
            {follow(move || shown.get().unwrap_or(label))}
        </button>
    }
    .into_any()
}
