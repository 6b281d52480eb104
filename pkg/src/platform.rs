//! SHA-256 as the platform computes it, where the host has lent it.
//!
//! A call out of WebAssembly costs more than hashing a few hundred bytes in it; from there on the
//! platform's machine code wins, and the bytes need not be copied.

use std::cell::RefCell;

use js_sys::{Function, Uint8Array};
use skillglass::digest::Digest;
use wasm_bindgen::JsValue;

use crate::argument;

/// From how many bytes on the platform is asked; `tests/bench` shows where the two meet.
const WORTHWHILE: u32 = 1024;

thread_local! {
    static HASH: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Takes a function that hashes bytes at once.
pub(crate) fn lend(sha256: Function) {
    HASH.set(Some(sha256));
}

/// The digest of bytes that are worth it; none where they are few, or nothing was lent.
pub(crate) fn digest(bytes: &Uint8Array) -> Result<Option<Digest>, JsValue> {
    if bytes.length() < WORTHWHILE {
        return Ok(None);
    }
    let Some(hash) = HASH.with_borrow(Clone::clone) else { return Ok(None) };
    let digest = hash.call1(&JsValue::UNDEFINED, bytes)?;
    argument::platform_digest(&digest, "what sha256 returned")
}
