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
mod layout;
mod markup;
mod metadata;
mod new;
mod order;
mod raw;
mod receipt;
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

use jig_file_api::ops::xlsx::XlsxOp;
use serde_json::Value;

pub(crate) use self::calculate::untrusted_values;
use self::editor::Editor;
pub use self::raw::{RawCell, RawFormula, RawFormulaKind, RawRow, raw_rows, raw_string, raw_strings, raw_text};
use crate::edit::{Applied, ApplyOptions, Change, OpInput, read_ops, with_signature};
use crate::error::Error;

/// Applies a list of ops to a workbook, or to a new one when there is no source.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let mut warnings = Vec::new();
    let ops = read_ops::<XlsxOp>(ops, options.strictness, &mut warnings)?;
    let mut editor = Editor::open(source, *options)?;
    editor.warnings.append(&mut warnings);
    let mut changes = Vec::with_capacity(ops.len());
    for (input, op) in ops {
        changes.push(one(&mut editor, &input, op).map_err(|error| with_signature::<XlsxOp>(error, &input))?);
    }
    editor.finish(changes)
}

/// A new workbook with one empty sheet.
pub fn blank(options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
    Ok(new::workbook(options.limits)?.save()?)
}

/// Copies formats from one workbook into another; each asset becomes a change whose details are the
/// protocol's `copied` entry.
/// Without a target, into a new workbook. Sheets that a target names are created unless they must exist.
pub fn copy_assets(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    assets::copy(source, target, assets, options)
}

fn one(editor: &mut Editor<'_>, input: &OpInput, op: XlsxOp) -> Result<Change, Error> {
    match op {
        XlsxOp::EnsureSheet(op) => sheets::ensure(editor, input, op),
        XlsxOp::RenameSheet(op) => sheets::rename(editor, input, op),
        XlsxOp::DeleteSheet(op) => sheets::delete(editor, input, &op),
        XlsxOp::SetCells(op) => cells::set_cells(editor, input, op),
        XlsxOp::SetRange(op) => cells::set_range(editor, input, &op),
        XlsxOp::AppendRows(op) => cells::append_rows(editor, input, &op),
        XlsxOp::SetColumnWidths(op) => layout::set_column_widths(editor, input, op),
        XlsxOp::SetRowHeights(op) => layout::set_row_heights(editor, input, op),
        XlsxOp::FreezePanes(op) => layout::freeze_panes(editor, input, op),
        XlsxOp::MergeCells(op) => layout::merge_cells(editor, input, op),
        XlsxOp::SetNumberFormat(op) => layout::set_number_format(editor, input, op),
        XlsxOp::InsertRows(op) => rows::insert(editor, input, &op),
        XlsxOp::DeleteRows(op) => rows::delete(editor, input, &op),
        XlsxOp::SummarizeByCategory(op) => summarize::summarize(editor, input, op),
    }
}
