//! The cells of a sheet in a compact form with random access.
//!
//! A cell takes 16 bytes; text that is not shared and formulas are in one buffer beside the cells. A sheet that would
//! exceed the budget gets no index and is read from its part each time, starting at the nearest checkpoint.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::cell::{Cell, CellData, Formula, Origin};
use super::facts::SheetFacts;
use super::reader::CellSink;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::regions::{RegionFinder, Regions};

/// Cells are kept in blocks of this many: growing never copies them.
const BLOCK: usize = 1 << 14;

/// The index of one sheet.
#[derive(Debug, Default)]
pub(crate) struct CellIndex {
    /// The number of each row that has cells, and its first cell.
    rows: Vec<(u32, u32)>,
    blocks: Vec<Vec<Packed>>,
    text: Vec<u8>,
    /// By cell, in the order of the cells.
    formulas: Vec<FormulaRecord>,
}

/// A cell. The meaning of `payload` depends on the kind.
#[derive(Debug, Clone, Copy)]
struct Packed {
    payload: u64,
    style: u32,
    /// From 0, so that it fits.
    col: u16,
    kind: Kind,
    has_formula: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Empty,
    Number,
    Shared,
    Text,
    Bool,
    Error,
    Date,
}

#[derive(Debug, Clone, Copy)]
struct FormulaRecord {
    at: CellRef,
    /// Into the text, or the number of a group.
    payload: u64,
    grouped: bool,
}

/// Builds an index within a budget.
pub(crate) struct IndexBuilder {
    index: CellIndex,
    /// Cells with their addresses, used once the cells turn out to be unordered.
    scattered: Vec<(CellRef, Packed)>,
    last: Option<CellRef>,
    count: u32,
    budget: usize,
    /// Receives the cells once they exceed the budget, so that the map needs no second scan for the data blocks.
    regions: Option<RegionFinder>,
}

/// What is left of the cells of a scan.
pub(crate) enum ScannedCells {
    /// All of them.
    Indexed(CellIndex),
    /// Their data blocks: the index would exceed its budget.
    TooMany(Regions),
}

impl IndexBuilder {
    pub(crate) fn new(budget: usize) -> Self {
        Self { index: CellIndex::default(), scattered: Vec::new(), last: None, count: 0, budget, regions: None }
    }

    /// The index, or the data blocks if it exceeded its budget.
    pub(crate) fn finish(mut self) -> ScannedCells {
        if let Some(regions) = self.regions {
            return ScannedCells::TooMany(regions.finish());
        }
        if !self.scattered.is_empty() {
            self.sort();
        }
        self.index.text.shrink_to_fit();
        self.index.formulas.shrink_to_fit();
        self.index.rows.shrink_to_fit();
        ScannedCells::Indexed(self.index)
    }

    /// Sorts scattered cells; of two with one address the later one counts.
    fn sort(&mut self) {
        let mut cells = std::mem::take(&mut self.scattered);
        cells.sort_by_key(|(at, _)| *at);
        self.index.formulas.sort_by_key(|record| record.at);
        self.count = 0;
        self.last = None;
        let mut rest = cells.into_iter().peekable();
        while let Some((at, packed)) = rest.next() {
            if rest.peek().is_none_or(|(next, _)| *next != at) {
                self.push(at, packed);
            }
        }
    }

    fn scatter(&mut self) {
        let index = std::mem::take(&mut self.index);
        index.each_packed(CellRange::ALL, &mut |at, packed| {
            self.scattered.push((at, *packed));
            ControlFlow::Continue(())
        });
        self.index = CellIndex { text: index.text, formulas: index.formulas, ..CellIndex::default() };
    }

    fn push(&mut self, at: CellRef, packed: Packed) {
        if self.last.is_none_or(|last| last.row() != at.row()) {
            self.index.rows.push((at.row(), self.count));
        }
        self.last = Some(at);
        self.count += 1;
        match self.index.blocks.last_mut().filter(|block| block.len() < BLOCK) {
            Some(block) => block.push(packed),
            None => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(packed);
                self.index.blocks.push(block);
            }
        }
    }

    fn keep(&mut self, text: &str) -> u64 {
        let start = self.index.text.len() as u64;
        self.index.text.extend_from_slice(text.as_bytes());
        start << 32 | text.len() as u64
    }

    fn check(&mut self) {
        let scattered = self.scattered.len() * size_of::<(CellRef, Packed)>();
        if self.index.bytes() + scattered > self.budget {
            let mut regions = RegionFinder::default();
            for (at, _) in std::mem::take(&mut self.scattered) {
                regions.cell(at);
            }
            std::mem::take(&mut self.index).each_packed(CellRange::ALL, &mut |at, _| {
                regions.cell(at);
                ControlFlow::Continue(())
            });
            self.regions = Some(regions);
        }
    }
}

