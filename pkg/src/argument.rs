//! What comes in. JavaScript checks no types, so each argument is checked here.

use js_sys::{ArrayBuffer, Function, JsString, Object, Reflect, Uint8Array};
use skillglass::digest::Digest;
use wasm_bindgen::{JsCast, JsValue};

use crate::failure::failure;

const INVALID: &str = "invalid-argument";

/// How many code units or bytes an argument may have: twice the longest answer a host need take. The memory of a module ends at
/// 4 GiB, and a module that runs out of it is of no use any more.
const MAX_LENGTH: u32 = 256 << 20;

/// Refuses an argument with which the memory could end.
fn bounded(length: u32, name: &str) -> Result<(), JsValue> {
    if length <= MAX_LENGTH {
        return Ok(());
    }
    Err(failure("too-large", &format!("{name} is longer than 256 MiB")))
}

/// A string without halves of surrogate pairs, which have no UTF-8 form and would be replaced.
pub(crate) fn text(value: &JsValue, name: &str) -> Result<String, JsValue> {
    let string: &JsString =
        value.dyn_ref().ok_or_else(|| failure(INVALID, &format!("{name} must be a string")))?;
    bounded(string.length(), name)?;
    if !string.is_well_formed() {
        return Err(failure("not-unicode", &format!("{name} holds half a surrogate pair")));
    }
    Ok(string.into())
}

/// As [`text`], where the argument may be left out.
pub(crate) fn optional_text(value: &JsValue, name: &str) -> Result<String, JsValue> {
    if value.is_undefined() { Ok(String::new()) } else { text(value, name) }
}

/// A `Uint8Array`, where it is.
pub(crate) fn view<'v>(value: &'v JsValue, name: &str) -> Result<&'v Uint8Array, JsValue> {
    if !is_byte_array(value) {
        return Err(failure(INVALID, &format!("{name} must be a Uint8Array")));
    }
    Ok(value.unchecked_ref())
}

/// A copy of the bytes of a `Uint8Array`.
pub(crate) fn bytes(value: &JsValue, name: &str) -> Result<Vec<u8>, JsValue> {
    copy(view(value, name)?, name)
}

/// The bytes, in the memory of this module.
pub(crate) fn copy(view: &Uint8Array, name: &str) -> Result<Vec<u8>, JsValue> {
    bounded(view.length(), name)?;
    Ok(view.to_vec())
}

/// Asks for what a byte array has, not for its class: classes differ between realms, and test
/// runners and frames hand arrays across.
fn is_byte_array(value: &JsValue) -> bool {
    let element_size = || Reflect::get(value, &"BYTES_PER_ELEMENT".into()).ok()?.as_f64();
    ArrayBuffer::is_view(value) && element_size() == Some(1.0)
}

/// A file: its bytes, or its text, which stands for its UTF-8.
pub(crate) fn file(value: &JsValue, name: &str) -> Result<Vec<u8>, JsValue> {
    if value.is_string() { text(value, name).map(String::into_bytes) } else { bytes(value, name) }
}

/// A digest in the extension's spelling.
pub(crate) fn digest(value: &JsValue, name: &str) -> Result<Digest, JsValue> {
    text(value, name)?
        .parse()
        .map_err(|error| failure("invalid-digest", &format!("{name} is not a digest: {error}")))
}

/// A SHA-256 that the platform computed, as text or as its 32 bytes; none where it is left out.
pub(crate) fn platform_digest(value: &JsValue, name: &str) -> Result<Option<Digest>, JsValue> {
    if value.is_undefined() {
        return Ok(None);
    }
    if value.is_string() {
        return digest(value, name).map(Some);
    }
    let bytes = bytes(value, name)?;
    let bytes: [u8; 32] = bytes
        .try_into()
        .map_err(|_| failure("invalid-digest", &format!("{name} must have 32 bytes")))?;
    Ok(Some(Digest::from_bytes(bytes)))
}

/// A function.
pub(crate) fn function(value: &JsValue, name: &str) -> Result<Function, JsValue> {
    let function: Option<&Function> = value.dyn_ref();
    function.cloned().ok_or_else(|| failure(INVALID, &format!("{name} must be a function")))
}

