//! Addresses in a text that lead out of the skill.

use super::Notes;
use crate::finding::excerpt;
use crate::source::Span;

/// How addresses begin that lead out of the skill, and links that run something.
const SCHEMES: [&str; 5] = ["https://", "http://", "javascript:", "vbscript:", "data:text/html"];

/// Notes every web address, images apart, and every link that would run something.
pub(super) fn review(text: &str, notes: &mut Notes<'_>) {
    let mut address = Span::default();
    for (colon, _) in text.match_indices(':') {
        let Some((scheme, span)) = scheme_around(colon, text) else { continue };
        if !scheme.ends_with('/') {
            notes.add("content-active-link", span, format!("a link that runs something: {scheme}"));
        } else if colon >= address.end {
            // What stands within an address is part of it.
            address = Span::new(span.start, end_of_address(text, span.end));
            note(address, text, notes);
        }
    }
}

/// The scheme whose colon this is, in any case, and where it stands.
fn scheme_around(colon: usize, text: &str) -> Option<(&'static str, Span)> {
    SCHEMES.into_iter().find_map(|scheme| {
        let start = colon.checked_sub(scheme.find(':')?)?;
        let span = Span::new(start, start + scheme.len());
        span.of(text).eq_ignore_ascii_case(scheme).then_some((scheme, span))
    })
}

fn end_of_address(text: &str, from: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || "<>\"'`)]}".contains(c);
    text[from..].find(ends).map_or(text.len(), |length| from + length)
}

fn note(address: Span, text: &str, notes: &mut Notes<'_>) {
    let (id, what) = if is_image(&text[..address.start]) {
        ("content-remote-image", "an image from elsewhere, which tells its host who reads this")
    } else {
        ("content-remote-link", "an address outside of the skill")
    };
    notes.add(id, address, format!("{what}: {}", excerpt(address.of(text), 120)));
}

/// How far in front of an address its kind is looked for, in bytes.
const LOOK_BACK: usize = 512;

/// Whether what stands before an address makes it an image: `![…](` or `<img … src=`.
fn is_image(before: &str) -> bool {
    let from = (before.len().saturating_sub(LOOK_BACK)..=before.len())
        .find(|at| before.is_char_boundary(*at))
        .unwrap_or(before.len());
    let line = before[from..].rsplit(['\n', '\r']).next().unwrap_or_default();
    let markdown = line
        .trim_end_matches('<')
        .strip_suffix("](")
        .and_then(|label| label.rfind('[').map(|at| label[..at].ends_with('!')))
        .unwrap_or(false);
    let tag = line.rfind("<img").is_some_and(|at| !line[at..].contains('>'));
    markdown || tag
}

#[cfg(test)]
mod tests {
    use crate::review::review_text;

    fn ids(text: &str) -> Vec<&'static str> {
        review_text(text).iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn addresses_are_found_whatever_encloses_them() {
        assert_eq!(ids("[x](https://a.example/b)"), ["content-remote-link"]);
        assert_eq!(ids("see <HTTP://a.example> now"), ["content-remote-link"]);
        assert_eq!(ids("![x](https://a.example/b.png)"), ["content-remote-image"]);
        assert_eq!(ids("<img alt='x' src=\"https://a.example/b.png\">"), ["content-remote-image"]);
        for scheme in ["javascript:", "JavaScript:", "VBSCRIPT:", "data:text/HTML"] {
            assert_eq!(ids(&format!("[x]({scheme}y)")), ["content-active-link"]);
        }
        assert_eq!(ids("https://a.example/https://b.example"), ["content-remote-link"]);
        assert_eq!(ids("skill://a/b and file://c and :// é:"), Vec::<&str>::new());
    }

    #[test]
    fn many_addresses_are_bounded() {
        let text = "https://a.example/ ".repeat(100);
        assert_eq!(ids(&text).len(), super::super::MAX_PER_KIND);
        assert!(review_text(&text).last().unwrap().message.ends_with("there is more of the same"));
    }
}
