//! The reasons for excluding a path, as messages.

use std::io;

use super::stat::Thing;

pub(super) const NOT_UNICODE: &str = "its name is not Unicode text";
pub(super) const CASE: &str = "another name here differs from it only in upper and lower case";
pub(super) const FORM: &str = "another file here has the same name in another Unicode form";
pub(super) const PROGRAM_FILE: &str = "it is a temporary file of a program";
pub(super) const CHANGING: &str = "it changed while it was being read; it is read again next time";
pub(super) const IN_USE: &str = "the workbench has a file or folder of this name that is not shown here";
pub(super) const NOT_OURS: &str = "it was added or changed by hand and not imported";
pub(super) const NEWER: &str = "it was changed by hand a moment ago; it is imported before the next operation";

pub(super) fn other(what: &str) -> String {
    format!("it is {what}, which Jig skips")
}

pub(super) fn unreadable(error: &io::Error) -> String {
    format!("it could not be read: {}", error.kind())
}

pub(super) fn in_place_of_folder(thing: Thing) -> String {
    let what = match thing {
        Thing::Other(what) => what,
        Thing::File(_) => "a file",
        Thing::Folder => "a folder",
    };
    format!("it is {what}, but Jig needs a folder of this name")
}

pub(super) fn in_place_of_file(thing: Thing) -> String {
    let what = match thing {
        Thing::Other(what) => what,
        Thing::File(_) => "a file that Jig did not write",
        Thing::Folder => "a folder",
    };
    format!("it is {what}, but Jig needs this name for a file")
}

pub(super) fn too_large(bytes: u64, limit: u64, setting: &str) -> String {
    format!("it has {bytes} bytes; the limit is {limit} ({setting})")
}

pub(super) fn too_many(more: usize, limit: u64) -> String {
    let files = if more == 1 { "1 file here is".to_owned() } else { format!("{more} files here are") };
    format!("{files} not imported: the limit is {limit} files (limits.files)")
}

pub(super) fn not_shown(reason: &impl std::fmt::Display) -> String {
    format!("it could not be written or removed: {reason}")
}
