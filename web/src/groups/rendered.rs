//! A Markdown text as it is meant to be read, with pictures and links made safe.

use leptos::html;
use leptos::mount::mount_to;
use leptos::prelude::*;

use crate::elements::follow;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, MouseEvent};

use super::picture::PicturePlace;
use crate::markdown::{Painting, Picture, paint};
use crate::state::skill::Skill;
use crate::text::head;

/// How much of a text is rendered, in bytes.
const MAX_RENDERED: usize = 200_000;

/// A Markdown text.
#[component]
pub(crate) fn Rendered<'t>(
    /// The skill it belongs to.
    skill: Skill,
    /// The path of its file.
    #[prop(into)]
    path: String,
    /// The text.
    text: &'t str,
) -> impl IntoView + use<> {
    let place = NodeRef::<html::Article>::new();
    let is_cut = RwSignal::new(false);
    let pictures = StoredValue::new_local(Vec::<Box<dyn std::any::Any>>::new());
    let (shown, too_long) = head(text, MAX_RENDERED);
    let shown = shown.to_owned();
    let owner = Owner::current().unwrap_or_default();
    place.on_load(move |article| {
        spawn_local(async move {
            let held = skill.held.get_untracked();
            let Some(entry) = held.entry() else { return };
            let (label, key) = (skill.server.label(), skill.key());
            let painting = Painting { entry, label: &label, key: &key, path: &path };
            let (places, complete) = paint(painting, &shown, article.unchecked_into()).await;
            is_cut.try_set(too_long || !complete);
            for Picture { place, target, alt } in places {
                let picture = move || view! { <PicturePlace skill=skill target=target alt=alt/> };
                let handle =
                    owner.with(|| mount_to(place.unchecked_into::<HtmlElement>(), picture));
                pictures.try_update_value(|pictures| pictures.push(Box::new(handle)));
            }
        });
    });
    let open = move |event: MouseEvent| {
        let clicked = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let link = clicked.and_then(|clicked| clicked.closest("a[data-file]").ok().flatten());
        let uri = link.and_then(|link| link.get_attribute("data-file"));
        if let Some(file) = uri.and_then(|uri| skill.file(&uri)) {
            file.open(skill);
        }
    };
    view! {
        <article class="prose" node_ref=place on:click=open></article>
        {follow(move || is_cut.get().then(|| view! {
            <p class="cut-note">
                "The text is too long to be rendered as a whole. Source shows more of it, and Download has all."
            </p>
        }))}
    }
}
