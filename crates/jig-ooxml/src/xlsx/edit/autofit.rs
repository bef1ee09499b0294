//! Fits the widths of columns to what their cells show. Widths are estimated from classes of characters, since there are
//! no fonts here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jig_file_api::ops::xlsx::AutofitColumns;
use serde_json::Value;

use super::layout::{ColumnChange, change_columns};
use super::outline::columns_at;
use super::recalculate::{current_values, load_strings};
use super::relocate::merges;
use super::{WorkbookEdit, listed};
use crate::edit::{OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, ColumnName, MAX_COLUMN};
use crate::xlsx::cell_formatter::CellFormatter;
use crate::xlsx::formula::{CellKey, CellValue};
use crate::xlsx::sheet::cell::{Cell, CellData, Origin};
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xlsx::styles::Styles;
use crate::xml::Ns;

/// The greatest width without another one given, in characters.
const MOST: f64 = 80.0;
/// The room that Excel leaves beside the text.
const PADDING: f64 = 1.7;
/// The room for the button of a filter.
const BUTTON: f64 = 2.4;

/// Fits the widths of columns.
pub(super) fn autofit(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &AutofitColumns) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let most = op.max_width.unwrap_or(MOST);
    let wanted = wanted(input, op.columns.as_ref())?;
    editor.flush()?;
    let merged = merges(editor, &part)?;
    let formatter = CellFormatter {
        strings: Arc::new(load_strings(editor)?),
        styles: Arc::new(Styles::read(&editor.package, editor.book.styles(), editor.book.theme())),
        dates: editor.book.dates(),
    };
    let fonts = fonts(editor)?;
    let has_formulas = !editor.sheet(&part)?.formulas.is_empty();
    let computed = if has_formulas { current_values(editor)? } else { HashMap::new() };
    let filters = filter_cells(editor, &part)?;
    editor.sheet(&part)?;
    let mut widths: BTreeMap<u32, f64> = BTreeMap::new();
    if let Some(state) = editor.loaded(&part) {
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            let Piece::Row(row) = piece else { return Ok(()) };
            for view in row.cells() {
                let Some(at) = view.at.filter(|at| wanted.as_ref().is_none_or(|set| set.contains(&at.col()))) else {
                    continue;
                };
                let style = view.style().unwrap_or(0);
                let font = fonts.get(style as usize).copied().unwrap_or_default();
                // A merged text spreads over several columns, and a wrapped one over several lines.
                if font.wraps || merged.iter().any(|area| area.contains(at) && area.columns() > 1) {
                    continue;
                }
                let data = match computed.get(&CellKey { sheet: place, cell: at }) {
                    Some(Some(value)) => data_of(value),
                    Some(None) => CellData::Empty,
                    None => view.data(),
                };
                let cell = Cell { at, style, data, formula: None, origin: Origin::Stored };
                let shown = formatter.value(&cell);
                let longest = shown.lines().map(text_width).fold(0.0, f64::max);
                if longest > 0.0 {
                    let button = if filters.iter().any(|range| range.contains(at)) { BUTTON } else { 0.0 };
                    let width = longest * font.scale() + PADDING + button;
                    let entry = widths.entry(at.col()).or_insert(0.0);
                    *entry = entry.max(width);
                }
            }
            Ok(())
        })?;
    }
    let fitted: Vec<(u32, f64)> = widths
        .into_iter()
        .map(|(column, width)| (column, ((width.min(most) * 100.0).round() / 100.0).max(2.0)))
        .collect();
    let changes = fitted.iter().map(|(column, width)| (*column, *column, ColumnChange::Fit(*width))).collect();
    change_columns(editor, &part, changes)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let list = listed(fitted.iter().map(|(column, width)| format!("{} {width}", ColumnName(*column))), 20);
    let summary = match fitted.len() {
        0 => format!("No columns with values to fit on {sheet}."),
        count => format!("Fitted the widths of {count} column(s) on {sheet} ({list})."),
    };
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("columns", fitted.len()).with("widths", list))
}

/// The columns that are asked for; none for all.
fn wanted(input: &OpInput, columns: Option<&Value>) -> Result<Option<BTreeSet<u32>>, Error> {
    let Some(columns) = columns.filter(|value| !value.is_null() && value.as_str() != Some("")) else { return Ok(None) };
    let pieces: Vec<Value> = match columns {
        Value::String(text) => text.split([',', ';']).map(|piece| piece.trim().into()).collect(),
        Value::Array(list) => list.clone(),
        other => vec![other.clone()],
    };
    let mut found = BTreeSet::new();
    for piece in &pieces {
        let (first, last) = columns_at(piece, &input.at("columns"))?;
        found.extend(first..=last.min(MAX_COLUMN));
    }
    Ok(Some(found))
}

