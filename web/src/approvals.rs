//! Where approvals are kept between visits: in this browser's database, by server and skill. What one is worth, core decides.

use js_sys::{Object, Promise, Reflect};
use leptos::prelude::window;
use skillglass::digest::Digest;
use skillglass::host::{Approval, OriginLabel};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "skillglass";

const STORE: &str = "approvals";

/// How much of a `SKILL.md` is kept with its approval, in bytes.
pub(crate) const MAX_TEXT: usize = 200_000;

/// An approval, and what was approved, to say later what has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Approved {
    /// The approval.
    pub(crate) approval: Approval,
    /// The entry as the server sent it.
    pub(crate) entry: String,
    /// The text of `SKILL.md`, where it was read and not too long.
    pub(crate) text: Option<String>,
    /// When, in milliseconds since 1970.
    pub(crate) at: u64,
}

/// The label that core knows the server at `endpoint` by. It does not tell the address, which may hold a secret.
///
/// # Panics
/// Never: hexadecimal digits make a label.
pub(crate) fn origin(endpoint: &str) -> OriginLabel {
    OriginLabel::new(&Digest::of(endpoint.as_bytes()).hex()).expect("64 digits make a label")
}

fn key(origin: &OriginLabel, uri: &str) -> JsValue {
    format!("{} {uri}", origin.as_str()).into()
}

/// The approval of a skill, if there is one that can be read.
pub(crate) async fn load(origin: &OriginLabel, uri: &str) -> Option<Approved> {
    let store = store(IdbTransactionMode::Readonly).await?;
    let record = done(&store.get(&key(origin, uri)).ok()?).await?;
    let text = |name: &str| Reflect::get(&record, &name.into()).ok()?.as_string();
    Some(Approved {
        approval: Approval::read(&text("approval")?).ok()?,
        entry: text("entry")?,
        text: text("text"),
        at: Reflect::get(&record, &"at".into()).ok()?.as_f64()? as u64,
    })
}

/// Keeps an approval; whether the browser did.
pub(crate) async fn keep(approved: &Approved) -> bool {
    let record = Object::new();
    let members = [
        ("approval", approved.approval.to_json().into()),
        ("entry", approved.entry.as_str().into()),
        ("text", approved.text.as_deref().map_or(JsValue::NULL, Into::into)),
        ("at", (approved.at as f64).into()),
    ];
    for (name, value) in members {
        let _ = Reflect::set(&record, &name.into(), &value);
    }
    let skill = approved.approval.skill();
    let key = key(skill.origin(), skill.uri());
    change(|store| store.put_with_key(&record, &key)).await
}

/// Forgets an approval; whether the browser did.
pub(crate) async fn forget(origin: &OriginLabel, uri: &str) -> bool {
    change(|store| store.delete(&key(origin, uri))).await
}

async fn change(change: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>) -> bool {
    let Some(store) = store(IdbTransactionMode::Readwrite).await else { return false };
    let Ok(request) = change(&store) else { return false };
    done(&request).await.is_some()
}

async fn store(mode: IdbTransactionMode) -> Option<IdbObjectStore> {
    let database = database().await?;
    let transaction = database.transaction_with_str_and_mode(STORE, mode).ok()?;
    transaction.object_store(STORE).ok()
}

async fn database() -> Option<IdbDatabase> {
    let request: IdbOpenDbRequest = window().indexed_db().ok()??.open_with_u32(DATABASE, 1).ok()?;
    let opening = request.clone();
    let lay_out = Closure::once(move || {
        let database = opening.result().ok().and_then(|it| it.dyn_into::<IdbDatabase>().ok());
        if let Some(database) = database {
            let _ = database.create_object_store(STORE);
        }
    });
    request.set_onupgradeneeded(Some(lay_out.as_ref().unchecked_ref()));
    done(&request).await?.dyn_into().ok()
}

/// What a request comes to; none if the browser refuses, as some do in private windows.
async fn done(request: &IdbRequest) -> Option<JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await.ok()?;
    request.result().ok()
}
