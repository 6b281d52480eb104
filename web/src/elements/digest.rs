//! A SHA-256 to be told apart at a glance, and copied whole.

use leptos::prelude::*;

use super::CopyButton;
use crate::text::short_digest;

/// A digest.
#[component]
pub(crate) fn Digest(
    /// The digest.
    digest: skillglass::digest::Digest,
) -> impl IntoView {
    let whole = digest.to_string();
    view! {
        <span class="digest">
            <code title=whole.clone()>{short_digest(&digest.hex())}</code>
            <CopyButton text=whole label="Copy the whole digest" small=true/>
        </span>
    }
}
