//! Two workbooks, sheet by sheet. Sheets are read as streams: what is held grows with what differs.

mod cells;
mod frame;
mod objects;
mod ranges;
mod rows;
mod side;
mod styles;

use std::collections::HashMap;

use jig_ooxml::xlsx::formula::quoted_sheet;
use jig_ooxml::xlsx::workbook_part::{DefinedName, Sheet};
use jig_ooxml::{Package, PackageError};
use serde_json::json;

use super::change::{Change, ChangeKind, Detail, Undo, count};
use super::inside::{InsideDiff, InsideFormat};
use super::parts;
use cells::{Moves, SheetPair};
use rows::RowMap;
use side::{Masters, Shared, Side, bare_formula};

pub(super) use frame::ORDER;

/// Compares two workbooks.
pub(super) fn compare(old: &Package, new: &Package) -> Result<InsideDiff, PackageError> {
    let mut shared = Shared::default();
    let (before, after) = (Side::read(old, &mut shared)?, Side::read(new, &mut shared)?);
    let mut diff = InsideDiff::new(InsideFormat::Xlsx);
    let matched = matched(&before, &after);
    sheets(&before, &after, &matched, &mut shared, &mut diff)?;

    let mut pairs = Vec::new();
    let same_numbers = before.means_the_same(&after);
    for (old_sheet, new_sheet) in &matched {
        let (Some(a), Some(b)) = (&old_sheet.part, &new_sheet.part) else { continue };
        if !(old_sheet.kind.has_cells() && new_sheet.kind.has_cells()) {
            continue;
        }
        if same_numbers && old.declared_bytes(a) == new.declared_bytes(b) && same_bytes(old, a, new, b)? {
            continue;
        }
        let outlines = (rows::outline(&before, a, &mut shared)?, rows::outline(&after, b, &mut shared)?);
        let map = RowMap::between(&outlines.0.rows, &outlines.1.rows);
        pairs.push(SheetPair {
            names: (old_sheet.name.clone(), new_sheet.name.clone()),
            parts: (a.clone(), b.clone()),
            outlines,
            map,
            sides: (&before, &after),
        });
    }
    let moves = Moves {
        edits: pairs.iter().flat_map(|pair| pair.map.edits(&pair.names.0)).collect(),
        renames: matched
            .iter()
            .filter(|(old, new)| old.name != new.name)
            .map(|(old, new)| (old.name.clone(), new.name.clone()))
            .collect(),
    };
    for pair in &pairs {
        cells::compare(pair, &moves, &mut shared, &mut diff)?;
        frame::compare(pair, old.limits(), &mut diff)?;
    }
    for (old_sheet, new_sheet) in &matched {
        let pair = pairs.iter().find(|pair| pair.names.1 == new_sheet.name);
        let edits = pair.map(|pair| pair.map.edits(&pair.names.0)).unwrap_or_default();
        objects::compare((&before, &after), (old_sheet, new_sheet), &edits, &mut diff)?;
    }
    names(&before, &after, &moves, &mut diff);
    let covered = covered(&before, &after);
    let same = |name: &str| same_but_moved(old, new, name, &moves).unwrap_or(false);
    parts::compare(old, new, &|name| covered(name), &same, &mut diff)?;
    Ok(diff.finish())
}

/// Reads both at once and compares as they come.
fn same_bytes(old: &Package, a: &str, new: &Package, b: &str) -> Result<bool, PackageError> {
    use std::io::Read;
    let (mut old_reader, mut new_reader) = (old.reader(a)?, new.reader(b)?);
    let (mut left, mut right) = (vec![0_u8; 64 << 10], vec![0_u8; 64 << 10]);
    let fill = |reader: &mut jig_ooxml::PartReader<'_>, buffer: &mut [u8], part: &str| {
        let mut filled = 0;
        while let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) {
            let read = reader.read(free).map_err(|error| jig_ooxml::PartReader::read_error(part, &error))?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        Ok::<usize, PackageError>(filled)
    };
    loop {
        let (l, r) = (fill(&mut old_reader, &mut left, a)?, fill(&mut new_reader, &mut right, b)?);
        if l != r || left.get(..l) != right.get(..r) {
            return Ok(false);
        }
        if l == 0 {
            return Ok(true);
        }
    }
}

