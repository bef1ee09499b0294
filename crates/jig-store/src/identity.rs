//! Checks that database and blob store belong together. Both contain the id of the store, and neither is used with
//! another.
//!
//! Without this check, a database that is missing, empty or from another store would pass as new: everything would seem
//! to be lost, and garbage collection would then really remove every blob.

use std::collections::HashSet;

use futures::TryStreamExt as _;
use jig_contract::BlobHash;
use object_store::ObjectStoreExt as _;
use object_store::path::Path as Place;

use crate::blob::{Blobs, hash_of};
use crate::db::Db;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::Tree;

/// The object next to the blobs that contains the id. Its name cannot be that of a blob.
const MARKER: &str = "store-id";

/// How many states are looked up in blobs without an id.
const SAMPLE: usize = 64;

/// The maximum size of the marker.
const MAX_BYTES: u64 = 100;

/// Refuses to create a database next to existing blobs: their database is missing.
pub(crate) async fn check_unused(blobs: &Blobs) -> Result<(), StoreError> {
    if blobs.store_id().await?.is_some() || blobs.any().await? {
        return Err(StoreError::DatabaseMissing);
    }
    Ok(())
}

impl Store {
    /// Refuses a database and a blob store that do not belong together.
    pub(crate) async fn check_identity(&self) -> Result<(), StoreError> {
        let id = self.db().store_id().await?;
        let matches = |found: String| if found == id { Ok(()) } else { Err(StoreError::WrongBlobs) };
        if let Some(found) = self.blobs().store_id().await? {
            return matches(found);
        }
        match self.check_unmarked().await {
            Ok(()) if self.is_read_only() => Ok(()),
            Ok(()) => self.blobs().set_store_id(&id).await,
            // Another process that opened the new store concurrently may have marked and used the blobs in the
            // meantime.
            Err(error) => self.blobs().store_id().await?.map_or(Err(error), matches),
        }
    }

    /// Blobs without an id are either new or older than the marker. The latter belong to this database only if they
    /// contain most of the sampled states; a few may be lost.
    async fn check_unmarked(&self) -> Result<(), StoreError> {
        // Every store contains the empty folder, so it proves nothing.
        let empty = hash_of(Tree::default().encode().as_bytes());
        let mut named: HashSet<BlobHash> = self.heads().await?.into_iter().map(|head| head.state).collect();
        named.remove(&empty);
        if named.is_empty() {
            named = self.named_states(None).await?;
            named.remove(&empty);
        }
        if named.is_empty() {
            return check_unused(self.blobs()).await;
        }
        let mut present = 0;
        let sample: Vec<BlobHash> = named.into_iter().take(SAMPLE).collect();
        for state in &sample {
            present += usize::from(self.blobs().info(state).await?.is_some());
        }
        if 2 * present > sample.len() {
            return Ok(());
        }
        Err(if self.blobs().any().await? { StoreError::WrongBlobs } else { StoreError::BlobsMissing })
    }
}

impl Db {
    /// The id of the store that this database belongs to.
    async fn store_id(&self) -> Result<String, StoreError> {
        Ok(sqlx::query_scalar("SELECT id FROM store_identity").fetch_one(self.pool()).await?)
    }
}

impl Blobs {
    /// Whether there are any blobs.
    async fn any(&self) -> Result<bool, StoreError> {
        Ok(self.list().try_next().await?.is_some())
    }

    /// The id of the store that these blobs belong to.
    async fn store_id(&self) -> Result<Option<String>, StoreError> {
        let found = match self.store.get(&self.marker()).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            found => found?,
        };
        if found.meta.size > MAX_BYTES {
            return Err(StoreError::WrongBlobs);
        }
        let bytes = found.bytes().await?;
        Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    async fn set_store_id(&self, id: &str) -> Result<(), StoreError> {
        self.store.put(&self.marker(), format!("{id}\n").into()).await?;
        Ok(())
    }

    fn marker(&self) -> Place {
        self.prefix.clone().join(MARKER)
    }
}
