//! Reading, comparing and editing trees in the store.

mod cache;
mod edit;
mod walk;

use std::sync::Arc;

use bytes::Bytes;
use jig_contract::BlobHash;

use crate::blob::hash_of;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{FileNode, Node, Tree};

pub(crate) use cache::TreeCache;
pub use edit::TreeEdit;

/// The change of a file between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// The path of the file, separated by `/`.
    pub path: String,
    /// The file before; `None` if it is new.
    pub before: Option<FileNode>,
    /// The file after; `None` if it was removed.
    pub after: Option<FileNode>,
}

impl Store {
    /// Reads a folder, possibly from the cache.
    pub async fn tree(&self, hash: &BlobHash) -> Result<Arc<Tree>, StoreError> {
        if let Some(tree) = self.trees().get(hash) {
            return Ok(tree);
        }
        let encoded = self.blobs().get(hash).await?;
        let tree =
            Tree::decode(&encoded).map_err(|why| StoreError::TreeInvalid { hash: *hash, why: why.to_owned() })?;
        let tree = Arc::new(tree);
        self.trees().insert(*hash, Arc::clone(&tree));
        Ok(tree)
    }

    /// The node at a path of a state; `""` is the state itself.
    pub async fn lookup(&self, root: BlobHash, path: &str) -> Result<Option<Node>, StoreError> {
        if path.is_empty() {
            return Ok(Some(self.tree(&root).await?.node(root)));
        }
        let mut folder = root;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let found = self.tree(&folder).await?.get(name);
            match found {
                Some(Node::Folder { hash, .. }) if names.peek().is_some() => folder = hash,
                Some(node) if names.peek().is_none() => return Ok(Some(node)),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Stores the empty folder and returns its hash: the state of a new workbench.
    pub async fn empty_tree(&self) -> Result<BlobHash, StoreError> {
        self.put_tree(Tree::default()).await
    }

    async fn put_tree(&self, tree: Tree) -> Result<BlobHash, StoreError> {
        let hash = self.blobs().put(tree.encode()).await?;
        self.trees().insert(hash, Arc::new(tree));
        Ok(hash)
    }
}

/// A folder's hash and encoding, not stored yet.
fn encoded(tree: &Tree) -> (BlobHash, Bytes) {
    let text = tree.encode();
    (hash_of(text.as_bytes()), Bytes::from(text))
}
