//! Compares the cells of a sheet: which row became which ([`RowMap`]), so that an inserted row does not make all rows below
//! it look changed, then the cells of the rows that differ. Cells of which only the format differs are reported as ranges.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jig_ooxml::PackageError;
use jig_ooxml::xlsx::address::{CellRange, ColumnName};
use jig_ooxml::xlsx::formula::{Axis, Edit, EditKind, quoted_sheet, rename_sheet, shift};
use jig_ooxml::xlsx::sheet_rows;
use serde_json::{Value, json};
use similar::DiffOp;

use super::align::{align, intern};
use super::change::{CellRevert, Change, ChangeKind, Detail, RevertPlan, RowRevert, StructuredDiff};
use super::xlsx::{
    Cell, Content, Outline, RowDigest, RowFacts, Shared, WorkbookSide, bare_formula, plain, same_number,
};

/// Places where rows came or went; beyond, rows are compared by their numbers.
const SHIFTS_MAX: usize = 200;

/// Rows that were inserted or deleted in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    /// The first row, in the numbers of the new sheet for rows that came, of the old one for those that went.
    pub(super) at: u32,
    pub(super) count: u32,
    pub(super) came: bool,
    /// The row of the new sheet before which the removed rows would be.
    pub(super) place: u32,
}

/// Which old row corresponds to which new row, as a list of shifts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RowMap {
    pub(super) shifts: Vec<Shift>,
}

/// A row on both sides, or on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    /// Whether only height and the like may differ.
    pub(super) same_cells: bool,
    pub(super) same_attributes: bool,
}

impl RowMap {
    /// Finds the map under which the fewest rows differ; without rows that came or went if that is as good.
    pub(super) fn between(old: &[RowDigest], new: &[RowDigest]) -> Self {
        let plain = Self::default();
        let straight = plain.cost(old, new);
        if straight == 0 {
            return plain;
        }
        let shifted = Self { shifts: shifts(old, new) };
        // Every formula is followed through every one of them.
        let many = shifted.shifts.len() > SHIFTS_MAX;
        if many || shifted.shifts.is_empty() || shifted.cost(old, new) >= straight { plain } else { shifted }
    }

    fn cost(&self, old: &[RowDigest], new: &[RowDigest]) -> usize {
        let by_number: HashMap<u32, u128> = old.iter().map(|row| (row.number, row.content)).collect();
        let came: usize = self.shifts.iter().map(|shift| shift.count as usize).sum();
        let mut seen = 0;
        let differ = new.iter().filter(|row| {
            let Some(number) = self.old_number(row.number) else { return false };
            let content = by_number.get(&number).copied();
            seen += usize::from(content.is_some_and(|content| content != 0));
            content.unwrap_or(0) != row.content
        });
        let differ = differ.count();
        let gone: usize = self.shifts.iter().filter(|shift| !shift.came).map(|shift| shift.count as usize).sum();
        let filled = old.iter().filter(|row| row.content != 0).count();
        came + differ + filled.saturating_sub(seen + gone)
    }

    /// The old number of a new row; none for one that came in.
    pub(super) fn old_number(&self, new: u32) -> Option<u32> {
        let mut offset = 0_i64;
        for shift in &self.shifts {
            let begins = if shift.came { shift.at } else { shift.place };
            if new < begins {
                break;
            }
            if shift.came {
                if new < shift.at + shift.count {
                    return None;
                }
                offset -= i64::from(shift.count);
            } else {
                offset += i64::from(shift.count);
            }
        }
        u32::try_from(i64::from(new) + offset).ok()
    }

