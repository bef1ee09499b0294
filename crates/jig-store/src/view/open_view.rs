//! The open folder of a view with its internal data, shared by scan and write.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use jig_contract::BlobHash;

use super::cache::{Held, ViewCache};
use super::files::SPARE_ROOT;
use super::folder::Folder;
use super::index::{Entry, Index};
use super::log::Log;
use super::pending::Pending;
use super::stat::{Mark, Thing};
use super::watch::Watch;
use super::{ROOTS, View};
use crate::error::StoreError;

/// The folder for internal data.
pub(super) const PRIVATE: &str = ".jig";
const INDEX: &str = "index";
const PENDING: &str = "pending";
const TMP: &str = "tmp";

/// Where a test interrupts a write.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// After this many files were moved into place or removed.
    Files(usize),
    /// When all files are in place, before the index is saved.
    BeforeIndex,
    /// After the index is saved, before the pending note is removed.
    AfterIndex,
    /// After this many steps of moving the Draft's folder.
    Spare(usize),
}

/// An open view.
#[derive(Debug)]
pub(super) struct OpenView {
    /// The workbench's folder.
    pub workbench: Folder,
    /// `.jig`.
    pub private: Folder,
    /// `.jig/tmp`.
    pub tmp: Folder,
    /// The path of `.jig/tmp`.
    pub tmp_path: PathBuf,
    /// What the folder showed last.
    pub index: Index,
    /// States that may be partly in the folder.
    pub pending: Vec<BlobHash>,
    /// The file system's time when the view was opened, before anything was read.
    pub now: i64,
    /// Reports what happened in the folder; `None` if every file must be checked.
    pub watch: Option<Watch>,
    log: Option<Log>,
    cache: Option<ViewCache>,
    note: Pending,
    next_tmp: u64,
    #[cfg(test)]
    pub fault: Option<Fault>,
}

impl OpenView {
    /// Opens a view; creates its folder if it is missing.
    pub(super) fn open(view: &View) -> Result<Self, StoreError> {
        Self::open_with(view, view.cache.as_ref())
    }

    /// Opens a view read-only, without holding the lock.
    pub(super) fn open_apart(view: &View) -> Result<Self, StoreError> {
        Self::open_with(view, None)
    }

    fn open_with(view: &View, cache: Option<&ViewCache>) -> Result<Self, StoreError> {
        let (workbench, private) = open_private(&view.folder)?;
        let tmp = private.make_child(OsStr::new(TMP))?;
        let held =
            cache.and_then(ViewCache::take).filter(|held| held.is_of(&workbench) && is_same(&held.log, &private));
        let (index, log, watch) = match held {
            Some(Held { index, log, watch, .. }) => (Some(index), Some(log), watch),
            None => {
                let (index, log) = read_index(&private)?;
                (index, log, None)
            }
        };
        let note = read_own(&private, PENDING)?.and_then(|bytes| Pending::decode(&bytes));
        let pending = note.as_ref().map(|note| note.states(index.as_ref())).unwrap_or_default();
        let mut index = index.unwrap_or_default();
        let note = Pending { base: index.state, targets: pending.clone() };
        let watch = watch.filter(|watch| pending.is_empty() && watch.holds());
        if watch.is_none() {
            forget_missing_roots(&workbench, &mut index)?;
            forget_missing_spare(&workbench, &mut index);
        }
        let now = private.now()?;
        let tmp_path = view.folder.join(PRIVATE).join(TMP);
        Ok(Self {
            workbench,
            private,
            tmp,
            tmp_path,
            index,
            pending,
            now,
            watch,
            log,
            cache: cache.cloned(),
            note,
            next_tmp: 0,
            #[cfg(test)]
            fault: view.fault,
        })
    }

    /// Starts watching the folder, before a full scan.
    pub(super) fn begin_watch(&mut self) {
        self.watch = self.cache.as_ref().and_then(|_| Watch::begin(&self.workbench));
    }

    /// Keeps the state in memory for the next operation of this process, as far as it is also on disk.
    pub(super) fn keep(self) {
        let Self { workbench, index, log: Some(log), watch, cache: Some(cache), .. } = self else { return };
        if index.unsaved().is_empty() {
            let watch = watch.filter(Watch::settle);
            cache.put(&workbench, index, log, watch);
        }
    }

    /// An index entry for a file that was just checked.
    pub(super) fn entry(&self, mark: Mark, hash: BlobHash) -> Entry {
        Entry { mark, hash, young: mark.is_young(self.now) }
    }

    /// An unused name in `tmp`.
    pub(super) fn fresh_tmp(&mut self) -> String {
        self.next_tmp += 1;
        self.next_tmp.to_string()
    }

    /// Removes what an interrupted process left in `tmp`.
    pub(super) fn clear_tmp(&self) -> io::Result<()> {
        for name in self.tmp.names()? {
            // A leftover that cannot be removed only takes space; nothing there is ever read.
            let _ = self.tmp.remove_file(&name);
        }
        Ok(())
    }

