//! Inserts and deletes rows: moves the sheet's own rows and every reference to them.

mod anchors;
mod frame;
mod groups;

use std::collections::HashMap;

use jig_file_api::ops::xlsx::Rows;

pub(super) use self::frame::Gone;
pub(super) use self::groups::settle as settle_groups;
use super::calc_chain;
use super::receipt::CellRecords;
use super::rewrite_references::{self, Report, Rewriter, formula_range, transform};
use super::sheet::SheetState;
use super::stale::Stale;
use super::{WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{Error, PackageError};
use crate::xlsx::address::{CellRange, CellRef, MAX_ROW};
use crate::xlsx::formula::{Axis, Edit, EditKind, FormulaText, ParsedFormula, shift_range, shift_sqref};
use crate::xlsx::sheet::cell::CellType;
use crate::xlsx::sheet::markup::{self, attrs, tag_name};
use crate::xlsx::sheet::rows::{CellView, RowView, element_with_text};

/// Inserts empty rows before a row.
pub(super) fn insert(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Rows) -> Result<OpReport, Error> {
    change(editor, input, op, EditKind::Insert)
}

/// Deletes rows.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Rows) -> Result<OpReport, Error> {
    change(editor, input, op, EditKind::Delete)
}

fn change(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Rows, kind: EditKind) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (at, count) = (op.row, op.count.unwrap_or(1));
    if at.saturating_add(count) > MAX_ROW + 1 {
        return Err(input.error("count", format!("the sheet ends at row {MAX_ROW}")).into());
    }
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let edit = Edit { sheet: sheet.clone(), axis: Axis::Rows, kind, at, count };
    editor.flush()?;
    check(editor, input, &part, &edit)?;
    let deleted = apply(editor, place, &part, &edit)?;
    let (verb, rows) = match kind {
        EditKind::Insert => ("Inserted", format!("before row {at}")),
        EditKind::Delete if count == 1 => ("Deleted", format!("({at})")),
        EditKind::Delete => ("Deleted", format!("({at} to {})", at + count - 1)),
    };
    let word = if count == 1 { "row" } else { "rows" };
    let summary = match kind {
        EditKind::Insert => format!("{verb} {count} {word} {rows} on {sheet}."),
        EditKind::Delete => format!("{verb} {count} {word} {rows} on {sheet}."),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet).with("row", at).with("count", count);
    let strings = editor.book.shared_strings().filter(|part| editor.package.has(part));
    Ok(deleted.report_deleted(change, &editor.package, strings)?)
}

/// Refuses, like Excel, edits that cut through array formulas, tables and pivots.
fn check(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, edit: &Edit) -> Result<(), Error> {
    let state = editor.sheet(part)?;
    if edit.kind == EditKind::Insert && state.used.row >= edit.at && state.used.row + edit.count > MAX_ROW {
        let why = format!("row {} holds values, which would be pushed off the sheet", state.used.row);
        return Err(input.error("count", why).into());
    }
    for (range, anchor) in &state.arrays {
        if cuts(*range, edit) {
            let why = format!("this would cut through the formula of {anchor}, which fills {range}");
            return Err(input.error("row", why).into());
        }
    }
    for table in editor.tables(part)?.iter() {
        check_table(table.range, table.header_rows, table.totals_rows, &table.name, input, edit)?;
    }
    for (name, range) in frame::pivots(&editor.package, part)? {
        let moved = shift_range(range, edit);
        if moved.is_none_or(|moved| moved.rows() != range.rows()) {
            let why = format!("this would cut through the pivot table {name} ({range})");
            return Err(input.error("row", why).into());
        }
    }
    Ok(())
}

/// Whether an edit goes through the middle of a range.
fn cuts(range: CellRange, edit: &Edit) -> bool {
    let (top, bottom) = (range.start().row(), range.end().row());
    let last = edit.at + edit.count - 1;
    match edit.kind {
        EditKind::Insert => edit.at > top && edit.at <= bottom,
        EditKind::Delete => edit.at <= bottom && last >= top && !(edit.at <= top && last >= bottom),
    }
}

