//! The page: as it was built into this program, or from a folder; with the headers of a careful host.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use crate::failure::Failure;
use crate::listen::text;

/// The files of the page by their paths; none where this program was built without it.
static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

const INDEX: &str = "index.html";

/// What the page is told of the bridge, in its own markup.
#[derive(Serialize)]
pub(super) struct Told<'a> {
    /// What every message over the bridge has to carry.
    pub(super) token: &'a str,
    /// The servers behind the bridge, by their numbers.
    pub(super) servers: Vec<ToldServer>,
}

/// A server behind the bridge.
#[derive(Serialize)]
pub(super) struct ToldServer {
    /// What the person calls it.
    pub(super) name: String,
    /// Its address without query, its program without arguments, or its folder.
    pub(super) what: String,
    /// Whether it is a program, which writes to its standard error and can be started again.
    pub(super) program: bool,
}

/// The page, as it is served. Its files are no secret; what it is told is.
pub(super) struct Page {
    files: HashMap<String, Bytes>,
    policy: String,
}

impl Page {
    /// The page in this program.
    pub(super) fn built_in() -> Result<Self, Failure> {
        let files = BUILT_IN.iter();
        Self::of(files.map(|(path, bytes)| ((*path).to_owned(), Bytes::from_static(bytes))))
            .ok_or_else(|| Failure::Usage(
                "This program was built without the page. In the project's folder, `cargo xtask install` builds both; or give the folder of a built page with --page.".to_owned(),
            ))
    }

    /// The page in a folder.
    pub(super) fn in_folder(folder: &Path) -> Result<Self, Failure> {
        let mut files = HashMap::new();
        for entry in fs::read_dir(folder).map_err(Failure::file("read", folder))? {
            let path = entry.map_err(Failure::file("read", folder))?.path();
            if let (true, Some(name)) =
                (path.is_file(), path.file_name().and_then(|it| it.to_str()))
            {
                let bytes = fs::read(&path).map_err(Failure::file("read", &path))?;
                files.insert(name.to_owned(), Bytes::from(bytes));
            }
        }
        let none = || format!("{} holds no {INDEX}; build the page there.", folder.display());
        Self::of(files).ok_or_else(|| Failure::Usage(none()))
    }

    fn of(files: impl IntoIterator<Item = (String, Bytes)>) -> Option<Self> {
        let files: HashMap<_, _> = files.into_iter().collect();
        let policy = policy(&String::from_utf8_lossy(files.get(INDEX)?));
        Some(Self { files, policy })
    }

    /// The same page, which knows of a bridge.
    pub(super) fn told(&self, told: &Told<'_>) -> Self {
        let told = serde_json::to_string(told).unwrap_or_default();
        let meta = format!("<meta name=\"skillglass-bridge\" content=\"{}\">", escaped(&told));
        let mut files = self.files.clone();
        if let Some(index) = files.get_mut(INDEX) {
            let html = String::from_utf8_lossy(index);
            *index = html.replacen("<title>", &format!("{meta}<title>"), 1).into();
        }
        Self { files, policy: self.policy.clone() }
    }

    /// A file by its path; the page itself for none.
    pub(super) fn answer(&self, path: &str) -> Response {
        let path = if path.is_empty() { INDEX } else { path };
        let Some(bytes) = self.files.get(path) else {
            return text(StatusCode::NOT_FOUND, "there is no such file here");
        };
        let headers = [
            (header::CONTENT_TYPE, Cow::from(content_type(path))),
            (header::CACHE_CONTROL, "no-store".into()),
            (header::CONTENT_SECURITY_POLICY, self.policy.clone().into()),
            (header::REFERRER_POLICY, "no-referrer".into()),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff".into()),
        ];
        let headers = headers.map(|(name, value)| (name, value.into_owned()));
        (headers, [("cross-origin-resource-policy", "same-origin")], bytes.clone()).into_response()
    }
}

/// The page's own policy, and what only a header can say.
fn policy(index: &str) -> String {
    let own = index.split_once("Content-Security-Policy\" content=\"").map(|(_, rest)| rest);
    let own = own.and_then(|rest| rest.split('"').next()).unwrap_or("default-src 'none'");
    format!("{own}; frame-ancestors 'none'")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// Text for the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: &str =
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'\"><title>";

    #[test]
    fn names_stay_inside_of_the_attribute() {
        let server = ToldServer { name: "\"><script>&".into(), what: "x".into(), program: true };
        let page = Page::of([(INDEX.to_owned(), HTML.into())]).unwrap();
        let page = page.told(&Told { token: "t", servers: vec![server] });
        let html = String::from_utf8_lossy(&page.files[INDEX]);
        assert!(
            html.contains("\\&quot;&gt;&lt;script&gt;&amp;") && !html.contains("<script"),
            "{html}"
        );
    }

    #[test]
    fn the_policy_is_the_pages_own_and_more() {
        assert_eq!(policy(HTML), "default-src 'self'; frame-ancestors 'none'");
        assert!(policy("").starts_with("default-src 'none'"));
    }

    #[test]
    fn nothing_but_the_files_of_the_page_is_there() {
        let page = Page::of([(INDEX.to_owned(), HTML.into())]).unwrap();
        assert_eq!(page.answer("").status(), 200);
        for path in ["../Cargo.toml", "/etc/passwd", "index.html/", "."] {
            assert_eq!(page.answer(path).status(), 404, "{path}");
        }
    }
}
