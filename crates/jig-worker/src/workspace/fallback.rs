//! Windows, and any system with `--cfg jig_portable`: folders by their paths. Each level is checked for being a link
//! before it is used; a process that replaces it with a link right after the check is not noticed.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use jig_store::platform::{NoFollow as _, is_plain_name, open_no_follow, real_metadata};

/// The path of a folder that was no link when it was opened.
#[derive(Debug)]
pub(crate) struct OpenFolder(PathBuf);

impl OpenFolder {
    /// Opens a folder of the host. Links on the way are its owner's choice.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path)?;
        std::path::absolute(path).map(Self)
    }

    /// Opens a folder in this one.
    pub(crate) fn child(&self, name: &str) -> io::Result<Self> {
        let path = self.at(name)?;
        if !real_metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(path))
    }

    /// Creates a folder in this one, and opens it.
    pub(crate) fn create_child(&self, name: &str) -> io::Result<Self> {
        std::fs::create_dir(self.at(name)?)?;
        self.child(name)
    }

    /// Opens a file to read.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        open_no_follow(&self.at(name)?)
    }

    /// Creates a file to write. What has its name is removed, not written to.
    pub(crate) fn write(&self, name: &str) -> io::Result<File> {
        let _ = self.remove(name);
        OpenOptions::new().write(true).create_new(true).open_no_follow(&self.at(name)?)
    }

    /// Whether a name is that of a regular file; an error when nothing has it.
    pub(crate) fn is_file(&self, name: &str) -> io::Result<bool> {
        Ok(std::fs::symlink_metadata(self.at(name)?)?.is_file())
    }

    /// Renames a file, over one that has the new name.
    pub(crate) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        std::fs::rename(self.at(name)?, self.at(new)?)
    }

    /// Moves a file of the host into this folder, over what has the new name.
    pub(crate) fn rename_in(&self, file: &Path, name: &str) -> io::Result<()> {
        std::fs::rename(file, self.at(name)?)
    }

    /// Whether a file that was opened is a plain one. Other names of it cannot be counted here.
    pub(crate) fn is_own_regular(meta: &Metadata) -> bool {
        meta.is_file()
    }

    /// The names in this folder.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(&self.0)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
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
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}