/// A whole number that is not negative.
pub(crate) fn count(value: &JsValue, name: &str) -> Result<u64, JsValue> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    let count =
        value.as_f64().filter(|count| count.fract() == 0.0 && (0.0..=MAX_SAFE).contains(count));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in the range of safe integers"
    )]
    count.map(|count| count as u64).ok_or_else(|| {
        failure(INVALID, &format!("{name} must be a whole number from 0 up to 2^53 - 1"))
    })
}

/// The members of an object: names, such as file URIs, and, not yet looked at, their values.
pub(crate) fn members(value: &JsValue, name: &str) -> Result<Vec<(String, JsValue)>, JsValue> {
    if !value.is_object() {
        return Err(failure(INVALID, &format!("{name} must be an object")));
    }
    Object::entries(value.unchecked_ref())
        .iter()
        .map(|entry| {
            let entry: js_sys::Array = entry.unchecked_into();
            Ok((text(&entry.get(0), "a name")?, entry.get(1)))
        })
        .collect()
}

/// `true` or `false`.
#[cfg(feature = "conformance")]
pub(crate) fn flag(value: &JsValue, name: &str) -> Result<bool, JsValue> {
    value.as_bool().ok_or_else(|| failure(INVALID, &format!("{name} must be true or false")))
}

/// What is thrown for a word that is none of those an argument may be.
#[cfg(any(feature = "conformance", feature = "host"))]
pub(crate) fn not_one_of(name: &str, word: &str) -> JsValue {
    failure(INVALID, &format!("{name} cannot be {}", skillglass::finding::quote(word)))
}

#[cfg(any(feature = "protocol", feature = "conformance", feature = "host"))]
pub(crate) use more::*;

/// What only the larger modules take.
#[cfg(any(feature = "protocol", feature = "conformance", feature = "host"))]
mod more {
    use js_sys::Array;
    use skillglass::host::OriginLabel;
    use skillglass::protocol::Call;

    use super::{INVALID, JsCast, JsValue, Reflect, failure, text};

    /// A member of an object; undefined where it has none.
    pub(crate) fn member(object: &JsValue, name: &str, member: &str) -> Result<JsValue, JsValue> {
        if !object.is_object() {
            return Err(failure(INVALID, &format!("{name} must be an object")));
        }
        Reflect::get(object, &member.into())
    }

    /// A member of the options, if it is there.
    #[cfg(any(feature = "conformance", feature = "host"))]
    pub(crate) fn option<T>(
        options: &JsValue,
        name: &str,
        read: impl FnOnce(&JsValue, &str) -> Result<T, JsValue>,
    ) -> Result<Option<T>, JsValue> {
        let value = member(options, "options", name)?;
        if value.is_undefined() { Ok(None) } else { read(&value, name).map(Some) }
    }

    /// The elements of an array.
    pub(crate) fn list<T>(
        value: &JsValue,
        name: &str,
        read: impl Fn(&JsValue) -> Result<T, JsValue>,
    ) -> Result<Vec<T>, JsValue> {
        if !Array::is_array(value) {
            return Err(failure(INVALID, &format!("{name} must be an array")));
        }
        value.unchecked_ref::<Array>().iter().map(|element| read(&element)).collect()
    }

    /// As [`text`], where `null` stands for none.
    pub(crate) fn nullable_text(value: &JsValue, name: &str) -> Result<Option<String>, JsValue> {
        if value.is_null() { Ok(None) } else { text(value, name).map(Some) }
    }

    /// An HTTP status.
    pub(crate) fn status(value: &JsValue, name: &str) -> Result<u16, JsValue> {
        let status = value.as_f64().filter(|status| status.fract() == 0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in the range of HTTP's statuses"
        )]
        status
            .filter(|status| (100.0..=999.0).contains(status))
            .map(|status| status as u16)
            .ok_or_else(|| failure(INVALID, &format!("{name} must be an HTTP status")))
    }

    /// What a request of one of the extension's methods, or of `resources/read`, asks. None for
    /// any other method.
    pub(crate) fn call(method: &str, params: &JsValue) -> Result<Option<Call>, JsValue> {
        let uri = || text(&member(params, "request.params", "uri")?, "request.params.uri");
        let cursor = || {
            let cursor = member(params, "request.params", "cursor")?;
            if cursor.is_undefined() {
                return Ok(None);
            }
            text(&cursor, "request.params.cursor").map(Some)
        };
        Ok(Some(match method {
            "skills/list" => Call::ListSkills { cursor: cursor()? },
            "skills/get" => Call::GetSkill { uri: uri()? },
            "resources/read" => Call::ReadResource { uri: uri()? },
            "resources/directory/read" => Call::ReadDirectory { uri: uri()?, cursor: cursor()? },
            _ => return Ok(None),
        }))
    }

    /// What the host calls a server.
    pub(crate) fn origin(value: &JsValue) -> Result<OriginLabel, JsValue> {
        OriginLabel::new(&text(value, "origin")?)
            .map_err(|error| failure("invalid-origin", &format!("origin is no label: {error}")))
    }
}

