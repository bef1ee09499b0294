//! From the fields of a column to an array of the engine.

use std::sync::Arc;

use duckdb::arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Decimal128Builder, Float64Builder, Int64Builder, StringBuilder,
    Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use duckdb::arrow::datatypes::{DataType, TimeUnit};

use crate::csv::rows::{Cell, How, Rows};
use crate::infer::{Decided, Kind, NumberStyle};
use crate::value::number::{self, Number};
use crate::value::{date, is_nothing, time};

/// The type of arrays for a column.
pub(crate) fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Integer => DataType::Int64,
        Kind::Decimal { precision, scale } => DataType::Decimal128(precision, scale as i8),
        Kind::Double => DataType::Float64,
        Kind::Boolean(_) => DataType::Boolean,
        Kind::Date(_) => DataType::Date32,
        Kind::Time => DataType::Time64(TimeUnit::Microsecond),
        Kind::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
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
pub(crate) fn convert(rows: &Rows, wanted: &[usize], column: usize, decided: &Decided) -> Result<Converted, Misfit> {
    match decided.kind {
        Kind::Text => Ok(texts(rows, wanted, column)),
        Kind::Integer => {
            let builder = Int64Builder::with_capacity(wanted.len());
            typed(rows, wanted, column, builder, |builder, text| {
                let number = parse(text, &decided.style)?;
                if number.scale > 0 {
                    return None;
                }
                builder.append_value(i64::try_from(number.mantissa).ok()?);
                Some(())
            })
        }
        Kind::Decimal { precision, scale } => {
            let builder = Decimal128Builder::with_capacity(wanted.len()).with_data_type(data_type(decided.kind));
            typed(rows, wanted, column, builder, |builder, text| {
                let number = parse(text, &decided.style)?;
                if number.scale > scale || number.whole > precision - scale {
                    return None;
                }
                let zeros = 10_i128.checked_pow(u32::from(scale - number.scale))?;
                builder.append_value(number.mantissa.checked_mul(zeros)?);
                Some(())
            })
        }
        Kind::Double => {
            let builder = Float64Builder::with_capacity(wanted.len());
            typed(rows, wanted, column, builder, |builder, text| {
                builder.append_value(double(text)?);
                Some(())
            })
        }
        Kind::Boolean(truth) => {
            let builder = BooleanBuilder::with_capacity(wanted.len());
            typed(rows, wanted, column, builder, |builder, text| {
                builder.append_value(truth.parse(text)?);
                Some(())
            })
        }
        Kind::Date(order) => {
            let builder = Date32Builder::with_capacity(wanted.len());
            typed(rows, wanted, column, builder, |builder, text| {
                builder.append_value(date::parts(text)?.days(order)?);
                Some(())
            })
        }
        Kind::Time => {
            let builder = Time64MicrosecondBuilder::with_capacity(wanted.len());
            typed(rows, wanted, column, builder, |builder, text| {
                builder.append_value(time::of_day(text)?);
                Some(())
            })
        }
        Kind::Timestamp(order) => {
            let builder = TimestampMicrosecondBuilder::with_capacity(wanted.len());
            let zoned = decided.format.as_ref().is_some_and(|format| format.contains("UTC"));
            typed(rows, wanted, column, builder, |builder, text| {
                builder.append_value(moment(text, order, zoned)?);
                Some(())
            })
        }
    }
}

fn moment(text: &str, order: date::Order, zoned: bool) -> Option<i64> {
    match time::moment(text) {
        Some(moment) if moment.offset.is_some() == zoned => moment.micros(order),
        Some(_) => None,
        None if zoned => None,
        None => Some(i64::from(date::parts(text)?.days(order)?) * 86_400_000_000),
    }
}

fn double(text: &str) -> Option<f64> {
    if let Some(value) = number::scientific(text) {
        return Some(value);
    }
    let number = parse(text, &NumberStyle::PLAIN)?;
    if number.whole + number.scale > 17 {
        return None;
    }
    text.parse().ok()
}

/// A number in a column's own style, with its sign.
fn parse(text: &str, style: &NumberStyle) -> Option<Number> {
    if *style == NumberStyle::PLAIN {
        let body = text.strip_prefix('-').unwrap_or(text);
        if let Some(number) = number::plain(body.as_bytes()) {
            return Some(signed(number, body.len() < text.len()));
        }
    }
    let dress = number::undress(text)?;
    let digits = || dress.body.bytes().filter(u8::is_ascii_digit).count();
    let other = dress.percent != style.percent
        || (dress.parens && !style.dressed)
        || dress.currency.is_some_and(|currency| style.currency.as_deref() != Some(currency))
        || (dress.plus && digits() > 6);
    if other {
        return None;
    }
    Some(signed(number::digits(dress.body, style.marks)?, dress.negative))
}

fn signed(number: Number, negative: bool) -> Number {
    Number { mantissa: if negative { -number.mantissa } else { number.mantissa }, ..number }
}

fn texts(rows: &Rows, wanted: &[usize], column: usize) -> Converted {
    let mut builder = StringBuilder::with_capacity(wanted.len(), wanted.len() * 8);
    let mut nul = 0;
    for row in wanted {
        match rows.cell(*row, column) {
            Some(cell) if !cell.is_missing() => {
                nul += u64::from(memchr::memchr(0, cell.text.as_bytes()).is_some());
                builder.append_value(&cell.text);
            }
            _ => builder.append_null(),
        }
    }
    Converted { array: Arc::new(builder.finish()), nothing: 0, nul }
}

/// A builder of arrays, as far as it is needed here.
trait Build {
    fn skip(&mut self);
    fn done(self) -> ArrayRef;
}

macro_rules! build {
    ($($builder:ty),*) => {$(
        impl Build for $builder {
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
    Int64Builder,
    Decimal128Builder,
    Float64Builder,
    BooleanBuilder,
    Date32Builder,
    Time64MicrosecondBuilder,
    TimestampMicrosecondBuilder
);

fn typed<B: Build>(
    rows: &Rows,
    wanted: &[usize],
    column: usize,
    mut builder: B,
    add: impl Fn(&mut B, &str) -> Option<()>,
) -> Result<Converted, Misfit> {
    let mut nothing = 0;
    for row in wanted {
        let cell = match rows.cell(*row, column) {
            Some(cell) if !cell.is_missing() => cell,
            _ => {
                builder.skip();
                continue;
            }
        };
        match one(&cell, &mut builder, &add) {
            Some(true) => {}
            Some(false) => nothing += 1,
            None => return Err(Misfit { row: *row }),
        }
    }
    Ok(Converted { array: builder.done(), nothing, nul: 0 })
}

/// A text without white space around it, which most have not.
#[inline]
fn trimmed(text: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_graphic());
    let bytes = text.as_bytes();
    if plain(bytes.first()) && plain(bytes.last()) { text } else { text.trim() }
}

/// Adds a value. False when a word said that there is none; none when it is of another type.
fn one<B: Build>(cell: &Cell<'_>, builder: &mut B, add: impl Fn(&mut B, &str) -> Option<()>) -> Option<bool> {
    let text = trimmed(&cell.text);
    if cell.how != How::Text && add(builder, text).is_some() {
        return Some(true);
    }
    if text.is_empty() || is_nothing(text) {
        builder.skip();
        return Some(!is_nothing(text) || text.is_empty());
    }
    None
}
