//! Writing new markup in the dialect of the file: its prefix, and its strict or
//! transitional form.

use crate::xml::{Node, Ns, Tree, escape_attribute, escape_text};

const STRICT: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";

/// How a part writes Word's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dialect {
    /// The prefix with its colon, for elements and attributes.
    pub(super) w: String,
    /// The declaration that a new outermost element needs if the file has no prefix for Word.
    pub(super) declare: String,
    /// Whether the part uses the strict namespace.
    pub(super) strict: bool,
}

impl Dialect {
    /// The dialect at the root element of a part.
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        Self::at(tree.root())
    }

    /// The dialect inside an element.
    pub(super) fn at(node: Node<'_>) -> Self {
        let root = node.tree().root();
        let strict = root.attributes().any(|attribute| attribute.name.starts_with("xmlns") && attribute.raw == STRICT);
        match node.attr_prefix_for(Ns::W) {
            Some(w) => Self { w, declare: String::new(), strict },
            None => {
                // Attributes have no default namespace: a file that declares Word only as the default one needs a prefix.
                let prefix =
                    ["w", "wx", "wy", "wz"].into_iter().find(|p| node.namespace_of(p).is_none()).unwrap_or("wz");
                let uri = if strict { STRICT } else { Ns::W.uri() };
                Self { w: format!("{prefix}:"), declare: format!(" xmlns:{prefix}=\"{uri}\""), strict }
            }
        }
    }

    /// The usual dialect, for new parts.
    pub(super) fn usual() -> Self {
        Self { w: "w:".to_owned(), declare: String::new(), strict: false }
    }
}

/// A writer of markup.
#[derive(Debug)]
pub(super) struct Markup<'d> {
    pub(super) dialect: &'d Dialect,
    out: String,
    depth: usize,
}

impl<'d> Markup<'d> {
    pub(super) fn new(dialect: &'d Dialect) -> Self {
        Self { dialect, out: String::new(), depth: 0 }
    }

    /// `<w:name w:a="b">`
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.out.push('>');
        self.depth += 1;
    }

    /// `</w:name>`
    pub(super) fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(&self.dialect.w);
        self.out.push_str(name);
        self.out.push('>');
        self.depth = self.depth.saturating_sub(1);
    }

    /// `<w:name w:a="b"/>`
    pub(super) fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.out.push_str("/>");
    }

    /// `<w:name w:val="b"/>`
    pub(super) fn val(&mut self, name: &str, value: &str) {
        self.tag(name, &[("val", value)]);
    }

    /// A switch: on without a value, off with one.
    pub(super) fn switch(&mut self, name: &str, on: bool) {
        if on { self.tag(name, &[]) } else { self.val(name, "0") }
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.out.push_str(&self.dialect.w);
        self.out.push_str(name);
        if self.depth == 0 {
            self.out.push_str(&self.dialect.declare);
        }
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(&self.dialect.w);
            self.out.push_str(name);
            self.out.push_str("=\"");
            self.out.push_str(&escape_attribute(value));
            self.out.push('"');
        }
    }

    /// Adds finished markup.
    pub(super) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// Text as the content of a run: line breaks and tabs become their elements. `element` is `t` or `delText`.
    pub(super) fn run_text(&mut self, text: &str, element: &str) {
        let text = text.replace("\r\n", "\n");
        let mut rest = text.as_str();
        loop {
            let end = rest.find(['\n', '\r', '\t']).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            if !piece.is_empty() {
                self.text_element(piece, element);
            }
            let Some(special) = after.chars().next() else { return };
            self.tag(if special == '\t' { "tab" } else { "br" }, &[]);
            rest = after.get(1..).unwrap_or_default();
        }
    }

    fn text_element(&mut self, text: &str, element: &str) {
        self.start(element, &[]);
        if needs_preserve(text) {
            self.out.push_str(" xml:space=\"preserve\"");
        }
        self.out.push('>');
        self.out.push_str(&escape_text(text));
        self.depth += 1;
        self.close(element);
    }

    /// The markup.
    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// Whether the spaces of a text would be lost without `xml:space`.
pub(super) fn needs_preserve(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
    edge(text.chars().next()) || edge(text.chars().next_back()) || text.contains("  ")
}
