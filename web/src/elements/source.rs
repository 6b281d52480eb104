//! A text as it is, with line numbers, bounded.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, MouseEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::browser;
use crate::markdown::plain_text;
use crate::navigation;
use crate::state::app;
use crate::text::{head, thousands};

/// How much of a text is shown, in bytes.
pub(crate) const MAX_SHOWN: usize = 200_000;

/// How many of its lines are shown.
const MAX_LINES: usize = 5_000;

/// How many are added to one frame, so that the browser lays out no more at a time.
const SLICE: usize = 250;

/// A text with line numbers.
#[component]
pub(crate) fn Source<'t>(
    /// The text.
    text: &'t str,
    /// What it is called for screen readers.
    #[prop(into)]
    label: String,
    /// Whether links can point at its lines.
    #[prop(optional)]
    linked: bool,
) -> impl IntoView + use<> {
    let place = NodeRef::<html::Div>::new();
    let is_whole = RwSignal::new(false);
    let (shown, mut is_cut) = head(text, MAX_SHOWN);
    let shown = shown.to_owned();
    is_cut |= shown.lines().nth(MAX_LINES).is_some();
    let all = thousands(text.len() as u64);
    place.on_load(move |place| {
        spawn_local(async move {
            let mut lines = shown.lines().take(MAX_LINES).peekable();
            while lines.peek().is_some() && place.is_connected() {
                lines.by_ref().take(SLICE).for_each(|line| add_line(&place, line));
                browser::frame().await;
            }
            is_whole.try_set(true);
        });
    });
    if linked {
        let line = app().line;
        Effect::new(move |_| {
            let line = line.get();
            is_whole.track();
            if let Some(place) = place.get() {
                request_animation_frame(move || mark_line(&place, line));
            }
        });
    }
    let choose = move |event: MouseEvent| {
        if let Some(line) = clicked_line(&event).filter(|_| linked) {
            navigation::point_at(line);
        }
    };
    view! {
        <div class="source" class:linked=linked tabindex="0" role="region" aria-label=label node_ref=place on:click=choose></div>
        {is_cut.then(|| view! {
            <p class="cut-note">
                "Cut off here: the first " {thousands(MAX_SHOWN as u64)} " bytes or "
                {thousands(MAX_LINES as u64)} " lines of " {all} " bytes are shown. Download has all of it."
            </p>
        })}
    }
}

fn add_line(place: &Element, line: &str) {
    let Ok(row) = document().create_element("code") else { return };
    plain_text(&row, line);
    // An empty row would have no height.
    if line.is_empty() {
        row.set_text_content(Some("\n"));
    }
    let _ = place.append_child(&row);
}

/// How wide the numbers are, in CSS pixels.
const NUMBERS: i32 = 52;

/// The line whose number was clicked.
fn clicked_line(event: &MouseEvent) -> Option<usize> {
    let row: Element = event.target()?.dyn_into().ok()?;
    let is_number =
        row.parent_element()?.class_list().contains("source") && event.offset_x() < NUMBERS;
    let before =
        std::iter::successors(row.previous_element_sibling(), Element::previous_element_sibling);
    is_number.then(|| before.count() + 1)
}

/// Marks a line, and no other, and brings it into sight.
fn mark_line(place: &Element, line: Option<usize>) {
    const WANTED: &str = "wanted";
    if let Ok(Some(before)) = place.query_selector("code.wanted") {
        let _ = before.class_list().remove_1(WANTED);
    }
    let index = line.and_then(|line| u32::try_from(line - 1).ok());
    let Some(row) = index.and_then(|index| place.children().item(index)) else { return };
    let _ = row.class_list().add_1(WANTED);
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Center);
    row.scroll_into_view_with_scroll_into_view_options(&options);
}
