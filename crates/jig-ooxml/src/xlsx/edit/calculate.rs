//! After an edit: the formulas that depend on changed cells are computed where there is a calculator;
//! what is not computed keeps no value that may be wrong, and the workbook is marked for calculation.

mod depends;
mod model;

use std::collections::{BTreeSet, HashSet};

use self::depends::Graph;
pub(super) use self::model::{load as load_strings, value_of, written};
use super::editor::{Editor, cells_of, grid_part, listed};
use super::everywhere::{each_formula, is_shared};
use super::sheet::Cached;
use super::values::NewValue;
use crate::error::Error;
use crate::xlsx::address::{CellRef, RangeRef};
use crate::xlsx::formula::future;
use crate::xlsx::formula::recalculate::{BookModel, Calculated, CellContent, CellKey, CellValue};

/// A formula of the workbook as it will be.
#[derive(Debug)]
struct Formula {
    key: CellKey,
    text: String,
    /// The cells it fills, when those are more than its own.
    array: Option<RangeRef>,
    /// The stored result is an error, or there is none.
    failed: bool,
    /// New, and its result may fill more cells than its own.
    spills: bool,
}

/// The most cells that one array formula is taken to fill; of a larger one only the first cell counts.
const MOST_FILLED: u64 = 10_000;

/// The most formulas that are looked at; beyond, the workbook is only marked for calculation.
const MOST_FORMULAS: usize = 1_000_000;

/// Brings stored results in line with the changes that wait.
pub(super) fn recalculate(editor: &mut Editor<'_>) -> Result<(), Error> {
    if editor.dirty.values().all(BTreeSet::is_empty) {
        return Ok(());
    }
    let Some(formulas) = formulas(editor)? else {
        editor.calculate_on_load = true;
        editor
            .warnings
            .push("the workbook has too many formulas to follow; it is calculated when it is opened".to_owned());
        return Ok(());
    };
    if formulas.is_empty() {
        return Ok(());
    }
    let changed = changed_keys(editor);
    let tables = model::tables(editor)?;
    let graph = Graph::new(&editor.book, &tables, &formulas);
    let affected = graph
        .affected(&changed, |sheet| grid_part(&editor.book, sheet).is_some_and(|part| editor.added.contains(&part)));
    if affected.is_empty() {
        return Ok(());
    }
    let model = match editor.options.calculator {
        Some(_) => model::build(editor, &formulas, &graph, &affected, tables.clone())?,
        None => None,
    };
    let (Some(calculator), Some(model)) = (editor.options.calculator, model) else {
        return mark_unknown(editor, &formulas, &affected);
    };
    let reached = filled_by(&formulas, &affected);
    write_results(editor, calculator.calculate(&model, &changed), &model, &reached)
}

/// The cells that these formulas fill.
fn filled_by(formulas: &[Formula], places: &[usize]) -> HashSet<CellKey> {
    let filled = |formula: &Formula| {
        let range = formula.array.filter(|range| range.cells() <= MOST_FILLED);
        let sheet = formula.key.sheet;
        cells_of(range.unwrap_or_else(|| formula.key.cell.into())).map(move |cell| CellKey { sheet, cell })
    };
    places.iter().filter_map(|at| formulas.get(*at)).flat_map(filled).collect()
}

/// Puts results where they differ from those stored. A formula that the edit does not reach, but whose result
/// was missing and had to be computed on the way, gets it only where its sheet is written anyway.
fn write_results(
    editor: &mut Editor<'_>,
    computed: Calculated,
    model: &BookModel,
    reached: &HashSet<CellKey>,
) -> Result<(), Error> {
    for (key, value) in computed.values {
        let stored = stored_value(model, key);
        let wanted = reached.contains(&key) || stored.is_some() || is_edited(editor, key.sheet);
        if wanted && !stored.is_some_and(|stored| same_value(stored, &value)) {
            set_cached(editor, key, Cached::Value(value))?;
        }
    }
    let mut reasons = Vec::new();
    for (key, why) in computed.not_computed {
        if !reached.contains(&key) {
            continue;
        }
        reasons.push(format!("{} ({why})", name_of(editor, key)));
        if stored_value(model, key).is_some() {
            set_cached(editor, key, Cached::Unknown)?;
        }
    }
    if !reasons.is_empty() {
        editor.calculate_on_load = true;
        let list = listed(reasons.into_iter(), 10);
        editor.warnings.push(format!("not calculated, so without a stored value until the workbook is opened: {list}"));
    }
    Ok(())
}

