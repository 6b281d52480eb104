//! A list whose rows stay as they are while their keys do.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;

/// A row: what it is known by, and how it is made if it is not there yet.
pub(crate) struct Keyed {
    key: Arc<str>,
    make: Box<dyn FnOnce() -> AnyView + Send>,
}

impl Keyed {
    /// A row known by `key`.
    pub(crate) fn new<V: IntoAny>(
        key: impl Into<Arc<str>>,
        make: impl FnOnce() -> V + Send + 'static,
    ) -> Self {
        Self { key: key.into(), make: Box::new(move || make().into_any()) }
    }
}

/// How many rows are added to one frame, so that the browser lays out no more at a time.
const SLICE: usize = 100;

/// Rows that follow what `rows` reads; many come some at a time.
pub(crate) fn list(rows: impl Fn() -> Vec<Keyed> + Send + 'static) -> AnyView {
    boxed(Box::new(rows))
}

/// One machinery for all lists: a browser would have to load it anew for each type of row.
fn boxed(rows: Box<dyn Fn() -> Vec<Keyed> + Send>) -> AnyView {
    let (shown, set_shown) = signal(SLICE);
    let rows = move || {
        let mut rows = rows();
        if rows.len() > shown.get() {
            rows.truncate(shown.get());
            spawn_local(async move {
                browser::frame().await;
                set_shown.try_update(|shown| *shown += SLICE);
            });
        }
        rows
    };
    let key = |row: &Keyed| Arc::clone(&row.key);
    let children = |row: Keyed| (row.make)();
    view! { <For each=rows key=key children=children/> }.into_any()
}
