//! Temporary files of one process, in a folder that is deleted at its end, even if the process is killed.
//!
//! The folder is created on first use. If its parent is not writable, as in a home on a read-only file system, a
//! private folder below the system's temporary folder is used. The process holds a lock on a file in it, and the next
//! process that creates such a folder deletes those whose lock is free.

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::platform;

/// The age at which a folder without a lock file is deleted: it was created by an older version, or by a process that
/// was killed immediately.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);
/// The prefix of the folder names. A process id and a random number follow.
const PREFIX: &str = "jig-";
const LOCK: &str = "lock";

/// A folder for temporary files, created on first use. Clones share it; it is deleted with the last one.
#[derive(Debug, Clone)]
pub struct TemporaryFolder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parent: PathBuf,
    created: Mutex<Option<CreatedFolder>>,
}

#[derive(Debug)]
struct CreatedFolder {
    folder: PathBuf,
    /// Whether it is in the system's temporary folder, because its parent is not writable.
    is_elsewhere: bool,
    lock: Option<File>,
}

impl Drop for CreatedFolder {
    fn drop(&mut self) {
        // Closed first, because some systems do not delete open files.
        self.lock = None;
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl TemporaryFolder {
    /// A folder below `parent`.
    pub fn below(parent: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Inner { parent: parent.into(), created: Mutex::default() }))
    }

    /// The path. Creates the folder if it does not exist.
    pub fn path(&self) -> io::Result<PathBuf> {
        self.with(|created| created.folder.clone())
    }

    /// `wanted` if it is writable, else a temporary folder with the same name. Creates it if it does not exist.
    pub fn or_fallback(&self, wanted: &Path) -> io::Result<PathBuf> {
        let elsewhere = self.with(|created| created.is_elsewhere.then(|| created.folder.clone()))?;
        let folder = match elsewhere {
            Some(folder) => folder.join(wanted.file_name().unwrap_or_default()),
            None => wanted.to_owned(),
        };
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn with<T>(&self, then: impl FnOnce(&CreatedFolder) -> T) -> io::Result<T> {
        let mut created = self.0.created.lock().unwrap_or_else(PoisonError::into_inner);
        match created.take().filter(|created| created.folder.is_dir()) {
            Some(known) => Ok(then(created.insert(known))),
            None => Ok(then(created.insert(CreatedFolder::new(&self.0.parent)?))),
        }
    }
}

impl CreatedFolder {
    fn new(parent: &Path) -> io::Result<Self> {
        let here = std::fs::create_dir_all(parent).and_then(|()| Self::below(parent, false));
        match here {
            Err(error) if matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) => {
                Self::below(&std::env::temp_dir(), true)
            }
            created => created,
        }
    }

    fn below(parent: &Path, is_elsewhere: bool) -> io::Result<Self> {
        sweep(parent, is_elsewhere);
        loop {
            let random = RandomState::new().build_hasher().finish();
            let folder = parent.join(format!("{PREFIX}{}-{random:016x}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                created => created?,
            }
            // Deleted on drop if a step below fails.
            let mut created = Self { folder, is_elsewhere, lock: None };
            platform::make_private(&created.folder)?;
            let lock = File::create_new(created.folder.join(LOCK))?;
            match lock.try_lock() {
                Ok(()) => created.lock = Some(lock),
                // Another process locked it first and is deleting it.
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            }
            return Ok(created);
        }
    }
}

/// Deletes the folders of dead processes. In a shared parent, only those with the right name.
fn sweep(parent: &Path, is_shared: bool) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(meta) = path.symlink_metadata() else { continue };
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !meta.is_dir() || (is_shared && !is_ours) {
            continue;
        }
        let age = meta.modified().ok().and_then(|at| at.elapsed().ok());
        let is_old = age.is_some_and(|age| age > LEFT_BEHIND);
        let is_left = match File::options().write(true).open(path.join(LOCK)) {
            // The system releases the lock of a process however it ends.
            Ok(lock) if is_ours => lock.try_lock().is_ok(),
            _ => is_old && !is_shared,
        };
        if is_left {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_created_on_first_use_and_deleted_with_its_last_owner() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().join("scratch");
        let folder = TemporaryFolder::below(&parent);
        assert!(!parent.exists(), "nothing is created in advance");
        let path = folder.path().unwrap();
        std::fs::write(path.join("x"), "x").unwrap();
        let clone = folder.clone();
        assert_eq!(clone.path().unwrap(), path);
        let cache = home.path().join("cache");
        assert_eq!(folder.or_fallback(&cache).unwrap(), cache);
        drop(folder);
        assert!(path.join("x").exists());
        // A deleted folder is created again.
        std::fs::remove_dir_all(&path).unwrap();
        let again = clone.path().unwrap();
        assert!(again.is_dir());
        drop(clone);
        assert_eq!(names(&parent), [""; 0]);
        assert!(cache.is_dir());
    }

    #[test]
    fn folders_of_killed_processes_are_deleted_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().to_owned();
        let living = TemporaryFolder::below(&parent);
        let living = (living.path().unwrap(), living);
        // A killed process no longer holds its lock.
        let killed = parent.join("jig-1-00");
        std::fs::create_dir(&killed).unwrap();
        std::fs::write(killed.join(LOCK), "").unwrap();
        std::fs::write(killed.join("content"), "x").unwrap();
        let old = std::fs::metadata(&killed).unwrap().modified().unwrap() - 2 * LEFT_BEHIND;
        for (name, is_old) in [("17-0", true), ("18-0", false)] {
            let path = parent.join(name);
            std::fs::create_dir(&path).unwrap();
            if is_old {
                File::open(&path).unwrap().set_modified(old).unwrap();
            }
        }
        // A text that a person was editing is not deleted.
        std::fs::write(parent.join("text.md"), "x").unwrap();
        File::options().write(true).open(parent.join("text.md")).unwrap().set_modified(old).unwrap();
        let next = TemporaryFolder::below(&parent);
        let path = next.path().unwrap();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut left = vec!["18-0".to_owned(), "text.md".to_owned(), name(&living.0), name(&path)];
        left.sort();
        assert_eq!(names(&parent), left);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_has_access() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::below(home.path());
        let mode = std::fs::metadata(folder.path().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
