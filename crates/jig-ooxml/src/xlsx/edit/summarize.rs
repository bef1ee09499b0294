//! Totals by category over several sheets, written to a sheet of their own.

mod decimal;

use std::collections::{BTreeMap, HashMap};

use jig_file_api::ops::xlsx::SummarizeByCategory;
use serde_json::Value;

use self::decimal::Sum;
use super::cells::{column_at, letters};
use super::layout::filled;
use super::recalculate::{cell_value, current_values, load_strings, written};
use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, listed};
use crate::edit::{OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xlsx::formula::{CellKey, CellValue};
use crate::xlsx::sheet::rows::{Piece, walk_rows};

/// Writes `Category, <sheet>_Total…, Grand_Total` for the first rows' categories and amounts.
pub(super) fn summarize(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: SummarizeByCategory,
) -> Result<OpReport, Error> {
    if op.source_sheets.is_empty() {
        return Err(input.error("source_sheets", "at least one sheet is needed").into());
    }
    let column = |value: &Option<Value>, field: &str, default: u32| match value {
        Some(value) => column_at(value, &input.at(field)),
        None => Ok(default),
    };
    let category = column(&op.category_col, "category_col", 2)?;
    let amount = column(&op.amount_col, "amount_col", 3)?;
    let mut totals = Totals::default();
    let mut names = Vec::with_capacity(op.source_sheets.len());
    for (index, source) in op.source_sheets.iter().enumerate() {
        let (place, part) = editor.grid(input, &format!("source_sheets[{index}]"), source)?;
        names.push(editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default());
        read(editor, input, &part, source, index, category, amount, &mut totals)?;
    }
    // The sheet for the totals is part of what is asked for; the receipt lists it without a warning.
    if editor.book.sheet_place(&op.sheet).is_none() {
        super::sheets::create(editor, &input.at("sheet"), &op.sheet)?;
        editor.created.push(op.sheet.clone());
    }
    let (_, target) = editor.grid(input, "sheet", &op.sheet)?;
    if names.iter().any(|name| crate::xlsx::formula::same_sheet(name, &op.sheet)) {
        return Err(input.error("sheet", "the summary cannot be written to one of its sources").into());
    }
    let header = op.category_header.unwrap_or_else(|| "Category".to_owned());
    let table = totals.table(&header, &names);
    write(editor, input, &target, &table)?;
    let (rows, columns) = (table.len(), names.len() + 2);
    let end = CellRef::new(u32::try_from(rows).unwrap_or(MAX_ROW), u32::try_from(columns).unwrap_or(MAX_COLUMN));
    let range = format!("A1:{}", end.map(|end| end.to_string()).unwrap_or_default());
    let count = rows - 1;
    let summary = format!("Summarized {count} categories of {} sheet(s) on {} ({range}).", names.len(), op.sheet);
    let change = OpReport::new(input, summary).with("sheet", op.sheet).with("categories", count);
    Ok(change.with("sources", names.len()).with("range", range))
}

/// Category and amount of one row of a source.
#[derive(Default)]
struct Line {
    label: Option<CellValue>,
    amount: Option<Amount>,
}

impl Line {
    /// Takes the value of a formula; none when it could not be computed.
    fn take(&mut self, is_label: bool, is_amount: bool, value: Option<CellValue>) {
        if is_label {
            self.label.clone_from(&value);
        }
        if is_amount {
            self.amount = Some(value.map_or(Amount::NotCalculated, |value| Amount::Value(value, None)));
        }
    }
}

/// The content of an amount cell.
enum Amount {
    /// A value, with its digits where the file has them, so that sums are exact.
    Value(CellValue, Option<String>),
    /// A formula whose result is unknown: it must be reported, not counted as 0.
    NotCalculated,
}

/// Sums by category and source, in the order the categories were met.
#[derive(Default)]
struct Totals {
    order: Vec<String>,
    sums: HashMap<String, BTreeMap<usize, Sum>>,
}

impl Totals {
    fn add(&mut self, category: &str, source: usize, number: &Sum) {
        if !self.sums.contains_key(category) {
            self.order.push(category.to_owned());
        }
        self.sums.entry(category.to_owned()).or_default().entry(source).or_default().add(number);
    }

    fn table(&self, header: &str, names: &[String]) -> Vec<Vec<NewValue>> {
        let text = |text: String| NewValue::Text(text);
        let mut head = vec![text(header.to_owned())];
        head.extend(names.iter().map(|name| text(format!("{name}_Total"))));
        head.push(text("Grand_Total".to_owned()));
        let mut rows = vec![head];
        let mut order: Vec<&String> = self.order.iter().collect();
        order.sort();
        for category in order {
            let mut row = vec![text(category.clone())];
            let mut grand = Sum::default();
            let sums = self.sums.get(category);
            for source in 0..names.len() {
                let sum = sums.and_then(|sums| sums.get(&source)).cloned().unwrap_or_default();
                grand.add(&sum);
                row.push(NewValue::Number(sum.number()));
            }
            row.push(NewValue::Number(grand.number()));
            rows.push(row);
        }
        rows
    }
}

#[expect(clippy::too_many_arguments, reason = "one source of `summarize`, which holds them all")]
fn read(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    name: &str,
    source: usize,
    category: u32,
    amount: u32,
    totals: &mut Totals,
) -> Result<(), Error> {
    let strings = load_strings(editor)?;
    let has_formulas = !editor.sheet(part)?.formulas.is_empty();
    let computed = if has_formulas { current_values(editor)? } else { HashMap::new() };
    let sheet = editor.book.sheets.iter().position(|sheet| sheet.part.as_deref() == Some(part)).unwrap_or(0);
    let Some(state) = editor.loaded(part) else { return Ok(()) };
    let mut cells: BTreeMap<u32, Line> = BTreeMap::new();
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        for cell in row.cells() {
            let Some(at) = cell.at.filter(|at| at.row() > 1 && (at.col() == category || at.col() == amount)) else {
                continue;
            };
            let entry = cells.entry(at.row()).or_default();
            if let Some(found) = computed.get(&CellKey { sheet, cell: at }) {
                entry.take(at.col() == category, at.col() == amount, found.clone());
                continue;
            }
            let Some(value) = cell_value(cell.data(), &strings) else {
                if at.col() == amount && cell.child(b"f").is_some() {
                    entry.amount = Some(Amount::NotCalculated);
                }
                continue;
            };
            if at.col() == category {
                entry.label = Some(value.clone());
            }
            if at.col() == amount {
                let digits = cell.child(b"v").map(|(_, raw)| String::from_utf8_lossy(raw).trim().to_owned());
                entry.amount = Some(Amount::Value(value, digits));
            }
        }
        Ok(())
    })?;
    for (at, edit) in state.cells.iter().filter(|(at, _)| at.row() > 1) {
        let Some(value) = &edit.value else { continue };
        let entry = cells.entry(at.row()).or_default();
        if let Some(found) = computed.get(&CellKey { sheet, cell: *at }) {
            entry.take(at.col() == category, at.col() == amount, found.clone());
            continue;
        }
        if at.col() == category {
            entry.label = Some(written(value));
        }
        if at.col() == amount {
            // Formulas are calculated when all ops are done.
            entry.amount = Some(match value {
                NewValue::Formula(_) => Amount::NotCalculated,
                value => Amount::Value(written(value), None),
            });
        }
    }
    let mut skipped = Vec::new();
    for (row, line) in cells {
        let label = line.label.as_ref().map(label_of).filter(|label| !label.is_empty());
        match (label, line.amount) {
            (_, None | Some(Amount::Value(CellValue::Empty, _))) => {}
            (Some(label), Some(Amount::Value(CellValue::Number(number), digits))) => {
                totals.add(&label, source, &Sum::of(number, digits.as_deref()));
            }
            (None, Some(Amount::Value(CellValue::Number(_), _))) => {
                skipped.push(format!("{}{row} (no category)", letters(amount)));
            }
            (_, Some(Amount::Value(..))) => skipped.push(format!("{}{row} (not a number)", letters(amount))),
            (_, Some(Amount::NotCalculated)) => {
                skipped.push(format!("{}{row} (a formula without a stored value)", letters(amount)));
            }
        }
    }
    if !skipped.is_empty() {
        let list = listed(skipped.into_iter(), 10);
        editor.warnings.push(format!("{}: cells of {name} that do not count: {list}", input.at("source_sheets")));
    }
    Ok(())
}

