//! Finds the formulas whose value may change when rows or columns are inserted or deleted, cells are moved, or a sheet
//! is deleted. A formula too
//! many only costs time, because an unchanged result is not written; a missed one would leave a wrong value in the file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::rewrite_references::Rewriter;
use super::{WorkbookEdit, grid_part};
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xlsx::formula::{
    Axis, Dependencies, Edit, EditKind, FormulaText, FunctionTable, FunctionTrait, Item, MovedCells, ParsedFormula,
    Reference, ReferencedRange, SheetScope, Span, StructuredRef, Target, TokenKind, same_sheet, shift_range,
};

/// Names may refer to names, to this depth; beyond it, every name counts as changed.
const MOST_ROUNDS: usize = 8;

/// Decides which formulas must be recomputed. Built before the edit, while all references are still valid.
pub(super) struct Stale<'a> {
    pub(super) rewriter: &'a Rewriter<'a>,
    /// The sheets before the edit.
    order: Vec<String>,
    /// Names, in lower case, whose value may change.
    names: HashSet<String>,
    /// The tables of the edited sheet, in lower case, and whether they grow, shrink or vanish.
    tables: HashMap<String, bool>,
}

impl<'a> Stale<'a> {
    /// Examines the names and tables of the workbook.
    pub(super) fn new(editor: &mut WorkbookEdit<'_>, rewriter: &'a Rewriter<'a>) -> Self {
        let mut stale = Self { rewriter, order: Vec::new(), names: HashSet::new(), tables: HashMap::new() };
        if matches!(rewriter, Rewriter::Rename { .. } | Rewriter::RenameTable { .. }) {
            return stale;
        }
        stale.tables = tables(editor, rewriter);
        stale.order = editor.book.sheets.iter().map(|sheet| sheet.name.clone()).collect();
        let defined = editor.book.names.iter();
        let defined: Vec<_> =
            defined.map(|name| (name.name.to_lowercase(), ParsedFormula::parse(name.formula.as_str()))).collect();
        for _ in 0..MOST_ROUNDS {
            let changed = defined.iter().filter(|(_, formula)| stale.changes_name(formula));
            let changed: HashSet<String> = changed.map(|(name, _)| name.clone()).collect();
            if changed.len() == stale.names.len() {
                return stale;
            }
            stale.names = changed;
        }
        stale.names = defined.into_iter().map(|(name, _)| name).collect();
        stale
    }

    /// Whether the value of a formula may change.
    pub(super) fn changes(&self, formula: &ParsedFormula, in_sheet: &str, at: CellRef) -> bool {
        self.may_change(formula, in_sheet, Some(at))
    }

    /// Whether the value of a name may change. Relative references count from the cell that uses the name.
    fn changes_name(&self, formula: &ParsedFormula) -> bool {
        let moves = matches!(self.rewriter, Rewriter::Shift(_) | Rewriter::Move(_));
        self.may_change(formula, "", None) || (moves && is_relative(formula))
    }

    fn may_change(&self, formula: &ParsedFormula, in_sheet: &str, at: Option<CellRef>) -> bool {
        match self.rewriter {
            Rewriter::Rename { .. } | Rewriter::RenameTable { .. } => false,
            Rewriter::Delete { .. } => self.by_deletion(formula, in_sheet),
            Rewriter::Shift(edit) => self.by_shift(formula, in_sheet, at, edit),
            Rewriter::Move(moved) => self.by_move(formula, in_sheet, at, moved),
            Rewriter::TableColumns { .. } => self.is_rewritten(formula, in_sheet),
        }
    }

    /// Whether a formula reads cells that were overwritten, or a range of which only a part moves. What reads only cells
    /// that all move reads the same values as before.
    fn by_move(&self, formula: &ParsedFormula, in_sheet: &str, at: Option<CellRef>, moved: &MovedCells) -> bool {
        let reads = formula.dependencies();
        let target = moved.target();
        let changes = |read: &ReferencedRange| {
            let on = |sheet: &str| match &read.scope {
                SheetScope::Own => same_sheet(in_sheet, sheet),
                SheetScope::Sheet(name) => same_sheet(name, sheet),
                SheetScope::Sheets(..) => true,
            };
            let follows = on(&moved.from_sheet)
                && moved.range_of(read.range).is_some()
                && !matches!(read.scope, SheetScope::Sheets(..));
            let loses = on(&moved.from_sheet) && read.range.intersection(moved.from).is_some();
            let gets = on(&moved.to_sheet) && target.is_some_and(|target| read.range.intersection(target).is_some());
            !follows && (loses || gets)
        };
        // The position of cells counts only where these or the formula's own cell move.
        let moves = at.is_none_or(|at| same_sheet(in_sheet, &moved.from_sheet) && moved.from.contains(at));
        let positional = reads.calls(FunctionTrait::Position) || (at.is_some() && intersects(formula));
        let by_place =
            || moves || !reads.names.is_empty() || !reads.structured.is_empty() || self.is_rewritten(formula, in_sheet);
        reads.dynamic
            || reads.calls(FunctionTrait::FormulaText)
            || (positional && by_place())
            || self.uses_changed(&reads, same_sheet(in_sheet, &moved.from_sheet))
            || reads.ranges.iter().any(changes)
    }

