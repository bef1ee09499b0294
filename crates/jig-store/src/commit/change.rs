//! Changes with optimistic concurrency: planned on a head, and planned again if another writer was faster.

use std::time::Duration;

use futures::future::BoxFuture;
use jig_contract::WorkbenchId;
use jig_contract::ops::JournalEntry;

use super::{Change, Commit};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches::Head;

/// The maximum number of attempts. With many writers on one workbench, each round lets one of them through.
const ROUNDS: u32 = 500;
/// The maximum pause between two attempts.
const PAUSE_MAX_MS: u64 = 20;

/// The effect of a change on one head.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    /// The change; `None` if there is nothing to do.
    pub change: Option<Change>,
    /// Paths that concurrent changes must not touch.
    pub touches: Vec<String>,
    /// The result for the caller.
    pub output: T,
}

impl<T> Plan<T> {
    /// A plan without a change.
    pub const fn nothing(output: T) -> Self {
        Self { change: None, touches: Vec::new(), output }
    }

    /// A plan with a change. It conflicts with concurrent changes at, above or below one of these paths, and is planned
    /// again after any other.
    pub const fn change(change: Change, touches: Vec<String>, output: T) -> Self {
        Self { change: Some(change), touches, output }
    }
}

impl Store {
    /// Plans a change on the current head and commits it. If another writer was faster, it is planned again on the new
    /// head, unless that writer touched the same paths: that is a conflict which lists them.
    ///
    /// The plan's future is boxed because an async closure cannot promise to be `Send`.
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

    /// Pauses for a randomised time, so that writers do not retry in lockstep.
    async fn pause(&self, round: u32) {
        let random = self.env().fresh_id().as_u64_pair().1;
        let most = u64::from(round).clamp(1, PAUSE_MAX_MS);
        tokio::time::sleep(Duration::from_millis(random % (most + 1))).await;
    }
}

/// Whether one path equals the other or is below it.
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
