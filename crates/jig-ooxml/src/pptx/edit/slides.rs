//! Deleting, moving and duplicating slides. The list of slides is changed together with sections and custom shows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jig_file_api::ops::pptx::{DeleteSlide, DuplicateSlide, MoveSlide};

use super::{DeckEdit, sections};
use crate::content_types::ContentTypes;
use crate::edit::{OpInput, OpReport};
use crate::error::{DeckIssue, Error, InternalError};
use crate::package::Package;
use crate::pptx::markup::Dialect;
use crate::pptx::presentation::SlideRef;
use crate::pptx::template::free_part;
use crate::relationships::{Relationship, Relationships, relative, rels_name};
use crate::xml::{Node, Ns, Splice, XmlPart};

/// The smallest id of a slide.
const FIRST_ID: u64 = 256;
/// All ids are smaller than this.
const END_ID: u64 = 2_147_483_648;

pub(super) fn move_slide(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &MoveSlide) -> Result<OpReport, Error> {
    let (from, slide) = edit.slide(input, "from", fields.from)?;
    let to = match (fields.to, &fields.section) {
        (Some(to), None) => edit.slide(input, "to", to)?.0,
        (None, Some(section)) => return sections::move_into(edit, input, from, &slide, section),
        _ => return Err(input.error("to", DeckIssue::MoveTarget).into()),
    };
    move_to(edit, from, to, &slide)?;
    Ok(OpReport::new(input, format!("Moved slide {} to {}.", from + 1, to + 1)).with("from", from).with("to", to))
}

/// Moves a slide in the list, and into the section of its new neighbour.
pub(super) fn move_to(edit: &mut DeckEdit<'_>, from: usize, to: usize, slide: &SlideRef) -> Result<(), Error> {
    if from != to {
        let mut slides = edit.presentation.slides.clone();
        slides.remove(from);
        let neighbours = Neighbours::at(&slides, to);
        let part = edit.presentation.part.clone();
        edit.edit_part(&part, |root, splice| {
            let list = root.child(Ns::P, "sldIdLst");
            let entry = list.and_then(|list| entry(list, slide));
            if let (Some(list), Some(entry)) = (list, entry) {
                neighbours.put(splice, list, entry.source());
                splice.remove(entry);
            }
            move_in_sections(root, splice, slide, &neighbours);
            Ok(())
        })?;
        edit.refresh()?;
    }
    Ok(())
}

/// Inserts a slide into the list at a position. Its part has its content type already.
pub(super) fn insert_slide(edit: &mut DeckEdit<'_>, at: usize, slide_part: &str) -> Result<(), Error> {
    let part = edit.presentation.part.clone();
    let relationship = Relationships::add(&mut edit.package, &part, "slide", slide_part)?;
    let neighbours = Neighbours::at(&edit.presentation.slides, at);
    edit.edit_part(&part, |root, splice| {
        let id = free_id(root);
        let (r, declared) = Dialect::of(root).attribute_prefix(root, Ns::R, "r");
        let p = root.prefix();
        let entry = format!(r#"<{p}sldId id="{id}" {r}id="{relationship}"{declared}/>"#);
        match root.child(Ns::P, "sldIdLst") {
            Some(list) => neighbours.put(splice, list, &entry),
            None => new_list(root, splice, &format!("<{p}sldIdLst>{entry}</{p}sldIdLst>")),
        }
        insert_in_sections(root, splice, id, &neighbours);
        Ok(())
    })?;
    edit.refresh()
}

/// Removes a slide from the list, its section and custom shows. The caller removes its part.
fn remove_slide(edit: &mut DeckEdit<'_>, slide: &SlideRef) -> Result<(), Error> {
    let part = edit.presentation.part.clone();
    edit.edit_part(&part, |root, splice| {
        if let Some(entry) = root.child(Ns::P, "sldIdLst").and_then(|list| entry(list, slide)) {
            splice.remove(entry);
        }
        if let Some(entry) = in_sections(root, &slide.id) {
            splice.remove(entry);
        }
        remove_from_shows(root, splice, slide);
        Ok(())
    })?;
    Relationships::remove(&mut edit.package, &part, &slide.relationship)?;
    edit.refresh()
}

/// The slides next to a position, by which it is found in every list.
struct Neighbours {
    before: Option<SlideRef>,
    after: Option<SlideRef>,
}

impl Neighbours {
    fn at(slides: &[SlideRef], position: usize) -> Self {
        let before = position.checked_sub(1).and_then(|before| slides.get(before)).cloned();
        Self { before, after: slides.get(position).cloned() }
    }

    fn put(&self, splice: &mut Splice<'_>, list: Node<'_>, markup: &str) {
        let find = |slide: &Option<SlideRef>| slide.as_ref().and_then(|slide| entry(list, slide));
        match (find(&self.before), find(&self.after)) {
            (Some(before), _) => splice.after(before, markup),
            (None, Some(after)) => splice.before(after, markup),
            (None, None) => splice.append(list, markup),
        }
    }
}

fn entry<'t>(list: Node<'t>, slide: &SlideRef) -> Option<Node<'t>> {
    list.children_named(Ns::P, "sldId")
        .find(|entry| entry.attr_ns(Ns::R, "id").is_some_and(|id| id == slide.relationship))
}

