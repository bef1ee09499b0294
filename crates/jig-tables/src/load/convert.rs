//! From the fields of a column to an array of the engine.

use std::sync::Arc;

use duckdb::arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Decimal128Builder, Float64Builder, Int64Builder, StringBuilder,
    Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use duckdb::arrow::datatypes::{DataType, TimeUnit};

use jig_text::csv::{Cell, ColumnFormat, ColumnType, NumberStyle, Quoting, RecordColumn, Records};
use jig_text::value::{
    SHORT_DIGITS, is_null_word, parse_date, parse_date_time, parse_double, parse_eight_bytes, parse_short, parse_time,
};

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

/// What a column's fields became.
pub(crate) struct Converted {
    pub(crate) array: ArrayRef,
    /// Words for "no value" that were read as such.
    pub(crate) nothing: u64,
    /// Zero bytes in texts.
    pub(crate) nul: u64,
}

/// A field that is not of its column's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The record within the run.
    pub(crate) row: usize,
}

/// Converts one column of some records.
pub(crate) fn convert(
    rows: &Records,
    wanted: &[usize],
    column: usize,
    format: &ColumnFormat,
) -> Result<Converted, Misfit> {
    let cells = Cells { column: rows.column(column), wanted };
    let style = &format.number_style;
    let plain = *style == NumberStyle::PLAIN;
    match format.column_type {
        ColumnType::Integer => {
            let quick = |eight, length| if plain { parse_eight_bytes(eight, length, 0) } else { None };
            cells.numbers(Int64Builder::with_capacity(wanted.len()), quick, |text| {
                if plain && let Some((mantissa, 0)) = parse_short(text.as_bytes()) {
                    return Some(mantissa);
                }
                let number = style.parse(text)?;
                if number.scale > 0 { None } else { i64::try_from(number.mantissa).ok() }
            })
        }
        ColumnType::Decimal { precision, scale } => {
            let builder = Decimal128Builder::with_capacity(wanted.len()).with_data_type(data_type(format.column_type));
            // As many digits as fit in any case, with the scale of the column, need no further look.
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
        ColumnType::Double => cells.typed(Float64Builder::with_capacity(wanted.len()), parse_double),
        ColumnType::Boolean(style) => {
            cells.typed(BooleanBuilder::with_capacity(wanted.len()), |text| style.parse(text))
        }
        ColumnType::Date(order) => {
            cells.typed(Date32Builder::with_capacity(wanted.len()), |text| parse_date(text, order))
        }
        ColumnType::Time => cells.typed(Time64MicrosecondBuilder::with_capacity(wanted.len()), parse_time),
        ColumnType::DateTime { order, utc } => {
            let builder = TimestampMicrosecondBuilder::with_capacity(wanted.len());
            cells.typed(builder, |text| parse_date_time(text, order, utc))
        }
        _ => Ok(cells.texts(memchr::memchr(0, rows.text().as_bytes()).is_some())),
    }
}

/// A builder of arrays, as far as it is needed here.
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

/// The fields of one column that are values of the table.
struct Cells<'a> {
    column: RecordColumn<'a>,
    wanted: &'a [usize],
}

impl Cells<'_> {
    /// Texts as they are; zero bytes are looked for where there are any.
    fn texts(&self, zeros: bool) -> Converted {
        let mut builder = StringBuilder::with_capacity(self.wanted.len(), self.wanted.len() * 8);
        let mut nul = 0;
        for row in self.wanted {
            match self.column.raw(*row) {
                Some((text, Quoting::Plain | Quoting::Quoted)) if !text.is_empty() => builder.append_value(text),
                _ => match self.column.cell(*row) {
                    Some(cell) if !cell.is_missing() => builder.append_value(&cell.text),
                    _ => builder.append_null(),
                },
            }
            if zeros && let Some(cell) = self.column.cell(*row) {
                nul += u64::from(memchr::memchr(0, cell.text.as_bytes()).is_some());
            }
        }
        Converted { array: Arc::new(builder.finish()), nothing: 0, nul }
    }

    fn typed<B: Build>(&self, builder: B, read: impl Fn(&str) -> Option<B::Value>) -> Result<Converted, Misfit> {
        self.numbers(builder, |_, _| None, read)
    }

    /// The same with a quick look at short fields, which tells what most of them are.
    fn numbers<B: Build>(
        &self,
        mut builder: B,
        quick: impl Fn([u8; 8], u32) -> Option<B::Value>,
        read: impl Fn(&str) -> Option<B::Value>,
    ) -> Result<Converted, Misfit> {
        let mut nothing = 0;
        for row in self.wanted {
            if let Some((eight, length)) = self.column.last_eight(*row)
                && let Some(value) = quick(eight, length)
            {
                builder.add(value);
                continue;
            }
            // Most fields are a value as they stand.
            if let Some((text, Quoting::Plain)) = self.column.raw(*row)
                && let Some(value) = read(trimmed(text))
            {
                builder.add(value);
                continue;
            }
            match self.column.cell(*row) {
                Some(cell) if !cell.is_missing() => match one(&cell, &mut builder, &read) {
                    Some(true) => {}
                    Some(false) => nothing += 1,
                    None => return Err(Misfit { row: *row }),
                },
                _ => builder.skip(),
            }
        }
        Ok(Converted { array: builder.done(), nothing, nul: 0 })
    }
}

/// A text without white space around it, which most have not.
#[inline]
fn trimmed(text: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_graphic());
    let bytes = text.as_bytes();
    if plain(bytes.first()) && plain(bytes.last()) { text } else { text.trim() }
}

/// Adds a value. False when a word said that there is none; none when it is of another type.
fn one<B: Build>(cell: &Cell<'_>, builder: &mut B, read: impl Fn(&str) -> Option<B::Value>) -> Option<bool> {
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
