//! A text beside another, with what differs marked.

use leptos::prelude::*;

use crate::text::Part;

/// A text in parts.
#[component]
pub(crate) fn MarkedText<'p>(
    /// The parts.
    parts: &'p [Part<'p>],
) -> impl IntoView + use<> {
    let part = |part: &Part<'_>| {
        let text = part.text.to_owned();
        if part.differs { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    };
    view! { <code>{parts.iter().map(part).collect_view()}</code> }
}
