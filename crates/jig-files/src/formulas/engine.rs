//! The bridge to the engine crate: the only file that knows it.

use std::collections::HashMap;

use ironcalc_base::Model;
use ironcalc_base::expressions::parser::static_analysis::add_implicit_intersection;
use ironcalc_base::expressions::parser::stringify::to_english_string;
use ironcalc_base::expressions::parser::{Node, Parser, new_parser_english};
use ironcalc_base::expressions::token::Error;
use ironcalc_base::expressions::types::CellReferenceRC;
use ironcalc_base::types::{ArrayKind, Cell, FormulaValue, SpillValue};
use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::formula::recalculate::{CellError, CellKey, CellValue, FormulaShape, NotComputed};

use super::job::{Answer, Formula, Job};

/// The most characters a cell can hold; a longer text is an error in Excel.
const TEXT_CHARS: usize = 32_767;

/// Evaluates the rounds of a job. Gives one answer for each formula, in order.
pub(super) fn evaluate(job: &Job) -> Vec<Answer> {
    let formulas = || job.rounds.iter().flatten();
    match Evaluation::new(job) {
        Ok(mut evaluation) => job.rounds.iter().flat_map(|round| evaluation.round(round)).collect(),
        Err(message) => formulas().map(|_| Err(NotComputed::Unsupported(message.clone()))).collect(),
    }
}

struct Evaluation<'a> {
    model: Model<'a>,
    parser: Parser<'a>,
    sheets: &'a [String],
}

impl<'a> Evaluation<'a> {
    fn new(job: &'a Job) -> Result<Self, String> {
        let mut model = Model::new_empty("book", "en", "UTC", "en")?;
        for (index, name) in job.sheets.iter().enumerate() {
            let added = if index == 0 { model.rename_sheet_by_index(0, name) } else { model.add_sheet(name) };
            added.map_err(|_| format!("a sheet named `{name}`"))?;
        }
        let parser = new_parser_english(job.sheets.clone(), Vec::new(), HashMap::new());
        let mut evaluation = Self { model, parser, sheets: &job.sheets };
        for (key, value) in &job.values {
            evaluation.put_value(*key, value)?;
        }
        Ok(evaluation)
    }

    fn round(&mut self, formulas: &[Formula]) -> Vec<Answer> {
        let put: Vec<Result<(), NotComputed>> = formulas.iter().map(|formula| self.put_formula(formula)).collect();
        self.model.evaluate();
        let answers: Vec<Answer> =
            formulas.iter().zip(put).map(|(formula, put)| put.and_then(|()| self.read(formula))).collect();
        // The next round builds on values, cut to what cells can hold.
        for (key, value) in answers.iter().flatten().flatten() {
            let _ = self.put_value(*key, value);
        }
        answers
    }

    fn put_value(&mut self, key: CellKey, value: &CellValue) -> Result<(), String> {
        let (sheet, row, col) = place(key)?;
        match value {
            CellValue::Empty => Ok(()),
            CellValue::Number(number) => self.model.update_cell_with_number(sheet, row, col, *number),
            CellValue::Text(text) => self.model.update_cell_with_text(sheet, row, col, text),
            CellValue::Bool(truth) => self.model.update_cell_with_bool(sheet, row, col, *truth),
            CellValue::Error(error) => match self.model.workbook.worksheets.get_mut(key.sheet) {
                Some(worksheet) => worksheet.set_cell_with_error(row, col, from_error(*error), 0),
                None => Err("a cell outside the workbook".to_owned()),
            },
        }
    }

