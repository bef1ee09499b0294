//! Markup in one canonical spelling, so that two parts compare by what they mean and not by how a program wrote
//! them: prefixes, attribute order, entities, white space between elements, empty property containers, spelled-out
//! booleans and split runs make no difference. Also tells whether a piece of markup fits into another file.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use jig_ooxml::xml::{Node, NodeKind, Ns, unescape};
use jig_ooxml::{Package, Relationship, Relationships};

/// The targets of a part's relationship ids. Programs renumber relationships at each save.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links(HashMap<String, String>);

impl Links {
    /// The relationships of a part; none when they cannot be read.
    pub(super) fn of(package: &Package, part: &str) -> Self {
        Self::resolved(package, &Relationships::read(package, part).unwrap_or_default())
    }

    pub(super) fn resolved(package: &Package, relationships: &Relationships) -> Self {
        let meaning = |part: Option<&str>, kind: &str, target: &str| match part {
            // An image is its bytes; other parts are compared by themselves.
            Some(part) if kind == "image" => match package.digest(part) {
                Some(digest) => format!("image {} {}", digest.bytes, digest.crc32),
                None => "image".to_owned(),
            },
            Some(_) => kind.to_owned(),
            None => format!("{kind} {target}"),
        };
        let one = |rel: &Relationship| (rel.id.clone(), meaning(rel.part.as_deref(), &rel.kind, &rel.target));
        Self(relationships.list.iter().map(one).collect())
    }

    /// Where the relationship of an element leads.
    pub(super) fn target(&self, node: Node<'_>) -> Option<String> {
        let id = node.attr_ns(Ns::R, "id")?;
        let meaning = self.0.get(id.as_ref())?;
        Some(meaning.split_once(' ').map_or(meaning.as_str(), |(_, target)| target).to_owned())
    }
}

/// Attributes that programs rewrite at each save and that mean nothing to a reader.
fn is_noise(name: &str, element: Node<'_>) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    if name.starts_with("xmlns") || local.starts_with("rsid") {
        return true;
    }
    match local {
        "paraId" | "textId" | "Ignorable" | "uid" | "dyDescent" | "editId" | "anchorId" => true,
        // White space is compared as it is.
        "space" => name == "xml:space",
        // What the spelling checker left in a run of a slide.
        "dirty" | "err" | "smtClean" | "smtId" | "lang" | "altLang" => element.ns() == Ns::A,
        "id" => matches!(element.local(), "docPr" | "bookmarkStart" | "bookmarkEnd"),
        _ => false,
    }
}

fn is_noise_element(node: Node<'_>) -> bool {
    match node.local() {
        "proofErr" | "lastRenderedPageBreak" | "noProof" | "creationId" | "modId" | "nsid" | "tmpl" => true,
        "lang" => node.ns() == Ns::W && node.parent().is_some_and(|parent| parent.local() == "rPr"),
        "rsid" | "rsids" => node.ns() == Ns::W,
        "bookmarkStart" | "bookmarkEnd" => node.attr("name").is_none_or(|name| name == "_GoBack"),
        _ => false,
    }
}

/// Attributes whose values are words that a person chose, so `true` is not `1` there.
fn is_free_text(node: Node<'_>, local: &str) -> bool {
    matches!(local, "name" | "descr" | "title" | "author" | "initials" | "display" | "tooltip")
        || (local == "val" && matches!(node.local(), "tag" | "alias" | "name" | "docPartGallery"))
}

/// A node in its canonical spelling.
pub(super) fn spelled(node: Node<'_>, links: &Links) -> String {
    let mut out = String::new();
    spell(node, links, &mut out);
    out
}

