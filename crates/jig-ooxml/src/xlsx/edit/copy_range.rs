//! Copies cells to another place: relative references of formulas count from the new place.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jig_file_api::ops::xlsx::CopyRange;

use super::layout::{add_merges, range_at};
use super::move_range::target_sheet;
use super::recalculate::{cell_value, current_values, load_strings};
use super::relocate::{self, check_arrays, check_pivots, check_size, clipped, covers, merges, place_at, placed};
use super::strings::{each_string, plain_text};
use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, cells_of, tables};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, MAX_ROW};
use crate::xlsx::formula::{CellKey, CellValue, FormulaText, ParsedFormula, same_sheet, translate};
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::markup;
use crate::xlsx::sheet::rows::{CellView, Piece, walk_rows};

/// Which of a cell is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    All,
    Values,
    Formulas,
    Formats,
}

/// A cell that is copied.
struct Source {
    style: u32,
    content: Content,
}

/// The content of a copied cell.
enum Content {
    /// A formula, with its value if that is known.
    Formula(Arc<ParsedFormula>, Option<CellValue>),
    /// An array formula, by its element.
    Array(String),
    /// A value that ops can write.
    Value(NewValue),
    /// Any other value, by its element: text with formats of its own, an error, a date in ISO form.
    Element(String),
}

/// Copies cells to another place.
pub(super) fn copy_range(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &CopyRange) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let given = range_at(&op.range, &input.at("range"))?;
    let (named, to) = place_at(&op.to, &input.at("to"))?;
    let to_sheet = target_sheet(input, named, op.to_sheet.as_deref(), &op.sheet)?;
    let what = match op.what.as_deref() {
        Some("values") => What::Values,
        Some("formulas") => What::Formulas,
        Some("formats") => What::Formats,
        _ => What::All,
    };
    let (to_place, to_part) = editor.grid(input, "to_sheet", &to_sheet)?;
    editor.flush()?;
    let is_large = given.cells() > 1_000_000;
    let clip = if is_large { clipped(editor, &part, given)? } else { Some(given) };
    let from = clip.ok_or_else(|| input.error("range", format!("{given} has no cells to copy")))?;
    let target = target_of(input, from, to, given)?;
    check_size(input, "to", target)?;
    check_arrays(editor, input, "range", &part, from, true)?;
    check_pivots(editor, input, "to", &to_part, target)?;
    if what != What::Formats {
        check_arrays(editor, input, "to", &to_part, target, true)?;
    }
    let areas = copied_merges(editor, input, &part, &to_part, from, target, what)?;
    let mut sources = sources(editor, &part, place, from, what)?;
    if to_part != part {
        let old = relocate::prefix_of(editor.sheet(&part)?);
        let new = relocate::prefix_of(editor.sheet(&to_part)?);
        for source in sources.values_mut() {
            if let Content::Array(element) | Content::Element(element) = &mut source.content {
                *element = relocate::reprefixed(element, &old, &new);
            }
        }
    }
    let cells = paste(editor, input, &to_part, from, target, what, &sources)?;
    if !areas.is_empty() {
        add_merges(editor, &to_part, &areas)?;
    }
    let name = |place: usize| editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let (sheet, to_name) = (name(place), name(to_place));
    let same = same_sheet(&sheet, &to_name);
    let shown = if same { target.to_string() } else { format!("{to_name}!{target}") };
    let kind = match what {
        What::All => "",
        What::Values => "the values of ",
        What::Formulas => "the formulas of ",
        What::Formats => "the formats of ",
    };
    let change = OpReport::new(input, format!("Copied {kind}{from} on {sheet} to {shown}."));
    let change = change.with("sheet", sheet).with("range", from.to_string()).with("to", target.to_string());
    let change = if same { change } else { change.with("to_sheet", to_name) };
    Ok(change.with("cells", cells))
}

