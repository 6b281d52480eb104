//! Where a scalar ends. The parser tells only where it begins.

use yaml_rust2::scanner::TScalarStyle;

use crate::source::Span;

/// The span of a scalar in `text`.
///
/// `start` is the parser's mark and `next` the start of what follows, both in bytes. `value` is
/// what the parser read.
pub(super) fn scalar(
    text: &str,
    start: usize,
    next: usize,
    style: TScalarStyle,
    value: &str,
) -> Span {
    match style {
        TScalarStyle::SingleQuoted => Span::new(start, quoted_end(text, start, '\'')),
        TScalarStyle::DoubleQuoted => Span::new(start, quoted_end(text, start, '"')),
        TScalarStyle::Literal | TScalarStyle::Folded => block(text, start, next),
        _ => Span::new(start, plain_end(text, start, value)),
    }
}

/// The end of an alias: `*` and everything up to white space or a flow indicator.
pub(super) fn alias(text: &str, start: usize) -> Span {
    let rest = &text[start..];
    let length = rest.find(|c: char| c.is_whitespace() || ",[]{}".contains(c));
    Span::new(start, start + length.unwrap_or(rest.len()))
}

/// Behind the closing quote, or `start` where no quote stands there.
fn quoted_end(text: &str, start: usize, quote: char) -> usize {
    let mut characters = text[start..].char_indices();
    if characters.next().is_none_or(|(_, first)| first != quote) {
        return start;
    }
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            let doubled = quote == '\'' && text[start + at + 1..].starts_with(quote);
            if !doubled {
                return start + at + 1;
            }
            characters.next();
        }
    }
    text.len()
}

/// A plain scalar's characters stand in the text in order, with white space between lines folded.
fn plain_end(text: &str, start: usize, value: &str) -> usize {
    if text[start..].starts_with(value) {
        return start + value.len();
    }
    let mut wanted = value.chars().filter(|c| !c.is_whitespace());
    let mut next = wanted.next();
    let mut end = start;
    for (at, character) in text[start..].char_indices() {
        let Some(expected) = next else { break };
        if character == expected {
            end = start + at + character.len_utf8();
            next = wanted.next();
        } else if !character.is_whitespace() {
            break;
        }
    }
    end
}

/// From the indicator, which stands on the last line with content before the mark, to the end of
/// the last line with content before `next`.
fn block(text: &str, mark: usize, next: usize) -> Span {
    let start = block_indicator(text, mark).unwrap_or(mark);
    let end = text[..next.max(start)].trim_end().len();
    Span::new(start, end.max(start))
}

fn block_indicator(text: &str, mark: usize) -> Option<usize> {
    let line_start = text[..mark].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let header_end = text[..line_start].trim_end().len();
    let header_start = text[..header_end].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let header = &text[header_start..header_end];
    let without_comment = header.find(" #").map_or(header, |at| &header[..at]);
    let indicators = without_comment
        .trim_end()
        .trim_end_matches(|c: char| "+-".contains(c) || c.is_ascii_digit());
    let indicators = indicators.trim_end_matches(|c: char| "+-".contains(c) || c.is_ascii_digit());
    indicators.ends_with(['|', '>']).then(|| header_start + indicators.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_inside_quotes_do_not_end_them() {
        let text = r#"'it''s' "a\"b" x"#;
        assert_eq!(quoted_end(text, 0, '\''), 7);
        assert_eq!(quoted_end(text, 8, '"'), 14);
        assert_eq!(quoted_end("\"open", 0, '"'), 5);
        assert_eq!(quoted_end("x", 0, '"'), 0);
    }
}
