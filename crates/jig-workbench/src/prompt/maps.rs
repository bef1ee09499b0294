//! A disk cache of file maps by content hash, so that consecutive commands do not compute them again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use jig_contract::BlobHash;
use serde_json::{Map, Value};

/// The cache. Maps that cannot be read or written are computed again.
#[derive(Debug)]
pub(crate) struct KeptMaps {
    /// The folder for all versions of Jig.
    all: PathBuf,
    /// The folder for this version; another one may compute other maps.
    folder: PathBuf,
    written: AtomicU64,
}

impl KeptMaps {
    pub(crate) fn new(home: &Path) -> Self {
        let all = home.join("cache").join("maps");
        let folder = all.join(env!("CARGO_PKG_VERSION"));
        Self { all, folder, written: AtomicU64::new(0) }
    }

    /// The cached map for content with this file extension, if it is intact.
    pub(crate) fn find(&self, hash: BlobHash, extension: &str) -> Option<Map<String, Value>> {
        let text = std::fs::read(self.place(hash, extension)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(crate) fn keep(&self, hash: BlobHash, extension: &str, map: &Map<String, Value>) {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let part = self.folder.join(format!("part-{}-{number}", std::process::id()));
        let kept = serde_json::to_vec(map).map_err(std::io::Error::from).and_then(|text| {
            std::fs::create_dir_all(&self.folder)?;
            std::fs::write(&part, text)?;
            std::fs::rename(&part, self.place(hash, extension))
        });
        if let Err(error) = kept {
            tracing::debug!("a map is not kept: {error}");
            let _ = std::fs::remove_file(&part);
        }
    }

    /// The hashes of all cached maps.
    pub(crate) fn contents(&self) -> Vec<BlobHash> {
        files(&self.folder).iter().filter_map(|path| content(path)).collect()
    }

    /// Removes maps that are no longer used, those of other versions, and partial files.
    pub(crate) fn drop_unused(&self, is_used: impl Fn(&BlobHash) -> bool) {
        for path in files(&self.all).into_iter().filter(|path| *path != self.folder) {
            let _ = std::fs::remove_dir_all(path);
        }
        for path in files(&self.folder).into_iter().filter(|path| !content(path).is_some_and(|hash| is_used(&hash))) {
            let _ = std::fs::remove_file(path);
        }
    }

    fn place(&self, hash: BlobHash, extension: &str) -> PathBuf {
        self.folder.join(format!("{hash}.{extension}"))
    }
}

fn content(path: &Path) -> Option<BlobHash> {
    path.file_name()?.to_str()?.split('.').next()?.parse().ok()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).map_or_else(|_| Vec::new(), |entries| entries.flatten().map(|e| e.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: u64) -> Map<String, Value> {
        Map::from_iter([("pages".to_owned(), value.into())])
    }

    #[test]
    fn a_map_is_found_by_content_and_ending_and_goes_with_its_file() {
        let home = tempfile::tempdir().unwrap();
        let [one, two] = [1, 2].map(|byte| BlobHash::from_bytes([byte; 32]));
        let maps = KeptMaps::new(home.path());
        maps.keep(one, "pdf", &map(1));
        maps.keep(two, "pdf", &map(2));
        let later = KeptMaps::new(home.path());
        assert_eq!((later.find(one, "pdf"), later.find(one, "docx")), (Some(map(1)), None));
        let old = home.path().join("cache/maps/0.0.1");
        std::fs::create_dir_all(&old).unwrap();
        std::fs::write(later.folder.join("part-1-0"), "{").unwrap();
        later.drop_unused(|hash| *hash == two);
        assert_eq!((later.contents(), later.find(one, "pdf")), (vec![two], None));
        assert_eq!((old.exists(), files(&later.folder).len()), (false, 1));
    }

    #[test]
    fn a_torn_map_is_none_and_a_folder_that_cannot_be_written_does_no_harm() {
        let home = tempfile::tempdir().unwrap();
        let hash = BlobHash::from_bytes([1; 32]);
        let maps = KeptMaps::new(home.path());
        maps.keep(hash, "pdf", &map(1));
        std::fs::write(maps.place(hash, "pdf"), "{\"pages\"").unwrap();
        assert_eq!(maps.find(hash, "pdf"), None);
        maps.keep(hash, "pdf", &map(3));
        assert_eq!(maps.find(hash, "pdf"), Some(map(3)));
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        let nowhere = KeptMaps::new(&file);
        nowhere.keep(hash, "pdf", &map(1));
        assert_eq!(nowhere.find(hash, "pdf"), None);
    }
}
