//! `XlsxGetMap` and `XlsxGetInfo`: what a workbook holds and where.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::cell::Cell;
use super::islands::Finder;
use super::related::Related;
use super::show::{Shower, cut};
use super::store::SheetData;
use crate::error::Error;
use crate::xlsx::address::{CellRef, ColumnName, RangeRef};
use crate::xlsx::book::{Sheet, SheetState};

/// Rows of a chunk.
pub(super) const CHUNK_ROWS: u32 = 50;
/// How many chunks, islands, headers and names are told.
const CHUNKS: u32 = 2000;
const ISLANDS: usize = 500;
const HEADERS: u32 = 100;
const NAMES: usize = 500;
/// The most headers that are repeated in chunks, over all chunks.
const REPEATED: usize = 4000;
const HEADER_CHARS: usize = 200;

/// The answer to `XlsxGetInfo`.
pub(super) fn info(call: &Call<'_>) -> Result<Value, Error> {
    let mut sheets = Vec::new();
    for (place, sheet) in call.sheets() {
        let data = call.sheet(place)?;
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!(sheet.name));
        size(&data, &mut fields);
        identity(sheet, &mut fields);
        sheets.push(Value::Object(fields));
    }
    let mut info = json!({"sheets": sheets, "sheet_count": call.book.sheets.len(), "active_sheet": active(call)});
    call.warn(&mut info);
    Ok(info)
}

/// The answer to `XlsxGetMap`.
pub(super) fn map(call: &Call<'_>) -> Result<Value, Error> {
    let sheets = call.sheets().map(|(place, sheet)| sheet_map(call, place, sheet)).collect::<Result<Vec<_>, _>>()?;
    let names = call.book.names.iter().filter(|name| !name.hidden);
    let names: Vec<Value> = names.take(NAMES).map(|name| defined_name(call, name)).collect();
    let mut map = json!({
        "sheets": sheets,
        "sheet_count": call.book.sheets.len(),
        "active_sheet": active(call),
        "defined_names": names,
        "date1904": call.book.date1904,
    });
    if let (true, Some(fields)) = (call.book.names.len() > NAMES, map.as_object_mut()) {
        fields.insert("defined_name_count".to_owned(), json!(call.book.names.len()));
    }
    call.warn(&mut map);
    Ok(map)
}

fn active<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    call.book.sheets.get(call.book.active).map(|sheet| sheet.name.as_str())
}

fn defined_name(call: &Call<'_>, name: &crate::xlsx::book::DefinedName) -> Value {
    let sheet = name.sheet.and_then(|place| call.book.sheets.get(place)).map(|sheet| sheet.name.as_str());
    json!({"name": name.name, "refers_to": cut(&name.formula, 500), "sheet": sheet})
}

fn size(data: &SheetData, fields: &mut Map<String, Value>) {
    let used = data.facts.used;
    fields.insert("row_count".to_owned(), json!(used.map_or(0, RangeRef::rows)));
    fields.insert("col_count".to_owned(), json!(used.map_or(0, RangeRef::columns)));
}

fn identity(sheet: &Sheet, fields: &mut Map<String, Value>) {
    fields.insert("kind".to_owned(), json!(sheet.kind.word()));
    fields.insert("state".to_owned(), json!(sheet.state.word()));
    fields.insert("hidden".to_owned(), json!(sheet.state != SheetState::Visible));
}

fn sheet_map(call: &Call<'_>, place: usize, sheet: &Sheet) -> Result<Value, Error> {
    let data = call.sheet(place)?;
    let related = Related::read(&call.package, sheet);
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(sheet.name));
    fields.insert("used_range".to_owned(), data.facts.used.map_or(Value::Null, used_range));
    size(&data, &mut fields);
    islands(call, place, &data, &mut fields)?;
    flags(call, place, &data, &related, &mut fields);
    identity(sheet, &mut fields);
    let mut faults = data.facts.faults();
    faults.extend(related.faults);
    if sheet.part.is_none() {
        faults.push("the file has no part for this sheet".to_owned());
    }
    if !faults.is_empty() {
        fields.insert("warnings".to_owned(), json!(faults));
    }
    Ok(Value::Object(fields))
}

fn used_range(used: RangeRef) -> Value {
    let (start, end) = (used.start(), used.end());
    json!({"min_row": start.row(), "max_row": end.row(), "min_col": start.col(), "max_col": end.col()})
}

