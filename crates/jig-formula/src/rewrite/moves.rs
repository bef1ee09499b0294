//! Rewriting formulas after cells were moved, and after tables got another name or lost columns.

use jig_file_api::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW, quoted_sheet};

use super::{Axis, Replacement, Rewritten, prefix_of, rewrite, same_sheet, with_prefix};
use crate::lexer::TokenKind;
use crate::parse::FormulaText;
use crate::reference::{Area, Edge, Reference, Span, Target};
use crate::structured::StructuredRef;

/// Cells that were moved to another place of their sheet, or to another sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedCells {
    /// The sheet that they were on.
    pub from_sheet: String,
    /// The cells.
    pub from: CellRange,
    /// The sheet that they are on now.
    pub to_sheet: String,
    /// Where the first of them is now.
    pub to: CellRef,
    /// They are entire rows or columns, put between others: a range that has them keeps them where they are beside it.
    pub lines: Option<Axis>,
}

impl MovedCells {
    /// The new place of the cells; `None` when it reaches beyond the grid.
    pub fn target(&self) -> Option<CellRange> {
        let end = CellRef::new(
            self.to.row().checked_add(self.from.rows() - 1)?,
            self.to.col().checked_add(self.from.columns() - 1)?,
        )?;
        Some(CellRange::new(self.to, end))
    }

    /// The new place of one of the cells; `None` for a cell that did not move.
    pub fn place_of(&self, cell: CellRef) -> Option<CellRef> {
        if !self.from.contains(cell) {
            return None;
        }
        let (start, to) = (self.from.start(), self.to);
        CellRef::new(to.row() + (cell.row() - start.row()), to.col() + (cell.col() - start.col()))
    }

    /// The new place of a range whose cells all moved; `None` for any other.
    pub fn range_of(&self, range: CellRange) -> Option<CellRange> {
        Some(CellRange::new(self.place_of(range.start())?, self.place_of(range.end())?))
    }

    /// A range that had moved rows or columns among others, when these are directly before or after it now: with them.
    pub fn joined(&self, range: CellRange) -> Option<CellRange> {
        let axis = self.lines?;
        let span = |range: CellRange| match axis {
            Axis::Rows => (range.start().row(), range.end().row()),
            Axis::Columns => (range.start().col(), range.end().col()),
        };
        let ((low, high), (from, last), (first, end)) = (span(range), span(self.from), span(self.target()?));
        let had = low <= from && last <= high && (low, high) != (from, last);
        let (low, high) = match () {
            () if !had => return None,
            () if end + 1 == low => (first, high),
            () if high + 1 == first => (low, end),
            () => return None,
        };
        let (start, end) = (range.start(), range.end());
        let corners = match axis {
            Axis::Rows => CellRef::new(low, start.col()).zip(CellRef::new(high, end.col())),
            Axis::Columns => CellRef::new(start.row(), low).zip(CellRef::new(end.row(), high)),
        };
        corners.map(|(start, end)| CellRange::new(start, end))
    }

    fn is_overwritten(&self, range: CellRange) -> bool {
        self.target().is_some_and(|target| target.contains(range.start()) && target.contains(range.end()))
    }

    fn area_of(&self, area: Area) -> Option<Area> {
        let rows = i64::from(self.to.row()) - i64::from(self.from.start().row());
        let cols = i64::from(self.to.col()) - i64::from(self.from.start().col());
        Some(Area { rows: move_span(area.rows, rows, MAX_ROW)?, cols: move_span(area.cols, cols, MAX_COLUMN)?, ..area })
    }
}

/// The area with the corners of a range, fixed where they were.
fn with_range(area: Area, range: CellRange) -> Area {
    let span = |span: Option<Span>, low: u32, high: u32| {
        span.map(|Span { first, last }| {
            let (at, to) = if first.at <= last.at { (low, high) } else { (high, low) };
            Span { first: Edge { at, ..first }, last: Edge { at: to, ..last } }
        })
    };
    let (start, end) = (range.start(), range.end());
    Area { rows: span(area.rows, start.row(), end.row()), cols: span(area.cols, start.col(), end.col()), ..area }
}

/// Moves both edges, fixed ones too.
fn move_span(span: Option<Span>, by: i64, max: u32) -> Option<Option<Span>> {
    let Some(Span { first, last }) = span else { return Some(None) };
    let edge = |edge: Edge| {
        let at = u32::try_from(i64::from(edge.at) + by).ok().filter(|at| (1..=max).contains(at))?;
        Some(Edge { at, ..edge })
    };
    Some(Some(Span { first: edge(first)?, last: edge(last)? }))
}

