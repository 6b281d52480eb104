//! Words and numbers for people, and a server's text cut into what can be shown.

use skillglass::review::{hidden_characters, spelled};

/// `41.2 kB`: three digits, decimal units.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    // In tenths of the unit, rounded half up.
    let mut unit = 0;
    let mut size = 1000_u64;
    while count / size >= 1000 && unit + 1 < UNITS.len() {
        size *= 1000;
        unit += 1;
    }
    let tenths = (count / (size / 20)).div_ceil(2);
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// `1 file`, `6 files`, `1,204 files`.
pub(crate) fn count(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(count as u64))
}

/// `9,312`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `84 ms`, `1.2 s`, `3 min`, `2 h`, `5 days`.
pub(crate) fn duration(ms: u64) -> String {
    const SECOND: u64 = 1000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    match ms {
        0..SECOND => format!("{ms} ms"),
        SECOND..10_000 => format!("{}.{} s", ms / SECOND, ms % SECOND / 100),
        10_000..MINUTE => format!("{} s", ms / SECOND),
        MINUTE..HOUR => format!("{} min", ms / MINUTE),
        HOUR..172_800_000 => format!("{} h", ms / HOUR),
        _ => format!("{} days", ms / (24 * HOUR)),
    }
}

/// How long ago something was, to the minute.
pub(crate) fn ago(ms: u64) -> String {
    if ms < 60_000 { "just now".to_owned() } else { format!("{} ago", duration(ms)) }
}

/// `sha256:` and the outer digits of a digest, to be told apart at a glance.
pub(crate) fn short_digest(hex: &str) -> String {
    match (hex.get(..8), hex.get(hex.len().saturating_sub(8)..)) {
        (Some(head), Some(tail)) if hex.len() > 20 => format!("{head}…{tail}"),
        _ => hex.to_owned(),
    }
}

/// The first `limit` bytes at most, and whether that is not all.
pub(crate) fn head(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}

/// A piece of a server's text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// What can be shown as it is.
    Plain(&'t str),
    /// A run of characters that nobody would see.
    Hidden(&'t str),
}

/// Cuts a text into what people see and what they do not.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut end = 0;
    let mut runs = hidden_characters(text).map(|hidden| hidden.span).peekable();
    while let Some(mut run) = runs.next() {
        // Runs of several kinds side by side are shown as one.
        while let Some(next) = runs.next_if(|next| next.start == run.end) {
            run.end = next.end;
        }
        if run.start > end {
            pieces.push(Piece::Plain(&text[end..run.start]));
        }
        pieces.push(Piece::Hidden(run.of(text)));
        end = run.end;
    }
    if end < text.len() {
        pieces.push(Piece::Plain(&text[end..]));
    }
    pieces
}

/// How a run of hidden characters is shown: their code points, and what tag characters spell.
pub(crate) fn name_hidden(run: &str) -> String {
    const SHOWN: usize = 4;
    let spelled = spelled(run);
    if spelled.len() > SHOWN {
        return format!("hidden text: {}", head(&spelled, 400).0);
    }
    let points = run.chars().take(SHOWN).map(|c| format!("U+{:04X}", u32::from(c)));
    let mut name = points.collect::<Vec<_>>().join(" ");
    let more = run.chars().count().saturating_sub(SHOWN);
    if more > 0 {
        name.push_str(&format!(" and {more} more"));
    }
    name
}

/// Indents a JSON text without changing one of its tokens. Expects text that was read as JSON.
pub(crate) fn pretty_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            ' ' | '\n' | '\r' | '\t' => {}
            '{' | '[' => {
                out.push(character);
                while characters.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(closing) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(closing);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => {
                in_string = other == '"';
                out.push(other);
            }
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// A part of a text that is compared with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'t> {
    /// The text.
    pub(crate) text: &'t str,
    /// Whether the other text has something else here.
    pub(crate) differs: bool,
}

