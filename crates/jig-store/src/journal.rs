//! The journal: one row for each change, written once; undo and redo are rows like any other.

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

/// Which rows of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalQuery {
    /// The newest first: all, or those before a number.
    Before {
        /// Only rows before this one; none for all.
        seq: Option<u64>,
        /// At most so many.
        limit: u32,
    },
    /// The oldest first, after a number.
    After {
        /// Only rows after this one.
        seq: u64,
        /// At most so many.
        limit: u32,
    },
}

/// A row with its place in the order of undo.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) entry: JournalEntry,
    /// The change that is in effect after this row: a number of a row, or 0 at the start.
    pub(crate) position: u64,
    /// The change that was in effect before it.
    pub(crate) parent_position: u64,
}

impl Store {
    /// Rows of a workbench's journal.
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

/// Adds a row.
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

/// The change that is in effect after a row.
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
