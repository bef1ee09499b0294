//! Reads files that another program may be writing to.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use jig_contract::BlobHash;

use super::folder::{self, Folder};
use super::open_view::OpenView;
use super::stat::{Mark, Thing};
use crate::blob::hash_of;

/// Files up to this size are read into memory.
const SMALL: u64 = 1024 * 1024;

/// A file that did not change while it was read.
#[derive(Debug)]
pub(super) struct ReadFile {
    /// Its mark.
    pub mark: Mark,
    /// Its content.
    pub hash: BlobHash,
    /// The bytes, if the file is small.
    pub bytes: Option<Vec<u8>>,
    file: File,
}

/// Reads a file below the workbench's folder; `None` if it changed in the meantime.
pub(super) fn read(workbench: &Folder, disk: &Path) -> io::Result<Option<ReadFile>> {
    let folder = workbench.below(disk.parent().unwrap_or(Path::new("")))?;
    read_in(&folder, disk.file_name().unwrap_or_default())
}

/// Reads the file with this name in a folder; `None` if it changed in the meantime.
pub(super) fn read_in(folder: &Folder, name: &OsStr) -> io::Result<Option<ReadFile>> {
    let mut file = folder.read(name)?;
    let Thing::File(mark) = folder::thing(&file)? else { return Ok(None) };
    let (hash, read, bytes) = if mark.bytes <= SMALL {
        let mut bytes = Vec::with_capacity(usize::try_from(mark.bytes).unwrap_or_default());
        (&file).take(mark.bytes + 1).read_to_end(&mut bytes)?;
        (hash_of(&bytes), bytes.len() as u64, Some(bytes))
    } else {
        let (hash, read) = hash_stream(&mut file)?;
        (hash, read, None)
    };
    let still = read == mark.bytes && folder::thing(&file)? == Thing::File(mark);
    Ok(still.then_some(ReadFile { mark, hash, bytes, file }))
}

impl ReadFile {
    /// Copies a large file to `tmp`, where nothing can change it; `None` if it changed since it was read.
    pub(super) fn copy(&mut self, open_view: &mut OpenView) -> io::Result<Option<String>> {
        let name = open_view.fresh_tmp();
        let mut copy = open_view.create_tmp(OsStr::new(&name))?;
        if reflink_copy::reflink_file(&self.file, &copy).is_err() {
            self.file.rewind()?;
            io::copy(&mut self.file, &mut copy)?;
        }
        let still = folder::thing(&self.file)? == Thing::File(self.mark);
        Ok(still.then_some(name))
    }
}

/// The hash and length of the rest of a stream.
pub(super) fn hash_stream(from: &mut impl io::Read) -> io::Result<(BlobHash, u64)> {
    let mut hasher = blake3::Hasher::new();
    let read = io::copy(from, &mut hasher)?;
    Ok((BlobHash::from_bytes(*hasher.finalize().as_bytes()), read))
}

/// All bytes of a file below the workbench's folder; `None` if it is not a regular file.
pub(super) fn whole(workbench: &Folder, disk: &Path) -> io::Result<Option<Vec<u8>>> {
    let folder = workbench.below(disk.parent().unwrap_or(Path::new("")))?;
    let mut file = folder.read(disk.file_name().unwrap_or_default())?;
    let Thing::File(_) = folder::thing(&file)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
