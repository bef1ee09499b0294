//! Edits trees. Only folders on the edited paths are read and written.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use jig_contract::{BadPath, BlobHash, fold_case};

use super::encoded;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{Node, Tree, check_name};

/// A step of an edit. The blobs it refers to must already be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeEdit {
    /// Puts a file at a path, replacing an existing file.
    File {
        /// The path.
        path: String,
        /// The hash of the file.
        hash: BlobHash,
        /// Its size.
        bytes: u64,
    },
    /// Puts an existing folder at a path, replacing an existing folder. The cost does not depend on its content.
    Folder {
        /// The path.
        path: String,
        /// The folder, from another state.
        node: Node,
    },
    /// Removes a file or folder. A missing one is not an error.
    Remove {
        /// The path.
        path: String,
    },
}

impl Store {
    /// Applies the steps in order and returns the hash of the new tree. Folders that become empty disappear.
    pub async fn edit(&self, root: BlobHash, edits: &[TreeEdit]) -> Result<BlobHash, StoreError> {
        let mut top = Folder::load(self, root).await?;
        for edit in edits {
            self.apply(&mut top, edit).await?;
        }
        let mut new = Vec::new();
        let (node, tree) = top.close(&mut new);
        // The state itself is the only folder that may be empty.
        if node.hash() != root && tree.as_ref().is_some_and(|tree| tree.is_empty()) {
            return self.empty_tree().await;
        }
        let encoded: Vec<_> = new.iter().map(|(_, _, bytes)| bytes.clone()).collect();
        self.blobs().put_many(encoded).await?;
        for (hash, tree, _) in new {
            self.trees().insert(hash, tree);
        }
        Ok(node.hash())
    }

    async fn apply(&self, top: &mut Folder, edit: &TreeEdit) -> Result<(), StoreError> {
        let (path, node) = match edit {
            TreeEdit::File { path, hash, bytes } => (path, Some(Node::File { hash: *hash, bytes: *bytes })),
            TreeEdit::Folder { path, node } => (path, Some(*node).filter(|node| node.files() > 0)),
            TreeEdit::Remove { path } => (path, None),
        };
        let names = split(path)?;
        let Some((name, parents)) = names.split_last() else { return Ok(()) };
        let mut folder = top;
        for (depth, parent) in parents.iter().enumerate() {
            let at = || names[..=depth].join("/");
            folder = match (folder.enter(self, parent).await?, node) {
                (Entered::Folder(inner), _) => inner,
                (Entered::Nothing(folder), Some(_)) => folder.make(parent, at)?,
                (Entered::File, Some(_)) => return Err(StoreError::PathInUse { path: at() }),
                (Entered::Nothing(_) | Entered::File, None) => return Ok(()),
            };
        }
        match node {
            Some(node) => folder.set(name, node, path),
            None => {
                folder.remove(name);
                Ok(())
            }
        }
    }
}

fn split(path: &str) -> Result<Vec<&str>, StoreError> {
    let names: Vec<&str> = path.split('/').collect();
    for name in &names {
        check_name(name).map_err(|rule| BadPath { text: path.to_owned(), rule })?;
    }
    Ok(names)
}

/// A folder that is being edited.
struct Folder {
    children: BTreeMap<String, Child>,
    /// Case-folded name → name, computed when the first name is added.
    folded: Option<HashMap<String, String>>,
    /// Its node when it was loaded.
    origin: Option<Node>,
    changed: bool,
}

enum Child {
    Kept(Node),
    Open(Box<Folder>),
}

