//! Builds the model for a calculation: all formulas from the scans of the sheets, values of cells only where formulas
//! read them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::super::sheet::{Cached, SheetState};
use super::super::values::NewValue;
use super::super::{WorkbookEdit, grid_part};
use crate::error::{Error, PackageError, Quantity};
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{
    CalcModel, CellContent, CellError, CellRanges, CellSource, CellValue, DefinedName, FormulaCell, FormulaShape,
    LimitKind, NotComputed, RowSpans, SheetModel, StoredValue, TableModel, Unsupported, prefixes,
};
use crate::xlsx::serial_date::{DateSystem, serial_of_iso};
use crate::xlsx::shared_strings::SharedStrings;
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::decode::without_escapes;
use crate::xlsx::sheet::markup::attr;
use crate::xlsx::sheet::rows::{Piece, walk_rows};

/// The most cells that are loaded for one calculation.
const MOST_CELLS: usize = 1_500_000;
/// The most formulas that are followed.
const MOST_FORMULAS: usize = 1_000_000;
/// The most text of shared formulas once they are expanded for each cell of their group. A small file can share one long
/// formula among very many cells.
const MOST_SHARED_BYTES: usize = 64 << 20;
/// Areas of more columns than this are searched one by one.
const NARROW: u32 = 16;
/// The most such areas, and the most column pieces of all others.
const MOST_WIDE: usize = 256;
const MOST_PIECES: usize = 4_000_000;

/// All formulas, recorded changes included. None if there are too many.
pub(super) fn formulas_of(editor: &mut WorkbookEdit<'_>) -> Result<Option<CalcModel>, Error> {
    let mut model = CalcModel {
        names: names(editor),
        tables: tables(editor)?,
        date_1904: editor.book.date1904,
        untrusted: !editor.trusts_stored,
        ..CalcModel::default()
    };
    // Checked before any shared formula is expanded.
    let mut shared_bytes = 0_usize;
    for sheet in 0..editor.book.sheets.len() {
        if let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) {
            let groups = editor.sheet(&part)?.shared.values();
            let bytes = |(_, text): &(CellRef, String), members: usize| text.len().saturating_mul(members);
            shared_bytes += groups
                .filter_map(|group| Some(bytes(group.master.as_ref()?, group.members.len())))
                .fold(0, usize::saturating_add);
        }
        if shared_bytes > MOST_SHARED_BYTES {
            return Ok(None);
        }
    }
    let mut count = 0_usize;
    for sheet in 0..editor.book.sheets.len() {
        let mut found = SheetModel::new(editor.book.sheets.get(sheet).map_or("", |entry| entry.name.as_str()));
        if let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) {
            editor.sheet(&part)?;
            if let Some(state) = editor.loaded(&part)
                && gather(state, &mut found, &mut count)
            {
                return Ok(None);
            }
        }
        model.sheets.push(found);
    }
    Ok(Some(model))
}

/// Adds the formulas of a sheet to its model; true if there are too many.
fn gather(state: &SheetState, model: &mut SheetModel, count: &mut usize) -> bool {
    for formula in &state.formulas {
        let edit = state.cells.get(&formula.at);
        if edit.is_some_and(|edit| edit.value.is_some()) {
            continue;
        }
        if *count > MOST_FORMULAS {
            break;
        }
        if let Some(parsed) = state.parsed(formula) {
            *count += 1;
            let forgotten = edit.is_some_and(|edit| edit.cached == Some(Cached::Unknown));
            let stored = if formula.stored && !forgotten { StoredValue::NotLoaded } else { StoredValue::Missing };
            model.set(formula.at, CellContent::Formula(FormulaCell { formula: parsed, stored, shape: formula.shape }));
        }
    }
    for (cell, edit) in &state.cells {
        if let Some(NewValue::Formula(formula)) = &edit.value {
            *count += 1;
            let spills = prefixes::spills(formula.as_ref());
            let shape = if spills { FormulaShape::Spill(CellRange::from(*cell)) } else { FormulaShape::Single };
            let formula = FormulaCell { formula: Arc::clone(formula), stored: StoredValue::Missing, shape };
            model.set(*cell, CellContent::Formula(formula));
        }
    }
    *count > MOST_FORMULAS
}

