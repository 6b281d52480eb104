//! Exchanges as an HTTP archive (HAR 1.2), which browsers' network panels and many tools open.
//!
//! HAR leaves members that begin with `_` to whoever writes them; `docs/wire.md` says what ours
//! mean.

use super::{Came, Exchange, Log, LoggedHeader, StreamEvent};
use crate::value::json_string;

impl Log {
    /// The exchanges as JSON in the form of HAR 1.2. Secrets were masked before they were kept.
    ///
    /// ```
    /// use skillglass::protocol::log::{Log, Question};
    /// use skillglass::protocol::Client;
    /// let request = Client::new("http://localhost/mcp").unwrap().initialize();
    /// let mut log = Log::default();
    /// log.begin(&Question::plain("local", &request, 1_785_196_800_123));
    /// let har = log.har(log.exchanges());
    /// assert!(har.contains(r#""startedDateTime":"2026-07-28T00:00:00.123Z""#));
    /// ```
    pub fn har<'e, E: AsRef<Exchange> + 'e>(
        &self,
        exchanges: impl Iterator<Item = &'e E>,
    ) -> String {
        let entries: Vec<_> = exchanges.map(|exchange| entry(exchange.as_ref())).collect();
        format!(
            r#"{{"log":{{"version":"1.2","creator":{{"name":"skillglass","version":{}}},"_total":{},"_dropped":{},"entries":[{}]}}}}"#,
            json_string(env!("CARGO_PKG_VERSION")),
            self.total,
            self.dropped(),
            entries.join(",\n"),
        )
    }
}

fn entry(exchange: &Exchange) -> String {
    let outcome = exchange.outcome.as_ref();
    let came = outcome.and_then(|outcome| outcome.came.as_ref());
    let ms = outcome.map_or(0, |outcome| outcome.ms);
    let wait = came.map_or(ms, |came| came.headers_ms);
    let problem = outcome.and_then(|outcome| outcome.problem.as_deref());
    format!(
        r#"{{"_number":{},"_server":{},"_purpose":{},"_subject":{},"_problem":{},"_shed":{},"_withheld":{},"startedDateTime":"{}","time":{ms},"request":{},"response":{},"cache":{{}},"timings":{{"send":0,"wait":{wait},"receive":{}}}}}"#,
        exchange.number,
        json_string(&exchange.server),
        json_string(exchange.purpose),
        optional(exchange.subject.as_deref()),
        optional(problem),
        exchange.is_shed,
        exchange.withholds_bodies,
        date_time(exchange.at_ms),
        request(exchange),
        response(came),
        ms.saturating_sub(wait),
    )
}

fn request(exchange: &Exchange) -> String {
    let body = &exchange.body;
    let post_data = match body.bytes {
        0 => String::new(),
        _ => format!(
            r#","postData":{{"mimeType":"application/json","text":{},"_cut":{}}}"#,
            json_string(&body.text),
            body.is_cut,
        ),
    };
    format!(
        r#"{{"method":"{}","url":{},"httpVersion":"","cookies":[],"headers":{},"queryString":[],"headersSize":-1,"bodySize":{}{post_data}}}"#,
        exchange.method.as_str(),
        json_string(&exchange.url),
        headers(&exchange.headers),
        body.bytes,
    )
}

