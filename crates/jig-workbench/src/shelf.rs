//! An in-memory cache of immutable values by hash, so that nothing in it can be stale.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cache with a weight limit. A full cache is cleared entirely; the next calls add what they need.
pub(crate) struct Shelf<K, V> {
    most: usize,
    kept: Mutex<Kept<K, V>>,
}

struct Kept<K, V> {
    values: HashMap<K, Arc<V>>,
    weight: usize,
}

impl<K: Eq + Hash, V> Shelf<K, V> {
    /// A cache with this weight limit.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::new(Kept { values: HashMap::new(), weight: 0 }) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.lock().values.get(key).cloned()
    }

    /// Adds a value with this weight.
    pub(crate) fn keep(&self, key: K, value: V, weight: usize) -> Arc<V> {
        let value = Arc::new(value);
        let mut kept = self.lock();
        if kept.weight.saturating_add(weight) > self.most {
            kept.values.clear();
            kept.weight = 0;
        }
        if kept.values.insert(key, Arc::clone(&value)).is_none() {
            kept.weight = kept.weight.saturating_add(weight);
        }
        value
    }

    fn lock(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_shelf_is_cleared_and_one_value_is_always_kept() {
        let shelf = Shelf::new(10);
        shelf.keep(1, "a", 6);
        shelf.keep(1, "a", 6);
        assert_eq!(shelf.get(&1).as_deref(), Some(&"a"), "the same value weighs once");
        shelf.keep(2, "b", 6);
        assert_eq!((shelf.get(&1), shelf.get(&2).as_deref()), (None, Some(&"b")));
        shelf.keep(3, "c", 100);
        assert_eq!(shelf.get(&3).as_deref(), Some(&"c"));
    }
}