    /// All rows in the order of the new sheet, those that went where they were.
    pub(super) fn pairs(&self, old: &[RowDigest], new: &[RowDigest]) -> Vec<Pair> {
        let by_number: HashMap<u32, &RowDigest> = old.iter().map(|row| (row.number, row)).collect();
        let mut used: BTreeSet<u32> = BTreeSet::new();
        let mut pairs: Vec<(u32, Pair)> = Vec::with_capacity(new.len());
        for row in new {
            let number = self.old_number(row.number);
            let before = number.and_then(|number| by_number.get(&number));
            used.extend(before.map(|row| row.number));
            let same = before
                .is_some_and(|before| before.exact == row.exact && (before.number == row.number || !row.has_formulas));
            let pair = Pair {
                old: before.map(|row| row.number).or(number),
                new: Some(row.number),
                same_cells: same,
                // A row that is not written says nothing of itself.
                same_attributes: number.is_none() || before.map_or(0, |before| before.attributes) == row.attributes,
            };
            pairs.push((row.number, pair));
        }
        for row in old.iter().filter(|row| !used.contains(&row.number)) {
            let place = self.new_place(row.number);
            let new = if self.went(row.number) { None } else { Some(place) };
            let same_attributes = new.is_none() || row.attributes == 0;
            pairs.push((place, Pair { old: Some(row.number), new, same_cells: false, same_attributes }));
        }
        pairs.extend(self.empty(&by_number, new));
        pairs.sort_by_key(|(place, pair)| (*place, pair.new.is_some(), pair.old));
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Rows that came or went with nothing in them, which no side writes: all below them moved.
    fn empty(&self, old: &HashMap<u32, &RowDigest>, new: &[RowDigest]) -> Vec<(u32, Pair)> {
        let written: BTreeSet<u32> = new.iter().map(|row| row.number).collect();
        let mut pairs = Vec::new();
        for shift in &self.shifts {
            for number in shift.at..shift.at.saturating_add(shift.count) {
                let pair = |old, new| Pair { old, new, same_cells: false, same_attributes: true };
                if shift.came && !written.contains(&number) {
                    pairs.push((number, pair(None, Some(number))));
                } else if !shift.came && !old.contains_key(&number) {
                    pairs.push((shift.place, pair(Some(number), None)));
                }
            }
        }
        pairs
    }

    /// Whether an old row was deleted.
    pub(super) fn went(&self, old: u32) -> bool {
        self.shifts.iter().any(|shift| !shift.came && (shift.at..shift.at + shift.count).contains(&old))
    }

    /// Where an old row stands now, or where it would.
    pub(super) fn new_place(&self, old: u32) -> u32 {
        let mut place = i64::from(old);
        for shift in &self.shifts {
            if shift.came {
                if place >= i64::from(shift.at) {
                    place += i64::from(shift.count);
                }
            } else if old >= shift.at + shift.count {
                place -= i64::from(shift.count);
            } else if old >= shift.at {
                return shift.place;
            }
        }
        u32::try_from(place).unwrap_or(1)
    }

    /// The edits of a sheet that do the same, one after the other.
    pub(super) fn edits(&self, sheet: &str) -> Vec<Edit> {
        let edit = |shift: &Shift| Edit {
            sheet: sheet.to_owned(),
            axis: Axis::Rows,
            kind: if shift.came { EditKind::Insert } else { EditKind::Delete },
            at: if shift.came { shift.at } else { shift.place },
            count: shift.count,
        };
        self.shifts.iter().map(edit).collect()
    }
}

/// Places where the rows that are the same on both sides move against each other.
fn shifts(old: &[RowDigest], new: &[RowDigest]) -> Vec<Shift> {
    let filled =
        |rows: &[RowDigest]| -> Vec<RowDigest> { rows.iter().filter(|row| row.content != 0).copied().collect() };
    let (old, new) = (filled(old), filled(new));
    let content = |row: &RowDigest| row.content;
    let (old_ids, new_ids) = intern(old.iter().map(content), new.iter().map(content));
    let (ops, _) = align(&old_ids, &new_ids);
    let mut found = Vec::new();
    let mut last = (0_u32, 0_u32);
    for op in ops {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        for step in 0..len {
            let (Some(a), Some(b)) = (old.get(old_index + step), new.get(new_index + step)) else { continue };
            found.extend(gap(&old, &new, last, (a.number, b.number)));
            last = (a.number, b.number);
        }
    }
    found
}

/// What came or went between two pairs of equal rows.
fn gap(old: &[RowDigest], new: &[RowDigest], from: (u32, u32), to: (u32, u32)) -> Option<Shift> {
    let (old_len, new_len) = (to.0.checked_sub(from.0)?, to.1.checked_sub(from.1)?);
    let count = old_len.abs_diff(new_len);
    let kept = old_len.min(new_len).checked_sub(1)?;
    if count == 0 {
        return None;
    }
    let came = new_len > old_len;
    // Of all places for the rows that came or went, the one at which the first cells of the others agree most.
    let first = |rows: &[RowDigest], number: u32| {
        let at = rows.binary_search_by_key(&number, |row| row.number).ok();
        at.and_then(|at| rows.get(at)).map(|row| row.first)
    };
    let agrees = |step: u32, shifted: u32| {
        let (more_old, more_new) = if came { (0, shifted) } else { (shifted, 0) };
        let old_first = first(old, from.0 + step + more_old);
        i32::from(old_first == first(new, from.1 + step + more_new))
    };
    let bounded = kept.min(1_000);
    let mut score: i32 = (1..=bounded).map(|step| agrees(step, count)).sum();
    let (mut best, mut best_score) = (0, score);
    for step in 1..=bounded {
        score += agrees(step, 0) - agrees(step, count);
        if score > best_score {
            (best, best_score) = (step, score);
        }
    }
    let (old_at, new_at) = (from.0 + best + 1, from.1 + best + 1);
    Some(Shift { at: if came { new_at } else { old_at }, count, came, place: new_at })
}

/// Cells of one side that are held at a time.
const CELLS_MAX: usize = 400_000;

/// A sheet that is in both workbooks.
pub(super) struct SheetPair<'a> {
    pub(super) names: (String, String),
    pub(super) parts: (String, String),
    pub(super) outlines: (Outline, Outline),
    pub(super) map: RowMap,
    pub(super) sides: (&'a WorkbookSide<'a>, &'a WorkbookSide<'a>),
}

