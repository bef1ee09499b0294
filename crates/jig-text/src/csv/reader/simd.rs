//! Finds three byte values in a text, 64 bytes at a time. memchr would restart at each match, which costs more than it
//! saves, because fields are short.

use fearless_simd::prelude::*;
use fearless_simd::u8x64;

/// How many bytes are compared at once.
const BLOCK: usize = 64;

/// An iterator over the positions of the bytes.
pub(super) struct Matches<'t, S: Simd> {
    simd: S,
    text: &'t [u8],
    bytes: [u8x64<S>; 3],
    /// The start of the current block.
    block: usize,
    /// The matches in it that were not returned yet, one bit each.
    left: u64,
}

impl<'t, S: Simd> Matches<'t, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, text: &'t [u8], [one, two, three]: [u8; 3]) -> Self {
        let all = |byte| u8x64::splat(simd, byte);
        let mut matches = Self { simd, text, bytes: [all(one), all(two), all(three)], block: 0, left: 0 };
        matches.left = matches.block_matches(0);
        matches
    }

    /// The matches in the block that starts here.
    #[inline(always)]
    fn block_matches(&self, block: usize) -> u64 {
        match self.text.get(block..).and_then(|rest| rest.first_chunk()) {
            Some(whole) => self.compare(whole),
            None => self.last_block_matches(block),
        }
    }

    #[inline(always)]
    fn last_block_matches(&self, block: usize) -> u64 {
        let rest = self.text.get(block..).unwrap_or_default();
        let mut whole = [0; BLOCK];
        whole.iter_mut().zip(rest).for_each(|(byte, of)| *byte = *of);
        // The block is padded with zero bytes, which do not count even if they are searched for.
        self.compare(&whole) & ((1 << rest.len()) - 1)
    }

    /// The bytes of a block that match, one bit each.
    #[inline(always)]
    fn compare(&self, block: &[u8; BLOCK]) -> u64 {
        let block = u8x64::simd_from(self.simd, *block);
        let [one, two, three] = self.bytes;
        (block.simd_eq(one) | block.simd_eq(two) | block.simd_eq(three)).to_bitmask()
    }

    /// Skips matches before `from`, which must not be before the last match returned.
    #[inline(always)]
    pub(super) fn skip_to(&mut self, from: usize) {
        if from >= self.block + BLOCK {
            self.block = from;
            self.left = self.block_matches(from);
        } else {
            self.left &= u64::MAX << from.saturating_sub(self.block);
        }
    }
}

impl<S: Simd> Iterator for Matches<'_, S> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.block += BLOCK;
            if self.block >= self.text.len() {
                return None;
            }
            self.left = self.block_matches(self.block);
        }
        let found = self.block + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// Includes bytes that differ from the searched ones by one bit or by one, which faulty comparisons confuse.
    const KINDS: [u8; 13] = [b',', b'\n', b'"', b'#', b'-', b'+', 0x0b, 0x09, 0x8a, 0xac, 0, 0xff, 1];

    fn text(length: usize, seed: usize) -> Vec<u8> {
        let step = seed % 13 + 1;
        (0..length).map(|at| KINDS[(seed * 7 + at * step + at / 11) % KINDS.len()]).collect()
    }

    /// The best instruction set of this processor and the baseline of its architecture.
    fn levels() -> [Level; 2] {
        [Level::new(), Level::baseline()]
    }

    #[test]
    fn every_match_is_found_from_any_start() {
        for length in (0..40_usize).chain(60..70).chain(120..140).chain([200, 300]) {
            for (seed, level) in (0..200_usize).flat_map(|seed| levels().map(|level| (seed, level))) {
                let text = text(length, seed);
                let is_wanted = |at: &usize| matches!(text[*at], b',' | b'\n' | b'"');
                dispatch!(level, simd => {
                    let all = Matches::new(simd, &text, [b',', b'\n', b'"']);
                    assert_eq!(all.collect::<Vec<_>>(), (0..length).filter(is_wanted).collect::<Vec<_>>(), "{text:?}");
                    let mut matches = Matches::new(simd, &text, [b',', b'\n', b'"']);
                    let mut from = 0;
                    while from <= length {
                        let wanted = (from..length).find(is_wanted);
                        matches.skip_to(from);
                        assert_eq!(matches.next(), wanted, "{text:?} from {from}");
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
                assert_eq!(Matches::new(simd, b"abc", [0, 1, 2]).next(), None);
                assert_eq!(Matches::new(simd, b"ab\0", [0, 1, 2]).next(), Some(2));
            });
        }
    }
}
