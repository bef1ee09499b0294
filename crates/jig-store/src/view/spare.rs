//! The spare: the folder of the Draft that went last, kept for the next one.
//!
//! A Draft starts as a copy of `published/`, so what the last one left behind is nearly what the next one
//! needs. When a Draft goes, its folder is moved to `.jig/spare` as a whole; when one comes, the folder
//! is moved back and only what differs is written. Both cost the same however many files there are, but
//! for one look at their marks.
//!
//! The spare is a cache. It is kept only when `draft/` holds exactly what the index says, and used only
//! when it still does; in any doubt it is removed and the files are handled one by one.
//!
//! On its way out the folder stands at `.jig/leaving` until it was looked at once more: a file that a
//! person saved a moment before the move is then seen, and the folder goes back. After a crash it does too.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use jig_contract::BlobHash;

use super::alike::alike;
use super::desk::{Cut, Desk, PRIVATE, open_private, read_own};
use super::folder::Folder;
use super::index::Index;
use super::{OutsideChange, View, blocking, nodes};
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::Node;
use crate::trees::TreeEdit;

const DRAFT: &str = "draft";
const SPARE: &str = "spare";
const LEAVING: &str = "leaving";
/// What the spare holds: the files as in the index, and the Draft's tree in place of the state.
const RECORD: &str = "spare-index";

/// What became of the Draft's folder before a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It stays as it is: the write handles its files one by one.
    Stayed,
    /// It was put away with this many files.
    Away(u64),
    /// The spare took its place.
    Back,
}

impl View {
    /// Whether a spare is kept.
    pub fn has_spare(&self) -> bool {
        self.folder.join(PRIVATE).join(SPARE).is_dir()
    }

    /// Removes the spare, which is kept to show the next Draft fast. It takes as much room as the last
    /// Draft's folder did; without it the next Draft's files are copied. False when there is none.
    ///
    /// The caller holds the [lock](Self::lock). This blocks.
    pub fn drop_spare(&self) -> Result<bool, StoreError> {
        match Folder::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => drop(opened.map_err(|e| StoreError::io(&self.folder, e))?),
        }
        let private = open_private(&self.folder)?.1;
        let there = private.thing(OsStr::new(SPARE))?.is_some();
        discard(&private)?;
        Ok(there)
    }

    /// Puts a folder back that was on its way out when a write was cut off: nobody has looked yet
    /// whether a person's file went along.
    pub(super) fn give_back(&self) -> Result<(), StoreError> {
        let (workbench, private) = open_private(&self.folder)?;
        Ok(give_back(&workbench, &private)?)
    }
}

/// Moves the Draft's folder out of the way or back, when the state asks for it and there is no doubt.
/// The desk's index then says what the folder shows; the caller saves it with the write.
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

/// Whether `draft/` shows what the index's state has, as far as Jig knows without looking.
fn is_sure(desk: &Desk, settled: &[OutsideChange]) -> bool {
    let in_draft = |path: &str| Path::new(path).starts_with(DRAFT);
    desk.pending.is_empty()
        && !desk.index.loose.iter().any(|path| in_draft(path))
        && !settled.iter().any(|change| in_draft(&change.path))
}

/// None for what is lost or damaged.
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
    let (desk, record) = blocking(move || {
        let record = record_draft(&desk, draft);
        Ok((desk, record))
    })
    .await?;
    let Some(record) = record else { return Ok((desk, Turn::Stayed)) };
    let without = store.edit(base, &[TreeEdit::Remove { path: DRAFT.to_owned() }]).await?;
    blocking(move || {
        let mut desk = desk;
        if !put_away(&mut desk, &record, state)? {
            return Ok((desk, Turn::Stayed));
        }
        desk.index.files.retain(|path, _| !record.files.contains_key(path));
        desk.index.state = Some(without);
        Ok((desk, Turn::Away(record.files.len() as u64)))
    })
    .await
}

/// What `draft/` holds; none when that is not exactly what the index says.
pub(super) fn record_draft(desk: &Desk, draft: Node) -> Option<Index> {
    let files = desk.index.below(DRAFT).map(|(path, entry)| (path.clone(), *entry)).collect();
    let record = Index { state: Some(draft.hash()), files, ..Index::default() };
    let complete = record.files.len() as u64 == draft.files();
    if complete { alike(desk, Path::new(DRAFT), DRAFT, &record) } else { None }
}