/// What was done to the whole workbook, for formulas that follow it.
pub(super) struct Moves {
    pub(super) edits: Vec<Edit>,
    /// Old and new names of sheets.
    pub(super) renames: Vec<(String, String)>,
}

impl Moves {
    /// An old formula as it reads after all rows have moved and sheets have got their names.
    pub(super) fn follow(&self, formula: &str, sheet: &str, without: Option<&Edit>) -> String {
        let mut text = formula.to_owned();
        for edit in self.edits.iter().filter(|edit| Some(*edit) != without) {
            text = shift(&text, sheet, edit).text.into_owned();
        }
        for (old, new) in &self.renames {
            text = rename_sheet(&text, old, new).text.into_owned();
        }
        text
    }
}

/// The rows of one side that are needed, with their cells and what they say of themselves.
#[derive(Default)]
struct Held {
    rows: BTreeMap<u32, RowCells>,
    cells: usize,
    /// Rows that were needed and not held.
    left: BTreeSet<u32>,
}

/// Compares the cells of a sheet.
pub(super) fn compare(
    sheet: &SheetPair<'_>,
    moves: &Moves,
    shared: &mut Shared,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    let pairs: Vec<Pair> = sheet.map.pairs(&sheet.outlines.0.rows, &sheet.outlines.1.rows);
    let pairs: Vec<Pair> = pairs.into_iter().filter(|pair| !(pair.same_cells && pair.same_attributes)).collect();
    let wanted = |number: fn(&Pair) -> Option<u32>| pairs.iter().filter_map(number).collect::<BTreeSet<u32>>();
    if pairs.is_empty() {
        return Ok(());
    }
    let old = held(sheet.sides.0, &sheet.parts.0, &sheet.outlines.0, &wanted(|pair| pair.old), shared)?;
    let new = held(sheet.sides.1, &sheet.parts.1, &sheet.outlines.1, &wanted(|pair| pair.new), shared)?;
    let mut comparer = Comparer { sheet, moves, shared, diff, formats: Vec::new() };
    for pair in &pairs {
        let left = |held: &Held, number: Option<u32>| number.is_some_and(|number| held.left.contains(&number));
        if left(&old, pair.old) || left(&new, pair.new) {
            comparer.diff.counted(&sheet.names.1, ChangeKind::Changed, "row", 1);
            continue;
        }
        let side = |held: &'_ Held, number: Option<u32>| number.and_then(|number| held.rows.get(&number)).cloned();
        let (before, after) = (side(&old, pair.old), side(&new, pair.new));
        comparer.row(pair, &before.unwrap_or_default(), &after.unwrap_or_default());
    }
    comparer.formats();
    Ok(())
}

