//! Headers and footers, which belong to the styles of pages.

use std::collections::HashMap;

use jig_ooxml::xml::Tree;

use super::Margin;
use super::body::Walk;
use super::namespaces::{OFFICE, STYLE};
use super::styles::Styles;

pub(super) fn read(styles: &Styles, objects: &HashMap<String, String>, tree: &Tree<'_>) -> Vec<Margin> {
    let mut margins: Vec<Margin> = Vec::new();
    let masters = tree.root().child(OFFICE, "master-styles");
    let pages = masters.into_iter().flat_map(|masters| masters.children_named(STYLE, "master-page"));
    for node in pages.flat_map(|page| page.elements().collect::<Vec<_>>()) {
        let (kind, pages) = match node.local() {
            "header" => ("header", "default"),
            "header-left" => ("header", "even"),
            "header-first" => ("header", "first"),
            "footer" => ("footer", "default"),
            "footer-left" => ("footer", "even"),
            "footer-first" => ("footer", "first"),
            _ => continue,
        };
        let mut walk = Walk::new(styles, objects);
        walk.blocks(node);
        let texts = walk.out.iter().map(|block| block.text.trim()).filter(|text| !text.is_empty());
        let text = texts.collect::<Vec<_>>().join(" / ");
        let margin = Margin { kind, pages, text };
        // Several styles of pages often share theirs.
        if !margin.text.is_empty() && !margins.contains(&margin) {
            margins.push(margin);
        }
    }
    margins
}
