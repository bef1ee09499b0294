//! Windows, and any system with `--cfg jig_portable`: folders by their paths. Each level is checked for being a link
//! before it is used; a process that replaces it with a link right after the check is not noticed.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use jig_store::platform::{NoFollow as _, is_plain_name, open_no_follow, real_metadata};

/// The path of a folder that was no link when it was opened.
pub(super) struct OpenFolder(PathBuf);

impl OpenFolder {
    /// Opens a folder of the host. Links on the way are its owner's choice.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path)?;
        std::path::absolute(path).map(Self)
    }

    /// Opens a folder in this one.
    pub(super) fn child(&self, name: &str) -> io::Result<Self> {
        let path = self.at(name)?;
        if !real_metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(path))
    }

    /// Opens a file to read.
    pub(super) fn read(&self, name: &str) -> io::Result<File> {
        open_no_follow(&self.at(name)?)
    }

    /// Opens a file to write it from its beginning, creating it if necessary.
    pub(super) fn write(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().write(true).create(true).truncate(true).open_no_follow(&self.at(name)?)
    }

    /// Whether a name is that of a regular file; an error when nothing has it.
    pub(super) fn is_file(&self, name: &str) -> io::Result<bool> {
        Ok(std::fs::symlink_metadata(self.at(name)?)?.is_file())
    }

    /// Renames a file, over one that has the new name.
    pub(super) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        std::fs::rename(self.at(name)?, self.at(new)?)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.at(name)?)
    }

    fn at(&self, name: &str) -> io::Result<PathBuf> {
        if !is_plain_name(name.as_ref()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(self.0.join(name))
    }
}

/// Whether a link, or a file in place of a folder, was refused.
pub(super) fn is_link_error(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}
