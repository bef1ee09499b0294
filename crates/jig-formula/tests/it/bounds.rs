//! Large and hostile workbooks end in bounded time with an answer for every cell.

use jig_file_api::address::CellRef;
use jig_formula::{CalcModel, CellKey, CellValue, SheetModel};
use jig_formula::{FormulaEngine, Limits as FormulaLimits};
use proptest::prelude::*;

use super::{after, book, calculate, content, key, with};

fn at(row: u32, col: u32) -> CellRef {
    CellRef::new(row, col).unwrap()
}

fn one(text: &str) -> Vec<String> {
    let book = book(&[("Data", &[("A1", "1"), ("B1", text)])]);
    after(&book, &["A1", "B1"])
}

#[test]
fn deep_formulas_are_refused() {
    let deep = format!("={}A1{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(one(&deep), ["Data!B1 ? it exceeds the limit of 64 levels of nesting"]);
    let signs = format!("={}A1", "-".repeat(5000));
    assert_eq!(one(&signs), ["Data!B1 ? it exceeds the limit of 64 levels of nesting"]);
    let long = format!("=A1{}", "+1".repeat(3000));
    assert_eq!(one(&long), ["Data!B1 = 3001"]);
    let longer = format!("=A1{}", "+1".repeat(40_000));
    assert_eq!(one(&longer), ["Data!B1 ? it exceeds the limit of 65536 bytes for a formula"]);
}

#[test]
fn formulas_that_never_end_are_refused() {
    assert_eq!(one("=LET(f,LAMBDA(g,g(g)),f(f))"), ["Data!B1 ? the function LET is not supported"]);
    assert_eq!(one("=SUM(_xlfn.SEQUENCE(A1,1E9))"), ["Data!B1 ? it exceeds the limit of cells read"]);
    assert_eq!(one("=SUM(_xlfn.SEQUENCE(A1*9,9))"), ["Data!B1 ? SEQUENCE with a computed size is not supported"]);
    assert_eq!(one("=SUM(_xlfn.SEQUENCE(3,A1,5))"), ["Data!B1 = 18"]);
    assert_eq!(one("=SUMPRODUCT((C1:XFD1048576=A1)*1)"), ["Data!B1 ? it exceeds the limit of cells read"]);
}

#[test]
fn texts_do_not_double_from_cell_to_cell() {
    let mut sheet = SheetModel::new("Data");
    sheet.set(at(1, 1), content("xxxxxxxx"));
    for row in 2..=60 {
        sheet.set(at(row, 1), content(&format!("=A{0}&A{0}", row - 1)));
    }
    let model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };
    let lines = after(&model, &["A1"]);
    assert_eq!(lines.len(), 59);
    assert_eq!(lines[0], "Data!A2 = \"xxxxxxxxxxxxxxxx\"");
    // Programs differ on texts that no cell can hold.
    assert_eq!(lines[58], "Data!A60 ? it depends on Data!A59, which was not computed");
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    for step in [1_i32, -1] {
        let rows = 20_000_i32;
        let mut sheet = SheetModel::new("Data");
        let first = if step > 0 { 1 } else { rows };
        sheet.set(at(first.unsigned_abs(), 1), content("1"));
        for index in 1..rows {
            let row = first + index * step;
            sheet.set(at(row.unsigned_abs(), 1), content(&format!("=A{}+1", row - step)));
        }
        let model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };
        let found = calculate(
            &FormulaEngine::default(),
            &model,
            &[CellKey { sheet: 0, cell: at(first.unsigned_abs(), 1) }],
            false,
        );
        let last = at((first + (rows - 1) * step).unsigned_abs(), 1);
        let value = found.values.iter().find(|(key, _)| key.cell == last).map(|(_, value)| value.clone());
        assert_eq!((value, found.not_computed.len()), (Some(CellValue::Number(f64::from(rows))), 0));
    }
}

#[test]
fn many_formulas_over_the_same_column() {
    // Every formula of B reads all of A; every one of C reads all of B: as many pairs as the square.
    let mut sheet = SheetModel::new("Data");
    for row in 1..=300 {
        sheet.set(at(row, 1), content("1"));
        sheet.set(at(row, 2), content("=COUNTIF(A:A,1)"));
        sheet.set(at(row, 3), content("=MAX(B:B)"));
    }
    let model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };
    let found = calculate(&FormulaEngine::default(), &model, &[key(0, "A7")], false);
    assert!(found.values.iter().all(|(_, value)| *value == CellValue::Number(300.0)));
    assert_eq!((found.values.len(), found.not_computed.len()), (600, 0));
}

#[test]
fn limits_are_said() {
    let limits = |change: fn(&mut FormulaLimits)| {
        let mut limits = FormulaLimits::default();
        change(&mut limits);
        FormulaEngine { limits, ..FormulaEngine::default() }
    };
    let model = book(&[("Data", &[("A1", "1"), ("A2", "2"), ("B1", "=SUM(A1:A2)"), ("B2", "=A1&B1&A2")])]);
    let cases: [(FormulaEngine, &str); 3] = [
        (limits(|limits| limits.reads = 1), "cells read"),
        (limits(|limits| limits.cells = 1), "1 cells in one calculation"),
        (limits(|limits| limits.formula_bytes = 5), "5 bytes for a formula"),
    ];
    for (engine, limit) in cases {
        let lines = with(&engine, &model, &["A1"]);
        assert_eq!(lines[0], format!("Data!B1 ? it exceeds the limit of {limit}"));
        assert_eq!(lines.len(), 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_formulas_are_answered(texts in prop::collection::vec(formula(), 1..6)) {
        let mut sheet = SheetModel::new("Data");
        for (row, text) in (1..).zip(&texts) {
            sheet.set(at(row, 1), content(&format!("?{text}")));
        }
        let model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };
        let found = calculate(&FormulaEngine::default(), &model, &[], true);
        prop_assert_eq!(found.other_values.len() + found.other_not_computed.len(), texts.len());
    }
}

/// Formulas made of pieces, most of them wrong.
fn formula() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "A1", "A2:A3", "B:B", "1", "\"x\"", "+", "-", "*", "&", "=", "<", "(", ")", ",", "SUM(", "IF(", "INDEX(",
        "{1,2}", "#REF!", "TRUE", "VLOOKUP(", "@", "%", "^", "OFFSET(", "LET(", "x", "LEFT(", "DATE(", " ", "Data!",
        "1E308", "TEXT(",
    ]);
    prop::collection::vec(piece, 1..10).prop_map(|pieces| pieces.concat())
}
