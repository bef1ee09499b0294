//! One piece of file work, done in this process or in a worker.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use jig_contract::{Code, OpError};
use jig_files::FileBytes;
use jig_files::engine::{EditOptions, Edited, FileError, Reason, Versions};
use jig_store::{Blobs, FileNode, TemporaryFolder};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::file_methods::{FileApi, apply_reply, copy_reply};
use crate::pool::{Isolation, Pool, WorkerProgram};
use crate::protocol::{Method, Verb, operation_error};

/// A file that a job works on, under the name it has there.
#[derive(Debug, Clone)]
pub struct Input {
    /// A name with the file's own ending.
    pub name: String,
    /// Its content.
    pub file: FileNode,
    /// A file of Jig's own, outside the store, that the content was converted to; read in place of it.
    pub converted: Option<PathBuf>,
}

/// A call of one method.
#[derive(Debug, Clone)]
pub struct Job {
    /// The method.
    pub method: Method,
    /// The method's own parameters, without any place.
    pub params: Value,
    /// The file that is read or edited, or copied into; none to make a new one.
    pub input: Option<Input>,
    /// The file that is copied from; the old version of a file that is compared.
    pub source: Option<Input>,
    /// Files that ops name, by the path they use.
    pub beside: Vec<Input>,
    /// The time for tracked changes.
    pub now: String,
    /// Whether new formulas may reach outside their workbook.
    pub allow_outside_formulas: bool,
}

/// What a job gave.
#[derive(Debug)]
pub struct Done {
    /// Its answer.
    pub result: Value,
    /// The edited file.
    pub output: Option<Bytes>,
}

/// Where file work is done.
#[derive(Debug, Clone)]
pub struct FileWork(Way);

#[derive(Debug, Clone)]
enum Way {
    /// In this process.
    Here(Arc<FileApi>),
    /// In confined processes.
    Workers(Pool),
}

impl FileWork {
    /// In this process.
    pub fn here() -> Self {
        Self(Way::Here(Arc::new(FileApi::default())))
    }

    /// In workers, each with a folder among these temporary files.
    pub fn isolated(isolation: Isolation, scratch: TemporaryFolder) -> Self {
        Self(Way::Workers(Pool::new(WorkerProgram::Files, isolation, scratch)))
    }

    /// Runs a job. Cancelling the token ends the process that runs it.
    pub async fn run(&self, blobs: &Blobs, job: Job, cancel: &CancellationToken) -> Result<Done, OpError> {
        match &self.0 {
            Way::Here(files) => here(files.clone(), blobs, job).await,
            Way::Workers(pool) => pool.run(blobs, job, cancel).await,
        }
    }
}

/// Writes the reply of an edit.
type EditReply = fn(&Edited) -> Result<Value, FileError>;

/// The files of a job, read.
struct Read {
    input: Option<FileBytes>,
    source: Option<FileBytes>,
    beside: Vec<(String, Vec<u8>)>,
}

async fn here(files: Arc<FileApi>, blobs: &Blobs, job: Job) -> Result<Done, OpError> {
    let mut read = Read { input: None, source: None, beside: Vec::new() };
    if let Some(input) = &job.input {
        read.input = Some(match &input.converted {
            Some(path) => tokio::fs::read(path).await.map_err(|error| lost(&error))?.into(),
            None => stored(blobs, &input.file).await?,
        });
    }
    if let Some(source) = &job.source {
        read.source = Some(stored(blobs, &source.file).await?);
    }
    for file in &job.beside {
        read.beside.push((file.name.clone(), blobs.get(&file.file.hash).await?.to_vec()));
    }
    let work = tokio::task::spawn_blocking(move || now(&files, &job, read)).await;
    let done = work.map_err(|error| {
        OpError::new(Code::Internal, "the file engine failed through a fault of its own; nothing was changed")
            .because(error)
    })?;
    done.map_err(operation_error)
}

/// A file of the store, which is named by its hash.
async fn stored(blobs: &Blobs, file: &FileNode) -> Result<FileBytes, OpError> {
    Ok(FileBytes::with_hash(blobs.get(&file.hash).await?.as_ref().into(), *file.hash.as_bytes()))
}

fn now(files: &FileApi, job: &Job, read: Read) -> Result<Done, FileError> {
    let missing = || FileError::new(Reason::NotFound, "no file is given");
    let Method { format, verb, .. } = job.method;
    let name = job.input.as_ref().or(job.source.as_ref()).map(|input| input.name.clone()).unwrap_or_default();
    let (edited, reply): (_, EditReply) = match verb {
        Verb::Read => {
            let mut params = job.params.clone();
            // Some answers depend on the name: what a text file is, for example.
            if let (Some(params), Some(input)) = (params.as_object_mut(), &job.input) {
                params.insert("path".to_owned(), input.name.clone().into());
            }
            let result = files.read(job.method, read.input.ok_or_else(missing)?, &params)?;
            return Ok(Done { result, output: None });
        }
        Verb::Apply => {
            let others = |path: &str| read.beside.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes.clone());
            let options = EditOptions {
                now: Some(&job.now),
                author: job.params["author"].as_str().unwrap_or("Jig"),
                recalculate_workbook: job.params["recalculate"] == "workbook",
                allow_outside_formulas: job.allow_outside_formulas,
                files: &others,
                must_exist: job.params["must_exist"] == true,
                ..EditOptions::default()
            };
            (files.engine.apply(format, read.input, &job.params["ops"], &options)?, apply_reply)
        }
        Verb::Compare => {
            let versions = Versions { name, old: read.source, new: read.input };
            return Ok(Done { result: files.diff(&versions, &job.params)?, output: None });
        }
        Verb::Revert => {
            let versions = Versions { name, old: read.source, new: read.input };
            let (reverted, result) = files.revert(&versions, &job.params)?;
            return Ok(Done { result, output: Some(reverted.bytes.into()) });
        }
        Verb::RenderCopy => {
            let copy = files.engine.render_copy(format, read.input.ok_or_else(missing)?)?;
            return Ok(Done { result: json!({ "ok": true }), output: Some(copy.into()) });
        }
        Verb::Copy => {
            let source = read.source.ok_or_else(missing)?;
            let must_exist = job.params["must_exist"] == true;
            let options = EditOptions { now: Some(&job.now), must_exist, ..EditOptions::default() };
            (files.engine.copy_assets(format, source, read.input, &job.params["assets"], &options)?, copy_reply)
        }
    };
    Ok(Done { result: reply(&edited)?, output: Some(edited.bytes.into()) })
}

/// A converted file that was there a moment ago.
pub(crate) fn lost(error: &std::io::Error) -> OpError {
    OpError::new(Code::FileReadFailed, format!("the converted file cannot be read: {error}")).hint("try again")
}
