//! The inspector page: looks through an MCP server at its skills.

#![allow(unreachable_pub, reason = "`#[component]` writes `pub` into what it makes")]
#![allow(clippy::needless_pass_by_value, reason = "components are given their properties by value")]

mod app;
mod approvals;
mod bridge;
mod browser;
mod elements;
mod failure;
mod groups;
mod hash;
mod keys;
mod label;
#[allow(unsafe_code, reason = "`wasm_split` writes the calls between the two files")]
mod later;
mod local;
mod mark;
mod markdown;
mod navigation;
mod route;
mod run;
mod screens;
mod state;
mod text;
mod theme;
mod transport;
mod wire;

use leptos::mount::mount_to;
use leptos::prelude::document;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        say_that_it_stopped();
    }));
    let place = document().get_element_by_id("app");
    if let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) {
        mount_to(place, app::Page).forget();
    }
}

/// After a panic nothing works any more; a page that looks as if it did would mislead.
fn say_that_it_stopped() {
    let Ok(notice) = document().create_element("p") else { return };
    notice.set_class_name("stopped");
    let _ = notice.set_attribute("role", "alert");
    notice.set_text_content(Some(
        "Skillglass met an error of its own and stopped. Reload the page; the browser's console has the details, which belong in a bug report.",
    ));
    if let Some(body) = document().body() {
        let _ = body.append_child(&notice);
    }
}
