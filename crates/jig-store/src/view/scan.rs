//! Finds manual changes of the folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jig_contract::BlobHash;
use jig_contract::ops::LeftAlone;

use super::clash::Clashes;
use super::index::{Entry, Index};
use super::open_view::OpenView;
use super::suspect::{self, Suspect, Verdict};
use super::walk::{Left, Walk, WalkedFile};
use super::{OutsideChange, OutsideKind, ROOTS, Scan, View, ViewLimits, blocking, nodes, part, plan, why};
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::FileNode;

type Files = HashMap<String, FileNode>;

impl View {
    /// Finds manual changes since the view was last updated, and stores their content as blobs.
    ///
    /// Marks are compared first; only files that look different, or whose mark is too young to be reliable, are read.
    /// Changes are reported by every scan until a [`write`](Self::write) of a state that contains them. Content that
    /// the head has at the same path is never a change.
    pub async fn scan(&self, store: &Store, head: BlobHash, limits: &ViewLimits) -> Result<Scan, StoreError> {
        let view = self.clone();
        let (mut open_view, walk) = blocking(move || {
            view.give_back()?;
            let mut open_view = OpenView::open(&view)?;
            let walk = part::look(&mut open_view)?;
            Ok((open_view, walk))
        })
        .await?;
        let gone = gone(&open_view.index, &walk);
        let Walk { files, mut left, missing, .. } = walk;
        let odd = unlike(&open_view.index, files);
        let look = Look::new(store, head, limits, &open_view.pending, &gone, &odd).await?;
        let removed = look.removals(&mut open_view.index, gone);
        let odd = look.addable(&open_view.index, odd, &removed, &mut left).await?;
        let suspects = odd.into_iter().map(|found| look.suspect(&open_view.index, found)).collect();
        let (mut open_view, judged) = suspect::judge(open_view, store.blobs(), limits, suspects).await?;
        let written = settle(&mut open_view.index, judged, &mut left);
        let written = look.without_clashes(written, &removed, &mut left).await?;
        let behind = !open_view.index.loose.is_empty()
            || missing.contains(&ROOTS[0])
            || !plan::shows_the_same(store, open_view.index.state, head).await?;
        let scan = report(removed, written, left, behind);
        let again = again(&scan);
        blocking(move || {
            open_view.save_index()?;
            if let Some(watch) = &open_view.watch {
                again.iter().for_each(|path| watch.look_again(path));
            }
            open_view.keep();
            Ok(())
        })
        .await?;
        Ok(scan)
    }
}

/// The data that a scan compares the folder with.
struct Look<'a> {
    store: &'a Store,
    head: BlobHash,
    limits: &'a ViewLimits,
    /// The files of the head at the relevant paths.
    shown: Files,
    /// The files of the pending states there.
    pending: Vec<Files>,
}

impl<'a> Look<'a> {
    async fn new(
        store: &'a Store,
        head: BlobHash,
        limits: &'a ViewLimits,
        pending: &[BlobHash],
        gone: &[String],
        odd: &[WalkedFile],
    ) -> Result<Self, StoreError> {
        let paths: Vec<&str> = gone.iter().chain(odd.iter().map(|found| &found.path)).map(String::as_str).collect();
        let shown = nodes::nodes(store, head, &paths).await?;
        let pending = nodes::known(store, pending, &paths).await?;
        Ok(Self { store, head, limits, shown, pending })
    }

    /// Which of the missing files were removed manually. The others are dropped from the index.
    fn removals(&self, index: &mut Index, gone: Vec<String>) -> BTreeSet<String> {
        let by_hand =
            |path: &String| std::iter::once(&self.shown).chain(&self.pending).all(|files| files.contains_key(path));
        let (removed, ours): (Vec<_>, Vec<_>) = gone.into_iter().partition(by_hand);
        for path in ours {
            index.drop(&path);
            index.loosen(&path);
        }
        removed.into_iter().collect()
    }

    /// Excludes new files beyond the limit.
    async fn addable(
        &self,
        index: &Index,
        odd: Vec<WalkedFile>,
        removed: &BTreeSet<String>,
        left: &mut Left,
    ) -> Result<Vec<WalkedFile>, StoreError> {
        let is_new = |found: &WalkedFile| !index.files.contains(&found.path) && self.is_unheard_of(&found.path);
        if !odd.iter().any(is_new) {
            return Ok(odd);
        }
        let mut room = self.room(removed).await?;
        let mut addable = Vec::with_capacity(odd.len());
        for found in odd {
            if !is_new(&found) || room.take(&found.path) {
                addable.push(found);
            }
        }
        left.things.extend(room.refused(self.limits.files));
        Ok(addable)
    }

    /// Whether neither the head nor an interrupted write has a file at this path.
    fn is_unheard_of(&self, path: &str) -> bool {
        std::iter::once(&self.shown).chain(&self.pending).all(|files| !files.contains_key(path))
    }

