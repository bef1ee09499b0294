//! Synchronises writers with garbage collection.
//!
//! In a folder, a file is renamed, checked, and only then removed or renamed back, so the two cannot miss each other. A
//! bucket has no atomic rename. There, the collector first writes a note of what it is about to remove, then checks
//! each date once more, and removes the note at the end. A writer that finds an old blob writes it again, then reads
//! the note. If the blob is listed, it waits until it no longer is, and checks whether the blob still exists.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::{BlobHash, Timestamp};
use object_store::ObjectStoreExt as _;
use object_store::path::Path as Place;

use super::{AT_ONCE, BlobInfo, Blobs};
use crate::error::StoreError;

/// A note older than this was left behind by a collector that crashed.
pub(crate) const NOTE_MAX_MS: i64 = 10 * 60 * 1_000;
/// How often a writer checks whether a note was removed.
const LOOK: Duration = Duration::from_millis(25);

impl Blobs {
    /// Whether only one collector may run at a time.
    pub(crate) const fn one_collector(&self) -> bool {
        self.folder.is_none()
    }

    /// Removes blobs that are still as old as listed. Returns the removed ones.
    pub(crate) async fn remove_old(&self, blobs: Vec<BlobInfo>, old: Timestamp) -> Result<Vec<BlobInfo>, StoreError> {
        if self.one_collector() {
            let names: Vec<String> = blobs.iter().map(|blob| blob.hash.to_string()).collect();
            self.store.put(&self.note(), names.join("\n").into()).await?;
        }
        let removals = futures::stream::iter(blobs).map(|blob| self.remove_one(blob, old));
        let gone: Result<Vec<Option<BlobInfo>>, StoreError> = removals.buffered(AT_ONCE).try_collect().await;
        if self.one_collector() {
            self.store.delete(&self.note()).await?;
        }
        Ok(gone?.into_iter().flatten().collect())
    }

    async fn remove_one(&self, blob: BlobInfo, old: Timestamp) -> Result<Option<BlobInfo>, StoreError> {
        if let Some(path) = self.local_path(&blob.hash) {
            let gone = tokio::task::spawn_blocking(move || remove_file(&path, old)).await??;
            return Ok(gone.then_some(blob));
        }
        // A writer may have written it again since it was listed.
        match self.info(&blob.hash).await? {
            Some(now) if now.modified >= old => return Ok(None),
            Some(_) => self.delete(&blob.hash).await?,
            None => {}
        }
        Ok(Some(blob))
    }

    /// After rewriting an old blob: whether it survived a concurrent collection.
    pub(super) async fn stays(&self, hash: &BlobHash) -> Result<bool, StoreError> {
        while self.is_noted(hash).await? {
            tokio::time::sleep(LOOK).await;
        }
        Ok(self.info(hash).await?.is_some())
    }

    async fn is_noted(&self, hash: &BlobHash) -> Result<bool, StoreError> {
        let note = match self.store.get(&self.note()).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(false),
            found => found?,
        };
        let written = Timestamp::from_millis(note.meta.last_modified.timestamp_millis());
        if self.env.now().since(written) > NOTE_MAX_MS {
            return Ok(false);
        }
        let names = note.bytes().await?;
        let name = hash.to_string();
        Ok(names.split(|byte| *byte == b'\n').any(|line| line == name.as_bytes()))
    }

    fn note(&self) -> Place {
        self.prefix.clone().join("collecting")
    }

    /// Removes the leftovers of interrupted writes.
    pub(crate) async fn remove_remains(&self, old: Timestamp) -> Result<(), StoreError> {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.path.clone()) else { return Ok(()) };
        tokio::task::spawn_blocking(move || remove_remains(&folder, old)).await?
    }
}

/// Renames the file first: from then on, a writer that would reuse the blob does not find it and writes it again. If
/// its date was renewed just before, it is renamed back.
fn remove_file(path: &Path, old: Timestamp) -> Result<bool, StoreError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push("#0");
    let aside = PathBuf::from(aside);
    match std::fs::rename(path, &aside) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        moved => moved.map_err(|e| StoreError::io(path, e))?,
    }
    if is_old(&aside, old)? {
        std::fs::remove_file(&aside).map_err(|e| StoreError::io(&aside, e))?;
        return Ok(true);
    }
    std::fs::rename(&aside, path).map_err(|e| StoreError::io(path, e))?;
    Ok(false)
}

fn is_old(path: &Path, old: Timestamp) -> Result<bool, StoreError> {
    let modified = std::fs::metadata(path).and_then(|meta| meta.modified()).map_err(|e| StoreError::io(path, e))?;
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(i64::try_from(since.as_millis()).unwrap_or(i64::MAX) < old.as_millis())
}

/// Temporary files are named after the blob, with `#` and a number.
fn remove_remains(folder: &Path, old: Timestamp) -> Result<(), StoreError> {
    let list = |folder: &Path| std::fs::read_dir(folder).map_err(|e| StoreError::io(folder, e));
    for inner in list(folder)? {
        let inner = inner?;
        if !inner.file_type()?.is_dir() || inner.file_name().len() != 2 {
            continue;
        }
        for entry in list(&inner.path())? {
            let path = entry?.path();
            let temporary = path.file_name().is_some_and(|name| name.to_string_lossy().contains('#'));
            // If it is gone by now, the write was still active.
            if temporary && is_old(&path, old).unwrap_or(false) {
                std::fs::remove_file(&path).map_err(|e| StoreError::io(&path, e))?;
            }
        }
    }
    Ok(())
}
