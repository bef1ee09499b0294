//! Rewriting formulas after an edit: inserted and deleted rows and columns, renamed and deleted sheets, and formulas that
//! move to another cell. Only the references that an edit concerns are rewritten; the rest keeps its bytes.

mod moves;

use std::borrow::Cow;

use jig_file_api::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW, needs_quotes};

use crate::lexer::{Token, TokenKind};
use crate::parse::FormulaText;
use crate::reference::{Area, Edge, Prefix, Reference, Sheets, Span, Target};

pub use moves::{MovedCells, copy_sheet, delete_table_columns, fix_references, follow_move, rename_table, sheets_of};

/// A formula after a rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten<'a> {
    /// The formula; borrowed when nothing in it changed.
    pub text: Cow<'a, str>,
    /// How many references became `#REF!`.
    pub lost: usize,
    /// How many references across several sheets (`Jan:Dec!A1`) were left as they are, though the edit
    /// is in one of these sheets. Excel leaves them too: the same address on the other sheets did not move.
    pub left: usize,
}

/// Rows or columns inserted into or deleted from one sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The sheet that is edited.
    pub sheet: String,
    /// Rows or columns.
    pub axis: Axis,
    /// What happens.
    pub kind: EditKind,
    /// The first row or column inserted or deleted, from 1. An edit at 0 changes nothing.
    pub at: u32,
    /// How many.
    pub count: u32,
}

/// The direction an edit counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Rows.
    Rows,
    /// Columns.
    Columns,
}

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// Inserts `count` rows or columns before `at`.
    Insert,
    /// Deletes `count` rows or columns from `at` on.
    Delete,
}

/// Rewrites a formula of `in_sheet` for an edit of any sheet. It serves cells, defined names
/// and the ranges of charts alike; the two latter name their sheet, so `in_sheet` does not matter for them.
pub fn shift<'a, F: FormulaText + ?Sized>(formula: &'a F, in_sheet: &str, edit: &Edit) -> Rewritten<'a> {
    rewrite(formula, |token| match token.kind {
        TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
            match concerns(prefix, in_sheet, &edit.sheet) {
                Concern::None => Replacement::Keep,
                Concern::SeveralSheets => Replacement::Leave,
                Concern::ThisSheet => shifted(area, prefix, edit),
            }
        }
        _ => Replacement::Keep,
    })
}

/// Shifts a range of the edited sheet itself: a merge, a table, an autofilter. `None` when all of it is deleted.
pub fn shift_range(range: CellRange, edit: &Edit) -> Option<CellRange> {
    let (start, end) = (range.start(), range.end());
    let (rows, cols) = match edit.axis {
        Axis::Rows => (shift_span(start.row(), end.row(), edit)?, (start.col(), end.col())),
        Axis::Columns => ((start.row(), end.row()), shift_span(start.col(), end.col(), edit)?),
    };
    Some(CellRange::new(CellRef::new(rows.0, cols.0)?, CellRef::new(rows.1, cols.1)?))
}

/// Shifts a list of ranges of the edited sheet, such as the `sqref` of a conditional format. Deleted
/// ranges leave the list; `None` when none is left. What is not a range stays as written.
pub fn shift_sqref<'a>(list: &'a str, edit: &Edit) -> Option<Cow<'a, str>> {
    let mut changed = false;
    let mut kept: Vec<Cow<'a, str>> = Vec::new();
    for item in list.split_ascii_whitespace() {
        match Area::read(item).filter(|(_, length)| *length == item.len()) {
            None => kept.push(Cow::Borrowed(item)),
            Some((area, _)) => match shift_area(area, edit) {
                Some(new) if new == area => kept.push(Cow::Borrowed(item)),
                Some(new) => {
                    changed = true;
                    kept.push(Cow::Owned(new.to_string()));
                }
                None => changed = true,
            },
        }
    }
    match (changed, kept.is_empty()) {
        (false, _) => Some(Cow::Borrowed(list)),
        (true, true) => None,
        (true, false) => Some(Cow::Owned(kept.join(" "))),
    }
}

enum Concern {
    None,
    ThisSheet,
    SeveralSheets,
}

