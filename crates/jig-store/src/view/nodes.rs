//! Looks up paths in a state.

use std::collections::HashMap;

use jig_contract::BlobHash;

use super::ROOTS;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{FileNode, Node};

/// Up to this many paths are looked up one by one; for more, entire roots are listed.
const FEW: usize = 32;

/// The files of a state at these paths.
pub(super) async fn nodes(
    store: &Store,
    state: BlobHash,
    paths: &[&str],
) -> Result<HashMap<String, FileNode>, StoreError> {
    if paths.len() > FEW {
        return all(store, state).await;
    }
    let mut found = HashMap::new();
    for path in paths {
        if let Some(node) = store.lookup(state, path).await?.and_then(|node| node.file()) {
            found.insert((*path).to_owned(), node);
        }
    }
    Ok(found)
}

/// All files that a state shows.
pub(super) async fn all(store: &Store, state: BlobHash) -> Result<HashMap<String, FileNode>, StoreError> {
    let mut found = HashMap::new();
    for root in ROOTS {
        let files = store.files(state, root).await?;
        found.extend(files.into_iter().map(|(path, node)| (format!("{root}/{path}"), node)));
    }
    Ok(found)
}

/// All files of states that may be incomplete because they are old: what cannot be read is left out.
pub(super) async fn known(
    store: &Store,
    states: &[BlobHash],
    paths: &[&str],
) -> Result<Vec<HashMap<String, FileNode>>, StoreError> {
    let mut known = Vec::with_capacity(states.len());
    for state in states {
        match nodes(store, *state, paths).await {
            Ok(found) => known.push(found),
            Err(error) if is_damage(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(known)
}

/// The folder of a state at a path.
pub(super) async fn folder(store: &Store, state: BlobHash, path: &str) -> Result<Option<Node>, StoreError> {
    Ok(store.lookup(state, path).await?.filter(|node| matches!(node, Node::Folder { .. })))
}

/// Whether a blob is lost or damaged, as opposed to a failed access.
pub(super) fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::BlobMissing { .. } | StoreError::BlobCorrupt { .. } | StoreError::TreeInvalid { .. })
}
