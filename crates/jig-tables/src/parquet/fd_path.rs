//! A path by which DuckDB, which opens files only by path, reads a file that is open already.
//!
//! The path names the open file and not its folder entry, so a file that was replaced meanwhile is never read. Where no such
//! paths exist, Parquet files are not supported.

use std::fs::File;

#[cfg(unix)]
pub(super) fn of(file: &File) -> Option<String> {
    Some(format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)))
}

#[cfg(not(unix))]
pub(super) fn of(_file: &File) -> Option<String> {
    None
}
