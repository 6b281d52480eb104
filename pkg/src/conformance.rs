//! What `skillglass/conformance` has: whole conformance runs, their options, what they send, what
//! they come to.

use serde::Serialize;
use skillglass::conformance::{self, Options, Report, Scope, Selection, Terms, Visit, compare};
use skillglass::protocol;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Answer;
use crate::answer::{encode, nullable};
use crate::argument::{self, option};
use crate::carriage::{self, Outgoing};
use crate::failure::failure;

/// A visit to a server: what to send, and the report that what comes of it leads to.
#[wasm_bindgen]
pub struct ServerVisit {
    visit: Visit,
}

#[wasm_bindgen]
impl ServerVisit {
    /// A visit to the endpoint, or to whatever the caller sends to where that is `null`.
    #[wasm_bindgen(constructor)]
    pub fn new(endpoint: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let endpoint = argument::nullable_text(endpoint, "endpoint")?;
        let client = carriage::client(endpoint.as_deref(), options)?;
        Ok(Self { visit: Visit::new(client, terms(endpoint, options)?) })
    }

    /// The next request to carry, or `null`.
    #[wasm_bindgen(js_name = next)]
    pub fn next_errand(&mut self) -> Answer {
        match self.visit.next_errand() {
            Some(errand) => encode(&Outgoing::of(&errand)),
            None => Ok(JsValue::NULL),
        }
    }

    /// Takes status and headers of an answer.
    pub fn begin(
        &mut self,
        number: &JsValue,
        status: &JsValue,
        content_type: &JsValue,
        session: &JsValue,
        retry_after: &JsValue,
        challenge: &JsValue,
    ) -> Result<(), JsValue> {
        let head = carriage::head(status, content_type, session, retry_after, challenge)?;
        self.visit.begin(argument::count(number, "number")?, head);
        Ok(())
    }

    /// Takes the next bytes of an answer; whether no more of it is wanted.
    pub fn push(&mut self, number: &JsValue, bytes: &JsValue) -> Result<bool, JsValue> {
        let bytes = argument::bytes(bytes, "bytes")?;
        let progress = self.visit.push(argument::count(number, "number")?, &bytes);
        Ok(progress == protocol::Progress::Done)
    }

    /// An answer has come to its end.
    pub fn end(&mut self, number: &JsValue, now_ms: &JsValue) -> Result<(), JsValue> {
        let now_ms = argument::count(now_ms, "nowMs")?;
        self.visit.end(argument::count(number, "number")?, now_ms);
        Ok(())
    }

    /// An errand brought no answer.
    pub fn fail(
        &mut self,
        number: &JsValue,
        lack: &JsValue,
        reason: &JsValue,
    ) -> Result<(), JsValue> {
        let lack = carriage::lack(lack, reason)?;
        self.visit.fail(argument::count(number, "number")?, &lack);
        Ok(())
    }

    /// How far it is; `null` before the run has begun.
    #[wasm_bindgen(getter)]
    pub fn progress(&self) -> Answer {
        encode(&self.visit.progress())
    }

    /// Whether it waits for `resume`.
    #[wasm_bindgen(getter)]
    pub fn stopped(&self) -> bool {
        self.visit.is_stopped()
    }

    /// Asks for nothing more.
    pub fn stop(&mut self) {
        self.visit.stop();
    }

    /// Goes on.
    pub fn resume(&mut self) {
        self.visit.resume();
    }

    /// Asks for nothing more, and takes leave of the server.
    pub fn close(&mut self) {
        self.visit.close();
    }

    /// Why there is no conversation, or `null`.
    #[wasm_bindgen(getter)]
    pub fn failure(&self) -> JsValue {
        let trouble = self.visit.trouble();
        let message = trouble.map(|trouble| format!("the server cannot be talked to: {trouble}"));
        nullable(message.as_deref())
    }

    /// What is known so far; `null` before the run has begun.
    pub fn report(&self) -> Answer {
        encode(&self.visit.report())
    }
}

/// A report in the form of another tool.
#[wasm_bindgen(js_name = formatReportText)]
pub fn format_report(report: &JsValue, form: &JsValue, timestamp: &JsValue) -> Answer {
    let report = read(report, "report")?;
    let timestamp = argument::optional_text(timestamp, "timestamp")?;
    let text = match argument::text(form, "form")?.as_str() {
        "markdown" => report.markdown(),
        "junit" => report.junit(),
        "sarif" => report.sarif(),
        "suite" => report.suite_checks(&timestamp),
        other => return Err(argument::not_one_of("form", other)),
    };
    Ok(text.into())
}

/// What differs between two reports of one server.
#[wasm_bindgen(js_name = compareReportTexts)]
pub fn compare_reports(before: &JsValue, after: &JsValue) -> Answer {
    encode(&compare(&read(before, "before")?, &read(after, "after")?).changes)
}

/// Every check of the table.
#[wasm_bindgen(js_name = conformanceChecks)]
pub fn checks() -> Answer {
    encode(&conformance::CHECKS.iter().map(CheckLine::of).collect::<Vec<_>>())
}

fn read(report: &JsValue, name: &str) -> Result<Report, JsValue> {
    Report::from_json(&argument::text(report, name)?)
        .map_err(|error| failure("invalid-report", &format!("{name}: {error}")))
}

/// A check of the table.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckLine {
    id: &'static str,
    suite_id: Option<String>,
    level: skillglass::finding::Level,
    title: &'static str,
    why: &'static str,
    repair: &'static str,
}

impl CheckLine {
    fn of(check: &'static conformance::Check) -> Self {
        Self {
            id: check.id,
            suite_id: check.suite_id(),
            level: check.level,
            title: check.title,
            why: check.why,
            repair: check.repair,
        }
    }
}

fn terms(endpoint: Option<String>, options: &JsValue) -> Result<Terms, JsValue> {
    let texts = |name: &str| {
        option(options, name, |value, name| {
            argument::list(value, name, |it| argument::text(it, "an element"))
        })
    };
    let flag = |name: &str, otherwise: bool| {
        Ok::<_, JsValue>(option(options, name, argument::flag)?.unwrap_or(otherwise))
    };
    let count = |name: &str, otherwise: u64| {
        Ok::<_, JsValue>(option(options, name, argument::count)?.unwrap_or(otherwise))
    };
    let size = |name: &str, otherwise: usize| {
        Ok::<_, JsValue>(usize::try_from(count(name, otherwise as u64)?).unwrap_or(usize::MAX))
    };
    let selection =
        Selection::new(texts("only")?.unwrap_or_default(), texts("skip")?.unwrap_or_default());
    let usual = Options::default();
    Ok(Terms {
        era: carriage::era(options)?,
        both_eras: flag("bothEras", false)?,
        ask_first: flag("askFirst", false)?,
        scope: texts("skills")?.map_or(Scope::Server, Scope::Skills),
        selection: selection.map_err(|error| failure("invalid-argument", &error.to_string()))?,
        options: Options {
            address: endpoint,
            parallel: size("parallel", usual.parallel)?,
            provoke: flag("provoke", usual.provoke)?,
            twice: flag("twice", usual.twice)?,
            max_calls: size("maxRequests", usual.max_calls)?,
            max_bytes: count("maxBytes", usual.max_bytes)?,
            http: true,
            other_era: None,
        },
    })
}