fn held(
    side: &WorkbookSide<'_>,
    part: &str,
    outline: &Outline,
    wanted: &BTreeSet<u32>,
    shared: &mut Shared,
) -> Result<Held, PackageError> {
    let mut held = Held::default();
    sheet_rows(side.package, part, &mut |row| {
        if !wanted.contains(&row.number()) {
            return Ok(());
        }
        if held.cells >= CELLS_MAX {
            held.left.insert(row.number());
            return Ok(());
        }
        let cells: Vec<Cell> = row.cell_markup().map(|raw| side.cell(&raw, shared, &outline.masters)).collect();
        held.cells += cells.len();
        // A row that is written twice counts with all it holds.
        let known = held.rows.entry(row.number()).or_default();
        known.0.extend(cells);
        known.1 = RowFacts::of(row);
        Ok(())
    })?;
    Ok(held)
}

struct Comparer<'c, 'a> {
    sheet: &'c SheetPair<'a>,
    moves: &'c Moves,
    shared: &'c Shared,
    diff: &'c mut StructuredDiff,
    /// Cells of which only the format differs; neighbours that differ alike are one change.
    formats: Vec<FormatChange>,
}

type RowCells = (Vec<Cell>, RowFacts);

impl Comparer<'_, '_> {
    fn row(&mut self, pair: &Pair, before: &RowCells, after: &RowCells) {
        match (pair.old, pair.new) {
            (_, None) => self.gone(pair.old.unwrap_or(0), &before.0),
            (old, Some(new)) => match old {
                None => self.came(new, &after.0),
                Some(old) => {
                    self.cells((old, new), before, after);
                    if !pair.same_attributes {
                        self.attributes(new, &before.1, &after.1);
                    }
                }
            },
        }
    }

    fn sheet_name(&self) -> String {
        quoted_sheet(&self.sheet.names.1)
    }

    fn came(&mut self, number: u32, cells: &[Cell]) {
        let line = self.line(self.sheet.sides.1, cells);
        let plan = RowRevert { sheets: swapped(&self.sheet.names), at: number, old: None };
        let change = Change::new(format!("{}!{number}:{number}", self.sheet_name()), ChangeKind::Added, "row");
        self.push(change.texts(None, Some(&line)).revertible(RevertPlan::Row(Box::new(plan))));
    }

    fn gone(&mut self, number: u32, cells: &[Cell]) {
        let line = self.line(self.sheet.sides.0, cells);
        let place = self.sheet.map.new_place(number);
        let own = self.moves.edits.iter().find(|edit| edit.sheet == self.sheet.names.0 && edit.at == place);
        let mut put_back = Vec::new();
        let mut why = None;
        for cell in cells {
            match self.put_back(cell, own) {
                Ok(value) => put_back.push(with_address(value, cell.col)),
                Err(reason) => why = Some(reason),
            }
        }
        let plan = RowRevert { sheets: swapped(&self.sheet.names), at: place, old: Some((number, put_back)) };
        let id = format!("{}!{number}:{number} (removed)", self.sheet_name());
        let change = Change::new(id, ChangeKind::Removed, "row").texts(Some(&line), None);
        self.push(match why {
            Some(why) => change.not_revertible(why),
            None => change.revertible(RevertPlan::Row(Box::new(plan))),
        });
    }