    /// Records states as pending before their files are touched.
    pub(super) fn note(&mut self, states: &[BlobHash]) -> Result<(), StoreError> {
        let new = states.iter().filter(|state| self.note.add(**state)).count();
        if new > 0 {
            let bytes = self.note.encode();
            self.save(PENDING, &bytes)?;
        }
        Ok(())
    }

    /// Saves the index after a scan, when the folder may not show the head yet.
    pub(super) fn save_index(&mut self) -> Result<(), StoreError> {
        let unsaved = self.index.unsaved();
        match &mut self.log {
            Some(_) if unsaved.is_empty() => return Ok(()),
            Some(log) if !log.is_too_long(unsaved.len()) => log.append(unsaved)?,
            _ => {
                let bytes = Log::bytes_of(&self.index);
                let file = self.save(INDEX, &bytes)?;
                self.log = Some(Log::new(file, bytes.len() as u64));
            }
        }
        self.index.saved();
        Ok(())
    }

    /// Saves the index after a complete write.
    pub(super) fn finish(&mut self, state: BlobHash) -> Result<(), StoreError> {
        self.cut(Cut::BeforeIndex)?;
        self.index.show(state);
        self.save_index()?;
        self.cut(Cut::AfterIndex)?;
        match self.private.remove_file(OsStr::new(PENDING)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Writes a file atomically and durably: after a power failure, either the old or the new content is there.
    fn save(&mut self, name: &str, bytes: &[u8]) -> Result<File, StoreError> {
        let fresh = self.fresh_tmp();
        let tmp = OsStr::new(&fresh);
        let mut file = self.create_tmp(tmp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.tmp.rename(tmp, &self.private, OsStr::new(name))?;
        self.private.sync()?;
        Ok(file)
    }

    /// Creates a file in `tmp`, replacing a leftover.
    pub(super) fn create_tmp(&self, name: &OsStr) -> io::Result<File> {
        match self.tmp.create(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.tmp.remove_file(name)?;
                self.tmp.create(name)
            }
            made => made,
        }
    }

    /// A point where a test may interrupt the work.
    #[cfg(test)]
    pub(super) fn cut(&mut self, at: Cut) -> Result<(), StoreError> {
        let off = match (&mut self.fault, at) {
            (Some(Fault::Files(0)), Cut::File)
            | (Some(Fault::Spare(0)), Cut::Spare)
            | (Some(Fault::BeforeIndex), Cut::BeforeIndex)
            | (Some(Fault::AfterIndex), Cut::AfterIndex) => true,
            (Some(Fault::Files(left)), Cut::File) | (Some(Fault::Spare(left)), Cut::Spare) => {
                *left -= 1;
                false
            }
            _ => false,
        };
        if off { Err(io::Error::other("cut off by the test").into()) } else { Ok(()) }
    }

    /// A point where a test may interrupt the work.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "only tests cut work off")]
    pub(super) fn cut(&mut self, _: Cut) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A step at which work can be interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Before a file is moved into place or removed.
    File,
    /// Before the index is saved.
    BeforeIndex,
    /// After the index is saved.
    AfterIndex,
    /// Between two steps of moving the Draft's folder.
    Spare,
}

/// Opens the workbench's folder and `.jig` in it.
pub(super) fn open_private(path: &Path) -> Result<(Folder, Folder), StoreError> {
    std::fs::create_dir_all(path).map_err(|e| StoreError::io(path, e))?;
    let workbench = Folder::open(path).map_err(|e| StoreError::io(path, e))?;
    let private = workbench.make_child(OsStr::new(PRIVATE)).map_err(|e| StoreError::io(path, e))?;
    Ok((workbench, private))
}

/// A root that is missing entirely was not emptied file by file: it is to be shown again.
fn forget_missing_roots(workbench: &Folder, index: &mut Index) -> io::Result<()> {
    for root in ROOTS {
        match workbench.below(Path::new(root)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound || super::folder::is_no_folder(&error) => {
                index.forget_below(root);
            }
            // It exists but is not readable; nothing below it counts as removed.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Clears the spare from the index if its folder is missing.
fn forget_missing_spare(workbench: &Folder, index: &mut Index) {
    if index.spare.is_some() && workbench.below(Path::new(SPARE_ROOT)).is_err() {
        index.forget_spare();
    }
}

/// Whether the index on disk is still the one that this process wrote.
fn is_same(log: &Log, private: &Folder) -> bool {
    matches!(private.thing(OsStr::new(INDEX)), Ok(Some(Thing::File(mark))) if log.is_at(mark.inode, mark.bytes))
}

fn read_index(private: &Folder) -> Result<(Option<Index>, Option<Log>), StoreError> {
    let mut file = match private.edit(OsStr::new(INDEX)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Log::open(file, &bytes).map_or((None, None), |(log, index)| (Some(index), log)))
}

/// The content of an internal file; `None` if it does not exist.
pub(super) fn read_own(folder: &Folder, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    match folder.read(OsStr::new(name)) {
        Ok(mut file) => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
