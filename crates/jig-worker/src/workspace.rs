//! Where a worker's files are: `<workbenches>/<workbench_id>/<root>/<path>`, and nothing else.
//!
//! Folders are opened level by level, and no link is followed: by the kernel in `unix`, by a check before each step in
//! `fallback`.

#[cfg(any(not(unix), jig_portable))]
mod fallback;
#[cfg(all(unix, not(jig_portable)))]
mod unix;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jig_contract::WorkbenchPath;
use jig_files::engine::{FileError, Reason};
use serde_json::Value;

#[cfg(any(not(unix), jig_portable))]
pub(crate) use fallback::OpenFolder;
#[cfg(any(not(unix), jig_portable))]
use fallback::is_link_error;
#[cfg(all(unix, not(jig_portable)))]
pub(crate) use unix::OpenFolder;
#[cfg(all(unix, not(jig_portable)))]
use unix::is_link_error;

/// The folder that holds all workbenches a worker may see.
#[derive(Debug, Clone)]
pub struct WorkerRoot {
    /// The folder with one folder for each workbench.
    pub folder: PathBuf,
    /// The largest file that is read.
    pub file_bytes: u64,
    /// Whether a written file must outlast a power cut. One in a scratch folder is read back at once and thrown away.
    pub durable: bool,
}

/// One file, named by the parameters of a call and checked against the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPath {
    workbench: WorkbenchPath,
    root: WorkbenchPath,
    /// The path in its root.
    pub path: WorkbenchPath,
}

impl SandboxPath {
    /// The file that the parameters `path` and `root`, or others with these two names, refer to.
    pub fn of(params: &Value, path: &str, root: &str) -> Result<Self, FileError> {
        // Names are texts, also those that look like numbers; an empty one was not given.
        let text = |name: &str| match params.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(Value::Array(list)) if list.is_empty() => Ok(None),
            Some(_) => Err(FileError::invalid(format!("{name}: a text is needed"))),
        };
        let needed = |name: &str| text(name)?.ok_or_else(|| FileError::invalid(format!("{name}: missing")));
        let workbench = segment("workbench_id", needed("workbench_id")?.trim())?;
        let root = segment(root, text(root)?.as_deref().map_or("draft", str::trim))?;
        let given = needed(path)?;
        // No name ends in a space. One may begin with a space, so that is left for the file system to tell.
        let path = WorkbenchPath::new(given.trim_end()).map_err(|why| sandbox(path, &why.to_string()))?;
        Ok(Self { workbench, root, path })
    }

    /// The same file without spaces around its path, if it has any.
    fn trimmed(&self) -> Option<Self> {
        let path = self.path.as_str();
        if path.trim() == path { None } else { self.sibling(path.trim()) }
    }

    /// The same workbench and root, another file.
    pub fn sibling(&self, path: &str) -> Option<Self> {
        Some(Self { path: WorkbenchPath::new(path).ok()?, ..self.clone() })
    }

    /// The same file among the published ones.
    pub fn published(&self) -> Option<Self> {
        Some(Self { root: WorkbenchPath::new("published").ok()?, ..self.clone() })
    }

    /// Edits go to the Draft, or to a copy of it that is being made ready.
    pub fn check_writable(&self) -> Result<(), FileError> {
        let root = self.root.as_str();
        let staged = root.strip_prefix("draft.").and_then(|rest| rest.strip_suffix(".staging"));
        if root == "draft" || staged.is_some_and(|name| !name.is_empty()) {
            return Ok(());
        }
        Err(sandbox("root", "files are written in the Draft only"))
    }
}

/// A name that must be a single folder's.
fn segment(field: &str, text: &str) -> Result<WorkbenchPath, FileError> {
    let path = WorkbenchPath::new(text).map_err(|why| sandbox(field, &why.to_string()))?;
    if path.as_str().contains('/') {
        return Err(sandbox(field, "one name without slashes is needed"));
    }
    Ok(path)
}

fn sandbox(field: &str, why: &str) -> FileError {
    FileError::new(Reason::Sandbox, format!("{field}: {why}"))
}

