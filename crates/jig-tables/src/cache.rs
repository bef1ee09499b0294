//! What is kept of converted tables: their files, made once per content, and the last opened tables of this process.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_file_api::table::ReadOptions;
use jig_worker::table_cache::{CacheKey, TableCache};
use jig_worker::{FileStamp, QueryLimits};

use crate::convert::convert;
use crate::deadline::Deadline;
use crate::error::TableError;
use crate::query::Reader;
use crate::source::Source;

/// A [`TableCache`] that converts what it does not have. A converted table is written under a temporary name and renamed
/// when it is complete.
#[derive(Debug, Clone)]
pub struct Cache {
    tables: TableCache,
    cancel: Option<Arc<AtomicBool>>,
    limit: Option<Duration>,
}

impl Cache {
    /// A cache in this folder, which is created when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        TableCache::new(folder).into()
    }

    /// Cancels a running conversion when this becomes true.
    #[must_use]
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Cancels a conversion that takes longer.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
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

    /// The table of a key, converted even if it exists. It replaces any other table of this key.
    pub fn renew(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = self.tables.folder();
        std::fs::create_dir_all(folder).map_err(TableError::io("the cache of tables could not be written"))?;
        let path = folder.join(key.file_name());
        // Other processes may convert the same table at the same time: the last one remains, and all are equal.
        let own = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let fresh = Temporary(folder.join(format!(".{}.{own}.part", key.file_name())));
        convert(source, options, &fresh.0, &Deadline::start(self.cancel.clone(), self.limit))?;
        std::fs::rename(&fresh.0, &path).map_err(TableError::io("the cache of tables could not be written"))?;
        Ok(path)
    }
}

impl From<TableCache> for Cache {
    fn from(tables: TableCache) -> Self {
        Self { tables, cancel: None, limit: None }
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

/// How many files are remembered as queried.
const MAX_QUERIED: usize = 1_000;

/// The last opened tables, and the files that were queried without conversion. Opening a table takes longer than many a
/// query.
#[derive(Debug, Default)]
pub(crate) struct TableSessionCache {
    open: Mutex<Option<OpenTables>>,
    queried: Mutex<HashSet<FileStamp>>,
}

/// Tables with the state of their files when they were opened.
#[derive(Debug)]
struct OpenTables {
    tables: Vec<(String, PathBuf)>,
    stamps: Vec<FileStamp>,
    reader: Reader,
}

impl TableSessionCache {
    /// Takes the reader of these tables, if it is open and none of the files has changed.
    pub(crate) fn take(&self, tables: &[(String, PathBuf)], limits: QueryLimits) -> Option<Reader> {
        let opened = self.open.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let same = opened.tables == tables
            && opened.reader.limits() == limits.clamped()
            && stamps(tables).as_ref() == Some(&opened.stamps);
        same.then_some(opened.reader)
    }

    /// Keeps the reader of these tables for the next call.
    pub(crate) fn put(&self, tables: Vec<(String, PathBuf)>, reader: Reader) {
        let Some(stamps) = stamps(&tables) else { return };
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(OpenTables { tables, stamps, reader });
    }

    /// Whether a file was not queried before.
    pub(crate) fn is_first_query(&self, file: &File) -> bool {
        let Ok(meta) = file.metadata() else { return false };
        !self.queried.lock().unwrap_or_else(PoisonError::into_inner).contains(&FileStamp::of(&meta))
    }

    /// Remembers that a file was queried without conversion.
    pub(crate) fn note_queried(&self, file: Option<FileStamp>) {
        let mut queried = self.queried.lock().unwrap_or_else(PoisonError::into_inner);
        if queried.len() >= MAX_QUERIED {
            queried.clear();
        }
        queried.extend(file);
    }
}

fn stamps(tables: &[(String, PathBuf)]) -> Option<Vec<FileStamp>> {
    tables.iter().map(|(_, path)| Some(FileStamp::of(&std::fs::metadata(path).ok()?))).collect()
}
