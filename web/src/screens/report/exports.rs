//! A report as a file: for people, for other tools, for later.

use leptos::prelude::*;
use leptos::{ev, html};
use skillglass::conformance::Report;
use wasm_bindgen::JsCast as _;
use web_sys::Node;

use crate::browser;
use crate::elements::Button;
use crate::state::server::Server;

/// A form of the report: its name, the end of the file's name, and how it is made.
pub(crate) type Form = (&'static str, &'static str, fn(&Report) -> String);

/// The forms.
pub(crate) const FORMS: [Form; 5] = [
    ("JSON", "report.json", Report::to_json),
    ("Markdown", "report.md", Report::markdown),
    ("JUnit XML", "junit.xml", Report::junit),
    ("SARIF", "report.sarif", Report::sarif),
    ("Official suite's checks.json", "checks.json", |report| {
        report.suite_checks(&browser::iso_now())
    }),
];

/// A menu of the forms.
#[component]
pub(super) fn Exports(server: Server) -> impl IntoView {
    let menu = NodeRef::<html::Details>::new();
    let summary = NodeRef::<html::Summary>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    let back = move || {
        close();
        if let Some(summary) = summary.get_untracked() {
            // Where it cannot be focused, nothing is lost.
            let _ = summary.focus();
        }
    };
    let elsewhere = window_event_listener(ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        if menu.get_untracked().is_some_and(|menu| !menu.contains(target.as_ref())) {
            close();
        }
    });
    on_cleanup(move || elsewhere.remove());
    let item = |name: &'static str, act: Callback<()>| {
        let press = move || {
            back();
            act.run(());
        };
        view! { <li><Button class="menu-item" press=press>{name}</Button></li> }
    };
    let save = |form: Form| item(form.0, Callback::new(move |()| save_report(server, form)));
    view! {
        <details
            class="menu"
            node_ref=menu
            on:keydown=move |event| if event.key() == "Escape" { back() }
        >
            <summary class="button" node_ref=summary>"Export"</summary>
            <ul>
                {FORMS.into_iter().map(save).collect_view()}
                {item("Print", Callback::new(|()| browser::print()))}
            </ul>
        </details>
    }
}

/// Saves the report of a server, if there is one.
pub(crate) fn save_report(server: Server, (_, end, make): Form) {
    let Some(report) = server.judging.report.get_untracked() else { return };
    let file = format!("{}-{end}", file_name(&server.label()));
    browser::download(make(&report).as_bytes(), &file);
    server.app().say(format!("{file} was saved."));
}

/// A label as every file system takes it.
fn file_name(label: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = label.chars().map(safe).take(80).collect();
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_file_names() {
        assert_eq!(file_name("demo:good"), "demo-good");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("a b\u{202e}"), "a-b");
    }
}