fn flags(call: &Call<'_>, place: usize, data: &SheetData, related: &Related, fields: &mut Map<String, Value>) {
    let facts = &data.facts;
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("has_charts", json!(related.charts > 0));
    put("has_merged_cells", json!(!facts.merges.is_empty()));
    put("has_conditional_formatting", json!(facts.conditional_formats));
    put("has_formulas", json!(facts.formulas > 0));
    put("has_images", json!(related.images > 0));
    put("has_pivot", json!(related.pivots > 0));
    put("has_comments", json!(related.comments));
    put("has_data_validation", json!(facts.data_validations));
    put("has_slicers", json!(related.slicers));
    put("has_hyperlinks", json!(facts.hyperlinks));
    put("protected", json!(facts.protected));
    put("cell_count", json!(facts.cells));
    put("formula_count", json!(facts.formulas));
    let (computed, stale) = call.formula_counts(place, data);
    if stale > 0 {
        put("stale_formula_count", json!(stale));
    }
    if computed > 0 {
        put("computed_formula_count", json!(computed));
    }
    put("tables", json!(related.tables));
    put("auto_filter", json!(facts.auto_filter));
    put(
        "frozen",
        facts.frozen.as_ref().map_or(Value::Null, |frozen| json!({"rows": frozen.rows, "columns": frozen.columns})),
    );
    put("hidden_rows", json!(facts.hidden_rows));
    let hidden = facts.hidden_columns.iter();
    put(
        "hidden_columns",
        hidden.map(|(first, last)| json!(format!("{}:{}", ColumnName(*first), ColumnName(*last)))).collect(),
    );
    if let Some(declared) = facts.dimension.filter(|declared| Some(*declared) != facts.used) {
        put("dimension_declared", json!(declared.to_string()));
    }
}

/// The top of an island: where headers may be.
struct Top {
    range: RangeRef,
    /// The first two rows.
    rows: [RowTexts; 2],
}

/// A row of an island as far as it can be one of headers.
#[derive(Clone)]
struct RowTexts {
    texts: Vec<Option<String>>,
    filled: u32,
    only_text: bool,
}

impl Top {
    fn new(range: RangeRef) -> Self {
        let texts = vec![None; range.columns().min(HEADERS) as usize];
        let row = RowTexts { texts, filled: 0, only_text: true };
        Self { range, rows: [row.clone(), row] }
    }

    fn take(&mut self, cell: &Cell<'_>, shower: &Shower) {
        if !self.range.contains(cell.at) {
            return;
        }
        let column = (cell.at.col() - self.range.start().col()) as usize;
        let Some(row) = self.rows.get_mut((cell.at.row() - self.range.start().row()) as usize) else { return };
        row.filled += 1;
        row.only_text &= cell.content.is_text() && cell.formula.is_none();
        if let Some(text) = row.texts.get_mut(column) {
            *text = Some(cut(&shower.value(cell), HEADER_CHARS).into_owned());
        }
    }

    /// The headers and the number of their row: the first row when all of it is text. A lone title over
    /// a row of text is none.
    fn headers(&self) -> Option<(u32, &[Option<String>])> {
        let [first, second] = &self.rows;
        let row = self.range.start().row();
        let titled = first.filled == 1 && second.filled > 1 && second.only_text;
        match first.only_text {
            true if titled => Some((row + 1, &second.texts)),
            true => Some((row, &first.texts)),
            false => None,
        }
    }

    /// The range of the row of headers.
    fn header_range(&self) -> Option<RangeRef> {
        let (row, _) = self.headers()?;
        let (start, end) = (self.range.start().col(), self.range.end().col());
        Some(RangeRef::new(CellRef::new(row, start)?, CellRef::new(row, end)?))
    }

    /// What is below the headers.
    fn data_range(&self) -> Option<RangeRef> {
        let below = CellRef::new(self.headers()?.0 + 1, self.range.start().col())?;
        (below.row() <= self.range.end().row()).then(|| RangeRef::new(below, self.range.end()))
    }
}

fn islands(call: &Call<'_>, place: usize, data: &SheetData, fields: &mut Map<String, Value>) -> Result<(), Error> {
    let Some(used) = data.facts.used else {
        fields.insert("islands".to_owned(), json!([]));
        fields.insert("chunks".to_owned(), json!([]));
        return Ok(());
    };
    let mut finder = finder(call, place, data)?;
    finder.islands.truncate(ISLANDS);
    let tops = tops(call, place, data, &finder.islands)?;
    fields.insert("islands".to_owned(), tops.iter().map(island).collect());
    if finder.count > tops.len() as u64 {
        fields.insert("islands_truncated".to_owned(), json!(true));
        fields.insert("island_count".to_owned(), json!(finder.count));
    }
    if finder.coarse {
        fields.insert("islands_approximate".to_owned(), json!(true));
    }
    data.headers.get_or_init(|| headers_of(tops.first()));
    chunks(used, tops.first(), fields);
    Ok(())
}

/// The headers of a sheet's first island, for reading further down in it.
pub(super) struct Headers {
    /// Where they are.
    pub(super) range: RangeRef,
    /// The island below and with them.
    pub(super) island: RangeRef,
    pub(super) texts: Vec<Option<String>>,
}