    /// A row's values in one line.
    fn line(&self, side: &WorkbookSide<'_>, cells: &[Cell]) -> String {
        let filled = cells.iter().filter(|cell| cell.content != Content::Empty || cell.formula.is_some());
        let shown = |cell: &Cell| match (&cell.formula, side.display_text(cell, self.shared)) {
            (Some(formula), text) if text.is_empty() => format!("={formula}"),
            (_, text) => text,
        };
        filled.map(shown).collect::<Vec<_>>().join(" | ")
    }

    fn cells(&mut self, rows: (u32, u32), before: &RowCells, after: &RowCells) {
        let by_column =
            |cells: &[Cell]| -> HashMap<u32, Cell> { cells.iter().map(|cell| (cell.col, cell.clone())).collect() };
        let (old, new) = (by_column(&before.0), by_column(&after.0));
        let columns: BTreeSet<u32> = old.keys().chain(new.keys()).copied().collect();
        for col in columns {
            // A cell that is not written has the format of its row, else of its column.
            let empty = |side: &WorkbookSide<'_>, outline: &Outline, facts: &RowFacts| {
                let style = facts.style.or_else(|| outline.column_style(col)).unwrap_or(0);
                let (content, format) = (Content::Empty, side.format_key(style));
                Cell { col, style, format, content, formula: None, array: false }
            };
            let (sides, outlines) = (&self.sheet.sides, &self.sheet.outlines);
            let a = old.get(&col).cloned().unwrap_or_else(|| empty(sides.0, &outlines.0, &before.1));
            let b = new.get(&col).cloned().unwrap_or_else(|| empty(sides.1, &outlines.1, &after.1));
            self.cell(rows, &a, &b);
        }
    }

    fn same_content(&self, old: &Cell, new: &Cell) -> bool {
        match (&old.content, &new.content) {
            (Content::Number(a), Content::Number(b)) if a != b => {
                let dates = self.sheet.sides.0.styles.get(old.style).number_format().is_date();
                same_number(f64::from_bits(*a), f64::from_bits(*b), dates)
            }
            (a, b) => a == b,
        }
    }

    /// Whether a cell is in a merged range on both sides and looks the same there.
    fn same_in_merged(&self, rows: (u32, u32), old: &Cell, new: &Cell) -> bool {
        let (sides, outlines) = (&self.sheet.sides, &self.sheet.outlines);
        let (Some(before), Some(after)) =
            (outlines.0.merged_range(rows.0, old.col), outlines.1.merged_range(rows.1, new.col))
        else {
            return false;
        };
        let place = |range: CellRange, row: u32, col: u32| {
            let (start, end) = (range.start(), range.end());
            [col == start.col(), col == end.col(), row == start.row(), row == end.row()]
        };
        let outline = place(after, rows.1, new.col);
        place(before, rows.0, old.col) == outline
            && sides.0.styles.get(old.style).same_in_merged(
                &sides.1.styles.get(new.style),
                outline[0] && outline[2],
                outline,
            )
    }

    /// Reports what differs between a cell before and after.
    fn cell(&mut self, rows: (u32, u32), old: &Cell, new: &Cell) {
        let followed = old.formula.as_ref().map(|text| self.moves.follow(text, &self.sheet.names.0, None));
        let same_formula = followed == new.formula
            || followed.as_deref().zip(new.formula.as_deref()).is_some_and(|(a, b)| bare_formula(a) == bare_formula(b));
        // A missing cached value is not a change of value: the program that saved the file did not calculate.
        let uncomputed = new.formula.is_some() && (old.content == Content::Empty || new.content == Content::Empty);
        let same_content = self.same_content(old, new) || (same_formula && uncomputed);
        let same_format = old.format == new.format || self.same_in_merged(rows, old, new);
        if same_formula && same_content && same_format {
            return;
        }
        if same_formula && same_content {
            self.formats.push(FormatChange {
                at: (rows.1, new.col),
                old_row: rows.0,
                formats: (old.format, new.format),
                styles: (old.style, new.style),
                text: self.sheet.sides.1.display_text(new, self.shared),
            });
            return;
        }
        let blank = is_blank;
        // The same characters with other formats inside the text.
        let runs = match (&old.content, &new.content) {
            (Content::Text(a), Content::Text(b)) => Some((self.shared.text(*a), self.shared.text(*b))),
            _ => None,
        };
        let runs = runs.filter(|(a, b)| same_formula && a.1 == b.1).map(|(a, b)| (a.0, b.0));
        let kind = if runs.is_some() {
            ChangeKind::Formatted
        } else if same_formula && new.formula.is_some() {
            ChangeKind::Recalculated
        } else if blank(old) {
            ChangeKind::Added
        } else if blank(new) {
            ChangeKind::Removed
        } else {
            ChangeKind::Changed
        };
        let (row, col) = (rows.1, new.col);
        let id = format!("{}!{}{row}", self.sheet_name(), ColumnName(col));
        let mut change = Change::new(id, kind, "cell");
        let (before, after) = self.texts_of(old, new);
        let texts = |text: &str, cell: &Cell| (!blank(cell)).then(|| text.to_owned());
        change = match before == after {
            true if after.is_empty() => change,
            true => change.texts(None, Some(&after)),
            false => change.texts(texts(&before, old).as_deref(), texts(&after, new).as_deref()),
        };
        if let Some((was, is)) = runs {
            let word = |rich: bool| if rich { "formatted words" } else { "plain" };
            let now = if was && is { "other formatted words" } else { word(is) };
            change = change.detail(Detail::new("text format", word(was), now));
        }
        if kind == ChangeKind::Changed && before.len() + after.len() > 24 && before.contains(' ') {
            change = change.with_words(&before, &after);
        }
        let formula = |text: &Option<String>| text.as_ref().map(|text| format!("={text}")).unwrap_or_default();
        if kind == ChangeKind::Recalculated {
            change = change.detail(Detail::new("formula", "", formula(&new.formula)));
        } else if !same_formula {
            change = change.detail(Detail::new("formula", formula(&followed), formula(&new.formula)));
        }
        if !same_format {
            let formats = (self.sheet.sides.0.styles.get(old.style), self.sheet.sides.1.styles.get(new.style));
            change.details.extend(formats.0.details(&formats.1));
        }
        let change = self.with_plan(change, rows, old, new, !same_format);
        self.push(change);
    }

    /// Reports the cells whose format alone differs: a rectangle of cells with the same difference is one change.
    fn formats(&mut self) {
        let found = std::mem::take(&mut self.formats);
        for range in rectangles(&found) {
            let Some(first) = range.cells.first().copied() else { continue };
            let formats =
                (self.sheet.sides.0.styles.get(first.styles.0), self.sheet.sides.1.styles.get(first.styles.1));
            let plan = |cell: &&FormatChange| CellRevert {
                sheets: swapped(&self.sheet.names),
                at: cell.at,
                old_row: cell.old_row,
                cell: None,
                style: true,
            };
            let id = format!("{}!{}", self.sheet_name(), range.address());
            let single = range.cells.len() == 1;
            let mut change = Change::new(id, ChangeKind::Formatted, if single { "cell" } else { "range" });
            if single && !first.text.is_empty() {
                change = change.texts(None, Some(&first.text));
            }
            change.details = formats.0.details(&formats.1);
            self.push(change.revertible(RevertPlan::Cells(range.cells.iter().map(plan).collect())));
        }
    }

    fn with_plan(&self, change: Change, rows: (u32, u32), old: &Cell, new: &Cell, style: bool) -> Change {
        if change.kind == ChangeKind::Recalculated && !style {
            let why = "its formula is the same; it follows the cells that it is computed from";
            let mut change = change.not_revertible(why);
            change.revert = RevertPlan::Follows;
            return change;
        }
        if old.array || new.array {
            return change.not_revertible("it belongs to a formula that fills several cells");
        }
        let content = change.kind != ChangeKind::Recalculated;
        let put_back = if content {
            match self.put_back(old, None) {
                Ok(value) => Some(with_address_at(value, new.col, rows.1)),
                Err(why) => return change.not_revertible(why),
            }
        } else {
            None
        };
        change.revertible(RevertPlan::Cells(vec![CellRevert {
            sheets: swapped(&self.sheet.names),
            at: (rows.1, new.col),
            old_row: rows.0,
            cell: put_back,
            style,
        }]))
    }

    /// A content as `set_cells` takes it.
    fn put_back(&self, cell: &Cell, without: Option<&Edit>) -> Result<Value, String> {
        if cell.array {
            return Err("it belongs to a formula that fills several cells".to_owned());
        }
        if let Some(formula) = &cell.formula {
            let text = self.moves.follow(formula, &self.sheet.names.0, without);
            return Ok(json!({ "type": "formula", "value": format!("={text}") }));
        }
        Ok(match &cell.content {
            Content::Empty => json!({ "type": "blank", "value": null }),
            Content::Number(bits) => json!({ "type": "number", "value": f64::from_bits(*bits) }),
            Content::Bool(value) => json!({ "type": "boolean", "value": value }),
            Content::Text(number) => match self.shared.text(*number) {
                (true, _) => {
                    return Err("its text had formats of its own, which a cell by itself cannot get back".to_owned());
                }
                (false, text) => json!({ "type": "string", "value": text }),
            },
            Content::Error(text) => return Err(format!("it held the error {text} as a value")),
            Content::Date(_) => return Err("it held a date in a spelling that is not written any more".to_owned()),
        })
    }

    /// Both contents as displayed; unformatted where the number format hides the difference.
    fn texts_of(&self, old: &Cell, new: &Cell) -> (String, String) {
        let (before, after) =
            (self.sheet.sides.0.display_text(old, self.shared), self.sheet.sides.1.display_text(new, self.shared));
        if before == after && old.content != new.content {
            return (plain(&old.content, self.shared), plain(&new.content, self.shared));
        }
        (before, after)
    }

    fn attributes(&mut self, new_row: u32, before: &RowFacts, after: &RowFacts) {
        let id = format!("{}!{new_row}:{new_row} height", self.sheet_name());
        let mut change = Change::new(id, ChangeKind::Formatted, "row");
        // A height that was not set follows from the content; one that was only marked as set is the same.
        let rounded = |facts: &RowFacts| facts.height.map(|height| (height * 10.0).round() / 10.0);
        let set = before.own_height || after.own_height;
        let same_height = !set || rounded(before) == rounded(after);
        let said = |height: Option<f64>| height.map(|height| height.to_string()).unwrap_or_default();
        if !same_height {
            change = change.detail(Detail::new("height", said(before.height), said(after.height)));
        }
        let word = |value: bool| if value { "yes" } else { "no" };
        change = change.detail(Detail::new("hidden", word(before.hidden), word(after.hidden)));
        change = change.detail(Detail::new("outline level", before.level.to_string(), after.level.to_string()));
        if change.details.is_empty() {
            return;
        }
        let only_height = before.hidden == after.hidden && before.level == after.level;
        self.push(match before.height.filter(|_| only_height) {
            Some(height) => {
                let rows = json!([{ "row": new_row, "height": height }]);
                let ops = vec![json!({ "op": "set_row_heights", "sheet": self.sheet.names.1, "rows": rows })];
                change.revertible(RevertPlan::Ops { rank: 9, ops })
            }
            None => change.not_revertible("the row had no height of its own before"),
        });
    }

    fn push(&mut self, change: Change) {
        let title = self.sheet.names.1.clone();
        self.diff.add(&title, change);
    }
}

