//! A text as it is, with line numbers, bounded.

use leptos::html;
use leptos::prelude::*;

use crate::markdown::plain_text;
use crate::text::{head, thousands};

/// How much of a text is shown, in bytes.
pub(crate) const MAX_SHOWN: usize = 200_000;

/// How many of its lines are shown.
const MAX_LINES: usize = 5_000;

/// A text with line numbers.
#[component]
pub(crate) fn Source(
    /// The text.
    #[prop(into)]
    text: String,
    /// What it is called for screen readers.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let (shown, mut is_cut) = head(&text, MAX_SHOWN);
    let shown = shown.to_owned();
    is_cut |= shown.lines().nth(MAX_LINES).is_some();
    let all = thousands(text.len() as u64);
    place.on_load(move |place| {
        for line in shown.lines().take(MAX_LINES) {
            let Ok(row) = document().create_element("code") else { return };
            plain_text(&row, line);
            // An empty row would have no height.
            if line.is_empty() {
                row.set_text_content(Some("\n"));
            }
            let _ = place.append_child(&row);
        }
    });
    view! {
        <div class="source" tabindex="0" role="region" aria-label=label node_ref=place></div>
        {is_cut.then(|| view! {
            <p class="cut-note">
                "Cut off here: the first " {thousands(MAX_SHOWN as u64)} " bytes or "
                {thousands(MAX_LINES as u64)} " lines of " {all} " bytes are shown. Download has all of it."
            </p>
        })}
    }
}
