//! Counting tokens, exactly and fast.
//!
//! The counts of two texts do not add up to the count of both together: a token may span the seam. They do add up where
//! the tokenizer cannot look across it. Each piece of a prompt begins with `<` and ends with a line feed (module
//! `write`), and there o200k always parts: it cuts a text into words before it makes tokens, a word that ends in a line
//! feed goes on only with blanks or slashes, and nothing looks back. Messages are sent, and so counted, each for itself.
//! So a prompt's count is the sum of its pieces' counts, each byte is in exactly one piece, and only pieces that changed
//! are counted anew ([`Cached`]).
//!
//! For other model families the number is a stated multiple of o200k's ([`Tokenizer`]). The multiple is taken of running
//! sums, so that the parts of an estimate add up to its total as well.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the tokens of a text.
///
/// For implementers: `count(a) + count(b) == count(a + b)` must hold where `a` ends in a line feed and `b` begins
/// with `<`. The same text has the same count, always.
pub trait Counter {
    /// How many tokens this text is.
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

/// A counter that remembers what it counted, by hash. Made to be kept from one prompt to the next.
#[derive(Debug, Default)]
pub struct Cached<C> {
    counter: C,
    known: Mutex<Known>,
}

/// Two halves: when the young one is full it becomes the old one, and what was not asked for since is forgotten.
#[derive(Debug, Default)]
struct Known {
    young: BTreeMap<[u8; 32], u64>,
    old: BTreeMap<[u8; 32], u64>,
}

/// How many counts one half of the cache holds.
const HALF: usize = 50_000;

/// Texts shorter than this are counted faster than they are looked up.
const WORTH_KEEPING: usize = 24;

impl<C: Counter> Cached<C> {
    /// Remembers what this counter counts.
    pub fn new(counter: C) -> Self {
        Self { counter, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Counts are whole or absent, so a thread that died while it held the lock left nothing half done.
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

/// What a model family makes of a text, as a multiple of o200k's count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokenizer {
    /// What it is called in a bill.
    pub name: String,
    /// Tokens for a thousand of o200k's.
    pub per_mille: u32,
}

impl Tokenizer {
    /// OpenAI's, exact.
    pub fn o200k() -> Self {
        Self { name: "o200k".to_owned(), per_mille: 1_000 }
    }

    /// An estimate for the models of a provider. The multiples are rules of thumb, chosen to be rather too high than
    /// too low for English prose and JSON: Anthropic 1.25, Google 1.10, Mistral 1.15, all others 1.20.
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

    /// A count of o200k's as one of this family's, rounded up.
    pub fn of(&self, counted: u64) -> u64 {
        counted.saturating_mul(u64::from(self.per_mille)).div_ceil(1_000)
    }

    /// The largest count of o200k's that is at most this many of this family's.
    pub(crate) fn back(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(1_000) / u64::from(self.per_mille.max(1))
    }
}

/// A length as a count.
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
