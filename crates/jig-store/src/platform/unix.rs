//! Linux and macOS: the kernel refuses links and identifies files by device and inode.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

/// A file as the system knows it: device, inode, size, and the times of its last changes. Every change of the file
/// changes the stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    /// The stamp of a file with this metadata.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            bytes: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Whether both stamps are of one file, possibly under two names and at two times.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Opens a file to read, unless the last part of its path is a link. A pipe does not block.
pub fn open_no_follow(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Sets the time of a file's last change. On Unix the owner may do that to a file that is open for reading.
pub fn set_modified(path: &Path, time: SystemTime) -> io::Result<()> {
    File::open(path)?.set_modified(time)
}

/// Makes a folder or file accessible to its owner alone, whatever the umask. True when others had access before.
pub fn make_private(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = std::fs::metadata(path)?;
    let mode = meta.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700))?;
    Ok(true)
}

/// Whether a folder is one that all users share, as `/tmp` is.
pub fn is_shared_folder(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.mode() & 0o1000 != 0)
}

/// Creates an empty file that only its owner can access, unless there is one.
pub fn create_private_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    make_private(path).map(drop)
}
