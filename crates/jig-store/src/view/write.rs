//! Updates the folder to a state.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use jig_contract::BlobHash;
use jig_contract::ops::LeftAlone;

use super::files::SPARE_ROOT;
use super::folder::Folder;
use super::open_view::{Cut, OpenView};
use super::place::{Placing, Reach, Reached, Stand, Way, stand};
use super::plan::{self, Plan, Target};
use super::spare::{self, Turn};
use super::stage::{self, Staged};
use super::stat::{Mark, Thing};
use super::{OutsideChange, ROOTS, View, ViewReport, blocking, tend, why};
use crate::error::StoreError;
use crate::store::Store;

/// Files are staged and moved in batches of at most this many files or bytes, which temporarily need twice the space.
const BATCH_FILES: usize = 1_024;
const BATCH_BYTES: u64 = 256 * 1024 * 1024;
/// From this many folders on, the entire file system is synced at once instead of each folder.
const MANY_FOLDERS: usize = 256;

impl View {
    /// Updates the folder to this state.
    ///
    /// The cost depends on the differences to what the folder shows, not on its size; a new Draft reuses the folder of
    /// the last one (see `spare`). Manual changes since the last scan, and excluded paths, stay unchanged and are
    /// reported. The next write completes an interrupted one. The future must be run to completion while the lock is
    /// held.
    pub async fn write(&self, store: &Store, state: BlobHash) -> Result<ViewReport, StoreError> {
        self.write_over(store, state, &[]).await
    }

    /// Like `write`, and may also overwrite these manual changes, which the caller has already imported or discarded.
    pub async fn write_over(
        &self,
        store: &Store,
        state: BlobHash,
        settled: &[OutsideChange],
    ) -> Result<ViewReport, StoreError> {
        let written = self.write_all(store, state, settled).await;
        if matches!(written, Err(StoreError::DiskFull)) {
            // Incomplete copies would leave no space for anything else, not even for reading the database.
            let view = self.clone();
            let _ = blocking(move || Ok(OpenView::open(&view)?.clear_tmp()?)).await;
        }
        written
    }

    async fn write_all(
        &self,
        store: &Store,
        state: BlobHash,
        settled: &[OutsideChange],
    ) -> Result<ViewReport, StoreError> {
        let view = self.clone();
        let open_view = blocking(move || {
            view.give_back()?;
            let open_view = OpenView::open(&view)?;
            open_view.clear_tmp()?;
            Ok(open_view)
        })
        .await?;
        let roots = plan::roots(store, state).await?;
        let (open_view, turn) = spare::turn(store, open_view, state, &roots, settled).await?;
        let Plan { targets, stale } = plan::plan(store, &open_view, state, settled).await?;
        let work = Work { open_view, touched: BTreeSet::new(), report: Report::after(turn) };
        if !stale && turn == Turn::Stayed {
            return blocking(move || work.keep_roots(&roots)).await;
        }
        let work = blocking(move || work.begin(state)).await?.carry_out(store, targets).await?;
        let drafting = roots.contains(&"draft");
        let (open_view, report) = blocking(move || work.finish(state, &roots)).await?;
        if drafting {
            open_view.keep();
        } else {
            tend::tend(self, store, open_view, state, report.written).await;
        }
        Ok(report)
    }
}

/// A write in progress.
pub(super) struct Work {
    open_view: OpenView,
    /// The folders in which files were written or removed, and their parents.
    touched: BTreeSet<String>,
    report: Report,
}

/// The report. An obstacle that affects many files is reported once.
#[derive(Default)]
struct Report {
    written: u64,
    removed: u64,
    left: BTreeMap<String, String>,
}

impl Work {
    /// Work on the hidden spare: no pending note is needed, because nothing there is ever imported.
    pub(super) fn behind_the_scenes(open_view: OpenView) -> Self {
        Self { open_view, touched: BTreeSet::new(), report: Report::default() }
    }

    /// Records the state as pending before anything is touched.
    fn begin(mut self, state: BlobHash) -> Result<Self, StoreError> {
        self.open_view.note(&[state])?;
        // Loose paths are among the targets, and become loose again if they stay so.
        for path in self.open_view.index.loose.clone() {
            self.open_view.index.tighten(&path);
        }
        Ok(self)
    }