fn free_id(root: Node<'_>) -> u64 {
    let list = root.child(Ns::P, "sldIdLst").into_iter().flat_map(Node::elements);
    let taken: HashSet<u64> = list.filter_map(|entry| entry.attr("id")?.parse().ok()).collect();
    let next = taken.iter().filter(|id| **id < END_ID).max().map_or(FIRST_ID, |max| max + 1).max(FIRST_ID);
    if next < END_ID {
        return next;
    }
    // The last number is in use: search for a gap.
    (FIRST_ID..END_ID).find(|id| !taken.contains(id)).unwrap_or(FIRST_ID)
}

fn new_list(root: Node<'_>, splice: &mut Splice<'_>, markup: &str) {
    let before = ["sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst"];
    match root.elements().filter(|node| node.ns() == Ns::P && before.contains(&node.local())).last() {
        Some(last) => splice.after(last, markup),
        None => splice.prepend(root, markup),
    }
}

/// The entry of a slide in the sections.
fn in_sections<'t>(root: Node<'t>, id: &str) -> Option<Node<'t>> {
    let extensions = root.child(Ns::P, "extLst")?;
    extensions.descendants().find(|node| node.is(Ns::P14, "sldId") && node.attr("id").is_some_and(|found| found == id))
}

fn insert_in_sections(root: Node<'_>, splice: &mut Splice<'_>, id: u64, neighbours: &Neighbours) {
    put_in_sections(root, splice, neighbours, |prefix| format!(r#"<{prefix}sldId id="{id}"/>"#));
}

fn move_in_sections(root: Node<'_>, splice: &mut Splice<'_>, slide: &SlideRef, neighbours: &Neighbours) {
    if let Some(entry) = in_sections(root, &slide.id) {
        put_in_sections(root, splice, neighbours, |_| entry.source().to_owned());
        splice.remove(entry);
    }
}

/// In a deck with sections every slide must be in one: in that of the previous slide, otherwise of the next.
fn put_in_sections(root: Node<'_>, splice: &mut Splice<'_>, neighbours: &Neighbours, markup: impl Fn(&str) -> String) {
    let find = |slide: &Option<SlideRef>| slide.as_ref().and_then(|slide| in_sections(root, &slide.id));
    if let Some(before) = find(&neighbours.before) {
        splice.after(before, markup(before.prefix()));
    } else if let Some(after) = find(&neighbours.after) {
        splice.before(after, markup(after.prefix()));
    } else {
        let extensions = root.child(Ns::P, "extLst").into_iter().flat_map(Node::descendants);
        let Some(section) = extensions.filter(|node| node.is(Ns::P14, "section")).last() else { return };
        let prefix = section.prefix();
        match section.child(Ns::P14, "sldIdLst") {
            Some(list) => splice.append(list, markup(prefix)),
            None => splice.prepend(section, format!("<{prefix}sldIdLst>{}</{prefix}sldIdLst>", markup(prefix))),
        }
    }
}

/// Removes a slide from custom shows; shows without slides and lists without shows are removed too.
fn remove_from_shows(root: Node<'_>, splice: &mut Splice<'_>, slide: &SlideRef) {
    let Some(shows) = root.child(Ns::P, "custShowLst") else { return };
    let is_it = |entry: &Node<'_>| entry.attr_ns(Ns::R, "id").is_some_and(|id| id == slide.relationship);
    let all: Vec<_> = shows.elements().map(|show| (show, show_entries(show))).collect();
    let emptied = |entries: &[Node<'_>]| !entries.is_empty() && entries.iter().all(is_it);
    if !all.is_empty() && all.iter().all(|(_, entries)| emptied(entries)) {
        return splice.remove(shows);
    }
    for (show, entries) in all {
        if emptied(&entries) {
            splice.remove(show);
        } else {
            entries.into_iter().filter(is_it).for_each(|entry| splice.remove(entry));
        }
    }
}

fn show_entries(show: Node<'_>) -> Vec<Node<'_>> {
    show.child(Ns::P, "sldLst").into_iter().flat_map(Node::elements).collect()
}

pub(super) fn delete_slide(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &DeleteSlide) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let gone = delete(edit, input, &slide)?;
    Ok(OpReport::new(input, format!("Deleted slide {}.", index + 1))
        .with("slide_index", index)
        .with("parts_removed", gone))
}

/// Deletes a slide with the parts that only it uses; returns how many parts went.
pub(super) fn delete(edit: &mut DeckEdit<'_>, input: &OpInput, slide: &SlideRef) -> Result<usize, Error> {
    let before = reachable_parts(&edit.package);
    remove_slide(edit, slide)?;
    // The same part may be in the list twice; then it stays.
    if !edit.presentation.slides.iter().any(|other| other.part == slide.part) {
        unlink(edit, input, slide, &before)?;
    }
    remove_lost(&mut edit.package, &before)
}

/// Removes the parts that could be reached before and cannot be now; returns how many.
pub(super) fn remove_lost(package: &mut Package, before: &BTreeMap<String, Relationships>) -> Result<usize, Error> {
    let after = reachable_parts(package);
    let gone: Vec<&String> = before.keys().filter(|part| !after.contains_key(*part)).collect();
    for part in &gone {
        package.remove(part);
        package.remove(&rels_name(part));
        ContentTypes::remove(package, part)?;
    }
    Ok(gone.len())
}

/// Every part that can be reached from the package, with its relationships.
pub(super) fn reachable_parts(package: &Package) -> BTreeMap<String, Relationships> {
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(part) = open.pop() {
        // Damage elsewhere in the file is the same before and after, and does not prevent the removal.
        let relationships = Relationships::read(package, &part).unwrap_or_default();
        for target in relationships.list.iter().filter_map(|relationship| relationship.part.as_deref()) {
            let Some(name) = package.spelled(target) else { continue };
            if seen.insert(name.to_owned()) {
                open.push(name.to_owned());
            }
        }
        if !part.is_empty() {
            found.insert(part, relationships);
        }
    }
    found
}

/// Removes other references to the slide: links on other slides, and the list of an outline view.
fn unlink(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    slide: &SlideRef,
    parts: &BTreeMap<String, Relationships>,
) -> Result<(), Error> {
    let own_notes = parts.get(&slide.part).and_then(|own| own.first("notesSlide")).map(str::to_owned);
    for (part, relationships) in parts {
        let is_own = part.eq_ignore_ascii_case(&slide.part) || own_notes.as_ref().is_some_and(|notes| notes == part);
        if is_own || *part == edit.presentation.part {
            continue;
        }
        let to_slide =
            |target: &Option<String>| target.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&slide.part));
        for relationship in relationships.list.iter().filter(|found| to_slide(&found.part)) {
            if unlink_from(edit, part, &relationship.id)? {
                Relationships::remove(&mut edit.package, part, &relationship.id)?;
            } else {
                edit.warn(&input.at(""), &format!("{part} refers to the slide in a way that was left as it is"));
            }
        }
        let number = edit.presentation.slides.iter().position(|other| other.part == *part);
        if let Some(number) = number.filter(|_| relationships.list.iter().any(|found| to_slide(&found.part))) {
            edit.warn(&input.at(""), &format!("links to the deleted slide were taken out of slide {}", number + 1));
        }
    }
    Ok(())
}

/// Removes the elements that use a relationship, if all of them can be removed; returns whether it did.
fn unlink_from(edit: &mut DeckEdit<'_>, part: &str, id: &str) -> Result<bool, Error> {
    edit.edit_part(part, |root, splice| {
        let users: Vec<Node<'_>> =
            root.descendants().filter(|node| used_relationships(*node).any(|used| used == id)).collect();
        let may_go = |node: &Node<'_>| node.local().starts_with("hlink") || node.is(Ns::P, "sld");
        if !users.iter().all(may_go) {
            return Ok(false);
        }
        users.into_iter().for_each(|node| splice.remove(node));
        Ok(true)
    })
}

/// The ids of relationships that the attributes of an element name, as they are written.
pub(super) fn used_relationships<'t>(node: Node<'t>) -> impl Iterator<Item = &'t str> {
    let attributes = node.is_element().then(|| node.attributes()).into_iter().flatten();
    attributes.filter_map(move |attribute| {
        let (prefix, _) = attribute.name.split_once(':')?;
        (node.namespace_of(prefix) == Some(Ns::R)).then_some(attribute.raw)
    })
}

