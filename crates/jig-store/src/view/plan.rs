//! Plans a write: only paths that differ between two states are considered, whatever their size.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::BlobHash;

use super::index::Index;
use super::open_view::OpenView;
use super::{OutsideChange, OutsideKind, ROOTS, nodes};
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::FileNode;

/// A path and its intended content.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub path: String,
    /// What the state has there.
    pub want: Option<FileNode>,
    /// Contents that may be replaced there, besides that of the index.
    pub ours: Vec<BlobHash>,
}

type TargetNodes = BTreeMap<String, Option<FileNode>>;

/// The work of a write.
#[derive(Debug)]
pub(super) struct Plan {
    /// The paths to check, sorted.
    pub targets: Vec<Target>,
    /// Whether the index differs from the new state even where the files are right.
    pub stale: bool,
}

/// Compares what the folder shows with a state.
pub(super) async fn plan(
    store: &Store,
    open_view: &OpenView,
    state: BlobHash,
    settled: &[OutsideChange],
) -> Result<Plan, StoreError> {
    let mut wanted = changed(store, &open_view.index, state).await?;
    let unsure = unsure(store, open_view, settled).await?;
    let paths: Vec<&str> = unsure.iter().chain(&open_view.index.loose).map(String::as_str).collect();
    let at_paths = nodes::nodes(store, state, &paths).await?;
    wanted.extend(paths.iter().map(|path| ((*path).to_owned(), at_paths.get(*path).copied())));
    let stale = open_view.index.state.is_none() || !wanted.is_empty();
    wanted.retain(|path, want| unsure.contains(path) || !is_shown(&open_view.index, path, *want));
    let paths: Vec<&str> = wanted.keys().map(String::as_str).collect();
    let mut ours = nodes::known(store, &open_view.pending, &paths).await?;
    ours.push(settled.iter().filter_map(written).collect());
    let ours = |path: &str| ours.iter().filter_map(|files| files.get(path)).map(|node| node.hash).collect();
    let targets = wanted.iter().map(|(path, want)| Target { path: path.clone(), want: *want, ours: ours(path) });
    Ok(Plan { targets: targets.collect(), stale })
}

/// Paths where the folder may differ from the index: those of interrupted writes, and manual changes that the caller
/// has imported.
async fn unsure(
    store: &Store,
    open_view: &OpenView,
    settled: &[OutsideChange],
) -> Result<BTreeSet<String>, StoreError> {
    let mut unsure: BTreeSet<String> = settled.iter().map(|change| change.path.clone()).collect();
    for pending in &open_view.pending {
        match changed(store, &open_view.index, *pending).await {
            Ok(paths) => unsure.extend(paths.into_keys()),
            Err(error) if nodes::is_damage(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(unsure)
}

fn written(change: &OutsideChange) -> Option<(String, FileNode)> {
    match change.kind {
        OutsideKind::Written(node) => Some((change.path.clone(), node)),
        OutsideKind::Removed => None,
    }
}

fn is_shown(index: &Index, path: &str, want: Option<FileNode>) -> bool {
    index.files.get(path).map(|entry| entry.hash) == want.map(|node| node.hash)
}

/// The differences between the index's state and the new one; everything if the index has no state.
async fn changed(store: &Store, index: &Index, state: BlobHash) -> Result<TargetNodes, StoreError> {
    if let Some(base) = index.state {
        match differing(store, base, state).await {
            // The old state can no longer be read, but the new one may be intact.
            Err(error) if nodes::is_damage(&error) => {}
            found => return found,
        }
    }
    let mut wanted: TargetNodes = index.files.displayed_entries().map(|(path, _)| (path, None)).collect();
    wanted.extend(nodes::all(store, state).await?.into_iter().map(|(path, node)| (path, Some(node))));
    Ok(wanted)
}

async fn differing(store: &Store, base: BlobHash, state: BlobHash) -> Result<TargetNodes, StoreError> {
    let mut wanted = TargetNodes::new();
    for root in ROOTS {
        let before = nodes::folder(store, base, root).await?.map(|node| node.hash());
        let after = nodes::folder(store, state, root).await?.map(|node| node.hash());
        if before != after {
            let changes = store.diff(before, after).await?;
            wanted.extend(changes.into_iter().map(|change| (format!("{root}/{}", change.path), change.after)));
        }
    }
    Ok(wanted)
}

/// Whether two states show the same files. An unreadable state shows nothing.
pub(super) async fn shows_the_same(store: &Store, shown: Option<BlobHash>, head: BlobHash) -> Result<bool, StoreError> {
    let Some(shown) = shown else { return Ok(false) };
    if shown == head {
        return Ok(true);
    }
    for root in ROOTS {
        let before = match nodes::folder(store, shown, root).await {
            Err(error) if nodes::is_damage(&error) => return Ok(false),
            found => found?,
        };
        if before != nodes::folder(store, head, root).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The roots that must exist as folders. `published/` always does, because a person may want to put files there.
pub(super) async fn roots(store: &Store, state: BlobHash) -> Result<Vec<&'static str>, StoreError> {
    let mut roots = vec![ROOTS[0]];
    for root in &ROOTS[1..] {
        if nodes::folder(store, state, root).await?.is_some() {
            roots.push(root);
        }
    }
    // A Draft without files is still a Draft.
    if !roots.contains(&"draft") && store.lookup(state, "meta/draft.json").await?.is_some() {
        roots.push("draft");
    }
    Ok(roots)
}
