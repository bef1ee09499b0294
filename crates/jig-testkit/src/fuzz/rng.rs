//! Deterministic pseudorandom numbers.

/// A small generator (xorshift with a multiplication).
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// A generator with this seed; zero counts as one.
    pub fn new(seed: u64) -> Self {
        // Spreads neighbouring seeds, whose first numbers would otherwise be similar.
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below a bound; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high bits have better quality.
        if bound == 0 { 0 } else { (self.number() >> 16) as usize % bound }
    }

    /// True once in this many times on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random element; `None` for an empty list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// A random range, mostly a short one.
    pub fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.one_in(4) { length - start } else { (length - start).min(32) };
        start..start + self.below(most + 1)
    }
}