fn spell(node: Node<'_>, links: &Links, out: &mut String) {
    match node.kind() {
        NodeKind::Text | NodeKind::Cdata => {
            let text = node.text();
            let parent = node.parent();
            // White space between elements only indents them.
            let between = || parent.is_none_or(|parent| parent.elements().next().is_some());
            if !text.trim().is_empty() || !between() {
                out.push_str(&escaped(&text));
            }
            return;
        }
        NodeKind::Aside => return,
        NodeKind::Element if is_noise_element(node) => return,
        NodeKind::Element => {}
    }
    let begin = out.len();
    out.push('<');
    out.push_str(node.local());
    let tag_from = out.len();
    attributes(node, links, out);
    let bare = out.len() == tag_from;
    out.push('>');
    let inside = out.len();
    if node.local().ends_with("Pr") {
        // The order of properties says nothing.
        let mut all: Vec<String> = node.elements().map(|child| spelled(child, links)).collect();
        all.sort_unstable();
        all.iter().for_each(|one| out.push_str(one));
        if bare && out.len() == inside {
            out.truncate(begin);
            return;
        }
    } else {
        children(node, links, out);
    }
    out.push_str("</>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace("\r\n", "\n")
}

fn attributes(node: Node<'_>, links: &Links, out: &mut String) {
    let mut all: Vec<(String, String)> = Vec::new();
    for one in node.attributes().filter(|one| !is_noise(one.name, node)) {
        let (prefix, local) = one.name.split_once(':').unwrap_or(("", one.name));
        let value = unescape(one.raw);
        let relation = !prefix.is_empty() && node.namespace_of(prefix) == Some(Ns::R);
        let value = match value.as_ref() {
            id if relation => links.0.get(id).cloned().unwrap_or_else(|| id.to_owned()),
            "true" | "on" if !is_free_text(node, local) => "1".to_owned(),
            "false" | "off" if !is_free_text(node, local) => "0".to_owned(),
            other => other.to_owned(),
        };
        // A Word property is on without any value.
        if node.ns() == Ns::W && local == "val" && value == "1" {
            continue;
        }
        all.push((if relation { format!("r:{local}") } else { local.to_owned() }, value));
    }
    all.sort_unstable();
    for (name, value) in all {
        let _ = write!(out, " {name}=\"{}\"", value.replace('&', "&amp;").replace('"', "&quot;"));
    }
}

/// The children of a node. Runs of text that follow each other with the same format are one run.
fn children(node: Node<'_>, links: &Links, out: &mut String) {
    let mut open: Option<String> = None;
    for child in node.children() {
        if !is_run(child) {
            let mut said = String::new();
            spell(child, links, &mut said);
            if said.is_empty() {
                continue;
            }
            if open.take().is_some() {
                out.push_str("</>");
            }
            out.push_str(&said);
            continue;
        }
        let format = child.elements().find(|inner| inner.local() == "rPr");
        let format = format.map(|inner| spelled(inner, links)).unwrap_or_default();
        let mut said = String::new();
        for inner in child.elements().filter(|inner| inner.local() != "rPr") {
            match inner.local() {
                "t" => said.push_str(&escaped(&run_text(inner))),
                _ => spell(inner, links, &mut said),
            }
        }
        if said.is_empty() {
            continue;
        }
        if open.as_ref() != Some(&format) {
            if open.is_some() {
                out.push_str("</>");
            }
            out.push_str("<r>");
            out.push_str(&format);
            open = Some(format);
        }
        out.push_str(&said);
    }
    if open.is_some() {
        out.push_str("</>");
    }
}

fn is_run(node: Node<'_>) -> bool {
    node.is(Ns::W, "r") || node.is(Ns::A, "r")
}

/// The text of a run; Word drops white space at its ends unless `xml:space` keeps it.
fn run_text(node: Node<'_>) -> String {
    let text = node.text();
    let keeps = || node.attributes().any(|one| one.name == "xml:space" && one.raw == "preserve");
    if node.ns() == Ns::W && !keeps() {
        text.trim_matches([' ', '\n', '\t', '\r']).to_owned()
    } else {
        text.into_owned()
    }
}

/// Whether two nodes say the same to a reader, each with the relationships of its own part.
pub(super) fn same(old: (Node<'_>, &Links), new: (Node<'_>, &Links)) -> bool {
    let source = old.0.source();
    if source == new.0.source() && (!source.contains("r:") || old.1.0 == new.1.0) {
        return true;
    }
    spelled(old.0, old.1) == spelled(new.0, new.1)
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