/// The cells that are written: as many as are copied, or a larger range that is filled with copies.
fn target_of(input: &OpInput, from: CellRange, to: CellRange, given: CellRange) -> Result<CellRange, EditError> {
    let fills = to.cells() > 1
        && to != given
        && to.rows().is_multiple_of(from.rows())
        && to.columns().is_multiple_of(from.columns());
    if fills {
        return Ok(to);
    }
    if to.cells() > 1 && (to.rows(), to.columns()) != (given.rows(), given.columns()) {
        let why = format!("{to} is not filled by copies of {from}; give its first cell, or a multiple of its size");
        return Err(input.error("to", why).suggest([to.start().to_string()]));
    }
    let start = to.start();
    let row = start.row().checked_add(from.rows() - 1);
    let end = row.and_then(|row| CellRef::new(row, start.col().checked_add(from.columns() - 1)?));
    let end =
        end.ok_or_else(|| input.error("to", format!("{from} does not fit there: the sheet ends at XFD{MAX_ROW}")))?;
    Ok(CellRange::new(start, end))
}

/// The merged areas that the copy gets.
fn copied_merges(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    to_part: &str,
    from: CellRange,
    target: CellRange,
    what: What,
) -> Result<Vec<CellRange>, Error> {
    if !matches!(what, What::All | What::Formats) {
        return Ok(Vec::new());
    }
    let own: Vec<CellRange> = merges(editor, part)?.into_iter().filter(|area| covers(from, *area)).collect();
    let mut new = Vec::new();
    for corner in corners(from, target) {
        new.extend(own.iter().filter_map(|area| {
            let moved = |cell: CellRef| {
                let row = corner.row() + (cell.row() - from.start().row());
                CellRef::new(row, corner.col() + (cell.col() - from.start().col()))
            };
            Some(CellRange::new(moved(area.start())?, moved(area.end())?))
        }));
    }
    let there = merges(editor, to_part)?;
    new.retain(|area| !there.contains(area));
    let others = there.into_iter().filter(|area| !(part == to_part && covers(from, *area) && covers(target, *area)));
    if let Some(area) = others
        .into_iter()
        .find(|area| area.intersection(target).is_some() && (!new.is_empty() || !covers(target, *area)))
    {
        let why = format!("the new place {target} overlaps the merged area {area}; unmerge that first");
        return Err(input.error("to", why).suggest([area.to_string()]).into());
    }
    let names: Vec<(String, CellRange)> = relocate::tables(editor, to_part)?;
    if let Some((name, _)) = names.iter().find(|(_, table)| new.iter().any(|area| area.intersection(*table).is_some()))
    {
        let why = format!("the cells of the table {name} cannot be merged, and {from} has merged cells");
        return Err(input.error("to", why).into());
    }
    Ok(new)
}

/// The first cell of each copy.
fn corners(from: CellRange, target: CellRange) -> Vec<CellRef> {
    let (rows, columns) = (target.rows() / from.rows(), target.columns() / from.columns());
    (0..rows.max(1))
        .flat_map(|down| (0..columns.max(1)).map(move |right| (down, right)))
        .filter_map(|(down, right)| {
            CellRef::new(target.start().row() + down * from.rows(), target.start().col() + right * from.columns())
        })
        .collect()
}

