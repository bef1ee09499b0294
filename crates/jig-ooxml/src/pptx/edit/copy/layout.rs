//! Copying a layout into another deck, with its master, theme and pictures where the deck has them not.

use std::collections::HashMap;

use serde_json::Map;

use super::Source;
use super::transfer::Transfer;
use crate::edit::{Change, EditError, nearest};
use crate::error::Error;
use crate::package::Package;
use crate::pptx::edit::Editor;
use crate::pptx::presentation::Layout;
use crate::pptx::template::{link_layout, link_master};
use crate::relationships::Relationships;
use crate::xml::Ns;

/// A layout that is to be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LayoutAsset {
    pub(super) number: usize,
    pub(super) name: String,
}

impl LayoutAsset {
    fn at(&self) -> String {
        format!("assets[{}]", self.number)
    }

    fn there_already(&self, name: &str) -> Change {
        let change = self.change(format!("The layout {name} was there already."));
        change.with("name", name).with("parts", Vec::<String>::new())
    }

    fn change(&self, summary: String) -> Change {
        let change = Change { index: self.number, op: "copy_asset".to_owned(), summary, details: Map::new() };
        change.with("type", "layout").with("selector", format!("layout:{}", self.name))
    }
}

/// What the target has of the source by now: several layouts of one master share it.
#[derive(Default)]
pub(super) struct Done {
    /// The copy of each master.
    masters: HashMap<String, String>,
    /// The name of the copy of each layout.
    layouts: HashMap<String, String>,
}

pub(super) fn layout(
    from: &Source,
    editor: &mut Editor<'_>,
    asset: &LayoutAsset,
    done: &mut Done,
) -> Result<Change, Error> {
    let at = asset.at();
    if from.presentation.strict != editor.presentation.strict {
        let why = "one of the decks is written in the strict form and the other is not; layouts cannot go between them";
        return Err(EditError::new(at, why).into());
    }
    let found = find(from, asset)?;
    let source_master = from.presentation.masters.get(found.master).cloned().unwrap_or_default();
    let there = editor.presentation.layouts(&editor.package);
    let same_name = |layout: &&Layout| layout.name.eq_ignore_ascii_case(&found.name);
    if let Some(name) = done.layouts.get(&found.part) {
        return Ok(asset.there_already(name));
    }
    let mut transfer = Transfer::new(&from.package, editor.presentation.folder(), at.clone());
    let master = match done.masters.get(&source_master).cloned().or_else(|| same_master(from, editor, &source_master)) {
        Some(master) => {
            let number = editor.presentation.masters.iter().position(|known| *known == master);
            if there.iter().filter(same_name).any(|layout| Some(layout.master) == number) {
                return Ok(asset.there_already(&found.name));
            }
            master
        }
        None => {
            let master = transfer.copy(&mut editor.package, &source_master, Some("slideLayout"))?;
            empty_list(editor, &master)?;
            link_master(&mut editor.package, &master)?;
            master
        }
    };
    done.masters.insert(source_master.clone(), master.clone());
    transfer.map(&source_master, &master);
    let part = transfer.copy(&mut editor.package, &found.part, None)?;
    link_layout(&mut editor.package, &master, &part)?;
    // A name that two layouts have leads to the first only.
    let name = free_name(&found.name, &there);
    if name != found.name {
        rename(editor, &part, &name)?;
        editor.warn(&at, &format!("the deck has a layout `{}` already; the copy is called `{name}`", found.name));
    }
    if from.presentation.size != editor.presentation.size {
        editor.warn(&at, "the slides of the two decks differ in size; the layout keeps its own measures");
    }
    editor.refresh()?;
    done.layouts.insert(found.part, name.clone());
    let summary = format!("Copied the layout {} ({} new parts).", found.name, transfer.added.len());
    Ok(asset.change(summary).with("name", name).with("parts", transfer.added))
}

fn find(from: &Source, asset: &LayoutAsset) -> Result<Layout, EditError> {
    let layouts = from.presentation.clone().layouts(&from.package);
    let wanted = asset.name.trim();
    if let Some(found) = layouts.iter().find(|layout| layout.name.trim().eq_ignore_ascii_case(wanted)) {
        return Ok(found.clone());
    }
    let names: Vec<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
    let why = format!("the source has no layout `{wanted}`; it has {}", names.join(", "));
    Err(EditError::new(asset.at(), why).suggest(nearest(wanted, names.iter().copied())))
}

/// A master of the target that is the source's to the byte, its theme too.
fn same_master(from: &Source, editor: &Editor<'_>, master: &str) -> Option<String> {
    let wanted = fingerprint(&from.package, master)?;
    let same = |known: &&String| fingerprint(&editor.package, known).is_some_and(|found| found == wanted);
    editor.presentation.masters.iter().find(same).cloned()
}

fn fingerprint(package: &Package, master: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let relationships = Relationships::read(package, master).ok()?;
    Some((package.read(master).ok()?, package.read(relationships.first("theme")?).ok()?))
}

/// Takes the layouts out of a master's list: they are put in again one by one.
fn empty_list(editor: &mut Editor<'_>, master: &str) -> Result<(), Error> {
    editor.edit_part(master, |root, splice| {
        if let Some(list) = root.child(Ns::P, "sldLayoutIdLst") {
            splice.remove(list);
        }
        Ok(())
    })
}

/// PowerPoint's way to tell layouts of one name apart.
fn free_name(name: &str, there: &[Layout]) -> String {
    let taken = |name: &str| there.iter().any(|layout| layout.name.eq_ignore_ascii_case(name));
    if !taken(name) {
        return name.to_owned();
    }
    let mut number = 1_u32;
    while taken(&format!("{number}_{name}")) {
        number += 1;
    }
    format!("{number}_{name}")
}

fn rename(editor: &mut Editor<'_>, part: &str, name: &str) -> Result<(), Error> {
    editor.edit_part(part, |root, splice| {
        if let Some(slide) = root.child(Ns::P, "cSld") {
            splice.set_attr(slide, "name", name);
        }
        Ok(())
    })
}
