//! What is in a table: its map, its columns, statistics of them, and rows by their numbers.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::deadline::QueryTimer;
use crate::engine::{ROW, TABLE, query_error};
use crate::error::TableError;
use crate::limits::MAX_REPLY_ROWS;
use crate::meta::{ColumnInfo, DialectInfo, InferredType};
use crate::query::{Reader, ResultColumn, decimal, double};

/// Rows of a chunk.
const CHUNK_ROWS: u64 = 100;
/// Columns that are counted by one statement.
const COLUMNS_PER_QUERY: usize = 40;
/// Up to this many rows, distinct values are counted exactly.
const EXACT_ROWS: u64 = 1_000_000;
/// How many of the most common values are listed.
const MOST_COMMON: u64 = 5;

/// Consecutive rows that a client can read at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chunk {
    /// Its index, from 0.
    pub index: u64,
    /// Its rows, such as `1-100`.
    pub rows: String,
}

/// The reply to `TabularGetMap`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableMap {
    /// The format of the file, such as `csv`.
    pub format: String,
    /// The dialect of a delimited file.
    #[serde(flatten)]
    pub dialect: Option<DialectInfo>,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// How certain this is, from 0 to 1.
    pub header_confidence: f64,
    /// How many rows there are, without the header.
    pub row_count: u64,
    /// How many columns.
    pub column_count: usize,
    /// The columns; at most [`TableMap::MAX_COLUMNS`].
    pub columns: Vec<ColumnInfo>,
    /// The first chunks; at most [`TableMap::MAX_CHUNKS`].
    pub chunks: Vec<Chunk>,
    /// How many chunks there are in total.
    pub chunk_count: u64,
    /// How many rows a chunk has.
    pub chunk_rows: u64,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl TableMap {
    /// The most chunks in a reply.
    pub const MAX_CHUNKS: u64 = 20;
    /// The most columns in a reply.
    pub const MAX_COLUMNS: usize = 500;
}

/// A column with counts of its values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnCount {
    /// The column.
    #[serde(flatten)]
    pub column: ColumnInfo,
    /// Whether a value is missing.
    pub nullable: bool,
    /// How many values are not null.
    pub non_null_count: u64,
    /// How many of them are distinct; an estimate for tables with more than a million rows.
    pub distinct_estimate: u64,
}

/// The reply to `TabularDescribe`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// How many rows there are.
    pub row_count: u64,
    /// How many columns.
    pub column_count: usize,
    /// The columns; at most [`TableMap::MAX_COLUMNS`].
    pub columns: Vec<ColumnCount>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// Statistics of a column. Its type determines which ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnStats {
    /// Its name.
    pub name: String,
    /// Its type as the protocol names it.
    #[serde(rename = "type")]
    pub inferred_type: InferredType,
    /// Its type in SQL.
    pub sql_type: String,
    /// How many values are not null.
    pub non_null_count: u64,
    /// How many of them are distinct; an estimate for tables with more than a million rows.
    pub distinct_estimate: u64,
    /// The statistics for its type.
    #[serde(flatten)]
    pub numbers: serde_json::Map<String, Value>,
}

