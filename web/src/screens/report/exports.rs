//! A report as a file: for people, for other tools, for later.

use leptos::prelude::*;
use skillglass::conformance::Report;

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
    let item = |form: Form| {
        let save = move || save_report(server, form);
        view! { <li><Button class="menu-item" press=save>{form.0}</Button></li> }
    };
    view! {
        <details class="menu">
            <summary class="button">"Export"</summary>
            <ul>
                {FORMS.into_iter().map(item).collect_view()}
                <li><Button class="menu-item" press=browser::print>"Print"</Button></li>
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
