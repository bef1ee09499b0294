//! How a paragraph looks, in words, where only that differs.

use std::collections::BTreeSet;

use jig_ooxml::docx::blocks::Block;
use jig_ooxml::docx::styles::Styles;
use jig_ooxml::xml::{Node, Ns};

use super::super::change::Detail;
use super::block::tracked;

/// What differs between two blocks besides their texts.
pub(super) fn details(old: Block<'_>, new: Block<'_>, styles: (&Styles, &Styles)) -> Vec<Detail> {
    let mut found = Vec::new();
    let mut add = |name: &str, before: String, after: String| {
        if before != after {
            let none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
            found.push(Detail::new(name, none(before), none(after)));
        }
    };
    add("style", style(old, styles.0), style(new, styles.1));
    add("paragraph format", paragraph(old), paragraph(new));
    add("text format", runs(old.node()), runs(new.node()));
    let marks = (tracked(old.node()), tracked(new.node()));
    add("tracked changes", marks.0.to_string(), marks.1.to_string());
    found
}

fn style(block: Block<'_>, styles: &Styles) -> String {
    let Some(paragraph) = block.paragraph() else { return String::new() };
    let id = paragraph.style_id();
    let known = id.as_deref().and_then(|id| styles.get(id)).or_else(|| styles.default_paragraph());
    known.map(|style| style.name.clone()).or(id).unwrap_or_default()
}

fn paragraph(block: Block<'_>) -> String {
    let Some(properties) = block.paragraph().and_then(|paragraph| paragraph.properties()) else { return String::new() };
    let skip = ["pStyle", "rPr", "sectPr", "pPrChange"];
    properties.elements().filter(|node| !skip.contains(&node.local())).map(said).collect::<Vec<_>>().join(", ")
}

/// All formats that runs have, each once.
fn runs(node: Node<'_>) -> String {
    let formats = node.descendants().filter(|node| node.is(Ns::W, "rPr"));
    let words: BTreeSet<String> = formats.flat_map(Node::elements).filter(|node| keeps(*node)).map(said).collect();
    words.into_iter().collect::<Vec<_>>().join(", ")
}

fn keeps(node: Node<'_>) -> bool {
    !matches!(node.local(), "rPrChange" | "ins" | "del" | "lang" | "noProof" | "bCs" | "iCs" | "szCs")
}

fn said(node: Node<'_>) -> String {
    let values: Vec<String> = node.attributes().take(4).map(|one| one.raw.to_owned()).collect();
    let name = match node.local() {
        "b" => "bold",
        "i" => "italic",
        "u" => "underline",
        "sz" => "half-points",
        "jc" => "alignment",
        "ind" => "indent",
        "color" => "colour",
        "rFonts" => "font",
        other => other,
    };
    if values.is_empty() { name.to_owned() } else { format!("{name} {}", values.join(" ")) }
}