/// Two texts in parts, so that what differs can be marked. Lists of equal length are compared item
/// by item.
pub(crate) fn mark<'t>(a: &'t str, b: &'t str) -> [Vec<Part<'t>>; 2] {
    const COMMA: &str = ", ";
    let (mut parts_a, mut parts_b) = (Vec::new(), Vec::new());
    let items = a.matches(COMMA).count();
    if items > 0 && items == b.matches(COMMA).count() {
        for (a, b) in a.split_inclusive(COMMA).zip(b.split_inclusive(COMMA)) {
            mark_one(a, b, &mut parts_a, &mut parts_b);
        }
    } else {
        mark_one(a, b, &mut parts_a, &mut parts_b);
    }
    [parts_a, parts_b]
}

fn mark_one<'t>(a: &'t str, b: &'t str, parts_a: &mut Vec<Part<'t>>, parts_b: &mut Vec<Part<'t>>) {
    let same = |(x, y): &(char, char)| x == y;
    let front: usize = a.chars().zip(b.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let backwards = a[front..].chars().rev().zip(b[front..].chars().rev());
    let back: usize = backwards.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    for (text, parts) in [(a, parts_a), (b, parts_b)] {
        let end = text.len() - back;
        let pieces = [(&text[..front], false), (&text[front..end], true), (&text[end..], false)];
        let pieces = pieces.into_iter().filter(|(text, _)| !text.is_empty());
        parts.extend(pieces.map(|(text, differs)| Part { text, differs }));
    }
}

/// The rows of a CSV text: quotes as RFC 4180 has them, at most `limit` rows.
pub(crate) fn csv(text: &str, limit: usize) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            '\n' | '\r' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
                if rows.len() == limit {
                    return rows;
                }
            }
            other => cell.push(other),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// The first bytes of a file as people who read bytes write them.
pub(crate) fn hex_dump(bytes: &[u8], limit: usize) -> String {
    let mut out = String::new();
    for (index, line) in bytes[..bytes.len().min(limit)].chunks(16).enumerate() {
        let digits: Vec<_> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '·',
        };
        let letters: String = line.iter().map(shown).collect();
        out.push_str(&format!("{:08x}  {:<47}  {letters}\n", index * 16, digits.join(" ")));
    }
    out
}

/// The rank of what fits by anything but its first line.
pub(crate) const LAST_RANK: usize = 2;

