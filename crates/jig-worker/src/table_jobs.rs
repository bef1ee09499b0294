//! Work on tables, for Jig itself: in processes of `jig-sql`, with converted tables in one folder that all workbenches
//! share, by the content of files.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jig_contract::{BlobHash, Code, OpError};
use jig_files::engine::{FileError, Reason};
use jig_store::{Blobs, FileNode, TemporaryFolder};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::pool::{Isolation, Pool, WorkerProgram};
use crate::protocol::operation_error;
use crate::table_cache::{CacheKey, TableCache};
use crate::table_params::{QueryLimits, TableSource, parts};

/// A file of a call, under the path that the call uses.
#[derive(Debug, Clone)]
pub struct TableInput {
    /// The path that the call uses.
    pub path: String,
    /// Its content.
    pub file: FileNode,
}

/// A call of one method on tables.
#[derive(Debug, Clone)]
pub struct TableJob {
    /// The method.
    pub method: &'static str,
    /// The method's own parameters, with the paths as the caller gave them.
    pub params: Value,
    /// The files that it names.
    pub inputs: Vec<TableInput>,
    /// The workbook that rows are put into, when there is one.
    pub before: Option<FileNode>,
    /// The time for new files.
    pub now: String,
    /// Whether new formulas may reach outside their workbook.
    pub allow_outside_formulas: bool,
}

impl TableJob {
    /// Whether it makes a file.
    pub(crate) fn writes(&self) -> bool {
        matches!(self.method, "TabularExport" | "TabularUpdateFromExport")
    }

    pub(crate) fn target_ending(&self) -> String {
        let target = self.params["target_path"].as_str().unwrap_or_default();
        target.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
    }

    /// The names of the converted forms of its tables.
    pub(crate) fn converted(&self) -> Result<Vec<String>, FileError> {
        let parts = parts_of(self)?;
        let key = |(source, file): &(TableSource, FileNode)| CacheKey::of_source(source, &file.hash.to_string());
        Ok(parts.iter().map(|part| key(part).file_name()).collect())
    }
}

/// The tables of a job with their files.
pub(crate) fn parts_of(job: &TableJob) -> Result<Vec<(TableSource, FileNode)>, FileError> {
    let mut params = job.params.clone();
    if job.writes() {
        // Where rows go is not where they come from.
        for (key, from) in [("sheet", "source_sheet"), ("range", "source_range")] {
            params[key] = params[from].clone();
        }
    }
    let missing = |path: &str| FileError::new(Reason::NotFound, format!("there is no file {path}"));
    parts(&params)?
        .into_iter()
        .map(|part| {
            let file = job.inputs.iter().find(|input| input.path == part.path).map(|input| input.file);
            let file = file.ok_or_else(|| missing(&part.path))?;
            Ok((part, file))
        })
        .collect()
}

/// What a job gave.
#[derive(Debug)]
pub struct TableDone {
    /// The method's answer.
    pub result: Value,
    /// The file that was made; it is in the store already.
    pub output: Option<FileNode>,
}

/// Where work on tables is done.
#[derive(Debug, Clone)]
pub struct TableWork {
    cache: TableCache,
    scratch: TemporaryFolder,
    pool: Pool,
}

/// More memory than other file work gets: what a query may use, and what the engine and a conversion need besides.
const BESIDES: u64 = 3 << 29;
/// A conversion of the largest file must end.
const CONVERT_SECONDS: u64 = 900;

impl TableWork {
    /// Work with converted tables in this folder, by the SQL engine at this path. The engine is started when the first call needs it, and
    /// need not exist before. It is a process of its own even where other file work is not isolated.
    pub fn new(
        cache: PathBuf,
        scratch: TemporaryFolder,
        engine: &Path,
        limits: QueryLimits,
        isolation: Option<&Isolation>,
    ) -> Self {
        let limits = limits.clamped();
        let isolation = isolation.cloned().unwrap_or_else(|| Isolation::new(engine));
        let isolation = Isolation {
            memory_bytes: isolation.memory_bytes.max((limits.memory_mb << 20) + BESIDES),
            cpu_seconds: isolation.cpu_seconds.max(CONVERT_SECONDS),
            seconds: isolation.seconds.max(CONVERT_SECONDS),
            ..isolation
        };
        let program = WorkerProgram::Sql { engine: engine.to_owned(), limits };
        let pool = Pool::new(program, isolation, scratch.clone());
        Self { cache: TableCache::new(cache), scratch, pool }
    }

    /// The files that there are converted tables of.
    pub fn contents(&self) -> Vec<BlobHash> {
        self.cache.list().iter().filter_map(|table| table.key.content().parse().ok()).collect()
    }

    /// Removes converted tables of files that are no longer used.
    pub fn drop_unused(&self, is_used: impl Fn(&BlobHash) -> bool) {
        self.cache.drop_unused(|content| content.parse::<BlobHash>().is_ok_and(|hash| is_used(&hash)));
    }

    /// Runs a job. Dropping the future, or the token, ends the process that runs it.
    pub async fn run(&self, blobs: &Blobs, job: TableJob, cancel: &CancellationToken) -> Result<TableDone, OpError> {
        let folder = self.scratch.or_fallback(self.cache.folder()).map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                OpError::new(Code::DiskFull, "no space left on device").action("retry").because(error)
            }
            _ => OpError::new(Code::FileWriteFailed, "the folder for converted tables cannot be made").because(error),
        })?;
        let cache = TableCache::new(folder);
        let mut job = job;
        let tables = job.converted().map_err(operation_error)?;
        // A file that was queried in place before is converted now: the third query and those after it are worth it.
        let queried = tables.iter().any(|table| cache.was_queried(table));
        if queried {
            job.params["convert"] = true.into();
        }
        let done = self.pool.run_table(blobs, job, cache.folder(), cancel).await?;
        if done.result["read_directly"] == true {
            tables.iter().for_each(|table| cache.note_queried(table));
        } else if queried {
            tables.iter().for_each(|table| cache.settle_queried(table));
        }
        Ok(done)
    }
}

/// Puts a file into the store.
pub(crate) async fn stored(blobs: &Blobs, path: &Path) -> Result<FileNode, OpError> {
    let (hash, bytes) = blobs.put_file(path).await?;
    Ok(FileNode { hash, bytes })
}

/// The parameters of a job with paths as they are in a worker's folder.
pub(crate) fn renamed(job: &TableJob, names: &[(String, String)]) -> Value {
    let name_of = |path: &str| names.iter().find(|(known, _)| known == path).map(|(_, name)| json!(name));
    let mut params = job.params.clone();
    if let Some(name) = params["path"].as_str().and_then(name_of) {
        params["path"] = name;
    }
    if let Some(tables) = params.get_mut("tables").and_then(Value::as_object_mut) {
        for table in tables.values_mut() {
            let place = if table.is_object() { &mut table["path"] } else { table };
            if let Some(name) = place.as_str().and_then(name_of) {
                *place = name;
            }
        }
    }
    params
}
