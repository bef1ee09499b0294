//! Two Word documents: paragraphs and tables by section, then headers, footers, notes and styles.

mod block;
mod look;
mod notes;
mod story;
mod tables;

use std::cell::OnceCell;
use std::collections::HashMap;

use jig_ooxml::docx::blocks;
use jig_ooxml::docx::parts::PartNames;
use jig_ooxml::docx::sections::{Section, sections};
use jig_ooxml::docx::styles::Styles;
use jig_ooxml::xml::{Node, Ns, XmlPart};
use jig_ooxml::{Package, PackageError, Relationships};

use super::change::{Change, ChangeKind, Splice, Undo};
use super::inside::{InsideDiff, InsideFormat};
use super::markup::{Links, misfit, spelled};
use super::parts;
use story::{Story, StorySide};

/// One of two documents.
pub(super) struct Side<'p> {
    package: &'p Package,
    names: PartNames,
    styles: Styles,
    /// The lists, as they are written.
    numbering: String,
    /// Notes and comments by kind and number, read when a change hangs on one.
    notes: OnceCell<HashMap<(&'static str, String), String>>,
}

impl<'p> Side<'p> {
    fn read(package: &'p Package) -> Result<Self, PackageError> {
        let names = PartNames::find(package)?;
        let part = |name: &Option<String>| name.as_deref().map(|name| package.xml(name)).transpose();
        let styles = Styles::read(part(&names.styles)?.as_ref(), part(&names.theme)?.as_ref(), package.limits())?;
        let numbering = part(&names.numbering)?.map(|part| part.text).unwrap_or_default();
        Ok(Self { package, names, styles, numbering, notes: OnceCell::new() })
    }

    fn relationships(&self, part: &str) -> Relationships {
        Relationships::read(self.package, part).unwrap_or_default()
    }
}

/// Compares two documents.
pub(super) fn compare(old: &Package, new: &Package) -> Result<InsideDiff, PackageError> {
    let (before, after) = (Side::read(old)?, Side::read(new)?);
    let mut diff = InsideDiff::new(InsideFormat::Docx);
    body(&before, &after, &mut diff)?;
    around(&before, &after, &mut diff)?;
    notes::compare(&before, &after, &mut diff)?;
    styles(&before, &after, &mut diff)?;
    let covered = covered(&before, &after);
    parts::compare(old, new, &|name| covered(name), &|_| false, &mut diff)?;
    Ok(diff.finish())
}

fn body(before: &Side<'_>, after: &Side<'_>, diff: &mut InsideDiff) -> Result<(), PackageError> {
    let parts = (before.package.xml(&before.names.document)?, after.package.xml(&after.names.document)?);
    let trees = (parts.0.tree(before.package.limits())?, parts.1.tree(after.package.limits())?);
    let bodies = (blocks::body(&trees.0, &parts.0.name)?, blocks::body(&trees.1, &parts.1.name)?);
    let lists = (blocks::blocks(bodies.0), blocks::blocks(bodies.1));
    let found = sections(&lists.1, &after.styles);
    let titles = titles(&found, lists.1.len());
    let links = (
        Links::resolved(before.package, &before.names.relationships),
        Links::resolved(after.package, &after.names.relationships),
    );
    let story = Story {
        sides: (before, after),
        old: StorySide { part: &parts.0.name, container: bodies.0, blocks: &lists.0 },
        new: StorySide { part: &parts.1.name, container: bodies.1, blocks: &lists.1 },
        titles: &titles,
        rels: (&before.names.relationships, &after.names.relationships),
        links: (&links.0, &links.1),
    };
    story.compare(diff);
    page_setup(bodies, (&links.0, &links.1), &parts.1, diff);
    Ok(())
}

