//! The usual changes of a tree, said in terms of nodes.

use super::escape::{escape_attribute, escape_text};
use super::node::Node;
use super::splice::Splice;

impl Splice<'_> {
    /// Puts markup before a node.
    pub fn before(&mut self, node: Node<'_>, markup: impl Into<String>) {
        self.insert(node.range().start, markup);
    }

    /// Puts markup behind a node.
    pub fn after(&mut self, node: Node<'_>, markup: impl Into<String>) {
        self.insert(node.range().end, markup);
    }

    /// Takes a node out.
    pub fn remove(&mut self, node: Node<'_>) {
        self.delete(node.range());
    }

    /// Puts markup at the end of an element's content, also when it is written as a single tag.
    pub fn append(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            self.open(node, markup.as_ref());
        } else {
            self.insert(node.inner_range().end, markup.as_ref());
        }
    }

    /// Puts markup at the start of an element's content, also when it is written as a single tag.
    pub fn prepend(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            self.open(node, markup.as_ref());
        } else {
            self.insert(node.inner_range().start, markup.as_ref());
        }
    }

    /// Puts markup in the place of an element's content.
    pub fn set_inner(&mut self, node: Node<'_>, markup: impl AsRef<str>) {
        if node.is_single_tag() {
            if !markup.as_ref().is_empty() {
                self.open(node, markup.as_ref());
            }
        } else {
            self.replace(node.inner_range(), markup.as_ref());
        }
    }

    /// Puts text in the place of an element's content.
    pub fn set_text(&mut self, node: Node<'_>, text: &str) {
        self.set_inner(node, escape_text(text));
    }

    /// Sets an attribute by its name as it is to be written; one of that name is changed in place.
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

    /// Takes an attribute out, by its name as it is written.
    pub fn remove_attr(&mut self, node: Node<'_>, name: &str) {
        let start = node.range().start;
        if let Some(old) = node.attributes().find(|attribute| attribute.name == name) {
            let tag = self.source().get(start..start + old.start).unwrap_or_default();
            self.delete(start + tag.trim_end().len()..start + old.end);
        }
    }

    /// Turns `<a/>` into `<a>…</a>`; a second time the content grows.
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
