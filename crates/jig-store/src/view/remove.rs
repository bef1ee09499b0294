//! Removes the folder of a deleted workbench.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use jig_contract::ops::LeftAlone;

use super::folder::Folder;
use super::index::Index;
use super::names::composed;
use super::open_view::OpenView;
use super::stat::{Mark, Thing};
use super::{View, why};
use crate::error::StoreError;

impl View {
    /// Removes the folder with all files as Jig last knew them. Blocking.
    ///
    /// Manually added or changed files are preserved and returned. A missing folder is not an error.
    pub fn remove(&self) -> Result<Vec<LeftAlone>, StoreError> {
        match Folder::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io(&self.folder, error)),
            Ok(_) => {}
        }
        self.give_back()?;
        let open_view = OpenView::open_apart(self)?;
        let mut kept = Vec::new();
        clear(&open_view.workbench, &open_view.index, Path::new(""), &mut kept)?;
        kept.sort_by(|a, b| a.path.cmp(&b.path));
        drop(open_view);
        self.gone(std::fs::remove_dir_all(self.folder.join(".jig")))?;
        if kept.is_empty() {
            self.gone(std::fs::remove_dir(&self.folder))?;
        }
        Ok(kept)
    }

    /// A process that waits for the lock may recreate the folder at any moment, which is not an error.
    fn gone(&self, removed: io::Result<()>) -> Result<(), StoreError> {
        match removed {
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => {
                Err(StoreError::io(&self.folder, error))
            }
            _ => Ok(()),
        }
    }
}

/// Removes known files and empty folders below a path.
fn clear(workbench: &Folder, index: &Index, at: &Path, kept: &mut Vec<LeftAlone>) -> Result<(), StoreError> {
    let mut folders = Vec::new();
    let folder = workbench.below(at)?;
    for name in folder.names()? {
        let path = at.join(&name);
        match folder.thing(&name)? {
            Some(Thing::Folder) if path != Path::new(".jig") => folders.push(path),
            Some(Thing::Folder) | None => {}
            Some(Thing::File(mark)) if is_known(index, &path, mark) => folder.remove_file(&name)?,
            Some(Thing::File(_)) => kept.push(keep(&path, why::NOT_OURS.to_owned())),
            Some(Thing::Other(what)) => kept.push(keep(&path, why::other(what))),
        }
    }
    for path in folders {
        clear(workbench, index, &path, kept)?;
        folder.remove_empty(path.file_name().unwrap_or(OsStr::new("")))?;
    }
    Ok(())
}

fn is_known(index: &Index, path: &Path, mark: Mark) -> bool {
    let entry = path.to_str().and_then(|path| index.files.get(&composed(path)));
    entry.is_some_and(|entry| entry.mark == mark)
}

fn keep(path: &Path, reason: String) -> LeftAlone {
    LeftAlone { path: path.to_string_lossy().into_owned(), reason }
}
