//! Inserts and deletes rows and columns: moves the sheet's own cells and every reference to them.

mod anchors;
pub(super) mod frame;
mod groups;
mod table_columns;

use std::collections::HashMap;

use jig_file_api::ops::xlsx::{Columns, Rows};

pub(super) use self::frame::Gone;
pub(super) use self::groups::settle as settle_groups;
use super::calc_chain;
use super::cells::letters;
use super::receipt::CellRecords;
use super::rewrite_references::{self, Report, Rewriter, formula_range, transform};
use super::sheet::SheetState;
use super::stale::Stale;
use super::{WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{Error, PackageError};
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xlsx::formula::{Axis, Edit, EditKind, FormulaText, ParsedFormula, shift_range, shift_sqref};
use crate::xlsx::sheet::cell::CellType;
use crate::xlsx::sheet::markup::{self, attrs, tag_name};
use crate::xlsx::sheet::rows::{CellView, RowView, element_with_text};

/// Inserts empty rows before a row.
pub(super) fn insert(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Rows) -> Result<OpReport, Error> {
    change(editor, input, &op.sheet, &Lines::rows(op), EditKind::Insert)
}

/// Deletes rows.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Rows) -> Result<OpReport, Error> {
    change(editor, input, &op.sheet, &Lines::rows(op), EditKind::Delete)
}

/// Inserts empty columns before a column.
pub(super) fn insert_columns(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Columns) -> Result<OpReport, Error> {
    change(editor, input, &op.sheet, &Lines::columns(op, input)?, EditKind::Insert)
}

/// Deletes columns.
pub(super) fn delete_columns(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &Columns) -> Result<OpReport, Error> {
    change(editor, input, &op.sheet, &Lines::columns(op, input)?, EditKind::Delete)
}

/// The rows or columns that an op names.
struct Lines {
    axis: Axis,
    at: u32,
    count: u32,
}

impl Lines {
    fn rows(op: &Rows) -> Self {
        Self { axis: Axis::Rows, at: op.row, count: op.count.unwrap_or(1) }
    }

    /// One column, or several as `B:D`.
    fn columns(op: &Columns, input: &OpInput) -> Result<Self, EditError> {
        let (first, last) = super::outline::columns_at(&op.column, &input.at("column"))?;
        if op.count.is_some_and(|count| last > first && count != last - first + 1) {
            return Err(input.error("count", "`column` names several columns; give either those or `count`"));
        }
        Ok(Self { axis: Axis::Columns, at: first, count: op.count.unwrap_or(last - first + 1) })
    }

    /// The field that names them.
    fn field(&self) -> &'static str {
        field(self.axis)
    }
}

fn field(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row",
        Axis::Columns => "column",
    }
}

fn change(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    sheet: &str,
    lines: &Lines,
    kind: EditKind,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", sheet)?;
    let Lines { axis, at, count } = *lines;
    let (last, end) = match axis {
        Axis::Rows => (MAX_ROW, MAX_ROW.to_string()),
        Axis::Columns => (MAX_COLUMN, "XFD".to_owned()),
    };
    if at.saturating_add(count) > last + 1 {
        return Err(input.error("count", format!("the sheet ends at {} {end}", lines.field())).into());
    }
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let edit = Edit { sheet: sheet.clone(), axis, kind, at, count };
    let (deleted, tables) = shift(editor, input, place, &part, &edit)?;
    let name = |at: u32| match axis {
        Axis::Rows => at.to_string(),
        Axis::Columns => letters(at),
    };
    let word = if count == 1 { lines.field().to_owned() } else { format!("{}s", lines.field()) };
    let summary = match kind {
        EditKind::Insert => format!("Inserted {count} {word} before {} {} on {sheet}.", lines.field(), name(at)),
        EditKind::Delete if count == 1 => format!("Deleted {count} {word} ({}) on {sheet}.", name(at)),
        EditKind::Delete => format!("Deleted {count} {word} ({} to {}) on {sheet}.", name(at), name(at + count - 1)),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet);
    let change = match axis {
        Axis::Rows => change.with("row", at),
        Axis::Columns => change.with("column", name(at)),
    };
    let mut change = change.with("count", count);
    if !tables.is_empty() {
        change = change.with("table_columns", tables);
    }
    let strings = editor.book.shared_strings().filter(|part| editor.package.has(part));
    Ok(deleted.report_deleted(change, &editor.package, strings)?)
}

