//! Values of the engine as JSON, exactly.

use duckdb::Row;
use duckdb::types::ValueRef;
use serde_json::{Number, Value};

use crate::engine::quoted;
use crate::error::TableError;
use crate::meta::InferredType;

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) sql_type: String,
}

impl Shown {
    pub(super) fn inferred(&self) -> InferredType {
        InferredType::of_sql(&self.sql_type)
    }

    /// The SQL that gives its value in a form that needs no rounding.
    pub(super) fn select(&self, from: &str) -> String {
        match self.sql_type.as_str() {
            "BOOLEAN" | "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "DOUBLE" | "VARCHAR" => quoted(from),
            "FLOAT" => format!("CAST({} AS DOUBLE)", quoted(from)),
            _ => format!("CAST({} AS VARCHAR)", quoted(from)),
        }
    }
}

/// One row of a result as JSON.
pub(super) fn json_row(row: &Row<'_>, columns: &[Shown]) -> Result<Vec<Value>, TableError> {
    columns.iter().enumerate().map(|(index, column)| json(row, index, column)).collect()
}

fn json(row: &Row<'_>, index: usize, column: &Shown) -> Result<Value, TableError> {
    let value = row.get_ref(index).map_err(TableError::engine)?;
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Boolean(value) => value.into(),
        ValueRef::TinyInt(value) => value.into(),
        ValueRef::SmallInt(value) => value.into(),
        ValueRef::Int(value) => value.into(),
        ValueRef::BigInt(value) => integer(i128::from(value)),
        ValueRef::Double(value) => {
            Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), Value::Number)
        }
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            match column.inferred() {
                InferredType::Integer => text.parse().map_or_else(|_| text.into_owned().into(), integer),
                InferredType::Float => decimal(&text),
                _ => text.into_owned().into(),
            }
        }
        _ => return Err(TableError::Engine("a value of an unexpected type".to_owned())),
    })
}

/// A whole number: as a JSON number when every reader gets it right, else as text.
fn integer(value: i128) -> Value {
    const MOST: i128 = 1 << 53;
    match i64::try_from(value) {
        Ok(small) if (-MOST..=MOST).contains(&value) => small.into(),
        _ => value.to_string().into(),
    }
}

/// A number of any kind: as a JSON number when a double says the same, else as text.
pub(super) fn decimal(text: &str) -> Value {
    if let Ok(whole) = text.parse() {
        return integer(whole);
    }
    if fits_double(text) { double(text) } else { text.into() }
}

/// A number that is a double already.
pub(super) fn double(text: &str) -> Value {
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| text.into(), Value::Number)
}

/// Whether a double says the same number as this text: it prints back every digit that matters.
pub fn fits_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    if !number.is_finite() {
        return false;
    }
    // A double keeps any 15 digits.
    if text.len() <= 15 {
        return true;
    }
    let digits = significant(text);
    digits.len() <= 15 || digits == significant(&format!("{number:e}"))
}

/// The digits of a number without the zeros around them, which only say how large it is.
fn significant(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_double_cannot_hold_is_text() {
        assert_eq!(integer(1 << 53), Value::from(9_007_199_254_740_992_i64));
        assert_eq!(integer((1 << 53) + 1), Value::from("9007199254740993"));
        assert_eq!(decimal("12.50"), Value::from(12.5));
        assert_eq!(decimal("0.1"), Value::from(0.1));
        assert_eq!(decimal("1234567890123456.78"), Value::from("1234567890123456.78"));
        assert_eq!(decimal("9007199254740993.00"), Value::from("9007199254740993.00"));
        assert_eq!(decimal("10000000000000000000000"), Value::from("10000000000000000000000"));
    }

    #[test]
    fn zeros_behind_a_number_are_no_digits() {
        assert_eq!(decimal("0.2500000000000000"), Value::from(0.25));
        assert_eq!(decimal("-123456789.5000000000"), Value::from(-123_456_789.5));
        assert_eq!(decimal("0.3333333333333333"), Value::from(1.0 / 3.0));
        assert_eq!(decimal("1.2345678901234567e+20"), Value::from(1.234_567_890_123_456_7e20));
        assert_eq!(decimal("0.33333333333333333333"), Value::from("0.33333333333333333333"));
        assert!(!fits_double("nan") && !fits_double("inf") && !fits_double("x"));
    }
}