/// Whether a reference with this sheet part points into `sheet`.
fn concerns(prefix: Option<Prefix<'_>>, in_sheet: &str, sheet: &str) -> Concern {
    let Some(prefix) = prefix else {
        return if same_sheet(in_sheet, sheet) { Concern::ThisSheet } else { Concern::None };
    };
    let sheets = prefix.sheets();
    let last_same = sheets.last.as_deref().is_none_or(|last| same_sheet(last, sheet));
    match (sheets.book.is_some(), same_sheet(&sheets.first, sheet), last_same) {
        (true, _, _) => Concern::None,
        (false, true, true) => Concern::ThisSheet,
        (false, false, _) if sheets.last.is_none() => Concern::None,
        (false, _, _) => Concern::SeveralSheets,
    }
}

fn shifted(area: Area, prefix: Option<Prefix<'_>>, edit: &Edit) -> Replacement {
    let prefix = prefix.map_or("", Prefix::text);
    match shift_area(area, edit) {
        Some(new) if new == area => Replacement::Keep,
        Some(new) => Replacement::Replace(format!("{prefix}{new}")),
        None => Replacement::Lose(format!("{prefix}#REF!")),
    }
}

fn shift_area(area: Area, edit: &Edit) -> Option<Area> {
    match edit.axis {
        Axis::Rows => Some(Area { rows: shift_written(area.rows, edit)?, ..area }),
        Axis::Columns => Some(Area { cols: shift_written(area.cols, edit)?, ..area }),
    }
}

/// Shifts edges in the order they are written: `C3:A1` stays that way round.
fn shift_written(span: Option<Span>, edit: &Edit) -> Option<Option<Span>> {
    let Some(Span { first, last }) = span else { return Some(None) };
    let upright = first.at <= last.at;
    let (low, high) = if upright { (first.at, last.at) } else { (last.at, first.at) };
    let (low, high) = shift_span(low, high, edit)?;
    let (new_first, new_last) = if upright { (low, high) } else { (high, low) };
    Some(Some(Span { first: Edge { at: new_first, ..first }, last: Edge { at: new_last, ..last } }))
}

fn shift_span(low: u32, high: u32, edit: &Edit) -> Option<(u32, u32)> {
    let max = match edit.axis {
        Axis::Rows => MAX_ROW,
        Axis::Columns => MAX_COLUMN,
    };
    // A range over the whole axis means "all of it" and keeps meaning that.
    if (low, high) == (1, max) || edit.at == 0 {
        return Some((low, high));
    }
    match edit.kind {
        EditKind::Insert => {
            let moved = |at: u32| if at >= edit.at { at.saturating_add(edit.count) } else { at };
            let (low, high) = (moved(low), moved(high).min(max));
            (low <= max).then_some((low, high))
        }
        EditKind::Delete => {
            let end = edit.at.saturating_add(edit.count);
            let low = if low >= end { low - edit.count } else { low.min(edit.at) };
            let high = if high >= end { high - edit.count } else { high.min(edit.at.saturating_sub(1)) };
            (low <= high).then_some((low, high))
        }
    }
}

/// Whether two sheet names mean the same sheet; Excel ignores case.
pub fn same_sheet(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase())
}

/// Rewrites a formula after a sheet got another name. References to other workbooks stay.
pub fn rename_sheet<'a, F: FormulaText + ?Sized>(formula: &'a F, old: &str, new: &str) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(token.kind) else { return Replacement::Keep };
        let mut sheets = prefix.sheets();
        if sheets.book.is_some() {
            return Replacement::Keep;
        }
        let mut renamed = false;
        for name in std::iter::once(&mut sheets.first).chain(sheets.last.as_mut()) {
            if same_sheet(name, old) {
                new.clone_into(name);
                renamed = true;
            }
        }
        if renamed { Replacement::Replace(with_prefix(&sheets, prefix, token.text)) } else { Replacement::Keep }
    })
}

/// Rewrites a formula after a sheet was deleted: its references become `#REF!`. A reference across
/// several sheets that began or ended there now begins or ends at the neighbour; `order` is the list of
/// sheets before the deletion.
pub fn delete_sheet<'a, F: FormulaText + ?Sized>(formula: &'a F, deleted: &str, order: &[&str]) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(token.kind) else { return Replacement::Keep };
        let sheets = prefix.sheets();
        if sheets.book.is_some() {
            return Replacement::Keep;
        }
        let hit = |name: &str| same_sheet(name, deleted);
        let remaining = match &sheets.last {
            None if hit(&sheets.first) => None,
            Some(last) if hit(&sheets.first) || hit(last) => shrink(&sheets, deleted, order),
            _ => return Replacement::Keep,
        };
        match remaining {
            Some(sheets) => Replacement::Replace(with_prefix(&sheets, prefix, token.text)),
            None => Replacement::Lose("#REF!".to_owned()),
        }
    })
}

