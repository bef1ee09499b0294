//! From records to Arrow arrays: values of the planned types, and a report of what was irregular.
//!
//! A value that is not of its column's type ends the batch as a misfit: the caller then plans again from all records.

use std::sync::Arc;

use duckdb::arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Decimal128Builder, Float64Builder, Int64Array, Int64Builder,
    StringBuilder, Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use duckdb::arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use duckdb::arrow::record_batch::{RecordBatch, RecordBatchOptions};

use jig_text::csv::{
    Cell, ColumnFormat, ColumnType, CsvDefects, NumberStyle, Quoting, RecordColumn, Records, has_extra_fields,
};
use jig_text::value::{
    SHORT_DIGITS, is_null_word, parse_date, parse_date_time, parse_double, parse_eight_bytes, parse_short, parse_time,
};

use crate::engine::ROW;
use crate::error::TableError;
use crate::source::TablePlan;

/// How many lines a warning names.
const NAMED_LINES: usize = 5;

/// How many records something happened to, and the first lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) count: u64,
    first: Vec<u64>,
}

impl Lines {
    fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < NAMED_LINES {
            self.first.push(line);
        }
    }

    fn append(&mut self, later: &Self) {
        self.count += later.count;
        let room = NAMED_LINES - self.first.len();
        self.first.extend(later.first.iter().take(room));
    }

    /// "3 rows (lines 4, 9, 12)"; `None` for no lines.
    pub(crate) fn summary(&self, noun: &str) -> Option<String> {
        let lines = self.first.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let more = if self.count as usize > self.first.len() { ", …" } else { "" };
        match self.count {
            0 => None,
            1 => Some(format!("1 {noun} (line {lines})")),
            count => Some(format!("{count} {noun}s (lines {lines}{more})")),
        }
    }
}

/// What was irregular about the records of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConversionReport {
    pub(crate) rows: u64,
    pub(crate) short: Lines,
    pub(crate) long: Lines,
    pub(crate) blank: Lines,
    pub(crate) undecoded: Lines,
    /// For each column, how many words for a missing value were read as null.
    pub(crate) nulls: Vec<u64>,
    /// For each column, how many values contain a zero byte.
    pub(crate) zero_bytes: Vec<u64>,
    pub(crate) defects: CsvDefects,
    pub(crate) replaced: u64,
    /// Warnings of the source of the rows.
    pub(crate) source_warnings: Vec<String>,
}

impl ConversionReport {
    /// An empty report for a table with this many columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { nulls: vec![0; columns], zero_bytes: vec![0; columns], ..Self::default() }
    }

    /// Adds the report of later records. The defects of the text are only known at its end.
    pub(crate) fn append(&mut self, later: &Self) {
        self.rows += later.rows;
        self.short.append(&later.short);
        self.long.append(&later.long);
        self.blank.append(&later.blank);
        self.undecoded.append(&later.undecoded);
        self.nulls.iter_mut().zip(&later.nulls).for_each(|(all, more)| *all += more);
        self.zero_bytes.iter_mut().zip(&later.zero_bytes).for_each(|(all, more)| *all += more);
    }
}

/// Whether the first array has the numbers of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowNumbers {
    First,
    None,
}

/// Which columns of a plan a batch has, in this order.
pub(crate) struct BatchShape {
    schema: Arc<Schema>,
    columns: Vec<usize>,
    numbers: RowNumbers,
}

impl BatchShape {
    /// All columns, after the numbers of the rows.
    pub(crate) fn complete(plan: &TablePlan) -> Self {
        let columns: Vec<usize> = (0..plan.schema.columns.len()).collect();
        Self { schema: Arc::new(schema(plan, &columns, RowNumbers::First)), columns, numbers: RowNumbers::First }
    }

    /// Some columns.
    pub(crate) fn of(plan: &TablePlan, columns: Vec<usize>) -> Self {
        Self { schema: Arc::new(schema(plan, &columns, RowNumbers::None)), columns, numbers: RowNumbers::None }
    }
}

