//! What hangs in the text: pictures, text boxes, charts, SmartArt.

use super::What;
use crate::docx::word;
use crate::xml::{Node, Ns};

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture<'t> {
    /// The element that refers to the image: `a:blip` or `v:imagedata`.
    pub node: Node<'t>,
    /// The id of the relationship to the image.
    pub rel_id: String,
    /// What the author says it shows.
    pub alt_text: Option<String>,
}

/// Tells everything in a `w:drawing`, `w:pict` or `w:object`, the content of text boxes left out.
pub(super) fn read<'t>(drawing: Node<'t>, tell: &mut impl FnMut(What<'t>)) {
    walk(drawing, None, tell);
}

fn walk<'t>(parent: Node<'t>, alt_text: Option<&str>, tell: &mut impl FnMut(What<'t>)) {
    let own = described(parent);
    let alt_text = own.as_deref().or(alt_text);
    for node in parent.elements() {
        match (node.ns(), node.local()) {
            (Ns::W, "txbxContent") => tell(What::TextBox(node)),
            (Ns::A, "blip") | (Ns::V, "imagedata") => tell_picture(node, alt_text, tell),
            (Ns::C | Ns::Cx, "chart") => tell_related(node, "id", What::Chart, tell),
            (Ns::Dgm, "relIds") => tell_related(node, "dm", What::Diagram, tell),
            (Ns::Mc, "AlternateContent") => {
                if let Some(branch) = word::branch(node) {
                    walk(branch, alt_text, tell);
                }
            }
            _ => walk(node, alt_text, tell),
        }
    }
}

fn tell_picture<'t>(node: Node<'t>, alt_text: Option<&str>, tell: &mut impl FnMut(What<'t>)) {
    let names = ["embed", "link", "id", "href"];
    if let Some(rel_id) = names.iter().find_map(|name| node.attr_ns(Ns::R, name)).filter(|id| !id.is_empty()) {
        let alt_text = alt_text.map(str::to_owned);
        tell(What::Picture(Picture { node, rel_id: rel_id.into_owned(), alt_text }));
    }
}

fn tell_related<'t>(node: Node<'t>, name: &str, what: fn(String) -> What<'t>, tell: &mut impl FnMut(What<'t>)) {
    if let Some(id) = node.attr_ns(Ns::R, name) {
        tell(what(id.into_owned()));
    }
}

/// What is said of the thing that an element holds: on it, or on its properties.
fn described(node: Node<'_>) -> Option<String> {
    let properties = match (node.ns(), node.local()) {
        (Ns::Wp, "inline" | "anchor") => node.child(Ns::Wp, "docPr"),
        (Ns::Pic, "pic") => node.child(Ns::Pic, "nvPicPr").and_then(|inner| inner.child(Ns::Pic, "cNvPr")),
        (Ns::V, _) => return node.attr("alt").filter(|text| !text.is_empty()).map(std::borrow::Cow::into_owned),
        _ => None,
    }?;
    let told = |name| properties.attr(name).filter(|text| !text.trim().is_empty());
    told("descr").or_else(|| told("title")).map(std::borrow::Cow::into_owned)
}
