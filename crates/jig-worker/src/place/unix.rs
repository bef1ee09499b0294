//! Linux and macOS: folders are held open, and the kernel refuses links.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// An open folder.
pub(super) struct OpenFolder(File);

impl OpenFolder {
    /// Opens a folder of the host. Links on the way are its owner's choice.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// Opens a folder in this one.
    pub(super) fn child(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?.into()))
    }

    /// Opens a file to read.
    pub(super) fn read(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Opens a file to write it from its beginning, creating it if necessary.
    pub(super) fn write(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    /// Whether a name is that of a regular file; an error when nothing has it.
    pub(super) fn is_file(&self, name: &str) -> io::Result<bool> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(stat.st_mode).is_file())
    }

    /// Renames a file, over one that has the new name.
    pub(super) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        Ok(renameat(&self.0, name, &self.0, new)?)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }
}

/// Whether a link, or a file in place of a folder, was refused.
pub(super) fn is_link_error(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::NOTDIR | Errno::MLINK))
}