/// The result of entering a name as a folder.
enum Entered<'a> {
    Folder(&'a mut Folder),
    File,
    Nothing(&'a mut Folder),
}

impl Folder {
    async fn load(store: &Store, hash: BlobHash) -> Result<Self, StoreError> {
        let tree = store.tree(&hash).await?;
        let children = tree.iter().map(|(name, node)| (name.to_owned(), Child::Kept(node))).collect();
        Ok(Self { children, folded: None, origin: Some(tree.node(hash)), changed: false })
    }

    fn new() -> Self {
        Self { children: BTreeMap::new(), folded: None, origin: None, changed: true }
    }

    /// Opens the folder with this name for editing.
    async fn enter(&mut self, store: &Store, name: &str) -> Result<Entered<'_>, StoreError> {
        if let Some(Child::Kept(Node::Folder { hash, .. })) = self.children.get(name) {
            let loaded = Self::load(store, *hash).await?;
            self.children.insert(name.to_owned(), Child::Open(Box::new(loaded)));
        }
        // Looked up twice to satisfy the borrow checker.
        if !self.children.contains_key(name) {
            return Ok(Entered::Nothing(self));
        }
        // An edit below may change it; `close` determines whether one did.
        self.changed = true;
        match self.children.get_mut(name) {
            Some(Child::Open(folder)) => Ok(Entered::Folder(folder)),
            _ => Ok(Entered::File),
        }
    }

    fn make(&mut self, name: &str, path: impl FnOnce() -> String) -> Result<&mut Self, StoreError> {
        self.claim(name, path)?;
        self.changed = true;
        let child = self.children.entry(name.to_owned()).or_insert_with(|| Child::Open(Box::new(Self::new())));
        match child {
            Child::Open(folder) => Ok(folder),
            Child::Kept(_) => Err(StoreError::PathInUse { path: name.to_owned() }),
        }
    }

    fn set(&mut self, name: &str, node: Node, path: &str) -> Result<(), StoreError> {
        let is_file = match self.children.get(name) {
            Some(Child::Kept(Node::File { .. })) => Some(true),
            Some(Child::Kept(Node::Folder { .. })) => Some(false),
            Some(Child::Open(folder)) => (!folder.is_empty()).then_some(false),
            None => None,
        };
        if is_file.is_some_and(|is_file| is_file != matches!(node, Node::File { .. })) {
            return Err(StoreError::PathInUse { path: path.to_owned() });
        }
        if !self.children.contains_key(name) {
            self.claim(name, || path.to_owned())?;
        }
        self.changed = true;
        self.children.insert(name.to_owned(), Child::Kept(node));
        Ok(())
    }

    fn remove(&mut self, name: &str) {
        if self.children.remove(name).is_some() {
            self.changed = true;
            if let Some(folded) = &mut self.folded {
                folded.remove(&fold_case(name));
            }
        }
    }

    /// Claims a new name, unless it differs from an existing one only in case.
    fn claim(&mut self, name: &str, path: impl FnOnce() -> String) -> Result<(), StoreError> {
        let children = &self.children;
        let all = || children.keys().map(|name| (fold_case(name), name.clone())).collect();
        let folded = self.folded.get_or_insert_with(all);
        let key = fold_case(name);
        match folded.get(&key).filter(|existing| *existing != name).cloned() {
            // A folder that lost its last file in this edit no longer conflicts.
            Some(existing) if self.children.get(&existing).is_some_and(Child::is_empty) => {
                self.children.remove(&existing);
            }
            Some(existing) => {
                let path = path();
                let parent = path.rsplit_once('/').map_or(String::new(), |(parent, _)| format!("{parent}/"));
                return Err(StoreError::CaseCollision { existing: format!("{parent}{existing}"), path });
            }
            None => {}
        }
        folded.insert(key, name.to_owned());
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.children.values().all(Child::is_empty)
    }

    /// The folder as a value. New folders are added to the list, inner ones first.
    fn close(self, new: &mut Vec<(BlobHash, Arc<Tree>, Bytes)>) -> (Node, Option<Arc<Tree>>) {
        if let (false, Some(origin)) = (self.changed, self.origin) {
            return (origin, None);
        }
        let tree: Tree =
            self.children.into_iter().filter_map(|(name, child)| Some((name, child.close(new)?))).collect();
        let (hash, bytes) = encoded(&tree);
        let (node, tree) = (tree.node(hash), Arc::new(tree));
        // Edits may cancel each other out, and an empty folder is never referenced.
        if self.origin.is_none_or(|origin| origin.hash() != hash) && !tree.is_empty() {
            new.push((hash, Arc::clone(&tree), bytes));
        }
        (node, Some(tree))
    }
}

impl Child {
    fn is_empty(&self) -> bool {
        match self {
            Self::Kept(node) => node.files() == 0,
            Self::Open(folder) => folder.is_empty(),
        }
    }

    fn close(self, new: &mut Vec<(BlobHash, Arc<Tree>, Bytes)>) -> Option<Node> {
        match self {
            Self::Kept(node) => Some(node),
            Self::Open(folder) => Some(folder.close(new).0).filter(|node| node.files() > 0),
        }
    }
}