pub(super) fn duplicate_slide(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &DuplicateSlide,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let count = edit.presentation.slides.len();
    let to = fields.to.unwrap_or(index + 1);
    if to > count {
        return Err(input.error("to", DeckIssue::CopyIndex { index: to, count }).suggest([count.to_string()]).into());
    }
    let mut copying = SlideCopy::default();
    let part = copying.copy(&mut edit.package, &slide.part)?;
    if !copying.dropped.is_empty() {
        edit.warn(&input.at(""), "comments were not copied");
    }
    make_its_own(edit, &part, &copying.dropped)?;
    insert_slide(edit, to, &part)?;
    let summary = format!("Duplicated slide {} as slide {}.", index + 1, to + 1);
    Ok(OpReport::new(input, summary).with("from", index).with("slide_index", to))
}

/// What happens to the target of a relationship of a copied part.
enum TargetCopy {
    Shared,
    Copied,
    Dropped,
}

fn target_copy(relationship: &Relationship) -> TargetCopy {
    match relationship.kind.as_str() {
        "comments" => TargetCopy::Dropped,
        "image" | "media" | "video" | "audio" | "font" | "hyperlink" | "slide" | "slideLayout" | "slideMaster"
        | "notesMaster" | "theme" | "customXml" => TargetCopy::Shared,
        _ => TargetCopy::Copied,
    }
}

