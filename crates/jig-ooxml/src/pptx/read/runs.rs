//! Text blocks with their runs, as results carry them.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::pptx::text::{Piece, PieceKind, level, paragraph_text, paragraphs, pieces};
use crate::xml::{Node, Ns};

/// The paragraphs of a text body.
pub(super) fn text_blocks(body: Node<'_>) -> Vec<Value> {
    let block = |(index, paragraph): (usize, Node<'_>)| {
        let alignment = paragraph.child(Ns::A, "pPr").and_then(|properties| properties.attr("algn"));
        json!({
            "index": index,
            "level": level(paragraph),
            "text": paragraph_text(paragraph),
            "alignment": alignment.as_deref().map(alignment_name),
            "runs": runs(paragraph),
        })
    };
    paragraphs(body).enumerate().map(block).collect()
}

/// The runs of a paragraph with the format they give themselves. What is null is inherited.
pub(super) fn runs(paragraph: Node<'_>) -> Vec<Value> {
    pieces(paragraph).iter().filter(|piece| piece.kind != PieceKind::Break).enumerate().map(run).collect()
}

/// How many runs a paragraph has.
pub(super) fn count(paragraph: Node<'_>) -> usize {
    pieces(paragraph).iter().filter(|piece| piece.kind != PieceKind::Break).count()
}

fn run((index, piece): (usize, &Piece<'_>)) -> Value {
    let properties = piece.node.child(Ns::A, "rPr");
    let attribute = |name| properties.and_then(|node| node.attr(name));
    let flag = |name| attribute(name).map(|value| matches!(&*value, "1" | "true"));
    let size = attribute("sz").and_then(|size| size.parse::<f64>().ok()).map(|size| size / 100.0);
    let (color, theme) = properties.and_then(|node| node.child(Ns::A, "solidFill")).map_or((None, None), color_of);
    let highlight = properties.and_then(|node| node.child(Ns::A, "highlight")).and_then(|node| color_of(node).0);
    let mut run = json!({
        "index": index,
        "text": piece.text,
        "bold": flag("b"),
        "italic": flag("i"),
        "underline": attribute("u").map(|value| value != "none"),
        "size_pt": size,
        "font_name": properties.and_then(font),
        "color": color,
    });
    if let Some(run) = run.as_object_mut() {
        run.extend(theme.map(|theme| ("theme_color".to_owned(), theme.into())));
        run.extend(highlight.map(|highlight| ("highlight_color".to_owned(), highlight.into())));
        if piece.kind == PieceKind::Field {
            let kind = piece.node.attr("type").map(Cow::into_owned);
            run.insert("field".to_owned(), kind.into());
        }
    }
    run
}

/// The colour in a fill: its digits, or the name that the theme has for it.
fn color_of(fill: Node<'_>) -> (Option<String>, Option<String>) {
    let Some(color) = fill.elements().next() else { return (None, None) };
    match color.local() {
        "srgbClr" => (color.attr("val").map(|digits| format!("#{}", digits.to_ascii_uppercase())), None),
        "sysClr" => (color.attr("lastClr").map(|digits| format!("#{}", digits.to_ascii_uppercase())), None),
        "schemeClr" | "prstClr" => (None, color.attr("val").map(Cow::into_owned)),
        _ => (None, None),
    }
}

/// The typeface of Latin text.
pub(super) fn font(properties: Node<'_>) -> Option<String> {
    properties.child(Ns::A, "latin")?.attr("typeface").map(Cow::into_owned)
}

fn alignment_name(written: &str) -> &str {
    match written {
        "l" => "left",
        "ctr" => "center",
        "r" => "right",
        "just" => "justify",
        other => other,
    }
}
