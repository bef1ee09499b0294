//! The picture of the workbook for the calculator: the affected formulas and the cells they read.

use std::collections::{HashMap, HashSet};

use super::super::editor::{Editor, grid_part, reach};
use super::super::markup::attr;
use super::super::scan::{Cell, Piece, walk_rows};
use super::super::sheet::Cached;
use super::super::strings::{each_string, full_text, text_of};
use super::super::values::NewValue;
use super::Formula;
use super::depends::Graph;
use crate::error::Error;
use crate::xlsx::address::{CellRef, RangeRef};
use crate::xlsx::formula::recalculate::{
    BookModel, CellContent, CellError, CellKey, CellValue, DefinedName, FormulaCell, FormulaShape, SheetModel,
    TableModel,
};
use crate::xlsx::numfmt::{DateSystem, serial_of_iso};

/// The most cells in the picture.
const MOST_CELLS: usize = 1_500_000;
/// Up to this many ranges of a sheet are kept apart; more become one.
const MOST_RANGES: usize = 64;

/// The tables of all sheets.
pub(super) fn tables(editor: &mut Editor<'_>) -> Result<Vec<TableModel>, Error> {
    let mut found = Vec::new();
    for sheet in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) else { continue };
        for table in editor.tables(&part)? {
            found.push(TableModel {
                name: table.name.clone(),
                sheet,
                range: table.range,
                columns: table.columns.iter().map(|(name, _)| name.clone()).collect(),
                header_rows: table.header_rows,
                totals_rows: table.totals_rows,
            });
        }
    }
    Ok(found)
}

/// Builds the picture; none when it would be too large.
pub(super) fn build(
    editor: &Editor<'_>,
    formulas: &[Formula],
    graph: &Graph<'_>,
    affected: &[usize],
    tables: Vec<TableModel>,
) -> Result<Option<BookModel>, Error> {
    let wanted = Wanted::of(formulas, graph, affected, editor.book.sheets.len());
    let mut strings: Option<Vec<String>> = None;
    let dates = if editor.book.date1904 { DateSystem::From1904 } else { DateSystem::From1900 };
    let mut count = 0_usize;
    // Formulas whose results spill: their cells say so, the formulas themselves look like arrays.
    let mut spilling: HashSet<CellKey> = HashSet::new();
    let mut sheets = Vec::with_capacity(editor.book.sheets.len());
    for (place, entry) in editor.book.sheets.iter().enumerate() {
        let mut sheet = SheetModel::new(entry.name.as_str());
        let part = grid_part(&editor.book, place);
        if let Some(state) = part.and_then(|part| editor.loaded(&part)) {
            let source = state.source(&editor.package);
            let ranges = wanted.ranges(place);
            walk_rows(&source, editor.package.limits(), &state.frame.rows, &mut |piece| {
                let Piece::Row(row) = piece else { return Ok(()) };
                if attr(row.tag(), b"hidden").is_some_and(|hidden| matches!(hidden, b"1" | b"true")) {
                    sheet.hidden_rows.insert(row.number);
                }
                if count > MOST_CELLS || !ranges.iter().any(|range| rows(*range).contains(&row.number)) {
                    return Ok(());
                }
                for cell in row.cells() {
                    let Some(at) = cell.at.filter(|at| ranges.iter().any(|range| range.contains(*at))) else {
                        continue;
                    };
                    if attr(cell.tag(), b"cm").is_some() {
                        spilling.insert(CellKey { sheet: place, cell: at });
                    }
                    if cell.kind() == b"s" && strings.is_none() {
                        strings = Some(load(editor)?);
                    }
                    if let Some(value) = value_of(&cell, strings.as_deref().unwrap_or_default()) {
                        let value = if cell.kind() == b"d" { serial(value, dates) } else { value };
                        sheet.set(at, CellContent::Value(value));
                        count += 1;
                    }
                }
                Ok(())
            })?;
            for (at, edit) in &state.cells {
                match edit.value.as_ref().map(written) {
                    Some(value) => sheet.set(*at, CellContent::Value(value)),
                    None => {
                        if let Some(Cached::Unknown) = edit.cached {
                            sheet.set(*at, CellContent::Value(CellValue::Empty));
                        }
                    }
                }
            }
        }
        sheets.push(sheet);
    }
    if count > MOST_CELLS {
        return Ok(None);
    }
    let mut model = BookModel { sheets, names: names(editor), tables, date_1904: editor.book.date1904 };
    place_formulas(&mut model, formulas, &wanted, &spilling);
    Ok(Some(model))
}

