//! Changing found text in place: the characters in `w:t`, and nothing around them.

use crate::docx::edit::markup::{Dialect, Markup, needs_preserve};
use crate::xml::{Node, NodeKind, Ns, Splice, Tree, escape_text, unescape};

use super::{Edits, PartEdits};

pub(super) fn write(splice: &mut Splice<'_>, tree: &Tree<'_>, edits: &PartEdits<'_>, dialect: &Dialect) {
    for (id, edits) in edits {
        let node = tree.node(*id);
        if node.local() == "t" {
            text(splice, node, edits);
        } else if let Some(replacement) = edits.list.iter().find_map(|(_, replacement)| *replacement) {
            let mut markup = Markup::new(dialect);
            markup.run_text(replacement, "t");
            splice.replace(node.range(), markup.finish());
        } else {
            splice.remove(node);
        }
    }
}

fn text(splice: &mut Splice<'_>, node: Node<'_>, edits: &Edits<'_>) {
    let old = node.text();
    let new = changed(&old, edits);
    let broken = new.contains(['\n', '\t', '\r']) && edits.list.iter().any(|(_, new)| new.is_some());
    if needs_preserve(&new) || broken {
        preserve(splice, node);
    }
    let mut children = node.children();
    let only_text = children.next().filter(|child| child.kind() == NodeKind::Text && children.next().is_none());
    if only_text.is_none() {
        splice.set_inner(node, inline_markup(&new, node));
        return;
    }
    let mut offsets = Offsets { raw: node.inner(), raw_at: 0, text_at: 0 };
    let start = node.inner_range().start;
    for (range, replacement) in &edits.list {
        let from = start + offsets.advance(range.start);
        let to = start + offsets.advance(range.end);
        splice.replace(from..to, replacement.map(|new| inline_markup(new, node)).unwrap_or_default());
    }
}

/// The text with all its changes.
fn changed(old: &str, edits: &Edits<'_>) -> String {
    let mut new = String::with_capacity(old.len());
    let mut at = 0;
    for (range, replacement) in &edits.list {
        new.push_str(old.get(at..range.start).unwrap_or_default());
        new.push_str(replacement.unwrap_or_default());
        at = range.end;
    }
    new.push_str(old.get(at..).unwrap_or_default());
    new
}

fn preserve(splice: &mut Splice<'_>, node: Node<'_>) {
    match node.attr_ns(Ns::Xml, "space") {
        Some(value) if value == "preserve" => {}
        _ => splice.set_attr(node, "xml:space", "preserve"),
    }
}

/// Text inside a `w:t`: a line break or tab closes it and opens it again.
fn inline_markup(text: &str, node: Node<'_>) -> String {
    let text = text.replace("\r\n", "\n");
    let (name, w) = (node.qualified(), node.prefix());
    let mut out = String::new();
    for piece in text.split_inclusive(['\n', '\r', '\t']) {
        let (words, element) = match piece.chars().next_back() {
            Some('\t') => (piece.strip_suffix('\t').unwrap_or_default(), "tab"),
            Some(end @ ('\n' | '\r')) => (piece.strip_suffix(end).unwrap_or_default(), "br"),
            _ => (piece, ""),
        };
        out.push_str(&escape_text(words));
        if !element.is_empty() {
            out.push_str(&format!("</{name}><{w}{element}/><{name} xml:space=\"preserve\">"));
        }
    }
    out
}

/// From places in a text to places in its markup, forwards only.
struct Offsets<'a> {
    raw: &'a str,
    raw_at: usize,
    text_at: usize,
}

impl Offsets<'_> {
    fn advance(&mut self, to: usize) -> usize {
        let ahead = to.saturating_sub(self.text_at);
        // Without references in between, both are equally far.
        if self.raw.get(self.raw_at..self.raw_at + ahead).is_some_and(|raw| !raw.contains('&')) {
            self.raw_at += ahead;
            self.text_at += ahead;
        }
        while self.text_at < to {
            let rest = self.raw.get(self.raw_at..).unwrap_or_default();
            let Some(c) = rest.chars().next() else { break };
            let (raw, text) = if c == '&' { reference(rest) } else { (c.len_utf8(), c.len_utf8()) };
            self.raw_at += raw;
            self.text_at += text;
        }
        self.raw_at
    }
}

/// The length of a reference, and of what it stands for.
fn reference(rest: &str) -> (usize, usize) {
    let end = rest.bytes().take(12).position(|byte| byte == b';').map_or(1, |at| at + 1);
    let written = rest.get(..end).unwrap_or("&");
    let meant = unescape(written);
    if meant == written { (1, 1) } else { (written.len(), meant.len()) }
}
