//! File calls that differ between operating systems, with the same signatures everywhere.
//!
//! - Unix: `platform/unix.rs`;
//! - elsewhere, and with `--cfg jig_portable` on Unix: `platform/fallback.rs`, which uses the standard library only;
//! - positioned reads and writes have no portable form in the standard library: Unix and Windows each have their own.
//!
//! `docs/reference/platforms.md` lists what is weaker without Unix.

#[cfg(any(not(unix), jig_portable))]
mod fallback;
#[cfg(all(unix, not(jig_portable)))]
mod unix;

use std::ffi::OsString;
use std::fs::File;
use std::io;

#[cfg(any(not(unix), jig_portable))]
pub use fallback::{FileStamp, create_private_file, is_shared_folder, make_private, open_no_follow, set_modified};
#[cfg(any(not(unix), jig_portable))]
pub use fallback::{NoFollow, is_plain_name, real_metadata};
#[cfg(all(unix, not(jig_portable)))]
pub use unix::{FileStamp, create_private_file, is_shared_folder, make_private, open_no_follow, set_modified};

/// Reads at an offset. On Windows this also moves the file position, so a reader that relies on the position must not
/// share the file.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
}

/// Variables that child processes need in an otherwise empty environment: `SystemRoot` on Windows, where system
/// libraries look for their own files there. None elsewhere.
pub fn required_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    let names: &[&'static str] = if cfg!(windows) { &["SystemRoot"] } else { &[] };
    names.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}

/// Writes all bytes at an offset.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, offset);
    #[cfg(windows)]
    {
        let (mut rest, mut offset) = (bytes, offset);
        while !rest.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(file, rest, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    offset += written as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_changes_with_the_content_and_hard_links_are_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&path, "one").unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        let stamp = |path| FileStamp::of(&std::fs::metadata(path).unwrap());
        let before = stamp(&path);
        assert!(before.is_same_file(&stamp(&link)));
        std::fs::write(&path, "three").unwrap();
        assert_ne!(stamp(&path), before);
    }

    #[test]
    fn bytes_are_written_and_read_at_an_offset() {
        let file = tempfile::tempfile().unwrap();
        write_all_at(&file, b"hello", 3).unwrap();
        let mut buffer = [0; 8];
        assert_eq!(read_at(&file, &mut buffer, 4).unwrap(), 4);
        assert_eq!(&buffer[..4], b"ello");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::fs::write(folder.path().join("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        assert!(open_no_follow(&folder.path().join("a")).is_ok());
        assert!(open_no_follow(&link).is_err());
    }
}
