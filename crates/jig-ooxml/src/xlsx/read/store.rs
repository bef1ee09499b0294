//! The opened workbook: what has been read of it so far.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::cell::Cell;
use super::checkpoints::{self, Checkpoints};
use super::facts::Facts;
use super::index::{Builder, Index};
use super::map::Headers;
use super::overlay::Overlay;
use super::scan::Scanner;
use super::sheet::{self, Sink};
use super::strings::Strings;
use super::styles::Styles;
use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;
use crate::xlsx::address::RangeRef;
use crate::xlsx::book::Book;
use crate::xlsx::edit::untrusted_values;
use crate::xlsx::formula::FormulaEngine;
use crate::xlsx::trust;

/// How much memory the indexes of one workbook may take.
const INDEX_BYTES: usize = 64 << 20;
/// Above this row a sheet without an index is read from its top.
const TOP_ROWS: u32 = 2_000;

/// A workbook opened for reading. What a call reads is kept for the next, within bounds.
pub struct Workbook {
    bytes: Arc<[u8]>,
    limits: Limits,
    pub(super) book: Book,
    /// How much memory all indexes together may take.
    pub(super) index_bytes: usize,
    /// How much markup lies between two places from which a sheet without an index is read.
    pub(super) apart: u64,
    strings: OnceLock<Arc<Strings>>,
    styles: OnceLock<Arc<Styles>>,
    /// By place of the sheet.
    sheets: Mutex<Vec<Option<Arc<SheetData>>>>,
    /// Computes formulas whose stored value is missing or not trusted.
    formulas: Option<FormulaEngine>,
    /// Whether the stored values of formulas are up to date.
    trusts_stored: bool,
    overlay: OnceLock<Overlay>,
}

/// A sheet that has been read.
pub(super) struct SheetData {
    pub(super) facts: Facts,
    /// None when it does not fit the budget.
    index: Option<Index>,
    /// Where reading can begin without an index, once a window deep in the sheet was asked for.
    checkpoints: OnceLock<Checkpoints>,
    /// The headers of its first island, once they were looked for.
    pub(super) headers: OnceLock<Option<Headers>>,
}

impl SheetData {
    fn new(facts: Facts, index: Option<Index>) -> Self {
        Self { facts, index, checkpoints: OnceLock::new(), headers: OnceLock::new() }
    }

    /// Whether any cell is found at once.
    pub(super) fn is_indexed(&self) -> bool {
        self.index.is_some()
    }
}

