//! Whether a call is sent once more, and when.
//!
//! A call is repeated only where the server itself asks for that: it is busy, it has forgotten the
//! session, or it refuses the revision that it lists. Everything else that goes wrong stays as it
//! is, to be seen. Every loop that follows [`Retries::after`] ends.
//!
//! Sources: RFC 9110, section 10.2.3 (`Retry-After`); RFC 6585, section 4 (429); the base
//! protocol's *Session Management* and *Versioning*.

use super::{Answered, PROTOCOL_VERSION, UNSUPPORTED_VERSION, Wire, handshake};

/// The first pause where the server names none; each later one is twice as long.
const FIRST_PAUSE_MS: u64 = 1_000;

/// The longest answer that is looked at for a refusal, in bytes.
const MAX_REFUSAL: usize = 16 * 1024;

/// How long one call may be put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The longest single pause, in milliseconds.
    pub pause_ms: u64,
    /// All pauses of one call together, in milliseconds.
    pub total_ms: u64,
}

impl Default for Patience {
    /// A minute at a time, two minutes in all.
    fn default() -> Self {
        Self { pause_ms: 60_000, total_ms: 120_000 }
    }
}

/// What to do with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Use it, whatever it says.
    No,
    /// Send the call again at once, with an id of its own.
    AtOnce,
    /// Begin anew with `initialize`, then send the call again.
    AfterHandshake,
    /// Send the call again after a pause.
    AfterPause {
        /// How long, in milliseconds.
        ms: u64,
    },
}

/// What was tried for one call.
///
/// ```
/// use skillglass::protocol::{Again, Answered, PROTOCOL_VERSION, Patience, ReplyError, Retries, Wire};
/// let reply = Err(ReplyError::MediaType { status: 429, content_type: None, excerpt: String::new() });
/// let busy = Answered { retry_after: Some("3".to_owned()), ..Answered::bare(429, reply) };
/// let wire = Wire::Modern { version: PROTOCOL_VERSION };
/// let mut retries = Retries::new(Patience::default());
/// assert_eq!(retries.after(&wire, &busy, 0), Again::AfterPause { ms: 3_000 });
/// ```
#[derive(Clone, Debug)]
pub struct Retries {
    patience: Patience,
    pauses: u32,
    paused_ms: u64,
    began_anew: bool,
    renegotiated: bool,
}

impl Retries {
    /// Nothing was tried yet.
    #[must_use]
    pub const fn new(patience: Patience) -> Self {
        Self { patience, pauses: 0, paused_ms: 0, began_anew: false, renegotiated: false }
    }

    /// What to do with the answer to the call as it was sent over `wire`. `now_ms` is the time in
    /// milliseconds since 1970.
    ///
    /// Each reason but a pause counts once: a second loss of the session in a row, or a second
    /// refusal of a revision that is listed, has a cause that repetition does not mend.
    pub fn after(&mut self, wire: &Wire, answered: &Answered, now_ms: u64) -> Again {
        if let Some(ms) = self.pause(answered, now_ms) {
            return Again::AfterPause { ms };
        }
        if wire.lost_session(answered) && !self.began_anew {
            self.began_anew = true;
            return Again::AfterHandshake;
        }
        if refuses_what_it_lists(wire, answered) && !self.renegotiated {
            self.renegotiated = true;
            return Again::AtOnce;
        }
        Again::No
    }

    /// How long to leave a busy server alone, in milliseconds: as long as it asks for, and at
    /// least twice as long as the time before. None where it is not busy (429 or 503), and where
    /// that would be longer than the patience lasts.
    pub fn pause(&mut self, answered: &Answered, now_ms: u64) -> Option<u64> {
        if !is_busy(answered.status) {
            return None;
        }
        let own = FIRST_PAUSE_MS << self.pauses.min(16);
        let ms = own.max(asked_pause(answered, now_ms).unwrap_or_default());
        let paused_ms = self.paused_ms.saturating_add(ms);
        if ms > self.patience.pause_ms || paused_ms > self.patience.total_ms {
            return None;
        }
        self.pauses += 1;
        self.paused_ms = paused_ms;
        Some(ms)
    }
}

