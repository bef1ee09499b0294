//! `delete_slide`: the slide, and every part that nothing else leads to.

use std::collections::{BTreeMap, BTreeSet};

use jig_file_api::ops::pptx::DeleteSlide;

use super::{Editor, order};
use crate::content_types::ContentTypes;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::package::Package;
use crate::pptx::presentation::SlideRef;
use crate::relationships::{Relationships, rels_name};
use crate::xml::{Node, Ns};

pub(super) fn delete_slide(editor: &mut Editor<'_>, input: &OpInput, fields: &DeleteSlide) -> Result<Change, Error> {
    let (index, slide) = editor.slide(input, "index", fields.index)?;
    let before = reached(&editor.package);
    order::remove(editor, &slide)?;
    // The same part may stand in the list twice; then it stays.
    if !editor.presentation.slides.iter().any(|other| other.part == slide.part) {
        unlink(editor, input, &slide, &before)?;
    }
    let after = reached(&editor.package);
    let gone: Vec<&String> = before.keys().filter(|part| !after.contains_key(*part)).collect();
    for part in &gone {
        editor.package.remove(part);
        editor.package.remove(&rels_name(part));
        ContentTypes::remove(&mut editor.package, part)?;
    }
    Ok(Change::new(input, format!("Deleted slide {index}."))
        .with("slide_index", index)
        .with("parts_removed", gone.len()))
}

/// Every part that can be reached from the package, with its relationships.
fn reached(package: &Package) -> BTreeMap<String, Relationships> {
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(part) = open.pop() {
        // Damage elsewhere in the file is the same before and after, and no reason to keep the slide.
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

/// Takes out what else leads to the slide: links on other slides, and the list of an outline view.
fn unlink(
    editor: &mut Editor<'_>,
    input: &OpInput,
    slide: &SlideRef,
    parts: &BTreeMap<String, Relationships>,
) -> Result<(), Error> {
    let own_notes = parts.get(&slide.part).and_then(|own| own.first("notesSlide")).map(str::to_owned);
    for (part, relationships) in parts {
        let is_own = part.eq_ignore_ascii_case(&slide.part) || own_notes.as_ref().is_some_and(|notes| notes == part);
        if is_own || *part == editor.presentation.part {
            continue;
        }
        let to_slide =
            |target: &Option<String>| target.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&slide.part));
        for relationship in relationships.list.iter().filter(|found| to_slide(&found.part)) {
            if unlink_from(editor, part, &relationship.id)? {
                Relationships::remove(&mut editor.package, part, &relationship.id)?;
            } else {
                editor.warn(&input.at(""), &format!("{part} refers to the slide in a way that was left as it is"));
            }
        }
        let number = editor.presentation.slides.iter().position(|other| other.part == *part);
        if let Some(number) = number.filter(|_| relationships.list.iter().any(|found| to_slide(&found.part))) {
            editor.warn(&input.at(""), &format!("links to the deleted slide were taken out of slide {number}"));
        }
    }
    Ok(())
}

/// Takes the elements out that use a relationship, when all of them may go. Tells whether that was so.
fn unlink_from(editor: &mut Editor<'_>, part: &str, id: &str) -> Result<bool, Error> {
    editor.edit_part(part, |root, splice| {
        let uses = |node: &Node<'_>| {
            node.is_element()
                && node.attributes().any(|attribute| {
                    attribute.raw == id
                        && attribute
                            .name
                            .split_once(':')
                            .is_some_and(|(prefix, _)| node.namespace_of(prefix) == Some(Ns::R))
                })
        };
        let users: Vec<Node<'_>> = root.descendants().filter(uses).collect();
        let may_go = |node: &Node<'_>| node.local().starts_with("hlink") || node.is(Ns::P, "sld");
        if !users.iter().all(may_go) {
            return Ok(false);
        }
        users.into_iter().for_each(|node| splice.remove(node));
        Ok(true)
    })
}
