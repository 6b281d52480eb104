//! The report as Markdown.

use super::super::report::{CheckReport, Counts, Report};
use super::super::{Outcome, Subject, SubjectKind};
use super::{MAX_NAME, server};
use crate::finding::excerpt;

/// How many subjects of a check are told.
const MAX_SUBJECTS: usize = 20;

impl Report {
    /// The report as Markdown: what failed first, in full; what passed in one line each.
    ///
    /// What a server sent stands in code spans or is escaped: it forms no link, image, mention or
    /// HTML.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page =
            format!("# Conformance of {}\n\n{}\n\n", code(&server(self)), text(&self.summary));
        let mut line = |what: &str, value: String| page.push_str(&format!("- {what}: {value}\n"));
        if let Some(name) = &self.server.name {
            let version = self.server.version.as_deref().unwrap_or_default();
            line("Calls itself", code(&format!("{name} {version}")));
        }
        line("Revision", code(&self.revision));
        if let Some(scope) = &self.scope {
            line("Only", scope.iter().map(|uri| code(uri)).collect::<Vec<_>>().join(", "));
        }
        let traffic = &self.traffic;
        let looked_at = format!(
            "{} skills, {} files, {} calls, {} bytes",
            traffic.skills, traffic.files, traffic.calls, traffic.bytes
        );
        line("Looked at", looked_at);
        line("Made by", text(&self.tool));
        for outcome in Outcome::ALL {
            self.section(outcome, &mut page);
        }
        page
    }

    fn section(&self, outcome: Outcome, page: &mut String) {
        let checks: Vec<_> = self.checks.iter().filter(|check| check.outcome == outcome).collect();
        if checks.is_empty() {
            return;
        }
        let heading = match outcome {
            Outcome::Fail => "Failed",
            Outcome::Warn => "Warnings",
            Outcome::Untested => "Not tested",
            Outcome::Pass => "Passed",
            Outcome::NotApplicable => "Not applicable",
        };
        page.push_str(&format!("\n## {heading} ({})\n\n", checks.len()));
        for check in checks {
            if outcome >= Outcome::Warn {
                problem(check, page);
            } else {
                let reason = check
                    .reason
                    .as_deref()
                    .map_or_else(String::new, |reason| format!(": {}", text(reason)));
                let title = text(&check.title);
                let counts = match counted(&check.subjects) {
                    counts if outcome == Outcome::Untested && !counts.is_empty() => {
                        format!(" ({counts})")
                    }
                    _ => String::new(),
                };
                page.push_str(&format!("- {} {title}{reason}{counts}\n", code(&check.id)));
            }
        }
    }
}

fn problem(check: &CheckReport, page: &mut String) {
    page.push_str(&format!(
        "### {}\n\n{} · {} · [{}]({}) · {}\n\n{} {}\n\n",
        text(&check.failure),
        code(&check.id),
        check.level,
        text(&check.section.title),
        check.section.url.replace([')', ' ', '\n'], ""),
        counted(&check.subjects),
        text(&check.why),
        text(&check.repair),
    ));
    for result in check.results.iter().take(MAX_SUBJECTS) {
        page.push_str(&format!("- {}", subject(&result.subject)));
        match result.evidence.as_slice() {
            [] => page.push_str(&format!(
                ": {}\n",
                text(result.reason.as_deref().unwrap_or("not tested"))
            )),
            evidence => {
                page.push('\n');
                for evidence in evidence {
                    page.push_str(&format!("  - {}\n", text(&evidence.message)));
                    let mut line = |what: &str, value: &Option<String>, plain: bool| {
                        if let Some(value) = value {
                            let value = if plain { text(value) } else { code(value) };
                            page.push_str(&format!("    - {what}: {value}\n"));
                        }
                    };
                    line("expected", &evidence.expected, false);
                    line("came", &evidence.actual, false);
                    line("place", &evidence.pointer, false);
                    line("cause", &evidence.cause, true);
                    line("mend", &evidence.repair, true);
                    if let (Some(row), Some(column)) = (evidence.line, evidence.column) {
                        page.push_str(&format!("    - line {row}, column {column}\n"));
                    }
                    if let Some(exchange) = evidence.exchange {
                        page.push_str(&format!("    - exchange {exchange}\n"));
                    }
                }
            }
        }
    }
    let hidden = check.results.len().saturating_sub(MAX_SUBJECTS) as u64 + check.omitted;
    if hidden > 0 {
        page.push_str(&format!("- and {hidden} more\n"));
    }
    page.push('\n');
}

fn counted(counts: &Counts) -> String {
    let parts = Outcome::ALL.into_iter().filter(|outcome| counts.of(*outcome) > 0);
    let parts: Vec<_> =
        parts.map(|outcome| format!("{} {}", counts.of(outcome), outcome.word())).collect();
    parts.join(", ")
}

fn subject(subject: &Subject) -> String {
    match subject.kind {
        SubjectKind::Server => "the server".to_owned(),
        SubjectKind::Method => code(&subject.name),
        kind => format!("{} {}", kind.word(), code(&subject.name)),
    }
}

/// A text that means nothing to Markdown, nor to what makes links of mentions and addresses.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // A character reference is never part of a link, a mention or a tag.
            '&' | '<' | '>' | '@' | '#' => out.push_str(&format!("&#{};", character as u32)),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '!' | '~' | '(' | ')' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            // Addresses that are made links of as they stand.
            ':' if ends_in_scheme(&out) => out.push_str("&#58;"),
            '.' if ends_in(&out, "www") => out.push_str("&#46;"),
            other => out.push(other),
        }
    }
    out
}

fn ends_in_scheme(text: &str) -> bool {
    ["http", "https", "ftp", "mailto", "xmpp"].into_iter().any(|scheme| ends_in(text, scheme))
}

/// Whether a text ends in a word, in letters of any case.
fn ends_in(text: &str, word: &str) -> bool {
    let end = text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// A code span that nothing in it can end.
fn code(text: &str) -> String {
    let text = excerpt(text, MAX_NAME);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad =
        if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_text() {
        assert_eq!(text("a/b: skill://c"), "a/b: skill://c");
        assert_eq!(text("<b>*x*"), "&#60;b&#62;\\*x\\*");
        assert_eq!(text("@all see #1"), "&#64;all see &#35;1");
        assert_eq!(text("HTTPs://evil.example"), "HTTPs&#58;//evil.example");
        assert_eq!(text("![x](y)\n# z"), "\\!\\[x\\]\\(y\\) &#35; z");
        assert_eq!(text("www.x mailto:y"), "www&#46;x mailto&#58;y");
    }

    #[test]
    fn nothing_breaks_out_of_code() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(code(""), "`  `");
        assert_eq!(code("a\n\nb"), "`a\\n\\nb`");
    }
}
