//! Formulas after an edit: the right values, no wrong ones, and nothing that takes too long.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod arguments;
mod bounds;
mod data_tables;
mod dependents;
mod refused;
mod rounding;

use jig_file_api::address::CellRef;
use jig_formula::FormulaEngine;
use jig_formula::{
    AllLoaded, CalcModel, Calculated, CellContent, CellKey, CellValue, FormulaCell, FormulaShape, Request, SheetModel,
    StoredValue,
};

/// A stored value that no formula here would compute.
const STORED: CellValue = CellValue::Number(-1.0);

/// A workbook from sheets of cells: `=…` is a formula with [`STORED`] beside it, `?…` one without a stored
/// value, `{A1:A3}…` an array formula, `<A1:A3>…` a spilling one, `|A1:A3|…` a data table; all else is a number or a text.
fn book(sheets: &[(&str, &[(&str, &str)])]) -> CalcModel {
    let mut book = CalcModel::default();
    for (name, cells) in sheets {
        let mut sheet = SheetModel::new(*name);
        for (address, text) in *cells {
            sheet.set(cell(address), content(text));
        }
        book.sheets.push(sheet);
    }
    book
}

fn content(text: &str) -> CellContent {
    let formula = |text: &str, stored, shape| CellContent::Formula(FormulaCell::new(text, stored, shape));
    let kept = || StoredValue::Known(STORED);
    if let Some(text) = text.strip_prefix('=') {
        return formula(text, kept(), FormulaShape::Single);
    }
    if let Some(text) = text.strip_prefix('?') {
        return formula(text, StoredValue::Missing, FormulaShape::Single);
    }
    if let Some((area, text)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
        return formula(text, kept(), FormulaShape::Array(area.parse().unwrap()));
    }
    if let Some((area, text)) = text.strip_prefix('<').and_then(|text| text.split_once('>')) {
        return formula(text, kept(), FormulaShape::Spill(area.parse().unwrap()));
    }
    if let Some((area, text)) = text.strip_prefix('|').and_then(|text| text.split_once('|')) {
        return formula(text, kept(), FormulaShape::DataTable(area.parse().unwrap()));
    }
    CellContent::Value(text.parse().map_or_else(|_| CellValue::Text(text.to_owned()), CellValue::Number))
}

fn cell(address: &str) -> CellRef {
    address.parse().unwrap()
}

fn key(sheet: usize, address: &str) -> CellKey {
    CellKey { sheet, cell: cell(address) }
}

/// What is computed after cells of the first sheet changed, one line per cell: `Sheet!A1 = value`, or
/// `Sheet!A1 ? reason`.
fn after(book: &CalcModel, changed: &[&str]) -> Vec<String> {
    with(&FormulaEngine::default(), book, changed)
}

fn with(engine: &FormulaEngine, book: &CalcModel, changed: &[&str]) -> Vec<String> {
    let keys: Vec<CellKey> = changed.iter().map(|address| key(0, address)).collect();
    lines(book, &calculate(engine, book, &keys, false))
}

fn calculate(engine: &FormulaEngine, book: &CalcModel, changed: &[CellKey], whole_workbook: bool) -> Calculated {
    engine.calculate(&mut book.clone(), &Request { changed, whole_workbook }, &mut AllLoaded)
}

/// What is computed of formulas without a trusted value, as by [`after`].
fn untrusted(book: &CalcModel) -> Vec<String> {
    let found = calculate(&FormulaEngine::default(), book, &[], true);
    lines(
        book,
        &Calculated { values: found.other_values, not_computed: found.other_not_computed, ..Calculated::default() },
    )
}

fn lines(book: &CalcModel, found: &Calculated) -> Vec<String> {
    let place = |key: &CellKey| format!("{}!{}", book.sheets[key.sheet].name, key.cell);
    let values = found.values.iter().map(|(key, value)| format!("{} = {}", place(key), shown(value)));
    let others = found.not_computed.iter().map(|(key, why)| format!("{} ? {why}", place(key)));
    values.chain(others).collect()
}

fn shown(value: &CellValue) -> String {
    match value {
        CellValue::Empty => "nothing".to_owned(),
        CellValue::Number(number) => number.to_string(),
        CellValue::Text(text) => format!("{text:?}"),
        CellValue::Bool(truth) => truth.to_string().to_uppercase(),
        CellValue::Error(error) => error.to_string(),
    }
}
