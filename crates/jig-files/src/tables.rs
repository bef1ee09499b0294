//! The `Tabular` methods of the worker protocol: SQL over delimited files and over sheets of workbooks.
//!
//! Files come in open, with the hash of their content; converted tables lie in a cache that the caller names.

mod call;
mod export;
mod sheet;
mod update;
mod workbook;

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use jig_tables::{Cache, CacheKey, QueryLimits};
use jig_tables::{Reader, Source, TableError};
use serde::Serialize;
use serde_json::Value;

use crate::engine::{Engine, FileError, Format, Reason};
use call::Call;
pub use call::{TablePart, is_table_method, parts};

/// A file that a table is read from.
#[derive(Debug)]
pub struct TableFile {
    /// The file, open for reading.
    pub file: File,
    /// The hash of its content.
    pub hash: String,
}

/// Opens a file by the path that a call gives.
pub type OpenTable<'a> = dyn Fn(&str) -> Result<TableFile, FileError> + 'a;

/// Answers the `Tabular` methods.
#[derive(Debug)]
pub struct TableEngine {
    cache: Cache,
    limits: QueryLimits,
    office: Arc<Engine>,
    cancel: Arc<AtomicBool>,
}

impl TableEngine {
    /// An engine that keeps converted tables in this cache.
    pub fn new(cache: Cache, limits: QueryLimits) -> Self {
        Self { cache, limits, office: Arc::new(Engine::default()), cancel: Arc::default() }
    }

    /// The same, and work ends when this becomes true.
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = cancel;
        self
    }

    /// Answers a method that reads.
    pub fn read(&self, method: &str, params: &Value, open: &OpenTable<'_>) -> Result<Value, FileError> {
        let call = Call::new(method, params)?;
        let reader = self.reader(&call, open)?;
        match method {
            "TabularGetMap" => answer(&reader.map(call.format()).map_err(told)?),
            "TabularDescribe" => answer(&reader.describe().map_err(told)?),
            "TabularGetStats" => answer(&reader.stats(call.columns()?.as_deref()).map_err(told)?),
            "TabularReadRows" => {
                let (start, count) = (call.number("row_start", 1)?, call.number("row_count", 100)?);
                answer(&reader.read_rows(start, count, call.columns()?.as_deref()).map_err(told)?)
            }
            "TabularQuery" => {
                let query = call.text("query")?.ok_or_else(|| FileError::invalid("query: missing"))?;
                let (rows, offset) = (call.number("window_rows", 100)?, call.number("window_offset", 0)?);
                answer(&reader.query(query, rows, offset).map_err(told)?)
            }
            _ => Err(FileError::invalid(format!("unknown method: {method}"))),
        }
    }

    /// Opens the tables of a call, converted when they are not yet.
    fn reader(&self, call: &Call<'_>, open: &OpenTable<'_>) -> Result<Reader, FileError> {
        let mut tables: Vec<(String, PathBuf)> = Vec::new();
        for part in &call.parts {
            tables.push((part.name.clone(), self.converted(part, open)?));
        }
        let named: Vec<(&str, &std::path::Path)> =
            tables.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
        let reader = Reader::open(&named, self.limits).or_else(|error| match error {
            // A cache that cannot be read, from another version or a torn disk, is made anew once.
            TableError::Engine(_) => {
                for part in &call.parts {
                    self.cache.forget(&part.key(&open(&part.path)?.hash));
                    self.converted(part, open)?;
                }
                Reader::open(&named, self.limits).map_err(told)
            }
            error => Err(told(error)),
        })?;
        Ok(reader.until(self.cancel.clone()))
    }

    fn converted(&self, part: &TablePart, open: &OpenTable<'_>) -> Result<PathBuf, FileError> {
        let mut opened = open(&part.path)?;
        let key = part.key(&opened.hash);
        if let Some(path) = self.cache.find(&key) {
            return Ok(path);
        }
        let made = if part.is_workbook() {
            let mut bytes = Vec::new();
            opened.file.read_to_end(&mut bytes).map_err(|_| unreadable(&part.path))?;
            let mut rows = sheet::SheetRows::open(self.office.clone(), bytes.into(), part)?;
            self.cache.get(&key, &mut Source::Rows(&mut rows), &part.options)
        } else {
            check_text(&part.path)?;
            self.cache.get(&key, &mut Source::Delimited(opened.file), &part.options)
        };
        made.map_err(told)
    }
}

/// Files that may be tables by their names: whatever else is in them is refused before it is read as text.
fn check_text(path: &str) -> Result<(), FileError> {
    let ending = call::ending(path);
    let texts = ["csv", "tsv", "tab", "psv", "txt", "dat", "log", ""];
    if texts.contains(&ending.as_str()) {
        return Ok(());
    }
    let words = format!("path: .{ending} is not read as a table; .csv, .tsv, .psv, .txt and .xlsx are");
    Err(FileError::new(Reason::WrongKind, words))
}

fn unreadable(path: &str) -> FileError {
    FileError::new(Reason::Unreadable, format!("{path} could not be read"))
}

fn answer(value: &impl Serialize) -> Result<Value, FileError> {
    serde_json::to_value(value).map_err(|error| FileError::new(Reason::Damaged, error.to_string()))
}

/// A table's error in the protocol's terms.
fn told(error: TableError) -> FileError {
    let reason = match &error {
        TableError::Invalid(_) | TableError::Refused(_) | TableError::Query(_) | TableError::Cancelled => {
            Reason::Invalid
        }
        TableError::TimedOut { .. } | TableError::OutOfMemory { .. } | TableError::TooLarge(_) => Reason::TooLarge,
        TableError::Io { .. } => Reason::Unreadable,
        _ => Reason::Damaged,
    };
    FileError::new(reason, error.to_string())
}

/// Whether a name is a workbook's.
fn is_workbook(path: &str) -> bool {
    Format::Xlsx.endings().contains(&call::ending(path).as_str())
}
