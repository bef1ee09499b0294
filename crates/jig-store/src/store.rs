//! The store: a database and a blob store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jig_contract::{Env, Timestamp};

use crate::blob::Blobs;
use crate::db::{Database, Db};
use crate::error::StoreError;
use crate::trees::TreeCache;

/// How long a successful [`Store::ready`] is cached.
const READY_FOR: Duration = Duration::from_secs(1);

/// The configuration of a store.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The database.
    pub database: Database,
    /// The blob store.
    pub blobs: Blobs,
    /// The minimum age of an unreferenced blob before it is removed.
    pub gc_grace_ms: i64,
    /// How long an unreferenced asset is retained.
    pub asset_ttl_ms: i64,
}

/// All workbenches of a database. Cheap to clone; clones share the same state.
///
/// Nothing is kept in memory except a cache of immutable folders, so any number of stores in any number of processes
/// may use the same data.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    db: Db,
    blobs: Blobs,
    env: Env,
    trees: TreeCache,
    gc_grace_ms: i64,
    asset_ttl_ms: i64,
    /// When both last responded.
    ready_at: tokio::sync::Mutex<Option<Instant>>,
}

impl Store {
    /// Opens the store. Creates a new one, and migrates data of older versions.
    pub async fn open(config: StoreConfig, env: Env) -> Result<Self, StoreError> {
        let db = Db::open(&config.database, &config.blobs, &env).await?;
        let gc_grace_ms = config.gc_grace_ms.max(0);
        let blobs = config.blobs.dated(env.clone(), gc_grace_ms);
        let asset_ttl_ms = config.asset_ttl_ms.max(0);
        let (trees, ready_at) = (TreeCache::default(), tokio::sync::Mutex::default());
        let store = Self(Arc::new(Inner { db, blobs, env, trees, gc_grace_ms, asset_ttl_ms, ready_at }));
        store.check_identity().await?;
        Ok(store)
    }

    /// Whether the store is read-only.
    pub fn is_read_only(&self) -> bool {
        self.db().is_read_only()
    }

    /// The blob store: a folder or a bucket.
    pub fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    /// The clock and id generator.
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    /// Checks that the database and the blob store respond. A success is cached for a second.
    pub async fn ready(&self) -> Result<(), StoreError> {
        let mut ready_at = self.0.ready_at.lock().await;
        if ready_at.is_none_or(|at| at.elapsed() > READY_FOR) {
            *ready_at = None;
            self.db().ready().await?;
            self.blobs().ready().await?;
            *ready_at = Some(Instant::now());
        }
        Ok(())
    }

    /// Waits for active operations and closes the database. Only needed before moving or copying the files.
    pub async fn close(&self) {
        self.db().pool().close().await;
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn trees(&self) -> &TreeCache {
        &self.0.trees
    }

    pub(crate) fn gc_grace_ms(&self) -> i64 {
        self.0.gc_grace_ms
    }

    pub(crate) fn asset_ttl_ms(&self) -> i64 {
        self.0.asset_ttl_ms
    }

    /// The expiry of an asset that loses its last reference now.
    pub(crate) fn asset_end(&self) -> Timestamp {
        Timestamp::from_millis(self.env().now().as_millis().saturating_add(self.asset_ttl_ms()))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("blobs", self.blobs()).field("dialect", &self.db().dialect()).finish()
    }
}

#[cfg(test)]
mod tests {
    use jig_contract::{Actor, WorkbenchId};

    use super::*;

    /// A compile-time check that the futures of the store are `Send`, because operations run on any thread.
    #[expect(dead_code, reason = "it only has to compile")]
    fn futures_with_more_to_say_move_too(
        store: &Store,
        id: &WorkbenchId,
        (new, documents, assets): (crate::NewAsset, &crate::DocumentQuery, &crate::AssetQuery),
        (job, jobs, claims, claim): (&crate::NewJob, &crate::JobQuery, &crate::ClaimQuery, &crate::Claim),
        (schedule, token, new_token): (&crate::Schedule, &crate::Token, &crate::NewToken),
        (message, messages): (&crate::NewMessage, &crate::MessageQuery),
    ) {
        fn moves<T: Send>(_: T) {}
        let at = Timestamp::from_millis(0);
        moves(store.documents(id, documents));
        moves(store.put_asset(id, new.clone(), ""));
        moves(store.add_asset(id, new, crate::hash_of(b""), 0));
        moves(store.assets(id, assets));
        moves(store.enqueue_job(job));
        moves(store.jobs(jobs));
        moves(store.claim_job(claims));
        moves(store.heartbeat_job(claim, 0));
        moves(store.end_job(claim, crate::JobEnd::Cancelled));
        moves(store.put_schedule(id, "", "", at));
        moves(store.advance_schedule(id, "", at, at));
        moves(store.fire_schedule(schedule, at, job));
        moves(store.create_token(new_token));
        moves(store.touch_token(token));
        moves(store.add_message(id, message));
        moves(store.messages(id, messages));
    }

    /// The same check for the remaining futures.
    #[expect(dead_code, reason = "it only has to compile")]
    fn futures_move_between_threads(store: &Store, id: &WorkbenchId, path: &std::path::Path) {
        fn moves<T: Send>(_: T) {}
        let state = crate::hash_of(b"");
        moves(store.edit(state, &[]));
        moves(store.diff(None, None));
        moves(store.files(state, ""));
        moves(store.heads());
        moves(store.undo(id, Actor::System));
        moves(store.redo(id, Actor::System));
        moves(store.clone_workbench(id, id.clone(), String::new(), Actor::System));
        moves(store.delete_workbench(id));
        moves(store.rename_workbench(id, String::new(), Actor::System));
        moves(store.checkpoint(id, ""));
        moves(store.export(id, path));
        moves(store.import(path, None, None, Actor::System));
        moves(store.collect(crate::Collect::Remove));
        moves(store.check(None, crate::Repair::Yes));
        moves(store.blob_kinds(&[]));
        moves(store.remember_kinds(&[]));
        moves(store.entries_projected(id, &[], crate::States::Any));
        moves(store.document(id, "", ""));
        moves(store.document_by_id(id, ""));
        moves(store.document_counts(id, ""));
        moves(store.kind_files(id));
        moves(store.recipe_files(id));
        moves(store.asset(id, ""));
        moves(store.assets_named(id, &[]));
        moves(store.asset_uses(id, ""));
        moves(store.set_asset(id, "", &crate::AssetPatch::default()));
        moves(store.sweep_assets(Some(id)));
        moves(store.job(""));
        moves(store.cancel_job(""));
        moves(store.reclaim_jobs());
        moves(store.forget_jobs(Timestamp::from_millis(0)));
        moves(store.schedules(id));
        moves(store.due_schedules(1));
        moves(store.drop_schedule(id, ""));
        moves(store.find_token(""));
        moves(store.tokens(None));
        moves(store.revoke_token(""));
        moves(store.blobs().put(""));
        moves(store.blobs().put_many(Vec::new()));
        moves(store.blobs().put_file(path));
        moves(store.blobs().write_to(&state, path));
    }
}
