//! Windows, and any system with `--cfg jig_portable`: only the standard library.
//!
//! Weaker than Unix in three ways. Files and folders have the access rules of the folder that contains them. A parent
//! folder is checked and then used by path, so replacing it with a link in between goes unnoticed. Files have no inode
//! number and are identified by size and times.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Component, Path};
use std::time::SystemTime;

/// The identity of a file, as far as the standard library provides one: size, modification time and creation time. A
/// write of the same size that restores the modification time goes unnoticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    created: Option<SystemTime>,
}

impl FileStamp {
    /// The stamp of a file with this metadata.
    pub fn of(meta: &Metadata) -> Self {
        Self { bytes: meta.len(), modified: meta.modified().ok(), created: meta.created().ok() }
    }

    /// Whether both stamps probably belong to the same file: nothing known about them differs.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self == other
    }
}

/// The metadata of a path, unless it is a link: a symbolic link, or a junction on Windows.
pub fn real_metadata(path: &Path) -> io::Result<Metadata> {
    let meta = std::fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "links are not followed"));
    }
    Ok(meta)
}

/// Opens files without following links.
pub trait NoFollow {
    /// Opens a file unless the last component of its path is a link. On Windows the link itself is opened rather than
    /// its target, so that one created after the check is detected too.
    fn open_no_follow(&mut self, path: &Path) -> io::Result<File>;
}

impl NoFollow for OpenOptions {
    fn open_no_follow(&mut self, path: &Path) -> io::Result<File> {
        if let Err(error) = real_metadata(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        #[cfg(windows)]
        {
            use std::os::windows::fs::OpenOptionsExt as _;
            const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
            self.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        }
        let file = self.open(path)?;
        if file.metadata()?.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "links are not followed"));
        }
        Ok(file)
    }
}

/// Opens a file for reading, unless the last component of its path is a link.
pub fn open_no_follow(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open_no_follow(path)
}

/// Whether a name stays in its folder when joined to a path. On Windows, a name with `:` would be a drive or an
/// alternate stream.
pub fn is_plain_name(name: &OsStr) -> bool {
    let mut parts = Path::new(name).components();
    let one = matches!(parts.next(), Some(Component::Normal(part)) if part == name) && parts.next().is_none();
    one && !(cfg!(windows) && name.as_encoded_bytes().contains(&b':'))
}

/// Sets the modification time of a file. Windows requires write access for that.
pub fn set_modified(path: &Path, time: SystemTime) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_modified(time)
}

/// The standard library cannot restrict access; the access rules of the folder apply.
pub fn make_private(path: &Path) -> io::Result<bool> {
    std::fs::metadata(path).map(|_| false)
}

/// Whether all users share a folder: unknown on this system.
pub fn is_shared_folder(path: &Path) -> io::Result<bool> {
    std::fs::metadata(path).map(|_| false)
}

/// Creates an empty file unless one exists.
pub fn create_private_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_not_plain() {
        assert!(is_plain_name(OsStr::new("a.txt")) && is_plain_name(OsStr::new("..a")));
        for name in ["", ".", "..", "a/b", "/a", "a/"] {
            assert!(!is_plain_name(OsStr::new(name)), "{name}");
        }
        assert_eq!(is_plain_name(OsStr::new("a:b")), cfg!(unix));
    }
}