/// The reply to `TabularGetStats`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// How many rows there are.
    pub row_count: u64,
    /// The columns; at most [`TableMap::MAX_COLUMNS`].
    pub columns: Vec<ColumnStats>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// The reply to `TabularReadRows`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowsAnswer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Their types as the protocol names them.
    pub column_types: Vec<InferredType>,
    /// Their types in SQL. A value that a JSON number cannot hold exactly is text.
    pub sql_types: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// The first row's number, from 1.
    pub row_start: u64,
    /// How many rows these are.
    pub row_count: u64,
    /// How many the table has.
    pub total_rows: u64,
    /// Whether there are more rows after these.
    pub has_more: bool,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl Reader {
    /// The structure of the first table. `format` appears in the reply as it is.
    pub fn map(&self, format: &str) -> Result<TableMap, TableError> {
        let meta = self.meta()?;
        let chunk_count = meta.row_count.div_ceil(CHUNK_ROWS);
        let chunks = (0..chunk_count.min(TableMap::MAX_CHUNKS)).map(|index| {
            let (first, last) = (index * CHUNK_ROWS + 1, ((index + 1) * CHUNK_ROWS).min(meta.row_count));
            Chunk { index, rows: format!("{first}-{last}") }
        });
        let mut warnings = self.warnings();
        if chunk_count > TableMap::MAX_CHUNKS {
            warnings.push(format!("the first {} of {chunk_count} chunks are listed", TableMap::MAX_CHUNKS));
        }
        if meta.columns.len() > TableMap::MAX_COLUMNS {
            let words = format!("the first {} of {} columns are listed", TableMap::MAX_COLUMNS, meta.columns.len());
            warnings.push(words);
        }
        Ok(TableMap {
            format: format.to_owned(),
            dialect: meta.dialect.clone(),
            has_header: meta.has_header,
            header_confidence: meta.header_confidence,
            row_count: meta.row_count,
            column_count: meta.columns.len(),
            columns: meta.columns.iter().take(TableMap::MAX_COLUMNS).cloned().collect(),
            chunks: chunks.collect(),
            chunk_count,
            chunk_rows: CHUNK_ROWS,
            warnings,
        })
    }

    /// The columns of the first table with counts of their values.
    pub fn describe(&self) -> Result<Description, TableError> {
        let meta = self.meta()?;
        let chosen: Vec<_> = meta.columns.iter().take(TableMap::MAX_COLUMNS).collect();
        let counts = self.counts(&chosen)?;
        let columns = chosen.into_iter().zip(counts).map(|(column, (non_null_count, distinct_estimate))| ColumnCount {
            column: column.clone(),
            nullable: non_null_count < meta.row_count,
            non_null_count,
            distinct_estimate,
        });
        let mut warnings = self.warnings();
        if meta.columns.len() > TableMap::MAX_COLUMNS {
            let words = format!("the first {} of {} columns are described", TableMap::MAX_COLUMNS, meta.columns.len());
            warnings.push(words);
        }
        Ok(Description {
            row_count: meta.row_count,
            column_count: meta.columns.len(),
            columns: columns.collect(),
            warnings,
        })
    }

    /// Rows by their numbers, from 1. Rows far down cost the same as the first ones: row groups before them are skipped.
    pub fn read_rows(&self, start: u64, count: u64, columns: Option<&[String]>) -> Result<RowsAnswer, TableError> {
        if start == 0 {
            let why = "must be at least 1 (got 0)".to_owned();
            return Err(TableError::InvalidParameter { name: "row_start", why });
        }
        if count == 0 || count > MAX_REPLY_ROWS {
            let why = format!("must be between 1 and {MAX_REPLY_ROWS} (got {count})");
            return Err(TableError::InvalidParameter { name: "row_count", why });
        }
        let chosen = self.chosen(columns)?;
        let shown: Vec<ResultColumn> = chosen
            .iter()
            .map(|column| ResultColumn { name: column.name.clone(), sql_type: column.sql_type.clone() })
            .collect();
        let list: Vec<String> =
            chosen.iter().zip(&shown).map(|(column, shown)| shown.exact(&format!("c{}", column.index))).collect();
        let list = if list.is_empty() { "NULL".to_owned() } else { list.join(", ") };
        let end = start.saturating_add(count);
        let sql = format!(
            "SELECT {list} FROM db0.main.{TABLE} WHERE {ROW} >= {start} AND {ROW} < {end} ORDER BY {ROW}",
            end = end.min(i64::MAX as u64)
        );
        let timer = self.timer();
        let (rows, cut) = if shown.is_empty() { (Vec::new(), false) } else { self.collect(&sql, &shown, &timer)? };
        let mut warnings = self.warnings();
        if cut {
            warnings.push(format!(
                "only {} rows fit into one reply; continue at row_start {}",
                rows.len(),
                start + rows.len() as u64
            ));
        }
        let total_rows = self.meta()?.row_count;
        if start > total_rows && total_rows > 0 {
            warnings.push(format!("row_start {start} is after the last row ({total_rows})"));
        }
        let row_count = rows.len() as u64;
        Ok(RowsAnswer {
            columns: shown.iter().map(|column| column.name.clone()).collect(),
            column_types: shown.iter().map(ResultColumn::inferred_type).collect(),
            sql_types: shown.iter().map(|column| column.sql_type.clone()).collect(),
            rows,
            row_start: start,
            row_count,
            total_rows,
            has_more: start.saturating_add(row_count) <= total_rows,
            warnings,
        })
    }

    /// Statistics of some columns, or of all.
    pub fn stats(&self, columns: Option<&[String]>) -> Result<Stats, TableError> {
        let mut chosen = self.chosen(columns)?;
        let mut warnings = self.warnings();
        if chosen.len() > TableMap::MAX_COLUMNS {
            warnings.push(format!(
                "the statistics are those of the first {} of {} columns",
                TableMap::MAX_COLUMNS,
                chosen.len()
            ));
            chosen.truncate(TableMap::MAX_COLUMNS);
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

    /// For each column the number of values and of distinct values.
    fn counts(&self, columns: &[&ColumnInfo]) -> Result<Vec<(u64, u64)>, TableError> {
        let exact = self.meta()?.row_count <= EXACT_ROWS;
        let timer = self.timer();
        let mut all = Vec::new();
        for some in columns.chunks(COLUMNS_PER_QUERY) {
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
                "min_length" => format!("min(length({name}::VARCHAR))"),
                "max_length" => format!("max(length({name}::VARCHAR))"),
                plain => format!("{plain}({name})"),
            })
            .collect();
        let row = self.texts(&format!("SELECT {} FROM db0.main.{TABLE}", list.join(", ")), names.len(), timer)?;
        let is_date = column.inferred_type == InferredType::Date;
        let shown = |name: &str, text: &str| match name {
            _ if is_date => Value::from(text),
            "mean" | "stddev" => without_point(double(text)),
            _ => without_point(decimal(text)),
        };
        let mut numbers: Map<String, Value> = names
            .iter()
            .zip(&row)
            .map(|(&name, value)| (name.to_owned(), value.as_deref().map_or(Value::Null, |text| shown(name, text))))
            .collect();
        if column.inferred_type == InferredType::String {
            numbers.insert("most_common".to_owned(), self.most_common(&name, timer)?);
        }
        Ok(numbers)
    }

    fn most_common(&self, name: &str, timer: &QueryTimer) -> Result<Value, TableError> {
        let sql = format!(
            "SELECT {name}::VARCHAR, count(*)::BIGINT AS n FROM db0.main.{TABLE} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 \
             LIMIT {MOST_COMMON}"
        );
        let failed = |error: duckdb::Error| query_error(error, timer, self.limits);
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

    /// The only row of a statement, each column as text.
    fn texts(&self, sql: &str, width: usize, timer: &QueryTimer) -> Result<Vec<Option<String>>, TableError> {
        let list: Vec<String> = (0..width).map(|index| format!("c{index}::VARCHAR")).collect();
        let names: Vec<String> = (0..width).map(|index| format!("c{index}")).collect();
        let sql = format!("SELECT {} FROM ({sql}) AS q({})", list.join(", "), names.join(", "));
        let read = |row: &duckdb::Row<'_>| (0..width).map(|index| row.get(index)).collect();
        self.connection.query_row(&sql, [], read).map_err(|error| query_error(error, timer, self.limits))
    }
}

/// The number as a JSON integer if it is one.
fn without_point(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(number as i64),
        _ => value,
    }
}
