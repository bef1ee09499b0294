//! Slides put back where they stood, with all parts that only they had.

use jig_ooxml::xml::{Ns, Splice};
use jig_ooxml::{ContentTypes, Package, Relationships, rels_name};

use super::super::change::{Change, Undo};
use super::alone;
use crate::engine::FileError;

/// How far relationships are followed.
const DEEPEST: usize = 6;

/// Puts slides behind those that they stood behind, in the order of the old presentation.
pub(super) fn put(old: &Package, new: &mut Package, chosen: &[&Change]) -> Result<(), FileError> {
    for change in chosen {
        let Undo::Slide { part, behind } = &change.undo else { continue };
        if !new.has(part) {
            restore(old, new, part, 0).map_err(|why| alone(&change.id, &why))?;
        }
        place(old, new, part, behind.as_deref(), &change.id)?;
    }
    Ok(())
}

/// Brings a part with all that it leads to and the new file lacks.
fn restore(old: &Package, new: &mut Package, part: &str, depth: usize) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    if depth > DEEPEST {
        return Err("its parts refer to each other too deeply".to_owned());
    }
    let bytes = old.read(part).map_err(|e| told(&e))?;
    if new.has(part) {
        // A layout or a master may have changed since; a slide's own parts must be what they were.
        return Ok(());
    }
    new.set(part, &bytes);
    let kinds = ContentTypes::read(old).map_err(|e| told(&e))?;
    if let Some(kind) = kinds.of(part)
        && ContentTypes::read(new).map_err(|e| told(&e))?.of(part) != Some(kind)
    {
        ContentTypes::add(new, part, kind).map_err(|e| told(&e))?;
    }
    let rels = rels_name(part);
    if !old.has(&rels) {
        return Ok(());
    }
    new.set(&rels, &old.read(&rels).map_err(|e| told(&e))?);
    for relationship in Relationships::read(old, part).map_err(|e| told(&e))?.list {
        if let Some(target) = relationship.part.filter(|target| old.has(target)) {
            restore(old, new, &target, depth + 1)?;
        }
    }
    Ok(())
}

/// Lists a slide behind another one.
fn place(old: &Package, new: &mut Package, part: &str, behind: Option<&str>, id: &str) -> Result<(), FileError> {
    let main = main_part(new)?;
    let rels = Relationships::read(new, &main)?;
    let known =
        |wanted: &str| rels.list.iter().find(|rel| rel.part.as_deref() == Some(wanted)).map(|rel| rel.id.clone());
    let own = match known(part) {
        Some(own) => own,
        None => Relationships::add(new, &main, "slide", part)?,
    };
    let number = old_number(old, part)?;
    let mut content = new.xml(&main)?;
    let tree = content.tree(new.limits())?;
    let Some(list) = tree.root().child(Ns::P, "sldIdLst") else {
        return Err(alone(id, "the presentation has no list of slides any more"));
    };
    let find = |rel: &str| list.elements().find(|node| node.attr_ns(Ns::R, "id").is_some_and(|found| found == rel));
    let taken = |number: &str| list.elements().any(|node| node.attr("id").is_some_and(|found| found == number));
    let mut splice = Splice::new(&content.text);
    let entry = match find(&own) {
        Some(node) => {
            let entry = node.source().to_owned();
            splice.remove(node);
            entry
        }
        None => {
            let largest = list.elements().filter_map(|node| node.attr("id")?.parse::<u64>().ok()).max().unwrap_or(255);
            let number = number.filter(|number| !taken(number)).unwrap_or_else(|| (largest + 1).to_string());
            let r = list.attr_prefix_for(Ns::R).unwrap_or_else(|| "r:".to_owned());
            format!("<{}sldId id=\"{number}\" {r}id=\"{own}\"/>", list.prefix())
        }
    };
    match behind.map(|behind| known(behind).and_then(|rel| find(&rel))) {
        Some(Some(node)) => splice.after(node, entry),
        Some(None) => return Err(alone(id, "the slide that it stood behind is gone")),
        None => splice.prepend(list, entry),
    }
    let text = splice.finish().map_err(|_| alone(id, "it is in two places"))?;
    content.text = text;
    new.set_xml(&content);
    Ok(())
}

fn main_part(package: &Package) -> Result<String, FileError> {
    let root = Relationships::read(package, "")?;
    Ok(root.first("officeDocument").unwrap_or("ppt/presentation.xml").to_owned())
}

/// The number that a slide had.
fn old_number(old: &Package, part: &str) -> Result<Option<String>, FileError> {
    let main = main_part(old)?;
    let rels = Relationships::read(old, &main)?;
    let Some(rel) = rels.list.iter().find(|rel| rel.part.as_deref() == Some(part)) else { return Ok(None) };
    let content = old.xml(&main)?;
    let tree = content.tree(old.limits())?;
    let slides = tree.root().child(Ns::P, "sldIdLst").into_iter().flat_map(jig_ooxml::xml::Node::elements);
    let mut own = slides.filter(|node| node.attr_ns(Ns::R, "id").is_some_and(|found| found == rel.id));
    Ok(own.next().and_then(|node| node.attr("id").map(std::borrow::Cow::into_owned)))
}