/// The cells to copy. All recorded changes must be written.
fn sources(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    sheet: usize,
    from: CellRange,
    what: What,
) -> Result<BTreeMap<CellRef, Source>, Error> {
    let strings = load_strings(editor)?;
    let mut rich: HashSet<u32> = HashSet::new();
    if let Some(part) = editor.book.shared_strings().filter(|part| editor.package.has(part)) {
        each_string(&editor.package, part, |number, item| {
            if plain_text(item).is_none() {
                rich.insert(number);
            }
        })?;
    }
    let has_formulas = !editor.sheet(part)?.formulas.is_empty();
    let computed = if has_formulas && what == What::Values { current_values(editor)? } else { HashMap::new() };
    let mut found = BTreeMap::new();
    let Some(state) = editor.loaded(part) else { return Ok(found) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if !(from.start().row()..=from.end().row()).contains(&row.number) {
            return Ok(());
        }
        for cell in row.cells() {
            let Some(at) = cell.at.filter(|at| from.contains(*at)) else { continue };
            let element = || markup::text(cell.element()).into_owned();
            let value = match cell.data() {
                CellData::Shared(number) if rich.contains(&number) => Content::Element(element()),
                CellData::Error(_) | CellData::Date(_) => Content::Element(element()),
                CellData::Empty => Content::Value(NewValue::Blank),
                data => Content::Value(plain_value(cell_value(data, &strings))),
            };
            let content = match cell.formula() {
                None => value,
                Some(formula) if what == What::Values => {
                    let known = computed.get(&CellKey { sheet, cell: at });
                    let stored = || cell_value(cell.data(), &strings);
                    let text = formula.group().and_then(|group| state.shared.get(&group)?.formula_at(at));
                    let parsed = Arc::new(ParsedFormula::parse(text.unwrap_or_else(|| formula.text())));
                    Content::Formula(parsed, known.cloned().unwrap_or_else(stored))
                }
                Some(formula) if formula.fills_range() => Content::Array(element()),
                Some(formula) => {
                    let text = formula.group().and_then(|group| state.shared.get(&group)?.formula_at(at));
                    let parsed = ParsedFormula::parse(text.unwrap_or_else(|| formula.text()));
                    Content::Formula(Arc::new(parsed), None)
                }
            };
            found.insert(at, Source { style: cell.style().unwrap_or(0), content });
        }
        Ok(())
    })?;
    Ok(found)
}

fn plain_value(value: Option<CellValue>) -> NewValue {
    match value {
        None | Some(CellValue::Empty) => NewValue::Blank,
        Some(CellValue::Number(number)) => NewValue::Number(number),
        Some(CellValue::Bool(flag)) => NewValue::Bool(flag),
        Some(CellValue::Text(text)) if text.is_empty() => NewValue::Blank,
        Some(CellValue::Text(text)) => NewValue::Text(text),
        Some(CellValue::Error(error)) => NewValue::Text(error.to_string()),
    }
}

