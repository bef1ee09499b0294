//! The single write path: store blobs, then move the head together with its journal entry.

mod change;

use jig_contract::ops::{Checkpoint, CheckpointReason, JournalEntry};
use jig_contract::{Actor, BlobHash, CheckpointId};
use sqlx::AnyConnection;

use crate::db::big;
use crate::error::StoreError;
use crate::messages::NewMessage;
use crate::store::Store;
use crate::workbenches::Head;
use crate::{checkpoints, journal, projections};

pub use change::Plan;

/// A prepared change, whose blobs are stored.
#[derive(Clone, Debug)]
pub struct Change {
    /// The author.
    pub actor: Actor,
    /// The name of the operation.
    pub operation: String,
    /// A one-line summary.
    pub summary: String,
    /// The state after it.
    pub state: BlobHash,
    /// For an undo or redo: the change that it undoes or redoes.
    pub target: Option<u64>,
    /// A checkpoint to create with it.
    pub checkpoint: Option<NewCheckpoint>,
    /// Messages to add to the conversation.
    pub messages: Vec<NewMessage>,
    /// A new name for the workbench.
    pub(crate) rename: Option<String>,
    /// The change in effect afterwards, if not this one.
    pub(crate) position: Option<u64>,
}

/// A checkpoint to create with a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// Its name.
    pub name: String,
    /// Why it is created.
    pub reason: CheckpointReason,
    /// Which state it refers to.
    pub of: CheckpointOf,
}

/// The state of a change that a checkpoint refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointOf {
    /// The state before the change.
    Before,
    /// The state after the change.
    After,
}

/// The result of a commit.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "the large one is the usual one")]
pub enum Commit {
    /// The change was committed.
    Done(Head, JournalEntry),
    /// Another writer was faster: the head is no longer the one the change is based on. Nothing was written.
    Moved,
}

impl Change {
    /// A change to this state.
    pub fn new(actor: Actor, operation: impl Into<String>, summary: impl Into<String>, state: BlobHash) -> Self {
        Self {
            actor,
            operation: operation.into(),
            summary: summary.into(),
            state,
            target: None,
            checkpoint: None,
            messages: Vec::new(),
            rename: None,
            position: None,
        }
    }

    /// Also creates this checkpoint.
    #[must_use]
    pub fn with_checkpoint(mut self, checkpoint: NewCheckpoint) -> Self {
        self.checkpoint = Some(checkpoint);
        self
    }

    /// Also adds these messages to the conversation.
    #[must_use]
    pub fn with_messages(mut self, messages: Vec<NewMessage>) -> Self {
        self.messages = messages;
        self
    }
}

impl Store {
    /// Commits a change based on `head` in one transaction: head, journal entry, checkpoint, messages, projections and
    /// asset references.
    pub async fn commit(&self, head: &Head, change: Change) -> Result<Commit, StoreError> {
        // Read before the transaction to keep it short; states are immutable.
        let projected = projections::changed(self, head.state, change.state).await?;
        let at = self.env().now();
        let mut write = self.db().write().await?;
        let connection = write.connection();
        let moved = move_head(connection, head, &change, at.as_millis()).await?;
        if !moved {
            let exists = crate::workbenches::find(connection, &head.id).await?.is_some();
            return if exists { Ok(Commit::Moved) } else { Err(StoreError::WorkbenchNotFound { id: head.id.clone() }) };
        }
        let row = self.journal_row(connection, head, &change, at).await?;
        journal::insert(connection, self.db().dialect(), &head.id, &row).await?;
        if let Some(new) = &change.checkpoint {
            let checkpoint = self.checkpoint_of(head, &row.entry, new)?;
            checkpoints::insert(connection, &head.id, &checkpoint, row.entry.seq).await?;
        }
        for message in &change.messages {
            self.write_message(connection, &head.id, message, at, Some(row.entry.seq)).await?;
        }
        projections::apply(connection, self.db().dialect(), &head.id, &projected, self.asset_end()).await?;
        write.commit().await?;
        let head = Head {
            id: head.id.clone(),
            name: change.rename.unwrap_or_else(|| head.name.clone()),
            state: change.state,
            seq: row.entry.seq,
            created_at: head.created_at,
            updated_at: at,
        };
        Ok(Commit::Done(head, row.entry))
    }

    async fn journal_row(
        &self,
        connection: &mut AnyConnection,
        head: &Head,
        change: &Change,
        at: jig_contract::Timestamp,
    ) -> Result<journal::Row, StoreError> {
        let seq = head.seq + 1;
        let before = journal::position(connection, &head.id, head.seq).await?;
        // An entry that does not change the state takes no part in undo.
        let position = change.position.unwrap_or(if change.state == head.state { before } else { seq });
        let entry = JournalEntry {
            seq,
            at,
            actor: change.actor.clone(),
            operation: change.operation.clone(),
            // PostgreSQL texts cannot contain NUL.
            summary: change.summary.replace('\0', "\u{fffd}"),
            state_before: head.state,
            state_after: change.state,
            target: change.target,
        };
        Ok(journal::Row { entry, position, parent_position: before })
    }

    fn checkpoint_of(&self, head: &Head, entry: &JournalEntry, new: &NewCheckpoint) -> Result<Checkpoint, StoreError> {
        let (state, seq) = match new.of {
            CheckpointOf::Before => (entry.state_before, head.seq),
            CheckpointOf::After => (entry.state_after, entry.seq),
        };
        let id = CheckpointId::new(self.env().fresh_id().to_string()).map_err(StoreError::row)?;
        Ok(Checkpoint { id, name: new.name.clone(), created_at: entry.at, reason: new.reason, state, seq })
    }
}

/// Moves the head if it has not changed. The state is compared too, because a workbench may have been deleted and
/// created again with the same id.
async fn move_head(connection: &mut AnyConnection, head: &Head, change: &Change, at: i64) -> Result<bool, StoreError> {
    let sql = "UPDATE workbenches SET head = $1, name = $2, generation = generation + 1, updated_at = $3
               WHERE id = $4 AND generation = $5 AND head = $6 AND created_at = $7";
    let moved = sqlx::query(sql)
        .bind(change.state.to_string())
        .bind(change.rename.as_ref().unwrap_or(&head.name).as_str())
        .bind(at)
        .bind(head.id.as_str())
        .bind(big(head.seq))
        .bind(head.state.to_string())
        .bind(head.created_at.as_millis())
        .execute(connection)
        .await?;
    Ok(moved.rows_affected() == 1)
}
