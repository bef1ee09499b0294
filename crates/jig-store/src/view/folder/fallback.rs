//! Windows, and any system with `--cfg jig_portable`: folders by their paths, with the standard library only.
//!
//! Every folder and file is checked for being a link before it is used. Weaker than `unix`: a process that replaces a
//! checked folder with a link at the right moment is not noticed; a file's second name is not seen; a name does not
//! necessarily survive a power cut; free space is not known.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::stat::{Mark, Thing, nanos};
use crate::platform::{NoFollow as _, is_plain_name, real_metadata};

/// The path of a folder that was no link when it was opened.
#[derive(Debug)]
pub(in super::super) struct Folder(PathBuf);

impl Folder {
    /// Opens a folder of the host. Links on the way are the owner's choice; the folder itself is none.
    pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
        // By its full path, so that a later change of the current folder does not matter.
        let path = std::path::absolute(path)?;
        if !real_metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(path))
    }

    /// Opens a folder in this one.
    pub(in super::super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        let path = if name == "." { self.0.clone() } else { self.at(name)? };
        let folder = Self::open(&path)?;
        // As where folders are opened: one that may not be read is refused.
        std::fs::read_dir(&folder.0)?;
        Ok(folder)
    }

    /// Makes a folder in this one, unless it is there.
    pub(in super::super) fn make(&self, name: &OsStr) -> io::Result<()> {
        match std::fs::create_dir(self.at(name)?) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// The names in this folder, in no order.
    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// The names of the folders in this one, in no order.
    pub(in super::super) fn folders(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            // The type of a link is a link, also of one to a folder.
            if entry.file_type()?.is_dir() {
                names.push(entry.file_name());
            }
        }
        Ok(names)
    }

    /// What stands at a name; none when nothing does.
    pub(in super::super) fn thing(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        Ok(self.metadata(name)?.as_ref().map(Thing::from))
    }

    /// The same, for what Jig could have made itself: a file that may be written, or a folder.
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

    /// Opens a file to read.
    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).open_no_follow(&self.at(name)?)
    }

    /// Makes a new file; nothing may have the name.
    pub(in super::super) fn create(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.at(name)?)
    }

    /// Opens a file of Jig's own that is there already.
    pub(in super::super) fn edit(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open_no_follow(&self.at(name)?)
    }

    /// Opens a file of Jig's own, creating it if necessary.
    pub(in super::super) fn own(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open_no_follow(&self.at(name)?)
    }

    /// Moves a file to a name in another folder, over the file that has it; or a folder. Windows moves no folder over
    /// another one.
    pub(in super::super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        std::fs::rename(self.at(name)?, to.at(new)?)
    }

    /// Removes a file, or a link itself.
    pub(in super::super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let path = self.at(name)?;
        match std::fs::remove_file(&path) {
            // On Windows a link to a folder is removed as a folder is.
            Err(_) if cfg!(windows) && std::fs::symlink_metadata(&path)?.is_symlink() => std::fs::remove_dir(&path),
            removed => removed,
        }
    }

    /// Removes a folder when it is empty.
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

    /// Makes the content of a file outlast a power cut. Windows flushes only what may be written.
    pub(in super::super) fn sync_file(&self, name: &OsStr) -> io::Result<()> {
        self.edit(name)?.sync_all()
    }

    /// Folders cannot be flushed here. After a power cut a name may be missing; the next operation shows it again.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// There is no such call here.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn sync_all(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Free space is not known here: a disk that is full is found when a write fails.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature of `unix`")]
    pub(in super::super) fn room(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Folders and files have no numbers here, and Windows may give a new file the time of creation of the one that it
    /// replaces. So a process that stays keeps nothing in memory between operations: it reads the index again.
    #[expect(clippy::unused_self, reason = "the signature of `unix`")]
    pub(in super::super) fn id(&self) -> io::Result<(u64, u64)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The file system's own time, with the steps that its dates have.
    pub(in super::super) fn now(&self) -> io::Result<i64> {
        let name = OsStr::new("clock");
        let mut file = self.own(name)?;
        file.write_all(b"\n")?;
        // Windows may set the time only when the file is closed.
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

/// What an open file is now.
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
