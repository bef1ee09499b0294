//! Work on tables, for Jig itself: in this process or in workers of their own, with converted tables kept in one
//! folder that all workbenches share, by the content of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jig_contract::{BlobHash, Code, OpError};
use jig_files::engine::{EditOptions, FileError, Reason};
use jig_files::tables::{Cache, Kept, QueryLimits, TableEngine, TableFile, parts};
use jig_store::{Blobs, FileNode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::job::told;
use super::pool::Pool;
use crate::config::Isolation;

/// A file of a call, under the path that the call uses.
#[derive(Debug, Clone)]
pub(crate) struct TableInput {
    pub(crate) path: String,
    pub(crate) file: FileNode,
}

/// A call of one method on tables.
#[derive(Debug, Clone)]
pub(crate) struct TableJob {
    pub(crate) method: &'static str,
    /// The method's own parameters, with the paths as the caller gave them.
    pub(crate) params: Value,
    pub(crate) inputs: Vec<TableInput>,
    /// The workbook that rows are put into, when there is one.
    pub(crate) before: Option<FileNode>,
    /// The time for new files.
    pub(crate) now: String,
    /// Whether new formulas may reach outside their workbook.
    pub(crate) allow_outside_formulas: bool,
}

impl TableJob {
    /// Whether it makes a file.
    pub(super) fn writes(&self) -> bool {
        matches!(self.method, "TabularExport" | "TabularUpdateFromExport")
    }

    pub(super) fn target_ending(&self) -> String {
        let target = self.params["target_path"].as_str().unwrap_or_default();
        target.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
    }

    /// The names of the converted forms of its tables.
    pub(super) fn converted(&self) -> Result<Vec<String>, FileError> {
        let parts = super::tables::parts_of(self)?;
        Ok(parts.into_iter().map(|(part, file)| part.key(&file.hash.to_string()).file_name()).collect())
    }
}

/// The tables of a job with their files.
pub(super) fn parts_of(job: &TableJob) -> Result<Vec<(jig_files::tables::TablePart, FileNode)>, FileError> {
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
pub(crate) struct TableDone {
    pub(crate) result: Value,
    /// The file that was made; it is in the store already.
    pub(crate) output: Option<FileNode>,
}

/// Where work on tables is done.
#[derive(Debug, Clone)]
pub(crate) struct TableWork {
    cache: PathBuf,
    limits: QueryLimits,
    pool: Option<Pool>,
    kept: Arc<Kept>,
}

/// More memory than other file work gets: what a query may use, and what the engine and a conversion need besides.
const BESIDES: u64 = 3 << 29;
/// A conversion of the largest file must end.
const CONVERT_SECONDS: u64 = 900;

impl TableWork {
    /// Work below a home folder.
    pub(crate) fn new(home: &Path, limits: QueryLimits, isolation: Option<&Isolation>) -> Self {
        let limits = limits.clamped();
        let pool = isolation.map(|isolation| {
            let isolation = Isolation {
                memory_bytes: isolation.memory_bytes.max((limits.memory_mb << 20) + BESIDES),
                cpu_seconds: isolation.cpu_seconds.max(CONVERT_SECONDS),
                seconds: isolation.seconds.max(CONVERT_SECONDS),
                tables: limits,
                ..isolation.clone()
            };
            Pool::new(isolation, home.join("scratch").join("tables"))
        });
        Self { cache: home.join("cache").join("tables"), limits, pool, kept: Arc::default() }
    }

    /// The files that there are converted tables of.
    pub(crate) fn contents(&self) -> Vec<BlobHash> {
        Cache::new(&self.cache).list().iter().filter_map(|table| table.key.content().parse().ok()).collect()
    }

    /// Removes converted tables of files that nobody has any more.
    pub(crate) fn drop_unused(&self, is_used: impl Fn(&BlobHash) -> bool) {
        let cache = Cache::new(&self.cache);
        cache.drop_unused(|content| content.parse::<BlobHash>().is_ok_and(|hash| is_used(&hash)));
    }

    pub(crate) async fn run(
        &self,
        blobs: &Blobs,
        job: TableJob,
        cancel: &CancellationToken,
    ) -> Result<TableDone, OpError> {
        std::fs::create_dir_all(&self.cache).map_err(|error| {
            OpError::new(Code::FileWriteFailed, "the folder for converted tables cannot be made").because(error)
        })?;
        let mut job = job;
        let (tables, cache) = (job.converted().map_err(told)?, Cache::new(&self.cache));
        // A file that was asked before is converted now: the third question and those after it are worth it.
        let asked = tables.iter().any(|table| cache.was_asked(table));
        if asked {
            job.params["convert"] = true.into();
        }
        let done = match &self.pool {
            Some(pool) => pool.run_table(blobs, job, &self.cache, cancel).await,
            None => self.here(blobs, job, cancel).await,
        }?;
        if done.result["read_directly"] == true {
            tables.iter().for_each(|table| cache.note_asked(table));
        } else if asked {
            tables.iter().for_each(|table| cache.settle_asked(table));
        }
        Ok(done)
    }

    async fn here(&self, blobs: &Blobs, job: TableJob, cancel: &CancellationToken) -> Result<TableDone, OpError> {
        let scratch = Scratch::new(&self.cache)?;
        let mut files: Vec<(String, String, PathBuf)> = Vec::new();
        for (number, input) in job.inputs.iter().enumerate() {
            let path = match blobs.local_path(&input.file.hash) {
                Some(path) => path,
                None => {
                    let path = scratch.0.join(number.to_string());
                    blobs.write_to(&input.file.hash, &path).await?;
                    path
                }
            };
            files.push((input.path.clone(), input.file.hash.to_string(), path));
        }
        let before: Option<Arc<[u8]>> = match &job.before {
            Some(file) => Some(blobs.get(&file.hash).await?.to_vec().into()),
            None => None,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let engine = TableEngine::new(Cache::new(&self.cache), self.limits).until(stop.clone());
        let engine = engine.keeping(Arc::clone(&self.kept));
        let output = scratch.0.join("output");
        let target = job.writes().then(|| output.clone());
        let mut work = tokio::task::spawn_blocking(move || now(&engine, &job, &files, before, &output));
        let done = tokio::select! {
            done = &mut work => done,
            () = cancel.cancelled() => {
                stop.store(true, Ordering::Relaxed);
                let _ = work.await;
                return Err(OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed"));
            }
        };
        let result = done
            .map_err(|error| {
                OpError::new(Code::Internal, "the table engine failed through a fault of its own").because(error)
            })?
            .map_err(told)?;
        let output = match target {
            Some(path) => Some(stored(blobs, &path).await?),
            None => None,
        };
        Ok(TableDone { result, output })
    }
}

/// Puts a file into the store.
pub(super) async fn stored(blobs: &Blobs, path: &Path) -> Result<FileNode, OpError> {
    let (hash, bytes) = blobs.put_file(path).await?;
    Ok(FileNode { hash, bytes })
}

fn now(
    engine: &TableEngine,
    job: &TableJob,
    files: &[(String, String, PathBuf)],
    before: Option<Arc<[u8]>>,
    output: &Path,
) -> Result<Value, FileError> {
    let open = |path: &str| {
        let found = files.iter().find(|(name, _, _)| name == path);
        let missing = || FileError::new(Reason::NotFound, format!("there is no file {path}"));
        let (_, hash, place) = found.ok_or_else(missing)?;
        let failed = |_| FileError::new(Reason::Unreadable, format!("{path} could not be read"));
        let hash = hash.clone();
        Ok(TableFile { file: std::fs::File::open(place).map_err(failed)?, hash: Box::new(move || Ok(hash.clone())) })
    };
    let failed = |_| FileError::new(Reason::Unwritable, "the result could not be written");
    match job.method {
        "TabularExport" => engine.export(&job.params, &open, &std::fs::File::create(output).map_err(failed)?),
        "TabularUpdateFromExport" => {
            let options = EditOptions {
                now: Some(&job.now),
                allow_outside_formulas: job.allow_outside_formulas,
                ..EditOptions::default()
            };
            let (answer, bytes) = engine.update(&job.params, &open, before, &options)?;
            std::fs::write(output, bytes).map_err(failed)?;
            Ok(answer)
        }
        method => engine.read(method, &job.params, &open),
    }
}

/// A folder that goes with its owner.
struct Scratch(PathBuf);

impl Scratch {
    fn new(beside: &Path) -> Result<Self, OpError> {
        static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = beside.join(format!(".work-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| {
            OpError::new(Code::FileWriteFailed, "no folder to work in could be made").because(error)
        })?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The parameters of a job with paths as they are in a worker's folder.
pub(super) fn renamed(job: &TableJob, names: &[(String, String)]) -> Value {
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
