//! The list of slides: putting in, taking out and moving, in the list itself, in sections and in custom shows.

use std::collections::HashSet;

use jig_file_api::ops::pptx::MoveSlide;

use super::Editor;
use super::markup::Dialect;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::pptx::presentation::SlideRef;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice};

/// Slides have ids from here on.
const FIRST_ID: u64 = 256;
/// And below this.
const END_ID: u64 = 2_147_483_648;

pub(super) fn move_slide(editor: &mut Editor<'_>, input: &OpInput, fields: &MoveSlide) -> Result<Change, Error> {
    let (from, slide) = editor.slide(input, "from", fields.from)?;
    let (to, _) = editor.slide(input, "to", fields.to)?;
    if from != to {
        let mut slides = editor.presentation.slides.clone();
        slides.remove(from);
        let neighbours = Neighbours::at(&slides, to);
        let part = editor.presentation.part.clone();
        editor.edit_part(&part, |root, splice| {
            let list = root.child(Ns::P, "sldIdLst");
            let entry = list.and_then(|list| entry(list, &slide));
            if let (Some(list), Some(entry)) = (list, entry) {
                neighbours.put(splice, list, entry.source());
                splice.remove(entry);
            }
            move_in_sections(root, splice, &slide, &neighbours);
            Ok(())
        })?;
        editor.refresh()?;
    }
    Ok(Change::new(input, format!("Moved slide {from} to {to}.")).with("from", from).with("to", to))
}

/// Puts a slide's part into the list at a position. The part has its content type already.
pub(super) fn insert(editor: &mut Editor<'_>, at: usize, slide_part: &str) -> Result<(), Error> {
    let part = editor.presentation.part.clone();
    let relationship = Relationships::add(&mut editor.package, &part, "slide", slide_part)?;
    let neighbours = Neighbours::at(&editor.presentation.slides, at);
    editor.edit_part(&part, |root, splice| {
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
    editor.refresh()
}

/// Takes a slide out of the list, of its section and of custom shows. Its part is the caller's matter.
pub(super) fn remove(editor: &mut Editor<'_>, slide: &SlideRef) -> Result<(), Error> {
    let part = editor.presentation.part.clone();
    editor.edit_part(&part, |root, splice| {
        if let Some(entry) = root.child(Ns::P, "sldIdLst").and_then(|list| entry(list, slide)) {
            splice.remove(entry);
        }
        if let Some(entry) = in_sections(root, &slide.id) {
            splice.remove(entry);
        }
        remove_from_shows(root, splice, slide);
        Ok(())
    })?;
    Relationships::remove(&mut editor.package, &part, &slide.relationship)?;
    editor.refresh()
}

/// The slides beside a position, by which it is found in every list.
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
    // The last number is taken: look for a gap.
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

/// A deck with sections must have every slide in one of them: the one of the slide before, else of that behind.
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

/// Takes a slide out of custom shows; a show without slides goes too, and a list without shows.
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
