//! An open workbook for typed reads, with a cache of what earlier reads found.
//!
//! The first read of a sheet scans its part while it inflates and stores a compact index of its cells, within a budget;
//! later reads use the index. For a sheet that exceeds the budget, checkpoints are stored instead, from which any row
//! is reached quickly. Nothing else grows with a sheet.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jig_file_api::read::xlsx::Headers;

use super::address::CellRange;
use super::cell_formatter::CellFormatter;
use super::edit::untrusted_values;
use super::formula::FormulaEngine;
use super::overlay::Overlay;
use super::regions::{RegionFinder, Regions};
use super::shared_strings::SharedStrings;
use super::sheet::cell::Cell;
use super::sheet::checkpoints::{self, Checkpoints};
use super::sheet::facts::SheetFacts;
use super::sheet::index::{CellIndex, IndexBuilder, ScannedCells};
use super::sheet::reader::{self, CellSink};
use super::sheet::stream::SheetStream;
use super::styles::Styles;
use super::trust;
use super::workbook_part::{Sheet, WorkbookPart};
use crate::edit::{EditError, nearest};
use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;

/// How much memory the indexes of one workbook may take.
const INDEX_BYTES: usize = 64 << 20;
/// Above this row a sheet without an index is read from its top.
const TOP_ROWS: u32 = 2_000;

/// A workbook opened for reading. Scanned sheets are cached, within bounds.
pub struct Workbook {
    bytes: Arc<[u8]>,
    limits: Limits,
    pub(super) book: WorkbookPart,
    /// How much memory all indexes together may take.
    pub(super) index_bytes: usize,
    /// The distance between two checkpoints, in bytes of markup.
    pub(super) apart: u64,
    strings: OnceLock<Arc<SharedStrings>>,
    styles: OnceLock<Arc<Styles>>,
    /// By place of the sheet.
    sheets: Mutex<Vec<Option<Arc<SheetData>>>>,
    /// Computes formulas whose stored value is missing or not trusted.
    formulas: Option<FormulaEngine>,
    /// Whether the stored values of formulas are up to date.
    trusts_stored: bool,
    overlay: OnceLock<Overlay>,
}

/// A scanned sheet.
pub(super) struct SheetData {
    pub(super) facts: SheetFacts,
    /// None if it exceeds the budget.
    index: Option<CellIndex>,
    /// The data blocks of a sheet without an index, from its scan.
    scanned_regions: Option<Regions>,
    /// The data blocks, once they were needed.
    regions: OnceLock<Regions>,
    /// Set once a window deep in a sheet without an index was read.
    checkpoints: OnceLock<Checkpoints>,
    /// The headers of its first data block, once they were needed.
    pub(super) headers: OnceLock<Option<BlockHeaders>>,
}

/// The headers of a sheet's first data block, for reading further down in it.
pub(super) struct BlockHeaders {
    /// Where they are.
    pub(super) range: CellRange,
    /// The block below and with them.
    pub(super) block: CellRange,
    pub(super) texts: Headers,
}

impl SheetData {
    fn new(facts: SheetFacts, index: Option<CellIndex>, scanned_regions: Option<Regions>) -> Self {
        let (regions, checkpoints, headers) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { facts, index, scanned_regions, regions, checkpoints, headers }
    }

    /// Whether its cells are in memory.
    pub(super) fn is_indexed(&self) -> bool {
        self.index.is_some()
    }
}

impl Workbook {
    /// Opens a workbook. Sheets are scanned on first use.
    pub fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Package::open(bytes.clone(), limits)?;
        let book = WorkbookPart::read(&package)?;
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

    /// The file.
    pub(super) fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The sheets in the order of their tabs.
    pub fn sheets(&self) -> &[Sheet] {
        &self.book.sheets
    }

