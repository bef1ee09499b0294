//! Answers the `Tabular` methods of the worker protocol: from a request over its tables to a reply.
//!
//! [`TableSession`] serves them in `jig-sql`: it opens files inside the workbenches' folders. [`TableEngine`] answers one
//! request with files that are open already, and decides whether they are converted before the query.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_file_api::table::{
    ReadOptions, TableCommand, TableFormat, TableQuery, TableRequest, TableSource, extension, is_table_method,
};
use jig_file_api::{Strictness, Warning};
use jig_files::engine::{EditOptions, FileError, Reason};
use jig_worker::table_cache::{CacheKey, TableCache};
use jig_worker::{
    CONVERTED_TABLES, Call, FileStamp, Methods, QueryLimits, Reply, SandboxPath, Server, prepend_warnings,
};
use serde::Serialize;
use serde_json::Value;

use crate::cache::{Cache, TableSessionCache};
use crate::error::TableError;
use crate::export::{ExportError, export};
use crate::json_lines::JsonRows;
use crate::query::{QueryAnswer, Reader, mentions_row_numbers};
use crate::sheet_rows::SheetRows;
use crate::source::Source;
use crate::update::{UpdateTarget, read_rows};

/// A delimited file of this size or more is not converted for its first query.
const DIRECT_FROM: u64 = 32 << 20;
/// The largest allowed file is converted in a fraction of this.
const CONVERT_WITHIN: Duration = Duration::from_secs(900);
/// How many hashes of files are remembered.
const MAX_HASHES: usize = 256;
/// Bytes of records, and of workbooks, that are converted in a second at least.
const RECORD_BYTES_PER_SECOND: u64 = 2 << 20;
const WORKBOOK_BYTES_PER_SECOND: u64 = 256 << 10;

/// A file that is read as a table.
pub struct TableFile {
    /// The file, open for reading.
    pub file: File,
    /// Returns the hash of its content. Called only where it is needed, because hashing a large file takes a while.
    pub hash: Box<dyn Fn() -> Result<String, FileError>>,
}

impl std::fmt::Debug for TableFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFile").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Opens a file by the path in a request.
pub type OpenTable<'a> = dyn Fn(&str) -> Result<TableFile, FileError> + 'a;

/// Answers requests over open files.
#[derive(Debug)]
pub struct TableEngine {
    cache: Cache,
    limits: QueryLimits,
    cancel: Arc<AtomicBool>,
    session: Arc<TableSessionCache>,
    direct_from: u64,
    strictness: Strictness,
}

impl TableEngine {
    /// An engine that stores converted tables in this cache.
    pub fn new(cache: Cache, limits: QueryLimits) -> Self {
        Self {
            cache: cache.within(CONVERT_WITHIN),
            limits,
            cancel: Arc::default(),
            session: Arc::default(),
            direct_from: DIRECT_FROM,
            strictness: Strictness::default(),
        }
    }

    /// Sets how unknown parameters are treated by methods that write a file. Reads ignore them with a warning.
    #[must_use]
    pub fn reading_params(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Does not convert a delimited file of this size or more for its first query.
    #[must_use]
    pub fn querying_directly_from(mut self, bytes: u64) -> Self {
        self.direct_from = bytes;
        self
    }

    /// Cancels work when this becomes true.
    #[must_use]
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cache = self.cache.until(cancel.clone());
        self.cancel = cancel;
        self
    }

    /// Cancels a conversion that takes longer.
    #[must_use]
    pub fn converting_within(mut self, limit: Duration) -> Self {
        self.cache = self.cache.within(limit);
        self
    }

    fn parse(&self, method: &str, params: &Value) -> Result<(TableRequest, Vec<Warning>), FileError> {
        TableRequest::parse(method, params, self.strictness).map_err(FileError::from)
    }

    /// Answers a method that reads.
    pub fn read(&self, method: &str, params: &Value, open: &OpenTable<'_>) -> Result<Value, FileError> {
        let (request, warnings) = self.parse(method, params)?;
        let answer = match &request.command {
            TableCommand::Query(query) => json(&self.query(&request, query, open)?),
            TableCommand::Map => {
                json(&self.with_tables(&request, open, |reader| reader.map(request.format().as_str()))?)
            }
            TableCommand::Describe => json(&self.with_tables(&request, open, Reader::describe)?),
            TableCommand::Stats { columns } => {
                json(&self.with_tables(&request, open, |reader| reader.stats(columns.as_deref()))?)
            }
            TableCommand::ReadRows { start, count, columns } => {
                let read = |reader: &Reader| reader.read_rows(*start, *count, columns.as_deref());
                json(&self.with_tables(&request, open, read)?)
            }
            TableCommand::Export(_) | TableCommand::Update(_) => {
                return Err(FileError::invalid(format!("{method} writes a file")));
            }
        }?;
        Ok(prepend_warnings(answer, warnings.iter().map(ToString::to_string).collect()))
    }

