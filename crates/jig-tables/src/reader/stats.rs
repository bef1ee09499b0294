//! Columns in numbers.

use serde_json::{Map, Value, json};

use super::Reader;
use super::answer::{ColumnStats, Stats, TableMap};
use super::cells::{decimal, double};
use crate::engine::{QueryTimer, told};
use crate::error::TableError;
use crate::load::TABLE;
use crate::meta::{ColumnInfo, InferredType};

/// Columns that are asked about at a time.
const TOGETHER: usize = 40;
/// Up to so many rows different values are counted exactly.
const EXACT_ROWS: u64 = 1_000_000;
/// How many of the most frequent values are told.
const FREQUENT: u64 = 5;

impl Reader {
    /// Columns in numbers: these, or all.
    pub fn stats(&self, columns: Option<&[String]>) -> Result<Stats, TableError> {
        let mut chosen = self.chosen(columns)?;
        let mut warnings = self.warnings();
        if chosen.len() > TableMap::MOST_COLUMNS {
            warnings.push(format!("the first {} of {} columns are counted", TableMap::MOST_COLUMNS, chosen.len()));
            chosen.truncate(TableMap::MOST_COLUMNS);
        }
        let counts = self.counts(&chosen)?;
        let timer = self.timer();
        let mut all = Vec::new();
        for (column, (non_null_count, distinct_estimate)) in chosen.into_iter().zip(counts) {
            all.push(ColumnStats {
                name: column.name.clone(),
                inferred_type: column.inferred_type,
                sql_type: column.sql_type.clone(),
                non_null_count,
                distinct_estimate,
                numbers: self.numbers(column, &timer)?,
            });
        }
        Ok(Stats { row_count: self.meta()?.row_count, columns: all, warnings })
    }

    /// How many values each column has, and how many different ones.
    pub(super) fn counts(&self, columns: &[&ColumnInfo]) -> Result<Vec<(u64, u64)>, TableError> {
        let exact = self.meta()?.row_count <= EXACT_ROWS;
        let timer = self.timer();
        let mut all = Vec::new();
        for some in columns.chunks(TOGETHER) {
            let list: Vec<String> = some
                .iter()
                .map(|column| {
                    let name = format!("c{}", column.index);
                    let distinct = if exact {
                        format!("count(DISTINCT {name})")
                    } else {
                        format!("approx_count_distinct({name})")
                    };
                    format!("count({name}), {distinct}")
                })
                .collect();
            let sql = format!("SELECT {} FROM db0.main.{TABLE}", list.join(", "));
            let row = self.texts(&sql, some.len() * 2, &timer)?;
            let number =
                |index: usize| row.get(index).and_then(Option::as_ref).and_then(|text| text.parse().ok()).unwrap_or(0);
            all.extend((0..some.len()).map(|index| (number(index * 2), number(index * 2 + 1))));
        }
        Ok(all)
    }

    fn numbers(&self, column: &ColumnInfo, timer: &QueryTimer) -> Result<Map<String, Value>, TableError> {
        let name = format!("c{}", column.index);
        let names: &[&str] = match column.inferred_type {
            InferredType::Integer | InferredType::Float => &["min", "max", "mean", "sum", "stddev"],
            InferredType::Date => &["min", "max"],
            InferredType::Boolean => &["true_count", "false_count"],
            InferredType::String => &["min_length", "max_length"],
        };
        let list: Vec<String> = names
            .iter()
            .map(|number| match *number {
                "mean" => format!("avg({name})"),
                "stddev" => format!("stddev_samp({name}::DOUBLE)"),
                "true_count" => format!("count_if({name})"),
                "false_count" => format!("count_if(NOT {name})"),
                "min_length" => format!("min(length({name}))"),
                "max_length" => format!("max(length({name}))"),
                plain => format!("{plain}({name})"),
            })
            .collect();
        let row = self.texts(&format!("SELECT {} FROM db0.main.{TABLE}", list.join(", ")), names.len(), timer)?;
        let is_date = column.inferred_type == InferredType::Date;
        let shown = |name: &str, text: &str| match name {
            _ if is_date => Value::from(text),
            "mean" | "stddev" => whole(double(text)),
            _ => whole(decimal(text)),
        };
        let mut numbers: Map<String, Value> = names
            .iter()
            .zip(&row)
            .map(|(&name, value)| (name.to_owned(), value.as_deref().map_or(Value::Null, |text| shown(name, text))))
            .collect();
        if column.inferred_type == InferredType::String {
            numbers.insert("most_common".to_owned(), self.frequent(&name, timer)?);
        }
        Ok(numbers)
    }

    fn frequent(&self, name: &str, timer: &QueryTimer) -> Result<Value, TableError> {
        let sql = format!(
            "SELECT {name}, count(*)::BIGINT AS n FROM db0.main.{TABLE} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 \
             LIMIT {FREQUENT}"
        );
        let failed = |error: duckdb::Error| told(&error, timer, self.limits);
        let mut statement = self.connection.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut values = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let value: String = row.get(0).map_err(failed)?;
            let count: i64 = row.get(1).map_err(failed)?;
            values.push(json!({ "value": jig_text::csv::clip(&value), "count": count }));
        }
        Ok(values.into())
    }

    /// One row of a query, every column as text.
    fn texts(&self, sql: &str, width: usize, timer: &QueryTimer) -> Result<Vec<Option<String>>, TableError> {
        let list: Vec<String> = (0..width).map(|index| format!("c{index}::VARCHAR")).collect();
        let names: Vec<String> = (0..width).map(|index| format!("c{index}")).collect();
        let sql = format!("SELECT {} FROM ({sql}) AS q({})", list.join(", "), names.join(", "));
        let read = |row: &duckdb::Row<'_>| (0..width).map(|index| row.get(index)).collect();
        self.connection.query_row(&sql, [], read).map_err(|error| told(&error, timer, self.limits))
    }
}

/// Whole numbers without a point.
fn whole(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(number as i64),
        _ => value,
    }
}
