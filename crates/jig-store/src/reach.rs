//! Which blobs states are made of.

use std::collections::HashSet;

use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::{BlobHash, WorkbenchId};

use crate::blob::AT_ONCE;
use crate::db::parsed;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{Node, Tree};

/// What was found below some states.
#[derive(Default)]
pub(crate) struct Reached {
    /// The states and all folders below them that could be read.
    pub(crate) trees: HashSet<BlobHash>,
    /// All files below them.
    pub(crate) files: HashSet<BlobHash>,
    /// Folders that could not be read, and why.
    pub(crate) broken: Vec<(BlobHash, StoreError)>,
}

impl Reached {
    /// Every required blob, readable or not.
    pub(crate) fn all(&self) -> impl Iterator<Item = BlobHash> {
        let broken = self.broken.iter().map(|(hash, _)| *hash);
        self.trees.iter().chain(&self.files).copied().chain(broken)
    }
}

impl Store {
    /// Every state that a row refers to: heads, journal, checkpoints; of one workbench, or of all including the
    /// versions of shared agent workspaces.
    pub(crate) async fn named_states(&self, only: Option<&WorkbenchId>) -> Result<HashSet<BlobHash>, StoreError> {
        const ALL: &str = "SELECT head AS state FROM workbenches UNION SELECT state_before FROM journal
                           UNION SELECT state_after FROM journal UNION SELECT state FROM checkpoints
                           UNION SELECT root FROM agent_versions";
        const ONE: &str = "SELECT head AS state FROM workbenches WHERE id = $1
                           UNION SELECT state_before FROM journal WHERE workbench_id = $1
                           UNION SELECT state_after FROM journal WHERE workbench_id = $1
                           UNION SELECT state FROM checkpoints WHERE workbench_id = $1";
        let query = match only {
            Some(id) => sqlx::query(ONE).bind(id.as_str()),
            None => sqlx::query(ALL),
        };
        let rows = query.fetch_all(self.db().pool()).await?;
        let mut states = HashSet::with_capacity(rows.len());
        for row in rows {
            states.insert(parsed(&row, "state")?);
        }
        Ok(states)
    }

    /// The blobs of assets that were not swept, of one workbench or of all. Expired ones count too: until they are
    /// swept, a document may refer to them and make them permanent.
    pub(crate) async fn asset_blobs(&self, only: Option<&WorkbenchId>) -> Result<HashSet<BlobHash>, StoreError> {
        let sql = "SELECT hash FROM assets WHERE removed_at IS NULL AND ($1 = '' OR workbench_id = $1)";
        let query = sqlx::query(sql).bind(only.map_or("", WorkbenchId::as_str));
        let rows = query.fetch_all(self.db().pool()).await?;
        rows.iter().map(|row| parsed(row, "hash")).collect()
    }

    /// Walks all folders below some states. Each folder is read once, however many states share it.
    pub(crate) async fn reach(&self, states: impl IntoIterator<Item = BlobHash>) -> Result<Reached, StoreError> {
        let mut reached = Reached::default();
        let mut seen: HashSet<BlobHash> = HashSet::new();
        let mut level: Vec<BlobHash> = states.into_iter().filter(|hash| seen.insert(*hash)).collect();
        while !level.is_empty() {
            let reads = futures::stream::iter(level).map(async |hash| (hash, self.read_tree(&hash).await));
            let read: Vec<_> = reads.buffer_unordered(AT_ONCE).collect().await;
            level = Vec::new();
            for (hash, tree) in read {
                match tree {
                    Ok(tree) => {
                        reached.trees.insert(hash);
                        level.extend(note(&tree, &mut reached.files).filter(|hash| seen.insert(*hash)));
                    }
                    Err(error) if is_damage(&error) => reached.broken.push((hash, error)),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(reached)
    }

    /// A folder as it is stored, bypassing the cache.
    async fn read_tree(&self, hash: &BlobHash) -> Result<Tree, StoreError> {
        let encoded = self.blobs().get(hash).await?;
        Tree::decode(&encoded).map_err(|why| StoreError::TreeInvalid { hash: *hash, why: why.to_owned() })
    }

    /// Reads many blobs to verify them. Returns the damaged ones with the error.
    pub(crate) async fn verify_all(
        &self,
        hashes: impl IntoIterator<Item = BlobHash>,
    ) -> Result<Vec<(BlobHash, StoreError)>, StoreError> {
        let reads = futures::stream::iter(hashes).map(async |hash| match self.blobs().verify(&hash).await {
            Ok(_) => Ok(None),
            Err(error) if is_damage(&error) => Ok(Some((hash, error))),
            Err(error) => Err(error),
        });
        let found: Vec<Option<_>> = reads.buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// Collects a folder's files and returns its subfolders.
fn note<'a>(tree: &'a Tree, files: &mut HashSet<BlobHash>) -> impl Iterator<Item = BlobHash> + use<'a> {
    for (_, node) in tree.iter() {
        if let Node::File { hash, .. } = node {
            files.insert(hash);
        }
    }
    tree.iter().filter_map(|(_, node)| match node {
        Node::Folder { hash, .. } => Some(hash),
        Node::File { .. } => None,
    })
}

/// Whether an error means damaged data rather than a failed access.
pub(crate) const fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::BlobMissing { .. } | StoreError::BlobCorrupt { .. } | StoreError::TreeInvalid { .. })
}
