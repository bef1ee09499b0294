//! Converts Office files to PDF with LibreOffice, once per content, and caches the result on disk.
//!
//! LibreOffice reads and fetches whatever a document refers to, so it never gets the document itself, but a copy
//! without external references that a worker makes from a file that Jig's own reader accepts. It also runs confined: no
//! network, no files except its own folder and its installation, a temporary profile, macros and links disabled, and
//! limits on time, memory and disk.

mod cache;
mod convert;
mod process_group;
mod profile;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use jig_contract::{BlobHash, Code, OpError};
use jig_store::{FileNode, TemporaryFolder};
use jig_worker::{FairSemaphore, current_workbench};
use tokio_util::sync::CancellationToken;

use crate::config::Renderer;
use cache::Cache;
use convert::{Bounds, Conversion};

/// The number of concurrent conversions; each takes a few hundred MiB.
const AT_ONCE: usize = 2;
/// How long a failed conversion is not retried.
const REST: Duration = Duration::from_secs(5 * 60);
/// How many failures are remembered.
const REMEMBERED: usize = 256;

/// Conversions and their cache.
#[derive(Debug)]
pub(crate) struct Previews {
    renderer: Renderer,
    cache: Cache,
    room: FairSemaphore,
    /// A lock per content, so that no content is converted twice concurrently.
    turns: Mutex<HashMap<BlobHash, Arc<tokio::sync::Mutex<()>>>>,
    failed: Mutex<HashMap<BlobHash, (Instant, String)>>,
    conversions: AtomicU64,
}

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Converted {
    /// The path of a PDF file.
    Pdf(PathBuf),
    /// No PDF, for this reason.
    Not(String),
}

impl Previews {
    /// Caches previews in this folder.
    pub(crate) fn new(renderer: Renderer, folder: PathBuf, temporary: TemporaryFolder) -> Self {
        Self {
            renderer,
            cache: Cache::new(folder, temporary),
            room: FairSemaphore::new(AT_ONCE),
            turns: Mutex::default(),
            failed: Mutex::default(),
            conversions: AtomicU64::new(0),
        }
    }

    /// How many conversions this process has started.
    pub(crate) fn conversions(&self) -> u64 {
        self.conversions.load(Ordering::Relaxed)
    }

    /// Converts a file to PDF. `ending` tells LibreOffice the format; `copy` creates the sanitised copy for
    /// LibreOffice, or returns why that is impossible.
    pub(crate) async fn pdf<F>(
        &self,
        file: FileNode,
        ending: &str,
        copy: impl FnOnce() -> F,
        cancel: &CancellationToken,
    ) -> Result<Converted, OpError>
    where
        F: Future<Output = Result<Result<Bytes, String>, OpError>>,
    {
        let Some(program) = &self.renderer.program else {
            return Ok(Converted::Not(self.renderer.why_not.clone()));
        };
        let turn = self.turn(file.hash);
        let _turn = until(cancel, turn.lock()).await?;
        if let Some(path) = self.cache.find(&file.hash) {
            return Ok(Converted::Pdf(path));
        }
        if let Some(reason) = self.rests(&file.hash) {
            return Ok(Converted::Not(reason));
        }
        let workbench = current_workbench();
        let _permit = until(cancel, self.room.acquire(workbench.as_deref())).await?;
        let copy = match copy().await? {
            Ok(copy) => copy,
            Err(reason) => return Ok(Converted::Not(self.remember(file.hash, &reason))),
        };
        let work = self.cache.work_folder(self.conversions.fetch_add(1, Ordering::Relaxed))?;
        let bounds = Bounds { seconds: self.renderer.seconds, memory_bytes: self.renderer.memory_bytes };
        let conversion = Conversion { program, bounds, work: work.path() };
        let input = conversion.input(ending)?;
        tokio::fs::write(&input, &copy).await.map_err(|error| cache::unwritable(&error))?;
        match conversion.run(&input, cancel).await? {
            Ok(pdf) => Ok(Converted::Pdf(self.cache.keep(&file.hash, &pdf)?)),
            Err(reason) => Ok(Converted::Not(self.remember(file.hash, &reason))),
        }
    }

    fn turn(&self, hash: BlobHash) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        turns.entry(hash).or_default().clone()
    }

    /// The reason of a recent failure, during which the file is not retried.
    fn rests(&self, hash: &BlobHash) -> Option<String> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|_, (when, _)| when.elapsed() < REST);
        failed.get(hash).map(|(_, reason)| reason.clone())
    }

    fn remember(&self, hash: BlobHash, reason: &str) -> String {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = format!("{reason}; it is tried again in {} minutes", REST.as_secs() / 60);
        if failed.len() < REMEMBERED {
            failed.insert(hash, (Instant::now(), reason.clone()));
        }
        reason
    }
}

/// Waits, unless cancelled.
async fn until<T>(cancel: &CancellationToken, wait: impl Future<Output = T>) -> Result<T, OpError> {
    tokio::select! {
        outcome = wait => Ok(outcome),
        () = cancel.cancelled() => Err(OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed")),
    }
}
