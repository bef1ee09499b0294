//! Converts tables into the cache: one file each, written under a temporary name and renamed when it is complete.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use jig_worker::table_cache::{CacheKey, TableCache};
use jig_worker::table_params::ReadOptions;

use crate::error::TableError;
use crate::load::{Deadline, load};
use crate::source::Source;

/// A [`TableCache`] that fills itself.
#[derive(Debug, Clone)]
pub struct Cache {
    tables: TableCache,
    cancel: Option<Arc<AtomicBool>>,
    within: Option<Duration>,
}

impl Cache {
    /// A cache in this folder, which is created when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        TableCache::new(folder).into()
    }

    /// The same, and a running conversion is cancelled when this becomes true.
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// The same, and a conversion that takes longer is cancelled.
    pub fn within(mut self, limit: Duration) -> Self {
        self.within = Some(limit);
        self
    }

    /// What is in the cache.
    pub fn tables(&self) -> &TableCache {
        &self.tables
    }

    /// The table of a key, converted from its source unless it exists already.
    pub fn get(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        match self.tables.find(key) {
            Some(path) => Ok(path),
            None => self.renew(key, source, options),
        }
    }

    /// The table of a key, converted even if it exists. From then on it is found before any other of this key.
    pub fn renew(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = self.tables.folder();
        std::fs::create_dir_all(folder).map_err(TableError::io("the cache of tables cannot be written"))?;
        let path = folder.join(key.file_name());
        // Others may convert the same table at the same time: the last one stays, and all are alike.
        let own = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let fresh = Temporary(folder.join(format!(".{}.{own}.part", key.file_name())));
        load(source, options, &fresh.0, &Deadline::start(self.cancel.clone(), self.within))?;
        std::fs::rename(&fresh.0, &path).map_err(TableError::io("the cache of tables cannot be written"))?;
        Ok(path)
    }
}

impl From<TableCache> for Cache {
    fn from(tables: TableCache) -> Self {
        Self { tables, cancel: None, within: None }
    }
}

/// A file that is removed unless it was renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        for path in [&self.0, Path::new(&self.0.with_extension("part.wal"))] {
            let _ = std::fs::remove_file(path);
        }
    }
}
