//! Writing new markup in the manner of the part it goes into.

use crate::xml::{Node, Ns};

/// Strict or transitional: the two ways to write the same deck.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::pptx) struct Dialect {
    pub(in crate::pptx) strict: bool,
}

impl Dialect {
    /// That of a deck.
    pub(in crate::pptx) fn of_deck(strict: bool) -> Self {
        Self { strict }
    }

    /// That of a part, by the addresses of its namespaces.
    pub(in crate::pptx) fn of(root: Node<'_>) -> Self {
        let strict = root.attributes().any(|attribute| {
            attribute.name.starts_with("xmlns") && attribute.raw.starts_with("http://purl.oclc.org/ooxml/")
        });
        Self { strict }
    }

    /// The address of a namespace.
    fn uri(self, ns: Ns) -> &'static str {
        match (self.strict, ns) {
            (true, Ns::P) => "http://purl.oclc.org/ooxml/presentationml/main",
            (true, Ns::A) => "http://purl.oclc.org/ooxml/drawingml/main",
            (true, Ns::R) => "http://purl.oclc.org/ooxml/officeDocument/relationships",
            (_, ns) => ns.uri(),
        }
    }

    /// The declarations that a new slide, layout or master has.
    pub(in crate::pptx) fn declarations(self) -> String {
        let uri = |ns| self.uri(ns);
        format!(r#"xmlns:a="{}" xmlns:r="{}" xmlns:p="{}""#, uri(Ns::A), uri(Ns::R), uri(Ns::P))
    }

    /// What says that a graphic frame holds a `table` or `chart`.
    pub(in crate::pptx) fn graphic_uri(self, kind: &str) -> String {
        let drawing = self.uri(Ns::A);
        format!("{}{kind}", drawing.trim_end_matches("main"))
    }

    /// The declaration of DrawingML alone.
    pub(in crate::pptx) fn declaration_a(self) -> String {
        format!(r#"xmlns:a="{}""#, self.uri(Ns::A))
    }

    /// The prefix of elements of a namespace inside a node, and the declaration that the outermost new
    /// element needs for it, with its space; mostly none.
    pub(in crate::pptx) fn element_prefix(self, node: Node<'_>, ns: Ns, usual: &str) -> (String, String) {
        match node.prefix_for(ns) {
            Some(prefix) => (prefix, String::new()),
            None => (format!("{usual}:"), format!(r#" xmlns:{usual}="{}""#, self.uri(ns))),
        }
    }

    /// The same for attributes.
    pub(in crate::pptx) fn attribute_prefix(self, node: Node<'_>, ns: Ns, usual: &str) -> (String, String) {
        match node.attr_prefix_for(ns) {
            Some(prefix) => (prefix, String::new()),
            None => (format!("{usual}:"), format!(r#" xmlns:{usual}="{}""#, self.uri(ns))),
        }
    }
}

/// A share of a hundred as it is written: in thousandths, in strict decks too, whose programs read that.
pub(in crate::pptx) fn percent(value: f64) -> i64 {
    (value * 1000.0).round() as i64
}

/// The prefixes for new markup in a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::pptx) struct Prefixes {
    /// Of PresentationML.
    pub(in crate::pptx) p: String,
    /// Of DrawingML.
    pub(in crate::pptx) a: String,
    /// Of attributes that name relationships.
    pub(in crate::pptx) r: String,
    /// What the outermost new element must declare.
    pub(in crate::pptx) declared: String,
}

impl Prefixes {
    /// Those of a part that Jig makes.
    pub(in crate::pptx) fn own() -> Self {
        Self { p: "p:".into(), a: "a:".into(), r: "r:".into(), declared: String::new() }
    }

    /// Those in force inside a node.
    pub(in crate::pptx) fn at(node: Node<'_>) -> Self {
        let root = node.tree().root();
        let dialect = Dialect::of(root);
        let (p, p_declared) = dialect.element_prefix(node, Ns::P, "p");
        let (a, a_declared) = dialect.element_prefix(node, Ns::A, "a");
        let (r, r_declared) = dialect.attribute_prefix(node, Ns::R, "r");
        Self { p, a, r, declared: [p_declared, a_declared, r_declared].concat() }
    }

    /// Those in force inside a node, for text alone.
    pub(in crate::pptx) fn text_at(node: Node<'_>) -> Self {
        let dialect = Dialect::of(node.tree().root());
        let (a, declared) = dialect.element_prefix(node, Ns::A, "a");
        Self { a, declared, ..Self::own() }
    }
}