impl Workbook {
    /// Opens a workbook. Sheets are read when they are asked for.
    pub fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Package::open(bytes.clone(), limits)?;
        let book = Book::read(&package)?;
        let sheets = Mutex::new(vec![None; book.sheets.len()]);
        Ok(Self {
            bytes,
            limits,
            index_bytes: INDEX_BYTES,
            apart: checkpoints::APART,
            strings: OnceLock::new(),
            styles: OnceLock::new(),
            sheets,
            formulas: None,
            trusts_stored: trust::trusts_stored(&package, &book),
            overlay: OnceLock::new(),
            book,
        })
    }

    /// Formulas whose stored value is missing or not trusted are computed when they are first read.
    #[must_use]
    pub fn with_formulas(self, engine: FormulaEngine) -> Self {
        Self { formulas: Some(engine), ..self }
    }

    /// The values to read in the place of those in the file, where a sheet has formulas without a trusted one.
    pub(super) fn overlay(&self, data: &SheetData) -> Option<&Overlay> {
        let needed = data.facts.formulas > 0 && (data.facts.stale > 0 || !self.trusts_stored);
        let engine = self.formulas.as_ref().filter(|_| needed)?;
        Some(self.overlay.get_or_init(|| {
            let found = untrusted_values(self.bytes.clone(), self.limits, engine);
            match found.ok().flatten() {
                Some(found) => Overlay::of(found),
                None => Overlay::nothing_known(),
            }
        }))
    }

    /// The package, anew for each call: what a call may inflate is counted from there.
    pub(super) fn package(&self) -> Result<Package, PackageError> {
        Package::open(self.bytes.clone(), self.limits)
    }

    pub(super) fn strings(&self, package: &Package) -> Result<Arc<Strings>, PackageError> {
        if let Some(strings) = self.strings.get() {
            return Ok(strings.clone());
        }
        let part = self.book.shared_strings().filter(|part| package.has(part));
        let strings = part.map(|part| Strings::read(package, part)).transpose()?.unwrap_or_default();
        Ok(self.strings.get_or_init(|| Arc::new(strings)).clone())
    }

    pub(super) fn styles(&self, package: &Package) -> Arc<Styles> {
        let read = || Arc::new(Styles::read(package, self.book.styles(), self.book.theme()));
        self.styles.get_or_init(read).clone()
    }

    /// A sheet's facts and cells, read at the first touch. A sheet without cells has none.
    pub(super) fn sheet(&self, package: &Package, place: usize) -> Result<Arc<SheetData>, PackageError> {
        if let Some(data) = self.kept().get(place).and_then(Option::as_ref) {
            return Ok(data.clone());
        }
        let data = Arc::new(self.read_sheet(package, place)?);
        self.keep(place, data.clone());
        Ok(data)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Option<Arc<SheetData>>>> {
        self.sheets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_sheet(&self, package: &Package, place: usize) -> Result<SheetData, PackageError> {
        let mut facts = Facts::default();
        let Some(part) = self.part_with_cells(place) else { return Ok(SheetData::new(facts, None)) };
        let strings = self.strings(package)?;
        let mut builder = Builder::new(self.index_bytes);
        sheet::read(&mut Scanner::open(package, part)?, &strings, &mut facts, &mut builder)?;
        let index = builder.finish();
        if index.is_none() && !facts.ordered() {
            facts.fault(|| {
                "its cells are not in order and too many to be sorted; those out of place are left out".to_owned()
            });
        }
        Ok(SheetData::new(facts, index))
    }

    /// Keeps what was read; older indexes go when all together would take too much.
    fn keep(&self, place: usize, data: Arc<SheetData>) {
        let mut kept = self.kept();
        let bytes =
            |data: &Option<Arc<SheetData>>| data.as_ref().and_then(|data| data.index.as_ref()).map_or(0, Index::bytes);
        let mut total = kept.iter().map(bytes).sum::<usize>() + data.index.as_ref().map_or(0, Index::bytes);
        for other in kept.iter_mut() {
            if total > self.index_bytes && bytes(other) > 0 {
                total -= bytes(other);
                *other = None;
            }
        }
        if let Some(slot) = kept.get_mut(place) {
            *slot = Some(data);
        }
    }

    pub(super) fn checkpoints<'d>(
        &self,
        package: &Package,
        part: &str,
        data: &'d SheetData,
    ) -> Result<&'d Checkpoints, PackageError> {
        if let Some(known) = data.checkpoints.get() {
            return Ok(known);
        }
        let found = Checkpoints::read(package, part, self.apart)?;
        Ok(data.checkpoints.get_or_init(|| found))
    }

    fn part_with_cells(&self, place: usize) -> Option<&str> {
        self.book.sheets.get(place).filter(|sheet| sheet.kind.has_cells())?.part.as_deref()
    }

    /// Visits the cells of a range, row by row: from the index, else from the part.
    pub(super) fn each_cell(
        &self,
        package: &Package,
        place: usize,
        data: &SheetData,
        range: RangeRef,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) -> Result<(), PackageError> {
        match self.overlay(data) {
            None => self.each_stored(package, place, data, range, visit),
            // Cells that the file lacks can only be added to cells in order.
            Some(overlay) if data.index.is_none() && !data.facts.ordered() => {
                self.each_stored(package, place, data, range, &mut |cell| visit(overlay.over(place, cell)))
            }
            Some(overlay) => {
                let each = |visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>| {
                    self.each_stored(package, place, data, range, visit)
                };
                overlay.each_over(place, range, each, visit)
            }
        }
    }

    /// Visits the cells of a range with the values that the file has.
    fn each_stored(
        &self,
        package: &Package,
        place: usize,
        data: &SheetData,
        range: RangeRef,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) -> Result<(), PackageError> {
        if let Some(index) = &data.index {
            index.each(range, &data.facts, visit);
            return Ok(());
        }
        let Some(part) = self.part_with_cells(place) else { return Ok(()) };
        let strings = self.strings(package)?;
        let mut window = Window { range, known: &data.facts, last: 0, visit };
        if data.facts.ordered() && range.start().row() > TOP_ROWS {
            let checkpoints = self.checkpoints(package, part, data)?;
            if let Some(mut scanner) = checkpoints.open(package, part, range.start().row())? {
                return sheet::read_rows(&mut scanner, &strings, &mut Facts::default(), &mut window);
            }
        }
        sheet::read(&mut Scanner::open(package, part)?, &strings, &mut Facts::default(), &mut window)
    }
}

/// Lets the cells of a range through. Rows that come too late in a sheet without order, which is also
/// too large for an index, are left out; the sheet's faults say so.
struct Window<'w> {
    range: RangeRef,
    known: &'w Facts,
    last: u32,
    visit: &'w mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
}

impl Sink for Window<'_> {
    fn cell(&mut self, cell: Cell<'_>, _: &mut Facts) -> ControlFlow<()> {
        if self.known.ordered() && cell.at.row() > self.range.end().row() {
            return ControlFlow::Break(());
        }
        if !self.range.contains(cell.at) || cell.at.row() < self.last {
            return ControlFlow::Continue(());
        }
        self.last = cell.at.row();
        let formula = cell.formula.as_ref().map(|formula| formula.resolved(self.known));
        (self.visit)(Cell {
            at: cell.at,
            style: cell.style,
            content: cell.content.clone(),
            formula,
            origin: cell.origin,
        })
    }
}