    /// Updates the targets to their intended content.
    pub(super) async fn carry_out(self, store: &Store, targets: Vec<Target>) -> Result<Self, StoreError> {
        let (wanted, unwanted): (Vec<_>, Vec<_>) = targets.into_iter().partition(|target| target.want.is_some());
        let mut work = blocking(move || self.clear(&unwanted)).await?;
        for batch in batches(wanted) {
            let (guarded, placings) = blocking(move || work.guard(batch)).await?;
            let (ready, staged) = guarded.stage(store, placings).await?;
            work = blocking(move || ready.place(staged)).await?;
        }
        Ok(work)
    }

    /// Removes unwanted files. This comes first, because a folder may replace a file.
    fn clear(mut self, unwanted: &[Target]) -> Result<Self, StoreError> {
        let mut reach = Reach::default();
        for target in unwanted {
            self.remove(&mut reach, target)?;
            self.settle(&target.path, None);
        }
        self.prune()?;
        Ok(self)
    }

    fn remove(&mut self, reach: &mut Reach, target: &Target) -> Result<(), StoreError> {
        let path = &target.path;
        match self.stand(reach, target)? {
            Stand::Newer => {
                self.leave(path, why::NEWER);
                return Ok(());
            }
            Stand::Closed(at, reason) => {
                self.leave(&at, reason);
                return Ok(());
            }
            Stand::Ours(mark) => {
                if let Err(error) = self.take_out(reach, path, mark) {
                    return self.refused(path, error);
                }
            }
            // Something else is there by now, which must not be removed.
            Stand::Nothing | Stand::Right(_) | Stand::Blocked(..) => {}
        }
        self.open_view.index.drop(path);
        Ok(())
    }

    /// Removes a file, unless it was changed manually in the meantime.
    fn take_out(&mut self, reach: &mut Reach, path: &str, mark: Mark) -> Result<(), StoreError> {
        if let Reached::At(open, name) = reach.to(&self.open_view, path, Way::Find)?
            && open.folder.thing(&name)? == Some(Thing::File(mark))
        {
            self.open_view.cut(Cut::File)?;
            if let Some(watch) = &self.open_view.watch {
                watch.will_remove(open.place, &name.to_string_lossy());
            }
            open.folder.remove_file(&name)?;
            self.report.removed += 1;
            self.touch(path);
        }
        Ok(())
    }

    /// Removes the folders that removing files has emptied, innermost first.
    fn prune(&mut self) -> Result<(), StoreError> {
        for folder in self.touched.iter().rev().filter(|folder| !is_root(folder)) {
            if !self.open_view.index.files.knows(folder) {
                self.remove_folder(folder)?;
            }
        }
        Ok(())
    }

