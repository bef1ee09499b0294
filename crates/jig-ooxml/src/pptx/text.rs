//! Text in DrawingML: paragraphs and their pieces.

use std::borrow::Cow;

use crate::xml::{Node, Ns};

/// A piece of a paragraph.
#[derive(Debug, Clone)]
pub(super) struct Piece<'t> {
    pub(super) node: Node<'t>,
    pub(super) kind: PieceKind,
    pub(super) text: Cow<'t, str>,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Characters with one format.
    Run,
    /// Computed text, such as the number of the slide.
    Field,
    /// A new line within the paragraph.
    Break,
    /// Mathematics and anything else between runs.
    Other,
}

/// The paragraphs of a text body.
pub(super) fn paragraphs(body: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    body.children_named(Ns::A, "p")
}

/// The pieces of a paragraph in their order.
pub(super) fn pieces(paragraph: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for node in paragraph.elements() {
        let (kind, text) = match (node.ns(), node.local()) {
            (Ns::A, "r") => (PieceKind::Run, own_text(node)),
            (Ns::A, "fld") => (PieceKind::Field, own_text(node)),
            (Ns::A, "br") => (PieceKind::Break, "\n".into()),
            (Ns::A, _) => continue,
            _ => (PieceKind::Other, other_text(node)),
        };
        pieces.push(Piece { node, kind, text });
    }
    pieces
}

fn own_text(node: Node<'_>) -> Cow<'_, str> {
    node.child(Ns::A, "t").map(Node::text).unwrap_or_default()
}

/// The characters of mathematics, from the first choice where there are several.
fn other_text(node: Node<'_>) -> Cow<'_, str> {
    let node = if node.is(Ns::Mc, "AlternateContent") { chosen(node).unwrap_or(node) } else { node };
    let texts = node.descendants().filter(|inner| inner.is(Ns::M, "t") || inner.is(Ns::A, "t"));
    texts.map(|inner| inner.text().into_owned()).collect::<String>().into()
}

/// The branch of alternate content that is read: the first choice, or the fallback without one.
pub(super) fn chosen(alternate: Node<'_>) -> Option<Node<'_>> {
    alternate.child(Ns::Mc, "Choice").or_else(|| alternate.child(Ns::Mc, "Fallback"))
}

/// The characters of a paragraph; line breaks as `\n`.
pub(super) fn paragraph_text(paragraph: Node<'_>) -> String {
    pieces(paragraph).into_iter().map(|piece| piece.text).collect()
}

/// The characters of a text body, one line for each paragraph.
pub(super) fn body_text(body: Node<'_>) -> String {
    paragraphs(body).map(paragraph_text).collect::<Vec<_>>().join("\n")
}

/// The level of a paragraph, from 0.
pub(super) fn level(paragraph: Node<'_>) -> usize {
    let level = paragraph.child(Ns::A, "pPr").and_then(|properties| properties.attr("lvl"));
    level.and_then(|level| level.parse().ok()).unwrap_or(0).min(8)
}

/// Text on one line, for titles and snippets.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
