//! Converted tables by the content of their files: one file each, written beside its place and renamed into it.

use std::path::{Path, PathBuf};

use crate::error::TableError;
use crate::load::load;
use crate::meta::VERSION;
use crate::source::{ReadOptions, Source};

/// How the names of converted tables end.
const ENDING: &str = ".duckdb";

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
}

impl Cache {
    /// A cache in this folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), also: Vec::new() }
    }

    /// The same, and tables are looked for in another folder too, where nothing is written.
    pub fn also(mut self, folder: impl Into<PathBuf>) -> Self {
        self.also.push(folder.into());
        self
    }

    /// A converted table that is there.
    pub fn find(&self, key: &CacheKey) -> Option<PathBuf> {
        let folders = std::iter::once(&self.folder).chain(&self.also);
        folders.map(|folder| folder.join(key.file_name())).find(|path| path.is_file())
    }

    /// The table of a key, converted from its source unless it is there already.
    pub fn get(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        match self.find(key) {
            Some(path) => Ok(path),
            None => self.convert(key, source, options),
        }
    }

    fn convert(&self, key: &CacheKey, source: &mut Source<'_>, options: &ReadOptions) -> Result<PathBuf, TableError> {
        std::fs::create_dir_all(&self.folder).map_err(TableError::io("the cache of tables cannot be written"))?;
        let path = self.folder.join(key.file_name());
        let fresh = Fresh(self.folder.join(format!(".{}.{}.part", key.file_name(), std::process::id())));
        load(source, options, &fresh.0)?;
        std::fs::rename(&fresh.0, &path).map_err(TableError::io("the cache of tables cannot be written"))?;
        Ok(path)
    }

    /// Forgets a table that turned out to be unreadable.
    pub fn forget(&self, key: &CacheKey) {
        let _ = std::fs::remove_file(self.folder.join(key.file_name()));
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
        tables.sort_by(|a, b| a.key.file_name().cmp(&b.key.file_name()));
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
