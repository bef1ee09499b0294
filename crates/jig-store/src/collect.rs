//! Garbage collection: removes blobs that nothing refers to.
//!
//! Safe with concurrent writers in any process. A writer first stores blobs and then refers to them in a row, so a blob
//! that is unreferenced when the rows are read may be needed a moment later, and only its date can tell: a writer that
//! stores or reuses a blob leaves it with a date no older than half the grace period. Only blobs older than the entire
//! grace period are removed, counted from before the rows were read. A change therefore has half of the grace period
//! from its first blob to its commit.

use std::collections::HashSet;

use futures::TryStreamExt as _;
use jig_contract::ops::StoreCollectOutput;
use jig_contract::{BlobHash, Timestamp};

use crate::blob::{BlobInfo, NOTE_MAX_MS};
use crate::error::StoreError;
use crate::store::Store;

/// The number of blobs removed per batch.
const AT_A_TIME: usize = 200;

/// Whether to remove what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collect {
    /// Only report what would be removed.
    Report,
    /// Remove it.
    Remove,
}

impl Store {
    /// Finds blobs that no head, journal entry, checkpoint, asset or session refers to, and removes them on request.
    /// When removing, expired assets are swept first, so that their bytes can be collected.
    pub async fn collect(&self, mode: Collect) -> Result<StoreCollectOutput, StoreError> {
        // Checked again here, the only place where blobs are removed: files may have been replaced since the start.
        self.check_identity().await?;
        let started = self.env().now();
        let old = Timestamp::from_millis(started.as_millis().saturating_sub(self.gc_grace_ms()));
        let expired_assets = match mode {
            Collect::Report => self.expired_assets().await?,
            Collect::Remove => self.sweep_assets(None).await?.len() as u64,
        };
        let needed = self.needed().await?;
        let mut output = StoreCollectOutput {
            kept: 0,
            unneeded: 0,
            bytes: 0,
            too_new: 0,
            expired_assets,
            spare_folders: 0,
            recipe_sessions: 0,
            removed: mode == Collect::Remove,
        };
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
        }
        output.unneeded = unneeded.len() as u64;
        output.bytes = unneeded.iter().map(|blob| blob.bytes).sum();
        Ok(output)
    }

    /// Every blob reachable from a row. A folder that cannot be read hides what is below it, so then this fails and
    /// nothing may be removed.
    async fn needed(&self) -> Result<HashSet<BlobHash>, StoreError> {
        let mut reached = self.reach(self.named_states(None).await?).await?;
        if !reached.broken.is_empty() {
            let (_, error) = reached.broken.swap_remove(0);
            return Err(error);
        }
        let mut needed: HashSet<BlobHash> = reached.all().collect();
        needed.extend(self.asset_blobs(None).await?);
        needed.extend(self.session_blobs(None).await?);
        Ok(needed)
    }

    /// Removes blobs that are still as old as listed. Returns the removed ones.
    async fn remove(&self, blobs: Vec<BlobInfo>, old: Timestamp) -> Result<Vec<BlobInfo>, StoreError> {
        let me = self.env().fresh_id().to_string();
        let mut gone = Vec::new();
        for some in blobs.chunks(AT_A_TIME) {
            if self.blobs().one_collector() {
                self.claim(&me).await?;
            }
            gone.extend(self.blobs().remove_old(some.to_vec(), old).await?);
        }
        sqlx::query("DELETE FROM collecting WHERE who = $1").bind(me).execute(self.db().pool()).await?;
        self.forget_kinds(gone.iter().map(|blob| blob.hash).collect()).await?;
        self.blobs().remove_remains(old).await?;
        Ok(gone)
    }

    /// Acquires or renews the collector's lock; an error if another process holds it.
    async fn claim(&self, me: &str) -> Result<(), StoreError> {
        let now = self.env().now().as_millis();
        let sql = "INSERT INTO collecting (one, who, at) VALUES (1, $1, $2) ON CONFLICT (one) DO UPDATE
                   SET who = excluded.who, at = excluded.at WHERE collecting.who = excluded.who OR collecting.at < $3";
        let query = sqlx::query(sql).bind(me).bind(now).bind(now.saturating_sub(NOTE_MAX_MS));
        let claimed = query.execute(self.db().pool()).await?.rows_affected() == 1;
        if claimed { Ok(()) } else { Err(StoreError::Collecting) }
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
}