impl WorkerRoot {
    /// A file's bytes. Follows no link, at no level.
    pub fn read(&self, place: &SandboxPath) -> Result<Arc<[u8]>, FileError> {
        let (mut file, size) = self.open(place, self.file_bytes)?;
        let size = usize::try_from(size).unwrap_or(0);
        // Read where it stays: a large file would be copied once more else.
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, size).collect();
        let room = Arc::get_mut(&mut bytes).unwrap_or_default();
        file.read_exact(room).map_err(|_| unreadable(place))?;
        // One that grows at the same time is not whole.
        match file.read(&mut [0]) {
            Ok(0) => Ok(bytes),
            _ => Err(unreadable(place)),
        }
    }

    /// Opens a file of at most so many bytes, and gives its size. Follows no link, at no level.
    pub fn open(&self, place: &SandboxPath, most: u64) -> Result<(File, u64), FileError> {
        match (self.open_exactly(place, most), place.trimmed()) {
            // Spaces around a path are a slip, unless a file has them in its name.
            (Err(error), Some(trimmed)) if error.reason == Reason::NotFound => self.open_exactly(&trimmed, most),
            (opened, _) => opened,
        }
    }

    fn open_exactly(&self, place: &SandboxPath, most: u64) -> Result<(File, u64), FileError> {
        let (folder, name) = self.open_folder(place)?;
        let file = folder.read(&name).map_err(|error| refused(place, &error))?;
        let meta = file.metadata().map_err(|_| unreadable(place))?;
        if !meta.is_file() {
            return Err(sandbox("path", "that is not a file"));
        }
        if meta.len() > most {
            let words = format!("{} has {} bytes; the limit is {most}", place.path, meta.len());
            return Err(FileError::new(Reason::TooLarge, words));
        }
        Ok((file, meta.len()))
    }

    /// Has a file written beside its place, and puts it there only when that went well.
    pub fn write_with<T>(
        &self,
        place: &SandboxPath,
        write: impl FnOnce(File) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let failed = |error: io::Error| unwritable(place.path.as_str(), &error);
        let (folder, name) = self.open_folder(place)?;
        if let Ok(false) = folder.is_file(&name) {
            return Err(sandbox("path", "that is not a file"));
        }
        remove_unfinished(&folder, &name);
        let fresh = format!(".{}.{}{UNFINISHED}", name, std::process::id());
        let file = folder.write(&fresh).map_err(failed)?;
        // Locked until it is renamed, so that no other process deletes it as abandoned.
        let held = file.try_clone().and_then(|held| held.lock().map(|()| held));
        let outcome = write(file).and_then(|value| folder.rename(&fresh, &name).map(|()| value).map_err(failed));
        drop(held);
        if outcome.is_err() {
            let _ = folder.remove(&fresh);
        }
        outcome
    }

    /// The folder of a workbench for what is known of its files.
    pub fn known(&self, place: &SandboxPath) -> PathBuf {
        self.folder.join(place.workbench.as_str()).join("meta").join("tabular")
    }

    /// Whether a file is there.
    pub fn exists(&self, place: &SandboxPath) -> Result<bool, FileError> {
        let (folder, name) = match self.open_folder(place) {
            Ok(found) => found,
            Err(error) if error.reason == Reason::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match folder.is_file(&name) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(refused(place, &error)),
        }
    }

    /// Puts bytes in the place of a file, whole or not at all.
    pub fn write(&self, place: &SandboxPath, bytes: &[u8]) -> Result<(), FileError> {
        let failed = |error: io::Error| unwritable(place.path.as_str(), &error);
        self.write_with(place, |mut file| {
            file.write_all(bytes).map_err(failed)?;
            if self.durable { file.sync_all().map_err(failed) } else { Ok(()) }
        })
    }

    /// Opens the folder a file is in, level by level, so that no link is followed on the way.
    fn open_folder(&self, place: &SandboxPath) -> Result<(OpenFolder, String), FileError> {
        let folder = OpenFolder::open(&self.folder)
            .map_err(|_| FileError::new(Reason::Unreadable, "the folder of the workbenches cannot be opened"))?;
        let path = Path::new(place.workbench.as_str()).join(place.root.as_str()).join(place.path.as_str());
        let mut names: Vec<String> = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let Some(last) = names.pop() else { return Err(sandbox("path", "a file name is needed")) };
        let mut here = folder;
        for name in names {
            here = here.child(&name).map_err(|error| refused(place, &error))?;
        }
        Ok((here, last))
    }
}

