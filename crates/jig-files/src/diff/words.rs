//! The words that differ between two texts.

use std::collections::HashMap;

use serde::Serialize;
use similar::DiffTag;

use super::align::{align, intern};

/// A run of words that is the same, added or removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Word {
    /// What happened to it.
    pub tag: WordTag,
    /// The words with the white space between them.
    pub text: String,
}

/// What happened to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordTag {
    /// They are on both sides.
    Same,
    /// They are new.
    Added,
    /// They were deleted.
    Removed,
}

/// The steps from one text to another, word by word: removed words, then those added in their place.
pub(crate) fn word_diff(old: &str, new: &str) -> Vec<Word> {
    let (old_words, new_words) = (split(old), split(new));
    let (old_ids, new_ids) = intern(old_words.iter(), new_words.iter());
    let (ops, _) = align(&old_ids, &new_ids);
    let text = |words: &[&str], range: std::ops::Range<usize>| words.get(range).unwrap_or_default().concat();
    let mut out: Vec<Word> = Vec::new();
    for op in ops {
        if op.tag() == DiffTag::Equal {
            push(&mut out, WordTag::Same, text(&new_words, op.new_range()));
        } else {
            push(&mut out, WordTag::Removed, text(&old_words, op.old_range()));
            push(&mut out, WordTag::Added, text(&new_words, op.new_range()));
        }
    }
    smooth(out)
}

/// How alike two texts are, from 0 to 1: the share of words that are on both sides.
pub(super) fn likeness(old: &str, new: &str) -> f64 {
    let (old, new) = (bag(old), bag(new));
    let size = |bag: &HashMap<&str, usize>| bag.values().sum::<usize>();
    let total = size(&old) + size(&new);
    if total == 0 {
        return 1.0;
    }
    let shared: usize = old.iter().map(|(word, count)| new.get(word).map_or(0, |other| *count.min(other))).sum();
    (2 * shared) as f64 / total as f64
}

fn bag(text: &str) -> HashMap<&str, usize> {
    let mut bag = HashMap::new();
    for word in text.split_whitespace() {
        *bag.entry(word).or_insert(0) += 1;
    }
    bag
}

/// Words, runs of white space, and other characters one by one.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last: Option<u8> = None;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if last.is_some_and(|last| last != now || now == 2) {
            words.push(text.get(start..at).unwrap_or_default());
            start = at;
        }
        last = Some(now);
    }
    if last.is_some() {
        words.push(text.get(start..).unwrap_or_default());
    }
    words
}

fn push(out: &mut Vec<Word>, tag: WordTag, text: String) {
    if text.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(last) if last.tag == tag => last.text.push_str(&text),
        _ => out.push(Word { tag, text }),
    }
}

/// A space between two changed words joins them, so that a changed phrase is one change.
fn smooth(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    let (mut removed, mut added) = (String::new(), String::new());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        match word.tag {
            WordTag::Removed => removed.push_str(&word.text),
            WordTag::Added => added.push_str(&word.text),
            WordTag::Same => {
                let inside = !removed.is_empty() && !added.is_empty() && words.peek().is_some();
                if inside && word.text.chars().all(char::is_whitespace) {
                    removed.push_str(&word.text);
                    added.push_str(&word.text);
                    continue;
                }
                push(&mut out, WordTag::Removed, std::mem::take(&mut removed));
                push(&mut out, WordTag::Added, std::mem::take(&mut added));
                push(&mut out, WordTag::Same, word.text);
            }
        }
    }
    push(&mut out, WordTag::Removed, removed);
    push(&mut out, WordTag::Added, added);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(old: &str, new: &str) -> String {
        let one = |word: &Word| match word.tag {
            WordTag::Same => word.text.clone(),
            WordTag::Added => format!("{{+{}+}}", word.text),
            WordTag::Removed => format!("[-{}-]", word.text),
        };
        word_diff(old, new).iter().map(one).collect()
    }

    #[test]
    fn one_word_for_another() {
        assert_eq!(rendered("The quick fox.", "The slow fox."), "The [-quick-]{+slow+} fox.");
    }

    #[test]
    fn a_phrase_is_not_cut_at_its_spaces() {
        assert_eq!(
            rendered("we grow by ten percent now", "we grow by three points now"),
            "we grow by [-ten percent-]{+three points+} now"
        );
    }

    #[test]
    fn words_put_in_and_taken_out() {
        assert_eq!(rendered("a b", "a b c"), "a b{+ c+}");
        assert_eq!(rendered("", "new"), "{+new+}");
        assert_eq!(rendered("same", "same"), "same");
    }

    #[test]
    fn both_texts_come_back_from_the_words() {
        let (old, new) = ("Größe: 10,5 m — alt", "Größe: 11,5 km — neu!");
        let side = |gone: WordTag| -> String {
            word_diff(old, new).iter().filter(|word| word.tag != gone).map(|word| word.text.as_str()).collect()
        };
        assert_eq!((side(WordTag::Added).as_str(), side(WordTag::Removed).as_str()), (old, new));
    }

    #[test]
    fn likeness_counts_shared_words() {
        assert!((likeness("a b c d", "a b c x") - 0.75).abs() < 1e-9);
        assert!((likeness("", "") - 1.0).abs() < 1e-9);
    }
}