/// The cells of a sheet whose value a formula gives, with the value that the file has.
pub(super) fn formula_cells(
    editor: &mut WorkbookEdit<'_>,
    sheet: usize,
) -> Result<Vec<(CellRef, Option<CellValue>)>, Error> {
    let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) else {
        return Ok(Vec::new());
    };
    editor.sheet(&part)?;
    let Some(state) = editor.loaded(&part) else { return Ok(Vec::new()) };
    let mut cells = Vec::new();
    if !state.formulas.is_empty() {
        let areas = Areas::of(state)?;
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            let Piece::Row(row) = piece else { return Ok(()) };
            for cell in row.cells() {
                let Some(at) = cell.at else { continue };
                let is_written = state.cells.get(&at).is_some_and(|edit| edit.value.is_some());
                if !is_written && (cell.child(b"f").is_some() || areas.contains(at)) {
                    cells.push((at, cell_value(cell.data(), &SharedStrings::default())));
                }
            }
            Ok(())
        })?;
    }
    let new = state.cells.iter().filter(|(_, edit)| matches!(edit.value, Some(NewValue::Formula(_))));
    cells.extend(new.map(|(cell, _)| (*cell, None)));
    Ok(cells)
}

/// The cells that array formulas and data tables of a sheet fill. Never more than these: all others are constants.
#[derive(Default)]
struct Areas {
    /// Rows by column, joined and in order.
    columns: HashMap<u32, RowSpans>,
    wide: Vec<CellRange>,
}

impl Areas {
    fn of(state: &SheetState) -> Result<Self, PackageError> {
        let mut areas = Self::default();
        let mut pieces = 0;
        for (range, _) in &state.arrays {
            let (start, end) = (range.start(), range.end());
            if range.columns() <= NARROW {
                for col in start.col()..=end.col() {
                    areas.columns.entry(col).or_default().add(start.row(), end.row());
                    pieces += 1;
                }
            } else if !areas.wide.iter().any(|known| known.contains(start) && known.contains(end)) {
                areas.wide.retain(|known| !(range.contains(known.start()) && range.contains(known.end())));
                areas.wide.push(*range);
            }
            if areas.wide.len() > MOST_WIDE || pieces > MOST_PIECES {
                let what = Quantity::ArrayFormulas { part: state.part.clone() };
                return Err(PackageError::TooLarge { what, limit: MOST_WIDE as u64 });
            }
        }
        areas.columns.values_mut().for_each(RowSpans::seal);
        Ok(areas)
    }

    fn contains(&self, cell: CellRef) -> bool {
        self.columns.get(&cell.col()).is_some_and(|rows| rows.contains(cell.row()))
            || self.wide.iter().any(|range| range.contains(cell))
    }
}

/// The tables of all sheets.
fn tables(editor: &mut WorkbookEdit<'_>) -> Result<Vec<TableModel>, Error> {
    let mut found = Vec::new();
    for sheet in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) else { continue };
        for table in editor.tables(&part)? {
            found.push(TableModel {
                name: table.name.clone(),
                sheet,
                range: table.range,
                // A line break in a header is escaped here, not in formulas.
                columns: table.columns.iter().map(|(name, _)| without_escapes(name)).collect(),
                header_rows: table.header_rows,
                totals_rows: table.totals_rows,
            });
        }
    }
    Ok(found)
}

fn names(editor: &WorkbookEdit<'_>) -> Vec<DefinedName> {
    let name = |name: &crate::xlsx::workbook_part::DefinedName| DefinedName {
        name: name.name.clone(),
        scope: name.sheet,
        refers_to: name.formula.clone(),
    };
    editor.book.names.iter().map(name).collect()
}

/// Loads cells from the sheets of a workbook under edit.
pub(super) struct Source<'e, 'o> {
    editor: &'e WorkbookEdit<'o>,
    strings: Option<SharedStrings>,
    count: usize,
}

impl<'e, 'o> Source<'e, 'o> {
    pub(super) fn new(editor: &'e WorkbookEdit<'o>) -> Self {
        Self { editor, strings: None, count: 0 }
    }

