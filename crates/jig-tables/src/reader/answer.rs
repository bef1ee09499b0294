//! The answers, with the protocol's fields.

use serde::Serialize;
use serde_json::Value;

use crate::meta::{ColumnInfo, DialectInfo, InferredType};

/// A run of rows that can be read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chunk {
    /// Its number, from 0.
    pub index: u64,
    /// Its rows, as `1-100`.
    pub rows: String,
}

/// What a table is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableMap {
    /// `csv` or `xlsx`.
    pub format: String,
    /// The marks of a delimited file.
    #[serde(flatten)]
    pub dialect: Option<DialectInfo>,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// How sure that is, from 0 to 1.
    pub header_confidence: f64,
    /// How many rows there are, without the header.
    pub row_count: u64,
    /// How many columns.
    pub column_count: usize,
    /// The columns; at most [`TableMap::MOST_COLUMNS`].
    pub columns: Vec<ColumnInfo>,
    /// The first chunks; at most [`TableMap::MOST_CHUNKS`].
    pub chunks: Vec<Chunk>,
    /// How many chunks there are in all.
    pub chunk_count: u64,
    /// How many rows a chunk has.
    pub chunk_rows: u64,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl TableMap {
    /// The most chunks in an answer.
    pub const MOST_CHUNKS: u64 = 20;
    /// The most columns in an answer.
    pub const MOST_COLUMNS: usize = 500;
}

/// A column with counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnCount {
    /// The column.
    #[serde(flatten)]
    pub column: ColumnInfo,
    /// Whether some value is missing.
    pub nullable: bool,
    /// How many values are there.
    pub non_null_count: u64,
    /// How many different ones.
    pub distinct_estimate: u64,
}

/// What the columns of a table are like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// How many rows there are.
    pub row_count: u64,
    /// How many columns.
    pub column_count: usize,
    /// Each of them.
    pub columns: Vec<ColumnCount>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A column in numbers. Which fields there are depends on its type.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnStats {
    /// The column.
    pub name: String,
    /// Its type in the protocol's words.
    #[serde(rename = "type")]
    pub inferred_type: InferredType,
    /// Its type in SQL.
    pub sql_type: String,
    /// How many values are there.
    pub non_null_count: u64,
    /// How many different ones.
    pub distinct_estimate: u64,
    /// The numbers for its type.
    #[serde(flatten)]
    pub numbers: serde_json::Map<String, Value>,
}

/// Columns in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// How many rows there are.
    pub row_count: u64,
    /// Each column.
    pub columns: Vec<ColumnStats>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// Rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowsAnswer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Their types in the protocol's words.
    pub column_types: Vec<InferredType>,
    /// Their types in SQL. What a JSON number cannot hold exactly is text.
    pub sql_types: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// The first row's number, from 1.
    pub row_start: u64,
    /// How many rows these are.
    pub row_count: u64,
    /// How many there are in all.
    pub total_rows: u64,
    /// Whether there are more after these.
    pub has_more: bool,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A window on the rows of a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Their types in the protocol's words.
    pub column_types: Vec<InferredType>,
    /// Their types in SQL. What a JSON number cannot hold exactly is text.
    pub sql_types: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// How many rows these are.
    pub row_count: u64,
    /// How many the query has in all; none when counting them took too long.
    pub total_row_count: Option<u64>,
    /// How many rows were asked for.
    pub window_rows: u64,
    /// How many were skipped.
    pub window_offset: u64,
    /// Whether there are more after these.
    pub has_more: bool,
    /// How long it took.
    pub query_elapsed_ms: u64,
    /// Whether the file was read where it lies, and not the table it is converted to.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_directly: bool,
    /// What a reader should know.
    pub warnings: Vec<String>,
}
