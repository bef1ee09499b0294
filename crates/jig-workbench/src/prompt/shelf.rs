//! An in-memory cache of maps, texts, items and styles, by content hash.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jig_context::item::Category;
use jig_context::style::{self, Format, Styles};
use jig_contract::BlobHash;
use jig_prompt::{Cached, FileBody, O200k, Skill};

use super::{KeptMaps, LoadedItem};

/// The maximum number of values of each type, sufficient for several large workbenches.
const KEPT: usize = 10_000;

/// Content hash and file extension; the latter affects how some content is parsed.
type FileKey = (BlobHash, String);
/// The formats, and the hash of the `document-style` item merged with them.
type StyleKey = (Vec<Format>, Option<BlobHash>);

/// The style skills of a call, in prompt form.
pub(crate) struct CallStyles {
    pub(crate) skills: Vec<Skill>,
    pub(crate) notices: Vec<style::Notice>,
}

/// The cache in memory and the maps on disk. Everything in it can be computed again.
pub(crate) struct PromptShelf {
    counter: Cached<O200k>,
    bodies: Mutex<HashMap<FileKey, Arc<FileBody>>>,
    items: Mutex<HashMap<(Category, BlobHash), Arc<LoadedItem>>>,
    styles: Mutex<HashMap<StyleKey, Arc<CallStyles>>>,
    maps: KeptMaps,
    maps_made: AtomicU64,
}

impl PromptShelf {
    pub(crate) fn new(home: &Path) -> Self {
        Self {
            counter: Cached::default(),
            bodies: Mutex::default(),
            items: Mutex::default(),
            styles: Mutex::default(),
            maps: KeptMaps::new(home),
            maps_made: AtomicU64::new(0),
        }
    }

    pub(crate) fn maps(&self) -> &KeptMaps {
        &self.maps
    }

    /// A token counter with a cache.
    pub(crate) fn counter(&self) -> &Cached<O200k> {
        &self.counter
    }

    /// How many maps were computed.
    pub(crate) fn map_computations(&self) -> u64 {
        self.maps_made.load(Ordering::Relaxed)
    }

    /// Counts a computed map.
    pub(crate) fn map_is_made(&self) {
        self.maps_made.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn body(&self, hash: BlobHash, extension: &str) -> Option<Arc<FileBody>> {
        lock(&self.bodies).get(&(hash, extension.to_owned())).cloned()
    }

    pub(crate) fn keep_body(&self, hash: BlobHash, extension: &str, body: FileBody) -> Arc<FileBody> {
        keep(&self.bodies, (hash, extension.to_owned()), body)
    }

    pub(crate) fn item(&self, category: Category, folder: BlobHash) -> Option<Arc<LoadedItem>> {
        lock(&self.items).get(&(category, folder)).cloned()
    }

    pub(crate) fn keep_item(&self, category: Category, folder: BlobHash, item: LoadedItem) -> Arc<LoadedItem> {
        keep(&self.items, (category, folder), item)
    }

    /// The style skills for these formats, merged with the `document-style` item if there is one.
    pub(crate) fn styles(
        &self,
        formats: &[Format],
        document_style: Option<(BlobHash, &LoadedItem)>,
    ) -> Arc<CallStyles> {
        let key = (formats.to_vec(), document_style.map(|(hash, _)| hash));
        if let Some(styles) = lock(&self.styles).get(&key) {
            return Arc::clone(styles);
        }
        let texts = document_style.and_then(|(_, item)| item.texts());
        let Styles { skills, notices, .. } = style::for_call(formats, texts);
        let skills = skills.iter().map(|skill| super::skill(&skill.name, &skill.files)).collect();
        keep(&self.styles, key, CallStyles { skills, notices })
    }
}

/// Caches a value. A full cache is cleared entirely; the next prompt adds what it needs.
fn keep<K: Eq + Hash, V>(shelf: &Mutex<HashMap<K, Arc<V>>>, key: K, value: V) -> Arc<V> {
    let value = Arc::new(value);
    let mut shelf = lock(shelf);
    if shelf.len() >= KEPT {
        shelf.clear();
    }
    shelf.insert(key, Arc::clone(&value));
    value
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
