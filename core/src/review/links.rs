//! Addresses in a text that lead out of the skill.

use super::Notes;
use crate::finding::excerpt;
use crate::source::Span;

/// Notes every web address, images apart, and every link that would run something.
pub(super) fn review(text: &str, notes: &mut Notes<'_>) {
    // Schemes are the same in any case, and places the same in both texts.
    let lower = text.to_ascii_lowercase();
    for span in addresses(&lower) {
        let address = excerpt(span.of(text), 120);
        let before = &text[..span.start];
        if is_image(before) {
            let message =
                format!("an image from elsewhere, which tells its host who reads this: {address}");
            notes.add("content-remote-image", span, message);
        } else {
            notes.add(
                "content-remote-link",
                span,
                format!("an address outside of the skill: {address}"),
            );
        }
    }
    for scheme in ["javascript:", "vbscript:", "data:text/html"] {
        for (at, _) in lower.match_indices(scheme) {
            let span = Span::new(at, at + scheme.len());
            notes.add("content-active-link", span, format!("a link that runs something: {scheme}"));
        }
    }
}

/// Where `http://` and `https://` addresses stand in a text in lower case.
fn addresses(text: &str) -> impl Iterator<Item = Span> {
    let ends = |c: char| c.is_whitespace() || "<>\"'`)]}".contains(c);
    text.match_indices("://").filter_map(move |(at, _)| {
        let scheme = ["https", "http"].into_iter().find(|scheme| text[..at].ends_with(scheme))?;
        let start = at - scheme.len();
        let length = text[start..].find(ends).unwrap_or(text.len() - start);
        Some(Span::new(start, start + length))
    })
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
        assert_eq!(ids("skill://a/b and file://c and ://"), Vec::<&str>::new());
    }

    #[test]
    fn many_addresses_are_bounded() {
        let text = "https://a.example/ ".repeat(100);
        assert_eq!(ids(&text).len(), super::super::MAX_PER_KIND);
        assert!(review_text(&text).last().unwrap().message.ends_with("there is more of the same"));
    }
}
