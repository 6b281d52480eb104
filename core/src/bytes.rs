//! Eight bytes at a time: how a long text is searched for what is rare in it.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = ONES << 7;

/// How many bytes come before the first one that is marked. `marks` sets the high bit of those it marks
/// in a word of eight; above the lowest of them it may set more. It must not mark spaces.
pub(crate) fn unmarked(bytes: &[u8], marks: fn(u64) -> u64) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut at = 0;
    for word in words.iter().chain([&last]) {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    bytes.len()
}

/// Marks the bytes below `least`, an ASCII character. They borrow, so the one above may be marked, too.
pub(crate) const fn below(word: u64, least: u8) -> u64 {
    word.wrapping_sub(ONES * least as u64) & !word & HIGH
}

/// Marks the bytes that are this one.
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * byte as u64), 1)
}

/// Marks the bytes of characters beyond ASCII.
pub(crate) const fn beyond_ascii(word: u64) -> u64 {
    word & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marked_byte_is_found_wherever_it_is() {
        let marks = |word| below(word, b' ') | equal(word, b'"') | beyond_ascii(word);
        for length in 0..20 {
            let plain = vec![b'~'; length];
            assert_eq!(unmarked(&plain, marks), length);
            for at in 0..length {
                for byte in 0..=255 {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    let is_marked = byte < b' ' || byte == b'"' || byte > 0x7f;
                    assert_eq!(unmarked(&bytes, marks), if is_marked { at } else { length });
                }
            }
        }
    }
}
