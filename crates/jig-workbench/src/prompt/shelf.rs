//! Maps, texts, items and styles by the hash of what they were made from.

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

/// What one kind of thing may take: enough for several large workbenches.
const KEPT: usize = 10_000;

/// A file's content with the ending of its name, which decides how some contents are read.
type FileKey = (BlobHash, String);
/// Formats, and the `document-style` item they are merged with.
type StyleKey = (Vec<Format>, Option<BlobHash>);

/// The style skills of one call, ready for a prompt.
pub(crate) struct CallStyles {
    pub(crate) skills: Vec<Skill>,
    pub(crate) notices: Vec<style::Notice>,
}

/// What is kept in memory, and maps on disk. Everything in it can be made again.
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

    /// The maps on disk.
    pub(crate) fn maps(&self) -> &KeptMaps {
        &self.maps
    }

    /// Counts tokens, and remembers.
    pub(crate) fn counter(&self) -> &Cached<O200k> {
        &self.counter
    }

    /// How many maps were made.
    pub(crate) fn map_computations(&self) -> u64 {
        self.maps_made.load(Ordering::Relaxed)
    }

    /// One more map is made.
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

    /// The style skills of these formats, merged with the `document-style` item where there is one.
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

/// Keeps a value, and forgets all others when there are too many: what is needed comes back with the next prompt.
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
