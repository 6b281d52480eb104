//! The npm package `skillglass`: decode the arguments, call the core, encode the answer.
//!
//! What a server sent comes in as the exact text or bytes, since a parsed JavaScript value has
//! already lost digits, repeated members and spellings. The `.d.ts` files document every function
//! for those who call it. Each feature makes one part of the package; the parts are modules of
//! their own for whoever downloads them.

#[cfg_attr(not(feature = "verify"), allow(dead_code, reason = "a part uses some of the shapes"))]
mod answer;
#[cfg_attr(not(feature = "verify"), allow(dead_code, reason = "a part uses some of the readers"))]
mod argument;
#[cfg(any(feature = "conformance", feature = "host"))]
mod carriage;
#[cfg(feature = "conformance")]
pub mod conformance;
mod failure;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "verify")]
mod platform;
#[cfg(feature = "protocol")]
pub mod protocol;
#[cfg(any(feature = "protocol", feature = "host"))]
mod shared;
#[cfg(feature = "verify")]
pub mod verify;
#[cfg(feature = "host")]
pub mod wire;

use wasm_bindgen::JsValue;

/// As quick as the standard library's, and three kilobytes less to download.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

type Answer = Result<JsValue, JsValue>;