    /// Removes a folder if it is empty.
    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        // Resolved from the top each time, because parent folders may have just been removed.
        let Reached::At(open, name) = Reach::default().to(&self.open_view, folder, Way::Find)? else { return Ok(()) };
        let disk = open.disk.join(&name);
        match &self.open_view.watch {
            None => drop(open.folder.remove_empty(&name)?),
            Some(watch) if watch.place(&disk).is_some() => {
                watch.will_remove_folder(&disk);
                if !open.folder.remove_empty(&name)? {
                    watch.doubt();
                }
            }
            // Not a folder.
            Some(_) => {}
        }
        Ok(())
    }

    /// Determines which files of a batch can be written, and which need no writing.
    fn guard(mut self, batch: Vec<Target>) -> Result<(Self, Vec<Placing>), StoreError> {
        let mut reach = Reach::default();
        let mut placings = Vec::with_capacity(batch.len());
        for target in batch {
            let Some(want) = target.want else { continue };
            let over = match self.stand(&mut reach, &target)? {
                Stand::Nothing => None,
                Stand::Ours(mark) => Some(mark),
                other => {
                    self.step_around(&target, other);
                    self.settle(&target.path, Some(want.hash));
                    continue;
                }
            };
            let tmp = self.open_view.fresh_tmp();
            placings.push(Placing { path: target.path, want, tmp, over });
        }
        Ok((self, placings))
    }

    fn stand(&self, reach: &mut Reach, target: &Target) -> Result<Stand, StoreError> {
        match reach.to(&self.open_view, &target.path, Way::Find)? {
            Reached::At(open, name) => Ok(stand(&self.open_view, &open.folder, &name, target)?),
            Reached::Nowhere => Ok(Stand::Nothing),
            Reached::Blocked(path, reason) => Ok(Stand::Blocked(path, reason)),
            Reached::Closed(path, reason) => Ok(Stand::Closed(path, reason)),
        }
    }

    fn step_around(&mut self, target: &Target, stand: Stand) {
        match stand {
            Stand::Right(entry) => {
                self.open_view.index.put(&target.path, entry);
            }
            Stand::Newer => self.leave(&target.path, why::NEWER),
            Stand::Closed(path, reason) => self.leave(&path, reason),
            Stand::Blocked(path, reason) => {
                self.leave(&path, reason);
                // Once the path is free, the file is shown again and does not count as removed.
                self.open_view.index.drop(&target.path);
            }
            Stand::Nothing | Stand::Ours(_) => {}
        }
    }

    async fn stage(self, store: &Store, placings: Vec<Placing>) -> Result<(Self, Vec<Staged>), StoreError> {
        let (open_view, staged) = stage::stage(self.open_view, store.blobs(), placings).await?;
        Ok((Self { open_view, ..self }, staged))
    }

    /// Moves a batch into place.
    fn place(mut self, staged: Vec<Staged>) -> Result<Self, StoreError> {
        let mut reach = Reach::default();
        for (placing, damage) in staged {
            let tmp = OsStr::new(&placing.tmp);
            if let Some(damage) = damage {
                self.leave(&placing.path, why::not_shown(&damage));
                // Exists only if the blob was found.
                let _ = self.open_view.tmp.remove_file(tmp);
            } else if !self.move_in(&mut reach, &placing)? {
                self.open_view.tmp.remove_file(tmp)?;
            }
            self.settle(&placing.path, Some(placing.want.hash));
        }
        Ok(self)
    }

    /// Moves one file into place, unless it was changed manually in the meantime.
    fn move_in(&mut self, reach: &mut Reach, placing: &Placing) -> Result<bool, StoreError> {
        let (open, name) = match reach.to(&self.open_view, &placing.path, Way::Make)? {
            Reached::At(open, name) => (open, name),
            Reached::Blocked(path, reason) | Reached::Closed(path, reason) => {
                self.leave(&path, reason);
                return Ok(false);
            }
            Reached::Nowhere => return Ok(false),
        };
        if open.folder.thing(&name)? != placing.over.map(Thing::File) {
            self.leave(&placing.path, why::NEWER);
            return Ok(false);
        }
        self.open_view.cut(Cut::File)?;
        let tmp = OsStr::new(&placing.tmp);
        let before = self.open_view.tmp.thing(tmp)?;
        if let Some(watch) = &self.open_view.watch {
            watch.will_put(open.place, &name.to_string_lossy());
        }
        if let Err(error) = self.open_view.tmp.rename(tmp, &open.folder, &name) {
            return self.refused(&placing.path, error.into()).map(|()| false);
        }
        self.record(&open.folder, &name, placing, before)?;
        self.report.written += 1;
        self.touch(&placing.path);
        Ok(true)
    }

    /// Records the file in its place. Moving changes one of its timestamps, so its mark is read again.
    fn record(
        &mut self,
        folder: &Folder,
        name: &OsStr,
        placing: &Placing,
        before: Option<Thing>,
    ) -> Result<(), StoreError> {
        let Some(Thing::File(before)) = before else { return Ok(()) };
        let mark = match folder.thing(name)? {
            Some(Thing::File(after))
                if (after.inode, after.bytes, after.modified) == (before.inode, before.bytes, before.modified) =>
            {
                after
            }
            // Already changed manually: the previous mark does not match, so the next scan will notice.
            _ => before,
        };
        let entry = self.open_view.entry(mark, placing.want.hash);
        self.open_view.index.put(&placing.path, entry);
        Ok(())
    }

    /// An inaccessible folder only affects its content; a full disk fails the write.
    fn refused(&mut self, path: &str, error: StoreError) -> Result<(), StoreError> {
        let closed = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::IsADirectory];
        match error {
            StoreError::Io { source, .. } if closed.contains(&source.kind()) => {
                self.leave(path, why::not_shown(&source.kind()));
                Ok(())
            }
            error => Err(error),
        }
    }

    fn leave(&mut self, path: &str, reason: impl Into<String>) {
        self.report.left.insert(path.to_owned(), reason.into());
    }

    /// Records whether a path shows what it should.
    fn settle(&mut self, path: &str, want: Option<BlobHash>) {
        if self.open_view.index.files.get(path).map(|entry| entry.hash) == want {
            self.open_view.index.tighten(path);
        } else {
            self.open_view.index.loosen(path);
        }
    }

    fn touch(&mut self, path: &str) {
        // Including parent folders, which may be new or about to become empty.
        for (at, _) in path.match_indices('/') {
            self.touched.insert(path[..at].to_owned());
        }
    }

    fn finish(mut self, state: BlobHash, roots: &[&str]) -> Result<(OpenView, ViewReport), StoreError> {
        self.make_roots(roots)?;
        self.sync()?;
        self.open_view.finish(state)?;
        Ok((self.open_view, self.report.into()))
    }

    fn keep_roots(mut self, roots: &[&str]) -> Result<ViewReport, StoreError> {
        self.make_roots(roots)?;
        self.open_view.keep();
        Ok(self.report.into())
    }

    /// Ends work on the spare; `None` if anything was blocked.
    pub(super) fn end(self) -> Result<Option<OpenView>, StoreError> {
        self.sync()?;
        let done =
            self.report.left.is_empty() && !self.open_view.index.loose.iter().any(|path| path.starts_with(SPARE_ROOT));
        Ok(done.then_some(self.open_view))
    }

    /// Creates the required roots, and removes the others if they are empty.
    fn make_roots(&mut self, roots: &[&str]) -> Result<(), StoreError> {
        for root in ROOTS.iter().filter(|root| !roots.contains(root)) {
            for folder in std::iter::once(*root).chain(root.rsplit_once('/').map(|(above, _)| above)) {
                self.remove_folder(folder)?;
            }
        }
        for root in roots {
            // Resolving a name in it creates the folder.
            if let Reached::Blocked(path, reason) | Reached::Closed(path, reason) =
                Reach::default().to(&self.open_view, &format!("{root}/x"), Way::Make)?
            {
                self.leave(&path, reason);
            }
        }
        Ok(())
    }

    /// Makes the moves durable before the index records them.
    fn sync(&self) -> Result<(), StoreError> {
        if self.touched.len() > MANY_FOLDERS && self.open_view.workbench.sync_all()? {
            return Ok(());
        }
        let mut reach = Reach::default();
        for folder in &self.touched {
            if let Reached::At(open, _) = reach.to(&self.open_view, &format!("{folder}/x"), Way::Find)? {
                open.folder.sync()?;
            }
        }
        Ok(self.open_view.workbench.sync()?)
    }
}

impl Report {
    fn after(turn: Turn) -> Self {
        let removed = if let Turn::Away(files) = turn { files } else { 0 };
        Self { removed, ..Self::default() }
    }
}

impl From<Report> for ViewReport {
    fn from(report: Report) -> Self {
        let left = report.left.into_iter().map(|(path, reason)| LeftAlone { path, reason });
        Self { written: report.written, removed: report.removed, left_alone: left.collect() }
    }
}

fn is_root(folder: &str) -> bool {
    // `meta` and `.jig` are parents of roots.
    ROOTS.iter().chain(&[SPARE_ROOT]).any(|root| Path::new(root).starts_with(folder))
}

fn batches(targets: Vec<Target>) -> Vec<Vec<Target>> {
    let mut batches: Vec<Vec<Target>> = Vec::new();
    let mut bytes = u64::MAX;
    for target in targets {
        let more = target.want.map_or(0, |node| node.bytes);
        bytes = bytes.saturating_add(more);
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH_FILES && bytes <= BATCH_BYTES => batch.push(target),
            _ => {
                batches.push(vec![target]);
                bytes = more;
            }
        }
    }
    batches
}
