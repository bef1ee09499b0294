//! The spare: a prepared folder for the next Draft.
//!
//! A Draft starts as a copy of `published/`. Between Drafts, `.jig/spare` contains that copy (see `tend`). When a Draft
//! starts, the folder is renamed to `draft/` and only differences are written; when it ends, the folder is renamed
//! back. Both cost the same however many files there are, except for one check of their marks if no watch can prove
//! that nothing happened.
//!
//! The spare is a cache. It is only kept if `draft/` contains exactly what the index says, and only used if it still
//! does; in any doubt it is removed and the files are handled one by one.
//!
//! When it is put away, the folder stays at `.jig/leaving` until it was checked once more, so that a file saved just
//! before the rename is noticed, and the folder is moved back. After a crash it is moved back too.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use jig_contract::BlobHash;

use super::alike::alike;
use super::files::SPARE_ROOT;
use super::folder::Folder;
use super::open_view::{Cut, OpenView, PRIVATE, open_private};
use super::place::{Reach, Way};
use super::{OutsideChange, View, blocking, nodes};
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::Node;
use crate::trees::TreeEdit;

const DRAFT: &str = "draft";
const SPARE: &str = "spare";
const LEAVING: &str = "leaving";

/// What happened to the Draft's folder before a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Unchanged: the write handles its files one by one.
    Stayed,
    /// It was put away with this many files.
    Away(u64),
    /// The spare took its place.
    Back,
}

impl View {
    /// Whether there is a spare that takes space.
    pub fn has_spare(&self) -> bool {
        let spare = Folder::open(&self.folder).and_then(|folder| folder.below(Path::new(SPARE_ROOT)));
        spare.and_then(|spare| spare.names()).is_ok_and(|names| !names.is_empty())
    }

    /// Removes the spare, which takes as much space as the files of `published/`. Without it, the files of the next
    /// Draft are copied. False if there is no spare.
    ///
    /// The caller holds the lock ([`try_lock`](Self::try_lock)). Blocking.
    pub fn drop_spare(&self) -> Result<bool, StoreError> {
        match Folder::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => drop(opened.map_err(|e| StoreError::io(&self.folder, e))?),
        }
        let mut open_view = OpenView::open(self)?;
        let there = open_view.private.thing(OsStr::new(SPARE))?.is_some();
        discard(&mut open_view)?;
        open_view.save_index()?;
        open_view.keep();
        Ok(there)
    }

    /// Moves a folder back that was being put away when a write was interrupted, because it was not checked yet for
    /// manual edits.
    pub(super) fn give_back(&self) -> Result<(), StoreError> {
        let (workbench, private) = open_private(&self.folder)?;
        Ok(give_back(&workbench, &private)?)
    }
}

/// Moves the Draft's folder away or restores it, if the state requires that and everything is certain. The index is
/// updated; the caller saves it with the write.
pub(super) async fn turn(
    store: &Store,
    open_view: OpenView,
    state: BlobHash,
    roots: &[&str],
    settled: &[OutsideChange],
) -> Result<(OpenView, Turn), StoreError> {
    let Some(base) = open_view.index.state.filter(|_| is_sure(&open_view, settled)) else {
        return Ok((open_view, Turn::Stayed));
    };
    let Some(before) = readable(nodes::folder(store, base, DRAFT).await)? else { return Ok((open_view, Turn::Stayed)) };
    let after = nodes::folder(store, state, DRAFT).await?;
    match (before, after) {
        (Some(draft), None) if !roots.contains(&DRAFT) => away(store, open_view, base, state, draft).await,
        (None, Some(_)) => back(store, open_view, base, state).await,
        _ => Ok((open_view, Turn::Stayed)),
    }
}

/// Whether `draft/` shows what the index's state has, as far as known without reading.
fn is_sure(open_view: &OpenView, settled: &[OutsideChange]) -> bool {
    let in_draft = |path: &str| Path::new(path).starts_with(DRAFT);
    open_view.pending.is_empty()
        && !open_view.index.loose.iter().any(|path| in_draft(path))
        && !settled.iter().any(|change| in_draft(&change.path))
}

