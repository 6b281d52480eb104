//! What the second file shows, or how far that is.

use leptos::prelude::*;
use skillglass::protocol::diagnosis::{Diagnosis, Place};
use wasm_bindgen::JsCast as _;
use web_sys::HtmlBodyElement;

use crate::browser;
use crate::elements::{Button, VerdictLine};
use crate::failure::Failure;
use crate::later::{Later, State};
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
    let frame = |content: AnyView| {
        view! {
            <div class="screen narrow">
                <h1 id=TITLE tabindex="-1">"One moment"</h1>
                {content}
            </div>
        }
        .into_any()
    };
    move || match later.state() {
        State::Ready(held) => {
            request_animation_frame(focus_title);
            view(held)
        }
        State::Failed => frame(view! { <NotLoaded/> }.into_any()),
        State::Absent | State::Loading => frame(view! { <Loading/> }.into_any()),
    }
}

/// The title that had the focus has made way for the screen's own.
fn focus_title() {
    let active = document().active_element();
    if active.is_none_or(|active| active.has_type::<HtmlBodyElement>()) {
        browser::focus(TITLE);
    }
}

#[component]
fn Loading() -> impl IntoView {
    view! { <div role="status"><VerdictLine mark=Mark::Busy text="Loading this part of Skillglass…"/></div> }
}

#[component]
fn NotLoaded() -> impl IntoView {
    let later = app().later;
    let Diagnosis { what, why, advice, .. } =
        Failure::NotLoaded.diagnose(Place { endpoint: "", origin: "" });
    view! {
        <section class="card failure" role="alert">
            <h3>{what}</h3>
            <div class="failure-body">
                <p>{why}</p>
                <p class="advice">{advice}</p>
                <p class="acts">
                    <Button class="button primary" press=move || later.begin()>"Try again"</Button>
                    <Button press=browser::reload>"Reload"</Button>
                </p>
            </div>
        </section>
    }
}
