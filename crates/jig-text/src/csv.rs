//! Delimited text: its dialect, its records, and the names and types of its columns.

mod columns;
mod dialect;
mod file;
mod layout;
mod profile;
mod reader;
mod records;
mod schema;
mod write;

use std::io;

use crate::{Charset, DetectedEncoding};

pub use columns::{Column, ColumnFormat, ColumnType, NumberStyle};
pub use dialect::{DetectedDialect, detect_dialect};
pub use file::{CsvFile, DetectionScope};
pub use layout::{MAX_COLUMNS, TableLayout, first_few, quantity, unique_name};
pub use profile::{ColumnProfile, clip};
pub use reader::{CsvDefects, FieldSelection, Occurrences, RecordReader};
pub use records::{Cell, Quoting, RecordColumn, Records};
pub use schema::{SampleScope, SchemaBuilder, TableSchema, has_extra_fields};
pub use write::{CsvValue, CsvWriter, CsvWriterOptions, Newline};

/// How fields are separated and quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvDialect {
    /// The character between fields.
    pub delimiter: u8,
    /// The character around quoted fields; `None` if quotes have no meaning.
    pub quote: Option<u8>,
    /// The character before a quote inside quotes, if quotes are not doubled instead.
    pub escape: Option<u8>,
    /// Whether spaces are allowed between a delimiter and the opening quote.
    pub space_before_quote: bool,
}

/// What the caller knows about a delimited text. The rest is detected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The encoding.
    pub charset: Option<Charset>,
    /// The delimiter, an ASCII character.
    pub delimiter: Option<u8>,
    /// The quote character, an ASCII character; `Some(None)` if quotes have no meaning.
    pub quote: Option<Option<u8>>,
    /// Whether the first record contains the names of the columns.
    pub has_header: Option<bool>,
}

/// The encoding and dialect of a delimited text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CsvFormat {
    /// The encoding.
    pub encoding: DetectedEncoding,
    /// The dialect.
    pub dialect: CsvDialect,
    /// How certain the dialect is, from 0 to 1.
    pub confidence: f64,
}

/// Why a delimited text could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// The underlying reader failed.
    #[error("the file could not be read: {source}")]
    Read {
        /// Its error.
        #[from]
        source: io::Error,
    },
    /// A record has no end within the size limit.
    #[error("line {line} is longer than {limit_mib} MiB")]
    RecordTooLong {
        /// The line at which the record starts, from 1.
        line: u64,
        /// The limit in MiB.
        limit_mib: usize,
    },
}
