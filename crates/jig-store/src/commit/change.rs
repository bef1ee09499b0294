//! Changes that are planned on a head and planned again when someone else was faster.

use std::time::Duration;

use futures::future::BoxFuture;
use jig_contract::WorkbenchId;
use jig_contract::ops::JournalEntry;

use super::{Change, Commit};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches::Head;

/// How often a change is planned before giving up. With many writers on one workbench each round lets
/// one of them through.
const ROUNDS: u32 = 500;
/// The longest pause between two rounds.
const PAUSE_MAX_MS: u64 = 20;

/// What a change would do to one head.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    /// The change; none when there is nothing to do.
    pub change: Option<Change>,
    /// Files and folders that must not have been changed by others meanwhile.
    pub touches: Vec<String>,
    /// What the caller gets.
    pub output: T,
}

impl<T> Plan<T> {
    /// Nothing is to be done.
    pub const fn nothing(output: T) -> Self {
        Self { change: None, touches: Vec::new(), output }
    }

    /// This is to be done. It conflicts with changes of others in or above one of these paths, and
    /// is planned again after any other.
    pub const fn change(change: Change, touches: Vec<String>, output: T) -> Self {
        Self { change: Some(change), touches, output }
    }
}

impl Store {
    /// Plans a change on the present head and makes it. When someone else was faster it is planned
    /// again on their head, unless they changed what it touches: then it is a conflict that names
    /// what they changed.
    ///
    /// The plan's future is boxed: an async closure could not promise to be `Send`.
    pub async fn change<'p, T: Send, E: From<StoreError> + Send>(
        &self,
        id: &WorkbenchId,
        plan: impl Fn(Head) -> BoxFuture<'p, Result<Plan<T>, E>> + Send + Sync,
    ) -> Result<(T, Option<(Head, JournalEntry)>), E> {
        let mut head = self.head(id).await?;
        let mut round = 0;
        loop {
            let planned = plan(head.clone()).await?;
            let Some(change) = planned.change else {
                return Ok((planned.output, None));
            };
            if let Commit::Done(head, entry) = self.commit(&head, change).await? {
                return Ok((planned.output, Some((head, entry))));
            }
            round += 1;
            let before = std::mem::replace(&mut head, self.head(id).await?);
            self.check_conflict(&before, &head, &planned.touches, round).await?;
            self.pause(round).await;
        }
    }

    async fn check_conflict(
        &self,
        mine: &Head,
        theirs: &Head,
        touches: &[String],
        round: u32,
    ) -> Result<(), StoreError> {
        let changes = self.diff(Some(mine.state), Some(theirs.state)).await?;
        let mut paths: Vec<String> = changes.into_iter().map(|change| change.path).collect();
        if round < ROUNDS {
            paths.retain(|path| touches.iter().any(|touched| related(path, touched)));
            if paths.is_empty() {
                return Ok(());
            }
        }
        Err(StoreError::Conflict { paths })
    }

    /// Waits a little, not for the same time as the others.
    async fn pause(&self, round: u32) {
        let random = self.env().fresh_id().as_u64_pair().1;
        let most = u64::from(round).clamp(1, PAUSE_MAX_MS);
        tokio::time::sleep(Duration::from_millis(random % (most + 1))).await;
    }
}

/// Whether one path is the other, or lies below it.
fn related(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(a, b) || within(b, a)
}

#[cfg(test)]
mod tests {
    use super::related;

    #[test]
    fn a_path_is_related_to_itself_and_to_what_is_above_and_below() {
        for (a, b) in [("a", "a"), ("a/b", "a"), ("a", "a/b/c")] {
            assert!(related(a, b), "{a} {b}");
        }
        for (a, b) in [("a", "ab"), ("a/b", "a/c"), ("a/bc", "a/b")] {
            assert!(!related(a, b), "{a} {b}");
        }
    }
}
