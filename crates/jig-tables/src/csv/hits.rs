//! Where some bytes are in a text, sixty-four bytes at a time. A search from one to the next would cost more than it
//! skips: fields are short.

use fearless_simd::prelude::*;
use fearless_simd::u8x64;

/// How many bytes are looked at together.
const BLOCK: usize = 64;

/// Goes from one place to the next.
pub(super) struct Hits<'t, S: Simd> {
    simd: S,
    text: &'t [u8],
    bytes: [u8x64<S>; 3],
    /// The block that is looked at, by the place it begins at, and the places in it that are left, one bit each.
    block: usize,
    left: u64,
}

impl<'t, S: Simd> Hits<'t, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, text: &'t [u8], [one, two, three]: [u8; 3]) -> Self {
        let all = |byte| u8x64::splat(simd, byte);
        let mut hits = Self { simd, text, bytes: [all(one), all(two), all(three)], block: 0, left: 0 };
        hits.left = hits.look(0);
        hits
    }

    /// All places in the block that begins here; bytes beyond the text are none.
    #[inline(always)]
    fn look(&self, block: usize) -> u64 {
        match self.text.get(block..).and_then(|rest| rest.first_chunk()) {
            Some(whole) => self.places(whole),
            None => self.look_at_end(block),
        }
    }

    #[inline(always)]
    fn look_at_end(&self, block: usize) -> u64 {
        let rest = self.text.get(block..).unwrap_or_default();
        let mut whole = [0; BLOCK];
        whole.iter_mut().zip(rest).for_each(|(byte, of)| *byte = *of);
        // Beyond the end only the places of the text itself count, whichever byte is looked for.
        self.places(&whole) & ((1 << rest.len()) - 1)
    }

    /// Which bytes of a block are one of those that are looked for, one bit each.
    #[inline(always)]
    fn places(&self, block: &[u8; BLOCK]) -> u64 {
        let block = u8x64::simd_from(self.simd, *block);
        let [one, two, three] = self.bytes;
        (block.simd_eq(one) | block.simd_eq(two) | block.simd_eq(three)).to_bitmask()
    }

    /// Leaves out the places before this one, which must not lie before the last that was given.
    #[inline(always)]
    pub(super) fn skip_to(&mut self, from: usize) {
        if from >= self.block + BLOCK {
            self.block = from;
            self.left = self.look(from);
        } else {
            self.left &= u64::MAX << from.saturating_sub(self.block);
        }
    }
}

impl<S: Simd> Iterator for Hits<'_, S> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.block += BLOCK;
            if self.block >= self.text.len() {
                return None;
            }
            self.left = self.look(self.block);
        }
        let place = self.block + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// Bytes that differ by one bit, or are one more, are what such searches take for others.
    const KINDS: [u8; 13] = [b',', b'\n', b'"', b'#', b'-', b'+', 0x0b, 0x09, 0x8a, 0xac, 0, 0xff, 1];

    fn text(length: usize, seed: usize) -> Vec<u8> {
        let step = seed % 13 + 1;
        (0..length).map(|at| KINDS[(seed * 7 + at * step + at / 11) % KINDS.len()]).collect()
    }

    /// Whatever this processor can, and the least that any of its kind can.
    fn levels() -> [Level; 2] {
        [Level::new(), Level::baseline()]
    }

    #[test]
    fn every_place_is_found_whatever_stands_beside_it_and_wherever_one_goes_on() {
        for length in (0..40_usize).chain(60..70).chain(120..140).chain([200, 300]) {
            for (seed, level) in (0..200_usize).flat_map(|seed| levels().map(|level| (seed, level))) {
                let text = text(length, seed);
                let is_wanted = |at: &usize| matches!(text[*at], b',' | b'\n' | b'"');
                dispatch!(level, simd => {
                    let all = Hits::new(simd, &text, [b',', b'\n', b'"']);
                    assert_eq!(all.collect::<Vec<_>>(), (0..length).filter(is_wanted).collect::<Vec<_>>(), "{text:?}");
                    let mut hits = Hits::new(simd, &text, [b',', b'\n', b'"']);
                    let mut from = 0;
                    while from <= length {
                        let wanted = (from..length).find(is_wanted);
                        hits.skip_to(from);
                        assert_eq!(hits.next(), wanted, "{text:?} from {from}");
                        let Some(found) = wanted else { break };
                        from = found + 1 + seed % 3 * 5 + seed % 7 * 17;
                    }
                });
            }
        }
    }

    #[test]
    fn a_zero_byte_is_not_found_beyond_the_end() {
        for level in levels() {
            dispatch!(level, simd => {
                assert_eq!(Hits::new(simd, b"abc", [0, 1, 2]).next(), None);
                assert_eq!(Hits::new(simd, b"ab\0", [0, 1, 2]).next(), Some(2));
            });
        }
    }
}
