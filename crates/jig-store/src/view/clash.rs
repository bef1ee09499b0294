//! Checks whether a new path conflicts with the head, so that importing it cannot fail.
//!
//! `names` resolves conflicts between names on disk; this is about files of the head that are not on disk, because
//! something blocks them or their blob is lost.

use std::collections::{BTreeSet, HashMap};

use jig_contract::BlobHash;

use super::names::folded;
use super::why;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::Node;

/// The head, without manually removed files.
pub(super) struct Clashes<'a> {
    store: &'a Store,
    head: BlobHash,
    removed: &'a BTreeSet<String>,
    /// The names of each queried folder, by their case-folded form.
    folders: HashMap<BlobHash, HashMap<String, String>>,
}

impl<'a> Clashes<'a> {
    pub(super) fn new(store: &'a Store, head: BlobHash, removed: &'a BTreeSet<String>) -> Self {
        Self { store, head, removed, folders: HashMap::new() }
    }

    /// Why a path that the head does not have cannot be added to it, if so.
    pub(super) async fn of(&mut self, path: &str) -> Result<Option<&'static str>, StoreError> {
        let (mut folder, mut at) = (self.head, 0);
        for name in path.split('/') {
            let above = &path[..at];
            at += name.len() + 1;
            let last = at > path.len();
            match self.store.tree(&folder).await?.get(name) {
                Some(Node::Folder { hash, .. }) if !last => folder = hash,
                Some(Node::File { .. }) if last => return Ok(None),
                Some(node) => {
                    let stays = self.stays(&path[..at - 1], node).await?;
                    return Ok(stays.then_some(why::IN_USE));
                }
                None => return self.case(folder, above, name).await,
            }
        }
        Ok(None)
    }

    async fn case(&mut self, folder: BlobHash, above: &str, name: &str) -> Result<Option<&'static str>, StoreError> {
        let tree = self.store.tree(&folder).await?;
        let names = self
            .folders
            .entry(folder)
            .or_insert_with(|| tree.iter().map(|(name, _)| (folded(name), name.to_owned())).collect());
        let Some(other) = names.get(&folded(name)) else { return Ok(None) };
        let Some(node) = tree.get(other) else { return Ok(None) };
        let path = format!("{above}{other}");
        Ok(self.stays(&path, node).await?.then_some(why::CASE))
    }

    /// Whether anything of this node remains after removing the removed files.
    async fn stays(&self, path: &str, node: Node) -> Result<bool, StoreError> {
        if matches!(node, Node::File { .. }) {
            return Ok(!self.removed.contains(path));
        }
        let files = self.store.files(self.head, path).await?;
        Ok(files.iter().any(|(file, _)| !self.removed.contains(&format!("{path}/{file}"))))
    }
}
