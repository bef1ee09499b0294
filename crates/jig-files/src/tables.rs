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
use std::time::Duration;

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

/// The largest file is converted in a fraction of this.
const CONVERT_WITHIN: Duration = Duration::from_secs(900);

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
        let cache = cache.within(CONVERT_WITHIN);
        Self { cache, limits, office: Arc::new(Engine::default()), cancel: Arc::default() }
    }

    /// The same, and work ends when this becomes true.
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cache = self.cache.until(cancel.clone());
        self.cancel = cancel;
        self
    }

    /// The same, and the conversion of a file ends after this time.
    pub fn converting_within(mut self, limit: Duration) -> Self {
        self.cache = self.cache.within(limit);
        self
    }

    /// Answers a method that reads.
    pub fn read(&self, method: &str, params: &Value, open: &OpenTable<'_>) -> Result<Value, FileError> {
        let call = Call::new(method, params)?;
        self.with_reader(&call, open, |reader| match method {
            "TabularGetMap" => answer(&reader.map(call.format()).map_err(Told::Table)?),
            "TabularDescribe" => answer(&reader.describe().map_err(Told::Table)?),
            "TabularGetStats" => answer(&reader.stats(call.columns()?.as_deref()).map_err(Told::Table)?),
            "TabularReadRows" => {
                let (start, count) = (call.number("row_start", 1)?, call.number("row_count", 100)?);
                answer(&reader.read_rows(start, count, call.columns()?.as_deref()).map_err(Told::Table)?)
            }
            "TabularQuery" => {
                let query = call.text("query")?.ok_or_else(|| FileError::invalid("query: missing"))?;
                let (rows, offset) = (call.number("window_rows", 100)?, call.number("window_offset", 0)?);
                answer(&reader.query(query, rows, offset).map_err(Told::Table)?)
            }
            _ => Err(FileError::invalid(format!("unknown method: {method}")).into()),
        })
    }

    /// Opens the tables of a call, converted when they are not yet, and asks them. A converted table that turns out to
    /// be damaged, by a torn disk or another version, is made anew, and all is asked once more.
    fn with_reader<T>(
        &self,
        call: &Call<'_>,
        open: &OpenTable<'_>,
        mut ask: impl FnMut(&Reader) -> Result<T, Told>,
    ) -> Result<T, FileError> {
        let mut attempt = |found| self.reader(call, open, found).and_then(|reader| ask(&reader));
        match attempt(Found::Used) {
            Err(Told::Table(TableError::Damaged(_))) => attempt(Found::Renewed),
            outcome => outcome,
        }
        .map_err(FileError::from)
    }

    fn reader(&self, call: &Call<'_>, open: &OpenTable<'_>, found: Found) -> Result<Reader, Told> {
        let mut tables: Vec<(String, PathBuf)> = Vec::new();
        for part in &call.parts {
            tables.push((part.name.clone(), self.converted(part, open, found)?));
        }
        let named: Vec<(&str, &std::path::Path)> =
            tables.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
        let reader = Reader::open(&named, self.limits).map_err(Told::Table)?;
        Ok(reader.until(self.cancel.clone()))
    }

    fn converted(&self, part: &TablePart, open: &OpenTable<'_>, found: Found) -> Result<PathBuf, Told> {
        let mut opened = open(&part.path)?;
        let key = part.key(&opened.hash);
        if let Some(path) = self.cache.find(&key).filter(|_| found == Found::Used) {
            return Ok(path);
        }
        let made = if part.is_workbook() {
            let mut bytes = Vec::new();
            opened.file.read_to_end(&mut bytes).map_err(|_| unreadable(&part.path))?;
            let mut rows = sheet::SheetRows::open(self.office.clone(), bytes.into(), part)?;
            self.cache.renew(&key, &mut Source::Rows(&mut rows), &part.options)
        } else {
            check_text(&part.path)?;
            self.cache.renew(&key, &mut Source::Delimited(opened.file), &part.options)
        };
        made.map_err(Told::Table)
    }
}

/// What becomes of converted tables that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Used,
    Renewed,
}

/// Why a call gave nothing: by the table, or by the call itself.
#[derive(Debug)]
enum Told {
    Table(TableError),
    File(FileError),
}

impl From<FileError> for Told {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<Told> for FileError {
    fn from(error: Told) -> Self {
        match error {
            Told::Table(error) => told(&error),
            Told::File(error) => error,
        }
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

fn answer(value: &impl Serialize) -> Result<Value, Told> {
    serde_json::to_value(value).map_err(|error| FileError::new(Reason::Damaged, error.to_string()).into())
}

/// A table's error in the protocol's terms.
fn told(error: &TableError) -> FileError {
    let reason = match error {
        TableError::Invalid(_) | TableError::Refused(_) | TableError::Query(_) | TableError::Cancelled => {
            Reason::Invalid
        }
        TableError::TimedOut { .. }
        | TableError::SlowConversion { .. }
        | TableError::OutOfMemory { .. }
        | TableError::TooLarge(_) => Reason::TooLarge,
        TableError::Io { .. } => Reason::Unreadable,
        _ => Reason::Damaged,
    };
    FileError::new(reason, error.to_string())
}

/// Whether a name is a workbook's.
fn is_workbook(path: &str) -> bool {
    Format::Xlsx.endings().contains(&call::ending(path).as_str())
}
