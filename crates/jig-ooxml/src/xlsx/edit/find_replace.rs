//! Replaces text in cells: in texts, in numbers that match completely, and if asked for in formulas.

use std::collections::{BTreeMap, HashMap};

use jig_file_api::ops::xlsx::FindReplace;
use serde_json::{Value, json};

use super::layout::range_at;
use super::recalculate::load_strings;
use super::strings::{each_string, plain_text};
use super::values::{self, NewValue};
use super::{CellWrite, WorkbookEdit, grid_part, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::prefixes;
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::rows::{FormulaKind, Piece, walk_rows};

/// What to find and how.
struct Pattern<'a> {
    find: &'a str,
    replace: &'a str,
    match_case: bool,
    whole: bool,
}

/// What one sheet's cells become.
#[derive(Default)]
struct Found {
    values: BTreeMap<CellRef, NewValue>,
    formulas: BTreeMap<CellRef, String>,
    replacements: usize,
    /// Cells whose text has formats of its own, which the new text loses.
    rich: Vec<CellRef>,
    /// Array formulas with the text, which stay as they are.
    arrays: Vec<CellRef>,
}

/// Replaces text in a range, a sheet or the entire workbook.
pub(super) fn find_replace(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &FindReplace,
) -> Result<OpReport, Error> {
    if op.find.is_empty() {
        return Err(input.error("find", "missing or empty: the text to find").into());
    }
    let range = op.range.as_deref().map(|range| range_at(range, &input.at("range"))).transpose()?;
    let places = match &op.sheet {
        Some(name) => vec![editor.grid(input, "sheet", name)?.0],
        None if range.is_some() => {
            return Err(input.error("sheet", "missing: the sheet that `range` is on").into());
        }
        None => (0..editor.book.sheets.len()).collect(),
    };
    editor.flush()?;
    let pattern = Pattern {
        find: &op.find,
        replace: &op.replace,
        match_case: op.match_case == Some(true),
        whole: op.whole_cell == Some(true),
    };
    let with_formulas = op.formulas == Some(true);
    let strings = matching_strings(editor, &pattern)?;
    let (mut cells, mut replacements) = (0, 0);
    let mut sheets: Vec<Value> = Vec::new();
    let mut in_formulas = 0;
    for place in places {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        let found = search(editor, &part, range.unwrap_or(CellRange::ALL), &pattern, &strings, with_formulas)?;
        warn(editor, input, &name, &found);
        let count = found.values.len() + found.formulas.len();
        if count == 0 {
            continue;
        }
        in_formulas += found.formulas.len();
        let writes = writes(editor, input, &name, found.values, found.formulas)?;
        editor.write_cells(input, &part, writes)?;
        cells += count;
        replacements += found.replacements;
        sheets.push(json!({ "sheet": name, "cells": count, "replacements": found.replacements }));
    }
    let scope = match (&op.sheet, range) {
        (Some(sheet), Some(range)) => format!("{range} of {sheet}"),
        (Some(sheet), None) => sheet.clone(),
        _ => format!("{} sheet(s)", editor.book.sheets.len()),
    };
    let summary = match cells {
        0 => format!("`{}` was not found in {scope}.", op.find),
        _ => {
            format!("Replaced `{}` by `{}` {replacements} time(s) in {cells} cell(s) of {scope}.", op.find, op.replace)
        }
    };
    if cells == 0 {
        editor.warnings.push(format!("{}: `{}` was not found in {scope}", input.at("find"), op.find));
    }
    let change = OpReport::new(input, summary).with("cells", cells).with("replacements", replacements);
    Ok(change.with("formulas", in_formulas).with("sheets", sheets))
}

/// The shared strings that the pattern changes, with their new text, the number of replacements, and whether a string
/// has formats of its own. Each is looked at once, however many cells show it.
type Strings = HashMap<u32, (String, usize, bool)>;

fn matching_strings(editor: &WorkbookEdit<'_>, pattern: &Pattern<'_>) -> Result<Strings, Error> {
    let texts = load_strings(editor)?;
    let mut found = Strings::new();
    for number in 0..u32::try_from(texts.len()).unwrap_or(u32::MAX) {
        if let Some((text, count)) = texts.get(number).and_then(|text| replaced(text, pattern)) {
            found.insert(number, (text, count, false));
        }
    }
    let part = editor.book.shared_strings().filter(|part| editor.package.has(part));
    if let Some(part) = part.filter(|_| !found.is_empty()) {
        each_string(&editor.package, part, |number, item| {
            if let Some((_, _, rich)) = found.get_mut(&number) {
                *rich = plain_text(item).is_none();
            }
        })?;
    }
    Ok(found)
}

fn search(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    range: CellRange,
    pattern: &Pattern<'_>,
    strings: &Strings,
    with_formulas: bool,
) -> Result<Found, Error> {
    editor.sheet(part)?;
    let mut found = Found::default();
    let Some(state) = editor.loaded(part) else { return Ok(found) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if !(range.start().row()..=range.end().row()).contains(&row.number) {
            return Ok(());
        }
        for cell in row.cells() {
            let Some(at) = cell.at.filter(|at| range.contains(*at)) else { continue };
            if let Some(formula) = cell.formula() {
                if !with_formulas {
                    continue;
                }
                let shared = formula.group().and_then(|group| state.shared.get(&group)?.formula_at(at));
                let text = format!("={}", prefixes::remove(&shared.unwrap_or_else(|| formula.text())));
                if let Some((text, count)) = replaced(&text, pattern) {
                    if matches!(formula.kind, FormulaKind::Array | FormulaKind::DataTable) {
                        found.arrays.push(at);
                    } else {
                        found.formulas.insert(at, text);
                        found.replacements += count;
                    }
                }
                continue;
            }
            let new = match cell.data() {
                CellData::Shared(number) => strings.get(&number).map(|(text, count, rich)| {
                    if *rich {
                        found.rich.push(at);
                    }
                    (text_value(text.clone()), *count)
                }),
                CellData::Text(text) => replaced(&text, pattern).map(|(text, count)| (text_value(text), count)),
                CellData::Number(number) => number_value(number, pattern).map(|value| (value, 1)),
                _ => None,
            };
            if let Some((value, count)) = new {
                found.values.insert(at, value);
                found.replacements += count;
            }
        }
        Ok(())
    })?;
    Ok(found)
}

