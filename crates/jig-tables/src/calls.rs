//! The `Tabular` methods of the worker protocol: SQL over delimited files and over sheets of workbooks.
//!
//! Files come in open, with the hash of their content; converted tables lie in a cache that the caller names.

mod export;
mod parameters;
mod session_cache;
mod sheet;
mod update;
mod workbook;

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jig_file_api::Strictness;
use jig_files::engine::{Engine, FileError, Reason};
use jig_worker::table_params::{TablePart, ending};
use jig_worker::{FileStamp, QueryLimits, prepend_warnings};
use serde::Serialize;
use serde_json::Value;

use crate::error::NO_SPACE;
use crate::reader::mentions_row_numbers;
use crate::{Cache, Reader, Source, TableError};
use parameters::Call;
pub(crate) use session_cache::TableSessionCache;

/// A file that a table is read from.
pub struct TableFile {
    /// The file, open for reading.
    pub file: File,
    /// Gives the hash of its content. Only asked for where it matters: reading a large file for it takes a while.
    pub hash: Box<dyn Fn() -> Result<String, FileError>>,
}

impl std::fmt::Debug for TableFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFile").field("file", &self.file).finish_non_exhaustive()
    }
}

/// A csv file of so many bytes or more is not converted for its first query.
const DIRECT_FROM: u64 = 32 << 20;
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
    kept: Arc<TableSessionCache>,
    direct_from: u64,
    strictness: Strictness,
}

impl TableEngine {
    /// An engine that keeps converted tables in this cache.
    pub fn new(cache: Cache, limits: QueryLimits) -> Self {
        let cache = cache.within(CONVERT_WITHIN);
        Self {
            cache,
            limits,
            office: Arc::new(Engine::default()),
            cancel: Arc::default(),
            kept: Arc::default(),
            direct_from: DIRECT_FROM,
            strictness: Strictness::default(),
        }
    }