/// The title of the section that each block is in, and the words that addresses begin with.
fn titles(sections: &[Section], blocks: usize) -> Vec<(String, String)> {
    let mut titles = vec![("section 0".to_owned(), "section 0".to_owned()); blocks + 1];
    for (index, section) in sections.iter().enumerate() {
        let plain = format!("section {index}");
        let heading: String = section.heading.chars().take(60).collect();
        let title = if heading.is_empty() { plain.clone() } else { format!("{plain} “{heading}”") };
        let end = if section.blocks.end == blocks { blocks + 1 } else { section.blocks.end };
        for slot in titles.get_mut(section.blocks.start..end).unwrap_or_default() {
            *slot = (title.clone(), plain.clone());
        }
    }
    titles
}

fn page_setup(bodies: (Node<'_>, Node<'_>), links: (&Links, &Links), new: &XmlPart, diff: &mut InsideDiff) {
    let last = |body: Node<'_>, links| body_setup(body).map(|node| spelled(node, links)).unwrap_or_default();
    if last(bodies.0, links.0) == last(bodies.1, links.1) {
        return;
    }
    let change = Change::new("page setup", ChangeKind::Formatted, "page setup");
    let (Some(from), Some(to)) = (body_setup(bodies.0), body_setup(bodies.1)) else {
        return diff.add("page setup", change.fixed("one side has none"));
    };
    let leads = from.source().contains("r:id") || to.source().contains("r:id");
    let splice = Splice { part: new.name.clone(), range: to.range(), markup: from.source().to_owned() };
    diff.add(
        "page setup",
        if leads {
            change.fixed("it names headers and footers")
        } else {
            change.undone_by(Undo::Splices(vec![splice]))
        },
    );
}