/// How names of files end that are not finished.
const UNFINISHED: &str = ".part";
/// An unfinished file of this age is abandoned if it is not locked.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// Deletes unfinished versions of a file that killed processes have left.
fn remove_unfinished(folder: &OpenFolder, name: &str) {
    let is_ours = |other: &&String| {
        let number = other.strip_prefix('.').and_then(|rest| rest.strip_prefix(name)?.strip_suffix(UNFINISHED));
        let number = number.and_then(|number| number.strip_prefix('.'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for left in folder.names().unwrap_or_default().iter().filter(is_ours) {
        let is_left = folder.read(left).is_ok_and(|file| {
            let age = file.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
            age.is_some_and(|age| age > LEFT_BEHIND) && file.try_lock().is_ok()
        });
        if is_left {
            let _ = folder.remove(left);
        }
    }
}

fn refused(place: &SandboxPath, error: &io::Error) -> FileError {
    if error.kind() == io::ErrorKind::NotFound {
        return FileError::new(Reason::NotFound, format!("there is no file {} in {}", place.path, place.root));
    }
    if is_link_error(error) { sandbox("path", "links are not followed") } else { unreadable(place) }
}

/// A write that failed, with the reason where it is one that the caller can do something about. The system's own words
/// may contain a path of the host, so they are not passed on.
pub fn unwritable(what: &str, error: &io::Error) -> FileError {
    if error.kind() == io::ErrorKind::StorageFull {
        return FileError::new(Reason::DiskFull, format!("{what} could not be written: no space left on device"));
    }
    let why = match error.kind() {
        io::ErrorKind::QuotaExceeded => ": the disk quota is used up",
        io::ErrorKind::FileTooLarge => ": the file is too large for this file system",
        io::ErrorKind::ReadOnlyFilesystem => ": the file system is read-only",
        io::ErrorKind::PermissionDenied => ": permission denied",
        _ => "",
    };
    FileError::new(Reason::Unwritable, format!("{what} could not be written{why}"))
}

fn unreadable(place: &SandboxPath) -> FileError {
    FileError::new(Reason::Unreadable, format!("{} could not be read", place.path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A folder with the files `one/draft/deep/a.txt` and `secret`.
    fn places() -> (tempfile::TempDir, WorkerRoot) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("one/draft/deep")).unwrap();
        std::fs::write(folder.path().join("one/draft/deep/a.txt"), "text").unwrap();
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        let places = WorkerRoot { folder: folder.path().to_owned(), file_bytes: 100, durable: true };
        (folder, places)
    }

    fn place(path: &str) -> SandboxPath {
        SandboxPath::of(&json!({ "workbench_id": "one", "path": path }), "path", "root").unwrap()
    }

    #[test]
    fn files_are_read_written_and_found() {
        let (folder, places) = places();
        assert_eq!(*places.read(&place("deep/a.txt")).unwrap(), *b"text");
        assert_eq!(places.exists(&place("deep/b.txt")), Ok(false));
        assert_eq!(places.exists(&place("none/b.txt")), Ok(false));
        for bytes in ["new", "newer"] {
            places.write(&place("deep/b.txt"), bytes.as_bytes()).unwrap();
            assert_eq!(*places.read(&place("deep/b.txt")).unwrap(), *bytes.as_bytes());
        }
        assert_eq!(places.exists(&place("deep/b.txt")), Ok(true));
        let names = std::fs::read_dir(folder.path().join("one/draft/deep")).unwrap().count();
        assert_eq!(names, 2, "nothing is left beside the file");
    }

    #[test]
    fn a_write_that_fails_leaves_the_file_as_it_was() {
        let (folder, places) = places();
        let failed = |_| Err::<(), _>(FileError::invalid("no"));
        assert!(places.write_with(&place("deep/a.txt"), failed).is_err());
        assert_eq!(*places.read(&place("deep/a.txt")).unwrap(), *b"text");
        assert_eq!(std::fs::read_dir(folder.path().join("one/draft/deep")).unwrap().count(), 1);
    }

    #[test]
    fn what_killed_processes_left_unfinished_goes_with_the_next_write() {
        let (folder, places) = places();
        let deep = folder.path().join("one/draft/deep");
        let now = deep.metadata().unwrap().modified().unwrap();
        let old = now - 2 * LEFT_BEHIND;
        let make = |name: &str, time| {
            let file = File::create(deep.join(name)).unwrap();
            file.set_modified(time).unwrap();
            file
        };
        make(".a.txt.17.part", old);
        make(".a.txt.18.part", now);
        make(".a.txt.x.part", old);
        make(".b.txt.17.part", old);
        let held = make(".a.txt.19.part", old);
        held.lock().unwrap();
        places.write(&place("deep/a.txt"), b"new").unwrap();
        let mut names: Vec<String> =
            std::fs::read_dir(&deep).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, [".a.txt.18.part", ".a.txt.19.part", ".a.txt.x.part", ".b.txt.17.part", "a.txt"]);
    }

    #[test]
    fn what_is_not_a_file_of_the_right_size_is_refused() {
        let (folder, places) = places();
        std::fs::write(folder.path().join("one/draft/large"), [b'x'; 101]).unwrap();
        let reason = |path| places.read(&place(path)).unwrap_err().reason;
        assert_eq!(reason("large"), Reason::TooLarge);
        assert_eq!(reason("none"), Reason::NotFound);
        assert_eq!(reason("deep/a.txt/b"), Reason::Sandbox);
        assert_eq!(places.write(&place("deep"), b"x").unwrap_err().reason, Reason::Sandbox);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_at_no_level() {
        use std::os::unix::fs::symlink;
        let (folder, places) = places();
        let draft = folder.path().join("one/draft");
        symlink("../../secret", draft.join("file")).unwrap();
        symlink("..", draft.join("folder")).unwrap();
        symlink("one", folder.path().join("two")).unwrap();
        let reason = |path| places.read(&place(path)).unwrap_err().reason;
        assert_eq!([reason("file"), reason("folder/draft/deep/a.txt")], [Reason::Sandbox; 2]);
        let other = SandboxPath::of(&json!({ "workbench_id": "two", "path": "deep/a.txt" }), "path", "root").unwrap();
        assert_eq!(places.read(&other).unwrap_err().reason, Reason::Sandbox);
        assert_eq!(places.write(&place("file"), b"x").unwrap_err().reason, Reason::Sandbox);
        assert_eq!(std::fs::read(folder.path().join("secret")).unwrap(), b"secret");
    }
}