    /// The same, with another rule for parameters that a method does not have. It matters only where a file is written.
    pub fn reading_params(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// The same, with what earlier calls left open.
    pub fn keeping(mut self, kept: Arc<TableSessionCache>) -> Self {
        self.kept = kept;
        self
    }

    /// The same, and a file of so many bytes is not converted for its first query.
    pub fn asking_directly_from(mut self, bytes: u64) -> Self {
        self.direct_from = bytes;
        self
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
        let call = Call::new(method, params, self.strictness)?;
        let answer = self.read_call(method, &call, open)?;
        Ok(prepend_warnings(answer, call.warnings.iter().map(ToString::to_string).collect()))
    }

    fn read_call(&self, method: &str, call: &Call, open: &OpenTable<'_>) -> Result<Value, FileError> {
        if method == "TabularQuery"
            && let Some(answer) = self.query_directly(call, open)?
        {
            return Ok(answer);
        }
        self.with_reader(call, open, |reader| match method {
            "TabularGetMap" => answer(&reader.map(call.format()).map_err(Told::Table)?),
            "TabularDescribe" => answer(&reader.describe().map_err(Told::Table)?),
            "TabularGetStats" => answer(&reader.stats(call.columns()?.as_deref()).map_err(Told::Table)?),
            "TabularReadRows" => {
                let (start, count) = (call.number("row_start", 1)?, call.number("row_count", 100)?);
                answer(&reader.read_rows(start, count, call.columns()?.as_deref()).map_err(Told::Table)?)
            }
            "TabularQuery" => {
                let (query, rows, offset) = query_of(call)?;
                answer(&reader.query(query, rows, offset).map_err(Told::Table)?)
            }
            _ => Err(FileError::invalid(format!("unknown method: {method}")).into()),
        })
    }

    /// Answers the first query of a large file from the file itself; none when a converted table is to be asked.
    fn query_directly(&self, call: &Call, open: &OpenTable<'_>) -> Result<Option<Value>, FileError> {
        let [part] = call.parts.as_slice() else { return Ok(None) };
        if part.is_workbook() || call.wants_conversion()? {
            return Ok(None);
        }
        check_text(&part.path)?;
        let opened = open(&part.path)?;
        let large = opened.file.metadata().is_ok_and(|meta| meta.len() >= self.direct_from);
        if !large || !self.kept.is_first(&opened.file) {
            return Ok(None);
        }
        // Numbers of rows are known only of converted tables.
        if query_of(call).is_ok_and(|(query, ..)| mentions_row_numbers(query)) {
            return Ok(None);
        }
        // An empty cache spares the hash.
        if !self.cache.tables().is_empty() && self.cache.tables().find(&part.key(&(opened.hash)()?)).is_some() {
            return Ok(None);
        }
        let (query, rows, offset) = query_of(call)?;
        let stamped = opened.file.metadata().map(|meta| FileStamp::of(&meta));
        let reader = Reader::direct(&part.name, opened.file, &part.options, self.limits, Some(self.cancel.clone()));
        let asked = match &reader {
            Ok(reader) => reader.query(query, rows, offset),
            Err(error) => return if error.is_of_the_call() { Err(told(error)) } else { Ok(None) },
        };
        match asked {
            // Its beginning promised other values than it has: the converted table knows them all.
            _ if reader.is_ok_and(|reader| reader.is_broken()) => Ok(None),
            Ok(found) => {
                // A query that failed is not the file's first: nothing is known by it.
                self.kept.note_asked(stamped.ok());
                Ok(Some(answer(&found)?))
            }
            Err(error) if error.is_of_the_call() => Err(told(&error)),
            // With less time and memory for each row, the converted table may still answer.
            Err(_) => Ok(None),
        }
    }

    /// Opens the tables of a call, converted when they are not yet, and asks them. A converted table that turns out to
    /// be damaged, by a torn disk or another version, is made anew, and all is asked once more.
    fn with_reader<T>(
        &self,
        call: &Call,
        open: &OpenTable<'_>,
        mut ask: impl FnMut(&Reader) -> Result<T, Told>,
    ) -> Result<T, FileError> {
        let mut attempt = |cache_use| {
            let (tables, reader) = self.reader(call, open, cache_use)?;
            let outcome = ask(&reader);
            // After a failure nothing is known of the engine's own state.
            if outcome.is_ok() {
                self.kept.keep(tables, reader);
            }
            outcome
        };
        match attempt(CacheUse::Reuse) {
            Err(Told::Table(TableError::Damaged(_))) => attempt(CacheUse::Rebuild),
            outcome => outcome,
        }
        .map_err(FileError::from)
    }

    fn reader(
        &self,
        call: &Call,
        open: &OpenTable<'_>,
        cache_use: CacheUse,
    ) -> Result<(Vec<(String, PathBuf)>, Reader), Told> {
        let mut tables: Vec<(String, PathBuf)> = Vec::new();
        for part in &call.parts {
            tables.push((part.name.clone(), self.converted(part, open, cache_use)?));
        }
        let reader = match self.kept.take(&tables, self.limits) {
            Some(reader) => reader,
            None => {
                let named: Vec<(&str, &std::path::Path)> =
                    tables.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
                Reader::open(&named, self.limits).map_err(Told::Table)?
            }
        };
        Ok((tables, reader.until(self.cancel.clone())))
    }

    fn converted(&self, part: &TablePart, open: &OpenTable<'_>, cache_use: CacheUse) -> Result<PathBuf, Told> {
        let mut opened = open(&part.path)?;
        let key = part.key(&(opened.hash)()?);
        if let Some(path) = self.cache.tables().find(&key).filter(|_| cache_use == CacheUse::Reuse) {
            return Ok(path);
        }
        let made = if part.is_workbook() {
            let mut bytes = Vec::new();
            opened.file.rewind().map_err(|_| unreadable(&part.path))?;
            opened.file.read_to_end(&mut bytes).map_err(|_| unreadable(&part.path))?;
            let mut rows = sheet::SheetRows::open(&self.office, &bytes.into(), part)?;
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
enum CacheUse {
    Reuse,
    Rebuild,
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

/// The query of a call, and its window.
fn query_of(call: &Call) -> Result<(&str, u64, u64), FileError> {
    let query = call.text("query")?.ok_or_else(|| FileError::invalid("query: missing"))?;
    Ok((query, call.number("window_rows", 100)?, call.number("window_offset", 0)?))
}

/// Files that may be tables by their names: whatever else is in them is refused before it is read as text.
fn check_text(path: &str) -> Result<(), FileError> {
    let ending = ending(path);
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
pub(crate) fn told(error: &TableError) -> FileError {
    let reason = match error {
        TableError::Invalid(_) | TableError::Refused(_) | TableError::Query(_) | TableError::Cancelled => {
            Reason::Invalid
        }
        TableError::TimedOut { .. }
        | TableError::SlowConversion { .. }
        | TableError::OutOfMemory { .. }
        | TableError::OutOfProcessMemory
        | TableError::TooLarge(_) => Reason::TooLarge,
        TableError::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => Reason::DiskFull,
        // DuckDB reports a full disk in the text of its error only, which `without_paths` reduces to these words.
        TableError::Engine(message) if message == NO_SPACE => Reason::DiskFull,
        TableError::Io { .. } => Reason::Unreadable,
        _ => Reason::Damaged,
    };
    FileError::new(reason, error.to_string())
}