fn data_of(value: &CellValue) -> CellData<'static> {
    match value {
        CellValue::Empty => CellData::Number(0.0),
        CellValue::Number(number) => CellData::Number(*number),
        CellValue::Text(text) => CellData::Text(text.clone().into()),
        CellValue::Bool(flag) => CellData::Bool(*flag),
        CellValue::Error(error) => CellData::Error(error.to_string().into()),
    }
}

/// The width of a text, in digits of the same font.
fn text_width(text: &str) -> f64 {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ';' | ':' | '\'' | '|' | '!' => 0.5,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '\\' => 0.65,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.6,
        'A'..='Z' => 1.2,
        '\u{0}'..='\u{2FF}' => 1.0,
        // Marks stand above or below the letter before them.
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' => 0.0,
        '\u{1100}'..='\u{11FF}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{1F000}'.. => 2.0,
        _ => 1.1,
    }
}

/// What of a cell's font changes the width of its text.
#[derive(Debug, Clone, Copy)]
struct Font {
    size: f64,
    bold: bool,
    wraps: bool,
    normal: f64,
}

impl Default for Font {
    fn default() -> Self {
        Self { size: 11.0, bold: false, wraps: false, normal: 11.0 }
    }
}

impl Font {
    /// In comparison with the font that widths count in.
    fn scale(self) -> f64 {
        let bold = if self.bold { 1.08 } else { 1.0 };
        bold * self.size / self.normal.max(1.0)
    }
}

/// The fonts of all cell formats.
fn fonts(editor: &mut WorkbookEdit<'_>) -> Result<Vec<Font>, Error> {
    let Some(part) = editor.book.styles().filter(|part| editor.package.has(part)) else { return Ok(Vec::new()) };
    let content = editor.package.xml(part)?;
    let tree = content.tree(editor.package.limits())?;
    let root = tree.root();
    let is_on = |value: Option<std::borrow::Cow<'_, str>>| !value.is_some_and(|v| matches!(v.trim(), "0" | "false"));
    let list = root.child(Ns::S, "fonts");
    let fonts: Vec<(f64, bool)> = list
        .into_iter()
        .flat_map(|list| list.children_named(Ns::S, "font"))
        .map(|font| {
            let size = font.child(Ns::S, "sz").and_then(|node| node.attr("val")?.trim().parse::<f64>().ok());
            (size.unwrap_or(11.0), font.child(Ns::S, "b").is_some_and(|node| is_on(node.attr("val"))))
        })
        .collect();
    let normal = fonts.first().map_or(11.0, |font| font.0);
    let xfs = root.child(Ns::S, "cellXfs");
    let of = |xf: crate::xml::Node<'_>| {
        let id = xf.attr("fontId").and_then(|id| id.trim().parse::<usize>().ok()).unwrap_or(0);
        let (size, bold) = fonts.get(id).copied().unwrap_or((normal, false));
        let alignment = xf.child(Ns::S, "alignment").and_then(|node| node.attr("wrapText"));
        let wraps = alignment.is_some_and(|wrap| matches!(wrap.trim(), "1" | "true"));
        Font { size, bold, wraps, normal }
    };
    Ok(xfs.into_iter().flat_map(|list| list.children_named(Ns::S, "xf")).map(of).collect())
}

/// The header cells that have the button of a filter.
fn filter_cells(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Vec<CellRange>, Error> {
    let mut ranges: Vec<CellRange> = Vec::new();
    editor.edit_frame(part, |root, _| {
        let filter = root.child(Ns::S, "autoFilter");
        ranges.extend(filter.and_then(|node| node.attr("ref")?.parse::<CellRange>().ok()));
        Ok(())
    })?;
    ranges.extend(editor.tables(part)?.iter().filter(|table| table.header_rows > 0).map(|table| table.range));
    let top = |range: CellRange| {
        let end = crate::xlsx::address::CellRef::new(range.start().row(), range.end().col());
        end.map(|end| CellRange::new(range.start(), end))
    };
    let found: Vec<CellRange> = ranges.into_iter().filter_map(top).collect();
    Ok(found)
}
