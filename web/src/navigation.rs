//! Between the page's route and the address bar.

use leptos::ev;
use leptos::prelude::*;

use crate::route::{Link, Route};
use crate::state::App;

/// Where the address bar says one is.
pub(crate) fn here() -> Link {
    Link::read(&window().location().hash().unwrap_or_default())
}

/// Goes to a place; the browser's back button leads back.
pub(crate) fn go(route: &Route) {
    let _ = window().location().set_hash(&route.hash());
}

/// Points at a line of the file that is open.
pub(crate) fn point_at(line: usize) {
    replace(&Link { line: Some(line), ..here() });
}

/// Follows the address bar from now on.
pub(crate) fn follow(app: App) {
    window_event_listener(ev::hashchange, move |_| arrive(app));
}

/// Shows what the address bar leads to. A link that names a server's address leads to that server, whatever it is called here.
pub(crate) fn arrive(app: App) {
    let link = here();
    if let Some(server) = link.at.as_ref().and_then(|at| app.server_at(at)) {
        let route = link.route.of_server(&server.label());
        return replace(&Link { route, at: None, ..link });
    }
    if app.at.with_untracked(|at| *at != link.at) {
        app.at.set(link.at);
    }
    if app.line.get_untracked() != link.line {
        app.line.set(link.line);
    }
    if app.route.with_untracked(|route| *route != link.route) {
        app.route.set(link.route);
    }
}

/// Goes to a place that takes the place of this one.
fn replace(link: &Link) {
    let _ = window().location().replace(&link.hash());
}
