//! The folder of converted tables: one file per table, named by the content it was made from. `jig-sql` converts; Jig
//! itself only hands tables to it, keeps what it converted, and removes what is no longer used.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::table_params::{ReadOptions, TableSource};

/// The format of converted tables. A table of another version is never opened: it has another name.
pub const TABLE_FORMAT: u32 = 5;

/// How the names of converted tables end.
const ENDING: &str = ".duckdb";
/// Appended to the name of a table whose file was queried in place and is not converted yet.
const QUERIED: &str = ".asked";

/// An unfinished table of this age is abandoned: no conversion takes that long.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// Names a converted table: the content it was made from, and how that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    content: String,
    reading: String,
}

impl CacheKey {
    /// The key of a content by its hash, read with these options. `part` specifies which part of it, such as a sheet
    /// and a range; empty for all.
    pub fn new(content: &str, options: &ReadOptions, part: &str) -> Self {
        let reading = serde_json::json!([TABLE_FORMAT, options, part]).to_string();
        let reading = blake3::hash(reading.as_bytes()).to_hex();
        let content: String = content.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        Self { content, reading: reading.get(..16).unwrap_or_default().to_owned() }
    }

    /// The key of a table of a call, by the hash of its file's content.
    pub fn of_source(source: &TableSource, content: &str) -> Self {
        let format = source.format().map_or("csv", |format| format.as_str());
        let part = match (&source.sheet, &source.range) {
            // The same bytes are another table under a name of another format.
            _ if !source.is_workbook() => {
                if format == "csv" {
                    String::new()
                } else {
                    format.to_owned()
                }
            }
            (sheet, range) => serde_json::json!([format, sheet, range]).to_string(),
        };
        Self::new(content, &source.options, &part)
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

/// A converted table in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedTable {
    /// What it was made from.
    pub key: CacheKey,
    /// Its size.
    pub bytes: u64,
}

/// Folders of converted tables.
#[derive(Debug, Clone)]
pub struct TableCache {
    folder: PathBuf,
    also: Vec<PathBuf>,
}

impl TableCache {
    /// A cache in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), also: Vec::new() }
    }

    /// The same, and tables are looked up in another folder too, where nothing is written.
    pub fn also(mut self, folder: impl Into<PathBuf>) -> Self {
        self.also.push(folder.into());
        self
    }

    /// Where new tables are written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a converted table, if it exists.
    pub fn find(&self, key: &CacheKey) -> Option<PathBuf> {
        let folders = std::iter::once(&self.folder).chain(&self.also);
        folders.map(|folder| folder.join(key.file_name())).find(|path| path.is_file())
    }

    /// Whether the folders contain no tables.
    pub fn is_empty(&self) -> bool {
        let has_table = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(ENDING))
        };
        !std::iter::once(&self.folder).chain(&self.also).any(has_table)
    }

    /// Whether the file behind a table, by the name of the table's own file, was queried in place.
    pub fn was_queried(&self, table: &str) -> bool {
        self.mark(table).exists()
    }

    /// Records that the file behind a table was queried in place. If that fails, the next query does it once more, which
    /// is only slower.
    pub fn note_queried(&self, table: &str) {
        drop(std::fs::File::create(self.mark(table)));
    }

    /// Removes that record once the table exists.
    pub fn settle_queried(&self, table: &str) {
        if self.folder.join(table).is_file() {
            remove(&self.mark(table));
        }
    }

    fn mark(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{table}{QUERIED}"))
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

    /// Removes the tables whose content is no longer used; returns how many there were and their total size.
    pub fn drop_unused(&self, is_used: impl Fn(&str) -> bool) -> (u64, u64) {
        let mut dropped = (0, 0);
        for table in self.list().into_iter().filter(|table| !is_used(table.key.content())) {
            if std::fs::remove_file(self.folder.join(table.key.file_name())).is_ok() {
                dropped = (dropped.0 + 1, dropped.1 + table.bytes);
            }
        }
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if is_left_behind(&entry, &name) {
                remove(&entry.path());
                continue;
            }
            let Some(key) = name.strip_suffix(QUERIED).and_then(CacheKey::of_file_name) else { continue };
            if !is_used(key.content()) || self.find(&key).is_some() {
                remove(&self.folder.join(&name));
            }
        }
        dropped
    }
}

/// Whether a file is an unfinished table of a killed process.
fn is_left_behind(entry: &std::fs::DirEntry, name: &str) -> bool {
    let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
    let is_unfinished = name.starts_with('.') && (name.ends_with(".part") || name.ends_with(".part.wal"));
    is_unfinished && age.is_some_and(|age| age > LEFT_BEHIND)
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_tables_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::new(folder.path());
        let used = CacheKey::new("aa", &ReadOptions::default(), "").file_name();
        let make = |name: &str, is_old: bool| {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if is_old {
                let now = file.metadata().unwrap().modified().unwrap();
                file.set_modified(now - 2 * LEFT_BEHIND).unwrap();
            }
        };
        make(&used, true);
        make(&format!(".{used}.17-0.part"), true);
        make(&format!(".{used}.17-0.part.wal"), true);
        make(&format!(".{used}.18-0.part"), false);
        cache.drop_unused(|content| content == "aa");
        let mut names: Vec<String> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, [format!(".{used}.18-0.part"), used]);
    }
}
