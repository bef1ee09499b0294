//! What a scan finds in a sheet besides its cells: extent, counts, styles, merges, faults.

use std::collections::{BTreeMap, HashMap};

use super::decode;
use super::stream::Tag;
use crate::xlsx::address::{CellRange, CellRef};

/// How many merged ranges are kept; more are counted only.
const MERGES: usize = 200_000;
/// How many faults are listed one by one.
const FAULTS: usize = 20;
/// How many bytes the formulas that are shared may take.
const SHARED_BYTES: usize = 16 << 20;

/// The properties of a sheet that one scan finds.
#[derive(Debug, Default)]
pub(crate) struct SheetFacts {
    /// The used range as the file declares it, often wrong.
    pub(crate) dimension: Option<CellRange>,
    /// Around all cells that are not empty.
    pub(crate) used: Option<CellRange>,
    /// Cells that are not empty.
    pub(crate) cells: u64,
    pub(crate) formulas: u64,
    /// Formulas without a stored value.
    pub(crate) stale: u64,
    pub(crate) merges: Vec<CellRange>,
    pub(crate) conditional_formats: bool,
    pub(crate) data_validations: bool,
    pub(crate) auto_filter: Option<String>,
    pub(crate) hyperlinks: bool,
    pub(crate) protected: bool,
    pub(crate) frozen: Option<Frozen>,
    pub(crate) hidden_rows: u32,
    pub(crate) hidden_columns: Vec<(u32, u32)>,
    /// The first cell of each format and the number of cells with it, empty cells included.
    pub(crate) styles: BTreeMap<u32, (CellRef, u64)>,
    /// The first cell and the text of each shared formula.
    pub(crate) shared: HashMap<u32, (CellRef, String)>,
    shared_bytes: usize,
    last: Option<CellRef>,
    scattered: bool,
    faults: Vec<String>,
    more_faults: u64,
}

/// Rows and columns that stay when the sheet is scrolled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frozen {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

impl SheetFacts {
    /// Notes a fault of the sheet.
    pub(crate) fn fault(&mut self, why: impl FnOnce() -> String) {
        if self.faults.len() < FAULTS { self.faults.push(why()) } else { self.more_faults += 1 }
    }

    /// All faults as messages.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut all = self.faults.clone();
        if self.more_faults > 0 {
            all.push(format!("and {} more of that kind", self.more_faults));
        }
        all
    }

    /// Notes a cell's format.
    pub(crate) fn style(&mut self, style: u32, at: CellRef) {
        // Excel has no more than 65,490 formats; beyond that a file is hostile.
        if self.styles.len() < 70_000 || self.styles.contains_key(&style) {
            self.styles.entry(style).or_insert((at, 0)).1 += 1;
        }
    }

    /// Notes the formula of the first cell of a group.
    pub(crate) fn share(&mut self, group: u32, at: CellRef, text: &str) {
        self.shared_bytes += text.len() + 48;
        if self.shared_bytes <= SHARED_BYTES {
            self.shared.entry(group).or_insert_with(|| (at, text.to_owned()));
        } else {
            self.fault(|| format!("{at}: there are too many shared formulas; this one is left out"));
        }
    }

    /// Whether the cells come row by row and left to right, none twice.
    pub(crate) fn ordered(&self) -> bool {
        !self.scattered
    }

    /// Extends the used range.
    pub(crate) fn extend_used(&mut self, at: CellRef) {
        self.scattered |= self.last.is_some_and(|last| last >= at);
        self.last = Some(at);
        let cell = CellRange::from(at);
        self.used = Some(self.used.map_or(cell, |used| join(used, cell)));
    }

    /// Records an element outside the cells.
    pub(crate) fn element(&mut self, tag: Tag<'_>) {
        match tag.local() {
            b"dimension" => self.dimension = range(tag, b"ref"),
            b"mergeCell" => self.merge(tag),
            b"conditionalFormatting" => self.conditional_formats = true,
            b"dataValidation" => self.data_validations = true,
            b"autoFilter" => self.auto_filter = tag.attr(b"ref").map(decode::attribute),
            b"hyperlink" => self.hyperlinks = true,
            b"sheetProtection" => self.protected = true,
            b"pane" => self.pane(tag),
            b"col" => self.column(tag),
            _ => {}
        }
    }

    fn merge(&mut self, tag: Tag<'_>) {
        match range(tag, b"ref") {
            Some(range) if self.merges.len() < MERGES => self.merges.push(range),
            Some(range) => self.fault(|| format!("{range}: there are too many merged ranges; this one is left out")),
            None => self.fault(|| "a merged range has no valid address".to_owned()),
        }
    }

    fn pane(&mut self, tag: Tag<'_>) {
        let frozen = tag.attr(b"state").is_some_and(|state| state.starts_with(b"frozen"));
        let split = |name: &[u8]| tag.attr(name).and_then(number).unwrap_or(0.0) as u32;
        if frozen {
            self.frozen = Some(Frozen { rows: split(b"ySplit"), columns: split(b"xSplit") });
        }
    }

    fn column(&mut self, tag: Tag<'_>) {
        let edge = |name: &[u8]| tag.attr(name).and_then(number).unwrap_or(0.0) as u32;
        if tag.flag(b"hidden") && self.hidden_columns.len() < 1000 {
            self.hidden_columns.push((edge(b"min"), edge(b"max")));
        }
    }
}

/// The rectangle around two.
pub(crate) fn join(a: CellRange, b: CellRange) -> CellRange {
    let corner = |pick: fn(u32, u32) -> u32, a: CellRef, b: CellRef| {
        CellRef::new(pick(a.row(), b.row()), pick(a.col(), b.col())).unwrap_or(a)
    };
    CellRange::new(corner(u32::min, a.start(), b.start()), corner(u32::max, a.end(), b.end()))
}

fn range(tag: Tag<'_>, name: &[u8]) -> Option<CellRange> {
    std::str::from_utf8(tag.attr(name)?).ok()?.trim().parse().ok()
}

fn number(raw: &[u8]) -> Option<f64> {
    std::str::from_utf8(raw).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_that_cells_share_are_bounded() {
        let mut facts = SheetFacts::default();
        let cell = CellRef::new(1, 1).unwrap();
        let text = "1".repeat(1 << 20);
        for group in 0..40 {
            facts.share(group, cell, &text);
        }
        assert_eq!(facts.shared.len(), 15);
        assert_eq!(facts.faults()[0], "A1: there are too many shared formulas; this one is left out");
        assert_eq!(facts.faults().last().unwrap(), "and 5 more of that kind");
    }
}
