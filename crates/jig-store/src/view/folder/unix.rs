//! Linux and macOS: folders are held open, so that a link put in place of a folder can never lead outside the
//! workbench.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;

use super::super::stat::{Mark, Thing, nanos};

const FILE_MODE: Mode = Mode::from_raw_mode(0o644);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o755);

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder of the host. Links in the path are up to the owner, but the folder itself must not be one.
    pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, as_folder(), Mode::empty())?))
    }

    /// Opens a subfolder.
    pub(in super::super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, as_folder(), Mode::empty())?))
    }

    /// Creates a subfolder unless it exists.
    pub(in super::super) fn make(&self, name: &OsStr) -> io::Result<()> {
        match rustix::fs::mkdirat(&self.0, name, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The names in this folder, in any order.
    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// The names of subfolders, in any order.
    pub(in super::super) fn folders(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let is_folder = match entry.file_type() {
                FileType::Directory => name != "." && name != "..",
                FileType::Unknown => name != "." && name != ".." && self.thing(name)? == Some(Thing::Folder),
                _ => false,
            };
            if is_folder {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// What is at a name; `None` if nothing is.
    pub(in super::super) fn thing(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Thing::from(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What is at a name, if Jig could have created it: a file without hard links, or a folder, accessible to its
    /// owner.
    pub(in super::super) fn plain(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        let stat = match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            found => found?,
        };
        let thing = Thing::from(&stat);
        let rights = Mode::from_raw_mode(stat.st_mode);
        let plain = match thing {
            Thing::File(_) => stat.st_nlink == 1 && rights.contains(Mode::RUSR | Mode::WUSR),
            Thing::Folder => rights.contains(Mode::RWXU),
            Thing::Other(_) => false,
        };
        Ok(plain.then_some(thing))
    }

    /// Opens a file for reading. Does not block on a pipe.
    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Creates a file; the name must be unused.
    pub(in super::super) fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, FILE_MODE)?.into())
    }

    /// Opens an existing internal file.
    pub(in super::super) fn edit(&self, name: &OsStr) -> io::Result<File> {
        Ok(rustix::fs::openat(&self.0, name, OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Opens an internal file; creates it if necessary.
    pub(in super::super) fn own(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, FILE_MODE)?.into())
    }

    /// Moves a file to a name in another folder, replacing an existing file; or moves a folder, replacing an empty one.
    pub(in super::super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, name, &to.0, new)?)
    }

    /// Removes a file, or a link itself.
    pub(in super::super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a folder if it is empty.
    pub(in super::super) fn remove_empty(&self, name: &OsStr) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR | Errno::BUSY) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the content of a file durable.
    pub(in super::super) fn sync_file(&self, name: &OsStr) -> io::Result<()> {
        self.read(name)?.sync_all()
    }

    /// Makes added and removed names durable.
    pub(in super::super) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Makes everything on this file system durable, with a single call for many files.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(in super::super) fn sync_all(&self) -> io::Result<bool> {
        rustix::fs::syncfs(&self.0)?;
        Ok(true)
    }

    /// No such call here.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(in super::super) fn sync_all(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// The free space of the file system, in bytes.
    pub(in super::super) fn room(&self) -> io::Result<u64> {
        let stat = rustix::fs::fstatvfs(&self.0)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    /// The device number, and the inode of the folder.
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "the fields' types differ from system to system"
    )]
    pub(in super::super) fn id(&self) -> io::Result<(u64, u64)> {
        let stat = rustix::fs::fstat(&self.0)?;
        Ok((stat.st_dev as u64, stat.st_ino as u64))
    }

    /// The file descriptor of the folder.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// The file system's time, in the resolution of its timestamps.
    pub(in super::super) fn now(&self) -> io::Result<i64> {
        let file = self.own(OsStr::new("clock"))?;
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW as _ };
        rustix::fs::futimens(&file, &Timestamps { last_access: now, last_modification: now })?;
        Ok(Mark::from(&rustix::fs::fstat(&file)?).modified)
    }
}

/// The current type and mark of an open file.
pub(in super::super) fn thing(file: &File) -> io::Result<Thing> {
    Ok(Thing::from(&rustix::fs::fstat(file)?))
}

/// Whether opening a folder failed because something else has its name.
pub(in super::super) fn is_no_folder(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::NOTDIR | Errno::MLINK))
}

fn as_folder() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

impl From<&Stat> for Thing {
    fn from(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::File(Mark::from(stat)),
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Other("a link"),
            FileType::Fifo => Self::Other("a pipe"),
            FileType::Socket => Self::Other("a socket"),
            FileType::CharacterDevice | FileType::BlockDevice => Self::Other("a device"),
            _ => Self::Other("neither a file nor a folder"),
        }
    }
}

impl From<&Stat> for Mark {
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the fields' types differ from system to system")]
    fn from(stat: &Stat) -> Self {
        Self {
            bytes: stat.st_size.max(0) as u64,
            modified: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
        }
    }
}
