//! Every function against recorded results of LibreOffice, each a test of its own. `record.py` writes the cases.
//!
//! A function is computed if and only if 20 recorded results match, and no computed value differs from a recorded one.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jig_file_api::address::CellRef;
use jig_formula::{
    AllLoaded, CalcModel, CellContent, CellError, CellKey, CellValue, FormulaCell, FormulaEngine, FormulaShape,
    FunctionTable, Request, SheetModel, StoredValue,
};
use libtest_mimic::{Arguments, Failed, Trial};

/// As many recorded results must match before a function is computed.
const ENOUGH: usize = 20;

/// The cases of operators, which are no function.
const OPERATORS: &str = "OPERATORS";

fn main() {
    let totals: Arc<Mutex<[Outcome; 2]>> = Arc::default();
    let mut trials: Vec<Trial> = recorded().into_iter().map(|name| trial(name, totals.clone())).collect();
    trials.push(Trial::test("every_computed_function_is_recorded", every_computed_function_is_recorded));
    trials.push(Trial::test("every_kind_of_value_is_recorded", every_kind_of_value_is_recorded));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let totals = totals.lock().unwrap();
    for (title, outcome) in ["deciding", "held-out"].iter().zip(totals.iter()).filter(|(_, all)| all.recorded > 0) {
        let Outcome { recorded, matching, wrong } = outcome;
        println!("{title} cases: {matching} of {recorded} computed and right, {} wrong", wrong.len());
    }
    conclusion.exit();
}

fn trial(name: String, totals: Arc<Mutex<[Outcome; 2]>>) -> Trial {
    Trial::test(name.clone(), move || {
        let outcomes = outcomes(&name);
        let matching: usize = outcomes.iter().map(|outcome| outcome.matching).sum();
        let wrong: Vec<String> = outcomes.iter().flat_map(|outcome| outcome.wrong.clone()).collect();
        let mut totals = totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        totals.iter_mut().zip(outcomes).for_each(|(total, outcome)| total.add(outcome));
        if !wrong.is_empty() {
            return Err(Failed::from(format!("{} wrong values:\n{}", wrong.len(), wrong.join("\n"))));
        }
        let is_allowed = name == OPERATORS || FunctionTable::get(&name).is_some_and(|function| function.allowed);
        if is_allowed != (matching >= ENOUGH) {
            return Err(Failed::from(format!(
                "{matching} recorded results match, {ENOUGH} are needed, and `allowed` in functions.tsv is {is_allowed}"
            )));
        }
        Ok(())
    })
}

fn every_computed_function_is_recorded() -> Result<(), Failed> {
    let recorded: HashSet<String> = recorded().into_iter().collect();
    let missing: Vec<&str> = FunctionTable::allowed().into_iter().filter(|name| !recorded.contains(*name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(Failed::from(format!("no recorded cases: {}", missing.join(", ")))) }
}

/// What stands for each kind of value in the recorded cases: alone, or among other values.
const KINDS: [(&str, [&str; 2]); 6] = [
    ("an empty cell", ["J1", "J1:J4"]),
    ("an error", ["H1", "H1:H4"]),
    ("a number stored as text", ["D6", "D1:D8"]),
    ("a date", ["E1", "E1:E8"]),
    ("an array", ["A1:A3", "{1,2,3}"]),
    ("another sheet", ["Other!A2", "Other!A1:A8"]),
];

/// Each function is recorded with each kind of value, and half of these cases are held out like the others.
fn every_kind_of_value_is_recorded() -> Result<(), Failed> {
    let takes_arguments = |name: &&str| FunctionTable::get(name).is_some_and(|function| function.most != Some(0));
    let mut missing = Vec::new();
    for name in FunctionTable::allowed().into_iter().filter(takes_arguments) {
        let text = std::fs::read_to_string(folder().join(format!("{name}.tsv")))?;
        let cases: Vec<[&str; 4]> = text.lines().map(columns).collect();
        let kinds = KINDS.iter().filter(|(_, cells)| {
            let reads = |formula: &str| cells.iter().any(|cells| formula.contains(cells));
            !cases.iter().any(|[formula, ..]| reads(formula))
        });
        missing.extend(kinds.map(|(kind, _)| format!("{name} with {kind}")));
        if !cases.iter().any(|[.., held_out]| held_out == &"held out") {
            missing.push(format!("{name}, held out"));
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Failed::from(format!("no recorded cases: {}", missing.join(", ")))) }
}

/// How the engine does on recorded cases.
#[derive(Default)]
struct Outcome {
    recorded: usize,
    matching: usize,
    wrong: Vec<String>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.recorded += other.recorded;
        self.matching += other.matching;
        self.wrong.extend(other.wrong);
    }
}