    fn put_formula(&mut self, formula: &Formula) -> Result<(), NotComputed> {
        let (sheet, row, column) = place(formula.key).map_err(NotComputed::Unsupported)?;
        let context =
            CellReferenceRC { sheet: self.sheets.get(formula.key.sheet).cloned().unwrap_or_default(), row, column };
        let mut node = self.parser.parse(&formula.text, &context);
        check(&node)?;
        let text = match formula.shape {
            FormulaShape::Single => with_intersections(&mut node, &formula.text, &context),
            FormulaShape::Array(_) | FormulaShape::Spill(_) | FormulaShape::DataTable(_) => {
                format!("={}", formula.text)
            }
        };
        let put = match formula.shape {
            FormulaShape::Array(area) => self.put_array(sheet, area, &text),
            FormulaShape::DataTable(_) => Err("a what-if data table".to_owned()),
            FormulaShape::Spill(_) => self.model.update_cell_with_formula(sheet, row, column, text),
            FormulaShape::Single => self.put_single(formula.key, &text),
        };
        put.map_err(NotComputed::Unsupported)
    }

    fn put_array(&mut self, sheet: u32, area: RangeRef, text: &str) -> Result<(), String> {
        let number = |count: u32| i32::try_from(count).map_err(|_| "an area outside the grid".to_owned());
        let (row, column) = (number(area.start().row())?, number(area.start().col())?);
        self.model.set_user_array_formula(sheet, row, column, number(area.columns())?, number(area.rows())?, text)
    }

    /// The engine would let a formula spill that fills one cell in the file: it then becomes an array of one.
    fn put_single(&mut self, key: CellKey, text: &str) -> Result<(), String> {
        let (sheet, row, column) = place(key)?;
        self.model.update_cell_with_formula(sheet, row, column, text.to_owned())?;
        match self.cell(key) {
            Some(Cell::ArrayFormula { kind: ArrayKind::Dynamic, .. }) => self.put_array(sheet, key.cell.into(), text),
            _ => Ok(()),
        }
    }

    fn read(&self, formula: &Formula) -> Answer {
        let area = match (formula.shape, self.cell(formula.key)) {
            (FormulaShape::Single, _) => RangeRef::from(formula.key.cell),
            (FormulaShape::Array(area) | FormulaShape::DataTable(area), _) => area,
            (FormulaShape::Spill(area), cell) => {
                let (columns, rows) = match cell {
                    Some(Cell::ArrayFormula { r, .. }) => r,
                    _ => (1, 1),
                };
                let same = u32::try_from(columns) == Ok(area.columns()) && u32::try_from(rows) == Ok(area.rows());
                if !same {
                    return Err(NotComputed::Unsupported("an array that changes its size".to_owned()));
                }
                area
            }
        };
        let mut values = Vec::new();
        for row in area.start().row()..=area.end().row() {
            for col in area.start().col()..=area.end().col() {
                if let Some(cell) = CellRef::new(row, col) {
                    let key = CellKey { sheet: formula.key.sheet, cell };
                    values.push((key, self.value(key, &formula.text)?));
                }
            }
        }
        Ok(values)
    }

    fn cell(&self, key: CellKey) -> Option<Cell> {
        let (_, row, col) = place(key).ok()?;
        self.model.workbook.worksheets.get(key.sheet)?.cell(row, col).map(|cell| cell.into_owned())
    }

    fn value(&self, key: CellKey, formula: &str) -> Result<CellValue, NotComputed> {
        match self.cell(key) {
            Some(Cell::CellFormula { v, .. } | Cell::ArrayFormula { v, .. }) => match v {
                FormulaValue::Boolean(truth) => Ok(CellValue::Bool(truth)),
                FormulaValue::Number(number) => Ok(to_number(number)),
                FormulaValue::Text(text) => Ok(to_text(text)),
                FormulaValue::Error { ei, .. } => to_error(&ei, formula),
                FormulaValue::Unevaluated => Err(NotComputed::Unsupported("something in it".to_owned())),
            },
            Some(Cell::SpillCell { v, .. }) => match v {
                SpillValue::Boolean(truth) => Ok(CellValue::Bool(truth)),
                SpillValue::Number(number) => Ok(to_number(number)),
                SpillValue::Text(text) => Ok(to_text(text)),
                SpillValue::Error(error) => to_error(&error, formula),
            },
            _ => Err(NotComputed::Unsupported("something in it".to_owned())),
        }
    }
}