    fn by_deletion(&self, formula: &ParsedFormula, in_sheet: &str) -> bool {
        let reads = formula.dependencies();
        let across = reads.ranges.iter().any(|read| self.reads_across(&read.scope));
        across
            || reads.dynamic
            || reads.calls(FunctionTrait::SheetList)
            || reads.calls(FunctionTrait::FormulaText)
            || self.uses_changed(&reads, false)
            || self.is_rewritten(formula, in_sheet)
    }

    fn by_shift(&self, formula: &ParsedFormula, in_sheet: &str, at: Option<CellRef>, edit: &Edit) -> bool {
        let reads = formula.dependencies();
        let here = same_sheet(in_sheet, &edit.sheet);
        reads.dynamic
            || reads.calls(FunctionTrait::FormulaText)
            || self.uses_changed(&reads, here)
            || self.reads_changed(formula, &reads, here, edit)
            || self.moves_place(formula, in_sheet, at, &reads, edit)
    }

    /// Whether a range that the formula reads will cover different cells.
    fn reads_changed(&self, formula: &ParsedFormula, reads: &Dependencies, here: bool, edit: &Edit) -> bool {
        let changes = |read: &ReferencedRange| match &read.scope {
            SheetScope::Own => here && resized(read.range, edit),
            SheetScope::Sheet(name) => same_sheet(name, &edit.sheet) && resized(read.range, edit),
            SheetScope::Sheets(..) => false,
        };
        // A reference across several sheets is not rewritten, so the cells move beneath it.
        let slides = |read: &ReferencedRange| self.reads_across(&read.scope) && moves_cells_of(read.range, edit);
        let blanks_count = || edit.kind == EditKind::Delete || !passes_over_blanks(formula, reads);
        reads.ranges.iter().any(slides) || (reads.ranges.iter().any(changes) && blanks_count())
    }

    /// Whether a formula depends on the position of cells, and these or its own cell move.
    fn moves_place(
        &self,
        formula: &ParsedFormula,
        in_sheet: &str,
        at: Option<CellRef>,
        reads: &Dependencies,
        edit: &Edit,
    ) -> bool {
        // Names usually refer to entire ranges, without implicit intersection.
        let beside = at.is_some() && intersects(formula);
        if !(beside || reads.calls(FunctionTrait::Position)) {
            return false;
        }
        // A name can be used in any cell, moved ones included.
        let moves = at.is_none_or(|at| {
            let own = CellRange::from(at);
            same_sheet(in_sheet, &edit.sheet) && shift_range(own, edit) != Some(own)
        });
        moves || !reads.names.is_empty() || !reads.structured.is_empty() || self.is_rewritten(formula, in_sheet)
    }

    fn is_rewritten(&self, formula: &ParsedFormula, in_sheet: &str) -> bool {
        matches!(self.rewriter.formula(formula, in_sheet).text, Cow::Owned(_))
    }

    /// Whether a formula uses names or tables that change. `here`: the formula is on the edited sheet.
    fn uses_changed(&self, reads: &Dependencies, here: bool) -> bool {
        let by_name = reads.names.iter().any(|used| {
            let name = used.name.to_lowercase();
            // A table's name alone refers to its data.
            self.names.contains(&name) || self.tables.get(&name) == Some(&true)
        });
        by_name || reads.structured.iter().any(|used| self.uses_table(used, here))
    }

    fn uses_table(&self, used: &StructuredRef, here: bool) -> bool {
        let this_row = used.items.contains(&Item::ThisRow);
        let Some(name) = &used.table else {
            return here && !this_row && self.tables.values().any(|resized| *resized);
        };
        let table = self.tables.get(&name.to_lowercase());
        // `[@Column]` moves with its formula if both are on the same sheet; otherwise it reads a different row.
        if this_row { here != table.is_some() } else { table == Some(&true) }
    }

