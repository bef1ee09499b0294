//! Takes files out of a folder that a worker can write, as if the worker had been taken over.
//!
//! Whoever controls a worker can put links, pipes, devices and files of any size there, at any moment. So this process
//! never opens a path below that folder: it holds folders open, follows no link, looks at what it has opened and not at
//! what had that name before, and writes only into folders that it has just created itself.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bytes::Bytes;

use crate::workspace::OpenFolder;

/// The largest file that is taken.
pub(crate) const OUTPUT_BYTES: u64 = 2 << 30;

/// A folder for the files of one call, below the one that the worker can write.
pub(crate) struct OutputFolder {
    folder: OpenFolder,
    /// Its name below the worker's own folder.
    pub(crate) name: String,
}

impl OutputFolder {
    /// Creates it. The name must be a new one: what else has it is an error.
    pub(crate) fn create(outputs: &Path, name: String) -> io::Result<Self> {
        Ok(Self { folder: OpenFolder::open(outputs)?.create_child(&name)?, name })
    }

    /// Opens a folder that the worker has created.
    pub(crate) fn of_worker(outputs: &Path, name: &str) -> io::Result<Self> {
        Ok(Self { folder: OpenFolder::open(outputs)?.child(name)?, name: name.to_owned() })
    }

    /// Moves a file of this process into it. A link that has its name is replaced, not followed.
    pub(crate) fn put(&self, file: &Path, name: &str) -> io::Result<()> {
        self.folder.rename_in(file, name)
    }

    /// The bytes of a file that the worker has written.
    pub(crate) fn take(&self, name: &str) -> io::Result<Bytes> {
        let (file, size) = self.open(name)?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // No more than it had when it was looked at: it may still grow.
        file.take(size).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }

    /// Copies a file that the worker has written to a new file of this process. A copy, because the worker may still
    /// have its own file open.
    pub(crate) fn copy_to(&self, name: &str, new: &Path) -> io::Result<u64> {
        let (file, size) = self.open(name)?;
        let mut copy = File::create_new(new)?;
        let copied = io::copy(&mut file.take(size), &mut copy);
        if copied.is_err() {
            let _ = std::fs::remove_file(new);
        }
        copied
    }

    fn open(&self, name: &str) -> io::Result<(File, u64)> {
        let file = self.folder.read(name)?;
        let meta = file.metadata()?;
        if !OpenFolder::is_own_regular(&meta) {
            return Err(io::Error::other("the worker returned something that is not a plain file"));
        }
        if meta.len() > OUTPUT_BYTES {
            return Err(io::Error::other("the worker returned a file that is too large"));
        }
        Ok((file, meta.len()))
    }
}

#[cfg(test)]
#[cfg(all(unix, not(jig_portable)))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_plain_files_are_taken_and_nothing_is_written_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        let outputs = tempfile::tempdir().unwrap();
        let folder = OutputFolder::create(outputs.path(), "1".to_owned()).unwrap();
        assert!(OutputFolder::create(outputs.path(), "1".to_owned()).is_err(), "a folder that exists is not fresh");
        let inside = outputs.path().join("1");
        symlink(&secret, inside.join("link")).unwrap();
        std::fs::hard_link(&secret, inside.join("hard")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            inside.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        std::fs::create_dir(inside.join("folder")).unwrap();
        File::create(inside.join("huge")).unwrap().set_len(OUTPUT_BYTES + 1).unwrap();
        std::fs::write(inside.join("plain"), "plain").unwrap();
        for name in ["link", "hard", "pipe", "folder", "huge", "missing", "../../secret"] {
            assert!(folder.take(name).is_err(), "{name}");
            let copy = outside.path().join("copy");
            assert!(folder.copy_to(name, &copy).is_err(), "{name}");
            assert!(!copy.exists(), "{name}");
        }
        assert_eq!(folder.take("plain").unwrap(), "plain");
        let own = outside.path().join("own");
        std::fs::write(&own, "own").unwrap();
        folder.put(&own, "link").unwrap();
        assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
        assert_eq!(folder.take("link").unwrap(), "own");
        // The folder itself replaced by a link: the open one is used all the same.
        std::fs::rename(&inside, outputs.path().join("moved")).unwrap();
        symlink(outside.path(), &inside).unwrap();
        assert!(folder.take("secret").is_err());
        assert!(OutputFolder::of_worker(outputs.path(), "1").is_err());
    }
}
