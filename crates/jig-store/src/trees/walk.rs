//! Walks complete trees to list or compare them. Only differences are read.

use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::BlobHash;

use super::TreeChange;
use crate::blob::AT_ONCE;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{FileNode, Node};

/// A path where two trees differ; at least one side exists.
type Pair = (String, Option<Node>, Option<Node>);

impl Store {
    /// All files below a folder of a state, sorted, with paths relative to the folder; `""` is the entire state. Empty
    /// if the folder does not exist.
    pub async fn files(&self, root: BlobHash, folder: &str) -> Result<Vec<(String, FileNode)>, StoreError> {
        let Some(Node::Folder { hash, .. }) = self.lookup(root, folder).await? else {
            return Ok(Vec::new());
        };
        let changes = self.diff(None, Some(hash)).await?;
        Ok(changes.into_iter().filter_map(|change| Some((change.path, change.after?))).collect())
    }

    /// The differences between two trees, sorted by path. Equal folders are not read.
    pub async fn diff(&self, before: Option<BlobHash>, after: Option<BlobHash>) -> Result<Vec<TreeChange>, StoreError> {
        let mut changes = Vec::new();
        let root = |hash: Option<BlobHash>| hash.map(|hash| Node::Folder { hash, bytes: 0, files: 0 });
        let mut level: Vec<Pair> = vec![(String::new(), root(before), root(after))];
        while !level.is_empty() {
            let pairs = futures::stream::iter(level).map(|pair| self.open_pair(pair));
            let opened: Vec<Vec<Pair>> = pairs.buffered(AT_ONCE).try_collect().await?;
            level = Vec::new();
            for (path, before, after) in opened.into_iter().flatten() {
                let is_folder = |node: &Option<Node>| matches!(node, Some(Node::Folder { .. }));
                let file = |node: Option<Node>| node.and_then(|node| node.file());
                let (file_before, file_after) = (file(before), file(after));
                if file_before.is_some() || file_after.is_some() {
                    changes.push(TreeChange { path: path.clone(), before: file_before, after: file_after });
                }
                if is_folder(&before) || is_folder(&after) {
                    level.push((path, before, after));
                }
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// The names at which two folders differ. A side that is not a folder counts as empty.
    async fn open_pair(&self, (path, before, after): Pair) -> Result<Vec<Pair>, StoreError> {
        let hash = |node: Option<Node>| match node {
            Some(Node::Folder { hash, .. }) => Some(hash),
            _ => None,
        };
        let (before, after) = (hash(before), hash(after));
        if before == after {
            return Ok(Vec::new());
        }
        let tree = async |hash: Option<BlobHash>| match hash {
            Some(hash) => self.tree(&hash).await.map(Some),
            None => Ok(None),
        };
        let (before, after) = (tree(before).await?, tree(after).await?);
        let names_before = before.iter().flat_map(|tree| tree.iter()).map(|(name, _)| name);
        let names_after = after.iter().flat_map(|tree| tree.iter()).map(|(name, _)| name);
        let new = names_after.filter(|name| before.as_ref().is_none_or(|tree| tree.get(name).is_none()));
        let pair = |name: &str| {
            let node = |tree: &Option<std::sync::Arc<crate::tree::Tree>>| tree.as_ref().and_then(|tree| tree.get(name));
            let at = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            (at, node(&before), node(&after))
        };
        Ok(names_before.chain(new).map(pair).filter(|(_, before, after)| before != after).collect())
    }
}
