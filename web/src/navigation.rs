//! Between the page's route and the address bar.

use leptos::ev;
use leptos::prelude::*;

use crate::route::Route;

/// Where the address bar says one is.
pub(crate) fn here() -> Route {
    Route::read(&window().location().hash().unwrap_or_default())
}

/// Goes to a place; the browser's back button leads back.
pub(crate) fn go(route: &Route) {
    let _ = window().location().set_hash(&route.hash());
}

/// Follows the address bar from now on.
pub(crate) fn follow(route: RwSignal<Route>) {
    window_event_listener(ev::hashchange, move |_| {
        let here = here();
        if route.with_untracked(|route| *route != here) {
            route.set(here);
        }
    });
}
