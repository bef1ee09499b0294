//! `add_pivot_table`: the cache of the data, the definition of the table, and its values as cells, so that programs
//! without pivot tables show them too.

mod markup;
mod totals;

use std::collections::BTreeMap;
use std::rc::Rc;

use jig_file_api::ops::xlsx::AddPivotTable;

use self::totals::{Function, Totals};
use super::current_cells::{Source, current_cells, resolve};
use super::layout::filled;
use super::styles::StylePatch;
use super::values::{NewValue, number_text};
use super::{CellWrite, WorkbookEdit, listed};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::Error;
use crate::relationships::{Relationships, rels_name};
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW, SheetRange};
use crate::xlsx::formula::{CellValue, same_sheet};
use crate::xlsx::serial_date::DateTime;
use crate::xml::{Ns, escape_attribute, strip_illegal};

/// The most rows of data, and the most cells that a pivot table fills.
const MOST_RECORDS: u32 = 200_000;
const MOST_CELLS: u64 = 200_000;
const PIVOT: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml";
const RECORDS: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheRecords+xml";

/// A value of the data.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    Number(f64),
    /// A day as its number, and as text.
    Date(f64, String),
    Text(String),
    Bool(bool),
    Error(String),
    Blank,
}

impl Item {
    /// Sorts as pivot tables do: numbers, dates, texts, truth values, errors, blanks.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let rank = |item: &Self| match item {
            Self::Number(_) => 0,
            Self::Date(..) => 1,
            Self::Text(_) => 2,
            Self::Bool(_) => 3,
            Self::Error(_) => 4,
            Self::Blank => 5,
        };
        rank(self).cmp(&rank(other)).then_with(|| match (self, other) {
            (Self::Number(a), Self::Number(b)) | (Self::Date(a, _), Self::Date(b, _)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.to_lowercase().cmp(&b.to_lowercase()),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Error(a), Self::Error(b)) => a.cmp(b),
            _ => std::cmp::Ordering::Equal,
        })
    }

    /// The item as the content of a cell.
    fn cell(&self) -> NewValue {
        match self {
            Self::Number(number) => NewValue::Number(*number),
            Self::Date(serial, _) => NewValue::Date { serial: *serial, time: serial.fract() != 0.0 },
            Self::Text(text) => NewValue::Text(text.clone()),
            Self::Bool(flag) => NewValue::Bool(*flag),
            Self::Error(error) => NewValue::Text(error.clone()),
            Self::Blank => NewValue::Text("(blank)".to_owned()),
        }
    }
}

/// A column of the data.
#[derive(Debug)]
struct Field {
    name: String,
    /// One for each record.
    values: Vec<Item>,
    /// The different values in their order, for a field that groups.
    items: Option<Vec<Item>>,
    /// The position among `items` of each record.
    indexes: Vec<usize>,
}

impl Field {
    /// Finds the different values.
    fn group(&mut self) {
        if self.items.is_some() {
            return;
        }
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        let at = |index: usize| self.values.get(index).unwrap_or(&Item::Blank);
        order.sort_by(|a, b| at(*a).order(at(*b)));
        let mut items: Vec<Item> = Vec::new();
        let mut indexes = vec![0; self.values.len()];
        for record in order {
            let value = at(record);
            if items.last().is_none_or(|last| last.order(value) != std::cmp::Ordering::Equal) {
                items.push(value.clone());
            }
            if let Some(slot) = indexes.get_mut(record) {
                *slot = items.len() - 1;
            }
        }
        self.items = Some(items);
        self.indexes = indexes;
    }

    fn count(&self) -> usize {
        self.items.as_ref().map_or(0, Vec::len)
    }
}

/// A value that is calculated.
#[derive(Debug)]
struct Measure {
    field: usize,
    function: Function,
    name: String,
    format: Option<String>,
}

/// A pivot table.
#[derive(Debug)]
struct Pivot {
    name: String,
    fields: Vec<Field>,
    rows: Vec<usize>,
    column: Option<usize>,
    filters: Vec<usize>,
    measures: Vec<Measure>,
    /// The cells without the filters above.
    range: CellRange,
    /// The positions of the row items of each line, the grand total excluded.
    lines: Vec<Vec<usize>>,
}

