//! The filter of a sheet: its range, and the values of columns that are shown.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jig_file_api::ops::xlsx::{ColumnFilter, SetAutoFilter};
use serde_json::Value;

use super::layout::range_at;
use super::names::{fixed_range, set_builtin};
use super::order::{WORKSHEET, insert_in_order};
use super::recalculate::{current_values, load_strings};
use super::relocate::clipped;
use super::values::number_text;
use super::{WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, ColumnName, column_number};
use crate::xlsx::cell_formatter::CellFormatter;
use crate::xlsx::formula::{CellKey, CellValue};
use crate::xlsx::sheet::cell::{Cell, CellData, Origin};
use crate::xlsx::sheet::markup::attr;
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xlsx::styles::Styles;
use crate::xml::{Ns, escape_attribute};

/// The hidden name that Excel keeps for a filter's range.
const NAME: &str = "_xlnm._FilterDatabase";

/// Sets or removes the filter of a sheet.
pub(super) fn set_auto_filter(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &SetAutoFilter,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    editor.flush()?;
    let mut old = None;
    editor.edit_frame(&part, |root, _| {
        let node = root.child(Ns::S, "autoFilter");
        old = node.and_then(|node| node.attr("ref")).map(std::borrow::Cow::into_owned);
        Ok(())
    })?;
    let given = op.range.as_deref().filter(|range| !range.trim().eq_ignore_ascii_case("none"));
    let Some(given) = given else {
        if op.filters.as_ref().is_some_and(|filters| !filters.is_empty()) {
            return Err(input.error("range", "missing: the cells that are filtered, with their header row").into());
        }
        return remove(editor, input, place, &part, &sheet, old);
    };
    let given = range_at(given, &input.at("range"))?;
    let range = clipped(editor, &part, given)?.unwrap_or(given);
    let range = if given.cells() > 1_000_000 { range } else { given };
    if let Some(table) = editor.tables(&part)?.iter().find(|table| table.range.intersection(range).is_some()) {
        let why =
            format!("{range} reaches into the table {} ({}), which has a filter of its own", table.name, table.range);
        return Err(input.error("range", why).into());
    }
    let filters = op.filters.as_deref().unwrap_or_default();
    let shown = Shown::read(editor, place, &part, range)?;
    let mut columns = Vec::new();
    for (index, filter) in filters.iter().enumerate() {
        columns.push(column(filter, index, input, range, &shown)?);
    }
    let hidden: BTreeSet<u32> = (range.start().row() + 1..=range.end().row())
        .filter(|row| !columns.iter().all(|column| column.shows(shown.at(*row, column.at))))
        .collect();
    write(editor, &part, range, &columns)?;
    set_builtin(editor, place, NAME, Some(&fixed_range(&sheet, range)), true)?;
    let area = old.as_deref().and_then(|old| old.parse::<CellRange>().ok());
    show_rows(editor, &part, range, area, &hidden)?;
    let summary = match columns.len() {
        0 => format!("Set the filter of {sheet} to {range}."),
        count => format!(
            "Set the filter of {sheet} to {range}, with conditions on {count} column(s); {} rows are hidden.",
            hidden.len()
        ),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet).with("range", range.to_string());
    let change = change.with("hidden_rows", hidden.len());
    Ok(match old {
        Some(old) => change.with("old", old),
        None => change,
    })
}

fn remove(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    place: usize,
    part: &str,
    sheet: &str,
    old: Option<String>,
) -> Result<OpReport, Error> {
    let Some(old) = old else {
        let summary = format!("The sheet {sheet} had no filter.");
        return Ok(OpReport::new(input, summary).with("sheet", sheet));
    };
    let mut had_conditions = false;
    editor.edit_frame(part, |root, splice| {
        if let Some(node) = root.child(Ns::S, "autoFilter") {
            had_conditions = node.child(Ns::S, "filterColumn").is_some();
            splice.remove(node);
        }
        Ok(())
    })?;
    set_builtin(editor, place, NAME, None, true)?;
    if let Some(area) = old.parse::<CellRange>().ok().filter(|_| had_conditions) {
        show_rows(editor, part, area, None, &BTreeSet::new())?;
    }
    let summary = format!("Removed the filter of {sheet} ({old}).");
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("old", old))
}

/// The values that a column shows.
struct Condition {
    at: u32,
    /// In lower case, as Excel compares them.
    values: BTreeSet<String>,
    texts: Vec<String>,
    blanks: bool,
}

impl Condition {
    fn shows(&self, text: &str) -> bool {
        if text.is_empty() { self.blanks } else { self.values.contains(&text.to_lowercase()) }
    }
}

fn column(
    filter: &ColumnFilter,
    index: usize,
    input: &OpInput,
    range: CellRange,
    shown: &Shown,
) -> Result<Condition, EditError> {
    let field = |name: &str| format!("filters[{index}].{name}");
    let inside = |column: &u32| (range.start().col()..=range.end().col()).contains(column);
    let top = range.start().row();
    let columns = || range.start().col()..=range.end().col();
    let wanted = filter.column.trim().to_lowercase();
    let by_header = columns().find(|col| shown.at(top, *col).trim().to_lowercase() == wanted);
    let at = by_header.or_else(|| column_number(filter.column.trim()).filter(inside)).ok_or_else(|| {
        let headers: Vec<&str> = columns().map(|col| shown.at(top, col)).filter(|text| !text.is_empty()).collect();
        let (left, right) = (ColumnName(range.start().col()), ColumnName(range.end().col()));
        let why = format!(
            "`{}` is not a column of {range}; it has {left} to {right} with the headers {}",
            filter.column,
            listed(headers.iter(), 20)
        );
        input.error(&field("column"), why).suggest(nearest(&filter.column, headers.iter().copied()))
    })?;
    let mut condition = Condition { at, values: BTreeSet::new(), texts: Vec::new(), blanks: false };
    for value in &filter.values {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.as_f64().map(number_text).unwrap_or_default(),
            Value::Bool(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
            _ => return Err(input.error(&field("values"), "values are texts or numbers, as the cells show them")),
        };
        if text.is_empty() {
            condition.blanks = true;
        } else {
            // A number that is shown in another form, such as 1,234.50, is found by its value too.
            let as_shown = shown.display_of(at, &text, range).unwrap_or(text);
            if condition.values.insert(as_shown.to_lowercase()) {
                condition.texts.push(as_shown);
            }
        }
    }
    if condition.texts.is_empty() && !condition.blanks {
        return Err(input.error(&field("values"), "missing or empty: give at least one value that is shown"));
    }
    Ok(condition)
}

