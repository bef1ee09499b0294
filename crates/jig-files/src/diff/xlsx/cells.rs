//! The cells of rows that differ, one by one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jig_ooxml::PackageError;
use jig_ooxml::xlsx::address::ColumnName;
use jig_ooxml::xlsx::formula::{Edit, quoted_sheet, rename_sheet, shift};
use jig_ooxml::xlsx::sheet_rows;
use serde_json::{Value, json};

use super::super::change::{CellUndo, Change, ChangeKind, Detail, RowUndo, Undo};
use super::super::inside::InsideDiff;
use super::ranges::{FormatChange, rectangles};
use super::rows::{Outline, Pair, RowFacts, RowMap};
use super::side::{Cell, Content, Shared, Side, bare_formula, plain, same_number};

/// Cells of one side that are held at a time.
const CELLS_MAX: usize = 400_000;

/// A sheet that stands in both workbooks.
pub(super) struct SheetPair<'a> {
    pub(super) names: (String, String),
    pub(super) parts: (String, String),
    pub(super) outlines: (Outline, Outline),
    pub(super) map: RowMap,
    pub(super) sides: (&'a Side<'a>, &'a Side<'a>),
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
    diff: &mut InsideDiff,
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
    side: &Side<'_>,
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
    diff: &'c mut InsideDiff,
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
        let undo = RowUndo { sheets: swapped(&self.sheet.names), at: number, old: None };
        let change = Change::new(format!("{}!{number}:{number}", self.sheet_name()), ChangeKind::Added, "row");
        self.push(change.texts(None, Some(&line)).undone_by(Undo::Row(Box::new(undo))));
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
        let undo = RowUndo { sheets: swapped(&self.sheet.names), at: place, old: Some((number, put_back)) };
        let id = format!("{}!{number}:{number} (removed)", self.sheet_name());
        let change = Change::new(id, ChangeKind::Removed, "row").texts(Some(&line), None);
        self.push(match why {
            Some(why) => change.fixed(why),
            None => change.undone_by(Undo::Row(Box::new(undo))),
        });
    }

    /// A row's values in one line.
    fn line(&self, side: &Side<'_>, cells: &[Cell]) -> String {
        let filled = cells.iter().filter(|cell| cell.content != Content::Empty || cell.formula.is_some());
        let shown = |cell: &Cell| match (&cell.formula, side.shown(cell, self.shared)) {
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
            let empty = |side: &Side<'_>, outline: &Outline, facts: &RowFacts| {
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

    /// Tells what differs between a cell before and after.
    fn cell(&mut self, rows: (u32, u32), old: &Cell, new: &Cell) {
        let followed = old.formula.as_ref().map(|text| self.moves.follow(text, &self.sheet.names.0, None));
        let same_formula = followed == new.formula
            || followed.as_deref().zip(new.formula.as_deref()).is_some_and(|(a, b)| bare_formula(a) == bare_formula(b));
        // A formula that nobody has computed yet has no other value for that.
        let uncomputed = new.formula.is_some() && (old.content == Content::Empty || new.content == Content::Empty);
        let same_content = self.same_content(old, new) || (same_formula && uncomputed);
        let same_format = old.format == new.format;
        if same_formula && same_content && same_format {
            return;
        }
        if same_formula && same_content {
            self.formats.push(FormatChange {
                at: (rows.1, new.col),
                old_row: rows.0,
                formats: (old.format, new.format),
                styles: (old.style, new.style),
                text: self.sheet.sides.1.shown(new, self.shared),
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
        let (before, after) = self.shown(old, new);
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
            change = change.words(&before, &after);
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
        let change = self.undo(change, rows, old, new, !same_format);
        self.push(change);
    }

    /// Tells the cells of which only the format differs: rectangles that differ alike are one change each.
    fn formats(&mut self) {
        let found = std::mem::take(&mut self.formats);
        for range in rectangles(&found) {
            let Some(first) = range.cells.first().copied() else { continue };
            let formats =
                (self.sheet.sides.0.styles.get(first.styles.0), self.sheet.sides.1.styles.get(first.styles.1));
            let undo = |cell: &&FormatChange| CellUndo {
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
            self.push(change.undone_by(Undo::Cells(range.cells.iter().map(undo).collect())));
        }
    }

    fn undo(&self, change: Change, rows: (u32, u32), old: &Cell, new: &Cell, style: bool) -> Change {
        if change.kind == ChangeKind::Recalculated && !style {
            let why = "its formula is the same; it follows the cells that it is computed from";
            let mut change = change.fixed(why);
            change.undo = Undo::Follows;
            return change;
        }
        if old.array || new.array {
            return change.fixed("it belongs to a formula that fills several cells");
        }
        let content = change.kind != ChangeKind::Recalculated;
        let put_back = if content {
            match self.put_back(old, None) {
                Ok(value) => Some(with_address_at(value, new.col, rows.1)),
                Err(why) => return change.fixed(why),
            }
        } else {
            None
        };
        change.undone_by(Undo::Cells(vec![CellUndo {
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

    /// Both contents as a person sees them; without their formats when those hide the difference.
    fn shown(&self, old: &Cell, new: &Cell) -> (String, String) {
        let (before, after) = (self.sheet.sides.0.shown(old, self.shared), self.sheet.sides.1.shown(new, self.shared));
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
                change.undone_by(Undo::Ops { rank: 9, ops })
            }
            None => change.fixed("the row had no height of its own before"),
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
