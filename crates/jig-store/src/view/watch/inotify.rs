//! The watch on Linux: inotify. All of its system calls are in this file.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::super::folder::Folder;
use super::{Event, What};

/// Local file systems, where the kernel sees every change.
const LOCAL: [u64; 9] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0xF2F5_2010, // F2FS
    0x2FC1_2FC1, // ZFS
    0xCA45_1A4E, // bcachefs
    0x794C_7630, // overlayfs
];

/// The source of events.
#[derive(Debug)]
pub(super) struct Source {
    queue: OwnedFd,
    device: u64,
}

impl Source {
    /// Creates an event queue; `None` if the system has no more of them, or does not see all changes of this file
    /// system.
    pub(super) fn new(workbench: &Folder) -> Option<Self> {
        let kind = rustix::fs::fstatfs(workbench.fd()).ok()?.f_type;
        #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast, reason = "the type differs from system to system")]
        let kind = kind as u64 & 0xFFFF_FFFF;
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        LOCAL.contains(&kind).then_some(Self { queue, device: workbench.id().ok()?.0 })
    }

    /// Watches a folder and returns its watch descriptor.
    pub(super) fn add(&self, folder: &Folder) -> io::Result<i32> {
        if folder.id()?.0 != self.device {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let flags = WatchFlags::ONLYDIR
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        // By file descriptor: whatever is at its path by now, this is the folder that is scanned.
        let path = format!("/proc/self/fd/{}", folder.fd().as_raw_fd());
        Ok(inotify::add_watch(&self.queue, path, flags)?)
    }

    /// Passes on all queued events; false if the queue cannot be read.
    pub(super) fn read(&self, hand: &mut impl FnMut(Event<'_>)) -> bool {
        let mut room = [MaybeUninit::uninit(); 32 * 1024];
        let mut reader = Reader::new(&self.queue, &mut room);
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().and_then(|name| name.to_str().ok());
                    let flags = event.events();
                    let folder = flags.contains(ReadFlags::ISDIR);
                    hand(Event { place: event.wd(), what: what(flags), folder, name });
                }
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }
}

fn what(flags: ReadFlags) -> What {
    let kinds = [
        (ReadFlags::IGNORED, What::Over),
        (ReadFlags::CREATE, What::Made),
        (ReadFlags::DELETE, What::Removed),
        (ReadFlags::MOVED_FROM, What::Left),
        (ReadFlags::MOVED_TO, What::Came),
        (ReadFlags::MOVE_SELF, What::Moved),
        (ReadFlags::MODIFY | ReadFlags::ATTRIB | ReadFlags::CLOSE_WRITE, What::Changed),
    ];
    // The queue overflowed, the file system was unmounted, or the folder itself was removed.
    kinds.into_iter().find(|(flag, _)| flags.intersects(*flag)).map_or(What::Doubt, |(_, what)| what)
}
