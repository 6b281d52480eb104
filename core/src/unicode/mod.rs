//! Canonical equivalence of Unicode texts, as far as it takes to explain a difference.
//!
//! The pairs are complete; marks are not reordered. So what is found equal here is equal, while
//! texts with marks in an unusual order are not recognised. A full normaliser would be a third of
//! what a browser downloads of this crate.

mod composites;

use std::collections::HashMap;

use composites::COMPOSITES;

/// Either way between a composed character, which stands alone, and its two parts. One type for
/// both ways, as each type of map is more to download.
type Table = HashMap<(char, char), (char, char)>;

/// Beside a composed character.
const NONE: char = '\0';

/// Whether `a` and `b` differ only in Unicode normalisation.
pub(crate) fn differ_in_normalization(a: &str, b: &str) -> bool {
    if a == b || (a.is_ascii() && b.is_ascii()) {
        return false;
    }
    let decomposer = Decomposer::new();
    decomposer.decompose(a) == decomposer.decompose(b)
}

/// Takes composed characters apart. Making one costs more than a short text does.
pub(crate) struct Decomposer(Table);

impl Decomposer {
    pub(crate) fn new() -> Self {
        Self(pairs().map(|(composed, base, mark)| ((composed, NONE), (base, mark))).collect())
    }

    /// `text` with every composed character taken apart (NFD).
    pub(crate) fn decompose(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        // The marks of the character at hand, innermost last.
        let mut marks = Vec::new();
        for character in text.chars() {
            if hangul::decompose(character, &mut out) {
                continue;
            }
            let mut base = character;
            while let Some((inner, mark)) = self.0.get(&(base, NONE)) {
                marks.push(*mark);
                base = *inner;
            }
            out.push(base);
            out.extend(marks.drain(..).rev());
        }
        out
    }
}

/// Joins marks to the characters before them. Making one costs more than a short text does.
#[derive(Debug)]
pub(crate) struct Composer(Table);

impl Composer {
    pub(crate) fn new() -> Self {
        Self(pairs().map(|(composed, base, mark)| ((base, mark), (composed, NONE))).collect())
    }

    /// `text` with marks joined to the characters before them (NFC).
    pub(crate) fn compose(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut last: Option<char> = None;
        for character in text.chars() {
            let joined = last.and_then(|last| {
                hangul::compose(last, character)
                    .or_else(|| self.0.get(&(last, character)).map(|(composed, _)| *composed))
            });
            if joined.is_none() {
                out.extend(last);
            }
            last = Some(joined.unwrap_or(character));
        }
        out.extend(last);
        out
    }
}

/// Composed character, base, mark.
fn pairs() -> impl Iterator<Item = (char, char, char)> {
    let mut characters = COMPOSITES.chars();
    std::iter::from_fn(move || Some((characters.next()?, characters.next()?, characters.next()?)))
}

/// Hangul syllables are composed by arithmetic (Unicode, chapter 3.12).
mod hangul {
    const SYLLABLES: u32 = 0xac00;
    const LEADS: u32 = 0x1100;
    const VOWELS: u32 = 0x1161;
    const TAILS: u32 = 0x11a7;
    const LEAD_COUNT: u32 = 19;
    const VOWEL_COUNT: u32 = 21;
    const TAIL_COUNT: u32 = 28;

    /// Appends the letters of a syllable. Says whether it was one.
    pub(super) fn decompose(character: char, out: &mut String) -> bool {
        let count = LEAD_COUNT * VOWEL_COUNT * TAIL_COUNT;
        let Some(index) = index(character, SYLLABLES, count) else { return false };
        let tail = index % TAIL_COUNT;
        let letters = [
            LEADS + index / (VOWEL_COUNT * TAIL_COUNT),
            VOWELS + index % (VOWEL_COUNT * TAIL_COUNT) / TAIL_COUNT,
            TAILS + tail,
        ];
        let wanted = if tail == 0 { 2 } else { 3 };
        out.extend(letters.into_iter().take(wanted).filter_map(char::from_u32));
        true
    }

    /// The syllable of a lead and a vowel, or of a syllable without tail and a tail.
    pub(super) fn compose(first: char, second: char) -> Option<char> {
        if let (Some(lead), Some(vowel)) =
            (index(first, LEADS, LEAD_COUNT), index(second, VOWELS, VOWEL_COUNT))
        {
            return char::from_u32(SYLLABLES + (lead * VOWEL_COUNT + vowel) * TAIL_COUNT);
        }
        let syllable = index(first, SYLLABLES, LEAD_COUNT * VOWEL_COUNT * TAIL_COUNT)?;
        let tail = index(second, TAILS, TAIL_COUNT).filter(|tail| *tail > 0)?;
        (syllable % TAIL_COUNT == 0).then(|| char::from_u32(first as u32 + tail))?
    }

    fn index(character: char, start: u32, count: u32) -> Option<u32> {
        (character as u32).checked_sub(start).filter(|index| *index < count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_and_decomposed_texts_are_recognised() {
        assert!(differ_in_normalization("Café", "Cafe\u{301}"));
        assert!(differ_in_normalization(
            "한글",
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"
        ));
        assert!(differ_in_normalization("ế", "e\u{302}\u{301}"));
        assert!(differ_in_normalization("ガ", "カ\u{3099}"));
        assert!(!differ_in_normalization("Café", "Cafe"));
        assert!(!differ_in_normalization("Café", "Café"));
    }

    #[test]
    fn the_two_forms_turn_into_each_other() {
        for text in ["Café", "한글 각", "Ặ ế ḗ", "Ёлка й", "ガギ", "Ά ᾷ", "plain"]
        {
            assert_eq!(Composer::new().compose(&Decomposer::new().decompose(text)), text);
        }
    }

    /// The table against a full implementation.
    #[test]
    #[cfg(not(target_arch = "wasm32"))]
    fn the_table_is_complete() {
        use unicode_normalization::char::{compose, decompose_canonical};
        let mut expected = String::new();
        for composed in '\u{c0}'..=char::MAX {
            let mut full = Vec::new();
            decompose_canonical(composed, |part| full.push(part));
            let Some((mark, before)) = full.split_last().filter(|(_, before)| !before.is_empty())
            else {
                continue;
            };
            let base = before.iter().copied().reduce(|a, b| compose(a, b).unwrap_or(a));
            let Some(base) = base.filter(|base| compose(*base, *mark) == Some(composed)) else {
                continue;
            };
            if !('\u{ac00}'..='\u{d7a3}').contains(&composed) {
                expected.extend([composed, base, *mark]);
            }
        }
        let escaped: String = expected.chars().map(|c| c.escape_unicode().to_string()).collect();
        assert!(expected == COMPOSITES, "core/src/unicode/composites.rs should hold {escaped}");
    }
}