#[derive(Default)]
struct SlideCopy {
    /// The copy of each part.
    copies: HashMap<String, String>,
    /// Parts whose relationships are still to be written.
    open: Vec<String>,
    /// The ids of relationships to comments, which are not copied.
    dropped: Vec<String>,
}

impl SlideCopy {
    /// Copies a part and everything that belongs only to it.
    fn copy(&mut self, package: &mut Package, part: &str) -> Result<String, Error> {
        let copy = self.name(package, part)?;
        while let Some(old) = self.open.pop() {
            self.relationships(package, &old)?;
        }
        Ok(copy)
    }

    /// The name of a part's copy; the part is copied if it was not yet.
    fn name(&mut self, package: &mut Package, part: &str) -> Result<String, Error> {
        if let Some(copy) = self.copies.get(part) {
            return Ok(copy.clone());
        }
        let copy = free_part(package, &name_pattern(part));
        let bytes = package.read(part)?;
        package.set(&copy, &bytes);
        let types = ContentTypes::read(package)?;
        if let Some(kind) = types.of(part) {
            ContentTypes::add(package, &copy, kind)?;
        }
        self.copies.insert(part.to_owned(), copy.clone());
        self.open.push(part.to_owned());
        Ok(copy)
    }

    fn relationships(&mut self, package: &mut Package, old: &str) -> Result<(), Error> {
        let Some(new) = self.copies.get(old).cloned() else { return Ok(()) };
        if !package.has(&rels_name(old)) {
            return Ok(());
        }
        let mut targets = HashMap::new();
        for relationship in Relationships::read(package, old)?.list {
            let part = relationship.part.as_deref().and_then(|part| package.spelled(part)).map(str::to_owned);
            match (target_copy(&relationship), part) {
                (TargetCopy::Dropped, _) => {
                    self.dropped.push(relationship.id.clone());
                    targets.insert(relationship.id, None);
                }
                (TargetCopy::Shared, Some(part)) => {
                    // A slide that links to itself, and notes that lead back to their slide.
                    if let Some(copy) = self.copies.get(&part) {
                        targets.insert(relationship.id, Some(relative(&new, copy)));
                    }
                }
                (TargetCopy::Copied, Some(part)) => {
                    let copy = self.name(package, &part)?;
                    targets.insert(relationship.id, Some(relative(&new, &copy)));
                }
                (_, None) => {}
            }
        }
        let mut content = package.xml(&rels_name(old))?;
        content.text = retargeted(package, &content, &targets)?;
        content.name = rels_name(&new);
        package.set_xml(&content);
        Ok(())
    }
}

