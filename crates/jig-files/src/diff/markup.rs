//! Markup of Word and PowerPoint in one spelling, and whether a piece of it fits into another file.

use std::collections::BTreeSet;

use jig_ooxml::Relationships;
use jig_ooxml::xml::{Node, NodeKind};

/// What programs write anew at each save without any meaning for a reader.
fn is_noise(name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    local.starts_with("rsid") || matches!(local, "paraId" | "textId" | "Ignorable") || name.starts_with("xmlns")
}

fn is_noise_element(node: Node<'_>) -> bool {
    match node.local() {
        "proofErr" | "lastRenderedPageBreak" | "noProof" | "creationId" | "modId" => true,
        "bookmarkStart" | "bookmarkEnd" => node.attr("name").is_some_and(|name| name == "_GoBack"),
        _ => false,
    }
}

/// A node in one spelling, without what says nothing.
pub(super) fn spelled(node: Node<'_>) -> String {
    let mut out = String::new();
    spell(node, &mut out);
    out
}

fn spell(node: Node<'_>, out: &mut String) {
    match node.kind() {
        NodeKind::Text | NodeKind::Cdata => {
            out.push_str(&node.text());
            return;
        }
        NodeKind::Aside => return,
        NodeKind::Element if is_noise_element(node) => return,
        NodeKind::Element => {}
    }
    out.push('<');
    out.push_str(node.local());
    let mut attributes: Vec<_> = node.attributes().filter(|one| !is_noise(one.name)).collect();
    attributes.sort_by_key(|one| one.name);
    for one in attributes {
        out.push_str(&format!(" {}=\"{}\"", one.name, one.raw));
    }
    out.push('>');
    node.children().for_each(|child| spell(child, out));
    out.push_str("</>");
}

/// Whether two nodes say the same to a reader.
pub(super) fn same(old: Node<'_>, new: Node<'_>) -> bool {
    old.source() == new.source() || spelled(old) == spelled(new)
}

/// Why markup of the old file cannot stand at a place of the new one; none when it can.
pub(super) fn misfit(old: Node<'_>, into: Node<'_>, rels: (&Relationships, &Relationships)) -> Option<String> {
    let mut prefixes: BTreeSet<&str> = BTreeSet::new();
    for node in std::iter::once(old).chain(old.descendants()).filter(|node| node.is_element()) {
        prefixes.insert(node.prefix().trim_end_matches(':'));
        for one in node.attributes() {
            let Some((prefix, _)) = one.name.split_once(':').filter(|(prefix, _)| !matches!(*prefix, "xml" | "xmlns"))
            else {
                continue;
            };
            prefixes.insert(prefix);
            if prefix == "r" {
                let target =
                    |rels: &Relationships| rels.by_id(one.raw).map(|rel| (rel.kind.clone(), rel.target.clone()));
                if target(rels.0) != target(rels.1) {
                    return Some("it leads to another part of the file, which is not there any more".to_owned());
                }
            }
        }
    }
    let known = |prefix: &&str| {
        let uri = |node: Node<'_>| declared(node, prefix);
        uri(old) == uri(into)
    };
    prefixes.iter().any(|prefix| !known(prefix)).then(|| "it uses markup that the file no longer declares".to_owned())
}

/// The address that a prefix stands for at a node.
fn declared(node: Node<'_>, prefix: &str) -> Option<String> {
    let wanted = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
    let around = std::iter::once(node).chain(node.ancestors());
    around.flat_map(|node| node.attributes().filter(|one| one.name == wanted).map(|one| one.raw.to_owned())).next()
}
