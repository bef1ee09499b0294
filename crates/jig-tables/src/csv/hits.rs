//! Where two bytes are in a text, eight bytes at a time. A search from one to the next would cost more than it skips:
//! fields are short.

const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The highest bit of each byte of a word that is this byte.
const fn is(word: u64, byte: u8) -> u64 {
    let zero = word ^ u64::from_ne_bytes([byte; 8]);
    !(((zero & LOW) + LOW) | zero | LOW)
}

/// Goes from one place to the next.
pub(super) struct Hits<'t> {
    text: &'t [u8],
    bytes: [u8; 2],
    /// The word that is looked at, by the place it begins at, and the places in it that are left.
    word: usize,
    left: u64,
}

impl<'t> Hits<'t> {
    pub(super) fn new(text: &'t [u8], one: u8, other: u8) -> Self {
        let mut hits = Self { text, bytes: [one, other], word: 0, left: 0 };
        hits.left = hits.look(0);
        hits
    }

    /// All places in the word that begins here; bytes beyond the text are none.
    #[inline]
    fn look(&self, word: usize) -> u64 {
        let [one, other] = self.bytes;
        match self.text.get(word..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(whole) => {
                let value = u64::from_le_bytes(*whole);
                is(value, one) | is(value, other)
            }
            None => self.look_at_end(word),
        }
    }

    #[cold]
    fn look_at_end(&self, word: usize) -> u64 {
        let [one, other] = self.bytes;
        let rest = self.text.get(word..).unwrap_or_default();
        let value = rest.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        (is(value, one) | is(value, other)) & ((1 << (rest.len() * 8)) - 1)
    }

    /// The next place at or after this one. Places must not go back.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.word + 8 {
            self.word = from;
            self.left = self.look(from);
        } else {
            self.left &= u64::MAX << (from.saturating_sub(self.word) * 8);
        }
        while self.left == 0 {
            self.word += 8;
            if self.word >= self.text.len() {
                return None;
            }
            self.left = self.look(self.word);
        }
        let at = self.word + self.left.trailing_zeros() as usize / 8;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_whatever_stands_beside_it_and_wherever_one_begins() {
        // Bytes that differ by one bit, or are one more, are what such searches take for others.
        let kinds = [b',', b'\n', b'-', b'+', 0x0b, 0x09, 0x8a, 0xac, 0, 0xff, 1];
        for length in 0..40_usize {
            for seed in 0..200_usize {
                let step = seed % 13 + 1;
                let text: Vec<u8> = (0..length).map(|at| kinds[(seed * 7 + at * step) % kinds.len()]).collect();
                let mut hits = Hits::new(&text, b',', b'\n');
                let mut from = 0;
                while from <= length {
                    let wanted = (from..length).find(|at| matches!(text[*at], b',' | b'\n'));
                    assert_eq!(hits.next(from), wanted, "{text:?} from {from}");
                    let Some(found) = wanted else { break };
                    from = found + 1 + seed % 3 * 5;
                }
            }
        }
    }
}