/// Whether a status says that the server wants fewer requests, or none for a while.
#[must_use]
pub const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// The pause that `Retry-After` asks for, in milliseconds from `now_ms` (since 1970): as a number
/// of seconds, or as a date in the form that servers have to send. None where there is no such
/// header, or where it says something else.
///
/// ```
/// use skillglass::protocol::{Answered, ReplyError, retry::asked_pause};
/// let asks = |text: &str| {
///     let reply = Err(ReplyError::MediaType { status: 503, content_type: None, excerpt: String::new() });
///     let retry_after = Some(text.to_owned());
///     let answered = Answered { retry_after, ..Answered::bare(503, reply) };
///     asked_pause(&answered, 784_111_777_000)
/// };
/// assert_eq!(asks("120"), Some(120_000));
/// assert_eq!(asks("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30_000));
/// assert_eq!(asks("soon"), None);
/// ```
#[must_use]
pub fn asked_pause(answered: &Answered, now_ms: u64) -> Option<u64> {
    let text = answered.retry_after.as_deref()?.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        // A number that is too long asks for more than anybody waits.
        return Some(text.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(1_000));
    }
    Some(date_ms(text)?.saturating_sub(now_ms))
}

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT` as milliseconds since 1970.
fn date_ms(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let mut word = || words.next();
    let day: u64 = word()?.parse().ok()?;
    let month = word()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year: u64 = word()?.parse().ok()?;
    let mut clock = word()?.split(':').map(|part| part.parse::<u64>().ok());
    let mut part = || clock.next().flatten();
    let (hours, minutes, seconds) = (part()?, part()?, part()?);
    let is_date = word()? == "GMT"
        && (1970..10_000).contains(&year)
        && (1..=31).contains(&day)
        && hours < 24
        && minutes < 60
        && seconds <= 60;
    if !is_date {
        return None;
    }
    let hours = (days_before(year, month) + day - 1) * 24 + hours;
    Some((hours * 3_600 + minutes * 60 + seconds) * 1_000)
}

/// The days from 1970 to the first of a month (0 is January).
fn days_before(year: u64, month: u64) -> u64 {
    const BEFORE_MONTH: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_days = |year: u64| year / 4 - year / 100 + year / 400;
    // Years before `year`, and this one if its February is over.
    let until = if month >= 2 { year } else { year - 1 };
    (year.saturating_sub(1970)) * 365
        + leap_days(until).saturating_sub(leap_days(1969))
        + BEFORE_MONTH[usize::try_from(month).unwrap_or_default()]
}

/// Whether a server refuses the revision of the request and lists it all the same.
fn refuses_what_it_lists(wire: &Wire, answered: &Answered) -> bool {
    // A long answer is no refusal, and would be read for nothing.
    let is_short = answered.reply.as_ref().is_ok_and(|reply| reply.text.len() <= MAX_REFUSAL);
    let error = || answered.message().ok()?.outcome().err();
    matches!(wire, Wire::Modern { .. })
        && is_short
        && error().is_some_and(|error| {
            error.code == Some(UNSUPPORTED_VERSION)
                && handshake::supported(&error).iter().any(|version| version == PROTOCOL_VERSION)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Reply, ReplyError};

    const MODERN: Wire = Wire::Modern { version: PROTOCOL_VERSION };

    fn answered(status: u16, retry_after: Option<&str>, body: &str) -> Answered {
        let reply = match body {
            "" => {
                let excerpt = String::new();
                Err(ReplyError::MediaType { status, content_type: None, excerpt })
            }
            body => Ok(Reply { status, text: body.to_owned(), id: None, flaw: None }),
        };
        let retry_after = retry_after.map(str::to_owned);
        Answered { retry_after, ..Answered::bare(status, reply) }
    }

    fn pauses(patience: Patience, retry_after: Option<&str>) -> Vec<u64> {
        let mut retries = Retries::new(patience);
        let busy = answered(503, retry_after, "");
        std::iter::from_fn(|| retries.pause(&busy, 0)).take(100).collect()
    }

    #[test]
    fn patience_ends() {
        let patience = Patience { pause_ms: 10_000, total_ms: 20_000 };
        assert_eq!(pauses(patience, None), [1_000, 2_000, 4_000, 8_000]);
        assert_eq!(pauses(patience, Some("5")), [5_000, 5_000, 5_000]);
        assert_eq!(pauses(patience, Some("0")), [1_000, 2_000, 4_000, 8_000]);
        assert_eq!(pauses(patience, Some("11")), Vec::<u64>::new());
        let long = "9".repeat(400);
        assert_eq!(pauses(Patience::default(), Some(&long)), Vec::<u64>::new());
    }

    #[test]
    fn only_a_busy_server_is_left_alone() {
        for status in [200, 400, 404, 408, 500, 502, 504] {
            let mut retries = Retries::new(Patience::default());
            let answer = answered(status, Some("1"), "");
            assert_eq!(retries.after(&MODERN, &answer, 0), Again::No, "{status}");
        }
    }

    #[test]
    fn dates_are_read_in_the_form_that_servers_send() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Fri, 01 Jan 2100 00:00:00 GMT", 4_102_444_800),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] {
            assert_eq!(date_ms(text), Some(seconds * 1_000), "{text}");
        }
        for text in [
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 18446744073709551615 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, ",
            "",
        ] {
            assert_eq!(date_ms(text), None, "{text}");
        }
        let past = answered(503, Some("Sun, 06 Nov 1994 08:49:37 GMT"), "");
        assert_eq!(asked_pause(&past, 1_000_000_000_000), Some(0));
    }

    #[test]
    fn a_lost_session_is_begun_anew_once() {
        let version = Some("2025-11-25".to_owned());
        let wire = Wire::Legacy { version, session: Some("s".to_owned()) };
        let lost = answered(404, None, "");
        let mut retries = Retries::new(Patience::default());
        assert_eq!(retries.after(&wire, &lost, 0), Again::AfterHandshake);
        assert_eq!(retries.after(&wire, &lost, 0), Again::No);
    }

    #[test]
    fn a_revision_is_asked_for_again_once_and_only_if_it_is_listed() {
        let refusal = |listed: &str| {
            let error = format!(r#"{{"code":-32022,"data":{{"supported":["{listed}"]}}}}"#);
            answered(400, None, &format!(r#"{{"id":1,"error":{error}}}"#))
        };
        let mut retries = Retries::new(Patience::default());
        assert_eq!(retries.after(&MODERN, &refusal("2025-11-25"), 0), Again::No);
        assert_eq!(retries.after(&MODERN, &refusal(PROTOCOL_VERSION), 0), Again::AtOnce);
        assert_eq!(retries.after(&MODERN, &refusal(PROTOCOL_VERSION), 0), Again::No);
    }
}
