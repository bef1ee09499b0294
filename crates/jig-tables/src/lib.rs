//! SQL over delimited text and sheet ranges, on an embedded engine.
//!
//! A [`Source`] is converted once into a columnar file of a [`Cache`]; a [`Reader`] answers questions from there.
//!
//! Invariants:
//! - a query reads the tables it was given and nothing else: no files, no network, no settings;
//! - results are bounded by rows, bytes and time, and a cut result says that it was cut;
//! - what could not be read as its column's type is reported with its row, never dropped;
//! - numbers keep all their digits: what JSON numbers cannot hold is given as text.
//!
//! The executable `jig-sql` serves this over the worker protocol; no other program links DuckDB. Not pure: converted
//! tables are stored in a folder that the caller names.

mod cache;
mod calls;
mod direct;
mod engine;
mod error;
pub mod fuzzing;
mod guard;
mod load;
mod meta;
mod methods;
mod reader;
mod source;

pub use cache::Cache;
pub use calls::{OpenTable, TableEngine, TableFile};
pub use engine::{duckdb_version, warm_up};
pub use error::TableError;
pub use jig_text::csv::{CsvWriterOptions, Newline};
pub use jig_worker::QueryLimits;
pub use jig_worker::table_cache::{CacheKey, TableCache};
pub use jig_worker::table_params::ReadOptions;
pub use meta::{ColumnInfo, DialectInfo, InferredType, Meta};
pub use methods::TableMethods;
pub use reader::{
    CellValue, Chunk, ColumnCount, ColumnStats, Description, QueryAnswer, Reader, ResultColumn, ResultRow, RowSink,
    RowsAnswer, Stats, TableMap, fits_double,
};
pub use source::{RowSource, SheetCell, Source};
