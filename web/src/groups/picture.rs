//! A picture in a text: shown from bytes that were read on the user's click, never loaded.

use leptos::prelude::*;

use crate::browser::BlobUrl;
use crate::elements::{Button, ServerText};
use crate::markdown::Target;
use crate::route::{Route, Tab};
use crate::run;
use crate::state::skill::{FileState, Skill, SkillFile};

/// The media type of an image by its name; none for what is not shown as one.
pub(crate) fn image_type(path: &str) -> Option<&'static str> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        // Inside of an image element an SVG runs nothing and loads nothing.
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

/// The place of a picture in a text.
#[component]
pub(crate) fn PicturePlace(
    /// The skill.
    skill: Skill,
    /// What its reference leads to.
    target: Target,
    /// The text that stands for it.
    alt: String,
) -> impl IntoView {
    let why = match target {
        Target::File(uri) => match skill.file(&uri) {
            Some(file) if image_type(&file.path).is_some() => {
                return view! { <Listed skill=skill file=file alt=alt/> }.into_any();
            }
            Some(_) => "not a picture this page shows",
            None => "not in the manifest",
        },
        Target::Web(_) => "on the web; this page loads nothing from there",
        Target::Unlisted(_) => "not in the manifest",
        Target::Outside => "outside of the skill",
        Target::Here | Target::Directory => "not a picture",
        Target::Dead(why) => why,
    };
    view! {
        <span class="dead-link">"Picture: " <ServerText text=alt/></span>
        <span class="link-note">{why}</span>
    }
    .into_any()
}

/// A picture that the manifest lists.
#[component]
fn Listed(skill: Skill, file: SkillFile, alt: String) -> impl IntoView {
    let href = {
        let tab = Tab::Files { open: Some(file.uri.to_string()) };
        Route::skill(&skill.server.label(), &skill.key(), tab).hash()
    };
    move || {
        let (file, alt, href) = (file.clone(), alt.clone(), href.clone());
        match file.state.get() {
            FileState::Read(read) if read.usable().is_some() => {
                let bytes = read.usable().cloned().unwrap_or_default();
                view! { <Image bytes=bytes path=file.path.to_string() alt=alt/> }.into_any()
            }
            state if state.is_absent() => view! {
                <Button class="button small" press=move || run::read_file(skill, file.clone())>
                    "Read the picture " <ServerText text=alt/>
                </Button>
            }
            .into_any(),
            FileState::Reading => "Reading the picture…".into_any(),
            _ => view! { <a href=href>"The picture is refused: " <ServerText text=alt/></a> }
                .into_any(),
        }
    }
}

/// A picture from bytes.
#[component]
pub(crate) fn Image(
    /// The bytes.
    bytes: std::sync::Arc<[u8]>,
    /// The file's path, whose ending names its type.
    path: String,
    /// The text that stands for it.
    alt: String,
) -> impl IntoView {
    let url = image_type(&path).and_then(|mime_type| BlobUrl::new(&bytes, mime_type));
    let src = url.as_ref().map(|url| url.as_str().to_owned());
    // The address lasts as long as the picture is shown.
    let url = StoredValue::new_local(url);
    on_cleanup(move || url.dispose());
    view! { <img class="image" src=src alt=alt/> }
}