fn text_value(text: String) -> NewValue {
    if text.is_empty() { NewValue::Blank } else { NewValue::Text(text) }
}

/// A number is replaced as a whole: its digits are no text, and a part of them means another number.
fn number_value(number: f64, pattern: &Pattern<'_>) -> Option<NewValue> {
    let same = pattern.find.trim().parse::<f64>().is_ok_and(|wanted| wanted == number);
    let new = pattern.replace.trim();
    same.then(|| match new.parse::<f64>().ok().filter(|number| number.is_finite()) {
        Some(number) => NewValue::Number(number),
        None => text_value(new.to_owned()),
    })
}

/// The cells to write; the new formulas are checked like those of any op, and the new texts for their length.
fn writes(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    sheet: &str,
    found: BTreeMap<CellRef, NewValue>,
    formulas: BTreeMap<CellRef, String>,
) -> Result<Vec<CellWrite>, Error> {
    let rules = editor.rules();
    let mut writes = Vec::with_capacity(found.len() + formulas.len());
    for (at, value) in found {
        let value = match value {
            NewValue::Text(text) => {
                let given = Value::from(text);
                values::read(Some(&given), Some("string"), &input.at("replace"), rules, &mut editor.warnings)?
            }
            value => value,
        };
        writes.push(CellWrite { at, value: Some(value), patch: None, field: input.at("replace") });
    }
    for (at, text) in formulas {
        let given = Value::from(text.as_str());
        let is_formula = text.starts_with('=') && text.len() > 1;
        let read = values::read(Some(&given), Some("formula"), &input.at("replace"), rules, &mut editor.warnings);
        let value = read.ok().filter(|_| is_formula).ok_or_else(|| {
            let why = format!("the formula of {sheet}!{at} would become `{text}`, which is not a valid formula");
            EditError::new(input.at("replace"), why)
        })?;
        writes.push(CellWrite { at, value: Some(value), patch: None, field: input.at("replace") });
    }
    writes.sort_by_key(|write| write.at);
    Ok(writes)
}

fn warn(editor: &mut WorkbookEdit<'_>, input: &OpInput, sheet: &str, found: &Found) {
    if !found.rich.is_empty() {
        let list = listed(found.rich.iter(), 8);
        let why = format!("the formats of parts of the text are lost on {sheet}: {list}");
        editor.warnings.push(format!("{}: {why}", input.at("replace")));
    }
    if !found.arrays.is_empty() {
        let list = listed(found.arrays.iter(), 8);
        let why = format!("array formulas stay as they are on {sheet}: {list}");
        editor.warnings.push(format!("{}: {why}", input.at("find")));
    }
}

/// A text with every match replaced, and how many there were; none without a match.
fn replaced(text: &str, pattern: &Pattern<'_>) -> Option<(String, usize)> {
    if pattern.whole {
        let matched = matches_at(text, pattern).is_some_and(|length| length == text.len());
        return matched.then(|| (pattern.replace.to_owned(), 1));
    }
    let mut out = String::new();
    let (mut rest, mut count) = (text, 0);
    while let Some(first) = rest.chars().next() {
        match matches_at(rest, pattern) {
            Some(length) => {
                out.push_str(pattern.replace);
                count += 1;
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    (count > 0).then_some((out, count))
}

/// The length in bytes of a match at the start of a text. Without regard to case, letters are compared by their lower
/// case, which can have another length.
fn matches_at(text: &str, pattern: &Pattern<'_>) -> Option<usize> {
    if pattern.match_case {
        return text.starts_with(pattern.find).then_some(pattern.find.len());
    }
    let mut wanted = pattern.find.chars().flat_map(char::to_lowercase).peekable();
    let mut length = 0;
    for c in text.chars() {
        if wanted.peek().is_none() {
            break;
        }
        for lower in c.to_lowercase() {
            if wanted.next() != Some(lower) {
                return None;
            }
        }
        length += c.len_utf8();
    }
    wanted.peek().is_none().then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_found_in_any_case_and_script() {
        let all = |text: &str, find: &str, match_case: bool, whole: bool| {
            replaced(text, &Pattern { find, replace: "-", match_case, whole })
        };
        let one = |text: &str, count: usize| Some((text.to_owned(), count));
        assert_eq!(all("Aa a", "a", false, false), one("-- -", 3));
        assert_eq!(all("Aa a", "a", true, false), one("A- -", 2));
        assert_eq!(all("STRASSE Straße", "straße", false, false), one("STRASSE -", 1));
        assert_eq!(all("ÄÖÜ", "äö", false, false), one("-Ü", 1));
        assert_eq!(all("İx", "x", false, false), one("İ-", 1));
        assert_eq!(all("abc", "b", false, true), None);
        assert_eq!(all("ABC", "abc", false, true), one("-", 1));
        assert_eq!(all("", "a", false, false), None);
        assert_eq!(all("ab", "abc", false, false), None);
    }
}