/// Adds a pivot table.
pub(super) fn add(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: AddPivotTable) -> Result<OpReport, Error> {
    let own = if editor.book.sheet_place(&op.sheet).is_some() { op.sheet.as_str() } else { "" };
    let source = resolve(editor, input, "source", &op.source, own)?;
    let mut fields = fields_of(editor, input, &source)?;
    let rows = chosen(input, "rows", &op.rows, &fields)?;
    let columns = chosen(input, "columns", op.columns.as_deref().unwrap_or_default(), &fields)?;
    let filters = chosen(input, "filters", op.filters.as_deref().unwrap_or_default(), &fields)?;
    if rows.is_empty() {
        return Err(input.error("rows", "missing: at least one field whose values become rows").into());
    }
    if columns.len() > 1 || (columns.len() == 1 && op.values.len() > 1) {
        let why = "one field can become columns, and then one value is calculated; put the others into `rows`";
        return Err(input.error("columns", why).into());
    }
    let mut used: Vec<usize> = rows.iter().chain(&columns).chain(&filters).copied().collect();
    used.sort_unstable();
    if let Some(double) = used.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first()).flatten())
    {
        let name = fields.get(*double).map(|field| field.name.clone()).unwrap_or_default();
        return Err(input.error("rows", format!("the field `{name}` is used twice; use it once")).into());
    }
    let measures = measures(input, &op, &fields, &source)?;
    for at in &used {
        if let Some(field) = fields.get_mut(*at) {
            field.group();
        }
    }
    let column = columns.first().copied();
    let totals = Totals::of(&fields, &rows, column, &measures);
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let corner = match op.anchor.as_deref() {
        Some(text) => super::drawings::anchor_at(input, text, &op.sheet)?.start(),
        None => CellRange::ALL.start(),
    };
    let lines = totals.lines();
    let (top, range) =
        place(input, corner, &filters, column.and_then(|at| fields.get(at)), lines.len(), measures.len())?;
    let area = CellRange::new(top, range.end());
    let taken = filled(editor, &part, area)?;
    if !taken.is_empty() {
        let why = format!(
            "the pivot table needs {area} of `{}`, but these cells have values: {}",
            op.sheet,
            listed(taken.iter(), 5)
        );
        return Err(input.error("anchor", why).into());
    }
    if let Some(table) = editor.tables(&part)?.iter().find(|table| table.range.intersection(area).is_some()) {
        let why = format!("the pivot table needs {area}, which overlaps the table {}", table.name);
        return Err(input.error("anchor", why).into());
    }
    let name = pivot_name(editor, input, op.name.as_deref())?;
    let pivot = Pivot { name, fields, rows, column, filters, measures, range, lines };
    write_cells(editor, input, &part, &pivot, &totals, top)?;
    add_parts(editor, &part, &pivot, &source)?;
    let count = pivot.fields.first().map_or(0, |field| field.values.len());
    let summary = format!(
        "Added the pivot table {} of {} rows from {} to {area} of {}.",
        pivot.name,
        count,
        SheetRange { sheet: source.sheet.clone(), range: source.range },
        op.sheet
    );
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("pivot_table", pivot.name);
    Ok(report.with("range", area.to_string()).with("records", count))
}