/// Sheets that are the same: by name, else by number and part when both names are without a counterpart.
fn matched<'a>(old: &'a Side<'_>, new: &'a Side<'_>) -> Vec<(&'a Sheet, &'a Sheet)> {
    let by_name: Vec<(&Sheet, &Sheet)> = old
        .book
        .sheets
        .iter()
        .filter_map(|sheet| Some((sheet, new.book.sheets.iter().find(|other| other.name == sheet.name)?)))
        .collect();
    let mut found = by_name.clone();
    for sheet in old.book.sheets.iter().filter(|sheet| !by_name.iter().any(|(known, _)| known == sheet)) {
        let free = |other: &&Sheet| !found.iter().any(|(_, known)| known == other);
        let like = |other: &&Sheet| other.sheet_id == sheet.sheet_id && other.part == sheet.part;
        let other = new.book.sheets.iter().filter(free).find(like);
        found.extend(other.map(|other| (sheet, other)));
    }
    found.sort_by_key(|(_, sheet)| new.book.sheets.iter().position(|other| other == *sheet));
    found
}

/// Sheets that came, went, got another name or another place.
fn sheets(
    old: &Side<'_>,
    new: &Side<'_>,
    matched: &[(&Sheet, &Sheet)],
    shared: &mut Shared,
    diff: &mut InsideDiff,
) -> Result<(), PackageError> {
    for sheet in &new.book.sheets {
        if matched.iter().any(|(_, known)| *known == sheet) {
            continue;
        }
        let change = Change::new(format!("sheet {}", quoted_sheet(&sheet.name)), ChangeKind::Added, "sheet");
        let ops = vec![json!({ "op": "delete_sheet", "sheet": sheet.name })];
        let change = with_size(change, new, sheet, true, shared)?.undone_by(Undo::Ops { rank: 1, ops });
        diff.add(&sheet.name, change);
    }
    for sheet in &old.book.sheets {
        if matched.iter().any(|(known, _)| *known == sheet) {
            continue;
        }
        let change =
            Change::new(format!("sheet {} (removed)", quoted_sheet(&sheet.name)), ChangeKind::Removed, "sheet");
        let why = "formulas, names and charts that used the sheet changed with it";
        diff.add(&sheet.name, with_size(change, old, sheet, false, shared)?.fixed(why));
    }
    for (before, after) in matched {
        if before.name != after.name {
            let ops = vec![json!({ "op": "rename_sheet", "sheet": after.name, "new_name": before.name })];
            let change = Change::new(format!("sheet {}", quoted_sheet(&after.name)), ChangeKind::Renamed, "sheet");
            let change = change.texts(Some(&before.name), Some(&after.name));
            diff.add(&after.name, change.undone_by(Undo::Ops { rank: 0, ops }));
        }
        if before.state != after.state {
            let id = format!("sheet {} visibility", quoted_sheet(&after.name));
            let detail = Detail::new("shown", before.state.as_str(), after.state.as_str());
            let change = Change::new(id, ChangeKind::Changed, "sheet visibility").detail(detail);
            diff.add(&after.name, change.fixed("it is kept in the workbook's list of sheets"));
        }
    }
    order(old, matched, diff);
    Ok(())
}

fn order(old: &Side<'_>, matched: &[(&Sheet, &Sheet)], diff: &mut InsideDiff) {
    let places = matched.iter().filter_map(|(sheet, _)| old.book.sheets.iter().position(|other| other == *sheet));
    let places: Vec<usize> = places.collect();
    if places.is_sorted() {
        return;
    }
    let mut before: Vec<(usize, &str)> =
        places.iter().copied().zip(matched.iter().map(|(_, sheet)| sheet.name.as_str())).collect();
    let list = |names: &[(usize, &str)]| names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    let after = list(&before);
    before.sort_unstable();
    let change = Change::new("sheet order", ChangeKind::Moved, "sheet").texts(Some(&list(&before)), Some(&after));
    diff.add("workbook", change.fixed("it is kept in the workbook's list of sheets"));
}

/// Rows of a sheet that came or went which are shown.
const SHOWN_ROWS: usize = 12;