impl CellSink for IndexBuilder {
    fn cell(&mut self, cell: Cell<'_>, facts: &mut SheetFacts) -> ControlFlow<()> {
        if let Some(regions) = &mut self.regions {
            regions.cell(cell.at);
            return ControlFlow::Continue(());
        }
        if !facts.ordered() && self.scattered.is_empty() {
            self.scatter();
        }
        let (kind, payload) = match &cell.data {
            CellData::Empty => (Kind::Empty, 0),
            CellData::Number(number) => (Kind::Number, number.to_bits()),
            CellData::Shared(number) => (Kind::Shared, u64::from(*number)),
            CellData::Text(text) => (Kind::Text, self.keep(text)),
            CellData::Bool(value) => (Kind::Bool, u64::from(*value)),
            CellData::Error(text) => (Kind::Error, self.keep(text)),
            CellData::Date(text) => (Kind::Date, self.keep(text)),
        };
        if let Some(formula) = &cell.formula {
            let (payload, grouped) = match formula {
                Formula::Own(text) => (self.keep(text), false),
                Formula::Shared { text, .. } => (self.keep(text), false),
                Formula::Group(number) => (u64::from(*number), true),
            };
            self.index.formulas.push(FormulaRecord { at: cell.at, payload, grouped });
        }
        let col = u16::try_from(cell.at.col() - 1).unwrap_or(u16::MAX);
        let packed = Packed { payload, style: cell.style, col, kind, has_formula: cell.formula.is_some() };
        if facts.ordered() {
            self.push(cell.at, packed);
        } else {
            self.scattered.push((cell.at, packed));
        }
        if self.count.is_multiple_of(4096) || !facts.ordered() || self.index.text.len() > self.budget {
            self.check();
        }
        ControlFlow::Continue(())
    }
}

impl CellIndex {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK * size_of::<Packed>()
            + self.rows.capacity() * 8
            + self.text.capacity()
            + self.formulas.capacity() * size_of::<FormulaRecord>()
    }

    /// The cells of a range, row by row.
    pub(crate) fn each<'i>(
        &'i self,
        range: CellRange,
        facts: &'i SheetFacts,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) {
        self.each_packed(range, &mut |at, packed| visit(self.cell(at, packed, facts)));
    }

    fn each_packed(&self, range: CellRange, visit: &mut dyn FnMut(CellRef, &Packed) -> ControlFlow<()>) {
        let (start, end) = (range.start(), range.end());
        let first = self.rows.partition_point(|(row, _)| *row < start.row());
        for (place, (row, begin)) in self.rows.iter().enumerate().skip(first) {
            if *row > end.row() {
                return;
            }
            let stop = self.rows.get(place + 1).map_or(u32::MAX, |(_, next)| *next);
            for number in *begin..stop {
                let Some(packed) = self.packed(number) else { break };
                let col = u32::from(packed.col) + 1;
                if col > end.col() {
                    break;
                }
                let Some(at) = CellRef::new(*row, col).filter(|at| at.col() >= start.col()) else { continue };
                if visit(at, packed).is_break() {
                    return;
                }
            }
        }
    }

    fn packed(&self, number: u32) -> Option<&Packed> {
        let number = number as usize;
        self.blocks.get(number / BLOCK)?.get(number % BLOCK)
    }

    fn cell<'i>(&'i self, at: CellRef, packed: &Packed, facts: &'i SheetFacts) -> Cell<'i> {
        let text = || Cow::Borrowed(self.text(packed.payload));
        let data = match packed.kind {
            Kind::Empty => CellData::Empty,
            Kind::Number => CellData::Number(f64::from_bits(packed.payload)),
            Kind::Shared => CellData::Shared(packed.payload as u32),
            Kind::Text => CellData::Text(text()),
            Kind::Bool => CellData::Bool(packed.payload != 0),
            Kind::Error => CellData::Error(text()),
            Kind::Date => CellData::Date(text()),
        };
        let formula = if packed.has_formula { self.formula(at, facts) } else { None };
        Cell { at, style: packed.style, data, formula, origin: Origin::Stored }
    }

    fn formula<'i>(&'i self, at: CellRef, facts: &'i SheetFacts) -> Option<Formula<'i>> {
        // The last of equal ones, as with cells.
        let place = self.formulas.partition_point(|record| record.at <= at).checked_sub(1)?;
        let record = self.formulas.get(place).filter(|record| record.at == at)?;
        if !record.grouped {
            return Some(Formula::Own(self.text(record.payload).into()));
        }
        let group = record.payload as u32;
        let known = facts.shared.get(&group).map(|(master, text)| Formula::Shared { master: *master, text });
        Some(known.unwrap_or(Formula::Group(group)))
    }

    fn text(&self, payload: u64) -> &str {
        let (start, len) = ((payload >> 32) as usize, (payload & 0xFFFF_FFFF) as usize);
        let bytes = self.text.get(start..start + len).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}