/// The columns of the data with all their values.
fn fields_of(editor: &mut WorkbookEdit<'_>, input: &OpInput, source: &Source) -> Result<Vec<Field>, Error> {
    let range = source.range;
    if range.rows() < 2 || range.rows() > MOST_RECORDS {
        let why = format!("{range} must have a row of headers and 1 to {MOST_RECORDS} rows of data");
        return Err(input.error("source", why).into());
    }
    let cells = current_cells(editor, source)?;
    let dates = editor.book.dates();
    let unknown = cells.iter().find(|(_, cell)| cell.value.is_none());
    if let Some((at, _)) = unknown {
        let why = format!("the formula in {}!{at} has no known value, so the totals would be wrong", source.sheet);
        return Err(input.error("source", why).into());
    }
    let mut fields: Vec<Field> = Vec::new();
    for col in range.start().col()..=range.end().col() {
        let header = CellRef::new(range.start().row(), col);
        let name = match header.and_then(|at| cells.get(&at)?.value.clone()) {
            Some(CellValue::Text(text)) => text,
            Some(CellValue::Number(number)) => number_text(number),
            _ => String::new(),
        };
        let at = header.map(|at| at.to_string()).unwrap_or_default();
        if name.trim().is_empty() {
            return Err(input
                .error("source", format!("{at} has no header; every column of the data needs one"))
                .into());
        }
        if fields.iter().any(|field| same_sheet(&field.name, &name)) {
            return Err(input.error("source", format!("two columns have the header `{name}` ({at})")).into());
        }
        let mut values = Vec::with_capacity(range.rows() as usize);
        for row in range.start().row() + 1..=range.end().row() {
            let cell = CellRef::new(row, col).and_then(|at| cells.get(&at));
            values.push(match cell.map(|cell| (cell.value.as_ref(), cell)) {
                Some((Some(CellValue::Number(number)), cell)) => {
                    let date = cell.new_date || editor.styles()?.shows_date(cell.format);
                    match DateTime::of(*number, dates).filter(|_| date && *number >= 1.0) {
                        Some(day) => {
                            let text = day.iso(*number);
                            let text = if text.contains('T') { text } else { format!("{text}T00:00:00") };
                            Item::Date(*number, text)
                        }
                        None => Item::Number(*number),
                    }
                }
                Some((Some(CellValue::Text(text)), _)) => Item::Text(text.clone()),
                Some((Some(CellValue::Bool(flag)), _)) => Item::Bool(*flag),
                Some((Some(CellValue::Error(error)), _)) => Item::Error(error.to_string()),
                _ => Item::Blank,
            });
        }
        fields.push(Field { name, values, items: None, indexes: Vec::new() });
    }
    Ok(fields)
}

/// The positions of the fields that an op names.
fn chosen(input: &OpInput, parameter: &str, names: &[String], fields: &[Field]) -> Result<Vec<usize>, EditError> {
    let find = |(at, name): (usize, &String)| find_field(input, &format!("{parameter}[{at}]"), name, fields);
    names.iter().enumerate().map(find).collect()
}

fn find_field(input: &OpInput, at: &str, name: &str, fields: &[Field]) -> Result<usize, EditError> {
    let found = fields.iter().position(|field| same_sheet(field.name.trim(), name.trim()));
    found.ok_or_else(|| {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let near = nearest(name, names.iter().copied());
        let why = format!("the data has no field `{name}`; it has {}", listed(names.iter(), 20));
        input.error(at, why).suggest(near)
    })
}

fn measures(input: &OpInput, op: &AddPivotTable, fields: &[Field], source: &Source) -> Result<Vec<Measure>, EditError> {
    if op.values.is_empty() {
        return Err(input.error("values", "missing: what is calculated, such as `{\"field\": \"Amount\"}`"));
    }
    let mut found: Vec<Measure> = Vec::new();
    for (at, value) in op.values.iter().enumerate() {
        let place = |name: &str| format!("values[{at}].{name}");
        let field = find_field(input, &place("field"), &value.field, fields)?;
        let Some(data) = fields.get(field) else { continue };
        let function = match value.function.as_deref() {
            Some(word) => Function::named(word).ok_or_else(|| {
                let why = format!("`{word}` is not available here: use sum, count, average, min or max");
                input.error(&place("function"), why)
            })?,
            None if data.values.iter().any(|value| matches!(value, Item::Number(_))) => Function::Sum,
            None => Function::Count,
        };
        let error = data.values.iter().position(|value| matches!(value, Item::Error(_)));
        if let Some(row) = error.filter(|_| function != Function::Count) {
            let row = source.range.start().row() + 1 + u32::try_from(row).unwrap_or(0);
            let why = format!("`{}` has an error value in row {row}; correct it first", data.name);
            return Err(input.error(&place("field"), why));
        }
        let given = value.name.as_deref().map(|name| strip_illegal(name.trim()).0.into_owned());
        let mut name =
            given.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{} of {}", function.label(), data.name));
        let taken = |name: &str, found: &[Measure]| {
            fields.iter().any(|field| same_sheet(&field.name, name))
                || found.iter().any(|known| same_sheet(&known.name, name))
        };
        if taken(&name, &found) {
            if value.name.is_some() {
                let why = format!("`{name}` is the name of a field or of another value; give another name");
                return Err(input.error(&place("name"), why));
            }
            let plain = name.clone();
            let mut number = 2;
            while taken(&name, &found) {
                name = format!("{plain}{number}");
                number += 1;
            }
        }
        let format = value.number_format.clone().filter(|format| !format.is_empty());
        found.push(Measure { field, function, name, format });
    }
    Ok(found)
}

