//! A piece of markup that is copied to another part, with some values changed and the namespaces that it needs
//! there.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::docx::edit::markup::Dialect;
use crate::xml::{Node, Ns, escape_attribute, unescape};

/// Changes of a fragment by ranges of its part.
#[derive(Debug)]
pub(super) struct Fragment<'t> {
    node: Node<'t>,
    changes: Vec<(Range<usize>, String)>,
}

impl<'t> Fragment<'t> {
    pub(super) fn new(node: Node<'t>) -> Self {
        Self { node, changes: Vec::new() }
    }

    /// Changes the value of an attribute of an element in it.
    pub(super) fn set(&mut self, node: Node<'_>, attribute: &str, value: &str) {
        if let Some(range) = node.attr_value_range(attribute) {
            self.changes.push((range, escape_attribute(value).into_owned()));
        }
    }

    /// Removes an attribute.
    pub(super) fn remove_attr(&mut self, node: Node<'_>, attribute: &str) {
        if let Some(range) = node.attr_range(attribute) {
            self.changes.push((range, String::new()));
        }
    }

    /// Removes an element.
    pub(super) fn remove(&mut self, node: Node<'_>) {
        self.changes.push((node.range(), String::new()));
    }

    /// Adds an attribute, given as markup, to the outermost element.
    pub(super) fn add_attr(&mut self, markup: &str) {
        let at = self.node.attr_insert_at();
        self.changes.push((at..at, format!(" {markup}")));
    }

    /// The markup for a part with this root element, and how many elements and attributes of newer versions of Word
    /// were omitted, since the part does not declare them as ignorable.
    pub(super) fn for_part(mut self, target: Node<'_>) -> (String, usize) {
        let dropped = self.drop_unknown(target);
        let declarations = self.declarations(target);
        let at = self.node.attr_insert_at();
        self.changes.push((at..at, declarations));
        self.changes.sort_by_key(|(range, _)| (range.start, range.end));
        let source = self.node.tree().source();
        let whole = self.node.range();
        let mut out = String::new();
        let mut from = whole.start;
        for (range, text) in &self.changes {
            // A change inside a removed element has no effect.
            if range.start < from {
                continue;
            }
            out.push_str(source.get(from..range.start).unwrap_or_default());
            out.push_str(text);
            from = range.end;
        }
        out.push_str(source.get(from..whole.end).unwrap_or_default());
        (out, dropped)
    }

    fn drop_unknown(&mut self, target: Node<'_>) -> usize {
        let mut dropped = Vec::new();
        for node in std::iter::once(self.node).chain(self.node.descendants()).filter(|node| node.is_element()) {
            if !self.is_known(node.prefix().trim_end_matches(':'), target) {
                dropped.push(node.range());
                continue;
            }
            let tag = node.range().start;
            for attribute in node.attributes() {
                let Some((prefix, _)) = attribute.name.split_once(':') else { continue };
                if prefix != "xmlns" && !self.is_known(prefix, target) {
                    let before = node.source().get(..attribute.start).unwrap_or_default().trim_end().len();
                    dropped.push(tag + before..tag + attribute.end);
                }
            }
        }
        let count = dropped.len();
        self.changes.extend(dropped.into_iter().map(|range| (range, String::new())));
        count
    }

    /// Whether every Word knows the namespace of a prefix, or the target part marks it as ignorable.
    fn is_known(&self, prefix: &str, target: Node<'_>) -> bool {
        let Some(uri) = uri_of(self.node, prefix) else { return true };
        if matches!(Ns::of(&uri), Ns::W | Ns::Mc | Ns::R) {
            return true;
        }
        let ignorable = target.attr_ns(Ns::Mc, "Ignorable").unwrap_or_default();
        ignorable.split_whitespace().any(|known| known == prefix) && uri_of(target, prefix) == Some(uri)
    }

    /// Declarations of the prefixes that are undeclared or have another namespace where the fragment is inserted.
    fn declarations(&self, target: Node<'_>) -> String {
        let all = std::iter::once(self.node).chain(self.node.descendants()).filter(|node| node.is_element());
        let mut prefixes: BTreeSet<&str> = BTreeSet::new();
        let mut own: BTreeSet<&str> = BTreeSet::new();
        for node in all {
            prefixes.insert(node.prefix().trim_end_matches(':'));
            for attribute in node.attributes() {
                match attribute.name.split_once(':') {
                    Some(("xmlns", prefix)) if node == self.node => {
                        own.insert(prefix);
                    }
                    Some(("xmlns" | "xml", _)) | None => {}
                    Some((prefix, _)) => {
                        prefixes.insert(prefix);
                    }
                }
            }
        }
        let strict = Dialect::of(target.tree()).strict;
        let mut out = String::new();
        for prefix in prefixes.into_iter().filter(|prefix| !own.contains(prefix) && self.is_known(prefix, target)) {
            let Some(uri) = uri_of(self.node, prefix) else { continue };
            let uri = match Ns::of(&uri) {
                Ns::W if strict => "http://purl.oclc.org/ooxml/wordprocessingml/main".to_owned(),
                Ns::W => Ns::W.uri().to_owned(),
                _ => uri,
            };
            if uri_of(target, prefix).as_deref() != Some(uri.as_str()) {
                let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
                out.push_str(&format!(" {name}=\"{}\"", escape_attribute(&uri)));
            }
        }
        out
    }
}

/// The namespace of a prefix.
fn uri_of(node: Node<'_>, prefix: &str) -> Option<String> {
    let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
    let around = std::iter::once(node).chain(node.ancestors());
    around.into_iter().find_map(|node| {
        let found = node.attributes().find(|attribute| attribute.name == name);
        found.map(|attribute| unescape(attribute.raw).into_owned())
    })
}