fn is_blank(cell: &Cell) -> bool {
    cell.content == Content::Empty && cell.formula.is_none()
}

/// Names with that of the new file first, as what is done there needs them.
fn swapped(names: &(String, String)) -> (String, String) {
    (names.1.clone(), names.0.clone())
}

fn with_address(mut value: Value, col: u32) -> Value {
    value["column"] = json!(ColumnName(col).to_string());
    value
}

fn with_address_at(mut value: Value, col: u32, row: u32) -> Value {
    value["cell"] = json!(format!("{}{row}", ColumnName(col)));
    value
}

/// A cell with the same content in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatChange {
    /// Row and column in the new sheet.
    pub(super) at: (u32, u32),
    pub(super) old_row: u32,
    /// The formats as both workbooks number them, before and after.
    pub(super) formats: (u32, u32),
    /// The formats as each workbook numbers its own.
    pub(super) styles: (u32, u32),
    /// Its content as a person sees it now.
    pub(super) text: String,
}

/// A rectangle of cells that differ in the same way.
pub(super) struct FormatRange<'c> {
    first: (u32, u32),
    last: (u32, u32),
    pub(super) cells: Vec<&'c FormatChange>,
}

impl FormatRange<'_> {
    pub(super) fn address(&self) -> String {
        let cell = |(row, col): (u32, u32)| format!("{}{row}", ColumnName(col));
        if self.first == self.last { cell(self.first) } else { format!("{}:{}", cell(self.first), cell(self.last)) }
    }
}

