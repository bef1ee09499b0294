//! Changing a text by naming byte ranges: all other bytes stay.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// Two changes of one text that touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two changes overlap at byte {at}")]
pub struct Overlap {
    /// Where.
    pub at: usize,
}

/// A list of replacements in a text. Nothing is changed before [`finish`](Self::finish).
#[derive(Debug, Clone)]
pub struct Splice<'a> {
    source: &'a str,
    pub(super) changes: Vec<(Range<usize>, String)>,
    /// Elements written as one tag that got content: where the tag ends, and the change that opens it.
    pub(super) opened: HashMap<usize, usize>,
}

impl<'a> Splice<'a> {
    /// No change yet.
    pub fn new(source: &'a str) -> Self {
        Self { source, changes: Vec::new(), opened: HashMap::new() }
    }

    /// The text that is changed.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Whether there is no change.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Puts a text in the place of a range.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.changes.push((range, text.into()));
    }

    /// Puts a text before the byte at a place. Several at one place stay in the order they were made.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Takes a range out.
    pub fn delete(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// The changed text. Between the changes it is the source, byte for byte: the pieces are copied
    /// from it, so an error is possible only where changes contradict each other.
    pub fn finish(mut self) -> Result<String, Overlap> {
        // Stable: insertions at one place keep their order, and come before a replacement that starts there;
        // of removals that start at one place, the longest comes first.
        self.changes.sort_by_key(|(range, _)| (range.start, range.end != range.start, Reverse(range.end)));
        let added: usize = self.changes.iter().map(|(_, text)| text.len()).sum();
        let mut out = String::with_capacity(self.source.len() + added);
        let (mut at, mut removed) = (0, false);
        for (range, text) in &self.changes {
            // What is taken out inside of what is taken out is gone already.
            let removes = text.is_empty() && range.start < range.end;
            if removes && removed && range.end <= at {
                continue;
            }
            removed = removes;
            let kept = self.source.get(at..range.start).filter(|_| range.start <= range.end);
            out.push_str(kept.ok_or(Overlap { at: range.start })?);
            out.push_str(text);
            at = range.end;
        }
        out.push_str(self.source.get(at..).ok_or(Overlap { at })?);
        Ok(out)
    }
}
