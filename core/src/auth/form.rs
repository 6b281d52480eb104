//! `application/x-www-form-urlencoded`: what authorization servers read and write.

use std::fmt::Write as _;

use crate::uri::decode_lossy;

/// The media type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// A name or value as a form writes it.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'*' | b'-' | b'.' | b'_' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            // Writing to a String cannot fail.
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

/// All pairs as one form.
pub(super) fn write(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.join("&")
}

/// The pairs of a form or of a URL's query, undecodable bytes as U+FFFD.
pub(super) fn read(form: &str) -> impl Iterator<Item = (String, String)> {
    let decode = |text: &str| decode_lossy(&text.replace('+', " "));
    form.split('&').filter(|pair| !pair.is_empty()).map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let form = write(&[("a b", "é&=+%"), ("", "*-._~")]);
        assert_eq!(form, "a+b=%C3%A9%26%3D%2B%25&=*-._%7E");
        let pairs: Vec<_> = read(&form).collect();
        assert_eq!(pairs, [("a b".into(), "é&=+%".into()), (String::new(), "*-._~".into())]);
        assert_eq!(
            read("&x&y=%zz").collect::<Vec<_>>(),
            [("x".into(), String::new()), ("y".into(), "%zz".into())]
        );
    }
}