/// How well a text in lower case fits words, the best first: by the beginning of its first line, by its first line, by
/// anything ([`LAST_RANK`]); none where it lacks a word.
pub(crate) fn rank(text: &str, words: &[&str]) -> Option<usize> {
    let first = words.first().filter(|_| words.iter().all(|word| text.contains(word)))?;
    let title = text.lines().next().unwrap_or_default();
    Some(match title.find(first) {
        Some(0) => 0,
        Some(_) => 1,
        None => LAST_RANK,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(41_200), "41.2 kB");
        assert_eq!(bytes(1_449), "1.4 kB");
        assert_eq!(bytes(1_450), "1.5 kB");
        assert_eq!(bytes(16_777_216), "16.8 MB");
        assert_eq!(bytes(u64::MAX), "18446744.1 TB");
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(1204, "file"), "1,204 files");
        assert_eq!(thousands(9312), "9,312");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(duration(84), "84 ms");
        assert_eq!(duration(1234), "1.2 s");
        assert_eq!(duration(180_000), "3 min");
        assert_eq!(ago(100), "just now");
        assert_eq!(ago(120_000), "2 min ago");
    }

    #[test]
    fn digests_keep_their_ends() {
        assert_eq!(short_digest(&"0123456789abcdef".repeat(4)), "01234567…89abcdef");
        assert_eq!(short_digest("short"), "short");
    }

    #[test]
    fn cutting_respects_characters() {
        assert_eq!(head("aé", 2), ("a", true));
        assert_eq!(head("aé", 3), ("aé", false));
    }

    /// How many characters are shown as hidden.
    fn hidden_count(text: &str) -> usize {
        let count = |piece| match piece {
            Piece::Hidden(run) => str::chars(run).count(),
            Piece::Plain(_) => 0,
        };
        pieces(text).into_iter().map(count).sum()
    }

    #[test]
    fn hidden_runs_are_found() {
        let hidden =
            |text| pieces(text).iter().filter(|piece| matches!(piece, Piece::Hidden(_))).count();
        assert_eq!(
            pieces("a\u{200b}\u{202e}b"),
            [Piece::Plain("a"), Piece::Hidden("\u{200b}\u{202e}"), Piece::Plain("b")]
        );
        assert_eq!(hidden("lines\r\nand\ttabs"), 0);
        assert_eq!(hidden("lone\rreturn"), 1);
        assert_eq!(hidden(""), 0);
        assert_eq!(hidden_count("\u{feff}a\u{e0041}\u{e0042}"), 3);
    }

    #[test]
    fn hidden_runs_have_names() {
        assert_eq!(name_hidden("\u{200b}"), "U+200B");
        assert_eq!(name_hidden(&"\u{200b}".repeat(6)), "U+200B U+200B U+200B U+200B and 2 more");
        let tags: String =
            "run it".chars().map(|c| char::from_u32(0xe_0000 + u32::from(c)).unwrap()).collect();
        assert_eq!(name_hidden(&tags), "hidden text: run it");
    }

    #[test]
    fn json_is_indented_and_nothing_else() {
        let json = r#"{"a":[1.0,{"b":"x, {\"y\"} \\"}],"c":{},"d":[ ]}"#;
        let pretty = pretty_json(json);
        assert!(pretty.starts_with("{\n  \"a\": [\n    1.0,\n    {\n"));
        assert!(pretty.contains("\"c\": {},\n  \"d\": []\n}"));
        let again = pretty_json(&pretty);
        assert_eq!(again, pretty);
        let document = |text: &str| skillglass::json::read(text).unwrap().root.to_json();
        assert_eq!(document(json), document(&pretty));
    }

    /// A text with what differs in brackets.
    fn bracketed(a: &str, b: &str) -> [String; 2] {
        mark(a, b).map(|parts| {
            let part = |part: &Part<'_>| match part.differs {
                true => format!("[{}]", part.text),
                false => part.text.to_owned(),
            };
            parts.iter().map(part).collect()
        })
    }

    #[test]
    fn differences_are_marked() {
        assert_eq!(bracketed("2026-01-15", "2026-01-15T00Z"), ["2026-01-15", "2026-01-15[T00Z]"]);
        assert_eq!(bracketed("éa", "éa"), ["éa", "éa"]);
        assert_eq!(bracketed("", "x"), ["", "[x]"]);
        let two = bracketed("sha256:ab, 9312 bytes", "sha256:cd, 9118 bytes");
        assert_eq!(two, ["sha256:[ab], 9[312] bytes", "sha256:[cd], 9[118] bytes"]);
    }

    #[test]
    fn csv_keeps_quoted_cells_together() {
        let rows = csv("\u{feff}a,b\r\n\"x, \"\"y\"\"\",\"1\n2\"\n,last", 10);
        assert_eq!(rows, [vec!["a", "b"], vec!["x, \"y\"", "1\n2"], vec!["", "last"]]);
        assert_eq!(csv("a\nb\nc\n", 2).len(), 2);
    }

    #[test]
    fn bytes_are_dumped_in_rows() {
        let dump = hex_dump(b"\x89PNG\r\n\x1a\n0123456789", 17);
        let lines: Vec<_> = dump.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("00000000  89 50 4e 47"));
        assert!(lines[0].ends_with("·PNG····01234567"));
        assert!(lines[1].starts_with("00000010  38 "));
    }

    #[test]
    fn what_begins_so_fits_best() {
        let text = "refunds\nskill://billing/refunds, money back";
        assert_eq!(rank(text, &["ref"]), Some(0));
        assert_eq!(rank(text, &["funds", "money"]), Some(1));
        assert_eq!(rank(text, &["billing", "refunds"]), Some(LAST_RANK));
        assert_eq!(rank(text, &["refunds", "cash"]), None);
    }
}
