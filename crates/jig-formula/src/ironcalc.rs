//! The bridge to the engine crate: the only file that knows it.

use std::collections::HashMap;

use crate::model::{CellError, CellKey, CellValue, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed, SyntaxProblem, Unsupported};
use ironcalc_base::Model;
use ironcalc_base::expressions::parser::static_analysis::add_implicit_intersection;
use ironcalc_base::expressions::parser::stringify::to_english_string;
use ironcalc_base::expressions::parser::{Node, Parser, new_parser_english};
use ironcalc_base::expressions::token::Error;
use ironcalc_base::expressions::types::CellReferenceRC;
use ironcalc_base::types::{ArrayKind, Cell, FormulaValue, SpillValue};
use jig_file_api::address::{CellRange, CellRef};

use crate::FormulaText;

use crate::argument_limits::{Context, check as check_values, check_counts};
use crate::corrections::corrected;
use crate::job::{Answer, Formula, Job};
use crate::known::Known;
use crate::tree::{Expr, NodeId, Tree};

/// The most characters a cell can hold; a longer text is an error in Excel.
const TEXT_CHARS: usize = 32_767;

/// Evaluates the rounds of a job. Gives one answer for each formula, in order.
pub(crate) fn evaluate(job: &Job) -> Vec<Answer> {
    let formulas = || job.rounds.iter().flatten();
    match Evaluation::new(job) {
        Ok(mut evaluation) => job.rounds.iter().flat_map(|round| evaluation.round(round)).collect(),
        Err(message) => formulas().map(|_| Err(Unsupported::Engine(message.clone()).into())).collect(),
    }
}

/// Times that values inside of a formula are asked for; what they say can make others needed.
const PROBE_ROUNDS: usize = 4;
/// Values inside of one formula that are asked for.
const PROBES: usize = 500;

struct Evaluation<'a> {
    model: Model<'a>,
    parser: Parser<'a>,
    sheets: &'a [String],
    /// Sheets by their names in lower case.
    sheet_index: HashMap<String, usize>,
    known: Known,
}

/// Values inside of a formula by their place in its tree.
struct Probe {
    /// Which formula of the round it is.
    formula: usize,
    wanted: Vec<NodeId>,
    found: HashMap<NodeId, CellValue>,
}

impl<'a> Evaluation<'a> {
    fn new(job: &'a Job) -> Result<Self, String> {
        let mut model = Model::new_empty("book", "en", "UTC", "en")?;
        for (index, name) in job.sheets.iter().enumerate() {
            let added = if index == 0 { model.rename_sheet_by_index(0, name) } else { model.add_sheet(name) };
            added.map_err(|_| format!("a sheet named `{name}`"))?;
        }
        // Behind all sheets, one for the probes of each.
        let mut prefix = "probes".to_owned();
        while job.sheets.iter().any(|name| name.to_lowercase().starts_with(&prefix)) {
            prefix.push('_');
        }
        let mut names = job.sheets.clone();
        for index in 0..job.sheets.len() {
            let name = format!("{prefix}{index}");
            model.add_sheet(&name).map_err(|_| "so many sheets".to_owned())?;
            names.push(name);
        }
        let parser = new_parser_english(names, Vec::new(), HashMap::new());
        let sheet_index = job.sheets.iter().enumerate().map(|(at, name)| (name.to_lowercase(), at)).collect();
        let (sheets, known) = (&job.sheets, Known::default());
        let mut evaluation = Self { model, parser, sheets, sheet_index, known };
        for (key, value) in &job.values {
            evaluation.put_value(*key, value)?;
            evaluation.known.insert(*key, value.clone());
        }
        Ok(evaluation)
    }

    fn round(&mut self, formulas: &[Formula]) -> Vec<Answer> {
        let trees: Vec<Option<Tree<'_>>> = formulas.iter().map(|formula| Tree::of(&formula.formula)).collect();
        let put: Vec<Result<(), NotComputed>> =
            formulas.iter().zip(&trees).map(|(formula, tree)| self.put_corrected(formula, tree.as_ref())).collect();
        self.model.evaluate();
        let mut answers: Vec<Answer> =
            formulas.iter().zip(put).map(|(formula, put)| put.and_then(|()| self.read(formula))).collect();
        // The next round builds on values, cut to what cells can hold.
        for (key, value) in answers.iter().flatten().flatten() {
            let _ = self.put_value(*key, value);
            self.known.insert(*key, value.clone());
        }
        self.check(formulas, &trees, &mut answers);
        answers
    }

