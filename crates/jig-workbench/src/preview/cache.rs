//! The disk cache of converted files, by the hash of their source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jig_contract::{BlobHash, Code, OpError};
use jig_store::TemporaryFolder;

/// The version of the conversion. Results of other versions are not used: before version 2, documents could fetch what
/// they referred to.
const VERSION: u32 = 2;
/// The size limit of the cache; the oldest files are removed first.
const MOST_BYTES: u64 = 512 << 20;
/// A work folder older than this was left behind by a killed process.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of converted files.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    /// Used if the folder is not writable.
    temporary: TemporaryFolder,
    most_bytes: u64,
}

/// The work folder of a conversion, removed on drop.
#[derive(Debug)]
pub(super) struct WorkFolder(PathBuf);

impl WorkFolder {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Cache {
    pub(super) fn new(folder: PathBuf, temporary: TemporaryFolder) -> Self {
        Self { folder, temporary, most_bytes: MOST_BYTES }
    }

    /// A cached result.
    pub(super) fn find(&self, hash: &BlobHash) -> Option<PathBuf> {
        let folders = std::iter::once(self.folder.clone()).chain(self.writable().ok());
        folders.map(|folder| place(&folder, hash)).find(|path| path.is_file())
    }

    /// The folder for new results.
    fn writable(&self) -> Result<PathBuf, OpError> {
        self.temporary.or_fallback(&self.folder).map_err(|error| unwritable(&error))
    }

    /// Adds a converted file to the cache.
    pub(super) fn keep(&self, hash: &BlobHash, pdf: &Path) -> Result<PathBuf, OpError> {
        let folder = self.writable()?;
        let place = place(&folder, hash);
        std::fs::rename(pdf, &place).map_err(|error| unwritable(&error))?;
        self.make_room(&folder, &place);
        Ok(place)
    }

    pub(super) fn work_folder(&self, number: u64) -> Result<WorkFolder, OpError> {
        let folder = self.writable()?.join(format!("work-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&error))?;
        Ok(WorkFolder(folder))
    }

    /// Removes the oldest files while the cache is too large, and what killed processes left behind. Failures are
    /// ignored, because it is only a cache.
    fn make_room(&self, folder: &Path, newest: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        // The new file provides the current time by the file system's clock.
        let Ok(now) = newest.metadata().and_then(|meta| meta.modified()) else { return };
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let Ok(modified) = meta.modified() else { continue };
            if meta.is_dir() {
                if now.duration_since(modified).is_ok_and(|age| age > ABANDONED) {
                    let _ = std::fs::remove_dir_all(entry.path());
                }
            } else if entry.path().extension().is_some_and(|ending| ending == "pdf") {
                files.push((modified, meta.len(), entry.path()));
            }
        }
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in files {
            if bytes <= self.most_bytes {
                return;
            }
            if path != newest && std::fs::remove_file(&path).is_ok() {
                bytes -= size;
            }
        }
    }
}

fn place(folder: &Path, hash: &BlobHash) -> PathBuf {
    folder.join(format!("{hash}.{VERSION}.pdf"))
}

pub(super) fn unwritable(error: &std::io::Error) -> OpError {
    if matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) {
        return OpError::new(Code::DiskFull, "no space left on device").action("retry");
    }
    OpError::new(Code::FileWriteFailed, "the folder for previews cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> BlobHash {
        BlobHash::from_bytes([byte; 32])
    }

    fn set_age(path: &Path, age: Duration) {
        let file = std::fs::File::open(path).unwrap();
        file.set_modified(file.metadata().unwrap().modified().unwrap() - age).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let (folder, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let temporary = TemporaryFolder::below(scratch.path().join("scratch"));
        let cache = Cache { folder: folder.path().to_owned(), temporary, most_bytes: 250 };
        let new = folder.path().join("new");
        for (byte, age) in [(1, 300), (2, 100), (3, 200)] {
            std::fs::write(&new, [0; 100]).unwrap();
            let kept = cache.keep(&hash(byte), &new).unwrap();
            set_age(&kept, Duration::from_secs(age));
        }
        assert_eq!((cache.find(&hash(1)), cache.find(&hash(2)).is_some()), (None, true));
        std::fs::write(&new, [0; 100]).unwrap();
        cache.keep(&hash(4), &new).unwrap();
        assert_eq!(names(folder.path()), [format!("{}.2.pdf", hash(2)), format!("{}.2.pdf", hash(4))]);
        // The newest file stays, however large it is.
        std::fs::write(&new, [0; 900]).unwrap();
        cache.keep(&hash(5), &new).unwrap();
        assert_eq!(names(folder.path()), [format!("{}.2.pdf", hash(5))]);
    }

    #[test]
    fn what_killed_processes_left_is_removed() {
        let (folder, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let temporary = TemporaryFolder::below(scratch.path().join("scratch"));
        let cache = Cache::new(folder.path().to_owned(), temporary);
        let (old, young) = (folder.path().join("work-1-0"), folder.path().join("work-2-0"));
        for work in [&old, &young] {
            std::fs::create_dir_all(work.join("profile")).unwrap();
        }
        set_age(&old, ABANDONED * 2);
        let new = young.join("file.pdf");
        std::fs::write(&new, "pdf").unwrap();
        cache.keep(&hash(1), &new).unwrap();
        assert_eq!(names(folder.path()), [format!("{}.2.pdf", hash(1)), "work-2-0".to_owned()]);
    }
}