    fn load_sheet(&mut self, book: &mut CalcModel, sheet: usize, ranges: &CellRanges) -> Result<(), PackageError> {
        let editor = self.editor;
        let part = grid_part(&editor.book, sheet);
        let (Some(state), Some(ranges)) = (part.and_then(|part| editor.loaded(&part)), ranges.sheet(sheet)) else {
            return Ok(());
        };
        let Some(model) = book.sheets.get_mut(sheet) else { return Ok(()) };
        let dates = editor.book.dates();
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            let Piece::Row(row) = piece else { return Ok(()) };
            if attr(row.tag(), b"hidden").is_some_and(|hidden| matches!(hidden, b"1" | b"true")) {
                model.hidden_rows.insert(row.number);
            }
            if self.count > MOST_CELLS || !ranges.has_row(row.number) {
                return Ok(());
            }
            for cell in row.cells() {
                let Some(at) = cell.at.filter(|at| ranges.contains(*at)) else { continue };
                if state.cells.get(&at).is_some_and(|edit| edit.value.is_some() || edit.cached.is_some()) {
                    continue;
                }
                let value = match cell.data() {
                    CellData::Shared(number) => {
                        self.strings()?.get(number).map(|text| CellValue::Text(text.to_owned()))
                    }
                    CellData::Date(text) => Some(date_value(&text, dates)),
                    data => cell_value(data, &SharedStrings::default()),
                };
                let Some(value) = value else { continue };
                self.count += 1;
                match model.formula_mut(at) {
                    Some(formula) => formula.stored = StoredValue::Known(value),
                    None => model.set(at, CellContent::Value(value)),
                }
            }
            Ok(())
        })?;
        self.load_edits(&state.cells, model);
        Ok(())
    }

    /// The shared strings, read on first use.
    fn strings(&mut self) -> Result<&SharedStrings, PackageError> {
        if self.strings.is_none() {
            self.strings = Some(load_strings(self.editor)?);
        }
        Ok(self.strings.get_or_insert_default())
    }

    /// Recorded changes override the cells of the part.
    fn load_edits(&self, edits: &BTreeMap<CellRef, super::super::sheet::CellEdit>, model: &mut SheetModel) {
        for (at, edit) in edits {
            match edit.value.as_ref() {
                Some(NewValue::Formula(_)) => {}
                Some(value) => model.set(*at, CellContent::Value(written(value))),
                None => match (&edit.cached, model.formula_mut(*at)) {
                    (Some(Cached::Value(value)), Some(formula)) => formula.stored = StoredValue::Known(value.clone()),
                    (Some(Cached::Value(value)), None) => model.set(*at, CellContent::Value(value.clone())),
                    (Some(Cached::Unknown), None) => model.set(*at, CellContent::Value(CellValue::Empty)),
                    _ => {}
                },
            }
        }
    }
}

impl CellSource for Source<'_, '_> {
    fn load(&mut self, book: &mut CalcModel, ranges: &CellRanges) -> Result<(), NotComputed> {
        for sheet in 0..book.sheets.len() {
            let loaded = self.load_sheet(book, sheet, ranges);
            loaded.map_err(|error| Unsupported::Cells(error.to_string()))?;
        }
        if self.count > MOST_CELLS {
            return Err(LimitKind::Cells(MOST_CELLS).into());
        }
        Ok(())
    }
}

/// All shared strings.
pub(crate) fn load_strings(editor: &WorkbookEdit<'_>) -> Result<SharedStrings, PackageError> {
    let part = editor.book.shared_strings().filter(|part| editor.package.has(part));
    part.map_or(Ok(SharedStrings::default()), |part| SharedStrings::read(&editor.package, part))
}

/// A date in ISO form as the number that formulas calculate with. An invalid date stays text.
fn date_value(text: &str, dates: DateSystem) -> CellValue {
    serial_of_iso(text, dates).map_or_else(|| CellValue::Text(text.to_owned()), CellValue::Number)
}

/// A stored value for formulas; none for an empty cell. A date in ISO form stays text.
pub(crate) fn cell_value(data: CellData<'_>, strings: &SharedStrings) -> Option<CellValue> {
    Some(match data {
        CellData::Empty => return None,
        CellData::Number(number) => CellValue::Number(number),
        CellData::Shared(number) => CellValue::Text(strings.get(number)?.to_owned()),
        CellData::Text(text) | CellData::Date(text) => CellValue::Text(text.into_owned()),
        CellData::Bool(flag) => CellValue::Bool(flag),
        CellData::Error(error) => CellValue::Error(CellError::from_text(error.trim())),
    })
}

/// The value that an op wrote; a formula's is computed later.
pub(crate) fn written(value: &NewValue) -> CellValue {
    match value {
        NewValue::Blank | NewValue::Formula(_) => CellValue::Empty,
        NewValue::Number(number) | NewValue::Date { serial: number, .. } => CellValue::Number(*number),
        NewValue::Bool(flag) => CellValue::Bool(*flag),
        NewValue::Text(text) => CellValue::Text(text.clone()),
    }
}
