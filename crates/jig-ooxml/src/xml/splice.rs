//! Changing a text by byte ranges: all other bytes stay as they are. [`Splice`] names ranges, and its second half turns the
//! usual changes of nodes into ranges.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::escape::{escape_attribute, escape_text};
use super::node::Node;

pub use crate::error::Overlap;

/// A list of replacements in a text. Nothing is changed before [`finish`](Self::finish).
#[derive(Debug, Clone)]
pub struct Splice<'a> {
    source: &'a str,
    changes: Vec<(Range<usize>, String)>,
    /// Elements written as one tag that get content: the end of the tag, and the change that replaces its end.
    opened: HashMap<usize, usize>,
}

impl<'a> Splice<'a> {
    /// No changes yet.
    pub fn new(source: &'a str) -> Self {
        Self { source, changes: Vec::new(), opened: HashMap::new() }
    }

    /// The text that is changed.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Replaces a range by a text.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.changes.push((range, text.into()));
    }

    /// Inserts a text before the byte at a position. Several at one position stay in the order of the calls.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Deletes a range.
    pub fn delete(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// The changed text. Between the changes it is the source, byte for byte: the pieces are copied
    /// from it, so an error is possible only where changes contradict each other.
    pub fn finish(mut self) -> Result<String, Overlap> {
        // The sort is stable: insertions at one position keep their order. They come before a replacement that starts
        // there, and of deletions that start there the longest comes first.
        self.changes.sort_by_key(|(range, _)| (range.start, range.end != range.start, Reverse(range.end)));
        let added: usize = self.changes.iter().map(|(_, text)| text.len()).sum();
        let mut out = String::with_capacity(self.source.len() + added);
        let (mut at, mut removed) = (0, false);
        for (range, text) in &self.changes {
            // A deletion inside another one changes nothing more.
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

impl Splice<'_> {
    /// Inserts markup before a node.
    pub fn before(&mut self, node: Node<'_>, markup: impl Into<String>) {
        self.insert(node.range().start, markup);
    }

    /// Inserts markup after a node.
    pub fn after(&mut self, node: Node<'_>, markup: impl Into<String>) {
        self.insert(node.range().end, markup);
    }

    /// Deletes a node.
    pub fn remove(&mut self, node: Node<'_>) {
        self.delete(node.range());
    }

    /// Inserts markup at the end of an element's content, also if the element is written as one tag.
    pub fn append(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            self.open(node, markup.as_ref());
        } else {
            self.insert(node.inner_range().end, markup.as_ref());
        }
    }

    /// Inserts markup at the start of an element's content, also if the element is written as one tag.
    pub fn prepend(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            self.open(node, markup.as_ref());
        } else {
            self.insert(node.inner_range().start, markup.as_ref());
        }
    }

    /// Replaces an element's content by markup.
    pub fn set_inner(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            if !markup.as_ref().is_empty() {
                self.open(node, markup.as_ref());
            }
        } else {
            self.replace(node.inner_range(), markup.as_ref());
        }
    }

    /// Replaces an element's content by text.
    pub fn set_text(&mut self, node: Node<'_>, text: &str) {
        self.set_inner(node, escape_text(text));
    }

    /// Sets an attribute, given by its qualified name.
    pub fn set_attr(&mut self, node: Node<'_>, name: &str, value: &str) {
        let value = escape_attribute(value);
        let start = node.range().start;
        match node.attributes().find(|attribute| attribute.name == name) {
            Some(old) => {
                let from = start + old.value_start;
                if old.raw != value {
                    self.replace(from..from + old.raw.len(), value);
                }
            }
            None => self.insert(node.attr_insert_at(), format!(" {name}=\"{value}\"")),
        }
    }

    /// Deletes an attribute, given by its qualified name.
    pub fn remove_attr(&mut self, node: Node<'_>, name: &str) {
        let start = node.range().start;
        if let Some(old) = node.attributes().find(|attribute| attribute.name == name) {
            let tag = self.source().get(start..start + old.start).unwrap_or_default();
            self.delete(start + tag.trim_end().len()..start + old.end);
        }
    }

    /// Turns `<a/>` into `<a>…</a>`. A second call adds to the content.
    fn open(&mut self, node: Node<'_>, markup: &str) {
        let end = node.range().end;
        let close = format!("</{}>", node.qualified());
        if let Some((_, text)) = self.opened.get(&end).and_then(|at| self.changes.get_mut(*at)) {
            let at = text.len() - close.len();
            text.insert_str(at, markup);
            return;
        }
        self.opened.insert(end, self.changes.len());
        self.replace(end - 2..end, format!(">{markup}{close}"));
    }
}
