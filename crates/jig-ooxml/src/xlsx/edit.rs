//! Editing workbooks: a list of ops is applied whole or not at all.
//!
//! Sheets are edited as streams: one look at a sheet tells what an op must know, changes wait beside
//! it, and in the end the sheet is copied once with the changed cells put in.

mod assets;
mod calculate;
mod cells;
mod chain;
mod editor;
mod everywhere;
mod form;
mod layout;
mod markup;
mod metadata;
mod new;
mod order;
mod raw;
mod rows;
mod scan;
mod sheet;
mod sheets;
mod stale;
mod strings;
mod styles;
mod summarize;
mod tables;
#[cfg(test)]
mod tests;
mod values;
mod write;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use self::calculate::untrusted_values;
use self::editor::Editor;
pub use self::raw::{RawCell, RawFormula, RawFormulaKind, RawRow, raw_rows, raw_string, raw_strings, raw_text};
use crate::edit::{Applied, ApplyOptions, Change, OpInput, op_inputs};
use crate::error::Error;
use crate::limits::Limits;

/// The ops of [`apply`].
pub const OPS: &[&str] = &[
    "ensure_sheet",
    "set_cells",
    "set_range",
    "set_column_widths",
    "set_row_heights",
    "freeze_panes",
    "summarize_by_category",
    "rename_sheet",
    "delete_sheet",
    "insert_rows",
    "delete_rows",
    "merge_cells",
    "set_number_format",
    "append_rows",
];

/// Applies a list of ops to a workbook, or to a new one when there is no source.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let inputs = op_inputs(ops, OPS)?;
    let mut editor = Editor::open(source, *options)?;
    let mut changes = Vec::with_capacity(inputs.len());
    for input in &inputs {
        changes.push(one(&mut editor, input)?);
    }
    editor.finish(changes)
}

/// Copies formats from one workbook into another; each asset becomes a change whose details are the
/// protocol's `copied` entry.
pub fn copy_assets(source: Arc<[u8]>, target: Arc<[u8]>, assets: &Value, limits: Limits) -> Result<Applied, Error> {
    assets::copy(source, target, assets, limits)
}

fn one(editor: &mut Editor<'_>, input: &OpInput) -> Result<Change, Error> {
    match input.name.as_str() {
        "ensure_sheet" => sheets::ensure(editor, input),
        "rename_sheet" => sheets::rename(editor, input),
        "delete_sheet" => sheets::delete(editor, input),
        "set_cells" => cells::set_cells(editor, input),
        "set_range" => cells::set_range(editor, input),
        "append_rows" => cells::append_rows(editor, input),
        "set_column_widths" => layout::set_column_widths(editor, input),
        "set_row_heights" => layout::set_row_heights(editor, input),
        "freeze_panes" => layout::freeze_panes(editor, input),
        "merge_cells" => layout::merge_cells(editor, input),
        "set_number_format" => layout::set_number_format(editor, input),
        "insert_rows" => rows::insert(editor, input),
        "delete_rows" => rows::delete(editor, input),
        "summarize_by_category" => summarize::summarize(editor, input),
        // The list of names was checked before.
        other => Err(input.error("op", format!("there is no op `{other}`")).into()),
    }
}
