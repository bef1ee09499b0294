//! Checkpoints: named states.

use jig_contract::ops::{Checkpoint, CheckpointReason, JournalEntry};
use jig_contract::{Actor, Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::commit::{Change, CheckpointOf, Commit, NewCheckpoint};
use crate::db::{big, counted, parsed};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches::Head;

impl Store {
    /// The checkpoints of a workbench, newest first.
    pub async fn checkpoints(&self, id: &WorkbenchId) -> Result<Vec<Checkpoint>, StoreError> {
        self.head(id).await?;
        let rows = self.checkpoint_rows(id).await?;
        Ok(rows.into_iter().map(|(checkpoint, _)| checkpoint).collect())
    }

    /// The checkpoint with this id, or the newest with this name.
    pub async fn checkpoint(&self, id: &WorkbenchId, wanted: &str) -> Result<Checkpoint, StoreError> {
        self.head(id).await?;
        let sql = "SELECT id, name, created_at, reason, state, seq, made_by FROM checkpoints
                   WHERE workbench_id = $1 AND (id = $2 OR name = $2)
                   ORDER BY CASE WHEN id = $2 THEN 0 ELSE 1 END, made_by DESC LIMIT 1";
        // PostgreSQL texts cannot contain NUL, so nothing has such a name.
        let found = match wanted.contains('\0') {
            true => None,
            false => sqlx::query(sql).bind(id.as_str()).bind(wanted).fetch_optional(self.db().pool()).await?,
        };
        let row = found.ok_or_else(|| StoreError::CheckpointNotFound { wanted: wanted.to_owned() })?;
        Ok(read(&row)?.0)
    }

    /// Creates a checkpoint of the current state. The state does not change; the journal records the operation.
    pub async fn create_checkpoint(
        &self,
        id: &WorkbenchId,
        name: String,
        reason: CheckpointReason,
        actor: Actor,
    ) -> Result<(Checkpoint, Head, JournalEntry), StoreError> {
        loop {
            let head = self.head(id).await?;
            let new = NewCheckpoint { name: name.clone(), reason, of: CheckpointOf::Before };
            let summary = format!("created the checkpoint “{name}”");
            let change = Change::new(actor.clone(), "CheckpointCreate", summary, head.state).with_checkpoint(new);
            if let Commit::Done(head, entry) = self.commit(&head, change).await? {
                return Ok((self.checkpoint_made_by(id, entry.seq).await?, head, entry));
            }
        }
    }

    /// The checkpoint created by a change.
    pub async fn checkpoint_made_by(&self, id: &WorkbenchId, seq: u64) -> Result<Checkpoint, StoreError> {
        let sql = "SELECT id, name, created_at, reason, state, seq, made_by FROM checkpoints
                   WHERE workbench_id = $1 AND made_by = $2";
        Ok(read(&sqlx::query(sql).bind(id.as_str()).bind(big(seq)).fetch_one(self.db().pool()).await?)?.0)
    }

    /// The checkpoints with the numbers of the changes that created them, newest first.
    pub(crate) async fn checkpoint_rows(&self, id: &WorkbenchId) -> Result<Vec<(Checkpoint, u64)>, StoreError> {
        let sql = "SELECT id, name, created_at, reason, state, seq, made_by FROM checkpoints
                   WHERE workbench_id = $1 ORDER BY made_by DESC, id DESC";
        sqlx::query(sql).bind(id.as_str()).fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }
}

/// Inserts a checkpoint for this journal entry.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    id: &WorkbenchId,
    checkpoint: &Checkpoint,
    made_by: u64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO checkpoints (workbench_id, id, name, created_at, reason, state, seq, made_by)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    sqlx::query(sql)
        .bind(id.as_str())
        .bind(checkpoint.id.as_str())
        .bind(checkpoint.name.as_str())
        .bind(checkpoint.created_at.as_millis())
        .bind(reason_word(checkpoint.reason))
        .bind(checkpoint.state.to_string())
        .bind(big(checkpoint.seq))
        .bind(big(made_by))
        .execute(connection)
        .await?;
    Ok(())
}

fn read(row: &AnyRow) -> Result<(Checkpoint, u64), StoreError> {
    let checkpoint = Checkpoint {
        id: parsed(row, "id")?,
        name: row.try_get("name")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        reason: read_reason(row.try_get("reason")?)?,
        state: parsed(row, "state")?,
        seq: counted(row, "seq")?,
    };
    Ok((checkpoint, counted(row, "made_by")?))
}

const fn reason_word(reason: CheckpointReason) -> &'static str {
    match reason {
        CheckpointReason::Manual => "manual",
        CheckpointReason::Publish => "publish",
        CheckpointReason::Restore => "restore",
        CheckpointReason::Conflict => "conflict",
    }
}

fn read_reason(word: &str) -> Result<CheckpointReason, StoreError> {
    let all =
        [CheckpointReason::Manual, CheckpointReason::Publish, CheckpointReason::Restore, CheckpointReason::Conflict];
    let found = all.into_iter().find(|reason| reason_word(*reason) == word);
    found.ok_or_else(|| StoreError::row(format!("invalid reason of a checkpoint `{word}`")))
}