#[cfg(feature = "protocol")]
pub(crate) use protocol::{era, request};

/// What only `skillglass/protocol` takes.
#[cfg(feature = "protocol")]
mod protocol {
    use skillglass::protocol::{Call, Era};

    use super::{JsValue, call, count, member, text};

    /// The id of a JSON-RPC request, and the question, where the extension says how it is refused.
    pub(crate) fn request(value: &JsValue) -> Result<(Option<u64>, Option<Call>), JsValue> {
        let id = member(value, "request", "id")?;
        let id = if id.is_undefined() { None } else { Some(count(&id, "request.id")?) };
        let method = text(&member(value, "request", "method")?, "request.method")?;
        if method == "skills/list" {
            return Ok((id, None));
        }
        Ok((id, call(&method, &member(value, "request", "params")?)?))
    }

    /// The era of the revision that was negotiated; the newest where it is left out.
    pub(crate) fn era(value: &JsValue) -> Result<Era, JsValue> {
        if value.is_undefined() {
            return Ok(Era::Modern);
        }
        Ok(Era::of(&text(value, "protocolVersion")?))
    }
}

#[cfg(feature = "host")]
pub(crate) use host::*;

/// What only `skillglass/host` takes.
#[cfg(feature = "host")]
mod host {
    use std::collections::BTreeSet;

    use skillglass::host::{Limits, PermissionRequest, Policy, RequestKind, SkillId};

    use super::{INVALID, JsValue, count, failure, list, member, origin, text};

    /// A skill: what the host calls its server, and the URI of its `SKILL.md`.
    pub(crate) fn skill(value: &JsValue) -> Result<SkillId, JsValue> {
        let label = origin(&member(value, "skill", "origin")?)?;
        let uri = text(&member(value, "skill", "uri")?, "skill.uri")?;
        SkillId::new(&label, &uri).map_err(|error| {
            let message = format!("skill.uri is not the URI of a SKILL.md: {error}");
            failure("invalid-skill-uri", &message)
        })
    }

    /// What is to be granted to a skill.
    pub(crate) fn granted(value: &JsValue) -> Result<BTreeSet<PermissionRequest>, JsValue> {
        let mut granted = BTreeSet::new();
        granted.extend(list(value, "granted", permission)?);
        Ok(granted)
    }

    /// One thing a skill asks for.
    pub(crate) fn permission(value: &JsValue) -> Result<PermissionRequest, JsValue> {
        let id = text(&member(value, "a request", "kind")?, "a request's kind")?;
        let kind = RequestKind::ALL.into_iter().find(|kind| kind.id() == id);
        let kind = kind.ok_or_else(|| failure(INVALID, "there is no such kind of request"))?;
        Ok(PermissionRequest {
            kind,
            text: text(&member(value, "a request", "text")?, "its text")?,
        })
    }

    /// What a host decides for itself.
    pub(crate) fn policy(value: &JsValue) -> Result<Policy, JsValue> {
        let member = |name| member(value, "policy", name);
        let default = Policy::default();
        let flag = |name, default| {
            let flag = member(name)?;
            if flag.is_undefined() {
                return Ok(default);
            }
            flag.as_bool().ok_or_else(|| failure(INVALID, &format!("{name} must be a boolean")))
        };
        let number = |name, default| {
            let number = member(name)?;
            if number.is_undefined() { Ok(default) } else { count(&number, name) }
        };
        let files = number("maxFiles", default.limits.files() as u64)?;
        let bytes = number("maxBytes", default.limits.bytes())?;
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        Ok(Policy {
            ask: flag("ask", default.ask)?,
            dynamic: flag("dynamic", default.dynamic)?,
            keep_ms: number("keepMs", default.keep_ms)?,
            limits: Limits::new(files, bytes),
        })
    }
}