/// Rewrites a formula of `in_sheet` after cells were moved, as Excel does after cut and paste: a reference to cells
/// that all moved follows them, and a reference to cells that were overwritten is lost. With `moves`, the formula's own
/// cell is among the moved ones, so that its other references must still point to the old sheet.
pub fn follow_move<'a, F: FormulaText + ?Sized>(
    formula: &'a F,
    in_sheet: &str,
    moves: bool,
    moved: &MovedCells,
) -> Rewritten<'a> {
    let home = if moves { moved.to_sheet.as_str() } else { in_sheet };
    rewrite(formula, |token| {
        let TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) = token.kind else {
            return Replacement::Keep;
        };
        let named = prefix.map(|prefix| prefix.sheets());
        let sheet = match &named {
            None => in_sheet,
            Some(sheets) if sheets.book.is_some() => return Replacement::Keep,
            Some(sheets) if sheets.last.is_some() => {
                return if sheets.last.as_deref().is_some_and(|last| same_sheet(last, &moved.from_sheet))
                    || same_sheet(&sheets.first, &moved.from_sheet)
                {
                    Replacement::Leave
                } else {
                    Replacement::Keep
                };
            }
            Some(sheets) => sheets.first.as_str(),
        };
        let Some(range) = area.range() else { return Replacement::Keep };
        let follows = same_sheet(sheet, &moved.from_sheet) && moved.range_of(range).is_some();
        let joined = if same_sheet(sheet, &moved.from_sheet) { moved.joined(range) } else { None };
        let (area, sheet, is_lost) = if let Some(joined) = joined {
            (with_range(area, joined), sheet, false)
        } else if follows {
            match moved.area_of(area) {
                Some(area) => (area, moved.to_sheet.as_str(), false),
                None => (area, sheet, true),
            }
        } else {
            (area, sheet, same_sheet(sheet, &moved.to_sheet) && moved.is_overwritten(range))
        };
        let old_prefix = prefix.map_or("", |prefix| prefix.text());
        let same_target = named.as_ref().is_some_and(|named| same_sheet(&named.first, sheet));
        let prefix = match () {
            () if same_target => old_prefix.to_owned(),
            () if named.is_none() && same_sheet(sheet, home) => String::new(),
            () => format!("{}!", quoted_sheet(sheet)),
        };
        if is_lost {
            return Replacement::Lose(format!("{prefix}#REF!"));
        }
        let text = format!("{prefix}{area}");
        if text == token.text { Replacement::Keep } else { Replacement::Replace(text) }
    })
}

/// Rewrites a formula after a table got another name.
pub fn rename_table<'a, F: FormulaText + ?Sized>(formula: &'a F, old: &str, new: &str) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let name = match token.kind {
            TokenKind::Structured(None) => token.text.split('[').next().unwrap_or_default(),
            TokenKind::Name(None) => token.text,
            _ => return Replacement::Keep,
        };
        match token.text.strip_prefix(name).filter(|_| same_sheet(name, old)) {
            Some(rest) => Replacement::Replace(format!("{new}{rest}")),
            None => Replacement::Keep,
        }
    })
}

/// Rewrites a formula after columns of a table were deleted: references to them become `#REF!`. `inside`: the formula is
/// in the table, so that references without a table's name are to it.
pub fn delete_table_columns<'a, F: FormulaText + ?Sized>(
    formula: &'a F,
    table: &str,
    columns: &[String],
    inside: bool,
) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let TokenKind::Structured(_) = token.kind else { return Replacement::Keep };
        let Some(found) = StructuredRef::parse(token.text) else { return Replacement::Keep };
        let own = found.table.as_deref().map_or(inside, |name| same_sheet(name, table));
        let gone = |name: &String| columns.iter().any(|column| same_sheet(column, name));
        match found.columns {
            Some((first, last)) if own && (gone(&first) || gone(&last)) => Replacement::Lose("#REF!".to_owned()),
            _ => Replacement::Keep,
        }
    })
}

/// Fixes every edge of every reference with `$`, and names the sheet of those that name none: as defined names need
/// them, since a name has no cell to count from.
pub fn fix_references<'a, F: FormulaText + ?Sized>(formula: &'a F, sheet: Option<&str>) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) = token.kind else {
            return Replacement::Keep;
        };
        let fixed = |span: Option<Span>| {
            let edge = |edge: Edge| Edge { fixed: true, ..edge };
            span.map(|Span { first, last }| Span { first: edge(first), last: edge(last) })
        };
        let area = Area { rows: fixed(area.rows), cols: fixed(area.cols), ..area };
        let prefix = match (prefix, sheet) {
            (Some(prefix), _) => prefix.text().to_owned(),
            (None, Some(sheet)) => format!("{}!", quoted_sheet(sheet)),
            (None, None) => String::new(),
        };
        let text = format!("{prefix}{area}");
        if text == token.text { Replacement::Keep } else { Replacement::Replace(text) }
    })
}

