//! The few things this page asks of the browser itself.

use js_sys::{Array, Promise, Uint8Array};
use leptos::prelude::{document, window};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlElement, Storage, Url};

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    js_sys::Date::now() as u64
}

/// Milliseconds since this page was opened; for measuring.
pub(crate) fn clock() -> u64 {
    window().performance().map_or_else(now, |performance| performance.now() as u64)
}

/// The origin that servers see this page come from.
pub(crate) fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// Whether this page came over https.
pub(crate) fn is_https() -> bool {
    window().location().protocol().is_ok_and(|protocol| protocol == "https:")
}

/// Whether the browser knows itself to be offline.
pub(crate) fn is_offline() -> bool {
    !window().navigator().on_line()
}

/// Lets the browser paint and handle input before the work goes on.
pub(crate) async fn breathe() {
    let promise = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback(&resolve);
    });
    let _ = JsFuture::from(promise).await;
}

/// Lets time pass.
pub(crate) async fn sleep(ms: u64) {
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    let promise = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    let _ = JsFuture::from(promise).await;
}

/// Moves the focus to the element with this id, which the browser brings into sight.
pub(crate) fn focus(id: &str) {
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Puts text on the clipboard. Pages that came over plain http from elsewhere have none.
pub(crate) async fn copy(text: &str) -> Result<(), JsValue> {
    if !window().is_secure_context() {
        return Err(JsValue::NULL);
    }
    JsFuture::from(window().navigator().clipboard().write_text(text)).await.map(|_| ())
}

/// Storage of this browser, unless the user has turned it off.
pub(crate) fn local_storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// Storage of this tab, which survives a reload.
pub(crate) fn session_storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// Bytes under an address of their own, which ends when this is dropped.
pub(crate) struct BlobUrl(String);

impl BlobUrl {
    /// An address for `bytes` as `mime_type`.
    pub(crate) fn new(bytes: &[u8], mime_type: &str) -> Option<Self> {
        let parts = Array::of1(&Uint8Array::from(bytes));
        let options = BlobPropertyBag::new();
        options.set_type(mime_type);
        let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options).ok()?;
        Url::create_object_url_with_blob(&blob).ok().map(Self)
    }

    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Drop for BlobUrl {
    fn drop(&mut self) {
        let _ = Url::revoke_object_url(&self.0);
    }
}

/// Hands a file to the user. The bytes are given no type, so that nothing opens them by itself.
pub(crate) fn download(bytes: &[u8], name: &str) {
    let Some(url) = BlobUrl::new(bytes, "application/octet-stream") else { return };
    let anchor = document().create_element("a").ok().and_then(|a| a.dyn_into().ok());
    if let Some(anchor) = anchor as Option<HtmlAnchorElement> {
        anchor.set_href(url.as_str());
        anchor.set_download(name);
        anchor.click();
    }
}

/// The time as other tools write it, to the millisecond: `2026-07-28T12:00:00.000Z`.
pub(crate) fn iso_now() -> String {
    js_sys::Date::new_0().to_iso_string().into()
}

/// Lets the user print the page.
pub(crate) fn print() {
    let _ = window().print();
}

/// The host of a web address as the browser reads it: look-alike letters become visible in it.
pub(crate) fn host_of(address: &str) -> Option<String> {
    Url::new(address).ok().map(|url| url.host())
}