/// The headers of the first island. A sheet without an index has none: it would be read twice for them.
pub(super) fn headers<'d>(call: &Call<'_>, place: usize, data: &'d SheetData) -> Result<Option<&'d Headers>, Error> {
    if let Some(known) = data.headers.get() {
        return Ok(known.as_ref());
    }
    let finder = if data.is_indexed() { finder(call, place, data)? } else { Finder::default() };
    let first = finder.islands.get(..1).unwrap_or_default();
    let tops = tops(call, place, data, first)?;
    Ok(data.headers.get_or_init(|| headers_of(tops.first())).as_ref())
}

fn headers_of(first: Option<&Top>) -> Option<Headers> {
    let (_, texts) = first?.headers()?;
    Some(Headers { range: first?.header_range()?, island: first?.range, texts: texts.to_vec() })
}

fn finder(call: &Call<'_>, place: usize, data: &SheetData) -> Result<Finder, Error> {
    let mut finder = Finder::default();
    if let Some(used) = data.facts.used {
        call.each_cell(place, data, used, &mut |cell| {
            finder.cell(cell.at);
            ControlFlow::Continue(())
        })?;
    }
    finder.finish();
    Ok(finder)
}

fn tops(call: &Call<'_>, place: usize, data: &SheetData, islands: &[RangeRef]) -> Result<Vec<Top>, Error> {
    let mut tops: Vec<Top> = islands.iter().copied().map(Top::new).collect();
    let mut by_row: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, island) in islands.iter().enumerate() {
        for row in [island.start().row(), island.start().row() + 1] {
            by_row.entry(row).or_default().push(number);
        }
    }
    // Without an index a single pass is cheaper than many that each begin at the top.
    let wanted: Vec<RangeRef> = match data.facts.used {
        Some(used) if !data.is_indexed() => vec![used],
        _ => by_row.keys().copied().filter_map(whole_row).collect(),
    };
    for range in wanted {
        call.each_cell(place, data, range, &mut |cell| {
            for number in by_row.get(&cell.at.row()).into_iter().flatten() {
                if let Some(top) = tops.get_mut(*number) {
                    top.take(&cell, &call.shower);
                }
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(tops)
}

fn whole_row(row: u32) -> Option<RangeRef> {
    Some(RangeRef::new(CellRef::new(row, 1)?, CellRef::new(row, crate::xlsx::address::MAX_COLUMN)?))
}

fn island(top: &Top) -> Value {
    let headers = top.headers();
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("range", json!(top.range.to_string()));
    put("label", json!(if headers.is_some() { "header" } else { "data" }));
    put("row_count", json!(top.range.rows()));
    put("col_count", json!(top.range.columns()));
    put("headers", headers.map_or(Value::Null, |(_, texts)| json!(texts)));
    if headers.is_some() {
        put("header_range", json!(top.header_range().map(|range| range.to_string())));
        put("data_range", json!(top.data_range().map(|range| range.to_string())));
        if top.range.columns() > HEADERS {
            put("headers_truncated", json!(true));
        }
    }
    Value::Object(fields)
}

/// Pieces of 50 rows. The headers of the first island are repeated in each, unless that would be too much.
fn chunks(used: RangeRef, first: Option<&Top>, fields: &mut Map<String, Value>) {
    let count = used.rows().div_ceil(CHUNK_ROWS);
    let header = first.and_then(Top::header_range).map(|range| range.to_string());
    let texts = first.and_then(Top::headers).map(|(_, texts)| texts);
    let repeated = texts.is_some_and(|texts| texts.len() * count.min(CHUNKS) as usize <= REPEATED);
    let chunk = |index: u32| {
        let range = chunk_range(used, index);
        let mut chunk = json!({"index": index, "range": range.to_string(), "rows": range.rows()});
        if let (Some(header), Some(chunk)) = (&header, chunk.as_object_mut()) {
            chunk.insert("header".to_owned(), json!(header));
            if repeated {
                chunk.insert("headers".to_owned(), json!(texts));
            }
        }
        chunk
    };
    fields.insert("chunks".to_owned(), (0..count.min(CHUNKS)).map(chunk).collect());
    if count > CHUNKS {
        fields.insert("chunks_truncated".to_owned(), json!(true));
    }
    fields.insert("chunk_count".to_owned(), json!(count));
    fields.insert("chunk_rows".to_owned(), json!(CHUNK_ROWS));
    if let (Some(texts), false) = (texts, repeated) {
        fields.insert("chunk_headers".to_owned(), json!(texts));
    }
}

fn chunk_range(used: RangeRef, index: u32) -> RangeRef {
    let first = used.start().row() + index * CHUNK_ROWS;
    let last = (first + CHUNK_ROWS - 1).min(used.end().row());
    let corner = |row, col| CellRef::new(row, col).unwrap_or(used.end());
    RangeRef::new(corner(first, used.start().col()), corner(last, used.end().col()))
}
