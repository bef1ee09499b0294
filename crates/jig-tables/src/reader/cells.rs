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

/// A decimal number: as a JSON number when a double says the same, else as text.
pub(super) fn decimal(text: &str) -> Value {
    let digits = text.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    let significant = digits.iter().skip_while(|digit| **digit == b'0').count();
    // A double keeps any 15 digits.
    let number = if significant <= 15 { text.parse().ok().and_then(Number::from_f64) } else { None };
    number.map_or_else(|| text.to_owned().into(), Value::Number)
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
    }
}
