//! Linux and macOS: folders are held open, and the kernel refuses links.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// An open folder.
#[derive(Debug)]
pub(crate) struct OpenFolder(File);

impl OpenFolder {
    /// Opens a folder of the host. Links on the way are its owner's choice.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// Opens a folder in this one.
    pub(crate) fn child(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?.into()))
    }

    /// Creates a folder in this one, and opens it.
    pub(crate) fn create_child(&self, name: &str) -> io::Result<Self> {
        mkdirat(&self.0, name, Mode::from_raw_mode(0o700))?;
        self.child(name)
    }

    /// Opens a file to read. What is not a file is opened without waiting for it, so that it can be refused.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        if name.contains('/') {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Creates a file to write. What has its name is removed, not written to.
    pub(crate) fn write(&self, name: &str) -> io::Result<File> {
        let _ = self.remove(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    /// Whether a name is that of a regular file; an error when nothing has it.
    pub(crate) fn is_file(&self, name: &str) -> io::Result<bool> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(stat.st_mode).is_file())
    }

    /// Renames a file, over one that has the new name.
    pub(crate) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        Ok(renameat(&self.0, name, &self.0, new)?)
    }

    /// Moves a file of the host into this folder, over what has the new name.
    pub(crate) fn rename_in(&self, file: &Path, name: &str) -> io::Result<()> {
        Ok(renameat(CWD, file, &self.0, name)?)
    }

    /// Whether a file that was opened is a plain one of this user's own, under one name only.
    pub(crate) fn is_own_regular(meta: &Metadata) -> bool {
        meta.is_file() && meta.nlink() == 1 && meta.uid() == rustix::process::geteuid().as_raw()
    }

    /// The names in this folder.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let entries = rustix::fs::Dir::read_from(&self.0)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned)).collect())
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }
}

/// Whether a link, or a file in place of a folder, was refused.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::NOTDIR | Errno::MLINK))
}
