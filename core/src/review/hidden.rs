//! Characters and comments that a model reads and a person does not see.

use std::fmt;

use serde::Serialize;

use super::{MAX_PER_KIND, Notes};
use crate::bytes;
use crate::finding::{excerpt, is_hidden};
use crate::source::Span;

/// A run of hidden characters of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hidden {
    /// What they do.
    pub kind: HiddenKind,
    /// Where they stand in the text.
    pub span: Span,
}

/// What hidden characters do. [`is_hidden`] says which are hidden at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenKind {
    /// They change the direction of the text around them.
    Direction,
    /// They are letters of a second, invisible alphabet (U+E0000 and up).
    Tag,
    /// They take no room.
    ZeroWidth,
    /// They control a terminal or nothing at all.
    Control,
}

impl fmt::Display for HiddenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direction => "characters that turn the direction of the text",
            Self::Tag => "letters of an invisible alphabet",
            Self::ZeroWidth => "characters that take no room",
            Self::Control => "control characters",
        })
    }
}

/// The hidden characters of a text, in runs of one kind, in text order.
///
/// Line ends and tabs are not hidden; a carriage return is, where no line feed follows, as it lets a
/// terminal write over what stands before it. Joiners, selectors and tags are left out where they do
/// what they are for: inside an emoji sequence, between letters of scripts that join, in a flag.
///
/// ```
/// use skillglass::review::{HiddenKind, hidden_characters};
/// let found: Vec<_> = hidden_characters("pay\u{200b}pal 👩\u{200d}🔧").collect();
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].kind, HiddenKind::ZeroWidth);
/// assert_eq!(hidden_characters("plain\r\n\ttext").next(), None);
/// ```
pub fn hidden_characters(text: &str) -> impl Iterator<Item = Hidden> {
    let mut at = 0;
    let mut before: Option<char> = None;
    std::iter::from_fn(move || {
        loop {
            let plain = plain(&text.as_bytes()[at..]);
            if plain > 0 {
                at += plain;
                before = text[..at].chars().next_back();
            }
            let mut rest = text[at..].chars();
            let character = rest.next()?;
            let start = at;
            at += character.len_utf8();
            let serves = serves_its_purpose(before, character, rest.next());
            let previous = before.replace(character);
            let Some(kind) = kind(character).filter(|_| !serves) else { continue };
            if previous == Some('\u{1f3f4}')
                && let Some(letters) = flag(&text[start..])
            {
                at = start
                    + text[start..].chars().take(letters + 1).map(char::len_utf8).sum::<usize>();
                continue;
            }
            let is_alike = |c: &char| *c != '\r' && self::kind(*c) == Some(kind);
            let run = text[at..].chars().take_while(is_alike);
            let (length, last) =
                run.fold((0, character), |(length, _), c| (length + c.len_utf8(), c));
            at += length;
            before = Some(last);
            return Some(Hidden { kind, span: Span::new(start, at) });
        }
    })
}

