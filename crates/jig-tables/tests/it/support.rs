//! Tables from texts, for tests.

use std::io::{Seek as _, Write as _};
use std::path::PathBuf;

use jig_tables::{Cache, CacheKey, QueryLimits, ReadOptions, Reader, Source, TableError};
use tempfile::TempDir;

/// A folder with converted tables.
pub(crate) struct TestTables {
    folder: TempDir,
}

impl TestTables {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Converts a text and gives where it is.
    pub(crate) fn convert(&self, bytes: &[u8], options: &ReadOptions) -> Result<PathBuf, TableError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        let hash = format!(
            "h{:x}",
            bytes.iter().fold(7_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(*byte)))
        );
        let key = CacheKey::new(&hash, options, "");
        self.cache().get(&key, &mut Source::Delimited(file), options)
    }

    pub(crate) fn cache(&self) -> Cache {
        Cache::new(self.folder.path())
    }

    /// A table from a text, opened as `data`.
    pub(crate) fn open(&self, text: &str) -> Reader {
        self.open_bytes(text.as_bytes(), &ReadOptions::default())
    }

    pub(crate) fn open_bytes(&self, bytes: &[u8], options: &ReadOptions) -> Reader {
        let path = self.convert(bytes, options).unwrap();
        Reader::open(&[("data", &path)], QueryLimits::default()).unwrap()
    }
}
