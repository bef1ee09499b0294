//! Converted files on disk, by the hash of what they were made from.

use std::path::{Path, PathBuf};

use jig_contract::{BlobHash, Code, OpError};

/// The most bytes that are kept; the oldest go first.
const MOST_BYTES: u64 = 512 << 20;

/// A folder of converted files.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// A folder for one conversion, which goes away with it.
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
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// A conversion that is there already.
    pub(super) fn find(&self, hash: &BlobHash) -> Option<PathBuf> {
        let path = self.place(hash);
        path.is_file().then_some(path)
    }

    /// Takes a converted file in.
    pub(super) fn keep(&self, hash: &BlobHash, pdf: &Path) -> Result<PathBuf, OpError> {
        let place = self.place(hash);
        std::fs::rename(pdf, &place).map_err(|error| unwritable(&error))?;
        self.make_room(&place);
        Ok(place)
    }

    pub(super) fn work_folder(&self, number: u64) -> Result<WorkFolder, OpError> {
        let folder = self.folder.join(format!("work-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&error))?;
        Ok(WorkFolder(folder))
    }

    fn place(&self, hash: &BlobHash) -> PathBuf {
        self.folder.join(format!("{hash}.pdf"))
    }

    /// Removes the oldest files while there are too many. What cannot be removed stays: it is only a cache.
    fn make_room(&self, newest: &Path) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let mut files: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "pdf"))
            .filter_map(|entry| {
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in files {
            if bytes <= MOST_BYTES {
                return;
            }
            if path != newest && std::fs::remove_file(&path).is_ok() {
                bytes -= size;
            }
        }
    }
}

pub(super) fn unwritable(error: &std::io::Error) -> OpError {
    OpError::new(Code::FileWriteFailed, format!("the folder for previews cannot be written: {error}"))
}