/// Inserts or deletes, with all checks. Returns the deleted cells, and the names of the columns that tables got.
pub(super) fn shift(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    place: usize,
    part: &str,
    edit: &Edit,
) -> Result<(CellRecords, Vec<String>), Error> {
    editor.flush()?;
    check(editor, input, part, edit)?;
    if edit.axis == Axis::Columns && edit.kind == EditKind::Delete {
        table_columns::lose_references(editor, part, edit)?;
    }
    let deleted = apply(editor, place, part, edit)?;
    let mut named = Vec::new();
    if edit.axis == Axis::Columns && edit.kind == EditKind::Insert {
        named = table_columns::write_headers(editor, input, part, edit)?;
    }
    Ok((deleted, named))
}

/// Refuses, like Excel, edits that cut through array formulas, tables and pivots.
fn check(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, edit: &Edit) -> Result<(), Error> {
    let state = editor.sheet(part)?;
    let field = field(edit.axis);
    for (range, anchor) in &state.arrays {
        if cuts(*range, edit) {
            let why = format!("this would cut through the formula of {anchor}, which fills {range}");
            return Err(input.error(field, why).into());
        }
    }
    if edit.kind == EditKind::Insert {
        check_room(editor, input, part, edit)?;
    }
    for table in editor.tables(part)?.iter() {
        match edit.axis {
            Axis::Rows => {
                check_table(table.range, table.header_rows, table.totals_rows, &table.name, input, edit)?;
            }
            Axis::Columns if shift_range(table.range, edit).is_none() => {
                let why = format!("the columns are all those of the table {} ({})", table.name, table.range);
                return Err(input.error("column", why).into());
            }
            Axis::Columns => {}
        }
    }
    for (name, range) in frame::pivots(&editor.package, part)? {
        let moved = shift_range(range, edit);
        if moved.is_none_or(|moved| (moved.rows(), moved.columns()) != (range.rows(), range.columns())) {
            let why = format!("this would cut through the pivot table {name} ({range})");
            return Err(input.error(field, why).into());
        }
    }
    Ok(())
}

/// Refuses to push values off the sheet.
fn check_room(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, edit: &Edit) -> Result<(), Error> {
    let used = editor.sheet(part)?.used;
    let pushed = match edit.axis {
        Axis::Rows => (used.row >= edit.at && used.row + edit.count > MAX_ROW).then(|| format!("row {}", used.row)),
        Axis::Columns => {
            let first = (MAX_COLUMN + 1 - edit.count).max(edit.at);
            let edge = CellRef::new(1, first).zip(CellRef::new(MAX_ROW, MAX_COLUMN));
            let edge = edge.map(|(start, end)| CellRange::new(start, end));
            let last = edge.map(|edge| super::layout::filled(editor, part, edge)).transpose()?.unwrap_or_default();
            last.first().map(|cell| format!("column {}", letters(cell.col())))
        }
    };
    match pushed {
        Some(line) => {
            Err(input.error("count", format!("{line} holds values, which would be pushed off the sheet")).into())
        }
        None => Ok(()),
    }
}

