//! Light, dark, or as the system has it.

use leptos::prelude::*;

use crate::elements::follow;

use crate::browser;
use crate::state::app;

/// Where the choice is kept.
const KEPT: &str = "skillglass.theme";

/// The colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has them.
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The choice of an earlier visit.
    pub(crate) fn kept() -> Self {
        let kept =
            browser::local_storage().and_then(|storage| storage.get_item(KEPT).ok().flatten());
        match kept.as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::Auto,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// The styles do the rest.
    fn apply(self) {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", self.name());
        }
        if let Some(storage) = browser::local_storage() {
            let _ = storage.set_item(KEPT, self.name());
        }
    }
}

/// Goes through the three.
#[component]
pub(crate) fn ThemeSwitch() -> impl IntoView {
    let theme = app().theme;
    Effect::new(move |_| theme.get().apply());
    view! {
        <button
            type="button"
            class="tool"
            aria-label=move || format!("Colours: {}", theme.get().name())
            title="Light, dark, or as the system has it"
            on:click=move |_| theme.update(|theme| *theme = theme.next())
        >
            {follow(move || match theme.get() {
                Theme::Auto => "Auto",
                Theme::Light => "Light",
                Theme::Dark => "Dark",
            })}
        </button>
    }
}
