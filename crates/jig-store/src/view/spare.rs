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
use super::desk::{Cut, Desk, PRIVATE, open_private};
use super::files::SPARE_ROOT;
use super::folder::Folder;
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
    /// Draft are copied. False if there is none.
    ///
    /// The caller holds the lock ([`try_lock`](Self::try_lock)). Blocking.
    pub fn drop_spare(&self) -> Result<bool, StoreError> {
        match Folder::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => drop(opened.map_err(|e| StoreError::io(&self.folder, e))?),
        }
        let mut desk = Desk::open(self)?;
        let there = desk.private.thing(OsStr::new(SPARE))?.is_some();
        discard(&mut desk)?;
        desk.save_index()?;
        desk.keep();
        Ok(there)
    }

    /// Moves a folder back that was being put away when a write was interrupted, because it was not checked yet for
    /// manual edits.
    pub(super) fn give_back(&self) -> Result<(), StoreError> {
        let (workbench, private) = open_private(&self.folder)?;
        Ok(give_back(&workbench, &private)?)
    }
}

/// Puts the Draft's folder away or brings it back, if the state requires it and there is no doubt. The index is
/// updated; the caller saves it with the write.
pub(super) async fn turn(
    store: &Store,
    desk: Desk,
    state: BlobHash,
    roots: &[&str],
    settled: &[OutsideChange],
) -> Result<(Desk, Turn), StoreError> {
    let Some(base) = desk.index.state.filter(|_| is_sure(&desk, settled)) else { return Ok((desk, Turn::Stayed)) };
    let Some(before) = readable(nodes::folder(store, base, DRAFT).await)? else { return Ok((desk, Turn::Stayed)) };
    let after = nodes::folder(store, state, DRAFT).await?;
    match (before, after) {
        (Some(draft), None) if !roots.contains(&DRAFT) => away(store, desk, base, state, draft).await,
        (None, Some(_)) => back(store, desk, base, state).await,
        _ => Ok((desk, Turn::Stayed)),
    }
}

/// Whether `draft/` shows what the index's state has, as far as known without reading.
fn is_sure(desk: &Desk, settled: &[OutsideChange]) -> bool {
    let in_draft = |path: &str| Path::new(path).starts_with(DRAFT);
    desk.pending.is_empty()
        && !desk.index.loose.iter().any(|path| in_draft(path))
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
    desk: Desk,
    base: BlobHash,
    state: BlobHash,
    draft: Node,
) -> Result<(Desk, Turn), StoreError> {
    let (desk, alike) = blocking(move || {
        let mut desk = desk;
        let alike = draft.files() == desk.index.files.count(DRAFT) && is_as_recorded(&mut desk, DRAFT);
        Ok((desk, alike))
    })
    .await?;
    if !alike {
        return Ok((desk, Turn::Stayed));
    }
    let without = store.edit(base, &[TreeEdit::Remove { path: DRAFT.to_owned() }]).await?;
    blocking(move || {
        let mut desk = desk;
        if !put_away(&mut desk, state)? {
            return Ok((desk, Turn::Stayed));
        }
        desk.index.draft_left(draft.hash());
        desk.index.show(without);
        Ok((desk, Turn::Away(draft.files())))
    })
    .await
}

/// Whether a root contains exactly what the index says. With a watch, no file needs to be checked.
fn is_as_recorded(desk: &mut Desk, root: &str) -> bool {
    if desk.watch.as_ref().is_some_and(|watch| watch.is_calm(root)) {
        return true;
    }
    let Some(grown) = alike(desk, Path::new(root), root) else { return false };
    for (path, entry) in grown {
        desk.index.put(&path, entry);
    }
    true
}

