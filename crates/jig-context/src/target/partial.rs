//! Partial titles in a message. They are sufficient for a question, never for an answer.

use std::ops::Range;

use super::catalog::{Catalog, Class as Sort, Owner};
use super::lexicon::Class;
use super::mention::Reading;
use super::words::Word;

/// A phrase that refers to something as if it were a section.
pub(super) struct Phrase<'a> {
    pub(super) words: &'a [Word],
    /// Whether it contains the word "section".
    pub(super) section: bool,
}

impl Phrase<'_> {
    /// The phrase as written in the message.
    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        let (Some(first), Some(last)) = (self.words.first(), self.words.last()) else { return "" };
        text.get(first.start..last.end).unwrap_or_default()
    }
}

/// The maximum number of words of a phrase; titles are not longer.
const PHRASE_WORDS_MAX: usize = 6;
/// The maximum number of phrases. In a long text, the first ones express the request.
const PHRASES_MAX: usize = 20;

/// The phrases that may be partial titles: "the X section", "section X", "rewrite the X".
pub(super) fn phrases<'a>(reading: &'a Reading<'_>) -> Vec<Phrase<'a>> {
    let words = &reading.words;
    let mut found: Vec<Phrase<'a>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let section = word.class.has(Class::SECTION);
        if section {
            found.push(Phrase { words: words.get(before(words, at)).unwrap_or_default(), section });
        }
        // "a section X" refers to a new section.
        let new =
            section && at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| word.class.has(Class::NEW));
        if !new && (section || (word.class.has(Class::VERB) && !word.class.has(Class::MAKER))) {
            let range = after(words, at);
            let called = words.get(range.end).is_some_and(|next| next.class.has(Class::SECTION));
            if section || !called {
                found.push(Phrase { words: words.get(range).unwrap_or_default(), section });
            }
        }
    }
    found.retain(|phrase| !phrase.words.is_empty() && phrase.words.len() <= PHRASE_WORDS_MAX);
    found.truncate(PHRASES_MAX);
    found.retain(|phrase| !is_negated(words, phrase.words));
    found
}

fn before(words: &[Word], at: usize) -> Range<usize> {
    let Some(here) = words.get(at) else { return at..at };
    let free = |word: &&Word| word.clause == here.clause && is_free(word);
    let start = at - words.get(..at).unwrap_or_default().iter().rev().take_while(free).count();
    let new = start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| word.class.has(Class::NEW));
    if new { at..at } else { start..at }
}

fn after(words: &[Word], at: usize) -> Range<usize> {
    let Some(here) = words.get(at) else { return at..at };
    let passed = |word: &&Word| {
        let class = word.class;
        word.clause == here.clause
            && (class.has(Class::THE)
                || class.has(Class::KIND_OF)
                || class.has(Class::CALLED)
                || matches!(word.exact.as_str(), "up" | "out" | "off" | "jour" | "à"))
    };
    let start = at + 1 + words.get(at + 1..).unwrap_or_default().iter().take_while(passed).count();
    let free = |word: &&Word| word.clause == here.clause && is_free(word);
    start..start + words.get(start..).unwrap_or_default().iter().take_while(free).count()
}

fn is_free(word: &Word) -> bool {
    !word.class.is_known() && !word.exact.is_empty() && word.ticked.is_none()
}

fn is_negated(words: &[Word], phrase: &[Word]) -> bool {
    let Some(first) = phrase.first() else { return false };
    words.iter().any(|word| word.clause == first.clause && word.start < first.start && word.class.has(Class::NOT))
}

/// The parts whose titles contain all words of a phrase, those with the fewest other words first.
pub(super) fn parts(catalog: &Catalog, phrase: &Phrase<'_>) -> Vec<Owner> {
    let mut names: Option<Vec<u32>> = None;
    for word in phrase.words {
        let mut fitting: Vec<u32> = catalog
            .vocabulary
            .variants(word, super::vary::Eye::Kind)
            .iter()
            .flat_map(|(number, _)| catalog.by_word.get(number).into_iter().flatten().copied())
            .collect();
        fitting.sort_unstable();
        names = Some(match names {
            None => fitting,
            Some(names) => names.into_iter().filter(|name| fitting.binary_search(name).is_ok()).collect(),
        });
    }
    let mut found: Vec<(usize, Owner)> = Vec::new();
    for name in names.unwrap_or_default().into_iter().filter_map(|name| catalog.name(name)) {
        let parts = name
            .owners
            .iter()
            .filter(|one| one.owner.part.is_some() && !(one.whole && name.words.len() == phrase.words.len()));
        found.extend(parts.map(|one| (name.words.len(), one.owner)));
    }
    let class = |owner: &Owner| catalog.document(owner.document).map_or(Sort::Item, |document| document.class);
    found.sort_by_key(|(length, owner)| (class(owner), *length, *owner));
    let mut owners: Vec<Owner> = Vec::new();
    for (_, owner) in found {
        if !owners.contains(&owner) && owners.len() < 50 {
            owners.push(owner);
        }
    }
    owners
}
