//! An in-memory cache of recently used folders. They are immutable, so the cache cannot be stale.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use jig_contract::BlobHash;

use crate::tree::Tree;

/// The maximum number of names in all cached folders: some tens of megabytes.
const NAMES_MAX: usize = 200_000;

/// An LRU cache of folders, bounded by their number of names.
#[derive(Default)]
pub(crate) struct TreeCache(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    trees: HashMap<BlobHash, (u64, Arc<Tree>)>,
    /// Ordered from least to most recently used.
    uses: BTreeMap<u64, BlobHash>,
    clock: u64,
    names: usize,
}

impl TreeCache {
    pub(crate) fn get(&self, hash: &BlobHash) -> Option<Arc<Tree>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let now = inner.clock;
        let (used, tree) = inner.trees.get_mut(hash)?;
        let before = std::mem::replace(used, now);
        let tree = Arc::clone(tree);
        inner.uses.remove(&before);
        inner.uses.insert(now, *hash);
        Some(tree)
    }

    pub(crate) fn insert(&self, hash: BlobHash, tree: Arc<Tree>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if weight(&tree) > NAMES_MAX / 2 || inner.trees.contains_key(&hash) {
            return;
        }
        inner.clock += 1;
        let now = inner.clock;
        inner.names += weight(&tree);
        inner.uses.insert(now, hash);
        inner.trees.insert(hash, (now, tree));
        while inner.names > NAMES_MAX {
            let Some((_, oldest)) = inner.uses.pop_first() else { break };
            let removed = inner.trees.remove(&oldest).map_or(0, |(_, tree)| weight(&tree));
            inner.names -= removed;
        }
    }

    /// Clears the cache, so that the next read shows what is really stored.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Inner::default();
    }
}

/// An empty folder needs space too.
fn weight(tree: &Tree) -> usize {
    tree.len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

    fn tree(names: usize) -> Arc<Tree> {
        let node = Node::File { hash: BlobHash::from_bytes([0; 32]), bytes: 0 };
        Arc::new((0..names).map(|n| (n.to_string(), node)).collect())
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let cache = TreeCache::default();
        let hash = |n: u8| BlobHash::from_bytes([n; 32]);
        for n in 0..3 {
            cache.insert(hash(n), tree(NAMES_MAX / 3 - 1));
        }
        assert!(cache.get(&hash(0)).is_some());
        cache.insert(hash(3), tree(NAMES_MAX / 3 - 1));
        let kept: Vec<bool> = (0..4).map(|n| cache.get(&hash(n)).is_some()).collect();
        assert_eq!(kept, [true, false, true, true]);
        cache.insert(hash(4), tree(NAMES_MAX));
        assert!(cache.get(&hash(4)).is_none(), "one folder may not push out all others");
        cache.clear();
        assert!(cache.get(&hash(0)).is_none());
    }
}
