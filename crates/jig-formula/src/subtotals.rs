//! Ranges of `SUBTOTAL` without the cells that are subtotals themselves. Programs leave them out; the engine knows them
//! only as numbers.

use std::sync::Arc;

use crate::model::{CellContent, SheetModel};
use crate::{FormulaText, FunctionTrait, ParsedFormula, Prefix, Reference, Target, Token, TokenKind};
use jig_file_api::address::{CellRange, CellRef};

use crate::book::Book;
use crate::shape_limits::called;

/// The formula with the ranges of `SUBTOTAL` cut at other subtotals; none when nothing is left, or too much to write out.
pub(crate) fn without_subtotals(
    book: &Book<'_>,
    own_sheet: usize,
    formula: &Arc<ParsedFormula>,
) -> Option<Arc<ParsedFormula>> {
    let text = formula.text();
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    let mut written = String::with_capacity(text.len());
    let mut copied = 0;
    let mut calls: Vec<String> = Vec::new();
    for (index, token) in all.iter().enumerate() {
        match token.kind {
            TokenKind::Open => calls.push(called(index.checked_sub(1).and_then(|before| all.get(before)))),
            TokenKind::Close => {
                calls.pop();
            }
            TokenKind::Reference(Reference { prefix, target: Target::Area(area) })
                if calls.last().is_some_and(|call| call == "SUBTOTAL") =>
            {
                let named = prefix.map(|prefix| book.sheet(&prefix.sheets().first));
                let sheet = named.map_or(Some(own_sheet), |sheet| sheet);
                let model = sheet.and_then(|sheet| book.model.sheets.get(sheet));
                let (Some(model), Some(range)) = (model, area.range()) else { continue };
                let subtotals = subtotals_in(model, range);
                if subtotals.is_empty() {
                    continue;
                }
                let pieces = pieces(range, &subtotals)?;
                let prefix = prefix.map_or("", Prefix::text);
                let pieces: Vec<String> = pieces.iter().map(|piece| format!("{prefix}{piece}")).collect();
                written.push_str(text.get(copied..token.start)?);
                written.push_str(&pieces.join(","));
                copied = token.start + token.text.len();
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Some(formula.clone());
    }
    written.push_str(text.get(copied..)?);
    Some(Arc::new(ParsedFormula::parse(written)))
}

fn subtotals_in(model: &SheetModel, range: CellRange) -> Vec<CellRef> {
    let is_subtotal = |content: &CellContent| match content {
        CellContent::Formula(cell) => cell.formula.calls(FunctionTrait::Subtotal),
        CellContent::Value(_) => false,
    };
    model.cells_in(range).filter(|(_, content)| is_subtotal(content)).map(|(cell, _)| cell).collect()
}

/// The most columns of a block that is cut column by column.
const COLUMNS: u32 = 100;

/// What is left of a range; none when nothing is, or when the block is too wide.
fn pieces(range: CellRange, without: &[CellRef]) -> Option<Vec<CellRange>> {
    let (start, end) = (range.start(), range.end());
    let mut pieces = Vec::new();
    if range.rows() == 1 {
        let cut = without.iter().map(|cell| cell.col()).collect();
        left(start.col(), end.col(), cut, |from, to| {
            let (from, to) = (CellRef::new(start.row(), from)?, CellRef::new(start.row(), to)?);
            pieces.push(CellRange::new(from, to));
            Some(())
        })?;
    } else if range.columns() <= COLUMNS {
        for col in start.col()..=end.col() {
            let cut = without.iter().filter(|cell| cell.col() == col).map(|cell| cell.row()).collect();
            left(start.row(), end.row(), cut, |from, to| {
                pieces.push(CellRange::new(CellRef::new(from, col)?, CellRef::new(to, col)?));
                Some(())
            })?;
        }
    }
    (!pieces.is_empty()).then_some(pieces)
}

/// The runs between positions that are cut out.
fn left(start: u32, end: u32, mut cut: Vec<u32>, mut piece: impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
    cut.sort_unstable();
    let mut from = start;
    for at in cut.into_iter().chain([end + 1]) {
        if at > from {
            piece(from, at - 1)?;
        }
        from = at + 1;
    }
    Some(())
}
