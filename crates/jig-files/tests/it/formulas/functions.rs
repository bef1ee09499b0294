//! Every function that is computed, against recorded results of LibreOffice (`tests/functions`, made by `record.py`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jig_files::FormulaEngine;
use jig_ooxml::xlsx::address::CellRef;
use jig_ooxml::xlsx::formula::recalculate::{
    BookModel, CellContent, CellError, CellKey, CellValue, FormulaCell, FormulaShape, SheetModel, StoredValue,
};

use super::{calculate, cell, shown};

/// As many recorded results must match before a function is computed at all.
const ENOUGH: usize = 20;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions")
}

fn columns(line: &str) -> [&str; 3] {
    let mut parts = line.split('\t');
    [(); 3].map(|()| parts.next().unwrap_or_default())
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
fn book(formulas: &[&str]) -> BookModel {
    let mut sheets = [SheetModel::new("Data"), SheetModel::new("Other")];
    for line in std::fs::read_to_string(folder().join("grid.tsv")).unwrap().lines() {
        let [place, kind, text] = columns(line);
        let (sheet, address) = place.split_once('!').unwrap();
        sheets[usize::from(sheet == "Other")].set(cell(address), CellContent::Value(value(kind, text)));
    }
    for (index, formula) in formulas.iter().enumerate() {
        let content =
            FormulaCell { text: (*formula).to_owned(), stored: StoredValue::Missing, shape: FormulaShape::Single };
        sheets[0].set(place(index), CellContent::Formula(content));
    }
    BookModel { sheets: sheets.to_vec(), ..BookModel::default() }
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

/// How the engine does on the recorded cases of one function.
#[derive(Default)]
struct Outcome {
    matching: usize,
    wrong: Vec<String>,
    /// The shapes of the arguments of each case that was computed, and whether it matches.
    shapes: Vec<(BTreeSet<String>, bool)>,
    kinds: BTreeSet<String>,
}

fn outcome(engine: &FormulaEngine, name: &str) -> Outcome {
    let text = std::fs::read_to_string(folder().join(format!("{name}.tsv"))).unwrap();
    let cases: Vec<[&str; 3]> = text.lines().map(columns).collect();
    let formulas: Vec<&str> = cases.iter().map(|case| case[0]).collect();
    let book = book(&formulas);
    let computed = calculate(engine, &book, &[], true);
    let values: HashMap<CellKey, CellValue> = computed.other_values.into_iter().collect();
    let mut outcome = Outcome::default();
    for (index, [formula, kind, text]) in cases.iter().enumerate() {
        let key = CellKey { sheet: 0, cell: place(index) };
        let Some(found) = values.get(&key) else { continue };
        let matches = same(found, &value(kind, text));
        if matches {
            outcome.matching += 1;
        } else {
            outcome.wrong.push(format!("{formula}: recorded {text}, computed {}", shown(found)));
        }
        if *kind != "e"
            && formula.trim_start_matches("_xlfn.").starts_with(&format!("{name}("))
            && formula.ends_with(')')
        {
            outcome.kinds.insert((*kind).to_owned());
        }
        outcome.shapes.push((engine.argument_shapes(&book, key, name).into_iter().collect(), matches));
    }
    outcome
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.filter_map(|name| name.to_string_lossy().strip_suffix(".tsv").map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name != "grid").collect();
    names.sort();
    names
}

/// Functions whose result depends on the day dates count from.
const DATES: &str = "DATE DATEDIF DATEVALUE DAY DAYS DAYS360 EDATE EOMONTH HOUR ISOWEEKNUM MINUTE MONTH NETWORKDAYS SECOND \
    TEXT TIME TIMEVALUE VALUE WEEKDAY WEEKNUM WORKDAY YEAR YEARFRAC";

/// Functions that take any number of like arguments.
const VARIADIC: &str = "AND AVERAGE CONCAT CONCATENATE COUNT COUNTA GCD LCM MAX MIN OR PRODUCT SUM SUMSQ TEXTJOIN XOR";

/// Whether a shape is of the kind that programs treat in different ways.
fn is_odd(shape: &str) -> bool {
    let (_, kind) = shape.split_once(':').unwrap_or_default();
    let kind = kind.strip_prefix("many-").unwrap_or(kind);
    matches!(
        kind,
        "bool"
            | "blank"
            | "emptytext"
            | "numtext"
            | "text"
            | "error"
            | "zero"
            | "negative"
            | "other-than"
            | "wildcard"
            | "missing"
            | "sizes"
    )
}

/// Among shapes that always come together, which one is the more likely cause.
fn likelihood(shape: &str) -> usize {
    ["blank", "negative", "zero", "text", "emptytext", "error", "numtext", "bool"]
        .iter()
        .position(|kind| {
            shape.ends_with(kind) && !shape.ends_with("numtext") || shape.ends_with("numtext") && *kind == "numtext"
        })
        .map_or(0, |at| at + 1)
}

/// The limits under which all recorded cases of a function match; none when there are no such limits, or too few cases.
fn limits(outcome: &Outcome, variadic: bool) -> Option<BTreeSet<String>> {
    let mut limits = BTreeSet::new();
    let mut left: Vec<&(BTreeSet<String>, bool)> = outcome.shapes.iter().collect();
    while left.iter().any(|(_, matches)| !matches) {
        let mut counts: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
        for (shapes, matches) in &left {
            for shape in shapes {
                let count = counts.entry(shape).or_default();
                if *matches { count.0 += 1 } else { count.1 += 1 }
            }
        }
        // The cause of a difference is an odd argument, or a shape with which most results differ.
        let causes = counts.into_iter().filter(|(shape, (right, wrong))| {
            *wrong > 0 && (is_odd(shape) || (right * 2 <= *wrong && !shape.contains("any")))
        });
        let cause =
            causes.max_by_key(|(shape, (right, wrong))| (wrong * 1000 / (right + 1), likelihood(shape), *wrong));
        let shape = cause?.0.clone();
        left.retain(|(shapes, _)| !shapes.contains(&shape));
        limits.insert(shape);
    }
    for limit in limits.clone() {
        // Functions of any number of arguments treat all of them alike.
        if let Some((_, kind)) = limit.split_once(':').filter(|(place, _)| *place != "*" && variadic) {
            limits.extend((1..=4).map(|place| format!("{place}:{kind}")));
        }
    }
    left.retain(|(shapes, _)| shapes.is_disjoint(&limits));
    (left.len() >= ENOUGH).then_some(limits)
}

fn derived() -> String {
    let every = FormulaEngine { every_function: true, ..FormulaEngine::default() };
    let mut table = "name\treturns\tdates\tallowed\tlimits\n".to_owned();
    for name in names().iter().filter(|name| *name != "OPERATORS") {
        let outcome = outcome(&every, name);
        let kinds: Vec<&str> = outcome.kinds.iter().map(String::as_str).collect();
        let returns = match kinds.as_slice() {
            ["n"] => "number",
            ["s"] => "text",
            ["b"] => "bool",
            _ => "any",
        };
        let limits = limits(&outcome, VARIADIC.split_whitespace().any(|other| other == name));
        if limits.is_none() {
            println!("{name} is not computed: {} results match; differences: {:?}", outcome.matching, outcome.wrong);
        }
        let dates = if DATES.split_whitespace().any(|date| date == name) { "yes" } else { "no" };
        let allowed = if limits.is_some() { "yes" } else { "no" };
        let limits = limits.unwrap_or_default().into_iter().collect::<Vec<_>>().join(" ");
        table += &format!("{name}\t{returns}\t{dates}\t{allowed}\t{limits}\n");
    }
    table
}

/// `UPDATE=1` writes the list anew from the recorded results.
#[test]
fn the_list_of_functions_follows_from_recorded_results() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formulas/functions.tsv");
    let derived = derived();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &derived).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    for (listed, derived) in listed.lines().zip(derived.lines()) {
        assert_eq!(listed, derived);
    }
    assert_eq!(listed.lines().count(), derived.lines().count());
}

#[test]
fn a_function_is_computed_only_where_it_matches_recorded_results() {
    let engine = FormulaEngine::default();
    let outcomes: BTreeMap<String, Outcome> =
        names().into_iter().map(|name| (name.clone(), outcome(&engine, &name))).collect();
    let wrong: Vec<String> = outcomes.values().flat_map(|outcome| outcome.wrong.iter().cloned()).collect();
    assert!(wrong.is_empty(), "{} wrong values:\n{}", wrong.len(), wrong.join("\n"));
    let computed: Vec<(&String, &Outcome)> = outcomes.iter().filter(|(_, outcome)| outcome.matching > 0).collect();
    let cases: usize = computed.iter().map(|(_, outcome)| outcome.matching).sum();
    println!("{} of {} functions are computed; {cases} recorded results match", computed.len(), outcomes.len());
    let few = computed.iter().filter(|(_, outcome)| outcome.matching < ENOUGH);
    let few: Vec<String> = few.map(|(name, outcome)| format!("{name}: {}", outcome.matching)).collect();
    assert_eq!(few, Vec::<String>::new(), "computed with too few recorded results");
}
