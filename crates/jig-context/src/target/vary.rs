//! Matches typed words with the words of names, allowing for typos and prefixes.

use std::collections::BTreeMap;

use super::words::Word;

/// All words of all names, by stem.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    numbers: BTreeMap<String, u32>,
    words: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    stem: String,
    letters: usize,
    /// A bit per letter, a cheap filter before comparing words.
    mask: u64,
}

/// How tolerant the matching is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eye {
    /// Exact stems only: in a long text, a similar word is usually just another word.
    Strict,
    /// Also typos and prefixes.
    Kind,
}

/// How a typed word matches a word of a name, most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Vary {
    /// The same stem.
    Same,
    /// A prefix of it.
    Prefix,
    /// A typing mistake.
    Typo,
}

impl Vocabulary {
    pub(super) fn add(&mut self, stem: &str) -> u32 {
        if let Some(number) = self.numbers.get(stem) {
            return *number;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.numbers.insert(stem.to_owned(), number);
        self.words.push(Known { stem: stem.to_owned(), letters: stem.chars().count(), mask: mask(stem) });
        number
    }

    /// The words that this one can match. A known word only matches itself, because it is unlikely to be a typo of
    /// another.
    pub(super) fn variants(&self, word: &Word, reading: Eye) -> Vec<(u32, Vary)> {
        if let Some(number) = self.numbers.get(&word.stem) {
            return vec![(*number, Vary::Same)];
        }
        if reading == Eye::Strict || word.class.is_known() || word.unspaced {
            return Vec::new();
        }
        let letters = word.stem.chars().count();
        let (mistakes, bits) = (mistakes(letters), mask(&word.stem));
        let varied = |known: &Known| {
            if letters >= 3 && known.letters > letters && known.stem.starts_with(&word.stem) {
                return Some(Vary::Prefix);
            }
            let far = known.letters.abs_diff(letters) > mistakes
                || (known.mask ^ bits).count_ones() as usize > 2 * mistakes
                || mistakes == 0;
            (!far && is_typo(&word.stem, &known.stem, letters, mistakes)).then_some(Vary::Typo)
        };
        let numbered = self.words.iter().zip(0..);
        numbered.filter_map(|(known, number)| varied(known).map(|vary| (number, vary))).collect()
    }
}

/// The number of typos allowed for a word of this length.
const fn mistakes(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=8 => 1,
        _ => 2,
    }
}

fn is_typo(typed: &str, known: &str, letters: usize, mistakes: usize) -> bool {
    if letters == 4 {
        // Words of four letters are similar to too many others; only a transposition is clearly a typo.
        return typed.len() == known.len() && strsim::osa_distance(typed, known) == 1 && mask(typed) == mask(known);
    }
    strsim::osa_distance(typed, known) <= mistakes
}

fn mask(word: &str) -> u64 {
    word.chars().fold(0, |bits, c| bits | 1 << (u32::from(c) % 64))
}