/// Moves `draft/` away; false when it is back in its place, to be handled file by file.
pub(super) fn put_away(desk: &mut Desk, record: &Index, state: BlobHash) -> Result<bool, StoreError> {
    desk.note(&[state])?;
    desk.cut(Cut::Spare)?;
    // An older spare that cannot be removed stands in the way below.
    let _ = discard(&desk.private);
    if desk.save(RECORD, &record.encode()).is_err() {
        return Ok(false);
    }
    desk.cut(Cut::Spare)?;
    if desk.workbench.rename(OsStr::new(DRAFT), &desk.private, OsStr::new(LEAVING)).is_err() {
        return Ok(false);
    }
    desk.cut(Cut::Spare)?;
    // From here on nothing can be saved into it by its path; this sees what came just before.
    let same = alike(desk, &private_place(LEAVING), DRAFT, record).is_some();
    if !same || desk.private.rename(OsStr::new(LEAVING), &desk.private, OsStr::new(SPARE)).is_err() {
        give_back(&desk.workbench, &desk.private)?;
        return Ok(false);
    }
    desk.cut(Cut::Spare)?;
    sync(desk)?;
    Ok(true)
}

async fn back(store: &Store, desk: Desk, base: BlobHash, state: BlobHash) -> Result<(Desk, Turn), StoreError> {
    let (desk, record) = blocking(move || {
        let record = usable(&desk);
        Ok((desk, record))
    })
    .await?;
    let Some((tree, record)) = record else { return Ok((desk, Turn::Stayed)) };
    // Noted before the move, so that files of the spare's tree count as Jig's own after a crash.
    let Some(with) = readable(with_draft(store, base, tree, record.files.len()).await)?.flatten() else {
        let _ = discard(&desk.private);
        return Ok((desk, Turn::Stayed));
    };
    blocking(move || {
        let mut desk = desk;
        if !bring_back(&mut desk, &[with, state])? {
            return Ok((desk, Turn::Stayed));
        }
        desk.index.files.extend(record.files);
        desk.index.state = Some(with);
        Ok((desk, Turn::Back))
    })
    .await
}

/// The Draft's tree in the spare and its files, when it can take the place of `draft/`. Else it is removed.
fn usable(desk: &Desk) -> Option<(BlobHash, Index)> {
    // Whatever stands there is not to be touched; the spare may serve another time.
    if !matches!(desk.workbench.thing(OsStr::new(DRAFT)), Ok(None)) {
        return None;
    }
    let bytes = read_own(&desk.private, RECORD).ok().flatten();
    let record = bytes.and_then(|bytes| Index::decode(&bytes));
    let record = record.and_then(|record| alike(desk, &private_place(SPARE), DRAFT, &record));
    let usable = record.and_then(|record| Some((record.state?, record)));
    if usable.is_none() {
        let _ = discard(&desk.private);
    }
    usable
}

/// The state with this tree as its Draft; none when that has not this many files.
async fn with_draft(
    store: &Store,
    base: BlobHash,
    tree: BlobHash,
    files: usize,
) -> Result<Option<BlobHash>, StoreError> {
    let node = store.tree(&tree).await?.node(tree);
    if node.files() != files as u64 {
        return Ok(None);
    }
    let edit = TreeEdit::Folder { path: DRAFT.to_owned(), node };
    store.edit(base, &[edit]).await.map(Some)
}

/// Moves the spare to `draft/`; false when it could not be.
fn bring_back(desk: &mut Desk, states: &[BlobHash]) -> Result<bool, StoreError> {
    desk.note(states)?;
    desk.cut(Cut::Spare)?;
    // This fails when a person put something there meanwhile.
    let moved = desk.private.rename(OsStr::new(SPARE), &desk.workbench, OsStr::new(DRAFT)).is_ok();
    if moved {
        desk.cut(Cut::Spare)?;
        sync(desk)?;
    }
    let _ = discard(&desk.private);
    desk.cut(Cut::Spare)?;
    Ok(moved)
}

/// Makes a move between the two folders outlast a power cut.
fn sync(desk: &Desk) -> io::Result<()> {
    desk.workbench.sync()?;
    desk.private.sync()
}

/// Removes the spare, its record first: without that nobody uses a half of it.
fn discard(private: &Folder) -> io::Result<()> {
    private.remove_all(OsStr::new(RECORD))?;
    private.remove_all(OsStr::new(SPARE))
}

/// Puts a folder on its way out back in its place. Where something else stands there by now, it
/// gets a name beside it: a person may have a file in each.
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
