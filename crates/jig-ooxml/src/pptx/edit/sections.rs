//! Ops on the sections of a deck: `add_section`, `rename_section`, `delete_section`, and moving a slide into one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jig_file_api::ops::pptx::{AddSection, DeleteSlideSection, RenameSection};
use serde_json::Value;
use sha1::{Digest, Sha1};

use super::{DeckEdit, slides};
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::presentation::SlideRef;
use crate::xml::{Node, Ns, Splice, escape_attribute};

/// The extension of the presentation part that lists sections.
const EXTENSION: &str = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}";
const P14: &str = "http://schemas.microsoft.com/office/powerpoint/2010/main";
/// The name that PowerPoint gives to the slides before the first section.
const BEFORE_FIRST: &str = "Default Section";

/// A section with its element.
struct Entry<'t> {
    node: Node<'t>,
    name: String,
    slides: Vec<String>,
}

fn entries(root: Node<'_>) -> Vec<Entry<'_>> {
    let inside = root.child(Ns::P, "extLst").into_iter().flat_map(Node::descendants);
    inside.filter(|node| node.is(Ns::P14, "section")).map(Entry::read).collect()
}

impl<'t> Entry<'t> {
    fn read(node: Node<'t>) -> Self {
        let slides = node.descendants().filter(|inner| inner.is(Ns::P14, "sldId"));
        Self {
            node,
            name: node.attr("name").map(Cow::into_owned).unwrap_or_default(),
            slides: slides.filter_map(|inner| inner.attr("id").map(Cow::into_owned)).collect(),
        }
    }
}

/// The position of the section that an op names: by name, or by its number from 1.
fn find(input: &OpInput, wanted: &Value, names: &[String]) -> Result<usize, EditError> {
    let known: Vec<String> = names.iter().enumerate().map(|(at, name)| format!("{} `{name}`", at + 1)).collect();
    let missing = |wanted: String| {
        let near = nearest(&wanted, names.iter().map(String::as_str));
        let near = if near.is_empty() { names.to_vec() } else { near };
        input.error("section", DeckIssue::NoSection { wanted, known: known.clone() }).suggest(near)
    };
    let by_number = |number: u64| {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        (at < names.len()).then_some(at)
    };
    let text = match wanted {
        Value::Number(number) => {
            return number.as_u64().and_then(by_number).ok_or_else(|| missing(number.to_string()));
        }
        Value::String(text) => text.trim(),
        other => return Err(missing(other.to_string())),
    };
    let exact: Vec<usize> =
        (0..names.len()).filter(|at| names.get(*at).is_some_and(|name| name.trim() == text)).collect();
    let plain = text.to_lowercase();
    let loose = || {
        let same = |at: &usize| names.get(*at).is_some_and(|name| name.trim().to_lowercase() == plain);
        (0..names.len()).filter(same).collect()
    };
    let found: Vec<usize> = if exact.is_empty() { loose() } else { exact };
    match found.as_slice() {
        [at] => Ok(*at),
        [] => text.parse().ok().and_then(by_number).ok_or_else(|| missing(text.to_owned())),
        several => {
            let numbers = several.iter().map(|at| (at + 1).to_string()).collect();
            Err(input.error("section", DeckIssue::SameSection { name: text.to_owned(), numbers }))
        }
    }
}

fn names_of(edit: &DeckEdit<'_>) -> Vec<String> {
    edit.presentation.sections.iter().map(|section| section.name.clone()).collect()
}

/// A name that is not blank.
fn new_name(edit: &mut DeckEdit<'_>, input: &OpInput, given: &str) -> Result<String, EditError> {
    let name = edit.clean(&input.at("name"), given).replace(['\n', '\u{b}'], " ");
    if name.trim().is_empty() {
        return Err(input.error("name", DeckIssue::Missing { what: "the name of the section" }));
    }
    Ok(name.trim().to_owned())
}

pub(super) fn add_section(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &AddSection) -> Result<OpReport, Error> {
    let name = new_name(edit, input, &fields.name)?;
    let first = fields.index.map(|index| edit.slide(input, "index", index)).transpose()?;
    let slides = edit.presentation.slides.clone();
    let part = edit.presentation.part.clone();
    let count = edit.edit_part(&part, |root, splice| {
        let known = entries(root);
        let at = first.as_ref().map_or(slides.len(), |(index, _)| *index);
        if known.is_empty() {
            let (before, after) = slides.split_at(at.min(slides.len()));
            let mut markup = String::new();
            if !before.is_empty() {
                let ids: Vec<&str> = before.iter().map(|slide| slide.id.as_str()).collect();
                markup.push_str(&section_markup("p14:", BEFORE_FIRST, &guid(BEFORE_FIRST, &known), &ids));
            }
            let ids: Vec<&str> = after.iter().map(|slide| slide.id.as_str()).collect();
            markup.push_str(&section_markup("p14:", &name, &guid(&name, &known), &ids));
            put_list(root, splice, &markup);
            return Ok(after.len());
        }
        let prefix = known.first().map_or("p14:", |entry| entry.node.prefix());
        let holder =
            first.as_ref().and_then(|(_, slide)| known.iter().position(|entry| entry.slides.contains(&slide.id)));
        let Some(holder) = holder.and_then(|at| known.get(at)) else {
            // A slide that is in no section starts one with those after it that are in none.
            let free =
                slides.iter().skip(at).take_while(|slide| !known.iter().any(|entry| entry.slides.contains(&slide.id)));
            let ids: Vec<&str> = free.map(|slide| slide.id.as_str()).collect();
            if let Some(last) = known.last() {
                splice.after(last.node, section_markup(prefix, &name, &guid(&name, &known), &ids));
            }
            return Ok(ids.len());
        };
        // Slides of a section are listed in the order of the deck, whatever the order in the file is.
        let inside: Vec<&SlideRef> = slides.iter().filter(|slide| holder.slides.contains(&slide.id)).collect();
        let cut = inside.iter().position(|slide| first.as_ref().is_some_and(|(_, found)| found.id == slide.id));
        let (stay, go) = inside.split_at(cut.unwrap_or(inside.len()));
        if stay.is_empty() {
            let issue = DeckIssue::SectionBegins { index: at, name: holder.name.clone() };
            return Err(input.error("index", issue).into());
        }
        let ids: Vec<&str> = go.iter().map(|slide| slide.id.as_str()).collect();
        for entry in holder.node.descendants().filter(|node| node.is(Ns::P14, "sldId")) {
            if entry.attr("id").is_some_and(|id| ids.contains(&&*id)) {
                splice.remove(entry);
            }
        }
        splice.after(holder.node, section_markup(prefix, &name, &guid(&name, &known), &ids));
        Ok(ids.len())
    })?;
    edit.refresh()?;
    let number = edit.presentation.sections.iter().rposition(|section| section.name == name).map_or(0, |at| at + 1);
    let summary = format!("Added the section {name} with {}.", counted(count, "slide"));
    Ok(OpReport::new(input, summary).with("section", name).with("section_number", number).with("slides", count))
}

pub(super) fn rename_section(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &RenameSection,
) -> Result<OpReport, Error> {
    let at = find(input, &fields.section, &names_of(edit))?;
    let name = new_name(edit, input, &fields.name)?;
    let part = edit.presentation.part.clone();
    let old = edit.edit_part(&part, |root, splice| {
        let known = entries(root);
        let Some(entry) = known.get(at) else { return Ok(String::new()) };
        splice.set_attr(entry.node, "name", &name);
        Ok(entry.name.clone())
    })?;
    edit.refresh()?;
    let summary = format!("Renamed the section {old} to {name}.");
    Ok(OpReport::new(input, summary).with("section_number", at + 1).with("old", old).with("new", name))
}

pub(super) fn delete_section(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &DeleteSlideSection,
) -> Result<OpReport, Error> {
    let at = find(input, &fields.section, &names_of(edit))?;
    let section = edit.presentation.sections.get(at).cloned();
    let (name, inside) = section.map_or_else(Default::default, |section| (section.name, section.slides));
    let deletes = fields.delete_slides == Some(true);
    let mut deleted = 0;
    if deletes {
        let own: BTreeSet<&String> = inside.iter().collect();
        let gone: Vec<SlideRef> =
            edit.presentation.slides.iter().filter(|slide| own.contains(&slide.id)).cloned().collect();
        deleted = gone.len();
        for slide in gone {
            slides::delete(edit, input, &slide)?;
        }
    }
    let part = edit.presentation.part.clone();
    edit.edit_part(&part, |root, splice| {
        let known = entries(root);
        let Some(entry) = known.get(at) else { return Ok(()) };
        if known.len() == 1 {
            remove_list(entry.node, splice);
            return Ok(());
        }
        // Every slide must be in a section: those of this one go to the section before, or to the one after.
        let source: String =
            entry.node.descendants().filter(|node| node.is(Ns::P14, "sldId")).map(|node| node.source()).collect();
        if !source.is_empty() {
            match (at.checked_sub(1).and_then(|before| known.get(before)), known.get(at + 1)) {
                (Some(before), _) => put_slides(splice, before.node, &source, true),
                (None, Some(after)) => put_slides(splice, after.node, &source, false),
                (None, None) => {}
            }
        }
        splice.remove(entry.node);
        Ok(())
    })?;
    edit.refresh()?;
    let slides = if deletes { format!(" with {}", counted(deleted, "slide")) } else { String::new() };
    let summary = format!("Deleted the section {name}{slides}.");
    Ok(OpReport::new(input, summary).with("section", name).with("slides_deleted", deleted))
}

/// Makes a slide the last of a section.
pub(super) fn move_into(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    from: usize,
    slide: &SlideRef,
    wanted: &Value,
) -> Result<OpReport, Error> {
    let section = find(input, wanted, &names_of(edit))?;
    let name = names_of(edit).get(section).cloned().unwrap_or_default();
    // Behind the last slide of this section or of the nearest one before it that has any.
    let before: BTreeSet<String> =
        edit.presentation.sections.iter().take(section + 1).flat_map(|section| section.slides.clone()).collect();
    let others: Vec<&SlideRef> = edit.presentation.slides.iter().filter(|other| other.id != slide.id).collect();
    let to = others.iter().rposition(|other| before.contains(&other.id)).map_or(0, |last| last + 1);
    slides::move_to(edit, from, to, slide)?;
    let part = edit.presentation.part.clone();
    edit.edit_part(&part, |root, splice| {
        let known = entries(root);
        let Some(target) = known.get(section) else { return Ok(()) };
        if target.slides.last() == Some(&slide.id) {
            return Ok(());
        }
        let prefix = target.node.prefix();
        for entry in known.iter().flat_map(|entry| entry.node.descendants()) {
            if entry.is(Ns::P14, "sldId") && entry.attr("id").is_some_and(|id| *id == slide.id) {
                splice.remove(entry);
            }
        }
        put_slides(splice, target.node, &format!(r#"<{prefix}sldId id="{}"/>"#, escape_attribute(&slide.id)), true);
        Ok(())
    })?;
    edit.refresh()?;
    let summary = format!("Moved slide {} to {} in the section {name}.", from + 1, to + 1);
    Ok(OpReport::new(input, summary).with("from", from).with("to", to).with("section", name))
}

/// Adds slides at the end or the start of a section.
fn put_slides(splice: &mut Splice<'_>, section: Node<'_>, markup: &str, at_end: bool) {
    let prefix = section.prefix();
    match section.child(Ns::P14, "sldIdLst") {
        Some(list) if at_end => splice.append(list, markup),
        Some(list) => splice.prepend(list, markup),
        None => splice.prepend(section, format!("<{prefix}sldIdLst>{markup}</{prefix}sldIdLst>")),
    }
}

fn section_markup(prefix: &str, name: &str, id: &str, slides: &[&str]) -> String {
    let slides: String = slides.iter().map(|id| format!(r#"<{prefix}sldId id="{}"/>"#, escape_attribute(id))).collect();
    let name = escape_attribute(name);
    format!(
        r#"<{prefix}section name="{name}" id="{id}"><{prefix}sldIdLst>{slides}</{prefix}sldIdLst></{prefix}section>"#
    )
}

/// An id that no section has. It depends on the deck and the name alone, so that the same edit gives the same file.
fn guid(name: &str, known: &[Entry<'_>]) -> String {
    let taken: BTreeSet<String> =
        known.iter().filter_map(|entry| entry.node.attr("id").map(|id| id.to_ascii_uppercase())).collect();
    let mut number = known.len();
    loop {
        let hash = Sha1::digest(format!("section {number} {name}").as_bytes());
        let digits: String = hash.iter().take(16).map(|byte| format!("{byte:02X}")).collect();
        let piece = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        let id =
            format!("{{{}-{}-4{}-A{}-{}}}", piece(0, 8), piece(8, 12), piece(13, 16), piece(17, 20), piece(20, 32));
        if !taken.contains(&id) {
            return id;
        }
        number += 1;
    }
}

/// Adds the list of sections to a presentation that has none.
fn put_list(root: Node<'_>, splice: &mut Splice<'_>, sections: &str) {
    let p = root.prefix();
    // A list without sections may be there.
    let lists = root.child(Ns::P, "extLst").into_iter().flat_map(Node::descendants);
    if let Some(list) = lists.filter(|node| node.is(Ns::P14, "sectionLst")).last() {
        let prefix = list.prefix();
        return splice
            .append(list, sections.replace("<p14:", &format!("<{prefix}")).replace("</p14:", &format!("</{prefix}")));
    }
    let extension =
        format!(r#"<{p}ext uri="{EXTENSION}"><p14:sectionLst xmlns:p14="{P14}">{sections}</p14:sectionLst></{p}ext>"#);
    match root.child(Ns::P, "extLst") {
        Some(list) => splice.prepend(list, extension),
        None => splice.append(root, format!("<{p}extLst>{extension}</{p}extLst>")),
    }
}

/// Removes the list of sections with its extension.
fn remove_list(section: Node<'_>, splice: &mut Splice<'_>) {
    let extension = section.ancestors().find(|node| node.is(Ns::P, "ext"));
    let Some(extension) = extension else { return splice.remove(section) };
    match extension.parent().filter(|list| list.elements().count() == 1) {
        Some(list) => splice.remove(list),
        None => splice.remove(extension),
    }
}