/// Formulas with the values found in their cells.
fn place_formulas(model: &mut BookModel, formulas: &[Formula], wanted: &Wanted, spilling: &HashSet<CellKey>) {
    for formula in formulas {
        let at = formula.key.cell;
        if !wanted.ranges(formula.key.sheet).iter().any(|range| range.contains(at)) {
            continue;
        }
        let Some(sheet) = model.sheets.get_mut(formula.key.sheet) else { continue };
        let cached = match sheet.get(at) {
            Some(CellContent::Value(value)) => Some(value.clone()).filter(|value| *value != CellValue::Empty),
            _ => None,
        };
        let shape = match formula.array {
            None => FormulaShape::Single,
            Some(range) if formula.spills || spilling.contains(&formula.key) => FormulaShape::Spill(range),
            Some(range) => FormulaShape::Array(range),
        };
        let content = FormulaCell { text: formula.text.clone(), cached, shape };
        sheet.set(at, CellContent::Formula(content));
    }
}

fn rows(range: RangeRef) -> std::ops::RangeInclusive<u32> {
    range.start().row()..=range.end().row()
}

/// The ranges of each sheet that the calculation needs.
struct Wanted(HashMap<usize, Vec<RangeRef>>);

impl Wanted {
    fn of(formulas: &[Formula], graph: &Graph<'_>, affected: &[usize], sheets: usize) -> Self {
        let mut wanted: HashMap<usize, Vec<RangeRef>> = HashMap::new();
        for formula in affected.iter().filter_map(|at| formulas.get(*at)) {
            let reads = graph.reads(formula);
            if reads.dynamic {
                let (first, last) = (CellRef::new(1, 1), CellRef::new(1_048_576, 16_384));
                let all = first.zip(last).map(|(first, last)| RangeRef::new(first, last));
                return Self((0..sheets).map(|sheet| (sheet, all.into_iter().collect())).collect());
            }
            let own = formula.array.unwrap_or_else(|| formula.key.cell.into());
            for (sheet, range) in reads.ranges.into_iter().chain([(formula.key.sheet, own)]) {
                let list = wanted.entry(sheet).or_default();
                if !list.iter().any(|known| known.contains(range.start()) && known.contains(range.end())) {
                    list.push(range);
                }
                if list.len() > MOST_RANGES {
                    let corners = list.iter().flat_map(|range| [range.start(), range.end()]);
                    *list = reach(corners).into_iter().collect();
                }
            }
        }
        Self(wanted)
    }

    fn ranges(&self, sheet: usize) -> &[RangeRef] {
        self.0.get(&sheet).map(Vec::as_slice).unwrap_or_default()
    }
}

fn names(editor: &Editor<'_>) -> Vec<DefinedName> {
    let name = |name: &crate::xlsx::book::DefinedName| DefinedName {
        name: name.name.clone(),
        scope: name.sheet,
        refers_to: name.formula.clone(),
    };
    editor.book.names.iter().map(name).collect()
}

/// All shared strings.
pub(crate) fn load(editor: &Editor<'_>) -> Result<Vec<String>, crate::error::PackageError> {
    let mut strings = Vec::new();
    if let Some(part) = editor.book.shared_strings() {
        each_string(&editor.package, part, |_, item| strings.push(full_text(item)))?;
    }
    Ok(strings)
}

/// A date in ISO form as the number that formulas count with. What is no date stays text.
fn serial(value: CellValue, dates: DateSystem) -> CellValue {
    match value {
        CellValue::Text(text) => serial_of_iso(&text, dates).map_or(CellValue::Text(text), CellValue::Number),
        other => other,
    }
}

/// The value of a cell as the part has it; a date in ISO form is text.
pub(crate) fn value_of(cell: &Cell<'_>, strings: &[String]) -> Option<CellValue> {
    if cell.kind() == b"inlineStr" {
        return cell.child(b"is").map(|(_, inner)| CellValue::Text(full_text(inner)));
    }
    let (_, raw) = cell.child(b"v")?;
    let text = text_of(raw);
    Some(match cell.kind() {
        b"s" => CellValue::Text(text.trim().parse::<usize>().ok().and_then(|at| strings.get(at)).cloned()?),
        b"b" => CellValue::Bool(matches!(text.trim(), "1" | "true")),
        b"e" => CellValue::Error(CellError::from_text(text.trim())),
        b"str" | b"d" => CellValue::Text(text),
        _ => CellValue::Number(text.trim().parse().ok()?),
    })
}

/// The value that an op wrote; a formula's comes later.
pub(crate) fn written(value: &NewValue) -> CellValue {
    match value {
        NewValue::Blank | NewValue::Formula(_) => CellValue::Empty,
        NewValue::Number(number) | NewValue::Date { serial: number, .. } => CellValue::Number(*number),
        NewValue::Bool(flag) => CellValue::Bool(*flag),
        NewValue::Text(text) => CellValue::Text(text.clone()),
    }
}