fn label_of(value: &CellValue) -> String {
    match value {
        CellValue::Empty => String::new(),
        CellValue::Text(text) => text.trim().to_owned(),
        CellValue::Number(number) => super::values::number_text(*number),
        CellValue::Bool(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
        CellValue::Error(error) => error.to_string(),
    }
}

/// Clears the target and writes the table.
fn write(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, table: &[Vec<NewValue>]) -> Result<(), Error> {
    let mut writes: BTreeMap<CellRef, NewValue> = BTreeMap::new();
    let old = filled(editor, part, CellRange::ALL)?;
    if !old.is_empty() {
        let why = format!("the sheet held {} cells with values, which are replaced by the summary", old.len());
        editor.warnings.push(format!("{}: {why}", input.at("sheet")));
    }
    writes.extend(old.into_iter().map(|at| (at, NewValue::Blank)));
    for (down, row) in table.iter().enumerate() {
        for (right, value) in row.iter().enumerate() {
            let place = u32::try_from(down).ok().zip(u32::try_from(right).ok());
            let at = place.and_then(|(down, right)| CellRef::new(down + 1, right + 1));
            let at = at.ok_or_else(|| input.error("source_sheets", "the summary does not fit on a sheet"))?;
            writes.insert(at, value.clone());
        }
    }
    let write = |(at, value)| CellWrite { at, value: Some(value), patch: None, field: input.at("sheet") };
    editor.write_cells(input, part, writes.into_iter().map(write).collect())?;
    Ok(())
}
