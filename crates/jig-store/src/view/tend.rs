//! Keeps the spare equal to `published/`, so that the next Draft finds its folder ready.
//!
//! The cost is proportional to the changes. A missing spare is only created by a write that showed all files of
//! `published/` itself; any other would pay for files that it did not change.

use jig_contract::BlobHash;

use super::files::SPARE_ROOT;
use super::open_view::OpenView;
use super::plan::Target;
use super::write::Work;
use super::{View, blocking, nodes, spare};
use crate::error::StoreError;
use crate::store::Store;

/// The minimum free space, so that a spare never fills a disk.
const ROOM: u64 = 256 * 1024 * 1024;

/// Updates the spare to `published/` of a state without a Draft. A failure is not an error: the files of the next Draft
/// are then copied.
pub(super) async fn tend(view: &View, store: &Store, open_view: OpenView, state: BlobHash, written: u64) {
    let tended = match goal(store, &open_view, state, written).await {
        Ok(Some(goal)) => bring(store, open_view, goal).await,
        Ok(None) => Ok(Some(open_view)),
        Err(error) => Err(error),
    };
    match tended {
        Ok(Some(open_view)) => open_view.keep(),
        Ok(None) => give_up(view, "something is in its way").await,
        Err(error) => give_up(view, &error.to_string()).await,
    }
}

/// The intended change of the spare.
struct Goal {
    tree: BlobHash,
    /// Whether it does not exist yet.
    fresh: bool,
    targets: Vec<Target>,
}

/// `None` if the spare is up to date, or not to be created.
async fn goal(store: &Store, open_view: &OpenView, state: BlobHash, written: u64) -> Result<Option<Goal>, StoreError> {
    let published = nodes::folder(store, state, "published").await?;
    let tree = match published {
        Some(node) => node.hash(),
        None => store.empty_tree().await?,
    };
    let fresh = open_view.index.spare.is_none();
    let all_new = written >= published.map_or(0, |node| node.files());
    if open_view.index.spare == Some(tree) || (fresh && !all_new) {
        return Ok(None);
    }
    let changes = store.diff(open_view.index.spare, Some(tree)).await?;
    let needed: u64 = changes.iter().filter_map(|change| change.after).map(|node| node.bytes).sum();
    if open_view.private.room()? < needed.saturating_add(ROOM) {
        return if fresh { Ok(None) } else { Err(StoreError::DiskFull) };
    }
    let target = |path: String, want| Target { path: format!("{SPARE_ROOT}/{path}"), want, ours: Vec::new() };
    let targets = changes.into_iter().map(|change| target(change.path, change.after)).collect();
    Ok(Some(Goal { tree, fresh, targets }))
}

/// `None` if the spare could not be updated.
async fn bring(store: &Store, mut open_view: OpenView, goal: Goal) -> Result<Option<OpenView>, StoreError> {
    if goal.fresh {
        open_view = blocking(move || {
            // The content of an existing folder is unknown.
            spare::discard(&mut open_view)?;
            spare::make(&open_view)?;
            Ok(open_view)
        })
        .await?;
    }
    let work = Work::behind_the_scenes(open_view).carry_out(store, goal.targets).await?;
    blocking(move || {
        let Some(mut open_view) = work.end()? else { return Ok(None) };
        open_view.index.show_spare(goal.tree);
        open_view.save_index()?;
        Ok(Some(open_view))
    })
    .await
}

async fn give_up(view: &View, reason: &str) {
    tracing::debug!("no folder is prepared for the next Draft: {reason}");
    let view = view.clone();
    // What is left of it is removed with the next spare at the latest; until then it is not used.
    let _ = blocking(move || view.drop_spare()).await;
}
