//! The report as JUnit XML, which continuous integration shows.

use super::super::report::{CheckReport, Report};
use super::super::{Outcome, Subject};
use super::{sentences, server, shown};

impl Report {
    /// The report as JUnit XML.
    ///
    /// A check without problems is one test case; one with problems is a test case for each
    /// subject. What failed is a failure; what is untested is an error, since it is not known; a
    /// warning passes and says so in its output; what does not apply is skipped.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut cases = String::new();
        let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
        let mut case =
            |check: &CheckReport, subject: Option<&Subject>, outcome, lines: &[String]| {
                tests += 1;
                let name = match subject {
                    Some(subject) => format!("{}: {}", check.id, shown(subject)),
                    None => check.id.clone().into_owned(),
                };
                let first = lines.first().map_or("", String::as_str);
                let inner = match outcome {
                    Outcome::Pass => String::new(),
                    Outcome::Fail => {
                        failures += 1;
                        let all = format!("{}\n{}\n{}", lines.join("\n"), check.why, check.repair);
                        element("failure", first, &all)
                    }
                    Outcome::Untested => {
                        errors += 1;
                        element("error", first, "not tested")
                    }
                    Outcome::Warn => {
                        let all = format!("warning: {}\n{}", lines.join("\n"), check.repair);
                        format!("<system-out>{}</system-out>", escape(&all))
                    }
                    Outcome::NotApplicable => {
                        skipped += 1;
                        format!("<skipped message=\"{}\"/>", escape(first))
                    }
                };
                cases.push_str(&format!(
                    "    <testcase classname=\"{}\" name=\"{}\">{inner}</testcase>\n",
                    escape(&check.section.title),
                    escape(&name),
                ));
            };
        for check in &self.checks {
            if check.results.is_empty() {
                let reason: Vec<_> = check.reason.iter().cloned().collect();
                case(check, None, check.outcome, &reason);
            }
            for result in &check.results {
                case(check, Some(&result.subject), result.outcome, &sentences(check, result));
            }
        }
        let counts = format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
        );
        let name = escape(&format!("Skills over MCP: {}", server(self)));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{name}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
        )
    }
}

fn element(name: &str, message: &str, text: &str) -> String {
    format!("<{name} message=\"{}\">{}</{name}>", escape(message), escape(text))
}

/// A text for XML 1.0: markup escaped, characters that it cannot hold replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            control if control < ' ' => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_one_of_xml() {
        assert_eq!(
            escape("<a b=\"c\">&\u{0}\u{b}\n]]>"),
            "&lt;a b=&quot;c&quot;&gt;&amp;\u{fffd}\u{fffd}&#10;]]&gt;"
        );
        assert_eq!(escape("é😀\u{ffff}"), "é😀\u{fffd}");
    }
}