    /// Answers `TabularExport`: writes the rows of a query to an empty file. After an error the file is of no use.
    pub fn export(&self, params: &Value, open: &OpenTable<'_>, file: &File) -> Result<Value, FileError> {
        let (request, warnings) = self.parse("TabularExport", params)?;
        let TableCommand::Export(command) = &request.command else { return Err(not_a_command("an export")) };
        let answer = json(&self.with_reader(&request, open, |reader| export(reader, command, file))?)?;
        Ok(prepend_warnings(answer, warnings.iter().map(ToString::to_string).collect()))
    }

    /// Answers `TabularUpdateFromExport`: returns the reply and the new workbook. `before` is the workbook as it is.
    pub fn update(
        &self,
        params: &Value,
        open: &OpenTable<'_>,
        before: Option<Arc<[u8]>>,
        options: &EditOptions<'_>,
    ) -> Result<(Value, Vec<u8>), FileError> {
        let (request, warnings) = self.parse("TabularUpdateFromExport", params)?;
        let TableCommand::Update(command) = &request.command else { return Err(not_a_command("an update")) };
        // The target is checked before the query, which may take long.
        let target = UpdateTarget::open(command, before)?;
        let read = |reader: &Reader| read_rows(reader, command.query.as_deref());
        let (rows, count, mut all) = self.with_tables(&request, open, read)?;
        all.splice(0..0, warnings.iter().map(ToString::to_string));
        target.write(command, &rows, count, all, options)
    }

    fn query(
        &self,
        request: &TableRequest,
        query: &TableQuery,
        open: &OpenTable<'_>,
    ) -> Result<QueryAnswer, FileError> {
        if let Some(answer) = self.query_directly(request, query, open)? {
            return Ok(answer);
        }
        self.with_tables(request, open, |reader| reader.query(&query.sql, query.window_rows, query.window_offset))
    }

    /// Answers the first query of a large delimited file from the file itself; `None` if it must be converted.
    fn query_directly(
        &self,
        request: &TableRequest,
        query: &TableQuery,
        open: &OpenTable<'_>,
    ) -> Result<Option<QueryAnswer>, FileError> {
        let [source] = request.sources.as_slice() else { return Ok(None) };
        // Row numbers exist only in converted tables.
        if format_of(source)? != TableFormat::Delimited || query.convert || mentions_row_numbers(&query.sql) {
            return Ok(None);
        }
        let opened = open(&source.path)?;
        let is_large = opened.file.metadata().is_ok_and(|meta| meta.len() >= self.direct_from);
        if !is_large || !self.session.is_first_query(&opened.file) {
            return Ok(None);
        }
        // With an empty cache, the hash is not needed.
        let tables = self.cache.tables();
        if !tables.is_empty() && tables.find(&CacheKey::of_source(source, &(opened.hash)()?)).is_some() {
            return Ok(None);
        }
        let stamp = opened.file.metadata().map(|meta| FileStamp::of(&meta)).ok();
        let (name, options) = (&source.name, &source.options);
        let reader = match Reader::direct(name, opened.file, options, self.limits, Some(self.cancel.clone())) {
            Ok(reader) => reader,
            Err(error) if error.is_callers_fault() => return Err(error.into()),
            Err(_) => return Ok(None),
        };
        match reader.query(&query.sql, query.window_rows, query.window_offset) {
            // A value does not fit the types that the start of the file suggests.
            _ if reader.is_broken() => Ok(None),
            Ok(answer) => {
                // A query that failed is not remembered: nothing was learnt from it.
                self.session.note_queried(stamp);
                Ok(Some(answer))
            }
            Err(error) if error.is_callers_fault() => Err(error.into()),
            // The converted table needs less time and memory per row and may still answer.
            Err(_) => Ok(None),
        }
    }

    fn with_tables<T>(
        &self,
        request: &TableRequest,
        open: &OpenTable<'_>,
        ask: impl Fn(&Reader) -> Result<T, TableError>,
    ) -> Result<T, FileError> {
        self.with_reader(request, open, |reader| ask(reader).map_err(ExportError::Table))
    }

