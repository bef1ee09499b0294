//! The journal: one append-only row per change. Undo and redo are changes like any other.

mod links;
mod undo;

use jig_contract::ops::JournalEntry;
use jig_contract::{Actor, Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::db::{Dialect, big, counted, parsed};
use crate::error::StoreError;
use crate::store::Store;

pub(crate) use links::broken_links;

/// A query for journal entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalQuery {
    /// Newest first: all entries, or those before a number.
    Before {
        /// The upper bound, exclusive; `None` for all.
        seq: Option<u64>,
        /// The maximum number of entries.
        limit: u32,
    },
    /// Oldest first, after a number.
    After {
        /// The lower bound, exclusive.
        seq: u64,
        /// The maximum number of entries.
        limit: u32,
    },
}

/// An entry with its position in the undo history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) entry: JournalEntry,
    /// The change in effect after this entry: its number, or 0 at the start.
    pub(crate) position: u64,
    /// The change in effect before this entry.
    pub(crate) parent_position: u64,
}

impl Store {
    /// Entries of a workbench's journal.
    pub async fn journal(&self, id: &WorkbenchId, query: JournalQuery) -> Result<Vec<JournalEntry>, StoreError> {
        self.head(id).await?;
        let rows = self.journal_rows(id, query).await?;
        Ok(rows.into_iter().map(|row| row.entry).collect())
    }

    pub(crate) async fn journal_rows(&self, id: &WorkbenchId, query: JournalQuery) -> Result<Vec<Row>, StoreError> {
        let (sql, seq, limit) = match query {
            JournalQuery::Before { seq, limit } => (
                "SELECT seq, at, CAST(actor AS TEXT) AS actor, operation, summary, state_before, state_after, target,
                        position, parent_position
                 FROM journal WHERE workbench_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3",
                seq.map_or(i64::MAX, big),
                limit,
            ),
            JournalQuery::After { seq, limit } => (
                "SELECT seq, at, CAST(actor AS TEXT) AS actor, operation, summary, state_before, state_after, target,
                        position, parent_position
                 FROM journal WHERE workbench_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
                big(seq),
                limit,
            ),
        };
        let query = sqlx::query(sql).bind(id.as_str()).bind(seq).bind(i64::from(limit));
        query.fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }
}

/// Inserts an entry.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    row: &Row,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO journal (workbench_id, seq, at, actor, operation, summary, state_before, state_after,
                                    target, position, parent_position)
               VALUES ($1, $2, $3, CAST($4 AS {json}), $5, $6, $7, $8, $9, $10, $11)";
    let entry = &row.entry;
    sqlx::query(dialect.sql(sql))
        .bind(id.as_str())
        .bind(big(entry.seq))
        .bind(entry.at.as_millis())
        .bind(serde_json::to_string(&entry.actor).map_err(StoreError::row)?)
        .bind(entry.operation.as_str())
        .bind(entry.summary.as_str())
        .bind(entry.state_before.to_string())
        .bind(entry.state_after.to_string())
        .bind(entry.target.map(big))
        .bind(big(row.position))
        .bind(big(row.parent_position))
        .execute(connection)
        .await?;
    Ok(())
}

/// The change in effect after an entry.
pub(crate) async fn position(connection: &mut AnyConnection, id: &WorkbenchId, seq: u64) -> Result<u64, StoreError> {
    let sql = "SELECT position FROM journal WHERE workbench_id = $1 AND seq = $2";
    let row = sqlx::query(sql).bind(id.as_str()).bind(big(seq)).fetch_optional(connection).await?;
    row.map_or_else(
        || Err(StoreError::row(format!("the journal of {id} lacks row {seq}"))),
        |row| counted(&row, "position"),
    )
}

fn read(row: &AnyRow) -> Result<Row, StoreError> {
    let actor: String = row.try_get("actor")?;
    let actor: Actor = serde_json::from_str(&actor).map_err(|e| StoreError::row(format!("actor: {e}")))?;
    let target: Option<i64> = row.try_get("target")?;
    let entry = JournalEntry {
        seq: counted(row, "seq")?,
        at: Timestamp::from_millis(row.try_get("at")?),
        actor,
        operation: row.try_get("operation")?,
        summary: row.try_get("summary")?,
        state_before: parsed(row, "state_before")?,
        state_after: parsed(row, "state_after")?,
        target: target.and_then(|target| u64::try_from(target).ok()),
    };
    Ok(Row { entry, position: counted(row, "position")?, parent_position: counted(row, "parent_position")? })
}