    /// Excludes what conflicts with files of the head, so that importing the rest cannot fail.
    async fn without_clashes(
        &self,
        written: Vec<OutsideChange>,
        removed: &BTreeSet<String>,
        left: &mut Left,
    ) -> Result<Vec<OutsideChange>, StoreError> {
        let mut clashes = Clashes::new(self.store, self.head, removed);
        let mut fitting = Vec::with_capacity(written.len());
        for change in written {
            match clashes.of(&change.path).await? {
                Some(reason) => left.add(change.path, reason),
                None => fitting.push(change),
            }
        }
        Ok(fitting)
    }

    async fn room(&self, removed: &BTreeSet<String>) -> Result<Room, StoreError> {
        let mut room = Room::default();
        for root in ROOTS {
            let here = self.store.lookup(self.head, root).await?.map_or(0, |node| node.files());
            let gone = removed.iter().filter(|path| root_of(path) == Some(root)).count() as u64;
            room.free.insert(root, self.limits.files.saturating_sub(here.saturating_sub(gone)));
        }
        Ok(room)
    }

    fn suspect(&self, index: &Index, found: WalkedFile) -> Suspect {
        Suspect {
            entry: index.files.get(&found.path).copied(),
            head: self.shown.get(&found.path).copied(),
            pending: self.pending.iter().filter_map(|files| files.get(&found.path)).map(|node| node.hash).collect(),
            found,
        }
    }
}

/// How many more files each root may get.
#[derive(Default)]
struct Room {
    free: BTreeMap<&'static str, u64>,
    refused: BTreeMap<&'static str, usize>,
}

impl Room {
    fn take(&mut self, path: &str) -> bool {
        let Some(root) = root_of(path) else { return false };
        match self.free.get_mut(root) {
            Some(free) if *free > 0 => *free -= 1,
            _ => {
                *self.refused.entry(root).or_default() += 1;
                return false;
            }
        }
        true
    }

    /// One line per root, because a list of a million files helps no one.
    fn refused(self, limit: u64) -> impl Iterator<Item = LeftAlone> {
        let line =
            move |(root, more): (&str, usize)| LeftAlone { path: root.to_owned(), reason: why::too_many(more, limit) };
        self.refused.into_iter().map(line)
    }
}

/// The files of the index that are missing in the folder, where they would be visible.
fn gone(index: &Index, walk: &Walk) -> Vec<String> {
    let there: HashSet<&str> = walk.files.iter().map(|found| found.path.as_str()).collect();
    let is_gone = |path: &String| !there.contains(path.as_str()) && !walk.left.hides(path);
    let known = |(path, _)| Some(path).filter(is_gone);
    let mut gone: Vec<String> = match &walk.scope {
        None => index.files.displayed_entries().filter_map(known).collect(),
        Some(folders) => folders.iter().flat_map(|folder| directly_in(index, folder).filter_map(known)).collect(),
    };
    gone.sort();
    gone
}

/// The files of a folder, without those of its subfolders.
fn directly_in<'a>(index: &'a Index, folder: &str) -> impl Iterator<Item = (String, &'a Entry)> + use<'a> {
    let start = folder.len() + 1;
    index.files.below(folder).filter(move |(path, _)| !path[start..].contains('/'))
}

/// Paths to check again in the next scan even without activity, because findings are reported until they are imported.
fn again(scan: &Scan) -> Vec<String> {
    let changes = scan.changes.iter().map(|change| change.path.clone());
    changes.chain(scan.left_alone.iter().map(|thing| thing.path.clone())).collect()
}

/// The files that differ from the index, or whose mark is unreliable.
fn unlike(index: &Index, files: Vec<WalkedFile>) -> Vec<WalkedFile> {
    let same =
        |found: &WalkedFile| index.files.get(&found.path).is_some_and(|entry| entry.mark == found.mark && !entry.young);
    files.into_iter().filter(|found| !same(found)).collect()
}

/// Applies the verdicts to the index and returns the manual changes.
fn settle(index: &mut Index, judged: Vec<(Suspect, Verdict)>, left: &mut Left) -> Vec<OutsideChange> {
    let mut written = Vec::new();
    for (suspect, verdict) in judged {
        let path = suspect.found.path;
        match verdict {
            Verdict::Own(entry) => {
                // Newer than the index's state: the next write compares it by itself.
                if suspect.entry.is_none_or(|before| before.hash != entry.hash) {
                    index.loosen(&path);
                }
                index.put(&path, entry);
            }
            Verdict::Outside(node) => written.push(OutsideChange { path, kind: OutsideKind::Written(node) }),
            Verdict::Left(reason) => left.add(path, reason),
        }
    }
    written
}

fn report(removed: BTreeSet<String>, written: Vec<OutsideChange>, left: Left, behind: bool) -> Scan {
    let removed = removed.into_iter().map(|path| OutsideChange { path, kind: OutsideKind::Removed });
    let mut left_alone = left.things;
    left_alone.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    Scan { changes: removed.chain(written).collect(), left_alone, behind }
}

fn root_of(path: &str) -> Option<&'static str> {
    ROOTS.into_iter().find(|root| path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/')))
}
