//! What is thrown: an `Error` with a `code` that programs can rely on.

use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;

/// An `Error` with this `code`. The message is for people and may change.
pub(crate) fn failure(code: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    // A fresh Error takes any property.
    let _ = Reflect::set(&error, &"code".into(), &code.into());
    error.into()
}