/// The outcome of the cases of one function: the deciding ones first, then those that were held out.
fn outcomes(name: &str) -> [Outcome; 2] {
    let text = std::fs::read_to_string(folder().join(format!("{name}.tsv"))).unwrap();
    let cases: Vec<[&str; 4]> = text.lines().map(columns).collect();
    let formulas: Vec<&str> = cases.iter().map(|case| case[0]).collect();
    let request = Request { changed: &[], whole_workbook: true };
    let computed = FormulaEngine::default().calculate(&mut workbook(&formulas), &request, &mut AllLoaded);
    let values: HashMap<CellKey, CellValue> = computed.other_values.into_iter().collect();
    let mut outcomes = [Outcome::default(), Outcome::default()];
    for (index, [formula, kind, text, held_out]) in cases.iter().enumerate() {
        let outcome = &mut outcomes[usize::from(!held_out.is_empty())];
        outcome.recorded += 1;
        let key = CellKey { sheet: 0, cell: place(index) };
        match values.get(&key) {
            Some(found) if same(found, &value(kind, text)) => outcome.matching += 1,
            Some(found) => outcome.wrong.push(format!("{formula}: recorded {text}, computed {found:?}")),
            None => {}
        }
    }
    outcomes
}

/// The recorded grid with the formulas in column AD, from row 101 on.
fn workbook(formulas: &[&str]) -> CalcModel {
    let mut sheets = [SheetModel::new("Data"), SheetModel::new("Other")];
    for line in std::fs::read_to_string(folder().join("grid.tsv")).unwrap().lines() {
        let [address, kind, text, _] = columns(line);
        let (sheet, cell) = address.split_once('!').unwrap();
        sheets[usize::from(sheet == "Other")].set(cell.parse().unwrap(), CellContent::Value(value(kind, text)));
    }
    for (index, formula) in formulas.iter().enumerate() {
        let content = FormulaCell::new(*formula, StoredValue::Missing, FormulaShape::Single);
        sheets[0].set(place(index), CellContent::Formula(content));
    }
    CalcModel { sheets: sheets.to_vec(), ..CalcModel::default() }
}

fn same(found: &CellValue, recorded: &CellValue) -> bool {
    match (found, recorded) {
        (CellValue::Number(a), CellValue::Number(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1e-3),
        // A file stores 0 for a formula that gives an empty cell.
        (CellValue::Empty, CellValue::Number(b)) => *b == 0.0,
        _ => found == recorded,
    }
}

fn value(kind: &str, text: &str) -> CellValue {
    match kind {
        "n" => CellValue::Number(text.parse().unwrap()),
        "b" => CellValue::Bool(text == "TRUE"),
        "e" => CellValue::Error(CellError::from_text(text)),
        _ => CellValue::Text(text.to_owned()),
    }
}

fn place(index: usize) -> CellRef {
    CellRef::new(101 + u32::try_from(index).unwrap(), 30).unwrap()
}

fn columns(line: &str) -> [&str; 4] {
    let mut parts = line.split('\t');
    [(); 4].map(|()| parts.next().unwrap_or_default())
}

/// The names of all recordings.
fn recorded() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.filter_map(|name| name.to_string_lossy().strip_suffix(".tsv").map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name != "grid").collect();
    names.sort();
    names
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions")
}
