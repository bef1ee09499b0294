//! Changed cells for the receipt: the first ones with their old and new value, and the count of all.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::sheet::{Cached, SheetState};
use super::strings::each_string;
use super::values::NewValue;
use crate::edit::{CellChange, CellChanges, MOST_LISTED, OpReport, excerpt};
use crate::error::PackageError;
use crate::package::Package;
use crate::xlsx::address::CellRef;
use crate::xlsx::formula::{CellValue, FormulaText};
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::decode::string_text;
use crate::xlsx::sheet::rows::CellView;

/// The changed cells of one sheet.
#[derive(Debug, Default)]
pub(super) struct CellRecords {
    written: List,
    recalculated: List,
}

#[derive(Debug, Default)]
struct List {
    first: Vec<CellRecord>,
    count: usize,
}

#[derive(Debug)]
struct CellRecord {
    at: CellRef,
    old: NotedValue,
    new: NotedValue,
}

/// A value of a cell.
#[derive(Debug, PartialEq)]
enum NotedValue {
    Known(Value),
    /// The shared string with this number, which is looked up only if the receipt lists the cell.
    Shared(u32),
}

impl List {
    fn add(&mut self, at: CellRef, old: NotedValue, new: NotedValue) {
        self.count += 1;
        if self.first.len() < MOST_LISTED {
            self.first.push(CellRecord { at, old, new });
        }
    }
}

impl CellRecords {
    /// Notes a cell that an op wrote. `string` is the number of the new text among the shared strings.
    pub(super) fn note_written(
        &mut self,
        sheet: &SheetState,
        at: CellRef,
        old: Option<&CellView<'_>>,
        new: &NewValue,
        string: Option<u32>,
    ) {
        let old = old.map_or(NotedValue::Known(Value::Null), |cell| old_value(sheet, at, cell));
        let new = new_value(new);
        let same_string = string.is_some_and(|number| old == NotedValue::Shared(number));
        if !same_string && old != NotedValue::Known(new.clone()) {
            self.written.add(at, old, NotedValue::Known(new));
        }
    }

    /// Notes a cell whose element is replaced by that of another cell, or removed.
    pub(super) fn note_replaced(
        &mut self,
        sheet: &SheetState,
        at: CellRef,
        old: Option<&CellView<'_>>,
        new: Option<&CellView<'_>>,
    ) {
        let value =
            |cell: Option<&CellView<'_>>| cell.map_or(NotedValue::Known(Value::Null), |c| old_value(sheet, at, c));
        let (old, new) = (value(old), value(new));
        if old != new {
            self.written.add(at, old, new);
        }
    }

    /// Notes a formula with another result.
    pub(super) fn note_result(&mut self, at: CellRef, old: Option<&CellView<'_>>, new: &Cached) {
        let Cached::Value(new) = new else { return };
        let old = old.map_or(NotedValue::Known(Value::Null), stored_value);
        let new = cell_value(new);
        if old != NotedValue::Known(new.clone()) {
            self.recalculated.add(at, old, NotedValue::Known(new));
        }
    }

    /// Notes a cell that is deleted with its row or sheet.
    pub(super) fn note_deleted(&mut self, sheet: &SheetState, cell: &CellView<'_>) {
        let Some(at) = cell.at.filter(|_| !cell.inner().is_empty()) else { return };
        let old = old_value(sheet, at, cell);
        if old != NotedValue::Known(Value::Null) {
            self.written.add(at, old, NotedValue::Known(Value::Null));
        }
    }

    /// The change of an op that deletes cells, with their number and the first of them.
    pub(super) fn report_deleted(
        self,
        change: OpReport,
        package: &Package,
        strings: Option<&str>,
    ) -> Result<OpReport, PackageError> {
        let mut gone = CellChanges::default();
        self.report("", package, strings, &mut gone)?;
        if gone.written_count == 0 {
            return Ok(change);
        }
        let old: Vec<Value> =
            gone.written.into_iter().map(|one| json!({ "cell": one.cell, "value": one.old })).collect();
        Ok(change.with("cells", gone.written_count).with("old", old))
    }