    /// The position of a sheet by its name, in any case; else that of the first sheet with cells.
    pub fn sheet_index(&self, name: Option<&str>) -> Result<usize, EditError> {
        let Some(name) = name else {
            // A chart sheet in front has nothing to read.
            let first = self.book.sheets.iter().position(|sheet| sheet.kind.has_cells() && sheet.part.is_some());
            let any = || (!self.book.sheets.is_empty()).then_some(0);
            return first.or_else(any).ok_or_else(|| EditError::new("sheet", "the workbook has no sheet"));
        };
        // Ignore spaces around the name, unless a sheet's name has them.
        if let Some(index) = self.book.sheet_place(name).or_else(|| self.book.sheet_place(name.trim())) {
            return Ok(index);
        }
        let names = || self.book.sheets.iter().map(|sheet| sheet.name.as_str());
        let listed: Vec<&str> = names().take(20).collect();
        let more = if self.book.sheets.len() > 20 { ", …" } else { "" };
        let why = format!("unknown sheet `{name}`; there are {}{more}", listed.join(", "));
        let near = nearest(name, names());
        let suggestions = if near.is_empty() { listed.iter().map(|name| (*name).to_owned()).collect() } else { near };
        Err(EditError::new("sheet", why).suggest(suggestions))
    }

    /// The values that replace stored ones, if a sheet has formulas without a trusted value.
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

    /// The package, opened for each read, because its limits apply to one read.
    pub(super) fn package(&self) -> Result<Package, PackageError> {
        Package::open(self.bytes.clone(), self.limits)
    }

    pub(super) fn strings(&self, package: &Package) -> Result<Arc<SharedStrings>, PackageError> {
        if let Some(strings) = self.strings.get() {
            return Ok(strings.clone());
        }
        let part = self.book.shared_strings().filter(|part| package.has(part));
        let strings = part.map(|part| SharedStrings::read(package, part)).transpose()?.unwrap_or_default();
        Ok(self.strings.get_or_init(|| Arc::new(strings)).clone())
    }

    pub(super) fn style_table(&self, package: &Package) -> Arc<Styles> {
        let read = || Arc::new(Styles::read(package, self.book.styles(), self.book.theme()));
        self.styles.get_or_init(read).clone()
    }

    /// A sheet's facts and cells, scanned on first use. A chart sheet has none.
    pub(super) fn sheet_data(&self, package: &Package, place: usize) -> Result<Arc<SheetData>, PackageError> {
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
        let mut facts = SheetFacts::default();
        let Some(part) = self.part_with_cells(place) else { return Ok(SheetData::new(facts, None, None)) };
        let strings = self.strings(package)?;
        let mut builder = IndexBuilder::new(self.index_bytes);
        reader::read(&mut SheetStream::open(package, part)?, &strings, &mut facts, &mut builder)?;
        let (index, regions) = match builder.finish() {
            ScannedCells::Indexed(index) => (Some(index), None),
            ScannedCells::TooMany(regions) => (None, Some(regions)),
        };
        if index.is_none() && !facts.ordered() {
            facts.fault(|| {
                "its cells are not in order and too many to be sorted; those out of place are left out".to_owned()
            });
        }
        Ok(SheetData::new(facts, index, regions))
    }

    /// Caches a scanned sheet; drops other indexes if all together exceed the budget.
    fn keep(&self, place: usize, data: Arc<SheetData>) {
        let mut kept = self.kept();
        let bytes = |data: &Option<Arc<SheetData>>| {
            data.as_ref().and_then(|data| data.index.as_ref()).map_or(0, CellIndex::bytes)
        };
        let mut total = kept.iter().map(bytes).sum::<usize>() + data.index.as_ref().map_or(0, CellIndex::bytes);
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
        range: CellRange,
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
        range: CellRange,
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
            if let Some(mut stream) = checkpoints.open(package, part, range.start().row())? {
                return reader::read_rows(&mut stream, &strings, &mut SheetFacts::default(), &mut window);
            }
        }
        reader::read(&mut SheetStream::open(package, part)?, &strings, &mut SheetFacts::default(), &mut window)
    }
}

/// Passes on the cells of a range. In a sheet that is both unordered and too large for an index, rows that come too
/// late are left out; the sheet's faults report it.
struct Window<'w> {
    range: CellRange,
    known: &'w SheetFacts,
    last: u32,
    visit: &'w mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
}

