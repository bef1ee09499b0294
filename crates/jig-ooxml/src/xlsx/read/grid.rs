//! `XlsxRenderGrid`: a window of cells with their types.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::cell::{Cell, Content, Origin};
use super::params::Params;
use super::show::{CELL_CHARS, FULL_CHARS, Merges, cut};
use crate::error::Error;
use crate::xlsx::address::{CellRef, MAX_COLUMN, MAX_ROW, RangeRef};

const ROWS: u64 = 200;
const COLUMNS: u64 = 50;
/// The most text of one answer before cells are cut short.
const BYTES: usize = 4 << 20;

/// The answer to `XlsxRenderGrid`.
pub(super) fn grid(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let place = params.sheet_or_first(call.book)?;
    let row_start = params.number("row_start")?.unwrap_or(0);
    let col_start = params.number("col_start")?.unwrap_or(0);
    let (asked_rows, asked_cols) = (params.number("row_count")?, params.number("col_count")?);
    let data = call.sheet(place)?;
    call.note_faults(place, &data);
    let end = data.facts.used.map(RangeRef::end);
    // Without a count, no more than there is.
    let left = |used: u32, start: u64| u64::from(used).saturating_sub(start);
    let (used_rows, used_cols) = (end.map_or(0, CellRef::row), end.map_or(0, CellRef::col));
    let rows = asked_rows.unwrap_or_else(|| left(used_rows, row_start)).min(ROWS).min(left(MAX_ROW, row_start));
    let cols = asked_cols.unwrap_or_else(|| left(used_cols, col_start)).min(COLUMNS).min(left(MAX_COLUMN, col_start));
    for (name, asked, most) in [("row_count", asked_rows, ROWS), ("col_count", asked_cols, COLUMNS)] {
        if asked.is_some_and(|asked| asked > most) {
            call.note(format!("{name} is cut to {most}"));
        }
    }
    let mut found = HashMap::new();
    let mut text = Text::default();
    if let Some(range) = window(row_start, rows, col_start, cols) {
        let mut merges = Merges::new(&data.facts.merges);
        call.each_cell(place, &data, range, &mut |cell| {
            if !merges.covers(cell.at) {
                found.insert((cell.at.row(), cell.at.col()), rendered(call, &cell, &mut text));
            }
            ControlFlow::Continue(())
        })?;
    }
    if text.short > 0 {
        call.note(format!("{} texts are too long to be given whole; they end with `…`", text.short));
    }
    let mut row = |row: u64| {
        let cell = |col: u64| {
            let key = ((row_start + row + 1) as u32, (col_start + col + 1) as u32);
            found.remove(&key).unwrap_or_else(|| json!({"value": null, "type": "blank", "formula": null}))
        };
        Value::Array((0..cols).map(cell).collect())
    };
    let cells: Vec<Value> = (0..rows).map(&mut row).collect();
    let mut answer = json!({
        "sheets": call.book.sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(),
        "row_count": used_rows,
        "col_count": used_cols,
        "cells": cells,
        "sheet": call.book.sheets.get(place).map(|sheet| sheet.name.as_str()),
        "row_start": row_start,
        "col_start": col_start,
        "range": window(row_start, rows, col_start, cols).map(|range| range.to_string()),
    });
    call.warn(&mut answer);
    Ok(answer)
}

fn window(row_start: u64, rows: u64, col_start: u64, cols: u64) -> Option<RangeRef> {
    let corner = |row: u64, col: u64| CellRef::new(u32::try_from(row).ok()?, u32::try_from(col).ok()?);
    if rows == 0 || cols == 0 {
        return None;
    }
    Some(RangeRef::new(corner(row_start + 1, col_start + 1)?, corner(row_start + rows, col_start + cols)?))
}

/// How much text the answer has, so that it stays within bounds.
#[derive(Default)]
struct Text {
    bytes: usize,
    short: u64,
}

impl Text {
    fn fit<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let fits = cut(text, if self.bytes > BYTES { FULL_CHARS } else { CELL_CHARS });
        self.bytes += fits.len();
        self.short += u64::from(fits.len() != text.len());
        fits
    }
}

fn rendered(call: &Call<'_>, cell: &Cell<'_>, text: &mut Text) -> Value {
    let (value, kind) = match &cell.content {
        Content::Empty => (Value::Null, "blank"),
        Content::Number(number) => (number_value(*number), "number"),
        Content::Bool(value) => (json!(value), "boolean"),
        Content::Error(found) | Content::Date(found) => (json!(text.fit(found)), "string"),
        Content::Shared(_) | Content::Text(_) => {
            (json!(text.fit(cell.content.text(&call.shower.strings).unwrap_or_default())), "string")
        }
    };
    let formula = cell.formula.as_ref().map(|formula| formula.text(cell.at));
    let mut fields = Map::new();
    fields.insert("value".to_owned(), value);
    fields.insert("type".to_owned(), json!(kind));
    fields.insert("formula".to_owned(), json!(formula.as_ref().map(|formula| text.fit(formula))));
    fields.insert("display".to_owned(), json!(text.fit(&call.shower.value(cell))));
    let format = call.shower.styles.code(call.shower.styles.format_id(cell.style));
    if format != "General" {
        fields.insert("number_format".to_owned(), json!(format));
    }
    if let Some(date) = call.shower.iso(cell) {
        fields.insert("date".to_owned(), json!(date));
    }
    if matches!(cell.content, Content::Error(_)) {
        fields.insert("error".to_owned(), json!(true));
    }
    if cell.is_stale() {
        fields.insert("stale".to_owned(), json!(true));
    }
    if cell.origin == Origin::Computed {
        fields.insert("computed".to_owned(), json!(true));
    }
    Value::Object(fields)
}

/// Whole numbers without a point.
fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}