    /// Adds the changes of a sheet to the receipt, and looks up the shared strings of old values.
    pub(super) fn report(
        self,
        sheet: &str,
        package: &Package,
        strings: Option<&str>,
        receipt: &mut CellChanges,
    ) -> Result<(), PackageError> {
        let room = |listed: &[CellChange]| MOST_LISTED.saturating_sub(listed.len());
        receipt.written_count += self.written.count;
        receipt.recalculated_count += self.recalculated.count;
        let written: Vec<CellRecord> = self.written.first.into_iter().take(room(&receipt.written)).collect();
        let recalculated: Vec<CellRecord> =
            self.recalculated.first.into_iter().take(room(&receipt.recalculated)).collect();
        let mut texts: HashMap<u32, String> = HashMap::new();
        let values = written.iter().chain(&recalculated).flat_map(|record| [&record.old, &record.new]);
        texts.extend(values.filter_map(|value| match value {
            NotedValue::Shared(number) => Some((*number, String::new())),
            NotedValue::Known(_) => None,
        }));
        if let (Some(part), false) = (strings, texts.is_empty()) {
            each_string(package, part, |number, item| {
                if let Some(text) = texts.get_mut(&number) {
                    *text = excerpt(&string_text(item));
                }
            })?;
        }
        let value = |noted: NotedValue| match noted {
            NotedValue::Known(value) => value,
            NotedValue::Shared(number) => json!(texts.get(&number)),
        };
        let change = |record: CellRecord| CellChange {
            cell: if sheet.is_empty() { record.at.to_string() } else { format!("{sheet}!{}", record.at) },
            old: value(record.old),
            new: value(record.new),
        };
        receipt.written.extend(written.into_iter().map(change));
        receipt.recalculated.extend(recalculated.into_iter().map(change));
        Ok(())
    }
}

/// The old content of a cell: its formula, or its value.
fn old_value(sheet: &SheetState, at: CellRef, cell: &CellView<'_>) -> NotedValue {
    if let Some(formula) = cell.formula() {
        let shared = formula.group().and_then(|group| sheet.shared.get(&group)?.formula_at(at));
        let text = shared.unwrap_or_else(|| formula.text());
        return NotedValue::Known(json!(excerpt(&format!("={text}"))));
    }
    stored_value(cell)
}

/// The value that a cell stores.
fn stored_value(cell: &CellView<'_>) -> NotedValue {
    NotedValue::Known(match cell.data() {
        CellData::Empty => Value::Null,
        CellData::Shared(number) => return NotedValue::Shared(number),
        CellData::Number(found) => number(found),
        CellData::Bool(flag) => json!(flag),
        CellData::Text(text) | CellData::Error(text) | CellData::Date(text) => json!(excerpt(&text)),
    })
}

fn new_value(value: &NewValue) -> Value {
    match value {
        NewValue::Blank => Value::Null,
        NewValue::Number(found) | NewValue::Date { serial: found, .. } => number(*found),
        NewValue::Bool(flag) => json!(flag),
        NewValue::Text(text) => json!(excerpt(text)),
        NewValue::Formula(text) => json!(excerpt(&format!("={}", text.text()))),
    }
}

fn cell_value(value: &CellValue) -> Value {
    match value {
        // Formulas show an empty cell as 0.
        CellValue::Empty => json!(0),
        CellValue::Number(found) => number(*found),
        CellValue::Text(text) => json!(excerpt(text)),
        CellValue::Bool(flag) => json!(flag),
        CellValue::Error(error) => json!(error.as_str()),
    }
}

/// Whole numbers without a point, so that 3 and 3.0 are the same.
fn number(found: f64) -> Value {
    if found.fract() == 0.0 && found.abs() < 9e15 { json!(found as i64) } else { json!(found) }
}
