//! Garbage collection: blobs that nothing needs are removed.
//!
//! Safe beside writers, in this process or another. A writer first puts blobs and then names them in a
//! row. So what is unneeded when the rows are read may be needed a moment later, and only its date
//! tells: a writer that puts a blob, or finds it there and reuses it, leaves it with a date no older
//! than half the grace. Only what is older than the whole grace is removed, counted from before the rows
//! were read. A change has half the grace, half an hour, from its first blob to its commit.

use std::collections::HashSet;
use std::path::Path;
use std::time::UNIX_EPOCH;

use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::ops::StoreCollectOutput;
use jig_contract::{BlobHash, Timestamp};

use crate::blob::{AT_ONCE, BlobInfo};
use crate::error::StoreError;
use crate::store::Store;

/// Whether to remove what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collect {
    /// Only say what would go.
    Report,
    /// Remove it.
    Remove,
}

impl Store {
    /// Finds blobs that no head, journal row, checkpoint or asset needs, and removes them when told to.
    pub async fn collect(&self, mode: Collect) -> Result<StoreCollectOutput, StoreError> {
        let started = self.env().now();
        let old = Timestamp::from_millis(started.as_millis().saturating_sub(self.gc_grace_ms()));
        let needed = self.needed(started).await?;
        let mut output = StoreCollectOutput { kept: 0, unneeded: 0, bytes: 0, too_new: 0, removed: mode == Collect::Remove };
        let mut unneeded = Vec::new();
        let mut all = self.blobs().list();
        while let Some(blob) = all.try_next().await? {
            if needed.contains(&blob.hash) {
                output.kept += 1;
            } else if blob.modified < old {
                unneeded.push(blob);
            } else {
                output.too_new += 1;
            }
        }
        if mode == Collect::Remove {
            unneeded = self.remove(unneeded, old).await?;
            self.remove_remains(old).await?;
        }
        output.unneeded = unneeded.len() as u64;
        output.bytes = unneeded.iter().map(|blob| blob.bytes).sum();
        Ok(output)
    }

    /// Every blob that some row leads to. A folder that cannot be read hides what is below it; then
    /// nothing can be said about any blob, and nothing may be removed.
    async fn needed(&self, now: Timestamp) -> Result<HashSet<BlobHash>, StoreError> {
        let mut reached = self.reach(self.named_states(None).await?).await?;
        if !reached.broken.is_empty() {
            let (_, error) = reached.broken.swap_remove(0);
            return Err(error);
        }
        let mut needed: HashSet<BlobHash> = reached.all().collect();
        let sql = "SELECT hash FROM assets WHERE expires_at IS NULL OR expires_at > $1";
        for row in sqlx::query(sql).bind(now.as_millis()).fetch_all(self.db().pool()).await? {
            needed.insert(crate::db::parsed(&row, "hash")?);
        }
        Ok(needed)
    }

    /// Removes blobs that still are as old as they were; gives those that are gone.
    async fn remove(&self, blobs: Vec<BlobInfo>, old: Timestamp) -> Result<Vec<BlobInfo>, StoreError> {
        let removals = futures::stream::iter(blobs).map(|blob: BlobInfo| async move {
            // A writer may have found and reused it since it was listed.
            let gone = match self.blobs().info(&blob.hash).await? {
                Some(now) => now.modified < old && self.blobs().remove_old(&blob.hash, old).await?,
                None => true,
            };
            Ok::<_, StoreError>(gone.then_some(blob))
        });
        let gone: Vec<Option<BlobInfo>> = removals.buffered(AT_ONCE).try_collect().await?;
        let gone: Vec<BlobInfo> = gone.into_iter().flatten().collect();
        let hashes = gone.iter().map(|blob| blob.hash).collect();
        self.forget_kinds(hashes).await?;
        Ok(gone)
    }

    async fn forget_kinds(&self, hashes: Vec<BlobHash>) -> Result<(), StoreError> {
        if hashes.is_empty() {
            return Ok(());
        }
        let mut write = self.db().write().await?;
        for hash in hashes {
            let sql = "DELETE FROM blob_kinds WHERE hash = $1";
            sqlx::query(sql).bind(hash.to_string()).execute(write.connection()).await?;
        }
        write.commit().await
    }

    /// Removes what puts left behind that were cut short.
    async fn remove_remains(&self, old: Timestamp) -> Result<(), StoreError> {
        let Some(folder) = self.blobs().folder_path() else { return Ok(()) };
        tokio::task::spawn_blocking(move || remove_remains(&folder, old)).await?
    }
}

/// Temporary files of `object_store` are named after the blob, with `#` and a number.
fn remove_remains(folder: &Path, old: Timestamp) -> Result<(), StoreError> {
    let list = |folder: &Path| std::fs::read_dir(folder).map_err(|e| StoreError::io(folder, e));
    for inner in list(folder)? {
        let inner = inner?;
        if !inner.file_type()?.is_dir() || inner.file_name().len() != 2 {
            continue;
        }
        for entry in list(&inner.path())? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().contains('#') {
                continue;
            }
            // One that is gone by now was a put at work.
            let Ok(meta) = entry.metadata() else { continue };
            let since = meta.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            if i64::try_from(since.as_millis()).unwrap_or(i64::MAX) < old.as_millis() {
                std::fs::remove_file(entry.path()).map_err(|e| StoreError::io(entry.path(), e))?;
            }
        }
    }
    Ok(())
}
