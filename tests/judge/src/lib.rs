//! Runs a folder of cases: an `index.json` and the files it names.
//!
//! Each case has an `id`, a `kind`, a `file` and a `verdict`; some have `expect_frontmatter`. This
//! crate asks the core what it makes of the file and compares. It does no I/O: the caller hands it
//! the texts.

mod conversation;
mod kinds;

use skillglass::json;
use skillglass::value::Node;

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The case's id.
    pub id: String,
    /// Whether the core's verdict is an expected one.
    pub passed: bool,
    /// The verdict the case expects.
    pub expected: String,
    /// The core's verdict and what it rests on.
    pub got: String,
}

/// The core's word on a case.
struct Judged {
    verdict: &'static str,
    because: String,
}

impl Judged {
    fn new(verdict: &'static str, because: impl Into<String>) -> Self {
        Self { verdict, because: because.into() }
    }
}

/// Runs every case of `index`. `file` gives the bytes of a file of the folder.
///
/// # Errors
/// A sentence, if `index` is not a list of cases.
pub fn run(index: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<Outcome>, String> {
    let document = json::read(index).map_err(|error| format!("index.json: {error}"))?;
    let cases = document.root.as_array().ok_or("index.json: expected a list of cases")?;
    Ok(cases.iter().map(|case| run_case(case, file)).collect())
}

fn run_case(case: &Node<'_>, file: &dyn Fn(&str) -> Option<Vec<u8>>) -> Outcome {
    let text = |name: &str| case.get(name).and_then(Node::as_str).unwrap_or_default();
    let expected = text("verdict");
    let (passed, got) = match file(text("file")) {
        None => (false, format!("the file {} is missing", text("file"))),
        Some(bytes) => match kinds::judge(text("kind"), &bytes, case) {
            Ok(judged) => {
                let passed = is_expected(expected, judged.verdict);
                (passed, format!("{} ({})", judged.verdict, judged.because))
            }
            Err(reason) => (false, reason),
        },
    };
    Outcome { id: text("id").to_owned(), passed, expected: expected.to_owned(), got }
}

/// Whether the core's verdict satisfies the case's.
///
/// What is sound may still be worth a note; where readers may differ, reading with a warning and
/// refusing with a reason are both right; a bounded refusal is one with any reason.
fn is_expected(expected: &str, got: &str) -> bool {
    match expected {
        "valid" | "ok" | "verified" => got == expected || got == "note",
        "valid-warn" | "warn" => matches!(got, "warn" | "note"),
        "ambiguous" => matches!(got, "warn" | "note" | "invalid"),
        "refuse-bounded" => matches!(got, "limit" | "invalid"),
        "unverifiable" => matches!(got, "unverifiable" | "limit"),
        _ => expected == got,
    }
}
