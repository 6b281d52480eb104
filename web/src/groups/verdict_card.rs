//! A file that may not be used: why, and what came all the same, plainly marked.

use std::borrow::Cow;
use std::sync::Arc;

use leptos::prelude::*;
use skillglass::verify::evidence;

use super::FindingCard;
use crate::elements::{Source, follow};
use crate::state::skill::{FileRead, SkillFile};
use crate::text::hex_dump;

/// How much of a file is shown in hexadecimal.
pub(crate) const HEX_BYTES: usize = 1024;

/// A refused or unjudged file.
#[component]
pub(crate) fn VerdictCard(
    /// The file.
    file: SkillFile,
    /// What came.
    read: Arc<FileRead>,
) -> impl IntoView {
    let findings = evidence::of_verdict(&file.path, &read.verdict);
    let exchange = file.exchange.get_value();
    let cards = findings
        .into_iter()
        .map(|finding| view! { <FindingCard finding=finding exchange=exchange/> });
    let came = read.bytes.clone().map(|bytes| view! { <WhatCame bytes=bytes/> });
    view! {
        <div class="refused">
            <h2 class="refused-lead">
                "A host must not use this file. Its content is not shown as the skill's."
            </h2>
            {cards.collect_view()}
            {came}
        </div>
    }
}

/// Bytes that are not the skill's. Nothing of them is rendered until the user opens it.
#[component]
fn WhatCame(bytes: Arc<[u8]>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let content = move || {
        is_open.get().then(|| {
            let text = std::str::from_utf8(&bytes).map(Cow::Borrowed);
            let text = text.unwrap_or_else(|_| hex_dump(&bytes, HEX_BYTES).into());
            view! { <Source text=&text label="What came, not the skill's content"/> }
        })
    };
    view! {
        <details
            class="what-came"
            on:toggle:target=move |event| is_open.set(event.target().has_attribute("open"))
        >
            <summary>"Show what came (not the skill's content)"</summary>
            {follow(content)}
        </details>
    }
}