/// What the cells of a range show.
struct Shown {
    texts: HashMap<CellRef, (String, Option<f64>)>,
}

impl Shown {
    fn read(editor: &mut WorkbookEdit<'_>, place: usize, part: &str, range: CellRange) -> Result<Self, Error> {
        let formatter = CellFormatter {
            strings: Arc::new(load_strings(editor)?),
            styles: Arc::new(Styles::read(&editor.package, editor.book.styles(), editor.book.theme())),
            dates: editor.book.dates(),
        };
        let has_formulas = !editor.sheet(part)?.formulas.is_empty();
        let computed = if has_formulas { current_values(editor)? } else { HashMap::new() };
        let mut texts = HashMap::new();
        let Some(state) = editor.loaded(part) else { return Ok(Self { texts }) };
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            let Piece::Row(row) = piece else { return Ok(()) };
            for view in row.cells() {
                let Some(at) = view.at.filter(|at| range.contains(*at)) else { continue };
                let data = match computed.get(&CellKey { sheet: place, cell: at }) {
                    Some(Some(CellValue::Number(number))) => CellData::Number(*number),
                    Some(Some(CellValue::Text(text))) => CellData::Text(text.clone().into()),
                    Some(Some(CellValue::Bool(flag))) => CellData::Bool(*flag),
                    Some(Some(CellValue::Error(error))) => CellData::Error(error.to_string().into()),
                    Some(Some(CellValue::Empty)) => CellData::Number(0.0),
                    Some(None) => CellData::Empty,
                    None => view.data(),
                };
                let number = match &data {
                    CellData::Number(number) => Some(*number),
                    _ => None,
                };
                let style = view.style().unwrap_or(0);
                let cell = Cell { at, style, data, formula: None, origin: Origin::Stored };
                texts.insert(at, (formatter.value(&cell).trim().to_owned(), number));
            }
            Ok(())
        })?;
        Ok(Self { texts })
    }

    fn at(&self, row: u32, col: u32) -> &str {
        let cell = CellRef::new(row, col);
        cell.and_then(|cell| self.texts.get(&cell)).map_or("", |(text, _)| text.as_str())
    }

    /// How a number of a column is shown.
    fn display_of(&self, col: u32, text: &str, range: CellRange) -> Option<String> {
        let rows = range.start().row()..=range.end().row();
        if rows.clone().any(|row| self.at(row, col).eq_ignore_ascii_case(text)) {
            return None;
        }
        let number = text.parse::<f64>().ok()?;
        rows.filter_map(|row| self.texts.get(&CellRef::new(row, col)?))
            .find(|(_, value)| *value == Some(number))
            .map(|(text, _)| text.clone())
    }
}

fn write(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange, columns: &[Condition]) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        let p = root.prefix();
        let mut inner = String::new();
        let mut sorted: Vec<&Condition> = columns.iter().collect();
        sorted.sort_by_key(|column| column.at);
        for column in sorted {
            let id = column.at - range.start().col();
            let blank = if column.blanks { " blank=\"1\"" } else { "" };
            let values: String =
                column.texts.iter().map(|text| format!("<{p}filter val=\"{}\"/>", escape_attribute(text))).collect();
            inner.push_str(&format!(
                "<{p}filterColumn colId=\"{id}\"><{p}filters{blank}>{values}</{p}filters></{p}filterColumn>"
            ));
        }
        let markup = format!("<{p}autoFilter ref=\"{range}\">{inner}</{p}autoFilter>");
        match root.child(Ns::S, "autoFilter") {
            Some(old) => splice.replace(old.range(), markup),
            None => insert_in_order(splice, root, "autoFilter", &markup, &WORKSHEET),
        }
        Ok(())
    })
}

/// Hides the rows that do not match, and shows those that a filter had hidden.
fn show_rows(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    range: CellRange,
    old: Option<CellRange>,
    hidden: &BTreeSet<u32>,
) -> Result<(), Error> {
    editor.sheet(part)?;
    let mut were: BTreeSet<u32> = BTreeSet::new();
    if let Some(state) = editor.loaded(part) {
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            if let Piece::Row(row) = piece
                && attr(row.tag(), b"hidden").is_some_and(|value| matches!(value, b"1" | b"true"))
            {
                were.insert(row.number);
            }
            Ok(())
        })?;
    }
    let inside = |row: u32| {
        [Some(range), old].into_iter().flatten().any(|area| row > area.start().row() && row <= area.end().row())
    };
    let state = editor.sheet(part)?;
    for row in were.iter().filter(|row| inside(**row) && !hidden.contains(row)) {
        state.row_edit(*row).hidden = Some(false);
    }
    for row in hidden.iter().filter(|row| !were.contains(row)) {
        state.row_edit(*row).hidden = Some(true);
    }
    Ok(())
}