fn schema(plan: &TablePlan, columns: &[usize], numbers: RowNumbers) -> Schema {
    let first = (numbers == RowNumbers::First).then(|| Field::new(ROW, DataType::Int64, false));
    let others = columns.iter().filter_map(|index| Some((index, plan.schema.columns.get(*index)?)));
    let others =
        others.map(|(index, column)| Field::new(format!("c{index}"), data_type(column.format.column_type), true));
    Schema::new(first.into_iter().chain(others).collect::<Vec<_>>())
}

/// Converts records to arrays; `None` if one does not fit the plan.
pub(crate) fn batch(
    plan: &TablePlan,
    report: &mut ConversionReport,
    rows: &Records,
    shape: &BatchShape,
) -> Result<Option<RecordBatch>, TableError> {
    let width = plan.schema.layout.names.len();
    let selected: Vec<usize> = plan.schema.layout.rows(rows).collect();
    if !check_widths(plan, report, rows, &selected) {
        return Ok(None);
    }
    let first = report.rows as i64 + 1;
    report.rows += selected.len() as u64;
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(shape.columns.len() + 1);
    if shape.numbers == RowNumbers::First {
        arrays.push(Arc::new(Int64Array::from_iter_values(first..first + selected.len() as i64)));
    }
    for index in shape.columns.iter().copied() {
        let Some(column) = plan.schema.columns.get(index) else { continue };
        if index == width {
            arrays.push(overflow(rows, &selected, width));
            continue;
        }
        let Ok(converted) = convert_column(rows, &selected, index, &column.format) else { return Ok(None) };
        if let (Some(nulls), Some(zero_bytes)) = (report.nulls.get_mut(index), report.zero_bytes.get_mut(index)) {
            *nulls += converted.nulls;
            *zero_bytes += converted.zero_bytes;
        }
        arrays.push(converted.array);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(selected.len()));
    RecordBatch::try_new_with_options(shape.schema.clone(), arrays, &rows)
        .map(Some)
        .map_err(|error| TableError::internal(format!("a batch of rows is inconsistent: {error}")))
}

/// Reports uneven records. False if a record is longer than the plan allows, or cannot be decoded as planned.
fn check_widths(plan: &TablePlan, report: &mut ConversionReport, rows: &Records, selected: &[usize]) -> bool {
    let width = plan.schema.layout.names.len();
    // A plan from the start of an ASCII file knows no encoding: the first other byte needs a plan from all of it.
    let undecoded =
        !rows.text().is_ascii() && memchr::memmem::find(rows.text().as_bytes(), "\u{fffd}".as_bytes()).is_some();
    if undecoded && !plan.schema.is_complete && plan.format.is_some_and(|format| format.encoding.ascii) {
        return false;
    }
    for row in selected {
        let fields = rows.width(*row);
        if fields < width && !(width == 1 && rows.is_blank(*row)) {
            report.short.add(rows.line(*row));
        } else if fields > width && has_extra_fields(rows, *row, width) {
            if !plan.schema.has_extra_column {
                return false;
            }
            report.long.add(rows.line(*row));
        }
        if undecoded && rows.raw(*row).is_some_and(|record| record.contains('\u{fffd}')) {
            report.undecoded.add(rows.line(*row));
        }
    }
    let first = plan.schema.layout.first_line;
    for row in (0..rows.len()).filter(|row| width > 1 && rows.line(*row) > first && rows.is_blank(*row)) {
        report.blank.add(rows.line(row));
    }
    true
}

/// The fields beyond the last column, as they are in the file.
fn overflow(rows: &Records, selected: &[usize], width: usize) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for row in selected {
        let longer = has_extra_fields(rows, *row, width);
        builder.append_option(if longer { rows.rest(*row, width) } else { None });
    }
    Arc::new(builder.finish())
}