/// Whether an edit goes through the middle of a range.
fn cuts(range: CellRange, edit: &Edit) -> bool {
    let (top, bottom) = match edit.axis {
        Axis::Rows => (range.start().row(), range.end().row()),
        Axis::Columns => (range.start().col(), range.end().col()),
    };
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

/// The new number of an old row or column; none when it is deleted or pushed off the sheet.
pub(super) fn moved_line(at: u32, edit: &Edit) -> Option<u32> {
    let last = match edit.axis {
        Axis::Rows => MAX_ROW,
        Axis::Columns => MAX_COLUMN,
    };
    match edit.kind {
        EditKind::Insert if at >= edit.at => at.checked_add(edit.count).filter(|at| *at <= last),
        EditKind::Delete if at >= edit.at + edit.count => Some(at - edit.count),
        EditKind::Delete if at >= edit.at => None,
        _ => Some(at),
    }
}

/// The new position of a cell of the edited sheet.
pub(super) fn moved(cell: CellRef, edit: &Edit) -> Option<CellRef> {
    match edit.axis {
        Axis::Rows => CellRef::new(moved_line(cell.row(), edit)?, cell.col()),
        Axis::Columns => CellRef::new(cell.row(), moved_line(cell.col(), edit)?),
    }
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
        let number = match self.edit.axis {
            Axis::Rows => moved_line(row.number, self.edit),
            Axis::Columns => Some(row.number),
        };
        let Some(number) = number else {
            row.cells().for_each(|cell| self.delete(&cell));
            return Ok(());
        };
        let numbered = attrs(row.tag()).any(|attr| attr.name == b"r");
        let stays = number == row.number && numbered && !row.may_have(b"f");
        let shifts_cells = || row.cells().any(|cell| cell.at.and_then(|at| moved(at, self.edit)) != cell.at);
        if stays && (self.edit.axis == Axis::Rows || !shifts_cells()) {
            out.extend_from_slice(row.bytes);
            return Ok(());
        }
        let mut tag = row.tag().to_vec();
        set(&mut tag, b"r", &number.to_string());
        self.set_spans(&mut tag);
        out.extend_from_slice(&tag);
        let mut done = row.inner.start;
        for cell in row.cells() {
            let new = match self.edit.axis {
                Axis::Rows => cell.at.and_then(|at| CellRef::new(number, at.col())),
                Axis::Columns => cell.at.and_then(|at| moved(at, self.edit)),
            };
            out.extend_from_slice(row.bytes.get(done..cell.range.start).unwrap_or_default());
            done = cell.range.start;
            let Some(new) = new else {
                if self.edit.axis == Axis::Columns && cell.at.is_some() {
                    self.delete(&cell);
                    done = cell.range.end;
                }
                continue;
            };
            if cell.at != Some(new) || !attrs(cell.tag()).any(|attr| attr.name == b"r") {
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

    /// Notes a cell that is deleted.
    fn delete(&mut self, cell: &CellView<'_>) {
        self.deleted.note_deleted(self.state, cell);
        self.released += i64::from(cell.kind() == CellType::Shared);
    }

    /// Shifts the columns that a row says it uses.
    fn set_spans(&self, tag: &mut Vec<u8>) {
        if self.edit.axis == Axis::Rows {
            return;
        }
        let Some(spans) = markup::attr(tag, b"spans").map(|value| markup::text(value).into_owned()) else { return };
        let ends = spans.trim().split_once(':');
        let ends = ends.and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
        let range = ends.and_then(|(a, b)| Some(CellRange::new(CellRef::new(1, a)?, CellRef::new(1, b)?)));
        match range.and_then(|range| shift_range(range, self.edit)) {
            Some(range) => set(tag, b"spans", &format!("{}:{}", range.start().col(), range.end().col())),
            None => {
                let found = attrs(tag).find(|attr| attr.name == b"spans").map(|attr| attr.whole);
                tag.drain(found.unwrap_or(0..0));
            }
        }
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
pub(super) fn set(tag: &mut Vec<u8>, name: &[u8], value: &str) {
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
pub(super) fn gone(report: &mut Vec<String>, what: &str, items: Vec<String>, axis: Axis) {
    if !items.is_empty() {
        let lines = match axis {
            Axis::Rows => "rows",
            Axis::Columns => "columns",
        };
        report.push(format!("{what} in the deleted {lines} are gone: {}", listed(items.into_iter(), 8)));
    }
}
