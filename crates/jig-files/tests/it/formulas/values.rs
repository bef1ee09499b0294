//! The values of some 250 formulas against those of LibreOffice, and of Excel where the two differ.

use std::collections::HashMap;

use jig_files::FormulaEngine;
use jig_ooxml::xlsx::address::CellRef;
use jig_ooxml::xlsx::formula::recalculate::{
    BookModel, CellContent, CellError, CellKey, CellValue, FormulaCell, FormulaShape, SheetModel, StoredValue,
};

use super::{calculate, cell, shown};
use crate::sample;

fn text(name: &str) -> String {
    String::from_utf8(sample(&format!("formulas/{name}"))).unwrap()
}

fn columns(line: &str) -> [&str; 3] {
    let mut parts = line.split('\t');
    [(); 3].map(|()| parts.next().unwrap())
}

fn value(kind: &str, text: &str) -> CellValue {
    match kind {
        "n" => CellValue::Number(text.parse().unwrap()),
        "b" => CellValue::Bool(text == "TRUE"),
        "e" => CellValue::Error(CellError::from_text(text)),
        _ => CellValue::Text(text.to_owned()),
    }
}

/// The grid with every formula of the list in column AD, from row 101 on.
fn book(formulas: &[&str]) -> BookModel {
    let mut sheet = SheetModel::new("Data");
    for line in text("grid.tsv").lines() {
        let [address, kind, text] = columns(line);
        sheet.set(cell(address), CellContent::Value(value(kind, text)));
    }
    for (index, formula) in formulas.iter().enumerate() {
        let at = place(index);
        let array = formula.strip_prefix('{').and_then(|formula| formula.strip_suffix('}'));
        let shape = array.map_or(FormulaShape::Single, |_| FormulaShape::Array(at.into()));
        let text = array.unwrap_or(formula).to_owned();
        sheet.set(at, CellContent::Formula(FormulaCell { text, stored: StoredValue::Missing, shape }));
    }
    BookModel { sheets: vec![sheet], ..BookModel::default() }
}

fn place(index: usize) -> CellRef {
    CellRef::new(101 + u32::try_from(index).unwrap(), 30).unwrap()
}

fn same(a: &CellValue, b: &CellValue) -> bool {
    match (a, b) {
        (CellValue::Number(a), CellValue::Number(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1.0),
        _ => a == b,
    }
}

/// The list with Excel's results in place of LibreOffice's, as far as it passes the filter.
fn cases<'a>(expected: &'a str, excel: &'a str, kept: fn(&str) -> bool) -> Vec<[&'a str; 3]> {
    let others: HashMap<&str, [&str; 3]> = excel.lines().map(columns).map(|line| (line[0], line)).collect();
    let all = expected.lines().map(columns).map(|line| others.get(line[0]).copied().unwrap_or(line));
    all.filter(|line| kept(line[1])).collect()
}

/// What is otherwise than expected, one line per formula.
fn wrong(cases: &[[&str; 3]]) -> Vec<String> {
    let formulas: Vec<&str> = cases.iter().map(|line| line[0]).collect();
    let found = calculate(&FormulaEngine::default(), &book(&formulas), &[], true);
    let values: HashMap<CellKey, CellValue> = found.other_values.into_iter().collect();
    let refused: HashMap<CellKey, String> =
        found.other_not_computed.into_iter().map(|(key, why)| (key, why.to_string())).collect();
    let mut wrong = Vec::new();
    for (index, [formula, kind, text]) in cases.iter().enumerate() {
        let key = CellKey { sheet: 0, cell: place(index) };
        let got = match (values.get(&key), refused.get(&key)) {
            (Some(found), None) if *kind != "x" && same(found, &value(kind, text)) => continue,
            (None, Some(why)) if *kind == "x" && why.starts_with(text) => continue,
            (Some(found), _) => shown(found),
            (None, why) => why.cloned().unwrap_or_default(),
        };
        wrong.push(format!("{formula}: expected {text}, got {got}"));
    }
    wrong
}

#[test]
fn values_are_those_of_office_programs() {
    let (expected, excel) = (text("expected.tsv"), text("excel.tsv"));
    assert_eq!(wrong(&cases(&expected, &excel, |kind| kind != "x")), Vec::<String>::new());
}

#[test]
fn what_the_engine_would_get_wrong_is_refused() {
    let (expected, excel) = (text("expected.tsv"), text("excel.tsv"));
    assert_eq!(wrong(&cases(&expected, &excel, |kind| kind == "x")), Vec::<String>::new());
}