    /// Opens the tables of a request, converted if they are not yet, and passes them on. A converted table that turns out
    /// to be damaged is converted again, once.
    fn with_reader<T>(
        &self,
        request: &TableRequest,
        open: &OpenTable<'_>,
        ask: impl Fn(&Reader) -> Result<T, ExportError>,
    ) -> Result<T, FileError> {
        let attempt = |cache_use| {
            let (tables, reader) = self.reader(request, open, cache_use)?;
            let outcome = ask(&reader);
            // After a failure the state of the instance is unknown, so it is not used again.
            if outcome.is_ok() {
                self.session.put(tables, reader);
            }
            outcome
        };
        let outcome = match attempt(CacheUse::Reuse) {
            Err(ExportError::Table(TableError::DamagedTable { .. })) => attempt(CacheUse::Rebuild),
            outcome => outcome,
        };
        outcome.map_err(|error| match error {
            ExportError::Table(error) => error.into(),
            ExportError::File(error) => error,
        })
    }

    fn reader(
        &self,
        request: &TableRequest,
        open: &OpenTable<'_>,
        cache_use: CacheUse,
    ) -> Result<(Vec<(String, PathBuf)>, Reader), ExportError> {
        let mut tables: Vec<(String, PathBuf)> = Vec::new();
        for source in &request.sources {
            tables.push((source.name.clone(), self.converted(source, open, cache_use)?));
        }
        let reader = match self.session.take(&tables, self.limits) {
            Some(reader) => reader,
            None => {
                let named: Vec<(&str, &Path)> =
                    tables.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
                Reader::open(&named, self.limits)?
            }
        };
        Ok((tables, reader.until(self.cancel.clone())))
    }

    /// The converted table of a source.
    fn converted(
        &self,
        source: &TableSource,
        open: &OpenTable<'_>,
        cache_use: CacheUse,
    ) -> Result<PathBuf, ExportError> {
        let format = format_of(source)?;
        let mut opened = open(&source.path)?;
        let key = CacheKey::of_source(source, &(opened.hash)()?);
        if let Some(path) = self.cache.tables().find(&key).filter(|_| cache_use == CacheUse::Reuse) {
            return Ok(path);
        }
        let options: &ReadOptions = &source.options;
        let converted = match format {
            TableFormat::Delimited => self.cache.renew(&key, &mut Source::Delimited(opened.file), options),
            TableFormat::Parquet => self.cache.renew(&key, &mut Source::Parquet(opened.file), options),
            TableFormat::JsonLines => {
                let mut rows = JsonRows::open(opened.file)?;
                self.cache.renew(&key, &mut Source::Rows(&mut rows), options)
            }
            TableFormat::Workbook => {
                let mut bytes = Vec::new();
                let read = opened.file.rewind().and_then(|()| opened.file.read_to_end(&mut bytes));
                read.map_err(TableError::io("the workbook could not be read"))?;
                let mut rows = SheetRows::open(&bytes.into(), source)?;
                self.cache.renew(&key, &mut Source::Rows(&mut rows), options)
            }
        };
        Ok(converted?)
    }
}

/// What happens with converted tables that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CacheUse {
    Reuse,
    Rebuild,
}

/// The format of a source. A file that is not a table by its name is refused before it is read as text.
fn format_of(source: &TableSource) -> Result<TableFormat, FileError> {
    source.format().ok_or_else(|| {
        let words = format!(
            "path: a .{} file cannot be read as a table; .csv, .tsv, .psv, .txt, .xlsx, .jsonl and .parquet files can",
            extension(&source.path)
        );
        FileError::new(Reason::WrongKind, words)
    })
}

fn json(reply: &impl Serialize) -> Result<Value, FileError> {
    serde_json::to_value(reply).map_err(|error| TableError::internal(error.to_string()).into())
}

fn not_a_command(what: &str) -> FileError {
    TableError::internal(format!("the request is not {what}")).into()
}

/// Answers the methods on tables, and keeps between calls what takes long to make: open tables and hashes.
#[derive(Debug, Default)]
pub struct TableSession {
    tables: Arc<TableSessionCache>,
    hashes: Arc<FileHashes>,
}

/// Hashes of files by what the system reports about them, so that a large file is not read for each call.
#[derive(Debug, Default)]
struct FileHashes(Mutex<HashMap<FileStamp, String>>);

impl FileHashes {
    fn of(&self, file: &File, place: &SandboxPath) -> Result<String, FileError> {
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let meta = file.metadata().map_err(failed)?;
        let stamp = FileStamp::of(&meta);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known.get(&stamp) {
            return Ok(hash.clone());
        }
        let mut hasher = blake3::Hasher::new();
        let mut file = file;
        file.rewind().map_err(failed)?;
        hasher.update_reader(file).map_err(failed)?;
        let hash = hasher.finalize().to_hex().to_string();
        if known.len() >= MAX_HASHES {
            known.clear();
        }
        known.insert(stamp, hash.clone());
        Ok(hash)
    }
}

