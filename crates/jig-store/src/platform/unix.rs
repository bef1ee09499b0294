//! Linux and macOS: the kernel refuses links and identifies files by device and inode.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

/// The identity of a file: device, inode, size and change times. Every change of the file changes the stamp.
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

    /// Whether both stamps belong to the same file, possibly under two names or at two times.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Opens a file for reading, unless the last component of its path is a link. Does not block on a pipe.
pub fn open_no_follow(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Sets the modification time of a file. On Unix, the owner may do that to a file opened for reading.
pub fn set_modified(path: &Path, time: SystemTime) -> io::Result<()> {
    File::open(path)?.set_modified(time)
}

/// Makes a folder or file accessible to its owner only, whatever the umask. Returns true if others had access before.
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

/// Whether all users share a folder, such as `/tmp`.
pub fn is_shared_folder(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.mode() & 0o1000 != 0)
}

/// Creates an empty file that only its owner can access, unless one exists.
pub fn create_private_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    make_private(path).map(drop)
}
