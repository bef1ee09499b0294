//! Every function that is computed, against recorded results of LibreOffice (`tests/functions`; `record.py` writes them).

use std::collections::{BTreeMap, HashMap};

use jig_file_api::address::CellRef;
use jig_formula::FormulaEngine;
use jig_formula::computed_functions;
use jig_formula::{
    CalcModel, CellContent, CellError, CellKey, CellValue, FormulaCell, FormulaShape, SheetModel, StoredValue,
};

use super::{calculate, cell, shown};

/// As many recorded results must match before a function is computed.
const ENOUGH: usize = 20;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions")
}

fn columns(line: &str) -> [&str; 4] {
    let mut parts = line.split('\t');
    [(); 4].map(|()| parts.next().unwrap_or_default())
}

fn value(kind: &str, text: &str) -> CellValue {
    match kind {
        "n" => CellValue::Number(text.parse().unwrap()),
        "b" => CellValue::Bool(text == "TRUE"),
        "e" => CellValue::Error(CellError::from_text(text)),
        _ => CellValue::Text(text.to_owned()),
    }
}

/// The grid with the formulas in column AD, from row 101 on, as they were recorded.
fn book(formulas: &[&str]) -> CalcModel {
    let mut sheets = [SheetModel::new("Data"), SheetModel::new("Other")];
    for line in std::fs::read_to_string(folder().join("grid.tsv")).unwrap().lines() {
        let [place, kind, text, _] = columns(line);
        let (sheet, address) = place.split_once('!').unwrap();
        sheets[usize::from(sheet == "Other")].set(cell(address), CellContent::Value(value(kind, text)));
    }
    for (index, formula) in formulas.iter().enumerate() {
        let content =
            FormulaCell { text: (*formula).to_owned(), stored: StoredValue::Missing, shape: FormulaShape::Single };
        sheets[0].set(place(index), CellContent::Formula(content));
    }
    CalcModel { sheets: sheets.to_vec(), ..CalcModel::default() }
}

fn place(index: usize) -> CellRef {
    CellRef::new(101 + u32::try_from(index).unwrap(), 30).unwrap()
}

fn same(found: &CellValue, recorded: &CellValue) -> bool {
    match (found, recorded) {
        (CellValue::Number(a), CellValue::Number(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1e-3),
        // A file holds a formula that gives nothing as 0.
        (CellValue::Empty, CellValue::Number(b)) => *b == 0.0,
        _ => found == recorded,
    }
}

/// How the engine does on recorded cases: those that decided what is computed, or those that were held out.
#[derive(Default)]
struct Outcome {
    recorded: usize,
    matching: usize,
    wrong: Vec<String>,
}

/// The outcome of the cases of one function: the deciding ones first, then those that were held out.
fn outcomes(engine: &FormulaEngine, name: &str) -> [Outcome; 2] {
    let text = std::fs::read_to_string(folder().join(format!("{name}.tsv"))).unwrap_or_default();
    let cases: Vec<[&str; 4]> = text.lines().map(columns).collect();
    let formulas: Vec<&str> = cases.iter().map(|case| case[0]).collect();
    let computed = calculate(engine, &book(&formulas), &[], true);
    let values: HashMap<CellKey, CellValue> = computed.other_values.into_iter().collect();
    let mut outcomes = [Outcome::default(), Outcome::default()];
    for (index, [formula, kind, text, held_out]) in cases.iter().enumerate() {
        let outcome = &mut outcomes[usize::from(!held_out.is_empty())];
        outcome.recorded += 1;
        let key = CellKey { sheet: 0, cell: place(index) };
        match values.get(&key) {
            Some(found) if same(found, &value(kind, text)) => outcome.matching += 1,
            Some(found) => outcome.wrong.push(format!("{formula}: recorded {text}, computed {}", shown(found))),
            None => {}
        }
    }
    outcomes
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.filter_map(|name| name.to_string_lossy().strip_suffix(".tsv").map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name != "grid").collect();
    names.sort();
    names
}

#[test]
fn a_function_is_computed_only_where_it_matches_recorded_results() {
    let engine = FormulaEngine::default();
    let all: BTreeMap<String, [Outcome; 2]> =
        names().into_iter().map(|name| (name.clone(), outcomes(&engine, &name))).collect();
    for (title, at) in [("deciding", 0), ("held-out", 1)] {
        let sum = |of: fn(&Outcome) -> usize| all.values().map(|outcomes| of(&outcomes[at])).sum::<usize>();
        let (recorded, matching, wrong) =
            (sum(|outcome| outcome.recorded), sum(|outcome| outcome.matching), sum(|outcome| outcome.wrong.len()));
        println!("{title} cases: {matching} of {recorded} computed and right, {wrong} wrong");
    }
    let wrong: Vec<&String> = all.values().flatten().flat_map(|outcome| &outcome.wrong).collect();
    assert!(wrong.is_empty(), "{} wrong values:\n{wrong:#?}", wrong.len());
    let few = computed_functions().into_iter().filter(|name| {
        let matching = all.get(*name).map_or(0, |outcomes| outcomes.iter().map(|outcome| outcome.matching).sum());
        matching < ENOUGH
    });
    assert_eq!(few.collect::<Vec<_>>(), Vec::<&str>::new(), "computed with fewer than {ENOUGH} recorded results");
}