/// The sheets of `Jan:Dec!` without a deleted end.
fn shrink(sheets: &Sheets, deleted: &str, order: &[&str]) -> Option<Sheets> {
    let place = |name: &str| order.iter().position(|sheet| same_sheet(sheet, name));
    let last = sheets.last.as_deref()?;
    let (a, b) = (place(&sheets.first)?, place(last)?);
    let span = order.get(a.min(b)..=a.max(b))?;
    let mut left = span.iter().filter(|name| !same_sheet(name, deleted));
    let first = left.next()?;
    let last = left.next_back().map(|name| (*name).to_owned());
    Some(Sheets { book: None, first: (*first).to_owned(), last })
}

fn prefix_of(kind: TokenKind<'_>) -> Option<Prefix<'_>> {
    match kind {
        TokenKind::Reference(Reference { prefix, .. })
        | TokenKind::Name(prefix)
        | TokenKind::Function(prefix)
        | TokenKind::Structured(prefix) => prefix,
        _ => None,
    }
}

fn with_prefix(sheets: &Sheets, old: Prefix<'_>, token: &str) -> String {
    let rest = token.strip_prefix(old.text()).unwrap_or(token);
    let quoted = needs_quotes(&sheets.first) || sheets.last.as_deref().is_some_and(needs_quotes);
    let names = match &sheets.last {
        Some(last) => format!("{}:{last}", sheets.first),
        None => sheets.first.clone(),
    };
    if quoted { format!("'{}'!{rest}", names.replace('\'', "''")) } else { format!("{names}!{rest}") }
}

/// The formula of `from` as it reads in `to`. A reference that would leave the grid becomes `#REF!`.
pub fn translate<'a, F: FormulaText + ?Sized>(formula: &'a F, from: CellRef, to: CellRef) -> Rewritten<'a> {
    let rows = i64::from(to.row()) - i64::from(from.row());
    let cols = i64::from(to.col()) - i64::from(from.col());
    rewrite(formula, |token| match token.kind {
        TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
            let prefix = prefix.map_or("", Prefix::text);
            match moved(area, rows, cols) {
                Some(new) if new == area => Replacement::Keep,
                Some(new) => Replacement::Replace(format!("{prefix}{new}")),
                None => Replacement::Lose(format!("{prefix}#REF!")),
            }
        }
        _ => Replacement::Keep,
    })
}

fn moved(area: Area, rows: i64, cols: i64) -> Option<Area> {
    Some(Area { rows: move_span(area.rows, rows, MAX_ROW)?, cols: move_span(area.cols, cols, MAX_COLUMN)?, ..area })
}

fn move_span(span: Option<Span>, by: i64, max: u32) -> Option<Option<Span>> {
    let Some(span) = span else { return Some(None) };
    Some(Some(Span { first: move_edge(span.first, by, max)?, last: move_edge(span.last, by, max)? }))
}

fn move_edge(edge: Edge, by: i64, max: u32) -> Option<Edge> {
    if edge.fixed {
        return Some(edge);
    }
    let at = u32::try_from(i64::from(edge.at) + by).ok().filter(|at| (1..=max).contains(at))?;
    Some(Edge { at, ..edge })
}

/// What becomes of one token.
enum Replacement {
    /// It stays as it is.
    Keep,
    /// It is rewritten.
    Replace(String),
    /// It is rewritten, and what it referred to is deleted.
    Lose(String),
    /// It stays though the edit could concern it.
    Leave,
}

fn rewrite<'a, F: FormulaText + ?Sized>(
    formula: &'a F,
    mut replacement: impl FnMut(&Token<'a>) -> Replacement,
) -> Rewritten<'a> {
    let source = formula.text();
    let mut text = String::new();
    let mut copied = 0;
    let (mut lost, mut left) = (0, 0);
    for token in formula.tokens() {
        let new = match replacement(&token) {
            Replacement::Keep => continue,
            Replacement::Leave => {
                left += 1;
                continue;
            }
            Replacement::Replace(new) => new,
            Replacement::Lose(new) => {
                lost += 1;
                new
            }
        };
        text.push_str(source.get(copied..token.start).unwrap_or(""));
        text.push_str(&new);
        copied = token.start + token.text.len();
    }
    if copied == 0 {
        return Rewritten { text: Cow::Borrowed(source), lost, left };
    }
    text.push_str(source.get(copied..).unwrap_or(""));
    Rewritten { text: Cow::Owned(text), lost, left }
}
