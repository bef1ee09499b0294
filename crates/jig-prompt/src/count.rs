//! Counting tokens, exactly and fast.
//!
//! The counts of two texts do not generally add up to the count of their concatenation, because a token may span the
//! boundary. They do add up where the tokenizer cannot look across it. Each piece of a prompt starts with `<` and ends
//! with a line feed (module `write`), and o200k always splits there: it splits a text into words before creating
//! tokens, a word that ends with a line feed is only continued by blanks or slashes, and there is no lookbehind.
//! Messages are sent, and therefore counted, separately. So the count of a prompt is the sum of the counts of its
//! pieces, each byte is in exactly one piece, and only changed pieces are counted again ([`Cached`]).
//!
//! For other model families, the count is a fixed multiple of o200k's ([`Tokenizer`]). It is applied to running sums,
//! so that the parts of an estimate add up to its total too.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the tokens of a text.
///
/// For implementers: `count(a) + count(b) == count(a + b)` must hold if `a` ends with a line feed and `b` starts with
/// `<`. The same text must always have the same count.
pub trait Counter {
    /// The number of tokens of this text.
    fn count(&self, text: &str) -> u64;
}

/// The tokenizer of current OpenAI models.
#[derive(Debug, Clone, Copy, Default)]
pub struct O200k;

impl Counter for O200k {
    fn count(&self, text: &str) -> u64 {
        as_count(bpe_openai::o200k_base().count(text))
    }
}

/// A counter with a cache by hash, to be reused for later prompts.
#[derive(Debug, Default)]
pub struct Cached<C> {
    counter: C,
    known: Mutex<Known>,
}

/// Two generations: a full young one becomes the old one, and what was not requested since is dropped.
#[derive(Debug, Default)]
struct Known {
    young: BTreeMap<[u8; 32], u64>,
    old: BTreeMap<[u8; 32], u64>,
}

/// The number of counts per generation.
const HALF: usize = 50_000;

/// Shorter texts are counted faster than they are looked up.
const WORTH_KEEPING: usize = 24;

impl<C: Counter> Cached<C> {
    /// Caches the results of this counter.
    pub fn new(counter: C) -> Self {
        Self { counter, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Entries are inserted atomically, so a thread that panicked with the lock left nothing inconsistent.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Counter> Counter for Cached<C> {
    fn count(&self, text: &str) -> u64 {
        if text.len() < WORTH_KEEPING {
            return self.counter.count(text);
        }
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        if let Some(count) = self.known().get(&hash) {
            return count;
        }
        let count = self.counter.count(text);
        self.known().put(hash, count);
        count
    }
}

impl Known {
    fn get(&mut self, hash: &[u8; 32]) -> Option<u64> {
        if let Some(count) = self.young.get(hash) {
            return Some(*count);
        }
        let count = self.old.remove(hash)?;
        self.put(*hash, count);
        Some(count)
    }

    fn put(&mut self, hash: [u8; 32], count: u64) {
        if self.young.len() >= HALF {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, count);
    }
}

/// The tokenizer of a model family, as a multiple of o200k's count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokenizer {
    /// The name in a token breakdown.
    pub name: String,
    /// Tokens per thousand o200k tokens.
    pub per_mille: u32,
}

impl Tokenizer {
    /// OpenAI's tokenizer; exact.
    pub fn o200k() -> Self {
        Self { name: "o200k".to_owned(), per_mille: 1_000 }
    }

    /// An estimate for the models of a provider. The multiples are rules of thumb that are rather too high than too low
    /// for English prose and JSON: Anthropic 1.25, Google 1.10, Mistral 1.15, all others 1.20.
    pub fn estimate(provider: &str) -> Self {
        let per_mille = match provider {
            "openai" => return Self::o200k(),
            "anthropic" => 1_250,
            "google" | "gemini" => 1_100,
            "mistral" => 1_150,
            _ => 1_200,
        };
        Self { name: format!("o200k × {}.{:02}", per_mille / 1_000, per_mille % 1_000 / 10), per_mille }
    }

    /// Whether the counts are estimates.
    pub fn estimated(&self) -> bool {
        self.per_mille != 1_000
    }

    /// Converts an o200k count, rounding up.
    pub fn of(&self, counted: u64) -> u64 {
        counted.saturating_mul(u64::from(self.per_mille)).div_ceil(1_000)
    }

    /// The largest o200k count that converts to at most this many tokens.
    pub(crate) fn back(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(1_000) / u64::from(self.per_mille.max(1))
    }
}

/// Converts a length to a count.
pub(crate) fn as_count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_at_our_seams() {
        let pieces = [
            "<a>\n",
            "<b>x  \n\n</b>\n",
            "</a>\n",
            "<c>\n\n\n/ \t\n</c>\n",
            "<d>>\n",
            "<e>日本</e>\n",
            "<f>\n  \n",
            "<g>\nx\r\n",
            "<h>\n \t\n\n",
        ];
        for a in pieces {
            for b in pieces {
                assert_eq!(O200k.count(a) + O200k.count(b), O200k.count(&format!("{a}{b}")), "{a:?} {b:?}");
            }
        }
        assert_ne!(O200k.count("x>") + O200k.count("\n\n"), O200k.count("x>\n\n"));
    }

    struct Once(Mutex<Vec<String>>);

    impl Counter for Once {
        fn count(&self, text: &str) -> u64 {
            self.0.lock().unwrap().push(text.to_owned());
            as_count(text.len())
        }
    }

    #[test]
    fn what_is_known_is_not_counted_again() {
        let cached = Cached::new(Once(Mutex::default()));
        let long = "a text that is long enough to be kept";
        for _ in 0..3 {
            assert_eq!(cached.count(long), as_count(long.len()));
        }
        assert_eq!(cached.counter.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn the_cache_forgets_only_what_is_no_longer_asked_for() {
        let mut known = Known::default();
        let key = |n: usize| *blake3::hash(&n.to_le_bytes()).as_bytes();
        known.put(key(0), 7);
        for n in 1..3 * HALF {
            known.put(key(n), 1);
            if n % 1_000 == 0 {
                assert_eq!(known.get(&key(0)), Some(7));
            }
        }
        assert!(known.young.len() + known.old.len() <= 2 * HALF);
        assert_eq!(known.get(&key(1)), None);
    }

    #[test]
    fn estimates_are_stated_and_round_up() {
        assert!(!Tokenizer::o200k().estimated());
        let anthropic = Tokenizer::estimate("anthropic");
        assert_eq!((anthropic.name.as_str(), anthropic.of(10), anthropic.estimated()), ("o200k × 1.25", 13, true));
        assert_eq!(anthropic.of(anthropic.back(1_001)), 1_000);
        assert_eq!(Tokenizer::estimate("openai"), Tokenizer::o200k());
    }
}
