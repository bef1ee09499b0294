//! Recalculates after an edit: formulas that depend on changed cells are computed if the caller passed an engine. A
//! formula that is not computed loses its stored value, and the workbook is marked for calculation on load.

mod model;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use self::model::{Source, formulas_of};
pub(super) use self::model::{cell_value, load_strings, written};
use super::sheet::Cached;
use super::values::NewValue;
use super::{WorkbookEdit, grid_part, listed};
use crate::edit::{ApplyOptions, StaleCell};
use crate::error::Error;
use crate::limits::Limits;
use crate::xlsx::formula::{
    CalcModel, Calculated, CellContent, CellKey, CellValue, FormulaEngine, NotComputed, Request,
};

/// Updates stored results for the recorded changes.
pub(super) fn recalculate(editor: &mut WorkbookEdit<'_>) -> Result<(), Error> {
    let whole_workbook = editor.options.recalculate_workbook;
    if !whole_workbook && editor.dirty.values().all(BTreeSet::is_empty) {
        return Ok(());
    }
    let Some(mut model) = formulas_of(editor)? else {
        return forget_all(editor, "the workbook has more formulas than can be followed");
    };
    if !model.sheets.iter().any(|sheet| sheet.cells().next().is_some()) {
        return Ok(());
    }
    let Some(engine) = editor.options.formulas else {
        return forget_all(editor, "formulas are not computed here");
    };
    let changed = changed_keys(editor);
    let request = Request { changed: &changed, whole_workbook };
    let computed = engine.calculate(&mut model, &request, &mut Source::new(editor));
    match &computed.not_followed {
        Some(why) => forget_all(editor, &why.to_string()),
        None => write_results(editor, computed, &model),
    }
}

/// The values of formulas whose stored value is missing or not trusted.
pub(crate) fn untrusted_values(
    bytes: Arc<[u8]>,
    limits: Limits,
    engine: &FormulaEngine,
) -> Result<Option<Calculated>, Error> {
    let mut editor = WorkbookEdit::open(Some(bytes), ApplyOptions { limits, ..ApplyOptions::default() })?;
    let Some(mut model) = formulas_of(&mut editor)? else { return Ok(None) };
    let request = Request { changed: &[], whole_workbook: true };
    let computed = engine.calculate(&mut model, &request, &mut Source::new(&editor));
    Ok(Some(computed).filter(|computed| computed.not_followed.is_none()))
}

/// The current values of formulas where they differ from the file: those that the ops so far affect, and those without
/// a trusted stored value. None for a cell that could not be computed.
pub(super) fn current_values(editor: &mut WorkbookEdit<'_>) -> Result<HashMap<CellKey, Option<CellValue>>, Error> {
    let Some(engine) = editor.options.formulas else { return Ok(HashMap::new()) };
    let Some(mut model) = formulas_of(editor)? else { return nothing_known(editor) };
    let changed = changed_keys(editor);
    let request = Request { changed: &changed, whole_workbook: true };
    let found = engine.calculate(&mut model, &request, &mut Source::new(editor));
    if found.not_followed.is_some() {
        return nothing_known(editor);
    }
    let computed = found.values.into_iter().chain(found.other_values).map(|(key, value)| (key, Some(value)));
    let unknown = found.not_computed.into_iter().chain(found.other_not_computed).map(|(key, _)| (key, None));
    Ok(computed.chain(unknown).collect())
}

/// Every formula without a value.
fn nothing_known(editor: &mut WorkbookEdit<'_>) -> Result<HashMap<CellKey, Option<CellValue>>, Error> {
    let mut found = HashMap::new();
    for sheet in 0..editor.book.sheets.len() {
        let cells = model::formula_cells(editor, sheet)?.into_iter();
        found.extend(cells.map(|(cell, _)| (CellKey { sheet, cell }, None)));
    }
    Ok(found)
}

/// Stores results that differ from the file, and removes values that are no longer known.
fn write_results(editor: &mut WorkbookEdit<'_>, computed: Calculated, model: &CalcModel) -> Result<(), Error> {
    for (key, value) in computed.values {
        if !stored_value(model, key).is_some_and(|stored| same_value(stored, &value)) {
            set_cached(editor, key, Cached::Value(value))?;
        }
    }
    let mut remaining = 0;
    for (key, why) in computed.not_computed {
        remaining += 1;
        report_stale(editor, model, key, &why)?;
    }
    if editor.options.recalculate_workbook {
        for (key, value) in computed.other_values {
            if !stored_value(model, key).is_some_and(|stored| same_value(stored, &value)) {
                set_cached(editor, key, Cached::Value(value))?;
            }
        }
        for (key, why) in computed.other_not_computed {
            remaining += 1;
            // A volatile formula (`NOW`, `RAND`) keeps its value: it was right when it was stored.
            if model.untrusted || stored_value(model, key).is_none() {
                report_stale(editor, model, key, &why)?;
            }
        }
        editor.calculated_all = remaining == 0;
        editor.warnings.push(match remaining {
            0 => "recalculated the workbook; every formula has a stored value".to_owned(),
            count => format!("recalculated the workbook; {count} formulas remain uncomputed"),
        });
    }
    warn_of_stale(editor);
    Ok(())
}

