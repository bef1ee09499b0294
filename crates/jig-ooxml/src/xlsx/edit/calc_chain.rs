//! The calculation chain: the order in which Excel last calculated. Excel reports a chain entry without a formula as
//! damage, but rebuilds a missing chain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::content_types::ContentTypes;
use crate::edit::overlap;
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::CellRef;
use crate::xlsx::workbook_part::WorkbookPart;
use crate::xml::{Ns, Splice};

/// Added and removed formulas, by the id of their sheet.
#[derive(Debug, Default)]
pub(super) struct Edits {
    gone: BTreeMap<u32, BTreeSet<CellRef>>,
    new: BTreeMap<u32, BTreeSet<CellRef>>,
}

impl Edits {
    /// Records the removed and added formulas of a sheet. A replaced formula changes nothing.
    pub(super) fn add(&mut self, sheet: u32, gone: Vec<CellRef>, new: Vec<CellRef>) {
        let gone: BTreeSet<CellRef> = gone.into_iter().collect();
        let new: BTreeSet<CellRef> = new.into_iter().collect();
        let lost: BTreeSet<CellRef> = gone.difference(&new).copied().collect();
        let got: BTreeSet<CellRef> = new.difference(&gone).copied().collect();
        if !lost.is_empty() {
            self.gone.insert(sheet, lost);
        }
        if !got.is_empty() {
            self.new.insert(sheet, got);
        }
    }

    /// Changes the part, if there is one.
    pub(super) fn write(&self, package: &mut Package, book: &WorkbookPart) -> Result<(), Error> {
        if self.gone.is_empty() && self.new.is_empty() {
            return Ok(());
        }
        let Some(part) = book.relationships.first("calcChain").filter(|part| package.has(part)) else { return Ok(()) };
        let mut content = package.xml(part)?;
        let (text, left) = {
            let tree = content.tree(package.limits())?;
            let root = tree.root();
            let mut splice = Splice::new(&content.text);
            // An entry without a sheet is on the same one as the entry before it.
            let (mut sheet, mut left, mut inherited) = (0, 0_usize, true);
            for node in root.children_named(Ns::S, "c") {
                let own = node.attr("i").and_then(|id| id.trim().parse().ok());
                sheet = own.unwrap_or(sheet);
                let cell = node.attr("r").and_then(|cell| cell.parse::<CellRef>().ok());
                let gone = cell.is_some_and(|cell| self.gone.get(&sheet).is_some_and(|gone| gone.contains(&cell)));
                if gone {
                    splice.remove(node);
                    inherited = inherited && own.is_none();
                    continue;
                }
                left += 1;
                if own.is_none() && !inherited {
                    splice.set_attr(node, "i", &sheet.to_string());
                }
                inherited = true;
            }
            let mut added = String::new();
            for (sheet, cells) in &self.new {
                for cell in cells {
                    let _ = write!(added, "<{}c r=\"{cell}\" i=\"{sheet}\"/>", root.prefix());
                    left += 1;
                }
            }
            if !added.is_empty() {
                splice.append(root, added);
            }
            (splice.finish().map_err(|e| overlap(part, &e))?, left)
        };
        if left == 0 {
            return remove(package, book);
        }
        content.text = text;
        package.set_xml(&content);
        Ok(())
    }
}

/// Removes the chain: Excel rebuilds it.
pub(super) fn remove(package: &mut Package, book: &WorkbookPart) -> Result<(), Error> {
    for found in book.relationships.of_kind("calcChain") {
        Relationships::remove(package, &book.part, &found.id)?;
        if let Some(part) = &found.part {
            ContentTypes::remove(package, part)?;
            package.remove(part);
        }
    }
    Ok(())
}