/// The formula with `@` where Excel, in a formula that fills one cell, takes one cell of a range.
/// Written anew only if it changes, since the engine's way of writing is not ours.
fn with_intersections(node: &mut Node, text: &str, context: &CellReferenceRC) -> String {
    let before = to_english_string(node, context);
    add_implicit_intersection(node, true);
    let after = to_english_string(node, context);
    format!("={}", if before == after { text } else { after.as_str() })
}

fn place(key: CellKey) -> Result<(u32, i32, i32), String> {
    let outside = |_| "a cell outside the grid".to_owned();
    let sheet = u32::try_from(key.sheet).map_err(outside)?;
    let row = i32::try_from(key.cell.row()).map_err(outside)?;
    let col = i32::try_from(key.cell.col()).map_err(outside)?;
    Ok((sheet, row, col))
}

/// Finds what the engine does not know: functions, and calls of names, which could call themselves for ever.
fn check(node: &Node) -> Result<(), NotComputed> {
    match node {
        Node::ParseErrorKind { position, .. } => {
            Err(NotComputed::Syntax(format!("not understood at character {position}")))
        }
        Node::NamedFunctionKind { name, .. } => Err(NotComputed::Function(name.to_uppercase())),
        Node::LambdaCallKind { .. } => {
            Err(NotComputed::Unsupported("a LAMBDA that is called where it stands".to_owned()))
        }
        Node::TableNameKind(name) => Err(NotComputed::Unsupported(format!("the table {name}"))),
        Node::FunctionKind { args, .. } => args.iter().try_for_each(check),
        Node::LambdaDefKind { body: child, .. }
        | Node::UnaryKind { right: child, .. }
        | Node::ImplicitIntersection { child, .. }
        | Node::SpillRangeOperator { child } => check(child),
        Node::OpRangeKind { left, right }
        | Node::OpConcatenateKind { left, right }
        | Node::OpSumKind { left, right, .. }
        | Node::OpProductKind { left, right, .. }
        | Node::OpPowerKind { left, right }
        | Node::CompareKind { left, right, .. } => check(left).and_then(|()| check(right)),
        _ => Ok(()),
    }
}

fn to_number(number: f64) -> CellValue {
    if number.is_finite() { CellValue::Number(number) } else { CellValue::Error(CellError::Num) }
}

fn to_text(text: String) -> CellValue {
    let fits = text.len() <= TEXT_CHARS || text.encode_utf16().count() <= TEXT_CHARS;
    if fits { CellValue::Text(text) } else { CellValue::Error(CellError::Value) }
}

/// Errors that Excel would show too, or why there is no value.
fn to_error(error: &Error, formula: &str) -> Result<CellValue, NotComputed> {
    let error = match error {
        // Names and tables are not known to the engine, and INDIRECT may mean one.
        Error::REF if formula.to_ascii_uppercase().contains("INDIRECT") => {
            return Err(NotComputed::Unsupported("what INDIRECT points at".to_owned()));
        }
        Error::REF => CellError::Ref,
        Error::NAME => CellError::Name,
        Error::VALUE => CellError::Value,
        Error::DIV => CellError::Div,
        Error::NA => CellError::NotAvailable,
        Error::NUM => CellError::Num,
        Error::NULL => CellError::Null,
        Error::CALC => CellError::Other,
        Error::CIRC => return Err(NotComputed::Cycle),
        Error::ERROR | Error::NIMPL | Error::SPILL => {
            return Err(NotComputed::Unsupported("something in it".to_owned()));
        }
    };
    Ok(CellValue::Error(error))
}

fn from_error(error: CellError) -> Error {
    match error {
        CellError::Null => Error::NULL,
        CellError::Div => Error::DIV,
        CellError::Value => Error::VALUE,
        CellError::Ref => Error::REF,
        CellError::Name => Error::NAME,
        CellError::Num => Error::NUM,
        CellError::NotAvailable => Error::NA,
        CellError::Other => Error::CALC,
    }
}