    /// Refuses answers that rest on values with which programs differ.
    fn check(&mut self, formulas: &[Formula], trees: &[Option<Tree<'_>>], answers: &mut [Answer]) {
        let open = answers.iter().enumerate().filter(|(_, answer)| answer.is_ok());
        let mut open: Vec<Probe> =
            open.map(|(formula, _)| Probe { formula, wanted: Vec::new(), found: HashMap::new() }).collect();
        for _ in 0..PROBE_ROUNDS {
            open.retain_mut(|probe| {
                let (Some(formula), Some(Some(tree)), Some(answer)) =
                    (formulas.get(probe.formula), trees.get(probe.formula), answers.get_mut(probe.formula))
                else {
                    return false;
                };
                let Ok(results) = &*answer else { return false };
                let context = Context { sheet: formula.key.sheet, sheets: &self.sheet_index, known: &self.known };
                let findings = check_values(tree, &context, &probe.found, results);
                probe.wanted = findings.wanted.into_iter().collect();
                let cannot = probe.wanted.len() > PROBES || probe.wanted.iter().any(|id| calls_indirect(tree, *id));
                if cannot {
                    *answer = Err(Unsupported::InnerValue.into());
                } else if let (Some(problem), true) = (findings.problem, probe.wanted.is_empty()) {
                    *answer = Err(problem);
                }
                !cannot && !probe.wanted.is_empty()
            });
            if open.is_empty() {
                return;
            }
            self.probe(formulas, trees, &mut open);
        }
        for probe in open {
            if let Some(answer) = answers.get_mut(probe.formula) {
                *answer = Err(Unsupported::InnerValue.into());
            }
        }
    }

    /// Computes parts of formulas on the sheets for probes, at the place of the formula: one part of each at a time.
    fn probe(&mut self, formulas: &[Formula], trees: &[Option<Tree<'_>>], open: &mut [Probe]) {
        let most = open.iter().map(|probe| probe.wanted.len()).max().unwrap_or(0);
        for turn in 0..most {
            let mut asked: Vec<(usize, NodeId, CellKey)> = Vec::new();
            for (index, probe) in open.iter().enumerate() {
                let (Some(formula), Some(Some(tree)), Some(id)) =
                    (formulas.get(probe.formula), trees.get(probe.formula), probe.wanted.get(turn))
                else {
                    continue;
                };
                let sheet = formula.key.sheet;
                let key = CellKey { sheet: self.sheets.len() + sheet, cell: formula.key.cell };
                let text = corrected(tree, *id, self.sheets.get(sheet).map(String::as_str));
                if text.is_some_and(|text| self.put_formula(key, &text, FormulaShape::Single).is_ok()) {
                    asked.push((index, *id, key));
                }
            }
            self.model.evaluate();
            for (index, id, key) in asked {
                if let (Ok(value), Some(probe)) = (self.value(key, ""), open.get_mut(index)) {
                    probe.found.insert(id, value);
                }
                self.clear(key);
            }
        }
    }

    fn clear(&mut self, key: CellKey) {
        if let (Ok((_, row, column)), Some(sheet)) = (place(key), self.model.workbook.worksheets.get_mut(key.sheet)) {
            let _ = sheet.cell_clear_contents(row, column);
        }
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

    fn put_corrected(&mut self, formula: &Formula, tree: Option<&Tree<'_>>) -> Result<(), NotComputed> {
        let tree = tree.ok_or(Unsupported::EngineValue)?;
        check_counts(tree)?;
        let text = corrected(tree, tree.root, None).ok_or(LimitKind::CorrectedBytes)?;
        self.put_formula(formula.key, &text, formula.shape)
    }

    fn put_formula(&mut self, key: CellKey, formula: &str, shape: FormulaShape) -> Result<(), NotComputed> {
        let (sheet, row, column) = place(key).map_err(Unsupported::Engine)?;
        let context = CellReferenceRC { sheet: self.sheets.get(key.sheet).cloned().unwrap_or_default(), row, column };
        let mut node = self.parser.parse(formula, &context);
        check(&node)?;
        let text = match shape {
            FormulaShape::Single => with_intersections(&mut node, formula, &context),
            FormulaShape::Array(_) | FormulaShape::Spill(_) | FormulaShape::DataTable(_) => {
                format!("={formula}")
            }
        };
        let put = match shape {
            FormulaShape::Array(area) => self.put_array(sheet, area, &text),
            FormulaShape::DataTable(_) => Err("a what-if data table".to_owned()),
            FormulaShape::Spill(_) => self.model.update_cell_with_formula(sheet, row, column, text),
            FormulaShape::Single => self.put_single(key, &text),
        };
        put.map_err(|message| Unsupported::Engine(message).into())
    }

    fn put_array(&mut self, sheet: u32, area: CellRange, text: &str) -> Result<(), String> {
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
            (FormulaShape::Single, _) => CellRange::from(formula.key.cell),
            (FormulaShape::Array(area) | FormulaShape::DataTable(area), _) => area,
            (FormulaShape::Spill(area), cell) => {
                let (columns, rows) = match cell {
                    Some(Cell::ArrayFormula { r, .. }) => r,
                    _ => (1, 1),
                };
                let same = u32::try_from(columns) == Ok(area.columns()) && u32::try_from(rows) == Ok(area.rows());
                if !same {
                    return Err(Unsupported::ResizedArray.into());
                }
                area
            }
        };
        let mut values = Vec::new();
        for row in area.start().row()..=area.end().row() {
            for col in area.start().col()..=area.end().col() {
                if let Some(cell) = CellRef::new(row, col) {
                    let key = CellKey { sheet: formula.key.sheet, cell };
                    values.push((key, self.value(key, formula.formula.text())?));
                }
            }
        }
        // Excel repeats one row or column of results and has `#N/A` behind all others; the engine has `#VALUE!` in
        // both places, as for results that are in error.
        let is_error =
            |(key, value): &(CellKey, CellValue)| *key != formula.key && *value == CellValue::Error(CellError::Value);
        if values.iter().any(is_error) {
            return Err(Unsupported::ShortArray.into());
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
                FormulaValue::Unevaluated => Err(Unsupported::EngineValue.into()),
            },
            Some(Cell::SpillCell { v, .. }) => match v {
                SpillValue::Boolean(truth) => Ok(CellValue::Bool(truth)),
                SpillValue::Number(number) => Ok(to_number(number)),
                SpillValue::Text(text) => Ok(to_text(text)),
                SpillValue::Error(error) => to_error(&error, formula),
            },
            _ => Err(Unsupported::EngineValue.into()),
        }
    }
}

/// Whether a part finds cells by text, which means others on another sheet.
fn calls_indirect(tree: &Tree<'_>, id: NodeId) -> bool {
    tree.descendants(id).into_iter().any(|id| matches!(tree.expr(id), Expr::Call(name, _) if name == "INDIRECT"))
}

/// The formula with `@` where Excel, in a formula that fills one cell, takes one cell of a range.
/// Rewritten only if it changes, since the engine formats formulas in another way.
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
        Node::ParseErrorKind { position, .. } => Err(SyntaxProblem::NotUnderstood { position: *position }.into()),
        Node::NamedFunctionKind { name, .. } => Err(NotComputed::Function(name.to_uppercase())),
        Node::LambdaCallKind { .. } => Err(Unsupported::CalledLambda.into()),
        Node::TableNameKind(name) => Err(Unsupported::Table(name.clone()).into()),
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
    // Adding 0 makes a plain zero of a negative one.
    if number.is_finite() { CellValue::Number(number + 0.0) } else { CellValue::Error(CellError::Num) }
}

fn to_text(text: String) -> CellValue {
    let fits = text.len() <= TEXT_CHARS || text.encode_utf16().count() <= TEXT_CHARS;
    if fits { CellValue::Text(text) } else { CellValue::Error(CellError::Value) }
}

/// Errors that Excel would show too, or why the cell has no value.
fn to_error(error: &Error, formula: &str) -> Result<CellValue, NotComputed> {
    let error = match error {
        // Names and tables are not known to the engine, and INDIRECT may mean one.
        Error::REF if formula.to_ascii_uppercase().contains("INDIRECT") => {
            return Err(Unsupported::IndirectTarget.into());
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
            return Err(Unsupported::EngineValue.into());
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