/// The first cell with the filters, and the cells of the table itself.
fn place(
    input: &OpInput,
    corner: CellRef,
    filters: &[usize],
    column: Option<&Field>,
    lines: usize,
    measures: usize,
) -> Result<(CellRef, CellRange), EditError> {
    let number = |count: usize| u32::try_from(count).unwrap_or(MAX_ROW);
    // A blank row separates the filters.
    let above = if filters.is_empty() { 0 } else { number(filters.len()).saturating_add(1) };
    let head = 1 + u32::from(column.is_some());
    let width = match column {
        Some(field) => number(field.count()).saturating_add(2),
        None => number(measures).saturating_add(1),
    };
    let rows = head.saturating_add(number(lines)).saturating_add(1);
    let first = CellRef::new(corner.row().saturating_add(above), corner.col());
    let last = first.and_then(|first| CellRef::new(first.row() + rows - 1, first.col().saturating_add(width) - 1));
    let too_large = || {
        let why = format!("the pivot table would have {rows} rows and {width} columns, which is too much");
        input.error("rows", why)
    };
    let (Some(first), Some(last)) = (first, last.filter(|last| last.col() <= MAX_COLUMN)) else {
        return Err(too_large());
    };
    let range = CellRange::new(first, last);
    if range.cells() > MOST_CELLS {
        return Err(too_large());
    }
    Ok((corner, range))
}

/// Writes headers and values as cells.
fn write_cells(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    pivot: &Pivot,
    totals: &Totals,
    top: CellRef,
) -> Result<(), Error> {
    let mut writes: Vec<CellWrite> = Vec::new();
    let mut put = |row: u32, col: u32, value: NewValue, patch: Option<&Rc<StylePatch>>| {
        if let Some(at) = CellRef::new(row, col) {
            writes.push(CellWrite { at, value: Some(value), patch: patch.cloned(), field: input.at("anchor") });
        }
    };
    let text = |text: &str| NewValue::Text(text.to_owned());
    let (mut row, left) = (top.row(), top.col());
    for at in &pivot.filters {
        let name = pivot.fields.get(*at).map_or("", |field| field.name.as_str());
        put(row, left, text(name), None);
        put(row, left + 1, text("(All)"), None);
        row += 1;
    }
    row = pivot.range.start().row();
    let column = pivot.column.and_then(|at| pivot.fields.get(at));
    let columns: Vec<Option<usize>> = match column {
        Some(field) => (0..field.count()).map(Some).chain([None]).collect(),
        None => vec![None],
    };
    match column {
        Some(field) => {
            put(row, left, text(pivot.measures.first().map_or("", |measure| measure.name.as_str())), None);
            put(row, left + 1, text("Column Labels"), None);
            row += 1;
            put(row, left, text("Row Labels"), None);
            for (item, col) in field.items.iter().flatten().zip(left + 1..) {
                put(row, col, item.cell(), None);
            }
            put(row, pivot.range.end().col(), text("Grand Total"), None);
        }
        None => {
            put(row, left, text("Row Labels"), None);
            for (measure, col) in pivot.measures.iter().zip(left + 1..) {
                put(row, col, text(&measure.name), None);
            }
        }
    }
    let patches: Vec<Option<Rc<StylePatch>>> = pivot
        .measures
        .iter()
        .map(|measure| measure.format.as_ref().map(|code| Rc::new(StylePatch::number_format(code.as_str()))))
        .collect();
    let grand = Vec::new();
    for path in pivot.lines.iter().chain([&grand]) {
        row += 1;
        let label = match path.last().zip(path.len().checked_sub(1)) {
            Some((item, depth)) => {
                let field = pivot.rows.get(depth).and_then(|at| pivot.fields.get(*at));
                field.and_then(|field| field.items.as_ref()?.get(*item)).map_or(NewValue::Blank, Item::cell)
            }
            None => text("Grand Total"),
        };
        put(row, left, label, None);
        let mut col = left;
        for column in &columns {
            for (at, patch) in patches.iter().enumerate() {
                col += 1;
                if let Some(value) = totals.value(path, *column, at) {
                    put(row, col, NewValue::Number(value), patch.as_ref());
                }
            }
        }
    }
    editor.write_cells(input, part, writes)?;
    Ok(())
}