impl CellSink for Window<'_> {
    fn cell(&mut self, cell: Cell<'_>, _: &mut SheetFacts) -> ControlFlow<()> {
        if self.known.ordered() && cell.at.row() > self.range.end().row() {
            return ControlFlow::Break(());
        }
        if !self.range.contains(cell.at) || cell.at.row() < self.last {
            return ControlFlow::Continue(());
        }
        self.last = cell.at.row();
        let formula = cell.formula.as_ref().map(|formula| formula.resolved(self.known));
        (self.visit)(Cell { at: cell.at, style: cell.style, data: cell.data.clone(), formula, origin: cell.origin })
    }
}

/// How many sheets are read. Excel opens a few hundred at most; a hostile file names one part a million times.
const SHEETS: usize = 1000;

/// The state of one read. Opened for each read, because a package limits how much one read inflates.
pub(super) struct ReadCall<'w> {
    workbook: &'w Workbook,
    pub(super) book: &'w WorkbookPart,
    pub(super) package: Package,
    pub(super) formatter: CellFormatter,
    warnings: RefCell<Vec<String>>,
}

impl<'w> ReadCall<'w> {
    pub(super) fn new(workbook: &'w Workbook) -> Result<Self, Error> {
        let package = workbook.package()?;
        let strings = workbook.strings(&package)?;
        let styles = workbook.style_table(&package);
        let dates = workbook.book.dates();
        let warnings = RefCell::new(styles.fault.clone().into_iter().collect());
        let call = Self {
            workbook,
            book: &workbook.book,
            package,
            formatter: CellFormatter { strings, styles, dates },
            warnings,
        };
        if call.book.sheets.len() > SHEETS {
            call.note(format!("of {} sheets only the first {SHEETS} are read", call.book.sheets.len()));
        }
        Ok(call)
    }

    /// The sheets that are read, with their positions.
    pub(super) fn sheets(&self) -> impl Iterator<Item = (usize, &'w Sheet)> + use<'w> {
        self.book.sheets.iter().enumerate().take(SHEETS)
    }

    /// A sheet, scanned on first use.
    pub(super) fn sheet(&self, place: usize) -> Result<Arc<SheetData>, PackageError> {
        self.workbook.sheet_data(&self.package, place)
    }

    /// The cells of a range, row by row.
    pub(super) fn each_cell(
        &self,
        place: usize,
        data: &SheetData,
        range: CellRange,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) -> Result<(), PackageError> {
        self.workbook.each_cell(&self.package, place, data, range, visit)
    }

    /// The data blocks of a sheet.
    pub(super) fn regions<'d>(&self, place: usize, data: &'d SheetData) -> Result<&'d Regions, PackageError> {
        if let Some(known) = data.regions.get() {
            return Ok(known);
        }
        // Computed values can fill cells that the scan did not see.
        if let Some(scanned) = data.scanned_regions.as_ref().filter(|_| self.workbook.overlay(data).is_none()) {
            return Ok(scanned);
        }
        let mut finder = RegionFinder::default();
        if let Some(used) = data.facts.used {
            self.each_cell(place, data, used, &mut |cell| {
                finder.cell(cell.at);
                ControlFlow::Continue(())
            })?;
        }
        Ok(data.regions.get_or_init(|| finder.finish()))
    }

    /// How many formulas of a sheet were computed here, and how many have no up-to-date value.
    pub(super) fn formula_counts(&self, place: usize, data: &SheetData) -> (u64, u64) {
        match self.workbook.overlay(data) {
            Some(overlay) => overlay.counts(place, data.facts.formulas),
            None => (0, data.facts.stale),
        }
    }

    /// Notes a warning.
    pub(super) fn note(&self, warning: impl Into<String>) {
        self.warnings.borrow_mut().push(warning.into());
    }

    /// The name of a sheet.
    pub(super) fn sheet_name(&self, place: usize) -> &'w str {
        self.book.sheets.get(place).map_or("", |sheet| sheet.name.as_str())
    }

    /// Notes how many cells were cut, if any.
    pub(super) fn note_cut_cells(&self, count: u64) {
        if count > 0 {
            self.note(format!("{count} cells are too long to be shown whole; they end with `…`"));
        }
    }

    /// Notes the faults of a sheet.
    pub(super) fn note_faults(&self, place: usize, data: &SheetData) {
        let name = self.sheet_name(place);
        for fault in data.facts.faults() {
            self.note(format!("{name}: {fault}"));
        }
    }

    /// What was noted, for the reply.
    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings.into_inner()
    }
}