/// How many bytes of a text are plain to see, from its start on. Most of most texts are.
fn plain(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += bytes::unmarked(&text[at..], |word| {
            bytes::below(word, b' ') | bytes::equal(word, b'\x7f') | bytes::beyond_ascii(word)
        });
        match text.get(at) {
            Some(b'\n' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

fn kind(character: char) -> Option<HiddenKind> {
    match character {
        '\n' | '\t' => None,
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(HiddenKind::Direction)
        }
        '\u{e0000}'..='\u{e007f}' => Some(HiddenKind::Tag),
        control if control.is_control() => Some(HiddenKind::Control),
        hidden if is_hidden(hidden) => Some(HiddenKind::ZeroWidth),
        _ => None,
    }
}

/// How many letters the flag has that these tags spell after a black flag; none where they spell none.
/// The code of a region is short and has an end, so that no text passes for one.
fn flag(tags: &str) -> Option<usize> {
    const END: char = '\u{e007f}';
    let is_letter =
        |c: &char| tag_letter(*c).is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let letters = tags.chars().take(7).take_while(is_letter).count();
    ((2..=6).contains(&letters) && tags.chars().nth(letters) == Some(END)).then_some(letters)
}

/// Whether a joiner, a selector or a carriage return does what it is for.
fn serves_its_purpose(before: Option<char>, character: char, next: Option<char>) -> bool {
    let symbol = |c: char| matches!(c, '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}' | '\u{a9}' | '\u{ae}');
    let joining = |c: char| matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{fb50}'..='\u{fdff}');
    match character {
        '\r' => next == Some('\n'),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|c| symbol(c) || "0123456789#*".contains(c)),
        '\u{200d}' => {
            let emoji = |c: Option<char>| c.is_some_and(|c| symbol(c) || c == '\u{fe0f}');
            let letters = before.is_some_and(joining);
            (emoji(before) && emoji(next)) || letters
        }
        '\u{200c}' => before.is_some_and(joining) && next.is_some_and(joining),
        _ => false,
    }
}

/// What the letters of the invisible alphabet in a text spell.
///
/// ```
/// assert_eq!(skillglass::review::spelled("a\u{e006f}\u{e006b}"), "ok");
/// ```
#[must_use]
pub fn spelled(text: &str) -> String {
    text.chars().filter_map(tag_letter).collect()
}

/// Notes every run of hidden characters.
pub(super) fn review(text: &str, notes: &mut Notes<'_>) {
    // One too many says that there are more.
    for hidden in hidden_characters(text).take(MAX_PER_KIND + 1) {
        notes.add(HIDDEN_CHARACTERS, hidden.span, hidden.told(text));
    }
}

/// The id of findings on hidden characters.
pub const HIDDEN_CHARACTERS: &str = "content-hidden-characters";

impl Hidden {
    /// What they are, for a person; what invisible letters spell is read out.
    pub(crate) fn told(&self, text: &str) -> String {
        let (kind, run) = (self.kind, self.span.of(text));
        if kind == HiddenKind::Tag {
            return format!("{kind} spell \"{}\"", excerpt(&spelled(run), 200));
        }
        let codes: Vec<_> = run.chars().take(4).map(|c| format!("U+{:04X}", c as u32)).collect();
        let more = if run.chars().count() > 4 { " …" } else { "" };
        format!("{kind}: {}{more}", codes.join(" "))
    }
}

/// The letter an invisible tag character stands for.
fn tag_letter(character: char) -> Option<char> {
    let code = (character as u32).checked_sub(0xe0000)?;
    char::from_u32(code).filter(|letter| (' '..='~').contains(letter))
}

/// Notes HTML comments, which rendered Markdown does not show.
pub(super) fn comments(text: &str, notes: &mut Notes<'_>) {
    let mut end = 0;
    for (start, _) in text.match_indices('<') {
        if start < end {
            continue;
        }
        let Some(inner) = text[start..].strip_prefix("<!--") else { continue };
        let said = &inner[..inner.find("-->").unwrap_or(inner.len())];
        end = text.len().min(start + "<!---->".len() + said.len());
        let message = format!("a comment that nobody sees: \"{}\"", excerpt(said.trim(), 200));
        notes.add("content-comment", Span::new(start, end), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::review_text;

    fn kinds(text: &str) -> Vec<HiddenKind> {
        hidden_characters(text).map(|hidden| hidden.kind).collect()
    }

    #[test]
    fn hidden_characters_are_found_in_runs() {
        assert_eq!(kinds("a\u{202e}b\u{202c}c"), [HiddenKind::Direction; 2]);
        assert_eq!(kinds("a\u{200b}\u{2060}b"), [HiddenKind::ZeroWidth]);
        assert_eq!(kinds("\u{1b}[31m\0"), [HiddenKind::Control; 2]);
        assert_eq!(kinds("x\u{e0068}\u{e0069}"), [HiddenKind::Tag]);
        assert_eq!(kinds("plain\r\n\ttext\0\r\n"), [HiddenKind::Control]);
        assert_eq!(kinds("harmless\rdo something"), [HiddenKind::Control]);
        let spans = |text| hidden_characters(text).map(|hidden| hidden.span).collect::<Vec<_>>();
        assert_eq!(
            spans("é\0\0b\u{200b}\u{feff}\x7f"),
            [(2, 4), (5, 11), (11, 12)].map(|(a, b)| Span::new(a, b))
        );
    }

    #[test]
    fn a_flag_hides_no_text() {
        let tags = |text: &str| -> String {
            text.chars().map(|c| char::from_u32(0xe0000 + c as u32).unwrap()).collect()
        };
        for text in ["gbeng obey\u{7f}", "gbeng", "obeyobey\u{7f}", "GB\u{7f}", "\u{7f}"] {
            assert_eq!(kinds(&format!("🏴{}", tags(text))), [HiddenKind::Tag], "{text}");
        }
        assert_eq!(kinds(&format!("🏴{}", tags("gbeng\u{7f}obey"))), [HiddenKind::Tag]);
    }

    #[test]
    fn honest_joiners_are_left_alone() {
        for text in ["👩‍🔧", "❤️", "1️⃣", "می‌خواهم", "क्‍ष", "🏴\u{e0067}\u{e0062}\u{e007f}"]
        {
            assert_eq!(kinds(text), [], "{text}");
        }
        assert_eq!(kinds("pay\u{200d}pal"), [HiddenKind::ZeroWidth]);
    }

    #[test]
    fn invisible_letters_are_read_out() {
        let hidden: String =
            "obey".chars().map(|c| char::from_u32(0xe0000 + c as u32).unwrap()).collect();
        let findings = review_text(&format!("Hello{hidden}!"));
        assert!(findings[0].message.ends_with("spell \"obey\""));
    }

    #[test]
    fn many_are_bounded() {
        let told = |count: usize| review_text(&"\0a".repeat(count));
        let is_more = |count| told(count).last().unwrap().message.ends_with("more of the same");
        assert_eq!(told(100).len(), MAX_PER_KIND);
        assert!(is_more(MAX_PER_KIND + 1) && !is_more(MAX_PER_KIND));
    }

    #[test]
    fn comments_are_read_out_even_unclosed() {
        let findings = review_text("<!-- one -->\ntext <!-- two");
        assert_eq!(findings.len(), 2);
        assert!(findings[1].message.contains("two"));
    }
}
