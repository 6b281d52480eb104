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
        TScalarStyle::Literal | TScalarStyle::Folded => {
            block(text, start, next, has_no_content(value))
        }
        _ => Span::new(start, plain_end(text, start, value)),
    }
}

/// The end of an alias: `*` and everything up to white space or a flow indicator.
pub(super) fn alias(text: &str, start: usize) -> Span {
    let rest = &text[start..];
    let length = rest.find(|c: char| c.is_whitespace() || ",[]{}".contains(c));
    Span::new(start, start + length.unwrap_or(rest.len()))
}

/// The start of the line that holds the byte at `at`.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1)
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
fn block(text: &str, mark: usize, next: usize, empty: bool) -> Span {
    // The last scalar of a text is marked at its indicator if it is empty, others behind it.
    let marked = empty && text[mark..].starts_with(['|', '>']);
    let start = block_indicator(text, mark).filter(|_| !marked).unwrap_or(mark);
    let end = text[..next.max(start)].trim_end().len();
    Span::new(start, end.max(start))
}

/// The value of a block scalar without content, which the parser gets wrong at the end of a text:
/// nothing, or where it is to be kept its blank lines (YAML 1.2.2, 8.1.1.2). `None` where it has
/// content.
pub(super) fn without_content(
    text: &str,
    span: Span,
    next: usize,
    style: TScalarStyle,
    value: &str,
) -> Option<String> {
    let block = matches!(style, TScalarStyle::Literal | TScalarStyle::Folded);
    if !block || !has_no_content(value) {
        return None;
    }
    let rest = &text[span.start..next.max(span.start)];
    let header_end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let keeps = rest[..header_end].split(char::is_whitespace).next()?.contains('+');
    let lines =
        rest[header_end..].split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
    Some("\n".repeat(if keeps { lines.count() } else { 0 }))
}

fn has_no_content(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\n')
}

fn block_indicator(text: &str, mark: usize) -> Option<usize> {
    let header_end = text[..line_start(text, mark)].trim_end().len();
    let header_start = line_start(text, header_end);
    let header = &text[header_start..header_end];
    let without_comment = header.find(" #").map_or(header, |at| &header[..at]);
    let indicators = without_comment
        .trim_end()
        .trim_end_matches(|c: char| "+-".contains(c) || c.is_ascii_digit());
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