/// Writes the copies, and returns how many cells they have.
fn paste(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    from: CellRange,
    target: CellRange,
    what: What,
    sources: &BTreeMap<CellRef, Source>,
) -> Result<usize, Error> {
    let present = super::layout::present(editor, part, target)?;
    let prefix = relocate::prefix_of(editor.sheet(part)?);
    let mut elements: BTreeMap<CellRef, String> = BTreeMap::new();
    let mut writes: BTreeMap<CellRef, NewValue> = BTreeMap::new();
    let mut formats: BTreeMap<CellRef, u32> = BTreeMap::new();
    let mut unknown = Vec::new();
    // Cells without a source become empty, as those of the source are.
    for at in present.into_iter().filter(|_| what != What::Formats) {
        writes.insert(at, NewValue::Blank);
    }
    if matches!(what, What::All | What::Formats) {
        formats.extend(cells_of(target).filter(|at| writes.contains_key(at)).map(|at| (at, 0)));
    }
    for corner in corners(from, target) {
        for (at, source) in sources {
            let to = CellRef::new(
                corner.row() + (at.row() - from.start().row()),
                corner.col() + (at.col() - from.start().col()),
            );
            let Some(to) = to else { continue };
            if matches!(what, What::All | What::Formats) {
                formats.insert(to, source.style);
            }
            if what == What::Formats {
                continue;
            }
            match &source.content {
                Content::Value(value) => {
                    writes.insert(to, value.clone());
                }
                Content::Element(element) => {
                    writes.remove(&to);
                    elements.insert(to, placed(element, *at, to, None));
                }
                Content::Array(element) => {
                    let text =
                        relocate::formula_text(element, *at).map(|text| translate(&text, *at, to).text.into_owned());
                    writes.remove(&to);
                    elements.insert(to, without_value(&placed(element, *at, to, text.as_deref()), to));
                }
                Content::Formula(_, value) if what == What::Values => match value {
                    Some(CellValue::Error(error)) => {
                        writes.remove(&to);
                        let value = format!("<{prefix}v>{error}</{prefix}v>");
                        elements.insert(to, format!("<{prefix}c r=\"{to}\" t=\"e\">{value}</{prefix}c>"));
                    }
                    Some(value) => {
                        writes.insert(to, plain_value(Some(value.clone())));
                    }
                    None => unknown.push(at.to_string()),
                },
                Content::Formula(formula, _) => {
                    let moved = translate(formula.as_ref(), *at, to);
                    let formula = match moved.text {
                        text if text == formula.text() => Arc::clone(formula),
                        text => Arc::new(ParsedFormula::parse(text.into_owned())),
                    };
                    writes.insert(to, NewValue::Formula(formula));
                }
            }
        }
    }
    if !unknown.is_empty() {
        unknown.truncate(8);
        let why = format!("formulas without a computed value have no value to copy: {}", unknown.join(", "));
        return Err(input.error("what", why).into());
    }
    let count = if what == What::Formats { formats.len() } else { writes.len() + elements.len() };
    let field = input.at("to");
    if !elements.is_empty() {
        // The headers of a table are plain texts, so that they name its columns.
        let checked = elements.keys().map(|at| CellWrite {
            at: *at,
            value: Some(NewValue::Blank),
            patch: None,
            field: field.clone(),
        });
        tables::check_headers(editor, part, &checked.collect::<Vec<_>>())?;
        editor.dirty.entry(part.to_owned()).or_default().extend(elements.keys().copied());
        if what != What::All {
            keep_styles(editor, part, &mut elements)?;
        }
        relocate::put(editor, part, elements)?;
    }
    let writes =
        writes.into_iter().map(|(at, value)| CellWrite { at, value: Some(value), patch: None, field: field.clone() });
    editor.write_cells(input, part, writes.collect())?;
    let state = editor.sheet(part)?;
    for (at, style) in formats {
        let edit = state.edit(at);
        edit.patches.clear();
        edit.format = Some(style);
    }
    editor.flush()?;
    Ok(count)
}

/// An array formula without its stored value, which is computed anew.
fn without_value(element: &str, at: CellRef) -> String {
    let Some(cell) = CellView::of(element.as_bytes(), at) else { return element.to_owned() };
    let Some(value) = markup::elements(cell.inner()).find(|found| {
        let tag = cell.inner().get(found.tag.clone()).unwrap_or_default();
        markup::local(markup::tag_name(tag)) == b"v"
    }) else {
        return element.to_owned();
    };
    let start = cell.inner_start();
    let mut out = element.to_owned();
    out.replace_range(start + value.range.start..start + value.range.end, "");
    out
}

/// Gives copied elements the formats of the cells that they replace.
fn keep_styles(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    elements: &mut BTreeMap<CellRef, String>,
) -> Result<(), Error> {
    let Some(reach) = super::reach(elements.keys().copied()) else { return Ok(()) };
    let present = relocate::elements(editor, part, reach)?;
    for (at, element) in elements {
        let style = present.get(at).and_then(|old| CellView::of(old.as_bytes(), *at)?.style());
        let own = CellView::of(element.as_bytes(), *at).and_then(|cell| cell.style());
        // A workbook without styles has no format 0 to name.
        let Some(style) = style.or(own.map(|_| 0)) else { continue };
        let Some(tag_end) = element.find('>') else { continue };
        let mut tag = element.get(..=tag_end).unwrap_or_default().as_bytes().to_vec();
        super::rows::set(&mut tag, b"s", &style.to_string());
        element.replace_range(..=tag_end, &markup::text(&tag));
    }
    Ok(())
}