/// How much there is on a sheet, and how it begins.
fn with_size(
    change: Change,
    side: &Side<'_>,
    sheet: &Sheet,
    new: bool,
    shared: &mut Shared,
) -> Result<Change, PackageError> {
    let Some(part) = sheet.part.as_ref().filter(|_| sheet.kind.has_cells()) else { return Ok(change) };
    let (mut rows, mut cells) = (0_usize, 0_usize);
    let mut columns: Option<(u32, u32)> = None;
    let mut lines: Vec<String> = Vec::new();
    jig_ooxml::xlsx::sheet_rows(side.package, part, &mut |row| {
        let masters = Masters::default();
        let (mut shown, before): (Vec<String>, usize) = (Vec::new(), cells);
        for raw in row.cell_markup().filter(|raw| !raw.is_empty()) {
            let column = raw.at.col();
            columns = Some(columns.map_or((column, column), |(first, last)| (first.min(column), last.max(column))));
            cells += 1;
            if lines.len() < SHOWN_ROWS {
                let cell = side.cell(&raw, shared, &masters);
                let text = side.shown(&cell, shared);
                shown.push(match &cell.formula {
                    Some(formula) if text.is_empty() => format!("={formula}"),
                    _ => text,
                });
            }
        }
        rows += usize::from(cells > before);
        if !shown.is_empty() {
            lines.push(shown.join(" | "));
        }
        Ok(())
    })?;
    let width = columns.map_or(0, |(first, last)| (last - first) as usize + 1);
    let mut text = format!("{} × {} ({})", count(rows, "row"), count(width, "column"), count(cells, "cell"));
    lines.iter().for_each(|line| text.push_str(&format!("\n{line}")));
    if rows > lines.len() && cells > 0 {
        text.push_str("\n…");
    }
    Ok(if new { change.texts(None, Some(&text)) } else { change.texts(Some(&text), None) })
}

/// Names that stand for ranges and formulas.
fn names(old: &Side<'_>, new: &Side<'_>, moves: &Moves, diff: &mut InsideDiff) {
    let key = |side: &Side<'_>, name: &DefinedName| {
        let sheet = name.sheet.and_then(|at| side.book.sheets.get(at)).map(|sheet| sheet.name.clone());
        (name.name.clone(), sheet.unwrap_or_default())
    };
    let table = |side: &Side<'_>| -> HashMap<(String, String), String> {
        side.book.names.iter().filter(|name| !name.hidden).map(|name| (key(side, name), name.formula.clone())).collect()
    };
    let (before, after) = (table(old), table(new));
    let mut keys: Vec<&(String, String)> =
        before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))).collect();
    keys.sort();
    for key in keys {
        let was = before.get(key).map(|formula| moves.follow(formula, "", None));
        let is = after.get(key);
        let kind = match (&was, is) {
            (Some(was), Some(is)) if was == is || bare_formula(was) == bare_formula(is) => continue,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
        };
        let id = if key.1.is_empty() { format!("name {}", key.0) } else { format!("name {} on {}", key.0, key.1) };
        let shown = |text: Option<&String>| text.map(|text| format!("={text}"));
        let change = Change::new(id, kind, "name").texts(shown(was.as_ref()).as_deref(), shown(is).as_deref());
        diff.add("workbook", change.fixed("formulas may use the name"));
    }
}

/// The parts that are compared in other ways.
fn covered(old: &Side<'_>, new: &Side<'_>) -> impl Fn(&str) -> bool {
    let mut names: Vec<String> = Vec::new();
    for side in [old, new] {
        let book = &side.book;
        names.push(book.part.clone());
        names.extend([book.shared_strings(), book.styles()].into_iter().flatten().map(str::to_owned));
        names.extend(book.sheets.iter().filter(|sheet| sheet.kind.has_cells()).filter_map(|sheet| sheet.part.clone()));
        names.extend(book.sheets.iter().flat_map(|sheet| objects::parts(side, sheet)));
    }
    let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    move |name: &str| names.contains(&name.trim_start_matches('/').to_ascii_lowercase())
}

/// Whether a part differs only by rows that moved: ranges of tables and charts.
fn same_but_moved(old: &Package, new: &Package, name: &str, moves: &Moves) -> Result<bool, PackageError> {
    if moves.edits.is_empty() || !name.ends_with(".xml") {
        return Ok(false);
    }
    let (before, after) = (old.xml(name)?, new.xml(name)?);
    let spelled = |part: &jig_ooxml::xml::XmlPart, edits: &[jig_ooxml::xlsx::formula::Edit]| {
        let tree = part.tree(old.limits())?;
        let mut out = String::new();
        frame::spell(tree.root(), edits, "", &mut out);
        Ok::<String, PackageError>(out)
    };
    Ok(spelled(&before, &moves.edits)? == spelled(&after, &[])?)
}