fn report_stale(
    editor: &mut WorkbookEdit<'_>,
    model: &CalcModel,
    key: CellKey,
    why: &NotComputed,
) -> Result<(), Error> {
    let old = stored_value(model, key).cloned();
    if old.is_some() || has_stored_value(model, key) {
        set_cached(editor, key, Cached::Unknown)?;
    }
    editor.calculate_on_load = true;
    let cell = name_of(editor, key);
    editor.stale.push(StaleCell { cell, old, reason: why.to_string() });
    Ok(())
}

/// Names the first cells without a value, with the value that each had.
fn warn_of_stale(editor: &mut WorkbookEdit<'_>) {
    if editor.stale.is_empty() {
        return;
    }
    let named = editor.stale.iter().map(|stale| match &stale.old {
        Some(old) => format!("{} ({}; was {})", stale.cell, stale.reason, display(old)),
        None => format!("{} ({})", stale.cell, stale.reason),
    });
    let list = listed(named, 10);
    editor.warnings.push(format!("not calculated, so without a stored value until the workbook is opened: {list}"));
}

/// A value in a warning.
fn display(value: &CellValue) -> String {
    match value {
        CellValue::Empty => "empty".to_owned(),
        CellValue::Number(number) => super::values::number_text(*number),
        CellValue::Bool(flag) => flag.to_string().to_uppercase(),
        CellValue::Error(error) => error.to_string(),
        CellValue::Text(text) => match text.char_indices().nth(40) {
            Some((at, _)) => format!("{:?}…", text.get(..at).unwrap_or_default()),
            None => format!("{text:?}"),
        },
    }
}

/// The value that the file holds for a cell; none for one that an op has just written.
fn stored_value(model: &CalcModel, key: CellKey) -> Option<&CellValue> {
    match model.sheets.get(key.sheet)?.get(key.cell)? {
        CellContent::Value(value) => Some(value),
        CellContent::Formula(formula) => formula.stored.known(),
    }
}

/// Whether the file holds a value for a formula, loaded or not.
fn has_stored_value(model: &CalcModel, key: CellKey) -> bool {
    let content = model.sheets.get(key.sheet).and_then(|sheet| sheet.get(key.cell));
    matches!(content, Some(CellContent::Formula(formula)) if formula.stored.is_stored())
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

fn changed_keys(editor: &WorkbookEdit<'_>) -> Vec<CellKey> {
    let mut keys = Vec::new();
    for (sheet, entry) in editor.book.sheets.iter().enumerate() {
        let cells = entry.part.as_ref().and_then(|part| editor.dirty.get(part));
        keys.extend(cells.into_iter().flatten().map(|cell| CellKey { sheet, cell: *cell }));
    }
    keys
}

fn name_of(editor: &WorkbookEdit<'_>, key: CellKey) -> String {
    let name = editor.book.sheets.get(key.sheet).map(|sheet| sheet.name.as_str()).unwrap_or_default();
    format!("{name}!{}", key.cell)
}

fn set_cached(editor: &mut WorkbookEdit<'_>, key: CellKey, cached: Cached) -> Result<(), Error> {
    let Some(part) = grid_part(&editor.book, key.sheet) else { return Ok(()) };
    let edit = editor.sheet(&part)?.edit(key.cell);
    // A plain value that an op wrote is not the result of a formula.
    if matches!(edit.value, None | Some(NewValue::Formula(_))) {
        edit.cached = Some(cached);
    }
    Ok(())
}

/// Removes the results of all formulas, because it is not known which of them the edit affects.
fn forget_all(editor: &mut WorkbookEdit<'_>, why: &str) -> Result<(), Error> {
    editor.calculate_on_load = true;
    for sheet in 0..editor.book.sheets.len() {
        for (cell, old) in model::formula_cells(editor, sheet)? {
            let key = CellKey { sheet, cell };
            set_cached(editor, key, Cached::Unknown)?;
            let cell = name_of(editor, key);
            editor.stale.push(StaleCell { cell, old, reason: why.to_owned() });
        }
    }
    warn_of_stale(editor);
    Ok(())
}
