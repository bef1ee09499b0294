//! Folders of the view. Every step goes from an open folder to a name in it and never follows a link, so that a link
//! put in place of a folder cannot lead outside the workbench.
//!
//! Apart from `watch`, all system calls of the view are in the modules below: `unix` holds folders open, `fallback`
//! uses paths. Both have the same functions.

#[cfg(any(not(unix), jig_portable))]
mod fallback;
#[cfg(all(unix, not(jig_portable)))]
mod unix;

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

#[cfg(any(not(unix), jig_portable))]
pub(super) use fallback::{Folder, is_no_folder, thing};
#[cfg(all(unix, not(jig_portable)))]
pub(super) use unix::{Folder, is_no_folder, thing};

use super::stat::Thing;

impl Folder {
    /// Opens a subfolder; creates it if it is missing.
    pub(super) fn make_child(&self, name: &OsStr) -> io::Result<Self> {
        match self.child(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make(name).and_then(|()| self.child(name)),
            opened => opened,
        }
    }

    /// Opens a folder some levels below.
    pub(super) fn below(&self, path: &Path) -> io::Result<Self> {
        let mut folder = self.child(OsStr::new("."))?;
        for part in path.components() {
            let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
            folder = folder.child(name)?;
        }
        Ok(folder)
    }

    /// Removes a file, link or folder with all its content. A missing one is not an error.
    pub(super) fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        match self.thing(name)? {
            None => Ok(()),
            Some(Thing::Folder) => {
                let folder = self.child(name)?;
                for inner in folder.names()? {
                    folder.remove_all(&inner)?;
                }
                self.remove_empty(name).map(drop)
            }
            Some(_) => self.remove_file(name),
        }
    }
}