/// Cells (by row, then column) as rectangles, each as wide as neighbours in a row reach and as high as rows with the
/// same columns follow. One pass: each cell joins the run before it or begins one, each run the rectangle above it.
pub(super) fn rectangles(cells: &[FormatChange]) -> Vec<FormatRange<'_>> {
    let mut runs: Vec<FormatRange<'_>> = Vec::new();
    for cell in cells {
        let joins = |run: &&mut FormatRange<'_>| {
            run.last == (cell.at.0, cell.at.1.wrapping_sub(1))
                && run.cells.last().is_some_and(|known| known.formats == cell.formats)
        };
        match runs.last_mut().filter(joins) {
            Some(run) => {
                run.last = cell.at;
                run.cells.push(cell);
            }
            None => runs.push(FormatRange { first: cell.at, last: cell.at, cells: vec![cell] }),
        }
    }
    // The rectangle that ends in these columns with this pair of formats.
    let mut open: HashMap<(u32, u32, (u32, u32)), usize> = HashMap::new();
    let mut found: Vec<FormatRange<'_>> = Vec::new();
    for mut run in runs {
        let Some(formats) = run.cells.first().map(|cell| cell.formats) else { continue };
        let key = (run.first.1, run.last.1, formats);
        let above = open.get(&key).copied().and_then(|at| found.get_mut(at));
        match above.filter(|range| range.last.0 + 1 == run.first.0) {
            Some(range) => {
                range.last = run.last;
                range.cells.append(&mut run.cells);
            }
            None => {
                open.insert(key, found.len());
                found.push(run);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(cells: &[(u32, u32, u32)]) -> Vec<String> {
        let cell = |(row, col, format): &(u32, u32, u32)| FormatChange {
            at: (*row, *col),
            old_row: *row,
            formats: (0, *format),
            styles: (0, *format),
            text: String::new(),
        };
        let cells: Vec<FormatChange> = cells.iter().map(cell).collect();
        rectangles(&cells).iter().map(FormatRange::address).collect()
    }

    #[test]
    fn neighbours_that_differ_alike_are_one_range() {
        let block: Vec<(u32, u32, u32)> = (2..=4).flat_map(|row| (1..=3).map(move |col| (row, col, 7))).collect();
        assert_eq!(addresses(&block), ["A2:C4"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 2, 8), (1, 3, 8)]), ["A1", "B1:C1"]);
        assert_eq!(addresses(&[(1, 1, 7), (2, 1, 7), (4, 1, 7)]), ["A1:A2", "A4"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 2, 7), (2, 1, 7)]), ["A1:B1", "A2"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 3, 7), (2, 1, 7), (2, 3, 7)]), ["A1:A2", "C1:C2"]);
    }
}
