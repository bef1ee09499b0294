//! Changes a cell and computes the formulas that depend on it.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use jig_file_api::address::AddressError;
use jig_formula::{
    AllLoaded, CalcModel, CellContent, CellKey, CellValue, FormulaCell, FormulaEngine, FormulaShape, Request,
    SheetModel, StoredValue,
};

fn main() -> Result<(), AddressError> {
    let formula = |text: &str| CellContent::Formula(FormulaCell::new(text, StoredValue::Missing, FormulaShape::Single));
    let number = |number: f64| CellContent::Value(CellValue::Number(number));

    let mut sheet = SheetModel::new("Budget");
    sheet.set("A1".parse()?, number(1200.0));
    sheet.set("A2".parse()?, number(300.0));
    sheet.set("A3".parse()?, formula("SUM(A1:A2)"));
    sheet.set("A4".parse()?, formula("INFO(A3)"));
    let mut model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };

    let changed = [CellKey { sheet: 0, cell: "A1".parse()? }];
    let request = Request { changed: &changed, whole_workbook: false };
    let result = FormulaEngine::default().calculate(&mut model, &request, &mut AllLoaded);

    for (key, value) in &result.values {
        println!("{} = {value:?}", key.cell);
    }
    for (key, reason) in &result.not_computed {
        println!("{}: not computed, {reason}", key.cell);
    }
    Ok(())
}
