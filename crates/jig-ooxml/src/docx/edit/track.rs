//! Tracked changes: who, when, and the number that each mark needs for itself.

use crate::xml::{Node, Ns, Tree, escape_attribute};

use super::markup::Dialect;

/// Gives marks of revisions, each with a number of its own.
#[derive(Debug, Clone)]
pub(super) struct Revisions {
    author: String,
    date: Option<String>,
    next: u32,
}

impl Revisions {
    pub(super) fn new(author: &str, date: Option<&str>) -> Self {
        let author = if author.trim().is_empty() { "Jig" } else { author };
        Self { author: author.to_owned(), date: date.map(str::to_owned), next: 1 }
    }

    /// Numbers that a part uses are not given again.
    pub(super) fn avoid(&mut self, tree: &Tree<'_>) {
        for node in tree.root().descendants().filter(|node| node.is_element() && node.ns() == Ns::W) {
            let used = node.attr("id").and_then(|id| id.parse::<u32>().ok());
            // Word's numbers end at 2^31; what lies near is a stray and must not use them up.
            if let Some(id) = used.filter(|id| *id < 0x7000_0000) {
                self.next = self.next.max(id + 1);
            }
        }
    }

    fn attributes(&mut self, dialect: &Dialect) -> String {
        let w = &dialect.w;
        let id = self.next;
        self.next += 1;
        let date = self.date.as_ref().map(|date| format!(" {w}date=\"{}\"", escape_attribute(date)));
        let author = escape_attribute(&self.author);
        format!(" {w}id=\"{id}\" {w}author=\"{author}\"{}", date.unwrap_or_default())
    }

    /// The start tag of a mark, such as `<w:ins …>`.
    pub(super) fn open(&mut self, name: &str, dialect: &Dialect) -> String {
        format!("<{}{name}{}{}>", dialect.w, dialect.declare, self.attributes(dialect))
    }

    /// A mark without content, such as `<w:del …/>`.
    pub(super) fn element(&mut self, name: &str, dialect: &Dialect) -> String {
        format!("<{}{name}{}{}/>", dialect.w, dialect.declare, self.attributes(dialect))
    }
}

impl Revisions {
    /// The start tag of a mark that is there already, with a number of its own.
    pub(super) fn again(&mut self, mark: Node<'_>) -> String {
        let tag = mark.tree().source().get(mark.open_range()).unwrap_or_default();
        let Some(value) = mark.attr_value_range("id") else { return tag.to_owned() };
        let start = mark.range().start;
        let (before, after) = (tag.get(..value.start - start), tag.get(value.end - start..));
        let id = self.next;
        self.next += 1;
        format!("{}{id}{}", before.unwrap_or_default(), after.unwrap_or_default())
    }
}

/// The properties of a run for another that is to look like it: without the history of their own.
pub(super) fn kept_properties(properties: Node<'_>) -> String {
    let source = properties.tree().source();
    let mut out = source.get(properties.open_range()).unwrap_or_default().to_owned();
    if properties.is_single_tag() {
        return out;
    }
    for child in properties.elements() {
        if !matches!(child.local(), "rPrChange" | "ins" | "del" | "moveFrom" | "moveTo") {
            out.push_str(child.source());
        }
    }
    out.push_str(&format!("</{}>", properties.qualified()));
    out
}
