//! SHA-256 where it is cheapest, without holding up the page.

use js_sys::{ArrayBuffer, Uint8Array};
use leptos::prelude::window;
use skillglass::digest::{Digest, Hasher};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

use crate::browser;

/// From this size on the browser is asked, in bytes. In Chromium that takes 18 µs of this thread for 16 KiB, where hashing
/// here takes 57; at 4 KiB both take about as long.
const ASK_FROM: usize = 16 * 1024;

/// What the browser is given it copies first, at once. Beyond this size that would hold up the page, in bytes.
const ASK_UP_TO: usize = 16 * 1024 * 1024;

/// How much is hashed at a time where the browser is not asked, in bytes.
const SLICE: usize = 2 * 1024 * 1024;

/// The SHA-256 of `bytes`.
pub(crate) async fn sha256(bytes: &[u8]) -> Digest {
    if (ASK_FROM..=ASK_UP_TO).contains(&bytes.len())
        && let Some(digest) = by_browser(bytes).await
    {
        return digest;
    }
    let mut hasher = Hasher::new();
    for (number, slice) in bytes.chunks(SLICE).enumerate() {
        if number > 0 {
            browser::breathe().await;
        }
        hasher.update(slice);
    }
    hasher.finish()
}

/// What the browser says; none where it does not hash, as on pages that came over plain http.
async fn by_browser(bytes: &[u8]) -> Option<Digest> {
    if !window().is_secure_context() {
        return None;
    }
    let subtle = window().crypto().ok()?.subtle();
    let digest = subtle.digest_with_str_and_u8_array("SHA-256", bytes).ok()?;
    let digest: ArrayBuffer = JsFuture::from(digest).await.ok()?.dyn_into().ok()?;
    Some(Digest::from_bytes(Uint8Array::new(&digest).to_vec().try_into().ok()?))
}
