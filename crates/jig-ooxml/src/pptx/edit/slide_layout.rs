//! `set_slide_layout`: another layout for a slide. Its placeholders are matched with those of the layout; text that finds
//! none stays where it is.

use std::collections::{BTreeSet, HashMap};

use jig_file_api::ops::pptx::SetSlideLayout;

use super::add_slide::{
    LayoutRequest, Needs, PLACEHOLDER_ATTRIBUTES, choose_layout, layout_of, numbered_name, placeholder_attributes,
    placeholder_markup,
};
use super::images::{append_shape, free_shape_id};
use super::slides::retargeted;
use super::{DeckEdit, place};
use crate::edit::{OpInput, OpReport};
use crate::error::Error;
use crate::pptx::markup::Prefixes;
use crate::pptx::shape::{Frame, Placeholder, Shape, flat, placeholder_node, shapes, transform};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::text::body_text;
use crate::relationships::{Relationships, relative, rels_name};
use crate::xml::{Ns, Splice};

/// A placeholder of the new layout.
struct Holder {
    found: Placeholder,
    /// The attributes by which a slide names it.
    attributes: String,
    pairs: Vec<(String, String)>,
    name: String,
}

/// A placeholder of the slide as it was.
struct Held {
    address: Vec<usize>,
    found: Placeholder,
    frame: Option<Frame>,
}

pub(super) fn set_slide_layout(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &SetSlideLayout,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let old = layout_of(edit, &slide.part);
    let near = old.as_ref().map(|layout| layout.master);
    let request = LayoutRequest { layout: Some(&fields.layout), master: fields.master.as_ref(), near };
    let layout = choose_layout(edit, input, &request, Needs::default())?.layout;
    let holders = holders(edit, &layout.part)?;
    let page = Slide::load(&edit.package, &slide.part, Inherited::Read)?;
    let held: Vec<Held> = page.view(edit.package.limits(), |_, shapes| {
        let read = |shape: &&Shape<'_>| {
            Some(Held { address: shape.address.clone(), found: shape.placeholder()?, frame: shape.frame })
        };
        Ok(flat(shapes).iter().filter_map(read).collect())
    })?;
    let matches = matched(&held, &holders);
    let (removed, left, added) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let all = flat(&shapes);
        let (mut removed, mut left) = (Vec::new(), Vec::new());
        let mut taken: BTreeSet<u32> = holders.iter().map(|holder| holder.found.index).collect();
        for (held, matched) in held.iter().zip(&matches) {
            let Some(shape) = all.iter().find(|shape| shape.address == held.address) else { continue };
            match matched.and_then(|at| holders.get(at)) {
                Some(holder) => rename(splice, shape, &holder.pairs),
                None if is_empty(shape) => {
                    splice.remove(shape.node);
                    removed.push(shape.name());
                }
                None => {
                    keep_in_place(splice, shape, held.frame)?;
                    // The same number would give it the place of another placeholder.
                    if !taken.insert(held.found.index) {
                        let free = (100..).find(|number| taken.insert(*number)).unwrap_or(100);
                        if let Some(node) = placeholder_node(shape.node) {
                            splice.set_attr(node, "idx", &free.to_string());
                        }
                    }
                    left.push(shape.name());
                }
            }
        }
        let tree = root.path(Ns::P, &["cSld", "spTree"]).unwrap_or(root);
        let prefixes = Prefixes::at(tree);
        let mut added = Vec::new();
        let mut id = usize::try_from(free_shape_id(root)).unwrap_or(2);
        for (at, holder) in holders.iter().enumerate() {
            if matches.contains(&Some(at)) || holder.found.is_furniture() {
                continue;
            }
            let name = numbered_name(&holder.name, "Placeholder", id);
            let text = format!("<{}p/>", prefixes.a);
            append_shape(root, splice, &placeholder_markup(&prefixes, id, &name, &holder.attributes, &text));
            added.push(name);
            id += 1;
        }
        Ok((removed, left, added))
    })?;
    link(edit, &slide.part, &layout.part)?;
    if !left.is_empty() {
        let what = format!("the layout has no placeholder for {}; it stays where it was", left.join(", "));
        edit.warn(&input.at("layout"), &what);
    }
    let summary = format!("Gave slide {} the layout {}.", index + 1, layout.name);
    Ok(OpReport::new(input, summary)
        .with("slide_index", index)
        .with("old", old.map(|old| old.name))
        .with("layout", layout.name)
        .with("placeholders_added", added)
        .with("placeholders_removed", removed))
}