/// `None` for what is lost or damaged.
fn readable<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if nodes::is_damage(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn away(
    store: &Store,
    open_view: OpenView,
    base: BlobHash,
    state: BlobHash,
    draft: Node,
) -> Result<(OpenView, Turn), StoreError> {
    let (open_view, alike) = blocking(move || {
        let mut open_view = open_view;
        let alike = draft.files() == open_view.index.files.count(DRAFT) && is_as_recorded(&mut open_view, DRAFT);
        Ok((open_view, alike))
    })
    .await?;
    if !alike {
        return Ok((open_view, Turn::Stayed));
    }
    let without = store.edit(base, &[TreeEdit::Remove { path: DRAFT.to_owned() }]).await?;
    blocking(move || {
        let mut open_view = open_view;
        if !put_away(&mut open_view, state)? {
            return Ok((open_view, Turn::Stayed));
        }
        open_view.index.draft_left(draft.hash());
        open_view.index.show(without);
        Ok((open_view, Turn::Away(draft.files())))
    })
    .await
}

/// Whether a root contains exactly what the index says. With a watch, no file needs to be checked.
fn is_as_recorded(open_view: &mut OpenView, root: &str) -> bool {
    if open_view.watch.as_ref().is_some_and(|watch| watch.is_calm(root)) {
        return true;
    }
    let Some(grown) = alike(open_view, Path::new(root), root) else { return false };
    for (path, entry) in grown {
        open_view.index.put(&path, entry);
    }
    true
}

/// Puts `draft/` away; false if it was moved back, to be handled file by file.
pub(super) fn put_away(open_view: &mut OpenView, state: BlobHash) -> Result<bool, StoreError> {
    let calm = open_view.watch.as_ref().is_some_and(|watch| watch.is_calm(DRAFT));
    open_view.note(&[state])?;
    open_view.cut(Cut::Spare)?;
    // An older spare that cannot be removed makes the rename below fail.
    let _ = discard(open_view);
    open_view.cut(Cut::Spare)?;
    if let Some(watch) = &open_view.watch {
        watch.will_move(DRAFT, SPARE_ROOT);
    }
    if open_view.workbench.rename(OsStr::new(DRAFT), &open_view.private, OsStr::new(LEAVING)).is_err() {
        return Ok(stayed(open_view));
    }
    open_view.cut(Cut::Spare)?;
    // From here on nothing can be saved into it by path; this detects what was saved just before.
    let still_calm = calm && open_view.watch.as_ref().is_some_and(|watch| watch.is_calm(SPARE_ROOT));
    let same = still_calm || alike(open_view, &private_place(LEAVING), DRAFT).is_some();
    if !same || open_view.private.rename(OsStr::new(LEAVING), &open_view.private, OsStr::new(SPARE)).is_err() {
        give_back(&open_view.workbench, &open_view.private)?;
        return Ok(stayed(open_view));
    }
    if let Some(watch) = &open_view.watch {
        watch.found_calm(SPARE_ROOT);
    }
    open_view.cut(Cut::Spare)?;
    sync(open_view)?;
    Ok(true)
}

/// Called when an announced rename did not happen.
fn stayed(open_view: &mut OpenView) -> bool {
    open_view.watch = None;
    false
}

async fn back(
    store: &Store,
    open_view: OpenView,
    base: BlobHash,
    state: BlobHash,
) -> Result<(OpenView, Turn), StoreError> {
    let (mut open_view, tree) = blocking(move || {
        let mut open_view = open_view;
        let tree = usable(&mut open_view);
        Ok((open_view, tree))
    })
    .await?;
    let Some(tree) = tree else { return Ok((open_view, Turn::Stayed)) };
    // Recorded before the rename, so that files of the spare's tree count as Jig's own after a crash.
    let files = open_view.index.files.count(SPARE_ROOT);
    let Some(with) = readable(with_draft(store, base, tree, files).await)?.flatten() else {
        let _ = discard(&mut open_view);
        return Ok((open_view, Turn::Stayed));
    };
    blocking(move || {
        let mut open_view = open_view;
        if !bring_back(&mut open_view, &[with, state])? {
            return Ok((open_view, Turn::Stayed));
        }
        open_view.index.draft_came();
        open_view.index.show(with);
        Ok((open_view, Turn::Back))
    })
    .await
}

/// The tree of the spare if it can become `draft/`; otherwise the spare is removed.
fn usable(open_view: &mut OpenView) -> Option<BlobHash> {
    // A spare without files is not useful yet.
    if open_view.index.spare.is_some() && open_view.index.files.count(SPARE_ROOT) == 0 {
        return None;
    }
    // What is there must not be touched; the spare may be useful another time.
    if !matches!(open_view.workbench.thing(OsStr::new(DRAFT)), Ok(None)) {
        return None;
    }
    let tree = open_view.index.spare;
    let usable = tree.filter(|_| is_as_recorded(open_view, SPARE_ROOT));
    if usable.is_none() {
        let _ = discard(open_view);
    }
    usable
}

/// The state with this tree as its Draft; `None` if the tree does not have this many files.
async fn with_draft(store: &Store, base: BlobHash, tree: BlobHash, files: u64) -> Result<Option<BlobHash>, StoreError> {
    let node = store.tree(&tree).await?.node(tree);
    if node.files() != files {
        return Ok(None);
    }
    let edit = TreeEdit::Folder { path: DRAFT.to_owned(), node };
    store.edit(base, &[edit]).await.map(Some)
}

/// Renames the spare to `draft/`; false if that failed.
fn bring_back(open_view: &mut OpenView, states: &[BlobHash]) -> Result<bool, StoreError> {
    open_view.note(states)?;
    open_view.cut(Cut::Spare)?;
    if let Some(watch) = &open_view.watch {
        watch.will_move(SPARE_ROOT, DRAFT);
    }
    // Fails if a person put something there in the meantime.
    if open_view.private.rename(OsStr::new(SPARE), &open_view.workbench, OsStr::new(DRAFT)).is_err() {
        let stayed = stayed(open_view);
        let _ = discard(open_view);
        return Ok(stayed);
    }
    open_view.cut(Cut::Spare)?;
    sync(open_view)?;
    open_view.cut(Cut::Spare)?;
    Ok(true)
}

/// Makes a rename between the two folders durable.
fn sync(open_view: &OpenView) -> io::Result<()> {
    open_view.workbench.sync()?;
    open_view.private.sync()
}

/// Removes the spare from the index first, so that a partial one is never used.
pub(super) fn discard(open_view: &mut OpenView) -> io::Result<()> {
    open_view.index.forget_spare();
    let spare = OsStr::new(SPARE);
    if open_view.private.thing(spare)?.is_some() {
        // Its folders are watched, and all of them are removed.
        open_view.watch = None;
        open_view.private.remove_all(spare)?;
    }
    Ok(())
}

/// Creates an empty spare.
pub(super) fn make(open_view: &OpenView) -> io::Result<()> {
    Reach::default().to(open_view, &format!("{SPARE_ROOT}/x"), Way::Make).map(drop)
}

/// Moves a folder that was being put away back to its place. If something else is there by now, it gets a similar name,
/// because a person may have files in both.
fn give_back(workbench: &Folder, private: &Folder) -> io::Result<()> {
    let leaving = OsStr::new(LEAVING);
    if private.thing(leaving)?.is_none() {
        return Ok(());
    }
    if private.rename(leaving, workbench, OsStr::new(DRAFT)).is_ok() {
        return workbench.sync();
    }
    let beside = (2..).map(|n: u32| format!("{DRAFT} ({n})"));
    for name in beside {
        if workbench.thing(OsStr::new(&name))?.is_none() {
            private.rename(leaving, workbench, OsStr::new(&name))?;
            break;
        }
    }
    workbench.sync()
}

fn private_place(name: &str) -> PathBuf {
    Path::new(PRIVATE).join(name)
}
