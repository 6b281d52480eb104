//! What the second file shows, or how far that is.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlBodyElement;

use crate::browser;
use crate::elements::{Button, Glyph, VerdictLine};
use crate::later::{Later, NOT_LOADED, State};
use crate::mark::Mark;
use crate::screens::TITLE;
use crate::state::app;

/// A part of a screen that comes out of the second file.
#[component]
pub(crate) fn LaterPart(
    /// Makes it.
    view: impl Fn(&'static Later) -> AnyView + Send + 'static,
) -> impl IntoView {
    let later = app().later;
    later.begin();
    move || match later.state() {
        State::Ready(held) => view(held),
        State::Failed => view! { <NotLoaded/> }.into_any(),
        State::Absent | State::Loading => view! { <Loading/> }.into_any(),
    }
}

/// A screen that comes out of the second file.
#[component]
pub(crate) fn LaterScreen(
    /// Makes it.
    view: impl Fn(&'static Later) -> AnyView + Send + 'static,
) -> impl IntoView {
    let later = app().later;
    later.begin();
    move || match later.state() {
        State::Ready(held) => {
            request_animation_frame(focus_title);
            view(held)
        }
        State::Failed => frame("Not loaded", view! { <NotLoaded/> }.into_any()),
        State::Absent | State::Loading => frame("One moment", view! { <Loading/> }.into_any()),
    }
}

fn frame(title: &'static str, content: AnyView) -> AnyView {
    view! {
        <div class="screen narrow">
            <h1 id=TITLE tabindex="-1">{title}</h1>
            {content}
        </div>
    }
    .into_any()
}

/// The title that had the focus has made way for the screen's own.
fn focus_title() {
    let active = document().active_element();
    let is_lost = active.is_none_or(|active| active.has_type::<HtmlBodyElement>());
    // In one column the title of a server stands below its skills, which are seen from their top.
    if let Some(title) = browser::element(TITLE).filter(|_| is_lost) {
        browser::focus_in_place(&title);
    }
}

#[component]
fn Loading() -> impl IntoView {
    view! { <div role="status"><VerdictLine mark=Mark::Busy text="Loading this part of Skillglass…"/></div> }
}

#[component]
fn NotLoaded() -> impl IntoView {
    let later = app().later;
    view! {
        <section class="card failure" role="alert">
            <h3><Glyph mark=Mark::Bad/> {NOT_LOADED}</h3>
            <div class="failure-body">
                <p>
                    "Skillglass comes in two files. The second one did not come, or was not the one this page was built with, so it was not run."
                </p>
                <p class="advice">
                    "Try again. If that does not help, the host of this page cannot be reached, or has a newer version by now: reload the page."
                </p>
                <p class="acts">
                    <Button class="button primary" press=move || later.begin()>"Try again"</Button>
                    <Button press=browser::reload>"Reload"</Button>
                </p>
            </div>
        </section>
    }
}
