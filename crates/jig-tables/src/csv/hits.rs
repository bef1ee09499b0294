//! Where two bytes are in a text, sixty-four bytes at a time. A search from one to the next would cost more than it
//! skips: fields are short.

/// How many bytes are looked at together.
const BLOCK: usize = 64;

/// Goes from one place to the next.
pub(super) struct Hits<'t> {
    text: &'t [u8],
    bytes: [u8; 2],
    /// The block that is looked at, by the place it begins at, and the places in it, one bit each.
    block: usize,
    left: u64,
}

impl<'t> Hits<'t> {
    pub(super) fn new(text: &'t [u8], one: u8, other: u8) -> Self {
        let mut hits = Self { text, bytes: [one, other], block: 0, left: 0 };
        hits.left = hits.look(0);
        hits
    }

    /// All places in the block that begins here; bytes beyond the text are none.
    #[inline]
    fn look(&self, block: usize) -> u64 {
        match self.text.get(block..).and_then(|rest| rest.first_chunk()) {
            Some(whole) => places(whole, self.bytes),
            None => self.look_at_end(block),
        }
    }

    #[cold]
    fn look_at_end(&self, block: usize) -> u64 {
        let rest = self.text.get(block..).unwrap_or_default();
        let mut whole = [0; BLOCK];
        whole.iter_mut().zip(rest).for_each(|(byte, of)| *byte = *of);
        // Beyond the end only the places of the text itself count, whichever byte is looked for.
        places(&whole, self.bytes) & ((1 << rest.len()) - 1)
    }

    /// The next place at or after this one. Places must not go back.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.block + BLOCK {
            self.block = from;
            self.left = self.look(from);
        } else {
            self.left &= u64::MAX << from.saturating_sub(self.block);
        }
        while self.left == 0 {
            self.block += BLOCK;
            if self.block >= self.text.len() {
                return None;
            }
            self.left = self.look(self.block);
        }
        Some(self.block + self.left.trailing_zeros() as usize)
    }
}

/// Which bytes of a block are one of two, by words of eight.
#[inline]
fn places(block: &[u8; BLOCK], [one, other]: [u8; 2]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (one, other) = (u64::from_ne_bytes([one; 8]), u64::from_ne_bytes([other; 8]));
    // The highest bit of each byte is set unless the byte is zero.
    let filled = |word: u64| ((word & LOW) + LOW) | word;
    let (words, _) = block.as_chunks::<8>();
    let mut found = 0;
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let bits = !((filled(word ^ one) & filled(word ^ other)) | LOW) >> 7;
        // The product brings the eight bits together in its highest byte.
        found |= (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (at * 8);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that differ by one bit, or are one more, are what such searches take for others.
    const KINDS: [u8; 11] = [b',', b'\n', b'-', b'+', 0x0b, 0x09, 0x8a, 0xac, 0, 0xff, 1];

    fn text(length: usize, seed: usize) -> Vec<u8> {
        let step = seed % 13 + 1;
        (0..length).map(|at| KINDS[(seed * 7 + at * step + at / 11) % KINDS.len()]).collect()
    }

    #[test]
    fn every_place_is_found_whatever_stands_beside_it_and_wherever_one_begins() {
        for length in (0..40_usize).chain(60..70).chain(120..140).chain([200, 300]) {
            for seed in 0..200_usize {
                let text = text(length, seed);
                let mut hits = Hits::new(&text, b',', b'\n');
                let mut from = 0;
                while from <= length {
                    let wanted = (from..length).find(|at| matches!(text[*at], b',' | b'\n'));
                    assert_eq!(hits.next(from), wanted, "{text:?} from {from}");
                    let Some(found) = wanted else { break };
                    from = found + 1 + seed % 3 * 5 + seed % 7 * 17;
                }
            }
        }
    }

    #[test]
    fn a_zero_byte_is_not_found_beyond_the_end() {
        assert_eq!(Hits::new(b"abc", 0, 1).next(0), None);
        assert_eq!(Hits::new(b"ab\0", 0, 1).next(0), Some(2));
    }
}