fn check_table(
    range: CellRange,
    headers: u32,
    totals: u32,
    name: &str,
    input: &OpInput,
    edit: &Edit,
) -> Result<(), EditError> {
    if edit.kind == EditKind::Insert {
        return Ok(());
    }
    let (top, bottom) = (range.start().row(), range.end().row());
    let last = edit.at + edit.count - 1;
    if last < top || edit.at > bottom {
        return Ok(());
    }
    let header_hit = headers > 0 && edit.at < top + headers;
    let first_data = top + headers;
    let last_data = bottom.saturating_sub(totals);
    let all_data = edit.at <= first_data && last >= last_data;
    if header_hit || all_data {
        let why = format!("the rows hold the header or all the data of the table {name} ({range}); a table needs both");
        return Err(input.error("row", why));
    }
    Ok(())
}

/// The new row of an old one; none when it is deleted or pushed off the sheet.
pub(super) fn moved_row(row: u32, edit: &Edit) -> Option<u32> {
    match edit.kind {
        EditKind::Insert if row >= edit.at => row.checked_add(edit.count).filter(|row| *row <= MAX_ROW),
        EditKind::Delete if row >= edit.at + edit.count => Some(row - edit.count),
        EditKind::Delete if row >= edit.at => None,
        _ => Some(row),
    }
}

/// The new position of a cell of the edited sheet.
pub(super) fn moved(cell: CellRef, edit: &Edit) -> Option<CellRef> {
    CellRef::new(moved_row(cell.row(), edit)?, cell.col())
}

fn apply(editor: &mut WorkbookEdit<'_>, place: usize, part: &str, edit: &Edit) -> Result<CellRecords, Error> {
    let mut report = Report::default();
    let rewriter = Rewriter::Shift(edit);
    let stale = Stale::new(editor, &rewriter);
    let mut dirty: Vec<CellRef> = Vec::new();
    let deleted = own_sheet(editor, part, edit, &stale, &mut report, &mut dirty)?;
    for other in (0..editor.book.sheets.len()).filter(|other| *other != place) {
        rewrite_references::sheet(editor, other, &stale, &mut report)?;
    }
    rewrite_references::around(editor, &rewriter, &mut report)?;
    frame::related(editor, part, edit, &mut report)?;
    calc_chain::remove(&mut editor.package, &editor.book)?;
    editor.book = crate::xlsx::workbook_part::WorkbookPart::read(&editor.package)?;
    let old = editor.dirty.remove(part).unwrap_or_default();
    let kept = old.into_iter().filter_map(|cell| moved(cell, edit)).chain(dirty);
    editor.dirty.insert(part.to_owned(), kept.collect());
    report.warn(&mut editor.warnings);
    Ok(deleted)
}

