//! Undo and redo move through the changes and append an entry for each step.
//!
//! Every entry records which change is in effect after it (its *position*) and before it. Undoing the change in effect
//! restores the state and position before it; redo goes the other way, as long as there was no new change since.
//! Entries that do not change the state keep the position, so undo skips them.

use jig_contract::ops::JournalEntry;
use jig_contract::{Actor, BlobHash, WorkbenchId};

use super::{JournalQuery, Row};
use crate::commit::{Change, Commit};
use crate::db::{big, counted};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches::Head;

pub(super) const UNDO: &str = "JournalUndo";
pub(super) const REDO: &str = "JournalRedo";

/// A step: the change that it concerns, and the resulting state.
struct Step {
    change: Row,
    operation: &'static str,
    verb: &'static str,
    state: BlobHash,
    position: u64,
}

/// The direction of a step.
#[derive(Clone, Copy)]
enum Direction {
    Back,
    Forward,
}

impl Store {
    /// Undoes the change in effect; repeated calls continue backwards. Returns the change and the new entry.
    pub async fn undo(&self, id: &WorkbenchId, actor: Actor) -> Result<(JournalEntry, JournalEntry), StoreError> {
        let undone = self.walk(id, actor, Direction::Back, |_| true).await?;
        undone.map_err(|_| StoreError::NothingToUndo)
    }

    /// Undoes the change in effect if it is one that the caller may undo; otherwise returns that change. The check and
    /// the undo concern the same change, whoever else writes meanwhile.
    pub async fn undo_if(
        &self,
        id: &WorkbenchId,
        actor: Actor,
        may: impl Fn(&JournalEntry) -> bool + Send,
    ) -> Result<Result<(JournalEntry, JournalEntry), JournalEntry>, StoreError> {
        self.walk(id, actor, Direction::Back, may).await
    }

    /// Redoes the change that was undone last. Returns the change and the new entry.
    pub async fn redo(&self, id: &WorkbenchId, actor: Actor) -> Result<(JournalEntry, JournalEntry), StoreError> {
        let redone = self.walk(id, actor, Direction::Forward, |_| true).await?;
        redone.map_err(|_| StoreError::NothingToRedo)
    }

    /// Takes a step. Computes it again if another writer was faster.
    async fn walk(
        &self,
        id: &WorkbenchId,
        actor: Actor,
        direction: Direction,
        may: impl Fn(&JournalEntry) -> bool + Send,
    ) -> Result<Result<(JournalEntry, JournalEntry), JournalEntry>, StoreError> {
        loop {
            let head = self.head(id).await?;
            let step = match direction {
                Direction::Back => self.undo_step(&head).await?,
                Direction::Forward => self.redo_step(&head).await?,
            };
            let entry = step.change.entry;
            if !may(&entry) {
                return Ok(Err(entry));
            }
            let summary = format!("{} “{}”", step.verb, entry.summary);
            let mut change = Change::new(actor.clone(), step.operation, summary, step.state);
            change.target = Some(entry.seq);
            change.position = Some(step.position);
            if let Commit::Done(_, row) = self.commit(&head, change).await? {
                return Ok(Ok((entry, row)));
            }
        }
    }

    async fn undo_step(&self, head: &Head) -> Result<Step, StoreError> {
        let position = self.row(&head.id, head.seq).await?.position;
        if position == 0 {
            return Err(StoreError::NothingToUndo);
        }
        let change = self.row(&head.id, position).await?;
        let (state, position) = (change.entry.state_before, change.parent_position);
        Ok(Step { change, operation: UNDO, verb: "undid", state, position })
    }

    async fn redo_step(&self, head: &Head) -> Result<Step, StoreError> {
        let position = self.row(&head.id, head.seq).await?.position;
        // The latest undo that led here, unless there was a new change after it.
        let sql = "SELECT target FROM journal WHERE workbench_id = $1 AND operation = $2 AND position = $3 AND seq >
                       COALESCE((SELECT MAX(seq) FROM journal WHERE workbench_id = $1 AND position = seq), 0)
                   ORDER BY seq DESC LIMIT 1";
        let query = sqlx::query(sql).bind(head.id.as_str()).bind(UNDO).bind(big(position));
        let Some(found) = query.fetch_optional(self.db().pool()).await? else {
            return Err(StoreError::NothingToRedo);
        };
        let change = self.row(&head.id, counted(&found, "target")?).await?;
        let (state, position) = (change.entry.state_after, change.entry.seq);
        Ok(Step { change, operation: REDO, verb: "redid", state, position })
    }

    async fn row(&self, id: &WorkbenchId, seq: u64) -> Result<Row, StoreError> {
        let query = JournalQuery::Before { seq: Some(seq + 1), limit: 1 };
        let found = self.journal_rows(id, query).await?.into_iter().next().filter(|row| row.entry.seq == seq);
        found.ok_or_else(|| StoreError::row(format!("the journal of {id} lacks row {seq}")))
    }
}