fn body_setup(body: Node<'_>) -> Option<Node<'_>> {
    body.elements().filter(|node| node.is(Ns::W, "sectPr")).last()
}

/// Headers and footers, by the names of their parts.
fn around(before: &Side<'_>, after: &Side<'_>, diff: &mut InsideDiff) -> Result<(), PackageError> {
    let names = |side: &Side<'_>| -> Vec<String> {
        let mut names: Vec<String> =
            side.names.headers.iter().chain(&side.names.footers).map(|part| part.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let (old, new) = (names(before), names(after));
    for name in new.iter().chain(old.iter().filter(|name| !new.contains(name))) {
        let title = stem(name).to_owned();
        match (old.contains(name), new.contains(name)) {
            (true, true) if parts::differ(before.package, after.package, name)? => {
                let parts = (before.package.xml(name)?, after.package.xml(name)?);
                let trees = (parts.0.tree(before.package.limits())?, parts.1.tree(after.package.limits())?);
                let lists = (blocks::blocks(trees.0.root()), blocks::blocks(trees.1.root()));
                let titles = vec![(title.clone(), title.clone()); lists.1.len() + 1];
                let rels = (before.relationships(name), after.relationships(name));
                let links = (Links::resolved(before.package, &rels.0), Links::resolved(after.package, &rels.1));
                let story = Story {
                    sides: (before, after),
                    old: StorySide { part: name, container: trees.0.root(), blocks: &lists.0 },
                    new: StorySide { part: name, container: trees.1.root(), blocks: &lists.1 },
                    titles: &titles,
                    rels: (&rels.0, &rels.1),
                    links: (&links.0, &links.1),
                };
                story.compare(diff);
            }
            (true, true) | (false, false) => {}
            (only_old, _) => {
                let side = if only_old { before } else { after };
                let text = text_of(side, name)?;
                let kind = if only_old { ChangeKind::Removed } else { ChangeKind::Added };
                let noun = if title.starts_with("footer") { "footer" } else { "header" };
                let id = if only_old { format!("{title} (removed)") } else { title.clone() };
                let change = Change::new(id, kind, noun);
                let texts = if only_old { change.texts(Some(&text), None) } else { change.texts(None, Some(&text)) };
                diff.add(&title, texts.fixed("the page setup refers to it"));
            }
        }
    }
    Ok(())
}

fn text_of(side: &Side<'_>, part: &str) -> Result<String, PackageError> {
    let content = side.package.xml(part)?;
    let tree = content.tree(side.package.limits())?;
    Ok(block::texts(&blocks::blocks(tree.root())))
}

fn stem(part: &str) -> &str {
    let name = part.rsplit('/').next().unwrap_or(part);
    name.split('.').next().unwrap_or(name)
}

/// Styles by their ids.
fn styles(before: &Side<'_>, after: &Side<'_>, diff: &mut InsideDiff) -> Result<(), PackageError> {
    let part = |side: &Side<'_>| side.names.styles.as_deref().map(|name| side.package.xml(name)).transpose();
    let (Some(old), Some(new)) = (part(before)?, part(after)?) else { return Ok(()) };
    if old.text == new.text {
        return Ok(());
    }
    let trees = (old.tree(before.package.limits())?, new.tree(after.package.limits())?);
    let list = |root: Node<'_>| -> Vec<(String, String)> {
        let id = |node: Node<'_>| node.attr("styleId").map(std::borrow::Cow::into_owned).unwrap_or_default();
        root.children_named(Ns::W, "style").map(|node| (id(node), spelled(node, &Links::default()))).collect()
    };
    let (old, new) = (list(trees.0.root()), list(trees.1.root()));
    let find = |list: &[(String, String)], id: &str| list.iter().find(|(known, _)| known == id).map(|(_, s)| s.clone());
    for (id, said) in &new {
        let kind = match find(&old, id) {
            None => ChangeKind::Added,
            Some(before) if before != *said => ChangeKind::Changed,
            Some(_) => continue,
        };
        let name = after.styles.get(id).map_or(id.as_str(), |style| style.name.as_str());
        diff.add("styles", Change::new(format!("style {name}"), kind, "style").fixed("text may use the style"));
    }
    for (id, _) in old.iter().filter(|(id, _)| find(&new, id).is_none()) {
        let name = before.styles.get(id).map_or(id.as_str(), |style| style.name.as_str());
        let change = Change::new(format!("style {name} (removed)"), ChangeKind::Removed, "style");
        diff.add("styles", change.fixed("text may use the style"));
    }
    Ok(())
}

fn covered(before: &Side<'_>, after: &Side<'_>) -> impl Fn(&str) -> bool {
    let mut names: Vec<String> = Vec::new();
    for side in [before, after] {
        names.extend(side.names.texts().into_iter().map(str::to_owned));
        names.extend([&side.names.styles, &side.names.comments].into_iter().flatten().cloned());
    }
    let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    move |name: &str| names.contains(&name.trim_start_matches('/').to_ascii_lowercase())
}

/// Whether a block of the old document can stand in the new one; if not, why.
pub(super) fn block_misfit(
    sides: (&Side<'_>, &Side<'_>),
    old: Node<'_>,
    into: Node<'_>,
    rels: (&Relationships, &Relationships),
) -> Option<String> {
    if let Some(why) = misfit(old, into, rels) {
        return Some(why);
    }
    for node in old.descendants().filter(|node| node.is_element() && node.ns() == Ns::W) {
        let value = node.attr("val").unwrap_or_default();
        match node.local() {
            "pStyle" | "rStyle" | "tblStyle" if sides.1.styles.get(&value).is_none() => {
                return Some(format!("its style {value} is not in the file any more"));
            }
            "numId" if value != "0" && !has_list(sides.1, &value) => {
                return Some("its list is not in the file any more".to_owned());
            }
            "footnoteReference" | "endnoteReference" | "commentReference" if !notes::has_same(sides, node) => {
                return Some("a note or comment that hangs on it changed too".to_owned());
            }
            _ => {}
        }
    }
    None
}

fn has_list(side: &Side<'_>, number: &str) -> bool {
    side.numbering.contains(&format!("numId=\"{number}\""))
}
