//! A part of a view that follows what it reads.

use leptos::prelude::*;

/// A part of a view that follows what it reads.
pub(crate) fn follow<V: IntoAny>(view: impl Fn() -> V + Send + 'static) -> AnyView {
    boxed(Box::new(move || view().into_any()))
}

/// One machinery for all of them: a browser would have to load it anew for each.
fn boxed(view: Box<dyn Fn() -> AnyView + Send>) -> AnyView {
    (move || view()).into_any()
}
