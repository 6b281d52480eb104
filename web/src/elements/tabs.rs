//! Tabs that are links: one of them takes part in the tab order, arrows move between them.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::keys::roving;

/// A row of [`TabLink`]s.
#[component]
pub(crate) fn Tabs(
    /// What the row is called.
    label: &'static str,
    children: Children,
) -> impl IntoView {
    let row = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        let Some(row) = row.get_untracked() else { return };
        let Ok(tabs) = row.query_selector_all("[role=tab]") else { return };
        let tab = |index: usize| {
            tabs.get(u32::try_from(index).ok()?).and_then(|tab| tab.dyn_into::<HtmlElement>().ok())
        };
        let count = tabs.length() as usize;
        let focused = document().active_element();
        let current = (0..count).find(|at| {
            tab(*at)
                .is_some_and(|tab| focused.as_ref().is_some_and(|focused| focused == tab.as_ref()))
        });
        let next = current.and_then(|current| roving(&event.key(), current, count)).and_then(tab);
        if let Some(next) = next {
            event.prevent_default();
            let _ = next.focus();
            next.click();
        }
    };
    view! {
        <div class="tabs" role="tablist" aria-label=label node_ref=row on:keydown=on_key>
            {children()}
        </div>
    }
}

/// One tab.
#[component]
pub(crate) fn TabLink(
    /// Where it leads.
    #[prop(into)]
    href: String,
    /// The id of what it shows.
    controls: &'static str,
    /// Whether it is the one that is shown.
    #[prop(into)]
    selected: Signal<bool>,
    children: Children,
) -> impl IntoView {
    view! {
        <a
            role="tab"
            class="tab"
            href=href
            aria-controls=controls
            aria-selected=move || selected.get().to_string()
            tabindex=move || if selected.get() { "0" } else { "-1" }
        >
            {children()}
        </a>
    }
}