/// HAR has no way to say that no answer came; readers take status 0 for that.
fn response(came: Option<&Came>) -> String {
    let (status, list, content, events) = match came {
        None => (0, "[]".to_owned(), r#"{"size":0,"mimeType":"","text":""}"#.to_owned(), None),
        Some(came) => {
            let body = &came.transcript.body;
            let content = format!(
                r#"{{"size":{},"mimeType":{},"text":{},"_cut":{}}}"#,
                body.bytes,
                json_string(came.header("content-type").unwrap_or_default()),
                json_string(&body.text),
                body.is_cut,
            );
            (came.status, headers(&came.headers), content, Some(events(came)))
        }
    };
    let size = came.map_or(0, |came| came.transcript.body.bytes);
    format!(
        r#"{{"status":{status},"statusText":"","httpVersion":"","cookies":[],"headers":{list},"redirectURL":"","headersSize":-1,"bodySize":{size},"content":{content}{}}}"#,
        events.unwrap_or_default(),
    )
}

fn events(came: &Came) -> String {
    if came.transcript.event_count == 0 {
        return String::new();
    }
    let event = |event: &StreamEvent| {
        format!(
            r#"{{"atMs":{},"event":{},"id":{},"bytes":{},"data":{},"cut":{}}}"#,
            event.at_ms,
            json_string(&event.kind),
            optional(event.id.as_deref()),
            event.data.bytes,
            json_string(&event.data.text),
            event.data.is_cut,
        )
    };
    let events: Vec<_> = came.transcript.events.iter().map(event).collect();
    format!(r#","_eventCount":{},"_events":[{}]"#, came.transcript.event_count, events.join(","))
}

fn headers(headers: &[LoggedHeader]) -> String {
    let header = |header: &LoggedHeader| {
        let (name, value) = (json_string(&header.name), json_string(&header.value));
        format!(r#"{{"name":{name},"value":{value}}}"#)
    };
    format!("[{}]", headers.iter().map(header).collect::<Vec<_>>().join(","))
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), json_string)
}

/// Milliseconds since 1970 as ISO 8601 in UTC.
fn date_time(ms: u64) -> String {
    const DAY: u64 = 86_400_000;
    let (year, month, day) = date(ms / DAY);
    let (seconds, ms) = (ms % DAY / 1000, ms % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
}

/// Days since 1970 as a date of the Gregorian calendar. Years begin in March here, so that a leap
/// day is a year's last.
const fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let days = days + 719_468;
    let day_of_era = days % ERA;
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = year + days / ERA * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::protocol::log::{Excerpt, MAX_BODY, Outcome, Question, Transcript};
    use crate::protocol::{Call, Client};
    use crate::value::Node;

    /// A member by its name, or an item by its place.
    fn member<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
        match name.parse::<usize>() {
            Ok(place) => node.as_array()?.get(place),
            Err(_) => node.get(name),
        }
    }

    #[test]
    fn an_archive_has_what_har_asks_for() {
        let mut client = Client::new("http://localhost/mcp").unwrap();
        let request = client.request(&Call::Discover).unwrap();
        let mut log = Log::default();
        let answered = log.begin(&Question::of_call("local", &Call::Discover, &request, 5));
        let nothing = log.begin(&Question::of_call("local", &Call::Discover, &request, 6));
        let excerpt = |text: &str| Excerpt::new(text.as_bytes(), text.len() as u64, MAX_BODY);
        let event =
            StreamEvent { at_ms: 7, kind: "message".into(), id: None, data: excerpt("{\"a\"}") };
        let transcript = Transcript {
            body: excerpt("data: {\"a\"}\n\n"),
            events: vec![event],
            event_count: 1,
            ..Transcript::default()
        };
        let headers = vec![LoggedHeader {
            name: "content-type".into(),
            value: "text/event-stream".into(),
            is_secret: false,
        }];
        let came = Some(Came { status: 200, headers, headers_ms: 3, transcript });
        log.end(answered, &request, Outcome { ms: 9, came, problem: None });
        let problem = Some("nobody \"answers\"".to_owned());
        log.end(nothing, &request, Outcome { ms: 1, came: None, problem });

        let har = log.har(log.exchanges());
        let document = json::read(&har).unwrap();
        let at = |path: &str| {
            let found = path.split('/').try_fold(&document.root, member);
            found.unwrap_or_else(|| panic!("{path} in {har}"))
        };
        assert_eq!(at("log/version").as_str(), Some("1.2"));
        assert_eq!(at("log/entries/0/request/method").as_str(), Some("POST"));
        assert_eq!(at("log/entries/0/request/postData/text").as_str(), Some(&*request.body));
        assert_eq!(
            at("log/entries/0/response/content/mimeType").as_str(),
            Some("text/event-stream")
        );
        assert_eq!(at("log/entries/0/response/_events/0/data").as_str(), Some("{\"a\"}"));
        assert_eq!(at("log/entries/0/timings/wait").as_count(), Some(3));
        assert_eq!(at("log/entries/0/timings/receive").as_count(), Some(6));
        assert_eq!(at("log/entries/1/response/status").as_count(), Some(0));
        assert_eq!(at("log/entries/1/_problem").as_str(), Some("Nobody \"answers\"."));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date_time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date_time(951_827_696_789), "2000-02-29T12:34:56.789Z");
        assert_eq!(date_time(4_107_542_399_999), "2100-02-28T23:59:59.999Z");
        assert_eq!(date_time(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }
}
