//! Converted tables by the content of their files: one file each, written beside its place and renamed into it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::error::TableError;
use crate::load::{Watch, load};
use crate::meta::VERSION;
use crate::source::{ReadOptions, Source};

/// How the names of converted tables end.
const ENDING: &str = ".duckdb";
/// What stands behind the name of a table whose file was asked where it lies, and is not converted yet.
const ASKED: &str = ".asked";

/// Names a converted table: the content it is made of, and how that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    content: String,
    reading: String,
}

impl CacheKey {
    /// The key of a content by its hash, read with these options. `part` says which part of it, such as a sheet and a
    /// range; empty for all.
    pub fn new(content: &str, options: &ReadOptions, part: &str) -> Self {
        let reading = serde_json::json!([VERSION, options, part]).to_string();
        let reading = blake3::hash(reading.as_bytes()).to_hex();
        let content: String = content.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        Self { content, reading: reading.get(..16).unwrap_or_default().to_owned() }
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.{}{ENDING}", self.content, self.reading)
    }

    /// The hash of the content, as it was given.
    pub fn content(&self) -> &str {
        &self.content
    }

    fn of_file_name(name: &str) -> Option<Self> {
        let (content, reading) = name.strip_suffix(ENDING)?.split_once('.')?;
        let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
        let fits = plain(content) && plain(reading);
        fits.then(|| Self { content: content.to_owned(), reading: reading.to_owned() })
    }
}

/// A converted table that lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedTable {
    /// What it is of.
    pub key: CacheKey,
    /// Its size.
    pub bytes: u64,
}

/// Folders of converted tables.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    also: Vec<PathBuf>,
    cancel: Option<Arc<AtomicBool>>,
    within: Option<Duration>,
}

impl Cache {
    /// A cache in this folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), also: Vec::new(), cancel: None, within: None }
    }

    /// The same, and tables are looked for in another folder too, where nothing is written.
    pub fn also(mut self, folder: impl Into<PathBuf>) -> Self {
        self.also.push(folder.into());
        self
    }

    /// The same, and a conversion that is under way ends when this becomes true.
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// The same, and a conversion that takes longer is given up.
    pub fn within(mut self, limit: Duration) -> Self {
        self.within = Some(limit);
        self
    }

    /// A converted table that is there.
    pub fn find(&self, key: &CacheKey) -> Option<PathBuf> {
        let folders = std::iter::once(&self.folder).chain(&self.also);
        folders.map(|folder| folder.join(key.file_name())).find(|path| path.is_file())
    }

    /// Whether there is no table at all.
    pub fn is_empty(&self) -> bool {
        let has_table = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(ENDING))
        };
        !std::iter::once(&self.folder).chain(&self.also).any(has_table)
    }

    /// The table of a key, converted from its source unless it is there already.
    pub fn get(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        match self.find(key) {
            Some(path) => Ok(path),
            None => self.renew(key, source, options),
        }
    }

    /// The table of a key, converted whether it is there or not. From then on it is found before any other of this key.
    pub fn renew(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(&self.folder).map_err(TableError::io("the cache of tables cannot be written"))?;
        let path = self.folder.join(key.file_name());
        // Others may be at the same table: the last one's is kept, and all are alike.
        let own = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let fresh = Fresh(self.folder.join(format!(".{}.{own}.part", key.file_name())));
        load(source, options, &fresh.0, &Watch::start(self.cancel.clone(), self.within))?;
        std::fs::rename(&fresh.0, &path).map_err(TableError::io("the cache of tables cannot be written"))?;
        Ok(path)
    }

    /// Whether the file of a table, by the name of the table's own file, was asked where it lies.
    pub fn was_asked(&self, table: &str) -> bool {
        self.mark(table).exists()
    }

    /// Notes that the file of a table was asked where it lies. What cannot be noted is asked so once more, which is only
    /// slower.
    pub fn note_asked(&self, table: &str) {
        drop(std::fs::File::create(self.mark(table)));
    }

    /// Takes the note away when the table is there: it has done its work.
    pub fn settle_asked(&self, table: &str) {
        if self.folder.join(table).is_file() {
            remove(&self.mark(table));
        }
    }

    fn mark(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{table}{ASKED}"))
    }

    /// All converted tables.
    pub fn list(&self) -> Vec<CachedTable> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut tables: Vec<CachedTable> = entries
            .filter_map(|entry| {
                let key = CacheKey::of_file_name(entry.file_name().to_str()?)?;
                Some(CachedTable { key, bytes: entry.metadata().ok()?.len() })
            })
            .collect();
        tables.sort_by_key(|table| table.key.file_name());
        tables
    }

    /// Removes the tables whose content nobody needs, and says how many and how large they were.
    pub fn drop_unused(&self, is_used: impl Fn(&str) -> bool) -> (u64, u64) {
        let mut dropped = (0, 0);
        for table in self.list().into_iter().filter(|table| !is_used(table.key.content())) {
            if std::fs::remove_file(self.folder.join(table.key.file_name())).is_ok() {
                dropped = (dropped.0 + 1, dropped.1 + table.bytes);
            }
        }
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for name in entries.filter_map(|entry| entry.file_name().into_string().ok()) {
            let Some(key) = name.strip_suffix(ASKED).and_then(CacheKey::of_file_name) else { continue };
            if !is_used(key.content()) || self.find(&key).is_some() {
                remove(&self.folder.join(&name));
            }
        }
        dropped
    }
}

/// A file that goes unless it was renamed away.
struct Fresh(PathBuf);

impl Drop for Fresh {
    fn drop(&mut self) {
        remove(&self.0);
        remove(&self.0.with_extension("part.wal"));
    }
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}