impl Methods for TableSession {
    fn worker(&self) -> &'static str {
        jig_worker::SQL_PROGRAM
    }

    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError> {
        if !is_table_method(call.method) {
            return Err(FileError::invalid(format!("unknown method: {}", call.method)));
        }
        TableCall { session: self, server }.answer(call.method, call.params).map(Reply::Result)
    }
}

/// One call of a session.
struct TableCall<'a> {
    session: &'a TableSession,
    server: &'a Server<'a>,
}

impl TableCall<'_> {
    fn answer(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let is_given = |root: &Value| !root.is_null() && root != "";
        let root = if params.get("root").is_some_and(is_given) { "root" } else { "source_root" };
        let open = |path: &str| {
            let place = SandboxPath::of(
                &serde_json::json!({ "workbench_id": params["workbench_id"], "path": path, "root": params[root] }),
                "path",
                "root",
            )?;
            self.open_table(&place)
        };
        let engine = TableEngine {
            session: Arc::clone(&self.session.tables),
            ..TableEngine::new(self.cache(params)?.into(), self.server.options.table_limits)
        };
        let engine = engine.reading_params(self.server.options.profile.strictness());
        match method {
            "TabularExport" => {
                let target = self.target(params)?;
                let existed = self.server.root.exists(&target)?;
                let mut answer = self.server.root.write_with(&target, |file| engine.export(params, &open, &file))?;
                if existed && let Some(warnings) = answer["warnings"].as_array_mut() {
                    warnings.push(format!("replaced {}, which existed, by the export", target.path).into());
                }
                Ok(answer)
            }
            "TabularUpdateFromExport" => self.update(&engine, params, &open),
            _ => engine.read(method, params, &open),
        }
    }

    fn update(&self, engine: &TableEngine, params: &Value, open: &OpenTable<'_>) -> Result<Value, FileError> {
        let target = self.target(params)?;
        let before = if self.server.root.exists(&target)? { Some(self.server.root.read(&target)?) } else { None };
        let given = params.get("now").and_then(Value::as_str).map(str::to_owned);
        let now = given.or_else(self.server.options.now);
        let options = EditOptions {
            now: now.as_deref(),
            allow_outside_formulas: self.server.allows_outside(params),
            ..EditOptions::default()
        };
        let (answer, bytes) = engine.update(params, open, before, &options)?;
        self.server.root.write(&target, &bytes)?;
        Ok(answer)
    }

    fn target(&self, params: &Value) -> Result<SandboxPath, FileError> {
        let target = SandboxPath::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        Ok(target)
    }

    fn open_table(&self, place: &SandboxPath) -> Result<TableFile, FileError> {
        let has_records = TableFormat::of_path(place.path.file_name()).is_some_and(|it| it != TableFormat::Workbook);
        let most = if has_records { self.server.options.table_bytes } else { self.server.options.file_bytes };
        let (file, bytes) = self.server.root.open(place, most)?;
        let speed = if has_records { RECORD_BYTES_PER_SECOND } else { WORKBOOK_BYTES_PER_SECOND };
        jig_worker::extend_deadline(bytes / speed);
        if self.server.options.has_own_folder() {
            // Jig names the files of its workers by their hash.
            let name = place.path.file_name().split('.').next().unwrap_or_default().to_owned();
            return Ok(TableFile { file, hash: Box::new(move || Ok(name.clone())) });
        }
        let failed = |_| FileError::new(Reason::Unreadable, format!("{} could not be read", place.path));
        let (same, place) = (file.try_clone().map_err(failed)?, place.clone());
        let hashes = Arc::clone(&self.session.hashes);
        Ok(TableFile { file, hash: Box::new(move || hashes.of(&same, &place)) })
    }

    fn cache(&self, params: &Value) -> Result<TableCache, FileError> {
        let place = SandboxPath::of(
            &serde_json::json!({ "workbench_id": params["workbench_id"], "path": "x" }),
            "path",
            "root",
        )?;
        let writable = self.server.options.limits.as_ref().and_then(|limits| limits.writable.as_deref());
        Ok(match writable {
            Some(folder) => TableCache::new(folder.join(CONVERTED_TABLES)).also(folder.with_file_name("published")),
            None => TableCache::new(self.server.root.known(&place)),
        })
    }
}
