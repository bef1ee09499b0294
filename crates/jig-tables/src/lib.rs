//! SQL over delimited text, sheets, JSON Lines and Parquet, on an embedded DuckDB.
//!
//! A [`Source`] is converted once into a file of a [`Cache`]; a [`Reader`] answers queries from there. [`TableSession`]
//! serves the worker protocol with them.
//!
//! Guarantees:
//! - a query reads the tables it was given and nothing else: no files, no network, no settings;
//! - results are limited by rows, bytes and time, and a cut result reports that it was cut;
//! - a value that cannot be read as its column's type is reported with its row, never dropped;
//! - numbers keep all their digits: what a JSON number cannot hold is returned as text.
//!
//! Only the executable `jig-sql`, which this crate builds, links DuckDB. Not pure: converted tables are stored in a folder
//! that the caller names.

mod batch;
mod cache;
mod convert;
mod csv_table;
mod deadline;
mod describe;
mod engine;
mod error;
mod export;
pub mod fuzzing;
mod guard;
mod json_lines;
mod limits;
mod meta;
mod parquet;
mod query;
mod session;
mod sheet_rows;
mod source;
mod update;
mod workbook_writer;

pub use cache::Cache;
pub use describe::{Chunk, ColumnCount, ColumnStats, Description, RowsAnswer, Stats, TableMap};
pub use engine::{duckdb_version, warm_up};
pub use error::TableError;
pub use export::{CellValue, ExportAnswer, ResultRow, RowSink};
pub use guard::Refusal;
pub use jig_file_api::table::ReadOptions;
pub use jig_text::csv::{CsvWriterOptions, Newline};
pub use jig_worker::QueryLimits;
pub use jig_worker::table_cache::{CacheKey, TableCache};
pub use meta::{ColumnInfo, DialectInfo, InferredType, Meta};
pub use query::{QueryAnswer, Reader, ResultColumn, fits_double};
pub use session::{OpenTable, TableEngine, TableFile, TableSession};
pub use source::{RowSource, Source, SourceCell};