fn holders(edit: &DeckEdit<'_>, part: &str) -> Result<Vec<Holder>, Error> {
    let content = edit.package.xml(part)?;
    let tree = content.tree(edit.package.limits())?;
    let shapes = shapes(tree.root(), &[])?;
    let read = |shape: &Shape<'_>| {
        let node = placeholder_node(shape.node).filter(|_| shape.node.local() == "sp")?;
        let kept = node.attributes().filter(|found| PLACEHOLDER_ATTRIBUTES.contains(&found.name));
        Some(Holder {
            found: shape.placeholder()?,
            attributes: placeholder_attributes(node),
            pairs: kept.map(|found| (found.name.to_owned(), crate::xml::unescape(found.raw).into_owned())).collect(),
            name: shape.name(),
        })
    };
    Ok(shapes.iter().filter_map(read).collect())
}

/// Whether a placeholder of the slide can become one of the layout.
type Rule<'a> = dyn Fn(&Placeholder, &Placeholder) -> bool + 'a;

/// The placeholder of the layout for each of the slide: the same one, one of the same kind, or one for the same content.
fn matched(held: &[Held], holders: &[Holder]) -> Vec<Option<usize>> {
    let mut free: BTreeSet<usize> = (0..holders.len()).collect();
    let mut matches = vec![None; held.len()];
    let same_kind =
        |one: &Placeholder, other: &Placeholder| one.kind == other.kind || (one.is_title() && other.is_title());
    let content = |found: &Placeholder| !found.is_title() && !found.is_furniture();
    // Text goes where text can be; tables, images and charts where any content can be.
    let fits = |one: &Placeholder, other: &Placeholder| {
        content(one) && content(other) && (other.kind == "obj" || (one.is_body() && other.is_body()))
    };
    let rules: [&Rule<'_>; 3] = [&|one, other| same_kind(one, other) && one.index == other.index, &same_kind, &fits];
    for rule in rules {
        for (found, slot) in held.iter().zip(&mut matches) {
            if slot.is_some() {
                continue;
            }
            let holder = |at: &usize| holders.get(*at).is_some_and(|holder| rule(&found.found, &holder.found));
            let first = free.iter().copied().find(holder);
            if let Some(at) = first {
                free.remove(&at);
                *slot = Some(at);
            }
        }
    }
    matches
}

/// Gives a placeholder the attributes of that of the layout.
fn rename(splice: &mut Splice<'_>, shape: &Shape<'_>, pairs: &[(String, String)]) {
    let Some(node) = placeholder_node(shape.node) else { return };
    for name in PLACEHOLDER_ATTRIBUTES {
        match pairs.iter().find(|(known, _)| known == name) {
            Some((_, value)) => splice.set_attr(node, name, value),
            None => splice.remove_attr(node, name),
        }
    }
}

fn is_empty(shape: &Shape<'_>) -> bool {
    shape.node.local() == "sp"
        && shape.body().is_none_or(|body| body_text(body).trim().is_empty())
        && shape.picture().is_none()
}

/// Gives a shape the place of its own that it had from the old layout.
fn keep_in_place(splice: &mut Splice<'_>, shape: &Shape<'_>, frame: Option<Frame>) -> Result<(), Error> {
    let own = transform(shape.node).and_then(Frame::read);
    if let (None, Some(frame)) = (own, frame) {
        place::write(splice, shape.node, frame, false)?;
    }
    Ok(())
}

/// Leads the relationship of a slide to its new layout.
fn link(edit: &mut DeckEdit<'_>, slide: &str, layout: &str) -> Result<(), Error> {
    let relationships = Relationships::read(&edit.package, slide)?;
    let Some(known) = relationships.of_kind("slideLayout").next() else {
        Relationships::add(&mut edit.package, slide, "slideLayout", layout)?;
        return Ok(());
    };
    let targets = HashMap::from([(known.id.clone(), Some(relative(slide, layout)))]);
    let mut content = edit.package.xml(&rels_name(slide))?;
    content.text = retargeted(&edit.package, &content, &targets)?;
    edit.package.set_xml(&content);
    Ok(())
}
