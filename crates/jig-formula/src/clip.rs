//! Whole columns and rows, and ranges that end below the last row in use, cut to what is in use, where the empty
//! rest cannot matter: the engine looks at every one of a million cells, empty or not.

use std::sync::Arc;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::{Area, FormulaText, ParsedFormula, Prefix, Reference, Target, Token, TokenKind};
use jig_file_api::address::{ColumnName, MAX_COLUMN, MAX_ROW};

use crate::book::Book;
use crate::shape_limits::called;

/// The formula with whole columns and rows and long ranges cut where that is safe.
pub(crate) fn clip(book: &Book<'_>, formula: &Arc<ParsedFormula>) -> Arc<ParsedFormula> {
    let text = formula.text();
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    let areas = || all.iter().filter_map(|token| area(token.kind));
    // The same for all sheets, so that ranges on several sheets keep one size.
    let used = book.used_end();
    // Ranges of one call must keep one size, so whole ones and long ones are not cut beside one another.
    let whole = areas().any(|area| is_whole(&area));
    let long = areas().any(|area| height(&area).is_some_and(|(_, bottom)| bottom > used.0));
    if whole == long || (long && !keep_their_sizes(areas(), used.0)) {
        return formula.clone();
    }
    let is_cut = |area: &Area| is_whole(area) || height(area).is_some_and(|(_, bottom)| bottom > used.0);
    let counts_safely = areas().all(|area| is_whole(&area))
        && !all.iter().any(|token| {
            let text = token.text;
            token.kind == TokenKind::Text && (text == "\"\"" || text.starts_with("\"<>") || text.starts_with("\"="))
        });
    // Functions that count the cells that meet a criterion count empty ones when the criterion asks for them.
    let safe = |function: &str| {
        let has = |wanted| FunctionTable::has(function, wanted);
        has(FunctionTrait::SkipsTail)
            || (counts_safely && has(FunctionTrait::CountsCells) && has(FunctionTrait::Criteria))
    };
    let mut written = String::with_capacity(text.len());
    let mut copied = 0;
    let mut calls: Vec<String> = Vec::new();
    for (index, token) in all.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| all.get(before));
        match token.kind {
            TokenKind::Open => calls.push(called(before)),
            TokenKind::Close => {
                calls.pop();
            }
            TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) if is_cut(&area) => {
                let alone = before.is_some_and(|token| matches!(token.kind, TokenKind::Open | TokenKind::Separator))
                    && all.get(index + 1).is_some_and(|t| matches!(t.kind, TokenKind::Close | TokenKind::Separator));
                // `INDEX` gives an error beyond the end, which is not used, and whole lines, which others may count.
                let is_indexed =
                    calls.last().is_some_and(|call| call == "INDEX") && !calls.iter().any(|call| counts_cells(call));
                if alone && (is_indexed || calls.last().is_some_and(|call| safe(call))) {
                    written.push_str(text.get(copied..token.start).unwrap_or(""));
                    written.push_str(prefix.map_or("", Prefix::text));
                    written.push_str(&cut(used, &area));
                    copied = token.start + token.text.len();
                }
            }
            _ => {}
        }
    }
    if copied == 0 {
        return formula.clone();
    }
    written.push_str(text.get(copied..).unwrap_or(""));
    Arc::new(ParsedFormula::parse(written))
}

/// Whether a function counts cells, or asks where they are.
fn counts_cells(function: &str) -> bool {
    [FunctionTrait::CountsCells, FunctionTrait::Position].into_iter().any(|wanted| FunctionTable::has(function, wanted))
}

fn area(kind: TokenKind<'_>) -> Option<Area> {
    match kind {
        TokenKind::Reference(Reference { target: Target::Area(area), .. }) => Some(area),
        _ => None,
    }
}

fn is_whole(area: &Area) -> bool {
    area.rows().is_none() || area.columns().is_none()
}

/// The first and last row of a range with rows of its own.
fn height(area: &Area) -> Option<(u32, u32)> {
    let rows = area.rows().filter(|_| !is_whole(area))?;
    Some((rows.first.at.min(rows.last.at), rows.first.at.max(rows.last.at)))
}

/// Whether ranges of the same height are still of the same height when all end at the last row in use.
fn keep_their_sizes(areas: impl Iterator<Item = Area>, last: u32) -> bool {
    let heights: Vec<(u32, u32)> = areas.filter_map(|area| height(&area)).collect();
    let long = heights.iter().filter(|(_, bottom)| *bottom > last);
    let same_size = |a: &(u32, u32), b: &(u32, u32)| a.1 - a.0 == b.1 - b.0;
    long.into_iter().all(|one| heights.iter().all(|other| one == other || !same_size(one, other)))
}

fn cut((row, col): (u32, u32), area: &Area) -> String {
    let (top, bottom) = match height(area) {
        Some((top, bottom)) => (top, bottom.min(row.max(top))),
        None => area.rows().map_or((1, row.min(MAX_ROW)), |rows| {
            let (top, bottom) = (rows.first.at.min(rows.last.at), rows.first.at.max(rows.last.at));
            (top, bottom.min(row.max(top)))
        }),
    };
    let (left, right) = area.columns().map_or((1, col.min(MAX_COLUMN)), |cols| (cols.first.at, cols.last.at));
    format!("{}{top}:{}{bottom}", ColumnName(left), ColumnName(right))
}