/// Puts `draft/` away; false if it was moved back, to be handled file by file.
pub(super) fn put_away(desk: &mut Desk, state: BlobHash) -> Result<bool, StoreError> {
    let calm = desk.watch.as_ref().is_some_and(|watch| watch.is_calm(DRAFT));
    desk.note(&[state])?;
    desk.cut(Cut::Spare)?;
    // An older spare that cannot be removed makes the rename below fail.
    let _ = discard(desk);
    desk.cut(Cut::Spare)?;
    if let Some(watch) = &desk.watch {
        watch.will_move(DRAFT, SPARE_ROOT);
    }
    if desk.workbench.rename(OsStr::new(DRAFT), &desk.private, OsStr::new(LEAVING)).is_err() {
        return Ok(stayed(desk));
    }
    desk.cut(Cut::Spare)?;
    // From here on nothing can be saved into it by path; this detects what was saved just before.
    let still_calm = calm && desk.watch.as_ref().is_some_and(|watch| watch.is_calm(SPARE_ROOT));
    let same = still_calm || alike(desk, &private_place(LEAVING), DRAFT).is_some();
    if !same || desk.private.rename(OsStr::new(LEAVING), &desk.private, OsStr::new(SPARE)).is_err() {
        give_back(&desk.workbench, &desk.private)?;
        return Ok(stayed(desk));
    }
    if let Some(watch) = &desk.watch {
        watch.found_calm(SPARE_ROOT);
    }
    desk.cut(Cut::Spare)?;
    sync(desk)?;
    Ok(true)
}

/// Called when an announced rename did not happen.
fn stayed(desk: &mut Desk) -> bool {
    desk.watch = None;
    false
}

async fn back(store: &Store, desk: Desk, base: BlobHash, state: BlobHash) -> Result<(Desk, Turn), StoreError> {
    let (mut desk, tree) = blocking(move || {
        let mut desk = desk;
        let tree = usable(&mut desk);
        Ok((desk, tree))
    })
    .await?;
    let Some(tree) = tree else { return Ok((desk, Turn::Stayed)) };
    // Recorded before the rename, so that files of the spare's tree count as Jig's own after a crash.
    let files = desk.index.files.count(SPARE_ROOT);
    let Some(with) = readable(with_draft(store, base, tree, files).await)?.flatten() else {
        let _ = discard(&mut desk);
        return Ok((desk, Turn::Stayed));
    };
    blocking(move || {
        let mut desk = desk;
        if !bring_back(&mut desk, &[with, state])? {
            return Ok((desk, Turn::Stayed));
        }
        desk.index.draft_came();
        desk.index.show(with);
        Ok((desk, Turn::Back))
    })
    .await
}

/// The tree of the spare if it can become `draft/`; otherwise the spare is removed.
fn usable(desk: &mut Desk) -> Option<BlobHash> {
    // A spare without files is not useful yet.
    if desk.index.spare.is_some() && desk.index.files.count(SPARE_ROOT) == 0 {
        return None;
    }
    // What is there must not be touched; the spare may be useful another time.
    if !matches!(desk.workbench.thing(OsStr::new(DRAFT)), Ok(None)) {
        return None;
    }
    let tree = desk.index.spare;
    let usable = tree.filter(|_| is_as_recorded(desk, SPARE_ROOT));
    if usable.is_none() {
        let _ = discard(desk);
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
fn bring_back(desk: &mut Desk, states: &[BlobHash]) -> Result<bool, StoreError> {
    desk.note(states)?;
    desk.cut(Cut::Spare)?;
    if let Some(watch) = &desk.watch {
        watch.will_move(SPARE_ROOT, DRAFT);
    }
    // Fails if a person put something there in the meantime.
    if desk.private.rename(OsStr::new(SPARE), &desk.workbench, OsStr::new(DRAFT)).is_err() {
        let stayed = stayed(desk);
        let _ = discard(desk);
        return Ok(stayed);
    }
    desk.cut(Cut::Spare)?;
    sync(desk)?;
    desk.cut(Cut::Spare)?;
    Ok(true)
}

/// Makes a rename between the two folders durable.
fn sync(desk: &Desk) -> io::Result<()> {
    desk.workbench.sync()?;
    desk.private.sync()
}

/// Removes the spare from the index first, so that a partial one is never used.
pub(super) fn discard(desk: &mut Desk) -> io::Result<()> {
    desk.index.forget_spare();
    let spare = OsStr::new(SPARE);
    if desk.private.thing(spare)?.is_some() {
        // Its folders are watched, and all of them are removed.
        desk.watch = None;
        desk.private.remove_all(spare)?;
    }
    Ok(())
}

/// Creates an empty spare.
pub(super) fn make(desk: &Desk) -> io::Result<()> {
    Reach::default().to(desk, &format!("{SPARE_ROOT}/x"), Way::Make).map(drop)
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