/// The type of arrays for a column.
pub(crate) fn data_type(column_type: ColumnType) -> DataType {
    match column_type {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Decimal { precision, scale } => DataType::Decimal128(precision, scale as i8),
        ColumnType::Double => DataType::Float64,
        ColumnType::Boolean(_) => DataType::Boolean,
        ColumnType::Date(_) => DataType::Date32,
        ColumnType::Time => DataType::Time64(TimeUnit::Microsecond),
        ColumnType::DateTime { .. } => DataType::Timestamp(TimeUnit::Microsecond, None),
        _ => DataType::Utf8,
    }
}

/// The fields of a column as an array.
struct ConvertedColumn {
    array: ArrayRef,
    /// How many words for a missing value were read as null.
    nulls: u64,
    /// How many values contain a zero byte.
    zero_bytes: u64,
}

/// A field that is not of its column's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Misfit;

/// Converts one column of the selected records.
fn convert_column(
    rows: &Records,
    selected: &[usize],
    column: usize,
    format: &ColumnFormat,
) -> Result<ConvertedColumn, Misfit> {
    let cells = ColumnCells { column: rows.column(column), selected };
    let style = &format.number_style;
    let plain = *style == NumberStyle::PLAIN;
    match format.column_type {
        ColumnType::Integer => {
            let quick = |eight, length| if plain { parse_eight_bytes(eight, length, 0) } else { None };
            cells.numbers(Int64Builder::with_capacity(selected.len()), quick, |text| {
                if plain && let Some((mantissa, 0)) = parse_short(text.as_bytes()) {
                    return Some(mantissa);
                }
                let number = style.parse(text)?;
                if number.scale > 0 { None } else { i64::try_from(number.mantissa).ok() }
            })
        }
        ColumnType::Decimal { precision, scale } => {
            let builder =
                Decimal128Builder::with_capacity(selected.len()).with_data_type(data_type(format.column_type));
            // This many digits fit into the type in any case, if they have the column's scale.
            let short = plain && u32::from(precision) >= SHORT_DIGITS;
            let quick = |eight, length| match parse_eight_bytes(eight, length, u32::from(scale)) {
                Some(mantissa) if short => Some(i128::from(mantissa)),
                _ => None,
            };
            cells.numbers(builder, quick, |text| {
                if short
                    && let Some((mantissa, digits)) = parse_short(text.as_bytes())
                    && digits == scale
                {
                    return Some(i128::from(mantissa));
                }
                let number = style.parse(text)?;
                if number.scale > scale || number.whole > precision - scale {
                    return None;
                }
                let zeros = 10_i128.checked_pow(u32::from(scale - number.scale))?;
                number.mantissa.checked_mul(zeros)
            })
        }
        ColumnType::Double => cells.typed(Float64Builder::with_capacity(selected.len()), parse_double),
        ColumnType::Boolean(style) => {
            cells.typed(BooleanBuilder::with_capacity(selected.len()), |text| style.parse(text))
        }
        ColumnType::Date(order) => {
            cells.typed(Date32Builder::with_capacity(selected.len()), |text| parse_date(text, order))
        }
        ColumnType::Time => cells.typed(Time64MicrosecondBuilder::with_capacity(selected.len()), parse_time),
        ColumnType::DateTime { order, utc } => {
            let builder = TimestampMicrosecondBuilder::with_capacity(selected.len());
            cells.typed(builder, |text| parse_date_time(text, order, utc))
        }
        _ => Ok(cells.texts(memchr::memchr(0, rows.text().as_bytes()).is_some())),
    }
}

/// What all builders of arrays have in common here.
trait Build {
    type Value;
    fn add(&mut self, value: Self::Value);
    fn skip(&mut self);
    fn done(self) -> ArrayRef;
}

