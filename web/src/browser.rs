//! The few things this page asks of the browser itself.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use leptos::prelude::{document, request_animation_frame, window, window_event_listener_untyped};
use skillglass::protocol::diagnosis::{Permission, Vantage};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, BroadcastChannel, FocusOptions, HtmlAnchorElement, HtmlElement,
    HtmlLinkElement, MessageEvent, Storage, Url,
};

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    js_sys::Date::now() as u64
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn since_opened() -> f64;
}

/// Milliseconds since this page was opened; for measuring.
pub(crate) fn clock() -> u64 {
    since_opened() as u64
}

/// The origin that servers see this page come from.
pub(crate) fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

thread_local! {
    /// The address that the page's own policy forbade last.
    static FORBIDDEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes what the page's own policy forbids, which requests do not say.
pub(crate) fn watch_policy() {
    window_event_listener_untyped("securitypolicyviolation", |event| {
        let forbidden = Reflect::get(&event, &"blockedURI".into()).ok();
        FORBIDDEN.set(forbidden.and_then(|address| address.as_string()));
    });
}

/// What this page knows of its own situation before a request to `endpoint`.
pub(crate) async fn vantage(endpoint: &str) -> Vantage {
    let origin = origin();
    Vantage {
        is_offline: !window().navigator().on_line(),
        is_forbidden_by_policy: FORBIDDEN
            .with_borrow(|address| address.as_deref() == Some(endpoint)),
        permission: permission(Permission::names(&origin, endpoint)).await,
        origin,
    }
}

/// What the browser says of the first of these permissions that it knows.
async fn permission(names: &[&str]) -> Permission {
    for name in names {
        if let Some(state) = permission_state(name).await {
            return match state.as_str() {
                "granted" => Permission::Granted,
                "denied" => Permission::Denied,
                _ => Permission::Prompt,
            };
        }
    }
    Permission::Unknown
}

/// Browsers throw at names they do not know.
async fn permission_state(name: &str) -> Option<String> {
    let permissions = Reflect::get(&window().navigator(), &"permissions".into()).ok()?;
    let query: Function = Reflect::get(&permissions, &"query".into()).ok()?.dyn_into().ok()?;
    let wanted = Object::new();
    Reflect::set(&wanted, &"name".into(), &name.into()).ok()?;
    let answer: Promise = query.call1(&permissions, &wanted).ok()?.dyn_into().ok()?;
    let status = JsFuture::from(answer).await.ok()?;
    Reflect::get(&status, &"state".into()).ok()?.as_string()
}

/// Lets the browser paint and handle input before the work goes on.
pub(crate) async fn breathe() {
    let promise = yielded().unwrap_or_else(|| {
        Promise::new(&mut |resolve, _| {
            let _ = window().set_timeout_with_callback(&resolve);
        })
    });
    let _ = JsFuture::from(promise).await;
}

thread_local! {
    /// Where the work waits that goes on with the next frame.
    static FRAME: RefCell<Option<Gate>> = const { RefCell::new(None) };
    /// Whether the page is being put on paper.
    static ON_PAPER: Cell<bool> = const { Cell::new(false) };
}

/// Lets the browser show what the document holds by now. As long as nobody sees the page, it does not; and paper is
/// laid out before the next frame, so nothing waits for that then.
pub(crate) async fn frame() {
    if ON_PAPER.get() {
        return;
    }
    let frame = FRAME.with_borrow_mut(|frame| {
        let begun = || {
            request_animation_frame(begin_frame);
            Gate::new()
        };
        frame.get_or_insert_with(begun).clone()
    });
    frame.opened().await;
}

/// Lets the work go on that waits for a frame.
fn begin_frame() {
    if let Some(frame) = FRAME.take() {
        frame.open();
    }
}

/// Says whether the page is being put on paper, where all of it has to be before the browser goes on.
pub(crate) fn put_on_paper(is_on_paper: bool) {
    ON_PAPER.set(is_on_paper);
    if is_on_paper {
        begin_frame();
    }
}

/// How many bytes of an answer are read before the browser has its turn.
pub(crate) const READ_AT_ONCE: usize = 256 * 1024;

/// Work on bytes that come faster than it is done. Where they lie ready, waiting for them gives the browser no turn.
#[derive(Default)]
pub(crate) struct Pace(usize);

impl Pace {
    /// So many bytes more are going to be worked on, after the browser had its turn where that is due.
    pub(crate) async fn take(&mut self, bytes: usize) {
        self.0 += bytes;
        if self.0 >= READ_AT_ONCE {
            self.0 -= READ_AT_ONCE;
            breathe().await;
        }
    }
}

/// What `scheduler.yield` gives: work that goes on before other work, where a timer would put it behind all.
fn yielded() -> Option<Promise> {
    let scheduler = Reflect::get(&window(), &"scheduler".into()).ok()?;
    let yields: Function = Reflect::get(&scheduler, &"yield".into()).ok()?.dyn_into().ok()?;
    yields.call0(&scheduler).ok()?.dyn_into().ok()
}

/// Lets time pass.
pub(crate) async fn sleep(ms: u64) {
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    let promise = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    let _ = JsFuture::from(promise).await;
}

/// The element with this id.
pub(crate) fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Moves the focus to the element with this id, which the browser brings into sight.
pub(crate) fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

/// Gives the focus to an element without bringing it into sight.
pub(crate) fn focus_in_place(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
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

/// Random bytes that nobody can guess.
///
/// # Panics
/// Where the browser has none to give, which none does.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let crypto = window().crypto().expect("every browser has a source of random bytes");
    crypto.get_random_values_with_u8_array(&mut bytes).expect("the source gives bytes");
    bytes
}

/// The address of a file that lies beside this page.
pub(crate) fn beside_page(file: &str) -> String {
    let here = window().location().href().unwrap_or_default();
    Url::new_with_base(file, &here).map(|url| url.href()).unwrap_or_default()
}

/// The address of a place in this page, for others.
pub(crate) fn address_of(hash: &str) -> String {
    let here = window().location().href().unwrap_or_default();
    format!("{}{hash}", here.split('#').next().unwrap_or_default())
}

/// Where the page's own link with this relation leads, if it has one.
pub(crate) fn link(relation: &str) -> Option<String> {
    let link = document().query_selector(&format!("link[rel=\"{relation}\"]")).ok().flatten()?;
    link.dyn_into::<HtmlLinkElement>().ok().map(|link| link.href())
}

/// Opens a window that cannot reach back into this page; whether the browser allowed it.
pub(crate) fn open_window(url: &str) -> bool {
    const FEATURES: &str = "popup,width=520,height=720";
    let opened = window().open_with_url_and_target_and_features("", "_blank", FEATURES);
    let Some(opened) = opened.ok().flatten() else { return false };
    // With `noopener` nobody would learn whether the window was blocked.
    opened.set_opener(&JsValue::NULL).and(opened.location().replace(url)).is_ok()
}

/// Loads this page anew.
pub(crate) fn reload() {
    let _ = window().location().reload();
}

/// Leaves this page for another.
pub(crate) fn go_to(url: &str) {
    let _ = window().location().assign(url);
}

/// Something that several wait for.
#[derive(Clone)]
pub(crate) struct Gate {
    promise: Promise,
    open: Option<Function>,
}

impl Gate {
    /// A gate that is closed.
    pub(crate) fn new() -> Self {
        let mut open = None;
        let promise = Promise::new(&mut |resolve, _| open = Some(resolve));
        Self { promise, open }
    }

    /// Opens it, for good.
    pub(crate) fn open(&self) {
        if let Some(open) = &self.open {
            let _ = open.call0(&JsValue::NULL);
        }
    }

    /// Waits until it is open.
    pub(crate) async fn opened(&self) {
        let _ = JsFuture::from(self.promise.clone()).await;
    }
}

/// Between all pages of this one's origin.
#[derive(Clone)]
pub(crate) struct Channel(BroadcastChannel);

impl Channel {
    /// The channel with this name.
    pub(crate) fn open(name: &str) -> Option<Self> {
        BroadcastChannel::new(name).ok().map(Self)
    }

    /// Says something to the other pages.
    pub(crate) fn send(&self, text: &str) {
        let _ = self.0.post_message(&text.into());
    }

    /// Hears what the others say, as long as this page lives.
    pub(crate) fn listen(self, heard: impl Fn(&Self, &str) + 'static) {
        let channel = self.0.clone();
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                heard(&self, &text);
            }
        });
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        listener.forget();
    }
}

/// The host of a web address as the browser reads it: look-alike letters become visible in it.
pub(crate) fn host_of(address: &str) -> Option<String> {
    Url::new(address).ok().map(|url| url.host())
}