fn pivot_name(editor: &WorkbookEdit<'_>, input: &OpInput, given: Option<&str>) -> Result<String, Error> {
    let mut known: Vec<String> = Vec::new();
    for part in editor.package.names().filter(|name| name.contains("pivotTable") && name.ends_with(".xml")) {
        let Ok(content) = editor.package.xml(part) else { continue };
        let Ok(tree) = content.tree(editor.package.limits()) else { continue };
        known.extend(tree.root().attr("name").map(std::borrow::Cow::into_owned));
    }
    let taken = |name: &str| known.iter().any(|known| same_sheet(known, name));
    match given.map(|name| strip_illegal(name.trim()).0.into_owned()).filter(|name| !name.is_empty()) {
        Some(name) if taken(&name) => {
            Err(input.error("name", format!("the workbook has a pivot table `{name}` already")).into())
        }
        Some(name) => Ok(name),
        None => {
            let mut names = (known.len() + 1..).map(|number| format!("PivotTable{number}"));
            Ok(names.find(|name| !taken(name)).unwrap_or_default())
        }
    }
}

/// Adds the parts of the cache and of the table.
fn add_parts(editor: &mut WorkbookEdit<'_>, sheet: &str, pivot: &Pivot, source: &Source) -> Result<(), Error> {
    let namespace = editor.namespace()?;
    let strict = editor.is_strict()?;
    let definition = editor.fresh_part("pivotCache/pivotCacheDefinition{}.xml");
    let rel_id = editor.link("pivotCacheDefinition", &definition, "pivotCacheDefinition")?;
    let records = editor.fresh_part("pivotCache/pivotCacheRecords{}.xml");
    editor.package.set(&records, pivot.records(namespace).as_bytes());
    ContentTypes::add(&mut editor.package, &records, RECORDS)?;
    let records_id = Relationships::add(&mut editor.package, &definition, "pivotCacheRecords", &records)?;
    editor.package.set(&definition, pivot.definition(namespace, strict, &records_id, source).as_bytes());
    let table = editor.fresh_part("pivotTables/pivotTable{}.xml");
    let cache_id = cache_id(editor, &rel_id)?;
    let formats: BTreeMap<usize, u32> = {
        let styles = editor.styles()?;
        let codes = pivot.measures.iter().enumerate().filter_map(|(at, measure)| Some((at, measure.format.clone()?)));
        codes.map(|(at, code)| (at, styles.number_format(&code))).collect()
    };
    editor.package.set(&table, pivot.table(namespace, cache_id, &formats).as_bytes());
    ContentTypes::add(&mut editor.package, &table, PIVOT)?;
    Relationships::add(&mut editor.package, &table, "pivotCacheDefinition", &definition)?;
    Relationships::add(&mut editor.package, sheet, "pivotTable", &table)?;
    debug_assert!(editor.package.has(&rels_name(&table)));
    Ok(())
}

/// Lists the cache in the workbook part; returns its number.
fn cache_id(editor: &mut WorkbookEdit<'_>, rel_id: &str) -> Result<u32, Error> {
    let strict = editor.is_strict()?;
    let mut id = 1;
    editor.edit_book(|root, splice| {
        let p = root.prefix();
        let list = root.child(Ns::S, "pivotCaches");
        let caches = list.into_iter().flat_map(|list| list.children_named(Ns::S, "pivotCache"));
        let ids = caches.filter_map(|node| node.attr("cacheId")?.trim().parse::<u32>().ok());
        id = ids.max().map_or(1, |most| most.saturating_add(1));
        let (declared, r) = super::drawings::relationship_prefix(list.unwrap_or(root), strict);
        let entry = format!("<{p}pivotCache{declared} cacheId=\"{id}\" {r}id=\"{}\"/>", escape_attribute(rel_id));
        match list {
            Some(list) => splice.append(list, entry),
            None => {
                let markup = format!("<{p}pivotCaches>{entry}</{p}pivotCaches>");
                super::order::insert_in_order(splice, root, "pivotCaches", &markup, &super::order::WORKBOOK);
            }
        }
        Ok(())
    })?;
    Ok(id)
}