/// Relationships with new targets; those without one are removed.
pub(super) fn retargeted(
    package: &Package,
    content: &XmlPart,
    targets: &HashMap<String, Option<String>>,
) -> Result<String, Error> {
    let tree = content.tree(package.limits())?;
    let mut splice = Splice::new(&content.text);
    for node in tree.root().elements() {
        match node.attr("Id").and_then(|id| targets.get(&*id)) {
            Some(Some(target)) => splice.set_attr(node, "Target", target),
            Some(None) => splice.remove(node),
            None => {}
        }
    }
    splice.finish().map_err(|error| InternalError::overlap(&content.name, &error).into())
}

/// The name of a part as a pattern with `{}` for its number.
pub(super) fn name_pattern(part: &str) -> String {
    let (stem, extension) = match part.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => (stem, format!(".{extension}")),
        _ => (part, String::new()),
    };
    let base = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{}{{}}{extension}", base.replace(['{', '}'], "_"))
}

/// A slide has a number by which programs identify it, so the copy needs a new one. And it may
/// name comments that were not copied.
fn make_its_own(edit: &mut DeckEdit<'_>, part: &str, dropped: &[String]) -> Result<(), Error> {
    let salt = (edit.presentation.slides.len() as u32).wrapping_add(1).wrapping_mul(0x9E37_79B1);
    edit.edit_part(part, |root, splice| {
        let slide = root.child(Ns::P, "cSld").and_then(|slide| slide.child(Ns::P, "extLst"));
        let extensions = slide.into_iter().chain(root.child(Ns::P, "extLst")).flat_map(Node::elements);
        for extension in extensions {
            let names_comments = |node: Node<'_>| {
                node.is_element()
                    && node.attr_ns(Ns::R, "id").is_some_and(|id| dropped.iter().any(|known| *known == id))
            };
            if extension.descendants().any(names_comments) {
                splice.remove(extension);
                continue;
            }
            for id in extension.descendants().filter(|node| node.is(Ns::P14, "creationId")) {
                let old: u32 = id.attr("val").and_then(|value| value.parse().ok()).unwrap_or(0);
                splice.set_attr(id, "val", &(old ^ salt).max(1).to_string());
            }
        }
        Ok(())
    })
}