/// The sheets that a formula names, without those of other workbooks.
pub fn sheets_of<F: FormulaText + ?Sized>(formula: &F) -> Vec<String> {
    let mut found = Vec::new();
    for token in formula.tokens() {
        let Some(sheets) = prefix_of(token.kind).map(|prefix| prefix.sheets()).filter(|sheets| sheets.book.is_none())
        else {
            continue;
        };
        found.extend(std::iter::once(sheets.first).chain(sheets.last).filter(|name| !name.is_empty()));
    }
    found
}

/// Rewrites the formula of a copied sheet: references to the sheet that was copied are to the copy.
pub fn copy_sheet<'a, F: FormulaText + ?Sized>(formula: &'a F, source: &str, copy: &str) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(token.kind) else { return Replacement::Keep };
        let mut sheets = prefix.sheets();
        // A span of sheets still begins and ends where it did.
        if sheets.book.is_some() || sheets.last.is_some() || !same_sheet(&sheets.first, source) {
            return Replacement::Keep;
        }
        copy.clone_into(&mut sheets.first);
        Replacement::Replace(with_prefix(&sheets, prefix, token.text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(from: &str, to_sheet: &str, to: &str) -> MovedCells {
        MovedCells {
            from_sheet: "Data".to_owned(),
            from: from.parse().unwrap(),
            to_sheet: to_sheet.to_owned(),
            to: to.parse().unwrap(),
            lines: None,
        }
    }

    #[test]
    fn a_range_keeps_rows_that_move_to_its_edge() {
        // Row 6 goes before row 3, for which an empty row 2 was inserted.
        let up = MovedCells { lines: Some(Axis::Rows), ..moved("6:6", "Data", "A2") };
        assert_eq!(follow_move("SUM(C$3:C$6)+C6+SUM(C3:C5)", "Data", false, &up).text, "SUM(C$2:C$6)+C2+SUM(C3:C5)");
        let down = MovedCells { lines: Some(Axis::Rows), ..moved("3:3", "Data", "A7") };
        assert_eq!(follow_move("SUM(C3:C6)", "Data", false, &down).text, "SUM(C3:C7)");
    }

    #[test]
    fn references_follow_cells_that_all_move() {
        let one = moved("A1:B3", "Data", "D5");
        let cases = [
            ("A1+$B$3", "D5+$E$7"),
            ("SUM(A1:B3)", "SUM(D5:E7)"),
            ("SUM(A1:B4)", "SUM(A1:B4)"),
            ("Data!A2&Other!A2", "Data!D6&Other!A2"),
            ("D5", "#REF!"),
            ("Data!E7*2", "Data!#REF!*2"),
            ("SUM(D5:F9)", "SUM(D5:F9)"),
            ("A:A", "A:A"),
            ("\"A1\"&[1]Data!A1", "\"A1\"&[1]Data!A1"),
        ];
        for (formula, wanted) in cases {
            assert_eq!(follow_move(formula, "Data", false, &one).text, wanted, "{formula}");
        }
        assert_eq!(follow_move("A1", "Other", false, &one).text, "A1");
        assert_eq!(follow_move("SUM(Data:Other!A1)", "Other", false, &one).left, 1);
    }

    #[test]
    fn a_move_to_another_sheet_keeps_the_other_references() {
        let one = moved("A1:B3", "My sheet", "A1");
        // A formula that moves along: what it read on the old sheet, it still reads there.
        assert_eq!(follow_move("A1+C9", "Data", true, &one).text, "A1+Data!C9");
        assert_eq!(follow_move("Data!A1+Data!C9", "Data", true, &one).text, "'My sheet'!A1+Data!C9");
        // A formula that stays.
        assert_eq!(follow_move("A1+C9", "Data", false, &one).text, "'My sheet'!A1+C9");
        assert_eq!(follow_move("Data!A2", "Third", false, &one).text, "'My sheet'!A2");
        assert_eq!(follow_move("A1", "My sheet", false, &one).text, "#REF!");
    }

    #[test]
    fn tables_are_renamed_and_lose_columns() {
        assert_eq!(rename_table("SUM(T[a])+ROWS(t)+Tx[a]", "T", "T2").text, "SUM(T2[a])+ROWS(T2)+Tx[a]");
        let gone = ["b".to_owned()];
        let lose = |formula: &'static str| delete_table_columns(formula, "T", &gone, true).text.into_owned();
        assert_eq!(lose("SUM(T[b])+SUM(T[a])+[@b]+U[b]"), "SUM(#REF!)+SUM(T[a])+#REF!+U[b]");
    }

    #[test]
    fn names_get_fixed_references() {
        assert_eq!(fix_references("A1:B2*Other!C$3", Some("My sheet")).text, "'My sheet'!$A$1:$B$2*Other!$C$3");
        assert_eq!(sheets_of("A!A1+'B c'!A1+[1]D!A1+E:F!A1"), ["A", "B c", "E", "F"]);
        assert_eq!(copy_sheet("Data!A1+A1+Other!A1", "Data", "Data (2)").text, "'Data (2)'!A1+A1+Other!A1");
    }
}