/// Moves the rows of the edited sheet, and returns the cells of the deleted rows.
fn own_sheet(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    edit: &Edit,
    stale: &Stale<'_>,
    report: &mut Report,
    dirty: &mut Vec<CellRef>,
) -> Result<CellRecords, Error> {
    let name = edit.sheet.as_str();
    editor.edit_frame(part, |root, splice| {
        frame::shift(root, splice, edit, report);
        Ok(())
    })?;
    editor.sheet(part)?;
    let Some(state) = editor.take(part) else { return Ok(CellRecords::default()) };
    let mut formulas = HashMap::new();
    settle_groups(&state, name, stale.rewriter, &|cell| moved(cell, edit), report, &mut formulas);
    let mut mover = Mover {
        edit,
        name,
        formulas,
        stale,
        report,
        dirty,
        released: 0,
        deleted: CellRecords::default(),
        state: &state,
    };
    let mut failed = None;
    transform(&mut editor.package, &state, &mut |row, out| {
        if let Err(error) = mover.row(row, out) {
            failed.get_or_insert(error);
        }
        Ok(())
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let (released, deleted) = (mover.released, mover.deleted);
    editor.release_strings(released);
    editor.forget_state(part);
    Ok(deleted)
}

/// Moves the rows of the edited sheet.
struct Mover<'a> {
    edit: &'a Edit,
    name: &'a str,
    /// New `f` elements of cells in shared groups, by their old place.
    formulas: HashMap<CellRef, String>,
    stale: &'a Stale<'a>,
    report: &'a mut Report,
    dirty: &'a mut Vec<CellRef>,
    released: i64,
    /// Cells of deleted rows.
    deleted: CellRecords,
    state: &'a SheetState,
}

impl Mover<'_> {
    fn row(&mut self, row: &RowView<'_>, out: &mut Vec<u8>) -> Result<(), PackageError> {
        let Some(number) = moved_row(row.number, self.edit) else {
            row.cells().for_each(|cell| self.deleted.note_deleted(self.state, &cell));
            self.released +=
                i64::try_from(row.cells().filter(|cell| cell.kind() == CellType::Shared).count()).unwrap_or(0);
            return Ok(());
        };
        let numbered = attrs(row.tag()).any(|attr| attr.name == b"r");
        if number == row.number && numbered && !row.may_have(b"f") {
            out.extend_from_slice(row.bytes);
            return Ok(());
        }
        let mut tag = row.tag().to_vec();
        set(&mut tag, b"r", &number.to_string());
        out.extend_from_slice(&tag);
        let mut done = row.inner.start;
        for cell in row.cells() {
            let Some(new) = cell.at.and_then(|at| CellRef::new(number, at.col())) else { continue };
            out.extend_from_slice(row.bytes.get(done..cell.range.start).unwrap_or_default());
            done = cell.range.start;
            if number != row.number || !attrs(cell.tag()).any(|attr| attr.name == b"r") {
                let mut tag = cell.tag().to_vec();
                set(&mut tag, b"r", &new.to_string());
                out.extend_from_slice(&tag);
                done = cell.range.start + cell.tag().len();
            }
            if let Some((range, markup)) = self.formula(&cell, new) {
                out.extend_from_slice(row.bytes.get(done..range.start).unwrap_or_default());
                out.extend_from_slice(markup.as_bytes());
                done = range.end;
            }
        }
        out.extend_from_slice(row.bytes.get(done..).unwrap_or_default());
        Ok(())
    }

    /// The new `f` element of a cell, if it changes. Each formula is parsed once, as its row passes.
    fn formula(&mut self, cell: &CellView<'_>, new: CellRef) -> Option<(std::ops::Range<usize>, String)> {
        let formula = cell.formula()?;
        let range = formula_range(cell)?;
        let old = cell.at?;
        if let Some(group) = formula.group() {
            let group = self.state.shared.get(&group);
            if let Some(text) = group.and_then(|group| group.formula_at(old))
                && self.stale.changes(&ParsedFormula::parse(text), self.name, old)
            {
                self.dirty.push(new);
            }
            return self.formulas.remove(&old).map(|markup| (range, markup));
        }
        let parsed = ParsedFormula::parse(formula.text());
        if self.stale.changes(&parsed, self.name, old) {
            self.dirty.push(new);
        }
        let name = self.name;
        let text = self.report.take(self.stale.rewriter.formula(&parsed, name), || format!("{name}!{new}"));
        let mut tag = formula.tag.to_vec();
        let mut changed = text.is_some();
        for attribute in [b"ref".as_slice(), b"r1", b"r2"] {
            let value = markup::attr(&tag, attribute).map(|value| markup::text(value).into_owned());
            let Some(value) = value else { continue };
            if let Some(shifted) = shift_sqref(&value, self.edit).filter(|shifted| *shifted != value) {
                set(&mut tag, attribute, &shifted);
                changed = true;
            }
        }
        changed.then(|| (range, element_with_text(&tag, text.as_deref().unwrap_or(parsed.text()))))
    }
}

/// Sets an attribute of a tag.
fn set(tag: &mut Vec<u8>, name: &[u8], value: &str) {
    let found = attrs(tag).find(|attr| attr.name == name).map(|attr| attr.value_range);
    match found {
        Some(range) => {
            tag.splice(range, value.bytes());
        }
        None => {
            let at = 1 + tag_name(tag).len();
            let new = [b" ", name, b"=\"", value.as_bytes(), b"\""].concat();
            tag.splice(at..at, new);
        }
    }
}

/// Reports deleted objects.
pub(super) fn gone(report: &mut Vec<String>, what: &str, items: Vec<String>) {
    if !items.is_empty() {
        report.push(format!("{what} in the deleted rows are gone: {}", listed(items.into_iter(), 8)));
    }
}
