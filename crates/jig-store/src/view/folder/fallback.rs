//! Windows, and any system with `--cfg jig_portable`: folders by path, with the standard library only.
//!
//! Every folder and file is checked for being a link before it is used. Weaker than `unix`: a process that replaces a
//! checked folder with a link at the right moment goes unnoticed; hard links are not detected; a name may be lost in a
//! power failure; free space is unknown.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::stat::{Mark, Thing, nanos};
use crate::platform::{NoFollow as _, is_plain_name, real_metadata};

/// The path of a folder that was not a link when it was opened.
#[derive(Debug)]
pub(in super::super) struct Folder(PathBuf);

impl Folder {
    /// Opens a folder of the host. Links in the path are up to the owner, but the folder itself must not be one.
    pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
        // Made absolute, so that a later change of the working directory does not matter.
        let path = std::path::absolute(path)?;
        if !real_metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(path))
    }

    /// Opens a subfolder.
    pub(in super::super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        let path = if name == "." { self.0.clone() } else { self.at(name)? };
        let folder = Self::open(&path)?;
        // An unreadable folder is refused, as on systems that open folders.
        std::fs::read_dir(&folder.0)?;
        Ok(folder)
    }

    /// Creates a subfolder unless it exists.
    pub(in super::super) fn make(&self, name: &OsStr) -> io::Result<()> {
        match std::fs::create_dir(self.at(name)?) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// The names in this folder, in any order.
    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// The names of subfolders, in any order.
    pub(in super::super) fn folders(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            // The type of a link is "link", even if it points to a folder.
            if entry.file_type()?.is_dir() {
                names.push(entry.file_name());
            }
        }
        Ok(names)
    }

    /// What is at a name; `None` if nothing is.
    pub(in super::super) fn thing(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        Ok(self.metadata(name)?.as_ref().map(Thing::from))
    }

    /// What is at a name, if Jig could have created it: a writable file, or a folder.
    pub(in super::super) fn plain(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        let Some(meta) = self.metadata(name)? else { return Ok(None) };
        let thing = Thing::from(&meta);
        let plain = match thing {
            Thing::File(_) => !meta.permissions().readonly(),
            Thing::Folder => true,
            Thing::Other(_) => false,
        };
        Ok(plain.then_some(thing))
    }

    /// Opens a file for reading.
    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).open_no_follow(&self.at(name)?)
    }

    /// Creates a file; the name must be unused.
    pub(in super::super) fn create(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.at(name)?)
    }

    /// Opens an existing internal file.
    pub(in super::super) fn edit(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open_no_follow(&self.at(name)?)
    }

    /// Opens an internal file; creates it if necessary.
    pub(in super::super) fn own(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open_no_follow(&self.at(name)?)
    }

    /// Moves a file to a name in another folder, replacing an existing file; or moves a folder. Windows does not
    /// replace folders.
    pub(in super::super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        std::fs::rename(self.at(name)?, to.at(new)?)
    }

    /// Removes a file, or a link itself.
    pub(in super::super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let path = self.at(name)?;
        match std::fs::remove_file(&path) {
            // On Windows, a link to a folder is removed like a folder.
            Err(_) if cfg!(windows) && std::fs::symlink_metadata(&path)?.is_symlink() => std::fs::remove_dir(&path),
            removed => removed,
        }
    }

    /// Removes a folder if it is empty.
    pub(in super::super) fn remove_empty(&self, name: &OsStr) -> io::Result<bool> {
        use io::ErrorKind::{DirectoryNotEmpty, NotADirectory, NotFound, ResourceBusy};
        match std::fs::remove_dir(self.at(name)?) {
            Ok(()) => Ok(true),
            Err(error) if [DirectoryNotEmpty, NotADirectory, NotFound, ResourceBusy].contains(&error.kind()) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes the content of a file durable. Windows only syncs writable handles.
    pub(in super::super) fn sync_file(&self, name: &OsStr) -> io::Result<()> {
        self.edit(name)?.sync_all()
    }

    /// Folders cannot be synced here. After a power failure a name may be missing; the next operation shows it again.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// No such call here.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn sync_all(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Free space is unknown here: a full disk is detected when a write fails.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn room(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Folders and files have no inode numbers here, and Windows may give a new file the creation time of the one it
    /// replaces. Therefore a long-lived process keeps nothing in memory between operations and reads the index again.
    #[expect(clippy::unused_self, reason = "the signature of `unix`")]
    pub(in super::super) fn id(&self) -> io::Result<(u64, u64)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The file system's time, in the resolution of its timestamps.
    pub(in super::super) fn now(&self) -> io::Result<i64> {
        let name = OsStr::new("clock");
        let mut file = self.own(name)?;
        file.write_all(b"\n")?;
        // Windows may only set the time when the file is closed.
        drop(file);
        match self.thing(name)? {
            Some(Thing::File(mark)) => Ok(mark.modified),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn metadata(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match std::fs::symlink_metadata(self.at(name)?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    fn at(&self, name: &OsStr) -> io::Result<PathBuf> {
        if !is_plain_name(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the system does not allow this name"));
        }
        Ok(self.0.join(name))
    }
}

/// The current type and mark of an open file.
pub(in super::super) fn thing(file: &File) -> io::Result<Thing> {
    Ok(Thing::from(&file.metadata()?))
}

/// Whether opening a folder failed because something else has its name.
pub(in super::super) fn is_no_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}

impl From<&Metadata> for Thing {
    fn from(meta: &Metadata) -> Self {
        if meta.is_file() {
            return Self::File(Mark::from(meta));
        }
        if meta.is_dir() {
            return Self::Folder;
        }
        Self::Other(if meta.is_symlink() { "a link" } else { "neither a file nor a folder" })
    }
}

impl From<&Metadata> for Mark {
    fn from(meta: &Metadata) -> Self {
        let modified = meta.modified().map_or(0, since_1970);
        let created = meta.created().map_or(0, since_1970);
        Self { bytes: meta.len(), modified, changed: modified, inode: created.cast_unsigned() }
    }
}

fn since_1970(time: SystemTime) -> i64 {
    let signed = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(signed(after.as_secs()), after.subsec_nanos().into()),
        Err(before) => {
            let before = before.duration();
            nanos(signed(before.as_secs()).saturating_neg(), -i64::from(before.subsec_nanos()))
        }
    }
}
