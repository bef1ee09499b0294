//! What inserted and deleted rows and columns do to references: ranges grow, shrink and move as in
//! Excel, and what is deleted becomes `#REF!`.

use std::borrow::Cow;

use super::lexer::TokenKind;
use super::reference::{Area, Edge, Prefix, Reference, Span, Target};
use super::rewrite::{Fate, Rewritten, rewrite};
use super::sheet_name::same_sheet;
use jig_file_api::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};

/// Rows or columns inserted into or deleted from one sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The sheet that is edited.
    pub sheet: String,
    /// Whether rows or columns are meant.
    pub axis: Axis,
    /// What happens.
    pub kind: EditKind,
    /// The first row or column inserted or deleted, from 1. There is no row 0: such an edit changes nothing.
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
    /// Makes room in front of row or column `at`.
    Insert,
    /// Takes `count` away from `at` on.
    Delete,
}

/// Rewrites a formula that stands in `in_sheet` for an edit of any sheet. It serves cells, defined names
/// and the ranges of charts alike; the two latter name their sheet, so `in_sheet` does not matter for them.
pub fn shift<'a>(formula: &'a str, in_sheet: &str, edit: &Edit) -> Rewritten<'a> {
    rewrite(formula, |token| match token.kind {
        TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
            match concerns(prefix, in_sheet, &edit.sheet) {
                Concern::None => Fate::Keep,
                Concern::SeveralSheets => Fate::Leave,
                Concern::ThisSheet => shifted(area, prefix, edit),
            }
        }
        _ => Fate::Keep,
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

pub(super) enum Concern {
    None,
    ThisSheet,
    SeveralSheets,
}

/// Whether a reference with this sheet part points into `sheet`.
pub(super) fn concerns(prefix: Option<Prefix<'_>>, in_sheet: &str, sheet: &str) -> Concern {
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

fn shifted(area: Area, prefix: Option<Prefix<'_>>, edit: &Edit) -> Fate {
    let prefix = prefix.map_or("", Prefix::text);
    match shift_area(area, edit) {
        Some(new) if new == area => Fate::Keep,
        Some(new) => Fate::Replace(format!("{prefix}{new}")),
        None => Fate::Lose(format!("{prefix}#REF!")),
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