/// The value that the file holds for a cell; none for one that an op has just written.
fn stored_value(model: &BookModel, key: CellKey) -> Option<&CellValue> {
    match model.sheets.get(key.sheet)?.get(key.cell)? {
        CellContent::Value(value) => Some(value),
        CellContent::Formula(formula) => formula.cached.as_ref(),
    }
}

fn is_edited(editor: &Editor<'_>, sheet: usize) -> bool {
    let state = grid_part(&editor.book, sheet).and_then(|part| editor.loaded(&part));
    state.is_some_and(|state| !state.cells.is_empty())
}

/// Whether two values are the same to the 15 digits that a workbook shows.
fn same_value(stored: &CellValue, computed: &CellValue) -> bool {
    match (stored, computed) {
        (CellValue::Number(stored), CellValue::Number(computed)) => {
            stored == computed || (stored - computed).abs() <= 1e-15 * stored.abs().max(computed.abs())
        }
        _ => stored == computed,
    }
}

/// All formulas, changes that wait included. None when there are too many.
fn formulas(editor: &mut Editor<'_>) -> Result<Option<Vec<Formula>>, Error> {
    let mut formulas = Vec::new();
    for sheet in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, sheet).filter(|part| editor.package.has(part)) else { continue };
        editor.sheet(&part)?;
        let Some(state) = editor.loaded(&part) else { continue };
        let written = |cell: CellRef| state.cells.get(&cell).is_some_and(|edit| edit.value.is_some());
        if state.has_formulas {
            each_formula(&editor.package, state, &mut |cell, formula| {
                if written(cell) || formulas.len() > MOST_FORMULAS || formula.kind() == b"dataTable" {
                    return;
                }
                let array = formula.range().filter(|_| formula.kind() == b"array");
                let text = match formula.group().filter(|_| is_shared(formula.tag)) {
                    Some(group) => state.shared.get(&group).and_then(|group| group.formula_at(cell)),
                    None => Some(formula.text.clone()),
                };
                if let Some(text) = text.filter(|text| !text.is_empty()) {
                    formulas.push(Formula {
                        key: CellKey { sheet, cell },
                        text,
                        array,
                        failed: formula.failed,
                        spills: false,
                    });
                }
            })?;
        }
        for (cell, edit) in &state.cells {
            if let Some(NewValue::Formula(text)) = &edit.value {
                let key = CellKey { sheet, cell: *cell };
                let array = future::spills(text).then(|| RangeRef::from(*cell));
                formulas.push(Formula { key, text: text.clone(), array, failed: true, spills: array.is_some() });
            }
        }
        if formulas.len() > MOST_FORMULAS {
            return Ok(None);
        }
    }
    Ok(Some(formulas))
}

fn changed_keys(editor: &Editor<'_>) -> Vec<CellKey> {
    let mut keys = Vec::new();
    for (sheet, entry) in editor.book.sheets.iter().enumerate() {
        let cells = entry.part.as_ref().and_then(|part| editor.dirty.get(part));
        keys.extend(cells.into_iter().flatten().map(|cell| CellKey { sheet, cell: *cell }));
    }
    keys
}

fn name_of(editor: &Editor<'_>, key: CellKey) -> String {
    let name = editor.book.sheets.get(key.sheet).map(|sheet| sheet.name.as_str()).unwrap_or_default();
    format!("{name}!{}", key.cell)
}

fn set_cached(editor: &mut Editor<'_>, key: CellKey, cached: Cached) -> Result<(), Error> {
    let Some(part) = grid_part(&editor.book, key.sheet) else { return Ok(()) };
    let edit = editor.sheet(&part)?.edit(key.cell);
    // A plain value that an op wrote is no result of a formula.
    if matches!(edit.value, None | Some(NewValue::Formula(_))) {
        edit.cached = Some(cached);
    }
    Ok(())
}

/// Without a calculator: results that may be wrong are taken out.
fn mark_unknown(editor: &mut Editor<'_>, formulas: &[Formula], affected: &[usize]) -> Result<(), Error> {
    editor.calculate_on_load = true;
    let mut names = Vec::with_capacity(affected.len());
    names.extend(affected.iter().filter_map(|at| formulas.get(*at)).map(|formula| name_of(editor, formula.key)));
    for key in filled_by(formulas, affected) {
        set_cached(editor, key, Cached::Unknown)?;
    }
    let list = listed(names.into_iter(), 10);
    editor.warnings.push(format!("not calculated, so without a stored value until the workbook is opened: {list}"));
    Ok(())
}