macro_rules! build {
    ($($builder:ty => $value:ty),*) => {$(
        impl Build for $builder {
            type Value = $value;

            #[inline]
            fn add(&mut self, value: $value) {
                self.append_value(value);
            }

            fn skip(&mut self) {
                self.append_null();
            }

            fn done(mut self) -> ArrayRef {
                Arc::new(self.finish())
            }
        }
    )*};
}
build!(
    Int64Builder => i64,
    Decimal128Builder => i128,
    Float64Builder => f64,
    BooleanBuilder => bool,
    Date32Builder => i32,
    Time64MicrosecondBuilder => i64,
    TimestampMicrosecondBuilder => i64
);

/// The fields of one column in the selected records.
struct ColumnCells<'a> {
    column: RecordColumn<'a>,
    selected: &'a [usize],
}

impl ColumnCells<'_> {
    /// Text as it is. `has_zero_bytes` states whether any column may contain zero bytes.
    fn texts(&self, has_zero_bytes: bool) -> ConvertedColumn {
        let mut builder = StringBuilder::with_capacity(self.selected.len(), self.selected.len() * 8);
        let mut zero_bytes = 0;
        for row in self.selected {
            match self.column.raw(*row) {
                Some((text, Quoting::Plain | Quoting::Quoted)) if !text.is_empty() => builder.append_value(text),
                _ => match self.column.cell(*row) {
                    Some(cell) if !cell.is_missing() => builder.append_value(&cell.text),
                    _ => builder.append_null(),
                },
            }
            if has_zero_bytes && let Some(cell) = self.column.cell(*row) {
                zero_bytes += u64::from(memchr::memchr(0, cell.text.as_bytes()).is_some());
            }
        }
        ConvertedColumn { array: Arc::new(builder.finish()), nulls: 0, zero_bytes }
    }

    fn typed<B: Build>(&self, builder: B, read: impl Fn(&str) -> Option<B::Value>) -> Result<ConvertedColumn, Misfit> {
        self.numbers(builder, |_, _| None, read)
    }

    /// Values of a type. `quick` parses most short fields without finding their start; `read` parses the others.
    fn numbers<B: Build>(
        &self,
        mut builder: B,
        quick: impl Fn([u8; 8], u32) -> Option<B::Value>,
        read: impl Fn(&str) -> Option<B::Value>,
    ) -> Result<ConvertedColumn, Misfit> {
        let mut nulls = 0;
        for row in self.selected {
            if let Some((eight, length)) = self.column.last_eight(*row)
                && let Some(value) = quick(eight, length)
            {
                builder.add(value);
                continue;
            }
            // Most fields need no unquoting.
            if let Some((text, Quoting::Plain)) = self.column.raw(*row)
                && let Some(value) = read(trimmed(text))
            {
                builder.add(value);
                continue;
            }
            match self.column.cell(*row) {
                Some(cell) if !cell.is_missing() => match append_value(&cell, &mut builder, &read) {
                    Some(true) => {}
                    Some(false) => nulls += 1,
                    None => return Err(Misfit),
                },
                _ => builder.skip(),
            }
        }
        Ok(ConvertedColumn { array: builder.done(), nulls, zero_bytes: 0 })
    }
}

/// The text without white space around it. The check of both ends is quicker than `trim`, and nearly always enough.
#[inline]
fn trimmed(text: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_graphic());
    let bytes = text.as_bytes();
    if plain(bytes.first()) && plain(bytes.last()) { text } else { text.trim() }
}

/// Appends a value. Returns false for a word for a missing value, `None` for a value of another type.
fn append_value<B: Build>(cell: &Cell<'_>, builder: &mut B, read: impl Fn(&str) -> Option<B::Value>) -> Option<bool> {
    let text = trimmed(&cell.text);
    if cell.quoting != Quoting::Text
        && let Some(value) = read(text)
    {
        builder.add(value);
        return Some(true);
    }
    if text.is_empty() || is_null_word(text) {
        builder.skip();
        return Some(!is_null_word(text) || text.is_empty());
    }
    None
}