    /// Whether the edited sheet is among several that a reference reads.
    fn reads_across(&self, scope: &SheetScope) -> bool {
        let SheetScope::Sheets(first, last) = scope else { return false };
        let place = |name: &str| self.order.iter().position(|sheet| same_sheet(sheet, name));
        match (place(first), place(last), place(self.rewriter.sheet())) {
            (Some(first), Some(last), Some(own)) => (first.min(last)..=first.max(last)).contains(&own),
            _ => true,
        }
    }
}

/// The tables of the edited sheet, and whether they grow or shrink. Tables that cannot be read give a warning.
fn tables(editor: &mut WorkbookEdit<'_>, rewriter: &Rewriter<'_>) -> HashMap<String, bool> {
    let place = editor.book.sheet_place(rewriter.sheet());
    let part = place.and_then(|place| grid_part(&editor.book, place)).filter(|part| editor.package.has(part));
    let Some(part) = part else { return HashMap::new() };
    let Ok(tables) = editor.tables(&part).cloned() else {
        let sheet = rewriter.sheet();
        editor
            .warnings
            .push(format!("the tables of {sheet} cannot be read; formulas that use them are left as they are"));
        return HashMap::new();
    };
    let other_size = |range: CellRange| match rewriter {
        Rewriter::Rename { .. } | Rewriter::RenameTable { .. } | Rewriter::Delete { .. } => true,
        Rewriter::Shift(edit) => resized(range, edit),
        // A table whose cells all move keeps its values; one that gets or loses some does not.
        Rewriter::Move(moved) => {
            let target = moved.target().filter(|_| same_sheet(&moved.from_sheet, &moved.to_sheet));
            let touched = range.intersection(moved.from).is_some()
                || target.is_some_and(|target| range.intersection(target).is_some());
            moved.range_of(range).is_none() && touched
        }
        Rewriter::TableColumns { .. } => false,
    };
    tables.iter().map(|table| (table.name.to_lowercase(), other_size(table.range))).collect()
}

/// Whether a range of the edited sheet grows or shrinks. A range of all rows keeps its size, but not its cells.
fn resized(range: CellRange, edit: &Edit) -> bool {
    let whole = match edit.axis {
        Axis::Rows => range.rows() == MAX_ROW,
        Axis::Columns => range.columns() == MAX_COLUMN,
    };
    let size = |range: CellRange| (range.rows(), range.columns());
    whole || shift_range(range, edit).is_none_or(|new| size(new) != size(range))
}

/// Whether cells of a range that is not rewritten move or are deleted.
fn moves_cells_of(range: CellRange, edit: &Edit) -> bool {
    match edit.axis {
        Axis::Rows => range.end().row() >= edit.at,
        Axis::Columns => range.end().col() >= edit.at,
    }
}

/// Whether new empty cells in its ranges cannot change a formula's value. True for plain totals; operators and other
/// functions may treat an empty cell as a value.
fn passes_over_blanks(formula: &ParsedFormula, reads: &Dependencies) -> bool {
    let plain = |kind: TokenKind<'_>| {
        matches!(
            kind,
            TokenKind::Function(_)
                | TokenKind::Reference(_)
                | TokenKind::Number
                | TokenKind::Space
                | TokenKind::Separator
                | TokenKind::Open
                | TokenKind::Close
        )
    };
    let total = |function: &String| FunctionTable::has(function, FunctionTrait::SkipsBlanks);
    !reads.functions.is_empty() && reads.functions.iter().all(total) && formula.tokens().all(|token| plain(token.kind))
}

/// Whether a formula uses implicit intersection: `@A:A`, or `A:A*2` outside of functions.
fn intersects(formula: &ParsedFormula) -> bool {
    let mut depth = 0_usize;
    formula.tokens().any(|token| {
        match token.kind {
            TokenKind::At => return true,
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Reference(Reference { target: Target::Area(area), .. }) if depth == 0 => {
                return area.range().is_some_and(|range| range.cells() > 1);
            }
            _ => {}
        }
        false
    })
}

/// Whether a formula has references without `$`.
fn is_relative(formula: &ParsedFormula) -> bool {
    let loose = |span: Option<Span>| span.is_some_and(|span| !(span.first.fixed && span.last.fixed));
    formula.tokens().any(|token| match token.kind {
        TokenKind::Reference(Reference { target: Target::Area(area), .. }) => {
            loose(area.rows()) || loose(area.columns())
        }
        _ => false,
    })
}
