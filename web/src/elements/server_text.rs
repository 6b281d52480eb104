//! A server's short text: never markup, hidden characters made visible.

use leptos::prelude::*;

use crate::text::{Piece, head, name_hidden, pieces};

/// How much of a short text is shown, in bytes.
const MAX_SHOWN: usize = 4_000;

/// A server's short text.
#[component]
pub(crate) fn ServerText(
    /// The text.
    #[prop(into)]
    text: String,
    /// How much of it is shown, in bytes.
    #[prop(default = MAX_SHOWN)]
    limit: usize,
) -> impl IntoView {
    let (shown, is_cut) = head(&text, limit);
    let pieces = pieces(shown).into_iter().map(|piece| match piece {
        Piece::Plain(plain) => plain.to_owned().into_any(),
        Piece::Hidden(run) => view! {
            <span class="hidden-run" title="characters that nobody would see">
                {name_hidden(run)}
            </span>
        }
        .into_any(),
    });
    view! {
        {pieces.collect_view()}
        {is_cut.then_some("…")}
    }
}
